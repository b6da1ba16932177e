//! The digest of a project's contents, which a grant for the whole project remembers.
//!
//! It covers the files that speak or act: `system.md`, `append.md`, `sections/*.md`, `settings.json`, `mcp.json`,
//! `ordering.json` and the manifests of extensions. They are read to be digested, never parsed, and only inside of the
//! project's directory; what cannot be read is part of the digest by its reason.

use super::digest::{Digest, Fingers};
use crate::system::{FileKind, ReadError, System, Within};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

const KIB: u64 = 1 << 10;
const TEXT_LIMIT: u64 = 4 << 20;
const DATA_LIMIT: u64 = 1 << 20;
const MANIFEST_LIMIT: u64 = 256 * KIB;
const SECTION_LIMIT: u64 = DATA_LIMIT;

/// The most entries that one directory may have.
const LIST_LIMIT: usize = 1000;
/// The most manifests and sections that are read in all.
const READ_LIMIT: usize = 1000;

const FILES: [(&str, u64); 5] = [
    ("append.md", TEXT_LIMIT),
    ("mcp.json", DATA_LIMIT),
    ("ordering.json", DATA_LIMIT),
    ("settings.json", DATA_LIMIT),
    ("system.md", TEXT_LIMIT),
];

/// The directory whose sub-directories are extension categories; they may also stand in the root itself.
pub(super) const EXTENSIONS: &str = "extensions";
/// The directory with a Markdown file for each section.
pub(super) const SECTIONS: &str = "sections";
/// The file that makes a directory an extension.
pub(super) const MANIFEST: &str = "manifest.json";

/// The categories of extensions, which are directory names.
pub(super) const CATEGORIES: [&str; 9] = [
    "commands",
    "contextProviders",
    "hooks",
    "loggers",
    "providers",
    "sessionStores",
    "stateMachines",
    "tools",
    "ui",
];

/// Returns the digest of what a project's directory says and does.
///
/// Two calls agree exactly when every file that counts has the same bytes. Other files do not count.
#[must_use]
pub fn whole_digest(system: &dyn System, project_dir: &Path) -> Digest {
    let root = system.canonical(project_dir).unwrap_or_else(|_| project_dir.to_owned());
    let mut look = Look { system, root: &root, fingers: Fingers::default(), left: READ_LIMIT };
    for (name, limit) in FILES {
        look.file(Path::new(name), limit);
    }
    look.sections();
    for parent in ["", EXTENSIONS] {
        for category in CATEGORIES {
            look.extensions(&Path::new(parent).join(category));
        }
    }
    look.fingers.digest()
}

/// Returns whether [`whole_digest`] covers a file, by its path in the project's directory.
#[must_use]
pub fn is_digested(path: &Path) -> bool {
    let names: Option<Vec<&str>> = path.iter().map(OsStr::to_str).collect();
    match names.as_deref() {
        Some([name]) => FILES.iter().any(|(file, _)| file == name),
        Some([SECTIONS, name]) => name.ends_with(".md"),
        Some([category, _, MANIFEST] | [EXTENSIONS, category, _, MANIFEST]) => CATEGORIES.contains(category),
        _ => false,
    }
}

/// Lists a directory of a project, if it really lies inside.
pub(super) fn list_inside(
    system: &dyn System,
    root: &Path,
    dir: &Path,
    limit: usize,
) -> Result<Vec<crate::system::DirEntry>, ReadError> {
    let real = system.canonical(&root.join(dir))?;
    if !real.starts_with(root) {
        return Err(ReadError::Outside { target: real });
    }
    system.list(&real, limit)
}

struct Look<'a> {
    system: &'a dyn System,
    root: &'a Path,
    fingers: Fingers,
    left: usize,
}

