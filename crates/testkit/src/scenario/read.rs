//! Reads a scenario file: one JSON object without unknown keys, within limits.

use super::types::{CustomMessage, Scenario};
use preface_core::{
    diagnostic::Place, json_type::without_position, lint::hidden::escape_hidden, message::Message,
    suggestion::did_you_mean_in,
};

/// The largest scenario file, in bytes.
pub const MOST_BYTES: usize = 1 << 20;

/// The most entries of each list: extensions, their tools and hooks, replies, steps. A request holds what all requests
/// before it held, so a longer play would fill the memory.
pub const MOST_ENTRIES: usize = 1000;

/// An invalid scenario file, with the place of the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ScenarioError {
    /// The message, lower case first.
    pub message: String,
    /// The location.
    pub place: Box<Place>,
    /// The help.
    pub help: Option<String>,
}

impl Scenario {
    /// Reads a scenario; `path` is its name for people.
    ///
    /// # Errors
    /// A file that is too large, no UTF-8 or no JSON; an unknown or repeated key; a value of a wrong
    /// type; a message that is none; a list beyond [`MOST_ENTRIES`].
    pub fn read(path: &str, bytes: &[u8]) -> Result<Self, ScenarioError> {
        let whole = || Box::new(Place::file(None, path));
        if bytes.len() > MOST_BYTES {
            return Err(ScenarioError {
                message: format!("{} bytes of scenario are more than the limit of {MOST_BYTES}", bytes.len()),
                place: whole(),
                help: Some("play a shorter conversation".to_owned()),
            });
        }
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text),
            Err(error) => {
                return Err(ScenarioError {
                    message: format!("a scenario must be UTF-8; byte {} is not", error.valid_up_to()),
                    place: whole(),
                    help: Some("save the file as UTF-8".to_owned()),
                });
            }
        };
        if text.trim_start().starts_with('[') {
            // `serde` would take a list for the values of an object.
            return Err(ScenarioError {
                message: "a scenario is a JSON object, and this is a list".to_owned(),
                place: whole(),
                help: Some("put the list under its key: `{\"steps\": […]}`".to_owned()),
            });
        }
        let scenario: Scenario = serde_json::from_str(text).map_err(|error| refused(path, text, &error))?;
        match scenario.fault() {
            None => Ok(scenario),
            Some((pointer, message, help)) => {
                Err(ScenarioError { message: format!("`{pointer}`: {message}"), place: whole(), help })
            }
        }
    }

    /// The first thing that types cannot refuse: its JSON pointer, what is wrong, and what to do.
    fn fault(&self) -> Option<(String, String, Option<String>)> {
        let long = |pointer: String, length: usize| {
            let message = format!("{length} entries are more than the limit of {MOST_ENTRIES}");
            (length > MOST_ENTRIES).then_some((pointer, message, None))
        };
        let lists = [
            ("/extensions", self.extensions.len()),
            ("/replies", self.replies.len()),
            ("/steps", self.steps.len()),
        ];
        if let Some(fault) = lists.into_iter().find_map(|(name, length)| long(name.to_owned(), length)) {
            return Some(fault);
        }
        for (at, one) in self.extensions.iter().enumerate() {
            let lists = [
                ("tools", one.tools.len()),
                ("resources_discover", one.resources_discover.len()),
                ("input", one.input.len()),
                ("before_agent_start", one.before_agent_start.len()),
                ("context", one.context.len()),
                ("tool_call", one.tool_call.len()),
                ("turn_end", one.turn_end.len()),
            ];
            let long = lists.into_iter().find_map(|(name, n)| long(format!("/extensions/{at}/{name}"), n));
            let hooks = one.before_agent_start.iter().enumerate();
            let message = |(hook, start): (usize, &super::types::OnStart)| {
                tried(start.message.as_ref()?, &format!("/extensions/{at}/before_agent_start/{hook}/message"))
            };
            if let Some(fault) = long.or_else(|| hooks.clone().find_map(message)) {
                return Some(fault);
            }
            let both = |(hook, start): (usize, &super::types::OnStart)| {
                let text = start.append.as_ref().or(start.replace.as_ref());
                (start.replace_with_empty && text.is_some()).then(|| {
                    (
                        format!("/extensions/{at}/before_agent_start/{hook}"),
                        "`replaceWithEmpty` is next to a text".to_owned(),
                        Some("keep one of them".to_owned()),
                    )
                })
            };
            if let Some(fault) = hooks.clone().find_map(both) {
                return Some(fault);
            }
        }
        let custom = |(at, step): (usize, &super::types::ScenarioStep)| {
            tried(step.custom.as_ref()?, &format!("/steps/{at}/custom"))
        };
        self.steps.iter().enumerate().find_map(custom)
    }
}

/// Makes the message, to see whether it is one.
fn tried(message: &CustomMessage, pointer: &str) -> Option<(String, String, Option<String>)> {
    let mut fields = message.fields("x");
    fields.insert("role".to_owned(), "custom".into());
    let fault = Message::new(fields).err()?;
    Some((pointer.to_owned(), escape_hidden(&fault.message).into_owned(), fault.help))
}

