//! Keeps a catalog, and removes one. A reader finds the old catalog or the new one, also after a crash: the files of the new
//! one are written into a directory of their own, then its index takes the place of the old one, then the old files go.

use super::{
    INDEX, INDEX_LIMIT, catalog_dir, files_key, place,
    read::{self, index_fault},
    seal,
};
use crate::system::{FileKind, ReadError, ReadScope, System, WriteError, WriteMode};
use preface_core::{
    catalog::{CatalogEntry, CatalogIndex},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    prompt::fingerprint,
};
use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

const DIR_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;
const LOCK: &str = ".lock";
/// The number of files that are written at a time. Each is flushed to the disk, and a disk flushes several in
/// the time of one.
const WRITERS: usize = 8;
/// The most entries of a directory that are looked at to remove them.
const SWEEP_LIMIT: usize = 10_000;

/// The handling of other texts of the same version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceMode {
    /// Existing texts stay.
    No,
    /// Existing texts are replaced.
    Yes,
}

/// An index as it is written.
#[derive(serde::Serialize)]
struct SealedIndex<'a> {
    #[serde(flatten)]
    index: &'a CatalogIndex,
    seal: String,
}

/// The effect of storing a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogWriteOutcome {
    /// A new catalog was stored.
    New,
    /// Another catalog, or a broken one, was replaced.
    Replaced,
    /// The catalog was there already; files of it that were missing or changed were restored.
    Same,
}

/// Stores a catalog with its templates, which are in the order of the index. Texts of the same version with another digest are replaced only if `replace` allows it.
/// Leftovers of older imports are removed; a failure to remove them is reported.
///
/// # Errors
/// `catalog/refused`: index and templates do not belong together, or something is larger than what is read again.
/// `catalog/exists`: there are other texts of this version. `catalog/not-written`: the error of the system; then the old
/// catalog stays. Else as [`super::index`].
pub fn write(
    system: &dyn System,
    index: &CatalogIndex,
    templates: &[String],
    replace: ReplaceMode,
    diagnostics: &mut Diagnostics,
) -> Result<CatalogWriteOutcome, Box<Diagnostic>> {
    let dir = catalog_dir(system, &index.version)?;
    if let Some(fault) = index_fault(index) {
        return Err(invalid(index, &fault));
    }
    let matches = |(entry, template): (&CatalogEntry, &String)| fingerprint(template) == entry.template;
    if index.prompts.len() != templates.len() || !index.prompts.iter().zip(templates).all(matches) {
        return Err(invalid(index, "its index and its templates do not belong together"));
    }
    let sealed = SealedIndex { index, seal: seal(index) };
    let mut bytes = serde_json::to_vec_pretty(&sealed).map_err(|error| invalid(index, &error.to_string()))?;
    bytes.push(b'\n');
    if bytes.len() as u64 > INDEX_LIMIT {
        return Err(invalid(index, &format!("its index is larger than {INDEX_LIMIT} bytes")));
    }
    system.make_dirs(&dir, DIR_MODE).map_err(|error| not_written(system, &dir, &error))?;
    let _lock = lock(system, &dir)?;
    let old = read::index(system, &index.version);
    let written = match &old {
        Ok(old) if old == index => CatalogWriteOutcome::Same,
        Ok(old) if old.digest != index.digest && replace == ReplaceMode::No => {
            let what = format!("other texts of the catalog {} are imported: {}", index.version, old.pin());
            return Err(Diagnostic::error(DiagnosticCode::CatalogExists, what)
                .help(format!("replace them with {}, or keep both under different versions", index.pin()))
                .into());
        }
        Ok(_) => CatalogWriteOutcome::Replaced,
        Err(_) => CatalogWriteOutcome::New,
    };
    let key = files_key(index);
    let done =
        write_files(system, &dir.join(&key), index, templates, diagnostics).and_then(|()| match written {
            CatalogWriteOutcome::Same => Ok(()),
            _ => write_file(system, &dir.join(INDEX), &bytes),
        });
    // After a failure it is the new files that belong to nothing.
    let stays = match (&done, &old) {
        (Ok(()), _) => Some(key),
        (Err(_), Ok(old)) => Some(files_key(old)),
        (Err(_), Err(_)) => None,
    };
    sweep(system, &dir, stays.as_deref(), diagnostics);
    done.map(|()| written)
}

/// Removes a catalog, or what is left of one. What else lies in its directory stays, and is noted.
///
/// # Errors
/// `catalog/missing`: there is none. `catalog/not-written`: the error of the system. `catalog/refused`:
/// as [`super::index`].
pub fn remove(
    system: &dyn System,
    version: &str,
    diagnostics: &mut Diagnostics,
) -> Result<(), Box<Diagnostic>> {
    let dir = catalog_dir(system, version)?;
    if system.stat(&dir).is_none() {
        return Err(Diagnostic::error(
            DiagnosticCode::CatalogMissing,
            format!("the catalog {version} is not imported"),
        )
        .help("the list of catalogs shows what there is")
        .into());
    }
    let _lock = lock(system, &dir)?;
    // Without its index it is none any more, whatever happens to the rest.
    let path = dir.join(INDEX);
    system.remove(&path).map_err(|error| not_written(system, &path, &error))?;
    sweep(system, &dir, None, diagnostics);
    if let Err(error) = system.remove_dir(&dir) {
        diagnostics.push(leftover_warning(system, &dir, &error.to_string()));
    }
    Ok(())
}

