//! The index of an imported catalog: what it holds, and the digest that a profile pins it by.

use serde::{Deserialize, Serialize};

/// The version of the form that imported catalogs are kept in.
pub const INDEX_FORMAT: u32 = 1;

/// How many hexadecimal digits of a digest a pin shows.
const PIN_DIGITS: usize = 16;

/// How the bodies of a catalog are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generation {
    /// Up to 2.1.79: a body is the source of a template literal, its escapes still there.
    A,
    /// From 2.1.80: the escapes are decoded; only declared names are values.
    B,
}

/// What an imported catalog holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Index {
    /// The version of this form: [`INDEX_FORMAT`].
    pub format: u32,
    /// The version of the catalog: `2.1.37`.
    pub version: String,
    /// How its bodies are written.
    pub generation: Generation,
    /// The digest of all files: `blake3:…` over the lines `name`, tab, digest of the file, by name.
    pub digest: String,
    /// Its prompts, by name.
    pub prompts: Vec<Entry>,
}

/// A prompt of a catalog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its name, category and all: `System Prompt: Doing tasks`.
    pub name: String,
    /// Its file, as it is called in the catalog.
    pub file: String,
    /// What it is, in a line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// The version in which it last changed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub changed_in: String,
    /// The names that its file declares, in its order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variables: Vec<String>,
    /// Its tokens as the catalog's README counts them; `None` where it says nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u32>,
    /// The bytes of its body.
    pub bytes: usize,
    /// How many values it has.
    pub values: usize,
    /// How many `${…}` stay as they are written.
    #[serde(default)]
    pub kept: usize,
    /// The digest of the file as it was imported, `blake3:…`.
    pub digest: String,
    /// The digest of the compiled text as it is kept, `blake3:…`.
    pub compiled: String,
}

impl Index {
    /// Returns the digest of these prompts: `blake3:` over a line for each of them, by name: its name, a tab, the digest of
    /// its file. The order in which they are given does not matter.
    ///
    /// ```
    /// use preface_core::catalog::Index;
    ///
    /// assert!(Index::digest_of_entries(&[]).starts_with("blake3:af1349b9"));
    /// ```
    #[must_use]
    pub fn digest_of_entries(prompts: &[Entry]) -> String {
        let mut sorted: Vec<&Entry> = prompts.iter().collect();
        sorted.sort_by(|a, b| (&a.name, &a.digest).cmp(&(&b.name, &b.digest)));
        let mut hasher = blake3::Hasher::new();
        for entry in sorted {
            for piece in [entry.name.as_str(), "\t", &entry.digest, "\n"] {
                hasher.update(piece.as_bytes());
            }
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// Returns what a profile pins this catalog by: its version and the first digits of its digest, such as
    /// `2.1.37@blake3:0123456789abcdef`.
    #[must_use]
    pub fn pin(&self) -> String {
        let digits = self.digest.strip_prefix("blake3:").unwrap_or(&self.digest);
        format!("{}@blake3:{}", self.version, digits.get(..PIN_DIGITS).unwrap_or(digits))
    }

    /// Returns the entry of a prompt by its name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.prompts.iter().find(|entry| entry.name == name)
    }
}

impl Entry {
    /// Returns the category: what its name has before the first `: `.
    #[must_use]
    pub fn category(&self) -> &str {
        self.name.split_once(": ").map_or("", |(category, _)| category)
    }

    /// Returns the name that its compiled text is kept under: the file's, with another ending.
    #[must_use]
    pub fn compiled_file(&self) -> String {
        compiled_file(&self.file)
    }
}

/// Returns the name that the compiled text of a catalog's file is kept under.
#[must_use]
pub fn compiled_file(file: &str) -> String {
    format!("{}.json", file.strip_suffix(".md").unwrap_or(file))
}
