//! The prompt. Text, explain view, diff and lock file are made of this one value.

use crate::{
    attachment::Attachment,
    audit::AuditEvent,
    diagnostic::Diagnostics,
    origin::{Origin, Source, Span},
    pipeline::draft::{Absent, Cut},
    profile::Compaction,
    scope::Scope,
    section::{ProviderName, SectionId},
    trigger::Trigger,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A finished system prompt whose parts tile its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    /// The text of the system prompt.
    pub text: String,
    /// The profile that made it.
    pub preset: String,
    /// The version of that profile's texts, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_version: Option<String>,
    /// The parts, in order. Their ranges follow each other without a gap.
    pub parts: Vec<Part>,
    /// The attachments, sent in messages of the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<Attachment>,
    /// The sections that are not in the prompt, with the reasons.
    pub absent: Vec<Absent>,
    /// Diagnostics for this caller.
    pub diagnostics: Diagnostics,
    /// Events for the audit log.
    pub audit: Vec<AuditEvent>,
    /// The triggers that made the prompt, in order; empty if it was built once and never changed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
}

/// One part of a prompt. The separator before it belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// The section of the part.
    pub section: SectionId,
    /// The context provider that contributed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<ProviderName>,
    /// The bytes of the part in the prompt.
    #[serde(with = "crate::origin::range")]
    pub range: Range<usize>,
    /// The stability of these bytes.
    pub stability: Stability,
    /// The priority of the part; the highest is cut last.
    pub priority: i64,
    /// The origin of each byte. Ranges count from the start of the **part**.
    pub spans: Vec<Span>,
    /// The text that was cut.
    pub cuts: Vec<Cut>,
}

/// A run of parts whose bytes stay the same equally long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptBlock {
    /// The bytes in the prompt.
    #[serde(with = "crate::origin::range")]
    pub range: Range<usize>,
    /// The stability of its least stable part.
    pub stability: Stability,
}

impl Prompt {
    /// Returns the text of a part.
    #[must_use]
    pub fn text_of(&self, part: &Part) -> &str {
        &self.text[part.range.clone()]
    }

    /// Appends the instructions of one request, such as those of a compaction, behind an empty line.
    ///
    /// ```
    /// use preface_core::prompt::Prompt;
    /// let mut prompt = Prompt::default();
    /// prompt.append_instructions("Summarize.");
    /// prompt.append_instructions("Be brief.");
    /// assert_eq!((prompt.text.as_str(), prompt.parts.len()), ("Summarize.\n\nBe brief.", 2));
    /// prompt.check_tiling().unwrap();
    /// ```
    pub fn append_instructions(&mut self, instructions: &str) {
        if instructions.is_empty() {
            return;
        }
        let start = self.text.len();
        let join = if start == 0 { "" } else { "\n\n" };
        self.text.push_str(join);
        self.text.push_str(instructions);
        let origin = if instructions == Compaction::BUNDLED.trim_end_matches('\n') {
            let source = Source { scope: Scope::Bundled, path: Compaction::BUNDLED_PATH.to_owned() };
            Origin::Source { source: source.into(), span: 0..instructions.len(), lossy: false }
        } else {
            Origin::Literal { profile: self.preset.as_str().into(), key: "compaction".into() }
        };
        let mut spans = vec![
            Span { range: 0..join.len(), origin: Origin::bundled("join") },
            Span { range: join.len()..join.len() + instructions.len(), origin },
        ];
        spans.retain(|span| !span.range.is_empty());
        self.parts.push(Part {
            section: SectionId::new("compaction"),
            provider: None,
            range: start..self.text.len(),
            stability: Stability::Turn,
            priority: 0,
            spans,
            cuts: Vec::new(),
        });
    }

    /// Returns the runs of parts that stay the same equally long: what is equal for every conversation, then what is fixed
    /// within one, then the rest. Their texts, one after the other, are the prompt. The separator between two belongs to the
    /// earlier one, and none is only white space.
    ///
    /// ```
    /// use preface_core::prompt::Prompt;
    /// assert!(Prompt::default().blocks().is_empty());
    /// ```
    #[must_use]
    pub fn blocks(&self) -> Vec<PromptBlock> {
        let mut blocks: Vec<PromptBlock> = Vec::new();
        let mut reached = Stability::Static;
        for part in &self.parts {
            let before = reached;
            reached = reached.max(part.stability);
            match blocks.last_mut() {
                Some(last) if reached == before => last.range.end = part.range.end,
                Some(last) => {
                    let separator = part.spans.first().filter(|span| span.origin.is_separator());
                    let start = part.range.start + separator.map_or(0, |span| span.range.len());
                    last.range.end = start;
                    blocks.push(PromptBlock { range: start..part.range.end, stability: reached });
                }
                None => blocks.push(PromptBlock { range: part.range.clone(), stability: reached }),
            }
        }
        let mut joined: Vec<PromptBlock> = Vec::new();
        for block in blocks {
            let blank = |range: &Range<usize>| self.text[range.clone()].trim().is_empty();
            match joined.last_mut() {
                Some(last) if blank(&last.range) || blank(&block.range) => {
                    *last = PromptBlock { range: last.range.start..block.range.end, ..block };
                }
                _ => joined.push(block),
            }
        }
        joined.retain(|block| !block.range.is_empty());
        joined
    }

    /// Returns the beginning of the text that is equal for every conversation of a configuration.
    #[must_use]
    pub fn static_prefix(&self) -> &str {
        match self.blocks().first() {
            Some(block) if block.stability == Stability::Static => &self.text[block.range.clone()],
            _ => "",
        }
    }

