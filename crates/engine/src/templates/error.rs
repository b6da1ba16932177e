//! Why a wish about templates was not done.

use preface_core::lint::hidden::escape_hidden;
use preface_store::{StoreError, TemplateName, TemplateVersion};
use std::fmt;

/// Why a wish about templates was not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatesError {
    /// The store did not answer.
    Store(StoreError),
    /// There is no template of this name.
    NoTemplate(TemplateName),
    /// The template has no such version.
    NoVersion(TemplateName, u64),
    /// No version has that label.
    NoLabel(TemplateName, String),
    /// Another version is current than the writer believes; the one that is.
    Stale(Box<Option<TemplateVersion>>),
    /// What was given cannot be used: what, and what to do.
    Invalid(String, String),
}

impl TemplatesError {
    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            TemplatesError::Store(error) => error.hint(),
            TemplatesError::NoTemplate(_) => {
                Some("write it first, or look at the list of templates".to_owned())
            }
            TemplatesError::NoVersion(..) | TemplatesError::NoLabel(..) => {
                Some("look at the list of versions".to_owned())
            }
            TemplatesError::Stale(_) => Some("read the current version, then write again".to_owned()),
            TemplatesError::Invalid(_, hint) => Some(hint.clone()),
        }
    }
}

impl fmt::Display for TemplatesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TemplatesError::Store(error) => write!(f, "{error}"),
            TemplatesError::NoTemplate(name) => write!(f, "no such template: `{name}`"),
            TemplatesError::NoVersion(name, version) => {
                write!(f, "template `{name}` has no version {version}")
            }
            TemplatesError::NoLabel(name, label) => {
                write!(f, "no version of template `{name}` has the label `{}`", escape_hidden(label))
            }
            TemplatesError::Stale(current) => match current.as_ref() {
                Some(current) => write!(
                    f,
                    "template `{}` was changed meanwhile: version {} is current, by {}",
                    current.name,
                    current.version,
                    escape_hidden(&current.author)
                ),
                None => write!(f, "another version is current than the writer believes: none is stored"),
            },
            TemplatesError::Invalid(what, _) => write!(f, "{what}"),
        }
    }
}

impl std::error::Error for TemplatesError {}

impl From<StoreError> for TemplatesError {
    fn from(error: StoreError) -> Self {
        TemplatesError::Store(error)
    }
}
