//! Revise: the changes of a hook to a finished prompt, byte by byte.
//!
//! A hook replies with a whole text, without its changes. The text is compared with the one that the hook was
//! given: what both begin with and what both end with keeps its parts, spans and origins, and what is between is the
//! hook's. Removed bytes are counted and reported.

use crate::{
    diagnostic::{Diagnostic, DiagnosticCode},
    hook::HookEvent,
    origin::{Origin, Span},
    pipeline::draft::{Absent, AbsentReason, behead_spans, truncate_spans},
    prompt::{Part, Prompt},
    section::{DEFAULT_PRIORITY, SectionId},
    settings::shown,
    variable::Stability,
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::Range};

/// The most sections that a diagnostic names.
const NAMED: usize = 8;

/// Bytes of a section that a hook took out of the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionRemoval {
    /// The section.
    pub section: SectionId,
    /// The number of bytes that were removed.
    pub bytes: usize,
}

impl SectionRemoval {
    /// Reports what a hook removed, as one info `hook/removed`; `None` if nothing was.
    #[must_use]
    pub fn note(removed: &[SectionRemoval], hook: &str, event: HookEvent) -> Option<Diagnostic> {
        let each = |one: &SectionRemoval| format!("{} bytes of `{}`", one.bytes, shown(one.section.as_str()));
        let mut all: Vec<String> = removed.iter().take(NAMED).map(each).collect();
        if removed.len() > NAMED {
            let bytes: usize = removed[NAMED..].iter().map(|one| one.bytes).sum();
            all.push(format!("{bytes} bytes of {} more sections", removed.len() - NAMED));
        }
        let all = all.join(", ");
        let what = format!("hook `{}` took out of the prompt at {event}: {all}", shown(hook));
        (!removed.is_empty()).then(|| Diagnostic::info(DiagnosticCode::HookRemoved, what))
    }
}

/// Returns the section of what a hook put into the prompt: `hooks.NAME`.
#[must_use]
pub fn section_of(hook: &str) -> SectionId {
    SectionId::new(format!("hooks.{hook}"))
}

impl Prompt {
    /// Takes over the text that a hook answered with, and returns what went.
    ///
    /// The longest common beginning and, of what is left, the longest common end stay as they are; of several ways to see
    /// an insertion the last place counts. What is between becomes one part of the hook's section (see [`section_of`]) with
    /// [`Origin::Hook`], which lasts for a turn. A part that is cut in the middle becomes two parts of its section; a
    /// section that is gone as a whole is [`Absent`] from now on. Diagnostics are the caller's to add: [`SectionRemoval::note`].
    ///
    /// ```
    /// use preface_core::{hook::HookEvent, prompt::Prompt};
    /// let mut prompt = Prompt::default();
    /// let removed = prompt.revise("Be brief.", "tone", HookEvent::BeforeAgentStart);
    /// assert!(removed.is_empty());
    /// assert_eq!(prompt.text, "Be brief.");
    /// assert_eq!(prompt.parts[0].section.as_str(), "hooks.tone");
    /// assert_eq!(prompt.at(3).unwrap().2.to_string(), "hook tone (before_agent_start)");
    /// ```
    pub fn revise(&mut self, text: &str, hook: &str, event: HookEvent) -> Vec<SectionRemoval> {
        let (from, end) = changed(&self.text, text);
        if from == self.text.len() && from == text.len() {
            return Vec::new();
        }
        let kept_at_end = self.text.len() - end;
        let middle = &text[from..text.len() - kept_at_end];
        let mut parts = Vec::with_capacity(self.parts.len() + 2);
        let mut gone: Vec<SectionRemoval> = Vec::new();
        let mut rest = Vec::new();
        for part in std::mem::take(&mut self.parts) {
            if part.range.end <= from {
                parts.push(part);
            } else if part.range.start >= end {
                rest.push(part);
            } else {
                count(&mut gone, &part, part.range.start.max(from)..part.range.end.min(end));
                let head = part_before(&part, from);
                let mut tail = part_after(&part, end);
                if let (Some(_), Some(tail)) = (&head, &mut tail) {
                    // Earlier cuts of the part are listed once.
                    tail.cuts.clear();
                }
                parts.extend(head);
                rest.extend(tail);
            }
        }
        if !middle.is_empty() {
            let origin = Origin::Hook { hook: hook.into(), event };
            parts.push(Part {
                section: section_of(hook),
                provider: None,
                range: from..from + middle.len(),
                stability: Stability::Turn,
                priority: DEFAULT_PRIORITY,
                spans: vec![Span { range: 0..middle.len(), origin }],
                cuts: Vec::new(),
            });
        }
        parts.extend(move_parts(rest, end, from + middle.len()));
        let there: BTreeSet<&SectionId> = parts.iter().map(|part| &part.section).collect();
        let lost = gone.iter().filter(|one| !there.contains(&one.section));
        self.absent.extend(lost.map(|one| Absent {
            section: one.section.clone(),
            reason: AbsentReason::Replaced,
            why: format!("hook `{}` took it out at {event}", shown(hook)),
        }));
        self.parts = parts;
        text.clone_into(&mut self.text);
        gone
    }

