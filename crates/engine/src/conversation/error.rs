//! The errors of conversations, one variant for each remedy of the caller.

use super::MOST_BLOCKS;
use crate::Error;
use preface_core::{diagnostic::Remedy, lint::hidden::escape_hidden};
use preface_host::trust::shell_quoted;
use preface_store::{ConversationId, PromptSummary, StoreError};

/// The reason why a call for a stored prompt failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConversationError {
    /// The prompt cannot be built.
    #[error(transparent)]
    Engine(#[from] Error),
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The conversation does not exist.
    #[error("unknown conversation: `{0}`")]
    Unknown(ConversationId),
    /// The conversation has no request with this number.
    #[error("`{0}` has no request {1}")]
    UnknownRequest(ConversationId, u64),
    /// The conversation holds its prompt itself, and records no requests.
    #[error("the conversation has no store")]
    NoStore,
    /// The request has more blocks than are recorded.
    #[error("a request of {0} blocks is larger than the limit of {MOST_BLOCKS}")]
    TooManyBlocks(usize),
    /// The first turn does not name a directory.
    #[error("the first turn needs a directory")]
    NoCwd,
    /// The directory is not below one of the roots.
    #[error("not below a root: `{}`", escape_hidden(.0))]
    Outside(String),
    /// There is no such directory.
    #[error("no such directory: `{}`", escape_hidden(.0))]
    NoDirectory(String),
    /// There is no such template or version, or it was taken back.
    #[error("unknown template{}: `{}`", if .0.contains('@') { " or version" } else { "" }, .0)]
    UnknownTemplate(String),
    /// An invalid choice of a template.
    #[error("not a template: `{}`", .0.escape_debug())]
    Choice(String),
    /// The stored prompt has text of the project that would not be admitted now.
    #[error("the stored prompt of `{0}` has text that is not trusted: {names}", names = first_names(.1))]
    TrustChanged(ConversationId, Vec<String>),
    /// Another prompt is kept than the caller knows.
    #[error("`{}` is at revision {} now", .0.id, .0.revision.revision)]
    Stale(Box<PromptSummary>),
    /// The record stored with a prompt cannot be read.
    #[error("the record of the prompt cannot be read: {0}")]
    Record(String),
    /// There is too much to do, or it took too long.
    #[error("{0}")]
    Overloaded(String),
}

impl ConversationError {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<Remedy> {
        let quoted = |id: &ConversationId| shell_quoted(&escape_hidden(id.as_str()));
        match self {
            ConversationError::Store(error) => error.help().map(Remedy::from),
            ConversationError::Engine(error @ (Error::Usage(..) | Error::Render(_))) => error.help(),
            ConversationError::Engine(_) | ConversationError::Record(_) => None,
            ConversationError::Unknown(_) => {
                Some(Remedy::command("its first turn makes it; see the stored ones", "conversation list"))
            }
            ConversationError::UnknownRequest(id, _) => Some(Remedy::command(
                "see which there are",
                format_args!("conversation history {} --requests", quoted(id)),
            )),
            ConversationError::NoStore => Some("open it in one".into()),
            ConversationError::TooManyBlocks(_) => Some("leave out older messages, or summarize them".into()),
            ConversationError::NoCwd => Some("give `cwd`".into()),
            ConversationError::Outside(_) => Some("name a directory at or below a root, or add one".into()),
            ConversationError::NoDirectory(_) => Some("make it, or name another".into()),
            ConversationError::UnknownTemplate(_) => {
                Some(Remedy::command("choose one that is stored", "template list"))
            }
            ConversationError::Choice(_) => Some("write `name`, `name@label` or `name@3`".into()),
            ConversationError::Stale(_) => Some("read it again".into()),
            ConversationError::TrustChanged(id, _) => Some(Remedy::command(
                "trust the text again, or build the prompt without it",
                format_args!("conversation refresh {}", quoted(id)),
            )),
            ConversationError::Overloaded(_) => Some("try again later".into()),
        }
    }
}

/// Returns the first of some names, and how many more there are.
fn first_names(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| escape_hidden(name)).collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    shown.join(", ") + &more
}