/// Returns the parser's message without its position, which is given separately; a mistyped key has a help
/// text.
fn refused(path: &str, text: &str, error: &serde_json::Error) -> ScenarioError {
    let message = error.to_string();
    let words = without_position(&message);
    // `line` and `column` (bytes) are where the parser was: behind the word or value that it did not like.
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let mut message = escape_hidden(words).into_owned();
    let mut help = None;
    if error.is_syntax() || error.is_eof() {
        message = format!("the scenario is no JSON: {message}");
    } else {
        help = did_you_mean_in(words);
    }
    ScenarioError { message, place: Box::new(Place::within(None, path, text, at..at)), help }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message, the place and the help.
    fn refused(text: &str) -> String {
        let error = Scenario::read("x.json", text.as_bytes()).expect_err("it is refused");
        let at = error.place.line.zip(error.place.column).map(|(line, column)| format!("{line}:{column} "));
        let help = error.help.map(|help| format!(" — {help}")).unwrap_or_default();
        format!("{}{}{help}", at.unwrap_or_default(), error.message)
    }

    #[test]
    fn an_invalid_file_is_an_error_with_its_location() {
        const LIST: &str = "a scenario is a JSON object, and this is a list — put the list under its key: `{\"steps\": […]}`";
        let long = format!(r#"{{"steps": [{}]}}"#, vec!["{}"; MOST_ENTRIES + 1].join(","));
        for (text, message) in [
            ("", "1:1 the scenario is no JSON: EOF while parsing a value"),
            ("{\"steps\": [\n  {\"prompt\": }]}", "2:14 the scenario is no JSON: expected value"),
            ("{} {}", "1:4 the scenario is no JSON: trailing characters"),
            ("[1]", LIST),
            ("[]", LIST),
            (
                r#"{"step": []}"#,
                "1:7 unknown field `step`, expected one of `extensions`, `replies`, `steps` — did you mean `steps`?",
            ),
            (
                r#"{"extensions": [{"name": "a", "after_agent_start": []}]}"#,
                "1:49 unknown field `after_agent_start`, expected one of `name`, `tools`, `resources_discover`, `input`, `before_agent_start`, `context`, `tool_call`, `turn_end` — did you mean `before_agent_start`?",
            ),
            (
                r#"{"steps": [{"wait": 1}]}"#,
                "1:18 unknown field `wait`, expected one of `bash`, `custom`, `opts`, `setActiveTools`, `reload`, `prompt`",
            ),
            (r#"{"steps": [{"prompt": "a", "prompt": "b"}]}"#, "1:35 duplicate field `prompt`"),
            (r#"{"steps": [{"prompt": 7}]}"#, "1:23 invalid type: integer `7`, expected a string"),
            (r#"{"extensions": [{}]}"#, "1:18 missing field `name`"),
            (
                r#"{"steps": [{"custom": {"content": "x"}, "opts": {"deliverAs": "later"}}]}"#,
                "1:69 unknown variant `later`, expected one of `followUp`, `nextTurn`, `steer`",
            ),
            (
                r#"{"steps": [{}, {"custom": {"content": [7]}}]}"#,
                "`/steps/1/custom`: block 0 of `content` must be an object, not `7` — \
                 a block of text is `{\"type\": \"text\", \"text\": \"…\"}`",
            ),
            (
                r#"{"extensions": [{"name": "a", "before_agent_start": [{"message": {"content": 7}}]}]}"#,
                "`/extensions/0/before_agent_start/0/message`: `content` must be a string or a list of blocks, not `7`",
            ),
            (
                r#"{"extensions": [{"name": "a", "before_agent_start": [{"append": "x", "replaceWithEmpty": true}]}]}"#,
                "`/extensions/0/before_agent_start/0`: `replaceWithEmpty` is next to a text — keep one of them",
            ),
            (&long, "`/steps`: 1001 entries are more than the limit of 1000"),
        ] {
            assert_eq!(refused(text), message, "{}", &text[..text.len().min(80)]);
        }
        let large = vec![b' '; MOST_BYTES + 1];
        assert!(Scenario::read("x", &large).expect_err("too large").message.contains("more than the limit"));
        let odd = Scenario::read("x", b"{\"steps\": \"\xff\"}").expect_err("no UTF-8");
        assert_eq!(odd.message, "a scenario must be UTF-8; byte 11 is not");
        let hidden = refused("{\"a\\u001b\\u202e\": 1}");
        assert!(!hidden.contains(['\u{1b}', '\u{202e}']), "{hidden}");
    }

    #[test]
    fn missing_keys_have_defaults() {
        let scenario = Scenario::read("x.json", b"\xef\xbb\xbf{}").expect("a scenario");
        assert_eq!(scenario.steps, super::super::types::one_prompt());
        assert_eq!((scenario.extensions.len(), scenario.replies.len()), (0, 0));
    }
}
