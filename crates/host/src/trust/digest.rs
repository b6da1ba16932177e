//! The digest of a text, and of a list of texts.

use super::pins::PinPath;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::{borrow::Cow, collections::BTreeSet, fmt, str::FromStr};

const ALGORITHM: &str = "blake3:";

/// The BLAKE3 digest of a text, written `blake3:<64 lower-case hex digits>`.
///
/// ```
/// use preface_host::trust::Digest;
///
/// let digest = Digest::of(b"Use tabs.");
/// assert!(digest.to_string().starts_with("blake3:"));
/// assert_eq!(digest.to_string().parse(), Ok(digest));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Digest(*blake3::hash(bytes).as_bytes())
    }

    /// Returns the digest of a set of texts, each by path and digest, whatever their order.
    ///
    /// A decline is bound to it: the question comes back only when another set would be shown.
    pub fn of_listing<'a>(texts: impl IntoIterator<Item = (&'a PinPath, Digest)>) -> Self {
        let sorted: BTreeSet<_> = texts.into_iter().collect();
        let mut all = ListHasher::default();
        for (path, digest) in sorted {
            all.add(path.as_str().as_bytes());
            all.add(&digest.0);
        }
        all.digest()
    }

    /// Returns the 64 hex digits alone: the name of a copy in `trust.d`.
    #[must_use]
    pub fn hex(&self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{ALGORITHM}{}", blake3::Hash::from_bytes(self.0).to_hex())
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The error for a text that is no digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a digest is `blake3:` and 64 lower-case hex digits")]
pub struct DigestParseError;

impl FromStr for Digest {
    type Err = DigestParseError;

    fn from_str(text: &str) -> Result<Self, DigestParseError> {
        let hex = text.strip_prefix(ALGORITHM).ok_or(DigestParseError)?;
        if hex.len() != 64 || !hex.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(DigestParseError);
        }
        blake3::Hash::from_hex(hex).map(|hash| Digest(*hash.as_bytes())).map_err(|_| DigestParseError)
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(from)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Digests several texts at once. Each goes in with its length, so that no two lists look alike.
#[derive(Default)]
pub(super) struct ListHasher(blake3::Hasher);

impl ListHasher {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    pub(super) fn digest(&self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_spelling_is_read() {
        let digest = Digest::of(b"");
        assert_eq!(
            digest.to_string(),
            "blake3:af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
            "the digest of nothing is the one the BLAKE3 test vectors give"
        );
        for other in ["", "blake3:", &digest.hex(), &digest.to_string().to_uppercase(), "sha256:00"] {
            assert_eq!(other.parse::<Digest>(), Err(DigestParseError), "{other:?}");
        }
    }

    #[test]
    fn a_listing_knows_no_order_and_no_seams() {
        let path = |text: &str| PinPath::parse(text).expect("a good path");
        let (a, b, ab) = (path("a"), path("b"), path("ab"));
        let (x, y) = (Digest::of(b"x"), Digest::of(b"y"));
        assert_eq!(Digest::of_listing([(&a, x), (&b, y)]), Digest::of_listing([(&b, y), (&a, x)]));
        assert_ne!(Digest::of_listing([(&a, x), (&b, y)]), Digest::of_listing([(&a, y), (&b, x)]));
        assert_ne!(Digest::of_listing([(&a, x), (&b, x)]), Digest::of_listing([(&ab, x)]));
    }
}
