//! What the layers say together: a fold from the weakest layer upward.

use super::{
    key_path::KeyPath,
    node::{Node, Table, Tree},
    notes::{Notes, shown},
    parse::{LayerSettings, parse_text},
    refusal::{Refusals, Standing, refuse},
    schema::{Entries, Lists, ROOT, Shape},
    set_by::SetBy,
    set_value::SetValue,
    source::SettingsSource,
};
use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{collections::BTreeSet, sync::Arc};

/// The settings of all layers as one, each value with its origin.
///
/// In JSON it is the list of its layers' texts, with secrets replaced by asterisks; reading it back merges again.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    pub(super) layers: Vec<Layer>,
    pub(super) root: Node,
}

/// A layer and what of it does not count.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Layer {
    pub(super) settings: LayerSettings,
    pub(super) refusals: Refusals,
}

/// Folds layers into one, the weakest first whatever their order in the list.
///
/// Objects merge deeply and keep the order in which keys were first seen; scalars and arrays of later layers replace;
/// `securityMode.allowlist` adds up; an entry of `providers` is replaced whole; `null` is a value. What a layer may not
/// set, and values of `contextProviders.SystemPromptFile` that are no good, do not take part, each with a note.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse}};
/// let layer = |scope, json: &str| parse(scope, "settings.json", json.as_bytes()).0.unwrap();
/// let mut notes = Vec::new();
/// let merged = merge(
///     vec![
///         layer(Scope::Global, r#"{"logging": {"level": "info", "color": true}}"#),
///         layer(Scope::Project, r#"{"logging": {"level": "debug"}, "preset": "pi"}"#),
///     ],
///     &mut notes,
/// );
/// assert_eq!(merged.to_value().to_string(), r#"{"logging":{"level":"debug","color":true}}"#);
/// assert_eq!(notes[0].message, "a project cannot set `preset`; it is ignored");
/// ```
#[must_use]
pub fn merge(mut layers: Vec<LayerSettings>, diagnostics: &mut Diagnostics) -> Merged {
    layers.sort_by_key(LayerSettings::by);
    let mut standing = Standing::default();
    let mut root: Option<Node> = None;
    let mut judged = Vec::with_capacity(layers.len());
    for settings in layers {
        let mut notes = Notes::default();
        let refusals = refuse(&settings, &mut standing, &mut notes);
        let layer = Layer { settings, refusals };
        layer.lay_over(&mut root, &mut notes);
        diagnostics.extend(notes.finish(|| Place::file(layer.settings.by().scope(), layer.settings.path())));
        judged.push(layer);
    }
    Merged { layers: judged, root: finished(root) }
}

impl Layer {
    /// Puts what is used of the layer on top of the weaker ones.
    fn lay_over(&self, below: &mut Option<Node>, notes: &mut Notes) {
        let used = self.refusals.without(self.settings.root.clone());
        match below {
            None => *below = Some(used),
            Some(below) => overlay(below, used, ROOT, &mut KeyPath::default(), notes),
        }
    }
}

fn finished(root: Option<Node>) -> Node {
    let mut root = root.unwrap_or_else(|| Node {
        source: Arc::new(SettingsSource::nothing()),
        key_span: 0..0,
        span: 0..0,
        tree: Tree::Table(Table::default()),
    });
    settle_lists(&mut root, ROOT);
    root
}

/// Puts `over` on top of `base`.
pub(super) fn overlay(base: &mut Node, over: Node, shape: Shape, path: &mut KeyPath, notes: &mut Notes) {
    if base.as_table().is_some() != over.as_table().is_some() {
        notes.add(Severity::Warning, || clash(base, &over, path));
        *base = over;
        return;
    }
    let Node { source, key_span, span, tree } = over;
    match (&mut base.tree, tree) {
        (Tree::Table(below), Tree::Table(table)) => {
            let whole = matches!(shape, Shape::ById { entries: Entries::Whole, .. });
            for (key, node) in table.into_iter() {
                match below.get_mut(&key) {
                    // A directive replaces nothing.
                    Some(there) if !whole || is_directive(&node) && there.as_table().is_some() => {
                        let shape = shape.under(&key).unwrap_or(Shape::Any);
                        path.0.push(key);
                        overlay(there, node, shape, path, notes);
                        path.0.pop();
                    }
                    _ => {
                        below.put(key, node);
                    }
                }
            }
        }
        (Tree::List(below), Tree::List(items)) if matches!(shape, Shape::Texts(Lists::Append)) => {
            below.extend(items);
        }
        (below, tree) => *below = tree,
    }
    base.source = source;
    base.key_span = key_span;
    base.span = span;
}

/// Returns whether an entry does nothing but switch a name off or on.
fn is_directive(node: &Node) -> bool {
    node.as_table().is_some_and(|table| {
        let mut keys = table.iter().map(|(key, _)| key).peekable();
        keys.peek().is_some() && keys.all(|key| key == "disable")
    })
}

