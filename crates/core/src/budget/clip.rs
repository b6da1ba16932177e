//! The cut of a text that is longer than its ceiling: the head stays, a marker replaces the tail.
//!
//! The result is the number of bytes that stay and the text to put after them, not the new text, so that a caller
//! that knows where each byte came from can keep that knowledge.

use super::Counter;
use crate::lint::character::floor_char_boundary;
use std::{borrow::Cow, ops::Range};
use unicode_segmentation::UnicodeSegmentation;

/// The result of a text under a ceiling.
///
/// ```
/// use preface_core::budget::{Bytes4, ClipResult, clip};
/// let text = "0123456789".repeat(10);
/// let ClipResult::Cut { kept, marker, cut_tokens, total_tokens } = clip(&text, 20, &Bytes4) else { unreachable!() };
/// assert_eq!((kept, cut_tokens, total_tokens), (49, 12, 25));
/// assert_eq!(marker.as_deref(), Some("\n…[truncated 12 of 25 tokens]"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClipResult {
    /// The text fits and stays as it is.
    Whole {
        /// The token count of the text.
        total_tokens: usize,
    },
    /// The text was too long and loses its tail.
    Cut {
        /// The number of bytes that stay, from the start of the text; a grapheme boundary.
        kept: usize,
        /// The marker to append to them, with a line break before it if it needs a line of its own. `None` if
        /// the ceiling is too low for a marker. `Some` after zero bytes if there is room for nothing else.
        marker: Option<String>,
        /// The count of the whole text less the count of what stays.
        cut_tokens: usize,
        /// The count of the whole text.
        total_tokens: usize,
    },
    /// Nothing of the text stays: the ceiling is zero, or lower than the first character and the marker.
    Dropped {
        /// The count of the whole text.
        total_tokens: usize,
    },
}

impl ClipResult {
    /// Returns the count of the whole text.
    #[must_use]
    pub fn total_tokens(&self) -> usize {
        match self {
            ClipResult::Whole { total_tokens }
            | ClipResult::Cut { total_tokens, .. }
            | ClipResult::Dropped { total_tokens } => *total_tokens,
        }
    }

    /// Returns the part of `text` that stays; `text` is the one that was clipped.
    ///
    /// ```
    /// use preface_core::budget::{Bytes4, clip};
    /// assert_eq!(clip("1234567\n", 1, &Bytes4).kept("1234567\n"), "1234");
    /// ```
    #[must_use]
    pub fn kept<'t>(&self, text: &'t str) -> &'t str {
        match self {
            ClipResult::Whole { .. } => text,
            ClipResult::Cut { kept, .. } => &text[..*kept],
            ClipResult::Dropped { .. } => "",
        }
    }

    /// Returns the marker to append, if there is one.
    ///
    /// ```
    /// use preface_core::budget::{Bytes4, clip};
    /// assert_eq!(clip("1234567\n", 1, &Bytes4).marker(), None);
    /// ```
    #[must_use]
    pub fn marker(&self) -> Option<&str> {
        match self {
            ClipResult::Cut { marker, .. } => marker.as_deref(),
            _ => None,
        }
    }

    /// Returns the text that results, for callers that do not track origins.
    ///
    /// ```
    /// use preface_core::budget::{Bytes4, clip};
    /// assert_eq!(clip("it fits\n", 2, &Bytes4).apply("it fits\n"), "it fits\n");
    /// ```
    #[must_use]
    pub fn apply<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let kept = self.kept(text);
        match self.marker() {
            Some(marker) => Cow::Owned([kept, marker].concat()),
            None => Cow::Borrowed(kept),
        }
    }
}

