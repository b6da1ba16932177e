//! What the user said about a project, and what a profile makes of it.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The answer that stands for a project or for one of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// Granted, and recorded outside the project.
    Trusted,
    /// Granted for this call only; nothing is recorded.
    Once,
    /// Nobody was asked yet.
    Untrusted,
    /// The user said no.
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

/// How a profile guards the text of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum TrustMode {
    /// Each text is granted by its digest; new or changed text is held.
    #[default]
    Pinned,
    /// The project is granted as a whole; an edit takes effect on the next turn.
    Whole,
    /// Text has no gate. What a project could run still needs a grant.
    None,
}
