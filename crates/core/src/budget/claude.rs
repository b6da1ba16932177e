//! Claude models before the tokenizer of 2026.

use super::Family;

/// Estimates for Claude models before those of 2026.
///
/// 129 published prompt texts with the counts of the vendor's own service: 205 400 bytes and 51 575 tokens. The ends are
/// the first and the last decile of the texts with 100 tokens or more.
pub const CLAUDE: Family = Family {
    name: "estimate:claude",
    about: "older Claude: 3.98 (3.53–4.52) bytes a token",
    measured: "2026-02",
    ratio: 398,
    dense: 353,
    sparse: 452,
};
