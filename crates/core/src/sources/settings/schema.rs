//! The schema of settings, derived from [`Settings`]. Reading, merging, `--set` and the reference page all follow it.

use super::{key_path::KeyPath, keys::Settings};
use crate::suggestion::quoted;
use schemars::generate::SchemaSettings;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Returns the JSON Schema (draft 2020-12) of `settings.json`. Those of the other files of a layer are in `docs/reference/schemas`.
///
/// ```
/// use preface_core::settings::json_schema;
/// assert_eq!(json_schema()["properties"]["budget"]["properties"]["tokens"]["minimum"], 0);
/// ```
#[must_use]
pub fn json_schema() -> &'static Value {
    &SCHEMA
}

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let mut schema = settings.into_generator().into_root_schema_for::<Settings>().to_value();
    allow_null(&mut schema);
    schema["$id"] = json!("preface:settings");
    schema["title"] = json!("Settings of preface.");
    // `null` is a valid value everywhere but here.
    schema["type"] = json!("object");
    schema
});

/// Adds `null`, which is a value that overrides, to each schema of a setting, and removes what only Rust needs.
fn allow_null(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.retain(|word, _| word != "default" && word != "format");
    if let Some(words) = map.get("anyOf").and_then(|any| any[0]["oneOf"].as_array()) {
        let mut words: Vec<Value> = words.iter().map(|word| word["const"].clone()).collect();
        words.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
        map.retain(|word, _| word != "anyOf");
        map.insert("type".to_owned(), json!("string"));
        map.insert("enum".to_owned(), words.into());
    }
    if let Some(types) = map.get_mut("type") {
        let listed = types.as_array().cloned().unwrap_or_else(|| vec![types.clone()]);
        *types = listed.into_iter().filter(|one| one != "null").chain([json!("null")]).collect();
    }
    if let Some(Value::Array(words)) = map.get_mut("enum") {
        words.retain(|word| !word.is_null());
        words.push(Value::Null);
    }
    if !map.contains_key("x-condition") {
        let fields = map.get_mut("properties").and_then(Value::as_object_mut);
        fields.into_iter().flat_map(|fields| fields.values_mut()).for_each(allow_null);
        map.get_mut("additionalProperties").into_iter().for_each(allow_null);
    }
}

/// The valid values of a setting, and the rules for it: a part of the schema.
#[derive(Clone, Copy, Debug)]
pub struct ValueShape(&'static Value);

/// The schema of a value that may be anything.
static ANY: Value = Value::Null;

impl ValueShape {
    /// Returns the shape of all settings: an object with these keys and no others.
    #[must_use]
    pub fn root() -> Self {
        ValueShape(&SCHEMA)
    }

    /// Returns the shape of a value that may be anything.
    pub(super) fn any() -> Self {
        ValueShape(&ANY)
    }

    /// Returns the shape of the value under `key` of an object of this shape; `None` if the key is invalid.
    #[must_use]
    pub fn under(self, key: &str) -> Option<Self> {
        if self.is_any() || self.is_condition() {
            return Some(Self::any());
        }
        if let Some(field) = self.0["properties"].get(key) {
            return Some(ValueShape(field));
        }
        match &self.0["additionalProperties"] {
            Value::Bool(false) => None,
            entries @ Value::Object(_) => Some(ValueShape(entries)),
            _ => self.takes("object").then(Self::any),
        }
    }

    /// Returns the keys that are known below an object of this shape.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        let fields = self.0["properties"].as_object().filter(|_| !self.is_condition());
        fields.into_iter().flat_map(|fields| fields.keys().map(String::as_str))
    }

    /// Returns the description of the setting, one sentence.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.0["description"].as_str().unwrap_or_default()
    }

    /// Returns true if a project's value of this setting itself is used.
    #[must_use]
    pub fn project_may(self) -> bool {
        self.0["x-project"] != false
    }

    /// Returns the strings of which one is valid; none if that is not limited.
    pub fn words(self) -> impl Iterator<Item = &'static str> + Clone {
        self.0["enum"].as_array().into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns true if a type of JSON is valid.
    #[must_use]
    pub fn takes(self, kind: &str) -> bool {
        match &self.0["type"] {
            Value::Array(kinds) => kinds.iter().any(|one| one == kind),
            _ => true,
        }
    }

    /// Returns true if anything is valid.
    pub(super) fn is_any(self) -> bool {
        self.0["type"].is_null()
    }

    /// Returns true for `true` and `false`.
    #[must_use]
    pub fn is_flag(self) -> bool {
        !self.is_any() && self.takes("boolean")
    }

    /// Returns true for a string, of whatever form.
    pub(super) fn is_text(self) -> bool {
        !self.is_any() && self.takes("string") && !self.takes("object")
    }

    /// Returns true for a condition over variables.
    pub(super) fn is_condition(self) -> bool {
        self.0["x-condition"] == true
    }

    /// Returns the key that a bare string is short for.
    pub(super) fn short(self) -> Option<&'static str> {
        self.0["x-short"].as_str()
    }

    /// Returns the rule by which layers are merged, if there is one of its own.
    pub(super) fn merge_rule(self) -> Option<&'static str> {
        self.0["x-merge"].as_str()
    }

    /// Returns the smallest valid integer.
    pub(super) fn least(self) -> Option<i64> {
        self.0["minimum"].as_i64()
    }

    /// Returns the longest valid path, in characters; `None` if it is no path.
    pub(super) fn longest_path(self) -> Option<u64> {
        self.0["maxLength"].as_u64()
    }

    /// Describes the valid values for a message: `an integer of 0 or more`.
    #[must_use]
    pub fn expected(self) -> String {
        match self.0["type"][0].as_str() {
            _ if self.is_condition() => "an object with `all`, `any` or `none`".to_owned(),
            _ if self.short().is_some() => "a string or an object".to_owned(),
            Some("string") if self.words().next().is_some() => format!("one of {}", quoted(self.words())),
            Some("boolean") => "true or false".to_owned(),
            Some("integer") => match self.least() {
                Some(least) => format!("an integer of {least} or more"),
                None => "an integer".to_owned(),
            },
            Some("array") => "an array of strings".to_owned(),
            Some("object") => "an object".to_owned(),
            Some(_) => "a string".to_owned(),
            None => "anything".to_owned(),
        }
    }
}

