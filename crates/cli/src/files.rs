//! Files that the caller names on the command line: read and written through the one door, relative to the shell's
//! directory.

use crate::{
    failure::{CommandFailure, CommandResult},
    signals,
};
use preface_engine::{
    ASSETS, OsSystem,
    host::{
        places::{normal, resolve_links},
        provider::extension::project_root,
        system::{FileKind, ReadError, ReadScope, System, WriteError, WriteMode},
    },
};
use std::{
    env, io,
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

/// The most that is read of a file that the caller names.
const LIMIT: u64 = 256 << 20;
/// New files are the user's alone: a snapshot and a prompt hold what was read for them.
const MODE: u32 = 0o600;

/// The door. A signal ends the programs that were started through it.
static SYSTEM: LazyLock<Arc<OsSystem>> =
    LazyLock::new(|| Arc::new(served_system().with_before_run(signals::end_programs)));

/// Returns the door.
pub fn system() -> &'static OsSystem {
    &SYSTEM
}

/// Returns the door for what shares it.
pub fn shared_system() -> Arc<OsSystem> {
    SYSTEM.clone()
}

/// Opens the door for a service, which has a way of its own to end.
pub fn served_system() -> OsSystem {
    OsSystem::new(ASSETS)
}

/// The help for a file that is not there.
const MISSING: &str = "check the path; it is relative to the current directory";

/// Reads a file, or stdin for `-`.
pub fn read(file: &Path) -> CommandResult<Vec<u8>> {
    if file == Path::new("-") {
        return stdin_at_most("the input", LIMIT);
    }
    read_bytes(&absolute(file)?, LIMIT).map_err(|error| match error {
        ReadError::Kind(FileKind::Special) => unread(file, &error).help("`-` reads from a pipe"),
        ReadError::Missing => unread(file, &error).help(MISSING),
        _ => unread(file, &error),
    })
}

/// Reads stdin, which must not be larger than `limit`; `what` is what it has.
pub fn stdin_at_most(what: &str, limit: u64) -> CommandResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| CommandFailure::cannot("read stdin", &error))?;
    if bytes.len() as u64 > limit {
        return Err(CommandFailure::new(format!("{what} on stdin has more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a file, or stdin for `-`, that must be UTF-8. Returns its name for messages with the text.
pub fn read_text(file: &Path) -> CommandResult<(String, String)> {
    let bytes = read(file)?;
    let shown = if file == Path::new("-") { "stdin".to_owned() } else { file.display().to_string() };
    let text = String::from_utf8(bytes).map_err(|_| {
        CommandFailure::new(format!("`{shown}` is not UTF-8")).help("`iconv -t UTF-8` converts it")
    })?;
    Ok((shown, text))
}

/// Reads a file that is not larger than `limit`; stdin is not accepted.
pub fn read_at_most(file: &Path, limit: u64) -> CommandResult<Vec<u8>> {
    read_bytes(&absolute(file)?, limit).map_err(|error| match error {
        ReadError::Kind(FileKind::Special) => unread(file, &error).help("save what it gives to a file"),
        ReadError::TooLarge { .. } => unread(file, &error).help("give a smaller file"),
        ReadError::Missing => unread(file, &error).help(MISSING),
        _ => unread(file, &error),
    })
}

fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    system().read(path, ReadScope::Anywhere, limit).map(|read| read.into_bytes())
}

fn unread(file: &Path, error: &ReadError) -> CommandFailure {
    CommandFailure::new(format!("cannot read `{}`: {error}", file.display()))
}

/// Returns whether a path of the command line is a regular file.
pub fn is_file(path: &Path) -> bool {
    let stat = absolute(path).ok().and_then(|path| system().stat(&path));
    stat.is_some_and(|stat| stat.kind == FileKind::File)
}

/// Writes a file for the user alone, whole or not at all.
pub fn write(file: &Path, bytes: &[u8]) -> CommandResult<()> {
    write_with(file, bytes, MODE)
}

/// Writes a file that everybody may read, whole or not at all.
pub fn write_for_all(file: &Path, bytes: &[u8]) -> CommandResult<()> {
    write_with(file, bytes, 0o644)
}

/// Writes a file whole or not at all, unless it has these bytes already. It keeps its permissions; a new one is for the user
/// alone.
pub fn update(file: &Path, bytes: &[u8]) -> CommandResult<()> {
    let (system, path) = (system(), absolute(file)?);
    match system.read(&path, ReadScope::Anywhere, LIMIT) {
        Ok(read) if *read.bytes == bytes => Ok(()),
        // What cannot be read may still be replaced.
        _ => {
            let mode = system.stat(&path).and_then(|stat| stat.mode);
            write_with(file, bytes, mode.map_or(MODE, |mode| mode & 0o777))
        }
    }
}

/// Creates a directory with its parents, if it is missing.
pub fn make_dir(dir: &Path) -> CommandResult<()> {
    system()
        .make_dirs(&absolute(dir)?, 0o755)
        .map_err(|error| CommandFailure::new(format!("cannot create `{}`: {error}", dir.display())))
}

fn write_with(file: &Path, bytes: &[u8], mode: u32) -> CommandResult<()> {
    let path = absolute(file)?;
    if leads_out(&path) {
        let message = format!("cannot write `{}`: a link in it leads out of the project", file.display());
        return Err(
            CommandFailure::new(message).help("name the file that the link leads to, or delete the link")
        );
    }
    system().write(&path, bytes, WriteMode::Replace, mode).map_err(|error| match error {
        WriteError::NoParent => unwritten(file, &error).help("create the directory first (`mkdir -p`)"),
        WriteError::Exists => {
            CommandFailure::new(format!("cannot write `{}`: not a regular file", file.display()))
                .help("name a file")
        }
        _ => unwritten(file, &error),
    })
}

/// Returns the project of a directory: its work tree, unless that has the user's home in it, else the directory.
pub fn project_of(dir: &Path) -> PathBuf {
    let root = project_root(system(), dir);
    let holds_home = env::home_dir().is_some_and(|home| home.starts_with(&root));
    if holds_home { dir.to_owned() } else { root }
}

/// Returns true for a path in the project of the working directory that a link leads out of it. A repository can have such a link
/// under any name.
fn leads_out(path: &Path) -> bool {
    let system = system();
    let Some(here) = system.current_dir() else { return false };
    let root = project_of(&here);
    let (real, real_root) = (resolve_links(system, path), resolve_links(system, &root));
    // A link that leads nowhere would be written through, too.
    let is_dangling = || path.is_symlink() && system.canonical(path).is_err();
    (path.starts_with(&root) || path.starts_with(&real_root))
        && (!real.starts_with(&real_root) || is_dangling())
}

fn unwritten(file: &Path, error: &WriteError) -> CommandFailure {
    CommandFailure::new(format!("cannot write `{}`: {error}", file.display()))
}

/// Makes a path of the command line absolute; links are not resolved.
pub fn absolute(file: &Path) -> CommandResult<PathBuf> {
    if file.is_absolute() {
        return Ok(normal(Path::new("/"), file));
    }
    match system().current_dir() {
        Some(here) => Ok(normal(&here, file)),
        None => Err(CommandFailure::usage("the working directory is gone").help("use absolute paths")),
    }
}
