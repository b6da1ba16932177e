//! Declared variables: what a profile or a stored template takes from its caller, and the one check of what is given.

use crate::{
    diagnostic::Remedy,
    input_error::InputError,
    lint::character::excerpt,
    suggestion::{quoted, suggest_or},
    variable::{Stability, VariableKey, info::REGISTERED},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, ops::Range};

/// A record of a list: its fields, null for one that is absent.
pub type Record = BTreeMap<String, Option<String>>;

/// The values that a caller gives, by `type:name`; `None` for a variable that is to be absent.
pub type GivenVariables = BTreeMap<VariableKey, Option<VariableValue>>;

/// The value of a variable that a caller gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged, expecting = "a variable is a text, a flag, a list of texts or of records of texts")]
pub enum VariableValue {
    /// A flag. One that is false does not exist.
    Flag(bool),
    /// A text. An empty one exists.
    Text(String),
    /// A list of texts. An empty one does not exist.
    List(Vec<String>),
    /// A list of records. An empty one does not exist.
    Records(Vec<BTreeMap<String, Option<String>>>),
}

impl VariableValue {
    /// Reads a value from JSON.
    ///
    /// # Errors
    /// The value is none of the four.
    pub fn from_json(value: Value) -> Result<Self, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    /// Returns the text that stands for it in a prompt: a list as JSON. `None` where it does not exist.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        match self {
            VariableValue::Flag(flag) => flag.then(|| "true".to_owned()),
            VariableValue::Text(text) => Some(text.clone()),
            VariableValue::List(texts) => (!texts.is_empty()).then(|| serde_json::json!(texts).to_string()),
            VariableValue::Records(records) => {
                (!records.is_empty()).then(|| serde_json::json!(records).to_string())
            }
        }
    }

    /// Returns the entries of a list, each with what `item:` reads of it.
    #[must_use]
    pub fn into_entries(self) -> Vec<Record> {
        match self {
            VariableValue::List(texts) => {
                texts.into_iter().map(|text| Record::from([(TEXT.to_owned(), Some(text))])).collect()
            }
            VariableValue::Records(records) => records,
            VariableValue::Flag(_) | VariableValue::Text(_) => Vec::new(),
        }
    }

    fn what(&self) -> &'static str {
        match self {
            VariableValue::Flag(_) => "a flag",
            VariableValue::Text(_) => "a text",
            VariableValue::List(_) => "a list of texts",
            VariableValue::Records(_) => "a list of records",
        }
    }
}

impl From<&str> for VariableValue {
    fn from(text: &str) -> Self {
        VariableValue::Text(text.to_owned())
    }
}

impl From<bool> for VariableValue {
    fn from(flag: bool) -> Self {
        VariableValue::Flag(flag)
    }
}

impl From<Vec<String>> for VariableValue {
    fn from(texts: Vec<String>) -> Self {
        VariableValue::List(texts)
    }
}

impl From<Vec<Record>> for VariableValue {
    fn from(records: Vec<Record>) -> Self {
        VariableValue::Records(records)
    }
}

impl From<String> for VariableValue {
    fn from(text: String) -> Self {
        VariableValue::Text(text)
    }
}

/// Returns the start of what a caller wrote, for a message.
fn shown(text: &str) -> String {
    excerpt(text, 80)
}

/// The name of an entry of a list of texts: `item:text`.
const TEXT: &str = "text";

/// The type of a declared variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum VariableShape {
    /// A text.
    #[default]
    Text,
    /// `true` or `false`.
    Flag,
    /// A list of texts.
    List,
    /// A list of flat records.
    Records,
}

impl VariableShape {
    fn what(self) -> &'static str {
        match self {
            VariableShape::Text => "a text",
            VariableShape::Flag => "`true` or `false`",
            VariableShape::List => "a list of texts",
            VariableShape::Records => "a list of records",
        }
    }
}

