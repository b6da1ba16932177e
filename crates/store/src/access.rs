//! Who may ask a service that listens beyond its own machine. Only a digest of the token is kept.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// One token, as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Its name; what it changes is written down under it.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The blake3 digest of the token, in hex.
    pub digest: String,
    /// When it was made.
    pub created_at: Timestamp,
}

impl Access {
    /// Returns the digest of a token. Tokens are long and random, so a fast digest keeps them.
    ///
    /// ```
    /// assert_eq!(preface_store::Access::digest("token").len(), 64);
    /// ```
    #[must_use]
    pub fn digest(token: &str) -> String {
        blake3::hash(token.as_bytes()).to_hex().to_string()
    }
}

/// What a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Look at everything, change nothing.
    Read,
    /// Also have prompts constructed: what an agent needs.
    Converse,
    /// Also change templates, forget conversations, import.
    Write,
}

impl Role {
    /// The roles, from least to most.
    pub const ALL: [Role; 3] = [Role::Read, Role::Converse, Role::Write];

    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Read => "read",
            Role::Converse => "converse",
            Role::Write => "write",
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(word: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.as_str() == word)
    }
}
