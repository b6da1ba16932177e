//! The records in `trust.json`: decisions about whole projects, grants of single texts and permissions, and how to look them up.

use super::{
    contents::Digest,
    file::{instant, optional_instant},
    path::recordable,
    permission::Permission,
    pins::{DeclineRecord, PinPath, Pins},
};
use jiff::Timestamp;
use preface_core::trust::{Trust, TrustMode};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// The decision of the user about a whole project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Yes.
    Trusted,
    /// No, or no longer.
    Declined,
}

impl Decision {
    /// Returns what it means for the project.
    #[must_use]
    pub fn trust(self) -> Trust {
        match self {
            Decision::Trusted => Trust::Trusted,
            Decision::Declined => Trust::Declined,
        }
    }
}

/// The current decision about a whole project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeRecord {
    /// Yes or no.
    pub decision: Decision,
    /// The time of the decision.
    pub granted_at: Timestamp,
    /// The digest of the project's contents that were granted or declined, if it was computed (see
    /// [`whole_digest`](super::whole_digest)).
    pub digest: Option<Digest>,
    /// The texts that a build used at the grant and that `digest` does not cover: files that settings or
    /// manifests name. `None` if the grant did not record them.
    pub texts: Option<Vec<GrantedText>>,
    /// The user's note.
    pub note: Option<String>,
}

/// A text that was sent when a project was granted as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GrantedText {
    /// The path, relative to the project's directory for files inside it.
    pub path: PinPath,
    /// The digest of the text.
    pub digest: Digest,
}

impl WholeRecord {
    /// Returns whether the contents differ from those that were granted; `false` if there is no digest.
    #[must_use]
    pub fn changed_since(&self, now: &Digest) -> bool {
        self.decision == Decision::Trusted && self.digest.as_ref().is_some_and(|then| then != now)
    }

    /// Returns whether exactly these contents were declined, so that the user is not asked again.
    #[must_use]
    pub fn declines(&self, now: &Digest) -> bool {
        self.decision == Decision::Declined && self.digest.as_ref() == Some(now)
    }
}

/// The contents of the store when it was loaded. Without a store, or with one that cannot be read, it is empty:
/// everything is untrusted.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// The real path of the store; it is not used for a project that contains it.
    pub(super) place: PathBuf,
    pub(super) document: TrustDocument,
}

impl Records {
    /// Returns the current decision about a whole project: the latest one, and of two at the same instant the later
    /// in the file.
    ///
    /// The key is the canonical path of the project's directory (`<cwd>/.stud`); nothing is inherited from a parent.
    #[must_use]
    pub fn whole(&self, canonical: &Path) -> Option<WholeRecord> {
        if self.lies_inside(canonical) {
            return None;
        }
        self.document.standing(recordable(canonical).ok()?).map(DecisionEntry::record)
    }

    /// Returns what is granted for a pinned project, by its canonical root.
    #[must_use]
    pub fn pins(&self, root: &Path) -> Pins {
        if self.lies_inside(root) {
            return Pins::default();
        }
        root.to_str().and_then(|root| self.document.project(root)).map(Pins::of).unwrap_or_default()
    }

    /// Returns when the user last declined a project or took a grant back, whichever project it was.
    #[must_use]
    pub fn refused_at(&self) -> Option<Timestamp> {
        let entries = self.document.entries.iter().filter(|entry| entry.decision == Decision::Declined);
        let projects = self.document.projects.iter();
        let projects = projects.map(|project| project.revoked_at.max(project.declined.map(|no| no.at)));
        entries.map(|entry| Some(entry.granted_at)).chain(projects).max().flatten()
    }

    /// Returns whether the store lies inside of this project. Then it is not asked about it.
    #[must_use]
    pub fn lies_inside(&self, root: &Path) -> bool {
        self.place.starts_with(root)
    }
}

