//! A value between tags: the five characters of XML become entities, and nothing else changes. And back.

use std::borrow::Cow;

/// Escapes `& < > " '`. Newlines and control characters pass through.
///
/// ```
/// use preface_core::skill::escape::xml;
/// assert_eq!(xml("a & </skill> \"b\" 'c'"), "a &amp; &lt;/skill&gt; &quot;b&quot; &apos;c&apos;");
/// assert_eq!(xml("plain"), "plain");
/// ```
#[must_use]
pub fn xml(text: &str) -> Cow<'_, str> {
    let Some(first) = text.bytes().position(|byte| entity(byte).is_some()) else {
        return Cow::Borrowed(text);
    };
    let mut out = String::with_capacity(text.len() + 16);
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate().skip(first) {
        if let Some(entity) = entity(byte) {
            out.push_str(&text[done..at]);
            out.push_str(entity);
            done = at + 1;
        }
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Takes back what [`xml`] did.
///
/// ```
/// use preface_core::skill::escape::{plain, xml};
/// assert_eq!(plain(&xml("a & </skill> &lt;")), "a & </skill> &lt;");
/// assert_eq!(plain("a & b"), "a & b");
/// ```
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let known = ENTITIES.iter().find(|(_, entity)| from.starts_with(entity));
        let (character, length) = known.map_or(("&", 1), |(character, entity)| (*character, entity.len()));
        out.push_str(character);
        rest = &from[length..];
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

const ENTITIES: [(&str, &str); 5] =
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;"), ("'", "&apos;")];

fn entity(byte: u8) -> Option<&'static str> {
    ENTITIES.iter().find(|(character, _)| character.as_bytes() == [byte]).map(|(_, entity)| *entity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_markup_passes_through() {
        assert_eq!(xml("a\n\u{1}\u{2028}é&amp;"), "a\n\u{1}\u{2028}é&amp;amp;");
        assert!(matches!(xml("a\nb"), Cow::Borrowed(_)));
    }

    #[test]
    fn there_and_back_is_the_same() {
        for text in ["", "plain", "&", "&&amp;&lt", "<'\">", "é&é", "&amp;lt;"] {
            assert_eq!(plain(&xml(text)), text);
        }
        assert!(matches!(plain("a\nb"), Cow::Borrowed(_)));
    }
}
