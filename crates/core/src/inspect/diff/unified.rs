//! The texts of two documents as a unified diff. Lines end at `\n`; a hunk's heading names the section in which its
//! first change lies.

use super::{change::changed_parts, hunk::hunks};
use crate::document::Document;

/// Returns the diff of two texts, without file headers; empty if they are the same.
pub(super) fn unified(left: &Document, right: &Document) -> String {
    let mut diff = String::new();
    let hunks = hunks(&left.text, &right.text);
    if hunks.is_empty() {
        return diff;
    }
    let (before, after) = changed_parts(left, right);
    let (old, new) = (DocumentLines::of(left, before), DocumentLines::of(right, after));
    for hunk in &hunks {
        let starts = hunk.starts();
        let ((old_first, old_line), (new_first, new_line)) = (starts.old, starts.new);
        let section =
            if starts.adds { new.section(new_line, new_first) } else { old.section(old_line, old_first) };
        hunk.write(&mut diff, section);
    }
    diff
}

/// The lines of a document.
struct DocumentLines<'d> {
    document: &'d Document,
    starts: Vec<usize>,
    /// For each part, whether the other side has it otherwise.
    changed: Vec<bool>,
}

impl<'d> DocumentLines<'d> {
    fn of(document: &'d Document, changed: Vec<bool>) -> Self {
        let mut at = 0;
        let start = |line: &str| {
            at += line.len();
            at - line.len()
        };
        let starts = document.text.split_inclusive('\n').map(start).collect();
        DocumentLines { document, starts, changed }
    }

    /// Returns the section of a line in a hunk that starts at line `first`. Where a part has lost its end, the lines that are
    /// missing may be those of a part behind it that is the same: then it is the changed one.
    fn section(&self, line: usize, first: usize) -> Option<&str> {
        let (line, first) = (*self.starts.get(line)?, *self.starts.get(first)?);
        let parts = self.document.parts.iter().zip(&self.changed);
        let mut here = parts.filter(|(part, _)| part.range.start <= line && part.range.end > first).rev();
        let (part, _) = here.clone().find(|(_, changed)| **changed).or_else(|| here.next())?;
        Some(part.section.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Bytes4,
        prompt::Prompt,
        testing::{caller, prompts},
    };
    use proptest::prelude::*;

    fn document(parts: &[(&str, &str)]) -> Document {
        let prompt = parts.iter().fold(Prompt::default(), |prompt, (section, text)| {
            prompt.with(section, &[(*text, caller("test"))])
        });
        Document::of(&prompt, &Bytes4)
    }

    #[test]
    fn a_hunk_names_its_section() {
        let left = document(&[("rules", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"), ("now", "Monday\n"), ("end", "bye")]);
        let right =
            document(&[("rules", "1\nzwei\n3\n4\n5\n6\n7\n8\n9\n"), ("now", "Tuesday\n"), ("end", "bye")]);
        assert_eq!(
            unified(&left, &right),
            "@@ -1,5 +1,5 @@ rules\n 1\n-2\n+zwei\n 3\n 4\n 5\n\
             @@ -7,5 +7,5 @@ now\n 7\n 8\n 9\n-Monday\n+Tuesday\n bye\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_side_without_lines_counts_from_zero() {
        let text = document(&[("a", "x\n")]);
        assert_eq!(unified(&document(&[]), &text), "@@ -0,0 +1 @@ a\n+x\n");
        assert_eq!(unified(&text, &document(&[])), "@@ -1 +0,0 @@ a\n-x\n");
    }

    /// Applies a diff without headers to a text.
    fn patch(old: &str, diff: &str) -> String {
        let mut lines = old.split_inclusive('\n');
        let (mut new, mut at) = (String::new(), 0);
        for line in diff.split_inclusive('\n') {
            if let Some(heading) = line.strip_prefix("@@ -") {
                let start: String = heading.chars().take_while(char::is_ascii_digit).collect();
                let start: usize = start.parse().unwrap();
                let first =
                    if heading[start.to_string().len()..].starts_with(",0") { start } else { start - 1 };
                while at < first {
                    new.push_str(lines.next().unwrap());
                    at += 1;
                }
            } else if line.starts_with('\\') {
                new.truncate(new.len() - 1);
            } else if let Some(added) = line.strip_prefix('+') {
                new.push_str(added);
            } else {
                let kept = lines.next().unwrap();
                at += 1;
                if line.starts_with(' ') {
                    new.push_str(kept.strip_suffix('\n').unwrap_or(kept));
                    new.push('\n');
                }
            }
        }
        new.extend(lines);
        new
    }

    proptest! {
        #[test]
        fn the_diff_is_a_patch(left in "([ab]\n){0,20}", right in "([abc]\n){0,20}") {
            let (a, b) = (document(&[("a", &left)]), document(&[("a", &right)]));
            prop_assert_eq!(patch(&left, &unified(&a, &b)), right);
        }

        #[test]
        fn it_is_empty_only_for_equal_texts(left in prompts(), right in prompts()) {
            let (a, b) = (Document::of(&left, &Bytes4), Document::of(&right, &Bytes4));
            prop_assert_eq!(unified(&a, &b).is_empty(), left.text == right.text);
        }
    }
}
