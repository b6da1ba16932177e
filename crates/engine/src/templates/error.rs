//! The errors of operations on templates.

use preface_core::{diagnostic::Remedy, lint::hidden::escape_hidden};
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
    pub fn help(&self) -> Option<Remedy> {
        Some(match self {
            TemplatesError::Store(error) => return error.help().map(Remedy::from),
            TemplatesError::NoTemplate(_) => {
                Remedy::command("write it first, or choose a stored one", "template list")
            }
            TemplatesError::NoVersion(name, _) | TemplatesError::NoLabel(name, _) => {
                Remedy::command("see its versions", format_args!("template list {name}"))
            }
            TemplatesError::Stale(_) => Remedy::command("read it, then write again", "template show"),
            TemplatesError::Invalid(_, help) => help.as_str().into(),
        })
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
