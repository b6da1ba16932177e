//! `preface agents`: the agents of a directory, which of them answer to their names, from where, and what is wrong.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::Format,
    scopes_view::{ListingFlags, Row, State, asides},
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::{one_line, short, wrap},
    },
};
use preface::{Engine, core::diagnostic::Diagnostic, host::agents::AgentEntry};

const EXAMPLES: &str = "\
Examples:
  preface agents
  preface agents --all --trust once
  preface agents --format json | jq -r '.[] | select(.active).name'";

/// The widest column of tools.
const TOOLS: usize = 32;
/// The longest description.
const DESCRIPTION: usize = 160;

/// List the agents of a directory
///
/// An agent is a Markdown file in the directory `agents` of a layer: its head says name, description and what the agent may
/// use, its text is the agent's prompt. Of several of one name the project's wins, then yours, then the bundled one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    listing: ListingFlags,
    /// Show what is hidden, held or broken, too, and why
    #[arg(long)]
    all: bool,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let system = files::system();
    let request = args.listing.request()?;
    let report = Engine::new(&system).agents(&request).map_err(|error| args.listing.failed(error))?;
    let every = args.all || args.listing.format == Format::Json;
    let rows: Vec<&AgentEntry> = report.agents.iter().filter(|agent| every || agent.active).collect();
    match args.listing.format {
        Format::Json => ui.json(&rows)?,
        Format::Text => ui.view(&view(&rows, report.agents.len() - rows.len(), ui.columns()))?,
    }
    // What the table says is not said twice.
    let is_row = |note: &Diagnostic| every && rows.iter().any(|agent| agent.diagnostics.contains(note));
    let told: Vec<Diagnostic> = report.diagnostics.iter().filter(|note| !is_row(note)).cloned().collect();
    args.listing.tell(ui, &told);
    Ok(Exit::Done)
}

fn view(rows: &[&AgentEntry], left_out: usize, room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut out = String::new();
    if rows.is_empty() {
        out.push_str(&format!("{dim}nothing: agents{dim:#}\n"));
    } else {
        let mut table = Table::new([Side::Left, Side::Left, Side::Left, Side::Left, Side::Left]);
        table.row(["name", "layer", "state", "tools", "path"].map(|head| Cell::styled(head, dim)));
        for agent in rows {
            let state = State::of(*agent);
            table.row([
                Cell::styled(one_line(&agent.name), if agent.active { style::BOLD } else { dim }),
                Cell::styled(agent.origin.scope.as_str(), style::scope(agent.origin.scope)),
                Cell::styled(state.word(), state.style()),
                short(&one_line(&tools(agent)), TOOLS).into_owned().into(),
                one_line(&agent.origin.path).into(),
            ]);
        }
        let lines = table.show(room);
        let mut lines = lines.lines();
        out.extend(lines.next().map(|head| format!("{head}\n")));
        for (agent, line) in rows.iter().zip(lines) {
            out.push_str(&format!("{line}\n"));
            for told in below(agent) {
                let told = wrap(&format!("  {told}"), room.unwrap_or(usize::MAX), 4);
                out.push_str(&format!("{dim}{told}{dim:#}\n"));
            }
        }
    }
    if left_out > 0 {
        out.push_str(&format!("{dim}not shown: {left_out} more; `--all` shows them and why{dim:#}\n"));
    }
    out
}

fn tools(agent: &AgentEntry) -> String {
    let Some(said) = &agent.what else { return "-".to_owned() };
    let but = match said.disallowed_tools.as_slice() {
        [] => String::new(),
        not => format!(" but {}", not.join(", ")),
    };
    match &said.tools {
        None => format!("all{but}"),
        Some(tools) if tools.is_empty() => "none".to_owned(),
        Some(tools) => format!("{}{but}", tools.join(", ")),
    }
}

/// The lines below a row: what it is for, then what there is to know about it.
fn below(agent: &AgentEntry) -> Vec<String> {
    let description =
        agent.what.iter().map(|said| short(&one_line(&said.description), DESCRIPTION).into_owned());
    let mut lines: Vec<String> = description.collect();
    lines.extend(asides(Row::from(agent)));
    if agent.what.is_some() {
        let told = agent.diagnostics.iter().filter(|note| note.code != "agent/shadowed");
        lines.extend(told.map(|note| one_line(&note.message)));
    }
    lines
}
