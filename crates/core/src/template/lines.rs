//! Lines that hold nothing but control tags, for [`TemplateOptions::trim_tag_lines`](super::TemplateOptions::trim_tag_lines).
//!
//! Each tag *takes* a range of the text away: its own bytes, or with this option also the blanks around it and the
//! line end, if its whole line is to go.

use super::blocks::{Tag, TagRole};
use std::ops::Range;

/// Returns the range that each tag removes from the text, in the order of the tags; an empty one for stray tags.
pub(super) fn taken(text: &str, tags: &[Tag]) -> Vec<Range<usize>> {
    let mut taken: Vec<Range<usize>> =
        tags.iter().map(|tag| if tag.stray.is_some() { 0..0 } else { tag.range.clone() }).collect();
    let mut at = 0;
    while at < tags.len() {
        let first = at;
        at += 1;
        let floor = first.checked_sub(1).map_or(0, |before| tags[before].range.end);
        let Some(line) =
            control(&tags[first]).then(|| line_start(text, floor, tags[first].range.start)).flatten()
        else {
            continue;
        };
        let end = loop {
            let last = tags[at - 1].range.end;
            let blank_end = skip_blanks(text, last);
            match tags.get(at) {
                Some(next) if next.range.start == blank_end && control(next) => at += 1,
                Some(next) if next.range.start == blank_end => break None,
                _ => break line_end(text, blank_end),
            }
        };
        if let Some(end) = end {
            taken[first].start = line;
            for number in first + 1..at {
                taken[number - 1].end = taken[number].start;
            }
            taken[at - 1].end = end;
        }
    }
    taken
}

fn control(tag: &Tag) -> bool {
    tag.stray.is_none() && !matches!(tag.role, TagRole::Variable { .. })
}

/// Returns where the line of `at` starts, if only blanks are before `at`.
fn line_start(text: &str, floor: usize, at: usize) -> Option<usize> {
    let start = floor + text[floor..at].trim_end_matches([' ', '\t']).len();
    (start == 0 || text.as_bytes()[start - 1] == b'\n').then_some(start)
}

fn skip_blanks(text: &str, at: usize) -> usize {
    text.len() - text[at..].trim_start_matches([' ', '\t']).len()
}

/// Returns the place behind the line end at `at`, if there is one or the text ends.
fn line_end(text: &str, at: usize) -> Option<usize> {
    match text.as_bytes()[at..] {
        [] => Some(at),
        [b'\n', ..] => Some(at + 1),
        [b'\r', b'\n', ..] => Some(at + 2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TemplateOptions, blocks::pair};
    use super::*;

    /// Returns the text without all that its tags take.
    fn left(text: &str) -> String {
        let options = TemplateOptions { raw: true, ..TemplateOptions::default() };
        let tags = pair(text, &options, |_| 0, |_| None);
        let mut from = 0;
        let mut left = String::new();
        for taken in taken(text, &tags).into_iter().filter(|taken| !taken.is_empty()) {
            assert!(from <= taken.start, "ranges stand in order and apart");
            left += &text[from..taken.start];
            from = taken.end;
        }
        left + &text[from..]
    }

    #[test]
    fn a_line_of_control_tags_goes_with_its_end() {
        assert_eq!(left("a\n[if a:x]\nb\n[endif]\nc"), "a\nb\nc");
        assert_eq!(left("a\r\n \t[if a:x] [else]\t\r\nb\r\n[endif]"), "a\r\nb\r\n");
        assert_eq!(left("[if a:x][endif]"), "");
        assert_eq!(left("[raw]\n[endif]\n[endraw]\n"), "[endif]\n");
    }

    #[test]
    fn other_lines_keep_every_byte() {
        assert_eq!(left("a [if a:x]\nb\n[endif] c"), "a \nb\n c");
        assert_eq!(left("[if a:x] [a:y]\n[endif]\n"), " \n");
        assert_eq!(left(" [endif]\n"), " [endif]\n");
        assert_eq!(left(" [if a:x]\r[endif]\n"), " \r\n", "a lone CR is no blank");
        assert_eq!(left("[a:y] [if a:x]\n[endif] [else]\n"), " \n [else]\n");
    }

    #[test]
    fn a_tag_over_two_lines_joins_them() {
        assert_eq!(left("a\n [if\na:x] \n[endif]\n"), "a\n");
    }
}
