//! Bindings: the values that replace the names in an imported text. They are data, from a file of the
//! profile.

use crate::variable::VariableKey;
use serde::{Deserialize, Serialize, de::IgnoredAny};
use std::collections::BTreeMap;

/// The binding of each name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bindings(pub BTreeMap<String, Binding>);

/// The value that replaces a name. In a file it is a text, a number or a Boolean, or a table with one of the
/// keys below.
///
/// ```
/// use preface_core::catalog::{Binding, Bindings};
/// let bindings: Bindings = toml::from_str(
///     r#"
///     GREP_TOOL_NAME = "Grep"
///     MAX_TIMEOUT_MS = { call = 600000 }
///     TODO_TOOL = { object = { name = "TodoWrite" } }
///     GIT_STATUS = { variable = "git:status" }
///     STYLE = { given = "option:outputStyle", then = { object = { name = { variable = "option:outputStyle" } } } }
///     "#,
/// )
/// .unwrap();
/// assert_eq!(bindings.0["GREP_TOOL_NAME"], Binding::Text("Grep".to_owned()));
/// assert_eq!(bindings.0["MAX_TIMEOUT_MS"], Binding::Call(Box::new(Binding::Number(600_000))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BindingToml", into = "BindingToml")]
pub enum Binding {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A Boolean.
    Bool(bool),
    /// `null = true`: a value that is not configured.
    Null,
    /// `variable`: the value of a variable; `null` if it does not exist.
    Variable(VariableKey),
    /// `count`: the value of a variable as a number; `null` if it does not exist or is not a number.
    Count(VariableKey),
    /// `has`: true if a variable exists.
    Has(VariableKey),
    /// `given` and `then`: the value of `then` if a variable exists; else `null`.
    Given(VariableKey, Box<Binding>),
    /// `object`: members by name.
    Object(BTreeMap<String, Binding>),
    /// `list`.
    List(Vec<Binding>),
    /// `join`: the texts of several bindings, concatenated.
    Join(Vec<Binding>),
    /// `call`: a function with a fixed result.
    Call(Box<Binding>),
    /// `cases`: a function whose result depends on its first argument.
    Cases(BTreeMap<String, Binding>),
    /// `same = true`: a function that returns its first argument.
    Same,
    /// `json = true`: a function that writes its first argument as JSON.
    Json,
    /// `tools = true`: the active tools, a list of objects with `name` and `description` that also has a
    /// method `has(name)`.
    Tools,
    /// `prompt`: another prompt of the same catalog, included at this place. A section with the same prompt
    /// is merged.
    Prompt(String),
}

impl Bindings {
    /// Returns the binding of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Binding> {
        self.0.get(name)
    }

    /// Adds bindings, which replace existing ones of the same name.
    pub fn extend(&mut self, over: Bindings) {
        self.0.extend(over.0);
    }
}

/// The form of a binding in a file.
#[derive(Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum BindingToml {
    Text(String),
    Number(i64),
    Bool(bool),
    Table(Box<BindingTable>),
    #[serde(skip_serializing)]
    Other(IgnoredAny),
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct BindingTable {
    #[serde(skip_serializing_if = "Option::is_none")]
    variable: Option<VariableKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<VariableKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has: Option<VariableKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<VariableKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    then: Option<Binding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<BTreeMap<String, Binding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list: Option<Vec<Binding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    join: Option<Vec<Binding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<Binding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cases: Option<BTreeMap<String, Binding>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(skip_serializing_if = "is_false")]
    null: bool,
    #[serde(skip_serializing_if = "is_false")]
    same: bool,
    #[serde(skip_serializing_if = "is_false")]
    json: bool,
    #[serde(skip_serializing_if = "is_false")]
    tools: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_false(flag: &bool) -> bool {
    !*flag
}

const FORMS: &str = "a binding is a text, a number, `true`, `false`, or a table with one of `variable`, `count`, `has`, `given` \
                     and `then`, `object`, `list`, `join`, `call`, `cases`, `prompt`, `null`, `same`, `json`, `tools`";

impl TryFrom<BindingToml> for Binding {
    type Error = &'static str;

    fn try_from(written: BindingToml) -> Result<Self, Self::Error> {
        let table = match written {
            BindingToml::Text(text) => return Ok(Binding::Text(text)),
            BindingToml::Number(number) => return Ok(Binding::Number(number)),
            BindingToml::Bool(truth) => return Ok(Binding::Bool(truth)),
            BindingToml::Table(table) => *table,
            BindingToml::Other(_) => return Err(FORMS),
        };
        let given = match (table.given, table.then) {
            (Some(key), Some(then)) => Some(Binding::Given(key, Box::new(then))),
            (None, None) => None,
            _ => return Err("`given` and `then` go together"),
        };
        let forms = [
            table.variable.map(Binding::Variable),
            table.count.map(Binding::Count),
            table.has.map(Binding::Has),
            given,
            table.object.map(Binding::Object),
            table.list.map(Binding::List),
            table.join.map(Binding::Join),
            table.call.map(|answer| Binding::Call(Box::new(answer))),
            table.cases.map(Binding::Cases),
            table.prompt.map(Binding::Prompt),
            table.null.then_some(Binding::Null),
            table.same.then_some(Binding::Same),
            table.json.then_some(Binding::Json),
            table.tools.then_some(Binding::Tools),
        ];
        let mut forms = forms.into_iter().flatten();
        match (forms.next(), forms.next()) {
            (Some(form), None) => Ok(form),
            _ => Err(FORMS),
        }
    }
}

impl From<Binding> for BindingToml {
    fn from(binding: Binding) -> BindingToml {
        let none = BindingTable::default;
        let table = match binding {
            Binding::Text(text) => return BindingToml::Text(text),
            Binding::Number(number) => return BindingToml::Number(number),
            Binding::Bool(truth) => return BindingToml::Bool(truth),
            Binding::Null => BindingTable { null: true, ..none() },
            Binding::Variable(key) => BindingTable { variable: Some(key), ..none() },
            Binding::Count(key) => BindingTable { count: Some(key), ..none() },
            Binding::Has(key) => BindingTable { has: Some(key), ..none() },
            Binding::Given(key, then) => BindingTable { given: Some(key), then: Some(*then), ..none() },
            Binding::Object(members) => BindingTable { object: Some(members), ..none() },
            Binding::List(items) => BindingTable { list: Some(items), ..none() },
            Binding::Join(items) => BindingTable { join: Some(items), ..none() },
            Binding::Call(answer) => BindingTable { call: Some(*answer), ..none() },
            Binding::Cases(cases) => BindingTable { cases: Some(cases), ..none() },
            Binding::Same => BindingTable { same: true, ..none() },
            Binding::Json => BindingTable { json: true, ..none() },
            Binding::Tools => BindingTable { tools: true, ..none() },
            Binding::Prompt(name) => BindingTable { prompt: Some(name), ..none() },
        };
        BindingToml::Table(Box::new(table))
    }
}
