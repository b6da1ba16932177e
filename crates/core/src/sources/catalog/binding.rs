//! Bindings: the values that replace the expressions in an imported text. They are data, from a file of the
//! profile.

use crate::{
    section::SectionId,
    variable::{RecordedVariable, VariableKey},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The binding of each KEY of a catalog's templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bindings(pub BTreeMap<String, Binding>);

/// The value that replaces an expression. In a file it is a text, a number or a Boolean, or a table with one of the
/// keys below.
///
/// ```
/// use preface_core::catalog::{Binding, Bindings};
/// let bindings: Bindings = toml::from_str(
///     r#"
///     GREP_TOOL_NAME = "Grep"
///     "MAX_TIMEOUT_MS()" = 600000
///     "CURRENT_YEAR-1" = { variable = "system:year", add = -1 }
///     "STYLE!==null" = { has = "option:outputStyle" }
///     SESSIONS = { join = [{ variable = "prompt:global_dir" }, "/projects"] }
///     POLICY = { section = "policy" }
///     "#,
/// )
/// .unwrap();
/// assert_eq!(bindings.0["MAX_TIMEOUT_MS()"], Binding::Number(600_000));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a binding is a text, a number, `true`, `false`, or a table with `variable` and perhaps `add`, with `has`, `join` or `section`"
)]
pub enum Binding {
    /// `true` or `false`, for a condition.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
    /// The value of a variable; with `add` the sum of a number and it.
    Variable {
        /// The variable.
        variable: VariableKey,
        /// The number that is added.
        #[serde(default, skip_serializing_if = "is_zero")]
        add: i64,
    },
    /// Whether a variable exists.
    Has {
        /// The variable.
        has: VariableKey,
    },
    /// The texts of several bindings, concatenated.
    Join {
        /// The bindings.
        join: Vec<Binding>,
    },
    /// The text of a section, which is merged into the text with the KEY.
    Section {
        /// The section.
        section: SectionId,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
fn is_zero(number: &i64) -> bool {
    *number == 0
}

impl Bindings {
    /// Returns the binding of a KEY.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Binding> {
        self.0.get(key)
    }

    /// Returns the variable that `catalog:NAME` is worked out from while a prompt is built.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&VariableKey> {
        match self.get(name.strip_prefix(super::CONDITION).unwrap_or(name)) {
            Some(Binding::Variable { variable, .. }) => Some(variable),
            _ => None,
        }
    }

    /// Works `catalog:NAME` out from its variable: for a condition an empty text if it holds, else the sum. It is absent if the
    /// variable is, if the condition does not hold, and if there is no sum.
    #[must_use]
    pub fn worked_out(&self, name: &str, variable: &RecordedVariable) -> RecordedVariable {
        let value = variable.value.as_deref();
        let value = match (name.strip_prefix(super::CONDITION), self.get(name)) {
            (Some(_), _) => value.filter(|value| holds(value)).map(|_| String::new()),
            (None, Some(Binding::Variable { add, .. })) => value
                .and_then(|value| value.trim().parse::<i64>().ok()?.checked_add(*add))
                .map(|sum| sum.to_string()),
            _ => None,
        };
        RecordedVariable { value, ..variable.clone() }
    }
}

/// Returns whether a condition on a text holds.
pub(super) fn holds(value: &str) -> bool {
    !matches!(value, "" | "false" | "0")
}
