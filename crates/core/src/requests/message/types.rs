//! One message of a history: its fields as written, validated as far as preface uses them.

use super::role::Role;
use crate::{json_type::json_type, settings::shown, suggestion::quoted};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// One message of a history.
///
/// It contains the object that was read, with all fields in their order, unknown ones too. The fields that
/// the role requires are valid. A copy is cheap.
///
/// ```
/// use preface_core::message::{Message, Role};
/// let message = Message::user("How long is a day?");
/// assert_eq!((message.role(), message.text().as_str()), (Role::User, "How long is a day?"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Map<String, Value>", into = "Map<String, Value>")]
pub struct Message {
    role: Role,
    fields: Arc<Map<String, Value>>,
}

/// The reason why an object is not a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MessageFault {
    /// The invalid field; `None` if one is missing.
    pub field: Option<&'static str>,
    /// The problem, lower case first.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl MessageFault {
    fn new(field: Option<&'static str>, message: impl Into<String>) -> Self {
        MessageFault { field, message: message.into(), help: None }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// The largest number that every reader of JSON represents exactly.
const LARGEST: f64 = 9_007_199_254_740_991.0;

impl Message {
    /// Validates an object as a message.
    ///
    /// # Errors
    /// A missing or unknown role, or a field of the role that is missing or of a wrong type.
    pub fn new(fields: Map<String, Value>) -> Result<Self, MessageFault> {
        let role: Role = match fields.get("role") {
            _ if is_item(&fields) => return Message::item(fields),
            Some(Value::String(word)) if word == "developer" => Role::System,
            Some(Value::String(word)) if word == "tool" => Role::ToolResult,
            Some(Value::String(word)) => word.parse().map_err(|unknown: super::role::UnknownRole| {
                MessageFault::new(Some("role"), unknown.to_string()).help(unknown.help.words)
            })?,
            Some(other) => {
                return Err(MessageFault::new(
                    Some("role"),
                    format!("`role` must be a string, not {}", kind(other)),
                ));
            }
            None if fields.get("message").is_some_and(Value::is_object) => {
                return Err(MessageFault::new(None, "an entry of a session file is no message").help(
                    "pass the value of its `message`: `jq -c 'select(.type == \"message\").message' FILE`",
                ));
            }
            None => {
                return Err(MessageFault::new(None, "`role` is missing")
                    .help(format!("roles are {}", quoted(Role::ALL))));
            }
        };
        match role {
            Role::Assistant if has_calls(&fields) && fields.get("content").is_none_or(Value::is_null) => {}
            Role::Assistant | Role::System | Role::ToolResult | Role::User => {
                content(&fields, role, "content")?;
            }
            Role::Custom => {
                content(&fields, role, "content")?;
                optional(&fields, "customType", "a string", Value::is_string)?;
            }
            Role::BashExecution => {
                required(&fields, role, "command")?;
                optional(&fields, "output", "a string", Value::is_string)?;
                optional(&fields, "fullOutputPath", "a string", Value::is_string)?;
                optional(&fields, "exitCode", "a whole number", |value| exit_code(value).is_some())?;
                for flag in ["cancelled", "excludeFromContext", "truncated"] {
                    optional(&fields, flag, "`true` or `false`", Value::is_boolean)?;
                }
            }
            Role::BranchSummary | Role::CompactionSummary => required(&fields, role, "summary")?,
        }
        Ok(Message { role, fields: Arc::new(fields) })
    }

    /// Builds a message of the user: one block of text.
    #[must_use]
    pub fn user(text: &str) -> Self {
        Message::made(Role::User, json!({ "role": "user", "content": [{ "type": "text", "text": text }] }))
    }

    /// Builds an extension's message of one text.
    #[must_use]
    pub fn custom(custom_type: &str, text: &str) -> Self {
        Message::made(Role::Custom, json!({ "role": "custom", "customType": custom_type, "content": text }))
    }

    /// Reads an item of `OpenAI`'s Responses API.
    fn item(fields: Map<String, Value>) -> Result<Self, MessageFault> {
        let kind = fields.get("type").and_then(Value::as_str).unwrap_or_default();
        let role = if kind.ends_with("_output") { Role::ToolResult } else { Role::Assistant };
        if kind == "function_call" {
            for field in ["call_id", "name", "arguments"] {
                required(&fields, role, field)?;
            }
        }
        if kind == "function_call_output" {
            required(&fields, role, "call_id")?;
            content(&fields, role, "output")?;
        }
        Ok(Message { role, fields: Arc::new(fields) })
    }

    fn made(role: Role, value: Value) -> Self {
        let fields = match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Message { role, fields: Arc::new(fields) }
    }

    /// Returns the role.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Returns every field, in the order of the file.
    #[must_use]
    pub fn fields(&self) -> &Map<String, Value> {
        &self.fields
    }

    /// Returns the text for display: the texts of its blocks joined by line ends, a summary, or a command's
    /// output. Images and calls are left out.
    #[must_use]
    pub fn text(&self) -> String {
        match self.role {
            Role::BashExecution => self.string("output").to_owned(),
            Role::BranchSummary | Role::CompactionSummary => self.string("summary").to_owned(),
            _ => text_of(self.fields.get("content")),
        }
    }

    pub(super) fn shared(&self) -> Arc<Map<String, Value>> {
        Arc::clone(&self.fields)
    }

    /// Returns a text field; empty if it is missing.
    pub(super) fn string(&self, field: &str) -> &str {
        self.fields.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns a flag; false if it is missing.
    pub(super) fn flag(&self, field: &str) -> bool {
        self.fields.get(field).and_then(Value::as_bool).unwrap_or_default()
    }

    pub(super) fn exit_code(&self) -> Option<i64> {
        self.fields.get("exitCode").and_then(exit_code)
    }
}

impl TryFrom<Map<String, Value>> for Message {
    type Error = MessageFault;

    fn try_from(fields: Map<String, Value>) -> Result<Self, MessageFault> {
        Message::new(fields)
    }
}

impl From<Message> for Map<String, Value> {
    fn from(message: Message) -> Self {
        Arc::unwrap_or_clone(message.fields)
    }
}

/// Joins the texts of a content.
pub(super) fn text_of(content: Option<&Value>) -> String {
    match content {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => {
            let texts: Vec<&str> = blocks.iter().filter_map(text_block).collect();
            texts.join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the text of a block of text.
pub(super) fn text_block(block: &Value) -> Option<&str> {
    if block.get("type")? == "text" { block.get("text")?.as_str() } else { None }
}

/// Items of `OpenAI`'s Responses API whose names have no common ending.
const ITEMS: [&str; 5] =
    ["additional_tools", "compaction", "configuration_update", "item_reference", "reasoning"];

/// Returns true for an item of `OpenAI`'s Responses API, which has a type in place of a role.
pub(crate) fn is_item(fields: &Map<String, Value>) -> bool {
    let kind = fields.get("type").and_then(Value::as_str);
    kind.is_some_and(|kind| {
        kind.ends_with("_call") || kind.ends_with("_call_output") || ITEMS.contains(&kind)
    })
}

/// Returns true for an answer of `OpenAI`'s Chat Completions API whose text may be missing: it has calls, a refusal or audio.
fn has_calls(fields: &Map<String, Value>) -> bool {
    ["tool_calls", "refusal", "audio"]
        .iter()
        .any(|key| fields.get(*key).is_some_and(|value| !value.is_null()))
}

/// Validates a content: a string or a list of blocks with a `type`. Blocks of unknown types are accepted.
fn content(fields: &Map<String, Value>, role: Role, key: &'static str) -> Result<(), MessageFault> {
    let blocks = match fields.get(key) {
        Some(Value::String(_)) => return Ok(()),
        Some(Value::Array(blocks)) => blocks,
        Some(other) => {
            let message = format!("`{key}` must be a string or a list of blocks, not {}", kind(other));
            return Err(MessageFault::new(Some(key), message));
        }
        None => {
            return Err(MessageFault::new(
                None,
                format!("`{key}` is missing from a message of role `{role}`"),
            )
            .help("write a string, or a list of blocks such as `{\"type\": \"text\", \"text\": \"…\"}`"));
        }
    };
    for (at, block) in blocks.iter().enumerate() {
        let fault = match block.get("type") {
            _ if !block.is_object() => {
                format!("block {at} of `{key}` must be an object, not {}", kind(block))
            }
            None => format!("block {at} of `{key}` has no `type`"),
            Some(Value::String(word)) if word == "text" && text_block(block).is_none() => {
                format!("block {at} of `{key}` is a text without a string `text`")
            }
            Some(Value::String(_)) => continue,
            Some(other) => {
                format!("the `type` of block {at} of `{key}` must be a string, not {}", kind(other))
            }
        };
        return Err(MessageFault::new(Some(key), fault)
            .help("a block of text is `{\"type\": \"text\", \"text\": \"…\"}`"));
    }
    Ok(())
}

fn required(fields: &Map<String, Value>, role: Role, field: &'static str) -> Result<(), MessageFault> {
    match fields.get(field) {
        Some(Value::String(_)) => Ok(()),
        Some(other) => {
            Err(MessageFault::new(Some(field), format!("`{field}` must be a string, not {}", kind(other))))
        }
        None => Err(MessageFault::new(None, format!("`{field}` is missing from a message of role `{role}`"))
            .help(format!("add `\"{field}\": \"…\"`"))),
    }
}

fn optional(
    fields: &Map<String, Value>,
    field: &'static str,
    wanted: &str,
    fits: impl Fn(&Value) -> bool,
) -> Result<(), MessageFault> {
    match fields.get(field) {
        None | Some(Value::Null) => Ok(()),
        Some(value) if fits(value) => Ok(()),
        Some(value) => {
            let message = format!("`{field}` must be {wanted}, not {}", kind(value));
            Err(MessageFault::new(Some(field), message).help("or leave it out"))
        }
    }
}

/// Reads an integer, also in the form `2.0`.
fn exit_code(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0 && number.abs() <= LARGEST)?;
    #[expect(clippy::cast_possible_truncation, reason = "whole, and small enough")]
    Some(number as i64)
}

/// Describes a value for messages.
fn kind(value: &Value) -> String {
    match value {
        Value::Null => "`null`".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) => format!("the string `{}`", shown(text)),
        Value::Array(_) | Value::Object(_) => json_type(value).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(json: &str) -> Result<Message, MessageFault> {
        Message::new(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_message_without_the_fields_of_its_role_is_an_error() {
        for (json, field, expected) in [
            (r#"{}"#, None, "`role` is missing"),
            (r#"{"role":7}"#, Some("role"), "`role` must be a string, not `7`"),
            (r#"{"role":"usr"}"#, Some("role"), "unknown role `usr`"),
            (r#"{"role":"user"}"#, None, "`content` is missing from a message of role `user`"),
            (
                r#"{"role":"user","content":null}"#,
                Some("content"),
                "`content` must be a string or a list of blocks, not `null`",
            ),
            (
                r#"{"role":"user","content":["x"]}"#,
                Some("content"),
                "block 0 of `content` must be an object, not the string `x`",
            ),
            (r#"{"role":"user","content":[{}]}"#, Some("content"), "block 0 of `content` has no `type`"),
            (
                r#"{"role":"assistant","content":[{"type":"text"}]}"#,
                Some("content"),
                "block 0 of `content` is a text without a string `text`",
            ),
            (
                r#"{"role":"bashExecution"}"#,
                None,
                "`command` is missing from a message of role `bashExecution`",
            ),
            (
                r#"{"role":"bashExecution","command":"ls","exitCode":"1"}"#,
                Some("exitCode"),
                "`exitCode` must be a whole number, not the string `1`",
            ),
            (
                r#"{"role":"bashExecution","command":"ls","exitCode":1.5}"#,
                Some("exitCode"),
                "`exitCode` must be a whole number, not `1.5`",
            ),
            (
                r#"{"role":"bashExecution","command":"ls","truncated":"yes"}"#,
                Some("truncated"),
                "`truncated` must be `true` or `false`, not the string `yes`",
            ),
            (
                r#"{"role":"branchSummary","summary":[]}"#,
                Some("summary"),
                "`summary` must be a string, not an array",
            ),
            (
                r#"{"role":"custom","content":"x","customType":1}"#,
                Some("customType"),
                "`customType` must be a string, not `1`",
            ),
            (
                r#"{"type":"message","message":{"role":"user"}}"#,
                None,
                "an entry of a session file is no message",
            ),
        ] {
            let fault = message(json).unwrap_err();
            assert_eq!((fault.field, fault.message.as_str()), (field, expected), "{json}");
        }
    }

    #[test]
    fn unknown_fields_and_blocks_stay_in_their_order() {
        let json = r#"{"zeta":1,"role":"user","content":[{"type":"hologram","b":[],"a":{}}],"alpha":null}"#;
        let message = message(json).unwrap();
        assert_eq!(serde_json::to_string(&message).unwrap(), json);
        assert_eq!(message.text(), "");
    }

    #[test]
    fn made_messages_are_as_good_as_read_ones() {
        for made in [Message::user("hi"), Message::custom("note", "hi")] {
            assert_eq!(Message::new(made.fields().clone()).as_ref(), Ok(&made));
            assert_eq!(made.text(), "hi");
        }
    }
}
