//! The ignore files inside the tree of a root. Each pattern applies to its own directory: one without a slash
//! matches at that level, and only those of the root itself match at every level. Case is ignored. Ignore
//! files around the root are not read.

/// The names of ignore files in rising precedence: a later pattern overrides an earlier one.
pub const FILES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];

/// Converts a line to a pattern of git. Below the root (`bound`) every pattern is bound to its directory.
pub fn pattern(line: &str, bound: bool) -> String {
    if line.trim_start().starts_with('#') {
        return String::new();
    }
    let (negation, line) = match line.strip_prefix('!') {
        Some(rest) => ("!", rest),
        None => ("", line),
    };
    let line = line.strip_prefix('/').unwrap_or(line);
    let start = match line.as_bytes().first() {
        _ if bound => "/",
        Some(b'!' | b'#') => "\\",
        _ => "",
    };
    format!("{negation}{start}{line}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ignore_patterns::IgnorePatterns;
    use ignore::Match;

    fn lines(text: &str, prefix: usize, path: &str, is_dir: bool) -> Option<usize> {
        let mut ignored = IgnorePatterns::default();
        let patterns: Vec<String> = text.lines().map(|line| pattern(line, prefix > 0)).collect();
        let lines = (1..).zip(patterns.iter().map(String::as_str));
        ignored.add("f", lines, prefix, true).expect("few patterns");
        match ignored.matched(path, is_dir) {
            Match::Ignore((_, line)) => Some(line),
            _ => None,
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
        assert_eq!(lines("/!a\n/#b", 0, "!a", true), Some(1));
        assert_eq!(lines("/!a\n/#b", 0, "#b", true), Some(2));
    }
}