/// The file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustDocument {
    #[serde(default)]
    pub(super) entries: Vec<DecisionEntry>,
    #[serde(rename = "pins", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) projects: Vec<ProjectRecord>,
}

/// One decision about a whole project.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DecisionEntry {
    #[serde(rename = "canonicalPath")]
    pub(super) path: String,
    pub(super) decision: Decision,
    #[serde(with = "instant")]
    pub(super) granted_at: Timestamp,
    pub(super) schema_version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) texts: Option<Vec<GrantedText>>,
}

impl DecisionEntry {
    pub(super) fn record(&self) -> WholeRecord {
        WholeRecord {
            decision: self.decision,
            granted_at: self.granted_at,
            digest: self.digest,
            texts: self.texts.clone(),
            note: self.note.clone(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ProjectRecord {
    pub(super) root: String,
    #[serde(with = "instant")]
    pub(super) granted_at: Timestamp,
    /// In the order of the grants, for each path.
    pub(super) pins: Vec<PinRecord>,
    /// Names of branches, as they are shown, in the order of their grants.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) branches: Vec<String>,
    /// In the order of the grants, for each subject.
    #[serde(rename = "commands", default, skip_serializing_if = "Vec::is_empty")]
    pub(super) permissions: Vec<PermissionRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) declined: Option<DeclineRecord>,
    /// The time of the last revocation.
    #[serde(default, with = "optional_instant", skip_serializing_if = "Option::is_none")]
    pub(super) revoked_at: Option<Timestamp>,
}

/// One deed that is granted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PermissionRecord {
    #[serde(flatten, serialize_with = "Permission::serialize_record")]
    pub(super) permission: Permission,
    #[serde(with = "instant")]
    pub(super) granted_at: Timestamp,
}

/// One text that is granted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinRecord {
    pub(super) path: PinPath,
    pub(super) digest: Digest,
    pub(super) bytes: u64,
}

impl TrustDocument {
    /// Returns the entry that decides for this path.
    pub(super) fn standing(&self, path: &str) -> Option<&DecisionEntry> {
        self.entries.iter().filter(|entry| entry.path == path).max_by_key(|entry| entry.granted_at)
    }

    /// As [`TrustDocument::standing`], to change it.
    pub(super) fn standing_mut(&mut self, path: &str) -> Option<&mut DecisionEntry> {
        self.entries.iter_mut().filter(|entry| entry.path == path).max_by_key(|entry| entry.granted_at)
    }

    /// Returns the project of this root.
    pub(super) fn project(&self, root: &str) -> Option<&ProjectRecord> {
        self.projects.iter().find(|project| project.root == root)
    }

    /// As [`TrustDocument::project`], to change it.
    pub(super) fn project_mut(&mut self, root: &str) -> Option<&mut ProjectRecord> {
        self.projects.iter_mut().find(|project| project.root == root)
    }
}

impl ProjectRecord {
    /// Returns whether it records nothing, so that it can be removed.
    pub(super) fn is_empty(&self) -> bool {
        self.only_revoked() && self.revoked_at.is_none()
    }

    /// Returns whether it only records that something was revoked.
    pub(super) fn only_revoked(&self) -> bool {
        self.pins.is_empty() && self.declined.is_none() && self.permissions.is_empty()
    }

    /// Returns whether it records nothing about texts.
    pub(super) fn only_permissions(&self) -> bool {
        self.pins.is_empty() && self.declined.is_none() && self.revoked_at.is_none()
    }
}

/// The current state of one project.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustRow {
    /// The canonical path that the record is about.
    pub path: String,
    /// The way the project was granted: as a whole, or by its texts.
    pub mode: TrustMode,
    /// The state. A pinned project is trusted as far as its texts and permissions are granted, declined if none is.
    pub trust: Trust,
    /// The time of the current decision.
    #[serde(serialize_with = "instant::serialize")]
    pub at: Timestamp,
    /// The texts that are granted, each version a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<TrustRowText>,
    /// The names of the branches that are granted beside them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// The permissions of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<Permission>,
    /// The digest of the contents that were granted as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// The user's note.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One granted version of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TrustRowText {
    /// The path of the text.
    pub path: PinPath,
    /// The digest of the text, which is also the name of its copy.
    pub digest: Digest,
    /// The size of the text.
    pub bytes: u64,
}

