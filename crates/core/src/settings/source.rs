//! One settings file as it was read, and how to point into it without showing secrets.

use super::set_by::SetBy;
use crate::diagnostic::Place;
use std::ops::Range;

const BOM: char = '\u{feff}';

/// The text of one settings file, or of one `--set` argument.
#[derive(Clone, PartialEq, Eq)]
pub struct SettingsSource {
    /// Who speaks in it.
    pub by: SetBy,
    /// The path for people.
    pub path: String,
    /// The text as it is on disk, a BOM included.
    pub(super) text: String,
    /// The bytes of values that are nobody else's business: literal `env` values, keys and tokens of `providers`.
    pub(super) secrets: Vec<Range<usize>>,
}

impl SettingsSource {
    /// Builds the source of nothing, which an empty merge stands on.
    pub(super) fn nothing() -> Self {
        SettingsSource { by: SetBy::Bundled, path: String::new(), text: String::new(), secrets: Vec::new() }
    }

    /// Returns the place of a byte range, with line, column and an excerpt in which secrets are asterisks.
    #[must_use]
    pub fn place(&self, span: Range<usize>) -> Place {
        let mut place = Place::within(self.by.scope(), &self.path, &self.text, span.clone());
        if place.line == Some(1) && self.text.starts_with(BOM) {
            place.column = place.column.map(|column| column.saturating_sub(1).max(1));
            place.excerpt = place.excerpt.map(|line| line.trim_start_matches(BOM).to_owned());
        }
        if !self.secrets.is_empty() {
            let start = span.start.min(self.text.len());
            let bytes = self.text.as_bytes();
            let from = bytes[..start].iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
            let to = bytes[start..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |at| start + at);
            if self.secrets.iter().any(|secret| secret.start < to && from < secret.end) {
                let shown = Place::within(None, "", &self.masked(), span);
                place.excerpt = shown.excerpt.map(|line| line.trim_start_matches(BOM).to_owned());
            }
        }
        place
    }

    /// Tells whether a range holds a secret, or a part of one.
    pub(super) fn hides(&self, span: &Range<usize>) -> bool {
        // They are in the order of the text.
        let at = self.secrets.partition_point(|secret| secret.end <= span.start);
        self.secrets.get(at).is_some_and(|secret| secret.start < span.end)
    }

    /// Returns the text with every byte of a secret replaced by an asterisk. Byte offsets stay what they are.
    #[must_use]
    pub fn masked(&self) -> String {
        let mut shown = String::with_capacity(self.text.len());
        let mut at = 0;
        for secret in &self.secrets {
            shown.push_str(&self.text[at..secret.start]);
            shown.extend(std::iter::repeat_n('*', secret.len()));
            at = secret.end;
        }
        shown.push_str(&self.text[at..]);
        shown
    }
}

/// Shows no secret, not even in a panic message.
impl std::fmt::Debug for SettingsSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SettingsSource")
            .field("by", &self.by)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
