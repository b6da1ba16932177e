//! Runs another program in the root of the repository and hands over its output line by line.

use crate::{failure::Failure, print};
use std::{
    env,
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Returns the root of the repository.
pub fn root() -> PathBuf {
    // Cargo sets where this package lies now; the directory it was compiled in may have moved.
    let package = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut root = PathBuf::from(package);
    root.pop();
    root
}

/// Returns the directory of what cargo builds.
pub fn target() -> PathBuf {
    let given = env::var_os("CARGO_TARGET_DIR").filter(|dir| !dir.is_empty());
    root().join(given.map_or_else(|| PathBuf::from("target"), PathBuf::from))
}

/// Returns a command of the cargo that runs this chore.
pub fn cargo(words: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(words).current_dir(root());
    command
}

/// Returns a command that runs a script with an interpreter of Python. The script can import the files of `xtask/src`.
pub fn script(python: &Path, file: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(root().join(file)).env("PYTHONDONTWRITEBYTECODE", "1");
    command.env("PYTHONPATH", root().join("xtask/src"));
    command
}

/// Runs a command without input, hands over each line of stdout and stderr as it comes, and returns whether
/// it succeeded.
///
/// # Errors
/// The program cannot be started or its output cannot be read.
pub fn watch(mut command: Command, mut line: impl FnMut(&str)) -> Result<bool, Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let run = || -> io::Result<bool> {
        let (reader, writer) = io::pipe()?;
        command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
        let mut child = command.spawn()?;
        // The command holds the writing ends; the reader below sees the end only once they are gone.
        drop(command);
        for bytes in BufReader::new(reader).split(b'\n') {
            line(String::from_utf8_lossy(&bytes?).trim_end_matches('\r'));
        }
        Ok(child.wait()?.success())
    };
    run().map_err(|error| Failure::start(&name, &error))
}

/// Runs a command without input and returns whether it succeeded; its output is shown where it did not.
///
/// # Errors
/// The program cannot be started or its output cannot be read.
pub fn quietly(command: Command) -> Result<bool, Failure> {
    let mut output = Vec::new();
    let ok = watch(command, |line| output.push(line.to_owned()))?;
    if !ok {
        for line in output {
            print::line(&format!("    {line}"));
        }
    }
    Ok(ok)
}

/// True where a command can be started and succeeds; its output is ignored.
pub fn runs(command: &mut Command) -> bool {
    command.stdin(Stdio::null()).output().is_ok_and(|output| output.status.success())
}

/// Builds the program as it is while one works on it, and returns its path.
///
/// # Errors
/// It does not build.
pub fn debug_binary() -> Result<PathBuf, Failure> {
    run(cargo(&["build", "--package", "preface-cli", "--bin", "preface"]))?;
    Ok(target().join(format!("debug/preface{}", env::consts::EXE_SUFFIX)))
}

/// Builds the endpoint of `preface capture` for scripts, and names it in the environment of a script.
///
/// # Errors
/// It does not build.
pub fn lend_endpoint(script: &mut Command) -> Result<(), Failure> {
    run(cargo(&["build", "--package", "preface-capture", "--example", "endpoint"]))?;
    script.env("PREFACE_ENDPOINT", target().join("debug/examples/endpoint"));
    Ok(())
}

/// Runs a command that uses the terminal.
///
/// # Errors
/// The program cannot be started, or it fails.
pub fn run(mut command: Command) -> Result<(), Failure> {
    let program = Path::new(command.get_program()).file_stem();
    let words: Vec<_> = program.into_iter().chain(command.get_args()).collect();
    let words = words.join(" ".as_ref()).to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure::new(format!("`{words}` failed: {status}"))),
        Err(error) => Err(Failure::start(&words, &error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_both_streams_arrives_in_order() {
        let mut lines = Vec::new();
        let ok = watch(cargo(&["--version"]), |line| lines.push(line.to_owned()));
        assert_eq!(ok, Ok(true));
        assert!(lines[0].starts_with("cargo "), "{lines:?}");
        let mut lines = Vec::new();
        let ok = watch(cargo(&["no-such-command-here"]), |line| lines.push(line.to_owned()));
        assert_eq!(ok, Ok(false), "a program that fails is no error of ours");
        assert!(lines[0].starts_with("error: "), "stderr arrives too: {lines:?}");
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = watch(Command::new("no-such-program"), |_| ()).unwrap_err();
        assert!(failure.to_string().contains("`no-such-program`"), "{failure}");
    }

    #[test]
    fn the_root_holds_the_workspace() {
        assert!(root().join("Cargo.lock").is_file(), "the root is where Cargo.lock lies");
    }
}
