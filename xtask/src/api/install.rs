//! What tries the service, installed by name below cargo's target directory: Python's packages in a virtual environment,
//! npm's in a directory of their own. Each list of exact versions is a file beside this one; an environment that was made
//! for another list is made again.

use crate::{child, debian, failure::Failure, npm, say};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Python's packages.
const REQUIREMENTS: &str = include_str!("requirements.txt");
/// npm's packages, and the exact version of each that they need.
const PACKAGE: &str = include_str!("clients/typescript/package.json");
const LOCK: &str = include_str!("clients/typescript/package-lock.json");

/// The file that says for which list an environment was made.
const STAMP: &str = "installed-for";

/// Returns the directory of everything that is installed and generated here.
pub fn directory() -> PathBuf {
    child::target().join("api")
}

/// Makes sure of the virtual environment; returns its interpreter.
///
/// # Errors
/// Python or its packages cannot be had. The error says what to install.
pub fn python() -> Result<PathBuf, Failure> {
    let directory = directory().join("python");
    let python = directory.join("bin/python");
    if is_made(&directory, &[REQUIREMENTS]) && child::runs(Command::new(&python).arg("--version")) {
        return Ok(python);
    }
    let hint = "install Python 3.10 or later with its module `venv` (Debian: apt-get install python3-venv)";
    if !child::runs(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        && let Err(why) = debian::install("Python with its module `venv`", &["python3-venv"])?
    {
        return Err(Failure::new(format!("Python with its module `venv` is missing {why}")).hint(hint));
    }
    say::line(&format!("    installing schemathesis and openapi-python-client into {}", directory.display()));
    empty(&directory)?;
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(&directory);
    let list = directory.join("requirements.txt");
    let mut fill = Command::new(&python);
    fill.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-deps",
        "--requirement",
    ]);
    fill.arg(&list);
    if !child::quietly(make)? {
        return Err(Failure::new("the virtual environment cannot be made").hint(hint));
    }
    write(&list, REQUIREMENTS)?;
    if !child::quietly(fill)? {
        return Err(Failure::new("Python's packages cannot be installed").hint(
            "it needs the package index that pip is set up for; xtask/src/api/requirements.txt lists them",
        ));
    }
    finish(&directory, &[REQUIREMENTS])?;
    Ok(python)
}

/// Makes sure of npm's packages; returns the directory that they lie in.
///
/// # Errors
/// Node or the packages cannot be had. The error says what to install.
pub fn node() -> Result<PathBuf, Failure> {
    let directory = directory().join("typescript");
    npm::ensure()?;
    if is_made(&directory, &[PACKAGE, LOCK]) && directory.join("node_modules").is_dir() {
        return Ok(directory);
    }
    say::line(&format!("    installing openapi-typescript and openapi-fetch into {}", directory.display()));
    empty(&directory)?;
    write(&directory.join("package.json"), PACKAGE)?;
    write(&directory.join("package-lock.json"), LOCK)?;
    npm::fill(&directory, "xtask/src/api/clients/typescript/package.json")?;
    finish(&directory, &[PACKAGE, LOCK])?;
    Ok(directory)
}

fn is_made(directory: &Path, lists: &[&str]) -> bool {
    fs::read_to_string(directory.join(STAMP)).is_ok_and(|stamp| stamp == lists.concat())
}

fn finish(directory: &Path, lists: &[&str]) -> Result<(), Failure> {
    write(&directory.join(STAMP), &lists.concat())
}

/// Makes a directory that holds nothing.
pub fn empty(directory: &Path) -> Result<(), Failure> {
    _ = fs::remove_dir_all(directory);
    fs::create_dir_all(directory).map_err(|error| cannot_write(directory, &error))
}

/// Writes a file.
pub fn write(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| cannot_write(file, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be written: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_package_has_one_exact_version() {
        for line in REQUIREMENTS.lines().filter(|line| !line.starts_with('#')) {
            let (name, version) = line.split_once("==").expect("`NAME==VERSION`");
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
        }
        let versions = PACKAGE.lines().filter(|line| line.starts_with("    \""));
        let loose: Vec<&str> = versions.filter(|line| line.contains(['^', '~', '*', '>'])).collect();
        assert_eq!(loose, [""; 0], "package.json names exact versions");
        assert!(!LOCK.contains("\"resolved\""), "the lock names no registry");
    }
}
