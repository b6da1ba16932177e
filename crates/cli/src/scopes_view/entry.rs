//! One name: the entry of each layer, its state, the active one, and what would change that.

use super::{
    details::{fault, repair, who},
    row::{ListingGroup, ListingRow},
    table::state_style,
};
use crate::{
    CommandFailure,
    call::{ALLOW, command, help_of},
    ui::{Cell, TextTable, listed, one_line, style},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    extension::{Category, DisabledBy, EntryOrigin, EntryState},
    scope::Scope,
    settings::SetBy,
    suggestion::did_you_mean,
};
use std::fmt::Write;

const COMMANDS: ListingGroup = ListingGroup::Extensions(Category::Commands);

/// Finds the rows of a name, `Bash` or `tools/Bash`: for each id of each group, its rows as they are in order.
pub fn named<'r>(rows: &'r [ListingRow], name: &str) -> Vec<&'r [ListingRow]> {
    let (only, name) = match name.split_once('/') {
        Some((group, rest)) => match group.parse::<ListingGroup>() {
            Ok(group) => (Some(group), rest),
            Err(_) => (None, name),
        },
        None => (None, name),
    };
    // A command also has the name that is typed.
    let is_meant = |row: &ListingRow| row.name == name || row.value.typed.as_deref() == Some(name);
    rows.chunk_by(|a, b| (a.value.group, &a.name) == (b.value.group, &b.name))
        .filter(|same| only.is_none_or(|only| only == same[0].value.group) && same.iter().any(is_meant))
        .collect()
}

/// Creates the failure for an unknown name, with the nearest known one.
pub fn unknown(
    rows: &[ListingRow],
    name: &str,
    groups: &[ListingGroup],
    project: ProjectVisibility,
) -> CommandFailure {
    let full: Vec<String> = rows.iter().map(|row| format!("{}/{}", row.value.group, row.name)).collect();
    let near = if name.contains('/') {
        did_you_mean(name, full.iter().map(String::as_str))
    } else {
        did_you_mean(name, rows.iter().map(|row| row.name.as_str()))
    };
    let name = one_line(name);
    let message = match project {
        ProjectVisibility::Seen => format!("no layer has `{name}`"),
        ProjectVisibility::Untrusted => {
            format!("no layer has `{name}`; the project is not trusted and was not read")
        }
    };
    // The list that has what was meant: of the kind before the slash, or of the one kind that was named.
    let kind = name.split_once('/').and_then(|(kind, _)| kind.parse::<ListingGroup>().ok());
    let kind = match (kind, groups) {
        (None, [only]) => Some(*only),
        (kind, _) => kind,
    };
    CommandFailure::new(message).help(match (near, kind) {
        (Some(near), _) => format!("did you mean `{}`?", one_line(near)).into(),
        (None, Some(kind)) => Remedy::command("see what there is", format_args!("list {kind} --all")),
        (None, None) => Remedy::list("extensions"),
    })
}

/// Creates the failure for an unknown name of a server, if servers of the project were not read: `message` is about the name.
pub fn unread_servers(message: &str, diagnostics: &[Diagnostic]) -> Option<CommandFailure> {
    let path = untrusted_servers(diagnostics)?;
    Some(
        CommandFailure::new(format!("{message}; `{path}` is not trusted and was not read"))
            .help(Remedy::allow_commands()),
    )
}

/// Returns the path of the project's `mcp.json` if it is left out because it is not trusted.
pub fn untrusted_servers(diagnostics: &[Diagnostic]) -> Option<String> {
    let untrusted = diagnostics.iter().filter(|diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted);
    let mut paths = untrusted.filter_map(|diagnostic| diagnostic.place.as_ref()).map(|place| &place.path);
    paths.find(|path| path.ends_with("mcp.json")).map(|path| one_line(path))
}

/// The access to the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProjectVisibility {
    /// Read.
    Seen,
    /// Left out as a whole because it is untrusted.
    Untrusted,
}

/// Explains one name of one group. `entries` are not empty, the weakest layer first.
pub fn entry_report(entries: &[ListingRow], project: ProjectVisibility) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut out = format!("{bold}{}{bold:#}\n", headline(entries));
    let mut table = TextTable::new();
    for scope in Scope::ALL {
        let layer = || Cell::styled(format!("  {scope}"), style::scope(scope));
        let mut here = entries.iter().filter(|entry| entry.origin.scope == scope).peekable();
        if here.peek().is_none() {
            let nothing = match (scope, project) {
                (Scope::Project, ProjectVisibility::Untrusted) => "not read: the project is not trusted",
                _ => "nothing here",
            };
            table.row([layer(), Cell::styled("-", dim), Cell::styled(nothing, dim)]);
        }
        for entry in here {
            let outcome = Cell::styled(outcome(entry), state_style(entry.state()));
            table.row([layer(), one_line(&entry.origin.path).into(), outcome]);
        }
    }
    // A reason that is cut off is none: a narrow screen may break the line.
    out.push_str(&table.show(None));
    for advice in advice(entries) {
        let _ = writeln!(out, "{advice}");
    }
    out
}

