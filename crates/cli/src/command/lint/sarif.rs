//! The findings as a SARIF 2.1.0 log: one run, one result for each finding.

use crate::{CommandResult, call::help_of, files};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    scope::Scope,
};
use preface_engine::host::{places::normal, provider::git, system::System as _};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// Returns the log of findings.
pub fn log(findings: &[Diagnostic], base: &PathBase) -> Value {
    let codes: BTreeSet<DiagnosticCode> = findings.iter().map(|diagnostic| diagnostic.code).collect();
    let results: Vec<Value> = findings.iter().map(|diagnostic| result(diagnostic, base)).collect();
    document(base, codes, results, json!({ "executionSuccessful": true }))
}

/// Returns the log of a lint that found nothing out because of this error.
pub fn failed(error: &Diagnostic, base: &PathBase) -> Value {
    let notification = json!({ "level": "error", "message": { "text": text(error) } });
    let invocation = json!({ "executionSuccessful": false, "toolExecutionNotifications": [notification] });
    document(base, BTreeSet::new(), Vec::new(), invocation)
}

fn document(
    base: &PathBase,
    codes: BTreeSet<DiagnosticCode>,
    results: Vec<Value>,
    invocation: Value,
) -> Value {
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "preface",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": codes.into_iter().map(rule).collect::<Vec<_>>(),
            }},
            "automationDetails": { "id": base.category() },
            "invocations": [invocation],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(code: DiagnosticCode) -> Value {
    json!({
        "id": code,
        "shortDescription": { "text": code.meaning() },
        "help": { "text": code.remedy().unwrap_or(code.meaning()) },
    })
}

fn result(diagnostic: &Diagnostic, base: &PathBase) -> Value {
    let level = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    };
    let place = diagnostic.place.as_ref().filter(|place| !place.path.is_empty());
    // What reads the file may refuse a result without a place.
    let path = place.map_or_else(|| ".".to_owned(), |place| base.relative(place));
    let mut physical = json!({ "artifactLocation": { "uri": base.uri(&path) } });
    if let Some(region) = place.and_then(region) {
        physical["region"] = region;
    }
    json!({
        "ruleId": diagnostic.code,
        "level": level,
        "message": { "text": text(diagnostic) },
        "locations": [{ "physicalLocation": physical }],
    })
}

fn region(place: &Place) -> Option<Value> {
    let mut region = Map::new();
    if let Some(line) = place.line {
        region.insert("startLine".to_owned(), line.into());
        if let Some(column) = place.column {
            region.insert("startColumn".to_owned(), column.into());
        }
    }
    if let Some(span) = &place.span {
        region.insert("byteOffset".to_owned(), span.start.into());
        region.insert("byteLength".to_owned(), span.len().into());
    }
    (!region.is_empty()).then(|| region.into())
}

/// Returns the message and what to do next.
fn text(diagnostic: &Diagnostic) -> String {
    match help_of(diagnostic) {
        Some(help) => format!("{}\n{help}", diagnostic.message),
        None => diagnostic.message.clone(),
    }
}

/// Makes paths relative to the root of the repository, as code hosts read them.
#[derive(Clone, Debug)]
pub struct PathBase {
    /// The directory that the paths of findings are relative to.
    dir: PathBuf,
    /// The root of its work tree, or the directory itself outside of a repository.
    root: PathBuf,
    /// True if the paths are those of `--file`, false if only the project's paths are relative to `dir`.
    is_files: bool,
    /// The home directory.
    home: Option<PathBuf>,
}

impl PathBase {
    /// Creates the base of a directory, by default the current one.
    pub fn of(dir: Option<PathBuf>, is_files: bool) -> CommandResult<Self> {
        let dir = files::absolute(dir.as_deref().unwrap_or(Path::new(".")))?;
        let system = files::system();
        let dir = system.canonical(&dir).unwrap_or(dir);
        let root = git::work_tree_root(system, &dir);
        Ok(PathBase { root: root.unwrap_or_else(|| dir.clone()), dir, is_files, home: system.home() })
    }

    /// Returns the category of the log, which a code host takes once: that of the directory in its repository.
    fn category(&self) -> String {
        let dir = self.dir.strip_prefix(&self.root).unwrap_or(Path::new(""));
        format!("preface/{}/", dir.display()).replace("//", "/")
    }

    /// Returns the URI of a path: a relative reference, or an absolute URI for a file of the home directory.
    fn uri(&self, path: &str) -> String {
        match (path.strip_prefix("~/"), &self.home) {
            (Some(below), Some(home)) => format!("file://{}", uri(&home.join(below).display().to_string())),
            _ => uri(path),
        }
    }

    /// Returns the path relative to the root; a path outside of it, or of no file of the project, as it is.
    fn relative(&self, place: &Place) -> String {
        if place.scope != Some(Scope::Project) && !self.is_files {
            return place.path.clone();
        }
        let path = normal(&self.dir, Path::new(&place.path));
        path.strip_prefix(&self.root).map_or_else(|_| place.path.clone(), |path| path.display().to_string())
    }
}

/// Writes a path as a relative reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            byte => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference() {
        assert_eq!(uri("docs/größe 1.md"), "docs/gr%C3%B6%C3%9Fe%201.md");
    }

    #[test]
    fn paths_are_relative_to_the_repository() {
        let base =
            PathBase { dir: "/r/api".into(), root: "/r".into(), is_files: false, home: Some("/h".into()) };
        let of = |scope, path: &str| base.relative(&Place { scope, path: path.into(), ..Place::default() });
        assert_eq!(of(Some(Scope::Project), "AGENTS.md"), "api/AGENTS.md");
        assert_eq!(of(Some(Scope::Project), "../AGENTS.md"), "AGENTS.md");
        assert_eq!(of(Some(Scope::Project), "../../out.md"), "../../out.md");
        assert_eq!(of(Some(Scope::Global), "~/.config/preface/base.md"), "~/.config/preface/base.md");
        assert_eq!(base.category(), "preface/api/");
        assert_eq!(PathBase { dir: "/r".into(), ..base.clone() }.category(), "preface/");
        assert_eq!(base.uri("~/my files/base.md"), "file:///h/my%20files/base.md");
    }
}