/// One import at a time.
fn lock(system: &dyn System, dir: &Path) -> Result<Box<dyn Send>, Box<Diagnostic>> {
    let path = dir.with_file_name(LOCK);
    system.lock(&path).map_err(|error| not_written(system, &path, &error))
}

/// Writes the files that are not there yet, and clears away what a process left that was killed at it.
fn write_files(
    system: &dyn System,
    dir: &Path,
    index: &CatalogIndex,
    templates: &[String],
    diagnostics: &mut Diagnostics,
) -> Result<(), Box<Diagnostic>> {
    system.make_dirs(dir, DIR_MODE).map_err(|error| not_written(system, dir, &error))?;
    for (name, _) in names(system, dir, diagnostics).into_iter().filter(|(name, _)| is_unfinished(name)) {
        system.remove(&dir.join(name)).map_err(|error| not_written(system, dir, &error))?;
    }
    let next = AtomicUsize::new(0);
    let write = || -> Result<(), Box<Diagnostic>> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let (Some(entry), Some(template)) = (index.prompts.get(at), templates.get(at)) else {
                return Ok(());
            };
            let (path, bytes) = (dir.join(&entry.file), template.as_bytes());
            let there = system.read(&path, ReadScope::Anywhere, bytes.len() as u64);
            if !there.is_ok_and(|there| *there.bytes == *bytes) {
                write_file(system, &path, bytes)?;
            }
        }
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|_| scope.spawn(write)).collect();
        // A writer that panics takes the import with it.
        writers.into_iter().try_for_each(|writer| match writer.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

fn write_file(system: &dyn System, path: &Path, bytes: &[u8]) -> Result<(), Box<Diagnostic>> {
    system
        .write(path, bytes, WriteMode::Replace, FILE_MODE)
        .map_err(|error| not_written(system, path, &error))
}

/// Removes the files of all imports but one. Only what looks like ours goes.
fn sweep(system: &dyn System, dir: &Path, stays: Option<&str>, diagnostics: &mut Diagnostics) {
    for (name, kind) in names(system, dir, diagnostics) {
        let path = dir.join(&name);
        let done = match kind {
            FileKind::Dir if is_key(&name) && Some(name.as_str()) != stays => {
                remove_files(system, &path, diagnostics)
            }
            FileKind::File if is_unfinished(&name) => system.remove(&path),
            _ => Ok(()),
        };
        if let Err(error) = done {
            diagnostics.push(leftover_warning(system, &path, &error.to_string()));
        }
    }
}

/// Removes the directory of one import's files.
fn remove_files(system: &dyn System, dir: &Path, diagnostics: &mut Diagnostics) -> Result<(), WriteError> {
    for (name, _) in names(system, dir, diagnostics) {
        if name.ends_with(".md") || is_unfinished(&name) {
            system.remove(&dir.join(name))?;
        }
    }
    system.remove_dir(dir)
}

fn names(system: &dyn System, dir: &Path, diagnostics: &mut Diagnostics) -> Vec<(String, FileKind)> {
    match system.list(dir, SWEEP_LIMIT) {
        Ok(entries) => {
            let named = |entry: crate::system::DirEntry| Some((entry.name.into_string().ok()?, entry.kind));
            entries.into_iter().filter_map(named).collect()
        }
        Err(ReadError::Missing) => Vec::new(),
        Err(error) => {
            diagnostics.push(leftover_warning(system, dir, &error.to_string()));
            Vec::new()
        }
    }
}

/// Returns true for the name of a directory of an import's files.
fn is_key(name: &str) -> bool {
    name.len() == 16 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns true for a temporary file of [`System::write`] that a killed process left behind.
fn is_unfinished(name: &str) -> bool {
    name.starts_with(".preface-") && name.ends_with(".tmp")
}

fn invalid(index: &CatalogIndex, why: &str) -> Box<Diagnostic> {
    Diagnostic::error(
        DiagnosticCode::CatalogRefused,
        format!("the catalog {} cannot be kept: {why}", index.version),
    )
    .into()
}

fn not_written(system: &dyn System, path: &Path, error: &WriteError) -> Box<Diagnostic> {
    Diagnostic::error(
        DiagnosticCode::CatalogNotWritten,
        format!("the imported catalogs cannot be changed: {error}"),
    )
    .at(place(system, path))
    .help("earlier imports are unchanged; PREFACE_HOME is the directory of catalogs")
    .into()
}

fn leftover_warning(system: &dyn System, path: &Path, why: &str) -> Diagnostic {
    Diagnostic::warning(
        DiagnosticCode::CatalogNotWritten,
        format!("something is left of an older import: {why}"),
    )
    .at(place(system, path))
    .help("it is not used; you can remove it")
}
