//! The table: a row for each entry, grouped by category, hooks by slot; below a row its details.

use super::{
    details::details,
    row::{ListingGroup, ListingRow},
};
use crate::ui::{Cell, TextTable, count, one_line, style, wrap};
use anstyle::Style;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    extension::{Category, Entry, EntryState, HookRole, Scopes, Slot},
};
use preface_engine::{ScopesReport, host::places::Places};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The treatment of inactive entries in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InactiveRows {
    /// Each has a row, with a reason.
    Shown,
    LeftOut,
}

const HOOKS: ListingGroup = ListingGroup::Extensions(Category::Hooks);

/// The identity of a diagnostic: code, message, path and line.
type DiagnosticKey<'a> = (DiagnosticCode, &'a str, Option<(&'a str, Option<usize>)>);

fn known(diagnostic: &Diagnostic) -> DiagnosticKey<'_> {
    let place = diagnostic.place.as_ref().map(|place| (place.path.as_str(), place.line));
    (diagnostic.code, &diagnostic.message, place)
}

/// Returns the diagnostics of some groups, each once: not those that are about other groups alone, which are about one of their
/// rows, about the order of hooks or about servers.
pub fn scope_problems(report: &ScopesReport, groups: &[ListingGroup]) -> Vec<Diagnostic> {
    let is_elsewhere = |group: ListingGroup| !groups.contains(&group);
    let entries = report.scopes.entries.iter();
    let entries = entries.filter(|entry| is_elsewhere(ListingGroup::Extensions(entry.value.category)));
    let servers = report.mcp.servers.iter().filter(|_| is_elsewhere(ListingGroup::Mcp));
    let of_rows = entries.map(|entry| &entry.diagnostics).chain(servers.map(|one| &one.diagnostics));
    let of_rows: BTreeSet<DiagnosticKey<'_>> = of_rows.flatten().map(known).collect();
    let is_unrelated = |diagnostic: &Diagnostic| {
        let topic = diagnostic.code.topic();
        let of_an_order = topic == "ordering" || diagnostic.code == DiagnosticCode::OrderingRewrite;
        of_an_order && is_elsewhere(HOOKS)
            || topic == "mcp" && is_elsewhere(ListingGroup::Mcp)
            || diagnostic.code.is_of_instructions() && !shows_all(groups)
            || is_of_a_text(diagnostic, &report.places) && !shows_all(groups)
            || of_rows.contains(&known(diagnostic))
    };
    let mut seen = BTreeSet::new();
    let all = report.diagnostics.iter().chain(&report.scopes.diagnostics);
    all.filter(|diagnostic| !is_unrelated(diagnostic) && seen.insert(known(diagnostic))).cloned().collect()
}

fn shows_all(groups: &[ListingGroup]) -> bool {
    ListingGroup::ALL.iter().all(|group| groups.contains(group))
}

/// Returns true for a text that is left out, is in no layer directory and lists no servers, such as an instruction file.
fn is_of_a_text(diagnostic: &Diagnostic, places: &Places) -> bool {
    let dirs = [&places.global, &places.project];
    let is_in_layer = |path: &str| {
        let mut dirs = dirs.into_iter().flatten();
        path.ends_with("mcp.json") || dirs.any(|dir| Path::new(path).starts_with(places.shown(dir)))
    };
    matches!(diagnostic.code.topic(), "trust" | "file")
        && diagnostic.place.as_ref().is_some_and(|place| !is_in_layer(&place.path))
}

/// Writes the table of some groups, within `room` columns.
pub fn table(
    rows: &[ListingRow],
    shown: &[ListingGroup],
    inactive: InactiveRows,
    room: Option<usize>,
) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let of = |group: ListingGroup| rows.iter().filter(move |row| row.value.group == group);
    let is_shown = |row: &&ListingRow| row.active || inactive == InactiveRows::Shown;
    let groups: Vec<(String, Vec<&ListingRow>)> =
        shown.iter().flat_map(|group| grouped(*group, of(*group).filter(is_shown).collect())).collect();
    let mut table = TextTable::headed(["  name", "layer", "state", "what it is"]);
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
            for details in details(entry) {
                let details = wrap(&format!("    {details}"), room.unwrap_or(usize::MAX), 6);
                out.push_str(&format!("{dim}{details}{dim:#}\n"));
            }
        }
    }
    let is_empty = |group: &&ListingGroup| of(**group).next().is_none();
    let empty: Vec<&str> = shown.iter().filter(is_empty).map(|group| group.as_str()).collect();
    if !empty.is_empty() {
        out.push_str(&format!("{dim}none: {}{dim:#}\n", empty.join(", ")));
    }
    out
}

