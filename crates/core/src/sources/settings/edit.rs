//! Sets or unsets one value in the text of a settings file and leaves every other byte as it is.
//!
//! The syntax tree of `jsonc-parser` keeps blanks and comments; its own edits place a new member in the style of its neighbors and take
//! out a member with its comma and its line.
//!
//! A text that the reader would refuse is not written: the new text passes [`parse`](super::parse) first.

use super::{
    key_path::KeyPath,
    merge::{SetBy, merge},
    node::SettingsSource,
    parse::{DEEPEST, SHAPE_INVALID, parse, parse_file, parse_value, read, shown},
    schema::project_may,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    json_type::json_type,
    scope::Scope,
};
use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
};
use serde_json::Value;
use std::{ops::Range, sync::Arc};

/// The change of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum SettingChange {
    /// Sets this value. Missing objects above it are created.
    Set(Value),
    /// Removes the value and every duplicate of its key. An object that becomes empty is removed too, unless
    /// it has a comment.
    Unset,
}

/// Returns the text of a settings file after a change; `None` if it has that value already. A missing file
/// (`before` is `None`) is created.
///
/// Of duplicate keys the last one is changed, because it is the one that is used.
///
/// ```
/// use preface_core::{scope::Scope, settings::{edit, SettingChange}};
/// let before = b"{\n  // mine\n  \"preset\": \"stud\" // for now\n}\n";
/// let key = "budget.tokens".parse().unwrap();
/// let text = edit(Scope::Global, "settings.json", Some(before), &key, &SettingChange::Set(9000.into()))?;
/// assert_eq!(
///     text.unwrap(),
///     "{\n  // mine\n  \"preset\": \"stud\", // for now\n  \"budget\": {\n    \"tokens\": 9000\n  }\n}\n",
/// );
/// # Ok::<(), Box<preface_core::diagnostic::Diagnostic>>(())
/// ```
///
/// # Errors
/// A file that does not parse, a value on the path to the setting that is not an object, and a change after which the reader would
/// refuse the file.
pub fn edit(
    scope: Scope,
    path_for_people: &str,
    before: Option<&[u8]>,
    key: &KeyPath,
    change: &SettingChange,
) -> Result<Option<String>, Box<Diagnostic>> {
    let file = EditedFile { scope, path: path_for_people };
    // Equal numbers are the same value, whatever their notation.
    let change = &match change {
        SettingChange::Set(value) => {
            SettingChange::Set(plain(&value.to_string()).unwrap_or_else(|| value.clone()))
        }
        SettingChange::Unset => SettingChange::Unset,
    };
    file.may(key, change)?;
    let text = match before.map(std::str::from_utf8) {
        None if *change == SettingChange::Unset => return Ok(None),
        None => "{}\n",
        Some(Ok(text)) => text,
        Some(Err(_)) => {
            let bytes = before.unwrap_or_default();
            return Err(file.unreadable_error(parse(scope, path_for_people, bytes).1.into_iter().next()));
        }
    };
    match (change, file.edited(text, key, change)?) {
        (SettingChange::Set(value), Some(after)) => file.checked(text, after, key, value).map(Some),
        (_, after) => Ok(after),
    }
}

/// The file to edit.
#[derive(Clone, Copy)]
struct EditedFile<'a> {
    scope: Scope,
    path: &'a str,
}

