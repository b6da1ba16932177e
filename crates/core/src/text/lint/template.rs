//! Diagnostics about a template that its author may want to know; none of them changes what it renders to.
//!
//! Everything here follows from the text and a [`VariableTypes`] of the known keys. What depends on
//! files (`template/file` and its like) is found by the host.

mod catalogue;
mod foreign;
mod near;
mod tags;
mod unclosed;
mod volatile;

pub use catalogue::{VariableType, VariableTypes};
pub(crate) use tags::impossible_value;

use super::character::excerpt;
use crate::{
    bounded_list::BoundedList,
    diagnostic::{Diagnostic, DiagnosticCode, Remedy, Severity},
    scope::Scope,
    template::{Locator, Template, TemplateError, TemplateOptions, TextPosition},
};
use serde::Serialize;
use std::{cmp::Reverse, ops::Range};

/// A diagnostic on a place of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TemplateFinding {
    /// Code, severity, message and place for people.
    pub diagnostic: Diagnostic,
    /// The bytes that it is about, and their line and columns for editors.
    pub position: TextPosition,
    /// A change that settles it, if there is an obvious one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
}

/// A proposed change of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Edit {
    /// The bytes to replace.
    #[serde(with = "crate::origin::range")]
    pub range: Range<usize>,
    /// The text to write there.
    pub replacement: String,
}

/// Looks at the template `text` that is in the file `path`, in the order of its bytes.
///
/// | Code | Severity | About |
/// |---|---|---|
/// | `template/unregistered-type` | warning | nobody answers for this type: a variable vanishes, a branch is constant. Where
/// such a tag is text: the type of a known key was perhaps meant |
/// | `template/unknown-name` | warning | the type has no such name; where such a tag is text: another name was perhaps meant |
/// | `template/unbalanced` | warning | the tag is text |
/// | `template/unknown-value` | warning | a test compares a variable with a value that its declaration does not have |
/// | `template/near-miss` | info | text in brackets or braces that was perhaps meant as a tag |
/// | `template/volatile-early` | info | a value that changes with every build is before text that does not, and that is more than a short rest of its line |
/// | `template/utc-date` | info | `system:date` is the day in UTC |
/// | `template/depth`, `template/too-large` | error | the template breaks a limit and cannot be used |
///
/// Of more than `most` findings it keeps the worst, and of equally bad ones the first, and returns how many there were besides.
/// Neither time nor memory grows faster than the text.
///
/// # Example
/// ```
/// use preface_core::{variable::Stability, lint::template::{VariableTypes, lint}, template::TemplateOptions};
/// let catalogue = VariableTypes::default().fixed("git", "branch", Stability::Conversation);
/// let options = TemplateOptions::default();
/// let (findings, left) = lint("On [git:brnach][else][else].", &options, &catalogue, None, "template.md", 2);
/// assert_eq!(findings[0].diagnostic.code.as_str(), "template/unknown-name");
/// assert_eq!(findings[0].edit.as_ref().unwrap().replacement, "branch");
/// assert_eq!((findings.len(), left), (2, 1));
/// ```
#[must_use]
pub fn lint(
    text: &str,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    scope: Option<Scope>,
    path: &str,
    most: usize,
) -> (Vec<TemplateFinding>, usize) {
    if let Some(error) = TemplateError::too_large(text, options) {
        let diagnostic = error.to_diagnostic(scope, path, text);
        return (vec![TemplateFinding { diagnostic, position: error.position, edit: None }], 0);
    }
    let template = Template::parse_unlimited(text.into(), options);
    let mut diagnostics = PendingFindings(BoundedList::new(most));
    tags::structure(&template, options, &mut diagnostics);
    tags::unknown(&template, options, catalogue, &mut diagnostics);
    tags::diagnostics(&template, options, catalogue, &mut diagnostics);
    volatile::diagnostics(&template, catalogue, &mut diagnostics);
    near::diagnostics(&template, options, catalogue, &mut diagnostics);
    unclosed::diagnostics(&template, catalogue, &mut diagnostics);
    foreign::diagnostics(&template, catalogue, &mut diagnostics);
    diagnostics.locate(text, scope, path)
}

/// Finds the tags of a template that are text because their block is broken: `if`, `else` and `endif` without their partners; and
/// tests that can never hold. Of more than `most` it returns the first. A template that is too large has none.
///
/// ```
/// use preface_core::{lint::template::lint_structure, template::TemplateOptions};
/// let findings = lint_structure("[else][git:brnach]", &TemplateOptions::default(), None, "template.md", 5);
/// assert_eq!(findings[0].diagnostic.code.as_str(), "template/unbalanced");
/// assert_eq!(findings.len(), 1);
/// ```
#[must_use]
pub fn lint_structure(
    text: &str,
    options: &TemplateOptions,
    scope: Option<Scope>,
    path: &str,
    most: usize,
) -> Vec<TemplateFinding> {
    if TemplateError::too_large(text, options).is_some() {
        return Vec::new();
    }
    let mut diagnostics = PendingFindings(BoundedList::new(most));
    tags::structure(&Template::parse_unlimited(text.into(), options), options, &mut diagnostics);
    diagnostics.locate(text, scope, path).0
}

/// Finds the tags of a template that are of no known type or name, where such a tag is blank. Of more than `most` it returns the
/// first, and the number of the others.
pub(crate) fn lint_unknown(
    template: &Template,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    scope: Option<Scope>,
    path: &str,
    most: usize,
) -> (Vec<TemplateFinding>, usize) {
    let mut diagnostics = PendingFindings(BoundedList::new(most));
    tags::unknown(template, options, catalogue, &mut diagnostics);
    diagnostics.locate(template.text(), scope, path)
}

/// A finding before its line and column are known.
struct PendingFinding {
    diagnostic: Diagnostic,
    range: Range<usize>,
    edit: Option<Edit>,
}

impl PendingFinding {
    fn new(
        severity: Severity,
        code: DiagnosticCode,
        range: &Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        PendingFinding {
            diagnostic: Diagnostic::new(severity, code, message),
            range: range.clone(),
            edit: None,
        }
    }

    fn help(mut self, help: impl Into<Remedy>) -> Self {
        self.diagnostic = self.diagnostic.help(help);
        self
    }

    fn edit(mut self, range: Range<usize>, replacement: impl Into<String>) -> Self {
        self.edit = Some(Edit { range, replacement: replacement.into() });
        self
    }
}

/// The worst diagnostics, and of equally bad ones the first.
struct PendingFindings(BoundedList<(Reverse<Severity>, usize), PendingFinding>);

impl PendingFindings {
    /// Finds line and column of each, in the order of the text. Returns how many were left out besides.
    fn locate(self, text: &str, scope: Option<Scope>, path: &str) -> (Vec<TemplateFinding>, usize) {
        let (mut diagnostics, left) = self.0.finish();
        diagnostics.sort_by_key(|found| found.range.start);
        let mut locator = Locator::new(text);
        let finding = |found: PendingFinding| {
            let (position, place) = locator.place(scope, path, found.range);
            TemplateFinding { diagnostic: found.diagnostic.at(place), position, edit: found.edit }
        };
        (diagnostics.into_iter().map(finding).collect(), left)
    }

    fn push(&mut self, diagnostic: PendingFinding) {
        self.0.push((Reverse(diagnostic.diagnostic.severity), diagnostic.range.start), diagnostic);
    }
}

/// Returns the start of a text of the template for a message.
fn shown(text: &str) -> String {
    excerpt(text, 40)
}