/// The name, for people: `tools/Bash`.
fn name(entry: &ListingRow) -> String {
    format!("{}/{}", entry.value.group, one_line(&entry.name))
}

/// Names a layer's entry in a sentence.
fn whose(scope: Scope) -> &'static str {
    match scope {
        Scope::Bundled => "the bundled one",
        Scope::Global => "the global one",
        Scope::Project => "the project's",
    }
}

fn headline(entries: &[ListingRow]) -> String {
    let Some(strongest) = entries.last() else { return String::new() };
    let name = name(strongest);
    let active: Vec<&ListingRow> = entries.iter().filter(|entry| entry.active).collect();
    if let [_, _, ..] = active.as_slice() {
        let all: Vec<&str> = active.iter().map(|entry| whose(entry.origin.scope)).collect();
        return format!("{name} takes part more than once: {}.", listed(&all));
    }
    if let Some(winner) = active.last() {
        let is = format!("{name} is {}.", whose(winner.origin.scope));
        return match winner.state() {
            EntryState::NeedsGrant => format!("{is} It may not run before that is granted."),
            EntryState::Incomplete => match winner.missing {
                Some(missing) => format!("{is} It cannot be used without {missing}."),
                None => format!("{is} It cannot be used yet."),
            },
            _ => is,
        };
    }
    let is = |state: EntryState| entries.iter().any(|entry| entry.state() == state);
    if is(EntryState::Off) {
        format!("{name} is switched off.")
    } else if is(EntryState::Untrusted) {
        format!("{name} is not trusted.")
    } else if let Some(by) = entries.iter().rev().find_map(|entry| entry.shadowed_by.as_ref()) {
        format!("{name} is hidden by `{}`.", id_of(by))
    } else {
        format!("{name} is broken, and no layer below has another.")
    }
}

/// Describes the state of an entry and the reason for it.
fn outcome(entry: &ListingRow) -> String {
    let state = match entry.state() {
        EntryState::Hidden => match &entry.shadowed_by {
            Some(by) if entry.value.group == COMMANDS && id_of(by) != entry.name => {
                format!("hidden by {} `{}`", whose(by.scope), id_of(by))
            }
            Some(by) => format!("hidden by {}", whose(by.scope)),
            None => "hidden".to_owned(),
        },
        EntryState::Off => match &entry.disabled_by {
            Some(by) => format!("switched off by {}", who(by)),
            None => "switched off".to_owned(),
        },
        EntryState::Broken => format!("broken: {}", fault(entry)),
        EntryState::Untrusted => "left out: not trusted".to_owned(),
        EntryState::Active => format!("active{}", because(entry)),
        EntryState::Incomplete => format!("active, but incomplete{}", because(entry)),
        EntryState::NeedsGrant => format!("active, but may not run{}", because(entry)),
        EntryState::Pending => "pending: it may not run yet".to_owned(),
    };
    if !entry.active || entry.config_scope <= SetBy::from(entry.origin.scope) {
        return state;
    }
    match entry.config_scope {
        SetBy::Caller => format!("{state}; configured by the caller (`--set`)"),
        by => format!("{state}; configured by the {by} settings"),
    }
}

fn because(entry: &ListingRow) -> String {
    let hides = |origins: &[EntryOrigin]| {
        let hidden: Vec<&str> = origins.iter().map(|origin| whose(origin.scope)).collect();
        format!("hides {}", listed(&hidden))
    };
    let mut reasons = Vec::new();
    if !entry.shadows.is_empty() {
        reasons.push(hides(&entry.shadows));
    }
    if let Some(broken) = &entry.fallback_from {
        reasons.push(format!("{} cannot be used", whose(broken.scope)));
    }
    if let (Some(order), Some(slot)) = (entry.order, entry.slot) {
        reasons.push(format!("number {} in {slot}", order + 1));
    }
    if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) }
}

