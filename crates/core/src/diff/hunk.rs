//! The differences of two texts as hunks of lines, which every other form is made of. Lines end at `\n`.

use super::align::align;
use serde::Serialize;
use similar::{DiffOp, DiffTag, group_diff_ops};
use std::fmt::Write;

/// Lines around a change.
const CONTEXT: usize = 3;

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
    group_diff_ops(align(&old, &new), CONTEXT).into_iter().filter_map(hunk).collect()
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
