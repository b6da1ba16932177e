//! The form of `trust.json`, as `format.md` describes it.
//!
//! This is the reader that keeps everything, so that a file can be written again; what it does not understand says
//! nothing. [`lean`](super::lean) is the short way for looking things up.

use super::{
    error::ENTRY_INVALID,
    object::Object,
    path::{recordable, without_trailing_separators},
    permit::{Permit, WRITTEN, Written},
    permit_change::COMMANDS,
    pins::{Declined, PinPath},
    record::{Decision, Document, Entry, PermitRecord, Pin, Project},
};
use jiff::Timestamp;
use preface_core::diagnostic::{Diagnostic, Diagnostics};
use serde_json::{Map, Value, json};
use std::path::Path;

pub(super) const SCHEMA_VERSION: u64 = 1;

/// Reads the file. Each entry that is no entry is a note and is skipped.
///
/// # Errors
/// Says why the file as a whole is not one of ours.
pub(super) fn read(bytes: &[u8], diagnostics: &mut Diagnostics) -> Result<Document, String> {
    let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut document = Document::default();
    let mut notes = |list: &str, index: usize, why: String| {
        let message = format!("entry {index} of `{list}` in the trust store is skipped: {why}");
        diagnostics.push(Diagnostic::warning(ENTRY_INVALID, message));
    };
    let (entries, legacy) = match value {
        Value::Array(entries) => (entries, Form::Legacy),
        Value::Object(mut keys) => {
            for (index, value) in list(&mut keys, "pins")?.into_iter().enumerate() {
                match project(&value, |list, item, why| notes(&format!("pins[{index}].{list}"), item, why)) {
                    Ok(project) => document.projects.push(project),
                    Err(why) => {
                        notes("pins", index, why);
                        document.strange_projects.push(value);
                    }
                }
            }
            let entries = list(&mut keys, "entries")?;
            document.extra = keys;
            (entries, Form::Current)
        }
        _ => return Err("it is neither an object nor an array".into()),
    };
    for (index, value) in entries.into_iter().enumerate() {
        match entry(&value, legacy) {
            Ok(entry) => document.entries.push(entry),
            Err(why) => {
                notes("entries", index, why);
                document.strange_entries.push(value);
            }
        }
    }
    Ok(document)
}

/// Which form an entry is read in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Legacy,
    Current,
}

fn list(keys: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>, String> {
    match keys.shift_remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => Ok(values),
        Some(_) => Err(format!("`{key}` is not an array")),
    }
}

fn entry(value: &Value, form: Form) -> Result<Entry, String> {
    let mut keys = value.as_object().ok_or("it is not an object")?.clone();
    let path = text(&mut keys, "canonicalPath")?;
    let path = canonical(&path)?;
    let kind = keys.shift_remove("kind");
    let decision = match (keys.shift_remove("decision"), form) {
        (Some(decision), _) => match decision.as_str() {
            Some("trusted") => Decision::Trusted,
            Some("declined") => Decision::Declined,
            _ => return Err("`decision` is neither `trusted` nor `declined`".into()),
        },
        (None, Form::Legacy) if kind.as_ref().and_then(Value::as_str) == Some("project") => Decision::Trusted,
        (None, _) => return Err("`decision` is missing".into()),
    };
    let granted_at = timestamp(&mut keys, "grantedAt")?;
    match keys.shift_remove("schemaVersion") {
        None => {}
        Some(version) if version.as_f64() == Some(SCHEMA_VERSION as f64) => {}
        Some(version) => return Err(format!("`schemaVersion` {version} is not known here")),
    }
    let note = take_if(&mut keys, "note", |value| value.as_str().map(str::to_owned));
    let digest = take_if(&mut keys, "digest", |value| value.as_str()?.parse().ok());
    let texts = take_if(&mut keys, "texts", |value| serde_json::from_value(value.clone()).ok());
    if let (Some(kind), Form::Current) = (kind, form) {
        keys.insert("kind".into(), kind);
    }
    Ok(Entry { path, decision, granted_at, note, digest, texts, extra: keys })
}

