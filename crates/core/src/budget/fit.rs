//! Fit: the only stage that drops text, and it records every loss.

use super::{
    ClipResult, Counter, OverBudget,
    clip::total_tokens,
    clip_head,
    retained::{RetainedRanges, entries_by_rank},
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    origin::Source,
    pipeline::draft::{Absent, AbsentReason, Cut, CutWhy, Draft, DraftPart},
    profile::OverBudgetAction,
    section::CutRule,
};
use std::ops::Range;

/// The limit of a whole prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<'a> {
    /// Tokens.
    pub tokens: usize,
    /// The action when the prompt exceeds the limit.
    pub on_over: OverBudgetAction,
    /// Where it was set, for people: `set by the call`.
    pub set_in: &'a str,
}

/// Holds each part to its ceiling, and all of them to the limit where the profile cuts. Where it does not, the finished
/// text is held to the limit: [`check`](super::check).
///
/// Ceilings first. Then, where the parts are over the limit, they are served by priority (higher first, earlier first
/// among equals): each gets what it needs or what is left; the one that no longer fits is clipped (or left out whole,
/// by its rule), and those after it get nothing. `between` is what the text between two parts costs at most.
///
/// # Errors
/// Parts that must not be cut need more than the limit.
pub fn fit(
    draft: Draft,
    limit: Option<Limit<'_>>,
    between: usize,
    counter: &dyn Counter,
    diagnostics: &mut Diagnostics,
) -> Result<Draft, OverBudget> {
    let Draft { parts, absent } = draft;
    // What is read in a message has no part in the limit of the system prompt.
    let (attachments, parts): (Vec<DraftPart>, Vec<DraftPart>) =
        parts.into_iter().partition(|part| part.meta.place.is_some());
    let mut fitted = within(Draft { parts, absent }, limit, between, counter, diagnostics)?;
    if !attachments.is_empty() {
        let attachments = Draft { parts: attachments, absent: Vec::new() };
        let attachments = within(attachments, None, between, counter, diagnostics)?;
        fitted.parts.extend(attachments.parts);
        fitted.absent.extend(attachments.absent);
    }
    Ok(fitted)
}

