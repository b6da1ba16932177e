//! Resolve: of the servers that all layers bring, which are active.
//!
//! A later layer replaces a server whole. A broken one replaces nothing: what stands below stays. `"disable": true` alone
//! takes an inherited server away, `"disable": false` alone brings it back. An entry that says `"disable": true` and
//! more is switched off itself, hides what is below all the same, and is off even where the rest of it is broken:
//! whoever wrote it wants no server of that id. A project's server that needs a grant and has none replaces nothing either.

use super::{
    entry::ServerEntry,
    read::{Declared, INVALID, McpFile, What},
    server::Server,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, Place, Severity},
    extension::{DisabledBy, EntryOrigin, Failure, Stage, Status},
    scope::Scope,
    settings::shown,
    suggestion::did_you_mean,
};
use std::collections::BTreeMap;

/// All servers of all layers, active or not, sorted by id and scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct McpServers {
    /// The servers.
    pub servers: Vec<ServerEntry>,
    /// What came up, each note once.
    pub diagnostics: Diagnostics,
}

impl McpServers {
    /// Returns the server that answers to an id.
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

/// Works out which servers are active where none of the project is granted. The order of `files` has no meaning; each layer
/// has one.
#[must_use]
pub fn resolve(files: Vec<McpFile>) -> McpServers {
    resolve_granted(files, &|_| false)
}

/// Works out which servers are active; `may_run` answers for servers of the project.
#[must_use]
pub fn resolve_granted(mut files: Vec<McpFile>, may_run: &dyn Fn(&ServerEntry) -> bool) -> McpServers {
    files.sort_by(|a, b| (a.scope, &a.path).cmp(&(b.scope, &b.path)));
    let mut by_id: BTreeMap<String, Said> = BTreeMap::new();
    for McpFile { scope, path, servers } in files {
        for (id, declared) in servers {
            by_id.entry(id).or_default().add(EntryOrigin { scope, path: path.clone() }, declared);
        }
    }
    let known: Vec<String> =
        by_id.iter().filter(|(_, said)| !said.candidates.is_empty()).map(|(id, _)| id.clone()).collect();
    let mut resolved = McpServers::default();
    for (id, said) in by_id {
        if said.candidates.is_empty() {
            resolved.diagnostics.extend(said.stray(&id, &known));
            continue;
        }
        resolved.diagnostics.extend(said.notes.iter().cloned());
        for row in said.settle(&id, may_run) {
            resolved.diagnostics.extend(row.diagnostics.iter().cloned());
            resolved.servers.push(row);
        }
    }
    resolved
}

/// What all layers say of one id, weakest first.
#[derive(Default)]
struct Said {
    candidates: Vec<Candidate>,
    switches: Vec<Switched>,
    /// Notes of those who only switch.
    notes: Diagnostics,
}

struct Candidate {
    origin: EntryOrigin,
    verdict: Result<Server, Vec<Failure>>,
    notes: Diagnostics,
}

struct Switched {
    scope: Scope,
    off: bool,
    place: Place,
}

impl Switched {
    fn by(&self) -> DisabledBy {
        DisabledBy { scope: self.scope.into(), path: self.place.path.clone(), line: self.place.line }
    }
}

impl Said {
    fn add(&mut self, origin: EntryOrigin, declared: Declared) {
        let Declared { place, switch, what, mut notes } = declared;
        let broken = matches!(what, What::Broken(_));
        // What is broken brings nothing back.
        if let Some(switch) = switch.filter(|switch| switch.off || !broken) {
            self.switches.push(Switched { scope: origin.scope, off: switch.off, place: switch.place });
        }
        let verdict = match what {
            What::Directive => {
                self.notes.append(&mut notes);
                return;
            }
            What::Broken(failures) => Err(failures),
            What::Sound(server) => match self.candidates.last() {
                Some(first) if first.origin.scope == origin.scope => {
                    let message = format!("the id is taken in this layer by {}", first.origin.path);
                    let failure = Failure::new(Stage::Register, "", message).at(place).named(INVALID);
                    Err(vec![failure.help("remove or rename one of the two")])
                }
                _ => Ok(server),
            },
        };
        self.candidates.push(Candidate { origin, verdict, notes });
    }

    /// Returns who switched the servers of a layer off: its own file or that of a layer above. What the user switched off
    /// is not started by a project.
    fn off(&self, scope: Scope) -> Option<DisabledBy> {
        let counts = |switch: &&Switched| {
            switch.scope >= scope && (switch.off || switch.scope == scope || switch.scope != Scope::Project)
        };
        self.switches.iter().rfind(counts).filter(|switch| switch.off).map(Switched::by)
    }

