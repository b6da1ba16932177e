//! The document: a prompt as published JSON. What `--format json`, the library and the service return, what an audit
//! keeps, and what `diff` reads back.

use crate::{
    attachment::{Attachment, AttachmentPlace},
    audit::AuditEvent,
    budget::Counter,
    covering::group_by_origin,
    diagnostic::Diagnostics,
    origin::Origin,
    pipeline::draft::{Absent, Cut},
    prompt::{Part, Prompt, check_tiles},
    section::{ProviderName, SectionId},
    trigger::Trigger,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A published prompt. Every range counts UTF-8 bytes from the start of the prompt's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Document {
    /// The text for the model.
    pub text: String,
    /// The profile that made it.
    pub preset: String,
    /// The version of that profile's texts, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_version: Option<String>,
    /// The digest of the text, as `blake3:<hex>`.
    pub fingerprint: String,
    /// The number of tokens of the text.
    pub tokens: Tokens,
    /// The parts, in order. Their ranges follow each other without a gap.
    pub parts: Vec<DocumentPart>,
    /// The texts that are sent in messages of the user; they are no part of the prompt's text.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attachments: Vec<DocumentAttachment>,
    /// The sections that are not in the prompt, with reasons.
    pub absent: Vec<Absent>,
    /// Diagnostics for this caller.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::diagnostic::Diagnostic>))]
    pub diagnostics: Diagnostics,
    /// Events for the audit log.
    pub audit: Vec<AuditEvent>,
    /// The builds and hooks that made the prompt, in order; empty if it was built once and nothing changed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub triggers: Vec<Trigger>,
}

/// The number of tokens of a text, and its counter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tokens {
    /// The tokens.
    pub count: usize,
    /// The counter's name.
    pub counter: String,
    /// True if the count is the model's own, false if it is an estimate.
    pub exact: bool,
    /// The fewest tokens that the text may well have, where the counter estimates and knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<usize>,
    /// The most tokens that the text may well have, where the counter estimates and knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<usize>,
}

impl Tokens {
    /// Counts a text.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, document::Tokens};
    /// let tokens = Tokens::of("twelve bytes", &Bytes4);
    /// assert_eq!((tokens.count, tokens.counter.as_str(), tokens.exact), (3, "estimate:bytes4", false));
    /// ```
    #[must_use]
    pub fn of(text: &str, counter: &dyn Counter) -> Tokens {
        let (low, high) = counter.interval(text).unzip();
        Tokens {
            count: counter.count(text),
            counter: counter.name().to_owned(),
            exact: counter.exact(),
            low,
            high,
        }
    }
}

/// A published part. The separator before it belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DocumentPart {
    /// The section of the part.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub section: SectionId,
    /// The context provider that contributed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub provider: Option<ProviderName>,
    /// The bytes of the part in the prompt.
    #[serde(with = "crate::origin::range")]
    #[cfg_attr(feature = "openapi", schema(value_type = [usize; 2]))]
    pub range: Range<usize>,
    /// The tokens of the part, counted by itself: the parts may add up to more than the whole.
    pub tokens: usize,
    /// The stability of the bytes.
    pub stability: Stability,
    /// The priority: parts with the lowest are cut first.
    pub priority: i64,
    /// The origins of the text, each file (with the span that covers all that was taken), profile key, variable and flag
    /// once, in order of first appearance.
    pub origins: Vec<Origin>,
    /// The origin of each byte.
    pub spans: Vec<DocumentSpan>,
    /// The cuts of the part.
    pub cuts: Vec<Cut>,
}

/// A published text that is sent in a message of the user. Its spans count from the start of **its** text; the tags around
/// it are the request's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DocumentAttachment {
    /// The reminder or section that it is.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub id: SectionId,
    /// The message that it goes with.
    pub place: AttachmentPlace,
    /// The text.
    pub text: String,
    /// The tokens of the text, without the tags around it.
    pub tokens: usize,
    /// The stability of the bytes.
    pub stability: Stability,
    /// The origins of the text, each once, in order of first appearance.
    pub origins: Vec<Origin>,
    /// The origin of each byte.
    pub spans: Vec<DocumentSpan>,
}

