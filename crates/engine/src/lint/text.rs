//! The lints of a text.

use super::Lint;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::{
        decoded::scan_strings,
        finding::{self, FindingLimiter, OmittedFindings, TextFinding},
        forged, hidden, secret, template,
    },
    scope::Scope,
    section::Language,
    trust::TrustMode,
};

/// A text that lints look at.
pub(super) struct LintedText<'t> {
    pub scope: Option<Scope>,
    pub path: &'t str,
    pub text: &'t str,
    pub language: Language,
}

/// The lints of a text, by name. A new one is a line here.
pub(super) const TEXT_LINTS: [fn(&Lint, &LintedText<'_>) -> Diagnostics; 4] =
    [Lint::forged_structure, Lint::hidden_text, Lint::secrets, Lint::template_tags];

impl Lint {
    /// Finds tags and roles that a text imitates.
    fn forged_structure(&self, linted: &LintedText<'_>) -> Diagnostics {
        let is_foreign = self.profile.trust == TrustMode::None && linted.scope == Some(Scope::Project);
        let scan = if is_foreign { forged::scan_few } else { forged::scan_granted };
        linted.scan(|text| scan(text, &self.tags, self.most()))
    }

    /// Finds what a reader does not see.
    fn hidden_text(&self, linted: &LintedText<'_>) -> Diagnostics {
        linted.scan(|text| hidden::scan_few(text, self.most()))
    }

    /// Finds keys and passwords.
    fn secrets(&self, linted: &LintedText<'_>) -> Diagnostics {
        linted.scan(|text| FindingLimiter::of(self.most(), secret::scan(text)))
    }

    /// Finds tags of a template that do nothing, and a structure that is broken.
    pub fn template_tags(&self, linted: &LintedText<'_>) -> Diagnostics {
        let LintedText { scope, path, text, language } = *linted;
        if language != Language::Template {
            return Diagnostics::new();
        }
        let most = self.most() * 5;
        let (found, left) = template::lint(text, &self.limits, &self.catalogue, scope, path, most);
        let mut found: Diagnostics = found.into_iter().map(|found| found.diagnostic).collect();
        if left > 0 {
            let what = format!("… and {left} more findings about the tags of this template");
            found.push(Diagnostic::warning(DiagnosticCode::TemplateMore, what).at(Place::file(scope, path)));
        }
        found
    }
}

impl LintedText<'_> {
    /// Reports what a scan finds in the text, and in its strings as they are read.
    fn scan<F: TextFinding>(&self, scan: impl Fn(&str) -> (Vec<F>, Vec<OmittedFindings>)) -> Diagnostics {
        let LintedText { scope, path, text, .. } = *self;
        let (found, more) = scan(text);
        let mut diagnostics = finding::diagnostics(&found, text, scope, path);
        diagnostics.extend(finding::diagnostics(&more, text, scope, path));
        diagnostics.extend(scan_strings(text, scope, path, |text| scan(text).0));
        diagnostics
    }
}
