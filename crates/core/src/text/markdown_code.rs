//! Code in Markdown: spans between backticks, and blocks between fences.

use std::{collections::BTreeMap, ops::Range};

/// Returns the code of a text, in its order: the spans of its lines, and the blocks whose fence is closed.
///
/// ```
/// use preface_core::markdown_code::code;
/// assert_eq!(code("a `b`\n```\nc\n```\n"), [2..5, 6..16]);
/// assert_eq!(code("`a\nb`\n~~~\nc `d`\n"), [12..15]);
/// ```
#[must_use]
pub fn code(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    // The fence, where it is, and the number of spans before it.
    let mut fence: Option<(Fence, usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        fence = fence.filter(|(open, ..)| !open.quoted || line.trim_start().starts_with('>'));
        match &fence {
            Some((open, start, before)) if open.is_closed_by(line) => {
                found.truncate(*before);
                found.push(*start..end);
                fence = None;
            }
            None if Fence::opened_by(line).is_some() => {
                fence = Fence::opened_by(line).map(|open| (open, at, found.len()));
            }
            _ => found.extend(code_spans(line).into_iter().map(|span| span.start + at..span.end + at)),
        }
        at = end;
    }
    found
}

/// The line that opened a block of code.
#[derive(Debug)]
pub struct Fence {
    mark: char,
    length: usize,
    /// True if the block is in a quotation, and ends with it.
    pub quoted: bool,
}

impl Fence {
    /// Returns the fence that a line is, if it is one.
    #[must_use]
    pub fn opened_by(line: &str) -> Option<Self> {
        let head = without_marks(line);
        let mark = head.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
        let rest = head.trim_start_matches(mark);
        let length = head.len() - rest.len();
        let quoted = line.trim_start().starts_with('>');
        // A line with more backticks is a span of code.
        (length >= 3 && (mark == '~' || !rest.contains('`'))).then_some(Fence { mark, length, quoted })
    }

    /// Returns true if a line ends the block.
    #[must_use]
    pub fn is_closed_by(&self, line: &str) -> bool {
        let quotes: &[char] = if self.quoted { &[' ', '\t', '>'] } else { &[' ', '\t'] };
        let head = line.trim_start_matches(quotes).trim_end();
        head.len() >= self.length && head.chars().all(|c| c == self.mark)
    }
}

/// Takes indentation, `>` and the marks of list items from the head of a line.
fn without_marks(line: &str) -> &str {
    let mut head = line;
    loop {
        let rest = head.trim_start_matches([' ', '\t', '>']);
        let rest = item_mark(rest).map_or(rest, |mark| &rest[mark..]);
        if rest.len() == head.len() {
            return head;
        }
        head = rest;
    }
}

/// Returns the length of `- `, `* `, `+ `, `1. ` or `1) ` at the head of a line.
#[must_use]
pub fn item_mark(line: &str) -> Option<usize> {
    let digits = line.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let mark = match line.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..10).contains(&digits) => digits + 1,
        _ => return None,
    };
    matches!(line.as_bytes().get(mark)?, b' ' | b'\t' | b'\n' | b'\r').then_some(mark)
}

/// Returns true if no span of code reaches over the start of a line.
#[must_use]
pub fn starts_block(line: &str) -> bool {
    let head = line.trim_start();
    head.is_empty() || head.starts_with('#') || item_mark(head).is_some()
}

/// Returns the spans of code of a paragraph: from a run of backticks to the next run of the same length.
#[must_use]
pub fn code_spans(part: &str) -> Vec<Range<usize>> {
    let runs = runs(part);
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, run) in runs.iter().enumerate() {
        by_length.entry(run.len()).or_default().push(at);
    }
    let mut spans = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let mut run = runs[at].clone();
        // A backtick behind a backslash opens nothing.
        if part.as_bytes()[..run.start].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1 {
            run.start += 1;
        }
        let same = by_length.get(&run.len()).map_or(&[][..], Vec::as_slice);
        match same.get(same.partition_point(|other| *other <= at)) {
            Some(close) if !run.is_empty() => {
                spans.push(run.start..runs[*close].end);
                at = close + 1;
            }
            _ => at += 1,
        }
    }
    spans
}

fn runs(part: &str) -> Vec<Range<usize>> {
    let bytes = part.as_bytes();
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(next) = part[at..].find('`') {
        let start = at + next;
        at = start + bytes[start..].iter().take_while(|byte| **byte == b'`').count();
        runs.push(start..at);
    }
    runs
}
