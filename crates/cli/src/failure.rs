//! The errors of commands, one kind for each remedy, with their exit codes.

use crate::{
    call,
    ui::{DiagnosticView, Ui, listed},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy, Severity},
    lint::character::escape_json,
    message::MessagesError,
    profile::ProfileError,
};
use preface_engine::{
    ASSETS, Error, OsSystem, UntrustedProject, conversation::ConversationError, host::system::System as _,
    templates::TemplatesError,
};
use serde_json::json;
use std::{io, path::Path};

/// The exit code of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success.
    Done = 0,
    /// Failure.
    Failed = 1,
    /// Wrong usage.
    Usage = 2,
    /// Something is left out because it is untrusted, and `--trust require` forbids that.
    Untrusted = 3,
    /// Lint found errors.
    Lint = 4,
    /// The part that must not be cut exceeds the budget.
    OverBudget = 5,
    /// The prompt is not made of what the lock file records.
    Unlocked = 6,
    /// The terminal went away: SIGHUP.
    HungUp = 129,
    /// The user pressed Ctrl-C: SIGINT.
    Interrupted = 130,
    /// The process received SIGTERM.
    Terminated = 143,
}

/// The result of a command, or of what one does.
pub type CommandResult<T = Exit> = Result<T, CommandFailure>;

/// A command's end with nothing more to do.
#[derive(Clone, Debug)]
pub struct CommandFailure {
    exit: Exit,
    diagnostic: Box<Diagnostic>,
    /// The keys that the object of an error has beside the keys of all errors if `--trust require` refuses.
    fixed: Option<Box<serde_json::Value>>,
    /// True if the reader closed the output: nothing is printed.
    quiet: bool,
}

impl CommandFailure {
    /// Fails with one sentence, lower case first.
    pub fn new(message: impl Into<String>) -> Self {
        CommandFailure::with_exit(Exit::Failed, message)
    }

    fn with_exit(exit: Exit, message: impl Into<String>) -> Self {
        let code = match exit {
            Exit::Usage => DiagnosticCode::Usage,
            Exit::Untrusted => DiagnosticCode::TrustRequired,
            Exit::OverBudget => DiagnosticCode::BudgetOver,
            Exit::Unlocked => DiagnosticCode::LockChanged,
            Exit::HungUp | Exit::Interrupted | Exit::Terminated => DiagnosticCode::Stopped,
            Exit::Done | Exit::Failed | Exit::Lint => DiagnosticCode::Failed,
        };
        let diagnostic = Box::new(Diagnostic::error(code, message));
        CommandFailure { exit, diagnostic, fixed: None, quiet: false }
    }

    /// Creates the failure of what the machine refuses: `start`, `read stdin`.
    pub fn cannot(what: &str, error: &io::Error) -> Self {
        CommandFailure::new(format!("cannot {what}: {}", words(error)))
    }

    /// Creates a failure for wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        CommandFailure::with_exit(Exit::Usage, message)
    }

    /// Creates a failure for what is not trusted.
    pub fn untrusted(message: impl Into<String>) -> Self {
        CommandFailure::with_exit(Exit::Untrusted, message)
    }

    /// Creates the end of a command that received a signal: it prints nothing.
    pub fn signalled(exit: Exit) -> Self {
        CommandFailure { quiet: true, ..CommandFailure::with_exit(exit, "") }
    }

    /// Returns the sentence.
    pub fn message(&self) -> &str {
        &self.diagnostic.message
    }

    /// Adds what to do next.
    pub fn help(mut self, help: impl Into<Remedy>) -> Self {
        self.diagnostic.help = Some(help.into());
        self
    }

    fn with(mut self, help: Option<Remedy>, place: Option<Place>) -> Self {
        (self.diagnostic.help, self.diagnostic.place) = (help, place);
        self
    }

    /// Judges a write to stdout that failed: a reader who has enough is no trouble.
    pub fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CommandFailure::signalled(Exit::Done);
        }
        CommandFailure::cannot("write to stdout", &error)
    }

    /// Creates the failure of a prompt that is not made of what a lock file records.
    pub fn unlocked(file: &str, changes: &[String]) -> Self {
        let message = format!("the prompt is not made of what `{file}` records: {}", listed(changes));
        let build = format_args!("build --lock {file}");
        CommandFailure::with_exit(Exit::Unlocked, message)
            .help(Remedy::command("review the changes, then write it again", build))
    }

    /// Returns what the command ends with.
    pub fn exit_code(&self) -> Exit {
        self.exit
    }

    /// Converts it to a diagnostic.
    pub fn into_diagnostic(self) -> Diagnostic {
        *self.diagnostic
    }

    /// Prints it and returns the exit code.
    pub fn report(&self, ui: &Ui) -> Exit {
        if self.quiet {
            return self.exit;
        }
        ui.eprint(&if ui.has_json_errors() {
            format!("{}\n", escape_json(self.document().to_string()))
        } else {
            format!("{:#}", DiagnosticView::without_code(&self.diagnostic, ui.diagnostic_columns()))
        });
        self.exit
    }

    /// Returns the object that `--format json` writes to stderr.
    fn document(&self) -> serde_json::Value {
        let Diagnostic { message, code, place, help, .. } = &*self.diagnostic;
        let mut error = json!({ "message": message, "code": code });
        if let Some(place) = place.as_ref().filter(|place| !place.path.is_empty()) {
            error["location"] = json!({ "path": place.path });
            for (key, number) in [("line", place.line), ("column", place.column)] {
                if let Some(number) = number {
                    error["location"][key] = number.into();
                }
            }
        }
        if let Some(help) = help {
            error["help"] = call::help(help).into();
        }
        let mut document = json!({ "error": error, "exit_code": self.exit as u8 });
        if let Some(fixed) = &self.fixed {
            document["surface"] = "cli".into();
            for key in ["class", "code", "context"] {
                document["error"][key] = fixed[key].clone();
            }
        }
        document
    }
}