fn project(value: &Value, mut note: impl FnMut(&str, usize, String)) -> Result<Project, String> {
    let mut keys = value.as_object().ok_or("it is not an object")?.clone();
    let root = text(&mut keys, "root")?;
    let root = canonical(&root)?;
    let repository = match keys.shift_remove("repository") {
        None => None,
        Some(path) => Some(canonical(path.as_str().ok_or("`repository` is not a text")?)?),
    };
    let granted_at = timestamp(&mut keys, "grantedAt")?;
    let branches = take_if(&mut keys, "branches", |value| {
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    });
    let declined = match keys.shift_remove("declined") {
        None => None,
        Some(value) => Some(declined(&value)?),
    };
    let revoked_at = take_if(&mut keys, "revokedAt", |value| value.as_str()?.parse().ok());
    let (mut pins, mut strange_pins) = (Vec::new(), Vec::new());
    for (index, value) in list(&mut keys, "pins")?.into_iter().enumerate() {
        match pin(&value) {
            Ok(pin) => pins.push(pin),
            Err(why) => {
                note("pins", index, why);
                strange_pins.push(value);
            }
        }
    }
    let (mut permits, mut strange_permits) = (Vec::new(), Vec::new());
    for (index, value) in list(&mut keys, COMMANDS)?.into_iter().enumerate() {
        match permit(&value) {
            Ok(permit) => permits.push(permit),
            Err(why) => {
                note(COMMANDS, index, why);
                strange_permits.push(value);
            }
        }
    }
    Ok(Project {
        root,
        repository,
        granted_at,
        pins,
        branches: branches.unwrap_or_default(),
        declined,
        revoked_at,
        strange_pins,
        permits,
        strange_permits,
        extra: keys,
    })
}

fn permit(value: &Value) -> Result<PermitRecord, String> {
    let mut keys = value.as_object().ok_or("it is not an object")?.clone();
    let granted_at = timestamp(&mut keys, "grantedAt")?;
    let Object::<Written>(written) =
        serde_json::from_value(keys.clone().into()).map_err(|error| error.to_string())?;
    keys.retain(|key, _| !WRITTEN.contains(&key.as_str()));
    Ok(PermitRecord { permit: Permit::try_from(written)?, granted_at, extra: keys })
}

fn pin(value: &Value) -> Result<Pin, String> {
    let mut keys = value.as_object().ok_or("it is not an object")?.clone();
    let path = text(&mut keys, "path")?;
    let path = PinPath::parse(&path).ok_or("`path` is not normalised")?;
    let digest = text(&mut keys, "digest")?.parse().map_err(|why| format!("{why}"))?;
    let bytes = keys.shift_remove("bytes").and_then(|bytes| bytes.as_u64()).ok_or("`bytes` is no size")?;
    Ok(Pin { path, digest, bytes, extra: keys })
}

fn declined(value: &Value) -> Result<Declined, String> {
    let mut keys = value.as_object().ok_or("`declined` is not an object")?.clone();
    let at = timestamp(&mut keys, "at")?;
    let contents = text(&mut keys, "contents")?.parse().map_err(|why| format!("{why}"))?;
    Ok(Declined { at, contents })
}

