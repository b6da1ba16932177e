//! A command reads the inputs of a build once, and hands on what they hold. This test reads the sources of the engine and lists
//! the places at which input stages start: a number may fall, and a place is added with a reason alone.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The calls that start input stages: the profile alone, and all of them.
const STARTS: [&str; 2] = [".load_profile(", ".read_inputs("];

/// The files that may start input stages, and at how many places.
const ALLOWED: &[(&str, usize)] = &[
    ("analyze/probe.rs", 1),
    ("conversation/construct.rs", 2),
    ("conversation/trust.rs", 2),
    ("input/collect.rs", 1),
    ("input/mod.rs", 1),
    ("lint/mod.rs", 2),
    ("list/mod.rs", 1),
    ("log.rs", 1),
    ("trust/permission.rs", 1),
];

/// Counts the calls in the sources of a directory, without those in tests at the end of a file.
fn count(directory: &Path, root: &Path, found: &mut BTreeMap<String, usize>) {
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path: PathBuf = entry.expect("the directory can be read").path();
        if path.is_dir() {
            count(&path, root, found);
            continue;
        }
        let text = fs::read_to_string(&path).expect("a source is text");
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let calls = STARTS.iter().map(|call| code.matches(call).count()).sum();
        if calls > 0 {
            let file = path.strip_prefix(root).expect("it is below the root").display().to_string();
            found.insert(file, calls);
        }
    }
}

#[test]
fn input_stages_start_in_few_places() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root");
    let sources = root.join("crates/engine/src");
    let mut found = BTreeMap::new();
    count(&sources, &sources, &mut found);
    let allowed: BTreeMap<String, usize> =
        ALLOWED.iter().map(|(file, calls)| ((*file).to_owned(), *calls)).collect();
    assert_eq!(found, allowed, "hand on the value that was read; where a call is gone, lower the number");
}
