//! Changes of the records by grants, declines and revocations. Nothing here looks at the machine.

use super::{
    contents::Digest,
    file::SCHEMA_VERSION,
    permission::Permission,
    pins::{DeclineRecord, PinPath, PinnedText},
    record::{
        Decision, DecisionEntry, GrantedText, PermissionRecord, PinRecord, ProjectRecord, TrustDocument,
        WholeRecord,
    },
    store::ChangeOutcome,
};
use jiff::{SignedDuration, Timestamp};
use preface_core::audit::AuditEvent;
use std::collections::BTreeSet;

/// A result, and whether the document must be written.
pub(super) struct ChangeResult<R> {
    pub(super) result: R,
    pub(super) outcome: ChangeOutcome,
}

impl<R> ChangeResult<R> {
    fn new(result: R, outcome: ChangeOutcome) -> Self {
        ChangeResult { result, outcome }
    }
}

/// A decision about a whole project.
pub(super) struct WholeDecision {
    pub(super) before: Option<WholeRecord>,
    pub(super) event: AuditEvent,
}

pub(super) fn grant_whole(
    document: &mut TrustDocument,
    path: &str,
    digest: Option<Digest>,
    note: Option<&str>,
    now: Timestamp,
) -> ChangeResult<WholeDecision> {
    let standing = document.standing(path).map(DecisionEntry::record);
    let repeats = standing.as_ref().is_some_and(|record| {
        record.decision == Decision::Trusted && (digest.is_none() || record.digest == digest)
    });
    let event = AuditEvent::ProjectTrusted { canonical_path: path.to_owned() };
    let outcome = match repeats {
        true => ChangeOutcome::Unchanged,
        false => {
            append(document, path, Decision::Trusted, digest, note, now);
            ChangeOutcome::Recorded
        }
    };
    ChangeResult::new(WholeDecision { before: standing, event }, outcome)
}

/// Replaces the texts of the current grant. History does not grow by that.
pub(super) fn grant_texts(
    document: &mut TrustDocument,
    path: &str,
    texts: Vec<GrantedText>,
) -> ChangeResult<()> {
    let standing = document.standing_mut(path).filter(|entry| entry.decision == Decision::Trusted);
    let outcome = match standing {
        Some(entry) if entry.texts.as_ref() != Some(&texts) => {
            entry.texts = Some(texts);
            ChangeOutcome::Recorded
        }
        _ => ChangeOutcome::Unchanged,
    };
    ChangeResult::new((), outcome)
}

pub(super) fn decline_whole(
    document: &mut TrustDocument,
    path: &str,
    contents: Option<Digest>,
    now: Timestamp,
) -> ChangeResult<WholeDecision> {
    let standing = document.standing(path).map(DecisionEntry::record);
    let event = AuditEvent::ProjectDeclined { canonical_path: path.to_owned() };
    // Who is not trusted may do nothing, also once trusted again.
    let permissions = revoke_permissions(document, path, None);
    let outcome = match &standing {
        Some(record) if record.decision == Decision::Declined => {
            if contents.is_none() || record.digest == contents {
                permissions.outcome
            } else {
                // The same no to other contents: history does not grow.
                if let Some(entry) = document.standing_mut(path) {
                    entry.digest = contents;
                }
                ChangeOutcome::Recorded
            }
        }
        _ => {
            append(document, path, Decision::Declined, contents, None, now);
            ChangeOutcome::Recorded
        }
    };
    ChangeResult::new(WholeDecision { before: standing, event }, outcome)
}

fn append(
    document: &mut TrustDocument,
    path: &str,
    decision: Decision,
    digest: Option<Digest>,
    note: Option<&str>,
    now: Timestamp,
) {
    let newest = document.standing(path).map(|entry| entry.granted_at);
    document.entries.push(DecisionEntry {
        path: path.to_owned(),
        decision,
        granted_at: stamp(now, newest),
        note: note.map(str::to_owned),
        digest,
        texts: None,
        schema_version: SCHEMA_VERSION,
    });
}

/// Returns an instant after `newest`, also where the clock goes back.
///
/// At the end of time it is the same instant again; then the later in the file decides.
fn stamp(now: Timestamp, newest: Option<Timestamp>) -> Timestamp {
    let now = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
    let Some(newest) = newest else { return now };
    now.max(newest.checked_add(SignedDuration::from_millis(1)).unwrap_or(newest))
}

