//! Writing down what happened, for those who asked for it: a logger is a file that audit events are appended to
//! (`DETAILS` 17). Without one nothing is written.

use crate::{Engine, gather::Gathered};
use preface_core::{
    diagnostic::{Diagnostic, Place},
    extension::{Ability, Category, Log},
    prompt::Prompt,
    scope::Scope,
};
use preface_host::audit_file::AuditFile;
use std::path::PathBuf;

/// The file of one logger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LogFile {
    name: String,
    manifest: (Scope, String),
    path: PathBuf,
}

impl Engine<'_> {
    /// Returns the files of the loggers that may write. Their paths are relative to the root of their layer.
    fn log_files(&self, gathered: &Gathered) -> Vec<LogFile> {
        gathered
            .scopes
            .of(Category::Loggers)
            .filter(|entry| entry.runnable)
            .filter_map(|entry| {
                let Some(Ability::Log(Log { path: Some(path) })) = &entry.ability else { return None };
                let root = match entry.origin.scope {
                    Scope::Project => gathered.places.project.as_ref()?,
                    _ => gathered.places.global.as_ref()?,
                };
                let manifest = (entry.origin.scope, entry.origin.path.clone());
                Some(LogFile { name: entry.name.clone(), manifest, path: root.join(path) })
            })
            .collect()
    }

    /// Appends the events of a build to the loggers' files. A file that cannot be written is a note.
    pub(crate) fn log(&self, gathered: &Gathered, prompt: &mut Prompt) {
        if prompt.audit.is_empty() {
            return;
        }
        let turn = &gathered.turn;
        let correlation = turn.conversation.clone().unwrap_or_else(|| format!("build-{}", turn.now));
        for LogFile { name, manifest, path } in self.log_files(gathered) {
            let log = AuditFile::at(self.system(), &path);
            let log = match manifest.0 {
                // What a project names as its log lies in the project, whatever its directories link to.
                Scope::Project => log.below(gathered.write_root()),
                _ => log,
            };
            if let Err(error) = log.append(&prompt.audit, &correlation, &[]) {
                let what = format!("logger `{name}` wrote nothing: {error}");
                let place = Place::file(Some(manifest.0), manifest.1.clone());
                prompt.diagnostics.push(Diagnostic::warning("logger/failed", what).at(place));
            }
        }
    }
}
