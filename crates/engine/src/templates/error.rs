//! The errors of operations on templates.

use preface_core::lint::hidden::escape_hidden;
use preface_store::{StoreError, TemplateName, TemplateVersion};

/// The reason why a call about templates failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplatesError {
    /// The store did not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is no template of this name.
    #[error("no such template: `{0}`")]
    NoTemplate(TemplateName),
    /// The template has no such version.
    #[error("template `{0}` has no version {1}")]
    NoVersion(TemplateName, u64),
    /// No version has that label.
    #[error("no version of template `{0}` has the label `{label}`", label = escape_hidden(.1))]
    NoLabel(TemplateName, String),
    /// Another version is current than the writer believes; the one that is.
    #[error("{}", stale(.0.as_ref().as_ref()))]
    Stale(Box<Option<TemplateVersion>>),
    /// An argument is invalid: the message and the help.
    #[error("{0}")]
    Invalid(String, String),
}

impl TemplatesError {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            TemplatesError::Store(error) => error.help(),
            TemplatesError::NoTemplate(_) => {
                Some("write it first, or look at the list of templates".to_owned())
            }
            TemplatesError::NoVersion(..) | TemplatesError::NoLabel(..) => {
                Some("look at the list of versions".to_owned())
            }
            TemplatesError::Stale(_) => Some("read the current version, then write again".to_owned()),
            TemplatesError::Invalid(_, help) => Some(help.clone()),
        }
    }
}

fn stale(current: Option<&TemplateVersion>) -> String {
    let Some(current) = current else {
        return "another version is current than the writer believes: none is stored".to_owned();
    };
    let author = escape_hidden(&current.author);
    format!(
        "template `{}` was changed meanwhile: version {} is current, by {author}",
        current.name, current.version
    )
}
