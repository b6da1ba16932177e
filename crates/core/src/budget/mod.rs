//! The length of a text, and cuts of one that is too long.
//!
//! A [`Counter`] measures, [`clip()`] cuts, [`fit()`] holds parts to a limit and [`check()`] the finished text. A new counter
//! is one file here, with the type and its tests, and one line in [`COUNTERS`]. Counters that need more than arithmetic
//! live in a crate of their own and join as [`Counters`].

mod bytes4_floor;
mod check;
mod claude;
mod claude_2026;
mod clip;
mod counter;
mod counters;
mod family;
mod fit;
mod gpt;
mod retained;

pub use bytes4_floor::Bytes4Floor;
pub use check::{OverBudget, check};
pub use claude::CLAUDE;
pub use claude_2026::CLAUDE_2026;
pub use clip::{ClipResult, clip, clip_head};
pub use counter::{Bytes4, Counter};
pub use counters::Counters;
pub use family::Family;
pub use fit::{Limit, fit};
pub use gpt::GPT;

/// A constructor of a counter.
pub type MakeCounter = fn() -> Box<dyn Counter>;

/// The counters of the core, by name.
pub const COUNTERS: &[(&str, MakeCounter)] = &[
    (Bytes4::NAME, || Box::new(Bytes4)),
    (Bytes4Floor::NAME, || Box::new(Bytes4Floor)),
    (CLAUDE.name, || Box::new(CLAUDE)),
    (CLAUDE_2026.name, || Box::new(CLAUDE_2026)),
    (GPT.name, || Box::new(GPT)),
];

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str =
        "Plain words,\r\na tab\there, e\u{301}, 👩\u{200d}👩\u{200d}👧, 漢字 and `let x = 1;`\n";

    #[test]
    fn the_list_is_sorted_and_has_each_name_once() {
        assert!(
            COUNTERS.is_sorted_by(|a, b| a.0 < b.0),
            "COUNTERS must stay sorted by name, without duplicates"
        );
    }

    #[test]
    fn a_counter_is_listed_under_its_own_name() {
        for (name, make) in COUNTERS {
            assert_eq!(make().name(), *name, "the list and the counter must agree on the name");
        }
    }

    #[test]
    fn a_counter_describes_how_it_counts() {
        for (name, make) in COUNTERS {
            let about = make().about().to_owned();
            assert!(
                !about.is_empty() && !about.ends_with('.'),
                "{name} must describe in one line how it counts"
            );
        }
    }

    #[test]
    fn an_interval_holds_the_count() {
        for (name, make) in COUNTERS {
            let counter = make();
            let Some((low, high)) = counter.interval(SAMPLE) else { continue };
            let count = counter.count(SAMPLE);
            assert!(low <= count && count <= high, "{name}: {low} {count} {high}");
            assert_eq!(counter.interval(""), Some((0, 0)), "{name} must count nothing as nothing");
        }
    }

    #[test]
    fn parts_never_add_up_to_less_than_the_whole_where_text_is_cut() {
        for (name, make) in COUNTERS {
            let counter = make();
            let cutter = counter.cutter().unwrap_or(counter.as_ref());
            for (cut, _) in SAMPLE.char_indices() {
                let (head, tail) = SAMPLE.split_at(cut);
                let sum = cutter.count(head) + cutter.count(tail);
                assert!(sum >= counter.count(SAMPLE), "{name} must name a cutter that rounds up");
            }
        }
    }

    #[test]
    fn counts_never_fall_as_a_text_grows() {
        for (name, make) in COUNTERS {
            let counter = make();
            assert_eq!(counter.count(""), 0, "{name} must count nothing as nothing");
            let ends = SAMPLE.char_indices().map(|(at, c)| at + c.len_utf8());
            let counts: Vec<usize> = ends.map(|end| counter.count(&SAMPLE[..end])).collect();
            assert!(counts.is_sorted(), "{name} must not count a longer prefix as fewer tokens: {counts:?}");
        }
    }

    #[test]
    fn two_texts_count_as_their_concatenation() {
        for (name, make) in COUNTERS {
            let counter = make();
            for (cut, _) in SAMPLE.char_indices() {
                let (head, tail) = SAMPLE.split_at(cut);
                assert_eq!(
                    counter.count_joined(head, tail),
                    counter.count(SAMPLE),
                    "{name} must join before it counts"
                );
            }
        }
    }
}
