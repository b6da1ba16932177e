//! Programs beside cargo that a step needs, each installed by its name when it is missing.

use crate::{child, failure::Failure, print};
use std::{env, path::PathBuf, process::Command};

/// A subcommand of cargo that is a package of its own.
pub struct Tool {
    /// The package, and the name of its binary.
    pub package: &'static str,
    /// The subcommand.
    pub subcommand: &'static str,
}

impl Tool {
    /// Makes sure that the tool is there; installs it into cargo's own `bin` directory where it is not, and prints it.
    ///
    /// # Errors
    /// It cannot be installed. The error names the package.
    pub fn ensure(&self) -> Result<(), Failure> {
        let Tool { package, subcommand } = self;
        if child::watch(child::cargo(&[subcommand, "--version"]), |_| ())? {
            return Ok(());
        }
        print::line(&format!("    {package} is missing; installing it: cargo install --locked {package}"));
        if child::quietly(child::cargo(&["install", "--locked", package]))? {
            return Ok(());
        }
        Err(Failure::new(format!("`{package}` is missing and could not be installed"))
            .help(format!("install it by hand: cargo install --locked {package}")))
    }
}

/// A program from crates.io in one version, installed below cargo's target directory.
pub struct Program {
    /// The package, and the name of its binary.
    pub package: &'static str,
    /// The exact version.
    pub version: &'static str,
    /// The features, instead of the default ones.
    pub features: &'static str,
}

impl Program {
    /// Installs the program if it is missing; returns its path. It is built without optimization, which takes half the time.
    ///
    /// # Errors
    /// It cannot be installed. The error names the package.
    pub fn ensure(&self) -> Result<PathBuf, Failure> {
        let Program { package, version, features } = self;
        let root = child::target().join(format!("{package}-{version}"));
        let program = root.join("bin").join(format!("{package}{}", env::consts::EXE_SUFFIX));
        if child::runs(Command::new(&program).arg("--version")) {
            return Ok(program);
        }
        print::line(&format!("    installing {package} {version} into {}", root.display()));
        let version = format!("={version}");
        let mut command = child::cargo(&["install", package, "--version", &version, "--locked", "--debug"]);
        command.args(["--no-default-features", "--features", features, "--root"]).arg(&root);
        if child::quietly(command)? {
            return Ok(program);
        }
        Err(Failure::new(format!("`{package}` cannot be installed"))
            .help("it needs the registry that cargo is set up for"))
    }
}