fn text(keys: &mut Map<String, Value>, key: &str) -> Result<String, String> {
    match keys.shift_remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{key}` is not a text")),
        None => Err(format!("`{key}` is missing")),
    }
}

fn timestamp(keys: &mut Map<String, Value>, key: &str) -> Result<Timestamp, String> {
    text(keys, key)?.parse().map_err(|_| format!("`{key}` is not an instant"))
}

fn canonical(path: &str) -> Result<String, String> {
    let path = without_trailing_separators(path);
    recordable(Path::new(path)).map(str::to_owned).map_err(|_| format!("`{path}` is not a canonical path"))
}

/// Takes a key whose value is as it should be; any other stays among the unknown ones.
fn take_if<T>(keys: &mut Map<String, Value>, key: &str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
    let value = keys.get(key).and_then(read)?;
    keys.shift_remove(key);
    Some(value)
}

/// Returns the file: two-space JSON without a newline at its end, sorted by path, then by time.
pub(super) fn write(document: &mut Document) -> Vec<u8> {
    document.entries.sort_by(|a, b| (&a.path, a.granted_at).cmp(&(&b.path, b.granted_at)));
    document.projects.sort_by(|a, b| (&a.root, a.granted_at).cmp(&(&b.root, b.granted_at)));
    let mut keys = Map::new();
    let entries = document.entries.iter().map(entry_value).chain(document.strange_entries.iter().cloned());
    keys.insert("entries".into(), entries.collect());
    if !(document.projects.is_empty() && document.strange_projects.is_empty()) {
        let projects = document.projects.iter_mut().map(project_value);
        let strange = document.strange_projects.iter().cloned();
        keys.insert("pins".into(), projects.chain(strange).collect());
    }
    keys.extend(document.extra.clone());
    serde_json::to_vec_pretty(&keys).expect("a map of texts, numbers and lists has a JSON form")
}

fn entry_value(entry: &Entry) -> Value {
    let mut keys = Map::new();
    keys.insert("canonicalPath".into(), json!(entry.path));
    keys.insert("decision".into(), json!(entry.decision.as_str()));
    keys.insert("grantedAt".into(), json!(iso(entry.granted_at)));
    keys.insert("schemaVersion".into(), json!(SCHEMA_VERSION));
    if let Some(note) = &entry.note {
        keys.insert("note".into(), json!(note));
    }
    if let Some(digest) = &entry.digest {
        keys.insert("digest".into(), json!(digest));
    }
    if let Some(texts) = &entry.texts {
        keys.insert("texts".into(), json!(texts));
    }
    keys.extend(entry.extra.clone());
    keys.into()
}

fn project_value(project: &mut Project) -> Value {
    // A stable sort: the versions of one path stay in the order of their grants.
    project.pins.sort_by(|a, b| a.path.cmp(&b.path));
    let mut keys = Map::new();
    keys.insert("root".into(), json!(project.root));
    if let Some(repository) = &project.repository {
        keys.insert("repository".into(), json!(repository));
    }
    keys.insert("grantedAt".into(), json!(iso(project.granted_at)));
    let pins = project.pins.iter().map(pin_value).chain(project.strange_pins.iter().cloned());
    keys.insert("pins".into(), pins.collect());
    if !project.branches.is_empty() {
        keys.insert("branches".into(), json!(project.branches));
    }
    if !(project.permits.is_empty() && project.strange_permits.is_empty()) {
        // The deeds of one subject stay in the order of their grants, too.
        project.permits.sort_by(|a, b| a.permit.subject.cmp(&b.permit.subject));
        let permits = project.permits.iter().map(permit_value).chain(project.strange_permits.iter().cloned());
        keys.insert(COMMANDS.into(), permits.collect());
    }
    if let Some(declined) = &project.declined {
        keys.insert("declined".into(), json!({"at": iso(declined.at), "contents": declined.contents}));
    }
    if let Some(revoked_at) = project.revoked_at {
        keys.insert("revokedAt".into(), json!(iso(revoked_at)));
    }
    keys.extend(project.extra.clone());
    keys.into()
}

fn pin_value(pin: &Pin) -> Value {
    let mut keys = Map::new();
    keys.insert("path".into(), json!(pin.path));
    keys.insert("digest".into(), json!(pin.digest));
    keys.insert("bytes".into(), json!(pin.bytes));
    keys.extend(pin.extra.clone());
    keys.into()
}

fn permit_value(record: &PermitRecord) -> Value {
    let mut keys = record.permit.keys();
    keys.insert("grantedAt".into(), json!(iso(record.granted_at)));
    keys.extend(record.extra.clone());
    keys.into()
}

/// Returns an instant as JavaScript prints it, longer only where it is finer.
pub(super) fn iso(instant: Timestamp) -> String {
    match instant.subsec_nanosecond() % 1_000_000 {
        0 => format!("{instant:.3}"),
        _ => instant.to_string(),
    }
}
