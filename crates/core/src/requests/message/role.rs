//! The roles of a history, and the fewer ones that a model accepts.

use crate::{
    diagnostic::Remedy,
    settings::shown,
    suggestion::{quoted, suggest_or},
};
use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The role of a message in a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "camelCase")]
pub enum Role {
    /// The model.
    Assistant,
    /// A shell command that the user ran, and what it printed.
    BashExecution,
    /// The summary of a branch that the conversation left.
    BranchSummary,
    /// The summary that replaces everything before it.
    CompactionSummary,
    /// An extension.
    Custom,
    /// Instructions between the messages, which only some profiles send.
    System,
    /// A tool.
    ToolResult,
    /// The user.
    User,
}

impl Role {
    /// All roles, sorted by name.
    pub const ALL: [Role; 8] = [
        Role::Assistant,
        Role::BashExecution,
        Role::BranchSummary,
        Role::CompactionSummary,
        Role::Custom,
        Role::System,
        Role::ToolResult,
        Role::User,
    ];

    /// Returns the name in files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The error for an unknown role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown role `{}`", shown(word))]
pub struct UnknownRole {
    /// The unknown name.
    pub word: String,
    /// The suggested name.
    pub help: Remedy,
}

impl FromStr for Role {
    type Err = UnknownRole;

    /// Parses the name of a role.
    ///
    /// ```
    /// use preface_core::message::Role;
    /// assert_eq!("toolResult".parse(), Ok(Role::ToolResult));
    /// assert_eq!(&*"tool_result".parse::<Role>().unwrap_err().help, "did you mean `toolResult`?");
    /// ```
    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        if let Some(role) = Role::ALL.into_iter().find(|role| role.as_str() == word) {
            return Ok(role);
        }
        let help = suggest_or(word, Role::ALL.map(Role::as_str), || {
            format!("roles are {}; `developer` and `tool` are read as well", quoted(Role::ALL))
        });
        Err(UnknownRole { word: word.to_owned(), help })
    }
}

/// The role of a message for a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ModelRole {
    /// The model itself.
    Assistant,
    /// Instructions.
    System,
    /// A tool.
    ToolResult,
    /// The user, and every role that is sent as the user.
    User,
}

impl ModelRole {
    /// Returns the name in a request.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            ModelRole::Assistant => Role::Assistant.as_str(),
            ModelRole::System => Role::System.as_str(),
            ModelRole::ToolResult => Role::ToolResult.as_str(),
            ModelRole::User => Role::User.as_str(),
        }
    }
}

impl fmt::Display for ModelRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_each_word_is_the_one_in_files() {
        assert!(Role::ALL.is_sorted_by(|a, b| a.as_str() < b.as_str()), "ALL must stay sorted by word");
        for role in Role::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str(), "serde and as_str must agree");
            assert_eq!(role.as_str().parse(), Ok(role));
        }
        for role in [ModelRole::Assistant, ModelRole::System, ModelRole::ToolResult, ModelRole::User] {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
        }
    }

    #[test]
    fn an_unknown_role_gets_a_remedy_and_is_shown_escaped() {
        let near = "User".parse::<Role>().unwrap_err();
        assert_eq!((near.to_string().as_str(), &*near.help), ("unknown role `User`", "did you mean `user`?"));
        let far = "\u{202e}x".parse::<Role>().unwrap_err();
        assert!(!far.to_string().contains('\u{202e}'), "{far}");
        assert!(far.help.starts_with("roles are `assistant`, `bashExecution`, "), "{}", far.help);
    }
}
