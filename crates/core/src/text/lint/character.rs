//! The one table of characters that a reader does not see as they are, and how they are written so that they are seen.
//!
//! The lint, the terminal, names in a prompt, names from git and machine formats all read [`HiddenKind::of`] and the functions
//! of this module, so that no character is invisible to one of them only.

use std::borrow::Cow;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// A way to hide text. The worst comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HiddenKind {
    /// Tag characters: each stands for one ASCII character and shows nothing. The flags of England, Scotland and
    /// Wales are made of them and are not reported.
    Tag,
    /// Bidirectional embeddings, overrides and isolates: the order on the screen is not the order of the text.
    Bidi,
    /// Control characters: escape sequences, backspaces, carriage returns inside a line.
    Control,
    /// Zero-width space, joiner, non-joiner, word joiner.
    ZeroWidth,
    /// A byte order mark that does not start the text.
    Bom,
    /// Two or more variation selectors in a row: each can carry a byte.
    SelectorRun,
    /// A variation selector behind a character that has no variants, or more of them than a text needs: one behind each
    /// letter carries a byte a letter.
    Selector,
    /// Characters that look like nothing or like a blank: Hangul fillers, blank Braille, soft hyphens, other format
    /// characters, default-ignorable code points that are not assigned.
    Filler,
    /// Private-use and unassigned characters.
    PrivateUse,
    /// Line and paragraph separators.
    Separator,
    /// Blanks or empty lines that push the text behind them off-screen.
    OffScreen,
    /// Combining marks piled on one letter.
    Pile,
    /// Blanks that are neither a space nor a tab, in a row.
    Space,
    /// Direction marks.
    Mark,
    /// An HTML comment outside of code: the source shows it, the rendered page does not.
    Comment,
}

/// The blank Braille pattern.
pub(super) const BLANK_BRAILLE: char = '\u{2800}';
/// A note without a head, which shows nothing.
const NULL_NOTEHEAD: char = '\u{1d159}';
/// The place of an object that a text cannot have.
const OBJECT_REPLACEMENT: char = '\u{fffc}';

impl HiddenKind {
    /// Returns the kind of a single character; `None` for one that is seen as it is.
    ///
    /// ```
    /// use preface_core::lint::character::HiddenKind;
    /// assert_eq!(HiddenKind::of('\u{e0fff}'), Some(HiddenKind::Filler));
    /// assert_eq!(HiddenKind::of('\u{1d159}'), Some(HiddenKind::Filler));
    /// assert_eq!(HiddenKind::of('\u{378}'), Some(HiddenKind::PrivateUse));
    /// assert_eq!(HiddenKind::of('\u{1b}'), Some(HiddenKind::Control));
    /// assert_eq!("é漢🚀\t\n".chars().find_map(HiddenKind::of), None);
    /// ```
    #[must_use]
    pub fn of(c: char) -> Option<HiddenKind> {
        Some(match c {
            '\t' | '\n' | ' '..='~' => return None,
            '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => HiddenKind::Control,
            '\u{a0}'..='\u{ac}' | '\u{ae}'..='\u{2ff}' => return None,
            '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => return None,
            '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{180b}'..='\u{180d}' | '\u{180f}' => {
                HiddenKind::Selector
            }
            '\u{e0000}'..='\u{e007f}' => HiddenKind::Tag,
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => HiddenKind::Bidi,
            '\u{200b}'..='\u{200d}' | '\u{2060}' => HiddenKind::ZeroWidth,
            '\u{feff}' => HiddenKind::Bom,
            '\u{200e}' | '\u{200f}' | '\u{61c}' => HiddenKind::Mark,
            '\u{2028}' | '\u{2029}' => HiddenKind::Separator,
            // The rest of Default_Ignorable_Code_Point, in which unassigned code points are invisible, too.
            '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180e}'
            | '\u{2061}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0080}'..='\u{e00ff}'
            | '\u{e01f0}'..='\u{e0fff}' => HiddenKind::Filler,
            BLANK_BRAILLE | NULL_NOTEHEAD | OBJECT_REPLACEMENT | '\u{fdd0}'..='\u{fdef}' => {
                HiddenKind::Filler
            }
            _ if u32::from(c) & 0xfffe == 0xfffe => HiddenKind::Filler,
            _ => match c.general_category() {
                GeneralCategory::Format if !has_glyph(c) => HiddenKind::Filler,
                GeneralCategory::PrivateUse => HiddenKind::PrivateUse,
                // The block of emoji has code points that later versions of Unicode assign.
                GeneralCategory::Unassigned if !matches!(c, '\u{1f000}'..='\u{1faff}') => {
                    HiddenKind::PrivateUse
                }
                _ => return None,
            },
        })
    }

