//! `preface hook answer`: the answer to a hook of an agent.

use crate::{
    CommandFailure, CommandResult, Exit, TemplateFlags, TurnFlags, Ui, diagnostics, events::EventFlags, files,
};
use clap::ValueEnum;
use preface_capture::agent::additions;
use preface_core::{
    attachment::{Attachment, AttachmentPlace},
    prompt::Prompt,
};
use preface_engine::{BuildOptions, Engine, Headless, host::system::System};
use serde_json::{Value, json};
use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  preface hook answer --for claude          the command of a SessionStart hook
  preface hook answer --for gemini --preset mine --set order=list
  preface hook answer --for codex --event @$HOME/.agent/events.json
  echo '{\"hook_event_name\":\"SessionStart\"}' | preface hook answer --for claude";

/// The most that is read of stdin.
const LIMIT: u64 = 4 << 20;

/// Answer a hook of an agent with the prompt of its directory
///
/// Reads the JSON of the hook on stdin and prints the answer in the form of that agent. When a session starts, the answer is the prompt
/// of the directory `cwd`, and behind it what belongs in user messages; when a session is resumed, `{}`, because its history has the
/// text already. Gemini CLI and GitHub Copilot CLI do not store the text, and get it again. When the user submits a prompt, it is the reminders of `--event`.
/// Every other event is answered with `{}`.
///
/// The preset is `additions` unless a flag or your settings name another one: your own texts, and nothing that an agent reads by itself.
/// The model of the session and its id (`[prompt:conversation_id]`) are those of the hook, unless a flag sets them. Trust is as recorded:
/// nobody is asked, and files that are not trusted are left out.
///
/// An agent is never stopped by this command: the exit code is always 0, and if there is no answer, because of broken JSON, a missing
/// directory or a wrong flag, `{}` is printed and the reason goes to stderr.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Answer in the form of this agent
    #[arg(id = "for", long = "for", value_enum, value_name = "AGENT")]
    agent: HookAgent,

    /// Add an event: a JSON object whose `type` is that of a reminder, or FILE with such objects
    ///
    /// FILE holds one object, an array of them, or one on each line. `preface list reminders` lists the types.
    #[arg(long = "event", value_name = "JSON|@FILE")]
    events: Vec<String>,

    #[command(flatten)]
    turn: TurnFlags,

    #[command(flatten)]
    template: TemplateFlags,
}

/// The agents whose hooks are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum HookAgent {
    /// Claude Code
    Claude,
    /// Codex
    Codex,
    /// Gemini CLI
    Gemini,
    /// GitHub Copilot CLI
    Copilot,
}

/// The events that have an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AgentEvent {
    /// A session starts, or its history was cleared or compacted.
    SessionStart,
    /// The user submits a prompt.
    PromptSubmit,
}

/// What a hook reports.
#[derive(Debug)]
struct HookInput(Value);

/// Prints the answer. The exit code is always 0.
pub fn run(ui: &Ui, args: &Args) -> Exit {
    let answer = match answer(ui, args) {
        Ok(answer) => answer,
        Err(failure) => {
            failure.report(ui);
            json!({})
        }
    };
    print(ui, &answer)
}

/// Answers a command line that clap refused, if it is one of this command.
pub fn without_answer(ui: &Ui, words: &[OsString]) -> Option<Exit> {
    let is_answer =
        words.get(1).is_some_and(|word| word == "hook") && words.get(2).is_some_and(|word| word == "answer");
    is_answer.then(|| print(ui, &json!({})))
}

fn print(ui: &Ui, answer: &Value) -> Exit {
    if let Err(failure) = ui.json_text(answer.to_string()) {
        failure.report(ui);
    }
    Exit::Done
}

fn answer(ui: &Ui, args: &Args) -> CommandResult<Value> {
    let input = HookInput::read()?;
    let events = EventFlags::of(args.events.clone());
    let cwd = input.directory()?.or_else(|| files::system().current_dir());
    events.refuse_files_below(&args.turn.directory.clone().or(cwd).unwrap_or_default())?;
    let events = events.read()?;
    let (name, event) = match input.event() {
        Some((name, Some(event))) => (name, event),
        Some((_, None)) => return Ok(json!({})),
        None => {
            return Err(CommandFailure::new("the JSON on stdin names no event")
                .help("`hook_event_name` is the name of the event, such as `SessionStart`"));
        }
    };
    let is_resumed = event == AgentEvent::SessionStart && input.text(&["source"]) == Some("resume");
    if (is_resumed && args.agent.stores_texts()) || (event == AgentEvent::PromptSubmit && events.is_empty()) {
        return Ok(json!({}));
    }
    let mut request =
        BuildOptions { events, fallback_preset: Some(additions().into()), ..args.turn.request() };
    if request.cwd.is_none() {
        request.cwd = input.directory()?;
    }
    let text = |keys: &[&str]| input.text(keys).filter(|text| !text.is_empty()).map(str::to_owned);
    request.model = request.model.or_else(|| text(&["model"]));
    request.conversation = request.conversation.or_else(|| text(&["session_id", "sessionId"]));
    let templates = args.template.source(&request);
    let built =
        Engine::new(files::system()).with_templates(&templates).build_interactive(&request, &Headless)?;
    diagnostics::print(ui, &built.prompt);
    Ok(args.agent.answer(name, context(&built.prompt, event)))
}

