//! What the audit log learns of decisions that are not recorded.

use preface_core::{audit::AuditEvent, trust::Trust};
use std::path::Path;

/// Says that trust was looked up for this turn, and what stands. Each evaluation is one, also of a trusted path.
#[must_use]
pub fn evaluated(canonical: &Path, trust: Trust) -> AuditEvent {
    let canonical_path = canonical.to_string_lossy().into_owned();
    AuditEvent::TrustDecision { canonical_path, decision: trust.as_str().to_owned() }
}

/// Says that a project is trusted for this call only.
#[must_use]
pub fn once(canonical: &Path) -> AuditEvent {
    AuditEvent::ProjectTrustOnce { canonical_path: canonical.to_string_lossy().into_owned() }
}
