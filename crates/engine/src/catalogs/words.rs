//! Differences of two texts by words, because a line of a prompt is often a whole paragraph.

use preface_core::diff::{self, DiffKind};
use serde::Serialize;

/// A run of words with the same change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WordRun {
    /// The change: kept, added or removed.
    pub kind: DiffKind,
    /// The words, with the blanks and line ends between them.
    pub text: String,
}

/// Compares two texts word by word. The runs that are the same or removed make the first text, those that are the same or
/// added the second.
///
/// ```
/// let words = preface_engine::catalogs::words("Use tabs here.", "Use blanks here.");
/// let shown: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
/// assert_eq!(shown, ["Use ", "tabs", "blanks", " here."]);
/// ```
#[must_use]
pub fn words(before: &str, after: &str) -> Vec<WordRun> {
    let mut runs = WordRuns::default();
    for (kind, text) in diff::words(before, after) {
        match kind {
            DiffKind::Same => runs.same(text),
            kind => runs.differ(kind, text),
        }
    }
    runs.end();
    runs.found
}

/// Joins words to runs. Blanks between two changes belong to both, so that a sentence that was written anew is one change.
#[derive(Debug, Default)]
struct WordRuns {
    found: Vec<WordRun>,
    removed: String,
    added: String,
    /// Blanks behind a change that nothing has followed yet.
    blanks: String,
}

impl WordRuns {
    fn differ(&mut self, kind: DiffKind, text: &str) {
        self.removed.push_str(&self.blanks);
        self.added.push_str(&self.blanks);
        self.blanks.clear();
        match kind {
            DiffKind::Removed => self.removed.push_str(text),
            _ => self.added.push_str(text),
        }
    }

    fn same(&mut self, text: &str) {
        let changing = !self.removed.is_empty() && !self.added.is_empty();
        if changing && text.chars().all(|c| c == ' ') {
            self.blanks.push_str(text);
            return;
        }
        self.end();
        self.push(DiffKind::Same, text.to_owned());
    }

    fn end(&mut self) {
        let (removed, added) = (std::mem::take(&mut self.removed), std::mem::take(&mut self.added));
        let blanks = std::mem::take(&mut self.blanks);
        self.push(DiffKind::Removed, removed);
        self.push(DiffKind::Added, added);
        self.push(DiffKind::Same, blanks);
    }

    fn push(&mut self, kind: DiffKind, text: String) {
        match self.found.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.kind == kind => last.text.push_str(&text),
            _ => self.found.push(WordRun { kind, text }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runs_make_both_texts() {
        let texts =
            ["", "a", "Use tabs.", "Never at night.\nOr so.", "Only by day.\nOr so", " a  b c", "x b  y c\n"];
        for before in texts {
            for after in texts {
                let words = words(before, after);
                let without = |kind| -> String {
                    words.iter().filter(|word| word.kind != kind).map(|word| word.text.as_str()).collect()
                };
                assert_eq!(without(DiffKind::Added), before);
                assert_eq!(without(DiffKind::Removed), after);
            }
        }
        let shown: Vec<String> =
            words("Never at night.\n", "Only by day.\n").into_iter().map(|word| word.text).collect();
        assert_eq!(shown, ["Never at night.", "Only by day.", "\n"]);
    }
}
