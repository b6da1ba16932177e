//! The registered variables: what a tag of a template and a condition can name beside a profile's options and a caller's own
//! types. Their values come from providers outside of the core.

use crate::variable::Stability;
use serde::{Deserialize, Deserializer};
use std::{collections::BTreeMap, sync::LazyLock};

/// The description of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariableInfo {
    /// The type.
    #[serde(rename = "type", deserialize_with = "text")]
    pub kind: &'static str,
    /// The name, or a placeholder if any name is valid.
    #[serde(deserialize_with = "text")]
    pub name: &'static str,
    /// True if any name is valid.
    #[serde(default)]
    pub dynamic: bool,
    /// One sentence.
    #[serde(deserialize_with = "text")]
    pub about: &'static str,
    /// An example of a value.
    #[serde(deserialize_with = "text")]
    pub example: &'static str,
    /// The period for which a value stays the same.
    pub stability: Stability,
    /// The cost of looking up a value, for display.
    #[serde(deserialize_with = "text")]
    pub cost: &'static str,
}

/// The registered variables, in the order in which `preface list variables` lists those that are not of the first ten.
pub static REGISTERED: LazyLock<Vec<VariableInfo>> = LazyLock::new(|| {
    match toml::from_str::<BTreeMap<String, Vec<VariableInfo>>>(include_str!("../assets/variables.toml")) {
        Ok(tables) => tables.into_values().flatten().collect(),
        Err(error) => unreachable!("variables.toml ships with preface and tests read it: {error}"),
    }
});

/// Reads a text that lasts as long as the program: the list is read once.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(from)?.leak())
}
