//! Messages for invalid input: the field or parameter and its type. The messages of the libraries use names of Rust types and
//! repeat the input at any length.

use axum::extract::path::ErrorKind;
use preface_core::{
    lint::character::excerpt,
    serde_message::{SerdeMessage, without_position},
    suggestion::quoted,
};

const OBJECT: &str = "an object";

/// Returns the message for an invalid JSON body.
pub(crate) fn body(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let (path, error) = (error.path().to_string(), error.inner());
    let message = error.to_string();
    let message = without_position(&message);
    if !error.is_data() {
        return format!("the body is not JSON: line {}, column {}: {message}", error.line(), error.column());
    }
    let whole = path == ".";
    let who = if whole { "the body".to_owned() } else { format!("`{}`", short(&path)) };
    match SerdeMessage::of(message) {
        SerdeMessage::MissingField(field) if whole => format!("`{field}` is missing"),
        SerdeMessage::MissingField(field) => format!("`{field}` is missing in {who}"),
        SerdeMessage::DuplicateField(field) => format!("`{field}` is duplicated"),
        SerdeMessage::UnknownField { name, known } => {
            let one_of = if known.len() > 1 { "one of " } else { "" };
            format!("unknown field `{}`; expected {one_of}{}", short(name), quoted(&known))
        }
        message_of => match message_of.wrong_type(OBJECT) {
            // A field of a part that is read with another: its name is lost, its place is not.
            Some((takes, found)) if whole && takes != OBJECT => {
                format!(
                    "a field takes {takes}, not {found}: line {}, column {}",
                    error.line(),
                    error.column()
                )
            }
            Some((takes, found)) => format!("{who} takes {takes}, not {found}"),
            None => format!("{who}: {message}"),
        },
    }
}

/// Returns the message for an invalid query, from the error of the parser.
pub(crate) fn query(message: &str) -> String {
    let message = message.strip_prefix("Failed to deserialize query string: ").unwrap_or(message);
    let message = message.strip_prefix(".: ").unwrap_or(message);
    match SerdeMessage::of(message) {
        SerdeMessage::MissingField(parameter) => return format!("the parameter `{parameter}` is missing"),
        SerdeMessage::DuplicateField(parameter) => {
            return format!("the parameter `{parameter}` is duplicated");
        }
        _ => {}
    }
    let Some((parameter, why)) = message.split_once(": ") else {
        return format!("the query cannot be read: {message}");
    };
    let parameter = format!("the parameter `{}`", short(parameter));
    match why {
        _ if matches!(SerdeMessage::of(why), SerdeMessage::DuplicateField(_)) => {
            format!("{parameter} is duplicated")
        }
        "provided string was not `true` or `false`" => format!("{parameter} takes `true` or `false`"),
        _ if why.contains("digit") || why.contains("number") || why.contains("integer") => {
            format!("{parameter} takes a whole number that is not negative")
        }
        _ => format!("{parameter} cannot be read: {why}"),
    }
}

/// Returns the message for an invalid path parameter.
pub(crate) fn path(error: &ErrorKind) -> String {
    match error {
        ErrorKind::ParseErrorAtKey { value, .. }
        | ErrorKind::ParseErrorAtIndex { value, .. }
        | ErrorKind::ParseError { value, .. } => {
            format!("the path takes a whole number, not `{}`", short(value))
        }
        ErrorKind::InvalidUtf8InPathParam { .. } => "the path is not UTF-8".to_owned(),
        ErrorKind::DeserializeError { message, .. } | ErrorKind::Message(message) => message.clone(),
        _ => "the path cannot be read".to_owned(),
    }
}

pub(crate) fn short(text: &str) -> String {
    excerpt(text, 80)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "it is only read into")]
    struct SampleBody {
        text: String,
        #[serde(default)]
        names: Vec<String>,
        #[serde(default)]
        part: Option<SamplePart>,
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "it is only read into")]
    struct SamplePart {
        on: bool,
    }

    #[test]
    fn a_message_for_a_body_names_the_field() {
        for (sent, expected) in [
            ("null", "the body takes an object, not null"),
            ("\"x\"", "the body takes an object, not a string"),
            ("{}", "`text` is missing"),
            (r#"{"text": 1}"#, "`text` takes a string, not a number"),
            (r#"{"text": "", "names": "a, expected b"}"#, "`names` takes a list, not a string"),
            (r#"{"text": "", "names": ["a", {}]}"#, "`names[1]` takes a string, not an object"),
            (r#"{"text": "", "part": {}}"#, "`on` is missing in `part`"),
            (r#"{"text": "", "part": {"on": 1}}"#, "`part.on` takes `true` or `false`, not a number"),
            (r#"{"text": "", "text": ""}"#, "`text` is duplicated"),
            (r#"{"text": "",}"#, "the body is not JSON: line 1, column 13: trailing comma"),
        ] {
            let mut reader = serde_json::Deserializer::from_str(sent);
            let error = serde_path_to_error::deserialize::<_, SampleBody>(&mut reader).unwrap_err();
            assert_eq!(body(&error), expected, "{sent}");
        }
    }
}
