//! Finds a key that an object of a JSON document has twice. Some parsers use the first value and others the last one, so a program
//! that checks such a document and one that uses it may read different values.

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, cell::Cell, collections::BTreeSet, fmt};

/// A key that occurs twice in one object, with the place behind its second occurrence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, in bytes from 1.
    pub column: usize,
}

/// Returns the first duplicate key of a JSON document; `None` if it has none in front of its first syntax error.
///
/// ```
/// let found = preface_core::duplicate_key::find(br#"[{"role": "user", "role": "system"}]"#).unwrap();
/// assert_eq!((found.key.as_str(), found.line, found.column), ("role", 1, 24));
/// assert_eq!(preface_core::duplicate_key::find(br#"{"a": {"b": 1}, "b": {"a": 1}}"#), None);
/// ```
#[must_use]
pub fn find(json: &[u8]) -> Option<DuplicateKey> {
    let key = Cell::new(None);
    let mut from = serde_json::Deserializer::from_slice(json);
    let error = UniqueKeys(&key).deserialize(&mut from).err()?;
    Some(DuplicateKey { key: key.take()?, line: error.line(), column: error.column() })
}

/// A reader that fails at the first duplicate key, and stores it.
struct UniqueKeys<'k>(&'k Cell<Option<String>>);

impl<'de> DeserializeSeed<'de> for UniqueKeys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for UniqueKeys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        while from.next_element_seed(UniqueKeys(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<(), A::Error> {
        let mut keys = BTreeSet::new();
        while let Some(key) = from.next_key_seed(ObjectKey)? {
            if let Some(key) = keys.replace(key) {
                self.0.set(Some(key.into_owned()));
                return Err(A::Error::custom("duplicate key"));
            }
            from.next_value_seed(UniqueKeys(self.0))?;
        }
        Ok(())
    }
}

/// A reader of a key, which is copied only where it has escapes: a body may have a million.
struct ObjectKey;

impl<'de> DeserializeSeed<'de> for ObjectKey {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Cow<'de, str>, D::Error> {
        from.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for ObjectKey {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_duplicate_is_found_at_any_depth() {
        for (json, expected) in [
            (r#"{"a": 1, "a": 2}"#, Some(("a", 1, 12))),
            (r#"{"a": 1, "\u0061": 2}"#, Some(("a", 1, 17))),
            ("{\"a\": [1, -2, 3.5, null, true,\n {\"b\": {}, \"b\": \"x\"}]}", Some(("b", 2, 14))),
            (r#"{"a": {"b": 1}, "b": [{"b": 1}, {"b": 2}]}"#, None),
            (r#"{"a": 1, "A": 2, "": 3}"#, None),
            (r#"{"a": 1, "a""#, Some(("a", 1, 12))),
            (r#"{"a": 1,, "a": 2}"#, None),
            ("\"text\"", None),
            ("", None),
        ] {
            let found = find(json.as_bytes());
            let found = found.as_ref().map(|found| (found.key.as_str(), found.line, found.column));
            assert_eq!(found, expected, "{json}");
        }
    }
}
