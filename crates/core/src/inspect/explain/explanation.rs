//! The explanation: a row per part, what is absent, and where a provider's cache stops helping.

use super::Labels;
use crate::{
    attachment::{Attachment, AttachmentPlace},
    budget::Counter,
    covering::{OriginCoverage, group_by_origin},
    document::Tokens,
    origin::Origin,
    pipeline::draft::{Absent, Cut},
    prompt::{Part, Prompt},
    scope::Scope,
    section::{ProviderName, SectionId},
    trigger::Trigger,
    variable::Stability,
};
use std::ops::Range;

/// The explanation of a prompt, part by part.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::Explanation, prompt::Prompt};
/// let explanation = Explanation::of(&Prompt::default(), &Bytes4);
/// assert_eq!((explanation.parts.len(), explanation.tokens.count), (0, 0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The profile that made the prompt.
    pub preset: String,
    /// A row per part, in the prompt's order.
    pub parts: Vec<PartRow>,
    /// The attachments, sent in messages of the user; not included in the bytes and tokens of the prompt.
    pub attachments: Vec<AttachmentRow>,
    /// The sections that are not in the prompt, with the reasons.
    pub absent: Vec<Absent>,
    /// The bytes of the whole prompt.
    pub bytes: usize,
    /// The tokens of the whole prompt.
    pub tokens: Tokens,
    /// The part of the prompt that a provider's cache can keep.
    pub cache: CacheLine,
    /// The triggers that made the prompt, in order; empty if it was built once and nothing changed it.
    pub triggers: Vec<Trigger>,
}

/// The explanation of one part.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{Explanation, PartRow}, prompt::Prompt};
/// let rows: Vec<PartRow> = Explanation::of(&Prompt::default(), &Bytes4).parts;
/// assert!(rows.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PartRow {
    /// The section of the part.
    pub section: SectionId,
    /// The context provider that contributed it.
    pub provider: Option<ProviderName>,
    /// The stability of the bytes of the part.
    pub stability: Stability,
    /// The tokens of the part, counted by itself: the rows may add up to more than the whole.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The bytes of the part in the prompt.
    pub range: Range<usize>,
    /// The share of the prompt's bytes, from 0 to 1. The rows add up to 1.
    pub share: f64,
    /// The origins of the text, in order of first appearance.
    pub sources: Vec<SourceRow>,
    /// The text that was cut.
    pub cuts: Vec<Cut>,
}

/// The explanation of one text that is sent in a message of the user.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{AttachmentRow, Explanation}, prompt::Prompt};
/// let rows: Vec<AttachmentRow> = Explanation::of(&Prompt::default(), &Bytes4).attachments;
/// assert!(rows.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachmentRow {
    /// The reminder or section that it is.
    pub id: SectionId,
    /// The message that it goes with.
    pub place: AttachmentPlace,
    /// The stability of the bytes of the text.
    pub stability: Stability,
    /// The tokens of the text, without the tags around it.
    pub tokens: usize,
    /// The number of bytes.
    pub bytes: usize,
    /// The origins of the text, in order of first appearance.
    pub sources: Vec<SourceRow>,
}

/// One file, profile key, variable or flag of a part.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{Explanation, SourceRow}, prompt::Prompt};
/// let prompt: Prompt = serde_json::from_str(
///     r#"{"text":"Hi","preset":"default","parts":[{"section":"identity","range":[0,2],"stability":"static",
///     "priority":50,"spans":[{"range":[0,2],"origin":{"kind":"caller","flag":"--append"}}],"cuts":[]}],
///     "absent":[],"diagnostics":[],"audit":[]}"#,
/// ).unwrap();
/// let source: &SourceRow = &Explanation::of(&prompt, &Bytes4).parts[0].sources[0];
/// assert_eq!((source.label.as_str(), source.bytes), ("--append", 2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// The name of the source and the line where its text starts, such as `AGENTS.md:1`.
    pub label: String,
    /// The origin of the first of its bytes. It is not published.
    pub origin: Origin,
    /// The scope of the file, if the source is a file.
    pub scope: Option<Scope>,
    /// The tokens of its text in this part, counted as one text.
    pub tokens: usize,
    /// The bytes of its text in this part.
    pub bytes: usize,
}

