//! The input of a hook: one shape for all events, so that a hook reads the same keys everywhere.

use super::HookEvent;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// The input of a hook. A command reads it from stdin as one line of JSON; keys without a value at an event
/// are `null` or `[]`.
///
/// ```
/// use preface_core::hook::{HookCall, HookEvent};
/// let mut messages = Vec::new();
/// let mut call = HookCall::new(HookEvent::Input, "/work", &mut messages);
/// call.prompt = Some("Hello");
/// assert_eq!(
///     call.to_json(),
///     r#"{"event":"input","prompt":"Hello","system_prompt":null,"messages":[],"tools":[],"inputs":null,"cwd":"/work"}"#
/// );
/// ```
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct HookCall<'a> {
    /// The event.
    pub event: HookEvent,
    /// The user's message, if a user started this run.
    pub prompt: Option<&'a str>,
    /// The current prompt: the base with the changes of the hooks before this one. Absent at `context`.
    pub system_prompt: Option<&'a str>,
    /// The messages before they are converted for a model. At `context` a change in place is kept, even if
    /// the handler fails afterwards; at other events the list is a copy whose changes are ignored.
    pub messages: &'a mut Vec<Value>,
    /// The tools that can be activated, the active ones first and in their order.
    pub tools: &'a [HookTool],
    /// The inputs of the base prompt.
    pub inputs: Option<&'a HookInputs>,
    /// The working directory.
    pub cwd: &'a str,
    /// The reason of a discovery; only at `resources_discover`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<DiscoverReason>,
}

impl<'a> HookCall<'a> {
    /// Builds an input with nothing but the event, the directory and the messages.
    #[must_use]
    pub fn new(event: HookEvent, cwd: &'a str, messages: &'a mut Vec<Value>) -> Self {
        HookCall {
            event,
            prompt: None,
            system_prompt: None,
            messages,
            tools: &[],
            inputs: None,
            cwd,
            reason: None,
        }
    }

    /// Returns the JSON that a command reads, without a line end.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts, lists and maps with text keys can always be written")
    }
}

/// The reason why resources are discovered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiscoverReason {
    /// The conversation starts.
    Startup,
    /// The conversation reloads.
    Reload,
}

/// A tool, as hooks see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HookTool {
    /// The name, as `active_tools` of a reply lists it.
    pub name: String,
    /// True if the model may call it now.
    pub active: bool,
    /// The description for the model.
    #[serde(default)]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default)]
    pub input_schema: Option<Arc<Value>>,
}

/// The inputs of a base prompt, under the names that hooks use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HookInputs {
    /// The text that replaces the default base.
    pub custom_prompt: Option<String>,
    /// The active tools, in order.
    pub selected_tools: Vec<String>,
    /// The one-line summary of each tool.
    pub tool_snippets: BTreeMap<String, String>,
    /// The guidelines of the active tools.
    pub prompt_guidelines: Vec<String>,
    /// The text after the base.
    pub append_system_prompt: Option<String>,
    /// The working directory, as the prompt shows it.
    pub cwd: String,
    /// The project's context files.
    pub context_files: Vec<HookContextFile>,
    /// The skills that the prompt may list.
    pub skills: Vec<HookSkill>,
}

/// A context file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookContextFile {
    /// The path of the file.
    pub path: String,
    /// The text of the file.
    pub content: String,
}

/// A skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookSkill {
    /// The name of the skill.
    pub name: String,
    /// The description for the model.
    pub description: String,
    /// The path of its file.
    pub file_path: String,
    /// The path of its directory.
    pub base_dir: String,
    /// True if the prompt does not list it.
    pub disable_model_invocation: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_keys_are_those_of_the_page() {
        let mut messages = vec![json!({"role": "user", "content": "é"})];
        let tools = [HookTool { name: "read".into(), active: true, ..HookTool::default() }];
        let inputs = HookInputs {
            selected_tools: vec!["read".into()],
            cwd: "/work".into(),
            context_files: vec![HookContextFile { path: "/work/AGENTS.md".into(), content: "Hi".into() }],
            skills: vec![HookSkill { name: "s".into(), ..HookSkill::default() }],
            ..HookInputs::default()
        };
        let mut call = HookCall::new(HookEvent::ResourcesDiscover, "/work", &mut messages);
        call.system_prompt = Some("a\nb");
        call.tools = &tools;
        call.inputs = Some(&inputs);
        call.reason = Some(DiscoverReason::Reload);
        let line = call.to_json();
        assert!(!line.contains('\n'), "one line");
        assert_eq!(
            serde_json::from_str::<Value>(&line).unwrap(),
            json!({
                "event": "resources_discover",
                "prompt": null,
                "system_prompt": "a\nb",
                "messages": [{"role": "user", "content": "é"}],
                "tools": [{"name": "read", "active": true, "description": null, "input_schema": null}],
                "inputs": {
                    "customPrompt": null,
                    "selectedTools": ["read"],
                    "toolSnippets": {},
                    "promptGuidelines": [],
                    "appendSystemPrompt": null,
                    "cwd": "/work",
                    "contextFiles": [{"path": "/work/AGENTS.md", "content": "Hi"}],
                    "skills": [{
                        "name": "s", "description": "", "filePath": "", "baseDir": "", "disableModelInvocation": false
                    }]
                },
                "cwd": "/work",
                "reason": "reload"
            })
        );
    }
}
