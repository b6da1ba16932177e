//! Pins as a file of their own, for machines on which nobody can be asked: `trust export > FILE` here,
//! `build --trust-pins FILE` there.
//!
//! ```json
//! {
//!   "trustPins": 1,
//!   "pins": [
//!     {"path": "AGENTS.md", "digest": "blake3:…", "bytes": 9}
//!   ],
//!   "branches": ["main"]
//! }
//! ```
//!
//! The form is strict: the caller gives the file, so whatever is wrong with it is told, not skipped. It names no root.
//! Paths outside of the project stay absolute, and matter only where they are the same.

use super::{
    digest::Digest,
    object::Object,
    pins::{PinPath, Pinned, Pins},
    record::Records,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

const VERSION: u32 = 1;

/// Returns the grants of one project in the form that [`Pins::from_export`] reads, with a newline at its end.
#[must_use]
pub fn export(records: &Records, root: &Path, repository: Option<&Path>) -> String {
    records.pins(root, repository).export()
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Export {
    trust_pins: u32,
    pins: Vec<Object<ExportedPin>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportedPin {
    path: PinPath,
    digest: Digest,
    bytes: u64,
}

/// Why a file holds no exported pins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// It is not the JSON that was expected; in the parser's words.
    #[error("not a file of `preface trust export`: {0}")]
    Malformed(String),
    /// It comes from another version of preface.
    #[error("exported pins of version {0}, and only version {VERSION} is known here")]
    Version(u32),
}

impl Pins {
    /// Returns the granted texts as a file of their own, see [`export`](super::export).
    #[must_use]
    pub fn export(&self) -> String {
        let pins = self.iter().flat_map(|(path, versions)| {
            versions.iter().map(|Pinned { digest, bytes }| {
                Object(ExportedPin { path: path.clone(), digest: *digest, bytes: *bytes })
            })
        });
        let branches = self.branches().map(str::to_owned).collect();
        let export = Export { trust_pins: VERSION, pins: pins.collect(), branches };
        let mut text =
            serde_json::to_string_pretty(&export).expect("texts, numbers and lists have a JSON form");
        text.push('\n');
        text
    }

    /// Reads what [`Pins::export`] wrote.
    ///
    /// # Errors
    /// The bytes are something else, or of another version.
    ///
    /// ```
    /// use preface_host::trust::Pins;
    ///
    /// let pins = Pins::from_export(br#"{"trustPins": 1, "pins": []}"#)?;
    /// assert_eq!(pins.iter().count(), 0);
    /// assert!(Pins::from_export(b"[]").is_err());
    /// # Ok::<(), preface_host::trust::ExportError>(())
    /// ```
    pub fn from_export(bytes: &[u8]) -> Result<Pins, ExportError> {
        let Object::<Export>(export) =
            serde_json::from_slice(bytes).map_err(|error| ExportError::Malformed(error.to_string()))?;
        match export.trust_pins {
            VERSION => Ok(Pins::given(
                export
                    .pins
                    .into_iter()
                    .map(|Object(pin)| (pin.path, Pinned { digest: pin.digest, bytes: pin.bytes })),
                export.branches,
            )),
            version => Err(ExportError::Version(version)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_exported_is_read_again() {
        let path = |text| PinPath::parse(text).expect("a good path");
        let version = |text: &[u8]| Pinned { digest: Digest::of(text), bytes: text.len() as u64 };
        let texts =
            [(path("b"), version(b"one")), (path("a/ü"), version(b"two")), (path("b"), version(b"three"))];
        let pins = Pins::given(texts, ["ü\\u{200b}".to_owned()]);
        let text = pins.export();
        assert!(text.starts_with("{\n  \"trustPins\": 1,\n  \"pins\": [\n"), "{text}");
        assert!(text.ends_with("\n}\n"), "{text}");
        assert_eq!(Pins::from_export(text.as_bytes()), Ok(pins));
    }

    #[test]
    fn whatever_is_wrong_is_told() {
        let good = Digest::of(b"").to_string();
        let pin = |path: &str, digest: &str| {
            format!(r#"{{"trustPins":1,"pins":[{{"path":{path:?},"digest":{digest:?},"bytes":0}}]}}"#)
        };
        assert!(Pins::from_export(pin("a", &good).as_bytes()).is_ok());
        for bad in [
            String::new(),
            "{}".into(),
            pin("../a", &good),
            pin("a", "sha1:00"),
            "[1, []]".into(),
            r#"{"trustPins":1,"pins":[],"root":"/"}"#.into(),
        ] {
            assert!(matches!(Pins::from_export(bad.as_bytes()), Err(ExportError::Malformed(_))), "{bad}");
        }
        assert_eq!(Pins::from_export(br#"{"trustPins":2,"pins":[]}"#), Err(ExportError::Version(2)));
    }
}
