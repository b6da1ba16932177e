//! What is allowed to one project.

use super::{
    permit::Permit,
    record::{Project, Records},
};
use std::path::Path;

/// What the grants say about a deed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PermitState {
    /// Exactly this was granted.
    Granted,
    /// Something else was granted to this subject, not this.
    Changed,
    /// Nothing was granted to this subject.
    New,
}

/// The permits of one project, the one that was granted first, first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permits {
    granted: Vec<Permit>,
}

impl Permits {
    /// Returns what stands for a deed. What was granted once stays granted until it is revoked.
    #[must_use]
    pub fn state(&self, permit: &Permit) -> PermitState {
        let permit = permit.clone().tidy();
        if self.granted.contains(&permit) {
            PermitState::Granted
        } else if self.granted.iter().any(|granted| granted.subject == permit.subject) {
            PermitState::Changed
        } else {
            PermitState::New
        }
    }

    /// Returns whether nothing is granted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.granted.is_empty()
    }

    /// Returns everything that is granted.
    pub fn iter(&self) -> impl Iterator<Item = &Permit> {
        self.granted.iter()
    }

    /// Returns what was granted last to a subject: what a question about a change compares with.
    #[must_use]
    pub fn latest(&self, subject: &str) -> Option<&Permit> {
        self.granted.iter().rev().find(|permit| permit.subject == subject)
    }
}

impl Records {
    /// Returns what a project may do, by the root that its texts are pinned under, or by the canonical directory of a
    /// project that is trusted as a whole. Work trees of one repository do not share permits: their files differ.
    #[must_use]
    pub fn permits(&self, root: &Path) -> Permits {
        if self.lies_inside(root) {
            return Permits::default();
        }
        let projects = self.document.projects_of(root, None);
        let mut all: Vec<_> = projects.flat_map(|Project { permits, .. }| permits).collect();
        all.sort_by_key(|permit| permit.granted_at);
        let mut granted: Vec<Permit> = Vec::with_capacity(all.len());
        for record in all {
            if !granted.contains(&record.permit) {
                granted.push(record.permit.clone());
            }
        }
        Permits { granted }
    }
}