fn within(
    draft: Draft,
    limit: Option<Limit<'_>>,
    between: usize,
    counter: &dyn Counter,
    diagnostics: &mut Diagnostics,
) -> Result<Draft, OverBudget> {
    let counter = counter.cutter().unwrap_or(counter);
    let Draft { parts, mut absent } = draft;
    let mut kept = Vec::with_capacity(parts.len());
    let mut uncut = Vec::with_capacity(parts.len());
    for mut part in parts {
        let is_cut = |max: &usize| part.meta.unread > 0 || counter.count(&part.text) > *max;
        let whole = part.meta.max_tokens.filter(is_cut).map(|_| part.clone());
        if let Some(max) = part.meta.max_tokens
            && !hold(&mut part, max, (CutWhy::Ceiling, max, ""), counter, diagnostics)
        {
            absent.push(Absent {
                section: part.meta.id.clone(),
                reason: AbsentReason::Budget,
                why: format!("its ceiling is {max} tokens"),
            });
            continue;
        }
        kept.push(part);
        uncut.push(whole);
    }
    let Some(limit) = limit.filter(|limit| limit.on_over == OverBudgetAction::Cut) else {
        return Ok(Draft { parts: kept, absent });
    };
    let needs: Vec<usize> = kept.iter().map(|part| counter.count(&part.text)).collect();
    let gaps = between * kept.len().saturating_sub(1);
    let total: usize = needs.iter().sum::<usize>() + gaps;
    if total <= limit.tokens {
        return Ok(Draft { parts: kept, absent });
    }
    let firm = |part: &DraftPart| part.meta.cut == CutRule::Never;
    let firm_count = kept.iter().filter(|part| firm(part)).count();
    let firm_need: usize =
        kept.iter().zip(&needs).filter(|(part, _)| firm(part)).map(|(_, need)| need).sum::<usize>()
            + between * firm_count.saturating_sub(1);
    if firm_need > limit.tokens {
        let sizes = kept.iter().zip(&needs).filter(|(part, _)| firm(part));
        return Err(OverBudget::new(firm_need, limit, sizes.map(|(part, need)| (&part.meta.id, *need))));
    }

    // Firm parts are served first; then by priority, and by place among equals.
    let mut order: Vec<usize> = (0..kept.len()).collect();
    order.sort_by_key(|at| (!firm(&kept[*at]), std::cmp::Reverse(kept[*at].meta.priority), *at));
    let mut left = limit.tokens;
    let mut served = 0;
    let mut room: Vec<Option<usize>> = vec![None; kept.len()];
    // The first part that no longer fits, and the tokens that were left for it: the budget ends with it.
    let mut last: Option<(usize, usize)> = None;
    for at in order {
        let gap = if served == 0 { 0 } else { between };
        let rest = left.saturating_sub(gap);
        let offer = needs[at].min(rest);
        let fits = rest > 0 && offer == needs[at];
        if rest > 0 && (fits || kept[at].meta.cut != CutRule::Whole) {
            room[at] = Some(offer);
            left -= gap + offer;
            served += 1;
        }
        if !fits {
            last = Some((at, rest));
            break;
        }
    }
    // All of them are over the limit, so one did not fit.
    let Some((last, rest)) = last else { return Ok(Draft { parts: kept, absent }) };
    let (last_id, last_priority) = (kept[last].meta.id.clone(), kept[last].meta.priority);
    let mut parts = Vec::with_capacity(kept.len());
    for (at, mut part) in kept.into_iter().enumerate() {
        let fits = match room[at] {
            None => false,
            Some(offer) if offer >= needs[at] => true,
            Some(offer) => {
                // One cut of the whole text, so that the marker counts all of it.
                part = uncut[at].take().unwrap_or(part);
                hold(&mut part, offer, (CutWhy::Budget, limit.tokens, limit.set_in), counter, diagnostics)
            }
        };
        if fits {
            parts.push(part);
        } else {
            if room[at].is_none() {
                let help = over_budget(limit.set_in);
                diagnostics.push(dropped_diagnostic(&part, needs[at], limit.tokens, "the budget", &help));
            }
            let ended = if at == last {
                format!("{rest} of the budget of {} are left", limit.tokens)
            } else {
                format!("the budget of {} ended with `{last_id}` (priority {last_priority})", limit.tokens)
            };
            absent.push(Absent {
                section: part.meta.id.clone(),
                reason: AbsentReason::Budget,
                why: format!("{} tokens, priority {}: {ended}", needs[at], part.meta.priority),
            });
        }
    }
    Ok(Draft { parts, absent })
}

/// Clips a part to `max` tokens. False if nothing of it stays. The diagnostics name the limit behind it: the part's own
/// ceiling, or the budget that left it no more.
fn hold(
    part: &mut DraftPart,
    max: usize,
    (why, limit, set_in): (CutWhy, usize, &str),
    counter: &dyn Counter,
    diagnostics: &mut Diagnostics,
) -> bool {
    let (whose, help) = match why {
        CutWhy::Ceiling => ("its ceiling", "raise the ceiling, or shorten the text".to_owned()),
        CutWhy::Budget => ("the budget", over_budget(set_in)),
    };
    let total_tokens = total_tokens(&part.text, part.meta.unread, counter);
    if total_tokens <= max && max > 0 && part.meta.unread == 0 {
        return true;
    }
    let cut = (part.meta.cut != CutRule::Whole).then(|| cut_part(part, max, counter)).flatten();
    let Some((mut cut, gone, cut_tokens)) = cut else {
        diagnostics.push(dropped_diagnostic(part, total_tokens, limit, whose, &help));
        return false;
    };
    // What was last goes first, so that each range counts in the text before its cut.
    let (mut before, after) = (total_tokens, total_tokens - cut_tokens);
    let ranges = gone.len();
    for (at, range) in gone.into_iter().enumerate() {
        let rest = match at + 1 == ranges {
            true => after,
            false => before.saturating_sub(counter.count(&part.text[range.clone()])).max(after),
        };
        cut.cuts.push(Cut { why, before, after: rest, range });
        before = rest;
    }
    let gone = GoneFiles::of(part, Some(&cut));
    let (all_of, place) = (gone.after(", all of "), gone.place());
    *part = cut;
    diagnostics.push(
        Diagnostic::warning(
            DiagnosticCode::BudgetCut,
            format!(
                "section `{}` lost {cut_tokens} of {total_tokens} tokens{all_of}: {whose} is {limit}",
                part.meta.id
            ),
        )
        .about(&part.meta.id)
        .at(place)
        .help(Remedy::command(format!("{help}; see where"), "explain")),
    );
    true
}

