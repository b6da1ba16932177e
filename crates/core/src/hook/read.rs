//! Reads the reply of a command: strictly, key by key.

use super::{
    HookEvent, HookFailure, HookReply,
    reply::{KEYS, ignored_keys, unknown_keys},
};
use crate::{
    diagnostic::Diagnostics,
    json_type::{json_type, without_position},
    template::trim,
};
use serde_json::{Map, Value};

impl HookReply {
    /// Reads the output of a command. Blank output and keys with `null` change nothing.
    ///
    /// Unknown keys, and keys without a meaning at this event, are ignored: one warning `key/unknown` lists them.
    ///
    /// # Errors
    /// [`HookFailure::Json`] with the place, [`HookFailure::Shape`] with the key, or [`HookFailure::Contradiction`].
    pub fn read(hook: &str, event: HookEvent, stdout: &[u8]) -> Result<(Self, Diagnostics), HookFailure> {
        if std::str::from_utf8(stdout).is_ok_and(|text| trim(text).is_empty()) {
            return Ok((HookReply::default(), Vec::new()));
        }
        let value: Value = serde_json::from_slice(stdout).map_err(|error| no_json(&error))?;
        let Value::Object(mut map) = value else {
            let found = json_type(&value);
            return Err(HookFailure::Shape { key: String::new(), expected: "an object", found });
        };
        map.retain(|_, value| !value.is_null());
        let mut diagnostics = Vec::new();
        let unknown: Vec<&str> = map.keys().map(String::as_str).filter(|key| !KEYS.contains(key)).collect();
        diagnostics.extend(unknown_keys(hook, event, &unknown));
        let heeded = event.reply_keys();
        let ignored: Vec<&str> =
            KEYS.into_iter().filter(|key| map.contains_key(*key) && !heeded.contains(key)).collect();
        diagnostics.extend(ignored_keys(hook, event, &ignored));
        map.retain(|key, _| heeded.contains(&key.as_str()));
        Ok((HookReply::of(&map)?, diagnostics))
    }

    /// Reads the keys of a map and ignores others.
    fn of(map: &Map<String, Value>) -> Result<Self, HookFailure> {
        let reply = HookReply {
            prompt: text(map, "prompt")?,
            handled: flag(map, "handled")?,
            system_prompt: text(map, "system_prompt")?,
            replace_with_empty: flag(map, "replace_with_empty")?,
            message: message(map)?,
            active_tools: texts(map, "active_tools")?,
            messages: messages(map)?,
            skill_paths: texts(map, "skill_paths")?.unwrap_or_default(),
        };
        reply.check()
    }
}

fn no_json(error: &serde_json::Error) -> HookFailure {
    let (line, column) = (error.line(), error.column());
    let message = without_position(&error.to_string()).to_owned();
    HookFailure::Json { line, column, message }
}

fn type_error(key: impl Into<String>, expected: &'static str, value: &Value) -> HookFailure {
    HookFailure::Shape { key: key.into(), expected, found: json_type(value) }
}

fn text(map: &Map<String, Value>, key: &str) -> Result<Option<String>, HookFailure> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(type_error(key, "a string", other)),
    }
}

fn flag(map: &Map<String, Value>, key: &str) -> Result<bool, HookFailure> {
    match map.get(key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(type_error(key, "`true` or `false`", other)),
    }
}

fn texts(map: &Map<String, Value>, key: &str) -> Result<Option<Vec<String>>, HookFailure> {
    let Some(value) = map.get(key) else { return Ok(None) };
    let Value::Array(list) = value else { return Err(type_error(key, "a list of strings", value)) };
    let texts = list.iter().enumerate().map(|(at, item)| match item {
        Value::String(text) => Ok(text.clone()),
        other => Err(type_error(format!("{key}[{at}]"), "a string", other)),
    });
    texts.collect::<Result<_, _>>().map(Some)
}

fn messages(map: &Map<String, Value>) -> Result<Option<Vec<Value>>, HookFailure> {
    match map.get("messages") {
        None => Ok(None),
        Some(Value::Array(list)) => {
            for (at, item) in list.iter().enumerate() {
                if !item.is_object() {
                    return Err(type_error(format!("messages[{at}]"), "an object", item));
                }
            }
            Ok(Some(list.clone()))
        }
        Some(other) => Err(type_error("messages", "a list of objects", other)),
    }
}

