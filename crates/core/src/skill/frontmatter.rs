//! The block at the head of a skill's file: where it begins and ends, and what it says (`pi.md` §5.3).
//!
//! The fences are not lines: a text that starts with `---` has a block if `\n---` follows somewhere, whatever stands
//! behind either. So `----` opens one, and `---name: a` loses its first letter.

use super::{
    plain,
    yaml::{self, Fields, YamlError},
};
use std::{borrow::Cow, ops::Range};

const FENCE: &str = "---";

/// A text in its two parts, line ends as LF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<'t> {
    /// The block between the fences; `None` where there is none.
    pub block: Option<Cow<'t, str>>,
    /// The bytes of the text that hold the block.
    pub span: Range<usize>,
    /// The line of the text on which the block begins, from 1.
    pub line: usize,
    /// What follows the block, trimmed; the whole text as it is where there is no block.
    pub body: Cow<'t, str>,
}

/// Splits a text. The text must start with the fence: a blank or a byte order mark before it is none.
///
/// ```
/// use preface_core::skill::frontmatter::split;
/// let parts = split("---\r\nname: a\r\n---\r\n\r\nBody.\r\n");
/// assert_eq!(parts.block.as_deref(), Some("name: a"));
/// assert_eq!((parts.body.as_ref(), parts.line), ("Body.", 2));
/// assert_eq!(split("no block\r\n").body, "no block\n");
/// ```
#[must_use]
pub fn split(text: &str) -> Split<'_> {
    let normal = lines_as_lf(text);
    let none = |normal| Split { block: None, span: 0..0, line: 1, body: normal };
    if !normal.starts_with(FENCE) {
        return none(normal);
    }
    let Some(end) = normal[FENCE.len()..].find("\n---").map(|at| at + FENCE.len()) else {
        return none(normal);
    };
    let opened = normal[FENCE.len()..].chars().next().map_or(0, char::len_utf8);
    let line = 1 + usize::from(normal.as_bytes().get(FENCE.len()) == Some(&b'\n'));
    let start = (FENCE.len() + opened).min(end);
    let body_start = end + 1 + FENCE.len();
    let span = raw_offset(text, &normal, start)..raw_offset(text, &normal, end);
    match normal {
        Cow::Borrowed(text) => Split {
            block: Some(Cow::Borrowed(&text[start..end])),
            span,
            line,
            body: Cow::Borrowed(crate::template::trim(&text[body_start..])),
        },
        Cow::Owned(text) => Split {
            block: Some(Cow::Owned(text[start..end].to_owned())),
            span,
            line,
            body: Cow::Owned(crate::template::trim(&text[body_start..]).to_owned()),
        },
    }
}

/// Reads what a block says.
///
/// # Errors
/// A block that is no YAML, with the line in the block.
pub fn read(block: &str) -> Result<Fields, YamlError> {
    match plain::read(block) {
        Some(fields) => Ok(fields),
        None => yaml::read(block),
    }
}

fn lines_as_lf(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Where an offset of the text with LF stands in the text as it was.
fn raw_offset(text: &str, normal: &str, offset: usize) -> usize {
    if text.len() == normal.len() {
        return offset;
    }
    let bytes = text.as_bytes();
    let (mut raw, mut seen) = (0, 0);
    while seen < offset {
        raw += if bytes[raw..].starts_with(b"\r\n") { 2 } else { 1 };
        seen += 1;
    }
    raw
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Text, block and body; the packages say the same.
    const TABLE: &[(&str, Option<&str>, &str)] = &[
        ("---\nname: a\n---\nBody\n", Some("name: a"), "Body"),
        ("---\r\nname: a\r\n---\r\nBody\r\n", Some("name: a"), "Body"),
        ("---\rname: a\r---\rBody\r", Some("name: a"), "Body"),
        ("----\nname: a\n---\nB", Some("\nname: a"), "B"),
        ("--- \nname: a\n--- \nB", Some("\nname: a"), "B"),
        ("---x\nname: a\n---x\nB", Some("\nname: a"), "x\nB"),
        ("---name: a\n---\nB", Some("ame: a"), "B"),
        ("---\n---\nB", Some(""), "B"),
        ("---\n\n---\nB", Some(""), "B"),
        (" ---\na: b\n---\n", None, " ---\na: b\n---\n"),
        ("\u{feff}---\na: b\n---\n", None, "\u{feff}---\na: b\n---\n"),
        ("---\na: b\n", None, "---\na: b\n"),
        ("---", None, "---"),
        ("", None, ""),
        ("---\na: b\n----\nB", Some("a: b"), "-\nB"),
        ("---\na: |\n  x\n ---\n---\nB", Some("a: |\n  x\n ---"), "B"),
        ("---\na: b\n---\n\u{a0}\u{feff}B\u{2028}", Some("a: b"), "B"),
        ("---é: a\n---\n", Some(": a"), ""),
    ];

    #[test]
    fn fences_are_found_as_the_packages_find_them() {
        for (text, block, body) in TABLE {
            let parts = split(text);
            assert_eq!((parts.block.as_deref(), parts.body.as_ref()), (*block, *body), "{text:?}");
        }
    }

    #[test]
    fn the_span_is_about_the_text_as_it_lies_on_disk() {
        for text in
            ["---\r\nname: a\r\nb: c\r\n---\r\nB", "---\nname: a\nb: c\n---\nB", "---\rname: a\rb: c\r---\rB"]
        {
            let parts = split(text);
            assert_eq!(lines_as_lf(&text[parts.span.clone()]), "name: a\nb: c", "{text:?}");
        }
    }

    #[test]
    fn a_tab_before_the_first_key_is_an_error() {
        for (block, line) in [("\tdescription: E.", 1), ("\n \t name: a\n", 2)] {
            let error = read(block).expect_err(block);
            assert_eq!(
                (error.message.as_str(), error.line),
                ("tabs are not allowed as indentation", Some(line))
            );
        }
    }

    #[test]
    fn a_key_that_stands_twice_is_told_without_advice_for_programmers() {
        let error = read("name: a\nname: b").expect_err("two names");
        assert_eq!(error.message, "duplicate mapping key: name");
    }
}
