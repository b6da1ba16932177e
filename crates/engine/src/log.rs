//! Loggers: files that audit events are appended to. Without one nothing is written.

use crate::{BuildOptions, Engine, WriteScope, build_options::TrustChoice, input::Inputs};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    extension::{Ability, Category, Log},
    prompt::Prompt,
    scope::Scope,
    turn::Turn,
};
use preface_host::audit_file::AuditFile;
use std::{
    mem::take,
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

/// The file of one logger.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LogFile {
    name: String,
    place: Place,
    path: PathBuf,
    /// The directory that a log named by a project must be in, links resolved.
    below: Option<PathBuf>,
}

/// The files of the loggers that may write, and the id that their lines have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Loggers {
    files: Vec<LogFile>,
    correlation: String,
}

impl Loggers {
    /// Finds the loggers of a turn. Their paths are relative to the root of their layer.
    pub(crate) fn of(inputs: &Inputs, turn: &Turn) -> Self {
        let correlation = turn.conversation.clone().unwrap_or_else(|| command_id("build", turn));
        Loggers { files: LogFile::of(inputs), correlation }
    }
}

impl LogFile {
    fn of(inputs: &Inputs) -> Vec<Self> {
        let places = inputs.places();
        inputs
            .entries
            .scopes
            .of(Category::Loggers)
            .filter(|entry| entry.runnable)
            .filter_map(|entry| {
                let Some(Ability::Log(Log { path: Some(path) })) = &entry.value.ability else { return None };
                let (root, below) = match entry.origin.scope {
                    Scope::Project => (places.project.as_ref()?, Some(inputs.write_root().to_owned())),
                    _ => (places.global.as_ref()?, None),
                };
                Some(LogFile { name: entry.name.clone(), place: entry.place(), path: root.join(path), below })
            })
            .collect()
    }
}

/// Returns an id that no other build or command has, on this machine and in this log: the same instant may be given twice.
fn command_id(kind: &str, turn: &Turn) -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    format!("{kind}-{}-{}-{number}", turn.now, std::process::id())
}

/// What loggers get once a prompt was handed out: a line for each provider that contributed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandOver {
    pub(crate) loggers: Loggers,
    pub(crate) events: Vec<AuditEvent>,
}

/// Splits the events of a build into those of its prompt, which are true once it is handed out, and all others.
pub(crate) fn by_hand_over(events: &[AuditEvent]) -> (Vec<AuditEvent>, Vec<AuditEvent>) {
    let is_of_prompt = |event: &AuditEvent| matches!(event, AuditEvent::ContextContributionMade { .. });
    events.iter().cloned().partition(is_of_prompt)
}

impl Engine<'_> {
    /// Appends the events of a prompt that was handed out, and returns which loggers could not write.
    pub fn handed_out(&self, hand_over: &HandOver) -> Diagnostics {
        self.append(&hand_over.loggers, &hand_over.events)
    }

    /// Appends the events of a prompt with its inputs, which is handed out.
    pub(crate) fn log(&self, inputs: &Inputs, turn: &Turn, prompt: &mut Prompt) {
        if !prompt.audit.is_empty() {
            prompt.diagnostics.extend(self.append(&Loggers::of(inputs, turn), &prompt.audit));
        }
    }

    /// Appends events that belong to no build (a grant, a revocation, a first file) to the loggers that may
    /// write under the current grants.
    pub fn log_events(&self, request: &BuildOptions, events: &[AuditEvent]) -> Diagnostics {
        self.log_or_keep(request, &mut events.to_vec())
    }

    /// As [`Engine::log_events`]; the events stay in the list if there is no logger yet.
    pub(crate) fn log_or_keep(&self, request: &BuildOptions, events: &mut Vec<AuditEvent>) -> Diagnostics {
        let request = BuildOptions { trust: TrustChoice::Ask, ..request.clone() };
        self.log_under_grants(&request, events, |turn| command_id("command", turn))
    }

    /// Appends events to the loggers that may write under the current grants, with an id; they stay in the list if there is none.
    /// Where no layer has anything in the place of a logger, nothing of the project is opened.
    pub(crate) fn log_under_grants(
        &self,
        request: &BuildOptions,
        events: &mut Vec<AuditEvent>,
        id: fn(&Turn) -> String,
    ) -> Diagnostics {
        if events.is_empty() || self.writes() == WriteScope::Nothing {
            return Diagnostics::new();
        }
        let Ok(loaded) = self.load_profile(request) else { return Diagnostics::new() };
        let category = Category::Loggers.as_str();
        let layers = loaded.places.global.iter().chain(&loaded.places.project);
        let mut dirs =
            layers.flat_map(|layer| [layer.join("extensions").join(category), layer.join(category)]);
        if !dirs.any(|dir| self.system().stat(&dir).is_some()) {
            return Diagnostics::new();
        }
        match self.inputs_of(request, loaded, None) {
            Ok(inputs) => {
                let loggers = Loggers { files: LogFile::of(&inputs), correlation: id(&inputs.entries.turn) };
                let events = if loggers.files.is_empty() { Vec::new() } else { take(events) };
                self.append(&loggers, &events)
            }
            Err(error) => {
                let what = format!("nothing was logged: {error}");
                vec![Diagnostic::warning(DiagnosticCode::LoggerFailed, what)]
            }
        }
    }

    /// Appends events to the files of loggers. A file that cannot be written is a diagnostic.
    pub(crate) fn append(&self, loggers: &Loggers, events: &[AuditEvent]) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        if events.is_empty() || self.writes() == WriteScope::Nothing {
            return diagnostics;
        }
        for LogFile { name, place, path, below } in &loggers.files {
            let log = AuditFile::at(self.system(), path);
            let log = match below {
                Some(root) => log.below(root),
                None => log,
            };
            if let Err(error) = log.append(events, &loggers.correlation, &[]) {
                let what = format!("logger `{name}` wrote nothing: {error}");
                diagnostics.push(Diagnostic::warning(DiagnosticCode::LoggerFailed, what).at(place.clone()));
            }
        }
        diagnostics
    }
}
