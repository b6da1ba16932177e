//! The text of one imported prompt, in runs: literal text, expressions, and text that only looks like an
//! expression.

use super::Expression;
use crate::origin::range;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::Range};

/// An imported prompt as it is stored: its body, split into chunks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CatalogText {
    /// The name of the prompt, category and all: `System Prompt: Doing tasks`.
    pub prompt: String,
    /// The path of its source file, for display.
    pub file: String,
    /// The line of the file that the body starts on, from 1.
    #[serde(default)]
    pub first_line: usize,
    /// The body. Bytes between the spans of two neighbors are escapes and belong to no chunk.
    pub chunks: Vec<CatalogChunk>,
}

/// A run of a body. Spans are byte ranges in the file as it was imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CatalogChunk {
    /// Literal text, byte for byte that of the span, except for an escape such as `\n`, whose span is longer
    /// than the text.
    Text {
        /// The text.
        text: String,
        /// The location in the file.
        #[serde(with = "range")]
        span: Range<usize>,
    },
    /// An expression.
    Value {
        /// The expression to evaluate.
        expression: Expression,
        /// The source, `${` and `}` included, which is used if the expression has no value.
        written: String,
        /// The location in the file.
        #[serde(with = "range")]
        span: Range<usize>,
    },
    /// Text that looks like an expression, and stays as it is written.
    Kept {
        /// The source.
        written: String,
        /// The location in the file.
        #[serde(with = "range")]
        span: Range<usize>,
        /// The reason.
        why: UncompiledReason,
    },
}

/// The reason why a `${…}` stays as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UncompiledReason {
    /// A parse error, with the parser's message.
    Unparsed(String),
    /// An unsupported construct, with its name.
    Unsupported(String),
    /// A name that the file does not declare (generation B).
    Undeclared(String),
}

impl CatalogText {
    /// Returns the names that must be bound for this text to be used, sorted.
    #[must_use]
    pub fn names(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for chunk in &self.chunks {
            if let CatalogChunk::Value { expression, .. } = chunk {
                expression.free_names(&mut Vec::new(), &mut names);
            }
        }
        names
    }
}

impl CatalogChunk {
    /// Returns the number of line ends of the file in this chunk.
    #[must_use]
    pub fn lines(&self) -> usize {
        let (text, is_file) = match self {
            CatalogChunk::Text { text, span } => (text, span.len() == text.len()),
            CatalogChunk::Value { written, .. } | CatalogChunk::Kept { written, .. } => (written, true),
        };
        if is_file { text.matches('\n').count() } else { 0 }
    }
}
