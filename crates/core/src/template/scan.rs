//! Finds the tags of a template, left to right, each byte a bounded number of times.
//!
//! At each `[` the text up to the next `]` is tried as a tag; if it is none, the next `[` gets its chance. Many `[`
//! may share one `]`, so what is known of that `]` is kept: where it is, where the white space before it starts
//! and where the last line end before it is. Without that, `[a:[a:[a:…` would be read once per `[`.

use super::white;
use crate::{
    declaration::{self, Declarations},
    lint::template::VariableTypes,
};
use std::ops::Range;

/// The content of a tag, before blocks are matched. Keys are byte ranges of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TagContent {
    Variable {
        key: Range<usize>,
    },
    If(Test),
    /// An `if` of a key that is of no known type.
    UnknownIf,
    Elif(Test),
    Else,
    Endif,
    Each {
        list: Range<usize>,
    },
    Endeach,
    /// `closed` is true if an `[endraw]` follows.
    Raw {
        closed: bool,
    },
    /// `opened` is true if it ends a raw block.
    Endraw {
        opened: bool,
    },
}

/// The test of an `if` or `elif`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Test {
    pub(super) key: Range<usize>,
    /// True if it holds where the variable does not exist, or is none of `words`.
    pub(super) negated: bool,
    /// The values of a comparison.
    pub(super) words: Option<Range<usize>>,
}

/// A tag and its bytes, brackets included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScannedTag {
    pub(super) range: Range<usize>,
    pub(super) word: TagContent,
}

/// The next `]`.
struct ClosingBracket {
    at: usize,
    /// The end of the text before it, white space left out.
    content_end: usize,
    /// The last line end before `content_end`, once it was needed.
    line_end: Option<Option<usize>>,
}

/// The scan of one template.
pub(super) struct Scanner<'t> {
    text: &'t str,
    raw: bool,
    types: Option<&'t VariableTypes>,
    inputs: Option<&'t Declarations>,
    /// True while an `each` is open: then `item:` can be compared.
    pub(super) in_each: bool,
    at: usize,
    close: Option<ClosingBracket>,
    /// The end tag of the raw block that was just opened.
    endraw: Option<Range<usize>>,
    /// No `[endraw]` follows any more, so no `[raw]` needs to look for one.
    endraw_gone: bool,
    #[cfg(test)]
    pub(super) steps: usize,
}

impl<'t> Scanner<'t> {
    /// Starts a scan; keys that are of none of the `types` are text. With `inputs`, tests compare and lists repeat.
    pub(super) fn new(
        text: &'t str,
        raw: bool,
        types: Option<&'t VariableTypes>,
        inputs: Option<&'t Declarations>,
    ) -> Self {
        Scanner {
            text,
            raw,
            types,
            inputs,
            in_each: false,
            at: 0,
            close: None,
            endraw: None,
            endraw_gone: false,
            #[cfg(test)]
            steps: 0,
        }
    }

    /// Counts bytes looked at; tests compare the counts of inputs of different sizes.
    fn count(&mut self, bytes: Range<usize>) {
        #[cfg(test)]
        {
            self.steps += bytes.len() + 1;
        }
        let _ = bytes;
    }

    /// Looks for the next `]` after `open`, unless it is known already. `None`: there is none.
    fn find_close(&mut self, open: usize) -> Option<()> {
        if self.close.as_ref().is_none_or(|close| close.at < open) {
            let at = open + memchr::memchr(b']', &self.text.as_bytes()[open..])?;
            let content_end = white::trim_end(self.text, open, at);
            self.count(open..at);
            self.count(content_end..at);
            self.close = Some(ClosingBracket { at, content_end, line_end: None });
        }
        Some(())
    }

