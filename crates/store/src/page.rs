//! Lists come in pages.

/// Which page of a list is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageRequest {
    /// How many entries at most; between 1 and [`PageRequest::MOST`].
    pub limit: usize,
    /// Where the page before ended: its `next`, as it was given. What a store never gave is an empty page.
    pub after: Option<String>,
}

impl PageRequest {
    /// The most entries of one page.
    pub const MOST: usize = 500;

    /// Wants the first page of so many entries.
    #[must_use]
    pub fn first(limit: usize) -> Self {
        PageRequest { limit: limit.clamp(1, Self::MOST), after: None }
    }
}

impl Default for PageRequest {
    fn default() -> Self {
        PageRequest::first(50)
    }
}

/// One page of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The entries.
    pub items: Vec<T>,
    /// What to ask with for the next page; `None` where this is the last.
    pub next: Option<String>,
}

impl<T> Page<T> {
    /// Cuts a list that was read with one entry too many, and remembers where it was cut.
    pub(crate) fn cut(mut items: Vec<T>, limit: usize, place: impl Fn(&T) -> String) -> Self {
        let more = items.len() > limit;
        items.truncate(limit);
        let next = if more { items.last().map(place) } else { None };
        Page { items, next }
    }
}
