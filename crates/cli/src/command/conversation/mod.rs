//! `preface conversation`: the stored prompts of conversations.

mod audit;
mod compact;
mod delete;
mod history;
mod list;
mod refresh;
mod requests;
mod show;

pub use history::stored_prompts;

use crate::{
    CommandFailure, CommandResult, StoreFlag, TrustFlags, TurnFlags, complete, files,
    flags::ToolNames,
    store::{actor, conversations},
    ui::{Ui, one_line},
};
use preface_engine::{
    BuildOptions, Engine,
    conversation::{ConversationError, ConversationService},
    store::{Actor, ConversationId, PromptSummary, StoreError, TemplateUsed, format_instant},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface build --conversation 7f3a       build, store and print the prompt
  preface conversation list
  preface conversation show 7f3a          the stored prompt by part
  preface conversation compact 7f3a       build it again for a compaction
  preface conversation refresh 7f3a --dry-run
  preface conversation delete --older-than 30d";

/// Manage stored conversation prompts
///
/// The prompt of a conversation is built once and stored, so that a provider's prompt cache stays valid. It is built again
/// when the conversation is compacted or refreshed.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Compact(compact::Args),
    Delete(delete::Args),
    History(history::Args),
    List(list::Args),
    Refresh(refresh::Args),
    Show(show::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Compact(args) => compact::run(ui, args),
        Args::Delete(args) => delete::run(ui, args),
        Args::History(args) => history::run(ui, args),
        Args::List(args) => list::run(ui, args),
        Args::Refresh(args) => refresh::run(ui, args),
        Args::Show(args) => show::run(ui, args),
    }
}

/// The changes of a rebuild. A flag that is not given keeps its value.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "What to build")]
struct AgainFlags {
    /// Work in DIR from now on, instead of where the conversation began
    #[arg(short = 'C', value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Name another model
    #[arg(long, value_name = "ID", add = complete::models())]
    model: Option<String>,

    /// Use another preset or profile of yours
    #[arg(long, value_name = "NAME", add = complete::presets())]
    preset: Option<String>,

    /// Activate other tools, separated by commas, or `none`
    #[arg(long, value_name = "NAMES", add = complete::tools(), value_parser = ToolNames::parse)]
    tools: Option<ToolNames>,

    /// Limit the whole prompt to N tokens
    #[arg(long, value_name = "N")]
    budget: Option<usize>,

    /// Set a setting or an option of the profile
    #[arg(long, value_name = "PATH=VALUE", add = complete::settings())]
    set: Vec<String>,

    /// Build for this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    trust: TrustFlags,

    #[command(flatten)]
    store: StoreFlag,
}

impl AgainFlags {
    /// Builds again with these flags; the conversation must exist.
    fn again<T>(
        &self,
        id: &ConversationId,
        act: impl AsyncFnOnce(ConversationService, BuildOptions, Actor) -> Result<T, ConversationError>,
    ) -> CommandResult<T> {
        let actor = actor(self.now.as_deref())?;
        let turn = TurnFlags {
            model: self.model.clone(),
            preset: self.preset.clone(),
            tools: self.tools.clone(),
            budget: self.budget,
            set: self.set.clone(),
            now: self.now.clone(),
            ..TurnFlags::default()
        };
        let mut options = self.trust.apply(turn.request())?;
        if self.directory.is_some() {
            options.cwd.clone_from(&self.directory);
            options.cwd = Some(Engine::new(files::system()).cwd(&options)?);
        }
        let done = self.store.open(async |store| Ok(act(conversations(store), options, actor).await?))?;
        done.ok_or_else(|| ConversationError::Unknown(id.clone()).into())
    }
}

/// Creates the failure for an unknown conversation.
fn unknown(id: &ConversationId) -> CommandFailure {
    ConversationError::Unknown(id.clone()).into()
}

/// The template that a prompt was built from, for people: `main@3`, or that it was the default.
fn template(used: Option<&TemplateUsed>) -> String {
    match used {
        None => String::new(),
        Some(TemplateUsed { name, version: Some(version), .. }) => {
            format!("{}@{version}", one_line(name.as_str()))
        }
        Some(TemplateUsed { name, version: None, .. }) => format!("{} (default)", one_line(name.as_str())),
    }
}

/// The template that a prompt was built from, or the preset of one without a template.
fn from(head: &PromptSummary) -> String {
    Some(template(head.template.as_ref()))
        .filter(|from| !from.is_empty())
        .unwrap_or_else(|| one_line(&head.preset))
}

/// A conversation for programs, without its text.
fn document(head: &PromptSummary) -> serde_json::Value {
    serde_json::json!({
        "id": head.id.as_str(),
        "revision": head.revision.revision,
        "fingerprint": head.fingerprint,
        "bytes": head.bytes,
        "cwd": head.cwd,
        "model": head.model,
        "preset": head.preset,
        "template": head.template,
        "reason": head.reason,
        "created_at": format_instant(head.created_at),
        "constructed_at": format_instant(head.constructed_at),
    })
}

/// Reads an id of the command line.
fn id(text: &str) -> Result<ConversationId, String> {
    text.parse().map_err(|error: preface_engine::store::ConversationIdError| error.to_string())
}

/// Deletes in steps, one transaction each, until less than a step is left. Returns the number.
async fn in_steps(step: u64, delete: impl AsyncFn() -> Result<u64, StoreError>) -> CommandResult<usize> {
    let mut done = 0;
    loop {
        let gone = delete().await?;
        done += usize::try_from(gone).unwrap_or(usize::MAX);
        if gone < step {
            return Ok(done);
        }
    }
}
