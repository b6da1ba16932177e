//! The reasons why a hook fails, and their messages.

use super::HookEvent;
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
    #[error("it ended with {status}{}", output.iter().map(|text| format!(": {}", one_line(text))).collect::<String>())]
    Ended {
        /// The exit status for the message: `exit code 7`.
        status: String,
        /// The first line of its stderr.
        output: Option<String>,
    },
    /// A timeout; the hook was ended.
    #[error("no answer within {timeout_ms} ms")]
    Late {
        /// The limit, in milliseconds.
        timeout_ms: u64,
    },
    /// An output over the limit; the hook was ended.
    #[error("its answer is longer than {limit} bytes")]
    TooMuch {
        /// The limit, in bytes.
        limit: usize,
    },
    /// A program that could not be started.
    #[error("it did not start: {}", one_line(why))]
    NotStarted {
        /// The error message of the host.
        why: String,
    },
    /// A hook of a project that has no permission to run.
    #[error("it may not run: it is not granted")]
    NotGranted,
    /// A reply that is not JSON, or not valid.
    #[error("its answer cannot be used: {}", one_line(why))]
    Reply {
        /// The fault, with the key or the place.
        why: String,
    },
    /// A panic of a handler in the same process.
    #[error("it panicked: {}", one_line(message))]
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// An error that a handler reports.
    #[error("{}", one_line(message))]
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

    /// Builds the failure of a reply.
    pub(super) fn reply(why: impl fmt::Display) -> Self {
        HookFailure::Reply { why: why.to_string() }
    }

    /// Builds the error `hook/error` with the hook, the event and the reason.
    #[must_use]
    pub fn diagnostic(&self, hook: &str, event: HookEvent, place: Option<Place>) -> Diagnostic {
        let what = format!("hook `{}` failed at {event} and was skipped: {self}", shown(hook));
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
            HookFailure::Reply { .. } => {
                Some("a hook prints one JSON object, or nothing where it changes nothing".to_owned())
            }
            HookFailure::Failed { stack: Some(stack), .. } => Some(escape_hidden(stack).into_owned()),
            _ => None,
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
                &format!("hook `a\\u{{202e}}b` failed at tool_call and was skipped: {}…", "x".repeat(300)),
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
