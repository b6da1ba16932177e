//! The files that are scanned as a whole.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    profile::{Profile, ReplacementSource},
    scope::Scope,
    section::{Language, SectionBody},
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// Files that every profile sends as they are.
pub(super) const VERBATIM: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "system.md"];

/// The files that are scanned as a whole, by their paths for people: those of the project, and the user's skills.
#[derive(Default)]
pub(super) struct FileTexts {
    pub by_name: BTreeMap<String, FileText>,
    paths: BTreeSet<PathBuf>,
    /// The files that are not UTF-8.
    pub not_utf8: Diagnostics,
}

pub(super) struct FileText {
    pub scope: Scope,
    pub path: PathBuf,
    pub text: String,
}

impl FileTexts {
    /// Adds a file, each once.
    pub fn add(&mut self, scope: Scope, shown: &str, path: &Path, bytes: &[u8]) {
        if !self.paths.insert(path.to_owned()) {
            return;
        }
        let text = lossy(Some(scope), shown, bytes, &mut self.not_utf8).into_owned();
        self.by_name.insert(shown.to_owned(), FileText { scope, path: path.to_owned(), text });
    }

    /// Returns the file that a text is from.
    pub fn get(&self, scope: Option<Scope>, path: &str) -> Option<&FileText> {
        self.by_name.get(path).filter(|file| Some(file.scope) == scope)
    }
}

/// Returns bytes as text, and reports those that are not UTF-8.
pub(super) fn lossy<'b>(
    scope: Option<Scope>,
    path: &str,
    bytes: &'b [u8],
    diagnostics: &mut Diagnostics,
) -> Cow<'b, str> {
    let text = String::from_utf8_lossy(bytes);
    if let Cow::Owned(_) = text {
        let what = format!("{path} is not UTF-8: bad bytes became U+FFFD");
        let diagnostic = Diagnostic::warning(DiagnosticCode::FileNotUtf8, what);
        diagnostics.push(diagnostic.at(Place::file(scope, path)).help("save the file as UTF-8"));
    }
    text
}

/// Returns true for a file that a profile reads as a template, by its name.
pub(super) fn is_template(profile: &Profile, path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    let in_sections = path.parent().and_then(Path::file_name).is_some_and(|dir| dir == "sections");
    let listed = profile.sections.iter().any(|section| {
        let names = section.options.get("names").and_then(|names| names.as_array());
        section.language == Language::Template
            && matches!(section.body, SectionBody::Fill(_))
            && names.is_some_and(|names| names.iter().any(|one| one.as_str() == Some(&*name)))
            && !VERBATIM.contains(&&*name)
    });
    let replaces = profile.groups.iter().any(|group| {
        group.language == Language::Template
            && group.replace.iter().filter_map(ReplacementSource::file).any(|file| file.name == *name)
    });
    in_sections || listed || replaces
}
