//! The form of `trust.json`, as `format.md` describes it: one document of serde, which has no other form.

use super::record::{TrustDocument, VERSION};
use jiff::Timestamp;

/// Reads the file.
///
/// # Errors
/// Describes why the file is not one of ours.
pub(super) fn read(bytes: &[u8]) -> Result<TrustDocument, String> {
    let document: TrustDocument = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match document.version {
        VERSION => Ok(document),
        version => Err(format!("version {version} is not known to this program")),
    }
}

/// Returns the file: two-space JSON without a newline at its end, sorted by path.
pub(super) fn write(document: &TrustDocument) -> Vec<u8> {
    serde_json::to_vec_pretty(document).expect("texts, numbers and lists have a JSON form")
}

/// Returns an instant as JavaScript prints it, longer only where it is finer.
fn iso(instant: Timestamp) -> String {
    match instant.subsec_nanosecond() % 1_000_000 {
        0 => format!("{instant:.3}"),
        _ => instant.to_string(),
    }
}

/// An instant in the file.
pub(super) mod instant {
    use super::iso;
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error as _};

    pub(in super::super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&iso(*at))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        String::deserialize(from)?.parse().map_err(D::Error::custom)
    }
}

/// An instant that may be missing.
pub(super) mod optional_instant {
    use super::{instant, iso};
    use jiff::Timestamp;
    use serde::{Deserializer, Serialize, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(
        at: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        at.map(iso).serialize(to)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        instant::deserialize(from).map(Some)
    }
}
