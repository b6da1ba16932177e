//! Resolves which of the servers of all layers are active.
//!
//! A later layer replaces a server as a whole. An invalid one replaces nothing: the one below stays.
//! `"disable": true` alone removes an inherited server, `"disable": false` alone restores it. An entry with
//! `"disable": true` and more is disabled itself and hides those below all the same, even if the rest of it
//! is invalid: its author wants no server of that id. A project's server without a grant that it needs
//! replaces nothing either.

use super::{
    entry::ServerEntry,
    read::{INVALID, McpFile, ServerDeclaration},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy, Severity},
    extension::{EntryOrigin, EntrySwitches, Status, failure_of, select_active},
    settings::shown,
    suggestion::suggest_or,
};
use std::collections::BTreeMap;

/// All servers of all layers, active or not, sorted by id and scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpServers {
    /// The servers.
    pub servers: Vec<ServerEntry>,
    /// The diagnostics, without duplicates.
    pub diagnostics: Diagnostics,
}

impl McpServers {
    /// Returns the active server of an id.
    #[must_use]
    pub fn active(&self, name: &str) -> Option<&ServerEntry> {
        self.named(name).rfind(|entry| entry.active)
    }

    /// Returns every server of an id, weakest layer first.
    pub fn named(&self, name: &str) -> impl DoubleEndedIterator<Item = &ServerEntry> {
        let start = self.servers.partition_point(|entry| entry.name.as_str() < name);
        let end = self.servers.partition_point(|entry| entry.name.as_str() <= name);
        self.servers[start..end].iter()
    }
}

/// Resolves which servers are active; `may_run` decides about servers of the project. The order of `files` has no
/// meaning; each layer has one file.
#[must_use]
pub fn resolve(mut files: Vec<McpFile>, may_run: &dyn Fn(&ServerEntry) -> bool) -> McpServers {
    files.sort_by(|a, b| (a.scope, &a.path).cmp(&(b.scope, &b.path)));
    let mut by_id: BTreeMap<String, LayerDeclarations> = BTreeMap::new();
    for McpFile { scope, path, servers } in files {
        for (id, declared) in servers {
            let origin = EntryOrigin { scope, path: path.clone() };
            by_id.entry(id.clone()).or_default().add(&id, origin, declared);
        }
    }
    let known = by_id.iter().filter(|(_, declared)| !declared.rows.is_empty());
    let known: Vec<String> = known.map(|(id, _)| id.clone()).collect();
    let mut resolved = McpServers::default();
    for (id, declared) in by_id {
        if declared.rows.is_empty() {
            resolved.diagnostics.extend(declared.report_unknown(&id, &known));
            continue;
        }
        resolved.diagnostics.extend(declared.diagnostics.iter().cloned());
        for row in declared.select_active(may_run) {
            resolved.diagnostics.extend(row.diagnostics.iter().cloned());
            resolved.servers.push(row);
        }
    }
    resolved
}

/// The entries of one id in all layers, weakest first.
#[derive(Default)]
struct LayerDeclarations {
    rows: Vec<ServerEntry>,
    /// The failure of each row.
    failures: Vec<Option<Box<Diagnostic>>>,
    switches: EntrySwitches,
    /// Diagnostics of entries that only set `disable`.
    diagnostics: Diagnostics,
}

impl LayerDeclarations {
    fn add(&mut self, id: &str, origin: EntryOrigin, declared: ServerDeclaration) {
        let ServerDeclaration { place, switch, server, mut diagnostics } = declared;
        // An invalid entry does not enable another.
        if let Some(switch) = switch.filter(|switch| switch.off || server.is_ok()) {
            self.switches.0.insert(0, switch);
        }
        let first = self.rows.last().map(|row| &row.origin).filter(|first| first.scope == origin.scope);
        // Of two in one layer the first is used.
        let at = self.rows.len() - usize::from(first.is_some());
        let (server, failure) = match (server, first) {
            (Ok(None), _) => return self.diagnostics.append(&mut diagnostics),
            (Err(failure), _) => (None, Some(failure)),
            (Ok(Some(_)), Some(first)) => {
                let message = format!("the id is taken in this layer by {}", first.path);
                let failure = Diagnostic::error(INVALID, message).at(place);
                (None, Some(Box::new(failure.help("remove or rename one of the two"))))
            }
            (Ok(server), None) => (server, None),
        };
        let row = ServerEntry::of(id, origin, server);
        self.rows.insert(at, ServerEntry { diagnostics, ..row });
        self.failures.insert(at, failure);
    }

    /// Selects the active one among the servers of one id.
    fn select_active(self, may_run: &dyn Fn(&ServerEntry) -> bool) -> Vec<ServerEntry> {
        let LayerDeclarations { mut rows, failures, switches, .. } = self;
        for row in &mut rows {
            row.disabled_by = switches.disabled_by(row, true);
            if row.status == Status::Disabled {
                row.disabled_by.take_if(|by| by.scope != row.config_scope);
            }
        }
        let mut in_order: Vec<&mut ServerEntry> = rows.iter_mut().collect();
        let is_usable = |_, row: &ServerEntry| !row.needs_grant() || may_run(row);
        let winner = select_active(&mut in_order, false, &is_usable);
        for (at, failure) in failures.into_iter().enumerate() {
            let stays = rows[..at].iter().rfind(|row| row.active).map(|row| row.origin.scope);
            let row = &mut rows[at];
            let who = row.label();
            if let Some(failure) = failure {
                let mut diagnostic = failure_of(&who, *failure, stays);
                if row.disabled_by.is_some() {
                    diagnostic.severity = Severity::Warning;
                }
                row.diagnostics.push(diagnostic);
            }
            let is_winner = winner == Some(at);
            row.report(is_winner || row.value.server.is_none());
            if is_winner {
                row.diagnostics.extend(switches.report(row, true).map(|(_, diagnostic)| diagnostic));
            }
        }
        rows
    }

    /// Reports an id that is enabled or disabled and does not exist.
    fn report_unknown(self, id: &str, known: &[String]) -> Diagnostics {
        let known = known.iter().map(String::as_str);
        let help = suggest_or(id, known, || Remedy::list("servers"));
        let mut diagnostics = self.diagnostics;
        diagnostics.extend(self.switches.0.into_iter().rev().map(|switch| {
            let verb = if switch.off { "off" } else { "on" };
            let message = format!("the MCP server `{}` is switched {verb}, but no layer has it", shown(id));
            Diagnostic::warning(DiagnosticCode::McpUnknown, message).at(switch.place).help(help.clone())
        }));
        diagnostics
    }
}
