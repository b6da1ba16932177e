//! Merges the settings of all layers, from the weakest layer upward.

use super::{
    key_path::{KeyPath, SetValue},
    keys::SystemPromptFileSettings,
    node::{SettingsNode, SettingsSource, SettingsTable, SettingsTree},
    parse::{FileDiagnostics, LayerSettings, fault, parse_file, shown},
    schema::ValueShape,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    scope::Scope,
    suggestion::{quoted, suggest_or},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::{collections::BTreeSet, sync::Arc};

/// The settings of all layers as one, each value with its origin.
///
/// In JSON it is the list of its layers' texts, with secrets replaced by asterisks; deserializing merges them
/// again.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedSettings {
    pub(super) layers: Vec<FilteredLayer>,
    pub(super) root: SettingsNode,
}

/// A layer with the paths in it that are ignored.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FilteredLayer {
    pub(super) settings: LayerSettings,
    pub(super) refusals: RefusedPaths,
}

/// Merges layers into one, the weakest first whatever their order in the list.
///
/// Objects merge deeply and keep the order in which keys were first seen; scalars and arrays of later layers
/// replace; `securityMode.allowlist` is concatenated; an entry of `providers` is replaced as a whole; `null`
/// is a value. Values that a layer may not set, and invalid values of `contextProviders.SystemPromptFile`,
/// are left out, each with a diagnostic.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse}};
/// let layer = |scope, json: &str| parse(scope, "settings.json", json.as_bytes()).0.unwrap();
/// let mut diagnostics = Vec::new();
/// let merged = merge(
///     vec![
///         layer(Scope::Global, r#"{"logging": {"level": "info", "color": true}}"#),
///         layer(Scope::Project, r#"{"logging": {"level": "debug"}, "preset": "pi"}"#),
///     ],
///     &mut diagnostics,
/// );
/// assert_eq!(merged.to_value().to_string(), r#"{"logging":{"level":"debug","color":true}}"#);
/// assert_eq!(diagnostics[0].message, "a project cannot set `preset`; it is ignored");
/// ```
#[must_use]
pub fn merge(mut layers: Vec<LayerSettings>, diagnostics: &mut Diagnostics) -> MergedSettings {
    layers.sort_by_key(LayerSettings::by);
    let mut root: Option<SettingsNode> = None;
    let mut judged = Vec::with_capacity(layers.len());
    for settings in layers {
        let mut found = FileDiagnostics::default();
        let refusals = refuse(&settings, root.as_ref(), &mut found);
        let layer = FilteredLayer { settings, refusals };
        layer.lay_over(&mut root, &mut found);
        diagnostics.extend(found.finish(|| Place::file(layer.settings.by().scope(), layer.settings.path())));
        judged.push(layer);
    }
    MergedSettings { layers: judged, root: root_or_empty(root) }
}

impl FilteredLayer {
    /// Merges the used values of the layer over the weaker ones.
    fn lay_over(&self, below: &mut Option<SettingsNode>, diagnostics: &mut FileDiagnostics) {
        let used = self.refusals.without(self.settings.root.clone());
        match below {
            None => *below = Some(used),
            Some(below) => overlay(below, used, ValueShape::root(), &mut KeyPath::default(), diagnostics),
        }
    }
}

fn root_or_empty(root: Option<SettingsNode>) -> SettingsNode {
    let mut root = root.unwrap_or_else(|| SettingsNode {
        source: Arc::new(SettingsSource::empty()),
        key_span: 0..0,
        span: 0..0,
        tree: SettingsTree::Table(SettingsTable::default()),
    });
    settle_lists(&mut root, ValueShape::root());
    root
}

