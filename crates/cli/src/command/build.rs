//! `preface build`: the main job.

use crate::{
    CommandFailure, CommandResult, DirectoryArgument, Exit, InteractionMode, Subject, SubjectFlags,
    call::path_from_shell,
    command::mcp,
    conversation::{ConversationFlags, ConversationInput},
    files,
    prompt_format::PromptFormat,
    ui::{Ui, count, json_line, one_line},
};
use preface_core::{
    attachment::AttachmentPlace,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    format::{FORMATS, RequestTarget},
    lint::character::escape_json,
    lock::{Lock, LockChange, LockChangeKind, LockedSource},
    scope::Scope,
};
use preface_engine::host::provider::context::NOT_TRUSTED;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build ../api --model large-1      for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build -o prompt.md     write it, if it is not what the file has
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --format sections           for a mod of Claude Code
  preface build --format anthropic --model claude-opus-5-5   for a service
  preface build --preset pi --prompt 'Fix the tests' --format request
  preface build --preset claude-code --event @events.json --format request
  preface build --conversation 7f3a         store the prompt, then print it
  preface build --conversation 7f3a --no-store   ignore the stored prompt
  preface build --refresh-mcp               query MCP servers first
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
        value_parser = PromptFormat::parser(FORMATS.iter(), OWN_FORMATS),
        default_value = "text",
        hide_default_value = true,
        value_name = "FORMAT",
    )]
    format: PromptFormat,

    /// Write the output to FILE instead of stdout, whole or not at all
    ///
    /// A file that has these bytes already is left untouched, with its time of change. A file that exists keeps its permissions; a
    /// new one is readable by you only. Through a symbolic link the file that it leads to is written, and the link stays. The
    /// directory must exist. `-` is stdout.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Limit the answer to N tokens, if the format is that of a service
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_output_tokens: Option<u64>,

    /// Let cached beginnings of a request live for TTL (`1h`, `12h`), if the format is that of a service
    ///
    /// `preface explain --cache` shows the lifetimes of a model and what they cost. Without it the default of the model is used.
    #[arg(long, value_name = "TTL")]
    cache_ttl: Option<String>,

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

    /// Query the MCP servers first, as `preface mcp refresh` does
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
}

/// What is printed in no format of the library.
const OWN_FORMATS: &[(&str, &str)] = &[("json", "one JSON document with the parts of the prompt")];

/// Builds and prints.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let conversation = args.conversation.read()?;
    let subject_flags = args.subject.in_directory(&args.dir)?;
    args.check_kept(&conversation)?;
    if args.refresh_mcp {
        mcp::before_build(ui, &subject_flags.request(Vec::new())?)?;
    }
    let kept = subject_flags.kept(ui, InteractionMode::May)?;
    let subject = match kept {
        Some(kept) if args.format.is_request() => Some(kept.with_turn(&subject_flags, conversation)?),
        Some(kept) => Some(kept),
        None => subject_flags.run(ui, InteractionMode::May, conversation)?,
    };
    let Some(mut subject) = subject else { return Ok(Exit::Done) };
    if let (Some(file), Some(snapshot)) = (&args.save_snapshot, &subject.snapshot) {
        let mut bytes = serde_json::to_vec(snapshot)?;
        bytes.push(b'\n');
        files::write(file, &bytes)?;
    }
    if args.lock.is_some() || args.locked.is_some() {
        let lock = Lock::of(&subject.prompt, &subject.tools, env!("CARGO_PKG_VERSION"));
        if let Some(file) = &args.locked {
            unchanged(file, &lock, &subject.prompt.diagnostics)?;
        }
        if let Some(file) = &args.lock {
            let json = serde_json::to_string_pretty(&lock)?;
            files::write_for_all(file, format!("{}\n", escape_json(json)).as_bytes())?;
        }
    }
    match args.format {
        PromptFormat::Text => args.print(ui, &subject.prompt.text)?,
        PromptFormat::Json => args.print(ui, &json_line(&subject.document()?)?)?,
        PromptFormat::Request(format) => {
            let mut diagnostics = Diagnostics::new();
            let models = subject.models(&mut diagnostics);
            let turn = &subject_flags.turn;
            let counter = subject.counter()?;
            let target = RequestTarget {
                model: turn.model.as_deref().or(subject.model()),
                models: &models,
                max_output_tokens: args.max_output_tokens,
                cache_key: turn.conversation.as_deref(),
                cache_ttl: args.cache_ttl.as_deref(),
                counter: &*counter,
                ..RequestTarget::default()
            };
            let content = subject.content(target);
            let (body, mut more) = match &subject.kept {
                Some(kept) if format.is_recorded => {
                    let result = subject_flags.record_request(kept, format, content, &subject.selection)?;
                    (result.body, result.diagnostics)
                }
                _ => {
                    let request = format.format(content);
                    (request.body, request.diagnostics)
                }
            };
            args.print(ui, &escape_json(body))?;
            diagnostics.append(&mut more);
            match &mut subject.kept {
                Some(kept) => kept.diagnostics.extend(diagnostics),
                None => subject.prompt.diagnostics.extend(diagnostics),
            }
        }
    }
    subject.handed_out();
    subject.print_diagnostics(ui);
    if args.format.is_prompt_alone() && !ui.is_quiet() {
        print_reminders(ui, &subject);
    }
    Ok(Exit::Done)
}

