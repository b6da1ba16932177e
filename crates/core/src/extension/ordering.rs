//! Ordering manifests: `ordering.json` may rewrite the order of hooks, slot by slot.

use super::{
    ability::HookRole,
    slot::{Slot, UnknownSlot},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    scope::Scope,
    settings::{JsonDialect, SettingsNode, SettingsTree, parse_document, shown},
    suggestion::did_you_mean,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

const MALFORMED: DiagnosticCode = DiagnosticCode::OrderingManifestMalformed;
const DUPLICATE: DiagnosticCode = DiagnosticCode::OrderingManifestDuplicateExtId;
const INVALID_SLOT: DiagnosticCode = DiagnosticCode::HookInvalidAttachment;

/// The ordering manifest of one layer: the ids of hooks for each slot that it lists.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordering {
    /// The scope of the manifest.
    pub scope: Scope,
    /// The path for display.
    pub path: String,
    slots: BTreeMap<Slot, Vec<OrderingItem>>,
}

#[derive(Clone, Debug, PartialEq)]
struct OrderingItem {
    id: String,
    node: SettingsNode,
}

/// The most ids without a hook that are reported one by one for one manifest; computing a location scans the
/// file.
const MOST_UNKNOWN: usize = 20;

/// An order that an ordering manifest changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OrderingRewrite {
    /// The slot.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub slot: Slot,
    /// The scope of the manifest that changed it.
    pub scope: Scope,
    /// The order without that manifest.
    pub previous_order: Vec<String>,
    /// The order with it.
    pub new_order: Vec<String>,
}

impl Ordering {
    /// Reads an `ordering.json`: strict JSON, `{"hooks": {"TOOL_CALL/pre": ["id", …]}}`.
    ///
    /// # Errors
    /// The fault of the file. The layer is then used without an ordering, so the diagnostic is a warning.
    pub fn read(scope: Scope, path: &str, bytes: &[u8]) -> Result<Ordering, Box<Diagnostic>> {
        Self::parse(scope, path, bytes).map_err(|mut diagnostic| {
            diagnostic.severity = crate::diagnostic::Severity::Warning;
            diagnostic.message = format!("{path} was left out: {}", diagnostic.message);
            if diagnostic.place.is_none() {
                diagnostic.place = Some(Place::file(Some(scope), path));
            }
            diagnostic
        })
    }

    fn parse(scope: Scope, path: &str, bytes: &[u8]) -> Result<Ordering, Box<Diagnostic>> {
        let bad = |code: DiagnosticCode, message: String, node: &SettingsNode| {
            Box::new(Diagnostic::error(code, message).at(node.place()))
        };
        let (root, diagnostics) = parse_document(scope.into(), path, bytes, JsonDialect::Strict, MALFORMED)?;
        if let Some(diagnostic) = diagnostics.into_iter().next() {
            let message = diagnostic.message.replace("; the last one counts", "");
            return Err(Box::new(Diagnostic { code: MALFORMED, message, ..diagnostic }));
        }
        let table = root.as_table().ok_or_else(|| {
            bad(MALFORMED, format!("it must be a JSON object, not {}", root.described()), &root)
        })?;
        if let Some((key, node)) = table.iter().find(|(key, _)| *key != "hooks") {
            let message = format!("`{}` does not belong here; the only key is `hooks`", shown(key));
            let mut diagnostic = bad(MALFORMED, message, node);
            diagnostic.place = Some(node.key_place());
            return Err(diagnostic);
        }
        let Some(hooks) = table.get("hooks") else {
            return Ok(Ordering { scope, path: path.to_owned(), slots: BTreeMap::new() });
        };
        let hooks = hooks.as_table().ok_or_else(|| {
            bad(MALFORMED, format!("`hooks` must be an object, not {}", hooks.described()), hooks)
        })?;
        let mut slots = BTreeMap::new();
        for (name, node) in hooks.iter() {
            let slot = name.parse::<Slot>().map_err(|UnknownSlot| {
                let names: Vec<String> = Slot::all().map(|slot| slot.to_string()).collect();
                let near = did_you_mean(name, names.iter().map(String::as_str));
                let help =
                    near.map_or_else(|| UnknownSlot.to_string(), |near| format!("did you mean `{near}`?"));
                let diagnostic = Diagnostic::error(INVALID_SLOT, format!("`{}` is no slot", shown(name)));
                Box::new(diagnostic.at(node.key_place()).help(help))
            })?;
            let SettingsTree::List(items) = node.tree() else {
                let message = format!("`{name}` must be an array of hook ids, not {}", node.described());
                return Err(bad(MALFORMED, message, node));
            };
            if items.is_empty() {
                return Err(bad(MALFORMED, format!("`{name}` must list at least one hook"), node));
            }
            let mut listed = Vec::with_capacity(items.len());
            let mut known = BTreeSet::new();
            for (at, item) in items.iter().enumerate() {
                let Some(id) = item.as_text().filter(|id| !id.is_empty()) else {
                    let message = format!("item {at} of `{name}` must be the id of a hook");
                    return Err(bad(MALFORMED, message, item));
                };
                if !known.insert(id) {
                    return Err(bad(DUPLICATE, format!("`{}` is listed twice in `{name}`", shown(id)), item));
                }
                listed.push(OrderingItem { id: id.to_owned(), node: item.clone() });
            }
            slots.insert(slot, listed);
        }
        Ok(Ordering { scope, path: path.to_owned(), slots })
    }

