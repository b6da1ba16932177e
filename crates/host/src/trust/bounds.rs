//! Where the files of a project may lie, and the one way in which they are opened.
//!
//! What a repository names is opened beneath the repository: a link of its own that leads out of it is not followed,
//! unless the user named the target.

use crate::{
    places::{Places, resolve_links},
    provider::{context::Extent, git},
    system::{FileKind, FileRead, HardLinks, ReadError, ReadScope, System},
};
use std::{
    cell::OnceCell,
    path::{Path, PathBuf},
};

/// Limits on the files of one project.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Files and directories outside of the project that its links may lead to; real paths.
    pub follow: Vec<PathBuf>,
    /// Treatment of files that have several names.
    pub hard_links: HardLinks,
    root: OnceCell<ProjectRoot>,
}

/// The directory that a project is.
#[derive(Clone, Debug)]
struct ProjectRoot {
    /// As the working directory leads through it, links not resolved.
    named: PathBuf,
    real: PathBuf,
}

/// A file of the project.
#[derive(Debug)]
pub struct ProjectFile {
    /// The file as it was read.
    pub read: FileRead,
    /// The target, where a link led out of the project and the user allowed it.
    pub followed: Option<PathBuf>,
}

impl Bounds {
    /// Returns bounds that allow links to what a user named. A path that does not exist allows nothing.
    #[must_use]
    pub fn new(
        system: &dyn System,
        follow: impl IntoIterator<Item = PathBuf>,
        hard_links: HardLinks,
    ) -> Self {
        let follow = follow.into_iter().filter_map(|path| system.canonical(&path).ok()).collect();
        Bounds { follow, hard_links, root: OnceCell::new() }
    }

    /// Forgets the directory of the project, for a build that looks at the machine anew.
    pub fn forget_root(&mut self) {
        self.root = OnceCell::new();
    }

    /// True if a real path is, or lies below, one that the user named.
    #[must_use]
    pub fn follows(&self, real: &Path) -> bool {
        self.follow.iter().any(|named| real.starts_with(named))
    }

    /// Returns the directory of the project: the work tree that holds the working directory, else the working directory.
    /// A work tree that holds the user's home is more than a project, so there the working directory is the project.
    pub fn project_root(&self, system: &dyn System, places: &Places) -> &Path {
        &self.root(system, places).named
    }

    fn root(&self, system: &dyn System, places: &Places) -> &ProjectRoot {
        self.root.get_or_init(|| {
            let cwd = &places.cwd;
            let home = places.home.as_ref().map(|home| resolve_links(system, home));
            let real = git::work_tree_root(system, cwd)
                .filter(|root| home.as_ref().is_none_or(|home| !home.starts_with(root)))
                .unwrap_or_else(|| resolve_links(system, cwd));
            let leads_there = |dir: &&Path| system.canonical(dir).is_ok_and(|found| found == real);
            let named = match cwd.starts_with(&real) {
                true => real.clone(),
                false => cwd.ancestors().find(leads_there).unwrap_or(&real).to_owned(),
            };
            ProjectRoot { named, real }
        })
    }

    /// Returns the directory that a file must really be in: the project's where the file is in it, else the file's own.
    pub fn root_of<'p>(&'p self, path: &'p Path, system: &dyn System, places: &Places) -> &'p Path {
        let root = self.root(system, places);
        [&root.named, &root.real]
            .into_iter()
            .find(|root| path.starts_with(root))
            .map_or_else(|| path.parent().unwrap_or(path), PathBuf::as_path)
    }

    /// True if a path is in the directory of the project, by its name or really.
    pub(crate) fn is_in_project(&self, path: &Path, system: &dyn System, places: &Places) -> bool {
        let root = self.root(system, places);
        path.starts_with(&root.named) || path.starts_with(&root.real)
    }

    /// Returns where a file would lie if no link were in its path below the project.
    pub(crate) fn place_without_links(
        &self,
        path: &Path,
        system: &dyn System,
        places: &Places,
    ) -> Option<PathBuf> {
        let root = self.root(system, places);
        Some(root.real.join(path.strip_prefix(&root.named).ok()?))
    }

    /// Opens a file beneath `root` and reads it. With `roots` it must be in one of them, too.
    ///
    /// # Errors
    /// Those of [`System::read`]; [`ReadError::Outside`] also where it lies beside the roots, and
    /// [`ReadError::HardLink`].
    pub fn open(
        &self,
        path: &Path,
        root: &Path,
        roots: Option<&[PathBuf]>,
        limit: u64,
        extent: Extent,
        system: &dyn System,
    ) -> Result<ProjectFile, ReadError> {
        let read = |path: &Path, within: ReadScope<'_>| extent.read(system, path, within, limit);
        let (read, followed) = match beneath(path, root, roots, &read, system) {
            Err(ReadError::Outside { target }) => {
                let Some(named) = self.follow.iter().find(|named| target.starts_with(named)) else {
                    // How far the way goes outside of the roots would reveal what is there.
                    let target = if roots.is_some() { PathBuf::new() } else { target };
                    return Err(ReadError::Outside { target });
                };
                let is_dir = system.stat(named).is_some_and(|stat| stat.kind == FileKind::Dir);
                let above = named.parent().filter(|_| !is_dir).unwrap_or(named);
                // The target is opened by its own path: the link may lead elsewhere by now.
                let read = beneath(&target, above, roots, &read, system).map_err(|error| match error {
                    ReadError::Missing if is_link(system, path) => ReadError::Dangling,
                    error => error,
                })?;
                (read, Some(target))
            }
            read => (read?, None),
        };
        self.hard_links.check(&read.stat)?;
        Ok(ProjectFile { read, followed })
    }
}

