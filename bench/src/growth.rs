//! Twice the work, twice the time: what grows faster than its input is found here.

use crate::{
    Bench, BenchError,
    build::Building,
    harness::{Contestant, closure, interleave},
    line,
    table::{Bar, Table},
    template,
};
use std::sync::Arc;

pub const BENCH: Bench = Bench {
    name: "growth",
    about: "the same work at one, two and four times the size; four times may take five times as long.",
    run,
};

/// The sizes, by the names that the bars use.
const SIZES: [(&str, usize); 3] = [("1×", 1), ("2×", 2), ("4×", 4)];

/// The limit of the cost of four times the input: linear, and room for caches that no longer hold it.
const AT_MOST: f64 = 5.0;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let rounds = rounds.unwrap_or(101);
    let table = |title: &str, make: fn(&'static str, usize) -> Contestant<'static>| {
        let contestants = SIZES.map(|(name, times)| make(name, times)).into();
        let bar = Bar { of: "4×", to: "1×", at_most: AT_MOST };
        Table::new(title, interleave(contestants, rounds), vec![bar])
    };
    Ok(vec![
        table("sections, from 100 of 100 bytes", |name, times| {
            let mut snapshot = line::snapshot(100 * times, 100);
            closure(name, move || line::build(&mut snapshot))
        }),
        table("context files, from 5 of 2 KiB", |name, times| {
            let mut build = Building::of(5 * times).expect("the temporary directory can be written");
            closure(name, move || build.run())
        }),
        table("bytes, from 20 sections of 1.7 KiB", |name, times| {
            let mut snapshot = line::snapshot(20, 1700 * times);
            closure(name, move || line::build(&mut snapshot))
        }),
        table("a template, from 10 blocks of 1.2 KiB", |name, times| {
            let (text, values) = template::input(10 * times);
            let text: Arc<str> = text.into();
            closure(name, move || template::render(&template::parse(&text), &values).text)
        }),
    ])
}
