//! A tree of files to build a prompt in, as a value: it can be written to a disk or put into memory.

use crate::MemorySystem;
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// Stands for the directory that a workspace is written to, in texts and in link targets.
const ROOT: &str = "@ROOT@";

/// An entry at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceNode {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A link to this target.
    Link(String),
    /// A directory.
    Dir,
}

/// A tree with a working directory, a home directory and the tools that are active. Paths are relative to its root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Workspace {
    /// The name: a directory of the root that it is written to.
    pub name: String,
    /// The working directory.
    pub cwd: String,
    /// The home directory.
    pub home: String,
    /// The active tools; `None` leaves the default ones.
    pub tools: Option<Vec<String>>,
    nodes: BTreeMap<String, WorkspaceNode>,
}

impl Workspace {
    /// Starts a tree with the two directories. `cwd` may lead through a link that is put later.
    #[must_use]
    pub fn new(name: impl Into<String>, cwd: &str) -> Self {
        let mut workspace = Workspace {
            name: name.into(),
            cwd: cwd.to_owned(),
            home: "home".to_owned(),
            tools: None,
            nodes: BTreeMap::new(),
        };
        workspace.put("home", WorkspaceNode::Dir);
        workspace
    }

    /// Puts something at a free path, and the directories above it. False where something is there, or where a file
    /// or a link is above it.
    pub fn put(&mut self, path: &str, node: WorkspaceNode) -> bool {
        let above = |at: usize| &path[..at];
        let parents: Vec<&str> = path.match_indices('/').map(|(at, _)| above(at)).collect();
        let blocked = |parent: &&str| self.nodes.get(*parent).is_some_and(|node| *node != WorkspaceNode::Dir);
        if self.nodes.contains_key(path) || parents.iter().any(blocked) {
            return false;
        }
        for parent in parents {
            self.nodes.insert(parent.to_owned(), WorkspaceNode::Dir);
        }
        self.nodes.insert(path.to_owned(), node);
        true
    }

    /// Puts a file.
    pub fn file(&mut self, path: &str, bytes: impl AsRef<[u8]>) -> bool {
        self.put(path, WorkspaceNode::File(bytes.as_ref().to_vec()))
    }

    /// Returns everything that is somewhere, by path.
    pub fn nodes(&self) -> impl Iterator<Item = (&str, &WorkspaceNode)> {
        self.nodes.iter().map(|(path, node)| (path.as_str(), node))
    }

    /// Returns the same tree without these paths and what is below them.
    #[must_use]
    pub fn without(&self, paths: &[String]) -> Workspace {
        let mut copy = self.clone();
        copy.nodes.retain(|path, _| {
            let below =
                |gone: &String| path.strip_prefix(gone.as_str()).is_some_and(|rest| rest.starts_with('/'));
            !paths.iter().any(|gone| gone == path || below(gone))
        });
        copy
    }

    /// Returns where the working directory is, once the tree is below `root`.
    #[must_use]
    pub fn cwd_in(&self, root: &Path) -> PathBuf {
        root.join(&self.name).join(&self.cwd)
    }

    /// Returns where the home directory is, once the tree is below `root`.
    #[must_use]
    pub fn home_in(&self, root: &Path) -> PathBuf {
        root.join(&self.name).join(&self.home)
    }

    /// Writes the tree below `root`, which is absolute.
    ///
    /// # Errors
    /// The error of the system, and links if there are none.
    pub fn write(&self, root: &Path) -> io::Result<()> {
        let base = root.join(&self.name);
        fs::create_dir_all(&base)?;
        for (path, node) in &self.nodes {
            let at = base.join(path);
            match node {
                WorkspaceNode::Dir => fs::create_dir_all(at)?,
                WorkspaceNode::File(bytes) => fs::write(at, replace_root(bytes, &base))?,
                WorkspaceNode::Link(target) => link(&target.replace(ROOT, &base.to_string_lossy()), &at)?,
            }
        }
        Ok(())
    }

    /// Puts the tree into a machine in memory, below `root`, with its home directory.
    #[must_use]
    pub fn in_memory(&self, root: &Path, system: MemorySystem) -> MemorySystem {
        let base = root.join(&self.name);
        let system = system.with_dir(&base).with_home(self.home_in(root));
        self.nodes.iter().fold(system, |system, (path, node)| {
            let at = base.join(path);
            match node {
                WorkspaceNode::Dir => system.with_dir(at),
                WorkspaceNode::File(bytes) => system.with_file(at, replace_root(bytes, &base)),
                WorkspaceNode::Link(target) => {
                    system.with_link(at, target.replace(ROOT, &base.to_string_lossy()))
                }
            }
        })
    }
}

/// Texts name the root by a word; bytes that are no text stay as they are.
fn replace_root(bytes: &[u8], base: &Path) -> Vec<u8> {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.contains(ROOT) => text.replace(ROOT, &base.to_string_lossy()).into_bytes(),
        _ => bytes.to_vec(),
    }
}

fn link(target: &str, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_replaces_nothing_and_lies_below_no_file() {
        let mut tree = Workspace::new("t", "proj");
        assert!(tree.file("proj/a/b.md", "x"));
        assert!(!tree.file("proj/a/b.md", "y"), "the path is taken");
        assert!(!tree.file("proj/a/b.md/c", "y"), "a file stands above it");
        assert!(tree.put("proj/l", WorkspaceNode::Link("a".to_owned())));
        assert!(!tree.file("proj/l/c", "y"), "a link stands above it");
        assert_eq!(
            tree.nodes().filter(|(_, node)| **node == WorkspaceNode::Dir).count(),
            3,
            "home, proj, proj/a"
        );
    }

    #[test]
    fn a_tree_without_a_directory_has_lost_what_lay_below_it() {
        let mut tree = Workspace::new("t", "proj");
        tree.file("proj/a/b", "x");
        tree.file("proj/ab", "x");
        let left = tree.without(&["proj/a".to_owned()]);
        let paths: Vec<&str> = left.nodes().map(|(path, _)| path).collect();
        assert_eq!(paths, ["home", "proj", "proj/ab"]);
    }
}
