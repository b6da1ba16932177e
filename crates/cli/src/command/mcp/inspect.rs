//! `preface mcp inspect`: the whole reply of a server.

use super::query::ServerFlags;
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    scopes_view::unread_servers,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, one_line, visible},
    },
};
use preface_engine::{Engine, core::mcp_servers::ServerDescription};
use serde_json::json;
use std::fmt::Write;

const EXAMPLES: &str = "\
Examples:
  preface mcp inspect git                 ask it now
  preface mcp inspect git --recorded      what builds read
  preface mcp inspect git --format json | jq '.description.tools[0]'";

/// Show everything that an MCP server offers
///
/// The server is queried now; `--record` records its replies. `--recorded` starts nothing and shows what builds read.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Name the server
    #[arg(value_name = "SERVER")]
    server: String,

    /// Show what is recorded; start nothing
    #[arg(long, conflicts_with_all = ["record", "timeout"])]
    recorded: bool,

    /// Record the answer, as `preface mcp refresh` does
    #[arg(long)]
    record: bool,

    #[command(flatten)]
    flags: ServerFlags,
}

/// Shows it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    if args.recorded {
        return recorded(ui, args);
    }
    let answers = args.flags.query(ui, std::slice::from_ref(&args.server), args.record)?;
    for answer in &answers.servers {
        match (args.flags.format, &answer.description) {
            (OutputFormat::Json, description) => {
                let mut document =
                    serde_json::to_value(answer).map_err(|error| CommandFailure::new(error.to_string()))?;
                document["description"] = json!(description);
                ui.json(&document)?;
            }
            (OutputFormat::Text, Some(description)) => {
                let ms = answer.ms.map(|ms| format!("{ms} ms"));
                let variables = [answer.calls_itself.clone(), answer.protocol.as_deref().map(protocol), ms];
                ui.view(&view(&answer.name, &variables, description, ui.columns()))?;
            }
            (OutputFormat::Text, None) => {}
        }
    }
    args.flags.print_diagnostics(ui, &answers);
    Ok(if answers.all_well() { Exit::Done } else { Exit::Failed })
}

fn recorded(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let report = Engine::new(&system).servers(&args.flags.request()?)?;
    let name = one_line(&args.server);
    let Some(known) = report.known.get(&args.server) else {
        let servers = &report.scopes.mcp;
        let named = servers.active(&args.server).or_else(|| servers.named(&args.server).next_back());
        return Err(match named {
            None => {
                let message = format!("there is no MCP server `{name}`");
                unread_servers(&message, &report.scopes.diagnostics).unwrap_or_else(|| {
                    CommandFailure::usage(message).help("`preface list servers` shows all")
                })
            }
            Some(server) if !server.active => {
                CommandFailure::new(format!("MCP server `{name}` is not active"))
                    .help(format!("`preface list --why servers/{}` shows why", server.word()))
            }
            Some(server) if !server.runnable => {
                CommandFailure::new(format!("MCP server `{name}` is not allowed yet"))
                    .help("review its files, then run `preface trust grant --allow-commands`")
            }
            Some(server) => CommandFailure::new(format!("nothing is recorded of MCP server `{name}`"))
                .help(format!("`preface mcp refresh {}` queries it", server.word())),
        });
    };
    match args.flags.format {
        OutputFormat::Json => {
            let mut document =
                serde_json::to_value(known).map_err(|error| CommandFailure::new(error.to_string()))?;
            document["name"] = json!(args.server);
            document["description"] = json!(known.recording.described);
            ui.json(&document)?;
        }
        OutputFormat::Text => {
            let variables = [
                known.calls_itself.clone(),
                known.protocol.as_deref().map(protocol),
                Some(known.path.clone()),
            ];
            ui.view(&view(&args.server, &variables, &known.recording.described, ui.columns()))?;
        }
    }
    Ok(Exit::Done)
}

fn protocol(version: &str) -> String {
    format!("protocol {version}")
}

/// Writes everything that a server offers. All of it is untrusted text.
fn view(
    name: &str,
    variables: &[Option<String>],
    description: &ServerDescription,
    room: Option<usize>,
) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut out = String::new();
    let variables: Vec<String> = variables.iter().flatten().map(|variable| one_line(variable)).collect();
    let _ = writeln!(out, "{bold}{}{bold:#}  {dim}{}{dim:#}", one_line(name), variables.join("; "));
    if let Some(instructions) = &description.instructions {
        let _ = writeln!(out, "\n{bold}instructions{bold:#}");
        for line in visible(instructions).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    let tools = description.tools.iter().map(|tool| (tool.name.as_str(), tool.description.as_deref()));
    let prompts: Vec<(String, Option<&str>)> = description
        .prompts
        .iter()
        .map(|prompt| {
            let argument = |argument: &preface_engine::core::mcp_servers::DescribedArgument| {
                let mark = if argument.required { "" } else { "?" };
                format!("{}{mark}", argument.name)
            };
            let arguments: Vec<String> = prompt.arguments.iter().map(argument).collect();
            let name = if arguments.is_empty() {
                prompt.name.clone()
            } else {
                format!("{}({})", prompt.name, arguments.join(", "))
            };
            (name, prompt.description.as_deref())
        })
        .collect();
    let resources = description.resources.iter().map(|one| {
        (
            one.uri.as_str(),
            one.description.as_deref().or(Some(one.name.as_str()).filter(|name| !name.is_empty())),
        )
    });
    out.push_str(&list("tool", tools, room));
    out.push_str(&list("prompt", prompts.iter().map(|(name, about)| (name.as_str(), *about)), room));
    out.push_str(&list("resource", resources, room));
    for fetched in &description.fetched {
        let bytes: usize = fetched.texts.iter().map(String::len).sum();
        let what = one_line(&fetched.want.to_string());
        let _ = writeln!(out, "\n{bold}{what}{bold:#}  {dim}{}{dim:#}", count(bytes, "byte"));
        for line in
            fetched.texts.iter().flat_map(|text| visible(text).lines().map(str::to_owned).collect::<Vec<_>>())
        {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

fn list<'s>(
    thing: &str,
    items: impl Iterator<Item = (&'s str, Option<&'s str>)>,
    room: Option<usize>,
) -> String {
    let (bold, items) = (style::BOLD, items.collect::<Vec<_>>());
    if items.is_empty() {
        return String::new();
    }
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Left]);
    for (name, about) in &items {
        let first = about.and_then(|about| about.trim().lines().next()).unwrap_or_default();
        table.row([Cell::from(format!("  {}", one_line(name))), Cell::styled(one_line(first), style::DIM)]);
    }
    format!("\n{bold}{}{bold:#}\n{}", count(items.len(), thing), table.show(room))
}
