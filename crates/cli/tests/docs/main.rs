//! The README and the pages of `docs` describe the program: every command that they name exists, every block that they show
//! works, every link leads somewhere.
#![cfg(target_os = "linux")]

mod blocks;
mod commands;
mod contents;
mod examples;
mod links;
mod markdown;
mod sandbox;

use std::{
    fs,
    path::PathBuf,
    process::{Command, Output},
};

/// A machine for tests of one page.
struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["home", "project", "global/profiles"] {
            fs::create_dir_all(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("project/AGENTS.md"), "Use tabs.\n").unwrap();
        Machine { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn preface(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_preface"))
            .args(args)
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PREFACE_HOME", self.path("global"))
            .current_dir(self.path("project"))
            .output()
            .unwrap()
    }
}
