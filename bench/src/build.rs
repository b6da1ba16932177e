//! A whole build inside a process that is already there, beside reading the same files.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    start::{sentence, write_files},
    table::Table,
    template::bytes,
};
use preface_engine::{ASSETS, BuildOptions, Engine, OsSystem, TrustChoice, core::prompt::Prompt};
use std::{fs, io, path::PathBuf};
use tempfile::TempDir;

pub const BENCH: Bench = Bench {
    name: "build",
    about: "`Engine::build` of ten context files, warm, beside reading those files.",
    run,
};

const FILES: usize = 10;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let mut building = Building::of(FILES)?;
    let files = building.files.clone();
    let prompt = building.run();
    if let Some(missing) = (0..FILES).find(|number| !prompt.text.contains(&sentence(*number))) {
        return Err(BenchError::Failed(format!("the build leaves file {missing} out")));
    }
    let measured = interleave(
        vec![
            closure("Engine::build", || building.run()),
            closure("fs::read_to_string of each file", || {
                files.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()
            }),
        ],
        rounds.unwrap_or(301),
    );
    let title = format!("{FILES} context files, prompt of {}", bytes(prompt.text.len()));
    Ok(vec![Table::new(title, measured, Vec::new())])
}

/// A directory with context files above each other, and what it takes to build its prompt.
pub struct Building {
    system: OsSystem,
    request: BuildOptions,
    files: Vec<PathBuf>,
    /// Removed with this value.
    _directory: TempDir,
}

impl Building {
    /// Lays this many context files.
    pub fn of(count: usize) -> io::Result<Self> {
        let directory = tempfile::tempdir()?;
        let (deepest, files) = write_files(directory.path(), count)?;
        let request = BuildOptions {
            trust: TrustChoice::Once,
            now: Some("2026-01-02T03:04:05Z".into()),
            ..BuildOptions::in_dir(deepest)
        };
        Ok(Building { system: OsSystem::new(ASSETS), request, files, _directory: directory })
    }

    /// Builds the prompt.
    pub fn run(&mut self) -> Prompt {
        Engine::new(&self.system).build(&self.request).expect("the default preset can be built").prompt
    }
}
