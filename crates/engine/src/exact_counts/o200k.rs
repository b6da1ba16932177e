//! The vocabulary of GPT models from 2024 on.

use super::Vocabulary;

/// The vocabulary of GPT models from 2024 on.
pub const O200K: Vocabulary =
    Vocabulary { name: "o200k", about: "exact for GPT-4o, GPT-4.1, GPT-5, o series", encoding: "o200k_base" };