/// The declaration of a variable.
///
/// ```
/// use preface_core::declaration::{VariableDeclaration, VariableShape};
/// let declared: VariableDeclaration = toml::from_str("values = ['free', 'pro']\ndefault = 'free'").unwrap();
/// assert_eq!((declared.shape, declared.values.len()), (VariableShape::Text, 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "The declaration of a variable."))]
#[serde(default, deny_unknown_fields)]
pub struct VariableDeclaration {
    /// The type of its values.
    #[serde(rename = "type")]
    pub shape: VariableShape,
    /// What it is, for people.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The texts that it may be; empty for any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<String>,
    /// The fields of each record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// The value where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<VariableValue>))]
    pub default: Option<VariableValue>,
    /// True: a build without a value is refused.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// How long a value stays the same.
    pub stability: Stability,
}

impl Default for VariableDeclaration {
    fn default() -> Self {
        VariableDeclaration {
            shape: VariableShape::Text,
            description: String::new(),
            values: Vec::new(),
            fields: Vec::new(),
            default: None,
            required: false,
            stability: Stability::Conversation,
        }
    }
}

impl VariableDeclaration {
    /// Returns the texts that a comparison can name; `None` for any.
    fn words(&self) -> Option<Vec<&str>> {
        match self.shape {
            VariableShape::Flag => Some(vec!["true"]),
            _ if self.values.is_empty() => None,
            _ => Some(self.values.iter().map(String::as_str).collect()),
        }
    }

    fn item_names(&self) -> Option<Vec<&str>> {
        match self.shape {
            VariableShape::List => Some(vec![TEXT]),
            VariableShape::Records => Some(self.fields.iter().map(String::as_str).collect()),
            VariableShape::Text | VariableShape::Flag => None,
        }
    }

    /// Returns a value as its type has it. A text for a list is read as JSON.
    fn read(&self, key: &VariableKey, value: VariableValue) -> Result<VariableValue, InputError> {
        let takes = |what: &str| InputError::new(format!("`{key}` takes {}, not {what}", self.shape.what()));
        match (self.shape, value) {
            (VariableShape::Text, VariableValue::Text(text)) => {
                if self.values.is_empty() || self.values.contains(&text) {
                    return Ok(VariableValue::Text(text));
                }
                let help = suggest_or(&text, self.values.iter().map(String::as_str), || {
                    format!("it is one of {}", quoted(&self.values))
                });
                Err(InputError::new(format!("`{key}` cannot be `{}`", shown(&text))).help(help))
            }
            (VariableShape::Flag, VariableValue::Flag(flag)) => Ok(VariableValue::Flag(flag)),
            (VariableShape::Flag, VariableValue::Text(text)) => {
                text.parse().map(VariableValue::Flag).map_err(|_| takes(&format!("`{}`", shown(&text))))
            }
            (VariableShape::List | VariableShape::Records, VariableValue::Text(text)) => {
                let read = serde_json::from_str(&text).map_err(|error| format!("not JSON: {error}"));
                match read.and_then(VariableValue::from_json) {
                    Ok(VariableValue::Text(_)) => Err(takes("a text")),
                    Ok(value) => self.read(key, value),
                    Err(why) => {
                        let what = format!("`{key}` takes {}: {why}", self.shape.what());
                        let help = format!("write it as JSON, such as `{}`", self.example());
                        Err(InputError::new(what).help(help))
                    }
                }
            }
            // An empty list has no type.
            (VariableShape::List | VariableShape::Records, VariableValue::List(texts))
                if texts.is_empty() =>
            {
                Ok(VariableValue::List(texts))
            }
            (VariableShape::List, VariableValue::List(texts)) => Ok(VariableValue::List(texts)),
            (VariableShape::Records, VariableValue::Records(records)) => {
                for (at, record) in records.iter().enumerate() {
                    let fields = self.fields.iter().map(String::as_str);
                    if let Some(name) = record.keys().find(|name| !self.fields.contains(name)) {
                        let help = suggest_or(name, fields.clone(), || {
                            format!("its fields are {}", quoted(&self.fields))
                        });
                        let what =
                            format!("record {} of `{key}` has an unknown field: `{}`", at + 1, shown(name));
                        return Err(InputError::new(what).help(help));
                    }
                    if let Some(name) = self.fields.iter().find(|name| !record.contains_key(*name)) {
                        let what = format!("record {} of `{key}` has no field `{name}`", at + 1);
                        return Err(InputError::new(what).help("a field without a value is null"));
                    }
                }
                Ok(VariableValue::Records(records))
            }
            (_, value) => Err(takes(value.what())),
        }
    }

