//! A text that knows which of its bytes are ours and which are the message's.

use std::ops::Range;

/// A text in the making.
#[derive(Debug, Default)]
pub(super) struct Framed {
    pub(super) text: String,
    /// The bytes that a form put there, in order, apart from each other.
    pub(super) frames: Vec<Range<usize>>,
}

impl Framed {
    /// Adds words of a form.
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

    /// Adds words of the message.
    pub(super) fn own(&mut self, words: &str) -> &mut Self {
        self.text.push_str(words);
        self
    }

    /// Adds words of a form in which `{type}` stands for a word of the message. That word is not read again.
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
        let mut framed = Framed::default();
        framed.form("a").form("").form("bc").own("").own("{type}").form_with("[{type}]", "{type}");
        assert_eq!(framed.text, "abc{type}[{type}]");
        assert_eq!(framed.frames, [0..3, 9..10, 16..17]);
    }
}
