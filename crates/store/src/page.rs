//! Pages of lists. A page starts after the key of an entry, so it is stable when entries are added or deleted.

use crate::{ConversationId, PromptSummary, TemplateName};
use jiff::Timestamp;
use std::{
    fmt::{self, Display},
    str::FromStr,
};

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
        match list {
            List::Templates => self.start::<TemplateName>() != PageStart::Nowhere,
            List::Conversations => self.start::<ConversationKey>() != PageStart::Nowhere,
            List::Versions | List::Past | List::Audit => self.below().is_some(),
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
    pub(crate) fn below(&self) -> Option<i64> {
        match self.start::<u64>() {
            PageStart::Top => Some(i64::MAX),
            // Databases count with a sign.
            PageStart::Behind(number) => i64::try_from(number).ok(),
            PageStart::Nowhere => None,
        }
    }

    /// Returns where the page begins.
    pub(crate) fn start<P: FromStr>(&self) -> PageStart<P> {
        match self.after.as_deref().map(str::parse) {
            None => PageStart::Top,
            Some(Ok(key)) => PageStart::Behind(key),
            Some(Err(_)) => PageStart::Nowhere,
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

/// The key of a conversation in a list: the last begun is first, those of one millisecond are sorted by id.
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

impl Display for ConversationKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.at.as_millisecond(), self.id)
    }
}

impl FromStr for ConversationKey {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (at, id) = text.split_once('/').ok_or(())?;
        let at = at.parse().ok().and_then(|at| Timestamp::from_millisecond(at).ok());
        Ok(ConversationKey { at: at.ok_or(())?, id: id.parse().map_err(drop)? })
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
    pub(crate) fn cut<P: Display>(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> P) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(|last| place(last).to_string()) } else { None };
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
