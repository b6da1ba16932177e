//! Sets and unsets one value in the text of a settings file and leaves every other byte as it is.
//!
//! The edit works on byte ranges of the parsed text: a value is replaced in its place, a new member is put after the last
//! one in the style of its neighbours, a member goes with its comma and, where nothing else stands there, its line.
//! Comments that are not inside a replaced or removed value stay, also those about a member that is gone.
//!
//! Nothing is written that the reader would refuse: the new text passes [`parse`](super::parse) first.

use super::{
    check::SHAPE_INVALID,
    key_path::KeyPath,
    layout::{Layout, gap, has_comment, line_start, own_line},
    merge::merge,
    notes::shown,
    parse::{DEEPEST, Dialect, parse, parse_text, parse_value, read},
    schema::{Project, project_may},
    set_by::SetBy,
    source::SettingsSource,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, Place, Severity},
    scope::Scope,
};
use jsonc_parser::{
    ast::{Object, ObjectProp, Value as Ast},
    common::Ranged,
};
use serde_json::Value;
use std::{fmt, ops::Range, sync::Arc};

/// What is to become of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// It gets this value. Missing objects above it are created.
    Set(Value),
    /// It goes, every duplicate of its key too. An object that is empty then goes with it, unless a comment stands in it.
    Unset,
}

/// Why a settings file was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The file does not parse, so nothing in it can be found.
    Unreadable(Box<Diagnostic>),
    /// Something that is no object stands on the way to the setting.
    NoObject(Box<Diagnostic>),
    /// The file would say something that the reader refuses.
    Refused(Box<Diagnostic>),
}

impl EditError {
    /// Returns what happened, where, and what to do about it.
    #[must_use]
    pub fn note(&self) -> &Diagnostic {
        match self {
            EditError::Unreadable(note) | EditError::NoObject(note) | EditError::Refused(note) => note,
        }
    }
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.note().message)
    }
}

impl std::error::Error for EditError {}

/// Returns the text of a settings file after a change; `None` where it says so already. A file that is not there
/// (`before` is `None`) becomes one.
///
/// Of equal keys the last one is changed, since it is the one that counts.
///
/// ```
/// use preface_core::{scope::Scope, settings::{edit, Change}};
/// let before = b"{\n  // mine\n  \"preset\": \"stud\" // for now\n}\n";
/// let key = "budget.tokens".parse()?;
/// let text = edit(Scope::Global, "settings.json", Some(before), &key, &Change::Set(9000.into()))?;
/// assert_eq!(
///     text.unwrap(),
///     "{\n  // mine\n  \"preset\": \"stud\", // for now\n  \"budget\": {\n    \"tokens\": 9000\n  }\n}\n",
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Every [`EditError`].
pub fn edit(
    scope: Scope,
    path_for_people: &str,
    before: Option<&[u8]>,
    key: &KeyPath,
    change: &Change,
) -> Result<Option<String>, EditError> {
    let file = File { scope, path: path_for_people };
    // The same number is the same value, whatever way it is written.
    let change = &match change {
        Change::Set(value) => Change::Set(plain(&value.to_string()).unwrap_or_else(|| value.clone())),
        Change::Unset => Change::Unset,
    };
    file.may(key, change)?;
    let Some(bytes) = before else {
        let Change::Set(value) = change else { return Ok(None) };
        return file.checked("{}\n", key, value, |text| file.edited(text, key, change));
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        let note = parse(scope, path_for_people, bytes).1.into_iter().next();
        return Err(file.unreadable(note));
    };
    match change {
        Change::Set(value) => file.checked(text, key, value, |text| file.edited(text, key, change)),
        Change::Unset => file.edited(text, key, change),
    }
}

/// Which file is edited.
#[derive(Clone, Copy)]
struct File<'a> {
    scope: Scope,
    path: &'a str,
}

