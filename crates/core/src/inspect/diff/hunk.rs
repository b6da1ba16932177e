//! The differences of two texts as hunks of lines, which every other form is made of. Lines end at `\n`.

use serde::Serialize;
use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};
use std::fmt::Write;

/// Lines around a change.
const CONTEXT: usize = 3;
/// The pairs of lines that are compared: well below a second of Myers' algorithm. A deadline would make the answer depend on
/// the machine.
const MOST_PAIRS: usize = 50_000_000;

/// A run of changes with a few lines around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hunk {
    /// The first line before, from 1; the line ahead of it where there is none.
    pub from_line: usize,
    /// How many lines before.
    pub from_lines: usize,
    /// The first line after, as above.
    pub to_line: usize,
    /// How many lines after.
    pub to_lines: usize,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DiffLine {
    /// What became of it.
    pub kind: DiffKind,
    /// The line with its line end; the last line of a text may have none.
    pub text: String,
}

/// What became of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum DiffKind {
    /// It is in both.
    Same,
    /// It went.
    Removed,
    /// It came.
    Added,
}

/// Compares two texts line by line. The result depends on nothing but the texts.
///
/// ```
/// use preface_core::diff::hunks;
/// let hunks = hunks("a\nb\n", "a\nc\n");
/// assert_eq!((hunks[0].from_line, hunks[0].from_lines, hunks[0].lines.len()), (1, 2, 3));
/// ```
#[must_use]
pub fn hunks(old: &str, new: &str) -> Vec<Hunk> {
    if old == new {
        return Vec::new();
    }
    let (old, new): (Vec<&str>, Vec<&str>) =
        (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    let hunk = |steps: Vec<DiffOp>| {
        let (first, last) = (steps.first()?, steps.last()?);
        let (from, to) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        Some(Hunk {
            from_line: from.start + usize::from(!from.is_empty()),
            from_lines: from.len(),
            to_line: to.start + usize::from(!to.is_empty()),
            to_lines: to.len(),
            lines: changes(&old, &new, &steps)
                .map(|(kind, text)| DiffLine { kind, text: text.to_owned() })
                .collect(),
        })
    };
    group_diff_ops(align(&old, &new, MOST_PAIRS), CONTEXT).into_iter().filter_map(hunk).collect()
}

/// Returns the steps from `old` to `new`. What is between the lines that both start and end with is replaced as one block
/// where it has more than `most` pairs of lines.
fn align(old: &[&str], new: &[&str], most: usize) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_len, new_len) = (old.len() - head - tail, new.len() - head - tail);
    if old_len.saturating_mul(new_len) <= most {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let equal = |old_index, new_index, len| DiffOp::Equal { old_index, new_index, len };
    let replaced = DiffOp::Replace { old_index: head, old_len, new_index: head, new_len };
    let mut steps = vec![equal(0, 0, head), replaced, equal(head + old_len, head + new_len, tail)];
    steps.retain(|step| !step.old_range().is_empty() || !step.new_range().is_empty());
    steps
}

fn changes<'s, 't>(
    old: &'s [&'t str],
    new: &'s [&'t str],
    steps: &'s [DiffOp],
) -> impl Iterator<Item = (DiffKind, &'t str)> + use<'s, 't> {
    steps.iter().flat_map(move |step| {
        let (removed, added) = match step.tag() {
            DiffTag::Equal => (DiffKind::Same, 0..0),
            _ => (DiffKind::Removed, step.new_range()),
        };
        let before = old[step.old_range()].iter().map(move |text| (removed, *text));
        before.chain(new[added].iter().map(|text| (DiffKind::Added, *text)))
    })
}

/// Compares two texts as `diff -u` does, each with its name in the head; empty where they are the same.
///
/// ```
/// let diff = preface_core::diff::unified("old", "new", "a\nb\n", "a\nc\n");
/// assert_eq!(diff, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// ```
#[must_use]
pub fn unified(from: &str, to: &str, old: &str, new: &str) -> String {
    with_head(from, to, &hunks(old, new))
}

/// Writes hunks as `diff -u` does, with the names of the two texts in the head; empty where there is no hunk.
#[must_use]
pub fn with_head(from: &str, to: &str, hunks: &[Hunk]) -> String {
    let mut diff = if hunks.is_empty() { String::new() } else { format!("--- {from}\n+++ {to}\n") };
    hunks.iter().for_each(|hunk| hunk.write(&mut diff, None));
    diff
}