impl EditedFile<'_> {
    /// Refuses changes that no file of this scope may have.
    fn may(self, key: &KeyPath, change: &SettingChange) -> Result<(), Box<Diagnostic>> {
        let refused = |diagnostic: Diagnostic| Err(Box::new(diagnostic));
        if key.keys().is_empty() {
            return refused(Diagnostic::error(SHAPE_INVALID, "no setting is named"));
        }
        if key.keys().len() > DEEPEST {
            let message = format!("settings must not nest deeper than {DEEPEST} levels");
            return refused(Diagnostic::error(SHAPE_INVALID, message));
        }
        let sets = matches!(change, SettingChange::Set(_));
        if self.scope == Scope::Project && sets && !project_may(key) {
            let message = format!("a project cannot set `{}`", shown(&key.to_string()));
            let diagnostic = Diagnostic::error(DiagnosticCode::SettingsIgnored, message);
            return refused(diagnostic.help("set it in your own settings, or for one call"));
        }
        Ok(())
    }

    /// Validates the text after an edit.
    fn checked(
        self,
        before: &str,
        after: String,
        key: &KeyPath,
        value: &Value,
    ) -> Result<String, Box<Diagnostic>> {
        let by = SetBy::from(self.scope);
        let (_, old) = read_with_diagnostics(by, self.path, before);
        let (stands, new) = read_with_diagnostics(by, self.path, &after);
        let counts =
            stands.is_some_and(|root| root.at(key.keys()).is_some_and(|node| node.to_value() == *value));
        let is_known = |diagnostic: &Diagnostic| {
            old.iter().any(|old| (&old.code, &old.message) == (&diagnostic.code, &diagnostic.message))
        };
        match new.into_iter().find(|diagnostic| !is_known(diagnostic)) {
            Some(diagnostic) => Err(Box::new(diagnostic)),
            None if counts => Ok(after),
            None => {
                let message = format!("`{}` cannot have this value", shown(&key.to_string()));
                let place = Place::file(Some(self.scope), self.path);
                Err(Box::new(Diagnostic::error(SHAPE_INVALID, message).at(place)))
            }
        }
    }

    fn edited(
        self,
        text: &str,
        key: &KeyPath,
        change: &SettingChange,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        // The byte order mark stays.
        let (mark, json) = match text.strip_prefix('\u{feff}') {
            Some(json) => (&text[..text.len() - json.len()], json),
            None => ("", text),
        };
        // `read` is stricter than the options of the tree.
        let tree = read(json).and_then(|_| Ok(CstRootNode::parse(json, &ParseOptions::default())?)).ok();
        let root = tree.as_ref().and_then(|tree| match change {
            SettingChange::Set(_) => tree.object_value_or_create(),
            SettingChange::Unset => tree.object_value(),
        });
        let Some((tree, root)) = tree.zip(root) else {
            return Err(self.unreadable_error(
                parse_file(SetBy::from(self.scope), self.path, text.as_bytes(), &[]).1.into_iter().next(),
            ));
        };
        let json = match change {
            SettingChange::Set(value) => self.set(&tree, mark.len(), root, key, value)?,
            SettingChange::Unset => unset(root, key).then(|| tree.to_string()),
        };
        Ok(json.map(|json| format!("{mark}{json}")))
    }

    fn set(
        self,
        tree: &CstRootNode,
        start: usize,
        mut object: CstObject,
        key: &KeyPath,
        value: &Value,
    ) -> Result<Option<String>, Box<Diagnostic>> {
        for (at, name) in key.keys().iter().enumerate() {
            let below = &key.keys()[at + 1..];
            let member = named(&object, name).pop();
            let Some((old, member)) = member.and_then(|member| member.value().zip(Some(member))) else {
                let value = below.iter().rev().fold(value.clone(), |value, key| {
                    Value::Object(std::iter::once((key.clone(), value)).collect())
                });
                object.append(name, input(&value));
                return Ok(Some(tree.to_string()));
            };
            if below.is_empty() {
                if plain(&old.to_string()).as_ref() == Some(value) {
                    return Ok(None);
                }
                member.set_value(input(value));
                return Ok(Some(tree.to_string()));
            }
            object = old.as_object().ok_or_else(|| {
                let way: KeyPath = key.keys()[..=at].iter().map(String::as_str).collect();
                self.no_object(&tree.to_string(), start, &way, key, &old)
            })?;
        }
        Ok(None)
    }

    fn no_object(
        self,
        json: &str,
        start: usize,
        way: &KeyPath,
        key: &KeyPath,
        value: &CstNode,
    ) -> Box<Diagnostic> {
        let (way, key) = (shown(&way.to_string()), shown(&key.to_string()));
        let span = span(value);
        let mut place = Place::within(Some(self.scope), self.path, json, span.clone());
        place.span = Some(span.start + start..span.end + start);
        // The line may contain a secret.
        place.excerpt = None;
        let line = place.line.unwrap_or(1);
        let what = json_type(&plain(&value.to_string()).unwrap_or_default());
        let message = format!("`{way}` is {what} on line {line}, so `{key}` cannot be below it");
        let diagnostic = Diagnostic::error(SHAPE_INVALID, message).at(place);
        Box::new(diagnostic.help(format!("unset `{way}` first, or set it as a whole")))
    }

    fn unreadable_error(self, diagnostic: Option<Diagnostic>) -> Box<Diagnostic> {
        let diagnostic =
            diagnostic.unwrap_or_else(|| Diagnostic::error(SHAPE_INVALID, "settings must be a JSON object"));
        let message = diagnostic.message.replace("; this file is left out", "; nothing was changed");
        let diagnostic = Diagnostic { message, ..diagnostic };
        Box::new(diagnostic.help(Remedy::command("mend the file, then check it", "doctor")))
    }
}

