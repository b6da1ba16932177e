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
    let rewrites = if categories.contains(&Category::Hooks) { scopes.rewrites.clone() } else { Vec::new() };
    let about = |note: &&Diagnostic| !is_foreign(scopes, categories, note);
    Scopes { entries, rewrites, diagnostics: scopes.diagnostics.iter().filter(about).cloned().collect() }
}

/// True where a note is about other categories alone: about one of their entries, or about the order of hooks.
fn is_foreign(scopes: &Scopes, categories: &[Category], note: &Diagnostic) -> bool {
    let of_an_order = note.code.contains("OrderingManifest") || note.code == "OrderingRewrite";
    let mut foreign = scopes.entries.iter().filter(|entry| !categories.contains(&entry.category));
    of_an_order && !categories.contains(&Category::Hooks)
        || foreign.any(|entry| entry.diagnostics.contains(note))
}

/// Returns what a listing of some categories has to tell beside its table, each note once.
pub fn troubles(report: &ScopesReport, categories: &[Category]) -> Vec<Diagnostic> {
    let mut told: Vec<Diagnostic> = Vec::new();
    for note in report.diagnostics.iter().chain(&report.scopes.diagnostics) {
        if !is_foreign(&report.scopes, categories, note) && !told.contains(note) {
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
        let (slot, layer) = (rewrite.slot, rewrite.scope);
        out.push_str(&format!(
            "{care}{slot}: the order is that of the {layer} layer's ordering.json{care:#}\n"
        ));
        let (before, now) = (joined(&rewrite.previous_order), joined(&rewrite.new_order));
        if before == now {
            out.push_str(&format!("  {dim}as without it:{dim:#} {now}\n"));
        } else {
            out.push_str(&format!("  {dim}before:{dim:#} {before}\n  {dim}now:{dim:#}    {now}\n"));
        }
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

#[cfg(test)]
mod tests {
    use super::{
        super::sample::{Sample, plain},
        *,
    };
    use preface::core::{extension::FoundWhat, scope::Scope};

    fn shown(scopes: &Scopes, inactive: Inactive, room: Option<usize>) -> String {
        plain(&table(scopes, &Category::ALL, inactive, room))
    }

    #[test]
    fn the_worked_example_of_the_seed_reads_as_its_table_does() {
        let scopes = Sample::worked().scopes();
        assert_eq!(
            shown(&scopes, Inactive::Shown, None),
            "  name               layer    state        what it is
contextProviders
  repoSummary        bundled  active       10 bytes of Markdown
hooks TOOL_CALL/pre
  1. pre-tool-audit  project  needs grant  guard: ./audit.sh
    may not run: `preface trust grant --allow-commands`
loggers
  fileDebug          global   active       debug.log
  stdout             bundled  off          out.log
    switched off by ~/.stud/settings.json:3
providers
  openai-proxy       global   active       https://proxy.example/v1
tools
  Bash               bundled  hidden       Runs commands.
    hidden by project (.stud/extensions/tools/Bash/manifest.json)
  Bash               project  active       Runs commands, strictly.
    hides bundled (bundled/extensions/tools/Bash/manifest.json)
  Edit               bundled  active       Edits files.
nothing: commands, sessionStores, stateMachines, ui
"
        );
        assert_eq!(summary(&scopes), "6 active, 1 off, 1 warning, 0 errors");
    }

    #[test]
    fn what_is_not_active_can_be_left_out() {
        let scopes = restricted(&Sample::worked().scopes(), &[Category::Tools]);
        assert_eq!(
            plain(&table(&scopes, &[Category::Tools], Inactive::LeftOut, None)),
            "  name  layer    state   what it is
tools
  Bash  project  active  Runs commands, strictly.
    hides bundled (bundled/extensions/tools/Bash/manifest.json)
  Edit  bundled  active  Edits files.
"
        );
        assert_eq!(summary(&scopes), "2 active, 0 off, 0 warnings, 0 errors");
    }

    #[test]
    fn every_state_has_its_word_and_its_reason() {
        use Category::{Loggers, Tools};
        let held = Diagnostic::warning("trust/held", "it waits");
        let scopes = Sample::default()
            .add(Scope::Bundled, Tools, "a", r#""description": "Sound.""#)
            .add(Scope::Global, Tools, "a", r#""description": 1"#)
            .add(Scope::Global, Tools, "b", r#""promptSnippet": "No description.""#)
            .add(Scope::Global, Tools, "c", r#""description": 1"#)
            .raw(Scope::Project, Tools, "d", FoundWhat::Held(held))
            .add(Scope::Project, Loggers, "e", r#""path": "e.log""#)
            .add(Scope::Global, Tools, "f", r#""description": "Configured.", "config": {"n": 1}"#)
            .settings(Scope::Project, r#"{"tools": {"f": {"n": 2}}}"#)
            .scopes();
        assert_eq!(
            shown(&scopes, Inactive::Shown, None),
            "  name  layer    state        what it is
loggers
  e     project  needs grant  e.log
    may not run: `preface trust grant --allow-commands`
tools
  a     bundled  active       Sound.
    stays, because the one above it is broken: global (~/.stud/extensions/tools/a/manifest.json)
  a     global   broken
    broken: shape at /description — `description` must be a string, not 1; the bundled one stays
  b     global   incomplete   No description.
    cannot be used without `description`
  c     global   broken
    broken: shape at /description — `description` must be a string, not 1
  d     project  held
    waits for trust: `preface trust grant`
  f     global   active       Configured.
    configured by project
nothing: commands, contextProviders, hooks, providers, sessionStores, stateMachines, ui
"
        );
        assert_eq!(summary(&scopes), "4 active, 2 off, 3 warnings, 1 error");
    }

    #[test]
    fn a_narrow_screen_cuts_what_it_is_and_wraps_the_reasons() {
        let scopes = restricted(&Sample::worked().scopes(), &[Category::Tools]);
        let shown = plain(&table(&scopes, &[Category::Tools], Inactive::Shown, Some(44)));
        assert_eq!(
            shown,
            "  name  layer    state   what it is
tools
  Bash  bundled  hidden  Runs commands.
    hidden by project
      (.stud/extensions/tools/Bash/manifest.json)
  Bash  project  active  Runs commands, str…
    hides bundled
      (bundled/extensions/tools/Bash/manifest.json)
  Edit  bundled  active  Edits files.
"
        );
    }

    #[test]
    fn hooks_stand_in_the_order_in_which_they_run() {
        let hook = |slot: &str| format!(r#""slot": "{slot}", "command": ["true"]"#);
        let scopes = Sample::default()
            .add(Scope::Bundled, Category::Hooks, "one", &hook("TOOL_CALL/post"))
            .add(Scope::Bundled, Category::Hooks, "two", &hook("TOOL_CALL/post"))
            .add(Scope::Global, Category::Hooks, "early", &hook("RECEIVE_INPUT/pre"))
            .add(Scope::Global, Category::Hooks, "lost", r#""command": ["true"]"#)
            .ordering(Scope::Global, r#"{"hooks": {"TOOL_CALL/post": ["two"]}}"#)
            .scopes();
        assert_eq!(
            plain(&table(&scopes, &[Category::Hooks], Inactive::Shown, None)),
            "  name      layer    state       what it is
hooks RECEIVE_INPUT/pre
  1. early  global   active      transform: true
hooks TOOL_CALL/post
  1. two    bundled  active      transform: true
  2. one    bundled  active      transform: true
hooks in no slot
  -  lost   global   incomplete  transform: true
    cannot be used without `slot` or `event`
"
        );
        assert_eq!(
            plain(&rewrites(&scopes.rewrites)),
            "\
TOOL_CALL/post: the order is that of the global layer's ordering.json
  before: one, two
  now:    two, one
"
        );
    }

    #[test]
    fn words_of_a_manifest_cannot_play_tricks() {
        let scopes = Sample::default()
            .add(Scope::Global, Category::Tools, "a", r#""description": "x\u001b[2J\u202ey\nsecond line""#)
            .scopes();
        let view = table(&scopes, &[Category::Tools], Inactive::Shown, None);
        assert!(plain(&view).contains("x\\u{1b}[2J\\u{202e}y …\n"), "{view}");
    }
}