/// Splits a group by heading: hooks by slot, in the order in which they run; everything else has one.
fn grouped(group: ListingGroup, entries: Vec<&ListingRow>) -> Vec<(String, Vec<&ListingRow>)> {
    if entries.is_empty() {
        return Vec::new();
    }
    if !group.is_ordered() {
        return vec![(group.to_string(), entries)];
    }
    let mut slots: BTreeMap<(bool, Option<Slot>), Vec<&ListingRow>> = BTreeMap::new();
    for entry in entries {
        slots.entry((entry.slot.is_none(), entry.slot)).or_default().push(entry);
    }
    slots
        .into_iter()
        .map(|((_, slot), mut entries)| {
            entries.sort_by_key(|entry| (entry.order.is_none(), entry.order));
            let slot = slot.map_or_else(|| "in no slot".to_owned(), |slot| slot.to_string());
            (format!("{group} {slot}"), entries)
        })
        .collect()
}

fn row(entry: &ListingRow) -> [Cell; 4] {
    let name = match (entry.order, entry.value.group.is_ordered()) {
        (Some(order), true) => format!("  {}. ", order + 1),
        (None, true) => "  -  ".to_owned(),
        _ => "  ".to_owned(),
    };
    let [own, layer, state] = head(entry);
    let what = if entry.active { Style::new() } else { style::DIM };
    [own.after(&name), layer, state, Cell::styled(what_it_is(entry), what)]
}

/// Returns the first columns of every listing: name, layer and state.
pub fn head<T>(entry: &Entry<T>) -> [Cell; 3] {
    let state = entry.state();
    [
        Cell::styled(one_line(&entry.name), if entry.active { style::BOLD } else { style::DIM }),
        Cell::styled(entry.origin.scope.as_str(), style::scope(entry.origin.scope)),
        Cell::styled(state.as_str(), state_style(state)),
    ]
}

/// Returns the style of a state.
pub fn state_style(state: EntryState) -> Style {
    match state {
        EntryState::Active => style::GOOD,
        EntryState::Hidden | EntryState::Off => style::DIM,
        EntryState::Broken => style::BAD,
        EntryState::Untrusted | EntryState::Incomplete | EntryState::NeedsGrant | EntryState::Pending => {
            style::CARE
        }
    }
}

/// Describes an entry: the first line of its description, a hook with its role.
fn what_it_is(entry: &ListingRow) -> String {
    let about = entry.about.as_deref().unwrap_or_default().trim();
    let about = match about.split_once('\n') {
        Some((first, _)) => format!("{} …", one_line(first.trim_end())),
        None => one_line(about),
    };
    match entry.value.role {
        Some(role) => {
            let role = match role {
                HookRole::Guard => "guard",
                HookRole::Transform => "transform",
                HookRole::Observer => "observer",
            };
            let role = match &entry.value.event {
                Some(event) => format!("{role} of {}", event),
                None => role.to_owned(),
            };
            if about.is_empty() { role } else { format!("{role}: {about}") }
        }
        None => about,
    }
}

