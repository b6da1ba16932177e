//! The rows of `preface trust list`.

use super::{
    digest::Digest,
    file::iso,
    permit::Permit,
    pins::PinPath,
    record::{Document, Entry, Pin, Project, Records},
};
use jiff::Timestamp;
use preface_core::trust::{Trust, TrustMode};
use serde::{Serialize, Serializer};
use std::collections::BTreeSet;

/// What stands for one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The canonical path that the record is about.
    pub path: String,
    /// Whether the project was decided as a whole or by its texts.
    pub mode: TrustMode,
    /// What stands. A pinned project is trusted as far as its texts and permits are granted, declined if none is.
    pub trust: Trust,
    /// Since when.
    #[serde(serialize_with = "instant")]
    pub at: Timestamp,
    /// The repository whose work trees share the grants.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// The texts that are granted, each version a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<RowText>,
    /// The names of the branches that are granted beside them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// What it may do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permits: Vec<Permit>,
    /// The digest of the contents that were granted as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// What the user noted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One granted version of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowText {
    /// Its path.
    pub path: PinPath,
    /// Its digest, which names its copy too.
    pub digest: Digest,
    /// Its size.
    pub bytes: u64,
}

impl Records {
    /// Returns what stands for every project that has a record, sorted by path.
    #[must_use]
    pub fn list(&self) -> Vec<Row> {
        let Document { entries, projects, .. } = &self.document;
        let paths: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        let mut rows: Vec<Row> =
            paths.into_iter().filter_map(|path| self.document.standing(path)).map(whole).collect();
        for project in projects {
            // The permits of a project that is trusted as a whole belong to that decision.
            // That something was revoked once is no decision that stands.
            if project.only_revoked() {
                continue;
            }
            match rows.iter_mut().find(|row| row.mode == TrustMode::Whole && row.path == project.root) {
                Some(row) if project.only_permits() => row.permits.extend(permits(project)),
                _ => rows.push(pinned(project)),
            }
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        rows
    }
}

fn whole(entry: &Entry) -> Row {
    Row {
        path: entry.path.clone(),
        mode: TrustMode::Whole,
        trust: entry.decision.trust(),
        at: entry.granted_at,
        repository: None,
        texts: Vec::new(),
        branches: Vec::new(),
        permits: Vec::new(),
        digest: entry.digest,
        note: entry.note.clone(),
    }
}

fn pinned(project: &Project) -> Row {
    let text = |pin: &Pin| RowText { path: pin.path.clone(), digest: pin.digest, bytes: pin.bytes };
    Row {
        path: project.root.clone(),
        mode: TrustMode::Pinned,
        trust: match project.pins.is_empty() && project.permits.is_empty() {
            true => Trust::Declined,
            false => Trust::Trusted,
        },
        at: project.granted_at,
        repository: project.repository.clone(),
        texts: project.pins.iter().map(text).collect(),
        branches: project.branches.clone(),
        permits: permits(project).collect(),
        digest: None,
        note: None,
    }
}

fn permits(project: &Project) -> impl Iterator<Item = Permit> {
    project.permits.iter().map(|record| record.permit.clone())
}

fn instant<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&iso(*at))
}
