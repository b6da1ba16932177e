//! What the user decided about a project: one record for each root, for all modes of trust.

use super::{
    digest::Digest,
    permission::Permission,
    pins::{GrantState, PinPath, PinnedVersion},
};
use jiff::{SignedDuration, Timestamp};
use preface_core::trust::{Trust, TrustMode};
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// What is granted for one root: texts by path and digest, branches, the project's directory as a whole, and permissions.
///
/// The root is a git work tree (else the working directory), or the canonical directory of a project that is trusted as a whole.
/// Nothing is inherited from a directory above.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootRecord {
    /// When something was granted or declined last.
    at: Timestamp,
    /// True for a directory that is trusted as a whole, with the texts that a build used when it was granted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    whole: bool,
    /// The versions of each text, in the order of their grants.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    texts: BTreeMap<PinPath, Vec<PinnedVersion>>,
    /// Names of branches, as they are shown.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    branches: BTreeSet<String>,
    /// In the order of the grants, for each subject.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    commands: Vec<Permission>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    declined: Option<DeclineRecord>,
    /// The time of the last revocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    revoked_at: Option<Timestamp>,
}

/// A decline of what was shown. Earlier grants of single texts stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeclineRecord {
    /// The time of the decline.
    pub at: Timestamp,
    /// The digest of what was shown: of the list of texts (see [`Digest::of_listing`]). Without one the user is asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contents: Option<Digest>,
}

impl RootRecord {
    /// Gathers grants of texts and branches that a caller gives.
    pub fn given(
        texts: impl IntoIterator<Item = (PinPath, PinnedVersion)>,
        branches: impl IntoIterator<Item = String>,
    ) -> Self {
        let mut record = RootRecord { branches: branches.into_iter().collect(), ..RootRecord::default() };
        for (path, version) in texts {
            record.add_text(path, version);
        }
        record
    }

    fn add_text(&mut self, path: PinPath, version: PinnedVersion) {
        let versions = self.texts.entry(path).or_default();
        versions.retain(|known| known.digest != version.digest);
        versions.push(version);
    }

    /// Returns whether a text at this path is granted, whatever its content.
    #[must_use]
    pub fn has_text(&self, path: &PinPath) -> bool {
        self.texts.contains_key(path)
    }

    /// Returns the state of a text.
    #[must_use]
    pub fn state(&self, path: &PinPath, digest: &Digest) -> GrantState {
        match self.texts.get(path) {
            None => GrantState::New,
            Some(versions) if versions.iter().any(|version| version.digest == *digest) => GrantState::Granted,
            Some(_) => GrantState::Changed,
        }
    }

    /// Returns whether the directory is granted as a whole.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// Returns the state of the project in one word: trusted where the whole or any text is granted, declined where there was only
    /// a no.
    #[must_use]
    pub fn trust(&self) -> Trust {
        match self.declined {
            _ if self.whole || !self.texts.is_empty() => Trust::Trusted,
            Some(_) => Trust::Declined,
            None => Trust::Untrusted,
        }
    }

    /// Returns whether exactly these contents were declined, so that the user is not asked again.
    #[must_use]
    pub fn declines(&self, contents: &Digest) -> bool {
        self.declined.is_some_and(|declined| declined.contents == Some(*contents))
    }

    /// Returns when the user took a grant back or declined last.
    #[must_use]
    pub fn refused_at(&self) -> Option<Timestamp> {
        self.revoked_at.max(self.declined.map(|declined| declined.at))
    }

    /// Returns the granted versions of a path, oldest first.
    #[must_use]
    pub fn versions(&self, path: &PinPath) -> &[PinnedVersion] {
        self.texts.get(path).map_or(&[], Vec::as_slice)
    }

    /// Returns all paths with their granted versions, oldest first, sorted by path.
    pub fn texts(&self) -> impl Iterator<Item = (&PinPath, &[PinnedVersion])> {
        self.texts.iter().map(|(path, versions)| (path, versions.as_slice()))
    }

    /// Returns whether a branch, by its name as it is shown, was granted.
    #[must_use]
    pub fn has_branch(&self, name: &str) -> bool {
        self.branches.contains(name)
    }

    /// Returns the names of the branches that were granted, sorted.
    pub fn branches(&self) -> impl Iterator<Item = &str> {
        self.branches.iter().map(String::as_str)
    }

    /// Returns the state of a permission. What was granted once stays granted until it is revoked.
    #[must_use]
    pub fn permission_state(&self, permission: &Permission) -> GrantState {
        match self.latest_permission(&permission.subject) {
            _ if self.commands.contains(permission) => GrantState::Granted,
            Some(_) => GrantState::Changed,
            None => GrantState::New,
        }
    }

    /// Returns what was granted last to a subject: what a question about a change compares with.
    #[must_use]
    pub fn latest_permission(&self, subject: &str) -> Option<&Permission> {
        self.commands.iter().rev().find(|permission| permission.subject == subject)
    }

    /// Adds the grants of texts and branches of `others`.
    pub fn join(&mut self, others: RootRecord) {
        self.branches.extend(others.branches);
        for (path, versions) in others.texts {
            for version in versions {
                self.add_text(path.clone(), version);
            }
        }
    }

