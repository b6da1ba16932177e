//! Checks each file of a repository before the library opens it.
//!
//! The library opens files by name and reads them whole: a device has no end, a pipe blocks until somebody writes, and a
//! link leads to either of them, or to a network. So nothing but regular files of bounded size is left for it, and no link:
//! only the link itself is looked at, never its target. A file that another process replaces between this check and the
//! library's own opening is not covered.

use super::{INDEX_LIMIT, index, open::CONFIGURATION_LIMIT, patterns::PATTERNS_LIMIT};
use crate::{
    provider::git::{Repository, is_ref_name, no_ref, shown_path, starts_with_id, unreadable},
    system::{FileKind, GitError, ReadError, ReadScope, Stat, System as _, os::OsSystem},
};
use gix::bstr::ByteSlice as _;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
};

/// The largest `HEAD`, ref and `commondir`, in bytes.
const SMALL: u64 = 64 * 1024;
/// The largest list of refs or commits, in bytes.
const LIST_LIMIT: u64 = 28 * 1024 * 1024;
/// The most loose objects, packs and refs of a repository.
const ENTRY_LIMIT: usize = 1_000_000;
/// The most object directories that a repository may borrow from.
const ALTERNATES_LIMIT: usize = 16;
/// The most symbolic refs in a chain; git's own limit.
const HOPS: usize = 5;

/// Memory that the paths of an index or a tree may take, in bytes: about 700,000 files.
pub(super) const PATHS_LIMIT: usize = 96 * 1024 * 1024;
/// Memory that an entry takes beside its path.
pub(super) const ENTRY_SIZE: usize = 96;

/// Files of one work tree's git directory.
const OWN: [(&str, u64); 6] = [
    ("HEAD", SMALL),
    ("commondir", SMALL),
    ("gitdir", SMALL),
    ("config.worktree", CONFIGURATION_LIMIT),
    ("info/sparse-checkout", PATTERNS_LIMIT),
    ("index", INDEX_LIMIT),
];

/// Files that all work trees share.
const SHARED: [(&str, u64); 6] = [
    ("config", CONFIGURATION_LIMIT),
    ("packed-refs", LIST_LIMIT),
    ("shallow", LIST_LIMIT),
    ("info/exclude", PATTERNS_LIMIT),
    ("info/attributes", PATTERNS_LIMIT),
    ("info/grafts", LIST_LIMIT),
];

/// Checks the git directory of a repository.
pub(super) fn git_dir(found: &Repository, interrupt: &AtomicBool) -> Result<(), GitError> {
    let (own, shared) = (&found.git_dir, &found.common_dir);
    let mut check = Check { found, left: ENTRY_LIMIT, interrupt };
    for (dir, files) in [(own, OWN), (shared, SHARED)] {
        check.dir(&dir.join("info"))?;
        for (name, limit) in files {
            check.file(&dir.join(name), limit)?;
        }
    }
    for (path, _) in check.list(own)? {
        if path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"sharedindex.")) {
            check.file(&path, INDEX_LIMIT)?;
            index::check(&read(&path, INDEX_LIMIT)?, interrupt)?;
        }
    }
    check.refs(&own.join("refs"))?;
    if shared != own {
        check.refs(&shared.join("refs"))?;
    }
    head(own, shared)?;
    index::check(&read(&own.join("index"), INDEX_LIMIT)?, interrupt)?;
    check.objects(shared.join("objects"))
}

/// Fails once the deadline has passed.
pub(super) fn check_interrupt(interrupt: &AtomicBool) -> Result<(), GitError> {
    if interrupt.load(Ordering::Relaxed) {
        return Err(GitError::Broken("interrupted".into()));
    }
    Ok(())
}

struct Check<'a> {
    found: &'a Repository,
    /// The number of entries that may still be listed.
    left: usize,
    interrupt: &'a AtomicBool,
}

