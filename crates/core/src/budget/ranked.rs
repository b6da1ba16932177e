//! The cut of a part whose items have ranks: the lowest is cut first, wherever it is.

use crate::{
    draft::{DraftItem, DraftPart},
    origin::Origin,
    template::trim,
};
use std::{borrow::Cow, cmp::Reverse, ops::Range};

/// The text of a part as a cut looks at it: of what is last in it nothing is kept first.
pub(super) struct OrderedText<'p> {
    pub text: Cow<'p, str>,
    /// The bytes of the part in that order; each item with what is between it and the one before.
    runs: Vec<PartRun>,
}

struct PartRun {
    range: Range<usize>,
    /// The offset at which the text of the item starts, in a run of an item.
    item: Option<usize>,
}

/// The bytes of a part that stay.
pub(super) struct RetainedRanges {
    /// In the order of the text.
    ranges: Vec<Range<usize>>,
    /// The index of the range that the marker follows.
    last: usize,
}

impl<'p> OrderedText<'p> {
    /// Puts the items of a part in the order of their ranks; what is before them comes first.
    pub(super) fn of(part: &'p DraftPart) -> Self {
        let items = &part.items;
        let mut order: Vec<usize> = (0..items.len()).collect();
        order.sort_by_key(|at| Reverse(items[*at].rank));
        // The item of unread bytes is unknown.
        let (Some(first), Some(last), false) =
            (items.first(), items.last(), order.is_sorted() || part.meta.unread > 0)
        else {
            let whole = PartRun { range: 0..part.text.len(), item: None };
            return OrderedText { text: Cow::Borrowed(&part.text), runs: vec![whole] };
        };
        let run = |at: usize| {
            let before = at.checked_sub(1).map_or(first.range.start, |before| items[before].range.end);
            PartRun { range: before..items[at].range.end, item: Some(items[at].range.start) }
        };
        let head = PartRun { range: 0..first.range.start, item: None };
        let tail = PartRun { range: last.range.end..part.text.len(), item: None };
        let runs: Vec<PartRun> = [head].into_iter().chain(order.into_iter().map(run)).chain([tail]).collect();
        let text: String = runs.iter().map(|run| &part.text[run.range.clone()]).collect();
        OrderedText { text: text.into(), runs }
    }

    /// Returns the ranges of the part that are in the first `length` bytes of this text.
    pub(super) fn retained(&self, length: usize) -> RetainedRanges {
        let mut left = length;
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut first_item: Option<(usize, usize)> = None;
        for run in &self.runs {
            let end = run.range.start + run.range.len().min(left);
            left -= end - run.range.start;
            // Nothing of an item but what is before it is nothing.
            if end == run.range.start || run.item.is_some_and(|item| end <= item && item < run.range.end) {
                continue;
            }
            if let Some(item) = run.item
                && first_item.is_none_or(|(start, _)| run.range.start < start)
            {
                first_item = Some((run.range.start, item));
            }
            ranges.push(run.range.start..end);
        }
        let last = ranges.last().map_or(0, |range| range.start);
        ranges.sort_by_key(|range| range.start);
        let last = ranges.iter().position(|range| range.start == last).unwrap_or_default();
        // Nothing is between the frame and its first item.
        if let Some((start, item)) = first_item
            && let Some(range) = ranges.iter_mut().find(|range| range.start == start)
        {
            range.start = item;
        }
        RetainedRanges { ranges, last }
    }
}

/// Returns the bytes of `closing` if they close a tag.
fn closing_tag(part: &DraftPart, closing: Range<usize>) -> Option<Range<usize>> {
    part.text.get(closing.clone()).filter(|text| text.contains("</")).map(|_| closing)
}

impl RetainedRanges {
    /// Returns true if a part had a frame and items, and only its frame is left.
    pub(super) fn is_frame_only(&self, part: &DraftPart) -> bool {
        let is_framed = part.items.first().is_some_and(|item| item.content.start > 0);
        let has = |item: &DraftItem| {
            self.ranges.iter().any(|range| {
                let within = range.start.max(item.content.start)..range.end.min(item.content.end);
                !within.is_empty() && !trim(&part.text[within]).is_empty()
            })
        };
        is_framed && !part.items.iter().any(has)
    }

    /// Adds the closing tags of the item that is cut, and of the frame around all items. An item that is cut in its opening
    /// tag goes as a whole.
    pub(super) fn with_closing_tags(mut self, part: &DraftPart) -> Self {
        let Some(cut) = self.ranges.get_mut(self.last) else { return self };
        let end = cut.end;
        if let Some(item) = part.items.iter().find(|item| item.range.start < end && end < item.range.end)
            && let Some(closing) = closing_tag(part, item.content.end..item.range.end)
        {
            if end <= item.content.start {
                cut.end = item.range.start.max(cut.start);
            } else {
                cut.end = end.min(closing.start);
                self.ranges.insert(self.last + 1, closing);
            }
        }
        let behind = part.items.last().map_or(part.text.len(), |item| item.range.end);
        if let Some(closing) = closing_tag(part, behind..part.text.len())
            && let Some(last) = self.ranges.last_mut()
            && last.end < closing.end
        {
            last.end = last.end.min(closing.start);
            self.ranges.push(closing);
        }
        self
    }

    /// Returns the part with these bytes and the marker.
    pub(super) fn part(&self, whole: &DraftPart, marker: Option<&str>) -> DraftPart {
        let mut part =
            DraftPart { text: String::new(), spans: Vec::new(), items: Vec::new(), ..whole.clone() };
        for (at, range) in self.ranges.iter().enumerate() {
            part.copy(whole, range);
            let Some(marker) = marker.filter(|_| at == self.last) else { continue };
            let line = marker.trim_start_matches('\n');
            let line_break = if part.text.ends_with(['\n', '\r']) { "" } else { "\n" };
            part.push(&format!("{line_break}{line}"), Origin::bundled("cut.marker"));
        }
        part
    }

    /// Returns the removed ranges of a text of `length` bytes, the last first.
    pub(super) fn removed(&self, length: usize) -> Vec<Range<usize>> {
        let starts = self.ranges.iter().map(|range| range.start).chain([length]);
        let ends = [0].into_iter().chain(self.ranges.iter().map(|range| range.end));
        let mut gone: Vec<Range<usize>> =
            ends.zip(starts).map(|(end, start)| end..start).filter(|gone| !gone.is_empty()).collect();
        gone.reverse();
        gone
    }
}
