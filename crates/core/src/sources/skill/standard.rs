//! A skill against the Agent Skills standard: findings for a lint. No prompt changes because of them.

use super::{
    YamlFields,
    check::{DESCRIPTION_LIMIT, name_problems},
    utf16_len,
};
use serde_json::Value;

/// The fields of the standard.
const FIELDS: [&str; 6] = ["allowed-tools", "compatibility", "description", "license", "metadata", "name"];
/// Fields that the standard does not have and that readers of skills know all the same.
const KNOWN: [&str; 1] = ["disable-model-invocation"];
/// The longest `compatibility`.
const COMPATIBILITY_LIMIT: usize = 500;

/// Returns what the standard has against the fields of a skill that is in `directory`. What every reader of skills
/// reports anyway (no description, a name of the wrong form) is part of it.
///
/// ```
/// use preface_core::skill::{frontmatter::read, standard::findings};
/// let fields = read("name: commit\ndescription: Writes commits.\nversion: a").unwrap();
/// assert_eq!(findings(&fields, "commit"), ["`version` is no field of the standard; `metadata` may hold it"]);
/// ```
#[must_use]
pub fn findings(fields: &YamlFields, directory: &str) -> Vec<String> {
    let mut found = Vec::new();
    match fields.get("name") {
        Some(Value::String(name)) if !name.is_empty() => {
            found.extend(name_problems(name, Some(directory)));
        }
        Some(Value::Null | Value::String(_)) | None => found.push("`name` is required".to_owned()),
        Some(_) => found.push("`name` must be a text".to_owned()),
    }
    match fields.get("description") {
        Some(Value::String(text)) if !crate::template::trim(text).is_empty() => {
            let length = utf16_len(text);
            if length > DESCRIPTION_LIMIT {
                found.push(format!("`description` has {length} characters, more than {DESCRIPTION_LIMIT}"));
            }
        }
        Some(Value::Null | Value::String(_)) | None => {
            found.push("`description` is required".to_owned());
        }
        Some(_) => found.push("`description` must be a text".to_owned()),
    }
    for key in ["allowed-tools", "license"] {
        if !matches!(fields.get(key), None | Some(Value::String(_))) {
            found.push(format!("`{key}` must be a text"));
        }
    }
    match fields.get("compatibility") {
        None => {}
        Some(Value::String(text)) => {
            let length = utf16_len(text);
            if length == 0 || length > COMPATIBILITY_LIMIT {
                found.push(format!("`compatibility` must have 1 to {COMPATIBILITY_LIMIT} characters"));
            }
        }
        Some(_) => found.push("`compatibility` must be a text".to_owned()),
    }
    match fields.get("metadata") {
        None => {}
        Some(Value::Object(pairs)) if pairs.values().all(Value::is_string) => {}
        Some(_) => found.push("`metadata` must be a map from texts to texts".to_owned()),
    }
    let is_known = |key: &str| FIELDS.contains(&key) || KNOWN.contains(&key);
    for key in fields.keys().filter(|key| !is_known(key)) {
        let key = crate::lint::hidden::escape_hidden(key);
        found.push(format!("`{key}` is no field of the standard; `metadata` may hold it"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::frontmatter::read;

    #[test]
    fn the_fields_of_the_standard_have_their_types() {
        let good = "name: a\ndescription: d\nlicense: MIT\ncompatibility: git\nallowed-tools: Read\n\
                    metadata:\n  version: \"1\"\ndisable-model-invocation: true";
        assert_eq!(findings(&read(good).unwrap(), "a"), [""; 0]);
        let bad = "license: 7\ncompatibility: \"\"\nallowed-tools: [Read]\nmetadata: {version: 1}";
        assert_eq!(
            findings(&read(bad).unwrap(), "a"),
            [
                "`name` is required",
                "`description` is required",
                "`allowed-tools` must be a text",
                "`license` must be a text",
                "`compatibility` must have 1 to 500 characters",
                "`metadata` must be a map from texts to texts",
            ]
        );
    }
}