    /// Returns exported grants with those of a store laid over them: of a path that the store has, its versions alone.
    /// Branches stay those of the export. Paths that `is_gone` accepts are left out and returned.
    #[must_use]
    pub fn updated(
        mut self,
        store: &RootRecord,
        is_gone: impl Fn(&PinPath) -> bool,
    ) -> (RootRecord, Vec<PinPath>) {
        self.texts.extend(store.texts.iter().map(|(path, versions)| (path.clone(), versions.clone())));
        let gone: Vec<PinPath> = self.texts.keys().filter(|path| is_gone(path)).cloned().collect();
        self.texts.retain(|path, _| !gone.contains(path));
        (self, gone)
    }

    /// Adds the name of a branch.
    pub fn add_branch(&mut self, name: &str) {
        self.branches.insert(name.to_owned());
    }

    /// Returns whether it grants and declines nothing. That something was revoked once stays recorded.
    fn decides_nothing(&self) -> bool {
        !self.whole && self.texts.is_empty() && self.commands.is_empty() && self.declined.is_none()
    }

    /// Returns each granted version of each text: sorted by path, oldest first.
    pub(super) fn granted_texts(&self) -> impl Iterator<Item = GrantedText> {
        self.texts.iter().flat_map(|(path, versions)| {
            versions.iter().map(|PinnedVersion { digest, bytes }| GrantedText {
                path: path.clone(),
                digest: *digest,
                bytes: *bytes,
            })
        })
    }

    fn row(&self, path: &str) -> TrustRow {
        TrustRow {
            path: path.to_owned(),
            mode: if self.whole { TrustMode::Whole } else { TrustMode::Pinned },
            trust: if self.commands.is_empty() { self.trust() } else { Trust::Trusted },
            at: self.at,
            texts: self.granted_texts().collect(),
            branches: self.branches.iter().cloned().collect(),
            permissions: self.commands.clone(),
        }
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
    /// Returns what is recorded for a root, by its canonical path; an empty record for one that has none.
    #[must_use]
    pub fn root(&self, root: &Path) -> RootRecord {
        let known = root.to_str().filter(|_| !self.lies_inside(root));
        known.and_then(|root| self.document.roots.get(root)).cloned().unwrap_or_default()
    }

    /// Returns when the user last declined a project or took a grant back, whichever project it was.
    #[must_use]
    pub fn refused_at(&self) -> Option<Timestamp> {
        self.document.roots.values().map(RootRecord::refused_at).max().flatten()
    }

    /// Returns whether the store lies inside of this project. Then it is not asked about it.
    #[must_use]
    pub fn lies_inside(&self, root: &Path) -> bool {
        self.place.starts_with(root)
    }

    /// Returns the state of every project that has a decision, sorted by path.
    #[must_use]
    pub fn list(&self) -> Vec<TrustRow> {
        let decided = self.document.roots.iter().filter(|(_, record)| !record.decides_nothing());
        decided.map(|(path, record)| record.row(path)).collect()
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
    pub at: Timestamp,
    /// The texts that are granted, each version a row.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub texts: Vec<GrantedText>,
    /// The names of the branches that are granted beside them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<String>,
    /// The permissions of the project.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub permissions: Vec<Permission>,
}

/// One granted version of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrantedText {
    /// The path of the text.
    pub path: PinPath,
    /// The digest of the text, which is also the name of its copy.
    pub digest: Digest,
    /// The size of the text.
    pub bytes: u64,
}

/// The version of the file.
const VERSION: u64 = 1;

/// The file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustDocument {
    version: u64,
    /// By canonical path.
    roots: BTreeMap<String, RootRecord>,
}

impl Default for TrustDocument {
    fn default() -> Self {
        TrustDocument { version: VERSION, roots: BTreeMap::new() }
    }
}

/// What a change did to one root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustChange {
    /// True if the file was written: it did not have this record.
    pub recorded: bool,
    /// The paths of texts that are newly granted, or have no grant any more, sorted.
    pub texts: Vec<PinPath>,
    /// The paths that were already granted, sorted.
    pub unchanged: Vec<PinPath>,
    /// The branches that are newly granted, or have no grant any more, sorted.
    pub branches: Vec<String>,
    /// The permissions that are newly granted, or revoked, sorted.
    pub permissions: Vec<Permission>,
    /// The permissions that were already granted, sorted.
    pub unchanged_permissions: Vec<Permission>,
    /// True if the directory as a whole was granted before and is no longer.
    pub was_whole: bool,
}