    /// Returns what it is in one sentence, for lists: the description, else its type.
    #[must_use]
    pub fn about(&self) -> String {
        let required = if self.required { "; required" } else { "" };
        let what = if self.description.is_empty() { self.shape.what() } else { &self.description };
        format!("{what}{required}")
    }

    /// Returns what a value looks like.
    #[must_use]
    pub fn example(&self) -> String {
        if let Some(text) = self.default.as_ref().and_then(VariableValue::to_text) {
            return text;
        }
        match self.shape {
            VariableShape::Text => self.values.first().cloned().unwrap_or_default(),
            VariableShape::Flag => "true".to_owned(),
            VariableShape::List => r#"["text"]"#.to_owned(),
            VariableShape::Records => {
                let record: Record =
                    self.fields.iter().map(|field| (field.clone(), Some("text".to_owned()))).collect();
                serde_json::json!([record]).to_string()
            }
        }
    }

    fn help(&self, key: &VariableKey) -> String {
        match self.values.as_slice() {
            [] => format!("give `{key}` {}", self.shape.what()),
            values => format!("give `{key}` one of {}", quoted(values)),
        }
    }
}

/// An invalid declaration: the variable, the key of its declaration that is wrong, and the message.
pub type InvalidDeclaration = (VariableKey, &'static str, String);

/// The declared variables of a profile or a stored template, by `type:name`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Declarations(pub BTreeMap<VariableKey, VariableDeclaration>);

/// The types whose names others give their values.
const TAKEN: [&str; 5] = ["catalog", "event", "given", "item", "section"];

/// The variables that can be compared beside the declared ones.
const COMPARED: [&str; 3] = ["model:family", "model:name", "model:vendor"];

impl Declarations {
    /// Returns true if nothing is declared.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Walks over those that the caller gives: the values of options come from elsewhere.
    pub fn inputs(&self) -> impl Iterator<Item = (&VariableKey, &VariableDeclaration)> {
        self.0.iter().filter(|(key, _)| is_input(key))
    }

    /// Returns true if the caller gives one of them.
    #[must_use]
    pub fn has_inputs(&self) -> bool {
        self.inputs().next().is_some()
    }

    /// Returns the declaration of a variable.
    #[must_use]
    pub fn get(&self, key: &VariableKey) -> Option<&VariableDeclaration> {
        self.0.get(key)
    }

    fn find(&self, key: &str) -> Option<&VariableDeclaration> {
        self.0.get(&key.parse().ok()?)
    }

    /// Returns true if a test can compare this variable.
    pub(crate) fn compares(&self, key: &str) -> bool {
        COMPARED.contains(&key)
            || self
                .find(key)
                .is_some_and(|one| matches!(one.shape, VariableShape::Text | VariableShape::Flag))
    }

    /// Returns what `item:` names in an entry of a list; `None` for a key that is no list.
    pub(crate) fn item_names(&self, list: &VariableKey) -> Option<Vec<&str>> {
        self.get(list)?.item_names()
    }

    /// Returns the first alternative of a comparison that the variable can never be, and the help.
    pub(crate) fn impossible<'w>(&self, key: &VariableKey, words: &'w str) -> Option<(&'w str, Remedy)> {
        let known = self.get(key)?.words()?;
        let word = alternatives(words).find(|word| !known.contains(word))?;
        Some((word, suggest_or(word, known.iter().copied(), || format!("it is one of {}", quoted(&known)))))
    }

    /// Checks the declarations themselves.
    ///
    /// # Errors
    /// The first that cannot be used.
    pub fn check(&self) -> Result<(), InvalidDeclaration> {
        for (key, declared) in &self.0 {
            let invalid = |at: &'static str, what: String| Err((key.clone(), at, what));
            let kind = key.kind();
            if TAKEN.contains(&kind) || REGISTERED.iter().any(|info| info.kind == kind) {
                return invalid(
                    "",
                    format!("`{kind}` is a type of preface's own, so `{key}` cannot be declared"),
                );
            }
            if !is_name(key.name()) {
                let what = "the name of a declared variable is letters, digits, `_`, `-` and `.`";
                return invalid("", format!("{what}: `{key}`"));
            }
            let plain = VariableDeclaration {
                description: declared.description.clone(),
                values: declared.values.clone(),
                shape: declared.shape,
                ..VariableDeclaration::default()
            };
            if !is_input(key) && (*declared != plain || declared.item_names().is_some()) {
                let what = "an option is declared as a text or a flag, with `values` and `description` alone";
                return invalid("", format!("{what}: `{key}`"));
            }
            let (of_text, of_records) =
                (declared.shape == VariableShape::Text, declared.shape == VariableShape::Records);
            if !of_text && !declared.values.is_empty() {
                return invalid("values", format!("`{key}` is no text and takes no `values`"));
            }
            let is_unwritable = |value: &&String| {
                crate::template::trim(value) != **value
                    || value.contains([']', '|', '\n', '\r', '\u{2028}', '\u{2029}'])
            };
            if let Some(value) = declared.values.iter().find(is_unwritable) {
                let what = "has a blank at its end, a `]`, a `|` or a line break, which no test can name";
                return invalid("values", format!("the value `{value}` of `{key}` {what}"));
            }
            if of_records && declared.fields.is_empty() {
                return invalid("", format!("a list of records needs `fields`: `{key}`"));
            }
            if !of_records && !declared.fields.is_empty() {
                return invalid("fields", format!("only records have `fields`: `{key}`"));
            }
            if let Some(field) = declared.fields.iter().find(|field| !is_name(field)) {
                let what = "the name of a field is letters, digits, `_`, `-` and `.`";
                return invalid("fields", format!("{what}: `{field}` of `{key}`"));
            }
            let mut names = declared.fields.iter().chain(&declared.values).collect::<Vec<_>>();
            names.sort_unstable();
            if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                let at = if of_records { "fields" } else { "values" };
                return invalid(at, format!("`{}` of `{key}` is listed twice", twice[0]));
            }
            if declared.required && declared.default.is_some() {
                return invalid("required", format!("`{key}` is required, so it takes no `default`"));
            }
            if let Some(default) = &declared.default
                && let Err(error) = declared.read(key, default.clone())
            {
                let help = error.help.map_or_else(String::new, |help| format!("; {help}"));
                return invalid("default", format!("{}{help}", error.message));
            }
        }
        Ok(())
    }

    /// Checks what a caller gives against the declarations and returns the values with their types. A variable for which
    /// `is_open` is true needs no declaration.
    ///
    /// # Errors
    /// A variable is unknown, is an option, or its value does not fit.
    pub fn take(
        &self,
        given: &GivenVariables,
        is_open: impl Fn(&VariableKey) -> bool,
    ) -> Result<GivenVariables, InputError> {
        if let Some(option) = given.keys().find(|key| !is_input(key)) {
            let flag = format!("--set {}=VALUE", option.name());
            return Err(InputError::new(format!("`{option}` is an option of the profile, no variable"))
                .help(Remedy::flag("give it as an option", flag)));
        }
        if !self.has_inputs() {
            return Ok(given.clone());
        }
        let mut taken = GivenVariables::new();
        for (key, value) in given {
            let value = match (self.get(key), value) {
                (Some(declared), Some(value)) => Some(declared.read(key, value.clone())?),
                (None, _) if !is_open(key) => {
                    let known = || self.inputs().map(|(key, _)| key.as_str());
                    let help =
                        suggest_or(key.as_str(), known(), || format!("variables are {}", quoted(known())));
                    let what = format!("unknown variable: `{}`", shown(key.as_str()));
                    return Err(InputError::new(what).help(help));
                }
                (_, value) => value.clone(),
            };
            taken.insert(key.clone(), value);
        }
        Ok(taken)
    }

    /// Checks that everything that is required is given.
    ///
    /// # Errors
    /// The first that is missing.
    pub fn check_required(&self, given: &GivenVariables) -> Result<(), InputError> {
        let is_missing = |key| !matches!(given.get(key), Some(Some(_)));
        match self.0.iter().find(|(key, declared)| declared.required && is_missing(key)) {
            Some((key, declared)) => {
                Err(InputError::new(format!("the variable `{key}` is required")).help(declared.help(key)))
            }
            None => Ok(()),
        }
    }
}

