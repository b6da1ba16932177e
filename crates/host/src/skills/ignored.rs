//! The ignore files inside the tree of a root. Each pattern applies to its own directory: one without a slash
//! matches at that level, and only those of the root itself match at every level. Case is ignored. Ignore
//! files around the root are not read.

use gix_glob::{Pattern, pattern::Case, wildmatch::Mode};

/// The names of ignore files in rising precedence: a later pattern overrides an earlier one.
pub const FILES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];

/// The most steps that all comparisons of one root may take: a comparison takes at most as many as the length
/// of the pattern times the length of the path, both in bytes.
const STEPS: usize = 128 << 20;

/// The patterns that apply to a directory: those of the directories above it and its own.
#[derive(Debug)]
pub struct IgnorePatterns {
    patterns: Vec<IgnoreLine>,
    files: Vec<String>,
    /// The number of [`STEPS`] that are left.
    steps: usize,
}

/// The error when a path was not compared with all patterns, because that would take more than [`STEPS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySteps;

impl Default for IgnorePatterns {
    fn default() -> Self {
        IgnorePatterns { patterns: Vec::new(), files: Vec::new(), steps: STEPS }
    }
}

#[derive(Debug)]
struct IgnoreLine {
    pattern: Pattern,
    negative: bool,
    /// The bytes of a path that name the directory of the file.
    prefix: usize,
    file: usize,
    line: usize,
}

impl IgnorePatterns {
    /// Returns how many patterns there are, to go back to.
    pub fn mark(&self) -> usize {
        self.patterns.len()
    }

    /// Forgets the patterns of directories that were left.
    pub fn reset(&mut self, mark: usize) {
        self.patterns.truncate(mark);
    }

    /// Adds the patterns of a file. `prefix` is the length of the path of its directory below the root, with the slash
    /// at its end; 0 for the root.
    pub fn add(&mut self, shown: &str, text: &str, prefix: usize) {
        self.files.push(shown.to_owned());
        let file = self.files.len() - 1;
        for (at, line) in text.split('\n').enumerate() {
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Some((pattern, negative)) = pattern(line, prefix > 0) {
                self.patterns.push(IgnoreLine { pattern, negative, prefix, file, line: at + 1 });
            }
        }
    }

    /// Returns the file and the line that leave a path out, where one does. `path` is relative to the root.
    ///
    /// # Errors
    /// [`TooManySteps`], for this path and each one after it.
    pub fn find_match(&mut self, path: &str, is_dir: bool) -> Result<Option<(&str, usize)>, TooManySteps> {
        let mut found = None;
        for line in self.patterns.iter().rev() {
            let below = &path.as_bytes()[line.prefix.min(path.len())..];
            let name = below.iter().rposition(|byte| *byte == b'/').map(|at| at + 1);
            let steps = match line.pattern.first_wildcard_pos {
                Some(_) => line.pattern.text.len().saturating_mul(below.len()).max(1),
                None => line.pattern.text.len(),
            };
            let Some(left) = self.steps.checked_sub(steps) else {
                self.steps = 0;
                return Err(TooManySteps);
            };
            self.steps = left;
            if line.pattern.matches_repo_relative_path(
                below.into(),
                name,
                Some(is_dir),
                Case::Fold,
                Mode::NO_MATCH_SLASH_LITERAL,
            ) {
                found = Some(line);
                break;
            }
        }
        Ok(found.filter(|line| !line.negative).map(|line| (self.files[line.file].as_str(), line.line)))
    }
}

/// Reads a line. Below the root every pattern is bound to its directory.
fn pattern(line: &str, bound: bool) -> Option<(Pattern, bool)> {
    let seen = line.trim();
    if seen.is_empty() || seen.starts_with('#') {
        return None;
    }
    let (line, negative) = match line.strip_prefix('!') {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let line = without_trailing_blanks(line);
    let line = line.strip_prefix('/').unwrap_or(line);
    let pattern = match bound {
        true => Pattern::from_bytes_without_negation(format!("/{line}").as_bytes()),
        false => Pattern::from_bytes_without_negation(line.as_bytes()),
    }?;
    Some((pattern, negative))
}

fn without_trailing_blanks(line: &str) -> &str {
    let kept = line.trim_end_matches(' ');
    let escapes = kept.bytes().rev().take_while(|byte| *byte == b'\\').count();
    if escapes % 2 == 1 && kept.len() < line.len() { &line[..=kept.len()] } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, prefix: usize, path: &str, is_dir: bool) -> Option<usize> {
        let mut ignored = IgnorePatterns::default();
        ignored.add("f", text, prefix);
        ignored.find_match(path, is_dir).expect("few steps").map(|(_, line)| line)
    }

    #[test]
    fn patterns_have_a_budget_of_steps() {
        let pattern = format!("**/{}b\n", "a*".repeat(850));
        let mut ignored = IgnorePatterns::default();
        ignored.add("f", &pattern.repeat(5_000), 0);
        let name = "a".repeat(200);
        assert_eq!(ignored.find_match(&name, false), Err(TooManySteps));
        assert_eq!(ignored.find_match("short", false), Err(TooManySteps), "and so for what follows");
        // Ordinary lists are far from it: 200 patterns and 5,000 names.
        let mut ignored = IgnorePatterns::default();
        ignored.add("f", &"*.log\ntarget/\n".repeat(100), 0);
        for at in 0..5_000 {
            assert_eq!(ignored.find_match(&format!("group/skill-{at}"), true), Ok(None));
        }
    }

    #[test]
    fn the_roots_patterns_match_at_every_level_those_below_at_their_own() {
        assert_eq!(lines("x\n# x\ndraft", 0, "a/b/draft", true), Some(3));
        assert_eq!(lines("/draft", 0, "a/draft", true), Some(1), "a leading slash binds nothing in the root");
        assert_eq!(lines("a/draft", 0, "b/a/draft", true), None);
        assert_eq!(lines("draft", 2, "a/draft", true), Some(1));
        assert_eq!(lines("draft", 2, "a/b/draft", true), None);
        assert_eq!(lines("**/draft", 2, "a/b/draft", true), Some(1));
    }

    #[test]
    fn the_last_pattern_decides_and_a_slash_wants_a_directory() {
        assert_eq!(lines("*.md\n!keep.md", 0, "keep.md", false), None);
        assert_eq!(lines("!keep.md\n*.md", 0, "keep.md", false), Some(2));
        assert_eq!(lines("draft/", 0, "draft", false), None);
        assert_eq!(lines("draft/", 0, "draft", true), Some(1));
        assert_eq!(
            lines("DRAFT  \r\n", 0, "Draft", true),
            Some(1),
            "case and blanks at the end do not matter"
        );
        assert_eq!(lines("a\\ ", 0, "a ", true), Some(1));
    }
}
