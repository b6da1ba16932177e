//! Reads the options of a section. Invalid values are reported and replaced by their defaults.

use crate::provider::context::ProviderContext;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    section::Section,
    suggestion::quoted,
};
use serde_json::Value;

/// The options of a section. A value may have the form of a profile's own option, which is a text.
#[derive(Clone, Copy)]
pub(crate) struct SectionOptions<'a> {
    section: &'a Section,
    context: &'a ProviderContext<'a>,
}

impl<'a> SectionOptions<'a> {
    pub(crate) fn new(section: &'a Section, context: &'a ProviderContext<'a>) -> Self {
        SectionOptions { section, context }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'a Value> {
        self.section.options.get(key)
    }

    /// Returns an option that is one of a few words; the first of them is the default.
    pub(crate) fn word(&self, key: &str, words: &[&'static str]) -> &'static str {
        let default = words.first().copied().unwrap_or_default();
        let Some(value) = self.get(key) else { return default };
        let known = value.as_str().and_then(|given| words.iter().copied().find(|word| *word == given));
        known.unwrap_or_else(|| {
            let invalid = self.invalid(key, &format!("cannot be {value}; `{default}` is used"));
            self.context.note(invalid.help(format!("it is one of {}", quoted(words))));
            default
        })
    }

    /// Returns a text, where it is set.
    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    /// Returns a list of texts, which may also be one text with a line for each.
    pub(crate) fn texts(&self, key: &str, default: &[&str]) -> Vec<String> {
        match self.get(key) {
            None => default.iter().map(|text| (*text).to_owned()).collect(),
            Some(Value::String(text)) => {
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
            }
            Some(Value::Array(list)) => {
                list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
            }
            Some(value) => {
                self.report(key, &format!("cannot be {value}; it is a list of texts"));
                Vec::new()
            }
        }
    }

    pub(crate) fn truth(&self, key: &str, default: bool) -> bool {
        let Some(value) = self.get(key) else { return default };
        truth(value).unwrap_or_else(|| {
            self.report(key, &format!("cannot be {value}; `{default}` is used"));
            default
        })
    }

    pub(crate) fn number(&self, key: &str, default: usize) -> usize {
        let Some(value) = self.get(key) else { return default };
        let number = match value {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_u64().and_then(|number| usize::try_from(number).ok()),
        };
        number.unwrap_or_else(|| {
            self.report(key, &format!("cannot be {value}; {default} is used"));
            default
        })
    }

    /// Reports an invalid value.
    pub(crate) fn report(&self, key: &str, why: &str) {
        self.context.note(self.invalid(key, why));
    }

    fn invalid(&self, key: &str, why: &str) -> Diagnostic {
        let what = format!("section `{}`: `{key}` {why}", self.section.id);
        Diagnostic::warning(DiagnosticCode::ProfileOption, what)
    }
}

/// Reads `true` or `false`, also from a text.
pub(crate) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
