//! `cargo xtask python`: the wheels of the program and of the library, built, installed from their files and tested.
//!
//! maturin builds them from `packages/python-cli` and `bindings/python`; pip installs the files into an empty virtual environment, without
//! an index. Types are checked with mypy, the stub of the extension module with stubtest, and every case of `cases/` is built by the
//! library and by the command. By default all is compiled as by the other chores; `--release` compiles it as it is shipped, and the wheels can be
//! published. `--soak` builds 10,000 prompts on eight threads.

use crate::{Command, child, failure::Failure, flags::Flags, packages, packages::Python, print, release};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process,
};

pub const COMMAND: Command = Command {
    name: "python",
    usage: "[--release] [--soak]",
    about: "Builds the wheels of the program and the library, installs them from their files and tests them.",
    run,
};

/// The packages that build and test; what is tested is installed elsewhere.
const TOOLS: Python<'_> = Python {
    names: "maturin, mypy and pytest",
    requirements: include_str!("python/requirements.txt"),
    file: "xtask/src/python/requirements.txt",
};

const PROGRAM: &str = "packages/python-cli";
const LIBRARY: &str = "bindings/python";

/// The build of the wheels.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Build {
    /// As the other chores do, with their binaries.
    Debug,
    /// As they are shipped.
    Release,
}

fn run(words: &[String]) -> Result<(), Failure> {
    let mut flags = Flags::new("python [--release] [--soak]", words);
    let mut build = Build::Debug;
    let mut soaks = false;
    while let Some(word) = flags.next() {
        match word {
            "--release" => build = Build::Release,
            "--soak" => soaks = true,
            _ => return Err(flags.unknown(word)),
        }
    }
    let directory = child::target().join("python");
    let tools = TOOLS.ensure(&directory.join("tools"))?;
    let binary = match build {
        Build::Debug => child::debug_binary()?,
        Build::Release => release::build()?,
    };
    let wheels = directory.join("wheels");
    packages::empty(&wheels)?;
    let wheels = [wheel(&tools, PROGRAM, build, &wheels)?, wheel(&tools, LIBRARY, build, &wheels)?];
    let python = install(&directory.join("environment"), &wheels)?;
    let mut alone = process::Command::new(&python);
    alone.args(["-c", "import preface; assert preface.Preface().build('.').text"]);
    if !child::quietly(alone)? {
        return Err(Failure::new("the library cannot be used in an environment that has nothing else"));
    }
    lend(&tools, &python)?;

    let cache = directory.join("mypy");
    for words in [&["--package", "preface"][..], &["tests"]] {
        let mut mypy = in_package(&python, LIBRARY, "mypy");
        mypy.arg("--cache-dir").arg(&cache).args(words);
        pass(mypy, "the types of the library")?;
    }
    let mut stubtest = in_package(&python, LIBRARY, "mypy.stubtest");
    stubtest.arg("preface._preface");
    pass(stubtest, "the stub of the library")?;

    let cases = directory.join("cases.jsonl");
    write_cases(&cases)?;
    // Outside of the repository, whose files would be a part of every project in it.
    let place = env::temp_dir().join(format!("preface-python-{}", process::id()));
    let passed = [PROGRAM, LIBRARY].into_iter().try_for_each(|package| {
        let mut tests = in_package(&python, package, "pytest");
        tests.args(["--quiet", "-p", "no:cacheprovider", "--basetemp"]).arg(&place).arg("tests");
        tests.env("BINARY", &binary).env("COMMAND", python.with_file_name("preface"));
        tests.env("CASES", &cases).env("VERSION", env!("CARGO_PKG_VERSION"));
        pass(tests, package)
    });
    _ = fs::remove_dir_all(&place);
    passed?;
    for words in [&[][..], &["--soak"]] {
        if words.is_empty() || soaks {
            let mut measure = process::Command::new(&python);
            measure.arg("tests/measure.py").args(words).current_dir(child::root().join(LIBRARY));
            pass(measure, "a measurement of the library")?;
        }
    }
    Ok(())
}

