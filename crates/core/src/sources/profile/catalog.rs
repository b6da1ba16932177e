//! The catalog that a profile's texts come from, where one is chosen.

use crate::catalog::Bindings;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, str::FromStr};

/// The imported catalog of a profile, with its bindings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogChoice {
    /// The name and digest of the catalog.
    pub pin: CatalogPin,
    /// The values of the expressions in the catalog's texts.
    #[serde(default)]
    pub bindings: Bindings,
    /// The prompts of agents, by the agents' names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, PromptNames>,
}

/// Names of prompts, the first choice first. One may be written by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "OneOrMany")]
pub struct PromptNames(pub Vec<String>);

#[derive(Deserialize)]
#[serde(untagged, expecting = "not the name of a prompt, nor a list of names")]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

impl From<OneOrMany> for PromptNames {
    fn from(written: OneOrMany) -> PromptNames {
        PromptNames(match written {
            OneOrMany::One(one) => vec![one],
            OneOrMany::Many(many) => many,
        })
    }
}

/// A version of a catalog, and the digest that it must have: `2.1.37@blake3:0123456789abcdef`.
///
/// ```
/// use preface_core::profile::CatalogPin;
/// let pin: CatalogPin = "2.1.37@blake3:0123456789abcdef".parse().unwrap();
/// assert!(pin.accepts("blake3:0123456789abcdef0000"));
/// assert!(!pin.accepts("blake3:0023456789abcdef0000"));
/// assert!("2.1.37".parse::<CatalogPin>().unwrap().accepts("blake3:00"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CatalogPin {
    /// The version.
    pub version: String,
    /// The first digits of the digest, lower case; `None` is any.
    pub digest: Option<String>,
}

/// The least number of digits of a digest in a pin.
const LEAST_DIGITS: usize = 16;

impl CatalogPin {
    /// Returns true if the choice includes a catalog with this digest.
    #[must_use]
    pub fn accepts(&self, digest: &str) -> bool {
        let digits = digest.strip_prefix("blake3:").unwrap_or(digest);
        self.digest.as_ref().is_none_or(|pinned| digits.starts_with(pinned.as_str()))
    }

    /// Returns true if a text can be the version of a catalog: digits and letters with dots and dashes between.
    #[must_use]
    pub fn is_version(text: &str) -> bool {
        text.len() <= 64
            && text
                .split(['.', '-'])
                .all(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric()))
    }
}

impl FromStr for CatalogPin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (version, digest) = match text.split_once('@') {
            Some((version, digest)) => (version, Some(digest)),
            None => (text, None),
        };
        if !CatalogPin::is_version(version) {
            return Err(format!("not the version of a catalog: `{version}`"));
        }
        let digest = digest.map(|digest| {
            let digits = digest.strip_prefix("blake3:").unwrap_or(digest).to_ascii_lowercase();
            let sound =
                (LEAST_DIGITS..=64).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
            sound.then_some(digits).ok_or_else(|| {
                format!(
                    "not a digest: `{digest}`; it is `blake3:` and at least {LEAST_DIGITS} hexadecimal digits"
                )
            })
        });
        Ok(CatalogPin { version: version.to_owned(), digest: digest.transpose()? })
    }
}

impl TryFrom<String> for CatalogPin {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<CatalogPin> for String {
    fn from(pin: CatalogPin) -> String {
        pin.to_string()
    }
}

impl fmt::Display for CatalogPin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.digest {
            Some(digest) => write!(f, "{}@blake3:{digest}", self.version),
            None => write!(f, "{}", self.version),
        }
    }
}