/// Merges `over` over `base`.
pub(super) fn overlay(
    base: &mut SettingsNode,
    over: SettingsNode,
    shape: ValueShape,
    path: &mut KeyPath,
    diagnostics: &mut FileDiagnostics,
) {
    if base.as_table().is_some() != over.as_table().is_some() {
        diagnostics.add(Severity::Warning, || clash(base, &over, path));
        *base = over;
        return;
    }
    let SettingsNode { source, key_span, span, tree } = over;
    match (&mut base.tree, tree) {
        (SettingsTree::Table(below), SettingsTree::Table(table)) => {
            let whole = shape.merge_rule() == Some("whole");
            for (key, node) in table.into_iter() {
                match below.get_mut(&key) {
                    // A directive replaces nothing.
                    Some(there) if !whole || is_directive(&node) && there.as_table().is_some() => {
                        let shape = shape.under(&key).unwrap_or(ValueShape::any());
                        path.0.push(key);
                        overlay(there, node, shape, path, diagnostics);
                        path.0.pop();
                    }
                    _ => {
                        below.insert(key, node);
                    }
                }
            }
        }
        (SettingsTree::List(below), SettingsTree::List(items)) if shape.merge_rule() == Some("append") => {
            below.extend(items);
        }
        (below, tree) => *below = tree,
    }
    base.source = source;
    base.key_span = key_span;
    base.span = span;
}

/// Returns true if an entry only disables or enables a name.
fn is_directive(node: &SettingsNode) -> bool {
    node.as_table().is_some_and(|table| {
        let mut keys = table.iter().map(|(key, _)| key).peekable();
        keys.peek().is_some() && keys.all(|key| key == "disable")
    })
}

fn clash(was: &SettingsNode, now: &SettingsNode, path: &KeyPath) -> Diagnostic {
    let message = format!(
        "`{}` is {} here and {} in the {} settings; this one counts whole",
        shown(&path.to_string()),
        now.described(),
        was.described(),
        was.by(),
    );
    Diagnostic::warning(DiagnosticCode::SettingsShapeClash, message).at(now.place())
}

/// Removes duplicate items of additive lists, and the key of an empty one.
fn settle_lists(node: &mut SettingsNode, shape: ValueShape) {
    let SettingsTree::Table(table) = &mut node.tree else { return };
    let settled = std::mem::take(table).into_iter().filter_map(|(key, mut node)| {
        let below = shape.under(&key).unwrap_or(ValueShape::any());
        if below.merge_rule() == Some("append")
            && let SettingsTree::List(items) = &mut node.tree
        {
            let mut seen = BTreeSet::new();
            items.retain(|item| item.as_text().is_none_or(|text| seen.insert(text.to_owned())));
            if items.is_empty() {
                return None;
            }
        }
        settle_lists(&mut node, below);
        Some((key, node))
    });
    *table = settled.collect();
}

impl MergedSettings {
    /// Returns the value at a path.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::{merge, parse}};
    /// let layer = parse(Scope::Global, "settings.json", br#"{"budget": {"tokens": 9000}}"#).0.unwrap();
    /// let merged = merge(vec![layer], &mut Vec::new());
    /// let tokens = merged.get(&"budget.tokens".parse()?).unwrap();
    /// assert_eq!(tokens.to_value(), 9000);
    /// assert_eq!(merged.get(&"/budget/onOver".parse()?), None);
    /// # Ok::<(), preface_core::input_error::InputError>(())
    /// ```
    #[must_use]
    pub fn get(&self, path: &KeyPath) -> Option<&SettingsNode> {
        self.root.at(path.keys())
    }

    /// Returns the value at a path of plain keys.
    #[must_use]
    pub fn at(&self, path: &[&str]) -> Option<&SettingsNode> {
        self.root.at(path)
    }

    /// Returns all settings as one object.
    #[must_use]
    pub fn root(&self) -> &SettingsNode {
        &self.root
    }

