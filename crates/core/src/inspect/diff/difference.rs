//! The difference of two documents: one answer first (which origin ended the common prefix), then the details.

use super::{
    change::{PartChange, first_change, part_changes},
    unified::unified,
};
use crate::{
    budget::Counter,
    document::{Document, DocumentPart, DocumentSpan},
    explain::Labels,
    lint::hidden::escape_hidden,
    origin::Origin,
    section::SectionId,
};
use serde::Serialize;

/// The difference of two prompts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Difference {
    /// True if both texts have the same bytes.
    pub same: bool,
    /// The first difference and its origins.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub first_difference: Option<FirstDifference>,
    /// The prefix that a provider's cache can keep.
    pub cached_prefix: CachedPrefix,
    /// A row per part: those of the right side in their order, and removed ones where they were.
    pub parts: Vec<PartChange>,
    /// The texts as a unified diff, each hunk headed by its section. Exactly the bytes of the texts: whoever shows it
    /// on a screen escapes it.
    pub text: String,
}

/// The first place where two texts differ.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FirstDifference {
    /// The first byte of the first character that differs, on both sides.
    pub offset: usize,
    /// The left side at the difference. `None` if only the right side has it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub left: Option<Side>,
    /// The right side at the difference. `None` if only the left side has it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub right: Option<Side>,
}

/// One side of the first difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Side {
    /// The section.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub section: SectionId,
    /// The origin, as [`Labels`] names it.
    pub label: String,
    /// The origin of the whole span.
    pub origin: Origin,
    /// True if the span started before the difference: the common prefix ends within it.
    pub within: bool,
    /// True if it is of an item, such as a file, that the other side does not have.
    #[serde(skip)]
    pub only: bool,
}

/// The common prefix of two texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CachedPrefix {
    /// Bytes, up to the last whole character.
    pub bytes: usize,
    /// Tokens.
    pub tokens: usize,
}

impl CachedPrefix {
    /// Measures the common prefix of two texts, counted by `counter`.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, diff::CachedPrefix};
    /// assert_eq!(CachedPrefix::of("né", "nè", &Bytes4), CachedPrefix { bytes: 1, tokens: 1 });
    /// ```
    #[must_use]
    pub fn of(left: &str, right: &str, counter: &dyn Counter) -> CachedPrefix {
        let bytes = common_prefix(left, right);
        CachedPrefix { bytes, tokens: counter.count(&left[..bytes]) }
    }
}

impl Difference {
    /// Compares two documents; `counter` measures the common prefix. Neither has to be one that
    /// [`check`](Document::check) accepts, but only such a one names the right origins.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, diff::Difference, document::Document, prompt::Prompt};
    /// let empty = Document::of(&Prompt::default(), &Bytes4);
    /// let difference = Difference::of(&empty, &Document { text: "new\n".into(), ..empty.clone() }, &Bytes4);
    /// assert_eq!(difference.text, "@@ -0,0 +1 @@\n+new\n");
    /// ```
    #[must_use]
    pub fn of(left: &Document, right: &Document, counter: &dyn Counter) -> Difference {
        let same = left.text == right.text;
        let cached_prefix = CachedPrefix::of(&left.text, &right.text, counter);
        let offset = cached_prefix.bytes;
        let first_difference = (!same).then(|| FirstDifference::of(left, right, offset));
        Difference {
            same,
            first_difference,
            cached_prefix,
            parts: part_changes(left, right),
            text: unified(left, right),
        }
    }
}

impl FirstDifference {
    /// Names what differs from `offset` on. The same bytes may follow where a part has lost its end, and then the texts part
    /// only in a part that is the same on both sides: it is not named.
    fn of(left: &Document, right: &Document, offset: usize) -> FirstDifference {
        let (before, after) = first_change(left, right);
        let documents = (left, right);
        let holds = |part: Option<&DocumentPart>| part.is_none_or(|part| part.range.contains(&offset));
        let (left, right) = match (before, after) {
            (None, None) => (Side::of(left, offset), Side::of(right, offset)),
            _ if holds(before) && holds(after) => {
                (before.and_then(|_| Side::of(left, offset)), after.and_then(|_| Side::of(right, offset)))
            }
            _ => {
                let text = |document: &Document, part: Option<&DocumentPart>, at: usize| {
                    let span = part.and_then(|part| part.spans.get(at))?;
                    document.text.get(span.range.clone()).map(str::to_owned)
                };
                let spans = [before, after].into_iter().flatten().map(|part| part.spans.len()).max();
                let differs = |at: &usize| text(left, before, *at) != text(right, after, *at);
                let at = (0..spans.unwrap_or_default()).find(differs).unwrap_or_default();
                let common = match (text(left, before, at), text(right, after, at)) {
                    (Some(left), Some(right)) => common_prefix(&left, &right),
                    _ => 0,
                };
                let side = |part: Option<&DocumentPart>| {
                    let part = part?;
                    Some(Side::new(part, part.spans.get(at)?, common > 0))
                };
                (side(before), side(after))
            }
        };
        let is_only = |side: Side, other: &Document| Side { only: side.is_only(other), ..side };
        let (left, right) =
            (left.map(|side| is_only(side, documents.1)), right.map(|side| is_only(side, documents.0)));
        FirstDifference { offset, left, right }
    }