    /// Appends the parts of `other` that are behind its first `at` bytes, with their text.
    pub(crate) fn append_behind(&mut self, other: &Prompt, at: usize) {
        let rest = other.parts.iter().filter(|part| part.range.end > at);
        let rest = rest.filter_map(|part| part_after(part, at)).collect();
        self.parts.extend(move_parts(rest, at, self.text.len()));
        self.text.push_str(&other.text[at..]);
    }
}

/// Returns where two texts begin to differ, and where in the old one they are the same again. Both are starts of
/// characters.
fn changed(old: &str, new: &str) -> (usize, usize) {
    let mut from = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    while !(old.is_char_boundary(from) && new.is_char_boundary(from)) {
        from -= 1;
    }
    let (old_rest, new_rest) = (&old[from..], &new[from..]);
    let same = old_rest.bytes().rev().zip(new_rest.bytes().rev()).take_while(|(a, b)| a == b).count();
    let mut end = old_rest.len() - same;
    while !old_rest.is_char_boundary(end) {
        end += 1;
    }
    (from, from + end)
}

/// Returns the part up to `at`, a place in the prompt.
fn part_before(part: &Part, at: usize) -> Option<Part> {
    let len = at.checked_sub(part.range.start).filter(|len| *len > 0)?;
    let mut head = part.clone();
    head.range.end = at;
    truncate_spans(&mut head.spans, len);
    Some(head)
}

/// Returns the part from `at` on, a place in the prompt; the whole part where it starts later.
fn part_after(part: &Part, at: usize) -> Option<Part> {
    if part.range.end <= at {
        return None;
    }
    let mut tail = part.clone();
    behead_spans(&mut tail.spans, at.saturating_sub(part.range.start));
    tail.range.start = part.range.start.max(at);
    Some(tail)
}

/// Moves parts that lay behind `from` to behind `to`.
fn move_parts(parts: Vec<Part>, from: usize, to: usize) -> impl Iterator<Item = Part> {
    parts.into_iter().map(move |mut part| {
        part.range = part.range.start - from + to..part.range.end - from + to;
        part
    })
}

