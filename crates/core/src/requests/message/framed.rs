//! A text with the ranges that come from the profile's frames.

use std::ops::Range;

/// A text under construction.
#[derive(Debug, Default)]
pub(super) struct FramedText {
    pub(super) text: String,
    /// The ranges that come from frames, in order and without overlaps.
    pub(super) frames: Vec<Range<usize>>,
}

impl FramedText {
    /// Adds text of a frame.
    pub(super) fn form(&mut self, words: &str) -> &mut Self {
        let start = self.text.len();
        self.text.push_str(words);
        match self.frames.last_mut() {
            _ if words.is_empty() => {}
            Some(last) if last.end == start => last.end = self.text.len(),
            _ => self.frames.push(start..self.text.len()),
        }
        self
    }

    /// Adds text of the message.
    pub(super) fn own(&mut self, words: &str) -> &mut Self {
        self.text.push_str(words);
        self
    }

    /// Adds text of a frame in which `{type}` is replaced by a word of the message. No placeholder is
    /// replaced in that word.
    pub(super) fn form_with(&mut self, words: &str, word: &str) -> &mut Self {
        for (at, between) in words.split("{type}").enumerate() {
            if at > 0 {
                self.own(word);
            }
            self.form(between);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_of_a_form_are_one_range_and_inserted_words_are_inert() {
        let mut framed = FramedText::default();
        framed.form("a").form("").form("bc").own("").own("{type}").form_with("[{type}]", "{type}");
        assert_eq!(framed.text, "abc{type}[{type}]");
        assert_eq!(framed.frames, [0..3, 9..10, 16..17]);
    }
}
