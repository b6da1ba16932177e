//! What differs between two catalogs that are kept.

use preface_catalog::{Difference, diff};
use preface_core::{catalog::Index, diagnostic::Diagnostic};
use preface_host::{catalogs, system::System};

/// Two catalogs, side by side.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The first.
    pub before: Index,
    /// The second.
    pub after: Index,
    /// What differs.
    pub difference: Difference,
}

impl Compared {
    /// Returns what a prompt of the first catalog is called in the second, and the other way round: it may have been
    /// renamed. `None` where the other has no such prompt.
    #[must_use]
    pub fn names_of(&self, name: &str) -> (Option<String>, Option<String>) {
        let renamed = self.difference.renamed.iter();
        let mut pairs = renamed.map(|rename| (rename.before.name.as_str(), rename.after.name.as_str()));
        if let Some((before, after)) = pairs.find(|(a, b)| [*a, *b].contains(&name)) {
            return (Some(before.to_owned()), Some(after.to_owned()));
        }
        let of = |index: &Index| index.entry(name).map(|entry| entry.name.clone());
        (of(&self.before), of(&self.after))
    }
}

/// Compares two catalogs that are kept.
///
/// # Errors
/// One of them is not imported, or not what was written.
pub fn compare(system: &dyn System, before: &str, after: &str) -> Result<Compared, Box<Diagnostic>> {
    let (before, after) = (catalogs::index(system, before)?, catalogs::index(system, after)?);
    let difference = diff(&before, &after);
    Ok(Compared { before, after, difference })
}
