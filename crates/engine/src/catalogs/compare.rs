//! The differences of two imported catalogs.

use super::body;
use preface_catalog::{CatalogDifference, diff};
use preface_core::{catalog::CatalogIndex, diagnostic::Diagnostic};
use preface_host::{catalogs, system::System};
use std::collections::BTreeSet;

/// Two catalogs, side by side.
#[derive(Clone, Debug)]
pub struct CatalogComparison {
    /// The first.
    pub before: CatalogIndex,
    /// The second.
    pub after: CatalogIndex,
    /// The difference between the two.
    pub difference: CatalogDifference,
    /// The changed prompts whose bodies are the same: only their heads, or how they are written down, differ.
    pub same_body: BTreeSet<String>,
}

impl CatalogComparison {
    /// Returns what a prompt of the first catalog is called in the second, and the other way round: it may have been
    /// renamed. `None` if the other has no such prompt.
    #[must_use]
    pub fn names_of(&self, name: &str) -> (Option<String>, Option<String>) {
        let renamed = self.difference.renamed.iter();
        let mut pairs = renamed.map(|rename| (rename.before.name.as_str(), rename.after.name.as_str()));
        if let Some((before, after)) = pairs.find(|(a, b)| [*a, *b].contains(&name)) {
            return (Some(before.to_owned()), Some(after.to_owned()));
        }
        let of = |index: &CatalogIndex| index.entry(name).map(|entry| entry.name.clone());
        (of(&self.before), of(&self.after))
    }
}

/// Compares two catalogs that are kept. Of the prompts that changed, the texts are read.
///
/// # Errors
/// One of them is not imported, or not what was written.
pub fn compare(system: &dyn System, before: &str, after: &str) -> Result<CatalogComparison, Box<Diagnostic>> {
    let (before, after) = (catalogs::index(system, before)?, catalogs::index(system, after)?);
    let difference = diff(&before, &after);
    let body = |index: &CatalogIndex, name: &str| catalogs::text(system, index, name).map(|text| body(&text));
    let mut same_body = BTreeSet::new();
    for change in &difference.changed {
        if body(&before, &change.before.name)? == body(&after, &change.after.name)? {
            same_body.insert(change.after.name.clone());
        }
    }
    Ok(CatalogComparison { before, after, difference, same_body })
}
