//! The errors of commands, one kind for each remedy, with their exit codes.

use crate::{
    advice::{self, complete},
    files,
    ui::{Ui, diagnostic::DiagnosticView, text::listed},
};
use preface_engine::{
    Error, UntrustedProject,
    conversation::ConversationError,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode, Place},
        lint::{character::escape_json, hidden::escape_hidden},
        message::MessagesError,
        profile::ProfileError,
        scope::Scope,
        settings::EditError,
    },
    host::{settings_file::SettingsFileError, system::System as _, trust::shell_quoted},
    store::TemplateName,
    templates::TemplatesError,
};
use serde_json::json;
use std::{borrow::Cow, io, path::Path};

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

/// A command's end with nothing more to do.
#[derive(Clone, Debug)]
pub struct CommandFailure {
    exit: Exit,
    message: String,
    place: Option<Box<Place>>,
    help: Option<String>,
    /// The code of the diagnostic that it was.
    code: Option<DiagnosticCode>,
    /// The keys that the object of an error has beside the keys of all errors if `--trust require` refuses.
    fixed: Option<Box<serde_json::Value>>,
    /// True if the reader closed the output: nothing is printed.
    quiet: bool,
}

impl CommandFailure {
    /// Fails with one sentence, lower case first.
    pub fn new(message: impl Into<String>) -> Self {
        CommandFailure {
            exit: Exit::Failed,
            message: message.into(),
            place: None,
            help: None,
            code: None,
            fixed: None,
            quiet: false,
        }
    }

    /// Creates a failure for wrong usage.
    pub fn usage(message: impl Into<String>) -> Self {
        CommandFailure { exit: Exit::Usage, ..CommandFailure::new(message) }
    }

    /// Creates a failure for what is not trusted.
    pub fn untrusted(message: impl Into<String>) -> Self {
        CommandFailure { exit: Exit::Untrusted, ..CommandFailure::new(message) }
    }

    /// Creates the end of a command that received a signal: it prints nothing.
    pub fn signalled(exit: Exit) -> Self {
        CommandFailure { exit, quiet: true, ..CommandFailure::new(String::new()) }
    }