fn is_link(system: &dyn System, path: &Path) -> bool {
    system.link_stat(path).is_some_and(|stat| stat.kind == FileKind::Link)
}

/// A function that reads a file within the given bounds.
type ProjectReader<'r> = dyn Fn(&Path, ReadScope<'_>) -> Result<FileRead, ReadError> + 'r;

fn beneath(
    path: &Path,
    root: &Path,
    roots: Option<&[PathBuf]>,
    read: &ProjectReader<'_>,
    system: &dyn System,
) -> Result<FileRead, ReadError> {
    let Some(roots) = roots else { return read(path, ReadScope::Root(root)) };
    let outside = |target: PathBuf| Err(ReadError::Outside { target });
    match system.canonical(path) {
        Ok(real) if root.parent().is_some() && !real.starts_with(system.canonical(root)?) => {
            return outside(real);
        }
        Ok(_) => {}
        // Outside first: whether anything is there is nothing to report.
        Err(error) if root.parent().is_some() => {
            return Err(system.read(path, ReadScope::Root(root), 0).err().unwrap_or(error));
        }
        Err(_) => {}
    }
    roots
        .iter()
        .map(|root| read(path, ReadScope::Root(root)))
        .find(|read| !matches!(read, Err(ReadError::Outside { .. })))
        .unwrap_or_else(|| outside(path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{places::HomeTrust, system::testing::MemorySystem};
    use preface_core::profile::ProfileDirs;

    #[test]
    fn a_file_lies_in_its_root_and_in_one_of_the_roots() {
        let system = MemorySystem::new()
            .with_file("/w/p/in", "in")
            .with_file("/w/near", "near")
            .with_link("/w/p/alias", "in")
            .with_link("/w/p/out", "../near")
            .with_link("/w/p/nowhere", "../none")
            .with_link("/w/q", "p");
        let open = |path: &str, root: &str, roots: &[&str]| {
            let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
            let file = Bounds::default().open(
                Path::new(path),
                Path::new(root),
                Some(&roots),
                99,
                Extent::Whole,
                &system,
            );
            file.map(|file| String::from_utf8(file.read.into_bytes()).expect("text"))
        };
        for (path, root, roots) in [
            ("/w/p/in", "/w/p", &["/w/p"][..]),
            ("/w/p/in", "/w/p", &["/none", "/w"]),
            ("/w/p/in", "/", &["/w"]),
            ("/w/p/alias", "/w/p", &["/w"]),
            ("/w/q/in", "/w/q", &["/w"]),
        ] {
            assert_eq!(open(path, root, roots).as_deref(), Ok("in"), "{path} in {root} and {roots:?}");
        }
        for (path, root, roots) in [
            ("/w/p/out", "/w/p", &["/w"][..]),
            ("/w/p/nowhere", "/w/p", &["/w"]),
            ("/w/near", "/w/p", &["/w"]),
            ("/w/p/in", "/w/p", &["/v"]),
            ("/w/p/in", "/w/p", &[]),
            ("/w/near", "/w", &["/w/p"]),
            ("/w/near", "/", &["/w/p"]),
            ("/w/p/out", "/", &["/w/p"]),
        ] {
            let opened = open(path, root, roots);
            assert!(
                matches!(opened, Err(ReadError::Outside { .. })),
                "{path} in {root} and {roots:?}: {opened:?}"
            );
        }
        assert_eq!(open("/w/p/none", "/w/p", &["/w"]), Err(ReadError::Missing));
    }

    #[test]
    fn the_project_is_the_work_tree_unless_that_holds_the_home() {
        let git = |system: MemorySystem, root: &str| {
            system
                .with_file(format!("{root}/.git/HEAD"), "ref: refs/heads/main\n")
                .with_dir(format!("{root}/.git/objects"))
                .with_dir(format!("{root}/.git/refs"))
        };
        let home = ProfileDirs {
            foreign_keys: Vec::new(),
            global: vec!["~/.x".into()],
            project: Some(".x".into()),
            flat_extensions: false,
            variable: None,
        };
        let machine = |root: &str| git(MemorySystem::new().with_dir("/h/u/p/sub").with_dir("/w/p/sub"), root);
        for (what, system, cwd, expected) in [
            ("a home elsewhere", machine("/w/p").with_home("/h/u"), "/w/p/sub", "/w/p"),
            ("no home", machine("/w/p").without_home(), "/w/p/sub", "/w/p"),
            ("a work tree in the home", machine("/h/u/p").with_home("/h/u"), "/h/u/p/sub", "/h/u/p"),
            ("the home", machine("/h/u").with_home("/h/u"), "/h/u/p/sub", "/h/u/p/sub"),
            ("a work tree around the home", machine("/h").with_home("/h/u"), "/h/u/p", "/h/u/p"),
            (
                "a home that is a link into the work tree",
                machine("/h").with_home("/home/u").with_link("/home/u", "/h/u"),
                "/h/u/p",
                "/h/u/p",
            ),
        ] {
            let places = Places::find(&system, Path::new(cwd), &home, HomeTrust::default(), &mut Vec::new());
            let bounds = Bounds::default();
            assert_eq!(bounds.project_root(&system, &places), Path::new(expected), "{what}");
        }
    }
}
