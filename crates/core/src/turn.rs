//! The turn of a prompt: the directory, the tools, the model, the instant.

use crate::{declaration::GivenVariables, scope::Scope, template};
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// One request for a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// The directory that is worked in, absolute, links not resolved.
    pub cwd: String,
    /// The model's name, if the caller gave it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The conversation's id, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The agent whose prompt is built; `None` is the main conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The active tools, in order.
    #[serde(default)]
    pub tools: Vec<Tool>,
    /// Guidelines that belong to no single tool; they come after those of the tools.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidelines: Vec<String>,
    /// The instant, RFC 3339 in UTC with milliseconds. One instant is used for the whole build.
    pub now: String,
    /// The zone's name (`Europe/Berlin`) if the caller names one; else the machine's zone is used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The whole prompt's limit in tokens, if the caller sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The name of the tokenizer.
    pub counter: String,
    /// Values that `--variable` sets (or removes), before any provider is called.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub variables: GivenVariables,
}

/// The prefix of the `source` of a tool that an MCP server brings; the server's name follows.
pub const OF_SERVER: &str = "mcp:";

/// A tool that the model may call, as the prompt describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// The name of the tool.
    pub name: String,
    /// The description for the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// One line for the list of tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// Advice that belongs to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidelines: Vec<String>,
    /// The JSON Schema of its arguments.
    #[serde(default, alias = "inputSchema", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub input_schema: Option<Arc<serde_json::Value>>,
    /// True if the service is to make sure that arguments fit the schema.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
    /// Where its texts came from, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The layer that brings it; `None` for a tool of the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

impl Tool {
    /// Names a tool. That is enough for one that the profile knows; one of the program's own needs its definition.
    ///
    /// ```
    /// use preface_core::turn::Tool;
    /// use serde_json::json;
    /// let weather = Tool::new("weather")
    ///     .description("Returns the weather of a city.")
    ///     .input_schema(json!({"type": "object", "properties": {"city": {"type": "string"}}}));
    /// assert_eq!(weather.name, "weather");
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Tool { name: name.into(), ..Tool::default() }
    }

    /// Sets the description that the model reads.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.description = Some(text.into());
        self
    }

    /// Sets the JSON Schema of the arguments.
    #[must_use]
    pub fn input_schema(mut self, schema: impl Into<serde_json::Value>) -> Self {
        self.input_schema = Some(Arc::new(schema.into()));
        self
    }

    /// Returns the one line for the list of tools: the snippet, else the description, else nothing; line breaks become
    /// blanks.
    #[must_use]
    pub fn line(&self) -> Option<String> {
        let line = one_line(self.snippet.as_deref().or(self.description.as_deref())?);
        (!line.is_empty()).then(|| line.into_owned())
    }

    /// True for a tool that an MCP server brings. Only its definition describes it; no list in the prompt does.
    #[must_use]
    pub fn is_of_server(&self) -> bool {
        self.source.as_deref().is_some_and(|source| source.starts_with(OF_SERVER))
    }
}

impl From<&str> for Tool {
    fn from(name: &str) -> Self {
        Tool::new(name)
    }
}

impl From<String> for Tool {
    fn from(name: String) -> Self {
        Tool::new(name)
    }
}

/// Returns a text with each run of white space as one blank and none at its ends.
///
/// ```
/// use preface_core::turn::one_line;
/// assert_eq!(one_line(" one\r\ntwo   three "), "one two three");
/// assert_eq!(one_line(" \u{feff}\n"), "");
/// ```
#[must_use]
pub fn one_line(text: &str) -> Cow<'_, str> {
    let is_other = |c: char| c != ' ' && template::is_white(c);
    if template::trim(text) == text && !text.contains("  ") && !text.contains(is_other) {
        return Cow::Borrowed(text);
    }
    let words: Vec<&str> = text.split(template::is_white).filter(|word| !word.is_empty()).collect();
    Cow::Owned(words.join(" "))
}