impl Look<'_> {
    /// Adds a file, by its name in the project. One that is not there adds nothing.
    fn file(&mut self, path: &Path, limit: u64) {
        match self.system.read(&self.root.join(path), Within::Root(self.root), limit) {
            Ok(read) => self.add(path, Ok(&read.bytes)),
            Err(ReadError::Missing) => {}
            Err(error) => self.add(path, Err(error)),
        }
    }

    fn sections(&mut self) {
        for path in self.names(Path::new(SECTIONS)) {
            if path.extension() == Some(OsStr::new("md")) {
                self.counted(&path, SECTION_LIMIT);
            }
        }
    }

    fn extensions(&mut self, dir: &Path) {
        for path in self.names(dir) {
            self.counted(&path.join(MANIFEST), MANIFEST_LIMIT);
        }
    }

    fn counted(&mut self, path: &Path, limit: u64) {
        match self.left.checked_sub(1) {
            Some(left) => {
                self.left = left;
                self.file(path, limit);
            }
            None => self.add(path, Err(ReadError::Other("too many files".into()))),
        }
    }

    /// Returns the paths in a directory of the project; none where it is missing or no directory.
    fn names(&mut self, dir: &Path) -> Vec<PathBuf> {
        match list_inside(self.system, self.root, dir, LIST_LIMIT) {
            Ok(entries) => {
                let kinds = [FileKind::File, FileKind::Dir, FileKind::Link];
                let entries = entries.into_iter().filter(|entry| kinds.contains(&entry.kind));
                entries.map(|entry| dir.join(entry.name)).collect()
            }
            Err(ReadError::Missing | ReadError::Kind(_)) => Vec::new(),
            Err(error) => {
                self.add(dir, Err(error));
                Vec::new()
            }
        }
    }

    fn add(&mut self, path: &Path, found: Result<&[u8], ReadError>) {
        for part in path.components() {
            self.fingers.add(part.as_os_str().as_encoded_bytes());
        }
        match found {
            Ok(bytes) => {
                self.fingers.add(b"/");
                self.fingers.add(bytes);
            }
            Err(error) => {
                self.fingers.add(b"//");
                self.fingers.add(error.to_string().as_bytes());
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::memory::MemorySystem;

    const DIR: &str = "/work/.stud";

    fn project() -> MemorySystem {
        MemorySystem::new()
            .with_file("/work/.stud/system.md", "Answer in JSON.")
            .with_file("/work/.stud/settings.json", "{}")
            .with_file("/work/.stud/extensions/hooks/audit/manifest.json", "{}")
            .with_file("/work/.stud/notes.txt", "notes")
            .with_file("/outside/secret", "secret")
    }

    fn digest(system: &MemorySystem) -> Digest {
        whole_digest(system, Path::new(DIR))
    }

    #[test]
    fn what_speaks_or_acts_counts() {
        let before = digest(&project());
        assert_eq!(before, digest(&project()));
        for name in [
            "system.md",
            "append.md",
            "sections/rules.md",
            "settings.json",
            "mcp.json",
            "ordering.json",
            "tools/grep/manifest.json",
            "extensions/tools/grep/manifest.json",
            "extensions/hooks/audit/manifest.json",
        ] {
            let system = project().with_file(Path::new(DIR).join(name), "other");
            assert_ne!(digest(&system), before, "{name}");
            let emptied = project().with_file(Path::new(DIR).join(name), "");
            assert_ne!(digest(&emptied), before, "an empty `{name}`");
            assert_ne!(digest(&emptied), digest(&system), "an empty `{name}`");
        }
        for name in ["notes.txt", "system.md.bak", "sections/notes.txt", "extensions/hooks/audit/run.js"] {
            assert_eq!(digest(&project().with_file(Path::new(DIR).join(name), "other")), before, "{name}");
        }
    }

    #[test]
    fn nothing_outside_is_read() {
        for (link, target) in [
            ("system.md", "/outside/secret"),
            ("sections", "/outside"),
            ("extensions/hooks/audit/manifest.json", "/outside/secret"),
            ("extensions/tools", "/outside"),
        ] {
            let link = Path::new(DIR).join(link);
            let system = project();
            system.cut(&link);
            system.put_link(&link, target);
            let with = digest(&system);
            system.put_file("/outside/secret", "another secret");
            system.put_file("/outside/more", "more");
            assert_eq!(digest(&system), with, "{}", link.display());
            let listed = system.touches().into_iter().filter(|touch| {
                touch.verb == crate::system::memory::Verb::List && touch.place.starts_with("/outside")
            });
            assert_eq!(listed.count(), 0, "{}", link.display());
        }
    }

    #[test]
    fn a_linked_project_directory_has_the_digest_of_its_target() {
        let system = project().with_link("/other/.stud", DIR);
        assert_eq!(whole_digest(&system, Path::new("/other/.stud")), digest(&system));
        assert_eq!(whole_digest(&system, Path::new("/none/.stud")), whole_digest(&system, Path::new("/no")));
    }

    #[test]
    fn there_is_an_end_to_it() {
        let mut system = project();
        for index in 0..600 {
            system = system
                .with_file(format!("{DIR}/tools/t{index}/manifest.json"), "{}")
                .with_file(format!("{DIR}/hooks/t{index}/manifest.json"), "{}");
        }
        system.clear_touches();
        let before = digest(&system);
        let read =
            system.touches().iter().filter(|touch| touch.verb == crate::system::memory::Verb::Read).count();
        assert_eq!(read, READ_LIMIT + FILES.len());
        let more = system.with_file(format!("{DIR}/hooks/u/manifest.json"), "{}");
        assert_ne!(digest(&more), before, "what is not read still counts by its name");
    }
}
