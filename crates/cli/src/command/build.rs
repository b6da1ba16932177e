//! `preface build`: the main job.

use crate::{
    conversation::ConversationFlags,
    failure::{Exit, Failure},
    files,
    flags::{Format, TalkFlags},
    notes,
    subject::{Asking, SubjectFlags},
    ui::Ui,
};
use clap::ValueEnum;
use preface::core::wire::{Neutral, Wire};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface build                             print the prompt for this directory
  preface build -C ../api --model large-1   for another directory and a model
  preface build --tools read,bash > prompt.md
  preface build --format json | jq -r .fingerprint
  preface build --format request --messages chat.jsonl
  preface build --preset pi --prompt 'Fix the tests' --format request
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

    /// Write everything that the prompt was made from to FILE
    #[arg(long, value_name = "FILE", conflicts_with_all = ["world", "prompt"])]
    save_world: Option<PathBuf>,

    #[command(flatten)]
    conversation: ConversationFlags,

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
    let conversation = args.conversation.read()?;
    let asked = if args.format == Form::Json { Format::Json } else { Format::Text };
    let Some(mut subject) = args.subject.run(ui, Asking::May, asked, conversation)? else {
        return Ok(Exit::Done);
    };
    if let Some(file) = &args.save_world {
        let mut bytes =
            serde_json::to_vec(&subject.world).map_err(|error| Failure::new(error.to_string()))?;
        bytes.push(b'\n');
        files::write(file, &bytes)?;
    }
    match args.format {
        Form::Text => ui.prompt(&subject.prompt.text)?,
        Form::Json => ui.json(&subject.document()?)?,
        Form::Request => {
            let request = Neutral.shape(subject.call());
            ui.prompt(&request.body)?;
            subject.prompt.diagnostics.extend(request.diagnostics);
        }
    }
    notes::tell(ui, args.talk.talk(), &subject.prompt);
    Ok(Exit::Done)
}