impl DocumentAttachment {
    fn of(attachment: &Attachment, counter: &dyn Counter) -> DocumentAttachment {
        let Attachment { place, part, text } = attachment;
        let (spans, origins) = DocumentSpan::of(part, 0);
        DocumentAttachment {
            id: part.section.clone(),
            place: *place,
            text: text.clone(),
            tokens: counter.count(text),
            stability: part.stability,
            origins,
            spans,
        }
    }

    fn check(&self) -> Result<(), String> {
        let spans = self.spans.iter().map(|span| span.range.clone());
        check_tiles([(&self.id, 0..self.text.len(), spans)], &self.text)
    }
}

/// A published run of bytes of the prompt, or of an attachment, and its origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DocumentSpan {
    /// The bytes, counted from the start of the **prompt**; those of an attachment from the start of its text.
    #[serde(with = "crate::origin::range")]
    #[cfg_attr(feature = "openapi", schema(value_type = [usize; 2]))]
    pub range: Range<usize>,
    /// Where they came from.
    pub origin: Origin,
}

impl DocumentSpan {
    /// Returns the spans of a part that starts at `base`, and their origins, each once.
    fn of(part: &Part, base: usize) -> (Vec<DocumentSpan>, Vec<Origin>) {
        let spans = part.spans.iter().map(|span| DocumentSpan {
            range: base + span.range.start..base + span.range.end,
            origin: span.origin.clone(),
        });
        let spans: Vec<DocumentSpan> = spans.collect();
        let origins = group_by_origin(spans.iter().map(|span| (span.range.clone(), &span.origin)));
        (spans, origins.into_iter().map(|one| one.origin).collect())
    }
}

impl Document {
    /// Publishes a prompt, counted by `counter`.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, document::Document, prompt::Prompt};
    /// let document = Document::of(&Prompt { preset: "default".into(), ..Prompt::default() }, &Bytes4);
    /// assert_eq!((document.preset.as_str(), document.tokens.count), ("default", 0));
    /// ```
    #[must_use]
    pub fn of(prompt: &Prompt, counter: &dyn Counter) -> Document {
        Document {
            text: prompt.text.clone(),
            preset: prompt.preset.clone(),
            texts_version: prompt.texts_version.clone(),
            fingerprint: prompt.fingerprint(),
            tokens: Tokens::of(&prompt.text, counter),
            parts: prompt.parts.iter().map(|part| DocumentPart::of(prompt, part, counter)).collect(),
            attachments: prompt
                .attachments
                .iter()
                .map(|attachment| DocumentAttachment::of(attachment, counter))
                .collect(),
            absent: prompt.absent.clone(),
            diagnostics: prompt.diagnostics.clone(),
            audit: prompt.audit.clone(),
            triggers: prompt.triggers.clone(),
        }
    }

    /// Checks a document that was read back: parts tile the text, spans tile the parts, no character is split, and the
    /// fingerprint is the text's.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, document::Document, prompt::Prompt};
    /// let mut edited = Document::of(&Prompt::default(), &Bytes4);
    /// edited.text.push_str("and obey");
    /// assert_eq!(edited.check(), Err("the parts cover 0 of 8 bytes".into()));
    /// ```
    ///
    /// # Errors
    /// Names the first gap, overlap or split character, or the fingerprint that the text really has.
    pub fn check(&self) -> Result<(), String> {
        let parts = self.parts.iter().map(|part| {
            (&part.section, part.range.clone(), part.spans.iter().map(|span| span.range.clone()))
        });
        check_tiles(parts, &self.text)?;
        self.attachments.iter().try_for_each(DocumentAttachment::check)?;
        let found = crate::prompt::fingerprint(&self.text);
        if self.fingerprint != found {
            return Err(format!("the fingerprint is `{}`, the text's is `{found}`", self.fingerprint));
        }
        Ok(())
    }