fn message(map: &Map<String, Value>) -> Result<Option<Value>, HookFailure> {
    const CONTENT: &str = "a string or a list of blocks";
    let Some(value) = map.get("message") else { return Ok(None) };
    let Value::Object(message) = value else { return Err(type_error("message", "an object", value)) };
    match message.get("content") {
        Some(Value::String(_) | Value::Array(_)) => Ok(Some(value.clone())),
        Some(other) => Err(type_error("message.content", CONTENT, other)),
        None => {
            Err(HookFailure::Shape { key: "message.content".into(), expected: CONTENT, found: "missing" })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Diagnostic;
    use serde_json::json;

    fn read(event: HookEvent, stdout: &str) -> Result<(HookReply, Vec<String>), String> {
        let read = HookReply::read("h", event, stdout.as_bytes()).map_err(|failure| failure.to_string())?;
        let diagnostic = |diagnostic: Diagnostic| {
            format!("{} {} — {}", diagnostic.code, diagnostic.message, diagnostic.help.unwrap_or_default())
        };
        Ok((read.0, read.1.into_iter().map(diagnostic).collect()))
    }

    #[test]
    fn each_key_is_read_where_it_means_something() {
        let all = r#"{"prompt":"p","handled":true,"system_prompt":"s","replace_with_empty":false,
            "message":{"content":"m","customType":"t"},"active_tools":["a","b"],
            "messages":[{"role":"user","content":"x"}],"skill_paths":["s.md"]}"#;
        let none = HookReply::default;
        for (event, reply) in [
            (HookEvent::Input, HookReply { prompt: Some("p".into()), handled: true, ..none() }),
            (
                HookEvent::BeforeAgentStart,
                HookReply {
                    system_prompt: Some("s".into()),
                    message: Some(json!({"content": "m", "customType": "t"})),
                    active_tools: Some(vec!["a".into(), "b".into()]),
                    ..none()
                },
            ),
            (
                HookEvent::Context,
                HookReply { messages: Some(vec![json!({"role": "user", "content": "x"})]), ..none() },
            ),
            (HookEvent::ResourcesDiscover, HookReply { skill_paths: vec!["s.md".into()], ..none() }),
            (HookEvent::ToolCall, none()),
            (HookEvent::ToolResult, none()),
        ] {
            let (read, diagnostics) = read(event, all).expect("an answer");
            assert_eq!(read, reply, "{event}");
            assert_eq!(diagnostics.len(), 1, "{event} {diagnostics:?}");
            assert!(read.keys().iter().all(|key| event.reply_keys().contains(key)));
        }
        for event in HookEvent::ALL {
            assert!(
                event.reply_keys().iter().all(|key| KEYS.contains(key)),
                "{event} answers with known keys"
            );
        }
    }

    #[test]
    fn nothing_changes_nothing() {
        for nothing in
            ["", " ", "\n", "\r\n\t", "\u{feff}", "{}", " {} \n", r#"{"system_prompt":null,"messages":null}"#]
        {
            let read = read(HookEvent::BeforeAgentStart, nothing);
            assert_eq!(read, Ok((HookReply::default(), vec![])), "{nothing:?}");
        }
    }

    #[test]
    fn a_wrong_answer_is_a_failure_that_names_the_key() {
        use HookEvent::{BeforeAgentStart, Context, Input, ResourcesDiscover};
        for (event, stdout, failure) in [
            (Input, "[]", "its answer must be an object, and is an array"),
            (Input, "null", "its answer must be an object, and is null"),
            (Input, "\"hi\"", "its answer must be an object, and is a string"),
            (Input, r#"{"prompt":1}"#, "`prompt` of its answer must be a string, and is a number"),
            (
                Input,
                r#"{"handled":"yes"}"#,
                "`handled` of its answer must be `true` or `false`, and is a string",
            ),
            (
                BeforeAgentStart,
                r#"{"system_prompt":[]}"#,
                "`system_prompt` of its answer must be a string, and is an array",
            ),
            (
                BeforeAgentStart,
                r#"{"active_tools":["a",{}]}"#,
                "`active_tools[1]` of its answer must be a string, and is an object",
            ),
            (
                BeforeAgentStart,
                r#"{"active_tools":"a"}"#,
                "`active_tools` of its answer must be a list of strings, and is a string",
            ),
            (
                BeforeAgentStart,
                r#"{"message":"m"}"#,
                "`message` of its answer must be an object, and is a string",
            ),
            (
                BeforeAgentStart,
                r#"{"message":{}}"#,
                "`message.content` of its answer must be a string or a list of blocks, and is missing",
            ),
            (
                BeforeAgentStart,
                r#"{"message":{"content":true}}"#,
                "`message.content` of its answer must be a string or a list of blocks, and is a boolean",
            ),
            (
                BeforeAgentStart,
                r#"{"replace_with_empty":true,"system_prompt":"x"}"#,
                "`replace_with_empty` and a `system_prompt` that is not empty exclude each other",
            ),
            (
                Context,
                r#"{"messages":{}}"#,
                "`messages` of its answer must be a list of objects, and is an object",
            ),
            (
                Context,
                r#"{"messages":["x"]}"#,
                "`messages[0]` of its answer must be an object, and is a string",
            ),
            (
                ResourcesDiscover,
                r#"{"skill_paths":[1]}"#,
                "`skill_paths[0]` of its answer must be a string, and is a number",
            ),
            (Input, "{\n  \"prompt\": oops}", "its answer is no JSON, at line 2, column 13: expected value"),
            (Input, "{}\n{}", "its answer is no JSON, at line 2, column 1: trailing characters"),
            (Input, "{\"prompt\":", "its answer is no JSON, at line 1, column 10: EOF while parsing a value"),
        ] {
            assert_eq!(read(event, stdout), Err(failure.to_owned()), "{stdout}");
        }
        let bytes = HookReply::read("h", Input, b"{\"prompt\":\"\xff\"}");
        assert!(matches!(bytes, Err(HookFailure::Json { line: 1, .. })), "{bytes:?}");
    }

    #[test]
    fn ignored_keys_are_reported_once_each() {
        let (reply, diagnostics) = read(
            HookEvent::Context,
            r#"{"mesages":[],"x\n1":1,"x2":1,"x3":1,"x4":1,"x5":1,"x6":1,"system_prompt":7,"handled":true}"#,
        )
        .expect("what is ignored may have any type");
        assert_eq!(reply, HookReply::default());
        assert_eq!(
            diagnostics,
            [
                "key/unknown hook `h` answered at context with an unknown reply: `mesages`, `x\\u{a}1`, `x2`, `x3`, \
                 `x4`, and 2 more — did you mean `messages`?",
                "key/unknown hook `h` answered with what means nothing at context: `handled`, `system_prompt` — at \
                 context a hook may answer `messages`",
            ]
        );
    }
}
