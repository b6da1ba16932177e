//! Bindings: the values that replace the names in an imported text. They are data, from a file of the
//! profile.

use crate::fact::FactKey;
use serde::{Deserialize, Serialize};
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
///     GIT_STATUS = { fact = "git:status" }
///     STYLE = { given = "option:outputStyle", then = { object = { name = { fact = "option:outputStyle" } } } }
///     "#,
/// )
/// .unwrap();
/// assert_eq!(bindings.0["GREP_TOOL_NAME"], Binding::Text("Grep".to_owned()));
/// assert_eq!(bindings.0["MAX_TIMEOUT_MS"], Binding::Call(Box::new(Binding::Number(600_000))));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub enum Binding {
    /// A text.
    Text(String),
    /// A whole number.
    Number(i64),
    /// A Boolean.
    Bool(bool),
    /// `null = true`: a value that is not configured.
    Null,
    /// `fact`: the value of a variable; `null` if it does not exist.
    Fact(FactKey),
    /// `count`: the value of a variable as a number; `null` if it does not exist or is not a number.
    Count(FactKey),
    /// `has`: true if a variable exists.
    Has(FactKey),
    /// `given` and `then`: the value of `then` if a variable exists; else `null`.
    Given(FactKey, Box<Binding>),
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
enum Written {
    Text(String),
    Number(i64),
    Bool(bool),
    Table(Box<Table>),
}

#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Table {
    #[serde(skip_serializing_if = "Option::is_none")]
    fact: Option<FactKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<FactKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    has: Option<FactKey>,
    #[serde(skip_serializing_if = "Option::is_none")]
    given: Option<FactKey>,
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

const FORMS: &str = "a binding is a text, a number, `true`, `false`, or a table with one of `fact`, `count`, `has`, `given` \
                     and `then`, `object`, `list`, `join`, `call`, `cases`, `prompt`, `null`, `same`, `json`, `tools`";

impl TryFrom<Written> for Binding {
    type Error = &'static str;

    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let table = match written {
            Written::Text(text) => return Ok(Binding::Text(text)),
            Written::Number(number) => return Ok(Binding::Number(number)),
            Written::Bool(truth) => return Ok(Binding::Bool(truth)),
            Written::Table(table) => *table,
        };
        let given = match (table.given, table.then) {
            (Some(key), Some(then)) => Some(Binding::Given(key, Box::new(then))),
            (None, None) => None,
            _ => return Err("`given` and `then` go together"),
        };
        let forms = [
            table.fact.map(Binding::Fact),
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

impl From<Binding> for Written {
    fn from(binding: Binding) -> Written {
        let none = Table::default;
        let table = match binding {
            Binding::Text(text) => return Written::Text(text),
            Binding::Number(number) => return Written::Number(number),
            Binding::Bool(truth) => return Written::Bool(truth),
            Binding::Null => Table { null: true, ..none() },
            Binding::Fact(key) => Table { fact: Some(key), ..none() },
            Binding::Count(key) => Table { count: Some(key), ..none() },
            Binding::Has(key) => Table { has: Some(key), ..none() },
            Binding::Given(key, then) => Table { given: Some(key), then: Some(*then), ..none() },
            Binding::Object(members) => Table { object: Some(members), ..none() },
            Binding::List(items) => Table { list: Some(items), ..none() },
            Binding::Join(items) => Table { join: Some(items), ..none() },
            Binding::Call(answer) => Table { call: Some(*answer), ..none() },
            Binding::Cases(cases) => Table { cases: Some(cases), ..none() },
            Binding::Same => Table { same: true, ..none() },
            Binding::Json => Table { json: true, ..none() },
            Binding::Tools => Table { tools: true, ..none() },
            Binding::Prompt(name) => Table { prompt: Some(name), ..none() },
        };
        Written::Table(Box::new(table))
    }
}