/// Counts removed bytes of a part, by section, in the order of the prompt.
fn count(gone: &mut Vec<SectionRemoval>, part: &Part, bytes: Range<usize>) {
    match gone.iter_mut().find(|one| one.section == part.section) {
        _ if bytes.is_empty() => {}
        Some(known) => known.bytes += bytes.len(),
        None => gone.push(SectionRemoval { section: part.section.clone(), bytes: bytes.len() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        pipeline::draft::{Cut, CutWhy},
        testing::{file, hook, literal, prompts},
    };
    use proptest::prelude::*;

    const EVENT: HookEvent = HookEvent::BeforeAgentStart;

    fn given() -> Prompt {
        Prompt::default()
            .with(
                "a",
                &[("Use tabs.\n", file("AGENTS.md", 0..10)), ("Be kind.\n", file("AGENTS.md", 10..19))],
            )
            .with("b", &[("\n", literal("join")), ("Date: today", literal("date"))])
    }

    /// Each span as `section label text`.
    fn shape(prompt: &Prompt) -> Vec<String> {
        prompt.check_tiling().expect("parts and spans tile the prompt");
        let row = |(part, range, origin): (&Part, Range<usize>, &Origin)| {
            let place = match origin {
                Origin::Source { span, .. } => format!("{origin}{span:?}"),
                other => other.to_string(),
            };
            format!("{} {place} {:?}", part.section, &prompt.text[range])
        };
        prompt.spans().map(row).collect()
    }

    fn revised(text: &str) -> (Vec<String>, Vec<(String, usize)>) {
        let mut prompt = given();
        let removed = prompt.revise(text, "h", EVENT);
        assert_eq!(prompt.text, text);
        (shape(&prompt), removed.into_iter().map(|one| (one.section.to_string(), one.bytes)).collect())
    }

    #[test]
    fn what_stays_keeps_its_origin_and_the_rest_is_the_hooks() {
        let tabs = r#"a AGENTS.md0..10 "Use tabs.\n""#;
        let kind = r#"a AGENTS.md10..19 "Be kind.\n""#;
        let (join, date) = (r#"b test.toml join "\n""#, r#"b test.toml date "Date: today""#);
        let by = |text: &str| format!("hooks.h hook h (before_agent_start) {text:?}");
        let none: &[(&str, usize)] = &[];
        for (text, spans, removed) in [
            // Nothing changed.
            ("Use tabs.\nBe kind.\n\nDate: today", vec![tabs, kind, join, date], none),
            // Behind, before, between two parts.
            ("Use tabs.\nBe kind.\n\nDate: today!", vec![tabs, kind, join, date, &by("!")], none),
            ("# Use tabs.\nBe kind.\n\nDate: today", vec![&by("# "), tabs, kind, join, date], none),
            ("Use tabs.\nBe kind.\n--\nDate: today", vec![tabs, kind, &by("--"), join, date], none),
            // A part is cut in the middle.
            (
                "Use tabs.\nBe very kind.\n\nDate: today",
                vec![
                    tabs,
                    r#"a AGENTS.md10..13 "Be ""#,
                    &by("very "),
                    r#"a AGENTS.md13..19 "kind.\n""#,
                    join,
                    date,
                ],
                none,
            ),
            // Bytes go, over the border of two parts.
            (
                "Use tabs.\nBe so: today",
                vec![tabs, r#"a AGENTS.md10..13 "Be ""#, &by("so"), r#"b test.toml date ": today""#],
                &[("a", 6), ("b", 5)],
            ),
            ("Use tabs.\n\nDate: today", vec![tabs, join, date], &[("a", 9)]),
            // Nothing, or nothing of it, stays.
            ("", vec![], &[("a", 19), ("b", 12)]),
            ("Other", vec![&by("Other")], &[("a", 19), ("b", 12)]),
        ] {
            let removed: Vec<_> = removed.iter().map(|(id, bytes)| ((*id).to_owned(), *bytes)).collect();
            let spans: Vec<_> = spans.into_iter().map(str::to_owned).collect();
            assert_eq!(revised(text), (spans, removed), "{text:?}");
        }
    }

    #[test]
    fn a_section_that_is_gone_is_absent_and_one_that_is_half_gone_is_not() {
        let mut prompt = given();
        let removed = prompt.revise("Use", "h", EVENT);
        let absent: Vec<_> = prompt.absent.iter().map(|one| (one.section.as_str(), one.reason)).collect();
        assert_eq!(absent, [("b", AbsentReason::Replaced)]);
        assert_eq!(prompt.absent[0].why, "hook `h` took it out at before_agent_start");
        let diagnostic = SectionRemoval::note(&removed, "h\u{202e}", EVENT).expect("bytes went");
        assert_eq!(
            (diagnostic.code.as_str(), diagnostic.message.as_str()),
            (
                "hook/removed",
                r"hook `h\u{202e}` took out of the prompt at before_agent_start: 16 bytes of `a`, 12 bytes of `b`"
            )
        );
        assert_eq!(SectionRemoval::note(&[], "h", EVENT), None);
        let many: Vec<_> = (0..10)
            .map(|at| SectionRemoval { section: SectionId::new(format!("s{at}")), bytes: at + 1 })
            .collect();
        let diagnostic = SectionRemoval::note(&many, "h", EVENT).expect("bytes went");
        assert!(
            diagnostic.message.ends_with("8 bytes of `s7`, 19 bytes of 2 more sections"),
            "{}",
            diagnostic.message
        );
    }

    #[test]
    fn characters_are_not_taken_apart() {
        // é is C3 A9, ê is C3 AA, ʩ is CA A9: they share a first or a last byte.
        for (old, new, middle) in
            [("aéb", "aêb", "ê"), ("aéb", "aʩb", "ʩ"), ("é", "ê", "ê"), ("ê", "éê", "é")]
        {
            let mut prompt = Prompt::default().with("a", &[(old, literal("x"))]);
            prompt.revise(new, "h", EVENT);
            prompt.check_tiling().unwrap();
            let found = prompt.parts.iter().find(|part| part.section == section_of("h")).unwrap();
            assert_eq!(prompt.text_of(found), middle, "{old} {new}");
        }
    }

    #[test]
    fn earlier_cuts_of_a_part_are_listed_once() {
        let mut prompt = given();
        prompt.parts[0].cuts.push(Cut { why: CutWhy::Ceiling, before: 9, after: 5, range: 24..42 });
        prompt.revise("Use no tabs.\nBe kind.\n\nDate: today", "h", EVENT);
        let cuts: Vec<_> = prompt.parts.iter().map(|part| part.cuts.len()).collect();
        assert_eq!(cuts, [1, 0, 0, 0]);
    }

    #[test]
    fn one_hook_may_change_the_text_of_another() {
        let mut prompt = Prompt::default().with("a", &[("A", literal("x"))]);
        prompt.revise("A one two", "first", EVENT);
        prompt.revise("A one 2", "second", EVENT);
        assert_eq!(
            shape(&prompt),
            [
                r#"a test.toml x "A""#,
                r#"hooks.first hook first (before_agent_start) " one ""#,
                r#"hooks.second hook second (before_agent_start) "2""#
            ]
        );
        let json = serde_json::to_value(&prompt.parts[2].spans[0].origin).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"kind": "hook", "hook": "second", "event": "before_agent_start"})
        );
        assert_eq!(serde_json::from_value::<Origin>(json).unwrap(), hook("second"));
    }

    /// A text that has much in common with another one: a piece of it replaced.
    fn edited(text: &str, from: usize, end: usize, with: &str) -> String {
        let at = |share: usize| {
            let mut at = text.len() * share / 100;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (from, end) = (at(from.min(end)), at(from.max(end)));
        format!("{}{with}{}", &text[..from], &text[end..])
    }

    proptest! {
        #[test]
        fn the_text_is_that_of_the_reply_and_everything_tiles_it(
            mut prompt in prompts(),
            edits in prop::collection::vec((0..=100usize, 0..=100usize, "([ab]|\n|é|ê|漢){0,6}"), 0..4),
        ) {
            for (from, end, with) in edits {
                let text = edited(&prompt.text, from, end, &with);
                let old = prompt.clone();
                prompt.revise(&text, "new", HookEvent::BeforeAgentStart);
                prop_assert_eq!(prompt.check_tiling(), Ok(()));
                prop_assert_eq!(&prompt.text, &text);
                if old.text == text {
                    prop_assert_eq!(&prompt, &old);
                }
            }
        }

        #[test]
        fn what_stays_is_in_the_same_part_with_the_same_origin(
            prompt in prompts(),
            (from, end, with) in (0..=100usize, 0..=100usize, "([ab]|\n|é|ê|漢){0,6}"),
        ) {
            let text = edited(&prompt.text, from, end, &with);
            let mut new = prompt.clone();
            let removed = new.revise(&text, "new", HookEvent::BeforeAgentStart);
            let (from, end) = changed(&prompt.text, &text);
            let byte = |prompt: &Prompt, at: usize| {
                let (part, range, origin) = prompt.at(at).expect("every byte has an origin");
                (part.section.clone(), part.stability, origin.part(&(at - range.start..at - range.start + 1)))
            };
            for at in 0..from {
                prop_assert_eq!(byte(&new, at), byte(&prompt, at));
            }
            for at in end..prompt.text.len() {
                prop_assert_eq!(byte(&new, at + text.len() - prompt.text.len()), byte(&prompt, at));
            }
            prop_assert_eq!(removed.iter().map(|one| one.bytes).sum::<usize>(), end - from);
        }

        #[test]
        fn an_addition_leaves_all_parts_as_they_are(prompt in prompts(), more in "([ab]|\n|é){1,6}") {
            let mut new = prompt.clone();
            let removed = new.revise(&format!("{}{more}", prompt.text), "new", HookEvent::BeforeAgentStart);
            prop_assert!(removed.is_empty());
            prop_assert_eq!(&new.parts[..prompt.parts.len()], &prompt.parts[..]);
            prop_assert_eq!(new.parts.len(), prompt.parts.len() + 1);
            prop_assert_eq!(new.absent, prompt.absent);
        }
    }
}
