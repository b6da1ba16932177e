//! `preface conversation usage`: what the service counted for a request.

use super::id;
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    store::StoreFlag,
    ui::{
        Ui,
        text::{number, one_line},
    },
};
use preface_engine::{
    conversation::{ConversationError, ConversationService, InlineOffload},
    core::format::RequestUsage,
    store::ConversationId,
};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};

const EXAMPLES: &str = "\
Examples:
  preface conversation usage 7f3a usage.json
  preface conversation usage 7f3a usage.json --request 2
  echo '{\"input_tokens\": 900}' | preface conversation usage 7f3a -";

/// Record the tokens that a service counted for a request
///
/// `preface conversation history ID --requests` shows them beside what the service could have read from its cache.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The conversation
    #[arg(value_name = "ID", value_parser = id, add = crate::complete::conversations())]
    id: ConversationId,

    /// The `usage` of the answer as JSON (`usageMetadata` of Gemini), or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The number of the request; without it the last one
    #[arg(long, value_name = "N")]
    request: Option<u64>,

    #[command(flatten)]
    store: StoreFlag,
}

/// Records it.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let usage = read(args)?;
    let done = args.store.look(async |store| {
        let service = ConversationService::new(Arc::new(files::system()), store, Arc::new(InlineOffload));
        let last = match args.request {
            Some(number) => number,
            None => last_request(&service, &args.id).await?,
        };
        service.set_usage(&args.id, last, usage).await?;
        Ok(last)
    })?;
    let Some(request) = done else { return Err(ConversationError::Unknown(args.id.clone()).into()) };
    let RequestUsage { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens } = usage;
    let words = format!(
        "Recorded for request {request} of `{}`: {} input tokens, {} of them read from the cache and {} written to it; \
         {} output tokens.\n",
        one_line(args.id.as_str()),
        number(to_usize(input_tokens)),
        number(to_usize(cache_read_tokens)),
        number(to_usize(cache_write_tokens)),
        number(to_usize(output_tokens)),
    );
    let mut report = json!(usage);
    report["id"] = args.id.as_str().into();
    report["request"] = request.into();
    ui.result(args.format, &report, &words)?;
    Ok(Exit::Done)
}

async fn last_request(service: &ConversationService, id: &ConversationId) -> Result<u64, CommandFailure> {
    let requests = service.requests(id).await?;
    requests.last().map(|request| request.number).ok_or_else(|| {
        CommandFailure::new(format!("no request of `{}` is recorded", one_line(id.as_str())))
            .help("`preface build --conversation ID --format anthropic` (or another service) records one")
    })
}

fn read(args: &Args) -> Result<RequestUsage, CommandFailure> {
    let (shown, text) = files::read_text(&args.file)?;
    let usage = serde_json::from_str::<Value>(&text)
        .map_err(|error| CommandFailure::new(format!("`{shown}` is not JSON: {error}")))?;
    RequestUsage::read(&usage).ok_or_else(|| {
        CommandFailure::new(format!("`{shown}` has no number of input tokens"))
            .help("give `usage` of the answer (`usageMetadata` of Gemini) as it is")
    })
}

fn to_usize(tokens: u64) -> usize {
    usize::try_from(tokens).unwrap_or(usize::MAX)
}