/// The reach of a provider's prompt cache: up to the first part that is not static, for everybody; up to the
/// first byte that changes, for one conversation.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{CacheLine, Explanation}, prompt::Prompt};
/// let cache: CacheLine = Explanation::of(&Prompt::default(), &Bytes4).cache;
/// assert_eq!((cache.static_bytes, cache.ends_at), (0, None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheLine {
    /// The number of parts in the static prefix.
    pub static_parts: usize,
    /// The bytes of the static prefix.
    pub static_bytes: usize,
    /// The tokens of the static prefix, counted as one text.
    pub static_tokens: usize,
    /// The section that ends it: the first one that is not static.
    pub ends_at: Option<SectionId>,
    /// The tokens of static parts behind it, which no cache can share.
    pub stranded_tokens: usize,
    /// The running totals after each part, in the prompt's order.
    pub steps: Vec<CacheStep>,
}

/// The prompt up to the end of one part.
///
/// ```
/// use preface_core::{budget::Bytes4, explain::{CacheStep, Explanation}, prompt::Prompt};
/// let steps: Vec<CacheStep> = Explanation::of(&Prompt::default(), &Bytes4).cache.steps;
/// assert!(steps.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheStep {
    /// The section of the part.
    pub section: SectionId,
    /// The bytes so far.
    pub bytes: usize,
    /// The tokens so far. Exact at the end of the static prefix and of the prompt; between them the sum of the parts,
    /// never above the next exact count.
    pub tokens: usize,
    /// The digest of the part alone: the first 12 hex digits of its blake3.
    pub digest: String,
    /// The digest of everything so far. Two prompts that agree here share this prefix.
    pub prefix: String,
}

impl Explanation {
    /// Explains a prompt, counted by `counter`, without its files: see [`Labels`].
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, explain::Explanation, prompt::Prompt};
    /// assert_eq!(Explanation::of(&Prompt::default(), &Bytes4).bytes, 0);
    /// ```
    #[must_use]
    pub fn of(prompt: &Prompt, counter: &dyn Counter) -> Explanation {
        Explanation::with(prompt, counter, &mut Labels::new())
    }

    /// Explains a prompt with labels that may know lines.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, explain::{Explanation, Labels}, origin::Source, prompt::Prompt};
    /// let mut labels = Labels::with_files(|source: &Source| (source.path == "AGENTS.md").then_some("Use tabs.\n"));
    /// assert_eq!(Explanation::with(&Prompt::default(), &Bytes4, &mut labels).bytes, 0);
    /// ```
    #[must_use]
    pub fn with(prompt: &Prompt, counter: &dyn Counter, labels: &mut Labels<'_>) -> Explanation {
        let parts: Vec<PartRow> =
            prompt.parts.iter().map(|part| PartRow::of(prompt, part, counter, labels)).collect();
        let tokens = Tokens::of(&prompt.text, counter);
        let cache = CacheLine::of(prompt, &parts, tokens.count, counter);
        Explanation {
            preset: prompt.preset.clone(),
            parts,
            attachments: prompt
                .attachments
                .iter()
                .map(|attachment| AttachmentRow::of(attachment, counter, labels))
                .collect(),
            absent: prompt.absent.clone(),
            bytes: prompt.text.len(),
            tokens,
            cache,
            triggers: prompt.triggers.clone(),
        }
    }
}

impl PartRow {
    fn of(prompt: &Prompt, part: &Part, counter: &dyn Counter, labels: &mut Labels<'_>) -> PartRow {
        let text = prompt.text_of(part);
        let found = group_by_origin(part.spans.iter().map(|span| (span.range.clone(), &span.origin)));
        PartRow {
            section: part.section.clone(),
            provider: part.provider.clone(),
            stability: part.stability,
            tokens: counter.count(text),
            bytes: text.len(),
            range: part.range.clone(),
            share: if text.is_empty() { 0.0 } else { text.len() as f64 / prompt.text.len() as f64 },
            sources: found.iter().map(|one| SourceRow::of(text, one, counter, labels)).collect(),
            cuts: part.cuts.clone(),
        }
    }
}

