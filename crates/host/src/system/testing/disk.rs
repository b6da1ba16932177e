//! A tree of files in memory, with the permissions of a Unix disk (owner and others; groups are left out).

use super::faults::StepCounter;
use crate::system::{
    CreateOutcome, DirEntry, FileId, FileKind, FileRead, NOT_ABSOLUTE, ReadError, ReadScope, Stat,
    WriteError, WriteMode, is_kernel_path,
    resolve::{self, PathEntry, ResolvedPath},
};
use jiff::Timestamp;
use std::{
    collections::BTreeMap,
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
};

const READ: u32 = 4;
const WRITE: u32 = 2;
const SEARCH: u32 = 1;
/// To flush a directory it must be opened, and so be readable.
const FLUSHED: u32 = READ | WRITE | SEARCH;
const MAX_NAME: usize = 255;

/// Everything on the disk, by path without links.
#[derive(Debug)]
pub(super) struct Disk {
    nodes: BTreeMap<OsString, DiskNode>,
    next_inode: u64,
    /// The number of changes so far.
    changes: i64,
    has_hard_links: bool,
    pub(super) has_file_ids: bool,
    pub(super) user: u32,
}

#[derive(Clone, Debug)]
struct DiskNode {
    what: NodeContent,
    device: u64,
    inode: u64,
    mode: u32,
    owner: u32,
    /// The number of the node's last change.
    changed: i64,
    /// The result of every read of it.
    broken: Option<ReadError>,
}

#[derive(Clone, Debug)]
pub(super) enum NodeContent {
    File(Arc<[u8]>),
    Dir,
    Link(PathBuf),
    Special,
}

impl Disk {
    pub(super) fn new(user: u32) -> Self {
        let root = DiskNode {
            what: NodeContent::Dir,
            device: 1,
            inode: 1,
            mode: 0o755,
            owner: user,
            changed: 0,
            broken: None,
        };
        Disk {
            nodes: BTreeMap::from([(OsString::from("/"), root)]),
            next_inode: 2,
            changes: 0,
            has_hard_links: false,
            has_file_ids: true,
            user,
        }
    }

    // ---- for the builder: no permissions, parents come by themselves

    /// Puts something at `path`, in place of what was there. Missing parents are created.
    pub(super) fn put(&mut self, path: &Path, what: NodeContent) {
        let place = self.make_parents(path);
        if matches!(
            (&what, self.nodes.get(place.as_os_str())),
            (NodeContent::Dir, Some(DiskNode { what: NodeContent::Dir, .. }))
        ) {
            return;
        }
        self.cut(&place);
        let mode = match what {
            NodeContent::File(_) | NodeContent::Special => 0o644,
            NodeContent::Dir => 0o755,
            NodeContent::Link(_) => 0o777,
        };
        self.insert(place, what, mode);
    }

    /// Makes `path` a hard link to the file at `existing`.
    pub(super) fn put_hard_link(&mut self, existing: &Path, path: &Path) {
        let changed = self.change();
        let node = self.node(existing).expect("a hard link needs an existing file").clone();
        let place = self.make_parents(path);
        self.has_hard_links = true;
        self.nodes.insert(place.into_os_string(), DiskNode { changed, ..node });
    }

    /// Takes `path` away, with all that is below it.
    pub(super) fn cut(&mut self, path: &Path) {
        self.change();
        self.nodes.retain(|place, _| !Path::new(place).starts_with(path));
    }

    pub(super) fn set_mode(&mut self, path: &Path, mode: u32) {
        self.node_mut(path).mode = mode & 0o7777;
    }

    pub(super) fn set_owner(&mut self, path: &Path, owner: u32) {
        self.node_mut(path).owner = owner;
    }

    pub(super) fn set_device(&mut self, path: &Path, device: u64) {
        self.node_mut(path).device = device;
    }

    pub(super) fn set_broken(&mut self, path: &Path, error: ReadError) {
        self.node_mut(path).broken = Some(error);
    }

    fn make_parents(&mut self, path: &Path) -> PathBuf {
        assert!(path.has_root(), "paths on a MemorySystem are absolute: {}", path.display());
        let name = path.file_name().unwrap_or_else(|| panic!("a path with a name: {}", path.display()));
        let parent = path.parent().unwrap_or(Path::new("/"));
        let lead = self.lead_freely(parent);
        if lead.problem.is_none() {
            return lead.place.join(name);
        }
        let parent = if lead.whole { lead.place } else { parent.to_owned() };
        for place in parent.ancestors().collect::<Vec<_>>().into_iter().rev() {
            if self.lead_freely(place).problem.is_some() {
                self.insert(place.to_owned(), NodeContent::Dir, 0o755);
            }
        }
        self.lead_freely(&parent).place.join(name)
    }

