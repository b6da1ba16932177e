//! YAML, through the one library that reads it here, with a small budget of its own. Nothing else knows its name.
//!
//! Version 1.2, core schema: `yes` and `on` are texts, dates are texts, `<<` is an ordinary key, an unknown tag is
//! ignored, and a key that stands twice is an error.

use serde::{
    Deserialize,
    de::{Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_saphyr::{MergeKeyPolicy, NonFiniteFloatPolicy, Options};
use std::fmt;

/// The top-level keys of a block, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fields(pub(super) Vec<(String, Value)>);

impl Fields {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Returns the keys and values, in the block's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// A value, as far as anybody asks.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing, or `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// A map; keys that are no texts are kept as they were read.
    Map(Vec<(Value, Value)>),
}

impl Value {
    /// True for what JavaScript takes for false: nothing, `false`, 0, NaN and the empty text.
    #[must_use]
    pub fn is_falsy(&self) -> bool {
        match self {
            Value::Null => true,
            Value::Bool(value) => !value,
            Value::Number(value) => *value == 0.0 || value.is_nan(),
            Value::Text(text) => text.is_empty(),
            Value::List(_) | Value::Map(_) => false,
        }
    }
}

/// The reason why a block is not YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct YamlError {
    /// The message of the YAML library, on one line.
    pub message: String,
    /// The line in the block, from 1, where it is known.
    pub line: Option<usize>,
}

/// Reads a block. One that is no map has no keys.
pub(super) fn read(block: &str) -> Result<Fields, YamlError> {
    if let Some(line) = tabbed(block) {
        let message = "tabs are not allowed as indentation".to_owned();
        return Err(YamlError { message, line: Some(line) });
    }
    match serde_saphyr::from_str_with_options::<Value>(block, options()) {
        Ok(Value::Map(pairs)) => Ok(Fields(
            pairs
                .into_iter()
                .filter_map(|(key, value)| match key {
                    Value::Text(key) => Some((key, value)),
                    _ => None,
                })
                .collect(),
        )),
        Ok(_) => Ok(Fields::default()),
        Err(error) => Err(YamlError {
            message: words(&error.without_snippet().to_string()),
            line: error.location().and_then(|at| usize::try_from(at.line()).ok()).filter(|line| *line > 0),
        }),
    }
}

/// The first line of content, from 1, where a tab stands before it. The library takes that; others do not.
fn tabbed(block: &str) -> Option<usize> {
    let (at, line) = block.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let indentation = &line[..line.len() - line.trim_start().len()];
    (indentation.contains('\t') && !line.trim_start().starts_with('#')).then_some(at + 1)
}

/// Frontmatter is small: what asks for more is no frontmatter, but somebody's attack or accident.
fn options() -> Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 4_000,
            max_nodes: 4_000,
            max_aliases: 100,
            max_anchors: 100,
            max_depth: 64,
            max_documents: 1,
            max_recorded_anchor_events: 2_000,
        },
        merge_keys: MergeKeyPolicy::AsOrdinary,
        strict_booleans: true,
        underscored_numbers_as_strings: true,
        ignore_binary_tag_for_string: true,
        non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
        with_snippet: false,
    }
}

/// The library's words on one line, without the place: that is told beside them, as a line of the file.
fn words(text: &str) -> String {
    // Advice for whoever calls the library.
    one_line(text.split(", set DuplicateKeyPolicy").next().unwrap_or(text))
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.rfind(" at line ").map_or(text.as_str(), |at| &text[..at]).to_owned()
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(Value::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Value::deserialize(from)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Value::deserialize(from)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<Value, A::Error> {
        // A tag that nobody knows: its name goes, its value stays.
        let (_, value) = from.variant::<Value>()?;
        value.newtype_variant()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = from.next_entry()? {
            pairs.push(pair);
        }
        Ok(Value::Map(pairs))
    }
}
