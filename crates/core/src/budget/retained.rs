//! The bytes of a part that stay where it is cut: the head of a text, or the entries of a list that fit.

use crate::{
    origin::Origin,
    pipeline::draft::{DraftItem, DraftPart},
    template::trim,
};
use std::{cmp::Reverse, ops::Range};

/// The bytes of a part that stay.
pub(super) struct RetainedRanges {
    /// In the order of the text.
    ranges: Vec<Range<usize>>,
    /// The index of the range that the marker follows.
    last: usize,
}

/// Returns the entries of a part in the order in which they are left out; `None` for a text that is cut at its end.
pub(super) fn entries_by_rank(part: &DraftPart) -> Option<Vec<usize>> {
    let ranks: Option<Vec<u32>> = part.items.iter().map(|item| item.rank).collect();
    let ranks = ranks.filter(|ranks| !ranks.is_empty())?;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by_key(|at| (ranks[*at], Reverse(*at)));
    Some(order)
}

/// Returns the bytes of `closing` if they close a tag.
fn closing_tag(part: &DraftPart, closing: Range<usize>) -> Option<Range<usize>> {
    part.text.get(closing.clone()).filter(|text| text.contains("</")).map(|_| closing)
}

impl RetainedRanges {
    /// Keeps the first `length` bytes.
    pub(super) fn head(length: usize) -> Self {
        RetainedRanges { ranges: vec![Range { start: 0, end: length }], last: 0 }
    }

    /// Leaves entries out. The marker takes the place of the first of them; the text between entries goes with the others.
    pub(super) fn without(part: &DraftPart, gone: &[usize]) -> Self {
        let items = &part.items;
        let is_gone = |at: &usize| *at < items.len() && gone.contains(at);
        let (mut ranges, mut start) = (Vec::new(), 0);
        let mut at = 0;
        while at < items.len() {
            let first = at;
            at += (first..).take_while(is_gone).count();
            if at == first {
                at += 1;
                continue;
            }
            let from = if ranges.is_empty() { items[first].range.start } else { items[first - 1].range.end };
            ranges.push(start..from);
            start = items[at - 1].range.end;
        }
        ranges.push(start..part.text.len());
        RetainedRanges { ranges, last: 0 }
    }

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

    /// Returns the part with these bytes and the marker, which has a line of its own.
    pub(super) fn part(&self, whole: &DraftPart, marker: Option<&str>) -> DraftPart {
        const LINE_ENDS: [char; 2] = ['\n', '\r'];
        let mut part =
            DraftPart { text: String::new(), spans: Vec::new(), items: Vec::new(), ..whole.clone() };
        for (at, range) in self.ranges.iter().enumerate() {
            part.copy(whole, range);
            let Some(marker) = marker.filter(|_| at == self.last) else { continue };
            let line = marker.trim_start_matches('\n');
            let before = if part.text.is_empty() || part.text.ends_with(LINE_ENDS) { "" } else { "\n" };
            let behind = self.ranges[at + 1..].iter().find(|range| !range.is_empty());
            let is_joined = behind.is_some_and(|range| !whole.text[range.start..].starts_with(LINE_ENDS));
            let behind = if is_joined { "\n" } else { "" };
            part.push(&format!("{before}{line}{behind}"), Origin::bundled("cut.marker"));
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
