//! A JSON document with the place of each value in its bytes.

use indexmap::IndexMap;
use serde_json::value::RawValue;
use std::ops::Range;

/// The most levels in which strings are looked for.
const DEPTH: usize = 32;

/// A value of a document: its text, and where it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    raw: &'a str,
    start: usize,
}

/// The text of a string, with the way back to the bytes of the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    /// The text without escapes.
    pub text: String,
    /// For each escape: where the text behind it goes on, in the text and in the document. The first is the beginning.
    pieces: Vec<(usize, usize)>,
    end: usize,
}

impl<'a> Node<'a> {
    /// Reads a whole document.
    ///
    /// # Errors
    /// It is not JSON.
    pub fn document(text: &'a str) -> serde_json::Result<Self> {
        let raw: &RawValue = serde_json::from_str(text)?;
        Ok(Node { raw: raw.get(), start: raw.get().as_ptr().addr() - text.as_ptr().addr() })
    }

    fn child(&self, raw: &'a RawValue) -> Self {
        let raw = raw.get();
        Node { raw, start: self.start + (raw.as_ptr().addr() - self.raw.as_ptr().addr()) }
    }

    /// Returns its bytes in the document.
    pub fn range(&self) -> Range<usize> {
        self.start..self.start + self.raw.len()
    }

    /// Returns it as it is written.
    pub fn raw(&self) -> &'a str {
        self.raw
    }

    /// Returns the members of an object in their order, none of another value.
    pub fn members(&self) -> Vec<(String, Node<'a>)> {
        let members: Option<IndexMap<String, &'a RawValue>> =
            self.raw.starts_with('{').then(|| serde_json::from_str(self.raw).ok()).flatten();
        members.into_iter().flatten().map(|(key, raw)| (key, self.child(raw))).collect()
    }

    /// Returns the last member of this name.
    pub fn get(&self, key: &str) -> Option<Node<'a>> {
        self.members().into_iter().find(|(name, _)| name == key).map(|(_, node)| node)
    }

    /// Returns the items of an array, none of another value.
    pub fn items(&self) -> Vec<Node<'a>> {
        let items: Option<Vec<&'a RawValue>> =
            self.raw.starts_with('[').then(|| serde_json::from_str(self.raw).ok()).flatten();
        items.into_iter().flatten().map(|raw| self.child(raw)).collect()
    }

    /// Returns the text of a string without its places.
    pub fn string(&self) -> Option<String> {
        self.raw.starts_with('"').then(|| serde_json::from_str(self.raw).ok()).flatten()
    }

    /// Returns the string of a member.
    pub fn string_at(&self, key: &str) -> Option<String> {
        self.get(key)?.string()
    }

    /// Returns the text of a string.
    pub fn text(&self) -> Option<JsonText> {
        let text = self.string()?;
        let (inner, from) = (self.raw.get(1..self.raw.len() - 1)?, self.start + 1);
        let mut pieces = vec![(0, from)];
        let (mut decoded, mut at) = (0, 0);
        while let Some(plain) = inner[at..].find('\\') {
            (decoded, at) = (decoded + plain, at + plain);
            let (written, meant) = match inner.as_bytes().get(at + 1) {
                Some(b'u') => escaped(&inner[at..]),
                _ => (2, 1),
            };
            pieces.push((decoded, from + at));
            (decoded, at) = (decoded + meant, at + written);
            pieces.push((decoded, from + at));
        }
        Some(JsonText { text, pieces, end: from + inner.len() })
    }

    /// Returns each string in it, down to a depth that no request has.
    pub fn texts(&self) -> Vec<JsonText> {
        self.texts_within(DEPTH)
    }

    fn texts_within(&self, depth: usize) -> Vec<JsonText> {
        match self.raw.as_bytes().first() {
            Some(b'"') => self.text().into_iter().collect(),
            Some(b'[') if depth > 0 => {
                self.items().iter().flat_map(|node| node.texts_within(depth - 1)).collect()
            }
            Some(b'{') if depth > 0 => {
                self.members().iter().flat_map(|(_, node)| node.texts_within(depth - 1)).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl JsonText {
    /// Returns the bytes of the document that a range of the text is written in.
    pub fn range(&self, range: Range<usize>) -> Range<usize> {
        self.place(range.start)..self.place(range.end)
    }

    /// Returns the bytes of the whole text, without its quotes.
    pub fn whole(&self) -> Range<usize> {
        self.pieces[0].1..self.end
    }

    fn place(&self, at: usize) -> usize {
        let piece = self.pieces.partition_point(|(decoded, _)| *decoded <= at) - 1;
        let (decoded, written) = self.pieces[piece];
        (written + (at - decoded)).min(self.end)
    }
}

/// Returns how many bytes an escape `\uXXXX` has, and the character that it means; two make one character beyond the first plane.
fn escaped(text: &str) -> (usize, usize) {
    let unit = |from: usize| text.get(from..from + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    match unit(2) {
        Some(0xd800..=0xdbff) => (12, 4),
        Some(code) => (6, char::from_u32(code).map_or(3, char::len_utf8)),
        None => (2, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_places() {
        let text = r#" {"a": [1, "x\n\u00e9\ud83d\ude00y"], "b":{} }"#;
        let node = Node::document(text).unwrap();
        assert_eq!(node.range(), 1..text.len());
        let string = node.get("a").unwrap().items()[1];
        assert_eq!(&text[string.range()], r#""x\n\u00e9\ud83d\ude00y""#);
        let read = string.text().unwrap();
        assert_eq!(read.text, "x\né😀y");
        for (decoded, written) in
            [(0..1, "x"), (1..2, "\\n"), (2..4, "\\u00e9"), (4..8, r"\ud83d\ude00"), (8..9, "y")]
        {
            assert_eq!(&text[read.range(decoded.clone())], written, "{decoded:?}");
        }
        assert_eq!(&text[read.whole()], r"x\n\u00e9\ud83d\ude00y");
    }

    #[test]
    fn what_is_nested_deeply_is_read_to_a_depth() {
        let deep = format!("{}\"x\"{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Node::document(&deep).unwrap().texts().is_empty());
        assert_eq!(Node::document(r#"[[["x"]]]"#).unwrap().texts().len(), 1);
        assert!(Node::document("{").is_err());
    }
}
