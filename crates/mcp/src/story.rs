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
    /// How many there were besides.
    more: usize,
}

/// How many notes there are about what a server lists. Who has more of them is not read to the end.
const NOTES: usize = 40;

impl Story {
    pub(crate) fn note(&mut self, code: &str, what: impl Into<String>, remedy: &str) {
        if self.notes.len() < NOTES {
            self.notes.push(Diagnostic::warning(code, what).help(remedy));
        } else {
            self.more += 1;
        }
    }

    /// Says how many notes there were besides.
    pub(crate) fn close_notes(&mut self) {
        if self.more > 0 {
            let what = format!("there are {} more notes on what it lists", self.more);
            self.notes
                .push(Diagnostic::warning("mcp/more-notes", what).help("tell whoever makes the server"));
            self.more = 0;
        }
    }
}
