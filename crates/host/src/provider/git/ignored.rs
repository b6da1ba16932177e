//! Files that git ignores, by the patterns of `.gitignore` files and of `info/exclude`.
//!
//! A file that matches is ignored here whether it is tracked or not: the index is not read. The user's `core.excludesFile` is
//! not read either.

use super::{Repository, SMALL};
use crate::{
    ignore_patterns::IgnorePatterns,
    system::{ReadScope, System},
};
use std::path::Path;

/// Returns whether git ignores a file of a work tree, by its real path. If the patterns are too large, all files are ignored.
pub(crate) fn is_ignored(system: &dyn System, file: &Path) -> bool {
    let Some(repository) = file.parent().and_then(|dir| Repository::holding(system, dir).ok()) else {
        return false;
    };
    let Ok(below) = file.strip_prefix(&repository.root) else { return false };
    let Some(names) = below.iter().map(|name| name.to_str()).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let mut patterns = IgnorePatterns::default();
    let exclude = repository.common_dir.join("info/exclude");
    let mut is_complete = add(&mut patterns, system, &exclude, &repository.common_dir, 0);
    let mut path = String::new();
    for (at, name) in names.iter().enumerate() {
        // A directory that is ignored hides what its own patterns would bring back.
        let file = repository.root.join(&path).join(".gitignore");
        is_complete &= add(&mut patterns, system, &file, &repository.root, path.len());
        path.push_str(name);
        let is_dir = at + 1 < names.len();
        if !is_complete || patterns.matched(&path, is_dir).is_ignore() {
            return true;
        }
        path.push('/');
    }
    false
}

/// Adds the patterns of a file; false if they are too large.
pub(crate) fn add(
    patterns: &mut IgnorePatterns,
    system: &dyn System,
    file: &Path,
    root: &Path,
    prefix: usize,
) -> bool {
    let Ok(read) = system.read(file, ReadScope::Root(root), SMALL) else { return true };
    let text = String::from_utf8_lossy(&read.bytes);
    patterns.add("", (1..).zip(text.lines()), prefix, false).is_ok()
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
