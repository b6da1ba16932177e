//! Finds the git directory of a work tree.
//!
//! Grants are shared by the work trees of one repository, so nothing that a `.git` states about itself counts by itself. The
//! rule has two halves:
//!
//! - **Only plain local paths are looked at.** A path that a project names is walked one component at a time from the nearest
//!   directory that it shares with the root of the work tree. The walk ends at the first symbolic link and at the first
//!   directory on another file system, and nothing below either is touched: a network share or an automount point is
//!   another file system, and looking at the point itself does not mount it. Without device numbers (Windows) a path of
//!   another drive or share has no directory in common with the root and is not looked at.
//! - **A git directory elsewhere must lead back to this root.** `…/worktrees/<id>` belongs to the root that its own file
//!   `gitdir` names, any other directory (a submodule's `…/modules/…`) to the root that its `core.worktree` names. Directories
//!   are compared by device and inode.
//!
//! Everything else is [`GitError::Unlinked`]: a symbolic link as `.git` or below it, a `commondir` in a `.git` directory, a
//! main repository on another file system. The names that come out of the walk are canonical as they are, so a directory that
//! is replaced by a link afterwards cannot change whose grants they stand for.

use super::{
    config::RepositoryFormat,
    open::{CONFIG, SMALL, broken, path, trimmed_end},
    shown,
};
use crate::{
    places::normal,
    system::{FileId, FileKind, GitError, HardLinks, ReadScope, Stat, System},
};
use std::path::{Path, PathBuf};

/// The root of a work tree, and the files that can be looked at from there.
#[derive(Clone, Copy, Debug)]
pub(super) struct LocalFiles<'a> {
    system: &'a dyn System,
    root: &'a Path,
    id: Option<FileId>,
    hard_links: HardLinks,
}

/// The directories of a repository that belongs to a work tree.
#[derive(Debug)]
pub(super) struct GitDirs {
    pub git_dir: PathBuf,
    pub common_dir: PathBuf,
}

impl<'a> LocalFiles<'a> {
    /// Takes a canonical root.
    pub(super) fn of(system: &'a dyn System, root: &'a Path, hard_links: HardLinks) -> Self {
        LocalFiles { system, root, id: system.link_stat(root).and_then(|stat| stat.id), hard_links }
    }

    /// Returns the treatment of files that have several names.
    pub(super) fn hard_links(&self) -> HardLinks {
        self.hard_links
    }

    /// Returns what lies at a path without `.` and `..`; `None` if nothing does.
    ///
    /// # Errors
    /// The way there has a link or leads to another file system.
    pub(super) fn stat(&self, path: &Path) -> Result<Option<Stat>, GitError> {
        let shared = path.components().zip(self.root.components()).take_while(|(a, b)| a == b).count();
        let mut names = path.components();
        let mut here: PathBuf = names.by_ref().take(shared).collect();
        let mut stat = self.system.link_stat(&here).filter(|_| shared > 0);
        loop {
            let Some(found) = &stat else {
                return if shared > 0 { Ok(None) } else { Err(self.elsewhere_error(path)) };
            };
            if found.kind == FileKind::Link {
                return Err(self.unlinked_error(format!("`{}` is a symbolic link", shown_path(&here))));
            }
            if found.id.map(|id| id.device) != self.id.map(|id| id.device) {
                return Err(self.elsewhere_error(&here));
            }
            match names.next() {
                None => return Ok(stat),
                Some(_) if found.kind != FileKind::Dir => return Ok(None),
                Some(name) => here.push(name),
            }
            stat = self.system.link_stat(&here);
        }
    }

    /// Returns the kind of what lies at a path.
    ///
    /// # Errors
    /// As [`LocalFiles::stat`].
    pub(super) fn kind(&self, path: &Path) -> Result<Option<FileKind>, GitError> {
        Ok(self.stat(path)?.map(|stat| stat.kind))
    }