/// Compares a prompt with a lock file.
fn unchanged(file: &Path, now: &Lock, diagnostics: &[Diagnostic]) -> CommandResult<()> {
    let shown = file.display().to_string();
    let lock = Lock::read(&files::read(file)?).map_err(|why| {
        CommandFailure::new(format!("cannot use the lock file `{shown}`: {why}"))
            .help(Remedy::command("write one", "build --lock FILE"))
    })?;
    let mut is_trust_missing = false;
    let files: Vec<&LockedSource> =
        lock.sources.iter().chain(&now.sources).filter(|file| file.scope == Scope::Project).collect();
    let changes: Vec<String> = lock
        .changes(now)
        .into_iter()
        .map(|mut change| {
            let untrusted = untrusted(&change, diagnostics);
            is_trust_missing |= untrusted.is_some();
            let file = files.iter().find(|file| file.path == change.subject);
            let path = file.and_then(|file| path_from_shell(&Place::file(Some(file.scope), &*file.path)));
            change.subject = path.unwrap_or(change.subject);
            one_line(&match untrusted {
                Some(why) => format!("{} is not trusted any more{why}", change.subject),
                None => change.to_string(),
            })
        })
        .collect();
    if changes.is_empty() {
        return Ok(());
    }
    let failure = CommandFailure::unlocked(&shown, &changes);
    Err(if is_trust_missing {
        failure.help(Remedy::command("review what is new, then trust it", "trust grant"))
    } else {
        failure
    })
}

/// Returns why a file is not in the prompt, in parentheses if there is more than that it is not trusted; `None` for every other
/// change.
fn untrusted(change: &LockChange, diagnostics: &[Diagnostic]) -> Option<String> {
    let path = change.subject.as_str();
    let is_about = |diagnostic: &&Diagnostic| {
        let place = diagnostic.place.as_ref().filter(|_| diagnostic.code == DiagnosticCode::TrustUntrusted);
        place.is_some_and(|place| {
            let rest = path.strip_prefix(&*place.path);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let diagnostic = diagnostics.iter().find(is_about).filter(|_| change.change == LockChangeKind::Gone)?;
    let why = diagnostic.loss().map(|(_, why)| why).filter(|why| *why != NOT_TRUSTED);
    Some(why.map(|why| format!(" ({why})")).unwrap_or_default())
}

/// Reports the attachments, which are not in the text.
fn print_reminders(ui: &Ui, subject: &Subject) {
    let attachments = &subject.prompt.attachments;
    for attachment in attachments.iter().filter(|attachment| attachment.place == AttachmentPlace::FirstUser) {
        ui.eprint(&format!(
            "`{}` is sent in a user message: `--format request` and `--format json` include it\n",
            attachment.part.section
        ));
    }
    let reminders =
        attachments.iter().filter(|attachment| attachment.place == AttachmentPlace::LastUser).count();
    if reminders > 0 {
        let go = if reminders == 1 { "goes" } else { "go" };
        let them = if reminders == 1 { "it" } else { "them" };
        ui.eprint(&format!(
            "{} {go} with the user message: `--format request` and `--format json` include {them}\n",
            count(reminders, "reminder")
        ));
    }
}

impl Args {
    /// Writes the output to the file of `--output`, or to stdout.
    fn print(&self, ui: &Ui, output: &str) -> CommandResult<()> {
        let Some(file) = &self.output else { return ui.prompt(output) };
        match file.to_str() {
            Some("-" | "/dev/stdout") => ui.prompt(output),
            Some("/dev/null") => Ok(()),
            _ => files::update(file, output.as_bytes()),
        }
    }

    /// Refuses flags that have no effect on a stored prompt: it is read, so there is no snapshot, and no hook changes it.
    fn check_kept(&self, conversation: &ConversationInput) -> CommandResult<()> {
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
        .help(if flag == "--event" {
            "`--format anthropic` or another request format has the reminder; `--no-store` builds now, with the id as a variable"
        } else {
            "`--no-store` builds now, with the id as a variable"
        }))
    }
}