    /// Returns the sentence.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Adds what to do next.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Judges a write to stdout that failed: a reader who has enough is no trouble.
    pub fn output(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return CommandFailure { exit: Exit::Done, quiet: true, ..CommandFailure::new(String::new()) };
        }
        CommandFailure::new(format!("cannot write to stdout: {}", words(&error)))
    }

    /// Creates the failure of a prompt that is not made of what a lock file records.
    pub fn unlocked(file: &str, changes: &[String]) -> Self {
        let message = format!("the prompt is not made of what `{file}` records: {}", listed(changes));
        CommandFailure {
            exit: Exit::Unlocked,
            code: Some(DiagnosticCode::LockChanged),
            ..CommandFailure::new(message)
        }
        .help(format!("review the changes, then run `preface build --lock {file}`"))
    }

    /// Returns what the command ends with.
    pub fn exit_code(&self) -> Exit {
        self.exit
    }

    /// Converts it to a diagnostic.
    pub fn into_diagnostic(self) -> Diagnostic {
        let code = match self.exit {
            Exit::Usage => DiagnosticCode::Usage,
            Exit::Untrusted => DiagnosticCode::TrustRequired,
            Exit::OverBudget => DiagnosticCode::BudgetOver,
            Exit::Unlocked => DiagnosticCode::LockChanged,
            Exit::HungUp | Exit::Interrupted | Exit::Terminated => DiagnosticCode::Stopped,
            Exit::Done | Exit::Failed | Exit::Lint => DiagnosticCode::Failed,
        };
        let diagnostic = Diagnostic::error(code, self.message);
        Diagnostic { place: self.place.map(|place| *place), help: self.help, ..diagnostic }
    }

    /// Prints it and returns the exit code.
    pub fn report(&self, ui: &Ui) -> Exit {
        if self.quiet {
            return self.exit;
        }
        if ui.has_json_errors() {
            ui.eprint(&format!("{}\n", escape_json(self.document().to_string())));
        } else {
            let (place, help) = (self.place.as_deref(), self.help.as_deref());
            let diagnostic = DiagnosticView::error(&self.message, place, help, ui.diagnostic_columns());
            ui.eprint(&format!("{diagnostic:#}"));
        }
        self.exit
    }

    /// Returns the object that `--format json` writes to stderr.
    fn document(&self) -> serde_json::Value {
        let code = self.code.unwrap_or(match self.exit {
            Exit::Usage => DiagnosticCode::Usage,
            Exit::Untrusted => DiagnosticCode::TrustRequired,
            Exit::OverBudget => DiagnosticCode::BudgetOver,
            _ => DiagnosticCode::Failed,
        });
        let mut error = json!({ "message": complete(&self.message), "code": code });
        if let Some(place) = self.place.as_ref().filter(|place| !place.path.is_empty()) {
            error["location"] = json!({ "path": place.path });
            for (key, number) in [("line", place.line), ("column", place.column)] {
                if let Some(number) = number {
                    error["location"][key] = number.into();
                }
            }
        }
        if let Some(help) = &self.help {
            error["help"] = complete(help).into();
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
pub fn words(error: &io::Error) -> String {
    let words = error.to_string();
    words.split(" (os error").next().unwrap_or(&words).to_lowercase()
}

impl From<Error> for CommandFailure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let fixed = match &error {
            Error::Untrusted(UntrustedProject { path, sources, .. }) => Some(Box::new(json!({
                "class": "Validation",
                "code": "HeadlessTrustRequired",
                "context": { "canonicalPath": path, "sources": sources },
            }))),
            _ => None,
        };
        let (help, place) = (error.help(), error.place().cloned().map(Box::new));
        let failure = CommandFailure { place, ..CommandFailure::new(message) };
        let help = match error {
            Error::Usage(message, help) => return CommandFailure { help, ..CommandFailure::usage(message) },
            Error::Agent(message, help) => {
                return CommandFailure::usage(message).help(help.text("`preface list agents`"));
            }
            Error::Profile(error) => return error.into(),
            Error::Catalog(diagnostic) | Error::Render(diagnostic) => return (*diagnostic).into(),
            Error::Settings(error) => return (*error).into(),
            Error::Store(error) => return error.into(),
            Error::Over(_) => return CommandFailure { exit: Exit::OverBudget, help, ..failure },
            Error::Untrusted(_) => {
                let help = "`preface trust status` lists the untrusted files; review them, then run `preface trust grant`; with `--trust-pins`, also replace the file of pins by the output of `preface trust export`";
                return CommandFailure { exit: Exit::Untrusted, fixed, ..failure }.help(help);
            }
            Error::Missing(_) => Some(
                "the file was written by another version, or changed by hand; save the snapshot again"
                    .to_owned(),
            ),
            Error::Snapshot(_) | Error::Trust(_) | Error::Abort => help,
        };
        CommandFailure { help, ..failure }
    }
}

impl From<Diagnostic> for CommandFailure {
    fn from(diagnostic: Diagnostic) -> Self {
        let help = advice::help(&diagnostic).map(Cow::into_owned);
        CommandFailure {
            place: diagnostic.place.map(Box::new),
            help,
            code: Some(diagnostic.code),
            ..CommandFailure::new(diagnostic.message)
        }
    }
}

impl From<Box<Diagnostic>> for CommandFailure {
    fn from(diagnostic: Box<Diagnostic>) -> Self {
        (*diagnostic).into()
    }
}

