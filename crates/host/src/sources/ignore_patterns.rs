//! The patterns of ignore files: of `.gitignore` for git, and of the files that a walk over skills reads.

use ignore::{
    Match,
    gitignore::{Gitignore, GitignoreBuilder},
};
use std::path::Path;

/// The patterns of a directory and of those above it, the weakest first. A later pattern overrides an earlier one.
#[derive(Debug, Default)]
pub(crate) struct IgnorePatterns {
    /// Each file with the bytes of a path that name its directory.
    files: Vec<(usize, Gitignore)>,
}

impl IgnorePatterns {
    /// Returns the number of files, to go back to.
    pub(crate) fn mark(&self) -> usize {
        self.files.len()
    }

    /// Forgets the files of directories that were left.
    pub(crate) fn reset(&mut self, mark: usize) {
        self.files.truncate(mark);
    }

    /// Adds the lines of a file, each with its number. `prefix` is the length of the path of its directory, with the slash at
    /// its end; 0 for the root.
    ///
    /// # Errors
    /// The patterns are too large.
    pub(crate) fn add<'l>(
        &mut self,
        shown: &str,
        lines: impl Iterator<Item = (usize, &'l str)>,
        prefix: usize,
        ignore_case: bool,
    ) -> Result<(), ignore::Error> {
        let mut builder = GitignoreBuilder::new("");
        builder.case_insensitive(ignore_case)?;
        for (number, line) in lines {
            // An invalid pattern matches nothing. The line is kept as the last name of the file's path.
            let _ = builder.add_line(Some(Path::new(shown).join(number.to_string())), &literal_braces(line));
        }
        self.files.push((prefix, builder.build()?));
        Ok(())
    }

    /// Returns the file and the line of the last pattern that matches a path below the root; `Match::Whitelist` if it brings
    /// the path back.
    pub(crate) fn matched(&self, path: &str, is_dir: bool) -> Match<(String, usize)> {
        let matches = self.files.iter().rev().map(|(prefix, file)| file.matched(&path[*prefix..], is_dir));
        matches.into_iter().find(|found| !found.is_none()).unwrap_or(Match::None).map(|glob| {
            let from = glob.from().unwrap_or(Path::new(""));
            let number = from.file_name().and_then(|name| name.to_str()?.parse().ok());
            let file = from.parent().unwrap_or(from).display().to_string();
            (file, number.unwrap_or_default())
        })
    }
}

/// Escapes braces: git knows no alternatives.
fn literal_braces(line: &str) -> String {
    let mut escaped = String::with_capacity(line.len());
    let mut is_escape = false;
    for character in line.chars() {
        if matches!(character, '{' | '}') && !is_escape {
            escaped.push('\\');
        }
        is_escape = character == '\\' && !is_escape;
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_are_no_alternatives_and_an_invalid_pattern_matches_nothing() {
        let mut patterns = IgnorePatterns::default();
        let lines = ["{a,b}", "\\{c,d}", "[x", "e"];
        patterns.add("f", (1..).zip(lines), 0, false).expect("few patterns");
        for (path, expected) in [("{a,b}", 1), ("{c,d}", 2), ("a", 0), ("x", 0), ("s/e", 4)] {
            let found = patterns.matched(path, false).inner().map_or(0, |(_, line)| *line);
            assert_eq!(found, expected, "{path}");
        }
    }
}
