//! The directories that a server may work in: those of `--root`, else where it was started.

use crate::{
    failure::{CommandFailure, CommandResult},
    files,
};
use preface_engine::host::system::{FileKind, System};
use std::path::{Path, PathBuf};

/// The directories that may be worked in, as they really are.
pub fn roots(given: &[PathBuf]) -> CommandResult<Vec<PathBuf>> {
    match given {
        [] => parse(".").map(|here| vec![here]).map_err(CommandFailure::usage),
        given => Ok(given.to_vec()),
    }
}

/// Reads one directory of a flag, as it really is.
pub fn parse(text: &str) -> Result<PathBuf, String> {
    let path = files::absolute(Path::new(text)).map_err(|_| "the working directory is gone".to_owned())?;
    match files::system().stat(&path) {
        None => Err("there is nothing of that name".to_owned()),
        Some(stat) if stat.kind != FileKind::Dir => Err("it is not a directory".to_owned()),
        Some(_) => files::system().canonical(&path).map_err(|error| error.to_string()),
    }
}
