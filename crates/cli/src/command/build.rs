//! `preface build`: the main job.

use crate::{
    command::mcp,
    conversation::{ConversationFlags, ConversationInput},
    conversation_prompt::MissingPromptPolicy,
    failure::{CommandFailure, Exit},
    files,
    flags::{DirectoryArgument, VerbosityFlags},
    notes,
    subject::{InteractionMode, Subject, SubjectFlags},
    ui::{Ui, Verbosity, text::count},
};
use clap::ValueEnum;
use preface::core::{
    attachment::AttachmentPlace,
    format::{Neutral, RequestFormat},
    lint::character::escape_json,
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build ../api --model large-1      for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --preset pi --prompt 'Fix the tests' --format request
  preface build --preset claude-code --event @events.json --format request
  preface build --conversation 7f3a         store the prompt, then print it
  preface build --conversation 7f3a --no-store   ignore the stored prompt
  preface build --refresh-mcp               ask MCP servers first
  preface build --trust require             fail if files are not trusted
  preface build --save-snapshot snapshot.json   save every input of the build
  preface build --snapshot snapshot.json   build the same bytes elsewhere";

/// Print the system prompt for a directory
///
/// In a pipe, stdout is exactly the bytes of the prompt; whatever was left out or cut is reported in one line on stderr. On
/// a terminal, preface asks about a project that is not trusted yet.
///
/// With `--conversation` the first call builds the prompt and stores it; later calls print the stored prompt, byte for byte,
/// until `preface conversation compact` or `refresh` builds it again. `--prompt` and `--save-snapshot` need a new build and
/// therefore `--no-store`; with `--format request` tools, messages and reminders are those of this turn.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format: the prompt, a JSON document with its parts, or the whole request
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: BuildFormat,

    /// Write every input of the build to FILE
    ///
    /// With `--conversation` it needs `--no-store`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["snapshot", "prompt"])]
    save_snapshot: Option<PathBuf>,

    /// Ask the MCP servers first, as `preface mcp refresh` does
    ///
    /// Servers that fail are reported; their last recording is used.
    #[arg(long, conflicts_with = "snapshot")]
    refresh_mcp: bool,

    #[command(flatten)]
    conversation: ConversationFlags,

    #[command(flatten)]
    dir: DirectoryArgument,

    #[command(flatten)]
    subject: SubjectFlags,

    #[command(flatten)]
    talk: VerbosityFlags,
}

/// The output formats of a build.
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
    let subject_flags = args.subject.in_directory(&args.dir);
    args.check_kept(&conversation)?;
    let talk = args.talk.talk();
    if args.refresh_mcp {
        let mut request = subject_flags.turn.request();
        subject_flags.trust.apply(&mut request)?;
        mcp::before_build(ui, &request, talk)?;
    }
    let kept = subject_flags.kept(ui, InteractionMode::May, MissingPromptPolicy::Construct)?;
    let subject = match kept {
        Some(kept) if args.format == BuildFormat::Request => {
            Some(kept.with_turn(ui, &subject_flags, conversation)?)
        }
        Some(kept) => Some(kept),
        None => subject_flags.run(ui, InteractionMode::May, conversation)?,
    };
    let Some(mut subject) = subject else { return Ok(Exit::Done) };
    if let (Some(file), Some(snapshot)) = (&args.save_snapshot, &subject.snapshot) {
        let mut bytes =
            serde_json::to_vec(snapshot).map_err(|error| CommandFailure::new(error.to_string()))?;
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

/// Reports the attachments, which are not in the text.
fn tell_reminders(ui: &Ui, subject: &Subject) {
    let attachments = &subject.prompt.attachments;
    for attachment in attachments.iter().filter(|attachment| attachment.place == AttachmentPlace::FirstUser) {
        ui.say(&format!(
            "`{}` is sent in a user message: `--format request` and `--format json` include it\n",
            attachment.part.section
        ));
    }
    let reminders =
        attachments.iter().filter(|attachment| attachment.place == AttachmentPlace::LastUser).count();
    if reminders > 0 {
        let go = if reminders == 1 { "goes" } else { "go" };
        let them = if reminders == 1 { "it" } else { "them" };
        ui.say(&format!(
            "{} {go} with the user message: `--format request` and `--format json` include {them}\n",
            count(reminders, "reminder")
        ));
    }
}

impl Args {
    /// Refuses what a kept prompt has no answer to: it is read, so there is no snapshot, and no hook changes it.
    fn check_kept(&self, conversation: &ConversationInput) -> Result<(), CommandFailure> {
        if self.subject.turn.conversation.is_none() || self.subject.keep.no_store {
            return Ok(());
        }
        let flag = match (&self.save_snapshot, &conversation.prompt) {
            (Some(_), _) => "--save-snapshot",
            (None, Some(_)) => "--prompt",
            (None, None) if !conversation.events.is_empty() && self.format != BuildFormat::Request => {
                "--event"
            }
            (None, None) => return Ok(()),
        };
        Err(CommandFailure::usage(format!(
            "`{flag}` needs a new build, and `--conversation` prints the stored prompt"
        ))
        .help("`--no-store` builds now, with the id as a variable"))
    }
}