    /// Returns the slots that it lists.
    pub fn slots(&self) -> impl Iterator<Item = Slot> {
        self.slots.keys().copied()
    }
}

/// A hook of a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotHook {
    /// The role of the hook.
    pub role: HookRole,
    /// The id of the hook.
    pub id: String,
    /// The index of its entry.
    pub entry: usize,
}

/// Applies ordering manifests to the default order of each slot, which has guards first and observers last.
/// `orderings` are sorted weakest first; if several list a slot, only the last one is used for it. Of the
/// hooks of one role, listed ones come first, in the order of the list; the others follow in the default
/// order. Returns the orders that were changed.
pub fn order(
    hooks: &mut BTreeMap<Slot, Vec<SlotHook>>,
    orderings: &[Ordering],
    diagnostics: &mut Diagnostics,
) -> Vec<OrderingRewrite> {
    let ids = |hooks: &[SlotHook]| hooks.iter().map(|hook| hook.id.clone()).collect::<Vec<String>>();
    let defaults = hooks.clone();
    let mut rewrites = Vec::new();
    for (at, ordering) in orderings.iter().enumerate() {
        let mut unknown = 0_usize;
        for (slot, listed) in &ordering.slots {
            let mut ordered = defaults.get(slot).cloned().unwrap_or_default();
            let known: BTreeSet<&str> = ordered.iter().map(|hook| hook.id.as_str()).collect();
            for OrderingItem { id, node } in listed.iter().filter(|item| !known.contains(item.id.as_str())) {
                unknown += 1;
                if unknown > MOST_UNKNOWN {
                    continue;
                }
                let message = format!("{slot} has no active hook `{}`; it is passed over", shown(id));
                let mut diagnostic =
                    Diagnostic::info(DiagnosticCode::OrderingUnknownHook, message).at(node.place());
                if let Some(near) = did_you_mean(id, ordered.iter().map(|hook| hook.id.as_str())) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                diagnostics.push(diagnostic);
            }
            let places: BTreeMap<&str, usize> =
                listed.iter().enumerate().map(|(place, item)| (item.id.as_str(), place)).collect();
            // No list moves a guard behind the hooks that it guards.
            ordered
                .sort_by_key(|hook| (hook.role, places.get(hook.id.as_str()).map_or(usize::MAX, |at| *at)));
            let new_order = ids(&ordered);
            let previous_order = hooks.get(slot).map(|hooks| ids(hooks)).unwrap_or_default();
            let is_reported = match ordering.scope {
                Scope::Bundled => false,
                // A list that a later one replaces has changed nothing.
                Scope::Global => {
                    previous_order != new_order
                        && !orderings[at + 1..].iter().any(|later| later.slots.contains_key(slot))
                }
                // Reported whatever it changes: from here on the project determines the order.
                Scope::Project => true,
            };
            if !ordered.is_empty() {
                hooks.insert(*slot, ordered);
            }
            if is_reported {
                let rewrite =
                    OrderingRewrite { slot: *slot, scope: ordering.scope, previous_order, new_order };
                diagnostics.push(rewrite.diagnostic(&ordering.path));
                rewrites.push(rewrite);
            }
        }
        if let Some(more) = unknown.checked_sub(MOST_UNKNOWN).filter(|more| *more > 0) {
            let message = format!("{} lists {more} more ids without an active hook", ordering.path);
            let place = Place::file(Some(ordering.scope), ordering.path.clone());
            diagnostics.push(Diagnostic::info(DiagnosticCode::OrderingUnknownHook, message).at(place));
        }
    }
    rewrites
}

impl OrderingRewrite {
    fn diagnostic(&self, path: &str) -> Diagnostic {
        let list = |ids: &[String]| match ids {
            [] => "none".to_owned(),
            ids => ids.iter().map(|id| shown(id)).collect::<Vec<_>>().join(", "),
        };
        let (slot, was, is) = (self.slot, list(&self.previous_order), list(&self.new_order));
        let what = if self.previous_order == self.new_order {
            format!("{path} sets the order of {slot}: {is} (as it was)")
        } else {
            format!("{path} sets the order of {slot}: {is} (was {was})")
        };
        let found = match self.scope {
            Scope::Project => Diagnostic::warning(DiagnosticCode::OrderingRewrite, what).help(
                Remedy::command("trusting a project trusts the order that it ships; see it", "list hooks"),
            ),
            _ => Diagnostic::info(DiagnosticCode::OrderingRewrite, what),
        };
        found.at(Place::file(Some(self.scope), path))
    }
}
