//! Other people's bytes, made fit to be shown.

use preface_core::lint::hidden::escape_hidden;

/// Shows the start of some bytes in one line: at most so many characters, control characters and hidden ones escaped.
pub(crate) fn shown(bytes: &[u8], at_most: usize) -> String {
    // Four bytes make a character at most; one more is enough to see that something is missing.
    let start = &bytes[..bytes.len().min(at_most * 4 + 4)];
    let text = String::from_utf8_lossy(start);
    let mut cut: String = text.trim().chars().take(at_most).collect();
    if cut.len() < text.trim().len() || start.len() < bytes.len() {
        cut.push('…');
    }
    escape_hidden(&cut).into_owned()
}
