//! A value between tags: the five characters of XML become entities, and nothing else changes.

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

fn entity(byte: u8) -> Option<&'static str> {
    Some(match byte {
        b'&' => "&amp;",
        b'<' => "&lt;",
        b'>' => "&gt;",
        b'"' => "&quot;",
        b'\'' => "&apos;",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_markup_passes_through() {
        assert_eq!(xml("a\n\u{1}\u{2028}é&amp;"), "a\n\u{1}\u{2028}é&amp;amp;");
        assert!(matches!(xml("a\nb"), Cow::Borrowed(_)));
    }
}
