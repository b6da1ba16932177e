//! The known keys, and the nearest one to a typo.

use crate::{
    lint::hidden::escape_hidden,
    variable::{Stability, VariableKey},
};
use std::collections::BTreeMap;

/// The registered types with their names.
///
/// ```
/// use preface_core::{variable::Stability, lint::template::VariableTypes};
/// let catalogue = VariableTypes::default()
///     .fixed("system", "time", Stability::Turn)
///     .dynamic("file", Stability::Conversation);
/// assert_eq!(catalogue.stability(&"file:a.md".parse().unwrap()), Some(Stability::Conversation));
/// assert_eq!(catalogue.stability(&"system:tme".parse().unwrap()), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableTypes {
    kinds: BTreeMap<String, VariableType>,
}

/// The known names of one type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VariableType {
    /// The fixed names and how long their values stay the same.
    pub names: BTreeMap<String, Stability>,
    /// The stability of the values of all other names; `None` means that there are no other names.
    pub dynamic: Option<Stability>,
}

impl VariableTypes {
    /// Adds a type, if it is new, that may have no name.
    #[must_use]
    pub fn empty_type(mut self, kind: &str) -> Self {
        self.kinds.entry(kind.to_owned()).or_default();
        self
    }

    /// Adds a type, if it is new, and one of its names.
    #[must_use]
    pub fn fixed(mut self, kind: &str, name: &str, stability: Stability) -> Self {
        self.kinds.entry(kind.to_owned()).or_default().names.insert(name.to_owned(), stability);
        self
    }

    /// Adds a type, if it is new, that answers for any name.
    #[must_use]
    pub fn dynamic(mut self, kind: &str, stability: Stability) -> Self {
        self.kinds.entry(kind.to_owned()).or_default().dynamic = Some(stability);
        self
    }

    /// Returns a registered type.
    #[must_use]
    pub fn kind(&self, kind: &str) -> Option<&VariableType> {
        self.kinds.get(kind)
    }

    /// Returns the stability of `key`; `None` if it is unknown.
    #[must_use]
    pub fn stability(&self, key: &VariableKey) -> Option<Stability> {
        let kind = self.kind(key.kind())?;
        kind.names.get(key.name()).copied().or(kind.dynamic)
    }

    /// Returns why a condition on this variable never holds, and what was perhaps meant; `None` if the variable may have a value.
    #[must_use]
    pub fn unknown(&self, key: &VariableKey) -> Option<(String, Option<String>)> {
        if self.stability(key).is_some() {
            return None;
        }
        Some(match self.kind(key.kind()) {
            None => (
                format!("`{}` is no registered type", escape_hidden(key.kind())),
                self.nearest_kind(key.kind())
                    .map(|kind| format!("did you mean `{kind}:{}`?", escape_hidden(key.name()))),
            ),
            Some(kind) => (
                format!("`{}` has no name `{}`", key.kind(), escape_hidden(key.name())),
                kind.nearest_name(key.name()).map(|name| format!("did you mean `{}:{name}`?", key.kind())),
            ),
        })
    }

    /// Returns the registered type that was perhaps meant.
    pub(super) fn nearest_kind(&self, kind: &str) -> Option<&str> {
        nearest(kind, self.kinds.keys())
    }

    /// Returns the only key with this fixed name, for a name without its type.
    pub(super) fn only_key(&self, name: &str) -> Option<VariableKey> {
        let mut kinds = self.kinds.iter().filter(|(_, kind)| kind.names.contains_key(name));
        match (kinds.next(), kinds.next()) {
            (Some((kind, _)), None) => Some(VariableKey::new(kind, name)),
            _ => None,
        }
    }
}

impl VariableType {
    /// Returns the fixed name that was perhaps meant.
    pub(super) fn nearest_name(&self, name: &str) -> Option<&str> {
        nearest(name, self.names.keys())
    }
}

/// Returns the candidate with the fewest changed letters: at most a third of the word, but one in a short one.
fn nearest<'c>(word: &str, candidates: impl Iterator<Item = &'c String>) -> Option<&'c str> {
    const LONGEST: usize = 64;
    let word: Vec<char> = word.trim().chars().take(LONGEST + 1).map(|c| c.to_ascii_lowercase()).collect();
    if word.len() > LONGEST {
        return None;
    }
    let most = (word.len() / 3).max(1);
    candidates
        // Letters that one has more than the other must be inserted or removed.
        .filter(|candidate| candidate.chars().count().abs_diff(word.len()) <= most)
        .map(|candidate| (distance(&word, candidate), candidate.as_str()))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Counts the letters to insert, remove, change, or swap with their neighbour.
fn distance(from: &[char], to: &str) -> usize {
    let to: Vec<char> = to.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut rows = vec![(0..=from.len()).collect::<Vec<usize>>()];
    for y in 0..to.len() {
        let mut row = vec![y + 1];
        for x in 0..from.len() {
            let changed = rows[y][x] + usize::from(from[x] != to[y]);
            let mut least = changed.min(rows[y][x + 1] + 1).min(row[x] + 1);
            if x > 0 && y > 0 && (from[x - 1], from[x]) == (to[y], to[y - 1]) {
                least = least.min(rows[y - 1][x - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[to.len()][from.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_name_and_prose_finds_none() {
        let names = ["branch", "status"].map(str::to_owned);
        for (word, name) in [
            ("brnach", Some("branch")),
            ("Branch", Some("branch")),
            (" branch", Some("branch")),
            ("statu", Some("status")),
            ("commit", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, names.iter()), name, "{word}");
        }
        let distances = ["branch", "brnach", "ranch", "brunhc"]
            .map(|word| distance(&Vec::from_iter(word.chars()), "branch"));
        assert_eq!(distances, [0, 1, 1, 2], "swapped neighbours are one mistake");
        assert_eq!(nearest(&"branch".repeat(1_000), names.iter()), None);
    }
}