/// Texts that were pinned.
pub(super) struct GrantedPins {
    pub(super) added: Vec<PinPath>,
    pub(super) unchanged: Vec<PinPath>,
}

pub(super) fn grant_pins(
    document: &mut TrustDocument,
    root: &str,
    texts: &[PinnedText],
    now: Timestamp,
) -> ChangeResult<GrantedPins> {
    let mut outcome = ChangeOutcome::Unchanged;
    let project = own(document, root, Timestamp::UNIX_EPOCH);
    if !texts.is_empty() && project.declined.take().is_some() {
        outcome = ChangeOutcome::Recorded;
    }
    let (mut added, mut unchanged) = (BTreeSet::new(), BTreeSet::new());
    for PinnedText { path, bytes } in texts {
        let pin = PinRecord { path: path.clone(), digest: Digest::of(bytes), bytes: bytes.len() as u64 };
        if project.pins.contains(&pin) {
            unchanged.insert(path.clone());
        } else {
            project.pins.push(pin);
            added.insert(path.clone());
        }
    }
    unchanged.retain(|path| !added.contains(path));
    if !added.is_empty() {
        outcome = ChangeOutcome::Recorded;
        project.granted_at = stamp(now, Some(project.granted_at));
    }
    document.projects.retain(|project| !project.is_empty());
    let (added, unchanged) = (added.into_iter().collect(), unchanged.into_iter().collect());
    ChangeResult::new(GrantedPins { added, unchanged }, outcome)
}

/// Adds a branch to what is granted for this very root.
pub(super) fn grant_branch(document: &mut TrustDocument, root: &str, branch: &str) -> ChangeResult<()> {
    let project = own(document, root, Timestamp::UNIX_EPOCH);
    if project.branches.iter().any(|known| known == branch) {
        return ChangeResult::new((), ChangeOutcome::Unchanged);
    }
    project.branches.push(branch.to_owned());
    ChangeResult::new((), ChangeOutcome::Recorded)
}

pub(super) fn decline(
    document: &mut TrustDocument,
    root: &str,
    contents: Digest,
    now: Timestamp,
) -> ChangeResult<()> {
    let newest = document.project(root).and_then(|project| project.declined);
    if newest.is_some_and(|declined| declined.contents == contents) {
        return ChangeResult::new((), ChangeOutcome::Unchanged);
    }
    let at = stamp(now, newest.map(|declined| declined.at));
    own(document, root, at).declined = Some(DeclineRecord { at, contents });
    ChangeResult::new((), ChangeOutcome::Recorded)
}

/// Returns the project of this very root, a new one with this time if there is none.
fn own<'a>(document: &'a mut TrustDocument, root: &str, granted_at: Timestamp) -> &'a mut ProjectRecord {
    let index = document.projects.iter().position(|project| project.root == root);
    let index = index.unwrap_or_else(|| {
        document.projects.push(ProjectRecord {
            root: root.to_owned(),
            granted_at,
            pins: Vec::new(),
            branches: Vec::new(),
            declined: None,
            revoked_at: None,
            permissions: Vec::new(),
        });
        document.projects.len() - 1
    });
    &mut document.projects[index]
}

/// Texts whose grant was taken back.
pub(super) struct RevokedPins {
    pub(super) removed: Vec<PinPath>,
    /// The subjects whose permissions went with them.
    pub(super) permissions: Vec<String>,
    /// The branches whose grants went with them.
    pub(super) branches: Vec<String>,
    pub(super) orphans: Vec<Digest>,
}

