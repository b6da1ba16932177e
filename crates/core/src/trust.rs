//! The user's trust in a project, and a profile's use of it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The state of trust of a project or of one of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Granted, and recorded outside the project.
    Trusted,
    /// Granted for this call only; nothing is recorded.
    Once,
    /// Trust is not decided yet.
    Untrusted,
    /// The user declined.
    Declined,
    /// Granted for other contents than those found now.
    Stale,
}

impl Trust {
    /// Returns the word that listings and JSON use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Trust::Trusted => "trusted",
            Trust::Once => "once",
            Trust::Untrusted => "untrusted",
            Trust::Declined => "declined",
            Trust::Stale => "stale",
        }
    }
}

impl fmt::Display for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The way in which a profile trusts the text of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TrustMode {
    /// Each text is granted by its digest; new or changed text is left out.
    #[default]
    Pinned,
    /// The project is granted as a whole; an edit takes effect on the next turn.
    Whole,
    /// Text has no gate. What a project could run still needs a grant.
    None,
}
