//! The finest view: every run of bytes with its origin, for `explain --spans`.

use super::Labels;
use crate::{lint::hidden::escape_hidden, prompt::Prompt, scope::Scope, section::SectionId};
use std::ops::Range;

/// One run of bytes with one origin.
///
/// ```
/// use preface_core::{explain::{Labels, spans_view}, prompt::Prompt};
/// assert!(spans_view(&Prompt::default(), &mut Labels::new()).is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanRow {
    /// The bytes of the span in the prompt. The rows tile it.
    pub range: Range<usize>,
    /// The section of its part.
    pub section: SectionId,
    /// The scope of the file, if the origin is a file.
    pub scope: Option<Scope>,
    /// The origin of the bytes, as a label.
    pub label: String,
    /// The start of the text, on one line: `\n`, `\t`, `\\` and `\u{…}` replace invisible characters.
    pub excerpt: String,
}

/// Lists every span of a prompt, in order, with labels that may know lines.
///
/// ```
/// use preface_core::{explain::{Labels, spans_view}, prompt::Prompt};
/// let prompt: Prompt = serde_json::from_str(
///     r#"{"text":"Hi\n","preset":"default","parts":[{"section":"identity","range":[0,3],"stability":"static",
///     "priority":50,"spans":[{"range":[0,3],"origin":{"kind":"caller","flag":"--append"}}],"cuts":[]}],
///     "absent":[],"diagnostics":[],"audit":[]}"#,
/// ).unwrap();
/// let row = &spans_view(&prompt, &mut Labels::new())[0];
/// assert_eq!((row.range.clone(), row.label.as_str(), row.excerpt.as_str()), (0..3, "--append", r"Hi\n"));
/// ```
#[must_use]
pub fn spans_view(prompt: &Prompt, labels: &mut Labels<'_>) -> Vec<SpanRow> {
    prompt
        .spans()
        .map(|(part, range, origin)| SpanRow {
            section: part.section.clone(),
            scope: origin.scope(),
            label: labels.label(origin),
            excerpt: excerpt(&prompt.text[range.clone()]),
            range,
        })
        .collect()
}

/// Characters of a span that a row shows.
const EXCERPT: usize = 60;

fn excerpt(text: &str) -> String {
    let end = text.char_indices().nth(EXCERPT).map_or(text.len(), |(at, _)| at);
    let mut shown = String::with_capacity(end + 4);
    for c in text[..end].chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            '\\' => shown.push_str("\\\\"),
            c => shown.push(c),
        }
    }
    let mut shown = escape_hidden(&shown).into_owned();
    if end < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{file, literal, prompts, variable};
    use proptest::prelude::*;

    #[test]
    fn a_row_has_the_place_and_the_start_of_its_text() {
        let prompt = Prompt::default()
            .with("rules", &[("Use tabs.\n", file("AGENTS.md", 12..22)), ("main", variable("git:branch"))])
            .with("skills", &[("\n\n", literal("join"))]);
        let rows: Vec<_> = spans_view(&prompt, &mut Labels::new())
            .into_iter()
            .map(|row| format!("{:?} {} {} {}", row.range, row.section, row.label, row.excerpt))
            .collect();
        assert_eq!(
            rows,
            [
                r"0..10 rules AGENTS.md@12 Use tabs.\n",
                r"10..14 rules [git:branch] main",
                r"14..16 skills test.toml join \n\n"
            ]
        );
    }

    #[test]
    fn an_excerpt_hides_nothing_and_stays_short() {
        assert_eq!(excerpt("a\u{202e}\\n\r\n\t\u{1b}"), r"a\u{202e}\\n\r\n\t\u{1b}");
        assert_eq!(excerpt(&"é".repeat(60)), "é".repeat(60));
        assert_eq!(excerpt(&"é".repeat(61)), "é".repeat(60) + "…");
    }

    proptest! {
        #[test]
        fn the_rows_tile_the_prompt(prompt in prompts()) {
            let mut at = 0;
            for row in spans_view(&prompt, &mut Labels::new()) {
                prop_assert_eq!(row.range.start, at);
                prop_assert!(row.range.end > at);
                prop_assert!(!row.excerpt.contains(char::is_control));
                at = row.range.end;
            }
            prop_assert_eq!(at, prompt.text.len());
        }
    }
}
