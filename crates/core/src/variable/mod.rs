//! Variables: typed values named `type:name` that templates and conditions read.

pub mod info;
pub mod source;

use crate::{diagnostic::Diagnostic, scope::Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap, fmt, sync::Arc};

/// The name of a variable: a type, a colon, a name. `git:branch`, `file:docs/rules.md`, `tool:read`.
///
/// ```
/// use preface_core::variable::VariableKey;
/// let key: VariableKey = "file:a:b.md".parse().unwrap();
/// assert_eq!((key.kind(), key.name()), ("file", "a:b.md"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VariableKey {
    text: Arc<str>,
    colon: usize,
}

impl VariableKey {
    /// Builds a key from its two halves.
    #[must_use]
    pub fn new(kind: &str, name: &str) -> Self {
        VariableKey { text: format!("{kind}:{name}").into(), colon: kind.len() }
    }

    /// Returns the type: what is before the first colon.
    #[must_use]
    pub fn kind(&self) -> &str {
        &self.text[..self.colon]
    }

    /// Returns the name: everything after the first colon, blanks and further colons included.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.colon + 1..]
    }

    /// Returns the key that is read where a text of this scope names this one: a project's `file:` reads inside
    /// the project only.
    ///
    /// ```
    /// use preface_core::{variable::VariableKey, scope::Scope};
    /// let key = VariableKey::new("file", "notes.md");
    /// assert_eq!(key.in_scope(Some(Scope::Project)).as_str(), "project_file:notes.md");
    /// assert_eq!(key.in_scope(Some(Scope::Global)).as_str(), "file:notes.md");
    /// ```
    #[must_use]
    pub fn in_scope(&self, scope: Option<Scope>) -> Cow<'_, VariableKey> {
        match (scope, self.kind()) {
            (Some(Scope::Project), "file") => Cow::Owned(VariableKey::new("project_file", self.name())),
            _ => Cow::Borrowed(self),
        }
    }

    /// Returns the whole key as written in templates.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for VariableKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// A text that is no `type:name`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a variable name (`type:name`): `{0}`")]
pub struct VariableKeyError(pub String);

impl std::str::FromStr for VariableKey {
    type Err = VariableKeyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for VariableKey {
    type Error = VariableKeyError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        match text.find(':') {
            Some(colon) if colon > 0 && text[..colon].bytes().all(word) => {
                Ok(VariableKey { text: text.into(), colon })
            }
            _ => Err(VariableKeyError(text)),
        }
    }
}

impl From<VariableKey> for String {
    fn from(key: VariableKey) -> String {
        key.text.as_ref().to_owned()
    }
}

/// The time for which the bytes of a value or a part stay the same. The order is the order of a cache-safe prompt.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Stability {
    /// Equal for every conversation of a configuration.
    #[default]
    Static,
    /// Fixed within one conversation (cwd, model, git branch at its start).
    Conversation,
    /// May change with every turn (clock, git status).
    Turn,
}

impl Stability {
    /// Returns the word that profiles, JSON and listings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The recorded value of a variable (or its absence) and the source of the answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedVariable {
    /// The value; `None` means the variable does not exist here. An empty text exists.
    pub value: Option<String>,
    /// The source of the value, in words for people: `host name`, `.git/HEAD`, `--variable`, a file's path.
    pub source: Arc<str>,
    /// The stability of the value.
    pub stability: Stability,
    /// The reasons why the value is absent or incomplete; at most a few.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diagnostics: Vec<Diagnostic>,
}

impl RecordedVariable {
    /// Builds a variable that has a value.
    #[must_use]
    pub fn of(value: impl Into<String>, source: impl Into<Arc<str>>, stability: Stability) -> Self {
        RecordedVariable {
            value: Some(value.into()),
            source: source.into(),
            stability,
            diagnostics: Vec::new(),
        }
    }

    /// Builds a variable that does not exist here.
    #[must_use]
    pub fn absent(source: impl Into<Arc<str>>) -> Self {
        RecordedVariable {
            value: None,
            source: source.into(),
            stability: Stability::Static,
            diagnostics: Vec::new(),
        }
    }
}

/// Every variable that was read, absent ones too. Part of the [`Snapshot`](crate::snapshot::Snapshot).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RecordedVariables(BTreeMap<VariableKey, RecordedVariable>);

impl RecordedVariables {
    /// Returns the recorded value of `key`; `None` if it was not read yet.
    #[must_use]
    pub fn get(&self, key: &VariableKey) -> Option<&RecordedVariable> {
        self.0.get(key)
    }

    /// Records an answer. The first answer for a key is used for the whole build.
    pub fn supply(&mut self, key: VariableKey, variable: RecordedVariable) {
        self.0.entry(key).or_insert(variable);
    }

    /// Forgets what is no answer any more.
    pub fn retain(&mut self, mut keep: impl FnMut(&VariableKey, &RecordedVariable) -> bool) {
        self.0.retain(|key, variable| keep(key, variable));
    }

    /// Walks over all recorded variables, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&VariableKey, &RecordedVariable)> {
        self.0.iter()
    }
}