    /// Reads the bracket that opens at `open`; its `]` is known.
    fn read(&mut self, open: usize) -> Option<ScannedTag> {
        let ClosingBracket { at: close, content_end: end, .. } = *self.close.as_ref()?;
        let range = open..close + 1;
        let start = white::skip_white(self.text, open + 1, close);
        let word_end = self.word_end(start, end);
        self.count(open..word_end.max(start));
        let bytes = self.text.as_bytes();
        let word = bytes.get(start..word_end)?;
        if word_end >= end {
            let word = match word {
                b"else" => TagContent::Else,
                b"endif" => TagContent::Endif,
                b"endeach" if self.inputs.is_some() => TagContent::Endeach,
                b"raw" if self.raw => {
                    self.endraw = self.find_endraw(range.end);
                    TagContent::Raw { closed: self.endraw.is_some() }
                }
                b"endraw" if self.raw => TagContent::Endraw { opened: false },
                _ => return None,
            };
            return Some(ScannedTag { range, word });
        }
        if bytes[word_end] == b':' {
            let key = self.key(open, start, word_end, end).filter(|key| self.is_known(key))?;
            return Some(ScannedTag { range, word: TagContent::Variable { key } });
        }
        let after = white::skip_white(self.text, word_end, end);
        let has_inputs = self.inputs.is_some();
        let is_control = word == b"if" || has_inputs && (word == b"elif" || word == b"each");
        if !is_control || after == word_end {
            return None;
        }
        let negated = word != b"each" && bytes.get(after) == Some(&b'!');
        let start = after + usize::from(negated);
        let colon = self.word_end(start, end);
        self.count(word_end..colon);
        if colon >= end || bytes[colon] != b':' {
            return None;
        }
        let key = self.key(open, start, colon, end)?;
        if word == b"each" {
            return (!self.text[key.clone()].contains('['))
                .then_some(ScannedTag { range, word: TagContent::Each { list: key } });
        }
        let test = match self.comparison(start, close).filter(|_| !negated) {
            Some(compared) => {
                let words = start + compared.words.start..(start + compared.words.start).max(end);
                Test { key: start..start + compared.key_end, negated: compared.differs, words: Some(words) }
            }
            None => Test { key, negated, words: None },
        };
        if self.is_known(&test.key) {
            let tag = if word == b"if" { TagContent::If } else { TagContent::Elif };
            return Some(ScannedTag { range, word: tag(test) });
        }
        // A bracket inside of a text gets its chance.
        let is_text = word == b"if" && !self.text[test.key].contains('[');
        is_text.then_some(ScannedTag { range, word: TagContent::UnknownIf })
    }

    /// Reads the test from `start` to the `]` at `close` as a comparison.
    fn comparison(&self, start: usize, close: usize) -> Option<declaration::Comparison> {
        let inputs = self.inputs?;
        let of_item = |key: &str| self.in_each && key.starts_with("item:");
        declaration::comparison(&self.text[start..close], |key| of_item(key) || inputs.compares(key))
    }

    /// Returns true if a key may have a value. Whether `item:` has an entry is decided where blocks are paired.
    fn is_known(&self, key: &Range<usize>) -> bool {
        let key = &self.text[key.clone()];
        let is_item = || key.strip_prefix("item:").is_some_and(declaration::is_name);
        self.types.is_none_or(|types| types.find(key).is_some()) || self.inputs.is_some() && is_item()
    }

    /// Returns the end of the letters, digits and underscores from `start` on.
    fn word_end(&self, start: usize, end: usize) -> usize {
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let bytes = self.text.as_bytes().get(start..end).unwrap_or_default();
        start + bytes.iter().take_while(|byte| word(byte)).count()
    }

    /// Returns the key `start..end` with its colon at `colon`, if there is a type and no line end in the name.
    fn key(&mut self, open: usize, start: usize, colon: usize, end: usize) -> Option<Range<usize>> {
        if start == colon {
            return None;
        }
        let known = self.close.as_ref().and_then(|close| close.line_end);
        let line_end = match known {
            Some(line_end) => line_end,
            None => {
                // Later brackets with the same `]` open further right, so what is left of this one is no matter.
                self.count(open..end);
                let line_end = white::last_line_end(self.text, open, end);
                if let Some(close) = &mut self.close {
                    close.line_end = Some(line_end);
                }
                line_end
            }
        };
        (line_end.is_none_or(|at| at < colon)).then_some(start..end)
    }

    /// Finds the first `[endraw]` from `from` on. Only the last `[` before a `]` can belong to one.
    fn find_endraw(&mut self, from: usize) -> Option<Range<usize>> {
        if self.endraw_gone {
            return None;
        }
        let found = find_endraw(self.text, from);
        self.count(from..found.as_ref().map_or(self.text.len(), |found| found.end));
        self.endraw_gone = found.is_none();
        found
    }
}

/// Returns the first `[endraw]` of `text` from `from` on.
pub(crate) fn find_endraw(text: &str, from: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        let close = at + memchr::memchr(b']', &bytes[at..])?;
        if let Some(open) = memchr::memrchr(b'[', &bytes[at..close]).map(|open| at + open)
            && white::trim(&text[open + 1..close]) == "endraw"
        {
            return Some(open..close + 1);
        }
        at = close + 1;
    }
}

