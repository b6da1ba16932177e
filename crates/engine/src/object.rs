//! Deserializes objects only from JSON objects. serde alone accepts a list as well, with the fields in their order.

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// Reads an object, for `deserialize_with`.
///
/// # Errors
/// It is none, or does not have the fields.
pub fn read<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_map(ObjectVisitor(PhantomData))
}

/// Reads a list of objects, for `deserialize_with`.
///
/// # Errors
/// It is no list, or something in it is no object or does not have the fields.
pub fn read_all<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::<ObjectElement<T>>::deserialize(from)?;
    Ok(list.into_iter().map(|ObjectElement(one)| one).collect())
}

#[derive(Deserialize)]
#[serde(transparent, bound(deserialize = "T: Deserialize<'de>"))]
struct ObjectElement<T>(#[serde(deserialize_with = "read")] T);

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    struct TestPair {
        one: u8,
        two: u8,
    }

    #[test]
    fn a_list_is_no_object() {
        let one = |json: &str| read::<_, TestPair>(&mut serde_json::Deserializer::from_str(json)).ok();
        assert_eq!(one(r#"{"one": 1, "two": 2}"#), Some(TestPair { one: 1, two: 2 }));
        assert_eq!(one("[1, 2]"), None);
        let all = |json: &str| read_all::<_, TestPair>(&mut serde_json::Deserializer::from_str(json)).ok();
        assert_eq!(all(r#"[{"one": 1, "two": 2}]"#), Some(vec![TestPair { one: 1, two: 2 }]));
        assert_eq!(all("[[1, 2]]"), None);
    }
}
