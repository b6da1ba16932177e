//! A directory of rules: which files it has, and about which files each of them is.

use crate::{
    directory_walk::{DirectoryWalk, WalkLimits},
    markdown::MarkdownPaths,
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::DiagnosticCode,
    scope::Scope,
    skill::frontmatter::{self, split},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most rules that a build reads.
pub const MOST_RULES: usize = 1_000;
/// The most bytes of all rules.
pub const MOST_BYTES: u64 = 4 << 20;

const LIMITS: WalkLimits = WalkLimits {
    directories: 1_000,
    depth: 32,
    unreadable: DiagnosticCode::RulesDirectory,
    too_many: DiagnosticCode::RulesLimit,
    too_deep: DiagnosticCode::RulesLimit,
};

/// Walks a directory of rules. Returns the files sorted by path, and reports what is left out.
pub fn walk(dir: &Path, scope: Scope, context: &ProviderContext<'_>) -> Vec<PathBuf> {
    let within = (scope == Scope::Project).then(|| context.layer_root());
    let mut paths = MarkdownPaths::default();
    DirectoryWalk::run(dir, scope, within, LIMITS, context, &mut paths);
    paths.0.into_iter().map(|found| found.path).collect()
}

/// The head of a rule.
#[derive(Debug, PartialEq)]
pub struct RuleHead {
    /// The globs of the files that it applies to; `None` for all files.
    pub paths: Option<Vec<String>>,
    /// The start of the text after the head.
    pub body: usize,
    /// The problem of an invalid head, and its line.
    pub problem: Option<(String, Option<usize>)>,
}

/// Reads the head of a rule. A glob that starts with a star is no YAML, and everybody writes it.
pub fn head(text: &str) -> RuleHead {
    let parts = split(text);
    let Some(block) = &parts.block else { return RuleHead { paths: None, body: 0, problem: None } };
    let rest = &text[parts.body_start..];
    let body = parts.body_start + rest.find('\n').map_or(rest.len(), |end| end + 1);
    let (paths, problem) = match frontmatter::read_lenient(block, |key| KEYS.contains(&key)) {
        Ok((fields, error)) => match fields.get("paths").map(|value| globs(value, error.is_some())) {
            None => (None, None),
            Some(Ok(paths)) => (paths, None),
            Some(Err(why)) => (Some(Vec::new()), Some((why, None))),
        },
        Err(error) => {
            (None, Some((format!("its head is no YAML: {}", error.message), error.line.map(|at| at + 1))))
        }
    };
    RuleHead { paths, body, problem }
}

/// The keys that rules of programs have.
const KEYS: [&str; 6] = ["alwaysApply", "description", "globs", "name", "paths", "title"];

/// Reads the value of `paths`; `as_written` is true if it may be no YAML. Nothing in it means all files.
fn globs(value: &Value, as_written: bool) -> Result<Option<Vec<String>>, String> {
    let list = match value {
        Value::Null => Vec::new(),
        Value::String(text) if as_written => in_text(text),
        Value::String(text) => at_commas(text),
        Value::Array(list) => {
            let texts = list.iter().map(|item| match item {
                Value::String(text) => Ok(text.clone()),
                _ => Err("`paths` holds something that is no text".to_owned()),
            });
            texts.collect::<Result<_, _>>()?
        }
        _ => return Err("`paths` is neither a text nor a list of texts".to_owned()),
    };
    Ok((!list.is_empty()).then_some(list))
}

/// Reads a list that is written in one text: with commas, in brackets, or as lines of items.
fn in_text(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let items = inner.lines().map(|line| line.trim()).map(|line| line.strip_prefix("- ").unwrap_or(line));
    items.flat_map(at_commas).map(|path| path.trim_matches(['"', '\'']).to_owned()).collect()
}

/// Cuts a text at its commas, but not at those in braces.
fn at_commas(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let parts = text.split(|c| {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(head_text: &str) -> Option<Vec<String>> {
        let text = format!("---\n{head_text}\n---\nBody\n");
        let head = head(&text);
        assert_eq!((&text[head.body..], head.problem), ("Body\n", None), "{head_text}");
        head.paths
    }

    #[test]
    fn paths_are_a_list_or_a_text() {
        let both = Some(vec!["src/*.{ts,tsx}".to_owned(), "lib/**".to_owned()]);
        assert_eq!(paths("paths:\n  - \"src/*.{ts,tsx}\"\n  - lib/**"), both);
        assert_eq!(paths("paths: [\"src/*.{ts,tsx}\", lib/**]"), both);
        assert_eq!(paths("paths: src/*.{ts,tsx}, lib/**"), both);
        assert_eq!(paths("name: a\npaths: src/*.{ts,tsx},lib/**\r"), both);
        for none in ["", "name: a", "paths:", "paths: []", "paths: \"\"", "path: a"] {
            assert_eq!(paths(none), None, "{none}");
        }
    }

    #[test]
    fn stars_without_quotes_are_taken_as_they_are_meant() {
        let stars = Some(vec!["**/*.ts".to_owned(), "*.md".to_owned()]);
        assert_eq!(paths("paths: **/*.ts, *.md"), stars);
        assert_eq!(paths("paths:\n  - **/*.ts\n  - '*.md'\nname: a"), stars);
        assert_eq!(paths("paths: [**/*.ts, \"*.md\"]"), stars);
    }

    #[test]
    fn a_head_that_cannot_be_read_is_reported() {
        let broken = head("---\nname: a\nname: b\n---\nBody");
        assert_eq!(broken.paths, None);
        assert_eq!(broken.problem.and_then(|(_, line)| line), Some(3));
        let number = head("---\npaths: 7\n---\nBody");
        assert_eq!(number.paths, Some(Vec::new()), "it was meant for some files, so it applies to none");
        assert!(number.problem.is_some());
    }

    #[test]
    fn only_two_fences_make_a_head() {
        for text in ["Body", "---\npaths: a\n", " ---\npaths: a\n---\n", ""] {
            assert_eq!(head(text), RuleHead { paths: None, body: 0, problem: None }, "{text:?}");
        }
        let text = "\u{feff}---\r\npaths: a\r\n---\r\nBody";
        assert_eq!((&text[head(text).body..], head(text).paths), ("Body", Some(vec!["a".to_owned()])));
    }
}