impl AttachmentRow {
    fn of(attachment: &Attachment, counter: &dyn Counter, labels: &mut Labels<'_>) -> AttachmentRow {
        let Attachment { place, part, text } = attachment;
        let found = group_by_origin(part.spans.iter().map(|span| (span.range.clone(), &span.origin)));
        AttachmentRow {
            id: part.section.clone(),
            place: *place,
            stability: part.stability,
            tokens: counter.count(text),
            bytes: text.len(),
            sources: found.iter().map(|one| SourceRow::of(text, one, counter, labels)).collect(),
        }
    }
}

impl SourceRow {
    fn of(text: &str, found: &OriginCoverage, counter: &dyn Counter, labels: &mut Labels<'_>) -> SourceRow {
        let tokens = match found.ranges.as_slice() {
            [range] => counter.count(&text[range.clone()]),
            ranges => counter.count(&ranges.iter().map(|range| &text[range.clone()]).collect::<String>()),
        };
        SourceRow {
            label: labels.label(&found.origin),
            origin: found.origin.clone(),
            scope: found.origin.scope(),
            tokens,
            bytes: found.ranges.iter().map(Range::len).sum(),
        }
    }
}

impl CacheLine {
    fn of(prompt: &Prompt, rows: &[PartRow], total: usize, counter: &dyn Counter) -> CacheLine {
        let moving = rows.iter().position(|row| row.stability != Stability::Static);
        let static_parts = moving.unwrap_or(rows.len());
        let static_bytes = rows[..static_parts].last().map_or(0, |row| row.range.end);
        let static_tokens = match moving {
            None => total,
            Some(_) => counter.count(&prompt.text[..static_bytes]),
        };
        let mut so_far = blake3::Hasher::new();
        let mut sum = 0;
        let steps = rows.iter().enumerate().map(|(at, row)| {
            let (last, known) =
                if at < static_parts { (static_parts, static_tokens) } else { (rows.len(), total) };
            sum = if at + 1 == last { known } else { known.min(sum + row.tokens) };
            let text = &prompt.text.as_bytes()[row.range.clone()];
            so_far.update(text);
            CacheStep {
                section: row.section.clone(),
                bytes: row.range.end,
                tokens: sum,
                digest: short(&blake3::hash(text)),
                prefix: short(&so_far.finalize()),
            }
        });
        let steps = steps.collect();
        let behind = rows[static_parts..].iter().filter(|row| row.stability == Stability::Static);
        CacheLine {
            static_parts,
            static_bytes,
            static_tokens,
            ends_at: moving.map(|at| rows[at].section.clone()),
            stranded_tokens: behind.map(|row| row.tokens).sum(),
            steps,
        }
    }
}