fn clash(was: &Node, now: &Node, path: &KeyPath) -> Diagnostic {
    let message = format!(
        "`{}` is {} here and {} in the {} settings; this one counts whole",
        shown(&path.to_string()),
        now.described(),
        was.described(),
        was.by(),
    );
    Diagnostic::warning("settings/shape-clash", message).at(now.place())
}

/// Keeps the first of equal items of additive lists, and drops the key of an empty one.
fn settle_lists(node: &mut Node, shape: Shape) {
    let Tree::Table(table) = &mut node.tree else { return };
    let settled = std::mem::take(table).into_iter().filter_map(|(key, mut node)| {
        let below = shape.under(&key).unwrap_or(Shape::Any);
        match below {
            Shape::Texts(Lists::Append) => {
                if let Tree::List(items) = &mut node.tree {
                    let mut seen = BTreeSet::new();
                    items.retain(|item| item.as_text().is_none_or(|text| seen.insert(text.to_owned())));
                    if items.is_empty() {
                        return None;
                    }
                }
            }
            Shape::Record(..) | Shape::Short { .. } => settle_lists(&mut node, below),
            _ => {}
        }
        Some((key, node))
    });
    *table = settled.collect();
}

impl Merged {
    /// Returns the value at a path.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::{merge, parse}};
    /// let layer = parse(Scope::Global, "settings.json", br#"{"budget": {"tokens": 9000}}"#).0.unwrap();
    /// let merged = merge(vec![layer], &mut Vec::new());
    /// let tokens = merged.get(&"budget.tokens".parse()?).unwrap();
    /// assert_eq!(tokens.to_value(), 9000);
    /// assert_eq!(merged.get(&"/budget/onOver".parse()?), None);
    /// # Ok::<(), preface_core::settings::KeyPathError>(())
    /// ```
    #[must_use]
    pub fn get(&self, path: &KeyPath) -> Option<&Node> {
        self.root.at(path.keys())
    }

    /// Returns the value at a path of plain keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        self.root.at(path)
    }

    /// Returns all settings as one object.
    #[must_use]
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// Returns all settings as plain JSON.
    #[must_use]
    pub fn to_value(&self) -> serde_json::Value {
        self.root.to_value()
    }

    /// Returns the settings without some values, each named by its layer and path.
    #[must_use]
    pub fn without<'p>(&self, values: impl IntoIterator<Item = (SetBy, &'p [String])>) -> Merged {
        let mut layers = self.layers.clone();
        for (by, path) in values {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            layers
                .iter_mut()
                .filter(|layer| layer.settings.by() == by)
                .for_each(|layer| layer.refusals.add(&path));
        }
        let mut root = None;
        layers.iter().for_each(|layer| layer.lay_over(&mut root, &mut Notes::default()));
        Merged { layers, root: finished(root) }
    }

    /// Merges again with another text in the place of one layer's.
    #[must_use]
    pub fn with_layer(&self, layer: LayerSettings, diagnostics: &mut Diagnostics) -> Merged {
        let others = self.layers.iter().map(|layer| &layer.settings);
        let others = others.filter(|other| other.by() != layer.by()).cloned();
        merge(others.chain([layer.clone()]).collect(), diagnostics)
    }

    /// Returns what one layer has at a path, unless it does not count there.
    #[must_use]
    pub fn at_layer(&self, by: SetBy, path: &[&str]) -> Option<&Node> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.settings.by() == by && !layer.refusals.covers(path))
            .find_map(|layer| layer.settings.root.at(path))
    }

    /// Returns what another program keeps under a key of one layer's file.
    #[must_use]
    pub fn foreign(&self, by: SetBy, key: &str) -> Option<&Node> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.settings.by() == by)
            .find_map(|layer| layer.settings.foreign.get(key))
    }
}

impl Default for Merged {
    fn default() -> Self {
        merge(Vec::new(), &mut Vec::new())
    }
}

/// One layer in JSON.
#[derive(Serialize, Deserialize)]
struct Written {
    by: SetBy,
    path: String,
    text: String,
}

impl Serialize for Merged {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct All {
            layers: Vec<Written>,
        }
        let layers = self.layers.iter().map(|layer| {
            let source = &layer.settings.source;
            Written { by: source.by, path: source.path.clone(), text: source.masked() }
        });
        All { layers: layers.collect() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Merged {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct All {
            layers: Vec<Written>,
        }
        let mut layers = Vec::new();
        for Written { by, path, text } in All::deserialize(from)?.layers {
            let settings = match by {
                SetBy::Caller => {
                    SetValue::parse(&text).map(SetValue::into_layer).map_err(|error| error.to_string())
                }
                _ => parse_text(by, &path, &text)
                    .0
                    .ok_or_else(|| format!("the settings of `{path}` do not parse")),
            };
            layers.push(settings.map_err(serde::de::Error::custom)?);
        }
        // The notes were given when the layers were first merged.
        Ok(merge(layers, &mut Vec::new()))
    }
}
