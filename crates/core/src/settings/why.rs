//! Who said what about one setting, and what became of it.

use super::{
    key_path::KeyPath,
    merge::Merged,
    node::{Node, Tree},
    set_by::SetBy,
};
use crate::diagnostic::Place;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What became of a layer's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It stands, or a part of it does.
    Used,
    /// A stronger layer replaced it.
    Overridden,
    /// The layer may not set it, or it is no good; a note said so.
    Ignored,
}

/// What one layer says about a setting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Said {
    /// Who says it.
    pub by: SetBy,
    /// The value without what is ignored of it, or all of it where nothing is left; secrets are asterisks.
    pub value: Value,
    /// Where it is written.
    pub place: Place,
    /// Where its key is written.
    #[serde(skip)]
    pub key_place: Place,
    /// What became of it.
    pub outcome: Outcome,
}

impl Merged {
    /// Lists what each layer says about a setting, the weakest first.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::{merge, parse, Outcome}};
    /// let layer = |scope, json: &str| parse(scope, "settings.json", json.as_bytes()).0.unwrap();
    /// let merged = merge(
    ///     vec![
    ///         layer(Scope::Global, r#"{"logging": {"level": "info"}}"#),
    ///         layer(Scope::Project, r#"{"logging": {"level": "debug"}}"#),
    ///     ],
    ///     &mut Vec::new(),
    /// );
    /// let said = merged.why(&"logging.level".parse()?);
    /// assert_eq!(said[0].outcome, Outcome::Overridden);
    /// assert_eq!((&said[1].value, said[1].outcome), (&"debug".into(), Outcome::Used));
    /// # Ok::<(), preface_core::settings::KeyPathError>(())
    /// ```
    #[must_use]
    pub fn why(&self, path: &KeyPath) -> Vec<Said> {
        let stands = self.get(path);
        let mut list = Vec::new();
        for layer in &self.layers {
            let Some(node) = layer.settings.root.at(path.keys()) else { continue };
            let used = layer.refusals.without(layer.settings.root.clone());
            let left = used.at(path.keys());
            let outcome = if left.is_none() {
                Outcome::Ignored
            } else if stands.is_some_and(|stands| takes_part(node, stands)) {
                Outcome::Used
            } else {
                Outcome::Overridden
            };
            list.push(Said {
                by: node.by(),
                value: left.unwrap_or(node).masked(),
                place: node.place(),
                key_place: node.key_place(),
                outcome,
            });
        }
        list
    }
}

/// Tells whether anything of a layer's value stands in the merged one.
fn takes_part(said: &Node, stands: &Node) -> bool {
    if said.source == stands.source && said.span == stands.span {
        return true;
    }
    match (&said.tree, &stands.tree) {
        (Tree::Table(said), Tree::Table(stands)) => {
            said.iter().any(|(key, said)| stands.get(key).is_some_and(|stands| takes_part(said, stands)))
        }
        (Tree::List(said), Tree::List(stands)) => said
            .iter()
            .any(|said| stands.iter().any(|stands| said.source == stands.source && said.span == stands.span)),
        _ => false,
    }
}
