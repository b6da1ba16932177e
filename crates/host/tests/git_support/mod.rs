//! What the git tests share: a clean room, a disk behind the `System` door, and the real git as the oracle.

#![allow(dead_code, reason = "each test file uses a part of it")]

use jiff::{Timestamp, tz::TimeZone};
use preface_host::system::{
    DirEntry, FileId, FileKind, FileRead, GitTrouble, Made, ReadError, Stat, System, Within, Write,
    WriteError,
};
use std::{
    borrow::Cow,
    ffi::{OsStr, OsString},
    fs,
    io::{ErrorKind, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

/// Runs a test again in a process of its own, whose environment holds no configuration of the machine's user.
///
/// The library looks for the user's configuration where the environment says; so does git. Returns true in that
/// process, where the test goes on, and false in the first one, when the other has succeeded.
pub fn in_clean_room(test: &str) -> bool {
    const MARK: &str = "PREFACE_GIT_CLEAN_ROOM";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let home = tempfile::tempdir().expect("a temporary home");
    let mut command = Command::new(std::env::current_exe().expect("the test binary"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(MARK, "1");
    clean(&mut command, home.path());
    let status = command.status().expect("the test binary starts");
    assert!(status.success(), "`{test}` failed in its clean room");
    false
}

fn clean(command: &mut Command, home: &Path) {
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") || name.as_encoded_bytes().starts_with(b"XDG_") {
            command.env_remove(name);
        }
    }
    command
        .env("HOME", home)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "A U Thor")
        .env("GIT_AUTHOR_EMAIL", "author@example.com")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_NAME", "C O Mitter")
        .env("GIT_COMMITTER_EMAIL", "committer@example.com")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
}

/// Runs git in `dir` with the environment of the clean room.
pub fn git_output<I: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = I>) -> Output {
    Command::new("git")
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "advice.detachedHead=false",
        ])
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .expect("git starts")
}

/// Runs git and insists that it succeeds.
pub fn git<I: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = I>) -> String {
    let output = git_output(dir, args);
    assert!(
        output.status.success(),
        "git failed in {}: {}{}",
        dir.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("git prints UTF-8")
}

/// Runs `git` with blank-separated words.
pub fn run(dir: &Path, words: &str) -> String {
    git(dir, words.split(' '))
}

/// Writes a file and its directories.
pub fn put(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    fs::write(path, content).expect("a file");
}

/// The disk behind the door, for reading.
#[derive(Debug)]
pub struct Disk;

impl System for Disk {
    fn read(&self, path: &Path, _within: Within<'_>, limit: u64) -> Result<FileRead, ReadError> {
        let mut file = fs::File::open(path).map_err(|error| read_error(&error))?;
        let stat = stat_of(&file.metadata().map_err(|error| read_error(&error))?);
        if stat.kind != FileKind::File {
            return Err(ReadError::Kind(stat.kind));
        }
        if stat.len > limit {
            return Err(ReadError::TooLarge { size: stat.len, limit });
        }
        let mut bytes = Vec::with_capacity(stat.len as usize + 1);
        file.read_to_end(&mut bytes).map_err(|error| read_error(&error))?;
        Ok(FileRead { bytes, stat })
    }

    fn stat(&self, path: &Path) -> Option<Stat> {
        fs::metadata(path).ok().map(|metadata| stat_of(&metadata))
    }

    fn link_stat(&self, path: &Path) -> Option<Stat> {
        fs::symlink_metadata(path).ok().map(|metadata| stat_of(&metadata))
    }

    fn list(&self, _dir: &Path, _limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        Err(nothing())
    }

    fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        fs::canonicalize(path).map_err(|error| read_error(&error))
    }

    fn write(&self, _path: &Path, _bytes: &[u8], _how: Write, _mode: u32) -> Result<(), WriteError> {
        Err(WriteError::Denied)
    }

    fn make_dir(&self, _path: &Path, _mode: u32) -> Result<Made, WriteError> {
        Err(WriteError::Denied)
    }

    fn make_dirs(&self, _path: &Path, _mode: u32) -> Result<(), WriteError> {
        Err(WriteError::Denied)
    }

    fn remove(&self, _path: &Path) -> Result<(), WriteError> {
        Err(WriteError::Denied)
    }

    fn lock(&self, _path: &Path) -> Result<Box<dyn Send>, WriteError> {
        Err(WriteError::Denied)
    }

    fn bundled(&self, _path: &str) -> Option<Cow<'static, [u8]>> {
        None
    }

    fn bundled_list(&self, _prefix: &str) -> Vec<String> {
        Vec::new()
    }

    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn time_zone(&self) -> TimeZone {
        TimeZone::UTC
    }

    fn zone(&self, _: &str) -> Option<TimeZone> {
        None
    }

    fn var(&self, _name: &str) -> Option<OsString> {
        None
    }

    fn current_dir(&self) -> Option<PathBuf> {
        None
    }

    fn home(&self) -> Option<PathBuf> {
        None
    }

    fn os(&self) -> &str {
        "linux"
    }

    fn hostname(&self) -> Option<String> {
        None
    }

    fn user_id(&self) -> Option<u32> {
        None
    }

    fn git_status(&self, _dir: &Path) -> Result<String, GitTrouble> {
        Err(GitTrouble::NoRepository)
    }
}

fn nothing() -> ReadError {
    ReadError::Other("this disk only reads files".into())
}

fn read_error(error: &std::io::Error) -> ReadError {
    match error.kind() {
        ErrorKind::NotFound => ReadError::Missing,
        ErrorKind::PermissionDenied => ReadError::Denied,
        _ => ReadError::Other(error.to_string()),
    }
}

fn stat_of(metadata: &fs::Metadata) -> Stat {
    let kind = match metadata.file_type() {
        kind if kind.is_file() => FileKind::File,
        kind if kind.is_dir() => FileKind::Dir,
        kind if kind.is_symlink() => FileKind::Link,
        _ => FileKind::Special,
    };
    Stat {
        kind,
        len: metadata.len(),
        id: Some(FileId { device: metadata.dev(), inode: metadata.ino() }),
        mode: Some(metadata.mode() & 0o7777),
        owner: Some(metadata.uid()),
    }
}