impl File<'_> {
    /// Refuses what no file of this scope can say.
    fn may(self, key: &KeyPath, change: &Change) -> Result<(), EditError> {
        let refused = |note: Diagnostic| Err(EditError::Refused(Box::new(note)));
        if key.keys().is_empty() {
            return refused(Diagnostic::error(SHAPE_INVALID, "no setting is named"));
        }
        if key.keys().len() > DEEPEST {
            let message = format!("settings must not nest deeper than {DEEPEST} levels");
            return refused(Diagnostic::error(SHAPE_INVALID, message));
        }
        let sets = matches!(change, Change::Set(_));
        if self.scope == Scope::Project && sets && project_may(key) == Project::MayNot {
            let message = format!("a project cannot set `{}`", shown(&key.to_string()));
            let note = Diagnostic::error("settings/ignored", message);
            return refused(note.help("set it in your own settings, or for one call with `--set`"));
        }
        Ok(())
    }

    /// Edits and asks the reader what it makes of the new text.
    fn checked(
        self,
        before: &str,
        key: &KeyPath,
        value: &Value,
        edited: impl FnOnce(&str) -> Result<Option<String>, EditError>,
    ) -> Result<Option<String>, EditError> {
        let Some(after) = edited(before)? else { return Ok(None) };
        let by = SetBy::from(self.scope);
        let (_, old) = faults(by, self.path, before);
        let (stands, new) = faults(by, self.path, &after);
        let counts =
            stands.is_some_and(|root| root.at(key.keys()).is_some_and(|node| node.to_value() == *value));
        let said = |note: &Diagnostic| {
            old.iter().any(|old| (&old.code, &old.message) == (&note.code, &note.message))
        };
        match new.into_iter().find(|note| !said(note)) {
            Some(note) => Err(EditError::Refused(Box::new(note))),
            None if counts => Ok(Some(after)),
            None => {
                let message = format!("`{}` cannot have this value", shown(&key.to_string()));
                Err(EditError::Refused(Box::new(Diagnostic::error(SHAPE_INVALID, message).at(self.whole()))))
            }
        }
    }

    fn edited(self, text: &str, key: &KeyPath, change: &Change) -> Result<Option<String>, EditError> {
        // The byte order mark stays where it is.
        let (mark, json) = match text.strip_prefix('\u{feff}') {
            Some(json) => (&text[..text.len() - json.len()], json),
            None => ("", text),
        };
        let root = match read(json, Dialect::Commented) {
            Ok(Some(Ast::Object(root))) => root,
            Ok(None) if matches!(change, Change::Set(_)) => {
                // Nothing, or nothing but comments: the object comes after them.
                let line_end = if json.is_empty() || json.ends_with('\n') { "" } else { "\n" };
                return self.edited(&format!("{text}{line_end}{{}}\n"), key, change);
            }
            _ => {
                return Err(self
                    .unreadable(parse_text(SetBy::from(self.scope), self.path, text).1.into_iter().next()));
            }
        };
        let patches = match change {
            Change::Set(value) => self.set(json, mark.len(), &root, key, value)?,
            Change::Unset => unset(json, &root, key),
        };
        Ok((!patches.is_empty()).then(|| format!("{mark}{}", patched(json, patches))))
    }

    fn set(
        self,
        json: &str,
        start: usize,
        root: &Object<'_>,
        key: &KeyPath,
        value: &Value,
    ) -> Result<Vec<Patch>, EditError> {
        let layout = Layout::of(json, root);
        let mut object = root;
        let mut holder: Option<&ObjectProp<'_>> = None;
        for (at, name) in key.keys().iter().enumerate() {
            let below = &key.keys()[at + 1..];
            let Some(member) = last(object, name) else {
                let value = below.iter().rev().fold(value.clone(), |value, key| {
                    Value::Object(std::iter::once((key.clone(), value)).collect())
                });
                return Ok(insert(json, &layout, object, holder, name, &value));
            };
            match &member.value {
                there if below.is_empty() => {
                    let span = there.start()..there.end();
                    if plain(&json[span.clone()]).as_ref() == Some(value) {
                        return Ok(Vec::new());
                    }
                    let text = match own_line(json, member.start()) {
                        Some(indent) => layout.block(value, indent),
                        None => layout.inline(value),
                    };
                    return Ok(vec![Patch { span, text }]);
                }
                Ast::Object(inner) => {
                    holder = Some(member);
                    object = inner;
                }
                other => {
                    let way: KeyPath = key.keys()[..=at].iter().map(String::as_str).collect();
                    return Err(self.no_object(json, start, &way, key, other));
                }
            }
        }
        Ok(Vec::new())
    }

    fn no_object(self, json: &str, start: usize, way: &KeyPath, key: &KeyPath, value: &Ast<'_>) -> EditError {
        let (way, key) = (shown(&way.to_string()), shown(&key.to_string()));
        let mut place = Place::within(Some(self.scope), self.path, json, value.start()..value.end());
        place.span = Some(value.start() + start..value.end() + start);
        // The line may hold a secret.
        place.excerpt = None;
        let line = place.line.unwrap_or(1);
        let what = match value {
            Ast::NullKeyword(_) => "null",
            Ast::BooleanLit(_) => "a flag",
            Ast::StringLit(_) => "a string",
            Ast::NumberLit(_) => "a number",
            Ast::Array(_) => "an array",
            Ast::Object(_) => "an object",
        };
        let message = format!("`{way}` is {what} on line {line}, so `{key}` cannot stand below it");
        let note = Diagnostic::error(SHAPE_INVALID, message).at(place);
        EditError::NoObject(Box::new(note.help(format!("unset `{way}` first, or set it as a whole"))))
    }

    fn unreadable(self, note: Option<Diagnostic>) -> EditError {
        let note = note.unwrap_or_else(|| Diagnostic::error(SHAPE_INVALID, "settings must be a JSON object"));
        let message = note.message.replace("; this file is left out", "; nothing was changed");
        let note = Diagnostic { message, ..note };
        EditError::Unreadable(Box::new(note.help("`preface settings edit` opens the file and checks it")))
    }

    fn whole(self) -> Place {
        Place::file(Some(self.scope), self.path)
    }
}

