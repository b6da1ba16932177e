//! The directories that a server may work in: those of `--root`, else where it was started.

use crate::{failure::CommandFailure, files};
use preface_engine::{
    core::lint::hidden::escape_hidden,
    host::system::{FileKind, System},
};
use std::path::{Path, PathBuf};

/// The directories that may be worked in, as they really are.
pub fn roots(system: &dyn System, given: &[PathBuf]) -> Result<Vec<PathBuf>, CommandFailure> {
    let here = [PathBuf::from(".")];
    let given = if given.is_empty() { &here[..] } else { given };
    given.iter().map(|root| real(system, root)).collect()
}

/// Reads one directory of a flag, as it really is.
pub fn parse(text: &str) -> Result<PathBuf, String> {
    let path = files::absolute(Path::new(text)).map_err(|_| "the working directory is gone".to_owned())?;
    let system = files::system();
    match system.stat(&path) {
        None => Err("there is nothing of that name".to_owned()),
        Some(stat) if stat.kind != FileKind::Dir => Err("it is not a directory".to_owned()),
        Some(_) => system.canonical(&path).map_err(|error| error.to_string()),
    }
}

fn real(system: &dyn System, root: &Path) -> Result<PathBuf, CommandFailure> {
    let path = files::absolute(root)?;
    let failed = |why: &str| {
        let shown = root.display().to_string();
        Err(CommandFailure::usage(format!("not a directory to work in: `{}`: {why}", escape_hidden(&shown)))
            .help("`--root` names a directory that is there"))
    };
    match system.stat(&path) {
        None => failed("there is nothing of that name"),
        Some(stat) if stat.kind != FileKind::Dir => failed("it is not a directory"),
        Some(_) => match system.canonical(&path) {
            Ok(path) => Ok(path),
            Err(error) => failed(&error.to_string()),
        },
    }
}