    /// Walks without regard to permissions.
    fn lead_freely(&self, path: &Path) -> ResolvedPath {
        resolve::lead(path, |place| Ok(self.nodes.get(place.as_os_str()).map(entry_of)))
    }

    fn node(&self, path: &Path) -> Option<&DiskNode> {
        self.nodes.get(self.entry_place(path).as_os_str())
    }

    fn node_mut(&mut self, path: &Path) -> &mut DiskNode {
        let changed = self.change();
        let place = self.entry_place(path);
        let node = self
            .nodes
            .get_mut(place.as_os_str())
            .unwrap_or_else(|| panic!("nothing exists at {}", path.display()));
        node.changed = changed;
        node
    }

    /// Counts a change.
    fn change(&mut self) -> i64 {
        self.changes += 1;
        self.changes
    }

    /// Resolves the links in the parents of `path`, not `path` itself.
    fn entry_place(&self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => self.lead_freely(parent).place.join(name),
            _ => self.lead_freely(path).place,
        }
    }

    // ---- the verbs of the System

    /// Follows all links of `path`, with permissions and limits on names.
    pub(super) fn lead(&self, path: &Path) -> ResolvedPath {
        resolve::lead(path, |place| {
            let parent = place.parent().and_then(|parent| self.nodes.get(parent.as_os_str()));
            if parent.is_some_and(|parent| !self.may(parent, SEARCH)) {
                return Err(ReadError::Denied);
            }
            if place.file_name().is_some_and(|name| name.len() > MAX_NAME) {
                return Err(ReadError::Loop);
            }
            Ok(self.nodes.get(place.as_os_str()).map(entry_of))
        })
    }

    fn found(&self, path: &Path) -> Result<(PathBuf, &DiskNode), ReadError> {
        absolute(path)?;
        self.end_of(self.lead(path))
    }

    fn end_of(&self, lead: ResolvedPath) -> Result<(PathBuf, &DiskNode), ReadError> {
        if let Some(problem) = lead.problem {
            return Err(problem);
        }
        let node = self.nodes.get(lead.place.as_os_str()).ok_or(ReadError::Missing)?;
        Ok((lead.place, node))
    }

    pub(super) fn read(&self, path: &Path, within: ReadScope<'_>, limit: u64) -> Result<FileRead, ReadError> {
        absolute(path)?;
        let lead = self.lead(path);
        if let ReadScope::Root(root) = within {
            absolute(root)?;
            let root = self.lead(root).place;
            if !lead.place.starts_with(&root) {
                return Err(ReadError::Outside { target: lead.place });
            }
            if matches!(
                self.nodes.get(root.as_os_str()),
                Some(DiskNode { what: NodeContent::File(_) | NodeContent::Special, .. })
            ) {
                return Err(ReadError::Missing);
            }
        }
        let (place, node) = self.end_of(lead)?;
        if let Some(error) = &node.broken {
            return Err(error.clone());
        }
        if is_kernel_path(&place) {
            return Err(ReadError::Kind(FileKind::Special));
        }
        if !self.may(node, READ) {
            return Err(ReadError::Denied);
        }
        let NodeContent::File(bytes) = &node.what else { return Err(ReadError::Kind(kind(&node.what))) };
        let size = bytes.len() as u64;
        if size > limit {
            return Err(ReadError::TooLarge { size, limit });
        }
        Ok(FileRead { bytes: bytes.to_vec().into(), stat: self.stat_of(node) })
    }

    pub(super) fn stat(&self, path: &Path) -> Option<Stat> {
        self.found(path).ok().map(|(_, node)| self.stat_of(node))
    }

    pub(super) fn link_stat(&self, path: &Path) -> Option<Stat> {
        if path.file_name().is_none() {
            return self.stat(path);
        }
        self.itself(path).map(|node| self.stat_of(node))
    }

    pub(super) fn read_link(&self, path: &Path) -> Option<PathBuf> {
        match &self.itself(path)?.what {
            NodeContent::Link(target) => Some(target.clone()),
            _ => None,
        }
    }

    /// Returns the node at a path, without following a link there.
    fn itself(&self, path: &Path) -> Option<&DiskNode> {
        let (parent, node) = self.found(path.parent()?).ok()?;
        let node =
            self.nodes.get(parent.join(path.file_name()?).as_os_str()).filter(|_| self.may(node, SEARCH))?;
        Some(node)
    }

    pub(super) fn list(&self, dir: &Path, limit: usize) -> Result<Vec<DirEntry>, ReadError> {
        let (place, node) = self.found(dir)?;
        if let Some(error) = &node.broken {
            return Err(error.clone());
        }
        if !matches!(node.what, NodeContent::Dir) {
            return Err(ReadError::Kind(kind(&node.what)));
        }
        if !self.may(node, READ) {
            return Err(ReadError::Denied);
        }
        let mut entries = Vec::new();
        let mut first = place.clone().into_os_string();
        if place.parent().is_some() {
            first.push("/");
        }
        let is_below =
            |path: &Path| path.as_os_str().as_encoded_bytes().starts_with(first.as_encoded_bytes());
        let below = self.nodes.range(first.clone()..).map(|(path, node)| (Path::new(path), node));
        for (path, node) in below.take_while(|(path, _)| is_below(path)) {
            if path.parent() == Some(&place) {
                let name = path.file_name().expect("everything but the root has a name").to_owned();
                entries.push(DirEntry { name, kind: kind(&node.what) });
            }
        }
        if entries.len() > limit {
            return Err(ReadError::TooLarge { size: entries.len() as u64, limit: limit as u64 });
        }
        entries.sort_by(|a, b| a.name.as_encoded_bytes().cmp(b.name.as_encoded_bytes()));
        Ok(entries)
    }

    pub(super) fn canonical(&self, path: &Path) -> Result<PathBuf, ReadError> {
        self.found(path).map(|(place, _)| place)
    }

    /// Writes in the steps of the real thing: create, fill, flush, place, flush the directory.
    pub(super) fn write(
        &mut self,
        path: &Path,
        bytes: &[u8],
        how: WriteMode,
        mode: u32,
        steps: &mut StepCounter,
    ) -> Result<(), WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        let place = self.target(path, how)?;
        let temp = place.with_file_name(format!(".preface-{:016x}.tmp", self.next_inode));
        steps.take()?;
        self.insert(temp.clone(), NodeContent::File(Arc::from([])), 0o600);
        if let Err(error) = self.fill_and_place(&temp, &place, bytes, how, mode, steps) {
            if !steps.crashed {
                self.change();
                self.nodes.remove(temp.as_os_str());
            }
            return Err(error);
        }
        steps.take()
    }

    fn fill_and_place(
        &mut self,
        temp: &Path,
        place: &Path,
        bytes: &[u8],
        how: WriteMode,
        mode: u32,
        steps: &mut StepCounter,
    ) -> Result<(), WriteError> {
        steps.take()?;
        let node = self.nodes.get_mut(temp.as_os_str()).expect("the temporary file was just created");
        node.what = NodeContent::File(bytes.into());
        steps.take()?;
        node.mode = mode & 0o777;
        steps.take()?;
        if how == WriteMode::New && self.nodes.contains_key(place.as_os_str()) {
            return Err(WriteError::Exists);
        }
        let changed = self.change();
        let node = self.nodes.remove(temp.as_os_str()).expect("the temporary file was just written");
        self.nodes.insert(place.as_os_str().to_owned(), DiskNode { changed, ..node });
        Ok(())
    }

    pub(super) fn append(
        &mut self,
        path: &Path,
        bytes: &[u8],
        mode: u32,
        steps: &mut StepCounter,
    ) -> Result<(), WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        let entry = self.new_entry(path)?;
        match self.nodes.get(entry.as_os_str()) {
            Some(node @ DiskNode { what: NodeContent::File(_), .. }) if !self.may(node, WRITE) => {
                return Err(WriteError::Denied);
            }
            Some(DiskNode { what: NodeContent::File(_), .. }) => {}
            Some(_) => return Err(WriteError::Exists),
            None => self.parent_allows(&entry, WRITE | SEARCH)?,
        }
        steps.take()?;
        if !self.nodes.contains_key(entry.as_os_str()) {
            self.insert(entry.clone(), NodeContent::File(Arc::from([])), mode);
        }
        let changed = self.change();
        let node = self.nodes.get_mut(entry.as_os_str()).expect("it was there or was just created");
        node.changed = changed;
        node.mode = mode & 0o777;
        if let NodeContent::File(old) = &node.what {
            node.what = NodeContent::File([old, bytes].concat().into());
        }
        Ok(())
    }

    pub(super) fn rename(
        &mut self,
        from: &Path,
        to: &Path,
        steps: &mut StepCounter,
    ) -> Result<(), WriteError> {
        for path in [from, to] {
            absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        }
        let (from, to) = (self.new_entry(from)?, self.new_entry(to)?);
        if !self.nodes.contains_key(from.as_os_str()) {
            return Err(WriteError::NoParent);
        }
        if self.nodes.contains_key(to.as_os_str()) {
            return Err(WriteError::Exists);
        }
        for place in [&from, &to] {
            self.parent_allows(place, WRITE | SEARCH)?;
        }
        steps.take()?;
        let changed = self.change();
        let moved: Vec<PathBuf> =
            self.nodes.keys().map(PathBuf::from).filter(|place| place.starts_with(&from)).collect();
        for place in moved {
            let node = self.nodes.remove(place.as_os_str()).expect("it was there");
            let below = place.strip_prefix(&from).expect("it lies there");
            // `join` with nothing would add a separator.
            let new = if place == from { to.clone() } else { to.join(below) };
            self.nodes.insert(new.into_os_string(), DiskNode { changed, ..node });
        }
        Ok(())
    }

    /// Finds where a write ends up, and whether it may.
    fn target(&self, path: &Path, how: WriteMode) -> Result<PathBuf, WriteError> {
        let entry = self.new_entry(path)?;
        let place = match self.nodes.get(entry.as_os_str()) {
            None => return self.parent_allows(&entry, FLUSHED).map(|()| entry),
            Some(_) if how == WriteMode::New => return Err(WriteError::Exists),
            Some(DiskNode { what: NodeContent::Link(_), .. }) => {
                let lead = self.lead(&entry);
                match lead.problem {
                    None => {}
                    Some(ReadError::Missing | ReadError::Dangling) if lead.whole => {}
                    Some(problem) => return Err(cannot_write(problem)),
                }
                lead.place
            }
            Some(_) => entry,
        };
        match self.nodes.get(place.as_os_str()).map(|node| &node.what) {
            None | Some(NodeContent::File(_)) => self.parent_allows(&place, FLUSHED).map(|()| place),
            Some(_) => Err(WriteError::Exists),
        }
    }

    /// The place of `path` in its (existing) parent.
    fn new_entry(&self, path: &Path) -> Result<PathBuf, WriteError> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(WriteError::Exists);
        };
        let (place, node) = self.found(parent).map_err(cannot_write)?;
        if !matches!(node.what, NodeContent::Dir) {
            return Err(WriteError::NoParent);
        }
        if !self.may(node, SEARCH) {
            return Err(WriteError::Denied);
        }
        if name.len() > MAX_NAME {
            return Err(cannot_write(ReadError::Loop));
        }
        Ok(place.join(name))
    }

    fn parent_allows(&self, place: &Path, wish: u32) -> Result<(), WriteError> {
        let parent = place
            .parent()
            .and_then(|parent| self.nodes.get(parent.as_os_str()))
            .ok_or(WriteError::NoParent)?;
        if self.may(parent, wish) { Ok(()) } else { Err(WriteError::Denied) }
    }

    pub(super) fn make_dir(
        &mut self,
        path: &Path,
        mode: u32,
        steps: &mut StepCounter,
    ) -> Result<CreateOutcome, WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        if path.file_name().is_none() {
            return if self.found(path).is_ok() {
                Ok(CreateOutcome::Existed)
            } else {
                Err(WriteError::NoParent)
            };
        }
        let entry = self.new_entry(path)?;
        if self.nodes.contains_key(entry.as_os_str()) {
            let stat = self.stat(path);
            return if stat.is_some_and(|stat| stat.kind == FileKind::Dir) {
                Ok(CreateOutcome::Existed)
            } else {
                Err(WriteError::Exists)
            };
        }
        self.parent_allows(&entry, WRITE | SEARCH)?;
        steps.take()?;
        self.insert(entry, NodeContent::Dir, mode & 0o777);
        Ok(CreateOutcome::New)
    }

    pub(super) fn remove(&mut self, path: &Path, steps: &mut StepCounter) -> Result<(), WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        let entry = match self.new_entry(path) {
            Ok(entry) => entry,
            Err(WriteError::NoParent) => return Ok(()),
            Err(WriteError::Exists) => return Err(is_a_directory()),
            Err(error) => return Err(error),
        };
        match self.nodes.get(entry.as_os_str()).map(|node| &node.what) {
            None => return Ok(()),
            Some(NodeContent::Dir) => return Err(is_a_directory()),
            Some(_) => {}
        }
        self.parent_allows(&entry, WRITE | SEARCH)?;
        steps.take()?;
        self.change();
        self.nodes.remove(entry.as_os_str());
        Ok(())
    }

    pub(super) fn remove_dir(&mut self, path: &Path, steps: &mut StepCounter) -> Result<(), WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        let entry = match self.new_entry(path) {
            Ok(entry) => entry,
            Err(WriteError::NoParent) => return Ok(()),
            Err(error) => return Err(error),
        };
        match self.nodes.get(entry.as_os_str()).map(|node| &node.what) {
            None => return Ok(()),
            Some(NodeContent::Dir) => {}
            // The error of the system for a path that goes through a file.
            Some(_) => return Err(WriteError::NoParent),
        }
        if self.nodes.keys().any(|other| Path::new(other).parent() == Some(entry.as_path())) {
            return Err(WriteError::Other("the directory is not empty".into()));
        }
        self.parent_allows(&entry, WRITE | SEARCH)?;
        steps.take()?;
        self.change();
        self.nodes.remove(entry.as_os_str());
        Ok(())
    }

    /// Finds or creates a lock file.
    pub(super) fn lock_file(&mut self, path: &Path) -> Result<PathBuf, WriteError> {
        absolute(path).map_err(|error| WriteError::Other(error.to_string()))?;
        let entry = self.new_entry(path)?;
        match self.nodes.get(entry.as_os_str()) {
            Some(node @ DiskNode { what: NodeContent::File(_), .. }) if !self.may(node, READ | WRITE) => {
                return Err(WriteError::Denied);
            }
            Some(DiskNode { what: NodeContent::File(_), .. }) => {}
            Some(_) => return Err(WriteError::Exists),
            None => {
                self.parent_allows(&entry, WRITE | SEARCH)?;
                self.insert(entry.clone(), NodeContent::File(Arc::from([])), 0o600);
            }
        }
        Ok(entry)
    }

    fn insert(&mut self, place: PathBuf, what: NodeContent, mode: u32) {
        let changed = self.change();
        let (inode, owner) = (self.next_inode, self.user);
        let node = DiskNode { what, device: 1, inode, mode, owner, changed, broken: None };
        self.next_inode += 1;
        self.nodes.insert(place.into_os_string(), node);
    }

    fn stat_of(&self, node: &DiskNode) -> Stat {
        let len = match &node.what {
            NodeContent::File(bytes) => bytes.len() as u64,
            NodeContent::Link(target) => target.as_os_str().len() as u64,
            NodeContent::Dir | NodeContent::Special => 0,
        };
        // A directory may have changed with anything that did. Each change has an instant of its own, long ago.
        let change = if matches!(node.what, NodeContent::Dir) { self.changes } else { node.changed };
        let id = self.has_file_ids.then_some(FileId { device: node.device, inode: node.inode });
        let (mode, owner) = (Some(node.mode), Some(node.owner));
        let links = match self.has_hard_links {
            true => self.nodes.values().filter(|other| other.inode == node.inode).count() as u64,
            false => 1,
        };
        let links = Some(links);
        let changed = Timestamp::from_millisecond(change).ok();
        Stat { kind: kind(&node.what), len, id, mode, owner, links, changed }
    }

    fn may(&self, node: &DiskNode, wish: u32) -> bool {
        let granted = if node.owner == self.user { node.mode >> 6 } else { node.mode };
        self.user == 0 || granted & wish == wish
    }
}

fn absolute(path: &Path) -> Result<(), ReadError> {
    if path.has_root() { Ok(()) } else { Err(ReadError::Other(NOT_ABSOLUTE.into())) }
}

fn entry_of(node: &DiskNode) -> PathEntry {
    match &node.what {
        NodeContent::Dir => PathEntry::Dir,
        NodeContent::Link(target) => PathEntry::Link(target.clone()),
        NodeContent::File(_) | NodeContent::Special => PathEntry::Other,
    }
}

fn kind(what: &NodeContent) -> FileKind {
    match what {
        NodeContent::File(_) => FileKind::File,
        NodeContent::Dir => FileKind::Dir,
        NodeContent::Link(_) => FileKind::Link,
        NodeContent::Special => FileKind::Special,
    }
}

fn cannot_write(error: ReadError) -> WriteError {
    match error {
        ReadError::Missing | ReadError::Dangling => WriteError::NoParent,
        ReadError::Denied => WriteError::Denied,
        other => WriteError::Other(other.to_string()),
    }
}

fn is_a_directory() -> WriteError {
    WriteError::Other("a directory, not a file".into())
}
