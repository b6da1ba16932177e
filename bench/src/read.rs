//! Reading files that may not lead out of a directory, beside reading files without checks.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    table::Table,
};
use preface_core::assets::ASSETS;
use preface_host::system::{ReadScope, System, os::OsSystem};
use std::{fs, io, path::PathBuf};

pub const BENCH: Bench = Bench {
    name: "read",
    about: "50 files of 4 KiB, confined to their directory, beside `fs::read_to_string`.",
    run,
};

const FILES: usize = 50;
const LIMIT: u64 = 1 << 20;

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let directory = tempfile::tempdir()?;
    let root = directory.path().canonicalize()?;
    let mut files: Vec<PathBuf> = Vec::new();
    for number in 0..FILES {
        let file = root.join(format!("notes-{number}.md"));
        fs::write(&file, "Read a file before you change it; 32\n".repeat(112))?;
        files.push(file);
    }
    let system = OsSystem::new(ASSETS);
    let read = |within: ReadScope<'_>| -> Result<Vec<Vec<u8>>, BenchError> {
        let one = |file: &PathBuf| system.read(file, within, LIMIT).map(|read| read.into_bytes());
        let all: Result<Vec<_>, _> = files.iter().map(one).collect();
        all.map_err(|error| BenchError::Failed(format!("a file cannot be read: {error:?}")))
    };
    let plain = || files.iter().map(fs::read_to_string).collect::<io::Result<Vec<String>>>();
    if read(ReadScope::Root(&root))?.concat() != plain()?.concat().into_bytes() {
        return Err(BenchError::Failed("the two ways read different bytes".into()));
    }
    let contestants = vec![
        closure("confined to their directory", || read(ReadScope::Root(&root))),
        closure("not confined", || read(ReadScope::Anywhere)),
        closure("fs::read_to_string", plain),
    ];
    let measured = interleave(contestants, rounds.unwrap_or(201));
    let bars = Vec::new();
    Ok(vec![Table::new(format!("{FILES} files of 4 KiB in one directory"), measured, bars)])
}
