//! All templates with all their versions as one document that another store can take in.

use super::TemplatesError;
use jiff::Timestamp;
use preface_core::declaration::Declarations;
#[cfg(feature = "openapi")]
use preface_core::declaration::VariableDeclaration;
use preface_store::{Page, PageRequest, Store, StoreError, TemplateName, TemplateVersion, VersionChoice};
use serde::{Deserialize, Serialize};

/// The form of the document.
pub const FORMAT: &str = "preface-templates/1";

/// All templates of a store.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Export))]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// [`FORMAT`].
    #[cfg_attr(feature = "openapi", schema(pattern = "^preface-templates/1$"))]
    pub format: String,
    /// The templates, by name.
    #[serde(deserialize_with = "crate::json_input::objects")]
    pub templates: Vec<StoredTemplate>,
}

/// One template with its history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StoredTemplate {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String, pattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"))]
    pub name: TemplateName,
    /// Its versions, the oldest first.
    #[serde(deserialize_with = "crate::json_input::objects")]
    pub versions: Vec<StoredVersion>,
}

/// One version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct StoredVersion {
    /// Its number in the store that it comes from.
    #[serde(deserialize_with = "crate::json_input::number")]
    pub version: u64,
    /// The text; `null` where this version goes back to the default.
    #[serde(deserialize_with = "Option::deserialize")]
    #[cfg_attr(feature = "openapi", schema(required))]
    pub template: Option<String>,
    /// The variables that it declares.
    #[serde(default, skip_serializing_if = "Declarations::is_empty")]
    #[cfg_attr(feature = "openapi", schema(value_type = BTreeMap<String, VariableDeclaration>))]
    pub variables: Declarations,
    /// Who wrote it.
    #[cfg_attr(
        feature = "openapi",
        schema(min_length = 1, max_length = 200, pattern = r"^[^\x00-\x1f\x7f-\x9f]+$")
    )]
    pub author: String,
    /// When, in RFC 3339.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = DateTime))]
    pub at: Timestamp,
    /// Why; may be empty.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(max_length = 2000, pattern = r"^[^\x00]*$"))]
    pub note: String,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<String>,
}

/// Reads all templates of a store.
///
/// # Errors
/// The store did not answer.
pub async fn export(store: &dyn Store) -> Result<Document, TemplatesError> {
    let mut templates = Vec::new();
    for TemplateVersion { name, .. } in current(store).await? {
        templates.push(StoredTemplate { versions: versions(store, &name).await?, name });
    }
    Ok(Document { format: FORMAT.to_owned(), templates })
}

/// Returns the current versions of all templates, without their texts.
///
/// # Errors
/// The store did not answer.
pub async fn current(store: &dyn Store) -> Result<Vec<TemplateVersion>, StoreError> {
    let mut versions = Vec::new();
    let mut request = PageRequest::first(PageRequest::MOST);
    loop {
        let Page { items, next } = store.templates(&request).await?;
        versions.extend(items);
        match next {
            Some(next) => request.after = Some(next),
            None => return Ok(versions),
        }
    }
}

/// Returns the versions of a template with their texts, the oldest first.
pub(super) async fn versions(
    store: &dyn Store,
    name: &TemplateName,
) -> Result<Vec<StoredVersion>, StoreError> {
    let mut versions = Vec::new();
    let mut request = PageRequest::first(PageRequest::MOST);
    loop {
        let Page { items, next } = store.versions(name, &request).await?;
        for listed in items {
            let full = store.template(name, &VersionChoice::Version(listed.version)).await?;
            let Some(full) = full else { continue };
            versions.push(StoredVersion {
                version: full.version,
                template: full.text.map(|text| text.as_ref().to_owned()),
                variables: full.variables,
                author: full.author,
                at: full.at,
                note: full.note,
                labels: full.labels,
            });
        }
        match next {
            Some(next) => request.after = Some(next),
            None => break,
        }
    }
    versions.reverse();
    Ok(versions)
}
