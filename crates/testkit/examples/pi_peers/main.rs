//! Compares preset `pi` with the published packages, byte for byte. `cargo xtask peers pi` installs them and runs this;
//! `docs/design/peers.md` describes what is compared and how.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod collect;
mod inputs;
mod known;
mod oracle;
mod record;
mod report;
mod workspaces;

use preface_engine::ASSETS;
use preface_testkit::peers::{
    BuilderInput, PiBuilder, PiOptions, ProfileFault, VARIANTS, edge_workspaces, random_workspace,
};
use report::Tally;
use serde_json::json;
use std::{
    env, fs,
    io::{BufRead, Write, stdin, stdout},
    path::{Path, PathBuf},
    process::{self, ExitCode},
};
use workspaces::By;

/// The clock of both sides: the day in UTC and the day in the zone differ.
const NOW: &str = "2026-03-08T05:55:05Z";
/// The zone of both sides.
const ZONE: &str = "America/Chicago";
/// How many trees are compared with a whole session, beside the eight edge cases.
const SESSIONS: u64 = 10;
/// How many inputs a planted error has to be found in.
const PLANTED: u64 = 200;

/// Where everything is.
struct Setup {
    /// The driver of the packages.
    oracle: PathBuf,
    /// Where they are installed.
    packages: PathBuf,
    /// The command that is compared.
    preface: PathBuf,
    /// A directory for trees, gone at the end.
    root: PathBuf,
    /// True: trees stay on the disk.
    keep: bool,
}

impl Setup {
    /// The directory that the documentation lines name.
    fn package_dir(&self) -> PathBuf {
        self.oracle.join("pkg")
    }
}

/// The options of the command line.
#[derive(Default)]
struct Options {
    words: Vec<String>,
    oracle: PathBuf,
    packages: PathBuf,
    preface: PathBuf,
    texts: Option<PathBuf>,
    variants: Vec<String>,
    inputs: u64,
    workspaces: u64,
    seed: u64,
    only: Option<String>,
    plant: Option<ProfileFault>,
}

