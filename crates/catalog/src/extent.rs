//! The end of an expression, found by its brackets, strings and template literals alone.
//!
//! What has a comment or a regular expression with one of them in it may end elsewhere; then it is no expression, and not
//! understood.

/// The most bytes of an expression.
pub const MAX_BYTES: usize = 64 * 1024;
/// The deepest nesting of brackets in an expression.
pub const MAX_NESTING: usize = 64;
/// The most words and signs of an expression that is parsed: the parser calls itself, at most once for each.
pub const MAX_SIGNS: usize = 128;

/// Splits what is behind a `${` into an expression, whether it may be parsed, and the text behind its `}`. Where it has no end, it
/// ends with the `}` that closes its brace if braces alone count, or with the line.
pub(crate) fn split(text: &str) -> (&str, bool, &str) {
    if let Some(end) = end_of(text) {
        return (&text[..end], true, &text[end + 1..]);
    }
    let mut open = 1;
    let closing = text.bytes().take(MAX_BYTES).position(|byte| {
        open += usize::from(byte == b'{');
        open -= usize::from(byte == b'}');
        open == 0 || open > MAX_NESTING
    });
    match closing.filter(|_| open == 0) {
        Some(end) => (&text[..end], false, &text[end + 1..]),
        None => {
            let (line, behind) = text.split_at(text.find('\n').unwrap_or(text.len()));
            (line, false, behind)
        }
    }
}

/// Returns the place of the `}` that ends the expression at the start of `text`; `None` if the parser should not see it.
fn end_of(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut open: Vec<u8> = Vec::new();
    let (mut signs, mut in_word) = (0, false);
    let mut at = 0;
    while at < bytes.len().min(MAX_BYTES) {
        let byte = bytes[at];
        let in_template = open.last() == Some(&b'`');
        let was_word = in_word;
        in_word = !in_template && (byte.is_ascii_alphanumeric() || !byte.is_ascii());
        signs += usize::from(!(in_template || byte.is_ascii_whitespace() || was_word && in_word));
        match byte {
            b'\\' => at += 1,
            b'`' if in_template => _ = open.pop(),
            b'$' if in_template && bytes.get(at + 1) == Some(&b'{') => {
                at += 1;
                open.push(b'}');
            }
            _ if in_template => {}
            b'`' => open.push(b'`'),
            b'{' => open.push(b'}'),
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'}' if open.is_empty() => return Some(at),
            b')' | b']' | b'}' if open.pop() != Some(byte) => return None,
            b'\'' | b'"' => at = end_of_string(bytes, at)?,
            _ => {}
        }
        if open.len() > MAX_NESTING || signs > MAX_SIGNS {
            return None;
        }
        at += 1;
    }
    None
}

/// Returns the place of the quote that ends the string at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    while at < bytes.len().min(MAX_BYTES) {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return None,
            byte if byte == bytes[start] => return Some(at),
            _ => {}
        }
        at += 1;
    }
    None
}