    /// Returns the side whose origin most likely made the difference: the one with an item that the other does not have; else
    /// the one within whose span the common prefix ends; else, of two texts that start here, the one that moves more (a hook
    /// before a variable, a flag, a file, the profile).
    ///
    /// ```
    /// use preface_core::diff::FirstDifference;
    /// let none = FirstDifference { offset: 0, left: None, right: None };
    /// assert!(none.cause().is_none());
    /// ```
    #[must_use]
    pub fn cause(&self) -> Option<&Side> {
        let weight = |side: &Side| (side.only, side.within, side.origin.change_rank());
        match (&self.left, &self.right) {
            (Some(left), Some(right)) if weight(left) > weight(right) => Some(left),
            (_, Some(right)) => Some(right),
            (left, None) => left.as_ref(),
        }
    }
}

impl Side {
    fn of(document: &Document, offset: usize) -> Option<Side> {
        let (part, span) = document.at(offset)?;
        let mut side = Side::new(part, span, span.range.start < offset);
        // The text of the span is that of the file from its first byte on, so the line of the difference is known.
        if let Origin::Source { source, span: bytes, lossy: false } = &span.origin
            && bytes.start == 0
        {
            let line =
                1 + document.text.get(span.range.start..offset).map_or(0, |text| text.matches('\n').count());
            side.label = escape_hidden(&format!("{}:{line}", source.path)).into_owned();
        }
        Some(side)
    }

    fn new(part: &DocumentPart, span: &DocumentSpan, within: bool) -> Side {
        Side {
            section: part.section.clone(),
            label: match span.origin.item_source() {
                Some(source) => escape_hidden(source).into_owned(),
                None => Labels::new().label(&span.origin),
            },
            origin: span.origin.clone(),
            within,
            only: false,
        }
    }

    /// Returns whether this is the variable of an item that the other document does not have.
    fn is_only(&self, other: &Document) -> bool {
        let Some(source) = self.origin.item_source() else { return false };
        let spans = || other.parts.iter().flat_map(|part| &part.spans);
        !spans().any(|span| span.origin.item_source() == Some(source))
    }
}

