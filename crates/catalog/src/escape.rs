//! Escapes in the source of a template literal, as JavaScript decodes them.

/// Reads the escape that `text` starts with: its character, if it is one, and its number of bytes, the backslash
/// included. `None` if it is no escape that a template literal may have.
pub(crate) fn read(text: &str) -> Option<(Option<char>, usize)> {
    let rest = text.strip_prefix('\\')?;
    let c = rest.chars().next()?;
    let character = |c: char, bytes: usize| Some((Some(c), bytes));
    match c {
        'n' => character('\n', 2),
        't' => character('\t', 2),
        'r' => character('\r', 2),
        'b' => character('\u{8}', 2),
        'f' => character('\u{c}', 2),
        'v' => character('\u{b}', 2),
        '0' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => character('\0', 2),
        '0'..='9' => None,
        'x' => character(char::from_u32(hex(rest.get(1..3)?)?)?, 4),
        'u' => {
            let (unit, bytes) = unicode(text)?;
            let pair = || {
                let (low, more) = unicode(&text[bytes..]).filter(|_| bytes == 6)?;
                let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
                let high = unit.checked_sub(0xD800).filter(|high| *high < 0x400)?;
                Some((char::from_u32(0x10000 + high * 0x400 + low)?, bytes + more))
            };
            let (c, bytes) = char::from_u32(unit).map(|c| (c, bytes)).or_else(pair)?;
            character(c, bytes)
        }
        '\r' if rest[1..].starts_with('\n') => Some((None, 3)),
        '\n' | '\r' | '\u{2028}' | '\u{2029}' => Some((None, 1 + c.len_utf8())),
        c => character(c, 1 + c.len_utf8()),
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
            ("\\`x", Some((Some('`'), 2))),
            ("\\$", Some((Some('$'), 2))),
            ("\\\\", Some((Some('\\'), 2))),
            ("\\'", Some((Some('\''), 2))),
            ("\\é", Some((Some('é'), 3))),
            ("\\n", Some((Some('\n'), 2))),
            ("\\t", Some((Some('\t'), 2))),
            ("\\r", Some((Some('\r'), 2))),
            ("\\b", Some((Some('\u{8}'), 2))),
            ("\\f", Some((Some('\u{c}'), 2))),
            ("\\v", Some((Some('\u{b}'), 2))),
            ("\\0", Some((Some('\0'), 2))),
            ("\\x41", Some((Some('A'), 4))),
            ("\\u2014", Some((Some('—'), 6))),
            ("\\u{1F514}x", Some((Some('🔔'), 9))),
            ("\\uD83D\\uDD14", Some((Some('🔔'), 12))),
            ("\\u{0000000041}", Some((Some('A'), 14))),
            ("\\\n", Some((None, 2))),
            ("\\\r\n", Some((None, 3))),
            ("\\\u{2028}", Some((None, 4))),
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
