//! The files of a work tree that agents read: one walk over all of it, without what git ignores.
//!
//! A file that git has although it ignores it counts, because it is in every clone: git lists those. A link that leads out of the
//! work tree is reported and not followed. A linked directory is entered below a name with a dot, where agents have theirs.

use crate::{
    ignore_patterns::IgnorePatterns,
    provider::{
        context::code_and_help,
        git::{self, Repository},
    },
    system::{DirEntry, FileKind, ReadError, ReadScope, System},
};
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The most entries that are looked at; what is behind them is left out, and reported.
const MOST_ENTRIES: usize = 2_000_000;
/// The most repositories in one work tree, submodules included, whose ignored files are told apart.
const MOST_REPOSITORIES: usize = 100;
/// The deepest directory.
const MOST_DEPTH: usize = 100;
/// The largest file that is read, in bytes.
pub const FILE_LIMIT: u64 = 1 << 20;
/// The most bytes that are read of all files together.
const TOTAL_LIMIT: usize = 256 << 20;

/// A file of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTreeFile {
    /// The paths from the root: its own if that is wanted, then those of links to it.
    pub names: Vec<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// The wanted files of a work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkTree {
    /// The root of the work tree, or the directory itself outside of one.
    pub root: PathBuf,
    /// The files, by their paths.
    pub files: Vec<WorkTreeFile>,
    /// What was left out.
    pub diagnostics: Diagnostics,
}

/// Reads the wanted files of the work tree that holds a directory. `wants` gets paths from the root, with slashes.
///
/// # Errors
/// There is no such directory.
pub fn read_work_tree(
    system: &dyn System,
    dir: &Path,
    wants: &dyn Fn(&str) -> bool,
) -> Result<WorkTree, ReadError> {
    let dir = system.canonical(dir)?;
    let root = git::work_tree_root(system, &dir).unwrap_or(dir);
    let mut walk = Walk {
        system,
        root: &root,
        wants,
        ignored: IgnorePatterns::default(),
        repositories: 0,
        found: BTreeMap::new(),
        entries: 0,
        diagnostics: Diagnostics::new(),
    };
    walk.repository(&root, "");
    walk.directory(&root, "", 0, false);
    let Walk { found, mut diagnostics, .. } = walk;
    let mut files: Vec<WorkTreeFile> = Vec::new();
    let mut total = 0;
    for (real, names) in found {
        let shown = real.strip_prefix(&root).unwrap_or(&real).to_string_lossy().into_owned();
        let mut names: Vec<String> = names.into_iter().collect();
        names.sort_by_key(|name| *name != shown);
        let read = match system.read(&real, ReadScope::Root(&root), FILE_LIMIT) {
            Ok(read) if total + read.bytes.len() > TOTAL_LIMIT => Err(ReadError::TooLarge {
                size: (total + read.bytes.len()) as u64,
                limit: TOTAL_LIMIT as u64,
            }),
            read => read,
        };
        match read {
            Ok(read) => {
                total += read.bytes.len();
                files.push(WorkTreeFile { names, bytes: read.into_bytes() });
            }
            Err(error) => diagnostics.push(left_out(&names[0], &error)),
        }
    }
    files.sort_by(|a, b| a.names.cmp(&b.names));
    Ok(WorkTree { root, files, diagnostics })
}

struct Walk<'a> {
    system: &'a dyn System,
    root: &'a Path,
    wants: &'a dyn Fn(&str) -> bool,
    ignored: IgnorePatterns,
    /// The number of repositories that git was asked about.
    repositories: usize,
    /// The names of each file, by its real path.
    found: BTreeMap<PathBuf, BTreeSet<String>>,
    entries: usize,
    diagnostics: Diagnostics,
}

