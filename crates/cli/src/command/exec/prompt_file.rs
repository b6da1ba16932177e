//! The files of prompts that `preface exec` passes to agents, in the state directory.
//!
//! An agent may read its file at any time. So the file is locked while the agent runs: the lock belongs to the open file, which the process keeps
//! when it becomes the agent. A file that is older than a week and not locked is deleted at the next start.

use crate::{CommandFailure, CommandResult, ui::one_line};
use preface_engine::{
    OsSystem,
    host::system::{FileKind, ReadScope, System, WriteMode},
};
use std::{
    fs::{self, File},
    io,
    path::Path,
    time::{Duration, SystemTime},
};

/// A prompt is for the user alone.
const FILE_MODE: u32 = 0o600;
const DIR_MODE: u32 = 0o700;
/// The age from which a file without a running agent is deleted.
const OLD: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// The length of a name: a digest and `.md`.
const NAME_LENGTH: usize = 64 + 3;

/// Refuses a directory of prompts that is a link or a file: nothing is deleted or written where it leads.
pub fn check(system: &OsSystem, dir: &Path) -> CommandResult<()> {
    match system.link_stat(dir) {
        Some(stat) if stat.kind != FileKind::Dir => {
            let dir = one_line(&dir.display().to_string());
            Err(CommandFailure::new(format!("`{dir}` is not a directory"))
                .help("remove it; a directory is made in its place"))
        }
        _ => Ok(()),
    }
}

/// Writes the file of the prompt, unless it is there.
pub fn write(system: &OsSystem, file: &Path, text: &str) -> CommandResult<()> {
    let is_there = |read: &[u8]| read == text.as_bytes();
    let limit = text.len() as u64;
    if system.read(file, ReadScope::Anywhere, limit).is_ok_and(|read| is_there(&read.bytes)) {
        return Ok(());
    }
    let failed = |error| {
        CommandFailure::new(format!("cannot write `{}`: {error}", one_line(&file.display().to_string())))
    };
    if let Some(dir) = file.parent() {
        system.make_dirs(dir, DIR_MODE).map_err(failed)?;
    }
    system.write(file, text.as_bytes(), WriteMode::Replace, FILE_MODE).map_err(failed)
}

/// Locks the file until the agent ends. Where that is not possible, the file is kept for a week.
pub fn hold(file: &Path) -> Option<File> {
    let held = File::open(file).ok()?;
    held.try_lock_shared().ok()?;
    rustix::io::fcntl_setfd(&held, rustix::io::FdFlags::empty()).ok()?;
    Some(held)
}

/// Deletes the old files of a directory that no running agent has. What cannot be deleted stays.
pub fn delete_old(dir: &Path) {
    let now = SystemTime::now();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let is_prompt = name.len() == NAME_LENGTH
            && Path::new(&name).extension().is_some_and(|extension| extension == "md");
        if is_prompt && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            _ = delete_if_old(&entry.path(), now);
        }
    }
}

fn delete_if_old(file: &Path, now: SystemTime) -> io::Result<()> {
    let open = File::open(file)?;
    let age = now.duration_since(open.metadata()?.modified()?).unwrap_or_default();
    if age >= OLD && open.try_lock().is_ok() {
        fs::remove_file(file)?;
    }
    Ok(())
}
