//! Assemble: the only stage that orders. It joins the parts and never fails.

use crate::{
    attachment::Attachment,
    audit::AuditEvent,
    origin::{Piece, Span},
    pipeline::draft::{Draft, DraftPart, behead_spans, truncate_spans},
    profile::PartOrder,
    prompt::Prompt,
};

/// The rule by which parts are put together.
#[derive(Clone, Copy, Debug)]
pub struct JoinRules<'a> {
    /// The order.
    pub arrange: PartOrder,
    /// The text between two parts.
    pub join: &'a Piece,
    /// True: line ends on both sides give way to it.
    pub seam: bool,
}

/// Orders the parts and joins them into a prompt. Diagnostics are the caller's to add.
#[must_use]
pub fn assemble(fitted: Draft, preset: &str, joining: JoinRules<'_>) -> Prompt {
    let Draft { parts, absent } = fitted;
    let (attachments, mut parts): (Vec<DraftPart>, Vec<DraftPart>) =
        parts.into_iter().partition(|part| part.meta.place.is_some());
    match joining.arrange {
        PartOrder::Listed => parts.sort_by_key(|part| part.meta.last),
        PartOrder::Stability => parts.sort_by_key(|part| (part.meta.last, part.stability)),
        PartOrder::Priority => {
            parts.sort_by_key(|part| (part.meta.last, std::cmp::Reverse(part.meta.priority)));
        }
    }
    let size = parts.iter().map(|part| part.text.len() + joining.join.text.len()).sum();
    let mut prompt = Prompt {
        text: String::with_capacity(size),
        preset: preset.to_owned(),
        parts: Vec::with_capacity(parts.len()),
        absent,
        attachments: attachments.into_iter().filter_map(Attachment::of).collect(),
        ..Prompt::default()
    };
    let mut contributed = Vec::new();
    for part in parts {
        contributed.extend(part.meta.audit_id.clone().map(|id| (prompt.parts.len(), id)));
        append(&mut prompt, part, joining);
    }
    // Counted at the end: a seam takes line ends from both of its sides.
    for (at, provider_id) in contributed {
        let gap = if at == 0 { 0 } else { joining.join.text.len() };
        let byte_count = prompt.parts[at].range.len().saturating_sub(gap);
        if byte_count > 0 {
            prompt.audit.push(AuditEvent::ContextContributionMade { provider_id, byte_count });
        }
    }
    prompt
}