/// What the reader makes of a text: the settings that count, and what it holds against the rest.
fn faults(by: SetBy, path: &str, text: &str) -> (Option<super::node::Node>, Diagnostics) {
    let (layer, mut notes) = parse_text(by, path, text);
    let root = layer.map(|layer| {
        let root = layer.root.clone();
        let _ = merge(vec![layer], &mut notes);
        root
    });
    notes.retain(|note| {
        (note.severity == Severity::Error || note.code == "Validation/ConfigSchemaViolation")
            && note.code != "settings/more-notes"
    });
    (root, notes)
}

/// A range of the text and what takes its place.
struct Patch {
    span: Range<usize>,
    text: String,
}

impl Patch {
    fn insert(at: usize, text: impl Into<String>) -> Self {
        Patch { span: at..at, text: text.into() }
    }

    fn remove(span: Range<usize>) -> Self {
        Patch { span, text: String::new() }
    }
}

/// Applies patches. Those at one place keep their order; two removals may share the blanks between them.
fn patched(json: &str, mut patches: Vec<Patch>) -> String {
    patches.sort_by_key(|patch| patch.span.start);
    let mut text = String::with_capacity(json.len() + 64);
    let mut at = 0;
    for patch in patches {
        text.push_str(&json[at..patch.span.start.max(at)]);
        text.push_str(&patch.text);
        at = patch.span.end.max(at);
    }
    text.push_str(&json[at..]);
    text
}

/// Returns the member that counts.
fn last<'o, 't>(object: &'o Object<'t>, name: &str) -> Option<&'o ObjectProp<'t>> {
    object.properties.iter().rev().find(|member| member.name.as_str() == name)
}

/// Reads a value by itself.
fn plain(json: &str) -> Option<Value> {
    Some(parse_value(json, 0, &Arc::new(SettingsSource::nothing())).ok()?.to_value())
}

/// Puts a new member at the end of an object. `holder` is the member that the object is the value of.
fn insert(
    json: &str,
    layout: &Layout,
    object: &Object<'_>,
    holder: Option<&ObjectProp<'_>>,
    name: &str,
    value: &Value,
) -> Vec<Patch> {
    let (open, close) = (object.start() + 1, object.end() - 1);
    if let Some(before) = object.properties.last() {
        let end = before.value.end();
        let gap = gap(json, end, close);
        // A comment before the last member does not make the object one of a single line.
        let indent = object.properties.iter().rev().find_map(|member| own_line(json, member.start()));
        return match (indent, gap.comma) {
            (Some(indent), comma) => {
                let member = layout.member(name, &layout.block(value, indent));
                let newline = layout.newline;
                match comma {
                    Some(_) => vec![Patch::insert(gap.tail, format!("{newline}{indent}{member},"))],
                    None => vec![
                        Patch::insert(end, ","),
                        Patch::insert(gap.tail, format!("{newline}{indent}{member}")),
                    ],
                }
            }
            (None, Some(comma)) => {
                let member = layout.member(name, &layout.inline(value));
                vec![Patch::insert(comma + 1, format!(" {member},"))]
            }
            (None, None) => {
                let member = layout.member(name, &layout.inline(value));
                vec![Patch::insert(end, format!(", {member}"))]
            }
        };
    }
    let newline = layout.newline;
    if !has_comment(json, open, close) {
        let base = match holder {
            None => Some(own_line(json, object.start()).unwrap_or_default()),
            Some(holder) => own_line(json, holder.start()),
        };
        let text = match base {
            Some(base) => {
                let indent = format!("{base}{}", layout.unit);
                let member = layout.member(name, &layout.block(value, &indent));
                format!("{newline}{indent}{member}{newline}{base}")
            }
            None => layout.member(name, &layout.inline(value)),
        };
        return vec![Patch { span: open..close, text }];
    }
    match own_line(json, close) {
        Some(base) if line_start(json, close) >= open => {
            let indent = format!("{base}{}", layout.unit);
            let member = layout.member(name, &layout.block(value, &indent));
            vec![Patch::insert(line_start(json, close), format!("{indent}{member}{newline}"))]
        }
        // The last comment is one that ends before the brace.
        _ => {
            let at = open + json[open..close].trim_end().len();
            vec![Patch::insert(at, format!(" {}", layout.member(name, &layout.inline(value))))]
        }
    }
}

