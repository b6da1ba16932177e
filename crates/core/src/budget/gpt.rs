//! GPT models with the vocabulary `o200k`.

use super::Family;

/// Estimates for GPT models with the vocabulary `o200k`.
///
/// Prompts in Markdown give the ratio; TypeScript and English prose give its ends. JSON lies outside, at 2.21 bytes a
/// token: what is mostly data wants the exact counter.
pub const GPT: Family = Family {
    name: "estimate:gpt",
    about: "GPT, `o200k`: 4.33 (3.54–4.70) bytes a token",
    measured: "2026-11",
    ratio: 433,
    dense: 354,
    sparse: 470,
};
