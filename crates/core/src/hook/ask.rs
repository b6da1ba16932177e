//! What a hook is told: one shape for all events, so that a hook reads the same keys everywhere.

use super::HookEvent;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, sync::Arc};

/// What a hook is told. A command reads it from stdin as one line of JSON; what an event has nothing to say about is
/// `null` or `[]` there.
///
/// ```
/// use preface_core::hook::{HookAsk, HookEvent};
/// let mut messages = Vec::new();
/// let mut ask = HookAsk::new(HookEvent::Input, "/work", &mut messages);
/// ask.prompt = Some("Hello");
/// assert_eq!(
///     ask.to_json(),
///     r#"{"event":"input","prompt":"Hello","system_prompt":null,"messages":[],"tools":[],"inputs":null,"cwd":"/work"}"#
/// );
/// ```
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct HookAsk<'a> {
    /// The moment.
    pub event: HookEvent,
    /// What the person said, where a person started this.
    pub prompt: Option<&'a str>,
    /// The prompt as it is now: the base, and what hooks before this one made of it. Never told at `context`.
    pub system_prompt: Option<&'a str>,
    /// The messages before they are converted for a model. At `context` a change in place counts, even where the
    /// handler fails afterwards; at other events the list is a copy that nobody looks at again.
    pub messages: &'a mut Vec<Value>,
    /// The tools that can be switched on, the active ones first and in their order.
    pub tools: &'a [HookTool],
    /// What the base was built from.
    pub inputs: Option<&'a HookInputs>,
    /// The working directory.
    pub cwd: &'a str,
    /// Why resources are looked for; only at `resources_discover`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<DiscoverReason>,
}

impl<'a> HookAsk<'a> {
    /// Builds what says nothing but the moment, the place and the messages.
    #[must_use]
    pub fn new(event: HookEvent, cwd: &'a str, messages: &'a mut Vec<Value>) -> Self {
        HookAsk {
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

/// Why resources are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DiscoverReason {
    /// The session starts.
    Startup,
    /// It reads everything again.
    Reload,
}

/// A tool, as hooks see it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HookTool {
    /// Its name; what `active_tools` of a reply lists.
    pub name: String,
    /// True where the model may call it now.
    pub active: bool,
    /// What it does.
    #[serde(default)]
    pub description: Option<String>,
    /// The JSON Schema of its arguments.
    #[serde(default)]
    pub input_schema: Option<Arc<Value>>,
}

/// What a base prompt was built from, by the names that hooks use.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HookInputs {
    /// The text that stands in place of the default base.
    pub custom_prompt: Option<String>,
    /// The active tools, in order.
    pub selected_tools: Vec<String>,
    /// The one line of each tool.
    pub tool_snippets: BTreeMap<String, String>,
    /// The guidelines of the active tools.
    pub prompt_guidelines: Vec<String>,
    /// The text behind the base.
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
    /// Where it lies.
    pub path: String,
    /// What it says.
    pub content: String,
}

/// A skill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookSkill {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Its file.
    pub file_path: String,
    /// Its directory.
    pub base_dir: String,
    /// True where the prompt does not list it.
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
        let mut ask = HookAsk::new(HookEvent::ResourcesDiscover, "/work", &mut messages);
        ask.system_prompt = Some("a\nb");
        ask.tools = &tools;
        ask.inputs = Some(&inputs);
        ask.reason = Some(DiscoverReason::Reload);
        let line = ask.to_json();
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
