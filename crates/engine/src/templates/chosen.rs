//! The template that a caller names, for a build.

use super::TemplatesError;
use crate::{Error, TemplateInput, conversation::TemplateChoice};
use preface_core::{diagnostic::Remedy, suggestion::suggest_or};
use preface_store::{PageRequest, Store, TemplateVersion, VersionChoice};

/// Returns a stored template: the named one, or `main` if there is one.
///
/// # Errors
/// The store did not answer, or what was named is not stored; the error lists the labels that there are.
pub async fn chosen(store: &dyn Store, choice: &TemplateChoice) -> Result<Option<TemplateInput>, Error> {
    let stored = store.template(&choice.name, &choice.which).await?;
    let is_stored = stored.is_some();
    let template = stored.and_then(|stored| {
        let (name, version) = (stored.name.as_str().into(), Some(stored.version));
        Some(TemplateInput { name, version, text: stored.text?, variables: stored.variables })
    });
    if template.is_some() || !choice.is_named() {
        return Ok(template);
    }
    let versions = match is_stored {
        true => Vec::new(),
        false => store.versions(&choice.name, &PageRequest::first(PageRequest::MOST)).await?.items,
    };
    Err(unknown(choice, &versions))
}

/// Returns the error for a template that is not stored, or has no such version or label.
pub fn unknown(choice: &TemplateChoice, versions: &[TemplateVersion]) -> Error {
    let (error, near) = match &choice.which {
        VersionChoice::Label(label) if !versions.is_empty() => {
            let mut labels: Vec<&str> =
                versions.iter().flat_map(|version| &version.labels).map(|label| &**label).collect();
            labels.sort_unstable();
            let list = || format!("its labels: {}", labels.join(", "));
            let near = (!labels.is_empty()).then(|| suggest_or(label, labels.iter().copied(), list));
            (TemplatesError::NoLabel(choice.name.clone(), label.clone()), near)
        }
        VersionChoice::Version(number) if !versions.is_empty() => {
            (TemplatesError::NoVersion(choice.name.clone(), *number), None)
        }
        _ => {
            let help = Remedy::command("see the stored ones", "template list");
            return Error::Usage(format!("unknown template: `{choice}`"), Some(help));
        }
    };
    Error::Usage(error.to_string(), near.or_else(|| error.help()))
}