impl Walk<'_> {
    /// Adds what a repository ignores in general, and the files that git has although it ignores them. `below` is the path of its work
    /// tree, with a slash at its end.
    fn repository(&mut self, root: &Path, below: &str) {
        let Ok(repository) = Repository::holding(self.system, root) else { return };
        self.repositories += 1;
        if repository.root != root {
            return;
        }
        if self.repositories > MOST_REPOSITORIES {
            let what = format!(
                "{below}: files that git has although it ignores them were not looked for: the work tree has more than {MOST_REPOSITORIES} repositories"
            );
            let diagnostic = Diagnostic::warning(DiagnosticCode::GitUnsupported, what);
            return self.diagnostics.push(diagnostic.help("check that repository by itself"));
        }
        let exclude = repository.common_dir.join("info/exclude");
        git::add_patterns(&mut self.ignored, self.system, &exclude, &repository.common_dir, below.len());
        match git::tracked_but_ignored(self.system, &repository) {
            Ok(paths) => {
                for path in paths {
                    let shown = format!("{below}{}", path.to_string_lossy());
                    if (self.wants)(&shown) {
                        self.file(&root.join(path), shown);
                    }
                }
            }
            Err(error) => {
                let what =
                    format!("files that git has although it ignores them were not looked for: {error}");
                let diagnostic = Diagnostic::warning(error.code(), what);
                self.diagnostics
                    .push(diagnostic.help("`git status` must work in it, with git 2.45 or later"));
            }
        }
    }

    /// Looks into a directory; `below` is its path from the root, with a slash at its end.
    fn directory(&mut self, dir: &Path, below: &str, depth: usize, is_linked: bool) {
        if depth > MOST_DEPTH {
            let error = ReadError::Other(format!("it lies deeper than {MOST_DEPTH} directories"));
            return self.diagnostics.push(left_out(below, &error));
        }
        let entries = match self.system.list(dir, MOST_ENTRIES.saturating_sub(self.entries)) {
            Ok(entries) => entries,
            Err(error) => return self.diagnostics.push(left_out(below, &error)),
        };
        self.entries += entries.len();
        // A submodule or another repository has patterns of its own, and none of those around it.
        let is_nested = !below.is_empty() && entries.iter().any(|entry| entry.name == ".git");
        let around = is_nested.then(|| std::mem::take(&mut self.ignored));
        if is_nested {
            self.repository(dir, below);
        }
        let mark = self.ignored.mark();
        if entries.iter().any(|entry| entry.name == ".gitignore") {
            let file = dir.join(".gitignore");
            if !git::add_patterns(&mut self.ignored, self.system, &file, self.root, below.len()) {
                let error = ReadError::Other("its patterns are too large".to_owned());
                self.diagnostics.push(left_out(&format!("{below}.gitignore"), &error));
            }
        }
        for DirEntry { name, kind } in entries.into_iter().filter(|entry| entry.name != ".git") {
            let path = format!("{below}{}", name.to_string_lossy());
            let is_ignored = |walk: &Self, is_dir| walk.ignored.matched(&path, is_dir).is_ignore();
            match kind {
                FileKind::Dir if !is_ignored(self, true) => {
                    self.directory(&dir.join(name), &format!("{path}/"), depth + 1, is_linked);
                }
                FileKind::Link if !is_ignored(self, false) => {
                    self.link(&dir.join(name), path, depth, is_linked);
                }
                FileKind::File if (self.wants)(&path) && !is_ignored(self, false) => {
                    self.file(&dir.join(name), path);
                }
                FileKind::Special if (self.wants)(&path) => {
                    self.diagnostics.push(left_out(&path, &ReadError::Kind(kind)));
                }
                _ => {}
            }
        }
        self.ignored.reset(mark);
        if let Some(around) = around {
            self.ignored = around;
        }
    }

    fn link(&mut self, link: &Path, path: String, depth: usize, is_linked: bool) {
        let (is_wanted, is_agents) = ((self.wants)(&path), path.starts_with('.') || path.contains("/."));
        match self.system.canonical(link) {
            Ok(real) if !real.starts_with(self.root) => {
                if is_wanted
                    || (is_agents && self.system.stat(link).is_some_and(|stat| stat.kind == FileKind::Dir))
                {
                    let error = ReadError::Outside { target: PathBuf::new() };
                    self.diagnostics.push(left_out(&path, &error));
                }
            }
            Ok(real) => match self.system.stat(link).map(|stat| stat.kind) {
                // A linked directory has no links to follow, so there is no circle.
                Some(FileKind::Dir) if is_agents && !is_linked && !link.starts_with(&real) => {
                    self.directory(link, &format!("{path}/"), depth + 1, true);
                }
                Some(FileKind::File) if is_wanted => _ = self.found.entry(real).or_default().insert(path),
                _ => {}
            },
            Err(error) if is_wanted => self.diagnostics.push(left_out(&path, &error)),
            Err(_) => {}
        }
    }

    fn file(&mut self, file: &Path, path: String) {
        match self.system.canonical(file) {
            Ok(real) if real.starts_with(self.root) => _ = self.found.entry(real).or_default().insert(path),
            Ok(_) => self.diagnostics.push(left_out(&path, &ReadError::Outside { target: PathBuf::new() })),
            Err(ReadError::Missing) => {}
            Err(error) => self.diagnostics.push(left_out(&path, &error)),
        }
    }
}

