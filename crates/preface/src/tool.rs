//! The tools that a model may call.

use preface_core::turn;
use serde_json::Value;
use std::sync::Arc;

/// A tool that the model may call.
///
/// A name is enough for a tool that the profile knows. One of the program's own needs its definition.
///
/// ```
/// use preface::Tool;
/// use serde_json::json;
/// let weather = Tool::new("weather")
///     .description("Returns the weather of a city.")
///     .input_schema(json!({"type": "object", "properties": {"city": {"type": "string"}}}));
/// assert_eq!(weather.name(), "weather");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tool(pub(crate) turn::Tool);

impl Tool {
    /// Names a tool.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Tool(turn::Tool { name: name.into(), ..turn::Tool::default() })
    }

    /// Sets the description that the model reads.
    #[must_use]
    pub fn description(mut self, text: impl Into<String>) -> Self {
        self.0.description = Some(text.into());
        self
    }

    /// Sets the JSON Schema of the arguments.
    #[must_use]
    pub fn input_schema(mut self, schema: impl Into<Value>) -> Self {
        self.0.input_schema = Some(Arc::new(schema.into()));
        self
    }

    /// Sets the line for the list of tools in the prompt; without it the description is used.
    #[must_use]
    pub fn snippet(mut self, line: impl Into<String>) -> Self {
        self.0.snippet = Some(line.into());
        self
    }

    /// Adds a guideline for the use of the tool.
    #[must_use]
    pub fn guideline(mut self, text: impl Into<String>) -> Self {
        self.0.guidelines.push(text.into());
        self
    }

    /// Has the service check arguments against the schema, where it can.
    #[must_use]
    pub fn strict(mut self, is_strict: bool) -> Self {
        self.0.strict = is_strict;
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns the definition as JSON, as [`PromptBuilder::options`](crate::PromptBuilder::options) reads it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    /// Returns true if nothing but the name is set.
    pub(crate) fn is_a_name(&self) -> bool {
        self.0 == turn::Tool { name: self.0.name.clone(), ..turn::Tool::default() }
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
