//! Why a prompt was not given, by what the caller can do about it.

use preface_core::lint::hidden::escape_hidden;
use preface_store::{ConversationId, Head, StoreError};
use std::fmt;

/// Why a keeper refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeepError {
    /// The prompt cannot be built.
    Engine(crate::Error),
    /// The store does not answer.
    Store(StoreError),
    /// Nobody knows this conversation.
    Unknown(ConversationId),
    /// The first turn does not say where it works.
    NoCwd,
    /// It works outside of the directories that were named.
    Outside(String),
    /// There is no such directory.
    NoDirectory(String),
    /// There is no such template or version, or it was taken back.
    UnknownTemplate(String),
    /// That is no choice of a template.
    Choice(String),
    /// The stored prompt has text of the project that would not be admitted now.
    TrustChanged(ConversationId, Vec<String>),
    /// Another prompt is kept than the caller knows.
    Stale(Box<Head>),
    /// What the store kept beside a prompt cannot be read.
    Record(String),
    /// There is too much to do, or it took too long.
    Overloaded(String),
}

impl KeepError {
    /// Returns what to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            KeepError::Store(error) => error.hint(),
            KeepError::Engine(crate::Error::Usage(_, hint)) => hint.clone(),
            KeepError::Engine(crate::Error::Render(note)) => note.help.clone(),
            KeepError::Engine(_) | KeepError::Record(_) => None,
            KeepError::Unknown(_) => Some("its first turn makes it".to_owned()),
            KeepError::NoCwd => Some("say `cwd`".to_owned()),
            KeepError::Outside(_) => Some("name a directory at or below a root, or add one".to_owned()),
            KeepError::NoDirectory(_) => Some("make it, or name another".to_owned()),
            KeepError::UnknownTemplate(_) => Some("choose one that is stored".to_owned()),
            KeepError::Choice(_) => Some("write `name`, `name@label` or `name@3`".to_owned()),
            KeepError::Stale(_) => Some("read it again".to_owned()),
            KeepError::TrustChanged(..) => {
                Some("refresh the conversation, or grant the text again".to_owned())
            }
            KeepError::Overloaded(_) => Some("try again later".to_owned()),
        }
    }
}

impl fmt::Display for KeepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeepError::Engine(error) => write!(f, "{error}"),
            KeepError::Store(error) => write!(f, "{error}"),
            KeepError::Unknown(id) => write!(f, "unknown conversation: `{id}`"),
            KeepError::NoCwd => write!(f, "the first turn must say where it works"),
            KeepError::Outside(cwd) => write!(f, "not below a root: `{}`", escape_hidden(cwd)),
            KeepError::NoDirectory(cwd) => write!(f, "no such directory: `{}`", escape_hidden(cwd)),
            KeepError::UnknownTemplate(choice) if choice.contains('@') => {
                write!(f, "unknown template or version: `{choice}`")
            }
            KeepError::UnknownTemplate(choice) => write!(f, "unknown template: `{choice}`"),
            KeepError::Choice(text) => write!(f, "not a template: `{}`", text.escape_debug()),
            KeepError::TrustChanged(id, held) => {
                const SHOWN: usize = 5;
                let names = held.iter().take(SHOWN).map(|name| escape_hidden(name).into_owned());
                let names = names.collect::<Vec<_>>().join(", ");
                let more = match held.len().saturating_sub(SHOWN) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                write!(f, "the stored prompt of `{id}` has text that is not trusted: {names}{more}")
            }
            KeepError::Stale(head) => {
                write!(f, "`{}` is at revision {} now", head.id, head.seal.revision)
            }
            KeepError::Record(why) => write!(f, "the record of the prompt cannot be read: {why}"),
            KeepError::Overloaded(why) => write!(f, "{why}"),
        }
    }
}

impl std::error::Error for KeepError {}

impl From<crate::Error> for KeepError {
    fn from(error: crate::Error) -> Self {
        KeepError::Engine(error)
    }
}

impl From<StoreError> for KeepError {
    fn from(error: StoreError) -> Self {
        KeepError::Store(error)
    }
}
