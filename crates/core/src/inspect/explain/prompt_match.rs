//! From a place in the prompt back to its sources, for `explain --at OFFSET` and `explain --at 'text'`.

use crate::{
    lint::character::floor_char_boundary,
    origin::Origin,
    prompt::Prompt,
    section::{ProviderName, SectionId},
};
use memchr::memmem;
use std::ops::Range;

/// The origin of the bytes at one place of a prompt.
///
/// ```
/// use preface_core::{explain::PromptMatch, prompt::Prompt, explain::at_text};
/// let hits: Vec<PromptMatch> = at_text(&Prompt::default(), "secret");
/// assert!(hits.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptMatch {
    /// The bytes in the prompt.
    pub range: Range<usize>,
    /// The same bytes, split where the origin changes.
    pub pieces: Vec<MatchPiece>,
}

/// The origin of some bytes of a [`PromptMatch`].
///
/// ```
/// use preface_core::{explain::{MatchPiece, at_offset}, prompt::Prompt};
/// let piece: Option<MatchPiece> = at_offset(&Prompt::default(), 0).and_then(|hit| hit.pieces.into_iter().next());
/// assert!(piece.is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchPiece {
    /// The bytes in the prompt.
    pub range: Range<usize>,
    /// The section of their part.
    pub section: SectionId,
    /// The context provider that contributed them.
    pub provider: Option<ProviderName>,
    /// The origin of these bytes; a file's span is narrowed to exactly these bytes.
    pub origin: Origin,
}

/// Finds the origin of the character that holds the byte `offset`. `None` lies behind the end.
///
/// ```
/// use preface_core::{explain::at_offset, prompt::Prompt};
/// assert!(at_offset(&Prompt::default(), 0).is_none());
/// ```
#[must_use]
pub fn at_offset(prompt: &Prompt, offset: usize) -> Option<PromptMatch> {
    if offset >= prompt.text.len() {
        return None;
    }
    let start = floor_char_boundary(&prompt.text, offset);
    let end = start + prompt.text[start..].chars().next()?.len_utf8();
    Some(match_at(prompt, start..end))
}

/// Finds every occurrence of `text`, from left to right; they do not overlap. The empty text occurs nowhere.
///
/// ```
/// use preface_core::{explain::at_text, prompt::Prompt};
/// let prompt: Prompt = serde_json::from_str(
///     r#"{"text":"on main","preset":"default","parts":[{"section":"git","range":[0,7],"stability":"turn",
///     "priority":50,"spans":[{"range":[0,3],"origin":{"kind":"literal","profile":"default","key":"section.git.text"}},
///     {"range":[3,7],"origin":{"kind":"variable","key":"git:branch","source":".git/HEAD"}}],"cuts":[]}],
///     "absent":[],"diagnostics":[],"audit":[]}"#,
/// ).unwrap();
/// assert_eq!(at_text(&prompt, "main")[0].pieces[0].origin.to_string(), "[git:branch]");
/// ```
#[must_use]
pub fn at_text(prompt: &Prompt, text: &str) -> Vec<PromptMatch> {
    if text.is_empty() {
        return Vec::new();
    }
    memmem::find_iter(prompt.text.as_bytes(), text).map(|at| match_at(prompt, at..at + text.len())).collect()
}

fn match_at(prompt: &Prompt, range: Range<usize>) -> PromptMatch {
    let mut pieces = Vec::new();
    let mut at = range.start;
    while at < range.end
        && let Some((part, span, origin)) = prompt.at(at)
    {
        let end = span.end.min(range.end);
        pieces.push(MatchPiece {
            range: at..end,
            section: part.section.clone(),
            provider: part.provider.clone(),
            origin: origin.part(&(at - span.start..end - span.start)),
        });
        at = end;
    }
    PromptMatch { range, pieces }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bad, file, literal, prompts, variable};
    use proptest::prelude::*;

    fn prompt() -> Prompt {
        Prompt::default()
            .with(
                "rules",
                &[("Use tabs. Stay on ", file("AGENTS.md", 12..30)), ("mäin", variable("git:branch"))],
            )
            .with(
                "more",
                &[("\n\n", literal("join")), ("Use ", file("b.md", 0..4)), ("\u{fffd}", bad("b.md", 4..5))],
            )
    }

    #[test]
    fn an_offset_within_a_character_means_the_character() {
        let found = at_offset(&prompt(), 20).unwrap();
        assert_eq!((found.range, found.pieces[0].origin.to_string()), (19..21, "[git:branch]".into()));
        assert_eq!(at_offset(&prompt(), 4).unwrap().pieces[0].origin, file("AGENTS.md", 16..17));
        let end = prompt().text.len();
        assert_eq!(at_offset(&prompt(), end - 1).unwrap().pieces[0].origin, bad("b.md", 4..5));
        assert_eq!(at_offset(&prompt(), end), None);
    }

    #[test]
    fn a_text_is_found_everywhere_and_across_parts() {
        let starts: Vec<_> = at_text(&prompt(), "Use ").iter().map(|found| found.range.start).collect();
        assert_eq!(starts, [0, 25]);
        let across = at_text(&prompt(), "on mäin\n\nUse");
        let pieces: Vec<_> =
            across[0].pieces.iter().map(|piece| format!("{} {}", piece.section, piece.origin)).collect();
        assert_eq!(pieces, ["rules AGENTS.md", "rules [git:branch]", "more test.toml join", "more b.md"]);
        assert_eq!(across[0].pieces[0].origin, file("AGENTS.md", 27..30));
        assert_eq!(at_text(&prompt(), "spaces"), []);
        assert_eq!(at_text(&prompt(), ""), []);
    }

    proptest! {
        #[test]
        fn pieces_tile_their_hit(prompt in prompts(), text in "[ab\n]{1,3}") {
            let offsets = (0..prompt.text.len()).map(|at| at_offset(&prompt, at).unwrap());
            for found in at_text(&prompt, &text).into_iter().chain(offsets) {
                let mut at = found.range.start;
                for piece in found.pieces {
                    prop_assert_eq!(piece.range.start, at);
                    at = piece.range.end;
                }
                prop_assert_eq!(at, found.range.end);
            }
        }
    }
}
