//! Files that the caller names on the command line: read and written through the one door, relative to the shell's
//! directory.

use crate::{
    failure::{CommandFailure, words},
    signals,
};
use preface::host::{
    places::normal,
    system::{FileKind, ReadError, ReadScope, System, WriteMode},
};
use std::path::{Path, PathBuf};

/// The most that is read of a file that the caller names.
const LIMIT: u64 = 256 << 20;
/// New files are the user's alone: a snapshot and a prompt hold what was read for them.
const MODE: u32 = 0o600;

/// Opens the door. A signal ends the programs that were started through it.
pub fn system() -> preface::OsSystem {
    served_system().with_before_run(signals::end_programs)
}

/// Opens the door for a service, which has a way of its own to end.
pub fn served_system() -> preface::OsSystem {
    preface::OsSystem::new(preface::ASSETS)
}

/// The help for a file that is not there.
const MISSING: &str = "check the path; it is relative to the current directory";

/// Reads a file, or stdin for `-`.
pub fn read(file: &Path) -> Result<Vec<u8>, CommandFailure> {
    if file == Path::new("-") {
        let ui = crate::ui::Ui::new();
        return ui
            .read_all()
            .map_err(|error| CommandFailure::new(format!("cannot read stdin: {}", words(&error))));
    }
    look(&absolute(file)?, LIMIT).map_err(|error| match error {
        ReadError::Kind(FileKind::Special) => unread(file, &error).help("`-` reads from a pipe"),
        ReadError::Missing => unread(file, &error).help(MISSING),
        _ => unread(file, &error),
    })
}

/// Reads a file, or stdin for `-`, that must be UTF-8. Returns its name for messages with the text.
pub fn read_text(file: &Path) -> Result<(String, String), CommandFailure> {
    let bytes = read(file)?;
    let shown = if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() };
    let text = String::from_utf8(bytes).map_err(|_| {
        CommandFailure::new(format!("`{shown}` is not UTF-8")).help("`iconv -t UTF-8` converts it")
    })?;
    Ok((shown, text))
}

/// Reads a file that is not larger than `limit`; stdin is not accepted.
pub fn read_at_most(file: &Path, limit: u64) -> Result<Vec<u8>, CommandFailure> {
    look(&absolute(file)?, limit).map_err(|error| match error {
        ReadError::Kind(FileKind::Special) => unread(file, &error).help("save what it gives to a file"),
        ReadError::TooLarge { .. } => unread(file, &error).help("give a smaller file"),
        ReadError::Missing => unread(file, &error).help(MISSING),
        _ => unread(file, &error),
    })
}

fn look(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    system().read(path, ReadScope::Anywhere, limit).map(|read| read.into_bytes())
}

fn unread(file: &Path, error: &ReadError) -> CommandFailure {
    CommandFailure::new(format!("cannot read `{}`: {error}", file.display()))
}

/// Writes a file for the user alone, whole or not at all.
pub fn write(file: &Path, bytes: &[u8]) -> Result<(), CommandFailure> {
    write_with(file, bytes, MODE)
}

/// Writes a file that everybody may read, whole or not at all.
pub fn write_for_all(file: &Path, bytes: &[u8]) -> Result<(), CommandFailure> {
    write_with(file, bytes, 0o644)
}

/// Creates a directory with its parents, where it is missing.
pub fn make_dir(dir: &Path) -> Result<(), CommandFailure> {
    system()
        .make_dirs(&absolute(dir)?, 0o755)
        .map_err(|error| CommandFailure::new(format!("cannot create `{}`: {error}", dir.display())))
}

fn write_with(file: &Path, bytes: &[u8], mode: u32) -> Result<(), CommandFailure> {
    let path = absolute(file)?;
    system()
        .write(&path, bytes, WriteMode::Replace, mode)
        .map_err(|error| CommandFailure::new(format!("cannot write `{}`: {error}", file.display())))
}

/// Makes a path of the command line absolute; links are not resolved.
pub fn absolute(file: &Path) -> Result<PathBuf, CommandFailure> {
    if file.is_absolute() {
        return Ok(normal(Path::new("/"), file));
    }
    match system().current_dir() {
        Some(here) => Ok(normal(&here, file)),
        None => Err(CommandFailure::usage("the working directory is gone").help("use absolute paths")),
    }
}
