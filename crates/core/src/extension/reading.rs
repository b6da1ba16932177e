//! Reads the fields of a manifest: each is valid, or a failure with its location.

use super::failure::{ValidationFailure, ValidationStage};
use crate::{
    settings::{SettingsNode, SettingsTable, SettingsTree, shown},
    suggestion::{did_you_mean, quoted},
};
use serde_json::Value;

/// The fields of one object of a manifest. Failures are collected, so that all of them are reported at once.
pub(super) struct ManifestFields<'n> {
    table: &'n SettingsTable,
    at: String,
    /// The failures so far.
    pub(super) failures: Vec<ValidationFailure>,
}

impl<'n> ManifestFields<'n> {
    pub(super) fn of(table: &'n SettingsTable) -> Self {
        ManifestFields { table, at: String::new(), failures: Vec::new() }
    }

    pub(super) fn node(&self, key: &str) -> Option<&'n SettingsNode> {
        self.table.get(key)
    }

    fn pointer(&self, key: &str) -> String {
        format!("{}/{}", self.at, key.replace('~', "~0").replace('/', "~1"))
    }

    /// Records that a field is invalid.
    pub(super) fn add_failure(&mut self, key: &str, message: impl Into<String>) -> &mut ValidationFailure {
        let mut failure = ValidationFailure::new(ValidationStage::Shape, self.pointer(key), message);
        failure.place = self.node(key).map(SettingsNode::place);
        self.failures.push(failure);
        let last = self.failures.len() - 1;
        &mut self.failures[last]
    }

    fn is_not(&mut self, key: &str, node: &SettingsNode, what: &str) {
        self.add_failure(key, format!("`{key}` must be {what}, not {}", node.described()));
    }

    /// Reads a required string that is not blank.
    pub(super) fn name(&mut self, key: &str) -> Option<String> {
        match self.node(key) {
            None => {
                self.add_failure(key, format!("`{key}` is missing")).help =
                    Some(format!("add `\"{key}\": \"…\"`"));
                None
            }
            Some(node) => match node.as_text() {
                Some(text) if !text.is_empty() => Some(text.to_owned()),
                Some(_) => {
                    self.add_failure(key, format!("`{key}` must not be empty"));
                    None
                }
                None => {
                    self.is_not(key, node, "a string");
                    None
                }
            },
        }
    }

    pub(super) fn text(&mut self, key: &str) -> Option<String> {
        let node = self.node(key)?;
        let text = node.as_text().map(str::to_owned);
        if text.is_none() {
            self.is_not(key, node, "a string");
        }
        text
    }

    /// Reads an optional string that is not blank.
    pub(super) fn full_text(&mut self, key: &str) -> Option<String> {
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.add_failure(key, format!("`{key}` must not be blank"));
            return None;
        }
        Some(text)
    }

    pub(super) fn word<'w>(&mut self, key: &str, words: &[&'w str]) -> Option<&'w str> {
        let text = self.text(key)?;
        let found = words.iter().copied().find(|word| *word == text);
        if found.is_none() {
            let near = did_you_mean(&text, words.iter().copied());
            let message = format!("`{key}` must be one of {}, not `{}`", quoted(words), shown(&text));
            self.add_failure(key, message).help = near.map(|near| format!("did you mean `{near}`?"));
        }
        found
    }

    /// Reads an integer within bounds.
    pub(super) fn integer(&mut self, key: &str, least: i64, most: i64) -> Option<i64> {
        let node = self.node(key)?;
        match node.as_integer() {
            Some(number) if (least..=most).contains(&number) => Some(number),
            _ => {
                let what = match (least, most) {
                    (i64::MIN, i64::MAX) => "an integer".to_owned(),
                    (least, i64::MAX) => format!("an integer of {least} or more"),
                    (least, most) => format!("an integer from {least} to {most}"),
                };
                self.is_not(key, node, &what);
                None
            }
        }
    }

    /// Reads `true` or `false`.
    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        let node = self.node(key)?;
        let flag = node.to_value().as_bool();
        if flag.is_none() {
            self.is_not(key, node, "`true` or `false`");
        }
        flag
    }

    /// Reads a list of strings.
    pub(super) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let node = self.node(key)?;
        let SettingsTree::List(items) = node.tree() else {
            self.is_not(key, node, "an array of strings");
            return None;
        };
        let mut texts = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            match item.as_text() {
                Some(text) => texts.push(text.to_owned()),
                None => {
                    let pointer = format!("{}/{at}", self.pointer(key));
                    let message = format!("item {at} of `{key}` must be a string, not {}", item.described());
                    self.failures.push(
                        ValidationFailure::new(ValidationStage::Shape, pointer, message).at(item.place()),
                    );
                    return None;
                }
            }
        }
        Some(texts)
    }

    /// Reads the argument list of a program: neither it nor its first item may be empty.
    pub(super) fn argv(&mut self, key: &str) -> Option<Vec<String>> {
        if let Some(node) = self.node(key)
            && node.as_text().is_some()
        {
            self.add_failure(key, format!("`{key}` must be an array of arguments, not one string")).help =
                Some("nothing passes through a shell: write `[\"program\", \"argument\"]`".to_owned());
            return None;
        }
        let argv = self.texts(key)?;
        if argv.first().is_none_or(|program| program.trim().is_empty()) {
            self.add_failure(key, format!("`{key}` must name a program first"));
            return None;
        }
        if argv.iter().any(|argument| argument.contains('\0')) {
            self.add_failure(key, format!("`{key}` must not hold NUL characters"));
            return None;
        }
        Some(argv)
    }

    /// Reads an object as plain JSON.
    pub(super) fn object(&mut self, key: &str) -> Option<Value> {
        let node = self.node(key)?;
        if node.as_table().is_none() {
            self.is_not(key, node, "an object");
            return None;
        }
        Some(node.to_value())
    }

    /// Reads the fields of a nested object.
    pub(super) fn below<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut ManifestFields<'n>) -> T,
    ) -> Option<T> {
        let node = self.node(key)?;
        let Some(table) = node.as_table() else {
            self.is_not(key, node, "an object");
            return None;
        };
        let mut below = ManifestFields { table, at: self.pointer(key), failures: Vec::new() };
        let value = read(&mut below);
        self.failures.append(&mut below.failures);
        Some(value)
    }
}