    /// Decides among the servers of one id.
    fn settle(mut self, id: &str, may_run: &dyn Fn(&ServerEntry) -> bool) -> Vec<ServerEntry> {
        let candidates = std::mem::take(&mut self.candidates);
        let is_able = |one: &Candidate| {
            let Ok(server) = &one.verdict else { return false };
            let row = ServerEntry::of(id, one.origin.clone(), server.clone());
            self.off(one.origin.scope).is_none() && (!row.needs_grant() || may_run(&row))
        };
        let able = candidates.iter().rposition(is_able);
        let is_pending =
            |at: usize, one: &Candidate| one.verdict.is_ok() && able.is_some_and(|able| able < at);
        let origins: Vec<(EntryOrigin, bool)> = candidates
            .iter()
            .enumerate()
            .map(|(at, one)| (one.origin.clone(), one.verdict.is_ok() && !is_pending(at, one)))
            .collect();
        let winner = origins.iter().rposition(|(_, sound)| *sound);
        let standing = winner.filter(|at| self.off(origins[*at].0.scope).is_none());

        let mut rows = Vec::with_capacity(candidates.len());
        for (at, candidate) in candidates.into_iter().enumerate() {
            let pending = is_pending(at, &candidate);
            let Candidate { origin, verdict, notes } = candidate;
            let scope = origin.scope;
            let who = format!("{scope}/{} (MCPServer)", shown(id));
            let mut row = ServerEntry::new(id, origin);
            row.diagnostics = notes;
            let off = self.off(scope);
            match verdict {
                Err(failures) => {
                    row.status = Status::Disabled;
                    row.disabled_by = off.filter(|by| by.scope == scope.into());
                    let stays = standing.filter(|winner| *winner < at).map(|winner| origins[winner].0.scope);
                    let severity = match (stays, &row.disabled_by) {
                        (None, None) => Severity::Error,
                        _ => Severity::Warning,
                    };
                    row.diagnostics
                        .extend(failures.iter().map(|failure| told(failure, &who, stays, severity)));
                    if let Some(by) = &row.disabled_by {
                        row.diagnostics.push(disabled(&who, by));
                    }
                }
                Ok(server) if pending => {
                    let notes = std::mem::take(&mut row.diagnostics);
                    row = ServerEntry::of(id, row.origin, server);
                    (row.status, row.diagnostics) = (Status::Pending, notes);
                }
                Ok(server) => {
                    let is_winner = winner == Some(at);
                    row.active = is_winner && off.is_none();
                    row.disabled_by = off;
                    if row.disabled_by.is_some() {
                        row.status = Status::Disabled;
                    }
                    if is_winner {
                        let below = origins[..at].iter().rev().filter(|(_, sound)| *sound);
                        row.shadows = below.map(|(origin, _)| origin.clone()).collect();
                    } else {
                        row.shadowed_by = winner.map(|winner| origins[winner].0.clone());
                    }
                    if row.active {
                        let failed = origins[at + 1..].iter().rfind(|(_, sound)| !*sound);
                        row.fallback_from = failed.map(|(origin, _)| origin.clone());
                    }
                    row.about = Some(server.about());
                    row.action = Some(server.action());
                    row.server = Some(server);
                    row.runnable = row.active && !row.needs_grant();
                    if row.active && !row.shadows.is_empty() {
                        row.diagnostics.push(shadowing(&who, &row));
                    }
                    if let (true, Some(by)) = (is_winner, &row.disabled_by) {
                        row.diagnostics.push(disabled(&who, by));
                    }
                    if is_winner {
                        row.diagnostics.extend(self.switched_on(&who, scope));
                    }
                }
            }
            rows.push(row);
        }
        rows
    }

    /// Reports that one layer switches on what another switched off.
    fn switched_on(&self, who: &str, scope: Scope) -> Option<Diagnostic> {
        let on = self.switches.iter().rfind(|switch| switch.scope >= scope).filter(|switch| !switch.off)?;
        let off = self.switches.iter().rfind(|switch| switch.scope >= scope && switch.off)?;
        let note = if self.off(scope).is_some() {
            let message =
                format!("{who} stays switched off by {}; {} does not switch it on", at(off), at(on));
            Diagnostic::warning("scope/enabled", message)
                .help("a project does not start what you switched off")
        } else {
            let message =
                format!("{who}, which {} switches off, is switched on again by {}", at(off), at(on));
            Diagnostic::info("scope/enabled", message)
        };
        Some(note.at(on.place.clone()))
    }

    /// Tells of an id that is switched and that nobody has.
    fn stray(self, id: &str, known: &[String]) -> Diagnostics {
        let near = did_you_mean(id, known.iter().map(String::as_str));
        let help = match near {
            Some(near) => format!("did you mean `{}`?", shown(near)),
            None => "`preface scopes` lists what there is".to_owned(),
        };
        let mut notes = self.notes;
        notes.extend(self.switches.into_iter().map(|switch| {
            let verb = if switch.off { "off" } else { "on" };
            let message = format!("the MCP server `{}` is switched {verb}, but no layer has it", shown(id));
            Diagnostic::warning("mcp/unknown", message).at(switch.place).help(help.clone())
        }));
        notes
    }
}

fn at(switch: &Switched) -> String {
    let line = switch.place.line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{}{line} ({})", switch.place.path, switch.scope)
}

/// Says a failure of a server: `project/git (MCPServer): shape — …`.
fn told(failure: &Failure, who: &str, stays: Option<Scope>, severity: Severity) -> Diagnostic {
    let pointer = match failure.pointer.as_str() {
        "" => String::new(),
        pointer => format!(" at {pointer}"),
    };
    let stays = stays.map(|scope| format!("; the {scope} one stays")).unwrap_or_default();
    let message = format!("{who}: {}{pointer} — {}{stays}", failure.stage, failure.message);
    let mut note = Diagnostic::new(severity, failure.code(), message);
    note.place.clone_from(&failure.place);
    note.help.clone_from(&failure.help);
    note
}

fn shadowing(who: &str, row: &ServerEntry) -> Diagnostic {
    let hidden: Vec<String> =
        row.shadows.iter().map(|origin| format!("the {} one ({})", origin.scope, origin.path)).collect();
    let place = Place::file(Some(row.origin.scope), row.origin.path.clone());
    Diagnostic::info("scope/shadows", format!("{who} hides {}", hidden.join(" and "))).at(place)
}

fn disabled(who: &str, by: &DisabledBy) -> Diagnostic {
    let line = by.line.map(|line| format!(":{line}")).unwrap_or_default();
    Diagnostic::info("scope/disabled", format!("{who} is switched off by {}{line} ({})", by.path, by.scope))
}