/// Formats the orders that were rewritten: before and after.
pub fn rewrites(scopes: &Scopes) -> String {
    let (care, dim) = (style::CARE, style::DIM);
    let mut out = String::new();
    for rewrite in &scopes.rewrites {
        let joined = |ids: &[String]| listed_hooks(ids, rewrite.slot, scopes).join(", ");
        let (slot, layer) = (rewrite.slot, rewrite.scope);
        out.push_str(&format!(
            "{care}{slot}: the order is that of the {layer} layer's ordering.json{care:#}\n"
        ));
        let (before, now) = (joined(&rewrite.previous_order), joined(&rewrite.new_order));
        if rewrite.new_order.is_empty() {
            out.push_str(&format!("  {dim}no hook is active there{dim:#}\n"));
        } else if before == now {
            out.push_str(&format!("  {dim}as without it:{dim:#} {now}\n"));
        } else {
            out.push_str(&format!("  {dim}before:{dim:#} {before}\n  {dim}now:{dim:#}    {now}\n"));
        }
    }
    out
}

/// Names the hooks of an order; of those that share a name each with its layer.
fn listed_hooks(ids: &[String], slot: Slot, scopes: &Scopes) -> Vec<String> {
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    ids.iter()
        .map(|id| {
            let same =
                scopes.of(Category::Hooks).filter(|entry| entry.slot == Some(slot) && entry.name == *id);
            let mut same: Vec<_> =
                same.filter_map(|entry| Some((entry.order?, entry.origin.scope))).collect();
            same.sort_unstable();
            let nth = taken.entry(id).or_default();
            let scope = same.get(*nth).filter(|_| same.len() > 1).map(|(_, scope)| scope);
            *nth += 1;
            scope.map_or_else(|| one_line(id), |scope| format!("{} ({scope})", one_line(id)))
        })
        .collect()
}

