//! The head of a Markdown file: skills, agents, output styles, slash commands, rules and reminders have the same.
//!
//! The fences are not lines: a text that starts with `---` has a block if `\n---` follows somewhere, whatever is
//! behind either. So `----` opens one, and `---name: a` loses its first letter.

use super::yaml::{self, YamlError, YamlFields};
use crate::template::trim;
use std::{borrow::Cow, ops::Range};

const FENCE: &str = "---";

/// A text in its two parts, line ends as LF.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterSplit<'t> {
    /// The block between the fences; `None` if there is none.
    pub block: Option<Cow<'t, str>>,
    /// The bytes of the text that hold the block.
    pub span: Range<usize>,
    /// The line of the text on which the block begins, from 1.
    pub line: usize,
    /// The byte of the text behind the second fence; behind the byte order mark if there is no block.
    pub body_start: usize,
    /// The text after the block, trimmed; the whole text without its mark if there is no block.
    pub body: Cow<'t, str>,
}

/// Splits a text. One byte order mark before it is no part of it; a blank before the first fence makes it none.
///
/// ```
/// use preface_core::skill::frontmatter::split;
/// let parts = split("---\r\nname: a\r\n---\r\n\r\nBody.\r\n");
/// assert_eq!(parts.block.as_deref(), Some("name: a"));
/// assert_eq!((parts.body.as_ref(), parts.line), ("Body.", 2));
/// assert_eq!(split("no block\r\n").body, "no block\n");
/// ```
#[must_use]
pub fn split(text: &str) -> FrontmatterSplit<'_> {
    let unmarked = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mark = text.len() - unmarked.len();
    let normal = lines_as_lf(unmarked);
    let end = normal.strip_prefix(FENCE).and_then(|rest| rest.find("\n---")).map(|at| at + FENCE.len());
    let Some(end) = end else {
        return FrontmatterSplit { block: None, span: 0..0, line: 1, body_start: mark, body: normal };
    };
    let opened = normal[FENCE.len()..].chars().next().map_or(0, char::len_utf8);
    let line = 1 + usize::from(normal.as_bytes().get(FENCE.len()) == Some(&b'\n'));
    let start = (FENCE.len() + opened).min(end);
    let body_start = end + 1 + FENCE.len();
    let raw = |offset| mark + raw_offset(unmarked, &normal, offset);
    let (span, raw_body_start) = (raw(start)..raw(end), raw(body_start));
    let (block, body) = match normal {
        Cow::Borrowed(text) => (text[start..end].into(), trim(&text[body_start..]).into()),
        Cow::Owned(text) => (text[start..end].to_owned().into(), trim(&text[body_start..]).to_owned().into()),
    };
    FrontmatterSplit { block: Some(block), span, line, body_start: raw_body_start, body }
}

/// Reads the values of a block.
///
/// # Errors
/// A block that is no YAML, with the line in the block.
pub fn read(block: &str) -> Result<YamlFields, YamlError> {
    yaml::read(block)
}

/// Reads a block as people write it: a value that is no YAML is its text as it is written, and reaches from its key, at the start
/// of a line and one that `is_key` knows, to the next one: `description: Use it so. Examples: …`, `tools: *`, `paths: **/*.rs`.
/// Returns what was wrong as YAML, if anything was, beside the values.
///
/// # Errors
/// A block in which something else is wrong: a key that is twice, a quote or bracket that nothing closes.
///
/// ```
/// use preface_core::skill::frontmatter::read_lenient;
/// let is_key = |key: &str| ["name", "description", "tools"].contains(&key);
/// let (fields, error) = read_lenient("name: a\ndescription: Reviews. Example: this.\ntools: *", is_key).unwrap();
/// assert_eq!(fields["description"], "Reviews. Example: this.");
/// assert_eq!((fields["tools"].as_str(), error.is_some()), (Some("*"), true));
/// assert!(read_lenient("name: a\ntools: [Read", is_key).is_err());
/// ```
pub fn read_lenient(
    block: &str,
    is_key: impl Fn(&str) -> bool,
) -> Result<(YamlFields, Option<YamlError>), YamlError> {
    match read(block) {
        Ok(fields) => Ok((fields, None)),
        Err(error) => match read_lines(block, is_key) {
            Some(fields) => Ok((fields, Some(error))),
            None => Err(error),
        },
    }
}

