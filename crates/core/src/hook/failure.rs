//! The reasons why a hook fails, and their messages.

use super::{HookEvent, HookFailureAction};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    lint::character::{escape_hidden, excerpt},
    settings::shown,
};
use std::fmt;

/// The reason why a hook has no reply. It is reported, and the hook is skipped: what it would change stays as
/// it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HookFailure {
    /// A program that ended with an error.
    Ended {
        /// The exit status for the message: `exit code 7`.
        status: String,
        /// The first line of its stderr.
        output: Option<String>,
    },
    /// A timeout; the hook was ended.
    Late {
        /// The limit, in milliseconds.
        timeout_ms: u64,
    },
    /// An output over the limit; the hook was ended.
    TooMuch {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A program that could not be started.
    NotStarted {
        /// The error message of the host.
        why: String,
    },
    /// A hook of a project that has no permission to run.
    NotGranted,
    /// A reply that is not JSON.
    Json {
        /// The line of the answer, from 1.
        line: usize,
        /// The column, in bytes from 1.
        column: usize,
        /// The parser's message.
        message: String,
    },
    /// JSON that is not a valid reply.
    Shape {
        /// The key, such as `message.content`; empty for the reply as a whole.
        key: String,
        /// The expected type: `a list of strings`.
        expected: &'static str,
        /// The actual type: `a number`.
        found: &'static str,
    },
    /// Two keys of a reply that exclude each other.
    Contradiction {
        /// The complete message.
        what: &'static str,
    },
    /// A panic of a handler in the same process.
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// An error that a handler reports.
    Failed {
        /// The message of the handler.
        message: String,
        /// The stack trace, if the handler has one.
        stack: Option<String>,
    },
}

impl HookFailure {
    /// Builds the failure that a handler reports, with its message.
    ///
    /// ```
    /// use preface_core::hook::HookFailure;
    /// assert_eq!(HookFailure::failed("no connection").to_string(), "no connection");
    /// ```
    #[must_use]
    pub fn failed(why: impl fmt::Display) -> Self {
        HookFailure::Failed { message: why.to_string(), stack: None }
    }

    /// Builds the error `hook/error` with the hook, the event and the reason.
    #[must_use]
    pub fn diagnostic(&self, hook: &str, event: HookEvent, place: Option<Place>) -> Diagnostic {
        let then = match event.on_failure() {
            HookFailureAction::GoesOn => "was skipped",
            HookFailureAction::Stops => "stopped what it was asked about",
        };
        let what = format!("hook `{}` failed at {event} and {then}: {self}", shown(hook));
        let mut found = Diagnostic::error(DiagnosticCode::HookError, what);
        found.place = place;
        found.help = self.help().map(Remedy::from);
        found
    }

    fn help(&self) -> Option<String> {
        match self {
            HookFailure::NotGranted => {
                Some("look at what it would run, then grant the commands of the project".to_owned())
            }
            HookFailure::Late { .. } => Some("`timeoutMs` of its manifest allows it more time".to_owned()),
            HookFailure::Json { .. } | HookFailure::Shape { .. } => {
                Some("a hook prints one JSON object, or nothing where it changes nothing".to_owned())
            }
            HookFailure::Failed { stack: Some(stack), .. } => Some(escape_hidden(stack).into_owned()),
            _ => None,
        }
    }
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HookFailure::Ended { status, output: None } => write!(f, "it ended with {status}"),
            HookFailure::Ended { status, output: Some(output) } => {
                write!(f, "it ended with {status}: {}", one_line(output))
            }
            HookFailure::Late { timeout_ms } => write!(f, "no answer within {timeout_ms} ms"),
            HookFailure::TooMuch { limit } => write!(f, "its answer is longer than {limit} bytes"),
            HookFailure::NotStarted { why } => write!(f, "it did not start: {}", one_line(why)),
            HookFailure::NotGranted => {
                write!(f, "it may not run: it is not granted")
            }
            HookFailure::Json { line, column, message } => {
                write!(f, "its answer is no JSON, at line {line}, column {column}: {message}")
            }
            HookFailure::Shape { key, expected, found } if key.is_empty() => {
                write!(f, "its answer must be {expected}, and is {found}")
            }
            HookFailure::Shape { key, expected, found } => {
                write!(f, "`{key}` of its answer must be {expected}, and is {found}")
            }
            HookFailure::Contradiction { what } => write!(f, "{what}"),
            HookFailure::Panicked { message } => write!(f, "it panicked: {}", one_line(message)),
            HookFailure::Failed { message, .. } => write!(f, "{}", one_line(message)),
        }
    }
}

/// Returns the first non-blank line of a text, with hidden characters escaped, and shortened.
fn one_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    excerpt(line, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_who_when_and_why() {
        for (event, failure, message, help) in [
            (
                HookEvent::BeforeAgentStart,
                HookFailure::Ended {
                    status: "exit code 7".into(),
                    output: Some("\n oh\u{1b}[1m\nno".into()),
                },
                r"hook `a\u{202e}b` failed at before_agent_start and was skipped: it ended with exit code 7: oh\u{1b}[1m",
                None,
            ),
            (
                HookEvent::ToolCall,
                HookFailure::failed("x".repeat(301)),
                &format!(
                    "hook `a\\u{{202e}}b` failed at tool_call and stopped what it was asked about: {}…",
                    "x".repeat(300)
                ),
                None,
            ),
            (
                HookEvent::Input,
                HookFailure::NotGranted,
                "hook `a\\u{202e}b` failed at input and was skipped: it may not run: it is not granted",
                Some("look at what it would run, then grant the commands of the project"),
            ),
            (
                HookEvent::Context,
                HookFailure::Failed { message: "boom".into(), stack: Some("at a.js:3".into()) },
                r"hook `a\u{202e}b` failed at context and was skipped: boom",
                Some("at a.js:3"),
            ),
        ] {
            let diagnostic = failure.diagnostic("a\u{202e}b", event, None);
            assert_eq!((diagnostic.code.as_str(), diagnostic.message.as_str()), ("hook/error", message));
            assert_eq!(diagnostic.help.as_deref(), help);
        }
    }
}
