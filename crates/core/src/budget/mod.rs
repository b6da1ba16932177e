//! How long a text is, and what to do when it is too long.
//!
//! A [`Counter`] measures, [`clip()`] cuts. A new counter is one file here, with the type and its tests, and one line in
//! [`COUNTERS`].

mod clip;
mod counter;
mod fit;

pub use clip::{Clipped, clip};
pub use counter::{Bytes4, Counter};
pub use fit::{Limit, OverBudget, fit};

/// Makes a counter.
pub type MakeCounter = fn() -> Box<dyn Counter>;

/// The counters that `--count` can name, by name.
pub const COUNTERS: &[(&str, MakeCounter)] = &[(Bytes4::NAME, || Box::new(Bytes4))];

/// Returns the counter with this name.
///
/// ```
/// use preface_core::budget::counter;
/// assert_eq!(counter("estimate:bytes4").unwrap().count("twelve bytes"), 3);
/// assert!(counter("estimate:bytes5").is_none());
/// ```
#[must_use]
pub fn counter(name: &str) -> Option<Box<dyn Counter>> {
    COUNTERS.iter().find(|(listed, _)| *listed == name).map(|(_, make)| make())
}

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
