//! `preface list agents`: the agents of all layers.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{EntryState, InactiveRows, ListingFlags, ListingRow, details, with_state},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{columns, one_line, short},
    },
};
use preface_engine::{
    Engine,
    core::diagnostic::{Diagnostic, DiagnosticCode},
    host::agents::AgentEntry,
};

/// The widest column of names.
const NAME: usize = 32;
/// The widest column of tools, and its width if room is short.
const TOOLS: usize = 32;
const FEW_TOOLS: usize = 8;
/// The width that the path keeps before the column of tools is narrowed.
const PATH: usize = 16;
/// The longest description.
const DESCRIPTION: usize = 160;

/// Lists the agents.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let report = Engine::new(&system).agents(&listing.request()?)?;
    let every = inactive == InactiveRows::Shown || listing.format == OutputFormat::Json;
    let rows: Vec<&AgentEntry> = report.agents.iter().filter(|agent| every || agent.active).collect();
    match listing.format {
        OutputFormat::Json => ui.json(&ListDocument {
            kind: "agents",
            entries: rows.iter().map(|agent| with_state(*agent)).collect(),
            diagnostics: &report.diagnostics,
        })?,
        OutputFormat::Text => ui.view(&view(&rows, report.agents.len() - rows.len(), ui.columns()))?,
    }
    // The table has the diagnostics of its rows.
    let is_row =
        |diagnostic: &Diagnostic| every && rows.iter().any(|agent| agent.diagnostics.contains(diagnostic));
    let more: Vec<Diagnostic> =
        report.diagnostics.iter().filter(|diagnostic| !is_row(diagnostic)).cloned().collect();
    listing.print_diagnostics(ui, &more);
    Ok(Exit::Done)
}

fn view(rows: &[&AgentEntry], left_out: usize, room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut out = String::new();
    if rows.is_empty() {
        out.push_str(&format!("{dim}none: agents{dim:#}\n"));
    } else {
        let mut table = TextTable::new([
            ColumnAlignment::Left,
            ColumnAlignment::Left,
            ColumnAlignment::Left,
            ColumnAlignment::Left,
            ColumnAlignment::Left,
        ]);
        table.row(["name", "layer", "state", "tools", "path"].map(|head| Cell::styled(head, dim)));
        let widest = widest_tools(rows, room);
        for agent in rows {
            let state = EntryState::of(*agent);
            table.row([
                Cell::styled(name(agent), if agent.active { style::BOLD } else { dim }),
                Cell::styled(agent.origin.scope.as_str(), style::scope(agent.origin.scope)),
                Cell::styled(state.word(), state.style()),
                short(&one_line(&tools(agent)), widest).into_owned().into(),
                one_line(&agent.origin.path).into(),
            ]);
        }
        out.push_str(&table.show_with(rows.iter().map(|agent| below(agent)), room));
    }
    if left_out > 0 {
        out.push_str(&format!("{dim}not shown: {left_out} more; `--all` shows them and why{dim:#}\n"));
    }
    out
}

fn name(agent: &AgentEntry) -> String {
    short(&one_line(&agent.name), NAME).into_owned()
}

/// Returns the width of the column of tools that leaves room for a path behind it.
fn widest_tools(rows: &[&AgentEntry], room: Option<usize>) -> usize {
    let Some(room) = room else { return TOOLS };
    let widest = |cell: fn(&AgentEntry) -> String| rows.iter().map(|agent| columns(&cell(agent))).max();
    let before = [widest(name), widest(|agent| agent.origin.scope.as_str().into())]
        .into_iter()
        .chain([widest(|agent| EntryState::of(agent).word().into())])
        .map(|width| width.unwrap_or_default().max("layer".len()) + 2);
    room.saturating_sub(before.sum::<usize>() + 2 + PATH).clamp(FEW_TOOLS, TOOLS)
}

fn tools(agent: &AgentEntry) -> String {
    let Some(definition) = &agent.value.what else { return "-".to_owned() };
    let but = match definition.disallowed_tools.as_slice() {
        [] => String::new(),
        not => format!(" but {}", not.join(", ")),
    };
    match &definition.tools {
        None => format!("all{but}"),
        Some(tools) if tools.is_empty() => "none".to_owned(),
        Some(tools) => format!("{}{but}", tools.join(", ")),
    }
}

/// The lines below a row: its description, then its details.
fn below(agent: &AgentEntry) -> Vec<String> {
    let description = agent
        .value
        .what
        .iter()
        .map(|definition| short(&one_line(&definition.description), DESCRIPTION).into_owned());
    let mut lines: Vec<String> = description.collect();
    lines.extend(details(ListingRow::from(agent)));
    if agent.value.what.is_some() {
        let shown =
            agent.diagnostics.iter().filter(|diagnostic| diagnostic.code != DiagnosticCode::MarkdownShadowed);
        lines.extend(shown.map(|diagnostic| one_line(&diagnostic.message)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_engine::{ASSETS, Request, host::system::testing::MemorySystem};

    #[test]
    fn a_listing_fits_into_a_terminal() {
        let tools = "Read, Write, Edit, Glob, Grep, Bash, Task, WebFetch, WebSearch";
        let file =
            |name: &str| format!("---\nname: {name}\ndescription: Reviews.\ntools: {tools}\n---\n\nYou.\n");
        let system = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/u")
            .with_dir("/w")
            .with_file("/home/u/.claude/agents/a.md", file("agent-with-a-longer-name"))
            .with_file("/home/u/.claude/agents/somewhere/deep/down/b.md", file(&"n".repeat(60)))
            .with_current_dir("/w");
        let request = Request { preset: Some("claude-code".into()), ..Request::new("/w") };
        let agents = Engine::new(&system).agents(&request).unwrap().agents;
        let all: Vec<&AgentEntry> = agents.iter().collect();
        let own: Vec<&AgentEntry> =
            all.iter().copied().filter(|agent| agent.name.starts_with("agent-with")).collect();
        for (rows, room) in [(&all, 80), (&own, 80), (&all, 100)] {
            let view = anstream::adapter::strip_str(&view(rows, 0, Some(room))).to_string();
            let widest = view.lines().map(columns).max();
            assert!(widest.is_some_and(|widest| widest <= room), "{room} columns:\n{view}");
        }
        let view = anstream::adapter::strip_str(&view(&own, 0, Some(80))).to_string();
        let row = "agent-with-a-longer-name  global  active  Read, Write, Edit, …  ~/.claude/agent…";
        assert_eq!(view.lines().nth(1), Some(row));
    }
}