    /// Reads a file; `None` if nothing lies there.
    ///
    /// # Errors
    /// As [`LocalFiles::stat`]; no file, one that is larger than `limit`, or a hard link that is refused.
    pub(super) fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, GitError> {
        let Some(_) = self.stat(path)? else { return Ok(None) };
        // The directory itself was just seen to be no link: whoever replaces the file by one leads nowhere else.
        let within = path.parent().map_or(ReadScope::Anywhere, ReadScope::Root);
        let read = self.system.read(path, within, limit);
        let read = read.and_then(|read| self.hard_links.check(&read.stat).map(|()| read));
        Ok(Some(read.map_err(|error| broken(path, error))?.into_bytes()))
    }

    /// Returns the directories of the repository whose `.git` lies in the root; `None` if there is no `.git`.
    ///
    /// # Errors
    /// [`GitError::Unlinked`], or a `.git` file that names nothing.
    pub(super) fn git_dirs(&self) -> Result<Option<GitDirs>, GitError> {
        let dot_git = self.root.join(".git");
        if self.system.link_stat(&dot_git).is_none() {
            return Ok(None);
        }
        match self.kind(&dot_git)? {
            Some(FileKind::Dir) => {}
            Some(FileKind::File) => return self.named_git_dirs(&dot_git).map(Some),
            _ => return Ok(None),
        }
        if self.kind(&dot_git.join("commondir"))?.is_some() {
            let why =
                format!("`{}/commondir` names the directory of another repository", shown_path(&dot_git));
            return Err(self.unlinked_error(why));
        }
        Ok(Some(GitDirs { git_dir: dot_git.clone(), common_dir: dot_git }))
    }

    /// Follows a `.git` file to a directory that leads back to the root.
    fn named_git_dirs(&self, dot_git: &Path) -> Result<GitDirs, GitError> {
        let git_dir = self.named_dir(dot_git)?;
        // The message does not quote what the file names: it may be a hard link of a file of somebody else.
        let not_back =
            |what: &str| self.unlinked_error(format!("what `{}` names {what}", shown_path(dot_git)));
        match self.kind(&git_dir) {
            Ok(Some(FileKind::Dir)) => {}
            Ok(_) => return Err(not_back("is no directory")),
            Err(_) => return Err(not_back("is a link, or on another file system")),
        }
        let common_dir = match self.read(&git_dir.join("commondir"), SMALL)? {
            None if self.is_configured_back(&git_dir)? => git_dir.clone(),
            None => return Err(not_back("has no `core.worktree` that leads back here")),
            Some(content) => {
                let named = normal(&git_dir, path(trimmed_end(&content)));
                let list = git_dir.parent().filter(|list| list.ends_with("worktrees"));
                if list.and_then(Path::parent) != Some(&named) {
                    return Err(not_back("is not among the work trees of the repository that it names"));
                }
                if !self.is_recorded_back(&git_dir)? {
                    return Err(not_back("is the directory of another work tree"));
                }
                named
            }
        };
        Ok(GitDirs { git_dir, common_dir })
    }

    /// Returns the path that a `.git` file names.
    fn named_dir(&self, dot_git: &Path) -> Result<PathBuf, GitError> {
        let bytes = self.read(dot_git, SMALL)?.unwrap_or_default();
        match bytes.strip_prefix(b"gitdir: ").map(trimmed_end) {
            Some(target) if !target.is_empty() => Ok(normal(self.root, path(target))),
            _ => Err(GitError::Broken(format!("`{}` names no directory", shown_path(dot_git)))),
        }
    }

    /// Returns whether the root's `.git` is a file that names a local path where no directory lies.
    #[cfg(feature = "git-status")]
    pub(super) fn names_nothing(&self) -> bool {
        let dot_git = self.root.join(".git");
        matches!(self.kind(&dot_git), Ok(Some(FileKind::File)))
            && self
                .named_dir(&dot_git)
                .and_then(|dir| self.kind(&dir))
                .is_ok_and(|kind| kind != Some(FileKind::Dir))
    }

    /// Returns whether the record of a linked work tree names the root's `.git`.
    fn is_recorded_back(&self, git_dir: &Path) -> Result<bool, GitError> {
        let Some(content) = self.read(&git_dir.join("gitdir"), SMALL)? else { return Ok(false) };
        let dot_git = normal(git_dir, path(trimmed_end(&content)));
        Ok(dot_git.ends_with(".git") && dot_git.parent().is_some_and(|dir| self.is_root(dir)))
    }