impl Check<'_> {
    /// Refuses what the library would not get done with, links, and a hard link where such are refused. A directory is
    /// let pass: reading it fails at once.
    fn file(&self, path: &Path, limit: u64) -> Result<(), GitError> {
        let Some(stat) = self.stat(path)? else { return Ok(()) };
        regular(path, &stat, limit)?;
        self.found.hard_links.check(&stat).map_err(|error| unreadable(path, error))
    }

    /// Refuses a link to a directory. Anything else is no directory to the library.
    fn dir(&self, path: &Path) -> Result<(), GitError> {
        self.stat(path).map(|_| ())
    }

    /// Returns what lies at a path, unless that is a link.
    fn stat(&self, path: &Path) -> Result<Option<Stat>, GitError> {
        match OsSystem::new(&[]).link_stat(path) {
            Some(stat) if stat.kind == FileKind::Link => {
                Err(GitError::Unsupported(format!("`{}` is a symbolic link", shown_path(path))))
            }
            stat => Ok(stat),
        }
    }

    /// Checks each file below a directory of refs.
    fn refs(&mut self, dir: &Path) -> Result<(), GitError> {
        let mut left = vec![dir.to_owned()];
        while let Some(dir) = left.pop() {
            self.dir(&dir)?;
            for (path, kind) in self.list(&dir)? {
                if kind.is_dir() {
                    left.push(path);
                } else {
                    self.file(&path, SMALL)?;
                }
            }
        }
        Ok(())
    }

    /// Checks a directory of objects, and those that it borrows from. Objects may be hard links: `git clone` makes them.
    fn objects(&mut self, dir: PathBuf) -> Result<(), GitError> {
        let first = dir.clone();
        let (mut seen, mut left, mut named) = (Vec::new(), vec![dir], 0);
        while let Some(dir) = left.pop() {
            let kind = self.found.stat(&OsSystem::new(&[]), &dir).map_err(|_| {
                let what = "`objects/info/alternates` names what only a link or another file system leads to";
                GitError::Unsupported(what.into())
            })?;
            if kind.is_none_or(|stat| stat.kind != FileKind::Dir) || seen.contains(&dir) {
                continue;
            }
            for (path, kind) in self.list(&dir)? {
                let name = path.file_name().unwrap_or_default().as_encoded_bytes();
                if name != b"pack" && (name.len() != 2 || kind.is_file()) {
                    continue;
                }
                self.dir(&path)?;
                for (path, kind) in self.list(&path)? {
                    // The kind is known from the listing; only what is no file needs another look.
                    if !kind.is_file() {
                        self.file(&path, u64::MAX)?;
                    }
                }
            }
            self.dir(&dir.join("info"))?;
            let alternates = dir.join("info/alternates");
            self.file(&alternates, CONFIGURATION_LIMIT)?;
            for line in read(&alternates, CONFIGURATION_LIMIT)?.lines() {
                if line.starts_with(b"\"") {
                    return Err(GitError::Unsupported("a quoted path in `objects/info/alternates`".into()));
                }
                if line.is_empty() || line.starts_with(b"#") {
                    continue;
                }
                named += 1;
                if named > ALTERNATES_LIMIT {
                    let what = format!("objects in more than {ALTERNATES_LIMIT} other directories");
                    return Err(GitError::Unsupported(what));
                }
                let path = self.found.named_path(&first, line).ok_or_else(|| {
                    let what = "`objects/info/alternates` names a directory outside of the work tree";
                    GitError::Unsupported(what.into())
                })?;
                left.push(path);
            }
            seen.push(dir);
        }
        Ok(())
    }

    /// Lists a directory; none if there is none.
    fn list(&mut self, dir: &Path) -> Result<Vec<(PathBuf, fs::FileType)>, GitError> {
        check_interrupt(self.interrupt)?;
        let mut found = Vec::new();
        let Ok(entries) = fs::read_dir(dir) else { return Ok(found) };
        for entry in entries.flatten() {
            let Some(left) = self.left.checked_sub(1) else {
                let what = format!("more than {ENTRY_LIMIT} loose objects and refs");
                return Err(GitError::Unsupported(what));
            };
            self.left = left;
            if let Ok(kind) = entry.file_type() {
                found.push((entry.path(), kind));
            }
        }
        Ok(found)
    }
}

/// Follows `HEAD` from ref to ref, so that the library opens none outside of `refs`, where each was checked, and none that
/// is no ref.
fn head(own: &Path, shared: &Path) -> Result<(), GitError> {
    let mut path = own.join("HEAD");
    for _ in 0..=HOPS {
        let content = read(&path, SMALL)?;
        let Some(name) = content.strip_prefix(b"ref:").map(|name| name.trim_ascii()) else {
            return if content.is_empty() || starts_with_id(&content) { Ok(()) } else { Err(no_ref(&path)) };
        };
        if !is_ref_name(name) || !name.starts_with(b"refs/") {
            return Err(no_ref(&path));
        }
        let is_own =
            ["refs/bisect/", "refs/worktree/", "refs/rewritten/"].iter().any(|dir| name.starts_with_str(dir));
        let Ok(name) = gix::path::from_bstr(name.as_bstr()) else { return Err(no_ref(&path)) };
        path = if is_own { own.join(name) } else { shared.join(name) };
    }
    Err(GitError::Broken(format!("`{}` leads from ref to ref", shown_path(&own.join("HEAD")))))
}

/// Reads a file that was checked; nothing if there is none.
fn read(path: &Path, limit: u64) -> Result<Vec<u8>, GitError> {
    let within = path.parent().map_or(ReadScope::Anywhere, ReadScope::Root);
    match OsSystem::new(&[]).read(path, within, limit) {
        Ok(file) => Ok(file.into_bytes()),
        Err(ReadError::Missing | ReadError::Dangling | ReadError::Kind(FileKind::Dir)) => Ok(Vec::new()),
        Err(error) => Err(unreadable(path, error)),
    }
}

fn regular(path: &Path, stat: &Stat, limit: u64) -> Result<(), GitError> {
    match stat.kind {
        FileKind::File if stat.len > limit => {
            let error = ReadError::TooLarge { size: stat.len, limit };
            Err(GitError::Unsupported(format!("`{}`: {error}", shown_path(path))))
        }
        FileKind::File | FileKind::Dir => Ok(()),
        kind => Err(unreadable(path, ReadError::Kind(kind))),
    }
}