/// Cuts a part that is too long; returns it with the removed ranges and their tokens. `None` if nothing remains.
fn cut_part(
    part: &DraftPart,
    max: usize,
    counter: &dyn Counter,
) -> Option<(DraftPart, Vec<Range<usize>>, usize)> {
    if let Some(entries) = entries_by_rank(part) {
        return cut_list(part, &entries, max, counter);
    }
    let mut room = max;
    loop {
        let ClipResult::Cut { kept, marker, total_tokens, .. } =
            clip_head(&part.text, part.meta.unread, room, counter)
        else {
            return None;
        };
        let kept = RetainedRanges::head(kept);
        if kept.is_frame_only(part) {
            return None;
        }
        let kept = kept.with_closing_tags(part);
        // The closing tags stay, too.
        let cut_tokens = total_tokens.saturating_sub(counter.count(&kept.part(part, None).text));
        let marker = marker.map(|_| super::clip::marker("", cut_tokens, total_tokens));
        let cut = kept.part(part, marker.as_deref());
        // With closing tags, a tokenizer may count a few more.
        match counter.count(&cut.text).saturating_sub(max) {
            0 => return Some((cut, kept.removed(part.text.len()), cut_tokens)),
            over => room = room.saturating_sub(over),
        }
    }
}

/// Leaves out as few entries as the ceiling allows, in the given order, and none in part. `None` if all would go.
fn cut_list(
    part: &DraftPart,
    entries: &[usize],
    max: usize,
    counter: &dyn Counter,
) -> Option<(DraftPart, Vec<Range<usize>>, usize)> {
    let total = counter.count(&part.text);
    let without = |gone: usize| {
        let kept = RetainedRanges::without(part, &entries[..gone]);
        let cut_tokens = total.saturating_sub(counter.count(&kept.part(part, None).text));
        let cut = kept.part(part, Some(&super::clip::marker("", cut_tokens, total)));
        (cut, kept.removed(part.text.len()), cut_tokens)
    };
    let (mut least, mut fits) = (1, entries.len());
    while least < fits {
        let gone = least + (fits - least) / 2;
        if counter.count(&without(gone).0.text) <= max {
            fits = gone;
        } else {
            least = gone + 1;
        }
    }
    (fits < entries.len()).then(|| without(fits))
}

/// The files of which nothing is left.
struct GoneFiles<'p>(Vec<&'p Source>);

impl<'p> GoneFiles<'p> {
    fn of(part: &'p DraftPart, cut: Option<&DraftPart>) -> Self {
        let left = cut.map(DraftPart::files).unwrap_or_default();
        GoneFiles(part.files().into_iter().filter(|file| !left.contains(file)).collect())
    }

    /// Names the first three behind some words, if there are any.
    fn after(&self, words: &str) -> String {
        let names: Vec<&str> = self.0.iter().take(3).map(|file| file.path.as_str()).collect();
        match self.0.len() - names.len() {
            _ if names.is_empty() => String::new(),
            0 => format!("{words}{}", names.join(", ")),
            more => format!("{words}{} and {more} more", names.join(", ")),
        }
    }

    fn place(&self) -> Option<Place> {
        self.0.first().map(|file| Place::file(Some(file.scope), &file.path))
    }
}

fn over_budget(set_in: &str) -> String {
    format!("raise the budget ({set_in}), or shorten the text")
}

