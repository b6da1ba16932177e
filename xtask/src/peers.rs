//! `cargo xtask peers pi`: compares preset `pi` with the published packages whose prompts it rebuilds, byte for byte.
//!
//! The driver of the packages lies outside of the repository, the packages are installed on first use. Everything else
//! is the example `pi_peers` of package `preface-testkit`; `docs/design/peers.md` describes it.
//!
//! `cargo xtask peers agents` starts agents with a prompt.

mod agents;

use crate::{Command, child, failure::Failure, flags::Flags, print};
use std::{
    env,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "peers",
    usage: "pi [pure VARIANT | …] | agents [AGENT…]",
    about: "Compares preset `pi` with the published packages, byte for byte; starts published agents with a prompt.",
    run,
};

const USAGE: &str =
    "peers pi [--variant V] [--seed N] [--inputs N] [--workspaces N] [--only inputs|workspaces] \
[--plant separator|order] [--record]
       cargo xtask peers pi pure VARIANT [--texts FILE]
       cargo xtask peers pi texts VARIANT
       each with --oracle DIR [--packages DIR]; `pure` needs none
       cargo xtask peers agents [AGENT…]";

/// The packages that are compared, by version, as the driver names them.
const VERSIONS: [&str; 3] = ["0.58.3", "0.73.1", "0.87.1"];

/// What is asked of the example.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    words: Vec<String>,
    oracle: Option<PathBuf>,
    packages: Option<PathBuf>,
}

fn run(words: &[String]) -> Result<(), Failure> {
    if words.first().is_some_and(|word| word == "agents") {
        return agents::run(&words[1..]);
    }
    let wanted = wanted(words)?;
    let mut command = child::cargo(&["run", "--release", "--quiet", "--package", "preface-testkit"]);
    command.args(["--example", "pi_peers", "--"]).args(&wanted.words);
    // Prompts for builder inputs need nothing but preface.
    if wanted.words[0] == "pure" {
        return child::run(command);
    }
    let oracle = oracle(wanted.oracle)?;
    let packages = packages(wanted.packages)?;
    install(&oracle, &packages)?;
    if wanted.words[0] == "compare" {
        child::run(child::cargo(&["build", "--release", "--package", "preface-cli"]))?;
    }
    command.arg("--oracle").arg(oracle).arg("--packages").arg(packages).arg("--preface").arg(binary());
    child::run(command)
}

/// Reads the words. What is passed on starts with what to do.
fn wanted(words: &[String]) -> Result<Wanted, Failure> {
    let mut flags = Flags::new(USAGE, words);
    match flags.next() {
        Some("pi") => {}
        Some(word) => return Err(flags.unknown(word)),
        None => {
            return Err(Failure::usage("no preset named").help(format!("usage: cargo xtask {USAGE}")));
        }
    }
    let mut wanted = Wanted { words: vec!["compare".to_owned()], ..Wanted::default() };
    let mut own = Vec::new();
    while let Some(word) = flags.next() {
        let mut value = || flags.next().ok_or_else(|| Failure::usage(format!("`{word}` takes a value")));
        match word {
            "pure" | "texts" => {
                let variant = value().map_err(|_| Failure::usage(format!("`{word}` takes a variant")))?;
                wanted.words = vec![word.to_owned(), variant.to_owned()];
            }
            "--record" => wanted.words = vec!["record".to_owned()],
            "--oracle" => wanted.oracle = Some(absolute(value()?)?),
            "--packages" => wanted.packages = Some(absolute(value()?)?),
            // The example runs in the root of the repository; a relative file is meant from here.
            "--texts" => own.extend([word.to_owned(), absolute(value()?)?.display().to_string()]),
            "--variant" | "--seed" | "--inputs" | "--workspaces" | "--only" | "--plant" => {
                own.extend([word.to_owned(), value()?.to_owned()]);
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    wanted.words.extend(own);
    Ok(wanted)
}

fn absolute(word: &str) -> Result<PathBuf, Failure> {
    std::path::absolute(word).map_err(|_| Failure::usage(format!("not a path: `{word}`")))
}

/// Returns the directory of the driver.
fn oracle(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let help = "it is no part of the repository: name the directory with its install.sh and run.sh";
    let dir = given.ok_or_else(|| Failure::usage("`--oracle DIR` is missing").help(help))?;
    match dir.canonicalize() {
        Ok(dir) if dir.join("run.sh").is_file() && dir.join("install.sh").is_file() => Ok(dir),
        _ => Err(Failure::new(format!("the driver of the packages is not in `{}`", dir.display())).help(
            "it is no part of the repository: `--oracle DIR` names the directory with its install.sh and run.sh",
        )),
    }
}

/// Returns where the packages are, or will be.
fn packages(given: Option<PathBuf>) -> Result<PathBuf, Failure> {
    match given.or_else(|| env::var_os("PI_ORACLE_HOME").map(PathBuf::from)) {
        Some(dir) => {
            std::path::absolute(&dir).map_err(|_| Failure::usage(format!("not a path: `{}`", dir.display())))
        }
        None => Ok(child::target().join("peers/pi")),
    }
}

/// Installs the packages that are missing.
fn install(oracle: &Path, packages: &Path) -> Result<(), Failure> {
    let missing =
        VERSIONS.into_iter().filter(|version| !packages.join(version).join("node_modules").is_dir());
    let missing: Vec<&str> = missing.collect();
    if missing.is_empty() {
        return Ok(());
    }
    print::line(&format!("installing {} into {}", missing.join(", "), packages.display()));
    let mut command = process::Command::new("bash");
    command.arg(oracle.join("install.sh")).arg(packages).args(missing);
    child::run(command).map_err(|failure| {
        failure.help("it needs bash, npm, Node 20.6 or later and the npm registry; `--packages DIR` names a directory where it has run already")
    })
}

/// Returns the command that is compared.
fn binary() -> PathBuf {
    child::target().join(format!("release/preface{}", env::consts::EXE_SUFFIX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wanted, Failure> {
        wanted(&words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_words_of_the_example_start_with_what_to_do() {
        let words = |words| read(words).unwrap().words;
        assert_eq!(words(&["pi"]), ["compare"]);
        assert_eq!(words(&["pi", "--record", "--variant", "0.58"]), ["record", "--variant", "0.58"]);
        assert_eq!(words(&["pi", "pure", "0.73", "--texts", "/t"]), ["pure", "0.73", "--texts", "/t"]);
        assert_eq!(
            words(&["pi", "--seed", "7", "--only", "inputs"]),
            ["compare", "--seed", "7", "--only", "inputs"]
        );
    }

    #[test]
    fn words_that_nobody_understands_are_refused() {
        for (words, why) in [
            (&[][..], "no preset named"),
            (&["other"], "unexpected argument: `other`"),
            (&["pi", "pure"], "`pure` takes a variant"),
            (&["pi", "--seed"], "`--seed` takes a value"),
            (&["pi", "--fast"], "unexpected argument: `--fast`"),
        ] {
            let failure = read(words).map(|wanted| wanted.words).unwrap_err().to_string();
            assert_eq!(failure.lines().next(), Some(format!("error: {why}").as_str()), "{words:?}");
        }
    }

    #[test]
    fn a_driver_that_is_not_there_is_missed_with_a_remedy() {
        let failure = oracle(Some(PathBuf::from("/no/such/driver"))).unwrap_err().to_string();
        assert!(failure.contains("`/no/such/driver`") && failure.contains("--oracle DIR"), "{failure}");
    }
}
