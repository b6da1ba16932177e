//! The differences of two versions: as a unified diff, and as hunks for the editor.

use super::{TemplatesError, at_version, effective};
use preface_store::{Store, TemplateName};
use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiff};
use std::{sync::Arc, time::Duration};

/// The time to search for the smallest difference; after that a larger one is used.
const PATIENCE: Duration = Duration::from_millis(500);

/// The number of lines of context around a change.
const CONTEXT: usize = 3;

/// What differs between two texts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diff {
    /// The version before; 0 is the default template.
    pub from: u64,
    /// The version after; 0 is the default template.
    pub to: u64,
    /// The difference as `diff -u` writes it; empty if there is none.
    pub text: String,
    /// The same for a page.
    pub hunks: Vec<Hunk>,
    /// How many lines came.
    pub added: usize,
    /// How many lines went.
    pub removed: usize,
}

/// A run of changes with a few lines around them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hunk {
    /// The first line before, from 1; the line ahead of it if there is none.
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

/// Compares two versions of a template. Version 0 is the default template; `to` without a version is the current one.
///
/// # Errors
/// The store did not answer, or there is no such version.
pub async fn diff(
    store: &dyn Store,
    name: &TemplateName,
    from: u64,
    to: Option<u64>,
    default: &str,
) -> Result<Diff, TemplatesError> {
    let text = async |version: u64| match version {
        0 => Ok::<Arc<str>, TemplatesError>(default.into()),
        version => Ok(at_version(store, name, version, default).await?.1),
    };
    let before = text(from).await?;
    let (to, after) = match to {
        Some(to) => (to, text(to).await?),
        None => match effective(store, name, default).await? {
            Some(effective) => (effective.version, effective.text),
            None => (0, default.into()),
        },
    };
    Ok(Diff { from, to, ..diff_texts((&before, &label(from)), (&after, &label(to))) })
}

fn label(version: u64) -> String {
    match version {
        0 => "default".to_owned(),
        version => format!("version {version}"),
    }
}

/// Compares two texts, each with its name in the head of the unified form.
///
/// ```
/// let diff = preface_engine::templates::diff_texts(("a\nb\n", "old"), ("a\nc\n", "new"));
/// assert_eq!(diff.text, "--- old\n+++ new\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
/// assert_eq!((diff.added, diff.removed), (1, 1));
/// ```
#[must_use]
pub fn diff_texts(before: (&str, &str), after: (&str, &str)) -> Diff {
    let diff =
        TextDiff::configure().algorithm(Algorithm::Patience).timeout(PATIENCE).diff_lines(before.0, after.0);
    let mut unified = diff.unified_diff();
    let text = unified.context_radius(CONTEXT).header(before.1, after.1).to_string();
    let mut result = Diff { text, ..Diff::default() };
    for group in diff.grouped_ops(CONTEXT) {
        let mut lines = Vec::new();
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let kind = match change.tag() {
                ChangeTag::Equal => DiffKind::Same,
                ChangeTag::Delete => DiffKind::Removed,
                ChangeTag::Insert => DiffKind::Added,
            };
            result.added += usize::from(kind == DiffKind::Added);
            result.removed += usize::from(kind == DiffKind::Removed);
            lines.push(DiffLine { kind, text: change.value().to_owned() });
        }
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (from, to) =
            (first.old_range().start..last.old_range().end, first.new_range().start..last.new_range().end);
        result.hunks.push(Hunk {
            from_line: from.start + usize::from(!from.is_empty()),
            from_lines: from.len(),
            to_line: to.start + usize::from(!to.is_empty()),
            to_lines: to.len(),
            lines,
        });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_differ_in_nothing() {
        assert_eq!(diff_texts(("a\n", "1"), ("a\n", "2")), Diff::default());
    }

    #[test]
    fn a_missing_last_line_end_is_a_difference() {
        let diff = diff_texts(("a", "1"), ("a\n", "2"));
        assert_eq!(diff.text, "--- 1\n+++ 2\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
        assert_eq!(diff.hunks[0].lines[0].text, "a");
    }

    #[test]
    fn hunks_have_their_lines() {
        let before: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let after = before.replace("10\n", "ten\nX\n");
        let hunk = &diff_texts((&before, "1"), (&after, "2")).hunks[0];
        assert_eq!((hunk.from_line, hunk.from_lines, hunk.to_line, hunk.to_lines), (7, 7, 7, 8));
        let new = diff_texts(("", "1"), ("a\n", "2"));
        assert_eq!((new.hunks[0].from_line, new.hunks[0].from_lines), (0, 0));
    }
}
