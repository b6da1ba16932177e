//! The input of a request beside the prompt: `--messages`, `--prompt` and `--event`.

use crate::{
    events::EventFlags,
    failure::{CommandFailure, CommandResult},
    files,
};
use clap::Args;
use preface_core::{
    diagnostic::Diagnostics,
    message::{self, Message},
};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The flags of the conversation: earlier messages, a new message and events.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Conversation")]
pub struct ConversationFlags {
    /// Put the conversation in FILE into the request
    ///
    /// A JSON array of messages, an object with `messages`, or one message on each line. Requests have
    /// the messages; with `text` and `json` hooks see them, and without `--prompt` the file is only checked.
    #[arg(long, value_name = "FILE", value_parser = messages_file)]
    messages: Option<PathBuf>,

    /// Start a run with this new message of the user, or with stdin (`-`)
    ///
    /// Hooks fire (`input`, `before_agent_start`, `context`), and what is printed is the prompt of that run. Without it
    /// the base is printed, and only `resources_discover` fires.
    #[arg(long, value_name = "TEXT|-", allow_hyphen_values = true, conflicts_with = "snapshot")]
    prompt: Option<String>,

    #[command(flatten)]
    events: EventFlags,
}

/// The messages so far, the new prompt of the user, and the events.
#[derive(Debug, Default)]
pub struct ConversationInput {
    /// The messages so far.
    pub history: Vec<Message>,
    /// The new prompt of the user, if there is one.
    pub prompt: Option<String>,
    pub events: Vec<Value>,
    /// The diagnostics of reading it.
    pub diagnostics: Diagnostics,
}

impl ConversationFlags {
    /// Reads all of it.
    pub fn read(&self) -> CommandResult<ConversationInput> {
        let mut diagnostics = Diagnostics::new();
        let history = match &self.messages {
            Some(file) => read_messages(file, &mut diagnostics)?,
            None => Vec::new(),
        };
        let prompt = match self.prompt.as_deref() {
            Some("-") => Some(stdin()?),
            other => other.map(str::to_owned),
        };
        Ok(ConversationInput { history, prompt, events: self.events.read()?, diagnostics })
    }
}

/// Reads a file of messages.
pub fn read_messages(file: &Path, diagnostics: &mut Diagnostics) -> CommandResult<Vec<Message>> {
    let bytes = files::read_at_most(file, message::MOST_BYTES as u64)?;
    Ok(message::read(&file.display().to_string(), &bytes, diagnostics)?)
}

/// The message without the line end that every shell puts behind it.
fn stdin() -> CommandResult<String> {
    let bytes = files::stdin_at_most("the message", message::MOST_BYTES as u64)?;
    let mut text = String::from_utf8(bytes).map_err(|_| {
        CommandFailure::new("the message on stdin is not UTF-8").help("`iconv -t UTF-8` converts it")
    })?;
    if text.ends_with('\n') {
        text.truncate(text.len() - 1);
        if text.ends_with('\r') {
            text.truncate(text.len() - 1);
        }
    }
    Ok(text)
}

/// Reads the value of `--messages`. Messages come from a file; stdin is for the new user message.
pub fn messages_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("messages are read from a file, not from stdin".to_owned()),
        "" => Err("name a file".to_owned()),
        _ => Ok(text.into()),
    }
}
