//! Check: whether the finished text is within the limit. The sum of rounded parts is not exact.

use super::{Counter, Limit};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    profile::OverBudgetAction,
    prompt::Prompt,
    section::SectionId,
};
use std::{cmp::Reverse, ops::RangeInclusive};

/// A prompt that cannot be made to fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("system prompt {needed} tokens exceeds budget {limit}")]
pub struct OverBudget {
    /// Tokens of the prompt; those of the parts that must not be cut, where the others are.
    pub needed: usize,
    /// Tokens that are allowed.
    pub limit: usize,
    /// The sections that need most, with their tokens.
    pub largest: Vec<(String, usize)>,
    /// Where the limit was set, for people: `set by the call`.
    pub set_in: String,
}

impl OverBudget {
    pub(super) fn new<'s>(
        needed: usize,
        limit: Limit<'_>,
        sizes: impl Iterator<Item = (&'s SectionId, usize)>,
    ) -> Self {
        let mut largest: Vec<(String, usize)> = sizes.map(|(id, tokens)| (id.to_string(), tokens)).collect();
        largest.sort_by(|a, b| (Reverse(a.1), &a.0).cmp(&(Reverse(b.1), &b.0)));
        largest.truncate(3);
        OverBudget { needed, limit: limit.tokens, largest, set_in: limit.set_in.to_owned() }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        let needs: Vec<String> =
            self.largest.iter().map(|(section, tokens)| format!("`{section}` needs {tokens}")).collect();
        let needs = match needs.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            needs => needs.concat(),
        };
        let them = if self.largest.len() == 1 { "it" } else { "them" };
        format!("{needs}; raise the budget ({}), or shorten {them}", self.set_in)
    }
}

/// Holds the finished text to the limit, as one text. Where the counter knows how wrong it may be and the limit lies within
/// that, it is reported and nothing is refused. Where the profile warns, and where parts were cut and are still too
/// much together, it is reported.
///
/// # Errors
/// The text counts more than the limit, and the profile refuses that.
///
/// ```
/// use preface_core::{budget::{Bytes4Floor, Limit, check}, profile::OverBudgetAction, prompt::Prompt};
/// let prompt = Prompt { text: "0123456789".into(), ..Prompt::default() };
/// let at = |tokens| Some(Limit { tokens, on_over: OverBudgetAction::Error, set_in: "set by the call" });
/// assert_eq!(check(&prompt, at(2), &Bytes4Floor, &mut Vec::new()), Ok(()));
/// let over = check(&prompt, at(1), &Bytes4Floor, &mut Vec::new()).unwrap_err();
/// assert_eq!(over.to_string(), "system prompt 2 tokens exceeds budget 1");
/// ```
pub fn check(
    prompt: &Prompt,
    limit: Option<Limit<'_>>,
    counter: &dyn Counter,
    diagnostics: &mut Diagnostics,
) -> Result<(), OverBudget> {
    let Some(limit) = limit else { return Ok(()) };
    let needed = counter.count(&prompt.text);
    if let Some((low, high)) = counter.interval(&prompt.text)
        && (low..=high).contains(&limit.tokens)
        && low < high
    {
        diagnostics.push(uncertain_diagnostic(needed, limit, low..=high, counter));
        return Ok(());
    }
    if needed <= limit.tokens {
        return Ok(());
    }
    let sizes = prompt.parts.iter().map(|part| (&part.section, counter.count(prompt.text_of(part))));
    let over = OverBudget::new(needed, limit, sizes);
    let help = match limit.on_over {
        OverBudgetAction::Error => return Err(over),
        OverBudgetAction::Warn => {
            format!("raise `budget.tokens` ({}), or let it cut: `budget.onOver = \"cut\"`", limit.set_in)
        }
        OverBudgetAction::Cut => format!(
            "the parts fit one by one, and count more as one text; lower `budget.tokens` a little ({})",
            limit.set_in
        ),
    };
    diagnostics.push(Diagnostic::warning(DiagnosticCode::BudgetOver, over.to_string()).help(help));
    Ok(())
}

/// Warns that the limit is within the error of an estimate.
fn uncertain_diagnostic(
    needed: usize,
    limit: Limit<'_>,
    may_be: RangeInclusive<usize>,
    counter: &dyn Counter,
) -> Diagnostic {
    let (low, high) = (may_be.start(), may_be.end());
    let what = format!(
        "system prompt {needed} tokens ({low} to {high} by `{}`) may exceed budget {}",
        counter.name(),
        limit.tokens
    );
    Diagnostic::warning(DiagnosticCode::BudgetNear, what).help(Remedy::flag(
        format!(
            "raise the budget ({}), or count exactly if the vocabulary of the model is public",
            limit.set_in
        ),
        "--tokenizer o200k",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        budget::{Bytes4, COUNTERS},
        testing::{literal, prompts},
    };
    use proptest::prelude::*;

    fn at(tokens: usize, on_over: OverBudgetAction) -> Option<Limit<'static>> {
        Some(Limit { tokens, on_over, set_in: "set by the call" })
    }

    #[test]
    fn parts_are_not_rounded_one_by_one() {
        let prompt =
            Prompt::default().with("a", &[("12345", literal("a"))]).with("b", &[("678", literal("b"))]);
        assert_eq!(Bytes4.count("12345") + Bytes4.count("678"), 3);
        assert_eq!(check(&prompt, at(2, OverBudgetAction::Error), &Bytes4, &mut Vec::new()), Ok(()));
        let over = check(&prompt, at(1, OverBudgetAction::Error), &Bytes4, &mut Vec::new()).unwrap_err();
        assert_eq!((over.needed, over.largest), (2, vec![("a".into(), 2), ("b".into(), 1)]));
    }

    #[test]
    fn a_warning_leaves_the_text_whole() {
        let prompt = Prompt::default().with("a", &[("12345", literal("a"))]);
        let mut diagnostics = Vec::new();
        assert_eq!(check(&prompt, at(2, OverBudgetAction::Warn), &Bytes4, &mut diagnostics), Ok(()));
        assert_eq!(diagnostics, []);
        assert_eq!(check(&prompt, at(1, OverBudgetAction::Warn), &Bytes4, &mut diagnostics), Ok(()));
        assert_eq!(diagnostics[0].code.as_str(), "budget/over");
        assert_eq!(diagnostics[0].message, "system prompt 2 tokens exceeds budget 1");
    }

    proptest! {
        #[test]
        fn an_error_comes_if_and_only_if_the_text_counts_more(prompt in prompts(), which in 0..COUNTERS.len()) {
            let counter = COUNTERS[which].1();
            let tokens = counter.count(&prompt.text);
            for max in tokens.saturating_sub(5)..=tokens + 5 {
                let mut diagnostics = Vec::new();
                let checked = check(&prompt, at(max, OverBudgetAction::Error), counter.as_ref(), &mut diagnostics);
                let unsure = counter.interval(&prompt.text).is_some_and(|(low, high)| low <= max && max <= high && low < high);
                prop_assert_eq!(diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "budget/near"), unsure);
                match checked {
                    Ok(()) => prop_assert!(tokens <= max || unsure),
                    Err(over) => {
                        prop_assert!(tokens > max);
                        prop_assert_eq!(
                            over.to_string(),
                            format!("system prompt {tokens} tokens exceeds budget {max}")
                        );
                    }
                }
            }
        }
    }
}