/// Returns true if a project's value of a setting is used.
///
/// ```
/// use preface_core::settings::project_may;
/// assert!(project_may(&"sections.style.text".parse().unwrap()));
/// assert!(!project_may(&"budget.tokens".parse().unwrap()));
/// ```
#[must_use]
pub fn project_may(path: &KeyPath) -> bool {
    let mut shape = Some(ValueShape::root());
    path.keys().iter().all(|key| {
        shape = shape.and_then(|shape| shape.under(key));
        shape.is_none_or(ValueShape::project_may)
    })
}
#[cfg(test)]
mod tests {
    use super::{super::setting_at, *};

    fn walk(at: &str, shape: ValueShape, visit: &mut dyn FnMut(&str, ValueShape)) {
        for name in shape.names() {
            let (at, below) = (format!("{at}/{name}"), shape.under(name).unwrap());
            visit(&at, below);
            walk(&at, below, visit);
        }
    }

    #[test]
    fn settings_are_explained_and_their_words_are_sorted() {
        walk("", ValueShape::root(), &mut |at, shape| {
            assert!(shape.about().ends_with('.'), "`{at}` is explained in a sentence");
            assert!(shape.words().is_sorted(), "the words of `{at}` are sorted");
            assert!(shape.takes("null"), "`{at}` can be taken back");
        });
    }

    #[test]
    fn the_top_level_is_what_the_specification_lists() {
        let seed = "env securityMode providers tools hooks ui loggers stateMachines commands sessionStores \
                    contextProviders logging active";
        let own = "preset profile systemPrompt sections budget template trust claudeMd claudeMdExcludes options \
                   outputStyle lint variables";
        let mut listed: Vec<&str> = seed.split_whitespace().chain(own.split_whitespace()).collect();
        listed.sort_unstable();
        assert_eq!(ValueShape::root().names().collect::<Vec<_>>(), listed);
        for name in listed {
            let may = seed.split_whitespace().any(|known| known == name)
                || ["systemPrompt", "sections"].contains(&name);
            let shape = ValueShape::root().under(name).unwrap();
            assert_eq!(shape.project_may(), may, "`{name}`: a project may set only text of ours");
        }
    }

    #[test]
    fn shapes_are_found_by_path() {
        let cases = [
            ("budget.tokens", Some("an integer of 0 or more")),
            ("budget.tokns", None),
            ("env.ANY", Some("a string")),
            ("env.ANY.thing", None),
            ("logging.any.thing", Some("anything")),
            ("tools.Bash", Some("an object")),
            ("tools.Bash.disable", Some("true or false")),
            ("tools.Bash.any.thing", Some("anything")),
            ("contextProviders.SystemPromptFile.maxTokens", Some("an integer of 0 or more")),
            ("contextProviders.SystemPromptFile.maxToken", None),
            ("contextProviders.other.maxToken", Some("anything")),
            ("securityMode.mode", Some("one of `allowlist`, `ask`, `yolo`")),
            ("mcp", None),
            ("$schema", None),
        ];
        for (path, expected) in cases {
            let shape = setting_at(path).ok().map(|(_, shape)| shape);
            assert_eq!(shape.map(ValueShape::expected).as_deref(), expected, "{path}");
        }
    }
}
