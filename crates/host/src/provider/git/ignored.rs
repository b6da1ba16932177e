//! Files that git ignores, by the patterns of `.gitignore` files and of `info/exclude`.
//!
//! A file that matches is ignored here whether it is tracked or not: the index is not read. The user's `core.excludesFile` is
//! not read either.

use super::{Repository, SMALL};
use crate::system::{ReadScope, System};
use gix_glob::{Pattern, pattern::Case, pattern::Mode, wildmatch};
use std::path::Path;

/// The most steps that the comparison of one file with all patterns may take, as the length of a pattern times that of a path.
const STEPS: usize = 16 << 20;

/// Returns whether git ignores a file of a work tree, by its real path. A file that would take too long to compare is ignored.
pub(crate) fn is_ignored(system: &dyn System, file: &Path) -> bool {
    let Some(repository) = file.parent().and_then(|dir| Repository::holding(system, dir).ok()) else {
        return false;
    };
    let Ok(below) = file.strip_prefix(&repository.root) else { return false };
    let Some(names) = below.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let mut patterns = Patterns { lines: Vec::new(), steps: STEPS };
    patterns.add(system, &repository.common_dir.join("info/exclude"), &repository.common_dir, "");
    let mut path = String::new();
    for (at, name) in names.iter().enumerate() {
        // A directory that is ignored hides what its own patterns would bring back.
        patterns.add(system, &repository.root.join(&path).join(".gitignore"), &repository.root, &path);
        path.push_str(name);
        let is_dir = at + 1 < names.len();
        match patterns.decide(&path, is_dir) {
            Some(true) => return true,
            Some(false) | None if is_dir => path.push('/'),
            _ => {}
        }
    }
    false
}

/// The patterns of the directories so far, the weakest first, each with the path of its directory.
struct Patterns {
    lines: Vec<(String, Pattern)>,
    steps: usize,
}

impl Patterns {
    fn add(&mut self, system: &dyn System, file: &Path, root: &Path, dir: &str) {
        let Ok(read) = system.read(file, ReadScope::Root(root), SMALL) else { return };
        let lines = read.bytes.split(|byte| *byte == b'\n').filter(|line| !line.starts_with(b"#"));
        self.lines.extend(lines.filter_map(|line| {
            Some((dir.to_owned(), gix_glob::parse(line.strip_suffix(b"\r").unwrap_or(line))?))
        }));
    }

    /// Returns whether the last pattern that matches ignores a path or brings it back.
    fn decide(&mut self, path: &str, is_dir: bool) -> Option<bool> {
        for (dir, pattern) in self.lines.iter().rev() {
            let below = &path[dir.len()..];
            let Some(left) = self.steps.checked_sub(pattern.text.len().saturating_mul(below.len()).max(1))
            else {
                return Some(true);
            };
            self.steps = left;
            let name = below.rfind('/').map(|at| at + 1);
            let mode = wildmatch::Mode::NO_MATCH_SLASH_LITERAL;
            if pattern.matches_repo_relative_path(below.into(), name, Some(is_dir), Case::Sensitive, mode) {
                return Some(!pattern.mode.contains(Mode::NEGATIVE));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    #[test]
    fn patterns_of_each_directory_and_of_info_exclude_count() {
        let system = MemorySystem::new()
            .with_file("/w/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/w/.git/objects")
            .with_dir("/w/.git/refs")
            .with_file("/w/.git/info/exclude", "notes.txt\n")
            .with_file(
                "/w/.gitignore",
                "# a comment\r\n.env\r\n/build/\n*.key\n!public.key\ndocs/**/draft.md\n",
            )
            .with_file("/w/sub/.gitignore", "/local.md\n!.env\n");
        for (path, expected) in [
            (".env", true),
            ("a/.env", true),
            ("sub/.env", false),
            ("build/x/y.md", true),
            ("sub/build/y.md", false),
            ("a.key", true),
            ("public.key", false),
            ("docs/a/b/draft.md", true),
            ("notes.txt", true),
            ("sub/local.md", true),
            ("sub/a/local.md", false),
            ("AGENTS.md", false),
        ] {
            let system = system.clone().with_file(format!("/w/{path}"), "x");
            assert_eq!(is_ignored(&system, &Path::new("/w").join(path)), expected, "{path}");
        }
        assert!(!is_ignored(&system, Path::new("/elsewhere/.env")));
    }
}
