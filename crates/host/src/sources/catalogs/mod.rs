//! Where imported catalogs are kept: below `catalogs` in the user's state directory, which no project may write.
//!
//! ```text
//! catalogs/2.1.37.json   its prompts, with the templates that its files were converted to
//! ```

mod names;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use names::{number, stem_fault};
pub use read::{StoredCatalog, index, no_prompt, versions};
pub use write::{CatalogWriteOutcome, ReplaceMode, remove, write};

use crate::{system::System, trust::state_dir};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
};
use std::path::{Path, PathBuf};

/// The most prompts that a catalog may have.
pub const PROMPTS_LIMIT: usize = 2_000;
/// The largest file of a catalog, in bytes.
pub const FILE_LIMIT: u64 = 1 << 20;
/// The largest stored catalog, in bytes.
const STORED_LIMIT: u64 = 256 << 20;
/// The most catalogs that are looked at.
const CATALOGS_LIMIT: usize = 1_000;

const DIR: &str = "catalogs";
const ENDING: &str = ".json";

/// Returns the directory of all imported catalogs, whether it exists or not. `None` if the user has no directory at all.
/// Whether it could have come with a project is asked before: [`user_state`](crate::places::user_state).
///
/// ```
/// use preface_host::{catalogs, system::testing::MemorySystem};
///
/// let system = MemorySystem::new().with_var("PREFACE_HOME", "/mine");
/// assert_eq!(catalogs::dir(&system), Some("/mine/catalogs".into()));
/// ```
#[must_use]
pub fn dir(system: &dyn System) -> Option<PathBuf> {
    Some(state_dir(system)?.join(DIR))
}

/// Returns the file of one catalog.
fn catalog_file(system: &dyn System, version: &str) -> Result<PathBuf, Box<Diagnostic>> {
    if number(version).is_none() {
        let version = escape_hidden(version);
        let what = format!("not a version of a catalog: `{version}`");
        return Err(Diagnostic::error(DiagnosticCode::CatalogRefused, what)
            .help("a version is three numbers with dots between them, such as `2.1.37`")
            .into());
    }
    let Some(dir) = dir(system) else {
        let what = "there is no place for catalogs: neither PREFACE_HOME nor a home directory is set";
        return Err(Diagnostic::error(DiagnosticCode::CatalogRefused, what)
            .help("set PREFACE_HOME to a directory to have one")
            .into());
    };
    Ok(dir.join(format!("{version}{ENDING}")))
}

/// Names a file for people: from `~` where it is below the home directory.
fn place(system: &dyn System, path: &Path) -> Place {
    let shown = match system.home().as_deref().and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    };
    Place::file(None, escape_hidden(&shown))
}
