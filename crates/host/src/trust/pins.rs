//! Grants of single texts: a path in a project and the digests that were granted for it; also as a file of their own, for
//! machines on which nobody can be asked.
//!
//! ```json
//! {
//!   "trust_pins": 1,
//!   "pins": [
//!     {"path": "AGENTS.md", "digest": "blake3:…", "bytes": 9}
//!   ],
//!   "branches": ["main"]
//! }
//! ```
//!
//! The exported form is strict: the caller gives the file, so whatever is wrong with it is an error and not skipped. It names
//! no root. Paths outside of the project stay absolute, and matter only where they are the same.

use super::{
    digest::Digest,
    path::recordable,
    record::{GrantedText, RootRecord},
    store::TrustError,
};
use preface_core::lint::hidden::escape_hidden;
use serde::{Deserialize, Deserializer, Serialize, de::Error as _};
use std::{
    borrow::Cow,
    ffi::OsStr,
    fmt,
    path::{Component, Path, PathBuf},
};

/// The name of a text in a grant: relative to the project's root with `/`, absolute where it is outside.
///
/// ```
/// use preface_host::trust::PinPath;
/// use std::path::Path;
///
/// let root = Path::new("/work");
/// let path = PinPath::new(root, &root.join("api").join("AGENTS.md"))?;
/// assert_eq!(path.as_str(), "api/AGENTS.md");
/// assert_eq!(path.resolve(root), root.join("api").join("AGENTS.md"));
/// let above = PinPath::new(root, &root.with_file_name("AGENTS.md"))?;
/// assert_eq!((path.shown_in(root), above.shown_in(root)), ("api/AGENTS.md".into(), "../AGENTS.md".into()));
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PinPath(String);

impl PinPath {
    /// Names the text at a canonical path.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] for a path that is not canonical or not UTF-8, and for the root itself.
    pub fn new(root: &Path, path: &Path) -> Result<Self, TrustError> {
        let text = recordable(path)?;
        if !path.starts_with(root) {
            return Ok(PinPath(text.to_owned()));
        }
        let inside = path.strip_prefix(root).unwrap_or(path);
        let names: Vec<_> = inside.components().filter_map(|part| part.as_os_str().to_str()).collect();
        match names.is_empty() {
            true => Err(TrustError::invalid(path, "it is the root of the project")),
            false => Ok(PinPath(names.join("/"))),
        }
    }

    /// Reads a name as a record holds it; `None` for one that could lead elsewhere.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let path = Path::new(text);
        let good = if path.has_root() {
            recordable(path).is_ok()
        } else {
            !text.is_empty()
                && !text.contains('\0')
                && path.components().all(|part| matches!(part, Component::Normal(_)))
                && text.split('/').all(|name| !matches!(name, "" | "." | ".."))
        };
        good.then(|| PinPath(text.to_owned()))
    }

    /// Returns the name as a record holds it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns whether a path is this one, or lies below it.
    pub(super) fn holds(&self, path: &PinPath) -> bool {
        Path::new(&path.0).starts_with(&self.0)
    }

    /// Returns where the text is in a project with this root.
    #[must_use]
    pub fn resolve(&self, root: &Path) -> PathBuf {
        match Path::new(&self.0).has_root() {
            true => PathBuf::from(&self.0),
            false => root.join(self.0.split('/').collect::<PathBuf>()),
        }
    }

    /// Returns the name for people, relative to the root where the text is in it or in a directory above it, else absolute.
    #[must_use]
    pub fn shown_in(&self, root: &Path) -> String {
        let path = Path::new(&self.0);
        let below = path.parent().filter(|_| path.has_root()).and_then(|dir| root.strip_prefix(dir).ok());
        let name = match (below, path.file_name().and_then(OsStr::to_str)) {
            (Some(below), Some(name)) => "../".repeat(below.components().count()) + name,
            _ => self.0.clone(),
        };
        escape_hidden(&name).into_owned()
    }
}

