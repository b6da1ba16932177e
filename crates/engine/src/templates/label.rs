//! Labels: names of versions. A label names one version of a template at a time.

use super::TemplatesError;
use preface_core::lint::hidden::escape_hidden;
use preface_store::{Actor, Store, TemplateName, VersionChoice};

/// Checks that a text can be a label: 1 to 64 letters, digits, `-`, `_` or `.`, the first a letter.
///
/// # Errors
/// It may not.
pub fn check_label(label: &str) -> Result<(), TemplatesError> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
    let first = label.bytes().next().is_some_and(|b| b.is_ascii_alphabetic());
    if first && label.len() <= 64 && label.bytes().all(plain) {
        return Ok(());
    }
    let shown: String = label.chars().take(80).collect();
    Err(TemplatesError::Invalid(
        format!("not a label: `{}`", escape_hidden(&shown)),
        "use 1 to 64 letters, digits, `-`, `_` or `.`, a letter first".to_owned(),
    ))
}

/// Puts a label on a version, or takes it away.
///
/// # Errors
/// The store did not answer, the label cannot be one, or there is no such version or label.
pub async fn set_label(
    store: &dyn Store,
    name: &TemplateName,
    label: &str,
    version: Option<u64>,
    actor: &Actor,
) -> Result<(), TemplatesError> {
    check_label(label)?;
    let missing = match version {
        Some(version) => TemplatesError::NoVersion(name.clone(), version),
        None => {
            let none = TemplatesError::NoLabel(name.clone(), label.to_owned());
            if store.template(name, &VersionChoice::Label(label.to_owned())).await?.is_none() {
                return Err(none);
            }
            none
        }
    };
    match store.label(name, label, version, actor).await? {
        true => Ok(()),
        false => Err(missing),
    }
}