    /// Returns true for a character that takes no room: text that contains it reads as if it were not there.
    ///
    /// ```
    /// use preface_core::lint::character::HiddenKind;
    /// assert!(HiddenKind::is_invisible('\u{200b}') && HiddenKind::is_invisible('\u{1b}'));
    /// assert!(!HiddenKind::is_invisible('\u{2028}') && !HiddenKind::is_invisible('a'));
    /// ```
    #[must_use]
    pub fn is_invisible(c: char) -> bool {
        // These controls break a line or move to the next column.
        !matches!(c, '\u{b}'..='\r' | '\u{85}')
            && !matches!(HiddenKind::of(c), None | Some(HiddenKind::Separator | HiddenKind::PrivateUse))
    }
}

/// Returns true for the format characters that have a glyph: signs that span the digits or letters after them.
fn has_glyph(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}')
        || matches!(c, '\u{110bd}' | '\u{110cd}')
}

/// Returns true for blanks that are neither a space nor a tab.
#[must_use]
pub fn is_unusual_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Shows control characters and hidden characters as `\u{…}`. For file names, branch names and ids on a screen; the
/// result is for eyes and cannot be turned back. See [`escape_name`] for the form that can.
///
/// ```
/// use preface_core::lint::character::escape_hidden;
/// assert_eq!(escape_hidden("docs/größe.md"), "docs/größe.md");
/// assert_eq!(escape_hidden("a\u{202e}dm.exe\n"), "a\\u{202e}dm.exe\\u{a}");
/// ```
#[must_use]
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    escape_where(text, |_, c| is_hidden(c))
}

/// Returns the start of a text for a message: at most `most` characters, escaped as [`escape_hidden`] does, with `…` where
/// the text is longer.
///
/// ```
/// use preface_core::lint::character::excerpt;
/// assert_eq!(excerpt("größe\n", 6), "größe\\u{a}");
/// assert_eq!(excerpt("a long text", 6), "a long…");
/// ```
#[must_use]
pub fn excerpt(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", escape_hidden(&text[..end])),
        None => escape_hidden(text).into_owned(),
    }
}

/// Returns the start of the character that the byte `at` is in, and the end of the text for a byte behind it. The standard
/// library has it from Rust 1.91 on.
#[must_use]
pub fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Returns the start of a text, at most `limit` bytes, with the number of bytes left out.
///
/// ```
/// use preface_core::lint::character::cut;
/// assert_eq!(cut("größer", 3), "gr… (cut: 6 more bytes)");
/// assert_eq!(cut("ab", 2), "ab");
/// ```
#[must_use]
pub fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = floor_char_boundary(text, limit);
    format!("{}… (cut: {} more bytes)", &text[..end], text.len() - end)
}

/// Returns true for characters that a name on a screen must not contain.
pub(super) fn is_hidden(c: char) -> bool {
    c.is_control() || HiddenKind::of(c).is_some()
}

/// Writes a foreign name (a directory, a branch, a file, an id) as one line of visible characters.
///
/// Letters, marks, decimal digits, the space and ASCII punctuation stay, but for `<`, `>` and the backtick; everything else
/// becomes `\u{…}`. So does a backslash before `u{`, and the first letter of a turn's label such as `Human:`:
/// [`unescape`] returns the name.
///
/// ```
/// use preface_core::lint::character::escape_name;
/// assert_eq!(escape_name(r"C:\users\größe 漢字 [x] {y}"), r"C:\users\größe 漢字 [x] {y}");
/// assert_eq!(escape_name("a\n<b>\u{a0}"), r"a\u{a}\u{3c}b\u{3e}\u{a0}");
/// assert_eq!(escape_name(r"\u{a}"), r"\u{5c}u{a}");
/// ```
#[must_use]
pub fn escape_name(text: &str) -> Cow<'_, str> {
    let label = super::forged::starts_with_label(text);
    escape_where(text, |at, c| {
        !is_plain(c) || (at == 0 && label) || (c == '\\' && text[at + 1..].starts_with("u{"))
    })
}

