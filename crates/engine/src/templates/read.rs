//! Reads the effective text of a template.

use super::TemplatesError;
use preface_core::{declaration::Declarations, prompt::fingerprint};
use preface_store::{Store, TemplateName, TemplateVersion, VersionChoice};
use std::sync::Arc;

/// The current text of a template's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectiveTemplate {
    /// The text, byte for byte.
    pub text: Arc<str>,
    /// The variables that it declares.
    pub variables: Declarations,
    /// The version of the text; 0 if nothing is stored.
    pub version: u64,
    /// True if it is the default text.
    pub default: bool,
}

impl EffectiveTemplate {
    /// Returns the stored text of a name, or the default.
    #[must_use]
    pub fn of(stored: Option<&TemplateVersion>, default: &str) -> Self {
        let version = stored.map_or(0, |stored| stored.version);
        let variables = stored.map(|stored| stored.variables.clone()).unwrap_or_default();
        match stored.and_then(|stored| stored.text.clone()) {
            Some(text) => EffectiveTemplate { text, variables, version, default: false },
            None => EffectiveTemplate { text: default.into(), variables, version, default: true },
        }
    }

    /// Returns an identifier of this text and version: the version, a dash, 16 digits of the text's digest.
    #[must_use]
    pub fn tag(&self) -> String {
        let digest = fingerprint(&*self.text);
        let digest = digest.rsplit(':').next().unwrap_or_default();
        format!("{}-{}", self.version, digest.get(..16).unwrap_or(digest))
    }
}

/// Returns the current text of a name: the current version's, or for `main` the default if the current
/// version restores it. Returns `None` if nothing is stored under that name, or a named template was deleted.
///
/// # Errors
/// The store did not answer.
pub async fn effective(
    store: &dyn Store,
    name: &TemplateName,
    default: &str,
) -> Result<Option<EffectiveTemplate>, TemplatesError> {
    let stored = store.template(name, &VersionChoice::Current).await?;
    let is_there = |stored: &TemplateVersion| !stored.reset || *name == TemplateName::main();
    Ok(stored.filter(is_there).map(|stored| EffectiveTemplate::of(Some(&stored), default)))
}

/// Returns one version with its text; a version that goes back to the default has that as its text.
///
/// # Errors
/// The store did not answer, or there is no such version.
pub async fn at_version(
    store: &dyn Store,
    name: &TemplateName,
    version: u64,
    default: &str,
) -> Result<(TemplateVersion, Arc<str>), TemplatesError> {
    let found = store.template(name, &VersionChoice::Version(version)).await?;
    let found = found.ok_or_else(|| TemplatesError::NoVersion(name.clone(), version))?;
    let text = found.text.clone().unwrap_or_else(|| default.into());
    Ok((found, text))
}
