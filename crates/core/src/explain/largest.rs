//! The parts by size: where a budget goes.

use super::{Explanation, PartRow};
use std::cmp::Reverse;

/// A part in the order of size, with what it and those before it take.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{Explanation, SizedPart, largest}, prompt::Prompt};
/// let explanation = Explanation::of(&Prompt::default(), &Bytes4);
/// let rows: Vec<SizedPart<'_>> = largest(&explanation);
/// assert!(rows.is_empty());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SizedPart<'e> {
    /// The part.
    pub part: &'e PartRow,
    /// The share of the tokens of all parts, from 0 to 1. The rows add up to 1.
    pub share: f64,
    /// The tokens of this part and of the larger ones, each counted by itself.
    pub sum: usize,
    /// The share of these tokens in the tokens of all parts.
    pub so_far: f64,
}

/// Lists the parts by their tokens, the largest first, in the prompt's order among equals.
#[must_use]
pub fn largest(explanation: &Explanation) -> Vec<SizedPart<'_>> {
    let mut parts: Vec<&PartRow> = explanation.parts.iter().collect();
    parts.sort_by_key(|part| Reverse(part.tokens));
    let all: usize = parts.iter().map(|part| part.tokens).sum();
    let share = |tokens: usize| if all == 0 { 0.0 } else { tokens as f64 / all as f64 };
    let mut sum = 0;
    let rows = parts.into_iter().map(|part| {
        sum += part.tokens;
        SizedPart { part, share: share(part.tokens), sum, so_far: share(sum) }
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Bytes4,
        prompt::Prompt,
        testing::{literal, prompts},
    };
    use proptest::prelude::*;

    #[test]
    fn the_largest_part_comes_first_and_equals_keep_their_order() {
        let prompt = Prompt::default()
            .with("a", &[("four", literal("a"))])
            .with("b", &[("twelve bytes", literal("b"))])
            .with("c", &[("more", literal("c"))]);
        let explanation = Explanation::of(&prompt, &Bytes4);
        let rows: Vec<_> = largest(&explanation)
            .iter()
            .map(|row| (row.part.section.to_string(), row.share, row.sum, row.so_far))
            .collect();
        let row = |id: &str, share, sum, so_far| (id.to_owned(), share, sum, so_far);
        assert_eq!(rows, [row("b", 0.6, 3, 0.6), row("a", 0.2, 4, 0.8), row("c", 0.2, 5, 1.0)]);
    }

    proptest! {
        #[test]
        fn every_part_is_listed_once_and_the_sum_is_all(prompt in prompts()) {
            let explanation = Explanation::of(&prompt, &Bytes4);
            let rows = largest(&explanation);
            prop_assert_eq!(rows.len(), explanation.parts.len());
            prop_assert!(rows.is_sorted_by_key(|row| Reverse(row.part.tokens)));
            prop_assert!(rows.is_sorted_by_key(|row| row.sum));
            let all = explanation.parts.iter().map(|part| part.tokens).sum::<usize>();
            prop_assert_eq!(rows.last().map_or(0, |row| row.sum), all);
        }
    }
}
