//! The vocabulary of GPT-4 and GPT-3.5.

use super::Vocabulary;

/// The vocabulary of GPT-4 and GPT-3.5.
pub const CL100K: Vocabulary =
    Vocabulary { name: "cl100k", about: "exact for GPT-4 and GPT-3.5", encoding: "cl100k_base" };