fn left_out(path: &str, error: &ReadError) -> Diagnostic {
    let (code, help) = code_and_help(error);
    let shown = if path.is_empty() { "." } else { path.trim_end_matches('/') };
    let why = match error {
        ReadError::Outside { .. } => "it leads out of the work tree".to_owned(),
        error => error.to_string(),
    };
    let diagnostic = Diagnostic::left_out(Severity::Warning, code, shown, why);
    diagnostic.at(Place::file(None, shown)).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{
        RunError,
        testing::{FakeRun, MemorySystem},
    };

    fn machine() -> MemorySystem {
        MemorySystem::new()
            .with_file("/w/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/w/.git/objects")
            .with_dir("/w/.git/refs")
            .with_file("/w/AGENTS.md", "root")
    }

    fn read(system: &MemorySystem, dir: &str) -> (Vec<String>, Vec<String>) {
        let wants = |path: &str| path.ends_with("AGENTS.md") || path.ends_with("CLAUDE.md");
        let tree = read_work_tree(system, Path::new(dir), &wants).expect("a directory");
        assert_eq!(tree.root, Path::new("/w"));
        let shown = |file: WorkTreeFile| {
            format!("{}: {}", file.names.join(", "), String::from_utf8_lossy(&file.bytes))
        };
        let told = |found: Diagnostic| format!("{} {}", found.code, found.message);
        (tree.files.into_iter().map(shown).collect(), tree.diagnostics.into_iter().map(told).collect())
    }

    #[test]
    fn what_git_ignores_is_left_out_but_for_what_it_has() {
        let system = machine()
            .with_file("/w/.gitignore", "/build\nCLAUDE.md\n")
            .with_file("/w/.git/info/exclude", "private/\n")
            .with_file("/w/a/b/AGENTS.md", "nested")
            .with_file("/w/build/AGENTS.md", "generated")
            .with_file("/w/build/in/AGENTS.md", "forced")
            .with_file("/w/private/AGENTS.md", "mine")
            .with_file("/w/a/CLAUDE.md", "ignored")
            .with_file("/w/a/other.md", "not wanted")
            .with_git_status("/w", FakeRun::printing("build/in/AGENTS.md\0build/x.o\0gone/AGENTS.md\0"));
        let expected = ["AGENTS.md: root", "a/b/AGENTS.md: nested", "build/in/AGENTS.md: forced"];
        assert_eq!(read(&system, "/w/a"), (expected.map(str::to_owned).to_vec(), Vec::new()));
        let run = &system.runs()[0];
        assert!(run.env.contains(&("GIT_OPTIONAL_LOCKS".to_owned(), "0".to_owned())), "{run:?}");
    }

    /// What a submodule ignores is its own matter, and what it has all the same is read.
    #[test]
    fn a_nested_repository_hides_nothing() {
        let system = machine()
            .with_git_status("/w", FakeRun::printing(""))
            .with_file("/w/.gitignore", "sub/CLAUDE.md\n")
            .with_file("/w/sub/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/w/sub/.git/objects")
            .with_dir("/w/sub/.git/refs")
            .with_file("/w/sub/.gitignore", "AGENTS.md\n")
            .with_file("/w/sub/AGENTS.md", "forced")
            .with_file("/w/sub/CLAUDE.md", "of the submodule")
            .with_file("/w/sub/x/AGENTS.md", "ignored")
            .with_git_status("/w/sub", FakeRun::printing("AGENTS.md\0"));
        let expected = ["AGENTS.md: root", "sub/AGENTS.md: forced", "sub/CLAUDE.md: of the submodule"];
        assert_eq!(read(&system, "/w"), (expected.map(str::to_owned).to_vec(), Vec::new()));
    }

    #[test]
    fn without_git_the_rest_is_read_and_the_reason_reported() {
        let missing = FakeRun::refused(RunError::NotFound { program: "git".to_owned() });
        let (files, found) = read(&machine().with_git_status("/w", missing), "/w");
        assert_eq!(files, ["AGENTS.md: root"]);
        assert!(
            found[0].starts_with("git/unsupported files that git has although it ignores them"),
            "{found:?}"
        );
    }

    #[test]
    fn links_are_names_of_one_file_and_do_not_lead_out() {
        let system = machine()
            .with_git_status("/w", FakeRun::printing(""))
            .with_file("/out/AGENTS.md", "secret")
            .with_file("/w/.agents/skills/x/AGENTS.md", "skill")
            .with_link("/w/CLAUDE.md", "AGENTS.md")
            .with_link("/w/a/AGENTS.md", "/out/AGENTS.md")
            .with_link("/w/b/AGENTS.md", "nowhere")
            .with_link("/w/.claude", "/out")
            .with_link("/w/.cursor/skills", "../.agents/skills")
            .with_link("/w/.agents/skills/up", "..")
            .with_link("/w/src", ".agents");
        let (files, found) = read(&system, "/w");
        assert_eq!(
            files,
            [".agents/skills/x/AGENTS.md, .cursor/skills/x/AGENTS.md: skill", "AGENTS.md, CLAUDE.md: root",]
        );
        assert_eq!(
            found,
            [
                "file/outside .claude was left out: it leads out of the work tree",
                "file/outside a/AGENTS.md was left out: it leads out of the work tree",
                "file/link b/AGENTS.md was left out: a link that points nowhere",
            ]
        );
    }

    #[test]
    fn a_file_over_the_limit_is_not_read() {
        let large = vec![b'x'; usize::try_from(FILE_LIMIT).expect("a small number") + 1];
        let system =
            machine().with_git_status("/w", FakeRun::printing("")).with_file("/w/a/AGENTS.md", large);
        let (files, found) = read(&system, "/w");
        assert_eq!(files, ["AGENTS.md: root"]);
        assert!(found[0].starts_with("file/too-large a/AGENTS.md was left out: "), "{found:?}");
    }
}
