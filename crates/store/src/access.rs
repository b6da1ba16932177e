//! The access tokens of a service. Only a digest of each is stored.

use crate::actor::to_millisecond;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One token, as the store knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// The token's name, which is recorded with every change made with it.
    pub name: String,
    /// The role of the token.
    pub role: TokenRole,
    /// The blake3 digest of the token, in hex.
    pub digest: String,
    /// The time at which it was made.
    pub created_at: Timestamp,
    /// The time from which on it is refused; `None`: it does not expire.
    pub expires_at: Option<Timestamp>,
}

impl TokenRecord {
    /// Returns the digest of a token. Tokens are long and random, so a fast digest is enough.
    ///
    /// ```
    /// assert_eq!(preface_store::TokenRecord::digest("token").len(), 64);
    /// ```
    #[must_use]
    pub fn digest(token: &str) -> String {
        blake3::hash(token.as_bytes()).to_hex().to_string()
    }

    /// Returns the audit detail of an added token.
    pub(crate) fn audit_detail(&self) -> Value {
        let mut detail = json!({"role": self.role});
        if let Some(at) = self.expires_at {
            detail["expires_at"] = json!(to_millisecond(at).to_string());
        }
        detail
    }

    /// Returns true from the instant on at which the token expires.
    #[must_use]
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }
}

/// The permissions of a token. `analyze` and `converse` both include `read`, and neither includes the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[derive(strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum TokenRole {
    /// Numbers and health, and nothing that is stored.
    Metrics,
    /// Stored prompts and templates.
    Read,
    /// Also previews, which read files below the roots.
    Analyze,
    /// Also turns, compactions and refreshes of conversations: what an agent needs.
    Converse,
    /// Everything: also templates, labels, imports, and the removal of conversations.
    Write,
}

impl TokenRole {
    /// All roles; none is before one that it includes.
    pub const ALL: [TokenRole; 5] =
        [TokenRole::Metrics, TokenRole::Read, TokenRole::Analyze, TokenRole::Converse, TokenRole::Write];

    /// Returns true if this role permits what `needed` permits.
    #[must_use]
    pub fn includes(self, needed: TokenRole) -> bool {
        self == needed
            || match self {
                TokenRole::Metrics => false,
                TokenRole::Read => needed == TokenRole::Metrics,
                TokenRole::Analyze | TokenRole::Converse => {
                    matches!(needed, TokenRole::Metrics | TokenRole::Read)
                }
                TokenRole::Write => true,
            }
    }

    /// Returns the word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_includes_itself_and_what_is_below_it() {
        let included = |role: TokenRole| -> Vec<&str> {
            TokenRole::ALL
                .into_iter()
                .filter(|needed| role.includes(*needed))
                .map(TokenRole::as_str)
                .collect()
        };
        assert_eq!(included(TokenRole::Metrics), ["metrics"]);
        assert_eq!(included(TokenRole::Read), ["metrics", "read"]);
        assert_eq!(included(TokenRole::Analyze), ["metrics", "read", "analyze"]);
        assert_eq!(included(TokenRole::Converse), ["metrics", "read", "converse"]);
        assert_eq!(included(TokenRole::Write), ["metrics", "read", "analyze", "converse", "write"]);
        for role in TokenRole::ALL {
            assert_eq!(role.as_str().parse(), Ok(role));
        }
    }

    #[test]
    fn a_token_is_expired_from_its_instant_on() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut access = TokenRecord {
            name: "ci".to_owned(),
            role: TokenRole::Read,
            digest: TokenRecord::digest("t"),
            created_at: at(0),
            expires_at: Some(at(10)),
        };
        assert_eq!([9, 10, 11].map(|now| access.is_expired(at(now))), [false, true, true]);
        access.expires_at = None;
        assert!(!access.is_expired(Timestamp::MAX));
    }
}