impl fmt::Display for PinPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for PinPath {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        PinPath::parse(&text).ok_or_else(|| D::Error::custom("a path that is not normalised"))
    }
}

/// A text that the user was shown and grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedText {
    /// The path of the text.
    pub path: PinPath,
    /// The content that was shown; the digest is computed from it.
    pub bytes: Vec<u8>,
}

/// The state of a text or a permission under the grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum GrantState {
    /// Exactly this was granted.
    Granted,
    /// Something else was granted for this path or subject, not this.
    Changed,
    /// Nothing was granted for this path or subject.
    New,
}

impl GrantState {
    /// Returns the word that views and JSON use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// One granted version of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PinnedVersion {
    /// The digest of the text.
    pub digest: Digest,
    /// The size of the text.
    pub bytes: u64,
}

impl PinnedVersion {
    /// Describes a text.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        PinnedVersion { digest: Digest::of(bytes), bytes: bytes.len() as u64 }
    }
}

/// The version of the exported form.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    trust_pins: u32,
    pins: Vec<GrantedText>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    branches: Vec<String>,
}

/// The error for a file that holds no exported pins.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// The file is not the expected JSON; holds the parser's message.
    #[error("not a file of exported pins: {0}")]
    Malformed(String),
    /// The file was written by another version of preface.
    #[error("exported pins of version {0}, and only version {VERSION} is known here")]
    Version(u32),
}

impl RootRecord {
    /// Returns the granted texts as a file of their own, in the form of the head of this file.
    #[must_use]
    pub fn export(&self) -> String {
        let branches = self.branches().map(str::to_owned).collect();
        let export = Export { trust_pins: VERSION, pins: self.granted_texts().collect(), branches };
        let mut text =
            serde_json::to_string_pretty(&export).expect("texts, numbers and lists have a JSON form");
        text.push('\n');
        text
    }

