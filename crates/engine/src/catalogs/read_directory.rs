//! Reads a catalog's directory: `README.md` and the `.md` files of `system-prompts`, within limits, and nothing outside.

use preface_catalog::{CatalogSource, SourceFile};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::hidden::escape_hidden,
};
use preface_host::{
    catalogs::{FILE_LIMIT, PROMPTS_LIMIT, stem_fault},
    system::{DirEntry, FileKind, ReadError, ReadScope, System},
};
use std::{collections::BTreeMap, path::Path};

const README: &str = "README.md";
const PROMPTS: &str = "system-prompts";
/// The largest README, in bytes.
const README_LIMIT: u64 = 4 << 20;
/// The most bytes of all files together.
const TOTAL_LIMIT: usize = 64 << 20;
/// The most entries of a directory, prompts or not.
const LIST_LIMIT: usize = 10_000;

/// Reads the files of a catalog. What is left out is noted.
///
/// # Errors
/// `catalog/refused`: there is no such directory, or nothing in it looks like a catalog, or it has
/// more files, or more in them, than any catalog.
pub(super) fn gather(
    system: &dyn System,
    dir: &Path,
    version: Option<String>,
    diagnostics: &mut Diagnostics,
) -> Result<CatalogSource, Box<Diagnostic>> {
    let root = system.canonical(dir).map_err(|error| no_directory(dir, &error))?;
    let prompts = root.join(PROMPTS);
    match system.canonical(&prompts) {
        Ok(real) if real.starts_with(&root) => {}
        Ok(target) => return Err(no_directory(&prompts, &ReadError::Outside { target })),
        Err(error) => return Err(no_directory(&prompts, &error)),
    }
    let entries = match system.list(&prompts, LIST_LIMIT) {
        Ok(entries) => entries,
        Err(ReadError::TooLarge { .. }) => return Err(too_large(&prompts, "files", PROMPTS_LIMIT)),
        Err(error) => return Err(no_directory(&prompts, &error)),
    };
    let names = names(entries, diagnostics);
    if names.len() > PROMPTS_LIMIT {
        return Err(too_large(&prompts, "files", PROMPTS_LIMIT));
    }
    let mut source = CatalogSource { files: Vec::new(), readme: None, version };
    let mut total = 0;
    for name in names {
        match system.read(&prompts.join(&name), ReadScope::Root(&root), FILE_LIMIT) {
            Ok(read) => {
                total += read.bytes.len();
                if total > TOTAL_LIMIT {
                    return Err(too_large(&prompts, "bytes", TOTAL_LIMIT));
                }
                source.files.push(SourceFile { name, bytes: read.into_bytes() });
            }
            Err(error) => diagnostics.push(left_out(&format!("{PROMPTS}/{name}"), &error)),
        }
    }
    match system.read(&root.join(README), ReadScope::Root(&root), README_LIMIT) {
        Ok(read) => source.readme = Some(read.into_bytes()),
        Err(ReadError::Missing) => {}
        Err(error) => diagnostics.push(left_out(README, &error)),
    }
    Ok(source)
}

/// Chooses the files that can be stored. Some file systems ignore case, so two names never differ in case
/// alone.
fn names(entries: Vec<DirEntry>, diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for entry in entries {
        let shown = entry.name.to_string_lossy().into_owned();
        let place = Place::file(None, format!("{PROMPTS}/{}", escape_hidden(&shown)));
        let fault = match (entry.name.to_str(), entry.kind) {
            (_, FileKind::Dir) => Some("it is a directory"),
            (_, FileKind::Special) => Some("it is a pipe, socket or device"),
            (None, _) => Some("its name is not UTF-8"),
            (Some(name), _) => stem_fault(name),
        };
        let fault = fault.map(str::to_owned).or_else(|| {
            let other = found.get(&shown.to_ascii_lowercase())?;
            Some(format!("another file is called `{other}`"))
        });
        match fault {
            None => _ = found.insert(shown.to_ascii_lowercase(), shown),
            Some(fault) => {
                let what = format!("`{}` is left out: {fault}", escape_hidden(&shown));
                let help = "prompts are `.md` files with plain names";
                diagnostics
                    .push(Diagnostic::warning(DiagnosticCode::CatalogLeftOut, what).at(place).help(help));
            }
        }
    }
    found.into_values().collect()
}

fn left_out(name: &str, error: &ReadError) -> Diagnostic {
    // Links are not followed.
    let why = match error {
        ReadError::Outside { .. } => "it leads out of the catalog's directory".to_owned(),
        error => error.to_string(),
    };
    Diagnostic::warning(DiagnosticCode::CatalogLeftOut, format!("`{name}` is left out: {why}"))
        .at(Place::file(None, name))
        .help("put the file itself into the catalog's directory")
}

fn no_directory(path: &Path, error: &ReadError) -> Box<Diagnostic> {
    let shown = path.display().to_string();
    let shown = escape_hidden(&shown);
    let what = format!(
        "there is no catalog: `{shown}` is {}",
        match error {
            ReadError::Outside { .. } => "a link that leads out of the catalog's directory".to_owned(),
            error => error.to_string(),
        }
    );
    Diagnostic::error(DiagnosticCode::CatalogRefused, what)
        .help("name the directory that holds README.md and the directory `system-prompts`")
        .into()
}

fn too_large(path: &Path, what: &str, limit: usize) -> Box<Diagnostic> {
    let shown = path.display().to_string();
    let what = format!("`{}` has more than {limit} {what}", escape_hidden(&shown));
    Diagnostic::error(DiagnosticCode::CatalogRefused, what).help("name the directory of a catalog").into()
}
