//! A JSON value that borrows what it can: the shape of a request body before it is printed.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, value::RawValue};
use std::borrow::Cow;

/// A JSON value. Keys are printed in the order in which they are written.
#[derive(Debug)]
pub(super) enum Json<'c> {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(u64),
    /// A string.
    Text(Cow<'c, str>),
    /// A value of the caller, unchanged.
    Value(&'c Value),
    /// An object of the caller, unchanged.
    Map(&'c Map<String, Value>),
    /// Some entries of an object of the caller.
    Entries(Vec<(&'c str, &'c Value)>),
    /// JSON that the caller wrote as text, unchanged.
    Raw(&'c RawValue),
    /// A list.
    List(Vec<Json<'c>>),
    /// An object.
    Object(Vec<(&'static str, Json<'c>)>),
}

impl<'c> Json<'c> {
    /// Appends an entry to an object.
    pub(super) fn push(&mut self, key: &'static str, value: impl Into<Json<'c>>) {
        if let Json::Object(entries) = self {
            entries.push((key, value.into()));
        }
    }

    /// Appends an entry for a value, if there is one.
    pub(super) fn push_some(&mut self, key: &'static str, value: Option<impl Into<Json<'c>>>) {
        value.into_iter().for_each(|value| self.push(key, value));
    }

    /// Appends an entry for a list that is not empty.
    pub(super) fn push_list(&mut self, key: &'static str, values: Vec<Json<'c>>) {
        self.push_some(key, Some(values).filter(|values| !values.is_empty()));
    }

    /// Returns the string under a key of an object.
    pub(super) fn text_at(&self, key: &str) -> Option<&str> {
        match self {
            Json::Object(entries) => match entries.iter().find(|(name, _)| *name == key)? {
                (_, Json::Text(text)) => Some(text),
                _ => None,
            },
            _ => self.get(key)?.as_str(),
        }
    }

    /// Returns what the caller gave under a key of an object.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Json::Object(entries) => match entries.iter().find(|(name, _)| *name == key)? {
                (_, Json::Value(value)) => Some(value),
                _ => None,
            },
            Json::Entries(entries) => Some(entries.iter().find(|(name, _)| *name == key)?.1),
            Json::Value(value) => value.get(key),
            Json::Map(map) => map.get(key),
            _ => None,
        }
    }

    /// Removes an entry of an object.
    pub(super) fn remove(&mut self, key: &str) {
        match self {
            Json::Object(entries) => entries.retain(|(name, _)| *name != key),
            Json::Map(map) => {
                let rest = map.iter().filter(|(name, _)| *name != key);
                *self = Json::Entries(rest.map(|(name, value)| (name.as_str(), value)).collect());
            }
            _ => {}
        }
    }

    /// Returns the list under a key of an object; empty if there is none.
    pub(super) fn list_at(&self, key: &str) -> &[Json<'c>] {
        match self {
            Json::Object(entries) => match entries.iter().find(|(name, _)| *name == key) {
                Some((_, Json::List(values))) => values,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Returns true for an object with a key.
    pub(super) fn has(&self, key: &str) -> bool {
        match self {
            Json::Object(entries) => entries.iter().any(|(name, _)| *name == key),
            _ => self.get(key).is_some(),
        }
    }

    /// Returns the value without the cache mark of the caller, which moves without an effect.
    pub(super) fn without_mark(&self) -> WithoutMark<'_, 'c> {
        WithoutMark(self)
    }

    /// Prints the value, with two blanks for each level or without any white space.
    pub(super) fn print(&self, indented: bool) -> String {
        // Strings, numbers and objects with string keys are always JSON.
        let printed = if indented { serde_json::to_string_pretty(self) } else { serde_json::to_string(self) };
        let mut body = printed.unwrap_or_default();
        body.push('\n');
        body
    }
}

/// A value that is printed without `cache_control`.
#[derive(Debug)]
pub(super) struct WithoutMark<'j, 'c>(&'j Json<'c>);

impl Serialize for WithoutMark<'_, '_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let rest = |key: &str| key != "cache_control";
        match self.0 {
            Json::Map(map) => to.collect_map(map.iter().filter(|(key, _)| rest(key))),
            Json::Object(entries) => {
                to.collect_map(entries.iter().filter(|(key, _)| rest(key)).map(|(key, value)| (key, value)))
            }
            other => other.serialize(to),
        }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Json::Bool(flag) => to.serialize_bool(*flag),
            Json::Number(number) => to.serialize_u64(*number),
            Json::Text(text) => to.serialize_str(text),
            Json::Value(value) => value.serialize(to),
            Json::Map(map) => map.serialize(to),
            Json::Entries(entries) => to.collect_map(entries.iter().copied()),
            Json::Raw(raw) => raw.serialize(to),
            Json::List(values) => to.collect_seq(values),
            Json::Object(entries) => to.collect_map(entries.iter().map(|(key, value)| (key, value))),
        }
    }
}

impl<'c> From<&'c str> for Json<'c> {
    fn from(text: &'c str) -> Self {
        Json::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Json<'_> {
    fn from(text: String) -> Self {
        Json::Text(Cow::Owned(text))
    }
}

impl<'c> From<Cow<'c, str>> for Json<'c> {
    fn from(text: Cow<'c, str>) -> Self {
        Json::Text(text)
    }
}

impl<'c> From<&'c Value> for Json<'c> {
    fn from(value: &'c Value) -> Self {
        Json::Value(value)
    }
}

impl From<bool> for Json<'_> {
    fn from(flag: bool) -> Self {
        Json::Bool(flag)
    }
}

impl<'c> From<Vec<Json<'c>>> for Json<'c> {
    fn from(values: Vec<Json<'c>>) -> Self {
        Json::List(values)
    }
}

/// Builds an object: `object! { "type": "text", "text": text }`.
macro_rules! object {
    ($($key:literal: $value:expr),* $(,)?) => {
        $crate::format::json::Json::Object(vec![$(($key, $crate::format::json::Json::from($value))),*])
    };
}
pub(super) use object;
