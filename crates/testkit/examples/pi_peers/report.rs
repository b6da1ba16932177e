//! What a comparison found: counts for the table, the first differences for people.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

/// How many differences are shown of each kind; the others are counted.
const SHOWN: usize = 3;
/// How much is before and after a difference.
const AROUND: usize = 70;

/// True while differences are not shown.
static QUIET: AtomicBool = AtomicBool::new(false);

/// The outcome of one kind of input for one variant.
#[derive(Debug, Default)]
pub struct Tally {
    /// How many were compared.
    pub compared: usize,
    /// How many differ and nothing explains it.
    pub differ: usize,
    /// How many differ for each reason that is known.
    pub known: BTreeMap<&'static str, usize>,
}

impl Tally {
    /// Adds what another comparison found.
    pub fn add(&mut self, other: Tally) {
        self.compared += other.compared;
        self.differ += other.differ;
        for (reason, count) in other.known {
            *self.known.entry(reason).or_default() += count;
        }
    }

    /// Adds a difference; the first ones are shown.
    pub fn differs(&mut self, what: &str, again: &str, want: &str, got: &str) {
        self.differ += 1;
        if self.differ <= SHOWN && !QUIET.load(Ordering::Relaxed) {
            println!("DIFFERS {what}\n{}", short(want, got));
            if !again.is_empty() {
                println!("  again: {again}");
            }
        }
    }
}

/// Runs something whose differences are wanted and not worth a line each.
pub fn quietly<T>(run: impl FnOnce() -> T) -> T {
    QUIET.store(true, Ordering::Relaxed);
    let result = run();
    QUIET.store(false, Ordering::Relaxed);
    result
}

/// Shows where two texts part.
pub fn short(want: &str, got: &str) -> String {
    let same = want.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
    let part = |text: &str| {
        let start = floor(text, same.saturating_sub(AROUND));
        let end = floor(text, (same + AROUND).min(text.len()));
        format!("…{:?}…", &text[start..end])
    };
    format!("  at byte {same}\n  want {}\n  got  {}", part(want), part(got))
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Prints the table of all variants.
pub fn table(rows: &[(String, Tally, Tally)]) {
    println!("\nvariant  inputs  differ  workspaces  differ  known differences");
    for (variant, inputs, trees) in rows {
        let mut known = inputs.known.clone();
        for (reason, count) in &trees.known {
            *known.entry(reason).or_default() += count;
        }
        let known: Vec<String> = known.iter().map(|(reason, count)| format!("{count} × {reason}")).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join("; ") };
        println!(
            "{variant:<7}  {:>6}  {:>6}  {:>10}  {:>6}  {known}",
            inputs.compared, inputs.differ, trees.compared, trees.differ
        );
    }
}
