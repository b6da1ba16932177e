//! Templates by name, with all their versions. A version never changes; going back adds a new one.

use crate::actor::{Actor, to_millisecond};
use jiff::Timestamp;
use preface_core::declaration::Declarations;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{fmt, str::FromStr, sync::Arc};

/// The name of a template: 1 to 64 letters, digits, `-`, `_` or `.`, the first a letter or digit. `main` is the one of
/// `/system-prompt`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct TemplateName(Arc<str>);

impl TemplateName {
    /// Returns the name of the template that is used where none is named.
    #[must_use]
    pub fn main() -> Self {
        TemplateName("main".into())
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for TemplateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A text that is no name of a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a template name: `{}`", .0.escape_debug())]
pub struct TemplateNameError(pub String);

impl FromStr for TemplateName {
    type Err = TemplateNameError;

    fn from_str(text: &str) -> Result<Self, TemplateNameError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.');
        let first = text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
        match first && text.len() <= 64 && text.bytes().all(plain) {
            true => Ok(TemplateName(text.into())),
            false => Err(TemplateNameError(text.chars().take(80).collect())),
        }
    }
}

impl TryFrom<String> for TemplateName {
    type Error = TemplateNameError;

    fn try_from(text: String) -> Result<Self, TemplateNameError> {
        text.parse()
    }
}

/// A version of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateVersion {
    /// The name of the template.
    pub name: TemplateName,
    /// The number of the version, from 1.
    pub version: u64,
    /// The text, byte for byte. `None` if this version resets the template to the default, and in lists.
    pub text: Option<Arc<str>>,
    /// The variables that it declares.
    pub variables: Declarations,
    /// True if this version resets the template to the default.
    pub reset: bool,
    /// The number of bytes of the text.
    pub bytes: u64,
    /// The author of the version.
    pub author: String,
    /// The time of the version.
    pub at: Timestamp,
    /// The author's note; may be empty.
    pub note: String,
    /// The labels of the version, sorted.
    pub labels: Vec<String>,
}

impl TemplateVersion {
    /// Returns the audit detail of an added version.
    pub(crate) fn audit_detail(&self) -> Value {
        json!({"version": self.version, "bytes": self.bytes, "reset": self.reset, "note": self.note})
    }
}

/// The choice of a template's version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum VersionChoice {
    /// The newest.
    #[default]
    Current,
    /// The version with this number.
    Version(u64),
    /// The one with this label.
    Label(String),
}

/// A version that is to be added. Author and time are the actor's, unless they are given: an import keeps them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewVersion {
    /// The name of the template.
    pub name: TemplateName,
    /// The text; `None` resets the template to the default.
    pub text: Option<Arc<str>>,
    /// The variables that it declares; `None` keeps those of the version before.
    pub variables: Option<Declarations>,
    /// The note; may be empty.
    pub note: String,
    /// The author and the time, if they are not the actor's.
    pub written: Option<(String, Timestamp)>,
}

impl NewVersion {
    /// Builds a version with a text and no note.
    #[must_use]
    pub fn of(name: TemplateName, text: impl Into<Arc<str>>) -> Self {
        NewVersion { name, text: Some(text.into()), variables: None, note: String::new(), written: None }
    }

    /// Builds a version that resets the template to the default.
    #[must_use]
    pub fn reset(name: TemplateName) -> Self {
        NewVersion {
            name,
            text: None,
            variables: Some(Declarations::default()),
            note: String::new(),
            written: None,
        }
    }

    /// Returns true if nothing is new in it beside the current version.
    pub(crate) fn is_current(&self, current: &TemplateVersion) -> bool {
        let same = self.variables.as_ref().is_none_or(|variables| *variables == current.variables);
        self.text == current.text && same && self.note.is_empty()
    }

    /// Returns the version with its number, which follows `before`. Author and time are the actor's where none are given.
    pub(crate) fn numbered(
        &self,
        version: u64,
        before: Option<&TemplateVersion>,
        actor: &Actor,
    ) -> TemplateVersion {
        let before = before.map(|before| before.variables.clone());
        let (author, at) = self.written.clone().unwrap_or_else(|| (actor.name.clone(), actor.at));
        TemplateVersion {
            name: self.name.clone(),
            version,
            text: self.text.clone(),
            variables: self.variables.clone().or(before).unwrap_or_default(),
            reset: self.text.is_none(),
            bytes: self.text.as_ref().map_or(0, |text| text.len() as u64),
            author,
            at: to_millisecond(at),
            note: self.note.clone(),
            labels: Vec::new(),
        }
    }
}

/// The version that a writer expects to be the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedVersion {
    /// Any version.
    Any,
    /// This version; 0 means that there is none.
    Version(u64),
}

/// The outcome of storing a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PutOutcome {
    /// The version is now the current one.
    Stored(TemplateVersion),
    /// The text is that of the current version, which stays.
    Unchanged(TemplateVersion),
    /// Another version is current than the expected one; `None` if there is none.
    Stale(Option<TemplateVersion>),
}
