//! Imports a document of templates. Versions that exist are skipped, and nothing that exists is changed.

use super::{
    TemplatesError, check_declarations, check_label, check_note,
    export::{Document, FORMAT, StoredTemplate, StoredVersion, history},
};
use preface_core::lint::hidden::escape_hidden;
use preface_store::{
    Actor, ExpectedVersion, NewVersion, PutOutcome, Store, TemplateName, TemplateVersion, VersionChoice,
};
use serde::Serialize;
use std::collections::BTreeSet;

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Imported {
    /// How many versions were added.
    pub added: usize,
    /// How many were there already.
    pub skipped: usize,
    /// The same, template by template.
    pub templates: Vec<ImportedTemplate>,
}

/// What an import did to one template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ImportedTemplate {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub name: TemplateName,
    /// How many versions were added.
    pub added: usize,
    /// How many were there already.
    pub skipped: usize,
    /// True if the store had versions that the document does not know: the document's are added behind them.
    pub diverged: bool,
    /// The labels that were put on a version.
    pub labels: Vec<String>,
    /// The labels of another version here. They are not moved.
    pub kept_labels: Vec<String>,
}

/// Adds what a document holds and the store does not. Authors, times and notes are kept. Versions of the document that the
/// store has, in the document's order, are skipped; the rest becomes new versions behind the current one. `check` says
/// whether a text may be a template.
///
/// All of the document is checked before anything is written. Templates are written one after the other: where the store
/// fails in the middle, or another client writes the same template, the same document can be taken in again.
///
/// # Errors
/// The document cannot be used, another client wrote in between, or the store did not answer.
pub async fn import(
    store: &dyn Store,
    document: &Document,
    check: &(dyn Fn(&str) -> Result<(), TemplatesError> + Sync),
    actor: &Actor,
) -> Result<Imported, TemplatesError> {
    verify(document, check)?;
    let mut imported = Imported::default();
    for template in &document.templates {
        let done = one(store, template, actor).await?;
        imported.added += done.added;
        imported.skipped += done.skipped;
        imported.templates.push(done);
    }
    Ok(imported)
}

fn verify(
    document: &Document,
    check: &(dyn Fn(&str) -> Result<(), TemplatesError> + Sync),
) -> Result<(), TemplatesError> {
    if document.format != FORMAT {
        let shown: String = document.format.chars().take(80).collect();
        return Err(TemplatesError::Invalid(
            format!("not a document of templates: its format is `{}`", escape_hidden(&shown)),
            format!("this version reads `{FORMAT}`"),
        ));
    }
    let mut names = BTreeSet::new();
    for StoredTemplate { name, versions } in &document.templates {
        if !names.insert(name) {
            let what = format!("template `{name}` is in the document twice");
            return Err(TemplatesError::Invalid(what, "leave one of them".to_owned()));
        }
        let mut labels = BTreeSet::new();
        for version in versions {
            let within = |error: TemplatesError| match error {
                TemplatesError::Invalid(what, help) => TemplatesError::Invalid(
                    format!("template `{name}`, version {}: {what}", version.version),
                    help,
                ),
                other => other,
            };
            version.template.as_deref().map_or(Ok(()), check).map_err(within)?;
            check_note(&version.note).map_err(within)?;
            check_declarations(&version.variables).map_err(within)?;
            let author = &version.author;
            if author.is_empty() || author.chars().count() > 200 || author.chars().any(char::is_control) {
                let what = "the author is no name".to_owned();
                return Err(within(TemplatesError::Invalid(what, "write 1 to 200 characters".to_owned())));
            }
            for label in &version.labels {
                check_label(label).map_err(within)?;
                if !labels.insert(label) {
                    let what = format!("the label `{label}` is on two versions");
                    return Err(within(TemplatesError::Invalid(what, "leave one of them".to_owned())));
                }
            }
        }
    }
    Ok(())
}

