//! `preface build`: the main job.

use crate::{
    command::mcp,
    conversation::{ConversationFlags, ConversationInput},
    failure::{CommandFailure, Exit},
    files,
    flags::{OutputFormat, VerbosityFlags},
    kept::MissingPromptPolicy,
    notes,
    subject::{InteractionMode, Subject, SubjectFlags},
    ui::{Ui, Verbosity, text::count},
};
use clap::ValueEnum;
use preface::core::{
    aside::AsidePlace,
    lint::character::escape_json,
    wire::{Neutral, Wire},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build -C ../api --model large-1   for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --preset pi --prompt 'Fix the tests' --format request
  preface build --preset claude-code --event @events.json --format request
  preface build --conversation 7f3a         build once, then print what is kept
  preface build --conversation 7f3a --no-keep   build now, whatever is kept
  preface build --refresh-mcp               ask MCP servers first
  preface build --trust require             fail if anything is held, as in CI
  preface build --save-world world.json     keep everything it was made from
  preface build --world world.json          and build the same bytes elsewhere";

/// Print the system prompt for a directory
///
/// Off a terminal, stdout gets exactly the bytes of the prompt. Whatever was held back, cut or skipped is one line on
/// stderr. On a terminal, a project that is not trusted yet is asked about.
///
/// With `--conversation` the first call builds the prompt and keeps it in the store; later calls print what is kept, byte
/// for byte, whatever changed since. `preface conversations compact` builds it again. `--prompt` and `--save-world` are
/// about a build of now and need `--no-keep` then; with `--format request` tools, messages and reminders are those of this
/// turn.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form: the prompt itself, a document that explains it, or all that a model sees
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: BuildFormat,

    /// Write everything that the prompt was made from to FILE
    ///
    /// A prompt that is kept may be older than the world: with `--conversation` it takes `--no-keep`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["world", "prompt"])]
    save_world: Option<PathBuf>,

    /// Ask the MCP servers first, as `preface mcp refresh` does
    ///
    /// A server that does not answer is told, and what was recorded of it before counts.
    #[arg(long, conflicts_with = "world")]
    refresh_mcp: bool,

    #[command(flatten)]
    conversation: ConversationFlags,

    #[command(flatten)]
    subject: SubjectFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// The forms in which a build leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BuildFormat {
    /// For people and pipes
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Prompt, messages and tools as one JSON object
    Request,
}

/// Builds and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let conversation = args.conversation.read()?;
    let asked = if args.format == BuildFormat::Json { OutputFormat::Json } else { OutputFormat::Text };
    args.check_kept(&conversation)?;
    let talk = args.talk.talk();
    if args.refresh_mcp {
        let mut request = args.subject.turn.request();
        args.subject.trust.apply(&mut request)?;
        mcp::before_build(ui, &request, talk)?;
    }
    let kept = args.subject.kept(ui, InteractionMode::May, asked, MissingPromptPolicy::Construct)?;
    let subject = match kept {
        Some(kept) if args.format == BuildFormat::Request => {
            Some(kept.with_turn(ui, &args.subject, conversation)?)
        }
        Some(kept) => Some(kept),
        None => args.subject.run(ui, InteractionMode::May, asked, conversation)?,
    };
    let Some(mut subject) = subject else { return Ok(Exit::Done) };
    if let (Some(file), Some(world)) = (&args.save_world, &subject.world) {
        let mut bytes = serde_json::to_vec(world).map_err(|error| CommandFailure::new(error.to_string()))?;
        bytes.push(b'\n');
        files::write(file, &bytes)?;
    }
    match args.format {
        BuildFormat::Text => ui.prompt(&subject.prompt.text)?,
        BuildFormat::Json => ui.json(&subject.document()?)?,
        BuildFormat::Request => {
            let request = Neutral.shape(subject.call());
            ui.prompt(&escape_json(request.body))?;
            match &mut subject.kept {
                Some(kept) if !kept.constructed => kept.notes.extend(request.diagnostics),
                _ => subject.prompt.diagnostics.extend(request.diagnostics),
            }
        }
    }
    match &subject.kept {
        Some(kept) => kept.tell(ui, talk, &subject.prompt),
        None => notes::tell(ui, talk, &subject.prompt),
    }
    if args.format == BuildFormat::Text && talk != Verbosity::Quiet {
        tell_reminders(ui, &subject);
    }
    Ok(Exit::Done)
}

/// Says what goes with a message and is not in the text.
fn tell_reminders(ui: &Ui, subject: &Subject) {
    let asides = &subject.prompt.asides;
    for aside in asides.iter().filter(|aside| aside.place == AsidePlace::FirstUser) {
        ui.say(&format!(
            "`{}` is sent in a message of the user: `--format request` and `--format json` show it\n",
            aside.part.section
        ));
    }
    let reminders = asides.iter().filter(|aside| aside.place == AsidePlace::LastUser).count();
    if reminders > 0 {
        let go = if reminders == 1 { "goes" } else { "go" };
        let them = if reminders == 1 { "it" } else { "them" };
        ui.say(&format!(
            "{} {go} with the user's message: `--format request` and `--format json` show {them}\n",
            count(reminders, "reminder")
        ));
    }
}

impl Args {
    /// Refuses what a kept prompt has no answer to: it is read, so there is no world, and no hook changes it.
    fn check_kept(&self, conversation: &ConversationInput) -> Result<(), CommandFailure> {
        if self.subject.turn.conversation.is_none() || self.subject.keep.no_keep {
            return Ok(());
        }
        let flag = match (&self.save_world, &conversation.prompt) {
            (Some(_), _) => "--save-world",
            (None, Some(_)) => "--prompt",
            (None, None) if !conversation.events.is_empty() && self.format != BuildFormat::Request => {
                "--event"
            }
            (None, None) => return Ok(()),
        };
        Err(CommandFailure::usage(format!(
            "`{flag}` is about a build of now, and `--conversation` keeps a prompt"
        ))
        .hint("`--no-keep` builds now, with the id as a fact"))
    }
}
