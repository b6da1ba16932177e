//! Ordering manifests: `ordering.json` may rewrite the order of hooks, slot by slot.

use super::{
    ability::HookRole,
    slot::{Slot, UnknownSlot},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    scope::Scope,
    settings::{SettingsNode, TypeFault, parse_document, shown},
    suggestion::{did_you_mean, suggest_or},
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
    slots: BTreeMap<Slot, Vec<String>>,
    root: SettingsNode,
}

/// The content of an `ordering.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderingFile {
    #[serde(default)]
    hooks: BTreeMap<String, Vec<String>>,
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
    /// Reads an `ordering.json`: JSON with comments, `{"hooks": {"TOOL_CALL/pre": ["id", …]}}`.
    ///
    /// # Errors
    /// The fault of the file. The layer is then used without an ordering, so the diagnostic is a warning.
    pub fn read(scope: Scope, path: &str, bytes: &[u8]) -> Result<Ordering, Box<Diagnostic>> {
        Self::parse(scope, path, bytes).map_err(|mut diagnostic| {
            diagnostic.severity = Severity::Warning;
            diagnostic.message = format!("{path} was left out: {}", diagnostic.message);
            diagnostic
        })
    }

    fn parse(scope: Scope, path: &str, bytes: &[u8]) -> Result<Ordering, Box<Diagnostic>> {
        let root = parse_document(scope.into(), path, bytes, MALFORMED)?;
        let bad = |code: DiagnosticCode, keys: &[String], message: String| {
            Diagnostic::error(code, message).at(root.at(keys).unwrap_or(&root).place())
        };
        let file: OrderingFile = TypeFault::read(&root).map_err(|fault| {
            let diagnostic = bad(MALFORMED, &fault.keys, fault.message);
            Box::new(Diagnostic { help: fault.help.map(Remedy::from), ..diagnostic })
        })?;
        let mut slots = BTreeMap::new();
        for (name, ids) in file.hooks {
            let keys = ["hooks".to_owned(), name.clone()];
            let slot = name.parse::<Slot>().map_err(|UnknownSlot| {
                let names: Vec<String> = Slot::all().map(|slot| slot.to_string()).collect();
                let names = names.iter().map(String::as_str);
                let help = suggest_or(&name, names, || UnknownSlot.to_string());
                Box::new(bad(INVALID_SLOT, &keys, format!("`{}` is no slot", shown(&name))).help(help))
            })?;
            if ids.is_empty() {
                let message = format!("`{name}` must list at least one hook");
                return Err(Box::new(bad(MALFORMED, &keys, message)));
            }
            let mut known = BTreeSet::new();
            if let Some(at) = ids.iter().position(|id| !known.insert(id)) {
                let message = format!("`{}` is listed twice in `{name}`", shown(&ids[at]));
                let keys = [keys.as_slice(), &[at.to_string()]].concat();
                return Err(Box::new(bad(DUPLICATE, &keys, message)));
            }
            slots.insert(slot, ids);
        }
        Ok(Ordering { scope, path: path.to_owned(), slots, root })
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
            for (at, id) in listed.iter().enumerate().filter(|(_, id)| !known.contains(id.as_str())) {
                unknown += 1;
                if unknown > MOST_UNKNOWN {
                    continue;
                }
                let message = format!("{slot} has no active hook `{}`; it is passed over", shown(id));
                let node = ordering.root.at(&["hooks", &slot.to_string(), &at.to_string()]);
                let place = node.unwrap_or(&ordering.root).place();
                let mut diagnostic = Diagnostic::info(DiagnosticCode::OrderingUnknownHook, message).at(place);
                if let Some(near) = did_you_mean(id, ordered.iter().map(|hook| hook.id.as_str())) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                diagnostics.push(diagnostic);
            }
            let places: BTreeMap<&str, usize> =
                listed.iter().enumerate().map(|(place, id)| (id.as_str(), place)).collect();
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
