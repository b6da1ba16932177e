//! Reading a value of a file as a Rust type. A fault is described by the types of values alone: a value may be a secret.

use super::node::{SettingsNode, SettingsTree};
use crate::{lint::character::excerpt, suggestion::did_you_mean_in};
use serde::{
    Deserialize,
    de::{
        Deserializer, Error, Expected, IntoDeserializer, Unexpected, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};
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
    /// Reads a value, or the entries of an object.
    pub(crate) fn read<'n, T: Deserialize<'n>>(
        from: impl Deserializer<'n, Error = TypeError>,
    ) -> Result<T, TypeFault> {
        serde_path_to_error::deserialize(from).map_err(|error| {
            let keys = error.path().iter().filter_map(|segment| match segment {
                Segment::Map { key } => Some(key.clone()),
                Segment::Seq { index } => Some(index.to_string()),
                _ => None,
            });
            let keys: Vec<String> = keys.collect();
            let TypeError(why) = error.inner();
            let message = match keys.as_slice() {
                [] if why.starts_with("must ") => format!("it {why}"),
                [] => why.clone(),
                _ if why.starts_with("must ") => format!("`{}` {why}", error.path()),
                _ => format!("`{}`: {why}", error.path()),
            };
            TypeFault { keys, message: excerpt(&message, LONGEST), help: did_you_mean_in(why) }
        })
    }
}

/// The error of a value by itself.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TypeError(String);

impl Error for TypeError {
    fn custom<T: std::fmt::Display>(message: T) -> Self {
        TypeError(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(_) => "a boolean",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
            Unexpected::Unit => "null",
            Unexpected::Seq => "an array",
            Unexpected::Map => "an object",
            _ => "a string",
        };
        TypeError(format!("must be {}, not {found}", json_name(expected)))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        TypeError(format!("must be {}", json_name(expected)))
    }
}

/// Returns the name of a type in the words of JSON.
fn json_name(expected: &dyn Expected) -> String {
    let name = expected.to_string();
    match name.as_str() {
        "i64" | "u64" | "usize" => "an integer".to_owned(),
        "a sequence" => "an array".to_owned(),
        "a map" => "an object".to_owned(),
        _ if name.starts_with("struct ") => "an object".to_owned(),
        _ => name,
    }
}

impl<'de> Deserializer<'de> for &'de SettingsNode {
    type Error = TypeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeError> {
        match &self.tree {
            SettingsTree::Null => visitor.visit_unit(),
            SettingsTree::Flag(flag) => visitor.visit_bool(*flag),
            SettingsTree::Number(number) => match (number.as_i64(), number.as_u64()) {
                (Some(integer), _) => visitor.visit_i64(integer),
                (None, Some(integer)) => visitor.visit_u64(integer),
                (None, None) => visitor.visit_f64(number.as_f64().unwrap_or_default()),
            },
            SettingsTree::Text(text) => visitor.visit_borrowed_str(text),
            SettingsTree::List(items) => SeqDeserializer::new(items.iter()).deserialize_any(visitor),
            SettingsTree::Table(table) => {
                let entries = table.iter().map(|(key, node)| (key.as_str(), node));
                MapDeserializer::new(entries).deserialize_any(visitor)
            }
        }
    }

    /// `null` is a value of a wrong type like any other.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, TypeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, TypeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypeError> {
        visitor.visit_enum(String::deserialize(self)?.into_deserializer())
    }

    /// An array is no struct.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, TypeError> {
        match &self.tree {
            SettingsTree::List(_) => Err(TypeError::invalid_type(Unexpected::Seq, &visitor)),
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, TypeError> for &'de SettingsNode {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
