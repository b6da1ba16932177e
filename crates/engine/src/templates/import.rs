//! Imports a document of templates. Versions that exist are skipped, and nothing that exists is changed.

use super::{
    TemplatesError, check_declarations, check_label, check_note,
    export::{Document, FORMAT, StoredTemplate, StoredVersion, versions},
};
use preface_core::lint::hidden::escape_hidden;
use preface_store::{Actor, ExpectedVersion, NewVersion, PutOutcome, Store, TemplateName, VersionChoice};
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
    let here = versions(store, &template.name).await?;
    let mut current = here.last().map_or(0, |last| last.version);
    let mut others = here.iter();
    let known = template.versions.iter().map_while(|wanted| others.find(|known| is_same(known, wanted)));
    let mut numbers: Vec<u64> = known.map(|known| known.version).collect();
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

/// Returns true if two versions are one that was copied from store to store.
fn is_same(known: &StoredVersion, wanted: &StoredVersion) -> bool {
    known.template == wanted.template
        && known.author == wanted.author
        && known.at.as_millisecond() == wanted.at.as_millisecond()
        && known.note == wanted.note
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