    /// Returns the part and the span of one byte, in a document that [`check`](Document::check) accepts.
    ///
    /// ```
    /// use preface_core::{budget::Bytes4, document::Document, prompt::Prompt};
    /// assert!(Document::of(&Prompt::default(), &Bytes4).at(0).is_none());
    /// ```
    #[must_use]
    pub fn at(&self, offset: usize) -> Option<(&DocumentPart, &DocumentSpan)> {
        let part = self.parts.get(self.parts.partition_point(|part| part.range.end <= offset))?;
        let span = part.spans.get(part.spans.partition_point(|span| span.range.end <= offset))?;
        span.range.contains(&offset).then_some((part, span))
    }
}

impl DocumentPart {
    fn of(prompt: &Prompt, part: &Part, counter: &dyn Counter) -> DocumentPart {
        let (spans, origins) = DocumentSpan::of(part, part.range.start);
        DocumentPart {
            section: part.section.clone(),
            provider: part.provider.clone(),
            range: part.range.clone(),
            tokens: counter.count(prompt.text_of(part)),
            stability: part.stability,
            priority: part.priority,
            origins,
            spans,
            cuts: part.cuts.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::{Bytes4, CLAUDE},
        diagnostic::{Diagnostic, Place},
        pipeline::draft::{AbsentReason, CutWhy},
        scope::Scope,
        testing::{caller, file, literal, prompts, variable},
    };
    use proptest::prelude::*;

    fn prompt() -> Prompt {
        let mut prompt = Prompt::default()
            .with("identity", &[("You help.", literal("section.identity.text"))])
            .with_stability(
                "environment",
                Stability::Turn,
                &[
                    ("\n\n", literal("join")),
                    ("Today is ", file("AGENTS.md", 0..9)),
                    ("2026-10-01", variable("system:local_date")),
                    (".", file("AGENTS.md", 28..29)),
                    ("!", caller("--append")),
                ],
            );
        prompt.preset = "default".into();
        prompt.parts[1].provider = Some(ProviderName::new("instructions"));
        prompt.parts[1].cuts.push(Cut { why: CutWhy::Ceiling, before: 9, after: 6, range: 29..40 });
        prompt.absent.push(Absent {
            section: SectionId::new("skills"),
            reason: AbsentReason::Condition,
            why: "condition `tool:read` is false".into(),
        });
        prompt.diagnostics.push(
            Diagnostic::warning(crate::diagnostic::DiagnosticCode::TrustUntrusted, "`AGENTS.md` is held")
                .at(Place::file(Some(Scope::Project), "AGENTS.md"))
                .help("grant it"),
        );
        prompt.audit.push(AuditEvent::ContextContributionMade {
            provider_id: "SystemPromptFile".into(),
            byte_count: 860,
        });
        prompt
    }

    #[test]
    fn the_json_is_the_contract() {
        let json = serde_json::to_string_pretty(&Document::of(&prompt(), &Bytes4)).unwrap();
        let expected = r#"{
  "text": "You help.\n\nToday is 2026-10-01.!",
  "preset": "default",
  "fingerprint": "FINGERPRINT",
  "tokens": {"count": 8, "counter": "estimate:bytes4", "exact": false},
  "parts": [
    {"section": "identity", "range": [0, 9], "tokens": 3, "stability": "static", "priority": 50,
     "origins": [{"kind": "literal", "profile": "test", "key": "section.identity.text"}],
     "spans": [{"range": [0, 9], "origin": {"kind": "literal", "profile": "test", "key": "section.identity.text"}}],
     "cuts": []},
    {"section": "environment", "provider": "instructions", "range": [9, 32], "tokens": 6, "stability": "turn", "priority": 50,
     "origins": [
       {"kind": "literal", "profile": "test", "key": "join"},
       {"kind": "source", "scope": "project", "path": "AGENTS.md", "span": [0, 29]},
       {"kind": "variable", "key": "system:local_date", "source": "test"},
       {"kind": "caller", "flag": "--append"}],
     "spans": [
       {"range": [9, 11], "origin": {"kind": "literal", "profile": "test", "key": "join"}},
       {"range": [11, 20], "origin": {"kind": "source", "scope": "project", "path": "AGENTS.md", "span": [0, 9]}},
       {"range": [20, 30], "origin": {"kind": "variable", "key": "system:local_date", "source": "test"}},
       {"range": [30, 31], "origin": {"kind": "source", "scope": "project", "path": "AGENTS.md", "span": [28, 29]}},
       {"range": [31, 32], "origin": {"kind": "caller", "flag": "--append"}}],
     "cuts": [{"why": "ceiling", "before": 9, "after": 6, "range": [29, 40]}]}],
  "absent": [{"section": "skills", "reason": "condition", "why": "condition `tool:read` is false"}],
  "diagnostics": [{"code": "trust/untrusted", "severity": "warning", "message": "`AGENTS.md` is held",
    "location": {"scope": "project", "path": "AGENTS.md"}, "help": "grant it"}],
  "audit": [{"type": "ContextContributionMade", "payload": {"providerId": "SystemPromptFile", "byteCount": 860}}]
}"#
        .replace("FINGERPRINT", &prompt().fingerprint());
        // Compared as text, so that the order of the keys is part of the contract.
        let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
        assert_eq!(json, serde_json::to_string_pretty(&expected).unwrap());
    }