/// Writes the files and requests of the cases of `cases/`.
fn write_cases(file: &Path) -> Result<(), Failure> {
    let mut cases =
        child::cargo(&["run", "--quiet", "--package", "preface-testkit", "--example", "case_steps"]);
    let output = cases.stderr(process::Stdio::inherit()).output();
    let output = output.map_err(|error| Failure::start("cargo", &error))?;
    if !output.status.success() {
        return Err(Failure::new("the example `case_steps` of `preface-testkit` failed"));
    }
    packages::write(file, &String::from_utf8_lossy(&output.stdout))
}

/// Builds the wheel of a package, prints its size and returns the file.
fn wheel(tools: &Path, package: &str, build: Build, wheels: &Path) -> Result<PathBuf, Failure> {
    let before = files(wheels)?;
    let mut maturin = process::Command::new(tools.with_file_name("maturin"));
    maturin.args(["build", "--out"]).arg(wheels).current_dir(child::root().join(package));
    match build {
        Build::Debug => _ = maturin.args(["--profile", "dev"]),
        Build::Release => {
            maturin.args(["--profile", release::PROFILE]);
            // A library that Python loads cannot be linked statically.
            if package == PROGRAM {
                maturin.args(release::COMPILER_WORDS);
            }
        }
    }
    if !child::quietly(maturin)? {
        return Err(Failure::new(format!("maturin cannot build the wheel of `{package}`")));
    }
    let built = files(wheels)?.into_iter().find(|file| !before.contains(file));
    let built = built.ok_or_else(|| Failure::new(format!("maturin built no wheel of `{package}`")))?;
    print::size(&built).map_err(|error| Failure::new(format!("the wheel cannot be read: {error}")))?;
    Ok(built)
}

fn files(directory: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries =
        fs::read_dir(directory).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    entries.map_err(|error| Failure::new(format!("`{}` cannot be read: {error}", directory.display())))
}

/// Installs wheels into an empty environment; returns its interpreter.
fn install(directory: &Path, wheels: &[PathBuf]) -> Result<PathBuf, Failure> {
    packages::empty(directory)?;
    let mut make = process::Command::new("python3");
    make.args(["-m", "venv"]).arg(directory);
    let python = directory.join("bin/python");
    let mut fill = process::Command::new(&python);
    fill.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]);
    fill.args(wheels);
    match child::quietly(make)? && child::quietly(fill)? {
        true => Ok(python),
        false => Err(Failure::new("the wheels cannot be installed from their files")),
    }
}

/// Builds the wheel of the library as the other chores compile, and installs it; returns the interpreter.
///
/// # Errors
/// It cannot be built, or Python cannot be had.
pub fn library() -> Result<PathBuf, Failure> {
    let directory = child::target().join("python");
    let tools = TOOLS.ensure(&directory.join("tools"))?;
    let wheels = directory.join("library-wheels");
    packages::empty(&wheels)?;
    let library = wheel(&tools, LIBRARY, Build::Debug, &wheels)?;
    install(&directory.join("library"), &[library])
}

/// Makes the packages of one environment importable in another.
///
/// # Errors
/// An environment cannot be read or written.
pub fn lend(from: &Path, to: &Path) -> Result<(), Failure> {
    let places = |python: &Path| -> Result<PathBuf, Failure> {
        let print = "import sysconfig; print(sysconfig.get_path('purelib'))";
        let output = process::Command::new(python).args(["-c", print]).output();
        let output = output.map_err(|error| Failure::start("python", &error))?;
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    };
    packages::write(&places(to)?.join("lent.pth"), &places(from)?.display().to_string())
}

/// Returns the command that runs a module of Python in the directory of a package.
fn in_package(python: &Path, package: &str, module: &str) -> process::Command {
    let mut command = process::Command::new(python);
    command.args(["-m", module]).current_dir(child::root().join(package)).env("PYTHONDONTWRITEBYTECODE", "1");
    // The developer's own settings of Python and pytest stay out.
    command.env_remove("PYTHONPATH").env_remove("PYTEST_ADDOPTS").env_remove("MYPYPATH");
    command
}

fn pass(command: process::Command, what: &str) -> Result<(), Failure> {
    match child::watch(command, print::line)? {
        true => Ok(()),
        false => Err(Failure::new(format!("{what}: a check failed"))),
    }
}

#[cfg(test)]
mod tests {
    use super::TOOLS;
    use crate::packages::tests::assert_exact;

    #[test]
    fn each_package_has_one_exact_version() {
        assert_exact(TOOLS.requirements);
    }
}
