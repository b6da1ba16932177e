//! Checks of a skill.

use super::{YamlFields, utf16_len, yaml::is_falsy};
use serde_json::Value;

/// The longest name, in UTF-16 code units.
pub const NAME_LIMIT: usize = 64;
/// The longest description, in UTF-16 code units.
pub const DESCRIPTION_LIMIT: usize = 1024;

/// The rules that differ between profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkillRules {
    /// The name must be that of the directory.
    pub name_must_match: bool,
    /// The treatment of a name that is not a string.
    pub name_type: WrongName,
    /// The treatment of a description that is not a string.
    pub description_type: WrongDescription,
}

impl Default for SkillRules {
    fn default() -> Self {
        SkillRules {
            name_must_match: true,
            name_type: WrongName::Reject,
            description_type: WrongDescription::NotText,
        }
    }
}

/// The treatment of a name that is not a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongName {
    /// A fault: the file is no skill.
    Reject,
    /// Not an error: the directory's name is used.
    Directory,
}

/// The treatment of a description that is not a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrongDescription {
    /// `description must be a string`.
    NotText,
    /// `description is required`, as if there were none.
    Missing,
}

/// The result of the checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillCheck {
    /// The name, description and visibility; `None` if the file is not a skill.
    pub metadata: Option<SkillMetadata>,
    /// The problems, in order.
    pub problems: Vec<String>,
    /// True if there is no description at all.
    pub no_description: bool,
}

/// The frontmatter of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillMetadata {
    /// The name of the skill.
    pub name: String,
    /// The description of the skill.
    pub description: String,
    /// True with `disable-model-invocation: true`.
    pub hidden: bool,
}

/// The field that hides a skill from the model.
const HIDES: &str = "disable-model-invocation";

/// Returns a problem if a skill is meant to be hidden and is not: `yes` is a text in YAML 1.2.
#[must_use]
pub fn hides_in_vain(fields: &YamlFields) -> Option<String> {
    let value = fields.get(HIDES).filter(|value| !is_falsy(value) && **value != Value::Bool(true))?;
    let found = match value {
        Value::String(text) => format!("the text `{text}`"),
        _ => "something else".to_owned(),
    };
    Some(format!("`{HIDES}` is {found} and not `true`; the skill is listed"))
}

/// Checks the fields of a skill that is in `directory`.
///
/// ```
/// use preface_core::skill::{check::{check, SkillRules}, frontmatter::read};
/// let fields = read("name: Commit\ndescription: Writes commits.").unwrap();
/// let checked = check(&fields, "commit", &SkillRules::default());
/// assert_eq!(checked.problems, [
///     "name \"Commit\" does not match parent directory \"commit\"",
///     "name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)",
/// ]);
/// assert_eq!(checked.metadata.unwrap().name, "Commit");
/// ```
#[must_use]
pub fn check(fields: &YamlFields, directory: &str, rules: &SkillRules) -> SkillCheck {
    let mut problems = Vec::new();
    let mut no_description = false;
    let description = match fields.get("description") {
        Some(Value::String(text)) if !crate::template::trim(text).is_empty() => {
            let length = utf16_len(text);
            if length > DESCRIPTION_LIMIT {
                problems.push(format!("description exceeds {DESCRIPTION_LIMIT} characters ({length})"));
            }
            Some(text)
        }
        Some(value)
            if !is_falsy(value)
                && !matches!(value, Value::String(_))
                && rules.description_type == WrongDescription::NotText =>
        {
            problems.push("description must be a string".to_owned());
            return SkillCheck { metadata: None, problems, no_description };
        }
        _ => {
            problems.push("description is required".to_owned());
            no_description = true;
            None
        }
    };
    let name = match fields.get("name") {
        Some(Value::String(name)) if !name.is_empty() => name.as_str(),
        Some(value) if !is_falsy(value) && rules.name_type == WrongName::Reject => {
            problems.push("name must be a string".to_owned());
            return SkillCheck { metadata: None, problems, no_description };
        }
        _ => directory,
    };
    problems.extend(name_problems(name, rules.name_must_match.then_some(directory)));
    let hidden = fields.get(HIDES) == Some(&Value::Bool(true));
    let metadata =
        description.map(|text| SkillMetadata { name: name.to_owned(), description: text.clone(), hidden });
    SkillCheck { metadata, problems, no_description }
}

