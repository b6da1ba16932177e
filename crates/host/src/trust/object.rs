//! Reads a structure from a JSON object only; serde's own way would take an array of its fields as well.

use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// What stands in a JSON object.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(OnlyMap(PhantomData)).map(Object)
    }
}

struct OnlyMap<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OnlyMap<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Pair {
        a: u8,
        b: u8,
    }

    #[test]
    fn an_array_is_no_object() {
        let read = |text| serde_json::from_str::<Object<Pair>>(text).map(|pair| (pair.0.a, pair.0.b));
        assert_eq!(read(r#"{"b": 2, "a": 1}"#).ok(), Some((1, 2)));
        assert!(read("[1, 2]").is_err());
        assert!(serde_json::from_str::<Pair>("[1, 2]").is_ok(), "which is why this exists");
    }
}
