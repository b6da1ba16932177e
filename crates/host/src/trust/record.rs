//! What `trust.json` says: decisions about whole projects, grants of single texts, and how to look them up.

use super::{
    digest::Digest,
    path::recordable,
    permit::Permit,
    pins::{Declined, PinPath, Pins},
};
use jiff::Timestamp;
use preface_core::trust::Trust;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What the user said about a whole project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Yes.
    Trusted,
    /// No, or no longer.
    Declined,
}

impl Decision {
    /// Returns the word that the file uses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Decision::Trusted => "trusted",
            Decision::Declined => "declined",
        }
    }

    /// Returns what it means for the project.
    #[must_use]
    pub fn trust(self) -> Trust {
        match self {
            Decision::Trusted => Trust::Trusted,
            Decision::Declined => Trust::Declined,
        }
    }
}

/// The decision that stands for a whole project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WholeRecord {
    /// Yes or no.
    pub decision: Decision,
    /// When it was made.
    pub granted_at: Timestamp,
    /// The digest of the project's contents that were granted or declined, where it was taken (see
    /// [`whole_digest`](super::whole_digest)).
    pub digest: Option<Digest>,
    /// The texts that a build used when it was granted and that `digest` does not cover: files that settings or manifests
    /// name. `None` where a grant did not record them.
    pub texts: Option<Vec<GrantedText>>,
    /// What the user noted.
    pub note: Option<String>,
}

/// A text that was sent when a project was granted as a whole.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GrantedText {
    /// Its path, relative to the project's directory where it lies inside.
    pub path: PinPath,
    /// Its digest.
    pub digest: Digest,
}

impl WholeRecord {
    /// Returns whether the contents are others than those that were granted. Without a digest nobody knows: `false`.
    #[must_use]
    pub fn changed_since(&self, now: &Digest) -> bool {
        self.decision == Decision::Trusted && self.digest.as_ref().is_some_and(|then| then != now)
    }

    /// Returns whether exactly these contents were declined, so that nobody asks again.
    #[must_use]
    pub fn declines(&self, now: &Digest) -> bool {
        self.decision == Decision::Declined && self.digest.as_ref() == Some(now)
    }
}

/// Everything that the store held when it was loaded. Without a store, or with one that cannot be read, it is empty:
/// everything is untrusted.
#[derive(Clone, Debug, Default)]
pub struct Records {
    /// Where the store really lies; it has no say about a project around it.
    pub(super) place: PathBuf,
    pub(super) document: Document,
}

impl Records {
    /// Returns no records at all.
    #[must_use]
    pub fn none() -> Self {
        Records::default()
    }

    /// Returns the decision that stands for a whole project: the latest one, and of two at the same instant the later
    /// in the file.
    ///
    /// The key is the canonical path of the project's directory (`<cwd>/.stud`); nothing is inherited from a parent.
    #[must_use]
    pub fn whole(&self, canonical: &Path) -> Option<WholeRecord> {
        if self.lies_inside(canonical) {
            return None;
        }
        self.document.standing(recordable(canonical).ok()?).map(Entry::record)
    }

    /// Returns what is granted for a pinned project, by its root or by the repository that its work tree belongs to
    /// (the canonical directory that all work trees share).
    #[must_use]
    pub fn pins(&self, root: &Path, repository: Option<&Path>) -> Pins {
        if self.lies_inside(root) {
            return Pins::default();
        }
        let mut projects: Vec<_> = self.document.projects_of(root, repository).collect();
        projects.sort_by_key(|project| project.granted_at);
        Pins::of(projects)
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

/// The file as it was understood, with everything that was not.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Document {
    pub(super) entries: Vec<Entry>,
    pub(super) projects: Vec<Project>,
    /// Entries and projects that could not be read. They say nothing, and are kept.
    pub(super) strange_entries: Vec<Value>,
    pub(super) strange_projects: Vec<Value>,
    /// Other keys of the file, kept.
    pub(super) extra: Map<String, Value>,
}

/// One decision about a whole project.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) decision: Decision,
    pub(super) granted_at: Timestamp,
    pub(super) note: Option<String>,
    pub(super) digest: Option<Digest>,
    pub(super) texts: Option<Vec<GrantedText>>,
    pub(super) extra: Map<String, Value>,
}