    /// Returns all settings as plain JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        self.root.to_value()
    }

    /// Returns the settings without some values, each identified by its layer and path.
    #[must_use]
    pub fn without<'p>(&self, values: impl IntoIterator<Item = (SetBy, &'p [String])>) -> MergedSettings {
        let mut layers = self.layers.clone();
        for (by, path) in values {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            layers
                .iter_mut()
                .filter(|layer| layer.settings.by() == by)
                .for_each(|layer| layer.refusals.add(&path));
        }
        let mut root = None;
        layers.iter().for_each(|layer| layer.lay_over(&mut root, &mut FileDiagnostics::default()));
        MergedSettings { layers, root: root_or_empty(root) }
    }

    /// Merges again with another text in place of one file's.
    #[must_use]
    pub fn with_layer(&self, layer: LayerSettings, diagnostics: &mut Diagnostics) -> MergedSettings {
        let others = self.layers.iter().map(|layer| &layer.settings);
        let others = others.filter(|other| other.by() != layer.by() || other.path() != layer.path()).cloned();
        merge(others.chain([layer.clone()]).collect(), diagnostics)
    }

    /// Returns the value of one layer at a path, unless it is ignored there.
    #[must_use]
    pub fn at_layer(&self, by: SetBy, path: &[&str]) -> Option<&SettingsNode> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.settings.by() == by && !layer.refusals.covers(path))
            .find_map(|layer| layer.settings.root.at(path))
    }

    /// Returns the value under a key that is no setting, of another program's file in one layer.
    #[must_use]
    pub fn foreign(&self, by: SetBy, key: &str) -> Option<&SettingsNode> {
        self.layers
            .iter()
            .rev()
            .filter(|layer| layer.settings.by() == by)
            .find_map(|layer| layer.settings.foreign.get(key))
    }
}

impl Default for MergedSettings {
    fn default() -> Self {
        merge(Vec::new(), &mut Vec::new())
    }
}

/// One layer in JSON.
#[derive(Serialize, Deserialize)]
struct LayerJson {
    by: SetBy,
    path: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct MergedSettingsJson {
    layers: Vec<LayerJson>,
}

impl Serialize for MergedSettings {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let layers = self.layers.iter().map(|layer| {
            let source = &layer.settings.source;
            LayerJson { by: source.by, path: source.path.clone(), text: source.masked() }
        });
        MergedSettingsJson { layers: layers.collect() }.serialize(to)
    }
}

impl<'de> Deserialize<'de> for MergedSettings {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let mut layers = Vec::new();
        for LayerJson { by, path, text } in MergedSettingsJson::deserialize(from)?.layers {
            let settings = match by {
                SetBy::Caller => {
                    SetValue::parse(&text).map(SetValue::into_layer).map_err(|error| error.to_string())
                }
                _ => parse_file(by, &path, text.as_bytes(), &[])
                    .0
                    .ok_or_else(|| format!("the settings of `{path}` do not parse")),
            };
            layers.push(settings.map_err(serde::de::Error::custom)?);
        }
        // The diagnostics were reported when the layers were first merged.
        Ok(merge(layers, &mut Vec::new()))
    }
}

// The values of a layer that are ignored: those that a project may not set, and invalid ones that fall back.

const IGNORED: DiagnosticCode = DiagnosticCode::SettingsIgnored;
const CONFIG_SCHEMA_VIOLATION: DiagnosticCode = DiagnosticCode::ConfigSchemaViolation;

/// The paths of one layer that are ignored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct RefusedPaths(BTreeSet<Vec<String>>);

impl RefusedPaths {
    pub(super) fn add(&mut self, path: &[&str]) {
        self.0.insert(path.iter().map(|key| (*key).to_owned()).collect());
    }

    /// Returns true if the value at a path, or one above it, is ignored.
    pub(super) fn covers<S: AsRef<str>>(&self, path: &[S]) -> bool {
        let keys: Vec<String> = path.iter().map(|key| key.as_ref().to_owned()).collect();
        (1..=keys.len()).any(|length| self.0.contains(&keys[..length]))
    }

    /// Returns the value without ignored parts. A table that becomes empty is removed.
    pub(super) fn without(&self, mut root: SettingsNode) -> SettingsNode {
        if !self.0.is_empty() {
            self.remove_from(&mut root, &mut Vec::new());
        }
        root
    }

    fn remove_from(&self, node: &mut SettingsNode, path: &mut Vec<String>) {
        let SettingsTree::Table(table) = &mut node.tree else { return };
        table.retain(|key, node| {
            path.push(key.clone());
            let is_empty = |node: &SettingsNode| node.as_table().is_some_and(SettingsTable::is_empty);
            let was_empty = is_empty(node);
            let stays = !self.0.contains(path) && {
                self.remove_from(node, path);
                was_empty || !is_empty(node)
            };
            path.pop();
            stays
        });
    }
}

