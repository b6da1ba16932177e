//! The list, and counts against those of OpenAI's own `tiktoken`; `vectors/make.py` makes them.

use super::{CL100K, COUNTERS, O200K};
use preface_core::budget::{ClipResult, Counter, clip};
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct CountRow {
    text: String,
    o200k: usize,
    cl100k: usize,
}

fn rows() -> Vec<CountRow> {
    serde_json::from_str(include_str!("vectors/counts.json")).expect("the vectors are a list of rows")
}

#[test]
fn counts_are_those_of_the_reference() {
    for CountRow { text, o200k, cl100k } in rows() {
        assert_eq!((O200K.count(&text), CL100K.count(&text)), (o200k, cl100k), "{text:?}");
    }
}

#[test]
fn a_special_token_is_text() {
    assert!(O200K.count("<|endoftext|>") > 1 && CL100K.count("<|endoftext|>") > 1);
}

/// This is why the search for a place to cut counts what it found once more.
#[test]
fn a_longer_prefix_may_count_less() {
    assert_eq!(["authenticatio", "authentication"].map(|text| O200K.count(text)), [3, 1]);
}

#[test]
fn a_long_run_of_one_character_counts_more_than_a_short_one() {
    for one in ["a", " ", "\n", "漢", "🙂"] {
        let (long, short) = (one.repeat(10_000), one.repeat(1_000));
        for counter in [O200K, CL100K] {
            let (long_count, short_count) = (counter.count(&long), counter.count(&short));
            assert!(
                short_count < long_count && long_count <= long.len(),
                "{one:?}: {short_count}, {long_count}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_cut_text_counts_at_most_the_ceiling(words in prop::collection::vec("[a-zé漢 \n]{0,12}", 0..60), max in 0usize..60) {
        let text = words.join(" programmer's ");
        let clipped = clip(&text, max, &O200K);
        prop_assert!(O200K.count(&clipped.apply(&text)) <= max, "{clipped:?}");
        prop_assert_eq!(matches!(clipped, ClipResult::Whole { .. }), max > 0 && O200K.count(&text) <= max);
    }
}

#[test]
fn the_list_is_sorted_and_has_each_name_once() {
    assert!(COUNTERS.is_sorted_by(|a, b| a.0 < b.0), "COUNTERS must stay sorted by name, without duplicates");
}

#[test]
fn a_counter_is_listed_under_its_own_name() {
    for (name, make) in COUNTERS {
        let counter = make();
        assert_eq!(counter.name(), *name, "the list and the counter must agree on the name");
        assert!(counter.exact() && !counter.about().ends_with('.'));
    }
}

#[test]
fn a_name_is_not_the_cores() {
    for (name, _) in COUNTERS {
        let cores = preface_core::budget::COUNTERS;
        assert!(cores.iter().all(|(core, _)| core != name), "`{name}` is taken");
    }
}