fn short(hash: &blake3::Hash) -> String {
    hash.to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::Bytes4,
        origin::Source,
        testing::{file, literal, prompts, variable},
        variable::Stability::{Conversation, Static, Turn},
    };
    use proptest::prelude::*;

    fn prompt() -> Prompt {
        Prompt::default()
            .with_stability("identity", Static, &[("You help.", literal("section.identity.text"))])
            .with_stability(
                "rules",
                Static,
                &[
                    ("\n\n", literal("join")),
                    ("On ", file("AGENTS.md", 8..11)),
                    ("main", variable("git:branch")),
                    (" use tabs.", file("AGENTS.md", 23..33)),
                ],
            )
            .with_stability("now", Turn, &[("\n\n2026-10-01", variable("system:local_date"))])
            .with_stability("tail", Static, &[("Goodbye.", literal("section.tail.text"))])
    }

    #[test]
    fn a_row_names_its_sources_once() {
        let mut labels = Labels::with_files(|_: &Source| Some("# Rules\nOn [git:branch] use tabs."));
        let explanation = Explanation::with(&prompt(), &Bytes4, &mut labels);
        let row = &explanation.parts[1];
        assert_eq!((row.tokens, row.bytes, row.range.clone()), (5, 19, 9..28));
        let sources: Vec<_> = row
            .sources
            .iter()
            .map(|one| format!("{} {:?} {} {}", one.label, one.scope, one.tokens, one.bytes))
            .collect();
        assert_eq!(
            sources,
            ["test.toml join None 1 2", "AGENTS.md:2 Some(Project) 4 13", "[git:branch] None 1 4"]
        );
    }

    #[test]
    fn the_static_prefix_ends_at_the_first_part_that_moves() {
        let cache = Explanation::of(&prompt(), &Bytes4).cache;
        assert_eq!((cache.static_parts, cache.static_bytes, cache.static_tokens), (2, 28, 7));
        assert_eq!(cache.ends_at, Some(SectionId::new("now")));
        assert_eq!(cache.stranded_tokens, 2);
        let tokens: Vec<_> = cache.steps.iter().map(|step| step.tokens).collect();
        assert_eq!(tokens, [3, 7, 10, 12], "3 + 5 tokens are 7 as one text, and the sum goes on from there");
        assert_eq!(cache.steps[3].prefix, prompt().fingerprint()[7..19]);
        assert_eq!(cache.steps[0].prefix, cache.steps[0].digest);
    }

    #[test]
    fn a_prompt_without_moving_parts_is_static_to_its_end() {
        let cache = Explanation::of(&Prompt::default().with("a", &[("abc", literal("a"))]), &Bytes4).cache;
        assert_eq!((cache.static_bytes, cache.static_tokens, cache.ends_at), (3, 1, None));
        let moving = Prompt::default().with_stability("a", Conversation, &[("abc", literal("a"))]);
        let cache = Explanation::of(&moving, &Bytes4).cache;
        assert_eq!(
            (cache.static_bytes, cache.static_tokens, cache.ends_at),
            (0, 0, Some(SectionId::new("a")))
        );
    }

    #[test]
    fn many_spans_are_all_listed() {
        let pieces: Vec<_> = (0..200_000)
            .map(|at| {
                (
                    "some text of a span, a b c",
                    if at % 2 == 0 { file("a.md", at..at + 26) } else { variable("a:b") },
                )
            })
            .collect();
        let prompt = Prompt::default().with("a", &pieces);
        let lines = "line\n".repeat(50_000);
        let mut labels = Labels::with_files(|_: &Source| Some(&lines));
        let explanation = Explanation::with(&prompt, &Bytes4, &mut labels);
        assert_eq!(explanation.parts[0].sources.len(), 2);
        assert_eq!(crate::explain::spans_view(&prompt, &mut labels).len(), 200_000);
        assert_eq!(crate::document::Document::of(&prompt, &Bytes4).check(), Ok(()));
        assert_eq!(crate::explain::at_text(&prompt, "a b").len(), 200_000);
    }

    proptest! {
        #[test]
        fn rows_and_sources_add_up(prompt in prompts()) {
            let explanation = Explanation::of(&prompt, &Bytes4);
            let share: f64 = explanation.parts.iter().map(|row| row.share).sum();
            prop_assert!(prompt.text.is_empty() || (share - 1.0).abs() < 1e-9);
            for row in &explanation.parts {
                prop_assert_eq!(row.sources.iter().map(|one| one.bytes).sum::<usize>(), row.bytes);
            }
            let steps = &explanation.cache.steps;
            prop_assert!(steps.is_sorted_by_key(|step| step.tokens));
            for step in steps {
                let digest = blake3::hash(&prompt.text.as_bytes()[..step.bytes]);
                prop_assert_eq!(&step.prefix, &short(&digest));
            }
            if let Some(last) = steps.last() {
                prop_assert_eq!(last.tokens, explanation.tokens.count);
            }
        }
    }
}
