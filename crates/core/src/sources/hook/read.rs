//! Reads the reply of a command: strictly, key by key.

use super::{
    HookEvent, HookFailure, HookReply,
    reply::{KEYS, ignored_keys, unknown_keys},
};
use crate::{diagnostic::Diagnostics, template::trim};
use serde_json::{Map, Value};

impl HookReply {
    /// Reads the output of a command. Blank output and keys with `null` change nothing.
    ///
    /// Unknown keys, and keys without a meaning at this event, are ignored: one warning `key/unknown` lists them.
    ///
    /// # Errors
    /// [`HookFailure::Reply`].
    pub fn read(hook: &str, event: HookEvent, stdout: &[u8]) -> Result<(Self, Diagnostics), HookFailure> {
        if std::str::from_utf8(stdout).is_ok_and(|text| trim(text).is_empty()) {
            return Ok((HookReply::default(), Vec::new()));
        }
        let mut map: Map<String, Value> = serde_json::from_slice(stdout).map_err(HookFailure::reply)?;
        map.retain(|_, value| !value.is_null());
        let mut diagnostics = Vec::new();
        let unknown: Vec<&str> = map.keys().map(String::as_str).filter(|key| !KEYS.contains(key)).collect();
        diagnostics.extend(unknown_keys(hook, event, &unknown));
        let heeded = event.reply_keys();
        let ignored: Vec<&str> =
            KEYS.into_iter().filter(|key| map.contains_key(*key) && !heeded.contains(key)).collect();
        diagnostics.extend(ignored_keys(hook, event, &ignored));
        map.retain(|key, _| heeded.contains(&key.as_str()));
        let reply: HookReply =
            serde_path_to_error::deserialize(Value::Object(map)).map_err(HookFailure::reply)?;
        let is_content = |content: &Value| content.is_string() || content.is_array();
        if !reply.message.iter().all(|message| message.get("content").is_some_and(is_content)) {
            let what = "`message` must be an object with a `content` that is a string or a list of blocks";
            return Err(HookFailure::reply(what));
        }
        if !reply.messages.iter().flatten().all(Value::is_object) {
            return Err(HookFailure::reply("`messages` must be a list of objects"));
        }
        Ok((reply.check()?, diagnostics))
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
            (Input, "[]", "invalid type: sequence, expected a map at line 1 column 0"),
            (Input, "\"hi\"", "invalid type: string \"hi\", expected a map at line 1 column 4"),
            (Input, r#"{"prompt":1}"#, "prompt: invalid type: integer `1`, expected a string"),
            (Input, r#"{"handled":"yes"}"#, "handled: invalid type: string \"yes\", expected a boolean"),
            (
                BeforeAgentStart,
                r#"{"active_tools":["a",{}]}"#,
                "active_tools[1]: invalid type: map, expected a string",
            ),
            (
                BeforeAgentStart,
                r#"{"message":"m"}"#,
                "`message` must be an object with a `content` that is a string or a list of blocks",
            ),
            (
                BeforeAgentStart,
                r#"{"message":{"content":true}}"#,
                "`message` must be an object with a `content` that is a string or a list of blocks",
            ),
            (
                BeforeAgentStart,
                r#"{"replace_with_empty":true,"system_prompt":"x"}"#,
                "`replace_with_empty` and a `system_prompt` that is not empty exclude each other",
            ),
            (Context, r#"{"messages":{}}"#, "messages: invalid type: map, expected a sequence"),
            (Context, r#"{"messages":["x"]}"#, "`messages` must be a list of objects"),
            (
                ResourcesDiscover,
                r#"{"skill_paths":[1]}"#,
                "skill_paths[0]: invalid type: integer `1`, expected a string",
            ),
            (Input, "{\n  \"prompt\": oops}", "expected value at line 2 column 13"),
            (Input, "{}\n{}", "trailing characters at line 2 column 1"),
            (Input, "{\"prompt\":", "EOF while parsing a value at line 1 column 10"),
        ] {
            assert_eq!(read(event, stdout), Err(format!("its answer cannot be used: {failure}")), "{stdout}");
        }
        let bytes = HookReply::read("h", Input, b"{\"prompt\":\"\xff\"}");
        assert!(matches!(bytes, Err(HookFailure::Reply { .. })), "{bytes:?}");
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