impl From<ConversationError> for CommandFailure {
    fn from(error: ConversationError) -> Self {
        let (help, message) = (error.help(), error.to_string());
        let failure = match error {
            ConversationError::Engine(error) => return error.into(),
            ConversationError::Store(error) => return error.into(),
            ConversationError::Unknown(id) => {
                return CommandFailure::new(format!(
                    "unknown conversation: `{}`",
                    escape_hidden(id.as_str())
                ))
                .help("`preface conversation list` lists the stored ones");
            }
            ConversationError::UnknownTemplate(_) => {
                return CommandFailure::usage(error.to_string())
                    .help("`preface template list` lists the stored ones");
            }
            ConversationError::Choice(_) | ConversationError::TooManyBlocks(_) => {
                CommandFailure::usage(error.to_string())
            }
            ConversationError::TrustChanged(id, _) => {
                let id = shell_quoted(&escape_hidden(id.as_str()));
                let help = format!(
                    "`preface conversation refresh {id}` builds it without them; `preface trust status` lists the untrusted files"
                );
                return CommandFailure { exit: Exit::Untrusted, ..CommandFailure::new(message) }.help(help);
            }
            error => CommandFailure::new(error.to_string()),
        };
        CommandFailure { help, ..failure }
    }
}

/// Returns the flag that names a template, with a blank before it; nothing for `main`.
fn template_flag(name: &TemplateName) -> String {
    if *name == TemplateName::main() { String::new() } else { format!(" --template {name}") }
}

impl From<TemplatesError> for CommandFailure {
    fn from(error: TemplatesError) -> Self {
        let help = match &error {
            TemplatesError::NoTemplate(_) => Some("`preface template list` lists the stored ones".to_owned()),
            TemplatesError::NoVersion(name, _) | TemplatesError::NoLabel(name, _) => {
                Some(format!("`preface template list {name}` lists them"))
            }
            TemplatesError::Stale(current) => {
                let flag = current.as_ref().as_ref().map(|current| template_flag(&current.name));
                Some(format!("`preface template show{}` shows it", flag.unwrap_or_default()))
            }
            error => error.help(),
        };
        match error {
            TemplatesError::Store(error) => error.into(),
            error => CommandFailure { help, ..CommandFailure::new(error.to_string()) },
        }
    }
}

impl From<SettingsFileError> for CommandFailure {
    fn from(error: SettingsFileError) -> Self {
        let place = error.diagnostic().and_then(|diagnostic| diagnostic.place.clone()).map(Box::new);
        let help = match &error {
            SettingsFileError::Edit(EditError::Unreadable(_)) => {
                Some("mend the file, then run `preface doctor`, which checks it".to_owned())
            }
            SettingsFileError::Nowhere(Scope::Project) => {
                Some("use another directory: `-C DIR`, or `--scope global`".to_owned())
            }
            SettingsFileError::Link { target: Some(target), .. } => Some(format!(
                "`preface trust grant` shows what lies there and allows it; or change `{target}/settings.json` itself"
            )),
            error => error.help(),
        };
        CommandFailure { place, help, ..CommandFailure::new(error.to_string()) }
    }
}

impl From<MessagesError> for CommandFailure {
    fn from(error: MessagesError) -> Self {
        let message = error.to_string();
        CommandFailure { place: Some(error.place), help: error.help, ..CommandFailure::new(message) }
    }
}

/// Returns a place with its path from `~`, as diagnostics have it, if it is in the home directory.
fn below_home(place: Place) -> Place {
    let home = files::system().home();
    match home.and_then(|home| Some(Path::new(&place.path).strip_prefix(home).ok()?.display().to_string())) {
        Some(below) => Place { path: format!("~/{below}"), ..place },
        None => place,
    }
}

impl From<ProfileError> for CommandFailure {
    fn from(error: ProfileError) -> Self {
        // An unknown name has no location in a file.
        let exit = if error.place.path.is_empty() { Exit::Usage } else { Exit::Failed };
        CommandFailure {
            exit,
            place: Some(Box::new(below_home(*error.place))),
            help: error.help,
            ..CommandFailure::new(error.message)
        }
    }
}
