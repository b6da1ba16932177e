//! Layers: what was found at each scope, with path and trust.

use crate::{origin::Piece, scope::Scope, trust::Trust};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The files of one scope for this turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// The scope of the layer.
    pub scope: Scope,
    /// The root of the layer, for people: `~/.config/preface`, `.preface`, `bundled`.
    pub path: String,
    /// The state of trust of the layer.
    pub trust: Trust,
    /// Files in its root that the profile uses by name (`base.md`), those that exist.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub files: BTreeMap<String, Vec<Piece>>,
    /// The texts of `sections/<id>.md`, by id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sections: BTreeMap<String, Vec<Piece>>,
}

/// All layers, bundled first. Later ones override.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Stack(pub Vec<Layer>);

impl Stack {
    /// Returns the layer of a scope.
    #[must_use]
    pub fn layer(&self, scope: Scope) -> Option<&Layer> {
        self.0.iter().find(|layer| layer.scope == scope)
    }
}