    /// Returns whether the configuration of a separate git directory names the root.
    fn is_configured_back(&self, git_dir: &Path) -> Result<bool, GitError> {
        for name in ["config.worktree", "config"] {
            let Some(bytes) = self.read(&git_dir.join(name), CONFIG)? else { continue };
            let format = RepositoryFormat::parse(&String::from_utf8_lossy(&bytes)).unwrap_or_default();
            if let Some(work_tree) = format.work_tree {
                return Ok(self.is_root(&normal(git_dir, Path::new(&work_tree))));
            }
        }
        Ok(false)
    }

    /// Returns whether a path is the root, spelled alike or found to be the same directory.
    pub(super) fn is_root(&self, dir: &Path) -> bool {
        let same = |stat: Stat| stat.id.is_some() && stat.id == self.id;
        dir == self.root || self.stat(dir).ok().flatten().is_some_and(same)
    }

    fn elsewhere_error(&self, path: &Path) -> GitError {
        self.unlinked_error(format!("`{}` is on another file system", shown_path(path)))
    }

    fn unlinked_error(&self, why: String) -> GitError {
        GitError::Unlinked { root: self.root.to_owned(), why }
    }
}

/// Returns a path that a project chose, for a message.
pub(crate) fn shown_path(path: &Path) -> String {
    shown(path.as_os_str().as_encoded_bytes())
}

#[cfg(all(test, unix))]
mod tests {
    use super::super::{branch, work_tree};
    use super::*;
    use crate::system::testing::{AccessKind, MemorySystem};

    const ID: &str = "0123456789012345678901234567890123456789\n";

    /// Adds a git directory with one commit on `main`.
    fn with_git_dir(system: MemorySystem, dir: &str) -> MemorySystem {
        system
            .with_file(format!("{dir}/HEAD"), "ref: refs/heads/main\n")
            .with_file(format!("{dir}/refs/heads/main"), ID)
            .with_dir(format!("{dir}/objects"))
    }

    /// A trusted repository with a linked work tree, and a hostile directory beside them.
    fn machine() -> MemorySystem {
        with_git_dir(MemorySystem::new(), "/src/trusted/.git")
            .with_file("/src/trusted/.git/worktrees/w/HEAD", "ref: refs/heads/main\n")
            .with_file("/src/trusted/.git/worktrees/w/commondir", "../..\n")
            .with_file("/src/trusted/.git/worktrees/w/gitdir", "/src/linked/.git\n")
            .with_file("/src/linked/.git", "gitdir: /src/trusted/.git/worktrees/w\n")
            .with_dir("/src/x/sub")
    }

    fn assert_unlinked(system: &MemorySystem, what: &str) {
        let x = Path::new("/src/x");
        let found = branch(system, x);
        assert!(matches!(&found, Err(GitError::Unlinked { root, .. }) if root == x), "{what}: {found:?}");
        // A `.git` of its own may be named, nobody else's.
        let tree = work_tree(system, &x.join("sub"));
        let foreign = tree.map(|(root, common)| (root, common.filter(|dir| dir != &x.join(".git"))));
        assert_eq!(foreign, Some((x.into(), None)), "{what}");
    }

    #[test]
    fn a_linked_work_tree_belongs_to_its_repository() {
        let shared = Some(PathBuf::from("/src/trusted/.git"));
        let system = machine();
        assert_eq!(branch(&system, Path::new("/src/linked")), Ok(Some("main".into())));
        for root in ["/src/trusted", "/src/linked"] {
            assert_eq!(work_tree(&system, Path::new(root)), Some((root.into(), shared.clone())));
        }
    }