impl Entry {
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

/// What is granted for one root.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Project {
    pub(super) root: String,
    pub(super) repository: Option<String>,
    pub(super) granted_at: Timestamp,
    /// In the order of the grants, for each path.
    pub(super) pins: Vec<Pin>,
    /// Names of branches, as they are shown, in the order of their grants.
    pub(super) branches: Vec<String>,
    pub(super) declined: Option<Declined>,
    /// When a grant was taken back last.
    pub(super) revoked_at: Option<Timestamp>,
    pub(super) strange_pins: Vec<Value>,
    /// In the order of the grants, for each subject.
    pub(super) permits: Vec<PermitRecord>,
    pub(super) strange_permits: Vec<Value>,
    pub(super) extra: Map<String, Value>,
}

/// One deed that is granted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PermitRecord {
    pub(super) permit: Permit,
    pub(super) granted_at: Timestamp,
    pub(super) extra: Map<String, Value>,
}

/// One text that is granted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pin {
    pub(super) path: PinPath,
    pub(super) digest: Digest,
    pub(super) bytes: u64,
    pub(super) extra: Map<String, Value>,
}

impl Document {
    /// Returns the entry that decides for this path.
    pub(super) fn standing(&self, path: &str) -> Option<&Entry> {
        self.entries.iter().filter(|entry| entry.path == path).max_by_key(|entry| entry.granted_at)
    }

    /// As [`Document::standing`], to change it.
    pub(super) fn standing_mut(&mut self, path: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().filter(|entry| entry.path == path).max_by_key(|entry| entry.granted_at)
    }

    /// Returns the projects that speak for this root or repository.
    pub(super) fn projects_of<'a>(
        &'a self,
        root: &'a Path,
        repository: Option<&'a Path>,
    ) -> impl Iterator<Item = &'a Project> {
        let (root, repository) = (root.to_str(), repository.and_then(Path::to_str));
        self.projects.iter().filter(move |project| project.is_of(root, repository))
    }

    /// As [`Document::projects_of`], to change them.
    pub(super) fn projects_of_mut<'a>(
        &'a mut self,
        root: &'a str,
        repository: Option<&'a str>,
    ) -> impl Iterator<Item = &'a mut Project> {
        self.projects.iter_mut().filter(move |project| project.is_of(Some(root), repository))
    }

    /// Returns the repository, which a record of this root may know even where the caller, after `.git` is gone, does
    /// not.
    pub(super) fn known_repository(&self, root: &str, repository: Option<&str>) -> Option<String> {
        let is_known = |project: &&Project| project.root == root && !project.only_revoked();
        let known = || self.projects.iter().find(is_known)?.repository.clone();
        repository.map(str::to_owned).or_else(known)
    }
}

impl Project {
    fn is_of(&self, root: Option<&str>, repository: Option<&str>) -> bool {
        root == Some(self.root.as_str()) || (repository.is_some() && self.repository.as_deref() == repository)
    }

    /// Whether it says nothing at all, so that it can go.
    pub(super) fn is_empty(&self) -> bool {
        self.only_permits()
            && self.permits.is_empty()
            && self.strange_permits.is_empty()
            && self.extra.is_empty()
    }

    /// Whether it only records that something was revoked.
    pub(super) fn only_revoked(&self) -> bool {
        self.pins.is_empty()
            && self.strange_pins.is_empty()
            && self.declined.is_none()
            && self.permits.is_empty()
            && self.strange_permits.is_empty()
    }

    /// Whether it says nothing about texts.
    pub(super) fn only_permits(&self) -> bool {
        self.pins.is_empty()
            && self.strange_pins.is_empty()
            && self.declined.is_none()
            && self.revoked_at.is_none()
    }
}
