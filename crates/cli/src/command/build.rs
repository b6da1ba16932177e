//! `preface build`: the main job.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::{Format, TalkFlags},
    notes,
    subject::{Asking, Subject, SubjectFlags},
    ui::Ui,
};
use clap::ValueEnum;
use preface::core::{
    diagnostic::Diagnostics,
    message::{self, Message, convert},
    wire::{Call, Neutral, Wire},
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build -C ../api --model large-1   for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --trust require             fail if anything is held, as in CI
  preface build --save-world world.json     keep everything it was made from
  preface build --world world.json          and build the same bytes elsewhere";

/// Print the system prompt for a directory
///
/// Off a terminal, stdout gets exactly the bytes of the prompt. Whatever was held back, cut or skipped is one line on
/// stderr. On a terminal, a project that is not trusted yet is asked about.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Choose the form: the prompt itself, a document that explains it, or all that a model sees
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    format: Form,

    /// Put the conversation in FILE into the request
    ///
    /// A JSON array of messages, an object with `messages`, or one message on each line. The other forms show no messages;
    /// with them the file is only checked.
    #[arg(long, value_name = "FILE", value_parser = history)]
    messages: Option<PathBuf>,

    /// Write everything that the prompt was made from to FILE
    #[arg(long, value_name = "FILE", conflicts_with = "world")]
    save_world: Option<PathBuf>,

    #[command(flatten)]
    subject: SubjectFlags,

    #[command(flatten)]
    talk: TalkFlags,
}

/// The forms in which a build leaves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people and pipes
    #[default]
    Text,
    /// One JSON document
    Json,
    /// Prompt, messages and tools as one JSON object
    Request,
}

/// Builds and prints.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let mut notes = Diagnostics::new();
    let messages = match &args.messages {
        Some(file) => read(file, &mut notes)?,
        None => Vec::new(),
    };
    let asked = if args.format == Form::Json { Format::Json } else { Format::Text };
    let mut subject = args.subject.build(ui, Asking::May, asked)?;
    if let Some(file) = &args.save_world {
        let mut bytes =
            serde_json::to_vec(&subject.world).map_err(|error| Failure::new(error.to_string()))?;
        bytes.push(b'\n');
        files::write(file, &bytes)?;
    }
    match args.format {
        Form::Text => ui.prompt(&subject.prompt.text)?,
        Form::Json => ui.json(&subject.document()?)?,
        Form::Request => ui.prompt(&request(&subject, &messages, &mut notes))?,
    }
    subject.prompt.diagnostics.append(&mut notes);
    notes::tell(ui, args.talk.talk(), &subject.prompt);
    Ok(Exit::Done)
}

/// Shapes all that a model sees.
fn request(subject: &Subject, messages: &[Message], notes: &mut Diagnostics) -> String {
    let seen = convert(messages, &subject.world.profile.messages);
    let call = Call { prompt: &subject.prompt, messages: &seen.messages, tools: &subject.world.turn.tools };
    let request = Neutral.shape(call);
    notes.extend(seen.notes());
    notes.extend(request.diagnostics);
    request.body
}

fn read(file: &Path, notes: &mut Diagnostics) -> Result<Vec<Message>, Failure> {
    let bytes = files::read_at_most(file, message::MOST_BYTES as u64)?;
    Ok(message::read(&file.display().to_string(), &bytes, notes)?)
}

/// Messages stand in a file; stdin is kept for the new message of the user.
fn history(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("messages are read from a file, not from stdin".to_owned()),
        "" => Err("name a file".to_owned()),
        _ => Ok(text.into()),
    }
}
