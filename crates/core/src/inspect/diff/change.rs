//! The change of each part. Parts are matched by section, the first with the first where a section has several.

use crate::{
    document::{Document, DocumentPart},
    section::SectionId,
};
use serde::Serialize;
use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::BTreeMap;

/// The change of one part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PartChange {
    /// The section of the part.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub section: SectionId,
    /// The kind of the change.
    pub change: Change,
    /// The tokens on the left side; `None` if it was added.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub tokens_before: Option<usize>,
    /// The tokens on the right side; `None` if it was removed.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub tokens_after: Option<usize>,
}

/// The kind of a part's change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Change {
    /// The same bytes in the same order.
    Same,
    /// Other bytes, wherever it is.
    Changed,
    /// Only the right side has it.
    Added,
    /// Only the left side has it.
    Removed,
    /// The same bytes in another order.
    Moved,
}

impl Change {
    /// Returns the word that every surface uses.
    ///
    /// ```
    /// assert_eq!(preface_core::diff::Change::Same.as_str(), "same");
    /// ```
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// Lists the right side's parts in their order, and removed ones behind the part that they were behind.
pub(super) fn part_changes(left: &Document, right: &Document) -> Vec<PartChange> {
    let pairs = pairs(left, right);
    let mut partner: Vec<Option<usize>> = vec![None; right.parts.len()];
    for (from, to) in pairs.iter().enumerate().filter_map(|(from, to)| Some((from, (*to)?))) {
        partner[to] = Some(from);
    }
    let steady = steady(&pairs, right.parts.len());
    // Removed parts, by the right part that they follow; `None` is the start.
    let mut removed: BTreeMap<Option<usize>, Vec<&DocumentPart>> = BTreeMap::new();
    let mut behind = None;
    for (part, to) in left.parts.iter().zip(&pairs) {
        match to {
            Some(to) => behind = Some(*to),
            None => removed.entry(behind).or_default().push(part),
        }
    }
    let mut rows = Vec::with_capacity(left.parts.len().max(right.parts.len()));
    let gone = |rows: &mut Vec<PartChange>, at: Option<usize>| {
        rows.extend(removed.get(&at).into_iter().flatten().map(|part| PartChange {
            section: part.section.clone(),
            change: Change::Removed,
            tokens_before: Some(part.tokens),
            tokens_after: None,
        }));
    };
    gone(&mut rows, None);
    for (to, part) in right.parts.iter().enumerate() {
        let before = partner[to].map(|from| &left.parts[from]);
        let change = match before {
            None => Change::Added,
            Some(before) if !equal(left, before, right, part) => Change::Changed,
            Some(_) if steady[to] => Change::Same,
            Some(_) => Change::Moved,
        };
        rows.push(PartChange {
            section: part.section.clone(),
            change,
            tokens_before: before.map(|before| before.tokens),
            tokens_after: Some(part.tokens),
        });
        gone(&mut rows, Some(to));
    }
    rows
}

/// Returns the first parts that are not the same on both sides: one of each where it changed or moved, else the one that
/// was removed or added.
pub(super) fn first_change<'d>(
    left: &'d Document,
    right: &'d Document,
) -> (Option<&'d DocumentPart>, Option<&'d DocumentPart>) {
    let pairs = pairs(left, right);
    let is_added = |to: usize| !pairs.contains(&Some(to));
    let mut at = 0;
    loop {
        return match (left.parts.get(at), right.parts.get(at)) {
            (Some(before), Some(after)) if pairs[at] == Some(at) => {
                if text(left, before) != text(right, after) {
                    (Some(before), Some(after))
                } else {
                    at += 1;
                    continue;
                }
            }
            (before, after) => match (pairs.get(at) == Some(&None), is_added(at)) {
                (true, false) => (before, None),
                (false, true) => (None, after),
                _ => (before, after),
            },
        };
    }
}

/// Returns, for each part of each side, true if it differs on the other.
pub(super) fn changed_parts(left: &Document, right: &Document) -> (Vec<bool>, Vec<bool>) {
    let (mut before, mut after) = (vec![true; left.parts.len()], vec![true; right.parts.len()]);
    for (from, to) in pairs(left, right).into_iter().enumerate() {
        if let Some(to) = to
            && equal(left, &left.parts[from], right, &right.parts[to])
        {
            (before[from], after[to]) = (false, false);
        }
    }
    (before, after)
}

fn text<'d>(document: &'d Document, part: &DocumentPart) -> &'d str {
    document.text.get(part.range.clone()).unwrap_or_default()
}

