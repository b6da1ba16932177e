//! `cargo xtask frameworks`: the examples of `examples/frameworks`, each with its framework, against an endpoint on loopback.
//!
//! The frameworks are installed by name and version; the library is the one that `cargo xtask python` and `cargo xtask node` build. Where
//! the prompt arrives is compared with the recorded requests in `examples/frameworks/requests`. The two smallest examples have packages
//! of their own, for `cargo xtask test --all`.

use crate::{
    Command, child,
    failure::Failure,
    flags::Flags,
    node,
    packages::{Node, Python},
    python,
};
use std::{fs, path::Path};

pub const COMMAND: Command = Command {
    name: "frameworks",
    usage: "[--all]",
    about: "Runs the examples for frameworks of agents, and checks where the prompt arrives.",
    run,
};

/// Examples with the packages that they need.
struct Examples {
    /// The name of their directories below cargo's target directory.
    directory: &'static str,
    /// The examples, by their files.
    names: &'static [&'static str],
    python: Python<'static>,
    node: Node<'static>,
}

/// The two smallest.
const SMALL: Examples = Examples {
    directory: "frameworks-small",
    names: &["pydantic_ai_agent", "vercel_ai_sdk"],
    python: Python {
        names: "pydantic-ai",
        requirements: include_str!("frameworks/small/requirements.txt"),
        file: "xtask/src/frameworks/small/requirements.txt",
    },
    node: Node {
        names: "the AI SDK",
        package: include_str!("frameworks/small/package.json"),
        lock: include_str!("frameworks/small/package-lock.json"),
        file: "xtask/src/frameworks/small/package.json",
    },
};

/// The others; about a gigabyte.
const LARGE: Examples = Examples {
    directory: "frameworks-large",
    names: &["langchain_agent", "litellm_hook", "mastra_agent", "openai_agents_sdk"],
    python: Python {
        names: "the OpenAI Agents SDK, LangChain and LiteLLM",
        requirements: include_str!("frameworks/large/requirements.txt"),
        file: "xtask/src/frameworks/large/requirements.txt",
    },
    node: Node {
        names: "Mastra",
        package: include_str!("frameworks/large/package.json"),
        lock: include_str!("frameworks/large/package-lock.json"),
        file: "xtask/src/frameworks/large/package.json",
    },
};

const EXAMPLES: &str = "examples/frameworks";

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("frameworks [--all]", words);
    let mut groups = vec![SMALL];
    while let Some(word) = flags.next() {
        match word {
            "--all" => groups.push(LARGE),
            _ => return Err(flags.unknown(word)),
        }
    }
    let library = python::library()?;
    let package = node::library()?.join("node_modules");
    for group in groups {
        let python = group.python.ensure(&child::target().join(group.directory))?;
        python::lend(&library, &python)?;
        let modules = child::target().join(format!("{}-node", group.directory));
        group.node.ensure(&modules)?;
        for name in ["preface", "@preface"] {
            lend(&package.join(name), &modules.join("node_modules").join(name))?;
        }
        let mut examples = child::script(&python, "xtask/src/frameworks/run.py");
        examples.arg(child::root().join(EXAMPLES)).arg(modules).args(group.names);
        child::lend_endpoint(&mut examples)?;
        child::run(examples)?;
    }
    Ok(())
}

/// Makes a package of one directory importable in another.
fn lend(from: &Path, to: &Path) -> Result<(), Failure> {
    _ = fs::remove_file(to);
    let lent = std::os::unix::fs::symlink(from, to);
    lent.map_err(|error| Failure::new(format!("`{}` cannot be linked: {error}", to.display())))
}

#[cfg(test)]
mod tests {
    use super::{EXAMPLES, LARGE, SMALL};
    use crate::{
        child,
        packages::tests::{assert_exact, assert_locked},
    };
    use std::fs;

    #[test]
    fn each_package_has_one_exact_version() {
        for group in [SMALL, LARGE] {
            assert_exact(group.python.requirements);
            assert_locked(group.node.package, group.node.lock);
        }
    }

    #[test]
    fn each_example_is_run_and_is_short() {
        let names = [SMALL.names, LARGE.names].concat();
        for entry in fs::read_dir(child::root().join(EXAMPLES)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.is_file() {
                assert!(names.contains(&name.as_str()), "{name} is not run");
                let lines = fs::read_to_string(&path).unwrap().lines().count();
                assert!(lines <= 30, "{name} has {lines} lines; an example has at most 30");
            }
        }
    }
}