/// Returns true for the characters that [`escape_name`] keeps.
fn is_plain(c: char) -> bool {
    match c {
        '<' | '>' | '`' => false,
        ' '..='~' => true,
        c if c.is_ascii() || HiddenKind::of(c).is_some() => false,
        c => {
            matches!(c.general_category_group(), GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
                || c.general_category() == GeneralCategory::DecimalNumber
        }
    }
}

/// Returns the name that [`escape_name`] was given.
///
/// ```
/// use preface_core::lint::character::{escape_name, unescape};
/// assert_eq!(unescape(&escape_name("a\n\\u{b}<")), "a\n\\u{b}<");
/// assert_eq!(unescape(r"\u{zz} \u{110000} \x"), r"\u{zz} \u{110000} \x");
/// ```
#[must_use]
pub fn unescape(text: &str) -> Cow<'_, str> {
    let Some(first) = text.find("\\u{") else { return Cow::Borrowed(text) };
    let (mut plain, mut rest) = (text[..first].to_owned(), &text[first..]);
    while let Some(at) = rest.find("\\u{") {
        plain.push_str(&rest[..at]);
        let code = rest[at + 3..].split_once('}');
        let c = code.and_then(|(code, _)| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        match (c, code) {
            (Some(c), Some((_, after))) => {
                plain.push(c);
                rest = after;
            }
            _ => {
                plain.push_str("\\u{");
                rest = &rest[at + 3..];
            }
        }
    }
    plain.push_str(rest);
    Cow::Owned(plain)
}

/// Writes each character that `escaped` picks as `\u{…}`.
pub(super) fn escape_where(text: &str, escaped: impl Fn(usize, char) -> bool) -> Cow<'_, str> {
    let Some((first, _)) = text.char_indices().find(|(at, c)| escaped(*at, *c)) else {
        return Cow::Borrowed(text);
    };
    let mut shown = String::with_capacity(text.len() + 16);
    shown.push_str(&text[..first]);
    for (at, c) in text[first..].char_indices() {
        if escaped(first + at, c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// Escapes the characters that JSON allows in a string and that a terminal or a line reader acts on, or that change the order
/// of the text on it: DEL, C1 controls, U+2028, U+2029, controls of direction, U+200B and U+FEFF. The document stays the same
/// value.
///
/// ```
/// use preface_core::lint::character::escape_json;
/// assert_eq!(escape_json("[\"a\u{9b}é\u{2028}\u{7f}\u{202e}\"]".into()), r#"["a\u009bé\u2028\u007f\u202e"]"#);
/// ```
#[must_use]
pub fn escape_json(json: String) -> String {
    let acts = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    if !json.contains(acts) {
        return json;
    }
    let mut safe = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if acts(c) {
            safe.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            safe.push(c);
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_default_ignorable_code_point_has_a_class() {
        // DerivedCoreProperties.txt, Default_Ignorable_Code_Point.
        let ranges = [
            (0xad, 0xad),
            (0x34f, 0x34f),
            (0x61c, 0x61c),
            (0x115f, 0x1160),
            (0x17b4, 0x17b5),
            (0x180b, 0x180f),
            (0x200b, 0x200f),
            (0x202a, 0x202e),
            (0x2060, 0x206f),
            (0x3164, 0x3164),
            (0xfe00, 0xfe0f),
            (0xfeff, 0xfeff),
            (0xffa0, 0xffa0),
            (0xfff0, 0xfff8),
            (0x1bca0, 0x1bca3),
            (0x1d173, 0x1d17a),
            (0xe0000, 0xe0fff),
        ];
        for c in ranges.iter().flat_map(|(first, last)| *first..=*last).filter_map(char::from_u32) {
            assert!(HiddenKind::of(c).is_some() && HiddenKind::is_invisible(c), "U+{:04X}", u32::from(c));
            assert!(!is_plain(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn every_noncharacter_is_invisible() {
        let planes = (0..=0x10).flat_map(|plane| [plane << 16 | 0xfffe, plane << 16 | 0xffff]);
        for c in planes.chain(0xfdd0..=0xfdef).filter_map(char::from_u32) {
            assert!(HiddenKind::is_invisible(c), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn an_escape_that_a_name_contains_is_escaped() {
        assert_eq!(escape_name(r"a\u{202e}b"), r"a\u{5c}u{202e}b");
    }

    #[test]
    fn hidden_text_is_one_line() {
        assert_eq!(escape_hidden("a\nb\tc"), r"a\u{a}b\u{9}c");
    }

    #[test]
    fn json_has_no_character_that_a_terminal_acts_on() {
        let json = "\"\u{7f}\u{9b}\u{2028}\u{2029}\"".to_owned();
        assert_eq!(escape_json(json), r#""\u007f\u009b\u2028\u2029""#);
    }

    #[test]
    fn names_keep_letters_of_every_script() {
        for name in
            ["naïve", "e\u{301}", "漢字かな", "한국어", "Ελληνικά", "עברית", "हिन्दी", "٣", "it's #1 (50%)!"]
        {
            assert_eq!(escape_name(name), name);
        }
        for c in ['\u{2028}', '\u{a0}', '\u{3000}', '🚀', '“', '＜', '\u{e000}', '\u{fe0f}', '\u{3164}', '\t']
        {
            assert_eq!(escape_name(&c.to_string()), c.escape_unicode().to_string());
        }
        assert_eq!(escape_name("Human: go"), r"\u{48}uman: go");
    }

    proptest! {
        #[test]
        fn an_escaped_name_is_one_visible_line_and_can_be_turned_back(text in any::<String>(), tail in "[\\\\u{}0-9a-f<\n]{0,12}") {
            let name = format!("{text}{tail}");
            let shown = escape_name(&name);
            prop_assert!(shown.chars().all(is_plain), "{shown:?}");
            prop_assert_eq!(unescape(&shown), name.as_str());
        }

        #[test]
        fn escaped_json_is_the_same_value(text in any::<String>()) {
            let json = serde_json::to_string(&text).expect("a string");
            let safe = escape_json(json);
            prop_assert_eq!(serde_json::from_str::<String>(&safe).expect("JSON"), text);
            let acts = safe.contains(|c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{2028}' | '\u{2029}'));
            prop_assert!(!acts);
        }
    }
}
