//! Skills on disk: `skills/<name>/SKILL.md` of the global and the project layer.
//!
//! Read now: which skills there are, whether each file can be read, how large it is, and which layer's answers to a name.
//! The name is that of the directory. Not read now: what stands in the file. Its frontmatter (name, description, who may
//! invoke it) is neither parsed nor validated, nothing of it reaches a prompt, and no setting switches a skill off.

use crate::{
    extensions::{list, roots, wanted},
    look::Look,
    system::{DirEntry, FileKind},
};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Place},
    extension::{EntryOrigin, Status, id_fault},
    scope::Scope,
};
use serde::Serialize;
use std::path::Path;

/// The directory of skills in a layer's root.
const SKILLS: &str = "skills";
/// The file that is one.
const FILE: &str = "SKILL.md";
/// The most that is read of a skill.
const SKILL_LIMIT: u64 = 256 << 10;

/// A skill of one layer. In JSON it is a row of `preface skills --format json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkillEntry {
    /// Its name: that of its directory.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one answers to its name.
    pub active: bool,
    /// The sound skills of lower layers that it hides, the nearest first.
    pub shadows: Vec<EntryOrigin>,
    /// The skill of a higher layer that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// The broken override that it stays active in spite of.
    pub fallback_from: Option<EntryOrigin>,
    /// How it fared.
    pub status: Status,
    /// The size of its file; `None` where it could not be read.
    pub bytes: Option<u64>,
    /// What came up about it.
    pub diagnostics: Diagnostics,
}

/// Returns the skills of all layers, active or not, sorted by name and layer. What is no skill is a note.
#[must_use]
pub fn of_layers(look: &Look<'_>) -> Vec<SkillEntry> {
    let mut found = Vec::new();
    for (scope, root) in roots(look) {
        let dir = root.join(SKILLS);
        for entry in list(scope, &dir, look).unwrap_or_default() {
            let hidden = entry.name.as_encoded_bytes().starts_with(b".");
            if hidden || matches!(entry.kind, FileKind::File | FileKind::Special) {
                continue;
            }
            found.extend(one(scope, &dir.join(&entry.name), &entry, look));
        }
    }
    found.sort_by(|a, b| (&a.name, a.origin.scope).cmp(&(&b.name, b.origin.scope)));
    found.chunk_by_mut(|a, b| a.name == b.name).for_each(settle);
    found
}

fn one(scope: Scope, dir: &Path, entry: &DirEntry, look: &Look<'_>) -> Option<SkillEntry> {
    let path = dir.join(FILE);
    let shown = look.places.source(scope, &path).path.clone();
    let place = || Place::file(Some(scope), shown.clone());
    let fault = match entry.name.to_str() {
        None => Some("is no UTF-8"),
        Some(name) => id_fault(name),
    };
    let (status, bytes, diagnostics) = if let Some(fault) = fault {
        let note = Diagnostic::warning("skill/name", format!("the directory's name {fault}"));
        (Status::Disabled, None, vec![note.at(place()).help("rename it")])
    } else {
        let before = look.notes.borrow().len();
        let read = look.read(&wanted(scope, &path, SKILL_LIMIT, look));
        // What the reading had to say is this skill's, and is told with it.
        let notes: Diagnostics = look.notes.borrow_mut().drain(before..).collect();
        match read {
            Some(read) => (Status::Ok, u64::try_from(read.bytes.len()).ok(), notes),
            None if notes.is_empty() => {
                let what = format!("{shown} is not there; its directory is no skill");
                let note = Diagnostic::warning("skill/no-file", what).at(place());
                look.note(note.help("add one, or remove the directory"));
                return None;
            }
            None if notes.iter().any(|note| note.code == "trust/held") => {
                (Status::Held, look.system.stat(&path).map(|stat| stat.len), notes)
            }
            None => (Status::Disabled, None, notes),
        }
    };
    Some(SkillEntry {
        name: entry.name.to_string_lossy().into_owned(),
        origin: EntryOrigin { scope, path: shown },
        active: false,
        shadows: Vec::new(),
        shadowed_by: None,
        fallback_from: None,
        status,
        bytes,
        diagnostics,
    })
}

/// Decides among the skills of one name, the weakest layer first: the strongest sound one is active.
fn settle(rows: &mut [SkillEntry]) {
    let Some(winner) = rows.iter().rposition(|row| row.status == Status::Ok) else { return };
    let (below, rest) = rows.split_at_mut(winner);
    let Some((active, above)) = rest.split_first_mut() else { return };
    active.active = true;
    for row in below.iter_mut().rev().filter(|row| row.status == Status::Ok) {
        row.shadowed_by = Some(active.origin.clone());
        active.shadows.push(row.origin.clone());
    }
    active.fallback_from =
        above.iter().rfind(|row| row.status == Status::Disabled).map(|row| row.origin.clone());
}