/// Cuts the tail of `text` so that the result, marker included, counts at most `max`.
///
/// - A text that fits stays as it is, so clipping twice changes nothing. A ceiling of zero drops every text.
/// - What stays is a prefix that ends at a grapheme boundary, the longest that fits (among those that were tried, where a
///   tokenizer counts a longer one as fewer tokens). It backs up to a line end where that costs at most an eighth of it.
/// - The marker is `…[truncated <cut> of <total> tokens]`, last and on a line of its own. A ceiling that is lower than
///   the marker gives the longest prefix without one.
///
/// ```
/// use preface_core::budget::{Bytes4, clip};
/// let text = "All work and no play makes Jack a dull boy.\n".repeat(10);
/// let clipped = clip(&text, 20, &Bytes4);
/// assert_eq!(
///     clipped.apply(&text),
///     "All work and no play makes Jack a dull boy.\n…[truncated 99 of 110 tokens]"
/// );
/// assert_eq!(clipped.kept(&text).len(), 44);
/// ```
#[must_use]
pub fn clip(text: &str, max: usize, counter: &dyn Counter) -> ClipResult {
    clip_head(text, 0, max, counter)
}

/// As [`clip`], of a text of which only the head was read: `unread` bytes follow. They count as cut, by their size.
///
/// ```
/// use preface_core::budget::{Bytes4, clip_head};
/// let head = "All work and no play makes Jack a dull boy.\n".repeat(10);
/// assert_eq!(
///     clip_head(&head, 560, 20, &Bytes4).apply(&head),
///     "All work and no play makes Jack a dull boy.\n…[truncated 239 of 250 tokens]"
/// );
/// ```
#[must_use]
pub fn clip_head(text: &str, unread: u64, max: usize, counter: &dyn Counter) -> ClipResult {
    let total_tokens = total_tokens(text, unread, counter);
    if max == 0 {
        return ClipResult::Dropped { total_tokens };
    }
    if total_tokens <= max && unread == 0 {
        return ClipResult::Whole { total_tokens };
    }
    let (start, before) = counted_head(text, max, counter);
    let (tail, room) = (&text[start..], max - before);
    let bounds = boundaries(text, start..start + longest_prefix(tail, room, counter));
    let cut_tokens = |kept: usize| total_tokens.saturating_sub(before + counter.count(&text[start..kept]));
    let marker = |kept: usize| marker(&text[..kept], cut_tokens(kept), total_tokens);
    let fits = |kept: usize| counter.count_joined(&text[start..kept], &marker(kept)) <= room;

    if fits(start) {
        let longest = last_that_fits(&bounds, fits);
        let kept = line_end(text, longest).filter(|end| fits(*end)).unwrap_or(longest);
        let marker = Some(marker(kept));
        return ClipResult::Cut { kept, marker, cut_tokens: cut_tokens(kept), total_tokens };
    }
    match bounds.iter().rev().find(|kept| counter.count(&text[start..**kept]) <= room) {
        None | Some(0) => ClipResult::Dropped { total_tokens },
        Some(&kept) => ClipResult::Cut { kept, marker: None, cut_tokens: cut_tokens(kept), total_tokens },
    }
}

/// Counts a text of which `unread` bytes more were not read, by their size.
pub(super) fn total_tokens(text: &str, unread: u64, counter: &dyn Counter) -> usize {
    let read = text.len() as u64;
    let unread_tokens = read.saturating_add(unread).div_ceil(4).saturating_sub(read.div_ceil(4));
    counter.count(text).saturating_add(usize::try_from(unread_tokens).unwrap_or(usize::MAX))
}