fn dropped_diagnostic(part: &DraftPart, tokens: usize, max: usize, whose: &str, help: &str) -> Diagnostic {
    let files = GoneFiles::of(part, None);
    let what = format!("section `{}` ({tokens} tokens{})", part.meta.id, files.after(" of "));
    let why = format!("{whose} is {max}");
    Diagnostic::left_out(Severity::Warning, DiagnosticCode::BudgetDropped, what, why)
        .at(files.place())
        .help(Remedy::command(format!("{help}; see what is not there"), "explain --absent"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::{Bytes4, Bytes4Floor},
        origin::Origin,
        pipeline::draft::DraftItem,
        section::{SectionId, SectionMeta},
    };
    use std::sync::Arc;

    fn part(id: &str, tokens: usize, priority: i64, cut: CutRule) -> DraftPart {
        let mut part = DraftPart::new(SectionMeta { priority, cut, ..SectionMeta::new(SectionId::new(id)) });
        part.push(&"abc\n".repeat(tokens), Origin::Caller { flag: "test".into() });
        part
    }

    fn cut_at(tokens: usize) -> Option<Limit<'static>> {
        Some(Limit { tokens, on_over: OverBudgetAction::Cut, set_in: "set by the call" })
    }

    fn run(parts: Vec<DraftPart>, limit: Option<Limit<'_>>) -> Result<(Draft, Diagnostics), OverBudget> {
        let mut diagnostics = Vec::new();
        let draft = Draft { parts, absent: Vec::new() };
        fit(draft, limit, 1, &Bytes4, &mut diagnostics).map(|fitted| (fitted, diagnostics))
    }

    fn ids(fitted: &Draft) -> Vec<&str> {
        fitted.parts.iter().map(|part| part.meta.id.as_str()).collect()
    }

    #[test]
    fn what_fits_is_left_alone() {
        let parts = vec![part("a", 10, 50, CutRule::Clip), part("b", 9, 50, CutRule::Clip)];
        let (fitted, diagnostics) = run(parts, cut_at(20)).unwrap();
        assert_eq!(fitted.parts.iter().map(|p| p.text.len()).collect::<Vec<_>>(), [40, 36]);
        assert_eq!(diagnostics, []);
    }

    #[test]
    fn higher_priority_takes_precedence_and_the_rest_is_dropped() {
        let parts = vec![
            part("low", 40, 10, CutRule::Clip),
            part("high", 40, 90, CutRule::Clip),
            part("middle", 60, 50, CutRule::Clip),
        ];
        let (fitted, diagnostics) = run(parts, cut_at(80)).unwrap();
        assert_eq!(ids(&fitted), ["high", "middle"], "the order stays the profile's");
        assert_eq!(fitted.parts[0].text.len(), 160, "the first served is whole");
        assert!(fitted.parts[1].text.contains("…[truncated "), "the one that no longer fits is clipped");
        let total: usize = fitted.parts.iter().map(|p| Bytes4.count(&p.text)).sum();
        assert!(total < 80, "{total} tokens and a gap of 1 must fit 80");
        assert_eq!(fitted.absent[0].section.as_str(), "low");
        let codes: Vec<_> = diagnostics.iter().map(|d| d.code.as_str()).collect();
        assert_eq!(codes, ["budget/dropped", "budget/cut"]);
    }

    /// A separator is paid for only where text follows it.
    #[test]
    fn nothing_is_placed_where_only_a_separator_fits() {
        let parts = vec![
            part("a", 10, 90, CutRule::Clip),
            part("empty", 0, 50, CutRule::Clip),
            part("low", 10, 10, CutRule::Clip),
        ];
        let (fitted, _) = run(parts, cut_at(11)).unwrap();
        assert_eq!(ids(&fitted), ["a"]);
        assert_eq!(fitted.absent.len(), 2);
    }

    #[test]
    fn a_whole_part_is_never_clipped() {
        let parts = vec![part("a", 30, 90, CutRule::Clip), part("b", 30, 50, CutRule::Whole)];
        let (fitted, _) = run(parts, cut_at(50)).unwrap();
        assert_eq!(ids(&fitted), ["a"]);
    }

    #[test]
    fn parts_that_must_not_be_cut_refuse_the_build() {
        let parts = vec![part("a", 30, 10, CutRule::Never), part("b", 30, 90, CutRule::Clip)];
        let (fitted, _) = run(parts.clone(), cut_at(40)).unwrap();
        assert_eq!(fitted.parts[0].text.len(), 120, "a firm part stays whole whatever its priority");
        let error = run(parts, cut_at(29)).unwrap_err();
        assert_eq!(error.to_string(), "system prompt 30 tokens exceeds budget 29");
    }

    #[test]
    fn error_and_warn_do_not_cut() {
        for on_over in [OverBudgetAction::Error, OverBudgetAction::Warn] {
            let parts = vec![part("a", 30, 50, CutRule::Clip)];
            let (fitted, diagnostics) =
                run(parts, Some(Limit { tokens: 29, on_over, set_in: "set by the call" })).unwrap();
            assert_eq!((fitted.parts[0].text.len(), diagnostics), (120, Vec::new()));
        }
    }

    /// Twenty parts of seven bytes are one token each, rounded down, and 140 bytes are 35.
    #[test]
    fn parts_that_are_rounded_down_are_cut_to_the_whole() {
        let parts: Vec<DraftPart> = (0..20)
            .map(|at| {
                let mut part = DraftPart::new(SectionMeta::new(SectionId::new(format!("s{at}"))));
                part.push("seven b", Origin::Caller { flag: "test".into() });
                part
            })
            .collect();
        let draft = Draft { parts, absent: Vec::new() };
        let fitted = fit(draft, cut_at(20), 0, &Bytes4Floor, &mut Vec::new()).unwrap();
        let whole: String = fitted.parts.iter().map(|part| part.text.as_str()).collect();
        assert!(Bytes4Floor.count(&whole) <= 20, "{}", whole.len());
        assert_eq!(fitted.parts.len(), 10);
    }

    /// A part with a frame and three items of ten tokens each.
    fn framed(ranks: [u32; 3], max: usize) -> DraftPart {
        let meta = SectionMeta { max_tokens: Some(max), ..SectionMeta::new(SectionId::new("a")) };
        let mut part = DraftPart::new(meta);
        part.push("INTRODUCTION:\n\n", Origin::Literal { profile: "p".into(), key: "intro".into() });
        for (at, rank) in ranks.into_iter().enumerate() {
            if at > 0 {
                part.push("\n---\n", Origin::Literal { profile: "p".into(), key: "between".into() });
            }
            let start = part.text.len();
            part.push(&["abc\n", "def\n", "ghi\n"][at].repeat(10), Origin::Caller { flag: "test".into() });
            let range = start..part.text.len();
            part.items.push(DraftItem { content: range.clone(), range, rank: Some(rank) });
        }
        part
    }

    #[test]
    fn entries_go_whole_and_the_lowest_rank_first() {
        let text = |ranks, max| {
            let (fitted, _) = run(vec![framed(ranks, max)], None).unwrap();
            assert!(fitted.parts.iter().all(|part| Bytes4.count(&part.text) <= max), "{max}");
            assert!(
                fitted.parts.iter().all(|part| {
                    let mut at = 0;
                    part.spans
                        .iter()
                        .all(|span| std::mem::replace(&mut at, span.range.end) == span.range.start)
                        && at == part.text.len()
                }),
                "spans tile the text"
            );
            fitted.parts.into_iter().map(|part| part.text).collect::<String>()
        };
        let letters = |text: &str| {
            let mut found: Vec<&str> =
                text.lines().filter(|line| ["abc", "def", "ghi"].contains(line)).collect();
            found.dedup();
            found.join(" ")
        };
        assert_eq!(letters(&text([3, 2, 1], 37)), "abc def ghi");
        assert_eq!(letters(&text([3, 2, 1], 36)), "abc def", "an entry goes whole");
        assert_eq!(letters(&text([1, 2, 3], 36)), "def ghi");
        let first = "INTRODUCTION:\n\n…[truncated 10 of 37 tokens]\n---\ndef\n";
        assert!(text([1, 2, 3], 36).starts_with(first), "the marker has its place: {}", text([1, 2, 3], 36));
        assert_eq!(letters(&text([2, 1, 3], 36)), "abc ghi");
        assert!(text([2, 1, 3], 36).contains("abc\n\n---\n…[truncated 10 of 37 tokens]\n---\nghi\n"));
        assert_eq!(letters(&text([2, 1, 3], 26)), "ghi");
        assert_eq!(letters(&text([1, 1, 1], 36)), "abc def", "of equal ones the last");
        for ranks in [[1, 2, 3], [3, 1, 2], [2, 3, 1], [1, 1, 2]] {
            for max in 0..40 {
                text(ranks, max);
            }
        }
    }

    /// A part with two items in tags, and a tag around both.
    fn tagged(max: usize) -> DraftPart {
        let meta = SectionMeta { max_tokens: Some(max), ..SectionMeta::new(SectionId::new("a")) };
        let mut part = DraftPart::new(meta);
        let literal = |key: &str| Origin::Literal { profile: "p".into(), key: key.into() };
        part.push("<all>", literal("prefix"));
        for text in ["\nabc", "\ndef"] {
            let start = part.text.len();
            part.push("\n<one>", literal("item"));
            let content = part.text.len()..part.text.len() + 10 * text.len();
            part.push(&text.repeat(10), Origin::Caller { flag: "test".into() });
            part.push("\n</one>", literal("item"));
            part.items.push(DraftItem { range: start..part.text.len(), content, rank: None });
        }
        part.push("\n</all>", literal("suffix"));
        part
    }

    #[test]
    fn what_is_cut_closes_its_tags() {
        for max in 0..=40 {
            let (fitted, _) = run(vec![tagged(max)], None).unwrap();
            let Some(part) = fitted.parts.first() else { continue };
            assert!(Bytes4.count(&part.text) <= max, "{max}: {}", part.text);
            for tag in ["one", "all"] {
                let count = |text: String| part.text.matches(&text).count();
                let (open, closed) = (count(format!("<{tag}>")), count(format!("</{tag}>")));
                assert!(open == closed && open > 0, "{max}: {}", part.text);
            }
            assert!(part.text.ends_with("</all>"), "{max}: {}", part.text);
        }
        // 118 bytes. Of the 80 that fit, the tags need 25 and the marker 31.
        let (fitted, _) = run(vec![tagged(20)], None).unwrap();
        let text = &fitted.parts[0].text;
        assert_eq!(
            text,
            "<all>\n<one>\nabc\nabc\nabc\nabc\nabc\nabc\n…[truncated 17 of 30 tokens]\n</one>\n</all>"
        );
    }

    #[test]
    fn cuts_of_ranked_items_count_in_the_text_before_them() {
        let (fitted, _) = run(vec![framed([2, 1, 3], 26)], None).unwrap();
        let mut text = framed([2, 1, 3], 26).text;
        for cut in &fitted.parts[0].cuts {
            text.replace_range(cut.range.clone(), "");
        }
        assert_eq!(text, format!("INTRODUCTION:\n\n\n---\n{}", "ghi\n".repeat(10)));
        assert_eq!(fitted.parts[0].text.replace("…[truncated 22 of 37 tokens]", ""), text);
        let cuts = &fitted.parts[0].cuts;
        assert!(cuts.iter().zip(&cuts[1..]).all(|(one, next)| one.after == next.before), "{cuts:?}");
    }

    #[test]
    fn a_part_of_which_only_the_frame_is_left_is_left_out() {
        let (fitted, diagnostics) = run(vec![framed([3, 2, 1], 12)], None).unwrap();
        assert_eq!((ids(&fitted), fitted.absent.len()), (Vec::new(), 1));
        assert_eq!(
            diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(),
            ["budget/dropped"]
        );
    }

    #[test]
    fn a_ceiling_of_zero_leaves_the_part_out() {
        let mut zero = part("a", 3, 50, CutRule::Clip);
        Arc::make_mut(&mut zero.meta).max_tokens = Some(0);
        let (fitted, _) = run(vec![zero], None).unwrap();
        assert_eq!(ids(&fitted), [""; 0]);
        assert_eq!(fitted.absent.len(), 1);
    }
}
