//! One row of a listing: an MCP server of one layer, with the keys of an extension's row.

use super::{recording::Recalled, server::Server};
use crate::{
    diagnostic::Diagnostic,
    extension::{Action, DisabledBy, EntryOrigin, Slot, Status},
    scope::Scope,
    settings::{SetBy, shown},
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The word that stands in the place of an extension's category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServerCategory {
    /// An MCP server.
    Mcp,
}

/// An MCP server of one layer. In JSON it is a row of `mcp` in `preface scopes --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerEntry {
    /// Always `mcp`.
    pub category: ServerCategory,
    /// Its id.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one answers to its id.
    pub active: bool,
    /// True where it is active and may be started or talked to: a project's needs a grant first.
    pub runnable: bool,
    /// The sound entries of lower layers that it hides, the nearest first.
    pub shadows: Vec<EntryOrigin>,
    /// The entry of a higher layer that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// Who switched it off; that may be the entry itself.
    pub disabled_by: Option<DisabledBy>,
    /// The broken override that it stays active in spite of.
    pub fallback_from: Option<EntryOrigin>,
    /// Always `None`: servers have no order.
    pub order: Option<usize>,
    /// Always `None`: servers have no slot.
    pub slot: Option<Slot>,
    /// The layer whose configuration counts: its own, since an override replaces the whole entry.
    pub config_scope: SetBy,
    /// How it fared.
    pub status: Status,
    /// One line about it, without values of variables and headers.
    pub about: Option<String>,
    /// What it would do to the machine, with such values masked.
    pub action: Option<Action>,
    /// What came up about it.
    pub diagnostics: Vec<Diagnostic>,
    /// The server as written; `None` where its entry failed. It may hold what no listing may show.
    #[serde(skip)]
    pub server: Option<Server>,
    /// What is recorded of it, once somebody looked; `None` where nothing is.
    #[serde(skip)]
    pub said: Option<Arc<Recalled>>,
}

impl ServerEntry {
    pub(super) fn new(name: &str, origin: EntryOrigin) -> Self {
        ServerEntry {
            category: ServerCategory::Mcp,
            name: name.to_owned(),
            active: false,
            runnable: false,
            shadows: Vec::new(),
            shadowed_by: None,
            disabled_by: None,
            fallback_from: None,
            order: None,
            slot: None,
            config_scope: origin.scope.into(),
            status: Status::Ok,
            about: None,
            action: None,
            diagnostics: Vec::new(),
            server: None,
            said: None,
            origin,
        }
    }

    /// Returns the entry of a server of which nothing is decided yet.
    pub(super) fn of(name: &str, origin: EntryOrigin, server: Server) -> Self {
        let mut row = ServerEntry::new(name, origin);
        (row.about, row.action) = (Some(server.about()), Some(server.action()));
        row.server = Some(server);
        row
    }

    /// Returns the id as a word of a command line.
    #[must_use]
    pub fn word(&self) -> String {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+,=".contains(c);
        let name = shown(&self.name);
        if !name.is_empty() && name.chars().all(is_plain) {
            return name;
        }
        format!("'{}'", name.replace('\'', "'\\''"))
    }

    /// True where the server comes from a project: starting it, or talking to it, needs a grant of its own.
    #[must_use]
    pub fn needs_grant(&self) -> bool {
        self.origin.scope == Scope::Project && self.action.is_some()
    }
}
