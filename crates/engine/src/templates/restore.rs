//! Writes a text, resets to the default, restores an older version. Each adds a version; no version is ever removed.

use super::TemplatesError;
use preface_core::declaration::Declarations;
use preface_store::{
    Actor, ExpectedVersion, NewVersion, PutOutcome, Store, TemplateName, TemplateVersion, VersionChoice,
};

/// The most characters of a note.
const NOTE_LIMIT: usize = 2_000;

/// Checks that a note can be stored.
///
/// # Errors
/// It is too long, or holds a NUL.
pub fn check_note(note: &str) -> Result<(), TemplatesError> {
    if note.chars().count() > NOTE_LIMIT {
        let what = format!("the note is longer than {NOTE_LIMIT} characters");
        return Err(TemplatesError::Invalid(what, "shorten it".to_owned()));
    }
    if note.contains('\0') {
        return Err(TemplatesError::Invalid("the note holds a NUL".to_owned(), "take it out".to_owned()));
    }
    Ok(())
}

/// Checks that declarations can be used.
///
/// # Errors
/// One of them cannot.
pub fn check_declarations(variables: &Declarations) -> Result<(), TemplatesError> {
    variables.check().map_err(|(key, at, message)| {
        let at = if at.is_empty() { String::new() } else { format!(".{at}") };
        TemplatesError::Invalid(message, format!("change `variables.{key}{at}`"))
    })
}

/// Adds a version. Where the text is the current one already and there is no note, the current version stays.
///
/// # Errors
/// The store did not answer, another version is current than expected, or the note cannot be kept.
pub async fn put(
    store: &dyn Store,
    new: NewVersion,
    expect: ExpectedVersion,
    actor: &Actor,
) -> Result<TemplateVersion, TemplatesError> {
    check_note(&new.note)?;
    new.variables.as_ref().map_or(Ok(()), check_declarations)?;
    match store.put_template(new, expect, actor).await? {
        PutOutcome::Stored(version) | PutOutcome::Unchanged(version) => Ok(version),
        PutOutcome::Stale(current) => Err(TemplatesError::Stale(Box::new(current))),
    }
}

/// Goes back to the default.
///
/// # Errors
/// As [`put`].
pub async fn reset(
    store: &dyn Store,
    name: &TemplateName,
    expect: ExpectedVersion,
    actor: &Actor,
) -> Result<TemplateVersion, TemplatesError> {
    put(store, NewVersion::reset(name.clone()), expect, actor).await
}

/// Adds a version with the text of an older one, which its note names.
///
/// # Errors
/// As [`put`], and there is no such version.
pub async fn restore(
    store: &dyn Store,
    name: &TemplateName,
    version: u64,
    expect: ExpectedVersion,
    actor: &Actor,
) -> Result<TemplateVersion, TemplatesError> {
    let old = store.template(name, &VersionChoice::Version(version)).await?;
    let old = old.ok_or_else(|| TemplatesError::NoVersion(name.clone(), version))?;
    let note = format!("restored from version {version}");
    put(
        store,
        NewVersion {
            name: name.clone(),
            text: old.text,
            variables: Some(old.variables),
            note,
            written: None,
        },
        expect,
        actor,
    )
    .await
}
