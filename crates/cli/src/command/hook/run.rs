//! `preface hook run`: a scenario, request by request.

use crate::{
    diagnostics,
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, TrustFlags, TurnFlags, VerbosityFlags},
    stored_template::TemplateFlags,
    ui::{
        Ui, style,
        text::{count, one_line, short},
    },
};
use preface_engine::{
    Engine, WriteScope,
    core::{hook::HookEvent, origin::Origin, prompt::Prompt, trigger::TriggerKind},
    scenario::{MOST_BYTES, Scenario, ScenarioRecord},
    session::ModelRequest,
};
use std::{fmt::Write, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface hook run --scenario chat.json --preset pi
  preface hook run --scenario chat.json --preset pi --set variant=0.87
  preface hook run --scenario chat.json --format json | jq '.calls[0]'";

/// Play a scenario: show how hooks change each request of a conversation
///
/// The file declares extensions, what a model answers and what happens; docs/reference/hooks.md has the format. Nothing in it is
/// executed. The hooks of the layers run as well, if they are permitted. No model is called.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Play FILE
    #[arg(long, value_name = "FILE")]
    scenario: PathBuf,

    /// Choose the form: a view, or one JSON document with everything
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    template: TemplateFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// Plays and shows.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let bytes = files::read_at_most(&args.scenario, MOST_BYTES as u64)?;
    let scenario = Scenario::read(&args.scenario.display().to_string(), &bytes)?;
    let mut request = args.turn.request();
    args.trust.apply(&mut request)?;
    let system = files::system();
    let templates = args.template.source(&request);
    let engine = Engine::new(&system).with_templates(&templates).writing(WriteScope::Audit);
    let record = scenario.play(engine, request)?;
    match args.format {
        OutputFormat::Json => ui.json(&record.to_json())?,
        OutputFormat::Text => ui.view(&view(ui, &record))?,
    }
    let prompt = Prompt { diagnostics: record.diagnostics, ..Prompt::default() };
    diagnostics::print(ui, args.talk.talk(), &prompt);
    Ok(Exit::Done)
}

/// Each request: its prompt beside the base, what hooks changed, the tools, and the messages in short.
fn view(ui: &Ui, record: &ScenarioRecord) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let columns = ui.columns().unwrap_or(200);
    let mut out = format!("{bold}base{bold:#}: {}\n", count(record.base.text.len(), "byte"));
    for (at, call) in record.calls.iter().enumerate() {
        let _ = writeln!(
            out,
            "\n{bold}request {}{bold:#}: {}",
            at + 1,
            beside(&record.base, &call.prompt, columns)
        );
        for line in changes(&call.prompt) {
            let _ = writeln!(out, "  {dim}{line}{dim:#}");
        }
        let _ = writeln!(out, "  {dim}tools:{dim:#} {}", tools(call));
        for message in &call.messages {
            let role = message.role().as_str();
            let text = text_of(message.fields().get("content"));
            let _ = writeln!(
                out,
                "  {dim}{role:<10}{dim:#} {}",
                short(&one_line(&text), columns.saturating_sub(13))
            );
        }
    }
    for row in record.prompts.iter().filter(|row| row.handled) {
        let _ =
            writeln!(out, "\n`{}` was handled by a hook; nothing ran.", short(&one_line(&row.prompt), 60));
    }
    if record.base.text != record.base_after.text {
        let _ =
            writeln!(out, "\n{bold}base{bold:#} at the end: {}", count(record.base_after.text.len(), "byte"));
    }
    out
}

/// The prompt as the base and what follows it, if it begins with the base.
fn beside(base: &Prompt, prompt: &Prompt, columns: usize) -> String {
    match prompt.text.strip_prefix(base.text.as_str()) {
        Some("") => "=base".to_owned(),
        Some(more) => format!("=base+{}", short(&format!("{more:?}"), columns.saturating_sub(20))),
        None => count(prompt.text.len(), "byte"),
    }
}

/// A line for each thing that made this prompt another than the first base.
fn changes(prompt: &Prompt) -> Vec<String> {
    let bytes_of = |name: &str| -> usize {
        let by_hook = prompt.spans().filter_map(|(_, span, origin)| match origin {
            Origin::Hook { hook, event: HookEvent::BeforeAgentStart } if **hook == *name => Some(span.len()),
            _ => None,
        });
        by_hook.sum()
    };
    let later = prompt.triggers.iter().filter(|one| one.kind != TriggerKind::Startup);
    later
        .map(|one| {
            let sections: Vec<&str> = one.sections.iter().map(|id| id.as_str()).collect();
            let by = one.by.as_deref().map(|by| format!(" by {}", one_line(by))).unwrap_or_default();
            let own = one.by.as_deref().map_or(0, &bytes_of);
            let own = if own > 0 { format!(", {} of its own", count(own, "byte")) } else { String::new() };
            let sections =
                if sections.is_empty() { "nothing".to_owned() } else { one_line(&sections.join(", ")) };
            format!("{}{by}: {sections}{own}", one.kind)
        })
        .collect()
}

fn tools(call: &ModelRequest) -> String {
    let names: Vec<_> = call.tools.iter().map(|tool| one_line(&tool.name)).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The texts of a content; a block without one is named.
fn text_of(content: Option<&serde_json::Value>) -> String {
    let block = |block: &serde_json::Value| {
        let word = ["text", "name", "type"].iter().find_map(|key| block.get(key)?.as_str());
        word.unwrap_or_default().to_owned()
    };
    match content {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(serde_json::Value::Array(blocks)) => blocks.iter().map(block).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}
