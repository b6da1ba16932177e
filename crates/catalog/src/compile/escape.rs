//! Escapes in the source of a template literal, as JavaScript decodes them.

/// The result of decoding an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeSequence {
    /// The character after the backslash, which is in the file.
    Itself(char),
    /// A character that is not in the file.
    Other(char),
    /// Nothing: the line continues in the next one.
    Nothing,
}

/// Reads the escape that `text` starts with: its character and its number of bytes, the backslash included.
/// `None` if it is no escape that a template literal may have.
pub(super) fn read(text: &str) -> Option<(EscapeSequence, usize)> {
    let rest = text.strip_prefix('\\')?;
    let c = rest.chars().next()?;
    let other = |c: char, bytes: usize| Some((EscapeSequence::Other(c), bytes));
    match c {
        'n' => other('\n', 2),
        't' => other('\t', 2),
        'r' => other('\r', 2),
        'b' => other('\u{8}', 2),
        'f' => other('\u{c}', 2),
        'v' => other('\u{b}', 2),
        '0' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => other('\0', 2),
        '0'..='9' => None,
        'x' => other(char::from_u32(hex(rest.get(1..3)?)?)?, 4),
        'u' => {
            let (unit, bytes) = unicode(text)?;
            let pair = || {
                let (low, more) = unicode(&text[bytes..]).filter(|_| bytes == 6)?;
                let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                let high = unit.checked_sub(0xD800).filter(|high| *high < 0x400)?;
                Some((char::from_u32(0x10000 + high * 0x400 + low)?, bytes + more))
            };
            let (c, bytes) = char::from_u32(unit).map(|c| (c, bytes)).or_else(pair)?;
            other(c, bytes)
        }
        '\r' if rest[1..].starts_with('\n') => Some((EscapeSequence::Nothing, 3)),
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some((EscapeSequence::Nothing, 1 + c.len_utf8())),
        itself => Some((EscapeSequence::Itself(itself), 1 + itself.len_utf8())),
    }
}

/// Reads `\uXXXX` or `\u{X…}`.
fn unicode(text: &str) -> Option<(u32, usize)> {
    let rest = text.strip_prefix("\\u")?;
    if let Some(rest) = rest.strip_prefix('{') {
        let (digits, _) = rest.split_once('}')?;
        return Some((hex(digits).filter(|unit| *unit <= 0x0010_FFFF)?, digits.len() + 4));
    }
    Some((hex(rest.get(..4)?)?, 6))
}

fn hex(digits: &str) -> Option<u32> {
    let digits = if digits.len() > 6 { digits.trim_start_matches('0') } else { digits };
    let plain = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    if plain { u32::from_str_radix(digits, 16).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_have_the_meaning_of_javascript() {
        for (text, expected) in [
            ("\\`x", Some((EscapeSequence::Itself('`'), 2))),
            ("\\$", Some((EscapeSequence::Itself('$'), 2))),
            ("\\\\", Some((EscapeSequence::Itself('\\'), 2))),
            ("\\'", Some((EscapeSequence::Itself('\''), 2))),
            ("\\é", Some((EscapeSequence::Itself('é'), 3))),
            ("\\n", Some((EscapeSequence::Other('\n'), 2))),
            ("\\t", Some((EscapeSequence::Other('\t'), 2))),
            ("\\r", Some((EscapeSequence::Other('\r'), 2))),
            ("\\b", Some((EscapeSequence::Other('\u{8}'), 2))),
            ("\\f", Some((EscapeSequence::Other('\u{c}'), 2))),
            ("\\v", Some((EscapeSequence::Other('\u{b}'), 2))),
            ("\\0", Some((EscapeSequence::Other('\0'), 2))),
            ("\\x41", Some((EscapeSequence::Other('A'), 4))),
            ("\\u2014", Some((EscapeSequence::Other('—'), 6))),
            ("\\u{1F514}x", Some((EscapeSequence::Other('🔔'), 9))),
            ("\\uD83D\\uDD14", Some((EscapeSequence::Other('🔔'), 12))),
            ("\\u{0000000041}", Some((EscapeSequence::Other('A'), 14))),
            ("\\\n", Some((EscapeSequence::Nothing, 2))),
            ("\\\r\n", Some((EscapeSequence::Nothing, 3))),
            ("\\\u{2028}", Some((EscapeSequence::Nothing, 4))),
        ] {
            assert_eq!(read(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_escape_is_not_guessed_at() {
        let wrong = [
            "\\",
            "\\1",
            "\\01",
            "\\x4",
            "\\xé1",
            "\\x+1",
            "\\u12",
            "\\u{}x",
            "\\u{110000}",
            "\\uD83D",
            "\\uDD14\\uD83D",
            "\\u{D83D}\\u{DD14}",
            "\\u{41",
            "\\u{ffffffffffffffffffff}",
        ];
        for text in wrong {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
