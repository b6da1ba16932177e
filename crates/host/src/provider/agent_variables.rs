//! Variables of agents: those that the user and the project have defined, for a model that may start one.

use super::VariableProvider;
use crate::{
    agents::{self, AgentEntry},
    markdown::{self, shown},
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Remedy, Severity},
    lint::{character::excerpt, finding::TextFinding, hidden::scan_few},
    turn::one_line,
    variable::{RecordedVariable, Stability, VariableKey},
};
use std::borrow::Cow;

/// The most agents that are listed.
const MOST: usize = 50;
/// The longest description, in characters.
const DESCRIPTION_LIMIT: usize = 300;
/// The most diagnostics about files.
const MOST_NOTES: usize = 10;

/// The provider of `agents:`.
pub const AGENT_VARIABLES: VariableProvider = VariableProvider { kinds: &["agents"], resolve };

fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    let one = key.name().strip_prefix("own.");
    if one.is_none() && key.name() != "own" {
        return RecordedVariable::absent("no such name");
    }
    let before = context.diagnostics.borrow().len();
    let entries = agents::load_own(context);
    // What came up belongs to the variable: it is reported again where the variable is known.
    let mut diagnostics = context.diagnostics.borrow_mut().split_off(before);
    if let Some(name) = one {
        return match agents::find(name, &entries) {
            Some(entry) => {
                RecordedVariable::of(line(entry), entry.origin.path.as_str(), Stability::Conversation)
            }
            None => RecordedVariable::absent("there is no such agent of yours or of the project"),
        };
    }
    diagnostics.extend(entries.iter().filter(|entry| entry.active).filter_map(hidden_diagnostic));
    let mut variable = match list(&entries) {
        Some(text) => RecordedVariable::of(text, "agents/*.md", Stability::Conversation),
        None => RecordedVariable::absent("there is no agent of yours or of the project"),
    };
    let active = entries.iter().filter(|entry| entry.active).count();
    if active > MOST {
        let what = format!("{MOST} of {active} agents are listed to the model");
        let help =
            Remedy::command("an agent that is not listed can be started by its name; see all", "list agents");
        diagnostics.insert(0, Diagnostic::info(DiagnosticCode::AgentsCut, what).help(help));
    }
    let is_cut = |entry: &&AgentEntry| entry.active && description(entry).chars().count() > DESCRIPTION_LIMIT;
    let cut = entries.iter().filter(is_cut).count();
    if cut > 0 {
        let what =
            format!("the descriptions of {cut} agents were cut to {DESCRIPTION_LIMIT} characters each");
        let help =
            Remedy::command("shorten `description` in the heads of their files; see all", "list agents");
        diagnostics.insert(0, Diagnostic::info(DiagnosticCode::AgentsCut, what).help(help));
    }
    variable.diagnostics = diagnostics.into_iter().take(MOST_NOTES).collect();
    variable
}

/// Warns where an agent's description hides text; the list writes it out.
fn hidden_diagnostic(entry: &AgentEntry) -> Option<Diagnostic> {
    let (found, _) = scan_few(&one_line(&entry.value.what.as_ref()?.description), 1);
    let found = found.into_iter().find(|found| found.severity() > Severity::Info)?;
    let what =
        format!("the description of the agent `{}` hides text: {}", shown(&entry.name), found.message());
    let place = Place::file(Some(entry.origin.scope), entry.origin.path.clone());
    Some(Diagnostic::warning(found.code(), what).at(place))
}

/// The active agents, sorted by name.
fn list(entries: &[AgentEntry]) -> Option<String> {
    let mut lines: Vec<String> = markdown::active(entries, MOST).into_iter().map(line).collect();
    let active = entries.iter().filter(|entry| entry.active).count();
    if active > MOST {
        lines.push(format!("- and {} more", active - MOST));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn line(entry: &AgentEntry) -> String {
    format!("- {}: {}", shown(&entry.name), excerpt(&description(entry), DESCRIPTION_LIMIT))
}

fn description(entry: &AgentEntry) -> Cow<'_, str> {
    one_line(entry.value.what.as_ref().map_or("", |agent| agent.description.as_str()))
}