/// Adds the document's versions of one template behind those that are known.
async fn one(
    store: &dyn Store,
    template: &StoredTemplate,
    actor: &Actor,
) -> Result<ImportedTemplate, TemplatesError> {
    let here = history(store, &template.name).await?;
    let mut current = here.last().map_or(0, |last| last.version);
    let mut numbers = matched(store, template, &here).await?;
    let new = &template.versions[numbers.len()..];
    let diverged = !new.is_empty() && current != numbers.last().copied().unwrap_or_default();
    let mut added = 0;
    for version in new {
        let new = NewVersion {
            name: template.name.clone(),
            text: version.template.as_deref().map(Into::into),
            variables: Some(version.variables.clone()),
            note: version.note.clone(),
            written: Some((version.author.clone(), Actor::at("", version.at).at)),
        };
        match store.put_template(new, ExpectedVersion::Version(current), actor).await? {
            PutOutcome::Stored(stored) => {
                added += 1;
                current = stored.version;
            }
            PutOutcome::Unchanged(stored) => current = stored.version,
            PutOutcome::Stale(current) => return Err(TemplatesError::Stale(Box::new(current))),
        }
        numbers.push(current);
    }
    let (labels, kept_labels) = put_labels(store, template, &numbers, actor).await?;
    Ok(ImportedTemplate {
        name: template.name.clone(),
        added,
        skipped: template.versions.len() - added,
        diverged,
        labels,
        kept_labels,
    })
}

/// The numbers of the document's first versions here, as many as are there in the document's order.
async fn matched(
    store: &dyn Store,
    template: &StoredTemplate,
    here: &[TemplateVersion],
) -> Result<Vec<u64>, TemplatesError> {
    let mut numbers = Vec::new();
    let mut from = 0;
    for (place, wanted) in template.versions.iter().enumerate() {
        if let Some(last) = numbers.last().copied()
            && is_unchanged(&template.versions[place - 1], wanted)
        {
            numbers.push(last);
            continue;
        }
        let mut found = None;
        for (at, known) in here.iter().enumerate().skip(from) {
            if alike(known, wanted) && same_text(store, known, wanted).await? {
                found = Some((at, known.version));
                break;
            }
        }
        let Some((at, number)) = found else { break };
        numbers.push(number);
        from = at + 1;
    }
    Ok(numbers)
}

/// Returns true if a version equals the one before it: a store has no such version.
fn is_unchanged(before: &StoredVersion, version: &StoredVersion) -> bool {
    version.note.is_empty() && version.template == before.template
}

/// Everything but the text.
fn alike(known: &TemplateVersion, wanted: &StoredVersion) -> bool {
    let bytes = wanted.template.as_ref().map_or(0, String::len) as u64;
    known.reset == wanted.template.is_none()
        && known.bytes == bytes
        && known.author == wanted.author
        && known.at.as_millisecond() == wanted.at.as_millisecond()
        && known.note == wanted.note
}

async fn same_text(
    store: &dyn Store,
    known: &TemplateVersion,
    wanted: &StoredVersion,
) -> Result<bool, TemplatesError> {
    if wanted.template.is_none() {
        return Ok(true);
    }
    let full = store.template(&known.name, &VersionChoice::Version(known.version)).await?;
    Ok(full.is_some_and(|full| full.text.as_deref() == wanted.template.as_deref()))
}

/// Puts the document's labels on the versions that have none of that name elsewhere. Returns those, and those that stay
/// where they are.
async fn put_labels(
    store: &dyn Store,
    template: &StoredTemplate,
    numbers: &[u64],
    actor: &Actor,
) -> Result<(Vec<String>, Vec<String>), TemplatesError> {
    let (mut put, mut kept) = (Vec::new(), Vec::new());
    for (version, number) in template.versions.iter().zip(numbers) {
        for label in &version.labels {
            match store.template(&template.name, &VersionChoice::Label(label.clone())).await? {
                Some(here) if here.version == *number => {}
                Some(_) => kept.push(label.clone()),
                None => {
                    store.label(&template.name, label, Some(*number), actor).await?;
                    put.push(label.clone());
                }
            }
        }
    }
    Ok((put, kept))
}
