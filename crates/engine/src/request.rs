//! The options of a build. [`Engine`](crate::Engine) finds the files and the trust that they refer to.

use preface_core::{
    declaration::{Declarations, GivenVariables},
    origin::{Origin, Piece},
};
use preface_host::{places::HomeTrust, trust::RootRecord};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, sync::Arc};

/// One request for a prompt. [`Request::new`] with a directory is enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// The directory that is worked in; made absolute, links not resolved. `None` is the process's own.
    pub cwd: Option<PathBuf>,
    /// The name of the directory in the prompt, where that is not its path.
    pub cwd_name: Option<String>,
    /// A preset or profile by name.
    pub preset: Option<String>,
    /// The preset where neither the caller nor the settings choose one; the default one if this is `None`.
    pub fallback_preset: Option<String>,
    /// A profile file; wins over `preset`.
    pub profile: Option<PathBuf>,
    /// Use the default preset where the user's settings choose a profile that cannot be loaded. The error becomes a diagnostic.
    pub default_on_error: bool,
    /// The model's name.
    pub model: Option<String>,
    /// The conversation's id.
    pub conversation: Option<String>,
    /// The agent of the prompt; `None` is the main conversation.
    pub agent: Option<String>,
    /// The active tools.
    pub tools: ToolChoice,
    /// The instant, RFC 3339; `None` is now.
    pub now: Option<String>,
    /// The time zone's name; `None` is the machine's.
    pub zone: Option<String>,
    /// The whole prompt's limit in tokens.
    pub budget: Option<usize>,
    /// The tokenizer; `None` is the profile's, or `estimate:bytes4` where it names none.
    pub counter: Option<String>,
    /// Variables that are set, or removed where the value is `None`.
    pub variables: GivenVariables,
    /// `path=value` settings and profile options, as written.
    pub sets: Vec<String>,
    /// The handling of trust in this call.
    pub trust: TrustChoice,
    /// The files that an answer for once is about, with [`TrustChoice::Once`]; `None` is all of them.
    pub shown: Option<Arc<RootRecord>>,
    /// The rule for which directories named by the environment are the user's.
    pub home_trust: HomeTrust,
    /// Pins of `trust export`, given by the caller and never found in a project.
    pub pins: Option<Vec<u8>>,
    /// The stored template to use if the profile takes one; `None` for the profile's own.
    pub template: Option<TemplateInput>,
    /// The directories that files of the tree and `file:` variables must be in, real paths; `None` is anywhere. The cwd is
    /// one of them or lies below one.
    pub roots: Option<Vec<PathBuf>>,
    /// Files and directories that links of the project may lead to, beside those of the user's settings. A relative path is
    /// relative to the process's own directory.
    pub follow: Vec<PathBuf>,
    /// The events that call for reminders, as JSON objects with a `type`, in order. In a conversation these go
    /// with every request; [`Conversation::remind`](crate::Conversation::remind) is for one.
    pub events: Vec<serde_json::Value>,
}

/// A template from a store, or an unsaved one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateInput {
    /// The name.
    pub name: Arc<str>,
    /// The version; `None` if the text is not stored (yet).
    pub version: Option<u64>,
    /// The text.
    pub text: Arc<str>,
    /// The variables that it declares.
    pub variables: Declarations,
}

impl TemplateInput {
    /// Creates one that is not stored and declares nothing.
    #[must_use]
    pub fn unsaved(name: &str, text: impl Into<Arc<str>>) -> Self {
        TemplateInput {
            name: name.into(),
            version: None,
            text: text.into(),
            variables: Declarations::default(),
        }
    }

    /// Returns the text as pieces. An empty text has no piece.
    pub(crate) fn pieces(&self) -> Vec<Piece> {
        let origin = || Origin::Stored {
            template: self.name.clone(),
            version: self.version,
            span: 0..self.text.len(),
        };
        let piece = || Piece { text: self.text.to_string(), origin: origin() };
        (!self.text.is_empty()).then(piece).into_iter().collect()
    }
}

impl Request {
    /// Asks for the default prompt of a directory.
    #[must_use]
    pub fn new(cwd: impl Into<PathBuf>) -> Self {
        Request { cwd: Some(cwd.into()), ..Request::default() }
    }
}

/// The choice of the active tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The tools of the profile.
    #[default]
    Profile,
    /// Exactly these names.
    Named(Vec<String>),
    /// Exactly these, with their texts.
    Given(Vec<preface_core::turn::Tool>),
}

/// The handling of trust in a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustChoice {
    /// Uses the recorded trust, and asks the user if that is possible.
    #[default]
    #[serde(rename = "recorded")]
    Ask,
    /// Includes all project files, for this call only; nothing is recorded.
    Once,
    /// Includes all project files, as `Once` does, unless the user declined the project or took a grant back: then the recorded
    /// trust is used. For a service, where naming a root is the grant.
    #[serde(skip)]
    Roots,
    /// Includes no project file.
    Deny,
    /// Works like `Ask` without asking, and fails where files are untrusted.
    Require,
}