/// Returns the problems of a name, in order.
pub(super) fn name_problems(name: &str, directory: Option<&str>) -> Vec<String> {
    let mut problems = Vec::new();
    if let Some(directory) = directory.filter(|directory| *directory != name) {
        problems.push(format!("name \"{name}\" does not match parent directory \"{directory}\""));
    }
    let length = utf16_len(name);
    if length > NAME_LIMIT {
        problems.push(format!("name exceeds {NAME_LIMIT} characters ({length})"));
    }
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(allowed) {
        problems
            .push("name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push("name must not start or end with a hyphen".to_owned());
    }
    if name.contains("--") {
        problems.push("name must not contain consecutive hyphens".to_owned());
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skill::frontmatter::read;

    const INVALID: &str = "name contains invalid characters (must be lowercase a-z, 0-9, hyphens only)";
    const HYPHEN: &str = "name must not start or end with a hyphen";
    const DOUBLE: &str = "name must not contain consecutive hyphens";

    fn checked(block: &str, rules: &SkillRules) -> (Option<String>, Vec<String>) {
        let checked = check(&read(block).expect("it is YAML"), "dir", rules);
        (checked.metadata.map(|metadata| metadata.name), checked.problems)
    }

    #[test]
    fn the_table_of_messages() {
        let rows: &[(&str, Option<&str>, &[&str])] = &[
            ("name: dir\ndescription: d", Some("dir"), &[]),
            ("description: d", Some("dir"), &[]),
            ("name: \ndescription: d", Some("dir"), &[]),
            ("name: \"\"\ndescription: d", Some("dir"), &[]),
            ("name: 0\ndescription: d", Some("dir"), &[]),
            ("name: dir", None, &["description is required"]),
            ("description: ", None, &["description is required"]),
            ("description: null", None, &["description is required"]),
            ("description: false", None, &["description is required"]),
            ("description: 0", None, &["description is required"]),
            ("description: \" \\u00a0\\ufeff\"", None, &["description is required"]),
            ("description: true", None, &["description must be a string"]),
            ("description: 7", None, &["description must be a string"]),
            ("description: [a]", None, &["description must be a string"]),
            ("description: {a: b}", None, &["description must be a string"]),
            ("description: d\nname: 7", None, &["name must be a string"]),
            ("name: 7", None, &["description is required", "name must be a string"]),
            (
                "name: other\ndescription: d",
                Some("other"),
                &["name \"other\" does not match parent directory \"dir\""],
            ),
            (
                "name: -A--\ndescription: d",
                Some("-A--"),
                &["name \"-A--\" does not match parent directory \"dir\"", INVALID, HYPHEN, DOUBLE],
            ),
        ];
        for (block, name, problems) in rows {
            let (metadata, found) = checked(block, &SkillRules::default());
            assert_eq!(
                (metadata.as_deref(), found),
                (*name, problems.iter().map(|p| (*p).to_owned()).collect()),
                "{block}"
            );
        }
    }

    #[test]
    fn the_newer_rules_use_the_directorys_name_and_need_a_text() {
        let rules = SkillRules {
            name_must_match: false,
            name_type: WrongName::Directory,
            description_type: WrongDescription::Missing,
        };
        assert_eq!(checked("name: 7\ndescription: d", &rules), (Some("dir".into()), vec![]));
        assert_eq!(checked("name: other\ndescription: d", &rules), (Some("other".into()), vec![]));
        assert_eq!(checked("description: 7", &rules), (None, vec!["description is required".into()]));
    }

    #[test]
    fn lengths_are_utf16_code_units() {
        let block = |text: &str| format!("description: {text}");
        assert_eq!(checked(&block(&"é".repeat(1024)), &SkillRules::default()).1, [""; 0]);
        let (metadata, problems) = checked(&block(&"a😀".repeat(342)), &SkillRules::default());
        assert_eq!(metadata.as_deref(), Some("dir"), "it stays a skill");
        assert_eq!(problems, ["description exceeds 1024 characters (1026)"]);
        let long = format!("name: {}\ndescription: d", "a".repeat(65));
        assert_eq!(checked(&long, &SkillRules::default()).1[1], "name exceeds 64 characters (65)");
    }

    #[test]
    fn only_the_boolean_hides() {
        for (word, hidden) in
            [("true", true), ("True", true), ("\"true\"", false), ("yes", false), ("1", false)]
        {
            let block = format!("description: d\ndisable-model-invocation: {word}");
            let metadata = check(&read(&block).unwrap(), "dir", &SkillRules::default()).metadata.unwrap();
            assert_eq!(metadata.hidden, hidden, "{word}");
        }
    }
}