/// Takes a member out, and the objects around it that hold nothing else.
fn unset(json: &str, root: &Object<'_>, key: &KeyPath) -> Vec<Patch> {
    let mut chain: Vec<&Object<'_>> = vec![root];
    let Some((name, above)) = key.keys().split_last() else { return Vec::new() };
    for key in above {
        match chain.last().and_then(|object| last(object, key)).map(|member| &member.value) {
            Some(Ast::Object(inner)) => chain.push(inner),
            _ => return Vec::new(),
        }
    }
    let mut name = name.as_str();
    let Some(mut object) = chain.pop().filter(|object| last(object, name).is_some()) else {
        return Vec::new();
    };
    // An earlier duplicate of the object's own key would speak again, were this one gone.
    while let Some(parent) = chain.last()
        && let holder = &above[chain.len() - 1]
        && object.properties.iter().all(|member| member.name.as_str() == name)
        && !comments_beside(json, object)
        && parent.properties.iter().filter(|member| member.name.as_str() == holder).count() == 1
    {
        object = parent;
        name = holder;
        chain.pop();
    }
    remove(json, object, name)
}

/// True where a comment stands in an object, but in none of its values.
fn comments_beside(json: &str, object: &Object<'_>) -> bool {
    let starts = object.properties.iter().map(|member| member.start()).chain([object.end() - 1]);
    let ends =
        [object.start() + 1].into_iter().chain(object.properties.iter().map(|member| member.value.end()));
    let between_colons = object.properties.iter().any(|member| {
        let (from, to) = (member.name.end(), member.value.start());
        has_comment(json, from, to)
    });
    between_colons || ends.zip(starts).any(|(end, start)| has_comment(json, end, start))
}

/// Takes all members of a name out of an object, each with one comma.
fn remove(json: &str, object: &Object<'_>, name: &str) -> Vec<Patch> {
    let close = object.end() - 1;
    let goes = |member: &&ObjectProp<'_>| member.name.as_str() == name;
    let gap_after = |at: usize| {
        let next = object.properties.get(at + 1).map_or(close, |next| next.start());
        gap(json, object.properties[at].value.end(), next)
    };
    let mut patches = Vec::new();
    let mut kept = None;
    let mut last_comma = true;
    for (at, member) in object.properties.iter().enumerate() {
        let gap = gap_after(at);
        if !goes(&member) {
            kept = Some(at);
            continue;
        }
        last_comma = at + 1 < object.properties.len() || gap.comma.is_some();
        take_out(json, member, gap.comma, &mut patches);
    }
    // The last member is gone and had no comma: neither has the one that is last now.
    if !last_comma && let Some(comma) = kept.and_then(|at| gap_after(at).comma) {
        patches.push(Patch::remove(comma..comma + 1));
    }
    patches
}

fn take_out(json: &str, member: &ObjectProp<'_>, comma: Option<usize>, patches: &mut Vec<Patch>) {
    let blank = |text: &str| text.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
    let (mut start, mut end) = (member.start(), member.value.end());
    // A comment between key and value is nobody's but the member's; one before the comma may be about anything.
    if let Some(comma) = comma {
        if json[end..comma].trim().is_empty() {
            end = comma + 1;
        } else {
            patches.push(Patch::remove(comma..comma + 1));
        }
    }
    let line_end = json[end..].find('\n').map_or(json.len(), |at| end + at);
    let after = &json[end..line_end];
    let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
    match own_line(json, start) {
        Some(_) if blank(after.trim_end_matches('\r')) && line_end < json.len() => {
            start = line_start(json, start);
            end = line_end + 1;
        }
        Some(_) => end += spaces,
        None if comma.is_some() && !after[spaces..].starts_with('/') => end += spaces,
        None if comma.is_none() => {
            start = json[..start].trim_end_matches([' ', '\t']).len();
        }
        None => {}
    }
    patches.push(Patch::remove(start..end));
}
