//! Exact token counters, each with the vocabulary of a model family.
//!
//! ```
//! let counter = preface_engine::COUNTERS.get("o200k").unwrap();
//! assert_eq!((counter.count("You help a programmer."), counter.exact()), (5, true));
//! ```
//!
//! The vocabularies and the merging are the crate `tiktoken`'s. A vocabulary is unpacked at the first text that is counted
//! with it, which takes about a tenth of a second and 30 MB; naming a counter and listing them take nothing. A name of a
//! special token in a text, such as `<|endoftext|>`, is text. A new counter is one file here and one line in [`COUNTERS`].

mod cl100k;
mod o200k;
#[cfg(test)]
mod tests;
mod vocabulary;

use cl100k::CL100K;
use o200k::O200K;
use preface_core::budget::MakeCounter;
use vocabulary::Vocabulary;

/// The counters with a vocabulary, by name.
pub(crate) const COUNTERS: &[(&str, MakeCounter)] =
    &[(CL100K.name, || Box::new(CL100K)), (O200K.name, || Box::new(O200K))];
