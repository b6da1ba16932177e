//! Pages of lists. A page starts after the key of an entry, so it is stable when entries are added or deleted.

use crate::{ConversationId, PromptSummary, TemplateName};
use jiff::Timestamp;

/// A request for one page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// The most entries of the page; between 1 and [`PageRequest::MOST`].
    pub limit: usize,
    /// The `next` of the page before, unchanged. A value that no store returned gives an empty page.
    pub after: Option<String>,
}

impl PageRequest {
    /// The most entries of one page.
    pub const MOST: usize = 500;

    /// Builds a request for the first page.
    #[must_use]
    pub fn first(limit: usize) -> Self {
        PageRequest { limit: limit.clamp(1, Self::MOST), after: None }
    }

    /// Returns true if the page begins where a page of that list can have ended.
    #[must_use]
    pub fn fits(&self, list: List) -> bool {
        fn is_valid<P: PageKey>(start: &PageStart<P>) -> bool {
            !matches!(start, PageStart::Nowhere)
        }
        match list {
            List::Templates => is_valid(&self.start::<TemplateName>()),
            List::Conversations => is_valid(&self.start::<ConversationKey>()),
            List::Versions | List::Past | List::Audit => is_valid(&self.start::<u64>()),
        }
    }

    /// Returns how many entries the page has at most.
    pub(crate) fn entries(&self) -> usize {
        self.limit.clamp(1, Self::MOST)
    }

    /// Returns the number of rows that shows if there is another page.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn rows(&self) -> i64 {
        i64::try_from(self.entries() + 1).unwrap_or(i64::MAX)
    }

    /// Returns the number below which a page of a descending list begins; `None` if the page is empty.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn below(&self) -> Option<i64> {
        match self.start::<u64>() {
            PageStart::Top => Some(i64::MAX),
            PageStart::Behind(number) => i64::try_from(number).ok(),
            PageStart::Nowhere => None,
        }
    }

    /// Returns where the page begins.
    pub(crate) fn start<P: PageKey>(&self) -> PageStart<P> {
        match &self.after {
            None => PageStart::Top,
            Some(after) => P::read(after).map_or(PageStart::Nowhere, PageStart::Behind),
        }
    }
}

/// A list that comes in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Templates.
    Templates,
    /// The versions of a template.
    Versions,
    /// Conversations.
    Conversations,
    /// The earlier prompts of a conversation.
    Past,
    /// The audit.
    Audit,
}

impl Default for PageRequest {
    fn default() -> Self {
        PageRequest::first(50)
    }
}

/// The position at which a page begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PageStart<P> {
    /// At the first entry.
    Top,
    /// After the entry with this key.
    Behind(P),
    /// After all entries: the place is not valid.
    Nowhere,
}

/// The key of an entry in a list, as text.
pub(crate) trait PageKey: Sized {
    fn write(&self) -> String;
    /// Parses a key; `None` if it is not one.
    fn read(text: &str) -> Option<Self>;
}

/// Versions, revisions and entries of the audit, the greatest first.
impl PageKey for u64 {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        // Databases count with a sign.
        text.parse().ok().filter(|number| i64::try_from(*number).is_ok())
    }
}

/// Templates, by name.
impl PageKey for TemplateName {
    fn write(&self) -> String {
        self.to_string()
    }

    fn read(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// Conversations, the last begun first, those of one millisecond by id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ConversationKey {
    /// The time of the first turn.
    pub(crate) at: Timestamp,
    pub(crate) id: ConversationId,
}

impl ConversationKey {
    /// Returns the key of a conversation.
    pub(crate) fn of(head: &PromptSummary) -> Self {
        ConversationKey { at: head.created_at, id: head.id.clone() }
    }
}

impl PageKey for ConversationKey {
    fn write(&self) -> String {
        format!("{}/{}", self.at.as_millisecond(), self.id)
    }

    fn read(text: &str) -> Option<Self> {
        let (at, id) = text.split_once('/')?;
        let at = Timestamp::from_millisecond(at.parse().ok()?).ok()?;
        Some(ConversationKey { at, id: id.parse().ok()? })
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// The `after` of the next page; `None` if this is the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Builds a page of a list that was read with one entry too many.
    pub(crate) fn cut<P: PageKey>(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> P) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(|last| place(last).write()) } else { None };
        Page { items, next }
    }

    /// Returns the page after the last entry.
    #[cfg(any(feature = "sqlite", feature = "postgres"))]
    pub(crate) fn empty() -> Self {
        Page { items: Vec::new(), next: None }
    }
}

/// Returns the least text that is greater than every text with this prefix; `None` if there is none. Texts are sorted
/// by their bytes, which for UTF-8 is by their characters.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub(crate) fn prefix_end(prefix: &str) -> Option<String> {
    let mut end: Vec<char> = prefix.chars().collect();
    while let Some(last) = end.pop() {
        let next = if last == '\u{d7ff}' { Some('\u{e000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next {
            end.push(next);
            return Some(end.into_iter().collect());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_prefix_is_greater_than_each_text_with_it() {
        for (prefix, end) in [
            ("ab", Some("ac")),
            ("a%", Some("a&")),
            ("\u{7f}", Some("\u{80}")),
            ("\u{d7ff}", Some("\u{e000}")),
            ("a\u{10ffff}", Some("b")),
            ("\u{10ffff}\u{10ffff}", None),
        ] {
            assert_eq!(prefix_end(prefix).as_deref(), end);
            let longest = format!("{prefix}\u{10ffff}\u{10ffff}");
            assert!(end.is_none_or(|end| *longest < *end));
        }
    }
}