    #[test]
    fn an_estimate_of_a_family_has_an_interval() {
        let tokens = Tokens::of(&"x".repeat(1000), &CLAUDE);
        let json = r#"{"count":252,"counter":"estimate:claude","exact":false,"low":222,"high":284}"#;
        assert_eq!(serde_json::to_string(&tokens).unwrap(), json);
        assert_eq!(serde_json::from_str::<Tokens>(json).unwrap(), tokens);
    }

    #[test]
    fn a_byte_finds_its_part_and_span() {
        let document = Document::of(&prompt(), &Bytes4);
        let origin = |at| document.at(at).map(|(part, span)| format!("{} {}", part.section, span.origin));
        assert_eq!(origin(8).as_deref(), Some("identity test.toml section.identity.text"));
        assert_eq!(origin(9).as_deref(), Some("environment test.toml join"));
        assert_eq!(origin(20).as_deref(), Some("environment [system:local_date]"));
        assert_eq!(origin(32), None);
    }

    #[test]
    fn a_forged_text_does_not_match_its_fingerprint() {
        let mut document = Document::of(&prompt(), &Bytes4);
        document.text = document.text.replace("You", "Yon");
        assert!(document.check().unwrap_err().starts_with("the fingerprint is `blake3:"));
    }

    #[test]
    fn a_split_character_is_found() {
        let made = Prompt::default().with("a", &[("é", literal("a")), ("é", literal("b"))]);
        let mut document = Document::of(&made, &Bytes4);
        document.parts[0].spans[0].range.end = 1;
        document.parts[0].spans[1].range.start = 1;
        assert_eq!(document.check().unwrap_err(), "a span of `a` ends within a character, at 1");
    }

    proptest! {
        #[test]
        fn a_document_comes_back_from_json(prompt in prompts()) {
            let document = Document::of(&prompt, &Bytes4);
            prop_assert_eq!(document.check(), Ok(()));
            let back: Document = serde_json::from_str(&serde_json::to_string(&document).unwrap()).unwrap();
            prop_assert_eq!(back, document);
        }

        #[test]
        fn a_planted_gap_is_found(
            prompt in prompts(), which in any::<prop::sample::Index>(), edge in 0..6, by in 1usize..4
        ) {
            let mut document = Document::of(&prompt, &Bytes4);
            prop_assume!(!document.parts.is_empty());
            let part = which.get(&document.parts).section.clone();
            let part = document.parts.iter_mut().find(|one| one.section == part).unwrap();
            let spans = part.spans.len();
            match edge {
                0 => part.range.start += by,
                1 => part.range.end += by,
                2 => part.range.end = part.range.end.wrapping_sub(by),
                3 if spans > 0 => part.spans[which.index(spans)].range.start += by,
                4 if spans > 0 => part.spans[which.index(spans)].range.end += by,
                5 if spans > 0 => drop(part.spans.remove(which.index(spans))),
                _ => document.text.push('x'),
            }
            prop_assert!(document.check().is_err());
        }
    }
}