/// Returns the paths of a layer that are ignored. `below` are the weaker layers, merged.
fn refuse(
    layer: &LayerSettings,
    below: Option<&SettingsNode>,
    diagnostics: &mut FileDiagnostics,
) -> RefusedPaths {
    let mut review = LayerReview { below, refusals: RefusedPaths::default(), diagnostics };
    if layer.by() == SetBy::Project {
        review.refuse_own_keys(&layer.root, ValueShape::root(), &mut Vec::new());
        review.refuse_clearing(&layer.root);
        review.refuse_loosening(&layer.root);
    }
    let [category, id] = SystemPromptFileSettings::KEYS;
    if let Some(node) = layer.root.at(&[category, id])
        && let Some(shape) = ValueShape::root().under(category).and_then(|all| all.under(id))
    {
        review.check_fields(node, shape, &mut vec![category, id]);
    }
    review.prefer_text(&layer.root);
    review.refusals
}

/// The review of a layer before it is merged over the weaker ones.
struct LayerReview<'a> {
    /// The weaker layers, merged.
    below: Option<&'a SettingsNode>,
    refusals: RefusedPaths,
    diagnostics: &'a mut FileDiagnostics,
}

impl LayerReview<'_> {
    fn refuse(&mut self, path: &[&str], diagnostic: impl FnOnce() -> Diagnostic) {
        self.refusals.add(path);
        self.diagnostics.add(Severity::Warning, diagnostic);
    }

    /// A project adds text and data; only the user configures how preface works.
    fn refuse_own_keys<'n>(&mut self, node: &'n SettingsNode, shape: ValueShape, path: &mut Vec<&'n str>) {
        for (key, value) in node.as_table().into_iter().flatten() {
            let Some(below) = shape.under(key).filter(|below| !below.is_any()) else { continue };
            path.push(key);
            if below.project_may() {
                self.refuse_own_keys(value, below, path);
            } else {
                self.refuse(path, || {
                    let message = format!("a project cannot set `{}`; it is ignored", path.join("."));
                    Diagnostic::warning(IGNORED, message)
                        .at(value.key_place())
                        .help("set it in your own settings, or for one call")
                });
            }
            path.pop();
        }
    }

    /// `null` of a project would remove what the user has there: `paths.global`, the security settings.
    fn refuse_clearing(&mut self, root: &SettingsNode) {
        let keys: [&[&str]; 4] = [
            &["contextProviders"],
            &["securityMode"],
            &["securityMode", "mode"],
            &["securityMode", "allowlist"],
        ];
        for path in keys {
            let Some(node) = root.at(path).filter(|node| node.tree == SettingsTree::Null) else { continue };
            self.refuse(path, || {
                let message = format!("a project cannot clear `{}`; it is ignored", path.join("."));
                let diagnostic = Diagnostic::warning(IGNORED, message).at(node.place());
                let disable = "disable a context provider by name: `{\"disable\": true}`";
                if path[0] == "contextProviders" { diagnostic.help(disable) } else { diagnostic }
            });
        }
    }

    /// Lets a project tighten the mode and never loosen it; its additions to the allowlist are reported.
    fn refuse_loosening(&mut self, root: &SettingsNode) {
        let [mode, list] = [["securityMode", "mode"], ["securityMode", "allowlist"]];
        let below = self.below;
        let stands = below.and_then(|below| below.at(&mode)?.as_text()).unwrap_or("ask");
        if let Some(node) = root.at(&mode)
            && let Some(wanted) = node.as_text().filter(|wanted| looseness(wanted) > looseness(stands))
        {
            self.refuse(&mode, || {
                let message = format!(
                    "a project cannot loosen `securityMode.mode` from `{stands}` to `{wanted}`; `{stands}` stays"
                );
                Diagnostic::warning(IGNORED, message).at(node.place())
            });
        }
        let Some(node) = root.at(&list) else { return };
        let known: BTreeSet<&str> =
            below.and_then(|below| below.at(&list)).map(texts).into_iter().flatten().collect();
        let added: Vec<&str> = texts(node).filter(|item| !known.contains(item)).collect();
        if !added.is_empty() {
            self.diagnostics.add(Severity::Warning, || {
                let mut names: Vec<String> =
                    added.iter().take(10).map(|item| format!("`{}`", shown(item))).collect();
                if added.len() > names.len() {
                    names.push(format!("and {} more", added.len() - names.len()));
                }
                let message = format!("the project adds to `securityMode.allowlist`: {}", names.join(", "));
                Diagnostic::warning(DiagnosticCode::SettingsLoosened, message).at(node.place())
            });
        }
    }

    /// Validates each field of a built-in extension; an invalid one is ignored, so that the next lower valid one
    /// is used.
    fn check_fields<'n>(&mut self, node: &'n SettingsNode, shape: ValueShape, path: &mut Vec<&'n str>) {
        let Some(table) = node.as_table() else {
            let violation = self.violation(node, path, "must be an object, not null");
            return self.refuse(path, violation);
        };
        for (key, value) in table {
            path.push(key);
            if !self.refusals.covers(path) && path[2..] != ["disable"] {
                self.check_field(key, value, shape, path);
            }
            path.pop();
        }
    }

    fn check_field<'n>(
        &mut self,
        key: &str,
        value: &'n SettingsNode,
        fields: ValueShape,
        path: &mut Vec<&'n str>,
    ) {
        let Some(shape) = fields.under(key) else {
            self.refusals.add(path);
            return self.diagnostics.add(Severity::Error, || {
                let message =
                    format!("`SystemPromptFile` has no field `{}`; it is ignored", shown(&pointer(path)));
                let names = || format!("known here: {}", quoted(fields.names()));
                Diagnostic::error(CONFIG_SCHEMA_VIOLATION, message).at(value.key_place()).help(suggest_or(
                    key,
                    fields.names(),
                    names,
                ))
            });
        };
        if shape.takes("object") && value.as_table().is_some() {
            return self.check_fields(value, shape, path);
        }
        let fault = match value.tree {
            // For an extension `null` is a value like any other, and its schema does not accept it.
            SettingsTree::Null => Some(format!("must be {}, not null", shape.expected())),
            _ => fault(value, shape),
        };
        if let Some(fault) = fault {
            let violation = self.violation(value, path, &fault);
            self.refuse(path, violation);
        }
    }

    fn violation<'p>(
        &self,
        node: &'p SettingsNode,
        path: &'p [&str],
        fault: &'p str,
    ) -> impl FnOnce() -> Diagnostic + use<'p> {
        let below = self.below.and_then(|below| below.at(path)).map_or(SetBy::Bundled, SettingsNode::by);
        move || {
            let whose = match node.by() {
                SetBy::Caller => "value of the caller".to_owned(),
                by => format!("{by}-scope override"),
            };
            let at = if path.len() > 2 { pointer(path) } else { path[1].to_owned() };
            let message = format!("{whose} failed validation (`{at}` {fault}); retaining {below} value");
            Diagnostic::warning(CONFIG_SCHEMA_VIOLATION, message).at(node.place())
        }
    }

    /// Ignores the file of a section for which one layer has both a text and a file.
    fn prefer_text(&mut self, root: &SettingsNode) {
        let sections = root.at(&["sections"]).and_then(SettingsNode::as_table);
        for (id, section) in sections.into_iter().flatten() {
            if let (Some(text), Some(file)) = (section.at(&["text"]), section.at(&["file"]))
                && text.as_text().is_some()
                && file.as_text().is_some()
            {
                self.refuse(&["sections", id, "file"], || {
                    let message =
                        format!("section `{}` has both `text` and `file`; the text counts", shown(id));
                    Diagnostic::warning(DiagnosticCode::SettingsHidden, message).at(file.key_place())
                });
            }
        }
    }
}

