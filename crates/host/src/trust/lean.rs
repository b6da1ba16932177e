//! Reads a `trust.json` that is as it should be, straight into records.
//!
//! Every cold start reads the store, so the usual file has this short way. It accepts only what [`file`](super::file)
//! reads without a note, and says the same about it; anything else is left to that reader. Unknown keys are not kept, so
//! a change never starts from here.

use super::{
    digest::Digest,
    object::Object,
    path::{recordable, without_trailing_separators},
    permit::{Permit, Written},
    pins::{Declined, PinPath},
    record::{Decision, Document, Entry, GrantedText, PermitRecord, Pin, Project},
};
use jiff::Timestamp;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Map;
use std::{borrow::Cow, path::Path};

/// Returns the records, or `None` where the other reader must be asked.
pub(super) fn read(bytes: &[u8]) -> Option<Document> {
    let Object::<File>(file) = serde_json::from_str(std::str::from_utf8(bytes).ok()?).ok()?;
    Some(Document {
        entries: file.entries.into_iter().map(Entry::from).collect(),
        projects: file.pins.into_iter().map(Project::from).collect(),
        ..Document::default()
    })
}

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    entries: Vec<Object<LeanEntry>>,
    #[serde(default)]
    pins: Vec<Object<LeanProject>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeanEntry {
    canonical_path: Canonical,
    decision: Decision,
    granted_at: Instant,
    #[serde(default)]
    #[expect(dead_code, reason = "that it can be read is all that matters")]
    schema_version: Version,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    digest: Option<Digest>,
    #[serde(default, deserialize_with = "present")]
    texts: Option<Vec<Object<LeanText>>>,
}

#[derive(Deserialize)]
struct LeanText {
    path: PinPath,
    digest: Digest,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LeanProject {
    root: Canonical,
    #[serde(default, deserialize_with = "present")]
    repository: Option<Canonical>,
    granted_at: Instant,
    #[serde(default)]
    pins: Vec<Object<LeanPin>>,
    #[serde(default)]
    branches: Vec<String>,
    #[serde(default)]
    commands: Vec<Object<LeanPermit>>,
    #[serde(default, deserialize_with = "present")]
    declined: Option<Object<LeanDeclined>>,
    #[serde(default, deserialize_with = "present")]
    revoked_at: Option<Instant>,
}

/// A permit with its instant. It is read as a value first: few stores have one, and few of those many.
struct LeanPermit(PermitRecord);

impl<'de> Deserialize<'de> for LeanPermit {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Timed {
            granted_at: Instant,
            #[serde(flatten)]
            written: Written,
        }
        let Timed { granted_at, written } = Timed::deserialize(from)?;
        let permit = Permit::try_from(written).map_err(D::Error::custom)?;
        Ok(LeanPermit(PermitRecord { permit, granted_at: granted_at.0, extra: Map::new() }))
    }
}

#[derive(Deserialize)]
struct LeanPin {
    path: PinPath,
    digest: Digest,
    bytes: u64,
}

#[derive(Deserialize)]
struct LeanDeclined {
    at: Instant,
    contents: Digest,
}

/// Reads a key that may be missing and must not be `null`.
fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

struct Canonical(String);

impl<'de> Deserialize<'de> for Canonical {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Text::deserialize(from)?.0;
        let path = without_trailing_separators(&text);
        recordable(Path::new(path)).map(|path| Canonical(path.to_owned())).map_err(D::Error::custom)
    }
}

struct Instant(Timestamp);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Text::deserialize(from)?.0.parse().map(Instant).map_err(D::Error::custom)
    }
}

#[derive(Default)]
struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match u64::deserialize(from)? {
            super::file::SCHEMA_VERSION => Ok(Version),
            _ => Err(D::Error::custom("another version")),
        }
    }
}

/// A text, borrowed where it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl From<Object<LeanEntry>> for Entry {
    fn from(Object(entry): Object<LeanEntry>) -> Self {
        Entry {
            path: entry.canonical_path.0,
            decision: entry.decision,
            granted_at: entry.granted_at.0,
            note: entry.note,
            digest: entry.digest,
            texts: entry.texts.map(|texts| {
                let text =
                    |Object(text): Object<LeanText>| GrantedText { path: text.path, digest: text.digest };
                texts.into_iter().map(text).collect()
            }),
            extra: Map::new(),
        }
    }
}

impl From<Object<LeanProject>> for Project {
    fn from(Object(project): Object<LeanProject>) -> Self {
        let declined = |Object(declined): Object<LeanDeclined>| Declined {
            at: declined.at.0,
            contents: declined.contents,
        };
        Project {
            root: project.root.0,
            repository: project.repository.map(|path| path.0),
            granted_at: project.granted_at.0,
            pins: project.pins.into_iter().map(Pin::from).collect(),
            branches: project.branches,
            declined: project.declined.map(declined),
            revoked_at: project.revoked_at.map(|at| at.0),
            strange_pins: Vec::new(),
            permits: project.commands.into_iter().map(|Object(LeanPermit(record))| record).collect(),
            strange_permits: Vec::new(),
            extra: Map::new(),
        }
    }
}

