//! What the libraries for Python and TypeScript read and return alike: options of requests, diagnostics as JSON, hooks, and panics as
//! errors.
//!
//! Keys of options may have the spelling of either language.

use preface::{
    Diagnostic, HookCall, HookEvent, HookFailure, HookFn, HookHandler, HookReply, Place, RequestBuilder,
};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

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

/// Returns diagnostics as JSON.
#[must_use]
pub fn diagnostics(diagnostics: &[Diagnostic]) -> Value {
    let one = |diagnostic: &Diagnostic| {
        json!({
            "code": diagnostic.code.as_str(),
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "help": diagnostic.help,
            "location": diagnostic.place.as_ref().map(location),
        })
    };
    diagnostics.iter().map(one).collect()
}

/// Returns a place in a file as JSON; null for one of a profile that ships with the library, which has no file.
#[must_use]
pub fn location(place: &Place) -> Value {
    match place.path.is_empty() {
        true => Value::Null,
        false => json!({"path": place.path, "line": place.line, "column": place.column}),
    }
}

/// Makes a hook of a function that takes the JSON of a call and returns the JSON of an answer, as a program does. `None` for an event that
/// preface does not call hooks for.
pub fn hook(
    event: &str,
    name: String,
    call: impl Fn(String) -> Result<String, String> + Send + Sync + 'static,
) -> Option<impl HookHandler + 'static> {
    let event = HookEvent::named(event).filter(|event| !event.is_of_tool_calls())?;
    Some(HookFn::new(name.clone(), [event], move |asked: &mut HookCall<'_>| {
        let answer = call(asked.to_json()).map_err(HookFailure::failed)?;
        let (reply, diagnostics) = HookReply::read(&name, event, answer.as_bytes())?;
        match diagnostics.first() {
            Some(diagnostic) => Err(HookFailure::failed(&diagnostic.message)),
            None => Ok(reply),
        }
    }))
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