fn main() -> ExitCode {
    let result = parse_options().and_then(|wanted| match wanted.words.first().map(String::as_str) {
        Some("pure") => pure(&wanted),
        Some("texts") => with_setup(&wanted, texts),
        Some("record") => with_setup(&wanted, record_all),
        _ => with_setup(&wanted, compare),
    });
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Reads the words that `cargo xtask peers pi` hands over; it has checked them.
fn parse_options() -> Result<Options, String> {
    let mut wanted = Options { inputs: 5000, workspaces: 300, seed: 1, ..Options::default() };
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        if !word.starts_with("--") {
            wanted.words.push(word);
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{word}` takes a value"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("`{word}` takes a number: `{value}`"));
        match word.as_str() {
            "--oracle" => wanted.oracle = value.into(),
            "--packages" => wanted.packages = value.into(),
            "--preface" => wanted.preface = value.into(),
            "--texts" => wanted.texts = Some(value.into()),
            "--variant" => wanted.variants.push(variant(&value)?),
            "--inputs" => wanted.inputs = number()?,
            "--workspaces" => wanted.workspaces = number()?,
            "--seed" => wanted.seed = number()?,
            "--only" => wanted.only = Some(value),
            "--plant" => {
                wanted.plant = Some(match value.as_str() {
                    "separator" => ProfileFault::Separator,
                    "order" => ProfileFault::Order,
                    _ => return Err(format!("`--plant` is `separator` or `order`: `{value}`")),
                });
            }
            _ => return Err(format!("unexpected argument: `{word}`")),
        }
    }
    if wanted.variants.is_empty() {
        wanted.variants = VARIANTS.map(str::to_owned).to_vec();
    }
    Ok(wanted)
}

/// A variant, also written as the package's version.
fn variant(word: &str) -> Result<String, String> {
    let known = VARIANTS.into_iter().find(|known| *known == word || oracle::version(known) == word);
    known.map(str::to_owned).ok_or_else(|| format!("variants are {}: `{word}`", VARIANTS.join(", ")))
}

/// Runs something in a fresh directory that no instructions are above.
fn with_setup(wanted: &Options, run: fn(&Setup, &Options) -> Result<bool, String>) -> Result<bool, String> {
    let temporary = env::temp_dir().canonicalize().map_err(|error| error.to_string())?;
    for dir in temporary.ancestors() {
        for name in [
            ".agents",
            ".git",
            ".pi",
            "AGENTS.md",
            "AGENTS.MD",
            "AGENTS.override.md",
            "CLAUDE.md",
            "CLAUDE.MD",
        ] {
            if dir.join(name).symlink_metadata().is_ok() {
                let found = dir.join(name);
                return Err(format!(
                    "{} would be part of every prompt; set TMPDIR to another directory",
                    found.display()
                ));
            }
        }
    }
    let root = temporary.join(format!("preface-peers-{}", process::id()));
    fs::create_dir_all(root.join("nobody")).map_err(|error| format!("{}: {error}", root.display()))?;
    let setup = Setup {
        oracle: wanted.oracle.clone(),
        packages: wanted.packages.clone(),
        preface: wanted.preface.clone(),
        root,
        keep: wanted.only.as_deref() == Some("workspaces"),
    };
    let result = run(&setup, wanted);
    if !setup.keep {
        _ = fs::remove_dir_all(&setup.root);
    }
    result
}

/// The comparison itself.
fn compare(setup: &Setup, wanted: &Options) -> Result<bool, String> {
    let mut rows = Vec::new();
    let mut missed = Vec::new();
    println!("seeds from {}", wanted.seed);
    for variant in &wanted.variants {
        println!("{variant}: taking the sentences of {}", oracle::version(variant));
        let options = collect::collect(setup, variant)?;
        let (inputs, trees) = compare_variant(setup, wanted, variant, &options, wanted.plant)?;
        rows.push((variant.clone(), inputs, trees));
        if wanted.only.is_none() && wanted.plant.is_none() {
            for plant in [ProfileFault::Separator, ProfileFault::Order] {
                missed.extend(missed_faults(setup, wanted, variant, &options, plant)?);
            }
        }
    }
    report::table(&rows);
    for missed in &missed {
        println!("NOT CAUGHT {missed}");
    }
    if wanted.only.is_none() && wanted.plant.is_none() && missed.is_empty() {
        println!("planted errors (a separator, an order): each caught, by inputs and by trees");
    }
    let differ: usize = rows.iter().map(|(_, inputs, trees)| inputs.differ + trees.differ).sum();
    Ok(differ == 0 && missed.is_empty())
}

fn compare_variant(
    setup: &Setup,
    wanted: &Options,
    variant: &str,
    options: &PiOptions,
    plant: Option<ProfileFault>,
) -> Result<(Tally, Tally), String> {
    let tree = |seed| (Some(seed), random_workspace(seed));
    let (mut inputs, mut trees) = (Tally::default(), Tally::default());
    match wanted.only.as_deref() {
        Some("inputs") => inputs = inputs::compare(setup, variant, options, seeds(wanted.seed, 1), plant)?,
        Some(_) => {
            let one = seeds(wanted.seed, 1).map(tree);
            trees = workspaces::compare(setup, variant, options, one, By::Serve, plant)?;
        }
        None => {
            inputs = inputs::vectors(setup, variant, options, plant)?;
            inputs.add(inputs::compare(setup, variant, options, seeds(wanted.seed, wanted.inputs), plant)?);
            let edges = edge_workspaces().into_iter().map(|tree| (None, tree));
            trees = workspaces::compare(setup, variant, options, edges, By::Session, plant)?;
            let many = seeds(wanted.seed, wanted.workspaces).map(tree);
            trees.add(workspaces::compare(setup, variant, options, many, By::Serve, plant)?);
            let few = seeds(wanted.seed, SESSIONS.min(wanted.workspaces)).map(tree);
            trees.add(workspaces::compare(setup, variant, options, few, By::Session, plant)?);
        }
    }
    Ok((inputs, trees))
}

/// Returns what a planted error was not caught by.
fn missed_faults(
    setup: &Setup,
    wanted: &Options,
    variant: &str,
    options: &PiOptions,
    plant: ProfileFault,
) -> Result<Vec<String>, String> {
    report::quietly(|| {
        let inputs = inputs::compare(setup, variant, options, seeds(wanted.seed, PLANTED), Some(plant))?;
        let trees = seeds(wanted.seed, PLANTED / 4).map(|seed| (None, random_workspace(seed)));
        let trees = workspaces::compare(setup, variant, options, trees, By::Serve, Some(plant))?;
        let tallies = [("inputs", inputs), ("workspaces", trees)];
        let missed = tallies.iter().filter(|(_, tally)| tally.differ == 0);
        Ok(missed.map(|(what, _)| format!("{variant}: {plant:?} by {what}")).collect())
    })
}

fn seeds(first: u64, count: u64) -> impl ExactSizeIterator<Item = u64> {
    (0..usize::try_from(count).unwrap_or(0)).map(move |at| first + at as u64)
}

/// Reads inputs from stdin and writes prompts.
fn pure(wanted: &Options) -> Result<bool, String> {
    let variant = variant(wanted.words.get(1).ok_or("`pure` takes a variant")?)?;
    let mut options = match &wanted.texts {
        Some(file) => {
            let text = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
            serde_json::from_slice(&text).map_err(|error| format!("{}: {error}", file.display()))?
        }
        None => PiOptions::default(),
    };
    let var = |name| env::var(name).ok().filter(|value: &String| !value.is_empty());
    // The packages read the same variables.
    options.package_dir = var("PI_PACKAGE_DIR").or(options.package_dir);
    let now = var("PI_ORACLE_NOW").unwrap_or_else(|| NOW.to_owned());
    let zone = var("TZ").unwrap_or_else(|| "UTC".to_owned());
    let ours = PiBuilder::new(&variant, &options, &now, &zone)?;
    for line in stdin().lock().split(b'\n') {
        let line = line.map_err(|error| error.to_string())?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let input: Result<BuilderInput, _> = serde_json::from_slice(&line);
        let answer = match input.map_err(|error| error.to_string()).and_then(|input| ours.prompt(&input)) {
            Ok(prompt) => json!({ "prompt": prompt }),
            Err(error) => json!({ "error": error }),
        };
        let line = preface_testkit::peers::ascii(&answer.to_string());
        writeln!(stdout(), "{line}").map_err(|error| error.to_string())?;
    }
    Ok(true)
}

/// Prints the sentences of a package, for `pure --texts`.
fn texts(setup: &Setup, wanted: &Options) -> Result<bool, String> {
    let variant = variant(wanted.words.get(1).ok_or("`texts` takes a variant")?)?;
    let options = collect::collect(setup, &variant)?;
    println!("{}", serde_json::to_string_pretty(&options).map_err(|error| error.to_string())?);
    Ok(true)
}

/// Writes the recordings of the tests.
fn record_all(setup: &Setup, wanted: &Options) -> Result<bool, String> {
    let into = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/pi");
    let preset =
        ASSETS.iter().find(|(path, _)| *path == "presets/pi.toml").ok_or("there is no preset `pi`")?;
    let shipped = String::from_utf8_lossy(preset.1);
    for variant in &wanted.variants {
        let options = collect::collect(setup, variant)?;
        let count = record::record(setup, variant, &options, &shipped, &into)?;
        println!("{variant}: {count} files in {}", into.join(variant).display());
    }
    Ok(true)
}