/// Returns the rank of a security mode; a higher one restricts tools less.
fn looseness(mode: &str) -> usize {
    ["ask", "allowlist", "yolo"].iter().position(|known| *known == mode).unwrap_or(0)
}

/// Returns the strings of an array.
fn texts(node: &SettingsNode) -> impl Iterator<Item = &str> {
    let SettingsTree::List(items) = &node.tree else { return [].iter().filter_map(SettingsNode::as_text) };
    items.iter().filter_map(SettingsNode::as_text)
}

/// Returns the path below the extension as a JSON Pointer.
fn pointer(path: &[&str]) -> String {
    path[2..].iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

// The source of a value: a layer, or the caller of this one call.

/// The source of a value. The order is significant: later ones override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum SetBy {
    /// The settings shipped inside preface.
    Bundled,
    /// The user's own settings.
    Global,
    /// The project's settings.
    Project,
    /// The caller, with `--set`.
    Caller,
}

impl SetBy {
    /// Returns the name for listings and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Returns the scope, or `None` for the caller.
    #[must_use]
    pub fn scope(self) -> Option<Scope> {
        match self {
            SetBy::Bundled => Some(Scope::Bundled),
            SetBy::Global => Some(Scope::Global),
            SetBy::Project => Some(Scope::Project),
            SetBy::Caller => None,
        }
    }
}

