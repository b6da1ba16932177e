//! Packages of others that a chore needs, installed by name below cargo's target directory: Python's in a virtual
//! environment, npm's in a directory of their own. Each list has exact versions; an environment that was made for another
//! list is made again.

use crate::{child, debian, failure::Failure, npm, say};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The file that says for which list an environment was made.
const STAMP: &str = "installed-for";

/// Packages, and where the list of them lies.
pub struct Packages<'p> {
    /// What they are for people.
    pub about: &'p str,
    /// The file that lists them, from the root of the repository.
    pub list: &'p str,
}

/// Makes sure of a virtual environment with these requirements in a directory; returns its interpreter.
///
/// # Errors
/// Python or its packages cannot be had. The error says what to install.
pub fn python(directory: &Path, packages: &Packages<'_>, requirements: &str) -> Result<PathBuf, Failure> {
    let python = directory.join("bin/python");
    if is_made(directory, &[requirements]) && child::runs(Command::new(&python).arg("--version")) {
        return Ok(python);
    }
    let hint = "install Python 3.10 or later with its module `venv` (Debian: apt-get install python3-venv)";
    if !child::runs(Command::new("python3").args(["-c", "import venv, ensurepip"]))
        && let Err(why) = debian::install("Python with its module `venv`", &["python3-venv"])?
    {
        return Err(Failure::new(format!("Python with its module `venv` is missing {why}")).hint(hint));
    }
    say::line(&format!("    installing {} into {}", packages.about, directory.display()));
    empty(directory)?;
    let mut make = Command::new("python3");
    make.args(["-m", "venv"]).arg(directory);
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
    write(&list, requirements)?;
    if !child::quietly(fill)? {
        let hint = format!("it needs the package index that pip is set up for; {} lists them", packages.list);
        return Err(Failure::new("Python's packages cannot be installed").hint(hint));
    }
    finish(directory, &[requirements])?;
    Ok(python)
}

/// Makes sure of npm's packages in a directory.
///
/// # Errors
/// Node or the packages cannot be had. The error says what to install.
pub fn node(directory: &Path, packages: &Packages<'_>, package: &str, lock: &str) -> Result<(), Failure> {
    npm::ensure()?;
    if is_made(directory, &[package, lock]) && directory.join("node_modules").is_dir() {
        return Ok(());
    }
    say::line(&format!("    installing {} into {}", packages.about, directory.display()));
    empty(directory)?;
    write(&directory.join("package.json"), package)?;
    write(&directory.join("package-lock.json"), lock)?;
    npm::fill(directory, packages.list)?;
    finish(directory, &[package, lock])
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

/// Checks that each package of a list has one exact version, and that no list names a registry.
#[cfg(test)]
pub fn check(requirements: &str, package: &str, lock: &str) {
    for line in requirements.lines().filter(|line| !line.starts_with('#')) {
        let (name, version) = line.split_once("==").expect("`NAME==VERSION`");
        assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
    }
    let versions = package.lines().filter(|line| line.starts_with("    \""));
    let loose: Vec<&str> = versions.filter(|line| line.contains(['^', '~', '*', '>'])).collect();
    assert_eq!(loose, [""; 0], "package.json names exact versions");
    assert!(!lock.contains("\"resolved\""), "the lock names no registry");
}