impl Iterator for Scanner<'_> {
    type Item = ScannedTag;

    fn next(&mut self) -> Option<ScannedTag> {
        if let Some(range) = self.endraw.take() {
            self.at = range.end;
            return Some(ScannedTag { range, word: TagContent::Endraw { opened: true } });
        }
        loop {
            let open = self.at + memchr::memchr(b'[', &self.text.as_bytes()[self.at..])?;
            self.count(self.at..open);
            if self.find_close(open).is_none() {
                self.at = self.text.len();
                return None;
            }
            if let Some(found) = self.read(open) {
                self.at = found.range.end;
                return Some(found);
            }
            self.at = open + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<(&str, TagContent)> {
        Scanner::new(text, true, None, None).map(|found| (&text[found.range.clone()], found.word)).collect()
    }

    fn variable(key: Range<usize>) -> TagContent {
        TagContent::Variable { key }
    }

    fn tested(key: Range<usize>, negated: bool) -> TagContent {
        TagContent::If(Test { key, negated, words: None })
    }

    #[test]
    fn the_next_closing_bracket_ends_a_tag() {
        assert_eq!(words("[a:[b:c]"), [("[a:[b:c]", variable(1..7))]);
        assert_eq!(words("[[a:x]]"), [("[a:x]", variable(2..5))]);
        assert_eq!(words("[a:x"), []);
    }

    #[test]
    fn line_ends_are_trimmed_but_do_not_stand_in_names() {
        assert_eq!(words("[\na:x\r\n]"), [("[\na:x\r\n]", variable(2..5))]);
        assert_eq!(words("[a:x\ny]"), []);
        assert_eq!(words("[a:x\u{2028}y]"), []);
        assert_eq!(words("[a:x\n[b:y]"), [("[b:y]", variable(6..9))]);
        assert_eq!(words("[if\na:x]"), [("[if\na:x]", tested(4..7, false))]);
    }

    #[test]
    fn blanks_after_the_colon_belong_to_the_name() {
        assert_eq!(words("[ a: x ]"), [("[ a: x ]", variable(2..6))]);
        assert_eq!(words("[a: ]"), [("[a: ]", variable(1..3))]);
    }

    #[test]
    fn conditions_need_white_space_and_a_key() {
        assert_eq!(words("[if !a:x]"), [("[if !a:x]", tested(5..8, true))]);
        for none in
            ["[if!a:x]", "[if ! a:x]", "[if !!a:x]", "[if :x]", "[if a]", "[IF a:x]", "[if ]", "[if !]"]
        {
            assert_eq!(words(none), [], "{none}");
        }
    }

    #[test]
    fn raw_blocks_hide_tags() {
        let text = "[raw][a:x][endraw][endraw]";
        assert_eq!(
            words(text),
            [
                ("[raw]", TagContent::Raw { closed: true }),
                ("[endraw]", TagContent::Endraw { opened: true }),
                ("[endraw]", TagContent::Endraw { opened: false }),
            ]
        );
        assert_eq!(words("[raw]x"), [("[raw]", TagContent::Raw { closed: false })]);
        assert_eq!(Scanner::new(text, false, None, None).count(), 1, "off: only the variable is a tag");
    }

    fn steps(text: &str) -> usize {
        let mut scanner = Scanner::new(text, true, None, None);
        while scanner.next().is_some() {}
        scanner.steps
    }

    #[test]
    fn work_grows_as_the_text_does() {
        let shapes: [fn(usize) -> String; 14] = [
            |n| "[".repeat(n),
            |n| "[".repeat(n) + "]",
            |n| "[a:".repeat(n) + "\n]",
            |n| "[a:".repeat(n) + "\u{2014}".repeat(n).as_str() + "]",
            |n| "\n[a:".repeat(n) + "x]",
            |n| "[if a:".repeat(n) + "\u{2028}x]",
            |n| "[ ".repeat(n) + "]",
            |n| "[".repeat(n) + &" ".repeat(n) + "]",
            |n| "[raw]".repeat(n),
            |n| "[raw][".repeat(n) + "endraw]",
            |n| "[if a:x]".repeat(n) + &"[endif]".repeat(n),
            |n| "]".repeat(n) + &"[a:x]".repeat(n),
            |n| "[\u{3000}".repeat(n) + "a:x\u{feff}]",
            |n| "[aaaa".repeat(n) + "]",
        ];
        for (number, shape) in shapes.iter().enumerate() {
            let (one, two, four) = (steps(&shape(2_000)), steps(&shape(4_000)), steps(&shape(8_000)));
            assert!(
                two <= one * 2 + 64 && four <= two * 2 + 64,
                "shape {number}: {one}, {two}, {four} steps"
            );
            assert!(one <= shape(2_000).len() * 8, "shape {number}: {one} steps for each byte a few");
        }
    }
}