impl From<Object<LeanPin>> for Pin {
    fn from(Object(pin): Object<LeanPin>) -> Self {
        Pin { path: pin.path, digest: pin.digest, bytes: pin.bytes, extra: Map::new() }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{super::file, *};

    fn whole() -> String {
        let digest = Digest::of(b"1");
        format!(
            r#"{{"entries":[
                 {{"canonicalPath":"/a\u002fb/","decision":"trusted","grantedAt":"2026-01-02T03:04:05.000Z","schemaVersion":1,"note":"n","digest":"{digest}","texts":[{{"path":"b/c","digest":"{digest}"}}],"x":[{{}}]}},
                 {{"canonicalPath":"/a","decision":"declined","grantedAt":"2026-01-02T03:04:05+01:00"}}],
               "pins":[{{"root":"/a","repository":"/a/.git","branches":["main"],"grantedAt":"2026-01-02T03:04:05Z","commands":[
                 {{"subject":"hooks/h","argv":["node","h.js"],"cwd":"b","env":{{"B":"1","A":"2"}},"files":[{{"path":"b/h.js","digest":"{digest}"}}],"directory":{{"path":"b","digest":"{digest}"}},"grantedAt":"2026-01-02T03:04:05Z"}},
                 {{"subject":"mcp/m","url":"https://m","grantedAt":"2026-01-02T03:04:05Z","by":"me"}},
                 {{"subject":"loggers/l","writes":"l.log","grantedAt":"2026-01-02T03:04:05Z"}}],
                 "pins":[{{"path":"b/c","digest":"{digest}","bytes":1,"by":"me"}}],
                 "declined":{{"at":"2026-01-02T03:04:05Z","contents":"{digest}"}},"revokedAt":"2026-01-02T03:04:05Z"}}],
               "x":null}}"#
        )
    }

    fn without_extras(mut document: Document) -> Document {
        document.extra.clear();
        document.entries.iter_mut().for_each(|entry| entry.extra.clear());
        for project in &mut document.projects {
            project.extra.clear();
            project.pins.iter_mut().for_each(|pin| pin.extra.clear());
            project.permits.iter_mut().for_each(|permit| permit.extra.clear());
        }
        document
    }

    /// Compares the readers; says whether the short way was taken.
    fn agrees(text: &str) -> bool {
        let Some(short) = read(text.as_bytes()) else { return false };
        let mut notes = Vec::new();
        let long = file::read(text.as_bytes(), &mut notes);
        assert_eq!(Ok(&short), long.map(without_extras).as_ref(), "{text}");
        assert_eq!(notes, [], "{text}");
        true
    }

    #[test]
    fn it_says_what_the_other_reader_says() {
        assert!(agrees(&whole()));
        assert!(agrees("{}") && agrees(r#"{"entries":[]}"#) && agrees(r#"{"pins":[]}"#));
    }

    #[test]
    fn whatever_is_odd_is_left_to_the_other_reader() {
        let whole = whole();
        // Each value in turn becomes something else.
        let mut odd = 0;
        for (start, _) in whole.match_indices(':') {
            if !whole[..start].ends_with('"') {
                continue;
            }
            let after = &whole[start + 1..];
            let mut values = serde_json::Deserializer::from_str(after).into_iter::<serde_json::Value>();
            values.next();
            let rest = &after[values.byte_offset()..];
            for other in
                ["null", "7", "1.0", "\"\"", "\"relative\"", "[]", "[null]", "{}", "{\"a\":1}", "true"]
            {
                odd += usize::from(!agrees(&format!("{}{other}{rest}", &whole[..=start])));
            }
        }
        assert!(odd > 100, "the test reached the values: {odd}");
        for end in 0..whole.len() {
            assert!(!agrees(&whole[..end]), "a file that was cut");
        }
        let instant = "2026-01-02T03:04:05Z";
        for array in [
            "[]".into(),
            "null".into(),
            "[[], []]".into(),
            format!(r#"{{"entries":[["/a","trusted","{instant}",1]]}}"#),
            format!(r#"{{"pins":[["/a","/b","{instant}",[]]]}}"#),
            format!(
                r#"{{"pins":[{{"root":"/a","grantedAt":"{instant}","pins":[["a","{}",1]]}}]}}"#,
                Digest::of(b"")
            ),
        ] {
            assert!(!agrees(&array), "fields without names: {array}");
        }
    }
}
