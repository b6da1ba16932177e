//! The registered variables: what a tag of a template and a condition can name beside a profile's options and a caller's own
//! types. Their values come from providers outside of the core.

use crate::variable::Stability;
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, sync::LazyLock};

/// One variable, or a type of which any name is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Variable))]
pub struct VariableInfo {
    /// The type, before the colon.
    #[serde(rename = "type", deserialize_with = "text")]
    pub kind: &'static str,
    /// The name after it, or a placeholder such as `<path>`.
    #[serde(deserialize_with = "text")]
    pub name: &'static str,
    /// What it is, for people.
    #[serde(deserialize_with = "text")]
    pub description: &'static str,
    /// True if any name is good.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(required = true))]
    pub dynamic: bool,
    /// What a value looks like; for a dynamic type, what a name looks like.
    #[serde(deserialize_with = "text")]
    pub example: &'static str,
    /// How long a value stays the same.
    pub stability: Stability,
    /// What looking it up costs, for people.
    #[serde(deserialize_with = "text")]
    pub cost: &'static str,
}

/// The registered variables, in the order of listings.
pub static REGISTERED: LazyLock<Vec<VariableInfo>> = LazyLock::new(|| {
    match toml::from_str::<BTreeMap<String, Vec<VariableInfo>>>(include_str!("../../assets/variables.toml")) {
        Ok(tables) => tables.into_values().flatten().collect(),
        Err(error) => unreachable!("variables.toml ships with preface and tests read it: {error}"),
    }
});

/// Reads a text that lasts as long as the program: the list is read once.
fn text<'de, D: Deserializer<'de>>(from: D) -> Result<&'static str, D::Error> {
    Ok(String::deserialize(from)?.leak())
}