impl From<Scope> for SetBy {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Bundled => SetBy::Bundled,
            Scope::Global => SetBy::Global,
            Scope::Project => SetBy::Project,
        }
    }
}

// The values of one setting in each layer.

/// The effect of a layer's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum ValueOutcome {
    /// The value, or a part of it, is used.
    Used,
    /// A stronger layer replaced it.
    Overridden,
    /// The layer may not set it, or it is invalid, as a diagnostic reported.
    Ignored,
}

/// The value of a setting in one layer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LayerValue {
    /// The source.
    pub by: SetBy,
    /// The value without its ignored parts, or all of it if nothing is left; secrets are asterisks.
    pub value: Value,
    /// The location of the value.
    pub place: Place,
    /// The location of the key.
    #[serde(skip)]
    pub key_place: Place,
    /// The effect of the value.
    pub outcome: ValueOutcome,
}

impl MergedSettings {
    /// Lists the values of a setting in each layer, the weakest first.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::{merge, parse, ValueOutcome}};
    /// let layer = |scope, json: &str| parse(scope, "settings.json", json.as_bytes()).0.unwrap();
    /// let merged = merge(
    ///     vec![
    ///         layer(Scope::Global, r#"{"logging": {"level": "info"}}"#),
    ///         layer(Scope::Project, r#"{"logging": {"level": "debug"}}"#),
    ///     ],
    ///     &mut Vec::new(),
    /// );
    /// let values = merged.why(&"logging.level".parse()?);
    /// assert_eq!(values[0].outcome, ValueOutcome::Overridden);
    /// assert_eq!((&values[1].value, values[1].outcome), (&"debug".into(), ValueOutcome::Used));
    /// # Ok::<(), preface_core::input_error::InputError>(())
    /// ```
    #[must_use]
    pub fn why(&self, path: &KeyPath) -> Vec<LayerValue> {
        let stands = self.get(path);
        let mut list = Vec::new();
        for layer in &self.layers {
            let Some(node) = layer.settings.root.at(path.keys()) else { continue };
            let used = layer.refusals.without(layer.settings.root.clone());
            let left = used.at(path.keys());
            let outcome = if left.is_none() {
                ValueOutcome::Ignored
            } else if stands.is_some_and(|stands| takes_part(node, stands)) {
                ValueOutcome::Used
            } else {
                ValueOutcome::Overridden
            };
            list.push(LayerValue {
                by: node.by(),
                value: left.unwrap_or(node).masked(),
                place: node.place(),
                key_place: node.key_place(),
                outcome,
            });
        }
        list
    }
}

/// Returns true if any part of a layer's value is in the merged one.
fn takes_part(value: &SettingsNode, stands: &SettingsNode) -> bool {
    if value.source == stands.source && value.span == stands.span {
        return true;
    }
    match (&value.tree, &stands.tree) {
        (SettingsTree::Table(value), SettingsTree::Table(stands)) => {
            value.iter().any(|(key, value)| stands.get(key).is_some_and(|stands| takes_part(value, stands)))
        }
        (SettingsTree::List(value), SettingsTree::List(stands)) => value.iter().any(|value| {
            stands.iter().any(|stands| value.source == stands.source && value.span == stands.span)
        }),
        _ => false,
    }
}
