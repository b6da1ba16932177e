//! The two things that make a template unusable. Both stop before anything is rendered.

use super::TextPosition;
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy},
    scope::Scope,
};
use std::fmt;

/// A template that breaks a limit of its [`TemplateOptions`](super::TemplateOptions).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// More `if` blocks are nested than allowed.
    Depth {
        /// The number of nested blocks that are allowed.
        limit: usize,
        /// The first tag that is too deep.
        at: TextPosition,
    },
    /// The text has more bytes than allowed.
    TooLarge {
        /// The number of bytes that are allowed.
        limit: usize,
        /// The number of bytes of the text.
        bytes: usize,
        /// The bytes beyond the limit.
        at: TextPosition,
    },
}

impl TemplateError {
    /// Returns the stable code: `template/depth` or `template/too-large`.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            TemplateError::Depth { .. } => DiagnosticCode::TemplateDepth,
            TemplateError::TooLarge { .. } => DiagnosticCode::TemplateTooLarge,
        }
    }

    /// Returns the place of the first bytes that break the limit.
    #[must_use]
    pub fn position(&self) -> &TextPosition {
        match self {
            TemplateError::Depth { at, .. } | TemplateError::TooLarge { at, .. } => at,
        }
    }

    pub(crate) fn depth_message(limit: usize) -> String {
        format!("blocks are nested more than {limit} deep")
    }

    /// Returns the error as a diagnostic about the template `text` that is in the file `path`.
    #[must_use]
    pub fn to_diagnostic(&self, scope: Option<Scope>, path: &str, text: &str) -> Diagnostic {
        let span = self.position().range.clone();
        Diagnostic::error(self.code(), self.to_string())
            .at(Place::within(scope, path, text, span))
            .help(self.help())
    }

    /// Returns the remedy.
    pub(crate) fn help(&self) -> Remedy {
        let setting = match self {
            TemplateError::Depth { .. } => "template.maxDepth",
            TemplateError::TooLarge { .. } => "template.maxBytes",
        };
        Remedy::lift(setting)
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplateError::Depth { limit, .. } => f.write_str(&Self::depth_message(*limit)),
            TemplateError::TooLarge { limit, bytes, .. } => {
                write!(f, "the template has {bytes} bytes, more than the {limit} allowed")
            }
        }?;
        if f.alternate() {
            let at = self.position();
            write!(f, " (line {}, column {})", at.line, at.column)?;
        }
        Ok(())
    }
}
