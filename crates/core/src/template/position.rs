//! Lines and columns. A [`Locator`] moves forward through a text, so that many places cost one walk.

use crate::{
    diagnostic::{Place, excerpt},
    scope::Scope,
};
use serde::Serialize;
use std::ops::Range;

/// A byte range of a template and where it starts, for people and for editors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextPosition {
    /// The bytes.
    #[serde(with = "crate::origin::range")]
    pub range: Range<usize>,
    /// One-based line; lines end at LF.
    pub line: usize,
    /// One-based column in characters.
    pub column: usize,
    /// One-based column in UTF-16 code units.
    pub utf16_column: usize,
    /// One-based column in bytes.
    pub byte_column: usize,
}

/// A walk over a text that knows its line and column. Places in the order of the text cost one walk together; going back
/// starts over.
#[derive(Clone, Debug)]
pub struct Locator<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    line_start: usize,
    chars: usize,
    utf16: usize,
    #[cfg(test)]
    walked: usize,
}

impl<'t> Locator<'t> {
    /// Starts at the head of a text.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Locator {
            text,
            at: 0,
            line: 1,
            line_start: 0,
            chars: 0,
            utf16: 0,
            #[cfg(test)]
            walked: 0,
        }
    }

    /// Returns the position of `range`, whose start lies on a character.
    ///
    /// ```
    /// use preface_core::template::Locator;
    /// let mut locator = Locator::new("one\ntwo");
    /// let position = locator.locate(5..6);
    /// assert_eq!((position.line, position.column), (2, 2));
    /// ```
    pub fn locate(&mut self, range: Range<usize>) -> TextPosition {
        if range.start < self.at {
            *self = Locator::new(self.text);
        }
        let mut from = self.at;
        #[cfg(test)]
        {
            self.walked += range.start - from;
        }
        if let Some(last) = memchr::memrchr(b'\n', &self.text.as_bytes()[from..range.start]) {
            self.line += memchr::memchr_iter(b'\n', &self.text.as_bytes()[from..range.start]).count();
            from += last + 1;
            (self.line_start, self.chars, self.utf16) = (from, 0, 0);
        }
        for c in self.text[from..range.start].chars() {
            self.chars += 1;
            self.utf16 += c.len_utf16();
        }
        self.at = range.start;
        TextPosition {
            line: self.line,
            column: self.chars + 1,
            utf16_column: self.utf16 + 1,
            byte_column: range.start - self.line_start + 1,
            range,
        }
    }

    /// Returns the position and the same as a [`Place`], equal to [`Place::within`].
    pub(crate) fn place(
        &mut self,
        scope: Option<Scope>,
        path: &str,
        range: Range<usize>,
    ) -> (TextPosition, Place) {
        let position = self.locate(range);
        let (excerpt, skipped) = excerpt(self.text, self.line_start, position.range.start, position.column);
        let place = Place {
            scope,
            path: path.to_owned(),
            span: Some(position.range.clone()),
            line: Some(position.line),
            column: Some(position.column),
            excerpt: Some(excerpt),
            skipped,
        };
        (position, place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_the_slow_way() {
        let text = format!("é[a:x]\r\n𝒳y[b:y]\rz\n\n[c:z]{}\nend", "–".repeat(300));
        let mut locator = Locator::new(&text);
        for start in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            let (_, place) = locator.place(None, "t.md", start..text.len());
            assert_eq!(place, Place::within(None, "t.md", &text, start..text.len()), "at {start}");
        }
    }

    #[test]
    fn places_in_order_cost_one_walk() {
        for text in ["[else]".repeat(1_000), "[else]\n".repeat(1_000)] {
            let mut locator = Locator::new(&text);
            for (at, _) in text.match_indices('[') {
                let _ = locator.place(None, "t.md", at..at + 6);
            }
            assert!(locator.walked <= text.len(), "{} bytes of {}", locator.walked, text.len());
        }
    }

    #[test]
    fn columns_come_in_three_units() {
        let text = "a\n𝒳é[a:x]";
        let at = text.find('[').unwrap();
        let TextPosition { line, column, utf16_column, byte_column, .. } =
            Locator::new(text).locate(at..at + 5);
        assert_eq!((line, column, utf16_column, byte_column), (2, 3, 4, 7));
    }
}
