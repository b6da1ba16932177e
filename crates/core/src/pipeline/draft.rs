//! The nouns between render and assemble: parts with text and spans, before they have a place in the prompt.

use crate::{
    origin::{Origin, Source, Span},
    prompt::Part,
    scope::Scope,
    section::{SectionId, SectionMeta},
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::{ops::Range, sync::Arc};

/// The rendered parts: from render to fit not yet checked for size, from fit to assemble each part within its
/// ceiling and all of them within the budget.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    /// The parts, in the profile's order.
    pub parts: Vec<DraftPart>,
    /// The sections that are not in the prompt, with the reasons.
    pub absent: Vec<Absent>,
}

/// A rendered fragment.
#[derive(Clone, Debug)]
pub struct DraftPart {
    /// The properties of the section.
    pub meta: Arc<SectionMeta>,
    /// The text of the part.
    pub text: String,
    /// The origin of each byte; the spans tile the text.
    pub spans: Vec<Span>,
    /// The texts between its frame, in order.
    pub items: Vec<DraftItem>,
    /// The stability of the bytes.
    pub stability: Stability,
    /// The text that was already cut.
    pub cuts: Vec<Cut>,
}

/// One of the texts of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftItem {
    /// The bytes of the item in the part.
    pub range: Range<usize>,
    /// The bytes of its text, without the frame of the item.
    pub content: Range<usize>,
    /// The rank of an entry of a list: where the part is cut, entries are left out whole, the lowest rank first, and of
    /// equal ones the last.
    pub rank: Option<u32>,
}

impl DraftItem {
    /// Moves the item by the `gone` bytes that were taken away at `start`.
    pub(crate) fn shift(&mut self, start: usize, gone: usize) {
        for range in [&mut self.range, &mut self.content] {
            let moved = |at: usize| at.saturating_sub(gone).max(start.min(at));
            *range = moved(range.start)..moved(range.end);
        }
    }

    /// Ends the item at the end of a text of `len` bytes.
    pub(crate) fn truncate(&mut self, len: usize) {
        for range in [&mut self.range, &mut self.content] {
            *range = range.start.min(len)..range.end.min(len);
        }
    }
}

impl DraftPart {
    /// Builds an empty part of a section, with nothing else set.
    #[must_use]
    pub fn new(meta: impl Into<Arc<SectionMeta>>) -> Self {
        DraftPart {
            meta: meta.into(),
            text: String::new(),
            spans: Vec::new(),
            items: Vec::new(),
            stability: Stability::Static,
            cuts: Vec::new(),
        }
    }

    /// Returns the part as the prompt records it, with these bytes of the prompt.
    pub(crate) fn placed(self, range: Range<usize>) -> Part {
        Part {
            section: self.meta.id.clone(),
            provider: self.meta.provider.clone(),
            range,
            stability: self.stability,
            priority: self.meta.priority,
            spans: self.spans,
            cuts: self.cuts,
        }
    }

    /// Appends text with one origin. Neighbours that continue each other become one span.
    pub fn push(&mut self, text: &str, origin: Origin) {
        push_span(&mut self.text, &mut self.spans, text, origin);
    }

    /// Appends some bytes of another part, with their origins.
    pub(crate) fn copy(&mut self, from: &DraftPart, range: &Range<usize>) {
        for span in &from.spans {
            let (start, end) = (span.range.start.max(range.start), span.range.end.min(range.end));
            if start < end {
                let within = start - span.range.start..end - span.range.start;
                self.push(&from.text[start..end], span.origin.part(&within));
            }
        }
    }

    /// Returns the files of the user and the project that the text came from, each once, in their order.
    pub(crate) fn files(&self) -> Vec<&Source> {
        let mut files: Vec<&Source> = Vec::new();
        for span in &self.spans {
            if let Origin::Source { source, .. } = &span.origin
                && source.scope != Scope::Bundled
                && !files.contains(&source.as_ref())
            {
                files.push(source);
            }
        }
        files
    }
}

/// Appends `text` with one origin to a text and its spans.
pub(crate) fn push_span(to: &mut String, spans: &mut Vec<Span>, text: &str, origin: Origin) {
    if text.is_empty() {
        return;
    }
    let start = to.len();
    to.push_str(text);
    if let Some(last) = spans.last_mut()
        && continues(&last.origin, &origin)
    {
        last.range.end = to.len();
        if let (Origin::Source { span, .. }, Origin::Source { span: next, .. }) = (&mut last.origin, &origin)
        {
            span.end = next.end;
        }
        return;
    }
    spans.push(Span { range: start..to.len(), origin });
}

/// Returns true if `next` is the continuation of `last`, so that one span suffices.
fn continues(last: &Origin, next: &Origin) -> bool {
    match (last, next) {
        (
            Origin::Source { source, span, lossy: false },
            Origin::Source { source: next_source, span: next_span, lossy: false },
        ) => span.end == next_span.start && source == next_source,
        (Origin::Literal { key, profile }, Origin::Literal { key: next, profile: by }) => {
            key == next && profile == by
        }
        _ => false,
    }
}

/// Cuts spans to the first `len` bytes.
pub(crate) fn truncate_spans(spans: &mut Vec<Span>, len: usize) {
    while let Some(last) = spans.last_mut() {
        if last.range.start >= len {
            spans.pop();
            continue;
        }
        if last.range.end > len {
            last.origin = last.origin.part(&(0..len - last.range.start));
            last.range.end = len;
        }
        break;
    }
}

/// Cuts the first `len` bytes away and moves the rest to the front.
pub(crate) fn behead_spans(spans: &mut Vec<Span>, len: usize) {
    if len == 0 {
        return;
    }
    spans.retain(|span| span.range.end > len);
    for span in spans.iter_mut() {
        if span.range.start < len {
            let gone = len - span.range.start;
            span.origin = span.origin.part(&(gone..span.range.end - span.range.start));
            span.range.start = len;
        }
        span.range = span.range.start - len..span.range.end - len;
    }
}

/// One recorded loss of text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cut {
    /// Why.
    pub why: CutWhy,
    /// Tokens before.
    pub before: usize,
    /// Tokens of it that are left, without the marker.
    pub after: usize,
    /// The bytes that went, counted in the part's text as it was before this cut.
    #[serde(with = "crate::origin::range")]
    #[cfg_attr(feature = "openapi", schema(value_type = [usize; 2]))]
    pub range: Range<usize>,
}

/// Why text went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum CutWhy {
    /// The part's own ceiling.
    Ceiling,
    /// The budget of the whole prompt.
    Budget,
}

/// A section that is not in the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Absent {
    /// Which.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub section: SectionId,
    /// The kind of reason.
    pub reason: AbsentReason,
    /// The reason, for people.
    pub why: String,
}

/// The kinds of reasons for a section not to be in the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AbsentReason {
    /// The condition of the section is false.
    Condition,
    /// There is no text for it: no file, no active tool, no contribution.
    NoText,
    /// It rendered to nothing but white space.
    Empty,
    /// Another text took its place.
    Replaced,
    /// The text is in another section.
    Merged,
    /// The section is disabled.
    Disabled,
    /// The chosen order leaves it out.
    Unordered,
    /// The budget left no room.
    Budget,
}
