//! Programs beside cargo that a step needs, each installed by its name when it is missing.

use crate::{child, failure::Failure, say};

/// A subcommand of cargo that is a package of its own.
pub struct Tool {
    /// The package, and the name of its binary.
    pub package: &'static str,
    /// The subcommand.
    pub subcommand: &'static str,
}

impl Tool {
    /// Makes sure that the tool is there; installs it into cargo's own `bin` directory where it is not, and says so.
    ///
    /// # Errors
    /// It cannot be installed. The error names the package.
    pub fn ensure(&self) -> Result<(), Failure> {
        let Tool { package, subcommand } = self;
        if child::watch(child::cargo(&[subcommand, "--version"]), |_| ())? {
            return Ok(());
        }
        say::line(&format!("    {package} is missing; installing it: cargo install --locked {package}"));
        if child::quietly(child::cargo(&["install", "--locked", package]))? {
            return Ok(());
        }
        Err(Failure::new(format!("`{package}` is missing and could not be installed"))
            .help(format!("install it by hand: cargo install --locked {package}")))
    }
}
