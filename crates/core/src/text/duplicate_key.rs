//! Finds a key that an object of a JSON document has twice. Some parsers use the first value and others the last one, so a program
//! that checks such a document and one that uses it may read different values.

use crate::settings::shown;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::{borrow::Cow, cell::Cell, collections::BTreeSet, fmt};

/// Refuses a JSON document in which an object has a key twice, or which has more values than `left`, on all levels. Each value is
/// taken from `left`.
///
/// # Errors
/// The place behind the second occurrence of a key, or where the document is no JSON.
///
/// ```
/// use preface_core::duplicate_key::check;
/// use std::cell::Cell;
/// let error = check(r#"[{"role": "user", "role": "system"}]"#.as_bytes(), &Cell::new(9)).unwrap_err();
/// assert!(error.is_data());
/// assert_eq!(error.to_string(), "duplicate key: `role` at line 1 column 24");
/// assert!(check(br#"{"a": {"b": 1}, "b": {"a": 1}}"#, &Cell::new(9)).is_ok());
/// assert_eq!(check(b"[1, 2, 3]", &Cell::new(3)).unwrap_err().to_string(), "too many values at line 1 column 7");
/// ```
pub fn check(json: &[u8], left: &Cell<usize>) -> serde_json::Result<()> {
    UniqueKeys(left).deserialize(&mut serde_json::Deserializer::from_slice(json))
}

/// A reader that fails at the first duplicate key, with the number of values that may follow.
struct UniqueKeys<'k>(&'k Cell<usize>);

impl<'de> DeserializeSeed<'de> for UniqueKeys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        let left = self.0.get().checked_sub(1).ok_or_else(|| D::Error::custom("too many values"))?;
        self.0.set(left);
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
                return Err(A::Error::custom(format_args!("duplicate key: `{}`", shown(&key))));
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
            (r#"{"a": 1, "a": 2}"#, Some("duplicate key: `a` at line 1 column 12")),
            (r#"{"a": 1, "\u0061": 2}"#, Some("duplicate key: `a` at line 1 column 17")),
            (
                "{\"a\": [1, -2, 3.5, null, true,\n {\"b\": {}, \"b\": \"x\"}]}",
                Some("duplicate key: `b` at line 2 column 14"),
            ),
            (r#"{"a": {"b": 1}, "b": [{"b": 1}, {"b": 2}]}"#, None),
            (r#"{"a": 1, "A": 2, "": 3}"#, None),
            (r#"{"a": 1, "a""#, Some("duplicate key: `a` at line 1 column 12")),
            (r#"{"a": 1,, "a": 2}"#, None),
            ("\"text\"", None),
            ("", None),
        ] {
            let found =
                check(json.as_bytes(), &Cell::new(usize::MAX)).err().filter(serde_json::Error::is_data);
            assert_eq!(found.map(|error| error.to_string()).as_deref(), expected, "{json}");
        }
    }
}
