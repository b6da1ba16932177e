//! Random tokens.

use std::fmt;

/// Makes a token that nobody can guess: 256 random bits.
///
/// # Panics
/// The machine has no source of randomness.
#[must_use]
pub fn new_token() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the machine has a source of randomness");
    format!("preface_{}", blake3::Hash::from_bytes(bytes).to_hex())
}

/// The token of this start.
pub(super) struct PageToken {
    token: String,
    digest: blake3::Hash,
}

impl PageToken {
    pub fn new() -> Self {
        let token = new_token();
        let digest = blake3::hash(token.as_bytes());
        PageToken { token, digest }
    }

    pub fn as_str(&self) -> &str {
        &self.token
    }

    /// Compares in a time that says nothing about the token.
    pub fn is(&self, token: &[u8]) -> bool {
        blake3::hash(token) == self.digest
    }
}

impl fmt::Debug for PageToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PageToken")
    }
}
