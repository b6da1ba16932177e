//! Prints the cases of `cases/` for the tests of bindings, one JSON object on each line: `file`, `name`, and `steps`, which puts entries on a
//! disk and runs turns, in order. What is expected of a turn is left out: a binding is compared with the command.
//! `cargo run -p preface-testkit --example case_steps`.

use preface_testkit::case::{Case, CaseEntry, CaseStep, parse};
use serde_json::{Value, json};
use std::{
    error::Error,
    fs,
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

fn files(directory: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found)?;
        } else if path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("README.md") {
            found.push(path);
        }
    }
    Ok(())
}

fn put(path: &str, entry: &CaseEntry) -> Value {
    let (kind, value) = match entry {
        CaseEntry::File(bytes) => ("file", json!(bytes)),
        CaseEntry::Link(target) => ("link", json!(target)),
        CaseEntry::Same(other) => ("same", json!(other)),
        CaseEntry::Dir => ("directory", Value::Null),
        CaseEntry::Pipe => ("pipe", Value::Null),
        CaseEntry::Unreadable => ("unreadable", Value::Null),
        CaseEntry::Unwritable => ("unwritable", Value::Null),
        CaseEntry::Shared => ("shared", Value::Null),
        CaseEntry::Foreign => ("foreign", Value::Null),
        CaseEntry::Gone => ("gone", Value::Null),
    };
    json!({ "path": path, "kind": kind, "value": value })
}

fn steps(case: &Case) -> Vec<Value> {
    let step = |step: &CaseStep| match step {
        CaseStep::Put(path, entry) => Some(json!({ "put": put(path, entry) })),
        CaseStep::Turn(turn, line) => Some(json!({ "turn": turn, "line": line })),
        CaseStep::Expect(..) => None,
    };
    case.acts.iter().filter_map(step).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases");
    let mut found = Vec::new();
    files(&cases, &mut found)?;
    let mut out = BufWriter::new(io::stdout().lock());
    for path in found {
        let file = path.strip_prefix(&cases)?.display().to_string();
        for case in parse(&fs::read_to_string(&path)?)?.cases {
            writeln!(out, "{}", json!({ "file": file, "name": case.name, "steps": steps(&case) }))?;
        }
    }
    Ok(out.flush()?)
}
