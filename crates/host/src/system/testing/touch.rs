//! The accesses to the machine, in order, so that laziness and "nothing before trust" can be tested.

use std::path::PathBuf;

/// One question to (or order for) the disk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct AccessRecord {
    /// The method that was called.
    pub verb: AccessKind,
    /// The path as it was requested.
    pub path: PathBuf,
    /// The target, all links resolved as far as possible.
    pub place: PathBuf,
}

/// The methods of [`System`](crate::system::System) that take a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AccessKind {
    /// `read`
    Read,
    /// `stat`
    Stat,
    /// `link_stat`
    LinkStat,
    /// `list`
    List,
    /// `canonical`
    Canonical,
    /// `write`
    Write,
    /// `append`
    Append,
    /// `rename`, with the path that it moves
    Rename,
    /// `make_dir`, and `make_dirs` once for each directory it tries
    MakeDir,
    /// `remove`
    Remove,
    /// `remove_dir`
    RemoveDir,
    /// `lock`
    Lock,
    /// `run`, with the program as its path; see [`MemorySystem::runs`](super::MemorySystem::runs) for the rest
    Run,
}
