//! Unified diffs, plain in a pipe and coloured on a terminal.

pub use preface_core::diff::unified;

use super::{style, text::visible};

/// Colours the lines of a diff, and shows what would hide in them.
pub fn coloured(diff: &str) -> String {
    let mut out = String::with_capacity(diff.len() + 64);
    for line in diff.split_terminator('\n') {
        let (line, end) = line.strip_suffix('\r').map_or((line, ""), |line| (line, "^M"));
        let line = visible(line);
        let style = match line.as_bytes() {
            [b'-', b'-', b'-', b' ', ..] | [b'+', b'+', b'+', b' ', ..] => style::BOLD,
            [b'@', b'@', ..] => style::ACCENT,
            [b'+', ..] => style::GOOD,
            [b'-', ..] => style::BAD,
            _ => anstyle::Style::new(),
        };
        out.push_str(&format!("{style}{line}{end}{style:#}\n"));
    }
    out
}