impl Records {
    /// Returns the state of every project that has a record, sorted by path.
    #[must_use]
    pub fn list(&self) -> Vec<TrustRow> {
        let TrustDocument { entries, projects, .. } = &self.document;
        let paths: BTreeSet<&str> = entries.iter().map(|entry| entry.path.as_str()).collect();
        let mut rows: Vec<TrustRow> =
            paths.into_iter().filter_map(|path| self.document.standing(path)).map(whole).collect();
        for project in projects {
            // The permissions of a project that is trusted as a whole belong to that decision.
            // That something was revoked once is no decision that counts.
            if project.only_revoked() {
                continue;
            }
            match rows.iter_mut().find(|row| row.mode == TrustMode::Whole && row.path == project.root) {
                Some(row) if project.only_permissions() => row.permissions.extend(permissions(project)),
                _ => rows.push(pinned(project)),
            }
        }
        rows.sort_by(|a, b| a.path.cmp(&b.path));
        rows
    }
}

fn whole(entry: &DecisionEntry) -> TrustRow {
    TrustRow {
        path: entry.path.clone(),
        mode: TrustMode::Whole,
        trust: entry.decision.trust(),
        at: entry.granted_at,
        texts: Vec::new(),
        branches: Vec::new(),
        permissions: Vec::new(),
        digest: entry.digest,
        note: entry.note.clone(),
    }
}

fn pinned(project: &ProjectRecord) -> TrustRow {
    let text =
        |pin: &PinRecord| TrustRowText { path: pin.path.clone(), digest: pin.digest, bytes: pin.bytes };
    TrustRow {
        path: project.root.clone(),
        mode: TrustMode::Pinned,
        trust: match project.pins.is_empty() && project.permissions.is_empty() {
            true => Trust::Declined,
            false => Trust::Trusted,
        },
        at: project.granted_at,
        texts: project.pins.iter().map(text).collect(),
        branches: project.branches.clone(),
        permissions: permissions(project).collect(),
        digest: None,
        note: None,
    }
}

fn permissions(project: &ProjectRecord) -> impl Iterator<Item = Permission> {
    project.permissions.iter().map(|record| record.permission.clone())
}

/// The state of a deed under the grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermissionState {
    /// Exactly this was granted.
    Granted,
    /// Something else was granted to this subject, not this.
    Changed,
    /// Nothing was granted to this subject.
    New,
}

/// The permissions of one project, in the order of their grants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    pub(super) granted: Vec<Permission>,
}

impl Permissions {
    /// Returns the state of a deed. What was granted once stays granted until it is revoked.
    #[must_use]
    pub fn state(&self, permission: &Permission) -> PermissionState {
        if self.granted.contains(permission) {
            PermissionState::Granted
        } else if self.granted.iter().any(|granted| granted.subject == permission.subject) {
            PermissionState::Changed
        } else {
            PermissionState::New
        }
    }

    /// Returns what was granted last to a subject: what a question about a change compares with.
    #[must_use]
    pub fn latest(&self, subject: &str) -> Option<&Permission> {
        self.granted.iter().rev().find(|permission| permission.subject == subject)
    }
}

impl Records {
    /// Returns what a project may do, by the root that its texts are pinned under, or by the canonical directory of a project
    /// that is trusted as a whole.
    #[must_use]
    pub fn permissions(&self, root: &Path) -> Permissions {
        if self.lies_inside(root) {
            return Permissions::default();
        }
        let project = root.to_str().and_then(|root| self.document.project(root));
        Permissions { granted: project.map(|project| permissions(project).collect()).unwrap_or_default() }
    }
}