/// Returns the marker behind the text that is kept.
pub(super) fn marker(kept: &str, cut: usize, total: usize) -> String {
    let line_break = if kept.is_empty() || kept.ends_with(LINE_ENDS) { "" } else { "\n" };
    format!("{line_break}…[truncated {cut} of {total} tokens]")
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Finds the longest prefix of a text that does not fit whole, up to one byte: it may end inside a character. Looks no
/// further into the text than twice that, since a counter may be slow.
fn longest_prefix(text: &str, max: usize, counter: &dyn Counter) -> usize {
    let fit = |end: usize| counter.count(&text[..floor_char_boundary(text, end)]) <= max;
    let (mut fits, mut too_long) = (0, max.saturating_mul(4));
    while too_long < text.len() && fit(too_long) {
        (fits, too_long) = (too_long, too_long.saturating_mul(2));
    }
    too_long = too_long.min(text.len());
    while too_long - fits > 1 {
        let middle = fits + (too_long - fits) / 2;
        if fit(middle) {
            fits = middle;
        } else {
            too_long = middle;
        }
    }
    fits
}

/// Returns a prefix that fits beside every marker, and its tokens, so that the search for the place to cut counts what is
/// behind it alone. A text is counted in blocks; most texts end in the first.
fn counted_head(text: &str, max: usize, counter: &dyn Counter) -> (usize, usize) {
    let (mut start, mut tokens) = (0, 0);
    while text.len() - start > BLOCK {
        let ends = (0..3).map(|quads| start + BLOCK - 4 * quads);
        let end = ends.into_iter().find(|end| text.is_char_boundary(*end));
        let end = end.unwrap_or_else(|| floor_char_boundary(text, start + BLOCK));
        let more = counter.count(&text[start..end]);
        if tokens + more + MARKER_TOKENS > max {
            break;
        }
        (start, tokens) = (end, tokens + more);
    }
    (start, tokens)
}

/// The bytes of a block: a multiple of four, as its end is where it can be, so that estimates of blocks add up.
const BLOCK: usize = 1 << 14;

/// No marker has more tokens.
const MARKER_TOKENS: usize = 64;

/// Lists the grapheme boundaries of `text` within a range, in one pass, however long a single cluster is.
fn boundaries(text: &str, within: Range<usize>) -> Vec<usize> {
    let all = text.grapheme_indices(true).map(|(at, _)| at);
    all.skip_while(|at| *at < within.start).take_while(|at| *at <= within.end).collect()
}

/// Finds the last boundary that fits. The first one must. A little further on one may fit again, because the marker is
/// shorter there: without its line break, or with one digit less. Nothing fits again behind that.
fn last_that_fits(bounds: &[usize], fits: impl Fn(usize) -> bool) -> usize {
    let (mut good, mut bad) = (0, bounds.len());
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if fits(bounds[middle]) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    let Some(&end) = bounds.get(good) else { return 0 };
    let near = bounds[good..].iter().take_while(|at| **at <= end + MARKER_VARIES);
    near.copied().filter(|at| fits(*at)).last().unwrap_or(end)
}

/// No marker is longer than another one of the same text by more bytes than these: a line break, and every digit but one
/// of a count; and what a count of bytes rounds away.
const MARKER_VARIES: usize = 32;

/// Finds the line end to back up to: the last one before `kept`, where it is near.
fn line_end(text: &str, kept: usize) -> Option<usize> {
    let end = text[..kept].rfind(LINE_ENDS)? + 1;
    (kept - end <= kept / 8).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Bytes4;
    use proptest::prelude::*;

    #[derive(Debug)]
    struct Words;

    impl Counter for Words {
        fn name(&self) -> &str {
            "test:words"
        }
        fn about(&self) -> &str {
            "words"
        }
        fn exact(&self) -> bool {
            true
        }
        fn count(&self, text: &str) -> usize {
            text.split_whitespace().count()
        }
    }

    /// A family of four: one cluster of 25 bytes.
    const FAMILY: &str = "👨\u{200d}👩\u{200d}👧\u{200d}👦";

    /// The marker has 26 bytes and the digits of its two numbers.
    #[test]
    fn worked_examples() {
        let a = "a".repeat(200);
        let crlf = "ab\r\n".repeat(50);
        let acute = "e\u{301}".repeat(60);
        let families = FAMILY.repeat(8);
        let lines = "1234567\n".repeat(100);
        let old_mac = "1234567\r".repeat(100);
        let late_break = format!("{}\n{}", "a".repeat(10), "b".repeat(200));
        let words = "one two three four five six seven eight nine ten";
        let kept = |head: &str, marker: &str| format!("{head}{marker}");
        let table: &[(&str, &str, usize, &dyn Counter, String)] = &[
            ("it fits exactly", &a, 50, &Bytes4, a.clone()),
            ("166 + 1 + 29 bytes", &a, 49, &Bytes4, kept(&a[..166], "\n…[truncated 8 of 50 tokens]")),
            ("9 + 1 + 30 bytes", &a, 10, &Bytes4, kept("aaaaaaaaa", "\n…[truncated 47 of 50 tokens]")),
            ("1 + 1 + 30 bytes", &a, 8, &Bytes4, kept("a", "\n…[truncated 49 of 50 tokens]")),
            ("28 bytes have no room for 30", &a, 7, &Bytes4, a[..28].into()),
            ("one token", &a, 1, &Bytes4, "aaaa".into()),
            ("a ceiling of zero", &a, 0, &Bytes4, String::new()),
            ("an empty text", "", 5, &Bytes4, String::new()),
            (
                "9 bytes back up to 8",
                &crlf,
                10,
                &Bytes4,
                kept("ab\r\nab\r\n", "…[truncated 48 of 50 tokens]"),
            ),
            ("7 bytes do not split a CRLF", &crlf, 2, &Bytes4, "ab\r\nab\r\n".into()),
            ("not even here", &crlf[..7], 1, &Bytes4, "ab\r\n".into()),
            (
                "9 bytes are 3 accents",
                &acute,
                10,
                &Bytes4,
                kept("e\u{301}e\u{301}e\u{301}", "\n…[truncated 42 of 45 tokens]"),
            ),
            ("5 bytes are 1 accent", &acute, 9, &Bytes4, kept("e\u{301}", "\n…[truncated 44 of 45 tokens]")),
            ("25 + 1 + 30 bytes", &families, 14, &Bytes4, kept(FAMILY, "\n…[truncated 43 of 50 tokens]")),
            ("no family fits beside it", &families, 10, &Bytes4, "…[truncated 50 of 50 tokens]".into()),
            ("28 bytes are one family", &families, 7, &Bytes4, FAMILY.into()),
            ("24 bytes are none", &families, 6, &Bytes4, String::new()),
            (
                "371 bytes back up to 368",
                &lines,
                101,
                &Bytes4,
                kept(&lines[..368], "…[truncated 108 of 200 tokens]"),
            ),
            (
                "a lone CR ends a line",
                &old_mac,
                100,
                &Bytes4,
                kept(&old_mac[..368], "…[truncated 108 of 200 tokens]"),
            ),
            (
                "29 bytes do not go back to 11",
                &late_break,
                15,
                &Bytes4,
                kept(&late_break[..29], "\n…[truncated 45 of 53 tokens]"),
            ),
            ("3 + 5 words", words, 8, &Words, kept("one two three ", "\n…[truncated 7 of 10 tokens]")),
            ("4 words have no room for 5", words, 4, &Words, "one two three four ".into()),
        ];
        for (why, text, max, counter, expected) in table {
            let clipped = clip(text, *max, *counter);
            assert_eq!(clipped.apply(text), *expected, "{why}: {clipped:?}");
        }
    }

    #[test]
    fn a_ceiling_of_4096_leaves_whole_lines() {
        let text = "A line of thirty-two characters\n".repeat(1000);
        let clipped = clip(&text, 4096, &Bytes4);
        // 16384 bytes less 34 for the marker are 510 lines and 30 bytes.
        let marker = Some("…[truncated 3920 of 8000 tokens]".to_owned());
        assert_eq!(clipped, ClipResult::Cut { kept: 510 * 32, marker, cut_tokens: 3920, total_tokens: 8000 });
    }

    #[test]
    fn a_cluster_of_five_megabytes_is_cut_as_one() {
        let tail = "\u{301}".repeat(2_500_000);
        let text = ["e", tail.as_str()].concat();
        let clipped = clip(&text, 4096, &Bytes4);
        assert_eq!(clipped.apply(&text), "…[truncated 1250001 of 1250001 tokens]");
        assert_eq!(clip(&text, 5, &Bytes4), ClipResult::Dropped { total_tokens: 1_250_001 });
        assert_eq!(clip(&text, 0, &Words), ClipResult::Dropped { total_tokens: 1 });
    }

    fn texts() -> impl Strategy<Value = String> {
        let atom = prop_oneof![
            4 => "[a-z]{1,9}",
            3 => Just(" ".to_owned()),
            2 => Just("\n".to_owned()),
            1 => Just("\r\n".to_owned()),
            1 => Just("\r".to_owned()),
            1 => Just("e\u{301}\u{323}".to_owned()),
            1 => Just(FAMILY.to_owned()),
            1 => Just("🇩🇪🇫🇷".to_owned()),
            1 => Just("क्षि".to_owned()),
            1 => any::<char>().prop_map(String::from),
        ];
        let long_line = (1_usize..400).prop_map(|length| "x".repeat(length));
        prop_oneof![9 => prop::collection::vec(atom, 0..120).prop_map(|atoms| atoms.concat()), 1 => long_line]
    }

    fn counters() -> impl Strategy<Value = &'static dyn Counter> {
        prop_oneof![Just(&Bytes4 as &dyn Counter), Just(&Words as &dyn Counter)]
    }

    fn is_boundary(text: &str, at: usize) -> bool {
        at == text.len() || text.grapheme_indices(true).any(|(start, _)| start == at)
    }

    proptest! {
        #[test]
        fn the_result_counts_at_most_the_ceiling(text in texts(), max in 0_usize..80, counter in counters()) {
            prop_assert!(counter.count(&clip(&text, max, counter).apply(&text)) <= max);
        }

        #[test]
        fn what_stays_is_a_prefix_that_ends_at_a_boundary(
            text in texts(), max in 0_usize..80, counter in counters()
        ) {
            let clipped = clip(&text, max, counter);
            let kept = clipped.kept(&text);
            prop_assert!(text.starts_with(kept) && is_boundary(&text, kept.len()));
        }

        #[test]
        fn clipping_twice_changes_nothing(text in texts(), max in 0_usize..80, counter in counters()) {
            let once = clip(&text, max, counter).apply(&text).into_owned();
            prop_assert_eq!(clip(&once, max, counter).apply(&once), once.as_str());
        }

        #[test]
        fn a_text_that_fits_stays(text in texts(), spare in 0_usize..9, counter in counters()) {
            let total_tokens = counter.count(&text);
            let max = total_tokens + spare;
            prop_assume!(max > 0);
            prop_assert_eq!(clip(&text, max, counter), ClipResult::Whole { total_tokens });
        }

        #[test]
        fn a_marker_is_on_a_line_of_its_own_with_the_right_numbers(
            text in texts(), max in 0_usize..80, counter in counters()
        ) {
            let clipped = clip(&text, max, counter);
            if let ClipResult::Cut { kept, marker, cut_tokens, total_tokens } = &clipped {
                prop_assert_eq!(*total_tokens, counter.count(&text));
                prop_assert_eq!(*cut_tokens, total_tokens - counter.count(&text[..*kept]));
                let line = format!("…[truncated {cut_tokens} of {total_tokens} tokens]");
                let alone = format!("…[truncated {total_tokens} of {total_tokens} tokens]");
                prop_assert_eq!(marker.is_some(), counter.count(&alone) <= max);
                if marker.is_some() {
                    let result = clipped.apply(&text);
                    let before = result.strip_suffix(line.as_str());
                    prop_assert!(before.is_some_and(|b| b.is_empty() || b.ends_with(LINE_ENDS)));
                }
            }
        }

        #[test]
        fn no_longer_prefix_would_fit(text in texts(), max in 1_usize..80) {
            let clipped = clip(&text, max, &Bytes4);
            prop_assume!(!matches!(clipped, ClipResult::Whole { .. }));
            let total = Bytes4.count(&text);
            let room = |end: &usize| {
                let head = &text[..*end];
                let tail = clipped.marker().map(|_| marker(head, total - Bytes4.count(head), total));
                Bytes4.count_joined(head, &tail.unwrap_or_default()) <= max
            };
            let ends = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]);
            let longest = ends.filter(room).max().unwrap_or(0);
            let kept = clipped.kept(&text);
            let backed_up = kept.ends_with(LINE_ENDS) && longest - kept.len() <= longest / 8;
            prop_assert!(longest == kept.len() || backed_up, "{} of {longest} bytes stay", kept.len());
        }
    }
}