    #[test]
    fn a_submodule_belongs_to_the_root_that_its_configuration_names() {
        let system = with_git_dir(MemorySystem::new(), "/src/main/.git/modules/m")
            .with_file("/src/main/.git/modules/m/config", "[core]\n\tworktree = ../../../m\n")
            .with_file("/src/main/m/.git", "gitdir: ../.git/modules/m\n");
        assert_eq!(branch(&system, Path::new("/src/main/m")), Ok(Some("main".into())));
        // `git sparse-checkout` moves the setting.
        system.put_file("/src/main/.git/modules/m/config.worktree", "[core]\n\tworktree = ../../../m\n");
        system.put_file("/src/main/.git/modules/m/config", "");
        assert_eq!(branch(&system, Path::new("/src/main/m")), Ok(Some("main".into())));
        system.put_file("/src/main/.git/modules/m/config.worktree", "[core]\n\tworktree = ../../../n\n");
        assert!(matches!(branch(&system, Path::new("/src/main/m")), Err(GitError::Unlinked { .. })));
    }

    #[test]
    fn without_file_ids_only_the_spelling_names_the_root() {
        assert_eq!(branch(&machine().without_file_ids(), Path::new("/src/linked")), Ok(Some("main".into())));
        let system = machine().with_hard_link("/src/x/.git", "/src/linked/.git").without_file_ids();
        assert_unlinked(&system, "a file of another work tree");
        let system = with_git_dir(machine(), "/src/x/git")
            .with_file("/src/x/git/config", "[core]\n\tworktree = ../../trusted\n")
            .with_file("/src/x/.git", "gitdir: git\n")
            .without_file_ids();
        assert_unlinked(&system, "a configuration that names another root");
    }

    #[test]
    fn the_search_for_a_repository_ends_at_another_file_system() {
        let system = || with_git_dir(MemorySystem::new().with_dir("/src/mount/sub"), "/src/.git");
        assert_eq!(branch(&system(), Path::new("/src/mount/sub")), Ok(Some("main".into())));
        let mounted = system().with_device("/src/mount", 7).with_device("/src/mount/sub", 7);
        assert_eq!(branch(&mounted, Path::new("/src/mount/sub")), Err(GitError::NoRepository));
        assert_eq!(work_tree(&mounted, Path::new("/src/mount/sub")), None);
    }

    #[test]
    fn a_claim_shares_nothing() {
        let own = || with_git_dir(machine(), "/src/x/.git");
        for (what, system) in [
            ("a relative commondir", own().with_file("/src/x/.git/commondir", "../../trusted/.git\n")),
            ("an absolute commondir", own().with_file("/src/x/.git/commondir", "/src/trusted/.git\n")),
            (
                "a commondir that is a link",
                own().with_link("/src/x/.git/commondir", "/src/trusted/.git/HEAD"),
            ),
            ("a file to the repository", machine().with_file("/src/x/.git", "gitdir: ../trusted/.git\n")),
            (
                "a file to the directory of another work tree",
                machine().with_file("/src/x/.git", "gitdir: ../trusted/.git/worktrees/w\n"),
            ),
            (
                "a hard link of the file of another work tree",
                machine().with_hard_link("/src/x/.git", "/src/linked/.git"),
            ),
            (
                "a directory of its own with commondir",
                with_git_dir(machine(), "/src/x/git")
                    .with_file("/src/x/git/commondir", "/src/trusted/.git\n")
                    .with_file("/src/x/git/gitdir", "/src/x/.git\n")
                    .with_file("/src/x/.git", "gitdir: git\n"),
            ),
            (
                "a work tree's directory of its own that names another repository",
                with_git_dir(machine(), "/src/x/git/worktrees/w")
                    .with_file("/src/x/git/worktrees/w/commondir", "/src/trusted/.git\n")
                    .with_file("/src/x/git/worktrees/w/gitdir", "/src/x/.git\n")
                    .with_file("/src/x/.git", "gitdir: git/worktrees/w\n"),
            ),
            ("a link", machine().with_link("/src/x/.git", "../trusted/.git")),
            ("a link to a file", machine().with_link("/src/x/.git", "../linked/.git")),
            (
                "a way through a link",
                machine()
                    .with_link("/src/x/git", "../trusted/.git")
                    .with_file("/src/x/.git", "gitdir: git/worktrees/w\n"),
            ),
            ("refs that are a link", own().with_link("/src/x/.git/refs", "/src/trusted/.git/refs")),
            ("objects that are a link", own().with_link("/src/x/.git/objects", "/src/trusted/.git/objects")),
            ("a HEAD that is a link", own().with_link("/src/x/.git/HEAD", "/src/trusted/.git/HEAD")),
            (
                "a ref that is a link",
                own().with_link("/src/x/.git/refs/heads/main", "/src/trusted/.git/HEAD"),
            ),
            (
                "a configuration that is a link",
                own().with_link("/src/x/.git/config", "/src/trusted/.git/HEAD"),
            ),
        ] {
            assert_unlinked(&system, what);
        }
    }

