//! The three fixed scopes.

use serde::{Deserialize, Serialize};

/// The layer that a text, a setting or an extension belongs to. The order is the meaning: later scopes override.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Scope {
    /// Shipped inside preface; immutable, trusted by install.
    Bundled,
    /// The user's own directory; trusted by install-time acceptance.
    Global,
    /// The directory that is worked in; used only if trusted.
    Project,
}

impl Scope {
    /// All scopes, the weakest first.
    pub const ALL: [Scope; 3] = [Scope::Bundled, Scope::Global, Scope::Project];

    /// Returns the rank of an entry of a list: where the list is cut, the project's give way before the user's, and those
    /// before the bundled ones.
    #[must_use]
    pub fn entry_rank(self) -> u32 {
        match self {
            Scope::Project => 0,
            Scope::Global => 1,
            Scope::Bundled => 2,
        }
    }

    /// Returns the word that settings, JSON and listings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}
