//! `preface explain --cache`: where a request names the end of a cached prefix, and what a turn costs.

use crate::{
    CommandResult, Subject,
    ui::{Cell, TextTable, Ui, number, style, wrap},
};
use preface_core::{
    diagnostic::Diagnostics,
    format::{CacheMark, CachePlan, CacheTier, RequestTarget},
};

/// Plans the cache of a request for a model.
pub fn plan(
    subject: &Subject,
    model: Option<&str>,
    cache_ttl: Option<&str>,
) -> CommandResult<(CachePlan, Diagnostics)> {
    let mut diagnostics = Diagnostics::new();
    let models = subject.models(&mut diagnostics);
    let counter = subject.counter()?;
    let target =
        RequestTarget { model, models: &models, counter: &*counter, cache_ttl, ..RequestTarget::default() };
    let plan = CachePlan::of(&subject.content(target));
    diagnostics.extend(plan.diagnostics());
    Ok((plan, diagnostics))
}

/// Formats a plan for people.
pub fn view(ui: &Ui, plan: &CachePlan) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let model = plan.model.as_deref().unwrap_or("no model");
    let facts = if plan.known {
        format!("facts of {}", plan.as_of)
    } else {
        "no row has this model: cautious values".to_owned()
    };
    let ttl = match plan.ttl.as_deref() {
        Some(ttl) if ttl.starts_with(|first: char| first.is_ascii_digit()) => format!(", for {ttl}"),
        _ => String::new(),
    };
    let mut out = format!(
        "{bold}{model}{bold:#}: a beginning of {} tokens or more is cached{ttl} {dim}({facts}){dim:#}\n\n",
        number(plan.minimum)
    );
    let mut table = TextTable::headed(["tokens", "prefix", "tier", "part of the request", "mark at its end"])
        .right(&[0, 1]);
    // Everything in front of the last mark is read from the cache.
    let is_cached = |tier: &CacheTier| matches!(tier.mark, CacheMark::Placed | CacheMark::Automatic);
    let cached = plan.tiers.iter().rposition(is_cached).map_or(0, |last| last + 1);
    for (at, tier) in plan.tiers.iter().enumerate() {
        let (mark, color) = match tier.mark {
            CacheMark::Placed => ("cached up to here", style::GOOD),
            CacheMark::Automatic => ("the service finds it", style::GOOD),
            CacheMark::BelowMinimum => ("too small", style::CARE),
            CacheMark::None => ("", dim),
        };
        table.row([
            number(tier.tokens).into(),
            number(tier.prefix_tokens).into(),
            Cell::styled(tier.name, bold),
            Cell::styled(
                bar(tier, plan.tokens, at < cached),
                if at < cached { style::GOOD } else { style::CARE },
            ),
            Cell::styled(mark, color),
        ]);
    }
    out.push_str(&table.show(ui.columns()));
    let price = |tokens: f64| {
        let dollars = plan.price.map(|price| format!(" (${:.4})", tokens * price / 1e6));
        format!("{}{}", number(whole(tokens)), dollars.unwrap_or_default())
    };
    let line = format!(
        "\nprice of these {} tokens, as input tokens: {} in the first turn, {} in a later one.\n",
        number(plan.tokens),
        price(plan.cold),
        price(plan.warm)
    );
    out.push_str(&wrap(&line, ui.columns().unwrap_or(usize::MAX), 0));
    let others = plan.ttls.iter().filter(|one| plan.is_cached() && plan.ttl.as_ref() != Some(&one.ttl));
    for other in others {
        let cold = price(plan.price_with(other.write));
        let line = format!("{dim}with `--cache-ttl {}`: {cold} in the first turn.{dim:#}\n", other.ttl);
        out.push_str(&line);
    }
    out
}

/// The columns of the bar of a whole request.
const BAR: usize = 30;

/// Draws the place of a tier in a request of so many tokens: filled if it is cached. A tier with tokens has a column at least.
fn bar(tier: &CacheTier, tokens: usize, is_cached: bool) -> String {
    if tier.tokens == 0 {
        return String::new();
    }
    let column = |tokens_before: usize| tokens_before * BAR / tokens.max(1);
    let start = column(tier.prefix_tokens - tier.tokens).min(BAR - 1);
    let end = column(tier.prefix_tokens).max(start + 1);
    let block = if is_cached { "█" } else { "░" };
    format!("{}{}", " ".repeat(start), block.repeat(end - start))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a price of some tokens, for people"
)]
fn whole(tokens: f64) -> usize {
    tokens.round() as usize
}