    /// Reads what [`RootRecord::export`] wrote.
    ///
    /// # Errors
    /// The bytes are something else, or of another version.
    ///
    /// ```
    /// use preface_host::trust::RootRecord;
    ///
    /// let pins = RootRecord::from_export(br#"{"trust_pins": 1, "pins": []}"#)?;
    /// assert_eq!(pins.texts().count(), 0);
    /// assert!(RootRecord::from_export(b"[]").is_err());
    /// # Ok::<(), preface_host::trust::ExportError>(())
    /// ```
    pub fn from_export(bytes: &[u8]) -> Result<RootRecord, ExportError> {
        let export: Export =
            serde_json::from_slice(bytes).map_err(|error| ExportError::Malformed(error.to_string()))?;
        if export.trust_pins != VERSION {
            return Err(ExportError::Version(export.trust_pins));
        }
        let text = |GrantedText { path, digest, bytes }| (path, PinnedVersion { digest, bytes });
        Ok(RootRecord::given(export.pins.into_iter().map(text), export.branches))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_relative_inside_and_absolute_outside() {
        let root = Path::new("/work");
        let name = |path: &str| PinPath::new(root, Path::new(path)).map(|name| name.0);
        assert_eq!(name("/work/AGENTS.md").as_deref(), Ok("AGENTS.md"));
        assert_eq!(name("/work/a/b").as_deref(), Ok("a/b"));
        assert_eq!(name("/AGENTS.md").as_deref(), Ok("/AGENTS.md"));
        assert_eq!(
            name("/workshop/AGENTS.md").as_deref(),
            Ok("/workshop/AGENTS.md"),
            "compared by component"
        );
        assert!(name("/work").is_err());
        assert!(name("AGENTS.md").is_err());
        assert!(name("/work/../etc/passwd").is_err());
    }

    #[test]
    fn the_text_that_was_granted_last_is_the_latest() {
        let path = PinPath("a".into());
        let given = |texts: &[&[u8]]| {
            RootRecord::given(texts.iter().map(|text| (path.clone(), PinnedVersion::of(text))), [])
        };
        let mut pins = given(&[b"one", b"two"]);
        pins.join(given(&[b"one"]));
        assert_eq!(
            pins.versions(&path).last(),
            Some(&PinnedVersion::of(b"one")),
            "an older text that is granted again"
        );
        assert_eq!(pins.texts().next().map(|(_, versions)| versions.len()), Some(2), "each text once");
    }

    #[test]
    fn a_store_updates_an_export() {
        let path = |text: &str| PinPath(text.to_owned());
        let exported = RootRecord::given(
            [("a", b"old"), ("api/a", b"api"), ("gone/a", b"abc")]
                .map(|(at, text)| (path(at), PinnedVersion::of(text))),
            ["main".to_owned()],
        );
        let store = RootRecord::given(
            [(path("a"), PinnedVersion::of(b"new")), (path("b"), PinnedVersion::of(b"b"))],
            ["x".to_owned()],
        );
        let (merged, gone) = exported.updated(&store, |path| path.as_str().starts_with("gone/"));
        let texts: Vec<_> = merged.texts().map(|(path, all)| (path.as_str(), all.to_vec())).collect();
        assert_eq!(
            texts,
            [
                ("a", vec![PinnedVersion::of(b"new")]),
                ("api/a", vec![PinnedVersion::of(b"api")]),
                ("b", vec![PinnedVersion::of(b"b")])
            ]
        );
        assert_eq!(gone, [path("gone/a")]);
        assert_eq!(merged.branches().collect::<Vec<_>>(), ["main"]);
    }

    #[test]
    fn a_recorded_name_never_leads_elsewhere() {
        for good in ["AGENTS.md", "a/b", "/a/b", "a\\b", "..a/b"] {
            let name = PinPath::parse(good).unwrap_or_else(|| panic!("{good:?} is a good name"));
            assert_eq!(PinPath::new(Path::new("/r"), &name.resolve(Path::new("/r"))), Ok(name));
        }
        for bad in ["", ".", "..", "../a", "a/../b", "./a", "a/./b", "a//b", "a/", "/a/../b", "/a/", "a\0"] {
            assert_eq!(PinPath::parse(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn what_was_exported_is_read_again() {
        let path = |text| PinPath::parse(text).expect("a good path");
        let texts = [
            (path("b"), PinnedVersion::of(b"one")),
            (path("a/ü"), PinnedVersion::of(b"two")),
            (path("b"), PinnedVersion::of(b"three")),
        ];
        let pins = RootRecord::given(texts, ["ü\\u{200b}".to_owned()]);
        let text = pins.export();
        assert!(text.starts_with("{\n  \"trust_pins\": 1,\n  \"pins\": [\n"), "{text}");
        assert!(text.ends_with("\n}\n"), "{text}");
        assert_eq!(RootRecord::from_export(text.as_bytes()), Ok(pins));
    }

    #[test]
    fn whatever_is_wrong_is_told() {
        let good = Digest::of(b"").to_string();
        let pin = |path: &str, digest: &str| {
            format!(r#"{{"trust_pins":1,"pins":[{{"path":{path:?},"digest":{digest:?},"bytes":0}}]}}"#)
        };
        assert!(RootRecord::from_export(pin("a", &good).as_bytes()).is_ok());
        for bad in [
            String::new(),
            "{}".into(),
            pin("../a", &good),
            pin("a", "sha1:00"),
            r#"{"trust_pins":1,"pins":[],"root":"/"}"#.into(),
        ] {
            assert!(
                matches!(RootRecord::from_export(bad.as_bytes()), Err(ExportError::Malformed(_))),
                "{bad}"
            );
        }
        assert_eq!(RootRecord::from_export(br#"{"trust_pins":2,"pins":[]}"#), Err(ExportError::Version(2)));
    }
}
