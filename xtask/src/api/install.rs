//! What tries the service, installed below cargo's target directory. Each list of exact versions is a file beside this one.

pub use crate::install::{empty, write};
use crate::{
    child,
    failure::Failure,
    install::{self, Packages},
};
use std::path::PathBuf;

/// Python's packages.
const REQUIREMENTS: &str = include_str!("requirements.txt");
/// npm's packages, and the exact version of each that they need.
const PACKAGE: &str = include_str!("clients/typescript/package.json");
const LOCK: &str = include_str!("clients/typescript/package-lock.json");

/// Returns the directory of everything that is installed and generated here.
pub fn directory() -> PathBuf {
    child::target().join("api")
}

/// Makes sure of the virtual environment; returns its interpreter.
///
/// # Errors
/// See [`install::python`].
pub fn python() -> Result<PathBuf, Failure> {
    let packages =
        Packages { about: "schemathesis and openapi-python-client", list: "xtask/src/api/requirements.txt" };
    install::python(&directory().join("python"), &packages, REQUIREMENTS)
}

/// Makes sure of npm's packages; returns the directory that they lie in.
///
/// # Errors
/// See [`install::node`].
pub fn node() -> Result<PathBuf, Failure> {
    let directory = directory().join("typescript");
    let list = "xtask/src/api/clients/typescript/package.json";
    install::node(
        &directory,
        &Packages { about: "openapi-typescript and openapi-fetch", list },
        PACKAGE,
        LOCK,
    )?;
    Ok(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_has_one_exact_version() {
        install::check(REQUIREMENTS, PACKAGE, LOCK);
    }
}
