//! A counter that has a vocabulary.

use preface_core::budget::Counter;

/// Counts with a vocabulary, which is unpacked once, at the first text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    /// The name that options and reports use.
    pub name: &'static str,
    /// One sentence for people.
    pub about: &'static str,
    /// The name of the vocabulary where it comes from.
    pub encoding: &'static str,
}

impl Counter for Vocabulary {
    fn name(&self) -> &str {
        self.name
    }

    fn about(&self) -> &str {
        self.about
    }

    fn exact(&self) -> bool {
        true
    }

    fn count(&self, text: &str) -> usize {
        tiktoken::get_encoding(self.encoding)
            .expect("each vocabulary here is a feature of the crate")
            .count(text)
    }
}
