//! What a layer says and may not say: a project's reach (`security.md` §3), and bad values that fall back.

use super::{
    check::fault,
    node::{Node, Table, Tree},
    notes::{Notes, shown},
    parse::LayerSettings,
    schema::{Field, Project, SYSTEM_PROMPT_FILE, Shape, TOP},
    set_by::SetBy,
};
use crate::{
    diagnostic::{Diagnostic, Severity},
    suggestion::did_you_mean,
};
use std::collections::BTreeMap;

const IGNORED: &str = "settings/ignored";
const LOOSENED: &str = "settings/loosened";
const CONFIG_SCHEMA_VIOLATION: &str = "Validation/ConfigSchemaViolation";

/// The paths of one layer that do not count. A path with nothing below it is refused whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Refusals(BTreeMap<String, Refusals>);

impl Refusals {
    pub(super) fn add(&mut self, path: &[&str]) {
        if self.covers(path) {
            return;
        }
        let mut at = self;
        for key in path {
            at = at.0.entry((*key).to_owned()).or_default();
        }
        at.0.clear();
    }

    /// Tells whether the value at a path is refused, or stands in one that is.
    pub(super) fn covers<S: AsRef<str>>(&self, path: &[S]) -> bool {
        let mut at = self;
        for key in path {
            match at.0.get(key.as_ref()) {
                Some(below) if below.0.is_empty() => return true,
                Some(below) => at = below,
                None => return false,
            }
        }
        false
    }

    /// Returns the value without what is refused. A table that had nothing else goes with it.
    pub(super) fn without(&self, node: Node) -> Node {
        if self.0.is_empty() {
            return node;
        }
        let Node { source, key_span, span, tree } = node;
        let tree = match tree {
            Tree::Table(table) => Tree::Table(
                table
                    .into_iter()
                    .filter_map(|(key, node)| match self.0.get(&key) {
                        None => Some((key, node)),
                        Some(below) if below.0.is_empty() => None,
                        Some(below) => {
                            let had_values =
                                node.as_table().is_some_and(|table| table.iter().next().is_some());
                            let left = below.without(node);
                            let is_empty = left.as_table().is_some_and(|table| table.iter().next().is_none());
                            (!(had_values && is_empty)).then_some((key, left))
                        }
                    })
                    .collect::<Table>(),
            ),
            other => other,
        };
        Node { source, key_span, span, tree }
    }
}

/// What the layers below the one at hand left standing.
#[derive(Default)]
pub(super) struct Standing {
    mode: Option<String>,
    allowed: Vec<String>,
    fields: BTreeMap<String, SetBy>,
}

/// Says what of a layer does not count. Layers come weakest first, with the same `standing`.
pub(super) fn refuse(layer: &LayerSettings, standing: &mut Standing, notes: &mut Notes) -> Refusals {
    let mut refusals = Refusals::default();
    if layer.by() == SetBy::Project {
        refuse_own_keys(&layer.root, &mut refusals, notes);
    }
    weigh_security(layer, standing, &mut refusals, notes);
    let entry = ["contextProviders", "SystemPromptFile"];
    if layer.root.at(&entry[..1]).is_some_and(|all| all.tree == Tree::Null) && !refusals.covers(&entry) {
        standing.fields.clear();
    }
    if let Some(node) = layer.root.at(&entry) {
        check_fields(node, &entry, SYSTEM_PROMPT_FILE, &mut String::new(), standing, &mut refusals, notes);
    }
    prefer_text(&layer.root, &mut refusals, notes);
    refusals
}

/// A project adds text and data; how preface works is for the user to say.
fn refuse_own_keys(root: &Node, refusals: &mut Refusals, notes: &mut Notes) {
    for field in TOP.iter().filter(|field| field.project == Project::MayNot) {
        if let Some(node) = root.at(&[field.name]) {
            refusals.add(&[field.name]);
            notes.add(Severity::Warning, || {
                Diagnostic::warning(IGNORED, format!("a project cannot set `{}`; it is ignored", field.name))
                    .at(node.key_place())
                    .help("set it in your own settings, or for one call with `--set`")
            });
        }
    }
    let path = ["contextProviders", "SystemPromptFile", "paths", "global"];
    if let Some(node) = root.at(&path) {
        refusals.add(&path);
        notes.add(Severity::Warning, || {
            Diagnostic::warning(IGNORED, "a project cannot set `paths.global`; it is ignored")
                .at(node.key_place())
        });
    }
    // It would take the user's `paths.global` away.
    if let Some(node) = root.at(&["contextProviders"])
        && node.tree == Tree::Null
    {
        refusals.add(&["contextProviders"]);
        notes.add(Severity::Warning, || {
            let message = "a project cannot clear `contextProviders`; it is ignored";
            Diagnostic::warning(IGNORED, message)
                .at(node.place())
                .help("disable a context provider by name: `{\"disable\": true}`")
        });
    }
}

/// How little stands between a tool and its effect. The order is the meaning.
fn looseness(mode: &str) -> usize {
    ["ask", "allowlist", "yolo"].iter().position(|known| *known == mode).unwrap_or(0)
}

