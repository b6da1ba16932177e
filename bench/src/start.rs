//! `preface build` from a cold process, beside `cat` of the same files and beside an interpreter that does nothing.

use crate::{
    Bench, BenchError,
    harness::interleave,
    process::process,
    table::{Bar, Table},
};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

pub const BENCH: Bench = Bench {
    name: "start",
    about: "`preface build` of ten files from a cold process, beside `cat` of them and `node -e 0`.",
    run,
};

/// The number of context files above and in the working directory.
const FILES: usize = 10;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let preface = binary()?;
    let home = tempfile::tempdir()?;
    let project = tempfile::tempdir()?;
    let (deepest, files) = write_files(project.path(), FILES)?;
    let command = |program: &Path| {
        let mut command = Command::new(program);
        command.env("PREFACE_HOME", home.path()).env("HOME", home.path()).current_dir(&deepest);
        command
    };
    let mut build = command(&preface);
    build.args(["build", "--trust", "once", "-C"]).arg(&deepest);
    // A fast answer that leaves the files out would be worth nothing.
    let output = build.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    if let Some(missing) = (0..FILES).find(|number| !text.contains(&sentence(*number))) {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(BenchError::Failed(format!("`preface build` leaves file {missing} out\n{stderr}")));
    }
    let mut version = command(&preface);
    version.arg("--version");
    let mut cat = command(Path::new("cat"));
    cat.args(&files);
    let mut nothing = command(Path::new("cat"));
    nothing.arg("/dev/null");
    let mut contestants = vec![
        process("preface build", build)?,
        process("cat of the files", cat)?,
        process("preface --version", version)?,
        process("cat /dev/null", nothing)?,
    ];
    let mut bars = vec![
        Bar { of: "preface build", to: "cat of the files", at_most: 2.5 },
        Bar { of: "preface --version", to: "cat /dev/null", at_most: 1.5 },
    ];
    let mut node = command(Path::new("node"));
    node.args(["-e", "0"]);
    let mut title = format!("{FILES} context files, prompt of {} bytes", text.len());
    match process("node -e 0", node) {
        Ok(node) => {
            contestants.push(node);
            bars.push(Bar { of: "preface build", to: "node -e 0", at_most: 1.0 / 40.0 });
        }
        Err(BenchError::Missing(why)) => title += &format!(" ({why}: not compared with it)"),
        Err(wrong) => return Err(wrong),
    }
    Ok(vec![Table::new(title, interleave(contestants, rounds.unwrap_or(101)), bars)])
}

/// Returns the command line as it is shipped; it lies beside this program.
pub fn binary() -> Result<PathBuf, BenchError> {
    let mut path = env::current_exe()?;
    path.set_file_name(format!("preface{}", env::consts::EXE_SUFFIX));
    match path.is_file() {
        true => Ok(path),
        false => Err(BenchError::Missing(format!("no `{}`; `cargo xtask bench` builds it", path.display()))),
    }
}

/// Lays directories in each other, each with an AGENTS.md of 2 KiB. Returns the deepest one and the files.
pub fn write_files(root: &Path, count: usize) -> std::io::Result<(PathBuf, Vec<PathBuf>)> {
    let mut directory = root.to_owned();
    let mut files = Vec::new();
    for number in 0..count {
        directory.push(format!("d{number}"));
        fs::create_dir(&directory)?;
        let file = directory.join("AGENTS.md");
        fs::write(&file, format!("{}\n", sentence(number)).repeat(50))?;
        files.push(file);
    }
    Ok((directory, files))
}

/// Returns the sentence that file `number` repeats, and no other file has.
pub fn sentence(number: usize) -> String {
    format!("Rule {number}: read a file before you edit.")
}
