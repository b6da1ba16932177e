//! The first file: a bundled text that lands in the global directory exactly when that directory is first created.
//! A file that the user deleted never comes back.

use crate::system::{Made, System, Write, WriteError};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, Diagnostics},
    profile::Scaffold,
};
use std::{fmt::Display, path::Path};

/// Permission bits of directories that preface creates.
pub const DIR_MODE: u32 = 0o700;
/// Permission bits of files that the user is meant to edit.
pub const FILE_MODE: u32 = 0o644;

/// Creates `global` if nothing stands there, and only then writes the scaffold's files into it. Whatever goes wrong is
/// a note; the session goes on.
pub fn scaffold(
    system: &dyn System,
    global: &Path,
    files: &Scaffold,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) {
    // The trigger is the creation of the directory, never the absence of the file.
    if system.link_stat(global).is_some() {
        // Discover says so of a file in its place; a link that points nowhere looks like nothing to it.
        if system.stat(global).is_none() {
            skip(global, "a link that leads to no directory stands there", diagnostics);
        }
        return;
    }
    if let Some(parent) = global.parent()
        && let Err(error) = system.make_dirs(parent, DIR_MODE)
    {
        skip(global, error, diagnostics);
        return;
    }
    match system.make_dir(global, DIR_MODE) {
        Ok(Made::New) => {}
        Ok(Made::Existed) => return,
        Err(error) => {
            skip(global, error, diagnostics);
            return;
        }
    }
    for name in write_files(system, global, files, diagnostics, audit) {
        let what = format!("{} was created", global.join(name).display());
        let help = "it is yours: edit it, or delete it; it does not come back";
        diagnostics.push(Diagnostic::info("scaffold/created", what).help(help));
    }
}

/// Writes the scaffold's files that do not exist. Returns the names that it wrote.
pub fn write_files(
    system: &dyn System,
    global: &Path,
    files: &Scaffold,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) -> Vec<String> {
    let mut written = Vec::new();
    for (name, bundled) in &files.files {
        let Some(bytes) = system.bundled(bundled) else {
            diagnostics
                .push(Diagnostic::error("scaffold/missing", format!("there is no bundled `{bundled}`")));
            continue;
        };
        let path = global.join(name);
        match system.write(&path, &bytes, Write::New, FILE_MODE) {
            Ok(()) => {
                audit.push(AuditEvent::SystemPromptScaffolded {
                    path: path.display().to_string(),
                    byte_count: bytes.len(),
                });
                written.push(name.clone());
            }
            Err(WriteError::Exists) => {}
            // The directory is there now, so no later call creates the file by itself.
            Err(error) => {
                let help =
                    "nothing else depends on it; `preface init --with-system` for this preset writes it";
                diagnostics.push(skipped(&path, error).help(help));
            }
        }
    }
    written
}

fn skip(path: &Path, error: impl Display, diagnostics: &mut Diagnostics) {
    let help = "nothing else depends on it; `preface init` for this preset tries again";
    diagnostics.push(skipped(path, error).help(help));
}

fn skipped(path: &Path, error: impl Display) -> Diagnostic {
    Diagnostic::warning("scaffold/skipped", format!("{} was not created: {error}", path.display()))
}
