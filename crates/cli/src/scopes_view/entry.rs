//! One name: the entry of each layer, its state and the reason for it, and the active one.

use super::{
    details::details,
    row::{ListingGroup, ListingRow},
    table::state_style,
};
use crate::{
    CommandFailure,
    ui::{Cell, TextTable, listed, one_line, style},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    extension::EntryState,
    scope::Scope,
    suggestion::did_you_mean,
};

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

/// Says which layer's entry is used.
fn headline(entries: &[ListingRow]) -> String {
    let name = entries.last().map(name).unwrap_or_default();
    let active: Vec<&str> =
        entries.iter().filter(|entry| entry.active).map(|entry| whose(entry.origin.scope)).collect();
    match active.as_slice() {
        [] => format!("{name} is not active."),
        [one] => format!("{name} is {one}."),
        several => format!("{name} takes part more than once: {}.", listed(several)),
    }
}

/// Describes the state of an entry and the reason for it.
fn outcome(entry: &ListingRow) -> String {
    let mut reasons = details(entry);
    if let (Some(order), Some(slot)) = (entry.order, entry.slot) {
        reasons.push(format!("number {} in {slot}", order + 1));
    }
    let switched = entry.diagnostics.iter().filter(|one| one.code == DiagnosticCode::ScopeEnabled);
    reasons.extend(switched.map(|diagnostic| one_line(&diagnostic.message)));
    match entry.state() {
        state if reasons.is_empty() => state.as_str().to_owned(),
        // The reason has the word itself.
        EntryState::Broken | EntryState::Hidden | EntryState::Off | EntryState::Untrusted => {
            reasons.join("; ")
        }
        state => format!("{}: {}", state.as_str(), reasons.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{Layers, Sample, plain},
        *,
    };
    use preface_core::{
        diagnostic::Diagnostic,
        extension::{Category, DiscoveredContent},
    };

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
  bundled  bundled/extensions/tools/Bash/manifest.json  hidden by project (.stud/extensions/tools/Bash/manifest.json)
  global   -                                            nothing here
  project  .stud/extensions/tools/Bash/manifest.json    active: hides bundled (bundled/extensions/tools/Bash/manifest.json)
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
",
        );
    }

    #[test]
    fn a_switch() {
        assert_report(
            &Sample::worked().layers(),
            "stdout",
            "\
loggers/stdout is not active.
  bundled  bundled/extensions/loggers/stdout/manifest.json  switched off by ~/.stud/settings.json:3
  global   -                                                nothing here
  project  -                                                nothing here
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
  global   ~/.stud/extensions/tools/Bash/manifest.json  active: the one above it cannot be used: project (.stud/extensions/tools/Bash/manifest.json)
  project  .stud/extensions/tools/Bash/manifest.json    broken: `description` must be a string, not a number; the global one stays
");
    }

    #[test]
    fn a_program_of_a_project() {
        assert_report(&Sample::worked().layers(), "pre-tool-audit", "\
hooks/pre-tool-audit is the project's.
  bundled  -                                                    nothing here
  global   -                                                    nothing here
  project  .stud/extensions/hooks/pre-tool-audit/manifest.json  needs grant: may not run: `preface trust grant --allow-commands`; number 1 in TOOL_CALL/pre
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
tools/Bash is not active.
  bundled  -                                          nothing here
  global   -                                          nothing here
  project  .stud/extensions/tools/Bash/manifest.json  not trusted: `preface trust grant`
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
  global   ~/.stud/mcp.json  active: the one above it cannot be used: project (.stud/mcp.json)
  project  .stud/mcp.json    pending: may not run: `preface trust grant --allow-commands`
",
        );
        assert_report(
            &layers,
            "old",
            "\
servers/old is not active.
  bundled  -                 nothing here
  global   ~/.stud/mcp.json  switched off by .stud/mcp.json:1
  project  -                 nothing here
",
        );
    }
}