/// A project's mode may tighten and never loosen; what it adds to the allowlist is told.
fn weigh_security(
    layer: &LayerSettings,
    standing: &mut Standing,
    refusals: &mut Refusals,
    notes: &mut Notes,
) {
    let Some(security) = layer.root.at(&["securityMode"]) else { return };
    let project = layer.by() == SetBy::Project;
    match (&security.tree, security.at(&["mode"])) {
        (_, Some(node)) => {
            let below = standing.mode.as_deref().unwrap_or("ask");
            let wanted = node.as_text().unwrap_or("ask");
            if project && looseness(wanted) > looseness(below) {
                refusals.add(&["securityMode", "mode"]);
                notes.add(Severity::Warning, || {
                    let message = format!(
                        "a project cannot loosen `securityMode.mode` from `{}` to `{}`; `{}` stays",
                        below, wanted, below
                    );
                    Diagnostic::warning(IGNORED, message).at(node.place())
                });
            } else {
                standing.mode = node.as_text().map(str::to_owned);
            }
        }
        (Tree::Null, None) => (standing.mode, standing.allowed) = (None, Vec::new()),
        _ => {}
    }
    let Some(list) = security.at(&["allowlist"]) else { return };
    let Tree::List(items) = &list.tree else {
        standing.allowed.clear();
        return;
    };
    let mut added: Vec<&str> = Vec::new();
    for item in items.iter().filter_map(Node::as_text) {
        if standing.allowed.binary_search_by(|known| known.as_str().cmp(item)).is_err() {
            added.push(item);
        }
    }
    if project && !added.is_empty() {
        notes.add(Severity::Warning, || {
            let mut names: Vec<String> =
                added.iter().take(10).map(|item| format!("`{}`", shown(item))).collect();
            if added.len() > names.len() {
                names.push(format!("and {} more", added.len() - names.len()));
            }
            let message = format!("the project adds to `securityMode.allowlist`: {}", names.join(", "));
            Diagnostic::warning(LOOSENED, message).at(list.place())
        });
    }
    standing.allowed.extend(added.into_iter().map(str::to_owned));
    standing.allowed.sort_unstable();
    standing.allowed.dedup();
}

/// Checks each field of an extension of ours; a bad one is refused, so that the next lower valid one counts.
fn check_fields(
    node: &Node,
    path: &[&str],
    fields: &'static [Field],
    pointer: &mut String,
    standing: &mut Standing,
    refusals: &mut Refusals,
    notes: &mut Notes,
) {
    let Tree::Table(table) = &node.tree else {
        refusals.add(path);
        notes.add(Severity::Warning, || violation(node, pointer, "must be an object, not null", standing));
        return;
    };
    standing.fields.insert(pointer.clone(), node.by());
    for (key, value) in table.iter() {
        let mut below = path.to_vec();
        below.push(key);
        if refusals.covers(&below) || pointer.is_empty() && key == "disable" {
            continue;
        }
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        match fields.iter().find(|field| field.name == key).map(|field| field.shape) {
            None => {
                refusals.add(&below);
                notes.add(Severity::Error, || unknown_field(key, value, pointer, fields));
            }
            Some(Shape::Record(fields, _)) if value.as_table().is_some() => {
                check_fields(value, &below, fields, pointer, standing, refusals, notes);
            }
            Some(shape) => {
                let fault = match (&value.tree, shape) {
                    // For an extension `null` is a value like any other, and none that its schema knows.
                    (Tree::Null, _) => Some(format!("must be {}, not null", shape.expected())),
                    _ => fault(value, shape),
                };
                match fault {
                    Some(fault) => {
                        refusals.add(&below);
                        notes.add(Severity::Warning, || violation(value, pointer, &fault, standing));
                    }
                    None => {
                        standing.fields.insert(pointer.clone(), value.by());
                    }
                }
            }
        }
        pointer.truncate(length);
    }
}

fn violation(node: &Node, pointer: &str, fault: &str, standing: &Standing) -> Diagnostic {
    let below = standing.fields.get(pointer).copied().unwrap_or(SetBy::Bundled);
    let whose = match node.by() {
        SetBy::Caller => "value of `--set`".to_owned(),
        by => format!("{by}-scope override"),
    };
    let at = if pointer.is_empty() { "SystemPromptFile" } else { pointer };
    let message = format!("{whose} failed validation (`{at}` {fault}); retaining {below} value");
    Diagnostic::warning(CONFIG_SCHEMA_VIOLATION, message).at(node.place())
}

fn unknown_field(key: &str, node: &Node, pointer: &str, fields: &'static [Field]) -> Diagnostic {
    let message = format!("`SystemPromptFile` has no field `{}`; it is ignored", shown(pointer));
    let note = Diagnostic::error(CONFIG_SCHEMA_VIOLATION, message).at(node.key_place());
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    match did_you_mean(key, names.iter().copied()) {
        Some(near) => note.help(format!("did you mean `{near}`?")),
        None => note.help(format!("known here: `{}`", names.join("`, `"))),
    }
}

/// A section has a text or names a file. Where one layer gives both, the text counts.
fn prefer_text(root: &Node, refusals: &mut Refusals, notes: &mut Notes) {
    let Some(sections) = root.at(&["sections"]).and_then(Node::as_table) else { return };
    for (id, section) in sections.iter() {
        if let (Some(text), Some(file)) = (section.at(&["text"]), section.at(&["file"]))
            && text.as_text().is_some()
            && file.as_text().is_some()
        {
            refusals.add(&["sections", id, "file"]);
            notes.add(Severity::Warning, || {
                let message = format!("section `{}` has both `text` and `file`; the text counts", shown(id));
                Diagnostic::warning("settings/text-and-file", message).at(file.key_place())
            });
        }
    }
}
