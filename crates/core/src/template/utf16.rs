//! Byte offsets as UTF-16 offsets, which are those of editors in a browser.

use std::ops::Range;

/// The number of bytes between two marks.
const STEP: usize = 256;

/// A text with marks, so that each offset costs a look at a short run of it.
#[derive(Clone, Debug)]
pub struct Utf16<'t> {
    text: &'t str,
    /// For each run of [`STEP`] bytes: where its first character starts, in bytes and in units. Empty for ASCII.
    marks: Vec<(usize, usize)>,
}

impl<'t> Utf16<'t> {
    /// Walks over a text once.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        let mut marks = Vec::new();
        if !text.is_ascii() {
            let mut units = 0;
            for (at, c) in text.char_indices() {
                if at >= marks.len() * STEP {
                    marks.push((at, units));
                }
                units += c.len_utf16();
            }
        }
        Utf16 { text, marks }
    }

    /// Returns the offset in UTF-16 units of a byte offset that lies on a character.
    ///
    /// ```
    /// use preface_core::template::Utf16;
    /// assert_eq!(Utf16::new("é𝒳z").offset(6), 3);
    /// ```
    #[must_use]
    pub fn offset(&self, at: usize) -> usize {
        if self.marks.is_empty() {
            return at;
        }
        let mark = self.marks.partition_point(|(byte, _)| *byte <= at).saturating_sub(1);
        let (byte, units) = self.marks[mark];
        units + self.text[byte..at].chars().map(char::len_utf16).sum::<usize>()
    }

    /// Returns a range of bytes as one of UTF-16 units.
    #[must_use]
    pub fn range(&self, range: &Range<usize>) -> Range<usize> {
        self.offset(range.start)..self.offset(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn offsets_are_those_of_the_slow_way(text in "([a-z]{0,90}|é|漢|𝒳|\n){0,40}") {
            let map = Utf16::new(&text);
            for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
                prop_assert_eq!(map.offset(at), text[..at].encode_utf16().count());
            }
        }
    }
}
