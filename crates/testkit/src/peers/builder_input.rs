//! The input of the published builder functions: one JSON object, in the form that their own programs use.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The input of one build. Keys that are absent stay absent: the builder distinguishes them from empty ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuilderInput {
    /// The base in place of the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom_prompt: Option<String>,
    /// The active tools, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_tools: Option<Vec<String>>,
    /// Name to one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_snippets: Option<serde_json::Map<String, Value>>,
    /// Name to lines of advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_guidelines: Option<serde_json::Map<String, Value>>,
    /// Lines of advice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_guidelines: Option<Vec<String>>,
    /// Text after the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_system_prompt: Option<String>,
    /// The working directory, as it is shown.
    pub cwd: String,
    /// Files of instructions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_files: Option<Vec<ContextFile>>,
    /// Skills, hidden ones too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<BuilderSkill>>,
    /// Section name to text, in order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sections: Option<serde_json::Map<String, Value>>,
    /// The whole prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub force_system_prompt: Option<String>,
}

/// A file of instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFile {
    /// The path, as it is shown.
    pub path: String,
    /// The text.
    pub content: String,
}

/// A skill as the builder gets it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BuilderSkill {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The path.
    pub file_path: String,
    /// The directory of that.
    pub base_dir: String,
    /// The source that it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// True: it is not listed.
    #[serde(default)]
    pub disable_model_invocation: bool,
}

impl BuilderInput {
    /// Returns the tools that are active: those of the input, else the four that count as its default.
    #[must_use]
    pub fn tools(&self) -> Vec<String> {
        match &self.selected_tools {
            Some(tools) => tools.clone(),
            None => ["read", "bash", "edit", "write"].map(str::to_owned).to_vec(),
        }
    }

    /// Returns the one-line text of a tool, where the input has the key.
    #[must_use]
    pub fn snippet(&self, tool: &str) -> Option<&str> {
        self.tool_snippets.as_ref()?.get(tool)?.as_str()
    }

    /// Returns the advice of a tool.
    #[must_use]
    pub fn guidelines(&self, tool: &str) -> Vec<String> {
        let lines = self.tool_guidelines.as_ref().and_then(|all| all.get(tool)).and_then(Value::as_array);
        lines.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// Writes the input as one line of ASCII: readers differ in what ends a line beyond LF.
    #[must_use]
    pub fn line(&self) -> String {
        ascii(&serde_json::to_string(self).unwrap_or_default())
    }
}

/// Escapes what is no ASCII in a JSON text.
#[must_use]
pub fn ascii(json: &str) -> String {
    let mut line = String::with_capacity(json.len());
    for c in json.chars() {
        if c.is_ascii() && c != '\u{7f}' {
            line.push(c);
        } else {
            for unit in c.encode_utf16(&mut [0; 2]) {
                line += &format!("\\u{unit:04x}");
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_ascii_only_and_reads_back() {
        let input = BuilderInput { cwd: "/é\u{2028}😀\u{7f}".to_owned(), ..BuilderInput::default() };
        let line = input.line();
        assert!(line.is_ascii() && !line.contains('\n'), "{line}");
        assert_eq!(serde_json::from_str::<BuilderInput>(&line).ok(), Some(input));
    }
}
