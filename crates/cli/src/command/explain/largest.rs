//! The view of the parts by size.

use super::{merged, percent};
use crate::ui::{Cell, TextTable, count, number, short_middle, style};
use preface_core::{
    explain::{Explanation, PartRow},
    origin::Origin,
};
use std::cmp::Reverse;

/// The default number of parts that are shown.
pub const FEW: &str = "10";

/// Shows the largest parts: a row each, with what they take so far, and what is left to the others.
pub fn view(explained: &Explanation, most: usize, room: Option<usize>) -> String {
    let mut rows: Vec<&PartRow> = explained.parts.iter().collect();
    rows.sort_by_key(|part| Reverse(part.tokens));
    let all: usize = rows.iter().map(|part| part.tokens).sum();
    let share = |tokens: usize| if all == 0 { 0.0 } else { tokens as f64 / all as f64 };
    let mut sum = 0;
    let mut table = TextTable::headed(["tokens", "share", "sum", "so far", "section", "mostly from"])
        .right(&[0, 1, 2, 3]);
    let (shown, others) = rows.split_at(most.min(rows.len()));
    for part in shown {
        sum += part.tokens;
        table.row([
            number(part.tokens).into(),
            percent(share(part.tokens)).into(),
            Cell::styled(number(sum), style::DIM),
            Cell::styled(percent(share(sum)), style::DIM),
            Cell::styled(part.section.as_str(), style::BOLD),
            Cell::styled(mostly_from(part, &explained.preset, room), style::DIM),
        ]);
    }
    let mut out = table.show(room);
    if !others.is_empty() {
        let tokens: usize = others.iter().map(|part| part.tokens).sum();
        out.push_str(&format!("and {}: {}\n", count(others.len(), "more part"), count(tokens, "token")));
    }
    out
}

/// Names the source that gave most of a part.
fn mostly_from(part: &PartRow, preset: &str, room: Option<usize>) -> String {
    let sources = merged(part, preset);
    // The first of equals.
    let Some(most) = sources.iter().rev().max_by_key(|source| source.tokens) else { return String::new() };
    let label = match most.origin {
        // The file of the profile, without its keys.
        Origin::Literal { .. } => most.label.split(": ").next().unwrap_or_default(),
        _ => &most.label,
    };
    match room {
        Some(room) => short_middle(label, (room / 3).max(16)).into_owned(),
        None => label.to_owned(),
    }
}
