//! The differences of two versions: as a unified diff, and as hunks for the editor.

use super::{TemplatesError, at_version, effective};
pub use preface_core::diff::{DiffKind, DiffLine, Hunk};
use preface_core::diff::{hunks, with_head};
use preface_store::{Store, TemplateName};
use serde::Serialize;
use std::sync::Arc;

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
    let hunks = hunks(before.0, after.0);
    let lines = |kind| hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| line.kind == kind).count();
    Diff {
        text: with_head(before.1, after.1, &hunks),
        added: lines(DiffKind::Added),
        removed: lines(DiffKind::Removed),
        hunks,
        ..Diff::default()
    }
}
