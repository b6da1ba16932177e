//! The table: a row for each entry, grouped by category, hooks by slot; below a row what there is to tell.

use super::{aside::asides, listing::Inactive, state::State};
use crate::ui::{
    style,
    table::{Cell, Side, Table},
    text::{count, one_line, wrap},
};
use preface::{
    ScopesReport,
    core::{
        diagnostic::{Diagnostic, Severity},
        extension::{Ability, Category, Entry, OrderingRewrite, Role, Scopes, Slot},
    },
};
use std::collections::BTreeMap;

/// Returns what of the scopes belongs to some categories.
pub fn restricted(scopes: &Scopes, categories: &[Category]) -> Scopes {
    let entries: Vec<Entry> =
        scopes.entries.iter().filter(|entry| categories.contains(&entry.category)).cloned().collect();
    let others = others(scopes, categories);
    let rewrites = if categories.contains(&Category::Hooks) { scopes.rewrites.clone() } else { Vec::new() };
    let diagnostics = scopes.diagnostics.iter().filter(|note| !others.contains(note)).cloned().collect();
    Scopes { entries, rewrites, diagnostics }
}

/// Returns the notes that are about entries of other categories alone.
fn others<'a>(scopes: &'a Scopes, categories: &[Category]) -> Vec<&'a Diagnostic> {
    let foreign = scopes.entries.iter().filter(|entry| !categories.contains(&entry.category));
    foreign.flat_map(|entry| &entry.diagnostics).collect()
}

/// Returns what a listing of some categories has to tell beside its table, each note once.
pub fn troubles(report: &ScopesReport, categories: &[Category]) -> Vec<Diagnostic> {
    let others = others(&report.scopes, categories);
    let mut told: Vec<Diagnostic> = Vec::new();
    for note in report.diagnostics.iter().chain(&report.scopes.diagnostics) {
        if !others.contains(&note) && !told.contains(note) {
            told.push(note.clone());
        }
    }
    told
}

/// Writes the table of some categories, within `room` columns.
pub fn table(scopes: &Scopes, categories: &[Category], inactive: Inactive, room: Option<usize>) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let groups: Vec<(String, Vec<&Entry>)> = categories
        .iter()
        .flat_map(|category| {
            let shown = |entry: &&Entry| entry.active || inactive == Inactive::Shown;
            grouped(*category, scopes.of(*category).filter(shown).collect())
        })
        .collect();
    let mut table = Table::new([Side::Left; 4]);
    table.row(["  name", "layer", "state", "what it is"].map(|head| Cell::styled(head, dim)));
    groups.iter().flat_map(|(_, entries)| entries).for_each(|entry| table.row(row(entry)));
    let lines = table.show(room);
    let mut lines = lines.lines();
    let mut out = String::new();
    if let (false, Some(head)) = (groups.is_empty(), lines.next()) {
        out.push_str(&format!("{head}\n"));
    }
    for (heading, entries) in &groups {
        out.push_str(&format!("{bold}{heading}{bold:#}\n"));
        for (entry, line) in entries.iter().zip(lines.by_ref()) {
            out.push_str(&format!("{line}\n"));
            for aside in asides(entry) {
                let aside = wrap(&format!("    {aside}"), room.unwrap_or(usize::MAX), 6);
                out.push_str(&format!("{dim}{aside}{dim:#}\n"));
            }
        }
    }
    let empty: Vec<&str> = categories
        .iter()
        .filter(|category| scopes.of(**category).next().is_none())
        .map(|category| category.as_str())
        .collect();
    if !empty.is_empty() {
        out.push_str(&format!("{dim}nothing: {}{dim:#}\n", empty.join(", ")));
    }
    out
}

/// Splits a category into its groups: hooks by slot, in the order in which they run; everything else is one group.
fn grouped(category: Category, entries: Vec<&Entry>) -> Vec<(String, Vec<&Entry>)> {
    if entries.is_empty() {
        return Vec::new();
    }
    if !category.is_ordered() {
        return vec![(category.to_string(), entries)];
    }
    let mut slots: BTreeMap<(bool, Option<Slot>), Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        slots.entry((entry.slot.is_none(), entry.slot)).or_default().push(entry);
    }
    slots
        .into_iter()
        .map(|((_, slot), mut entries)| {
            entries.sort_by_key(|entry| (entry.order.is_none(), entry.order));
            let slot = slot.map_or_else(|| "in no slot".to_owned(), |slot| slot.to_string());
            (format!("{category} {slot}"), entries)
        })
        .collect()
}

fn row(entry: &Entry) -> [Cell; 4] {
    let state = State::of(entry);
    let name = match (entry.order, entry.category.is_ordered()) {
        (Some(order), true) => format!("  {}. {}", order + 1, one_line(&entry.name)),
        (None, true) => format!("  -  {}", one_line(&entry.name)),
        _ => format!("  {}", one_line(&entry.name)),
    };
    let name_style = if entry.active { style::BOLD } else { style::DIM };
    [
        Cell::styled(name, name_style),
        Cell::styled(entry.origin.scope.as_str(), style::scope(entry.origin.scope)),
        Cell::styled(state.word(), state.style()),
        Cell::styled(what(entry), if entry.active { anstyle::Style::new() } else { style::DIM }),
    ]
}

/// Says what an entry is: the first line about it, a hook with its role.
fn what(entry: &Entry) -> String {
    let about = entry.about.as_deref().unwrap_or_default().trim();
    let about = match about.split_once('\n') {
        Some((first, _)) => format!("{} …", one_line(first.trim_end())),
        None => one_line(about),
    };
    match &entry.ability {
        Some(Ability::Hook(hook)) => {
            let role = match hook.role {
                Role::Guard => "guard",
                Role::Transform => "transform",
                Role::Observer => "observer",
            };
            if about.is_empty() { role.to_owned() } else { format!("{role}: {about}") }
        }
        _ => about,
    }
}

/// Tells which orders were rewritten: before, and now.
pub fn rewrites(rewrites: &[OrderingRewrite]) -> String {
    let (care, dim) = (style::CARE, style::DIM);
    let mut out = String::new();
    for rewrite in rewrites {
        let joined = |ids: &[String]| ids.iter().map(|id| one_line(id)).collect::<Vec<_>>().join(", ");
        out.push_str(&format!(
            "{care}{} is in the order of the {} layer's ordering.json{care:#}\n  {dim}before{dim:#}  {}\n  {dim}now   {dim:#}  {}\n",
            rewrite.slot,
            rewrite.scope,
            joined(&rewrite.previous_order),
            joined(&rewrite.new_order),
        ));
    }
    out
}

/// Counts: `12 active, 3 off, 1 warning, 0 errors`.
pub fn summary(scopes: &Scopes) -> String {
    let startup = scopes.startup();
    format!(
        "{} active, {} off, {}, {}",
        startup.loaded_count,
        startup.disabled_count,
        count(startup.warnings.len(), Severity::Warning.as_str()),
        count(startup.error_count, Severity::Error.as_str()),
    )
}