fn append(prompt: &mut Prompt, mut draft: DraftPart, joining: JoinRules<'_>) {
    let mut text = draft.text.as_str();
    let spans = &mut draft.spans;
    let mut start = prompt.text.len();
    if let Some(before) = prompt.parts.last_mut() {
        if joining.seam {
            // Never before the part's start: what is there was trimmed when the part was appended.
            let end = prompt.text.trim_end_matches(['\n', '\r']).len();
            prompt.text.truncate(end);
            truncate_spans(&mut before.spans, end - before.range.start);
            before.range.end = end;
            start = end;
            let rest = text.trim_start_matches(['\n', '\r']);
            behead_spans(spans, text.len() - rest.len());
            text = rest;
        }
        let gap = joining.join.text.len();
        if gap > 0 {
            prompt.text.push_str(&joining.join.text);
            for span in spans.iter_mut() {
                span.range = span.range.start + gap..span.range.end + gap;
            }
            spans.insert(0, Span { range: 0..gap, origin: joining.join.origin.clone() });
        }
    }
    prompt.text.push_str(text);
    prompt.parts.push(draft.placed(start..prompt.text.len()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        origin::Origin,
        section::{SectionId, SectionMeta},
        variable::Stability,
    };
    use std::sync::Arc;

    fn part(id: &str, text: &str, stability: Stability, priority: i64) -> DraftPart {
        let meta = SectionMeta { priority, ..SectionMeta::new(SectionId::new(id)) };
        let mut part = DraftPart { stability, ..DraftPart::new(meta) };
        part.push(text, Origin::Caller { flag: id.into() });
        part
    }

    fn join(parts: Vec<DraftPart>, arrange: PartOrder, seam: bool) -> Prompt {
        let piece = Piece {
            text: "\n\n".into(),
            origin: Origin::Literal { profile: "test".into(), key: "join".into() },
        };
        let fitted = Draft { parts, absent: Vec::new() };
        let prompt = assemble(fitted, "test", JoinRules { arrange, join: &piece, seam });
        prompt.check_tiling().expect("parts and spans tile the prompt");
        prompt
    }

    /// What holds between the two files holds between parts as well.
    #[test]
    fn the_seam_is_one_blank_line() {
        for (a, b, result) in [
            ("A", "B", "A\n\nB"),
            ("A\n", "B\n", "A\n\nB\n"),
            ("A\n\n", "\n\nB", "A\n\nB"),
            ("A\r\n", "B", "A\n\nB"),
            ("A\r", "\rB", "A\n\nB"),
            ("A  \n", "  B", "A  \n\n  B"),
        ] {
            let parts = vec![part("a", a, Stability::Static, 0), part("b", b, Stability::Static, 0)];
            assert_eq!(join(parts, PartOrder::Listed, true).text, result, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_part_of_line_ends_only_takes_nothing_from_its_neighbors() {
        for blank in ["\n", "\n\n\n", "\r\n", ""] {
            let parts = [("first", blank), ("a", "A\n"), ("blank", blank), ("again", blank), ("b", "\nB")];
            let parts = parts.map(|(id, text)| part(id, text, Stability::Static, 0));
            let prompt = join(parts.to_vec(), PartOrder::Listed, true);
            assert_eq!(prompt.text, "\n\nA\n\nB", "{blank:?}");
            let texts: Vec<&str> = prompt.parts.iter().map(|part| &prompt.text[part.range.clone()]).collect();
            assert_eq!(texts, ["", "\n\nA", "", "", "\n\nB"], "{blank:?}");
        }
    }

    #[test]
    fn orders_are_stable() {
        use Stability::{Conversation, Static, Turn};
        let parts = || {
            vec![
                part("t1", "1", Turn, 1),
                part("s1", "2", Static, 9),
                part("c", "3", Conversation, 1),
                part("s2", "4", Static, 5),
                part("t2", "5", Turn, 9),
            ]
        };
        let ids = |arrange| {
            let prompt = join(parts(), arrange, false);
            prompt.parts.iter().map(|p| p.section.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(ids(PartOrder::Listed), "t1 s1 c s2 t2");
        assert_eq!(ids(PartOrder::Stability), "s1 s2 c t1 t2");
        assert_eq!(ids(PartOrder::Priority), "s1 t2 s2 t1 c");
    }

    #[test]
    fn the_log_counts_the_bytes_that_are_in_the_prompt() {
        let mut parts =
            vec![part("a", "A\n\n", Stability::Static, 0), part("b", "\nB\n", Stability::Static, 0)];
        for part in &mut parts {
            let audit_id = Some(part.meta.id.to_string());
            Arc::make_mut(&mut part.meta).audit_id = audit_id;
        }
        let prompt = join(parts, PartOrder::Listed, true);
        let made =
            |id: &str, byte_count| AuditEvent::ContextContributionMade { provider_id: id.into(), byte_count };
        assert_eq!((prompt.text.as_str(), prompt.audit), ("A\n\nB\n", vec![made("a", 1), made("b", 2)]));
    }

    #[test]
    fn a_separator_belongs_to_the_part_after_it() {
        let parts = vec![part("a", "A", Stability::Static, 0), part("b", "B", Stability::Static, 0)];
        let prompt = join(parts, PartOrder::Listed, false);
        assert_eq!(prompt.parts[1].range, 1..4);
        assert!(matches!(&prompt.parts[1].spans[0].origin, Origin::Literal { key, .. } if &**key == "join"));
        assert!(matches!(prompt.at(3), Some((_, range, Origin::Caller { .. })) if range == (3..4)));
    }
}
