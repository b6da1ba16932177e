//! Values of JSON from outside, for `deserialize_with`: objects and whole numbers. serde alone accepts a list for an object, with the
//! fields in their order. In JSON Schema `7` and `7.0` are the same number, and some clients send the second.

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor, value::MapAccessDeserializer},
};
use std::{fmt, marker::PhantomData};

/// Reads an object, for `deserialize_with`.
///
/// # Errors
/// It is none, or does not have the fields.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<T, D::Error> {
    from.deserialize_map(ObjectVisitor(PhantomData))
}

/// Reads a list of objects, for `deserialize_with`.
///
/// # Errors
/// It is no list, or something in it is no object or does not have the fields.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    let list = Vec::<ObjectElement<T>>::deserialize(from)?;
    Ok(list.into_iter().map(|ObjectElement(one)| one).collect())
}

#[derive(Deserialize)]
#[serde(transparent, bound(deserialize = "T: Deserialize<'de>"))]
struct ObjectElement<T>(#[serde(deserialize_with = "object")] T);

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

/// The two forms of a whole number.
#[derive(Deserialize)]
#[serde(untagged)]
enum JsonNumber {
    Whole(u64),
    Dotted(f64),
}

/// The largest number up to which every whole number has a dotted form of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Reads a number that is not negative, has no fraction and is no larger than a store can count, for `deserialize_with`.
///
/// # Errors
/// It is another one, or none.
pub fn number<'de, D: Deserializer<'de>, N: TryFrom<u64>>(from: D) -> Result<N, D::Error> {
    let bad = || D::Error::custom("not a whole number that fits here");
    let number = match JsonNumber::deserialize(from).map_err(|_| bad())? {
        JsonNumber::Whole(number) if i64::try_from(number).is_ok() => number,
        JsonNumber::Whole(_) => return Err(bad()),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "just checked")]
        JsonNumber::Dotted(dotted) if dotted.fract() == 0.0 && (0.0..=EXACT).contains(&dotted) => {
            dotted as u64
        }
        JsonNumber::Dotted(_) => return Err(bad()),
    };
    N::try_from(number).map_err(|_| bad())
}

/// As [`number`], for a field that may be absent or `null`; it needs `#[serde(default)]`, too.
///
/// # Errors
/// As [`number`].
pub fn optional<'de, D: Deserializer<'de>, N: TryFrom<u64>>(from: D) -> Result<Option<N>, D::Error> {
    struct WholeNumber<N>(N);
    impl<'de, N: TryFrom<u64>> Deserialize<'de> for WholeNumber<N> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            number(from).map(Self)
        }
    }
    Ok(Option::<WholeNumber<N>>::deserialize(from)?.map(|WholeNumber(number)| number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<u32> {
        number(&mut serde_json::Deserializer::from_str(json)).ok()
    }

    #[test]
    fn an_optional_number_may_be_null() {
        let read = |json: &str| optional::<_, u32>(&mut serde_json::Deserializer::from_str(json)).ok();
        for (json, expected) in [("null", Some(None)), ("7.0", Some(Some(7))), ("7.5", None), ("\"7\"", None)]
        {
            assert_eq!(read(json), expected, "{json}");
        }
    }

    #[test]
    fn a_whole_number_may_have_a_dot() {
        for (json, expected) in [("7", Some(7)), ("7.0", Some(7)), ("7e2", Some(700)), ("0", Some(0))] {
            assert_eq!(read(json), expected, "{json}");
        }
        for json in ["7.5", "-1", "-1.0", "4294967296", "1e300", "\"7\"", "null", "true"] {
            assert_eq!(read(json), None, "{json}");
        }
        let large = number::<_, u64>(&mut serde_json::Deserializer::from_str("9223372036854775808"));
        assert!(large.is_err(), "no store counts that far");
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct TestPair {
        one: u8,
        two: u8,
    }

    #[test]
    fn a_list_is_no_object() {
        let one = |json: &str| object::<_, TestPair>(&mut serde_json::Deserializer::from_str(json)).ok();
        assert_eq!(one(r#"{"one": 1, "two": 2}"#), Some(TestPair { one: 1, two: 2 }));
        assert_eq!(one("[1, 2]"), None);
        let all = |json: &str| objects::<_, TestPair>(&mut serde_json::Deserializer::from_str(json)).ok();
        assert_eq!(all(r#"[{"one": 1, "two": 2}]"#), Some(vec![TestPair { one: 1, two: 2 }]));
        assert_eq!(all("[[1, 2]]"), None);
    }
}
