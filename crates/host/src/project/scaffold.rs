//! The first file: a bundled text that lands in the global directory exactly when that directory is first created.
//! A file that the user deleted never comes back.

use crate::system::{System, WriteError, WriteMode};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    profile::Scaffold,
};
use std::{
    fmt::Display,
    hash::{BuildHasher, RandomState},
    path::Path,
};

/// Permission bits of directories that preface creates.
pub const DIR_MODE: u32 = 0o700;
/// Permission bits of files that the user is meant to edit.
pub const FILE_MODE: u32 = 0o644;

/// Creates `global` with the scaffold's files if nothing is there. Whatever goes wrong is a diagnostic; the session goes on.
///
/// The directory is prepared beside its place and renamed into it, so another process finds it whole or not at all.
pub fn scaffold(
    system: &dyn System,
    global: &Path,
    files: &Scaffold,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) {
    // The trigger is the creation of the directory, never the absence of the file.
    if system.link_stat(global).is_some() {
        // Discovery reports a file in its place, but not a link that points nowhere.
        if system.stat(global).is_none() {
            skip(global, "there is a link that does not point to a directory", diagnostics);
        }
        return;
    }
    let Some(parent) = global.parent() else { return };
    // Nobody can wait for this name: `RandomState` is seeded by the machine.
    let aside = parent.join(format!(".preface-{:016x}.tmp", RandomState::new().hash_one(0)));
    let made = system.make_dirs(parent, DIR_MODE).and_then(|()| system.make_dir(&aside, DIR_MODE));
    let outcome = match made {
        Ok(_) => fill(system, &aside, global, files, diagnostics),
        Err(error) => Err(error),
    };
    match outcome {
        Ok(written) => {
            for event in &written {
                let AuditEvent::SystemPromptScaffolded { path, byte_count } = event else { continue };
                let what = format!("{path} was created ({byte_count} bytes)");
                let help = "it is yours: edit it, or delete it; it does not come back";
                diagnostics.push(Diagnostic::info(DiagnosticCode::ScaffoldCreated, what).help(help));
            }
            audit.extend(written);
        }
        // Another process was first.
        Err(WriteError::Exists) if system.link_stat(global).is_some() => {}
        Err(error) => skip(global, error, diagnostics),
    }
}

/// Writes the files into the directory that is prepared at `aside`, and moves it to its place. Where that fails, nothing of it
/// stays.
fn fill(
    system: &dyn System,
    aside: &Path,
    global: &Path,
    files: &Scaffold,
    diagnostics: &mut Diagnostics,
) -> Result<Vec<AuditEvent>, WriteError> {
    let mut written = Vec::new();
    let filled = files.files.iter().try_for_each(|(file, bundled)| {
        let Some(bytes) = bundled_text(system, bundled, diagnostics) else { return Ok(()) };
        system.write(&aside.join(file), &bytes, WriteMode::New, FILE_MODE)?;
        written.push(scaffold_event(&global.join(file), bytes.len()));
        Ok(())
    });
    let placed = filled.and_then(|()| system.rename(aside, global));
    if placed.is_err() {
        // What cannot be removed is empty, or a temporary file that is never read.
        for file in files.files.keys() {
            let _ = system.remove(&aside.join(file));
        }
        let _ = system.remove_dir(aside);
    }
    placed.map(|()| written)
}

/// Writes the scaffold's files that do not exist into a directory that does. Returns the names that it wrote.
pub fn write_files(
    system: &dyn System,
    global: &Path,
    files: &Scaffold,
    diagnostics: &mut Diagnostics,
    audit: &mut Vec<AuditEvent>,
) -> Vec<String> {
    let mut written = Vec::new();
    for (name, bundled) in &files.files {
        let Some(bytes) = bundled_text(system, bundled, diagnostics) else { continue };
        let path = global.join(name);
        match system.write(&path, &bytes, WriteMode::New, FILE_MODE) {
            Ok(()) => {
                audit.push(scaffold_event(&path, bytes.len()));
                written.push(name.clone());
            }
            Err(WriteError::Exists) => {}
            Err(error) => skip(&path, error, diagnostics),
        }
    }
    written
}

/// Returns the event of a text of the scaffold that was written.
#[must_use]
pub fn scaffold_event(path: &Path, byte_count: usize) -> AuditEvent {
    AuditEvent::SystemPromptScaffolded { path: path.display().to_string(), byte_count }
}

fn bundled_text<'s>(
    system: &'s dyn System,
    name: &str,
    diagnostics: &mut Diagnostics,
) -> Option<std::borrow::Cow<'s, [u8]>> {
    let bytes = system.bundled(name);
    if bytes.is_none() {
        diagnostics
            .push(Diagnostic::error(DiagnosticCode::FileMissing, format!("there is no bundled `{name}`")));
    }
    bytes
}

fn skip(path: &Path, error: impl Display, diagnostics: &mut Diagnostics) {
    let what = format!("{} was not created: {error}", path.display());
    let help = Remedy::command(
        "nothing else depends on it; it is tried again where the preset is set up",
        "config init",
    );
    diagnostics.push(Diagnostic::warning(DiagnosticCode::ScaffoldSkipped, what).help(help));
}