/// Returns the valid settings of a text, and the diagnostics about the others.
fn read_with_diagnostics(
    by: SetBy,
    path: &str,
    text: &str,
) -> (Option<super::node::SettingsNode>, Diagnostics) {
    let (layer, mut diagnostics) = parse_file(by, path, text.as_bytes(), &[]);
    let root = layer.map(|layer| {
        let root = layer.root.clone();
        let _ = merge(vec![layer], &mut diagnostics);
        root
    });
    diagnostics.retain(|diagnostic| {
        (diagnostic.severity == Severity::Error || diagnostic.code == DiagnosticCode::ConfigSchemaViolation)
            && diagnostic.code != DiagnosticCode::SettingsMoreNotes
    });
    (root, diagnostics)
}

/// Parses a value.
fn plain(json: &str) -> Option<Value> {
    Some(parse_value(json, 0, &Arc::new(SettingsSource::empty())).ok()?.to_value())
}

/// Returns the members of a name. The last one is in effect.
fn named(object: &CstObject, name: &str) -> Vec<CstObjectProp> {
    let mut members = object.properties();
    members.retain(|member| member.decoded_name().as_deref() == Some(name));
    members
}

/// Returns the range of the text that a node covers.
fn span(node: &CstNode) -> Range<usize> {
    let above = node.parent().map_or(0, |parent| span(&parent.into()).start);
    let before: usize = node.previous_siblings().map(|node| node.to_string().len()).sum();
    let start = above + before;
    start..start + node.to_string().len()
}

/// Converts a value for the tree.
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(flag) => CstInputValue::Bool(*flag),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(map) => {
            CstInputValue::Object(map.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

/// Removes a member, and the objects around it that hold nothing else. Returns false if there is no such member.
fn unset(root: CstObject, key: &KeyPath) -> bool {
    let mut chain = vec![root];
    let Some((name, above)) = key.keys().split_last() else { return false };
    for key in above {
        match chain.last().and_then(|object| named(object, key).pop()?.object_value()) {
            Some(inner) => chain.push(inner),
            None => return false,
        }
    }
    let mut name = name.as_str();
    let Some(mut object) = chain.pop().filter(|object| !named(object, name).is_empty()) else {
        return false;
    };
    // Without this object, an earlier duplicate of its key would be in effect again.
    while let Some(parent) = chain.last()
        && let holder = &above[chain.len() - 1]
        && named(&object, name).len() == object.properties().len()
        && !comments_beside(&object)
        && named(parent, holder).len() == 1
    {
        object = parent.clone();
        name = holder;
        chain.pop();
    }
    named(&object, name).into_iter().for_each(CstObjectProp::remove);
    true
}

/// Returns true if an object has a comment outside of its members' values.
fn comments_beside(object: &CstObject) -> bool {
    let mut nodes = object.properties().into_iter().flat_map(|member| member.children());
    nodes.any(|node| node.is_comment()) || object.children().iter().any(CstNode::is_comment)
}
