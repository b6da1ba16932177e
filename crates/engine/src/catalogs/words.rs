//! What differs between two texts, word by word: prompts have lines of a whole paragraph.

use crate::templates::DiffKind;
use serde::Serialize;
use similar::{Algorithm, ChangeTag, TextDiff};
use std::time::Duration;

/// How long is looked for the smallest difference; after that a larger one will do.
const PATIENCE: Duration = Duration::from_millis(500);

/// A run of words that share their fate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Word {
    /// What became of them.
    pub kind: DiffKind,
    /// The words, with the blanks and line ends between them.
    pub text: String,
}

/// Compares two texts word by word. The runs that are the same or removed make the first text, those that are the same or
/// added the second.
///
/// ```
/// let words = preface::catalogs::words("Use tabs here.", "Use blanks here.");
/// let shown: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
/// assert_eq!(shown, ["Use ", "tabs", "blanks", " here."]);
/// ```
#[must_use]
pub fn words(before: &str, after: &str) -> Vec<Word> {
    let diff =
        TextDiff::configure().algorithm(Algorithm::Patience).timeout(PATIENCE).diff_words(before, after);
    let mut found: Vec<Word> = Vec::new();
    for change in diff.iter_all_changes() {
        let kind = match change.tag() {
            ChangeTag::Equal => DiffKind::Same,
            ChangeTag::Delete => DiffKind::Removed,
            ChangeTag::Insert => DiffKind::Added,
        };
        match found.last_mut() {
            Some(last) if last.kind == kind => last.text.push_str(change.value()),
            _ => found.push(Word { kind, text: change.value().to_owned() }),
        }
    }
    found
}
