//! The form of `trust.json`, as `format.md` describes it. Everything that is not understood is kept, so that the file can be
//! written again.

use super::{
    path::{recordable, without_trailing_separators},
    permission::{Permission, StoredPermission, WRITTEN},
    pins::{DeclineRecord, PinPath},
    record::{
        Decision, DecisionEntry, GrantedText, PermissionRecord, PinRecord, ProjectRecord, TrustDocument,
    },
};
use jiff::Timestamp;
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use serde::{
    Deserialize, Deserializer, Serialize,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value, json};
use std::{fmt, marker::PhantomData, path::Path};

const SCHEMA_VERSION: u64 = 1;

/// The key of a project's permissions.
pub(super) const COMMANDS: &str = "commands";

/// Reads the file. Each entry that is no entry is reported and skipped.
///
/// # Errors
/// Describes why the file as a whole is not one of ours.
pub(super) fn read(bytes: &[u8], diagnostics: &mut Diagnostics) -> Result<TrustDocument, String> {
    let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    let mut document = TrustDocument::default();
    let mut skipped = |list: &str, index: usize, why: String| {
        let message = format!("entry {index} of `{list}` in the trust store is skipped: {why}");
        diagnostics.push(Diagnostic::warning(DiagnosticCode::TrustEntryInvalid, message));
    };
    let (entries, form) = match value {
        Value::Array(entries) => (entries, EntryFormat::Legacy),
        Value::Object(mut keys) => {
            for (index, value) in take_list(&mut keys, "pins")?.into_iter().enumerate() {
                let mut skipped_in =
                    |list: &str, item, why| skipped(&format!("pins[{index}].{list}"), item, why);
                match read_project(&value, &mut skipped_in) {
                    Ok(project) => document.projects.push(project),
                    Err(why) => {
                        skipped("pins", index, why);
                        document.strange_projects.push(value);
                    }
                }
            }
            let entries = take_list(&mut keys, "entries")?;
            document.extra = keys;
            (entries, EntryFormat::Current)
        }
        _ => return Err("it is neither an object nor an array".into()),
    };
    for (index, value) in entries.into_iter().enumerate() {
        match read_entry(&value, form) {
            Ok(entry) => document.entries.push(entry),
            Err(why) => {
                skipped("entries", index, why);
                document.strange_entries.push(value);
            }
        }
    }
    Ok(document)
}

/// The form of an entry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EntryFormat {
    Legacy,
    Current,
}

fn take_list(keys: &mut Map<String, Value>, key: &str) -> Result<Vec<Value>, String> {
    match keys.shift_remove(key) {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => Ok(values),
        Some(_) => Err(format!("`{key}` is not an array")),
    }
}

fn read_entry(value: &Value, form: EntryFormat) -> Result<DecisionEntry, String> {
    let mut keys = ObjectKeys::of(value).ok_or("it is not an object")?;
    let path = canonical(keys.text("canonicalPath")?)?;
    let is_project =
        form == EntryFormat::Legacy && keys.get("kind").and_then(Value::as_str) == Some("project");
    let decision = match keys.get("decision").map(Value::as_str) {
        Some(Some("trusted")) => Decision::Trusted,
        Some(Some("declined")) => Decision::Declined,
        Some(_) => return Err("`decision` is neither `trusted` nor `declined`".into()),
        None if is_project => Decision::Trusted,
        None => return Err("`decision` is missing".into()),
    };
    let granted_at = keys.timestamp("grantedAt")?;
    if let Some(version) = keys.get("schemaVersion")
        && version.as_f64() != Some(SCHEMA_VERSION as f64)
    {
        return Err(format!("`schemaVersion` {version} is not known here"));
    }
    let note = keys.get_if("note", |value| value.as_str().map(str::to_owned));
    let digest = keys.get_if("digest", |value| value.as_str()?.parse().ok());
    let texts = keys.get_if("texts", |value| Vec::<GrantedText>::deserialize(value).ok());
    Ok(DecisionEntry { path, decision, granted_at, note, digest, texts, extra: keys.rest() })
}

fn read_project(
    value: &Value,
    skipped: &mut impl FnMut(&str, usize, String),
) -> Result<ProjectRecord, String> {
    let mut keys = ObjectKeys::of(value).ok_or("it is not an object")?;
    let root = canonical(keys.text("root")?)?;
    let granted_at = keys.timestamp("grantedAt")?;
    let branches = keys.get_if("branches", |value| {
        value.as_array()?.iter().map(|name| name.as_str().map(str::to_owned)).collect()
    });
    let declined = keys.get("declined").map(read_declined).transpose()?;
    let revoked_at = keys.get_if("revokedAt", |value| value.as_str()?.parse().ok());
    let (pins, strange_pins) = keys.items("pins", read_pin, skipped)?;
    let (permissions, unknown_permissions) = keys.items(COMMANDS, read_permission, skipped)?;
    Ok(ProjectRecord {
        root,
        granted_at,
        pins,
        branches: branches.unwrap_or_default(),
        declined,
        revoked_at,
        strange_pins,
        permissions,
        unknown_permissions,
        extra: keys.rest(),
    })
}

fn read_permission(value: &Value) -> Result<PermissionRecord, String> {
    let mut keys = ObjectKeys::of(value).ok_or("it is not an object")?;
    let granted_at = keys.timestamp("grantedAt")?;
    let JsonObject::<StoredPermission>(written) =
        JsonObject::deserialize(value).map_err(|error| error.to_string())?;
    keys.read.extend(WRITTEN);
    Ok(PermissionRecord { permission: Permission::try_from(written)?, granted_at, extra: keys.rest() })
}

