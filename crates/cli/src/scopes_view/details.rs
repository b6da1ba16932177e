//! The details below the row of an entry: what shadows it, what disables it, its diagnostics.

use super::row::{ListingGroup, ListingRow, faults};
use crate::{
    call::{ALLOW, command},
    ui::{listed, one_line},
};
use preface_core::{
    extension::{DisabledBy, EntryOrigin, EntryState, NAMED},
    hook::HookEvent,
    settings::SetBy,
};

/// Returns the lines below an entry's row; none if the row is complete.
pub fn details(entry: &ListingRow) -> Vec<String> {
    let mut lines = Vec::new();
    match entry.state() {
        EntryState::Active => {
            let of_slot = || HookEvent::ALL.into_iter().find(|event| Some(event.slot()) == entry.slot);
            let event = entry.value.event.or_else(of_slot);
            if event.is_some_and(HookEvent::is_of_tool_calls) {
                lines.push(
                    "preface calls no tools and never starts it; it is listed for your agent".to_owned(),
                );
            }
        }
        EntryState::Hidden => {
            lines.extend(entry.shadowed_by.iter().map(|by| format!("hidden by {}", whence(by))));
        }
        EntryState::Off => {
            lines.extend(entry.disabled_by.iter().map(|by| format!("switched off by {}", who(by))));
        }
        EntryState::Broken => lines.push(format!("broken: {}", fault(entry))),
        // The request has an agent as well.
        EntryState::Untrusted if entry.value.group == ListingGroup::Agents => {
            lines.push(format!("not trusted: {}", command("trust grant --agent NAME")));
        }
        EntryState::Untrusted => lines.push(format!("not trusted: {}", command("trust grant"))),
        EntryState::Incomplete => {
            lines.extend(entry.missing.map(|missing| format!("cannot be used without {missing}")));
        }
        EntryState::NeedsGrant | EntryState::Pending => {
            lines.push(format!("may not run: {}", command(ALLOW)));
        }
    }
    if !entry.shadows.is_empty() {
        let hidden: Vec<String> = entry.shadows.iter().map(whence).collect();
        lines.push(format!("hides {}", listed(&hidden)));
    }
    if let Some(broken) = &entry.fallback_from {
        lines.push(format!("the one above it cannot be used: {}", whence(broken)));
    }
    if entry.active && entry.config_scope > SetBy::from(entry.origin.scope) {
        lines.push(format!("configured by {}", layer(entry.config_scope)));
    }
    let named = entry.diagnostics.iter().filter(|diagnostic| diagnostic.code == NAMED);
    lines.extend(named.map(|diagnostic| one_line(&diagnostic.message)));
    lines
}

/// Names a layer's entry: `bundled (bundled/extensions/tools/Bash/manifest.json)`.
fn whence(origin: &EntryOrigin) -> String {
    format!("{} ({})", origin.scope, one_line(&origin.path))
}

/// Names who switched something off: `~/.stud/settings.json:3`.
fn who(by: &DisabledBy) -> String {
    if by.scope == SetBy::Caller {
        return "the caller (`--set`)".to_owned();
    }
    let path = one_line(&by.path);
    match by.line {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}

fn layer(by: SetBy) -> &'static str {
    match by {
        SetBy::Caller => "the caller (`--set`)",
        by => by.as_str(),
    }
}

/// Returns what is wrong with a broken entry, without its name, which is in the row.
fn fault(entry: &ListingRow) -> String {
    let mut wrong = faults(entry);
    let Some(first) = wrong.next() else { return "it is not valid".to_owned() };
    let named = first.subject.as_ref().map(|subject| format!("{subject}: "));
    let message = named.and_then(|named| first.message.strip_prefix(&named)).unwrap_or(&first.message);
    let first = one_line(message);
    match wrong.count() {
        0 => first,
        more => format!("{first} (and {more} more)"),
    }
}
