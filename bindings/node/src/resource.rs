//! What stays here between two operations.

use preface::{Conversation, Prompt, Store};
use std::sync::Mutex;

/// A value behind a handle.
pub enum Resource {
    /// A finished prompt.
    Prompt(Box<Prompt>),
    /// An open store.
    Store(Store),
    /// An open conversation; `None` once it is closed.
    Conversation(Box<Mutex<Option<Conversation>>>),
}

impl Resource {
    /// Estimates the bytes of memory, for the garbage collector of JavaScript, which sees a handle alone.
    pub fn size(&self) -> usize {
        const LEAST: usize = 16 * 1024;
        match self {
            // The text, the texts that it was built from, and where each byte came from.
            Resource::Prompt(prompt) => LEAST + 4 * prompt.text().len(),
            Resource::Store(_) | Resource::Conversation(_) => LEAST,
        }
    }
}
