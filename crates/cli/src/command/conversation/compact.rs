//! `preface conversation compact`: the prompt of a compaction turn, or its request.

use super::{AgainFlags, document, id};
use crate::{
    CommandFailure, CommandResult, Exit, Ui,
    conversation::{messages_file, read_messages},
    diagnostics,
    prompt_format::PromptFormat,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics},
    format,
    lint::{character::escape_json, hidden::escape_hidden},
    prompt::Prompt,
};
use preface_engine::{conversation::RequestInput, store::ConversationId};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface conversation compact 7f3a
  preface conversation compact 7f3a -C ../api --model large-2
  preface conversation compact 7f3a --format json | jq -r .instructions
  preface conversation compact 7f3a --format anthropic --messages chat.jsonl";

/// Build the prompt again for a compaction, and print that turn's prompt
///
/// Everything is looked up afresh, with the template as it is now. What is kept for later turns is the prompt alone; what is
/// printed is the prompt and behind it what the model is to do in this one turn. With the format of a service it is the
/// request for the summary: the prompt with the instructions, and `--messages` with their reminders.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// Choose the form: the text, a document with prompt and instructions apart, or a request for a service
    #[arg(
        long,
        value_parser = PromptFormat::parser(format::services(), OWN_FORMATS),
        default_value = "text",
        hide_default_value = true,
        value_name = "FORMAT",
    )]
    format: PromptFormat,

    /// Put the conversation so far into the request; the last message asks for the summary
    #[arg(long, value_name = "FILE", value_parser = messages_file)]
    messages: Option<PathBuf>,

    /// Limit the summary to N tokens, if the format is that of a service
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_output_tokens: Option<u64>,

    #[command(flatten)]
    again: AgainFlags,
}

/// What is printed in no format of a service.
const OWN_FORMATS: &[(&str, &str)] = &[
    ("text", "the prompt, and behind it the instructions"),
    ("json", "one JSON document with prompt and instructions apart"),
];

/// Builds, keeps and prints.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let mut diagnostics = Diagnostics::new();
    let messages = match (&args.messages, args.format) {
        (None, _) => Vec::new(),
        (Some(file), PromptFormat::Request(_)) => read_messages(file, &mut diagnostics)?,
        (Some(_), _) => {
            return Err(CommandFailure::usage("`--messages` needs the format of a service")
                .help("add `--format anthropic` or another; `--help` lists them"));
        }
    };
    let (done, request) = args.again.again(&args.id, async |service, options, actor| {
        let done = service.compact(&args.id, &options, None, &actor).await?;
        let PromptFormat::Request(format) = args.format else { return Ok((done, None)) };
        let input = RequestInput {
            model: args.again.model.clone(),
            messages,
            max_output_tokens: args.max_output_tokens,
            indented: true,
            instructions: Some(done.instructions.clone()),
            ..RequestInput::new(format)
        };
        let request = service.request(&args.id, &options, input, &actor).await?;
        Ok((done, Some(request)))
    })?;
    diagnostics.extend(done.diagnostics.iter().cloned());
    match args.format {
        PromptFormat::Request(_) => {
            if let Some(request) = request {
                ui.prompt(&escape_json(request.body))?;
                // The prompt was just built with the options of the conversation.
                let is_new = |diagnostic: &Diagnostic| diagnostic.code != DiagnosticCode::ConversationTools;
                diagnostics.extend(request.diagnostics.into_iter().filter(is_new));
            }
        }
        PromptFormat::Text => ui.prompt(&done.system_prompt())?,
        PromptFormat::Json => {
            let mut json = document(&done.head);
            json["constructed"] = done.constructed.into();
            json["system_prompt"] = done.system_prompt().into();
            json["prompt"] = (*done.head.text).into();
            json["instructions"] = done.instructions.clone().into();
            ui.json(&json)?;
        }
    }
    if !ui.is_quiet() {
        let name = escape_hidden(args.id.as_str());
        let revision = done.head.revision.revision;
        ui.eprint(&if done.constructed {
            format!(
                "`{name}` is at revision {revision} now; the stored prompt does not have the instructions.\n"
            )
        } else {
            format!("`{name}` stays at revision {revision}.\n")
        });
    }
    diagnostics::print(ui, &Prompt { diagnostics, ..Prompt::default() });
    Ok(Exit::Done)
}
