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
    ui::{
        Ui, Verbosity,
        text::{count, one_line},
    },
};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use preface::core::{
    attachment::AttachmentPlace,
    diagnostic::Diagnostics,
    format::{FORMATS, RequestFormat, RequestTarget, find},
    lint::character::escape_json,
    lock::Lock,
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build ../api --model large-1      for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --format anthropic --model claude-opus-5-5   for a service
  preface build --preset pi --prompt 'Fix the tests' --format request
  preface build --preset claude-code --event @events.json --format request
  preface build --conversation 7f3a         store the prompt, then print it
  preface build --conversation 7f3a --no-store   ignore the stored prompt
  preface build --refresh-mcp               ask MCP servers first
  preface build --trust require             fail if files are not trusted
  preface build --save-snapshot snapshot.json   save every input of the build
  preface build --snapshot snapshot.json   build the same bytes elsewhere
  preface build --lock prompt.lock      write digests of what went into it
  preface build --locked prompt.lock    fail if something changed since";

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
    /// Set the output format: the prompt, a JSON document with its parts, or a request for a service
    #[arg(
        long,
        value_parser = BuildFormat::parser(),
        default_value = "text",
        hide_default_value = true,
        value_name = "FORMAT",
    )]
    format: BuildFormat,

    /// Limit the answer to N tokens, where the format is that of a service
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_output_tokens: Option<u64>,

    /// Write every input of the build to FILE
    ///
    /// With `--conversation` it needs `--no-store`.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["snapshot", "prompt"])]
    save_snapshot: Option<PathBuf>,

    /// Write digests of everything that went into the prompt to FILE, without text
    ///
    /// Files with path, layer, size and digest, the order of the sections, what is left out, the tools, the profile and the
    /// version of preface. Values of variables, such as the date, are not in it.
    #[arg(long, value_name = "FILE", conflicts_with = "locked")]
    lock: Option<PathBuf>,

    /// Fail with exit code 6 if the prompt is not made of what FILE of `--lock` records
    ///
    /// The error names each file, section and tool that changed, is new or is gone. Nothing is printed then.
    #[arg(long, value_name = "FILE")]
    locked: Option<PathBuf>,

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
#[derive(Clone, Copy, Debug)]
pub enum BuildFormat {
    /// The prompt alone.
    Text,
    /// A JSON document with the parts of the prompt.
    Json,
    /// A request in one of the formats of the library.
    Request(&'static dyn RequestFormat),
}

impl BuildFormat {
    /// Reads the name of a format. Completion offers the same names.
    fn parser() -> impl TypedValueParser<Value = BuildFormat> {
        let json = PossibleValue::new("json").help("one JSON document with the parts of the prompt");
        let request = FORMATS.iter().map(|format| PossibleValue::new(format.name()).help(format.about()));
        PossibleValuesParser::new(request.chain([json])).map(|name| match find(&name) {
            Some(format) if format.name() != "text" => BuildFormat::Request(format),
            Some(_) => BuildFormat::Text,
            None => BuildFormat::Json,
        })
    }

    fn is_text(self) -> bool {
        matches!(self, BuildFormat::Text)
    }

    fn is_request(self) -> bool {
        matches!(self, BuildFormat::Request(_))
    }
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
        Some(kept) if args.format.is_request() => Some(kept.with_turn(ui, &subject_flags, conversation)?),
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
    if args.lock.is_some() || args.locked.is_some() {
        let lock = Lock::of(&subject.prompt, &subject.tools, env!("CARGO_PKG_VERSION"));
        if let Some(file) = &args.locked {
            unchanged(file, &lock)?;
        }
        if let Some(file) = &args.lock {
            let json = serde_json::to_string_pretty(&lock);
            let json = json.map_err(|error| CommandFailure::new(error.to_string()))?;
            files::write_for_all(file, format!("{}\n", escape_json(json)).as_bytes())?;
        }
    }
    match args.format {
        BuildFormat::Text => ui.prompt(&subject.prompt.text)?,
        BuildFormat::Json => ui.json(&subject.document()?)?,
        BuildFormat::Request(format) => {
            let mut diagnostics = Diagnostics::new();
            let models = subject.models(&mut diagnostics);
            let turn = &subject_flags.turn;
            let counter = subject.counter()?;
            let target = RequestTarget {
                model: turn.model.as_deref(),
                models: &models,
                max_output_tokens: args.max_output_tokens,
                cache_key: turn.conversation.as_deref(),
                counter: &*counter,
                ..RequestTarget::default()
            };
            let content = subject.content(target);
            let (body, mut more) = match &subject.kept {
                Some(kept) if format.is_recorded() => {
                    let result = kept.request(&subject_flags, format, content)?;
                    (result.body, result.notes)
                }
                _ => {
                    let request = format.format(content);
                    (request.body, request.diagnostics)
                }
            };
            ui.prompt(&escape_json(body))?;
            diagnostics.append(&mut more);
            match &mut subject.kept {
                Some(kept) if !kept.constructed => kept.notes.extend(diagnostics),
                _ => subject.prompt.diagnostics.extend(diagnostics),
            }
        }
    }
    match &subject.kept {
        Some(kept) => kept.tell(ui, talk, &subject.prompt),
        None => notes::tell(ui, talk, &subject.prompt),
    }
    if args.format.is_text() && talk != Verbosity::Quiet {
        tell_reminders(ui, &subject);
    }
    Ok(Exit::Done)
}

/// Compares a prompt with a lock file.
fn unchanged(file: &Path, now: &Lock) -> Result<(), CommandFailure> {
    let shown = file.display().to_string();
    let lock = Lock::read(&files::read(file)?).map_err(|why| {
        CommandFailure::new(format!("cannot use the lock file `{shown}`: {why}"))
            .help(format!("`preface build --lock {shown}` writes it again"))
    })?;
    let changes: Vec<String> = lock.changes(now).iter().map(|change| one_line(&change.to_string())).collect();
    if changes.is_empty() { Ok(()) } else { Err(CommandFailure::unlocked(&shown, &changes)) }
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
            (None, None) if !conversation.events.is_empty() && !self.format.is_request() => "--event",
            (None, None) => return Ok(()),
        };
        Err(CommandFailure::usage(format!(
            "`{flag}` needs a new build, and `--conversation` prints the stored prompt"
        ))
        .help("`--no-store` builds now, with the id as a variable"))
    }
}
