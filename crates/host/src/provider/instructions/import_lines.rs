//! Lines that import a file, `@PATH` alone in its line, where nothing resolves them: they are reported.

use super::{reach, text::InstructionText};
use crate::provider::context::ProviderContext;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
};
use std::{
    path::{Path, PathBuf},
    rc::Rc,
};

/// The most imports of a file that are reported one by one.
const MOST_REPORTED: usize = 5;

/// An included file with its imports.
pub struct ImportLines {
    path: PathBuf,
    text: Rc<InstructionText>,
    /// The line, the path as written, and the file that it names.
    lines: Vec<(usize, String, PathBuf)>,
}

impl ImportLines {
    pub fn of(path: &Path, text: Rc<InstructionText>, context: &ProviderContext<'_>) -> Self {
        let dir = path.parent().unwrap_or(path);
        let target = |name: &str| reach::named(name, dir, context).unwrap_or_default();
        let whole = text.whole();
        let lines = imports(&whole).into_iter().map(|(line, name)| (line, name.to_owned(), target(name)));
        let lines = lines.collect();
        drop(whole);
        ImportLines { path: path.to_owned(), lines, text }
    }

    /// Returns whether the file holds nothing but imports of files that are included.
    pub fn is_all(&self, included: &[ImportLines]) -> bool {
        !self.lines.is_empty()
            && self.missing(included).next().is_none()
            && self.text.whole().lines().filter(|line| !line.trim().is_empty()).count() == self.lines.len()
    }

    fn missing<'l>(
        &'l self,
        included: &'l [ImportLines],
    ) -> impl Iterator<Item = &'l (usize, String, PathBuf)> {
        self.lines.iter().filter(|(.., path)| !included.iter().any(|file| file.path == *path))
    }

    /// Reports the imports of a file that is not included itself.
    pub fn report(&self, included: &[ImportLines], context: &ProviderContext<'_>) {
        let missing: Vec<_> = self.missing(included).collect();
        let source = &self.text.source;
        for (at, (line, name, _)) in missing.iter().take(MOST_REPORTED).enumerate() {
            let (shown, name) = (&source.path, escape_hidden(name));
            let more = match missing.len() - at {
                left if at + 1 == MOST_REPORTED && left > 1 => {
                    format!("; nor are {} more imports of the file", left - 1)
                }
                _ => String::new(),
            };
            let what = format!("{shown}:{line} imports `{name}`, which is not resolved{more}");
            let mut place = Place::file(Some(source.scope), shown.clone());
            place.line = Some(*line);
            context.note(Diagnostic::warning(DiagnosticCode::ContextImport, what).at(place).help(
                "the line is included as text; in a profile, `imports = \"insert\"` for this section includes the file",
            ));
        }
    }
}

/// Returns the lines that import a file, `@PATH` alone in its line and outside of code, with their numbers.
fn imports(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut imports = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let Some(name) = line.strip_prefix('@').filter(|_| !in_code) else { continue };
        if name.contains(['.', '/']) && !name.contains(char::is_whitespace) {
            imports.push((at + 1, name));
        }
    }
    imports
}
