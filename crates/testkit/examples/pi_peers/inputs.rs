//! Compares the pure builders: random inputs and the stored vectors.

use crate::{
    Setup, known,
    oracle::{self, Oracle},
    report::Tally,
};
use preface_testkit::peers::{BuilderInput, PiBuilder, PiOptions, ProfileFault, random_input};
use serde_json::Value;
use std::fs;

/// How often progress is shown.
const STEP: usize = 1000;

/// Compares the inputs of these seeds.
pub fn compare(
    setup: &Setup,
    variant: &str,
    options: &PiOptions,
    seeds: impl ExactSizeIterator<Item = u64>,
    plant: Option<ProfileFault>,
) -> Result<Tally, String> {
    let ours = builder(variant, options, plant)?;
    let mut package = Oracle::start(setup, variant, "pure", crate::NOW)?;
    let mut tally = Tally::default();
    let all = seeds.len();
    for seed in seeds {
        let input = random_input(seed, variant);
        let want = package.request(&input.line())?;
        let got = ours.prompt(&input);
        tally.compared += 1;
        if !same(&want, &got) {
            let want_again = match known::without_inherited(&input, variant) {
                Some(input) => Some(package.request(&input.line())?),
                None => None,
            };
            if want_again.is_some_and(|want| same(&want, &got)) {
                *tally.known.entry(known::INHERITED).or_default() += 1;
            } else {
                let again = format!("cargo xtask peers pi --variant {variant} --seed {seed} --only inputs");
                tally.differs(&format!("{variant} input {seed}"), &again, &flat(&want), &flat(&got));
                if all == 1 {
                    println!("  input {}", input.line());
                }
            }
        }
        if tally.compared % STEP == 0 && plant.is_none() {
            println!("{variant}: {} of {all} inputs, {} differ", tally.compared, tally.differ);
        }
    }
    Ok(tally)
}

/// Compares the stored vectors of the package with preface.
pub fn vectors(
    setup: &Setup,
    variant: &str,
    options: &PiOptions,
    plant: Option<ProfileFault>,
) -> Result<Tally, String> {
    let ours = builder(variant, options, plant)?;
    let mut tally = Tally::default();
    for (at, (input, want)) in read_vectors(setup, variant)?.into_iter().enumerate() {
        let want = want.replace("@PKG@", &setup.package_dir().display().to_string());
        let got = ours.prompt(&input).unwrap_or_else(|error| error);
        tally.compared += 1;
        if got != want {
            tally.differs(&format!("{variant} stored vector {at}"), "", &want, &got);
        }
    }
    Ok(tally)
}

/// Reads the stored vectors: each input with the prompt of the package.
pub fn read_vectors(setup: &Setup, variant: &str) -> Result<Vec<(BuilderInput, String)>, String> {
    let file = setup.oracle.join(format!("vectors/pure-{}.jsonl", oracle::version(variant)));
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let row = |line: &str| {
        let row: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let input = serde_json::from_value(row["in"].clone()).map_err(|error| error.to_string())?;
        let prompt = row["out"]["prompt"].as_str().ok_or("a vector without prompt")?;
        Ok((input, prompt.to_owned()))
    };
    // Values hold other characters that end lines.
    text.split('\n').filter(|line| !line.is_empty()).map(row).collect()
}

fn builder(variant: &str, options: &PiOptions, plant: Option<ProfileFault>) -> Result<PiBuilder, String> {
    let mut ours = PiBuilder::new(variant, options, crate::NOW, crate::ZONE)?;
    if let Some(plant) = plant {
        ours.plant(plant);
    }
    Ok(ours)
}

/// Where both refuse, the words are free.
fn same(want: &Result<String, String>, got: &Result<String, String>) -> bool {
    match (want, got) {
        (Ok(want), Ok(got)) => want == got,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

fn flat(answer: &Result<String, String>) -> String {
    match answer {
        Ok(text) => text.clone(),
        Err(error) => format!("error: {error}"),
    }
}