/// The machine's words without the number that Rust appends.
fn words(error: &io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error").next().unwrap_or(&words).to_lowercase()
}

impl From<serde_json::Error> for CommandFailure {
    fn from(error: serde_json::Error) -> Self {
        CommandFailure::new(error.to_string())
    }
}

impl From<Error> for CommandFailure {
    fn from(error: Error) -> Self {
        let exit = match error {
            Error::Profile(error) => return error.into(),
            Error::Catalog(diagnostic) | Error::Render(diagnostic) | Error::Settings(diagnostic) => {
                return diagnostic.into();
            }
            Error::Store(error) => return error.into(),
            Error::Usage(..) => Exit::Usage,
            Error::Over(_) => Exit::OverBudget,
            Error::Untrusted(_) => Exit::Untrusted,
            _ => Exit::Failed,
        };
        let failure = CommandFailure::with_exit(exit, error.to_string());
        let mut failure = failure.with(error.help(), error.place().cloned());
        if let Error::Untrusted(UntrustedProject { path, sources, .. }) = error {
            failure.fixed = Some(Box::new(json!({
                "class": "Validation",
                "code": "HeadlessTrustRequired",
                "context": { "canonicalPath": path, "sources": sources },
            })));
        }
        failure
    }
}

impl From<Box<Diagnostic>> for CommandFailure {
    fn from(mut diagnostic: Box<Diagnostic>) -> Self {
        diagnostic.severity = Severity::Error;
        CommandFailure { exit: Exit::Failed, diagnostic, fixed: None, quiet: false }
    }
}

impl From<ConversationError> for CommandFailure {
    fn from(error: ConversationError) -> Self {
        let exit = match error {
            ConversationError::Engine(error) => return error.into(),
            ConversationError::Store(error) => return error.into(),
            ConversationError::UnknownTemplate(_)
            | ConversationError::Choice(_)
            | ConversationError::TooManyBlocks(_) => Exit::Usage,
            ConversationError::TrustChanged(..) => Exit::Untrusted,
            _ => Exit::Failed,
        };
        CommandFailure::with_exit(exit, error.to_string()).with(error.help(), None)
    }
}

impl From<TemplatesError> for CommandFailure {
    fn from(error: TemplatesError) -> Self {
        match error {
            TemplatesError::Store(error) => error.into(),
            error => CommandFailure::new(error.to_string()).with(error.help(), None),
        }
    }
}

impl From<MessagesError> for CommandFailure {
    fn from(error: MessagesError) -> Self {
        let message = error.to_string();
        CommandFailure::new(message).with(error.help.map(Remedy::from), Some(*error.place))
    }
}

/// Returns a place with its path from `~`, as diagnostics have it, if it is in the home directory.
fn below_home(place: Place) -> Place {
    let home = OsSystem::new(ASSETS).home();
    match home.and_then(|home| Some(Path::new(&place.path).strip_prefix(home).ok()?.display().to_string())) {
        Some(below) => Place { path: format!("~/{below}"), ..place },
        None => place,
    }
}

impl From<ProfileError> for CommandFailure {
    fn from(error: ProfileError) -> Self {
        // An unknown name has no location in a file.
        let exit = if error.place.path.is_empty() { Exit::Usage } else { Exit::Failed };
        CommandFailure::with_exit(exit, error.message).with(error.help, Some(below_home(*error.place)))
    }
}