/// A change of the record of one root.
pub(super) enum Change<'a> {
    Texts {
        texts: Vec<(PinPath, PinnedVersion)>,
        branch: Option<&'a str>,
        /// True where the directory is granted as a whole: then these are all texts.
        whole: bool,
    },
    Permissions(&'a [Permission]),
    /// The user said no to what was shown.
    Decline(Option<Digest>),
    /// Texts below these paths; of all where none is given, with branches and permissions.
    RevokeTexts(Option<&'a [PinPath]>),
    RevokePermissions,
}

impl TrustDocument {
    /// Reads the file.
    ///
    /// # Errors
    /// Describes why the file is not one of ours.
    pub(super) fn read(bytes: &[u8]) -> Result<TrustDocument, String> {
        let document: TrustDocument = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        match document.version {
            VERSION => Ok(document),
            version => Err(format!("version {version} is not known to this program")),
        }
    }

    /// Returns the file: two-space JSON without a newline at its end, sorted by path.
    pub(super) fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec_pretty(self).expect("texts, numbers and lists have a JSON form")
    }

    /// Makes a change, and returns what it did. The digests of texts that no record names any more come with it.
    pub(super) fn change(
        &mut self,
        root: &str,
        change: Change<'_>,
        now: Timestamp,
    ) -> (TrustChange, Vec<Digest>) {
        let mut record = self.roots.remove(root).unwrap_or_default();
        let before = record.clone();
        let mut told = record.change(change, now);
        told.recorded = record != before;
        if record.refused_at().is_some() || !record.decides_nothing() {
            self.roots.insert(root.to_owned(), record);
        }
        let is_named = |digest: &Digest| {
            self.roots
                .values()
                .flat_map(|record| record.texts.values().flatten())
                .any(|one| one.digest == *digest)
        };
        let digests: BTreeSet<Digest> =
            before.texts.values().flatten().map(|version| version.digest).collect();
        (told, digests.into_iter().filter(|digest| !is_named(digest)).collect())
    }
}

impl RootRecord {
    fn change(&mut self, change: Change<'_>, now: Timestamp) -> TrustChange {
        let mut told = TrustChange::default();
        let at = self.instant_after(now);
        let before = self.clone();
        match change {
            Change::Texts { texts, branch, whole } => {
                if whole {
                    self.whole = true;
                    self.texts.clear();
                }
                if whole || !texts.is_empty() {
                    self.declined = None;
                }
                let (unchanged, added): (Vec<_>, Vec<_>) = texts
                    .iter()
                    .partition(|(path, version)| before.state(path, &version.digest) == GrantState::Granted);
                told.texts = paths(added.iter().map(|(path, _)| path.clone()));
                told.unchanged = paths(unchanged.iter().map(|(path, _)| path.clone()));
                told.unchanged.retain(|path| !told.texts.contains(path));
                for (path, version) in texts {
                    if whole || before.state(&path, &version.digest) != GrantState::Granted {
                        self.add_text(path, version);
                    }
                }
                told.branches.extend(
                    branch.filter(|name| self.branches.insert((*name).to_owned())).map(str::to_owned),
                );
            }
            Change::Permissions(permissions) => {
                let all: BTreeSet<Permission> = permissions.iter().cloned().collect();
                (told.unchanged_permissions, told.permissions) =
                    all.into_iter().partition(|permission| self.commands.contains(permission));
                self.commands.extend(told.permissions.iter().cloned());
                // A stable sort: the permissions of one subject stay in the order of their grants.
                self.commands.sort_by(|a, b| a.subject.cmp(&b.subject));
            }
            Change::Decline(contents) => {
                told.was_whole = std::mem::take(&mut self.whole);
                if told.was_whole {
                    self.texts.clear();
                    told.permissions = std::mem::take(&mut self.commands);
                }
                let repeats = |declined: DeclineRecord| contents.is_none() || declined.contents == contents;
                if !self.declined.is_some_and(repeats) {
                    self.declined = Some(DeclineRecord { at, contents });
                }
            }
            Change::RevokeTexts(named) => {
                let is_revoked =
                    |path: &PinPath| named.is_none_or(|named| named.iter().any(|one| one.holds(path)));
                told.texts = paths(self.texts.keys().filter(|path| is_revoked(path)).cloned());
                self.texts.retain(|path, _| !is_revoked(path));
                // A branch is granted beside texts, and never by itself.
                if self.texts.is_empty() {
                    told.branches = std::mem::take(&mut self.branches).into_iter().collect();
                }
                if named.is_none() {
                    told.was_whole = std::mem::take(&mut self.whole);
                    told.permissions = std::mem::take(&mut self.commands);
                    self.declined = None;
                }
                // Prompts that were stored before are not handed out with what was revoked, so its time is kept. A revocation of
                // all is also recorded if nothing was granted: a service includes text without a grant.
                if named.is_none() || !told.texts.is_empty() {
                    self.revoked_at = Some(at);
                }
                return told;
            }
            Change::RevokePermissions => told.permissions = std::mem::take(&mut self.commands),
        }
        if *self != before {
            self.at = at;
        }
        told
    }

    /// Returns an instant after the last grant or decline, also where the clock goes back.
    fn instant_after(&self, now: Timestamp) -> Timestamp {
        let now = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
        now.max(self.at.checked_add(SignedDuration::from_millis(1)).unwrap_or(self.at))
    }
}

fn paths(all: impl Iterator<Item = PinPath>) -> Vec<PinPath> {
    all.collect::<BTreeSet<_>>().into_iter().collect()
}
