//! The known keys, and the nearest one to a typo.

use crate::{
    catalog,
    declaration::GivenVariables,
    lint::hidden::escape_hidden,
    profile::Profile,
    suggestion::did_you_mean,
    variable::{Stability, VariableKey, info::REGISTERED},
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
    /// True: no other name has white space or a bracket, as a tool's has none.
    pub words: bool,
}

impl VariableTypes {
    /// Returns the types that the texts of a profile can name: the registered ones, those of the profile, and those that the
    /// caller gives values of.
    #[must_use]
    pub fn of(profile: &Profile, given: &GivenVariables) -> Self {
        let known =
            REGISTERED.iter().fold(VariableTypes::default(), |known, info| match (info.dynamic, info.name) {
                (true, "<path>") => known.dynamic(info.kind, info.stability),
                (true, _) => known.words(info.kind, info.stability),
                (false, name) => known.fixed(info.kind, name, info.stability),
            });
        // A section within another section's text has a tag there.
        let merged = profile.sections.iter().filter(|section| section.merge_into.is_some());
        let known = merged
            .fold(known, |known, section| known.fixed("section", section.id.as_str(), Stability::Static));
        let declared = &profile.variables;
        let known = declared
            .0
            .iter()
            .fold(known, |known, (key, one)| known.fixed(key.kind(), key.name(), one.stability));
        let given = given.keys().filter(|key| declared.get(key).is_none());
        let known = given.fold(known, |known, key| match known.kind(key.kind()) {
            Some(kind) if kind.dynamic.is_some() => known,
            Some(_) => known.fixed(key.kind(), key.name(), Stability::Conversation),
            None => known.dynamic(key.kind(), Stability::Conversation),
        });
        let own = profile.variable_types.iter();
        let known = own.fold(known, |known, kind| known.dynamic(kind, Stability::Conversation));
        let known = known.empty_type("option").empty_type("given");
        let known = match profile.catalog {
            Some(_) => known.dynamic(catalog::KIND, Stability::Turn),
            None => known,
        };
        let found =
            profile.found_options().fold(known, |known, name| known.fixed("option", name, Stability::Static));
        let options = profile.options.keys().chain(&profile.unset_options);
        options.fold(found, |known, name| {
            known.fixed("option", name, Stability::Static).fixed("given", name, Stability::Static)
        })
    }

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

    /// Adds a type, if it is new, that answers for any name of one word.
    #[must_use]
    pub fn words(self, kind: &str, stability: Stability) -> Self {
        let mut known = self.dynamic(kind, stability);
        known.kinds.entry(kind.to_owned()).and_modify(|kind| kind.words = true);
        known
    }

    /// Returns a registered type.
    #[must_use]
    pub fn kind(&self, kind: &str) -> Option<&VariableType> {
        self.kinds.get(kind)
    }

    /// Returns the stability of `key`; `None` if it is unknown.
    #[must_use]
    pub fn stability(&self, key: &VariableKey) -> Option<Stability> {
        self.find(key.as_str())
    }

    /// Returns the stability of a key as it is written; `None` if it is unknown or no key.
    pub(crate) fn find(&self, key: &str) -> Option<Stability> {
        let (kind, name) = key.split_once(':')?;
        let kind = self.kind(kind)?;
        let is_name = |name: &str| !kind.words || !name.contains(|c: char| c.is_whitespace() || c == '[');
        kind.names.get(name).copied().or(kind.dynamic.filter(|_| is_name(name)))
    }

    /// Returns the known key that a text in brackets was perhaps meant as.
    pub(super) fn nearest_key(&self, key: &VariableKey) -> Option<VariableKey> {
        match self.kind(key.kind()) {
            Some(kind) => kind.nearest_name(key.name()).map(|name| VariableKey::new(key.kind(), name)),
            None => {
                let kind = self.nearest_kind(key.kind())?;
                self.kind(kind)?.names.contains_key(key.name()).then(|| VariableKey::new(kind, key.name()))
            }
        }
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
        did_you_mean(kind.trim(), self.kinds.keys().map(String::as_str))
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
        did_you_mean(name.trim(), self.names.keys().map(String::as_str))
    }
}
