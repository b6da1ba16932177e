//! Whole numbers in JSON. In JSON Schema `7` and `7.0` are the same number, and some clients send the second.

use serde::{Deserialize, Deserializer, de::Error};

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
}
