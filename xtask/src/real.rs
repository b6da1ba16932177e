//! `cargo xtask real DIR…`: builds the prompt of directories that nobody prepared, and checks every byte of it.
//!
//! For each directory and each preset, the example `real` of package `preface` builds twice and checks that parts and
//! spans tile the text, that each span of a file is what the file holds, and that both builds are equal.

use crate::{Command, child, failure::Failure, flags::Flags};
use std::{env, fs, path, process};

pub const COMMAND: Command = Command {
    name: "real",
    usage: "DIR…",
    about: "Builds the prompts of real directories and checks where each byte came from.",
    run,
};

fn run(words: &[String]) -> Result<(), Failure> {
    let mut directories = Vec::new();
    let flags = Flags::new("real DIR…", words);
    for word in words {
        if word.starts_with('-') {
            return Err(flags.unknown(word));
        }
        // The example runs in the root of the repository; a relative directory is meant from here.
        match path::absolute(word) {
            Ok(directory) if directory.is_dir() => directories.push(directory),
            _ => return Err(Failure::usage(format!("not a directory: `{word}`"))),
        }
    }
    if directories.is_empty() {
        return Err(Failure::usage("no directory given").help("usage: cargo xtask real DIR…"));
    }
    let mut command =
        child::cargo(&["run", "--release", "--package", "preface-engine", "--example", "real", "--"]);
    // The layers of whoever runs this stay out, and nothing is written into them.
    let home = env::temp_dir().join(format!("preface-real-{}", process::id()));
    command.args(directories).env("PREFACE_HOME", &home);
    let result = child::run(command);
    // It is only there if a preset wrote its first file.
    _ = fs::remove_dir_all(home);
    result
}
