//! The steps of `cargo xtask test`, in their order: the quick ones first.

use crate::{child::cargo, failure::Failure, find, postgres, tool::Tool};
use std::{path::Path, process::Command};

/// Something that must hold.
pub struct Step {
    /// The name.
    pub name: &'static str,
    /// A description of the checks, for people.
    pub about: &'static str,
    /// The form of the command that has it.
    pub when: When,
    /// Makes the command; installs what it needs.
    pub prepare: fn() -> Result<Prepared, Failure>,
}

/// The form of `cargo xtask test` that has a step. Ordered: the later has everything that the earlier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum When {
    /// Both forms.
    Always,
    /// Only `--all`.
    All,
}

/// The work of a step.
pub enum Prepared {
    /// Run this.
    Run(Command),
    /// Nothing, for this reason.
    Skip(&'static str),
}

/// The steps.
pub const STEPS: &[Step] = &[
    Step {
        name: "format",
        about: "cargo fmt --check",
        when: When::Always,
        prepare: || Ok(Prepared::Run(cargo(&["fmt", "--all", "--check"]))),
    },
    Step {
        name: "clippy",
        about: "cargo clippy --workspace --all-targets -- -D warnings",
        when: When::Always,
        prepare: || {
            Ok(Prepared::Run(cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"])))
        },
    },
    Step {
        name: "lean",
        about: "cargo clippy --package preface -- -D warnings: the library without features",
        when: When::Always,
        prepare: || Ok(Prepared::Run(cargo(&["clippy", "--package", "preface", "--", "-D", "warnings"]))),
    },
    Step {
        name: "test",
        about: "cargo test --workspace: units, cases, commands, README, arrows, doc tests; the store on a PostgreSQL server",
        when: When::Always,
        prepare: || {
            postgres::ensure()?;
            Ok(Prepared::Run(cargo(&["test", "--workspace", "--no-fail-fast"])))
        },
    },
    Step {
        name: "lean-test",
        about: "cargo test --package preface --package preface-engine: the tests of the library without features",
        when: When::All,
        prepare: || {
            Ok(Prepared::Run(cargo(&[
                "test",
                "--package",
                "preface",
                "--package",
                "preface-engine",
                "--no-fail-fast",
            ])))
        },
    },
    Step {
        name: "nodes",
        about: "cargo xtask nodes --short: several nodes on one store, raced, killed and cut off",
        when: When::All,
        prepare: nodes,
    },
    Step {
        name: "props",
        about: "cargo xtask props --kept: the properties with the seeds that failed before",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "props", "--kept"]))),
    },
    Step {
        name: "rustdoc",
        about: "cargo doc --workspace --no-deps, warnings are errors",
        when: When::All,
        prepare: || {
            let mut command = cargo(&["doc", "--workspace", "--no-deps"]);
            command.env("RUSTDOCFLAGS", "-D warnings");
            Ok(Prepared::Run(command))
        },
    },
    Step {
        name: "fuzz",
        about: "cargo check of the fuzz targets, which are a workspace of their own",
        when: When::All,
        prepare: || {
            Ok(Prepared::Run(cargo(&[
                "check",
                "--manifest-path",
                "fuzz/Cargo.toml",
                "--target-dir",
                "target/fuzz",
                "--bins",
            ])))
        },
    },
    Step {
        name: "wasm",
        about: "cargo check --target wasm32-unknown-unknown -p preface-core: the core needs no machine",
        when: When::All,
        prepare: || match has_target(WASM) {
            true => Ok(Prepared::Run(cargo(&["check", "--target", WASM, "--package", "preface-core"]))),
            false => Ok(Prepared::Skip("the target wasm32-unknown-unknown is not installed")),
        },
    },
    Step {
        name: "api",
        about: "cargo xtask api conformance: schemathesis tries the service against its own description",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "api", "conformance"]))),
    },
    Step {
        name: "clients",
        about: "cargo xtask api clients: clients made from the description, in Python and TypeScript",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "api", "clients"]))),
    },
    Step {
        name: "mcp",
        about: "cargo xtask mcp: real MCP servers from npm and PyPI are read, over pipes and over HTTP",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "mcp"]))),
    },
    Step {
        name: "mcp-serve",
        about: "cargo xtask mcp-serve: published MCP clients, in Python and TypeScript, use `preface mcp serve`",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "mcp-serve"]))),
    },
    Step {
        name: "requests",
        about: "cargo xtask requests: request bodies, golden and random, checked with the SDKs of four vendors",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "requests"]))),
    },
    Step {
        name: "python",
        about: "cargo xtask python: the wheels of the program and the library, and every case through the library",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "python"]))),
    },
    Step {
        name: "node",
        about: "cargo xtask node: the npm packages of program and library, installed into empty directories",
        when: When::All,
        prepare: || match cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            true => Ok(Prepared::Run(cargo(&["xtask", "node"]))),
            false => Ok(Prepared::Skip("the npm packages are for Linux on x86-64")),
        },
    },
    Step {
        name: "frameworks",
        about: "cargo xtask frameworks: the two smallest examples for frameworks, against an endpoint on loopback",
        when: When::All,
        prepare: || match cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            true => Ok(Prepared::Run(cargo(&["xtask", "frameworks"]))),
            false => Ok(Prepared::Skip("the npm packages are for Linux on x86-64")),
        },
    },
    Step {
        name: "web",
        about: "cargo xtask web --test: the editor, built and tried in Chromium against the real service",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "web", "--test"]))),
    },
    Step {
        name: "docs",
        about: "cargo xtask docs --test: the documentation site, its links, and each page in Chromium",
        when: When::All,
        prepare: || Ok(Prepared::Run(cargo(&["xtask", "docs", "--test"]))),
    },
    Step {
        name: "deny",
        about: "cargo deny check bans licenses sources",
        when: When::All,
        prepare: || {
            Tool { package: "cargo-deny", subcommand: "deny" }.ensure()?;
            Ok(Prepared::Run(cargo(&["deny", "check", "bans", "licenses", "sources"])))
        },
    },
];

/// Where processes can be killed and a store's server started.
fn nodes() -> Result<Prepared, Failure> {
    match find("nodes") {
        Some(_) => Ok(Prepared::Run(cargo(&["xtask", "nodes", "--short"]))),
        None => Ok(Prepared::Skip("it needs Unix")),
    }
}

const WASM: &str = "wasm32-unknown-unknown";

/// True where the toolchain has the standard library of this target.
fn has_target(target: &str) -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    output.is_ok_and(|output| Path::new(String::from_utf8_lossy(&output.stdout).trim()).is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_name_is_there_once() {
        let names: BTreeSet<&str> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names.len(), STEPS.len(), "two steps have the same name");
    }

    #[test]
    fn the_short_form_comes_first() {
        assert!(
            STEPS.is_sorted_by_key(|step| step.when),
            "what both forms have stands before what only --all has"
        );
    }
}