    /// Walks over all spans with ranges that count from the start of the **prompt**.
    pub fn spans(&self) -> impl Iterator<Item = (&Part, Range<usize>, &Origin)> {
        self.parts.iter().flat_map(|part| {
            let base = part.range.start;
            part.spans
                .iter()
                .map(move |span| (part, base + span.range.start..base + span.range.end, &span.origin))
        })
    }

    /// Returns the part and the origin of one byte.
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(&Part, Range<usize>, &Origin)> {
        let part = self.parts.get(self.parts.partition_point(|part| part.range.end <= offset))?;
        let within = offset.checked_sub(part.range.start)?;
        let span = part.spans.get(part.spans.partition_point(|span| span.range.end <= within))?;
        let base = part.range.start;
        Some((part, base + span.range.start..base + span.range.end, &span.origin))
    }

    /// Returns the digest of the text, as `blake3:<hex>`.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.text)
    }

    /// Checks that parts tile the text, that spans tile the parts and the attachments, and that no character is split. Every
    /// build holds this; a test and `--snapshot` readers call it.
    ///
    /// # Errors
    /// Names the first gap or overlap.
    pub fn check_tiling(&self) -> Result<(), String> {
        check_tiles(self.parts.iter().map(Part::tiles), &self.text)?;
        self.attachments.iter().try_for_each(Attachment::check_tiling)
    }
}

impl Part {
    /// Returns the section, the bytes of the part, and those of its spans in the same text.
    pub(crate) fn tiles(&self) -> (&SectionId, Range<usize>, impl Iterator<Item = Range<usize>>) {
        let base = self.range.start;
        let spans = self
            .spans
            .iter()
            .map(move |Span { range, .. }| base.saturating_add(range.start)..base.saturating_add(range.end));
        (&self.section, self.range.clone(), spans)
    }
}

/// Checks that parts tile a text, that spans tile the parts, and that no character is split.
pub(crate) fn check_tiles<'p, S: Iterator<Item = Range<usize>>>(
    parts: impl IntoIterator<Item = (&'p SectionId, Range<usize>, S)>,
    text: &str,
) -> Result<(), String> {
    let mut at = 0;
    for (section, range, spans) in parts {
        if range.start != at || range.end < at || range.end > text.len() {
            return Err(format!("part `{section}` covers {range:?}, expected to start at {at}"));
        }
        for span in spans {
            if span.start != at || span.end <= at || span.end > range.end {
                return Err(format!("a span of `{section}` covers {span:?}, expected to start at {at}"));
            }
            if !text.is_char_boundary(span.end) {
                return Err(format!("a span of `{section}` ends within a character, at {}", span.end));
            }
            at = span.end;
        }
        if at != range.end {
            return Err(format!("the spans of `{section}` end at {at}, the part at {}", range.end));
        }
    }
    match at == text.len() {
        true => Ok(()),
        false => Err(format!("the parts cover {at} of {} bytes", text.len())),
    }
}

/// Returns the digest of a text, as `blake3:<hex>`.
pub fn fingerprint(text: impl AsRef<[u8]>) -> String {
    format!("blake3:{}", blake3::hash(text.as_ref()).to_hex())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{literal, prompts, variable};
    use proptest::prelude::*;

    #[test]
    fn instructions_have_the_origin_of_their_text() {
        let origins = |instructions: &str| {
            let text = [("You help.", literal("section.identity.text"))];
            let mut prompt = Prompt::default().with_stability("identity", Stability::Static, &text);
            prompt.preset = "house".into();
            prompt.append_instructions(instructions);
            prompt.check_tiling().unwrap();
            prompt.parts[1].spans.iter().map(|span| span.origin.to_string()).collect::<Vec<_>>()
        };
        let bundled = Compaction::BUNDLED.trim_end_matches('\n');
        assert_eq!(origins(bundled), ["bundled join", Compaction::BUNDLED_PATH]);
        assert_eq!(origins("Be brief."), ["bundled join", "house.toml compaction"]);
    }

    fn blocks(prompt: &Prompt) -> Vec<(&str, Stability)> {
        let blocks = prompt.blocks();
        blocks.into_iter().map(|block| (&prompt.text[block.range], block.stability)).collect()
    }

    #[test]
    fn a_block_ends_behind_the_separator_and_none_is_blank() {
        use Stability::{Conversation, Static, Turn};
        let join = || ("\n\n", literal("join"));
        let prompt = Prompt::default()
            .with("a", &[("A", literal("a"))])
            .with("b", &[join(), ("B\n", literal("b"))])
            .with_stability("git", Conversation, &[join(), ("G", variable("git:branch"))])
            .with("late", &[join(), ("S", literal("late"))])
            .with_stability("now", Turn, &[join(), ("N", variable("system:time"))]);
        let expected = [("A\n\nB\n\n\n", Static), ("G\n\nS\n\n", Conversation), ("N", Turn)];
        assert_eq!(blocks(&prompt), expected);
        assert_eq!(prompt.static_prefix(), "A\n\nB\n\n\n");

        let blank = Prompt::default().with("a", &[(" \n", literal("a"))]).with_stability(
            "now",
            Turn,
            &[join(), ("N", variable("system:time"))],
        );
        assert_eq!((blocks(&blank), blank.static_prefix()), (vec![(" \n\n\nN", Turn)], ""));
    }

    proptest! {
        #[test]
        fn blocks_are_the_prompt_and_ordered_by_stability(prompt in prompts()) {
            let blocks = blocks(&prompt);
            prop_assert_eq!(blocks.iter().map(|(text, _)| *text).collect::<String>(), &*prompt.text);
            prop_assert!(blocks.is_sorted_by(|a, b| a.1 < b.1));
            prop_assert!(blocks.len() == 1 || blocks.iter().all(|(text, _)| !text.trim().is_empty()));
            prop_assert!(prompt.text.starts_with(prompt.static_prefix()));
        }
    }
}