fn read_lines(block: &str, is_key: impl Fn(&str) -> bool) -> Option<YamlFields> {
    /// The word before a colon that ends it.
    fn key_of(line: &str) -> Option<&str> {
        let (key, rest) = line.split_once(':')?;
        (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some(key)
    }
    let mut chunks: Vec<(&str, String)> = Vec::new();
    for line in block.lines() {
        match (key_of(line).filter(|key| is_key(key)), chunks.last_mut()) {
            (Some(key), _) => chunks.push((key, line.to_owned())),
            (None, Some((_, chunk))) => {
                chunk.push('\n');
                chunk.push_str(line);
            }
            (None, None) => chunks.push(("", line.to_owned())),
        }
    }
    let mut fields = YamlFields::new();
    for (key, chunk) in chunks {
        let pairs = match read(&chunk) {
            Ok(pairs) => pairs,
            Err(_) => YamlFields::from_iter([(key.to_owned(), plain_text(key, &chunk)?.into())]),
        };
        for (key, value) in pairs {
            if fields.insert(key, value).is_some() {
                return None;
            }
        }
    }
    Some(fields)
}

/// Returns the text of a value that is no YAML, as it is written.
fn plain_text<'c>(key: &str, chunk: &'c str) -> Option<&'c str> {
    let text = trim(chunk.strip_prefix(key).filter(|_| !key.is_empty())?.strip_prefix(':')?);
    let closer = match text.chars().next()? {
        '"' => '"',
        '\'' => '\'',
        '[' => ']',
        '{' => '}',
        '|' | '>' if is_block_mark(text) => return None,
        _ => return Some(text),
    };
    text[1..].contains(closer).then_some(text)
}

/// True for the first line of a block, `>`, `|-` or `|2`: its indentation is at fault.
fn is_block_mark(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    line[1..].trim_end().chars().all(|c| c.is_ascii_digit() || "+-".contains(c))
}

fn lines_as_lf(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
}

/// Returns the offset in the original text for an offset in the text with LF.
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
    use serde_json::Value;

    /// Text, block and body; the packages have the same result, but for the mark.
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
        ("\u{feff}---\na: b\n---\n", Some("a: b"), ""),
        ("\u{feff} ---\na: b\n---\n", None, " ---\na: b\n---\n"),
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
    fn a_text_without_quotes_is_read_to_the_next_key() {
        let is_key = |key: &str| ["name", "description", "model"].contains(&key);
        let block = "name: a\ndescription: Use it. Examples: <example>\nContext: a user\nuser: \"Do it: now\"\n</example>\nmodel: opus\ncolor: red";
        let (fields, error) = read_lenient(block, is_key).expect("fields");
        assert!(error.is_some());
        let text = |key: &str| match fields.get(key) {
            Some(Value::String(text)) => text.clone(),
            other => panic!("{key}: {other:?}"),
        };
        let expected = "Use it. Examples: <example>\nContext: a user\nuser: \"Do it: now\"\n</example>";
        assert_eq!(text("description"), expected);
        assert_eq!((text("name"), text("model"), text("color")), ("a".into(), "opus".into(), "red".into()));
        for block in [
            "name: a: b\nname: c",
            "description: \"a: b",
            "description: |\n    a\n  b\nname: a",
            "x: y: z\nname: a",
            "name: [a: b",
            "name: {a",
        ] {
            assert!(read_lenient(block, is_key).is_err(), "{block}");
        }
    }

    #[test]
    fn a_value_that_is_no_yaml_is_its_text() {
        let is_key = |key: &str| ["name", "description"].contains(&key);
        for text in [
            "*",
            "[WIP] x",
            "@team reviews",
            "`rg` finds it",
            "%1 of all",
            "{x} is left out",
            "\"Fast\" agent",
            "'Fast' agent",
            "- item",
            "> text",
            "> a",
            "ends so:",
            "a\tb: c",
            "first: line\nsecond line",
        ] {
            let (fields, _) = read_lenient(&format!("name: a\ndescription: {text}\n"), is_key).expect(text);
            assert_eq!(fields.get("description"), Some(&Value::String(text.to_owned())));
        }
    }

    #[test]
    fn a_duplicate_key_is_reported_without_advice_for_programmers() {
        let error = read("name: a\nname: b").expect_err("two names");
        assert_eq!(error.message, "duplicate mapping key: name");
    }

    #[test]
    fn what_json_does_not_have_makes_no_head_invalid() {
        let fields =
            read("name: !mine a\ncount: 99999999999999999999999\nnone: .nan\nmap: {1: a, true: b}").unwrap();
        assert_eq!(fields["name"], "a", "an unknown tag is ignored");
        assert!(fields["count"].is_number() && fields["none"].is_null());
        assert_eq!(fields["map"], serde_json::json!({"1": "a", "true": "b"}));
    }
}
