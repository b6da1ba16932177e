//! Opens files for reading, wherever they are or only inside a root.
//!
//! Inside a root the kernel does the whole check in one call (`openat2` with `RESOLVE_BENEATH`, Linux). It refuses
//! more than we mean to: an absolute link that stays inside, for one. What it refuses is resolved by hand, compared,
//! and then opened one component at a time without following any link: whoever swaps a link in between gets an
//! error, never a file from outside.

use super::{error::read_error, stat};
use crate::system::{ReadError, resolve::ResolvedPath};
use rustix::{
    fd::OwnedFd,
    fs::{Mode, OFlags},
    io::Errno,
};
use std::{fs::File, path::Path};

/// `NONBLOCK`: a pipe without a writer, or a line without a modem, must not hold us.
const READ: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// The most attempts to resolve a path that changes meanwhile.
const TRIES: usize = 8;

pub(super) fn anywhere(path: &Path) -> Result<File, ReadError> {
    match rustix::fs::open(path, READ, Mode::empty()) {
        Ok(file) => Ok(file.into()),
        Err(error) => Err(read_error(path, &error.into())),
    }
}

pub(super) fn within(path: &Path, root: &Path) -> Result<File, ReadError> {
    match beneath(path, root) {
        Some(answer) => answer,
        None => step_by_step(path, root),
    }
}

/// Lets the kernel open `path` beneath `root`. Returns `None` if the kernel does not support it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn beneath(path: &Path, root: &Path) -> Option<Result<File, ReadError>> {
    use rustix::fs::ResolveFlags;
    let below = match path.file_name().filter(|_| path.parent() == Some(root)) {
        Some(name) => Path::new(name),
        None => path.strip_prefix(root).ok().filter(|below| !below.as_os_str().is_empty())?,
    };
    let root = rustix::fs::open(root, STEP, Mode::empty()).ok()?;
    let resolve = ResolveFlags::BENEATH.union(ResolveFlags::NO_MAGICLINKS);
    match rustix::fs::openat2(&root, below, READ, Mode::empty(), resolve) {
        Ok(file) => Some(Ok(file.into())),
        // The walk ended inside, whatever it met there.
        Err(error @ (Errno::NOENT | Errno::NOTDIR | Errno::ACCESS | Errno::NXIO | Errno::NODEV)) => {
            Some(Err(read_error(path, &error.into())))
        }
        // It left the root, met too many links, lost a race, or is too old for this call.
        Err(_) => None,
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn beneath(_path: &Path, _root: &Path) -> Option<Result<File, ReadError>> {
    None
}

/// Resolves, compares, and opens what was compared.
fn step_by_step(path: &Path, root: &Path) -> Result<File, ReadError> {
    for _ in 0..TRIES {
        let ResolvedPath { place: target, problem, .. } = stat::lead(path);
        let root = stat::lead(root).place;
        let Ok(below) = target.strip_prefix(&root) else { return Err(ReadError::Outside { target }) };
        if let Some(problem) = problem {
            return Err(problem);
        }
        if !root.is_dir() {
            return Err(ReadError::Missing);
        }
        match open_without_links(&root, below) {
            Ok(file) => return Ok(file.into()),
            // The path has no links and was there: somebody is changing it.
            // (FreeBSD returns `EMLINK` where others return `ELOOP`.)
            Err(Errno::LOOP | Errno::MLINK | Errno::NOENT | Errno::NOTDIR) => {}
            Err(error) => return Err(read_error(&target, &error.into())),
        }
    }
    Err(ReadError::Other("it changed while it was being opened".into()))
}

/// Opens `below`, a path of plain names, one name at a time.
fn open_without_links(root: &Path, below: &Path) -> Result<OwnedFd, Errno> {
    let mut dir = rustix::fs::open(root, STEP, Mode::empty())?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        let flags = if names.peek().is_some() { STEP } else { READ };
        dir = rustix::fs::openat(&dir, name, flags.union(OFlags::NOFOLLOW), Mode::empty())?;
    }
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::symlink};

    /// The kernel's answer, where it has one, is the answer of the long way.
    #[test]
    fn both_ways_agree() {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let top = dir.path().canonicalize().expect("it resolves");
        let root = top.join("root");
        fs::create_dir_all(root.join("a/b")).expect("directories");
        fs::write(root.join("a/f"), "text").expect("a file");
        fs::write(top.join("out"), "out").expect("a file");
        let links = [
            ("rel", "a/f"),
            ("abs", root.join("a/f").to_str().expect("UTF-8")),
            ("up", "a/b/../f"),
            ("dir", "a"),
            ("escape", "../out"),
            ("nowhere", "none"),
            ("through", "a/f/x"),
            ("self", "self"),
        ]
        .map(|(name, target)| symlink(target, root.join(name)).map(|()| name).expect("a link"));
        let others = [
            "a/f",
            "a",
            "none",
            "a/none",
            "a/f/x",
            "dir/f",
            "dir/../a/f",
            "a/b/../f",
            "../out",
            "../root/a/f",
            "dir/up",
        ];
        for name in links.into_iter().chain(others) {
            let long = answer(step_by_step(&root.join(name), &root));
            let short = beneath(&root.join(name), &root).map(answer);
            assert!(short.is_none() || short.as_ref() == Some(&long), "{name}: {short:?}, {long:?}");
        }
        #[cfg(target_os = "linux")]
        if beneath(&root.join("a/f"), &root).is_some() {
            for name in ["a/f", "rel", "up", "dir/f", "none", "nowhere"] {
                assert!(beneath(&root.join(name), &root).is_some(), "the short way is taken: {name}");
            }
        }
    }

    fn answer(file: Result<File, ReadError>) -> Result<Vec<u8>, ReadError> {
        crate::system::os::read::read_bounded(&file?, 99).map(|read| read.into_bytes())
    }
}
