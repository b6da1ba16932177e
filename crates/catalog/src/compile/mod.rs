//! Takes a body apart: words, values, and what only looks like one.

use preface_core::{
    catalog::{Chunk, Generation},
    diagnostic::Diagnostic,
};

/// A body that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiled {
    /// Its runs, in order.
    pub chunks: Vec<Chunk>,
    /// The bytes of the body, the last line end left out.
    pub bytes: usize,
    /// What stays as it is written, and why.
    pub notes: Vec<Diagnostic>,
}

/// Compiles the body of the file `path`: what `text` has from byte `body` on, the last line end left out.
#[must_use]
pub fn compile(
    path: &str,
    text: &str,
    body: usize,
    variables: &[String],
    generation: Generation,
) -> Compiled {
    let _ = (path, variables, generation);
    let end = text[body..].strip_suffix('\n').map_or(text.len(), |rest| body + rest.len());
    let words = Chunk::Text { text: text[body..end].to_owned(), span: body..end };
    Compiled { chunks: vec![words], bytes: end - body, notes: Vec::new() }
}