pub(super) fn revoke_pins(
    document: &mut TrustDocument,
    root: &str,
    paths: Option<&[PinPath]>,
    now: Timestamp,
) -> ChangeResult<RevokedPins> {
    let (mut removed, mut digests) = (BTreeSet::new(), BTreeSet::new());
    let mut branches = BTreeSet::new();
    let (mut permissions, mut outcome) = (Vec::new(), ChangeOutcome::Unchanged);
    if paths.is_none() {
        let revoked = revoke_permissions(document, root, None);
        (permissions, outcome) = (revoked.result, revoked.outcome);
    }
    // Prompts that were stored before are not handed out with what was revoked, so its time is kept. A revocation of all is
    // also recorded if nothing was granted: a service includes text without a grant.
    let at = stamp(now, None);
    if paths.is_none() {
        own(document, root, at).revoked_at = Some(at);
        outcome = ChangeOutcome::Recorded;
    }
    if let Some(project) = document.project_mut(root) {
        let before = project.pins.len();
        project.pins.retain(|pin| {
            let stays = paths.is_some_and(|paths| !paths.iter().any(|path| path.holds(&pin.path)));
            if !stays {
                removed.insert(pin.path.clone());
                digests.insert(pin.digest);
            }
            stays
        });
        if project.pins.len() < before {
            project.revoked_at = Some(at);
        }
        // A branch is granted beside texts, and never by itself.
        if project.pins.is_empty() {
            branches.extend(std::mem::take(&mut project.branches));
        }
        if paths.is_none() {
            project.declined = None;
        }
    }
    if !removed.is_empty() {
        outcome = ChangeOutcome::Recorded;
    }
    document.projects.retain(|project| !project.is_empty());
    let orphans = orphans(document, digests);
    let (removed, branches) = (removed.into_iter().collect(), branches.into_iter().collect());
    ChangeResult::new(RevokedPins { removed, permissions, branches, orphans }, outcome)
}

/// Everything that was forgotten.
pub(super) struct ClearedRecords {
    pub(super) paths: BTreeSet<String>,
    pub(super) orphans: Vec<Digest>,
}

pub(super) fn clear(document: &mut TrustDocument) -> ChangeResult<ClearedRecords> {
    let entries = document.entries.iter().map(|entry| entry.path.clone());
    let paths = entries.chain(document.projects.iter().map(|project| project.root.clone())).collect();
    let digests =
        document.projects.iter().flat_map(|project| project.pins.iter().map(|pin| pin.digest)).collect();
    *document = TrustDocument::default();
    ChangeResult::new(ClearedRecords { paths, orphans: orphans(document, digests) }, ChangeOutcome::Recorded)
}

/// Keeps the digests that no pin names any more.
fn orphans(document: &TrustDocument, mut digests: BTreeSet<Digest>) -> Vec<Digest> {
    for pin in document.projects.iter().flat_map(|project| &project.pins) {
        digests.remove(&pin.digest);
    }
    digests.into_iter().collect()
}

/// Permissions that were granted.
pub(super) struct GrantedPermissions {
    pub(super) added: Vec<Permission>,
    pub(super) unchanged: Vec<Permission>,
}

pub(super) fn grant_permissions(
    document: &mut TrustDocument,
    root: &str,
    permissions: &[Permission],
    now: Timestamp,
) -> ChangeResult<GrantedPermissions> {
    let known = document.project(root).map_or(&[][..], |project| &project.permissions);
    let newest = known.iter().map(|record| record.granted_at).max();
    let had: BTreeSet<Permission> = known.iter().map(|record| record.permission.clone()).collect();
    let granted_at = stamp(now, newest);
    let (mut added, mut unchanged) = (BTreeSet::new(), BTreeSet::new());
    for permission in permissions.iter().cloned() {
        match had.contains(&permission) {
            true => unchanged.insert(permission),
            false => added.insert(permission),
        };
    }
    let outcome = if added.is_empty() { ChangeOutcome::Unchanged } else { ChangeOutcome::Recorded };
    if outcome == ChangeOutcome::Recorded {
        let fresh =
            added.iter().map(|permission| PermissionRecord { permission: permission.clone(), granted_at });
        own(document, root, granted_at).permissions.extend(fresh);
    }
    let (added, unchanged) = (added.into_iter().collect(), unchanged.into_iter().collect());
    ChangeResult::new(GrantedPermissions { added, unchanged }, outcome)
}

/// Takes back the permissions of some subjects, or all (`None`). Returns the subjects.
pub(super) fn revoke_permissions(
    document: &mut TrustDocument,
    root: &str,
    subjects: Option<&[String]>,
) -> ChangeResult<Vec<String>> {
    let mut removed = BTreeSet::new();
    if let Some(project) = document.project_mut(root) {
        project.permissions.retain(|PermissionRecord { permission, .. }| {
            let stays = subjects.is_some_and(|subjects| !subjects.contains(&permission.subject));
            if !stays {
                removed.insert(permission.subject.clone());
            }
            stays
        });
    }
    document.projects.retain(|project| !project.is_empty());
    let outcome = if removed.is_empty() { ChangeOutcome::Unchanged } else { ChangeOutcome::Recorded };
    ChangeResult::new(removed.into_iter().collect(), outcome)
}
