//! White space and line ends as ECMAScript knows them; Rust's own notion differs at U+0085 and U+FEFF.

/// Returns true if ECMAScript's `trim` and `\s` match `c`.
pub(crate) fn is_white(c: char) -> bool {
    matches!(
        c,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}' | '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{feff}'
    )
}

/// Returns `text` without ECMAScript's white space at its ends.
#[must_use]
pub fn trim(text: &str) -> &str {
    text.trim_matches(is_white)
}

/// Returns the first place from `at` on, but not after `end`, that holds no white space.
pub(super) fn skip_white(text: &str, at: usize, end: usize) -> usize {
    match text.as_bytes()[at..end].first() {
        Some(byte) if byte.is_ascii_graphic() => at,
        _ => end - text[at..end].trim_start_matches(is_white).len(),
    }
}

/// Returns the end of `text[at..end]` without the white space before it.
pub(super) fn trim_end(text: &str, at: usize, end: usize) -> usize {
    match text.as_bytes()[at..end].last() {
        Some(byte) if byte.is_ascii_graphic() => end,
        _ => at + text[at..end].trim_end_matches(is_white).len(),
    }
}

/// Returns where the last line end (LF, CR, U+2028, U+2029) of `text[at..end]` begins.
pub(super) fn last_line_end(text: &str, at: usize, end: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut end = end;
    while let Some(found) = memchr::memrchr3(b'\n', b'\r', 0xe2, &bytes[at..end]).map(|found| at + found) {
        match bytes[found..] {
            [0xe2, 0x80, 0xa8 | 0xa9, ..] | [b'\n' | b'\r', ..] => return Some(found),
            _ => end = found,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_is_the_list_of_ecmascript() {
        let white: Vec<u32> = ('\0'..=char::MAX).filter(|c| is_white(*c)).map(u32::from).collect();
        let mut list = vec![9, 10, 11, 12, 13, 0x20, 0xa0, 0x1680];
        list.extend(0x2000..=0x200a);
        list.extend([0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]);
        assert_eq!(white, list, "TAB, LF, VT, FF, CR, USP, BOM and the two separators, nothing else");
    }

    #[test]
    fn ends_are_found_on_character_borders() {
        let text = "\u{feff} a\u{3000}";
        assert_eq!(skip_white(text, 0, text.len()), 4);
        assert_eq!(trim_end(text, 0, text.len()), 5);
        assert_eq!(trim(text), "a");
        assert_eq!((skip_white("  ", 0, 2), trim_end("  ", 0, 2)), (2, 0), "all white: the ends cross");
    }

    #[test]
    fn the_last_line_end_wins() {
        assert_eq!(last_line_end("a\nb\rc", 0, 5), Some(3));
        assert_eq!(last_line_end("a\u{2028}b—c", 0, 8), Some(1), "a dash shares its first byte with U+2028");
        assert_eq!(last_line_end("a\u{2029}—", 4, 7), None, "what stands before the start does not count");
        assert_eq!(last_line_end("a\u{85}b", 0, 4), None, "NEL ends no line here");
    }
}
