//! What settings say about any extension: whether it is disabled, and its values.

use super::{merge::Merged, node::Node, set_by::SetBy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The settings of one extension, `<category>.<id>`.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, SetBy}};
/// let json = br#"{"tools": {"Bash": {"disable": true, "timeout": 5}}}"#;
/// let merged = merge(vec![parse(Scope::Global, "settings.json", json).0.unwrap()], &mut Vec::new());
/// let bash = merged.extension("tools", "Bash").unwrap();
/// assert_eq!(bash.disabled_by, Some(SetBy::Global));
/// assert_eq!(bash.config["timeout"], 5);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtensionSettings {
    /// Who removed the entry with `disable: true`, unless a stronger layer took that back.
    pub disabled_by: Option<SetBy>,
    /// The merged values, without the directive `disable`.
    pub config: Map<String, Value>,
    /// The strongest layer that has a value.
    pub config_by: Option<SetBy>,
}

impl Merged {
    /// Returns the settings of an extension; `None` when no layer speaks of it.
    #[must_use]
    pub fn extension(&self, category: &str, id: &str) -> Option<ExtensionSettings> {
        let table = self.at(&[category, id])?.as_table()?;
        let values = || table.iter().filter(|(key, _)| *key != "disable");
        Some(ExtensionSettings {
            disabled_by: self.disabled_by(category, id),
            config: values().map(|(key, node)| (key.to_owned(), node.to_value())).collect(),
            config_by: values().map(|(_, node)| node.by()).max(),
        })
    }

    /// Returns who removed an entry with `disable: true`, unless a stronger layer took that back.
    #[must_use]
    pub fn disabled_by(&self, category: &str, id: &str) -> Option<SetBy> {
        let node = self.at(&[category, id, "disable"])?;
        (node.as_flag() == Some(true)).then_some(node.by())
    }

    /// Returns the directive that one layer gives about an entry.
    #[must_use]
    pub fn directive(&self, by: SetBy, category: &str, id: &str) -> Option<bool> {
        self.at_layer(by, &[category, id, "disable"]).and_then(Node::as_flag)
    }
}
