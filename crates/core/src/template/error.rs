//! A template that cannot be used: nothing of it is rendered.

use super::{Template, TemplateOptions, TextPosition, blocks::too_deep, position::Locator};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    lint::character::floor_char_boundary,
    scope::Scope,
};

/// A template that breaks a limit of its [`TemplateOptions`]: it has more bytes than allowed, or more `if` blocks are nested.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TemplateError {
    /// The stable code: `template/depth` or `template/too-large`.
    pub code: DiagnosticCode,
    /// The limit, and how the template breaks it.
    pub message: String,
    /// The first tag that is too deep, or the bytes beyond the limit.
    pub position: TextPosition,
    /// The setting that lifts the limit.
    pub setting: &'static str,
}

impl TemplateError {
    /// Returns the error of a text that is larger than the options allow.
    pub(crate) fn too_large(text: &str, options: &TemplateOptions) -> Option<Self> {
        let limit = options.max_bytes.filter(|limit| *limit < text.len())?;
        Some(TemplateError {
            code: DiagnosticCode::TemplateTooLarge,
            message: format!("the template has {} bytes, more than the {limit} allowed", text.len()),
            position: Locator::new(text).locate(floor_char_boundary(text, limit)..text.len()),
            setting: "template.maxBytes",
        })
    }

    /// Returns the error of a template whose blocks are nested deeper than the options allow.
    pub(crate) fn depth(template: &Template, options: &TemplateOptions) -> Option<Self> {
        let limit = options.max_depth?;
        let tag = too_deep(template.tags(), limit)?;
        Some(TemplateError {
            code: DiagnosticCode::TemplateDepth,
            message: format!("blocks are nested more than {limit} deep"),
            position: Locator::new(template.text()).locate(tag.range.clone()),
            setting: "template.maxDepth",
        })
    }

    /// Returns the error as a diagnostic about the template `text` that is in the file `path`.
    #[must_use]
    pub fn to_diagnostic(&self, scope: Option<Scope>, path: &str, text: &str) -> Diagnostic {
        Diagnostic::error(self.code, self.message.clone())
            .at(Place::within(scope, path, text, self.position.range.clone()))
            .help(Remedy::lift(self.setting))
    }
}
