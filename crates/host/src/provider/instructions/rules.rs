//! A directory of rules: which files it has, and about which files each of them is.

use super::{
    diagnostics::DiagnosticReporter,
    reach::{ImportReach, is_in_git_dir},
};
use crate::{
    provider_context::ProviderContext,
    system::{DirEntry, FileKind, ReadError},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
    skill::frontmatter::{self, split},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fmt::Display,
    path::{Path, PathBuf},
};

/// The most rules that a build reads.
pub const MOST_RULES: usize = 1_000;
/// The most bytes of all rules.
pub const MOST_BYTES: u64 = 4 << 20;
/// The most entries of all directories of rules.
const MOST_ENTRIES: usize = 20_000;
/// The deepest nesting of directories of rules.
const DEEPEST: usize = 32;

/// Walks a directory of rules. Returns the files sorted by path, and reports what is left out.
pub fn walk(
    dir: &Path,
    scope: Scope,
    reach: &ImportReach,
    context: &ProviderContext<'_>,
    diagnostics: &DiagnosticReporter<'_>,
) -> Vec<PathBuf> {
    let mut walk = RuleWalk {
        context,
        diagnostics,
        scope,
        reach,
        walked: BTreeMap::new(),
        entries: MOST_ENTRIES,
        found: Vec::new(),
    };
    match context.system.canonical(dir) {
        Ok(real) if walk.may_enter(dir, &real) => walk.dir(dir, real, 0),
        _ => {}
    }
    walk.found
}

struct RuleWalk<'a> {
    context: &'a ProviderContext<'a>,
    diagnostics: &'a DiagnosticReporter<'a>,
    scope: Scope,
    reach: &'a ImportReach,
    /// The directories that were walked, by real path.
    walked: BTreeMap<PathBuf, PathBuf>,
    /// The number of entries that are left.
    entries: usize,
    found: Vec<PathBuf>,
}

impl RuleWalk<'_> {
    fn dir(&mut self, dir: &Path, real: PathBuf, depth: usize) {
        if let Some(first) = self.walked.get(&real) {
            let first = self.shown(first);
            self.report(
                dir,
                DiagnosticCode::RulesDirectory,
                &format!("leads back to {first}, which is read already"),
            );
            return;
        }
        if depth > DEEPEST {
            let why = format!("it lies deeper than {DEEPEST} directories");
            self.left_out(dir, DiagnosticCode::RulesLimit, why);
            return;
        }
        self.walked.insert(real.clone(), dir.to_owned());
        let entries = match self.context.system.list(dir, self.entries) {
            Ok(entries) => entries,
            Err(ReadError::Missing) => return,
            Err(ReadError::TooLarge { .. }) => {
                let why = format!("all rules may have {MOST_ENTRIES} entries together");
                self.left_out(dir, DiagnosticCode::RulesLimit, why);
                return;
            }
            Err(error) => {
                self.left_out(dir, DiagnosticCode::RulesDirectory, error);
                return;
            }
        };
        self.entries -= entries.len();
        for entry in &entries {
            self.entry(dir, &real, entry, depth);
        }
    }

    fn entry(&mut self, dir: &Path, real: &Path, entry: &DirEntry, depth: usize) {
        let name = entry.name.as_encoded_bytes();
        if name.starts_with(b".") {
            return;
        }
        let is_rule = name.len() > 3 && name.ends_with(b".md");
        let path = dir.join(&entry.name);
        match entry.kind {
            FileKind::File if is_rule => self.found.push(path),
            FileKind::Dir => self.dir(&path, real.join(&entry.name), depth + 1),
            FileKind::Link => self.link(&path, is_rule, depth),
            _ => {}
        }
    }

    fn link(&mut self, path: &Path, is_rule: bool, depth: usize) {
        let target = match self.context.system.canonical(path) {
            Ok(target) => target,
            Err(error) if is_rule => {
                return self.left_out(path, DiagnosticCode::FileLink, error);
            }
            Err(_) => return,
        };
        match self.context.system.stat(&target).map(|stat| stat.kind) {
            Some(FileKind::File) if is_rule && self.may_enter(path, &target) => {
                self.found.push(path.to_owned());
            }
            Some(FileKind::Dir) if self.may_enter(path, &target) => self.dir(path, target, depth + 1),
            _ => {}
        }
    }

    /// True if what a name leads to may be read.
    fn may_enter(&self, path: &Path, real: &Path) -> bool {
        let root = self.context.layer_root();
        let inside = match (self.scope, self.reach) {
            (Scope::Project, ImportReach::Tree(tree)) => {
                self.context.may_lie_at(real, root) && !is_in_git_dir(real, tree)
            }
            _ => true,
        };
        if !inside {
            self.diagnostics.report(Severity::Warning, DiagnosticCode::FileOutside, || {
                let shown = self.shown(path);
                let why = "it leads out of what the project may read";
                Diagnostic::left_out(Severity::Warning, DiagnosticCode::FileOutside, &shown, why)
                    .at(Place::file(Some(self.scope), shown))
                    .help(self.context.help_for_outside(real))
            });
        }
        inside
    }

    fn shown(&self, path: &Path) -> String {
        self.context.places.source(self.scope, path).path.clone()
    }

    fn left_out(&self, path: &Path, code: DiagnosticCode, why: impl Display) {
        self.diagnostics.report(Severity::Warning, code, || {
            let shown = self.shown(path);
            Diagnostic::left_out(Severity::Warning, code, &shown, why)
                .at(Place::file(Some(self.scope), shown))
        });
    }

    fn report(&self, path: &Path, code: DiagnosticCode, what: &str) {
        self.diagnostics.report(Severity::Warning, code, || {
            let shown = self.shown(path);
            Diagnostic::warning(code, format!("{shown} {what}")).at(Place::file(Some(self.scope), shown))
        });
    }
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
