//! Measures preface side by side with what it is compared to.
//!
//! One subject is one file with a `BENCH` of its own and one line in [`BENCHES`]. Both sides of every ratio are taken in
//! the same run, in turns, so that a noisy neighbour moves both. A ratio that has a bar passes or misses it; the
//! absolute times are there to be looked at.

mod anatomy;
mod assemble;
mod bodies;
mod branch;
mod build;
mod extensions;
mod growth;
mod harness;
mod line;
mod process;
mod read;
mod service;
mod start;
mod table;
mod template;

use std::{env, path::Path, process::ExitCode};
use table::Table;

#[cfg(feature = "allocations")]
#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

/// One subject of measurement.
struct Bench {
    /// The name: the verb that is timed.
    name: &'static str,
    /// The description of the comparison, in one sentence.
    about: &'static str,
    /// Measures, in this many rounds if the caller sets them.
    run: fn(Option<usize>) -> Result<Vec<Table>, BenchError>,
}

/// Why a subject cannot be measured.
enum BenchError {
    /// Something that it needs is not on this machine.
    Missing(String),
    /// The two sides do not do the same, or one of them fails.
    Failed(String),
}

impl From<std::io::Error> for BenchError {
    fn from(error: std::io::Error) -> Self {
        BenchError::Failed(error.to_string())
    }
}

/// The subjects, by name.
const BENCHES: &[Bench] = &[
    anatomy::BENCH,
    assemble::BENCH,
    bodies::BENCH,
    branch::BENCH,
    build::BENCH,
    extensions::BENCH,
    growth::BENCH,
    line::BENCH,
    read::BENCH,
    service::BENCH,
    start::BENCH,
    template::BENCH,
];

fn main() -> ExitCode {
    // A server that another is compared with is this program again.
    let words: Vec<String> = env::args().collect();
    if let [_, serve, kind, database] = words.as_slice()
        && serve == "--serve"
    {
        return match service::serve(kind, Path::new(database)) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                table::error(&error.to_string());
                ExitCode::FAILURE
            }
        };
    }
    let options = match Options::read(env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            table::error(&message);
            return ExitCode::from(2);
        }
    };
    let _room = harness::warm_heap();
    let mut missed = 0;
    let mut wrong = false;
    for bench in BENCHES.iter().filter(|bench| options.includes(bench.name)) {
        table::heading(bench.name, bench.about);
        match (bench.run)(options.rounds) {
            Ok(tables) => {
                for table in tables {
                    missed += table.missed();
                    table.print();
                }
            }
            Err(BenchError::Missing(why)) => table::skipped(&why),
            Err(BenchError::Failed(why)) => {
                wrong = true;
                table::error(&why);
            }
        }
    }
    table::summary(missed);
    if missed == 0 && !wrong { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The options of the command line.
#[derive(Default)]
struct Options {
    names: Vec<String>,
    rounds: Option<usize>,
}

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Options::default();
        while let Some(word) = words.next() {
            if word == "--rounds" {
                let number = words.next().and_then(|word| word.parse().ok()).filter(|number| *number > 0);
                options.rounds = Some(number.ok_or("`--rounds` takes a number above zero")?);
            } else if BENCHES.iter().any(|bench| bench.name == word) {
                options.names.push(word);
            } else {
                let names: Vec<&str> = BENCHES.iter().map(|bench| bench.name).collect();
                return Err(format!("unknown subject: `{word}`\nhint: one of {}", names.join(", ")));
            }
        }
        Ok(options)
    }

    fn includes(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|known| known == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_has_each_name_once() {
        assert!(BENCHES.is_sorted_by(|a, b| a.name < b.name), "BENCHES must stay sorted by name");
    }

    #[test]
    fn each_subject_describes_what_it_compares() {
        for bench in BENCHES {
            assert!(bench.about.ends_with('.'), "`{}` needs a sentence that ends with a period", bench.name);
        }
    }

    #[test]
    fn subjects_are_chosen_by_name() {
        let read = |words: &[&str]| Options::read(words.iter().map(ToString::to_string));
        let options = read(&["template", "--rounds", "7"]).unwrap();
        assert!(options.includes("template") && !options.includes("start") && options.rounds == Some(7));
        assert!(read(&[]).unwrap().includes("start"), "without names it is all of them");
        assert!(read(&["templates"]).is_err() && read(&["--rounds", "0"]).is_err());
    }
}
