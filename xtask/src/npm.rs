//! Node and the packages of npm.

use crate::{child, debian, failure::Failure};
use std::{path::Path, process::Command};

/// True where Node and npm can be run.
pub fn is_there() -> bool {
    ["node", "npm"].iter().all(|name| child::runs(Command::new(name).arg("--version")))
}

/// Makes sure of Node and npm.
///
/// # Errors
/// They are missing. The error names what to install.
pub fn ensure() -> Result<(), Failure> {
    if !is_there()
        && let Err(why) = debian::install("Node with npm", &["nodejs", "npm"])?
    {
        let help = "install Node 20 or later with npm (Debian: apt-get install nodejs npm)";
        return Err(Failure::new(format!("Node with npm is missing {why}")).help(help));
    }
    Ok(())
}

/// Installs what the lock file of a directory names. `list` is the file that names the packages, for people. No script of a
/// package runs.
///
/// # Errors
/// The packages cannot be had.
pub fn fill(directory: &Path, list: &str) -> Result<(), Failure> {
    let mut fill = Command::new("npm");
    fill.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(directory);
    match child::quietly(fill)? {
        true => Ok(()),
        false => Err(Failure::new("npm's packages cannot be installed")
            .help(format!("it needs the registry that npm is set up for; {list} lists them"))),
    }
}
