//! Reading a value of a file as a Rust type. A fault is described by the types of values alone: a value may be a secret.

use super::node::SettingsNode;
use crate::{lint::character::excerpt, suggestion::did_you_mean_in};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Segment;

/// The most characters of a message.
const LONGEST: usize = 500;

/// The reason why a value is not of a type.
#[derive(Debug)]
pub(crate) struct TypeFault {
    /// The keys and indexes that lead to the part at fault.
    pub keys: Vec<String>,
    /// The message, which names that part.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl TypeFault {
    /// Reads an object. The fault that is reported does not depend on the order of its keys.
    pub(crate) fn read<T: DeserializeOwned>(node: &SettingsNode) -> Result<T, TypeFault> {
        let Value::Object(mut fields) = node.to_value() else {
            let message = format!("it must be an object, not {}", node.json_type());
            return Err(TypeFault { keys: Vec::new(), message, help: None });
        };
        fields.sort_keys();
        serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
            let keys = error.path().iter().filter_map(|segment| match segment {
                Segment::Map { key } => Some(key.clone()),
                Segment::Seq { index } => Some(index.to_string()),
                _ => None,
            });
            let keys: Vec<String> = keys.collect();
            let why = error.inner().to_string();
            let found = node.at(&keys).map_or("null", SettingsNode::json_type);
            let expected =
                |kind: &str| Some(json_name(why.strip_prefix(kind)?.rsplit_once(", expected ")?.1));
            let message = if let Some(expected) = expected("invalid type: ") {
                format!("`{}` must be {expected}, not {found}", error.path())
            } else if let Some(expected) = expected("invalid value: ") {
                format!("`{}` must be {expected}", error.path())
            } else if keys.is_empty() {
                why.clone()
            } else {
                format!("`{}`: {why}", error.path())
            };
            TypeFault { keys, message: excerpt(&message, LONGEST), help: did_you_mean_in(&why) }
        })
    }
}

/// Returns the name of a type in the words of JSON.
fn json_name(expected: &str) -> &str {
    match expected {
        "i64" | "u64" | "usize" => "an integer",
        "a sequence" => "an array",
        "a map" => "an object",
        "string or map" => "a string",
        name => name,
    }
}