impl Hunk {
    /// Writes the hunk with its heading.
    pub(super) fn write(&self, diff: &mut String, section: Option<&str>) {
        let side = |line: usize, lines: usize| match lines {
            1 => format!("{line}"),
            _ => format!("{line},{lines}"),
        };
        let minus = side(self.from_line, self.from_lines);
        let plus = side(self.to_line, self.to_lines);
        // Writing to a string never fails.
        let _ = match section {
            Some(section) => writeln!(diff, "@@ -{minus} +{plus} @@ {section}"),
            None => writeln!(diff, "@@ -{minus} +{plus} @@"),
        };
        for line in &self.lines {
            diff.push(match line.kind {
                DiffKind::Same => ' ',
                DiffKind::Removed => '-',
                DiffKind::Added => '+',
            });
            diff.push_str(&line.text);
            if !line.text.ends_with('\n') {
                diff.push_str("\n\\ No newline at end of file\n");
            }
        }
    }

    /// Returns the lines of each side, from 0, with which the hunk and its first change begin.
    pub(super) fn starts(&self) -> HunkStarts {
        let old = self.from_line - usize::from(self.from_lines > 0);
        let new = self.to_line - usize::from(self.to_lines > 0);
        let same = self.lines.iter().take_while(|line| line.kind == DiffKind::Same).count();
        let mut changed = self.lines[same..].iter().skip_while(|line| line.kind == DiffKind::Removed);
        HunkStarts {
            old: (old, old + same),
            new: (new, new + same),
            adds: changed.next().is_some_and(|line| line.kind == DiffKind::Added),
        }
    }
}

/// The lines of a hunk's start and of its first change.
pub(super) struct HunkStarts {
    pub(super) old: (usize, usize),
    pub(super) new: (usize, usize),
    /// True if the first change adds lines.
    pub(super) adds: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Replays steps and returns both texts.
    fn replay(old: &[&str], new: &[&str], steps: &[DiffOp]) -> (String, String) {
        let (mut left, mut right) = (String::new(), String::new());
        for step in steps {
            let lines = old[step.old_range()].concat();
            if let DiffOp::Equal { .. } = step {
                assert_eq!(old[step.old_range()], new[step.new_range()], "equal lines are equal");
            }
            left += &lines;
            right += &new[step.new_range()].concat();
        }
        (left, right)
    }

    #[test]
    fn what_is_too_large_is_replaced_as_one_block() {
        let steps = align(&["a", "x", "once", "y", "end"], &["a", "once", "z", "end"], 0);
        let replaced = DiffOp::Replace { old_index: 1, old_len: 3, new_index: 1, new_len: 2 };
        let equal = |old_index, new_index| DiffOp::Equal { old_index, new_index, len: 1 };
        assert_eq!(steps, [equal(0, 0), replaced, equal(4, 3)]);
    }

    #[test]
    fn noise_in_another_order_is_replayed() {
        let mut seed = 1_u64;
        let mut noise = |lines: usize, kinds: u64| -> Vec<&str> {
            let words = ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n", "h\n", "i\n", "j\n"];
            let next = |seed: &mut u64| {
                *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                *seed >> 33
            };
            (0..lines).map(|_| words[(next(&mut seed) % kinds) as usize]).collect()
        };
        for kinds in [2, 10] {
            let (old, new) = (noise(50_000, kinds), noise(50_000, kinds));
            let steps = align(&old, &new, MOST_PAIRS);
            assert_eq!(replay(&old, &new, &steps), (old.concat(), new.concat()));
        }
    }

    proptest! {
        #[test]
        fn steps_lead_from_old_to_new(
            old in prop::collection::vec("[a-f]", 0..14), new in prop::collection::vec("[a-f]", 0..14),
            work in 0usize..30
        ) {
            let old: Vec<&str> = old.iter().map(String::as_str).collect();
            let new: Vec<&str> = new.iter().map(String::as_str).collect();
            let steps = align(&old, &new, work);
            prop_assert_eq!(replay(&old, &new, &steps), (old.concat(), new.concat()));
            let (mut left, mut right) = (0, 0);
            for step in steps {
                prop_assert_eq!((step.old_range().start, step.new_range().start), (left, right));
                (left, right) = (step.old_range().end, step.new_range().end);
            }
        }
    }

    #[test]
    fn equal_texts_differ_in_nothing() {
        assert_eq!(unified("1", "2", "a\n", "a\n"), "");
    }

    #[test]
    fn a_missing_last_line_end_is_a_difference() {
        assert_eq!(
            unified("1", "2", "a", "a\n"),
            "--- 1\n+++ 2\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
        );
        assert_eq!(hunks("a", "a\n")[0].lines[0].text, "a");
    }

    #[test]
    fn hunks_have_their_lines() {
        let before: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let after = before.replace("10\n", "ten\nX\n");
        let hunk = &hunks(&before, &after)[0];
        assert_eq!((hunk.from_line, hunk.from_lines, hunk.to_line, hunk.to_lines), (7, 7, 7, 8));
        let new = &hunks("", "a\n")[0];
        assert_eq!((new.from_line, new.from_lines), (0, 0));
    }
}