/// Returns, for each part on the left, its place on the right.
fn pairs(left: &Document, right: &Document) -> Vec<Option<usize>> {
    let mut places: BTreeMap<&SectionId, Vec<usize>> = BTreeMap::new();
    for (to, part) in right.parts.iter().enumerate().rev() {
        places.entry(&part.section).or_default().push(to);
    }
    left.parts.iter().map(|part| places.get_mut(&part.section)?.pop()).collect()
}

/// Returns, for each part on the right, true if it kept its place among those that both sides have.
fn steady(pairs: &[Option<usize>], parts: usize) -> Vec<bool> {
    let places: Vec<usize> = pairs.iter().flatten().copied().collect();
    let in_order: Vec<usize> = (0..parts).filter(|place| places.contains(place)).collect();
    let mut steady = vec![false; parts];
    for step in capture_diff_slices(Algorithm::Myers, &places, &in_order) {
        if step.tag() == DiffTag::Equal {
            places[step.old_range()].iter().for_each(|place| steady[*place] = true);
        }
    }
    steady
}

/// Returns true if two parts have the same text. A separator that only one of them needs, because the other is the first of its
/// prompt, is no difference.
fn equal(left: &Document, before: &DocumentPart, right: &Document, after: &DocumentPart) -> bool {
    let (before_join, before_body) = split(left, before);
    let (after_join, after_body) = split(right, after);
    before_body == after_body
        && (before_join == after_join || before_join.is_empty() || after_join.is_empty())
}

/// Splits a part into the separator before it and the rest.
fn split<'d>(document: &'d Document, part: &DocumentPart) -> (&'d str, &'d str) {
    let text = text(document, part);
    let separator = part.spans.first().filter(|span| span.origin.is_separator());
    text.split_at_checked(separator.map_or(0, |span| span.range.len())).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Bytes4,
        prompt::Prompt,
        testing::{caller, literal, prompts},
    };
    use proptest::prelude::*;

    /// Joins `section=text` words as assemble does.
    fn document(parts: &str) -> Document {
        let prompt = parts.split_whitespace().fold(Prompt::default(), |prompt, part| {
            let (section, text) = part.split_once('=').unwrap_or((part, part));
            let join = if prompt.parts.is_empty() { "" } else { "\n\n" };
            prompt.with(section, &[(join, literal("join")), (text, caller("test"))])
        });
        Document::of(&prompt, &Bytes4)
    }

    fn rows(left: &str, right: &str) -> String {
        let rows = part_changes(&document(left), &document(right));
        rows.iter().map(|row| format!("{} {}", row.section, row.change)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn each_kind_of_change_has_its_word() {
        assert_eq!(rows("a b=1 c", "a b=2 c"), "a same, b changed, c same");
        assert_eq!(rows("a c", "a b c"), "a same, b added, c same");
        assert_eq!(rows("a b c d", "b d"), "a removed, b same, c removed, d same");
        assert_eq!(rows("a b c d", "a d b c"), "a same, d moved, b same, c same");
        assert_eq!(rows("a b", ""), "a removed, b removed");
    }

    #[test]
    fn a_section_with_several_parts_is_matched_in_order() {
        assert_eq!(rows("a=1 a=2", "a=1 a=3 a=4"), "a same, a changed, a added");
        assert_eq!(rows("a=1 a=2", "a=1"), "a same, a removed");
    }

    #[test]
    fn a_separator_that_changed_is_a_change() {
        let wide = document("a b");
        let thin = Prompt::default()
            .with("a", &[("a", caller("test"))])
            .with("b", &[("\n", literal("join")), ("b", caller("test"))]);
        let rows = part_changes(&wide, &Document::of(&thin, &Bytes4));
        assert_eq!(rows[1].change, Change::Changed);
        assert_eq!((rows[1].tokens_before, rows[1].tokens_after), (Some(1), Some(1)));
    }

    proptest! {
        #[test]
        fn every_part_of_both_sides_has_a_row(left in prompts(), right in prompts()) {
            let (left, right) = (Document::of(&left, &Bytes4), Document::of(&right, &Bytes4));
            let rows = part_changes(&left, &right);
            prop_assert_eq!(rows.iter().filter(|row| row.tokens_before.is_some()).count(), left.parts.len());
            let after = rows.iter().filter(|row| row.tokens_after.is_some()).map(|row| &row.section);
            prop_assert!(after.eq(right.parts.iter().map(|part| &part.section)));
        }
    }
}
