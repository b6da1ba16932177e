//! Notes about one file, at most a screenful: a hostile file must not cost a diagnostic for each of its bytes.

use crate::diagnostic::{Diagnostic, Diagnostics, Place, Severity};

/// So many notes are written out for one file; the rest is counted.
const MOST: usize = 20;

/// Collects notes about one file.
#[derive(Default)]
pub(super) struct Notes {
    written: Diagnostics,
    counted: usize,
    worst: Option<Severity>,
}

impl Notes {
    /// Adds a note; `make` runs only while there is room, since working out a place walks the file.
    pub(super) fn add(&mut self, severity: Severity, make: impl FnOnce() -> Diagnostic) {
        if self.written.len() < MOST {
            self.written.push(make());
        } else {
            self.counted += 1;
            self.worst = self.worst.max(Some(severity));
        }
    }

    /// Returns the notes, and one that counts those without a place of their own.
    pub(super) fn finish(mut self, file: impl FnOnce() -> Place) -> Diagnostics {
        if let Some(worst) = self.worst {
            let message = format!("{} more notes about this file are not shown", self.counted);
            self.written.push(Diagnostic::new(worst, "settings/more-notes", message).at(file()));
        }
        self.written
    }
}

/// The longest name that a message spells out.
const LONGEST: usize = 80;

/// Makes a name from a file fit for a message: one line, hidden and control characters escaped, cut when overlong.
pub(crate) fn shown(name: &str) -> String {
    let mut text = String::new();
    for (at, c) in name.chars().enumerate() {
        if at == LONGEST {
            text.push('…');
            break;
        }
        match c {
            '"' | '\'' | '\\' => text.push(c),
            _ => text.extend(c.escape_debug()),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_files_are_shown_escaped_and_cut() {
        assert_eq!(shown("my \"tool\""), "my \"tool\"");
        assert_eq!(shown("a\u{202e}b\nc\u{200b}"), "a\\u{202e}b\\nc\\u{200b}");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), LONGEST + 1);
    }

    #[test]
    fn what_is_not_written_out_is_counted() {
        let mut notes = Notes::default();
        for _ in 0..MOST + 7 {
            notes.add(Severity::Error, || Diagnostic::error("a/b", "c"));
        }
        let notes = notes.finish(Place::default);
        assert_eq!(notes.len(), MOST + 1);
        assert_eq!(notes[MOST].message, "7 more notes about this file are not shown");
        assert_eq!(notes[MOST].severity, Severity::Error);
    }
}
