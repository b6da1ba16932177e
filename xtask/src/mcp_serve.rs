//! `cargo xtask mcp-serve`: published MCP clients use `preface mcp serve`, as an agent's program would.
//!
//! One in Python, in both ways in which a connection begins, and one in TypeScript. Each is given the built program, a home
//! and a root of its own; it lists and gets the prompts, compares one with what `preface build` prints, and calls the three
//! tools. Both check the results of the tools against the schemas that they got. What is installed lies below cargo's
//! target directory, in exact versions.

use crate::{
    Command, child,
    failure::Failure,
    flags::Flags,
    packages::{self, Node, Python},
    print,
};
use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "mcp-serve",
    usage: "[--binary PATH]",
    about: "Lets published MCP clients use `preface mcp serve`.",
    run,
};

const PACKAGES: Python<'_> = Python {
    names: "the MCP client for Python",
    requirements: include_str!("mcp_serve/python/requirements.txt"),
    file: "xtask/src/mcp_serve/python/requirements.txt",
};
const MODULES: Node<'_> = Node {
    names: "the MCP client for Node",
    package: include_str!("mcp_serve/typescript/package.json"),
    lock: include_str!("mcp_serve/typescript/package-lock.json"),
    file: "xtask/src/mcp_serve/typescript/package.json",
};

const PYTHON: &str = "xtask/src/mcp_serve/python/story.py";
const TYPESCRIPT: &str = "xtask/src/mcp_serve/typescript/story.js";

fn run(words: &[String]) -> Result<(), Failure> {
    let mut binary = None;
    let mut flags = Flags::new("mcp-serve [--binary PATH]", words);
    while let Some(word) = flags.next() {
        match word {
            "--binary" => {
                let path = flags.next().unwrap_or_default();
                binary = match std::path::absolute(path) {
                    Ok(path) if path.is_file() => Some(path),
                    _ => return Err(Failure::usage(format!("not a program: `{path}`"))),
                };
            }
            _ => return Err(flags.unknown(word)),
        }
    }
    let binary = match binary {
        Some(binary) => binary,
        None => child::debug_binary()?,
    };
    play(&binary)
}

/// Lets both clients play their story with this program.
///
/// # Errors
/// A client cannot be had, or its story goes another way.
pub fn play(binary: &Path) -> Result<(), Failure> {
    let directory = child::target().join("mcp-serve");
    let python = PACKAGES.ensure(&directory.join("python"))?;
    let mut story = process::Command::new(python);
    story.arg(child::root().join(PYTHON)).env("PYTHONDONTWRITEBYTECODE", "1");
    run_story(story, binary, PYTHON)?;

    let directory = directory.join("typescript");
    MODULES.ensure(&directory)?;
    // A module is looked up from where the script lies.
    let text = fs::read_to_string(child::root().join(TYPESCRIPT));
    let text = text.map_err(|error| Failure::new(format!("`{TYPESCRIPT}` cannot be read: {error}")))?;
    packages::write(&directory.join("story.js"), &text)?;
    let mut story = process::Command::new("node");
    story.arg("story.js").current_dir(&directory);
    run_story(story, binary, TYPESCRIPT)
}

/// Plays a story at a place of its own.
fn run_story(mut story: process::Command, binary: &Path, script: &str) -> Result<(), Failure> {
    let place = Place::new().map_err(|error| Failure::new(format!("no place for a story: {error}")))?;
    story.arg(binary).arg(place.0.join("root"));
    // The developer's own settings of preface stay out.
    story.env_remove("PREFACE_HOME").env_remove("PREFACE_STORE").env_remove("XDG_CONFIG_HOME");
    story.env("HOME", place.0.join("home"));
    match child::watch(story, print::figure)? {
        true => Ok(()),
        false => Err(Failure::new("an MCP client's story goes another way").help(format!("it is {script}"))),
    }
}

/// A home and a root. They go with this value.
struct Place(PathBuf);

impl Place {
    fn new() -> io::Result<Self> {
        let place = Place(env::temp_dir().join(format!("preface-mcp-serve-{}", process::id())));
        _ = fs::remove_dir_all(&place.0);
        fs::create_dir_all(place.0.join("home"))?;
        fs::create_dir_all(place.0.join("root/api"))?;
        fs::write(place.0.join("root/AGENTS.md"), "Use tabs. Größe: \u{1f600}\r\n")?;
        fs::write(place.0.join("root/api/AGENTS.md"), "Answer in JSON.\n")?;
        Ok(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::tests::{assert_exact, assert_locked};

    #[test]
    fn each_package_has_one_exact_version() {
        assert_exact(PACKAGES.requirements);
        assert_locked(MODULES.package, MODULES.lock);
    }

    #[test]
    fn words_that_nobody_understands_are_refused() {
        for (words, why) in [
            (&["other"][..], "unexpected argument: `other`"),
            (&["--binary", "/no/such"], "not a program: `/no/such`"),
        ] {
            let owned: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            let failure = run(&owned).unwrap_err().to_string();
            assert_eq!(failure.lines().next(), Some(format!("error: {why}").as_str()), "{words:?}");
        }
    }
}