fn common_prefix(left: &str, right: &str) -> usize {
    let mut at = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
    while !left.is_char_boundary(at) || !right.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Bytes4,
        prompt::Prompt,
        testing::{file, literal, prompts, variable},
        variable::{Stability, VariableKey},
    };
    use proptest::prelude::*;

    fn today(date: &str, end: &str) -> Document {
        let prompt =
            Prompt::default().with("identity", &[("You help.", literal("identity"))]).with_stability(
                "environment",
                Stability::Turn,
                &[
                    ("\n\nToday: ", literal("environment")),
                    (date, variable("system:local_date")),
                    (end, file("b.md", 0..9)),
                ],
            );
        Document::of(&prompt, &Bytes4)
    }

    fn cause(left: &Document, right: &Document) -> String {
        let first = Difference::of(left, right, &Bytes4).first_difference.expect("they differ");
        let cause = first.cause().expect("somebody is behind it");
        format!("{} {} {}", first.offset, cause.section, cause.label)
    }

    #[test]
    fn the_variable_that_moved_is_named() {
        let old = today("2026-10-01", ".\n");
        assert_eq!(cause(&old, &today("2026-10-02", ".\n")), "27 environment [system:local_date]");
        assert_eq!(cause(&old, &today("2026-10-01 UTC", ".\n")), "28 environment [system:local_date]");
        assert_eq!(cause(&today("2026-10-01 UTC", ".\n"), &old), "28 environment [system:local_date]");
        assert_eq!(cause(&old, &today("", ".\n")), "18 environment [system:local_date]");
        assert_eq!(cause(&old, &today("2026-10-01", "!\n")), "28 environment b.md:1");
        assert_eq!(cause(&old, &today("2026-10-01", "")), "28 environment b.md:1");
        let difference = Difference::of(&old, &today("2026-10-02", ".\n"), &Bytes4);
        assert_eq!(difference.cached_prefix, CachedPrefix { bytes: 27, tokens: 7 });
    }

    /// A part whose end goes away, and the same separators and a steady part behind it.
    fn rules(parts: &[(&str, &str)]) -> Document {
        let prompt = Prompt::default().with("head", &[("You help.", literal("head"))]);
        let prompt = parts.iter().fold(prompt, |prompt, (section, text)| {
            prompt.with(
                section,
                &[("\n", literal(section)), (text, file("r.md", 0..9)), ("\n\n", literal("end"))],
            )
        });
        Document::of(
            &prompt.with("now", &[("\nNow: ", literal("now")), ("8 am", variable("system:now"))]),
            &Bytes4,
        )
    }

    #[test]
    fn a_part_that_is_the_same_is_not_blamed() {
        let (long, short) = (rules(&[("rules", "Use tabs.\n")]), rules(&[("rules", "Use tabs.")]));
        for (left, right) in [(&long, &short), (&short, &long)] {
            assert_eq!(cause(left, right), "22 rules r.md:1");
            let difference = Difference::of(left, right, &Bytes4);
            assert!(
                difference.text.lines().next().is_some_and(|line| line.ends_with("@@ rules")),
                "{}",
                difference.text
            );
        }
        let two = rules(&[("rules", "\n"), ("more", "\n")]);
        let one = rules(&[("rules", "\n")]);
        assert_eq!(
            (cause(&two, &one), cause(&one, &two)),
            ("14 more r.md:1".into(), "14 more r.md:1".into())
        );
        assert_eq!(Difference::of(&two, &one, &Bytes4).first_difference.and_then(|first| first.right), None);
    }

    #[test]
    fn an_item_that_only_one_side_has_is_named_by_its_file() {
        let files = |paths: &[&str]| {
            let origin =
                |path: &str| Origin::Variable { key: VariableKey::new("item", "path"), source: path.into() };
            let mut spans: Vec<(&str, Origin)> = vec![("Files:\n", literal("prefix"))];
            for path in paths {
                spans.extend([("<file path=", literal("item")), (*path, origin(path))]);
                spans.extend([(">\n", literal("item")), ("Use tabs.\n", file(path, 0..10))]);
            }
            Document::of(&Prompt::default().with("files", &spans), &Bytes4)
        };
        let (all, fewer) = (files(&["a.md", "b.md", "c.md"]), files(&["a.md", "c.md"]));
        assert_eq!(cause(&all, &fewer), "45 files b.md");
        assert_eq!(cause(&fewer, &all), "45 files b.md");
    }

    #[test]
    fn an_invalid_document_is_compared_without_panic() {
        let good = today("2026-10-01", ".\n");
        let mut broken = good.clone();
        broken.text = "é".into();
        let difference = Difference::of(&good, &broken, &Bytes4);
        assert!(!difference.same);
        let _ = Difference::of(&broken, &good, &Bytes4);
    }

    proptest! {
        #[test]
        fn a_document_is_the_same_as_itself(prompt in prompts()) {
            let document = Document::of(&prompt, &Bytes4);
            let difference = Difference::of(&document, &document, &Bytes4);
            prop_assert!(difference.same);
            prop_assert_eq!(difference.cached_prefix.bytes, prompt.text.len());
            prop_assert_eq!((difference.first_difference, difference.text.as_str()), (None, ""));
            prop_assert!(difference.parts.iter().all(|row| row.change == super::super::Change::Same));
        }

        #[test]
        fn the_cached_prefix_is_common_and_cannot_grow(left in prompts(), right in prompts()) {
            let (a, b) = (Document::of(&left, &Bytes4), Document::of(&right, &Bytes4));
            let difference = Difference::of(&a, &b, &Bytes4);
            let (common, rest) = left.text.split_at(difference.cached_prefix.bytes);
            let (other, tail) = right.text.split_at(difference.cached_prefix.bytes);
            prop_assert_eq!(common, other);
            prop_assert!(rest.is_empty() && tail.is_empty() || rest.chars().next() != tail.chars().next());
            prop_assert_eq!(difference.same, left.text == right.text);
            prop_assert_eq!(difference.same, difference.first_difference.is_none());
            prop_assert_eq!(difference.same, difference.text.is_empty());
        }
    }
}
