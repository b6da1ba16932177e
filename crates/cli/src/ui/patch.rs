//! Unified diffs, plain in a pipe and coloured on a terminal.

use super::{style, text::visible};
use preface_engine::core::{budget::Bytes4, diff::Difference, document::Document, prompt::Prompt};

/// Compares two texts under two names; empty if they are the same.
pub fn unified(from: &str, to: &str, then: &str, now: &str) -> String {
    let document = |text: &str| Document::of(&Prompt { text: text.to_owned(), ..Prompt::default() }, &Bytes4);
    let hunks = Difference::of(&document(then), &document(now), &Bytes4).text;
    if hunks.is_empty() { hunks } else { format!("--- {from}\n+++ {to}\n{hunks}") }
}

/// Colours the lines of a diff, and shows what would hide in them.
pub fn coloured(diff: &str) -> String {
    let mut out = String::with_capacity(diff.len() + 64);
    for line in visible(diff).lines() {
        let style = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => style::BOLD,
            [b'@', b'@', ..] => style::ACCENT,
            [b'+', ..] => style::GOOD,
            [b'-', ..] => style::BAD,
            _ => anstyle::Style::new(),
        };
        out.push_str(&format!("{style}{line}{style:#}\n"));
    }
    out
}
