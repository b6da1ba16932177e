//! Claude models with the tokenizer of 2026.

use super::Family;

/// Estimates for Claude models with the tokenizer of 2026, which makes about 1.4 times as many tokens of the same text.
///
/// Prompt texts that were published and counted from June 2026 on; the ends are the extremes of their releases.
pub const CLAUDE_2026: Family = Family {
    name: "estimate:claude-2026",
    about: "newer Claude: 2.80 (2.40–3.10) bytes a token",
    measured: "2026-06",
    ratio: 280,
    dense: 240,
    sparse: 310,
};
