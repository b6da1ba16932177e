//! What the libraries for Python and TypeScript read and return alike: options as JSON, diagnostics as JSON, and panics as errors.
//!
//! Keys of options may have the spelling of either language.

use preface::{Diagnostic, Error, Location, PromptBuilder, RequestBuilder, Tool, Trust};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    any::Any,
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
};

/// The options of a prompt.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildOptions {
    preset: Option<String>,
    profile: Option<PathBuf>,
    model: Option<String>,
    agent: Option<String>,
    tools: Option<Vec<Value>>,
    variables: BTreeMap<String, Option<String>>,
    settings: Map<String, Value>,
    trust: TrustOption,
    #[serde(alias = "trustPins")]
    trust_pins: Option<String>,
    budget: Option<usize>,
    tokenizer: Option<String>,
    now: Option<String>,
    #[serde(alias = "timeZone")]
    time_zone: Option<String>,
    template: Option<String>,
    #[serde(alias = "templateText")]
    template_text: Option<String>,
    reminders: Vec<Value>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum TrustOption {
    #[default]
    Recorded,
    Require,
    Once,
    Deny,
}

impl BuildOptions {
    /// Sets what was given.
    ///
    /// # Errors
    /// A definition of a tool that is not valid.
    pub fn apply(self, builder: PromptBuilder) -> Result<PromptBuilder, Error> {
        let mut builder = builder.trust(match self.trust {
            TrustOption::Recorded => Trust::Recorded,
            TrustOption::Require => Trust::Require,
            TrustOption::Once => Trust::Once,
            TrustOption::Deny => Trust::Deny,
        });
        if let Some(tools) = self.tools {
            let tools: Result<Vec<Tool>, Error> = tools.into_iter().map(tool).collect();
            builder = builder.tools(tools?);
        }
        for (name, value) in self.variables {
            builder = match value {
                Some(value) => builder.variable(name, value),
                None => builder.without_variable(name),
            };
        }
        builder =
            self.settings.into_iter().fold(builder, |builder, (path, value)| builder.setting(path, value));
        builder = self.reminders.into_iter().fold(builder, PromptBuilder::reminder);
        builder = set(builder, self.preset, PromptBuilder::preset);
        builder = set(builder, self.profile, PromptBuilder::profile);
        builder = set(builder, self.model, PromptBuilder::model);
        builder = set(builder, self.agent, PromptBuilder::agent);
        builder = set(builder, self.trust_pins, PromptBuilder::trust_pins);
        builder = set(builder, self.budget, PromptBuilder::budget);
        builder = set(builder, self.tokenizer, PromptBuilder::tokenizer);
        builder = set(builder, self.now, PromptBuilder::now);
        builder = set(builder, self.time_zone, PromptBuilder::time_zone);
        builder = set(builder, self.template, PromptBuilder::template);
        Ok(set(builder, self.template_text, PromptBuilder::template_text))
    }
}

/// The options of a request.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RequestOptions {
    model: Option<String>,
    messages: Option<Value>,
    #[serde(alias = "maxOutputTokens")]
    max_output_tokens: Option<u64>,
    #[serde(alias = "cacheKey")]
    cache_key: Option<String>,
    #[serde(alias = "cacheTtl")]
    cache_ttl: Option<String>,
    compaction: Option<String>,
}

impl RequestOptions {
    /// Sets what was given.
    pub fn apply(self, mut builder: RequestBuilder<'_>) -> RequestBuilder<'_> {
        if let Some(messages) = &self.messages {
            builder = builder.messages(messages);
        }
        builder = set(builder, self.model, RequestBuilder::model);
        builder = set(builder, self.max_output_tokens, RequestBuilder::max_output_tokens);
        builder = set(builder, self.cache_key, RequestBuilder::cache_key);
        builder = set(builder, self.cache_ttl, RequestBuilder::cache_ttl);
        set(builder, self.compaction, RequestBuilder::compaction)
    }
}

/// Calls a setter with a value that was given.
fn set<B, T>(builder: B, value: Option<T>, setter: impl FnOnce(B, T) -> B) -> B {
    match value {
        Some(value) => setter(builder, value),
        None => builder,
    }
}

fn tool(tool: Value) -> Result<Tool, Error> {
    match tool {
        Value::String(name) => Ok(Tool::new(name)),
        definition => Tool::from_json(definition),
    }
}

/// Returns diagnostics as JSON.
#[must_use]
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let one = |diagnostic: &Diagnostic| {
        json!({
            "code": diagnostic.code,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "help": diagnostic.help,
            "location": diagnostic.location.as_ref().map(location),
        })
    };
    diagnostics.iter().map(one).collect()
}

/// Returns a place in a file as JSON.
#[must_use]
pub fn location(location: &Location) -> Value {
    json!({"path": location.path, "line": location.line, "column": location.column})
}

/// Calls a function; a panic is an error with its message. What the function works on must be whole behind a panic: a prompt does
/// not change, a store is changed by transactions, and a conversation reads what it stores.
///
/// # Errors
/// The function panicked.
pub fn contained<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    text.or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("a panic").to_owned()
}