fn read_pin(value: &Value) -> Result<PinRecord, String> {
    let mut keys = ObjectKeys::of(value).ok_or("it is not an object")?;
    let path = PinPath::parse(keys.text("path")?).ok_or("`path` is not normalised")?;
    let digest = keys.text("digest")?.parse().map_err(|why| format!("{why}"))?;
    let bytes = keys.get("bytes").and_then(Value::as_u64).ok_or("`bytes` is no size")?;
    Ok(PinRecord { path, digest, bytes, extra: keys.rest() })
}

fn read_declined(value: &Value) -> Result<DeclineRecord, String> {
    let mut keys = ObjectKeys::of(value).ok_or("`declined` is not an object")?;
    let at = keys.timestamp("at")?;
    let contents = keys.text("contents")?.parse().map_err(|why| format!("{why}"))?;
    Ok(DeclineRecord { at, contents })
}

/// The keys of an object, and which of them were read: the others are kept.
struct ObjectKeys<'a> {
    map: &'a Map<String, Value>,
    read: Vec<&'static str>,
}

impl<'a> ObjectKeys<'a> {
    fn of(value: &'a Value) -> Option<Self> {
        Some(ObjectKeys { map: value.as_object()?, read: Vec::new() })
    }

    fn get(&mut self, key: &'static str) -> Option<&'a Value> {
        self.read.push(key);
        self.map.get(key)
    }

    fn text(&mut self, key: &'static str) -> Result<&'a str, String> {
        let value = self.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
        value.as_str().ok_or_else(|| format!("`{key}` is not a text"))
    }

    fn timestamp(&mut self, key: &'static str) -> Result<Timestamp, String> {
        self.text(key)?.parse().map_err(|_| format!("`{key}` is not an instant"))
    }

    /// Reads a key whose value is as it should be; any other stays among the unknown ones.
    fn get_if<T>(&mut self, key: &'static str, read: impl FnOnce(&Value) -> Option<T>) -> Option<T> {
        let value = read(self.map.get(key)?)?;
        self.read.push(key);
        Some(value)
    }

    /// Reads the items of a list, and returns those that cannot be read beside the others.
    fn items<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Value) -> Result<T, String>,
        skipped: &mut impl FnMut(&str, usize, String),
    ) -> Result<(Vec<T>, Vec<Value>), String> {
        let (mut items, mut strange) = (Vec::new(), Vec::new());
        let Some(value) = self.get(key) else { return Ok((items, strange)) };
        let values = value.as_array().ok_or_else(|| format!("`{key}` is not an array"))?;
        for (index, value) in values.iter().enumerate() {
            match read(value) {
                Ok(item) => items.push(item),
                Err(why) => {
                    skipped(key, index, why);
                    strange.push(value.clone());
                }
            }
        }
        Ok((items, strange))
    }

    fn rest(&self) -> Map<String, Value> {
        let unread = self.map.iter().filter(|(key, _)| !self.read.contains(&key.as_str()));
        unread.map(|(key, value)| (key.clone(), value.clone())).collect()
    }
}

fn canonical(path: &str) -> Result<String, String> {
    let path = without_trailing_separators(path);
    recordable(Path::new(path)).map(str::to_owned).map_err(|_| format!("`{path}` is not a canonical path"))
}

/// Returns the file: two-space JSON without a newline at its end, sorted by path, then by time.
pub(super) fn write(document: &mut TrustDocument) -> Vec<u8> {
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

fn entry_value(entry: &DecisionEntry) -> Value {
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

fn project_value(project: &mut ProjectRecord) -> Value {
    // A stable sort: the versions of one path stay in the order of their grants.
    project.pins.sort_by(|a, b| a.path.cmp(&b.path));
    let mut keys = Map::new();
    keys.insert("root".into(), json!(project.root));
    keys.insert("grantedAt".into(), json!(iso(project.granted_at)));
    let pins = project.pins.iter().map(pin_value).chain(project.strange_pins.iter().cloned());
    keys.insert("pins".into(), pins.collect());
    if !project.branches.is_empty() {
        keys.insert("branches".into(), json!(project.branches));
    }
    if !(project.permissions.is_empty() && project.unknown_permissions.is_empty()) {
        // The deeds of one subject stay in the order of their grants, too.
        project.permissions.sort_by(|a, b| a.permission.subject.cmp(&b.permission.subject));
        let permissions = project
            .permissions
            .iter()
            .map(permission_value)
            .chain(project.unknown_permissions.iter().cloned());
        keys.insert(COMMANDS.into(), permissions.collect());
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

fn pin_value(pin: &PinRecord) -> Value {
    let mut keys = Map::new();
    keys.insert("path".into(), json!(pin.path));
    keys.insert("digest".into(), json!(pin.digest));
    keys.insert("bytes".into(), json!(pin.bytes));
    keys.extend(pin.extra.clone());
    keys.into()
}

fn permission_value(record: &PermissionRecord) -> Value {
    let mut keys = record.permission.keys();
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

/// A structure that is read from a JSON object only; serde's own way would take an array of its fields as well.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct JsonObject<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for JsonObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(OnlyMap(PhantomData)).map(JsonObject)
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
    struct SamplePair {
        a: u8,
        b: u8,
    }

    #[test]
    fn an_array_is_no_object() {
        let read =
            |text| serde_json::from_str::<JsonObject<SamplePair>>(text).map(|pair| (pair.0.a, pair.0.b));
        assert_eq!(read(r#"{"b": 2, "a": 1}"#).ok(), Some((1, 2)));
        assert!(read("[1, 2]").is_err());
        assert!(serde_json::from_str::<SamplePair>("[1, 2]").is_ok(), "which is why this exists");
    }
}