/// Returns the text for the model: the prompt if a session starts, and the attachments between their tags.
fn context(prompt: &Prompt, event: AgentEvent) -> String {
    let is_start = event == AgentEvent::SessionStart;
    let attachments =
        AttachmentPlace::ALL.into_iter().filter(|place| is_start || *place == AttachmentPlace::LastUser);
    let attachments =
        attachments.flat_map(|place| prompt.attachments.iter().filter(move |one| one.place == place));
    let texts: Vec<String> = Some(prompt.text.clone())
        .filter(|text| is_start && !text.is_empty())
        .into_iter()
        .chain(attachments.map(|attachment| Attachment::wrap(&attachment.text).text))
        .collect();
    texts.join("\n\n")
}

impl HookAgent {
    /// True if the history of a resumed session has what a hook added to it. Gemini CLI (0.61.0) and GitHub Copilot CLI (1.0.102) leave
    /// the whole message out.
    fn stores_texts(self) -> bool {
        !matches!(self, HookAgent::Gemini | HookAgent::Copilot)
    }

    /// Returns the answer in the form of the agent.
    fn answer(self, event: &str, context: String) -> Value {
        if context.is_empty() {
            return json!({});
        }
        match self {
            HookAgent::Claude | HookAgent::Codex | HookAgent::Gemini => json!({
                "hookSpecificOutput": { "hookEventName": event, "additionalContext": context }
            }),
            HookAgent::Copilot => json!({ "additionalContext": context }),
        }
    }
}

impl HookInput {
    /// Reads stdin.
    fn read() -> CommandResult<Self> {
        let bytes = files::stdin_at_most("the JSON", LIMIT)?;
        match serde_json::from_slice(&bytes) {
            Ok(value @ Value::Object(_)) => Ok(HookInput(value)),
            Ok(_) => Err(CommandFailure::new("stdin is not a JSON object").help(AGENT_WRITES)),
            Err(error) => {
                Err(CommandFailure::new(format!("stdin is not the JSON of a hook: {error}"))
                    .help(AGENT_WRITES))
            }
        }
    }

    /// Returns the string under the first of the keys that has one.
    fn text(&self, keys: &[&str]) -> Option<&str> {
        keys.iter().find_map(|key| self.0.get(key)?.as_str())
    }

    /// Returns the name of the event, and the event if it has an answer.
    ///
    /// The hooks of Copilot whose names begin in lower case do not name their event; those with an answer have a field of their own.
    fn event(&self) -> Option<(&str, Option<AgentEvent>)> {
        let is_text = |key: &str| self.text(&[key]).is_some();
        let name = match self.text(&["hook_event_name", "hookEventName"]) {
            Some(name) => name,
            None if is_text("prompt") => "userPromptSubmitted",
            None if is_text("source") => "sessionStart",
            None if self.0.get("timestamp").is_some() => "",
            None => return None,
        };
        let event = match name {
            "SessionStart" | "sessionStart" => Some(AgentEvent::SessionStart),
            "UserPromptSubmit" | "UserPromptSubmitted" | "userPromptSubmitted" | "BeforeAgent" => {
                Some(AgentEvent::PromptSubmit)
            }
            _ => None,
        };
        Some((name, event))
    }

    /// Returns the directory of the session; `None` if the hook names none.
    fn directory(&self) -> CommandResult<Option<PathBuf>> {
        let Some(cwd) = self.text(&["cwd"]).filter(|cwd| !cwd.is_empty()) else { return Ok(None) };
        if !Path::new(cwd).is_absolute() {
            return Err(CommandFailure::new(format!(
                "`cwd` of the hook is not an absolute path: `{}`",
                cwd.escape_debug()
            ))
            .help("`-C DIR` names the directory"));
        }
        Ok(Some(cwd.into()))
    }
}

const AGENT_WRITES: &str = "an agent writes it when it runs the command as a hook";