/// Returns advice on how to change the result, the most likely wish first.
fn advice(entries: &[ListingRow]) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    let mut say = |sentence: String| {
        if !sentences.contains(&sentence) {
            sentences.push(sentence);
        }
    };
    let is_in_use = entries.iter().any(|entry| entry.active);
    for entry in entries.iter().rev() {
        let (scope, path) = (entry.origin.scope, one_line(&entry.origin.path));
        match entry.state() {
            EntryState::Broken => {
                let how = repair(entry).map(|how| format!(" ({how})")).unwrap_or_default();
                say(format!("To use {}, repair {path}{how}.", whose(scope)));
            }
            EntryState::Untrusted => {
                let grant = command("trust grant");
                say(format!("To let {} take part, look at it and {grant}.", whose(scope)));
            }
            EntryState::NeedsGrant => {
                say(format!("To let it run: {}.", command(ALLOW)));
            }
            EntryState::Pending => {
                say(format!("To use {}: {}.", whose(scope), command(ALLOW)));
            }
            EntryState::Incomplete => {
                if let Some(missing) = entry.missing {
                    say(format!("To use it, add {missing} to {path}."));
                }
            }
            // What is used in its place needs no switch.
            EntryState::Off if is_in_use && !entry.value.group.is_ordered() => {}
            EntryState::Off => {
                if let Some(by) = &entry.disabled_by {
                    say(on_again(entry, by));
                }
            }
            EntryState::Hidden if !is_in_use => {
                say("To use both, give one of the two another `name`.".to_owned());
            }
            EntryState::Active | EntryState::Hidden => {}
        }
        for diagnostic in entry
            .diagnostics
            .iter()
            .filter(|diagnostic| entry.active && diagnostic.code == DiagnosticCode::ScopeEnabled)
        {
            say(format!("{}.", one_line(&diagnostic.message)));
            help_of(diagnostic).iter().for_each(|help| say(format!("{}.", one_line(help))));
        }
        let is_off = |origin: &EntryOrigin| {
            entries.iter().any(|entry| entry.origin == *origin && entry.disabled_by.is_some())
        };
        if let Some(nearest) = entry.shadows.first().filter(|nearest| !is_off(nearest)) {
            say(format!("To get {} back, remove {}.", whose(nearest.scope), source(entry)));
        }
    }
    if sentences.is_empty()
        && let [lone] = entries
    {
        sentences.push(without(lone));
    }
    sentences
}

fn on_again(entry: &ListingRow, by: &DisabledBy) -> String {
    if entry.value.group == ListingGroup::Mcp {
        return format!("To have it, let {} no longer switch off `{}`.", who(by), one_line(&entry.name));
    }
    let key = format!("{}.{}.disable", entry.value.group, one_line(&entry.name));
    match by.scope {
        SetBy::Caller => format!("To have it, leave out `--set {key}=true`."),
        _ => format!("To have it, take `{key}` out of {}.", who(by)),
    }
}

/// Returns advice on how to be rid of an entry that is the only one of its name.
fn without(entry: &ListingRow) -> String {
    if entry.value.group == ListingGroup::Mcp {
        let off = format!("`\"{}\": {{\"disable\": true}}`", one_line(&entry.name));
        return match entry.origin.scope {
            Scope::Bundled => format!("To be without it, write {off} into your mcp.json."),
            Scope::Global | Scope::Project => format!("To be without it, remove {}.", source(entry)),
        };
    }
    let key = format!("{}.{}.disable", entry.value.group, one_line(&entry.name));
    match entry.origin.scope {
        Scope::Bundled => format!("To be without it, set `{key}` to `true` in your settings."),
        Scope::Global => {
            format!("To be without it, remove {}, or set `{key}` to `true` in your settings.", source(entry))
        }
        Scope::Project => format!("To be without it, remove {}.", source(entry)),
    }
}

/// Returns the id of what lies at an origin: the directory of an extension.
fn id_of(origin: &EntryOrigin) -> String {
    let directory = origin.path.strip_suffix("/manifest.json").unwrap_or(&origin.path);
    one_line(directory.rsplit('/').next().unwrap_or(directory))
}

