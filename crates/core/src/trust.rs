//! The user's trust in a project, and a profile's use of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The state of trust of a project or of one of its texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        self.into()
    }
}

/// The way in which a profile trusts the text of a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

/// A kind of thing that a project brings. Trust differs by kind and mode, and by nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrustKind {
    /// A file of the project directory that configures, or whatever takes the place of something of the user's by its name.
    Configuration,
    /// Another file of the project directory (`.preface/…`): text for a model.
    #[default]
    LayerText,
    /// A file of the work tree: text for a model.
    TreeText,
    /// A program, an address or a file that is written.
    Action,
}

/// What a thing of a project needs before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Requirement {
    /// No grant.
    Nothing,
    /// A grant of its content.
    ContentGrant,
    /// A grant of the project directory as a whole.
    ProjectGrant,
    /// A grant that names the action.
    CommandGrant,
}

impl TrustKind {
    /// Every kind, in the order of the documentation.
    pub const ALL: [TrustKind; 4] =
        [TrustKind::TreeText, TrustKind::LayerText, TrustKind::Configuration, TrustKind::Action];

    /// Returns what a thing of this kind needs. This is the table of `docs/concepts/trust.md`.
    ///
    /// ```
    /// use preface_core::trust::{Requirement, TrustKind, TrustMode};
    /// assert_eq!(TrustKind::TreeText.requires(TrustMode::None), Requirement::Nothing);
    /// assert_eq!(TrustKind::Configuration.requires(TrustMode::None), Requirement::ContentGrant);
    /// ```
    #[must_use]
    pub fn requires(self, mode: TrustMode) -> Requirement {
        match (self, mode) {
            (TrustKind::Action, _) => Requirement::CommandGrant,
            (_, TrustMode::Pinned) | (TrustKind::Configuration, TrustMode::None) => Requirement::ContentGrant,
            (TrustKind::LayerText | TrustKind::Configuration, TrustMode::Whole) => Requirement::ProjectGrant,
            (TrustKind::TreeText, TrustMode::Whole)
            | (TrustKind::TreeText | TrustKind::LayerText, TrustMode::None) => Requirement::Nothing,
        }
    }

    /// Returns what belongs to the kind, for people.
    #[must_use]
    pub fn examples(self) -> &'static str {
        match self {
            TrustKind::TreeText => {
                "text of the work tree: AGENTS.md, CLAUDE.md, what they import, files that a template names"
            }
            TrustKind::LayerText => {
                "text of the project directory: system.md, append.md, sections, skills, agents, styles and slash commands with a name that you do not have"
            }
            TrustKind::Configuration => {
                "settings, `mcp.json`, `ordering.json`, manifests of extensions, and whatever takes the place of something of yours by its name"
            }
            TrustKind::Action => "programs, addresses and files that are written",
        }
    }
}

impl Requirement {
    /// Returns the requirement for people.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Requirement::Nothing => "nothing",
            Requirement::ContentGrant => "a grant of its content",
            Requirement::ProjectGrant => "a grant of the directory",
            Requirement::CommandGrant => "`--allow-commands`",
        }
    }
}
