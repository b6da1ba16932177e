//! YAML, through the one library that reads it here, with a small budget of its own. Nothing else knows its name.
//!
//! Version 1.2, core schema: `yes` and `on` are texts, dates are texts, `<<` is an ordinary key, an unknown tag is
//! ignored, and a key that is twice is an error.

use crate::json_type::without_position;
use serde::{
    Deserialize,
    de::{Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor},
};
use serde_saphyr::{MergeKeyPolicy, NonFiniteFloatPolicy, Options};
use std::fmt;

/// The top-level keys of a block, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlFields(pub(super) Vec<(String, YamlValue)>);

impl YamlFields {
    /// Returns the value of a key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&YamlValue> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value)
    }

    /// Returns the keys and values, in the block's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &YamlValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }
}

/// A value, as far as skills need it.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlValue {
    /// Nothing, or `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<YamlValue>),
    /// A map; keys that are no texts are kept as they were read.
    Map(Vec<(YamlValue, YamlValue)>),
}

impl YamlValue {
    /// True for what JavaScript takes for false: nothing, `false`, 0, NaN and the empty text.
    #[must_use]
    pub fn is_falsy(&self) -> bool {
        match self {
            YamlValue::Null => true,
            YamlValue::Bool(value) => !value,
            YamlValue::Number(value) => *value == 0.0 || value.is_nan(),
            YamlValue::Text(text) => text.is_empty(),
            YamlValue::List(_) | YamlValue::Map(_) => false,
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
pub(super) fn read(block: &str) -> Result<YamlFields, YamlError> {
    if let Some(line) = tabbed(block) {
        let message = "tabs are not allowed as indentation".to_owned();
        return Err(YamlError { message, line: Some(line) });
    }
    match serde_saphyr::from_str_with_options::<YamlValue>(block, options()) {
        Ok(YamlValue::Map(pairs)) => Ok(YamlFields(
            pairs
                .into_iter()
                .filter_map(|(key, value)| match key {
                    YamlValue::Text(key) => Some((key, value)),
                    _ => None,
                })
                .collect(),
        )),
        Ok(_) => Ok(YamlFields::default()),
        Err(error) => Err(YamlError {
            message: message(&error.without_snippet().to_string()),
            line: error.location().and_then(|at| usize::try_from(at.line()).ok()).filter(|line| *line > 0),
        }),
    }
}

/// The first line of content, from 1, where a tab is before it. The library takes that; others do not.
fn tabbed(block: &str) -> Option<usize> {
    let (at, line) = block.lines().enumerate().find(|(_, line)| !line.trim().is_empty())?;
    let indentation = &line[..line.len() - line.trim_start().len()];
    (indentation.contains('\t') && !line.trim_start().starts_with('#')).then_some(at + 1)
}

/// Frontmatter is small: a larger one is an attack or an accident.
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

/// Returns the library's message on one line, without the place, which is reported as a line of the file.
fn message(text: &str) -> String {
    // Advice for callers of the library.
    one_line(text.split(", set DuplicateKeyPolicy").next().unwrap_or(text))
}

fn one_line(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    without_position(&text).to_owned()
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(YamlValueVisitor)
    }
}

struct YamlValueVisitor;

impl<'de> Visitor<'de> for YamlValueVisitor {
    type Value = YamlValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_i128<E>(self, value: i128) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "only the kind of a number and zero matter")]
    fn visit_u128<E>(self, value: u128) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value))
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(from)
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, from: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(from)
    }

    fn visit_enum<A: EnumAccess<'de>>(self, from: A) -> Result<YamlValue, A::Error> {
        // An unknown tag: its name goes, its value stays.
        let (_, value) = from.variant::<YamlValue>()?;
        value.newtype_variant()
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = from.next_element()? {
            list.push(value);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<YamlValue, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = from.next_entry()? {
            pairs.push(pair);
        }
        Ok(YamlValue::Map(pairs))
    }
}
