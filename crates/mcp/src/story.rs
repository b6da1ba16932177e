//! What is known of a server so far. It outlives the conversation, so that a server that falls silent late is still heard.

use preface_core::{diagnostic::Diagnostic, mcp_servers::Described};

/// What is known of a server so far.
#[derive(Default)]
pub(crate) struct Story {
    pub(crate) calls_itself: Option<String>,
    pub(crate) protocol: Option<String>,
    pub(crate) described: Described,
    /// True once the lists are whole; what is missing then was only wanted beside them.
    pub(crate) listed: bool,
    pub(crate) notes: Vec<Diagnostic>,
}

impl Story {
    pub(crate) fn note(&mut self, code: &str, what: impl Into<String>, remedy: &str) {
        self.notes.push(Diagnostic::warning(code, what).help(remedy));
    }
}