/// Returns true for a variable that the caller gives; `option:` and `given:` are options of the profile.
fn is_input(key: &VariableKey) -> bool {
    !matches!(key.kind(), "option" | "given")
}

/// Returns true for a name that a test can have before its operator.
pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(is_name_byte)
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The comparison of a test: `KEY = VALUE` or `KEY != VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    /// The end of KEY.
    pub key_end: usize,
    /// True for `!=`.
    pub differs: bool,
    /// The bytes of VALUE, with the blanks around it.
    pub words: Range<usize>,
}

/// Reads a test as a comparison, if what is before its first operator can be compared. `test` begins with the key and ends
/// before the `]`.
pub(crate) fn comparison(test: &str, compares: impl Fn(&str) -> bool) -> Option<Comparison> {
    let bytes = test.as_bytes();
    let is_blank = |byte: u8| matches!(byte, b' ' | b'\t');
    let after = |from: usize, is: &dyn Fn(u8) -> bool| {
        from + bytes[from..].iter().take_while(|byte| is(**byte)).count()
    };
    let colon = after(0, &|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let key_end = after(colon + 1, &is_name_byte);
    let operator = after(key_end, &is_blank);
    let differs = bytes.get(operator) == Some(&b'!');
    let end = operator + usize::from(differs) + 1;
    let is_operator = operator > key_end
        && bytes.get(end - 1) == Some(&b'=')
        && bytes.get(end).copied().is_some_and(is_blank);
    (is_operator && compares(&test[..key_end])).then_some(Comparison {
        key_end,
        differs,
        words: end..test.len(),
    })
}

/// Returns the alternatives of a comparison.
pub(crate) fn alternatives(words: &str) -> impl Iterator<Item = &str> {
    words.split('|').map(crate::template::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn declared() -> Declarations {
        let text = "'app:plan' = { values = ['free', 'pro'] }\n'app:name' = { required = true }\n\
            'app:beta' = { type = 'flag' }\n'app:tips' = { type = 'list' }\n\
            'app:shots' = { type = 'records', fields = ['q', 'a'] }";
        toml::from_str(text).unwrap()
    }

    /// Checks values that `app:name` goes with; `git:` is open.
    fn take(given: Value) -> Result<GivenVariables, String> {
        let mut given: GivenVariables = serde_json::from_value(given).map_err(|error| error.to_string())?;
        given.entry(VariableKey::new("app", "name")).or_insert_with(|| Some("Ada".into()));
        let taken = declared().take(&given, |key| key.kind() == "git");
        let taken = taken.and_then(|taken| declared().check_required(&taken).map(|()| taken));
        taken.map_err(|error| format!("{}; {}", error.message, error.help.unwrap_or_default()))
    }

    #[test]
    fn a_value_has_the_type_of_its_declaration() {
        let records = json!([{"q": "Q", "a": null}]);
        let read: VariableValue = serde_json::from_value(records.clone()).unwrap();
        for (given, value) in [
            (json!({"app:plan": "pro"}), Some(VariableValue::Text("pro".into()))),
            (json!({"app:plan": null}), None),
            (json!({"app:beta": true}), Some(VariableValue::Flag(true))),
            (json!({"app:beta": "false"}), Some(VariableValue::Flag(false))),
            (json!({"app:tips": ["a"]}), Some(VariableValue::List(vec!["a".into()]))),
            (json!({"app:tips": "[\"a\"]"}), Some(VariableValue::List(vec!["a".into()]))),
            (json!({"app:shots": records}), Some(read.clone())),
            (json!({"app:shots": records.to_string()}), Some(read)),
            (json!({"app:shots": []}), Some(VariableValue::List(Vec::new()))),
            (json!({"git:branch": "main"}), Some("main".into())),
        ] {
            let key = given.as_object().unwrap().keys().next().unwrap().parse().unwrap();
            assert_eq!(take(given.clone()).unwrap().remove(&key), Some(value), "{given}");
        }
    }

    const NO_VALUE: &str = "a variable is a text, a flag, a list of texts or of records of texts";

    #[test]
    fn a_wrong_value_is_an_error_that_names_the_variable() {
        for (given, error) in [
            (json!({"app:paln": "pro"}), "unknown variable: `app:paln`; did you mean `app:plan`?"),
            (json!({"app:name": null}), "the variable `app:name` is required; give `app:name` a text"),
            (json!({"app:plan": "fre"}), "`app:plan` cannot be `fre`; did you mean `free`?"),
            (
                json!({"app:plan": "\u{1b}[2J".to_owned() + &"x".repeat(1 << 20)}),
                &*format!(
                    "`app:plan` cannot be `\\u{{1b}}[2J{}…`; it is one of `free`, `pro`",
                    "x".repeat(76)
                ),
            ),
            (json!({"app:plan": ["pro"]}), "`app:plan` takes a text, not a list of texts; "),
            (json!({"app:beta": "yes"}), "`app:beta` takes `true` or `false`, not `yes`; "),
            (
                json!({"app:tips": "a, b"}),
                "`app:tips` takes a list of texts: not JSON: expected value at line 1 column 1; write it as JSON, such as \
                 `[\"text\"]`",
            ),
            (
                json!({"app:tips": [{"q": "Q", "a": "A"}]}),
                "`app:tips` takes a list of texts, not a list of records; ",
            ),
            (json!({"app:shots": ["a"]}), "`app:shots` takes a list of records, not a list of texts; "),
            (
                json!({"app:shots": [{"q": "Q", "b": "A"}]}),
                "record 1 of `app:shots` has an unknown field: `b`; its fields are `q`, `a`",
            ),
            (
                json!({"app:shots": [{"q": "Q", "a": "A"}, {"q": "Q"}]}),
                "record 2 of `app:shots` has no field `a`; a field without a value is null",
            ),
            (json!({"app:tips": ["a", 1]}), NO_VALUE),
            (json!({"app:shots": [{"q": {}}]}), NO_VALUE),
            (json!({"app:shots": [{}, "a"]}), NO_VALUE),
            (json!({"app:plan": 1}), NO_VALUE),
        ] {
            assert_eq!(take(given.clone()), Err(error.to_owned()), "{given}");
        }
    }

    #[test]
    fn without_declarations_everything_is_taken() {
        let given = GivenVariables::from([
            (VariableKey::new("a", "b"), Some("[".into())),
            (VariableKey::new("c", "d"), None),
        ]);
        assert_eq!(Declarations::default().take(&given, |_| false), Ok(given));
    }
}