    #[test]
    fn a_git_of_another_user_makes_no_root_above_the_working_directory() {
        let sub = Path::new("/src/x/sub");
        for owned in ["/src/x", "/src/x/.git"] {
            let system = with_git_dir(machine(), "/src/x/.git").with_owner(owned, 66);
            assert_eq!(work_tree(&system, sub), None, "{owned}");
            assert_eq!(branch(&system, sub), Err(GitError::Owner("/src/x/.git".into())), "{owned}");
            let here = work_tree(&system, Path::new("/src/x")).map(|(root, _)| root);
            assert_eq!(here.as_deref(), Some(Path::new("/src/x")), "{owned}: it is where the user works");
            let around = with_git_dir(system.clone(), "/src/.git");
            assert_eq!(work_tree(&around, sub).map(|(root, _)| root).as_deref(), Some(Path::new("/src")));
        }
        let roots = with_git_dir(machine(), "/src/x/.git").with_owner("/src/x/.git", 0);
        assert!(work_tree(&roots, sub).is_some(), "root's is trusted as git does");
    }

    #[test]
    fn paths_on_other_file_systems_are_not_read() {
        let share = "/net/evil.example/share";
        let on_net =
            |system: MemorySystem| with_git_dir(system, &format!("{share}/.git")).with_device("/net", 7);
        let own = || with_git_dir(machine(), "/src/x/.git");
        for (what, system) in [
            ("a file", on_net(machine()).with_file("/src/x/.git", format!("gitdir: {share}/.git\n"))),
            (
                "a file with two slashes",
                on_net(machine()).with_file("/src/x/.git", format!("gitdir: /{share}/.git\n")),
            ),
            ("a link", on_net(machine()).with_link("/src/x/.git", format!("{share}/.git"))),
            ("a commondir", on_net(own()).with_file("/src/x/.git/commondir", format!("{share}/.git\n"))),
            ("refs", on_net(own()).with_link("/src/x/.git/refs", format!("{share}/.git/refs"))),
            ("HEAD", on_net(own()).with_link("/src/x/.git/HEAD", format!("{share}/.git/HEAD"))),
            ("a ref", on_net(own()).with_link("/src/x/.git/refs/heads/main", format!("{share}/.git/HEAD"))),
            (
                "what leads back",
                on_net(with_git_dir(machine(), "/src/x/git"))
                    .with_file("/src/x/git/config", format!("[core]\nworktree = {share}\n"))
                    .with_file("/src/x/.git", "gitdir: git\n"),
            ),
        ] {
            system.clear_touches();
            assert_unlinked(&system, what);
            let below = system.touches().into_iter().find(|touch| {
                // Looking at a link itself leads nowhere.
                let place = if touch.verb == AccessKind::LinkStat { &touch.path } else { &touch.place };
                place.starts_with("/net/evil.example")
            });
            assert_eq!(below, None, "{what}");
        }
    }

    #[test]
    fn a_main_repository_on_another_file_system_is_not_followed() {
        let system = machine().with_device("/src/trusted", 7);
        assert!(matches!(branch(&system, Path::new("/src/linked")), Err(GitError::Unlinked { .. })));
        // The main work tree itself is no claim.
        let system = ["/src/trusted/.git", "/src/trusted/.git/HEAD", "/src/trusted/.git/objects"]
            .into_iter()
            .chain([
                "/src/trusted/.git/refs",
                "/src/trusted/.git/refs/heads",
                "/src/trusted/.git/refs/heads/main",
            ])
            .fold(system, |system, path| system.with_device(path, 7));
        assert_eq!(branch(&system, Path::new("/src/trusted")), Ok(Some("main".into())));
    }
}
