//! Debian's packages, installed by name where a chore needs one and may do so.

use crate::{child, failure::Failure, print};
use std::{path::Path, process::Command};

/// Why a package was not installed, as the end of a sentence.
pub type Why = &'static str;

/// Installs packages, and prints it.
///
/// # Errors
/// apt-get cannot be started.
pub fn install(what: &str, packages: &[&str]) -> Result<Result<(), Why>, Failure> {
    if !Path::new("/usr/bin/apt-get").is_file() {
        return Ok(Err("and this is no Debian, where it could be installed by name"));
    }
    if !is_root() {
        return Ok(Err("and only root may install it"));
    }
    let install = [&["install", "--yes", "--no-install-recommends"], packages].concat();
    for words in [&["update"] as &[&str], &install] {
        print::line(&format!("    {what} is missing; installing it: apt-get {}", words.join(" ")));
        let mut command = Command::new("apt-get");
        command.args(words).env("DEBIAN_FRONTEND", "noninteractive");
        if !child::quietly(command)? {
            return Ok(Err("and could not be installed"));
        }
    }
    Ok(Ok(()))
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}