/// Counts rows by state, and the warnings and errors: `12 active, 3 off, 1 broken, 1 warning, 0 errors`.
pub fn totals(rows: &[ListingRow], diagnostics: &[Diagnostic]) -> String {
    let of = |severity: Severity| {
        count(
            diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count(),
            severity.as_str(),
        )
    };
    let in_state = |state: EntryState| rows.iter().filter(|row| row.state() == state).count();
    let broken = match in_state(EntryState::Broken) {
        0 => String::new(),
        broken => format!(", {broken} broken"),
    };
    format!(
        "{} active, {} off{broken}, {}, {}",
        rows.iter().filter(|row| row.active).count(),
        in_state(EntryState::Off),
        of(Severity::Warning),
        of(Severity::Error),
    )
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Layers, Sample, plain},
        *,
    };
    use preface_core::{extension::DiscoveredContent, scope::Scope};

    const TOOLS: ListingGroup = ListingGroup::Extensions(Category::Tools);

    fn counts(layers: &Layers) -> String {
        let diagnostics = [layers.scopes.diagnostics.as_slice(), &layers.mcp.diagnostics].concat();
        totals(&layers.rows(&ListingGroup::ALL), &diagnostics)
    }

    fn shown(
        layers: &Layers,
        groups: &[ListingGroup],
        inactive: InactiveRows,
        room: Option<usize>,
    ) -> String {
        plain(&table(&layers.rows(groups), groups, inactive, room))
    }

    #[test]
    fn the_worked_example_of_the_seed_reads_as_its_table_does() {
        let scopes = Sample::worked().layers();
        assert_eq!(
            shown(&scopes, &ListingGroup::ALL, InactiveRows::Shown, None),
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
none: commands, servers, sessionStores, stateMachines, ui
"
        );
        assert_eq!(counts(&scopes), "6 active, 1 off, 1 warning, 0 errors");
    }

    #[test]
    fn what_is_not_active_can_be_left_out() {
        let scopes = Sample::worked().layers();
        assert_eq!(
            shown(&scopes, &[TOOLS], InactiveRows::LeftOut, None),
            "  name  layer    state   what it is
tools
  Bash  project  active  Runs commands, strictly.
    hides bundled (bundled/extensions/tools/Bash/manifest.json)
  Edit  bundled  active  Edits files.
"
        );
    }

    #[test]
    fn every_state_has_its_word_and_its_reason() {
        use Category::{Loggers, Tools};
        let untrusted = Diagnostic::warning(DiagnosticCode::TrustUntrusted, "it waits");
        let scopes = Sample::default()
            .add(Scope::Bundled, Tools, "a", r#""description": "Sound.""#)
            .add(Scope::Global, Tools, "a", r#""description": 1"#)
            .add(Scope::Global, Tools, "b", r#""promptSnippet": "No description.""#)
            .add(Scope::Global, Tools, "c", r#""description": 1"#)
            .raw(Scope::Project, Tools, "d", DiscoveredContent::Untrusted(untrusted))
            .add(Scope::Project, Loggers, "e", r#""path": "e.log""#)
            .add(Scope::Global, Tools, "f", r#""description": "Configured.", "config": {"n": 1}"#)
            .settings(Scope::Project, r#"{"tools": {"f": {"n": 2}}}"#)
            .layers();
        assert_eq!(
            shown(&scopes, &ListingGroup::ALL, InactiveRows::Shown, None),
            "  name  layer    state        what it is
loggers
  e     project  needs grant  e.log
    may not run: `preface trust grant --allow-commands`
tools
  a     bundled  active       Sound.
    the one above it cannot be used: global (~/.stud/extensions/tools/a/manifest.json)
  a     global   broken
    broken: `description` must be a string, not a number; the bundled one stays
  b     global   incomplete   No description.
    cannot be used without `description`
  c     global   broken
    broken: `description` must be a string, not a number
  d     project  untrusted
    not trusted: `preface trust grant`
  f     global   active       Configured.
    configured by project
none: commands, contextProviders, hooks, providers, servers, sessionStores, stateMachines, ui
"
        );
        assert_eq!(counts(&scopes), "4 active, 0 off, 2 broken, 3 warnings, 1 error");
    }

    #[test]
    fn a_narrow_screen_cuts_what_it_is_and_wraps_the_reasons() {
        let scopes = Sample::worked().layers();
        let shown = shown(&scopes, &[TOOLS], InactiveRows::Shown, Some(44));
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
            .layers();
        assert_eq!(
            shown(&scopes, &[HOOKS], InactiveRows::Shown, None),
            "  name      layer    state       what it is
hooks RECEIVE_INPUT/pre
  1. early  global   active      transform: true
hooks TOOL_CALL/post
  1. two    bundled  active      transform: true
    preface calls no tools and never starts it; it is listed for your agent
  2. one    bundled  active      transform: true
    preface calls no tools and never starts it; it is listed for your agent
hooks in no slot
  -  lost   global   incomplete  transform: true
    cannot be used without `slot` or `event`
"
        );
        assert_eq!(
            plain(&rewrites(&scopes.scopes)),
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
            .layers();
        let view = shown(&scopes, &[TOOLS], InactiveRows::Shown, None);
        assert!(view.contains("x\\u{1b}[2J\\u{202e}y …\n"), "{view}");
    }

    #[test]
    fn servers_stand_with_transport_and_what_became_of_them() {
        let scopes = Sample::default()
            .mcp(
                Scope::Global,
                r#"{"mcpServers": {
                "docs": {"type": "http", "url": "https://docs.example/mcp?key=sk-123"},
                "git": {"command": "git-mcp", "env": {"TOKEN": "sk-123"}},
                "bad": {"command": 1},
                "old": {"command": "old-mcp"}}}"#,
            )
            .mcp(
                Scope::Project,
                "{\"mcpServers\": {\n\"git\": {\"command\": \"./git.sh\"},\n\"old\": {\"disable\": true}}}",
            )
            .layers();
        assert_eq!(
            shown(&scopes, &[ListingGroup::Mcp], InactiveRows::Shown, None),
            "  name  layer    state    what it is
servers
  bad   global   broken
    broken: `command` must be a string, not a number
  docs  global   active   streamable-http: https://docs.example/mcp
  git   global   active   stdio: git-mcp; env: TOKEN
    the one above it cannot be used: project (.stud/mcp.json)
  git   project  pending  stdio: ./git.sh
    may not run: `preface trust grant --allow-commands`
  old   global   off      stdio: old-mcp
    switched off by .stud/mcp.json:3
"
        );
        assert_eq!(counts(&scopes), "2 active, 1 off, 1 broken, 0 warnings, 1 error");
    }
}
