//! The index of an imported catalog: what it holds, and the digest that a profile pins it by.

use serde::{Deserialize, Serialize};

/// The version of the form that imported catalogs are kept in.
pub const INDEX_FORMAT: u32 = 1;

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
        format!("{}.json", self.file.strip_suffix(".md").unwrap_or(&self.file))
    }
}
