//! The text of one imported prompt, in runs: words, values to be worked out, and what only looks like one.

use super::Expression;
use crate::origin::range;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::Range};

/// An imported prompt as it is kept: its body, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogText {
    /// The name of the prompt, category and all: `System Prompt: Doing tasks`.
    pub prompt: String,
    /// The file that it was read from, for people.
    pub file: String,
    /// The line of the file that the body starts on, from 1.
    #[serde(default)]
    pub first_line: usize,
    /// The body. What lies between the spans of two neighbours is an escape, and part of no text.
    pub chunks: Vec<Chunk>,
}

/// A run of a body. Spans are byte ranges in the file as it was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Chunk {
    /// Words, byte for byte those of the span; but for an escape such as `\n`, whose span is longer than what it means.
    Text {
        /// The words.
        text: String,
        /// Where they stand.
        #[serde(with = "range")]
        span: Range<usize>,
    },
    /// A value.
    Value {
        /// What is to be worked out.
        expression: Expression,
        /// As it is written, `${` and `}` included: what stands for it where it comes to nothing.
        written: String,
        /// Where it stands.
        #[serde(with = "range")]
        span: Range<usize>,
    },
    /// What looks like a value, and stays as it is written.
    Kept {
        /// As it is written.
        written: String,
        /// Where it stands.
        #[serde(with = "range")]
        span: Range<usize>,
        /// Why.
        why: Unread,
    },
}

/// Why a `${…}` stays as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unread {
    /// It is no expression; what the parser said.
    Unparsed(String),
    /// It has a construct that is not worked out here; which.
    Unsupported(String),
    /// It has a name that its file does not declare (generation B).
    Undeclared(String),
}

impl CatalogText {
    /// Returns the names that must be bound for this text to be used, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for chunk in &self.chunks {
            if let Chunk::Value { expression, .. } = chunk {
                expression.free_names(&mut Vec::new(), &mut names);
            }
        }
        names
    }
}

impl Chunk {
    /// Returns how many line ends of the file it covers.
    #[must_use]
    pub fn lines(&self) -> usize {
        let (text, is_file) = match self {
            Chunk::Text { text, span } => (text, span.len() == text.len()),
            Chunk::Value { written, .. } | Chunk::Kept { written, .. } => (written, true),
        };
        if is_file { text.matches('\n').count() } else { 0 }
    }
}
