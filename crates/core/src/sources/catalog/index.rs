//! The index of an imported catalog: its prompts, and the digest by which a profile pins it.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format in which imported catalogs are stored.
pub const INDEX_FORMAT: u32 = 3;

/// The number of hexadecimal digits of a digest in a pin.
const PIN_DIGITS: usize = 16;

/// The notation of the bodies of a catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// Up to 2.1.79: a body is the source of a template literal, with escapes.
    A,
    /// From 2.1.80: the escapes are decoded.
    B,
}

/// An imported catalog, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogIndex {
    /// The version of this format: [`INDEX_FORMAT`].
    pub format: u32,
    /// The version of the catalog: `2.1.37`.
    pub version: String,
    /// The notation of the bodies.
    pub generation: Generation,
    /// The version of the converter: with the digest of the files it decides every byte of the templates.
    pub converter: u32,
    /// The digest of all files: `blake3:…` over the lines `name`, tab, digest of the file, by name.
    pub digest: String,
    /// The prompts, by name.
    pub prompts: Vec<CatalogEntry>,
    /// The template of each prompt, by its name.
    pub templates: BTreeMap<String, String>,
}

/// A prompt of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogEntry {
    /// The name with the category: `System Prompt: Doing tasks`.
    pub name: String,
    /// The name of the file in the catalog.
    pub file: String,
    /// The description, in one line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The version of its last change.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changed_in: String,
    /// The number of tokens according to the catalog's README; `None` if it has no number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// The number of bytes of the body.
    pub bytes: usize,
    /// The number of expressions.
    pub values: usize,
    /// The digest of the file as it was imported, `blake3:…`.
    pub digest: String,
    /// The digest of the template, `blake3:…`.
    pub template: String,
    /// The expressions whose KEY in the template is a digest, by it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub expressions: BTreeMap<String, String>,
}

impl CatalogIndex {
    /// Returns the digest of these prompts: `blake3:` over a line for each of them, sorted by name: the name,
    /// a tab, the digest of the file. The order of `prompts` does not matter.
    ///
    /// ```
    /// use preface_core::catalog::CatalogIndex;
    ///
    /// assert!(CatalogIndex::digest_of_entries(&[]).starts_with("blake3:af1349b9"));
    /// ```
    #[must_use]
    pub fn digest_of_entries(prompts: &[CatalogEntry]) -> String {
        let mut sorted: Vec<&CatalogEntry> = prompts.iter().collect();
        sorted.sort_by(|a, b| (&a.name, &a.digest).cmp(&(&b.name, &b.digest)));
        let mut hasher = blake3::Hasher::new();
        for entry in sorted {
            for piece in [entry.name.as_str(), "\t", &entry.digest, "\n"] {
                hasher.update(piece.as_bytes());
            }
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// Returns the pin by which a profile refers to this catalog: its version and the first digits of its
    /// digest, such as `2.1.37@blake3:0123456789abcdef`.
    #[must_use]
    pub fn pin(&self) -> String {
        let digits = self.digest.strip_prefix("blake3:").unwrap_or(&self.digest);
        format!("{}@blake3:{}", self.version, digits.get(..PIN_DIGITS).unwrap_or(digits))
    }

    /// Returns the entry of a prompt by its name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&CatalogEntry> {
        self.prompts.iter().find(|entry| entry.name == name)
    }

    /// Returns the template of a prompt; an empty text if there is none of this name.
    #[must_use]
    pub fn template(&self, name: &str) -> &str {
        self.templates.get(name).map_or("", String::as_str)
    }
}

impl CatalogEntry {
    /// Returns the category: the part of the name before the first `: `.
    #[must_use]
    pub fn category(&self) -> &str {
        self.name.split_once(": ").map_or("", |(category, _)| category)
    }
}