/// Returns what to remove to be rid of a row: the directory of an extension, if its manifest names one; a
/// server.
fn source(entry: &ListingRow) -> String {
    let path = one_line(&entry.origin.path);
    if entry.value.group == ListingGroup::Mcp {
        return format!("`{}` from {path}", one_line(&entry.name));
    }
    path.strip_suffix("/manifest.json").map_or(path.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Layers, Sample, plain},
        *,
    };
    use preface_core::{diagnostic::Diagnostic, extension::DiscoveredContent};

    #[track_caller]
    fn assert_report(layers: &Layers, name: &str, expected: &str) {
        let rows = layers.rows(&ListingGroup::ALL);
        let found = named(&rows, name);
        let stories: Vec<String> =
            found.iter().map(|entries| plain(&entry_report(entries, ProjectVisibility::Seen))).collect();
        assert_eq!(stories.join("\n"), expected);
    }

    #[test]
    fn a_shadow() {
        assert_report(
            &Sample::worked().layers(),
            "Bash",
            "\
tools/Bash is the project's.
  bundled  bundled/extensions/tools/Bash/manifest.json  hidden by the project's
  global   -                                            nothing here
  project  .stud/extensions/tools/Bash/manifest.json    active: hides the bundled one
To get the bundled one back, remove .stud/extensions/tools/Bash.
",
        );
    }

    #[test]
    fn a_lone_entry() {
        assert_report(
            &Sample::worked().layers(),
            "tools/Edit",
            "\
tools/Edit is the bundled one.
  bundled  bundled/extensions/tools/Edit/manifest.json  active
  global   -                                            nothing here
  project  -                                            nothing here
To be without it, set `tools.Edit.disable` to `true` in your settings.
",
        );
    }

    #[test]
    fn a_switch() {
        assert_report(
            &Sample::worked().layers(),
            "stdout",
            "\
loggers/stdout is switched off.
  bundled  bundled/extensions/loggers/stdout/manifest.json  switched off by ~/.stud/settings.json:3
  global   -                                                nothing here
  project  -                                                nothing here
To have it, take `loggers.stdout.disable` out of ~/.stud/settings.json:3.
",
        );
    }

    #[test]
    fn a_fallback() {
        let scopes = Sample::default()
            .add(Scope::Global, Category::Tools, "Bash", r#""description": "Runs.""#)
            .add(Scope::Project, Category::Tools, "Bash", r#""description": 1"#)
            .layers();
        assert_report(&scopes, "Bash", "\
tools/Bash is the global one.
  bundled  -                                            nothing here
  global   ~/.stud/extensions/tools/Bash/manifest.json  active: the project's cannot be used
  project  .stud/extensions/tools/Bash/manifest.json    broken: `description` must be a string, not a number; the global one stays
To use the project's, repair .stud/extensions/tools/Bash/manifest.json.
");
    }

    #[test]
    fn a_program_of_a_project() {
        assert_report(&Sample::worked().layers(), "pre-tool-audit", "\
hooks/pre-tool-audit is the project's. It may not run before that is granted.
  bundled  -                                                    nothing here
  global   -                                                    nothing here
  project  .stud/extensions/hooks/pre-tool-audit/manifest.json  active, but may not run: number 1 in TOOL_CALL/pre
To let it run: `preface trust grant --allow-commands`.
");
    }

    #[test]
    fn what_waits_for_trust() {
        let diagnostic = Diagnostic::warning(DiagnosticCode::TrustUntrusted, "it waits");
        let scopes = Sample::default()
            .raw(Scope::Project, Category::Tools, "Bash", DiscoveredContent::Untrusted(diagnostic))
            .layers();
        assert_report(
            &scopes,
            "Bash",
            "\
tools/Bash is not trusted.
  bundled  -                                          nothing here
  global   -                                          nothing here
  project  .stud/extensions/tools/Bash/manifest.json  left out: not trusted
To let the project's take part, look at it and `preface trust grant`.
",
        );
    }

    #[test]
    fn one_name_in_two_categories_has_two_stories() {
        let scopes = Sample::default()
            .add(Scope::Global, Category::Tools, "e", r#""description": "A tool.""#)
            .add(Scope::Global, Category::Loggers, "e", r#""path": "e.log""#)
            .layers();
        let rows = scopes.rows(&ListingGroup::ALL);
        assert_eq!(named(&rows, "e").len(), 2);
        assert_eq!(named(&rows, "tools/e").len(), 1);
        assert!(named(&rows, "hooks/e").is_empty());
    }

    #[test]
    fn a_server_has_a_story_too() {
        let layers = Sample::default()
            .mcp(Scope::Global, r#"{"git": {"command": "git-mcp"}, "old": {"command": "old-mcp"}}"#)
            .mcp(Scope::Project, r#"{"git": {"command": "./git.sh"}, "old": {"disable": true}}"#)
            .layers();
        assert_report(
            &layers,
            "servers/git",
            "\
servers/git is the global one.
  bundled  -                 nothing here
  global   ~/.stud/mcp.json  active: the project's cannot be used
  project  .stud/mcp.json    pending: it may not run yet
To use the project's: `preface trust grant --allow-commands`.
",
        );
        assert_report(
            &layers,
            "old",
            "\
servers/old is switched off.
  bundled  -                 nothing here
  global   ~/.stud/mcp.json  switched off by .stud/mcp.json:1
  project  -                 nothing here
To have it, let .stud/mcp.json:1 no longer switch off `old`.
",
        );
    }
}
