//! Packages of Python and npm that a chore needs, installed by name below cargo's target directory: Python's in a virtual
//! environment, npm's in a directory of their own. The list of exact versions is the chore's; what was made for another list
//! is made again.

use crate::{child, debian, failure::Failure, npm, print};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The file with the list that a directory was made for.
const STAMP: &str = "installed-for";

/// Packages of Python.
pub struct Python<'a> {
    /// A description of the packages, for people.
    pub names: &'a str,
    /// The list, as pip reads it: each package with its version, all that it needs among them.
    pub requirements: &'a str,
    /// The file that the list is from.
    pub file: &'a str,
}

impl Python<'_> {
    /// Makes sure of a virtual environment with the packages; returns its interpreter.
    ///
    /// # Errors
    /// Python or its packages cannot be had. The error names what to install.
    pub fn ensure(&self, directory: &Path) -> Result<PathBuf, Failure> {
        let python = directory.join("bin/python");
        if is_made(directory, &[self.requirements]) && child::runs(Command::new(&python).arg("--version")) {
            return Ok(python);
        }
        let help =
            "install Python 3.10 or later with its module `venv` (Debian: apt-get install python3-venv)";
        if !child::runs(Command::new("python3").args(["-c", "import venv, ensurepip"]))
            && let Err(why) = debian::install("Python with its module `venv`", &["python3-venv"])?
        {
            return Err(Failure::new(format!("Python with its module `venv` is missing {why}")).help(help));
        }
        print::line(&format!("    installing {} into {}", self.names, directory.display()));
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
            return Err(Failure::new("the virtual environment cannot be made").help(help));
        }
        write(&list, self.requirements)?;
        if !child::quietly(fill)? {
            let file = self.file;
            return Err(Failure::new("Python's packages cannot be installed")
                .help(format!("it needs the package index that pip is set up for; {file} lists them")));
        }
        finish(directory, &[self.requirements])?;
        Ok(python)
    }
}

/// Packages of npm.
pub struct Node<'a> {
    /// A description of the packages, for people.
    pub names: &'a str,
    /// `package.json`.
    pub package: &'a str,
    /// `package-lock.json`.
    pub lock: &'a str,
    /// The file that names the packages.
    pub file: &'a str,
}

impl Node<'_> {
    /// Makes sure of the packages in a directory.
    ///
    /// # Errors
    /// Node or the packages cannot be had. The error names what to install.
    pub fn ensure(&self, directory: &Path) -> Result<(), Failure> {
        npm::ensure()?;
        if is_made(directory, &[self.package, self.lock]) && directory.join("node_modules").is_dir() {
            return Ok(());
        }
        print::line(&format!("    installing {} into {}", self.names, directory.display()));
        empty(directory)?;
        write(&directory.join("package.json"), self.package)?;
        write(&directory.join("package-lock.json"), self.lock)?;
        npm::fill(directory, self.file)?;
        finish(directory, &[self.package, self.lock])
    }
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

fn cannot_write(path: &Path, error: &io::Error) -> Failure {
    Failure::new(format!("`{}` cannot be written: {error}", path.display()))
}

#[cfg(test)]
pub mod tests {
    /// Asserts that a list of pip's names one exact version of each package.
    pub fn assert_exact(requirements: &str) {
        for line in requirements.lines().filter(|line| !line.starts_with('#')) {
            let (name, version) = line.split_once("==").expect("`NAME==VERSION`");
            assert!(!name.is_empty() && version.starts_with(|c: char| c.is_ascii_digit()), "{line}");
        }
    }

    /// Asserts that `package.json` names exact versions, and that the lock file names no registry.
    pub fn assert_locked(package: &str, lock: &str) {
        let versions = package.lines().filter(|line| line.starts_with("    \""));
        let loose: Vec<&str> = versions.filter(|line| line.contains(['^', '~', '*', '>'])).collect();
        assert_eq!(loose, [""; 0], "package.json names exact versions");
        assert!(!lock.contains("\"resolved\""), "the lock names no registry");
    }
}
