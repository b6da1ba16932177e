//! What granting and revoking permits changes in the records. Nothing here looks at the machine.

use super::{
    change::{Changed, own, stamp},
    permit::Permit,
    record::{Document, PermitRecord, Project},
    store::Outcome,
};
use jiff::Timestamp;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// The key of a project's permits, in the file.
pub(super) const COMMANDS: &str = "commands";

/// Permits that were granted.
pub(super) struct Granted {
    pub(super) added: Vec<Permit>,
    pub(super) unchanged: Vec<Permit>,
}

pub(super) fn grant(
    document: &mut Document,
    root: &str,
    repository: Option<&str>,
    permits: &[Permit],
    now: Timestamp,
) -> Changed<Granted> {
    let mut had = BTreeSet::new();
    let mut newest = None;
    for record in document.projects_of_mut(root, None).flat_map(|project| &project.permits) {
        had.insert(record.permit.clone());
        newest = newest.max(Some(record.granted_at));
    }
    let granted_at = stamp(now, newest);
    let (mut added, mut unchanged) = (BTreeSet::new(), BTreeSet::new());
    for permit in permits.iter().cloned().map(Permit::tidy) {
        match had.contains(&permit) {
            true => unchanged.insert(permit),
            false => added.insert(permit),
        };
    }
    let outcome = if added.is_empty() { Outcome::Unchanged } else { Outcome::Recorded };
    if outcome == Outcome::Recorded {
        let before = document.projects.len();
        let fresh =
            added.iter().map(|permit| PermitRecord { permit: permit.clone(), granted_at, extra: Map::new() });
        own(document, root, repository).permits.extend(fresh);
        if document.projects.len() > before {
            document.projects[before].granted_at = granted_at;
        }
    }
    let (added, unchanged) = (added.into_iter().collect(), unchanged.into_iter().collect());
    Changed::new(Granted { added, unchanged }, outcome)
}

/// Takes back the permits of some subjects, or all (`None`), in all work trees of the repository. Returns the subjects.
pub(super) fn revoke(
    document: &mut Document,
    root: &str,
    repository: Option<&str>,
    subjects: Option<&[String]>,
) -> Changed<Vec<String>> {
    let repository = document.known_repository(root, repository);
    let mut removed = BTreeSet::new();
    let mut outcome = Outcome::Unchanged;
    for project in document.projects_of_mut(root, repository.as_deref()) {
        outcome = outcome.or(strip(project, subjects, &mut removed));
    }
    for project in &mut document.strange_projects {
        if project.get("root").and_then(Value::as_str) == Some(root) {
            outcome = outcome.or(strip_strange(project, subjects));
        }
    }
    document.projects.retain(|project| !project.is_empty());
    Changed::new(removed.into_iter().collect(), outcome)
}

/// Takes permits from one project, also those that only another version may be able to read: they must not grant what
/// was revoked here.
fn strip(project: &mut Project, subjects: Option<&[String]>, removed: &mut BTreeSet<String>) -> Outcome {
    let before = (project.permits.len(), project.strange_permits.len());
    project.permits.retain(|PermitRecord { permit, .. }| {
        let stays = subjects.is_some_and(|subjects| !subjects.contains(&permit.subject));
        if !stays {
            removed.insert(permit.subject.clone());
        }
        stays
    });
    project.strange_permits.retain(|value| stays(value, subjects));
    let after = (project.permits.len(), project.strange_permits.len());
    if before == after { Outcome::Unchanged } else { Outcome::Recorded }
}

fn strip_strange(project: &mut Value, subjects: Option<&[String]>) -> Outcome {
    let Some(keys) = project.as_object_mut() else { return Outcome::Unchanged };
    match (keys.get_mut(COMMANDS), subjects) {
        (None, _) => Outcome::Unchanged,
        (Some(Value::Array(values)), Some(_)) => {
            let before = values.len();
            values.retain(|value| stays(value, subjects));
            if values.len() == before { Outcome::Unchanged } else { Outcome::Recorded }
        }
        (Some(_), _) => {
            keys.shift_remove(COMMANDS);
            Outcome::Recorded
        }
    }
}

fn stays(value: &Value, subjects: Option<&[String]>) -> bool {
    let subject = value.get("subject").and_then(Value::as_str);
    // Without a subject it could be anybody's.
    subjects.is_some_and(|subjects| {
        subject.is_some_and(|subject| !subjects.iter().any(|revoked| revoked == subject))
    })
}

impl Outcome {
    fn or(self, other: Outcome) -> Outcome {
        if self == Outcome::Recorded { self } else { other }
    }
}
