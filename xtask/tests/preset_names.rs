//! A preset is data. No code checks which preset it is working for: what a preset needs and the profile language cannot
//! express becomes an option of the language.
//!
//! These tests read the sources of the libraries and the command line and look for the names of the embedded presets in
//! string literals. A name that is also a word of our languages (`default`, `template`) counts only where something is
//! compared with it.

#[path = "support/literals.rs"]
mod literals;

use literals::{Literal, literals};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The places that may name a preset: file, name, and why. Each must be there; a line that is no longer needed goes.
const ALLOWED: &[(&str, &str, &str)] =
    &[("crates/core/src/sources/settings/schema.rs", "default", "the word of JSON Schema")];

/// Presets whose names are also words of the template language, the settings or the profile language.
const WORDS: [&str; 2] = ["default", "template"];

/// The crates whose sources are read.
const CRATES: [&str; 4] = ["cli", "core", "engine", "host"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

/// Returns the names of the presets: the files in the assets of the core.
fn presets() -> BTreeSet<String> {
    let folder = root().join("crates/core/assets/presets");
    let files = fs::read_dir(folder).expect("the core has presets");
    let stem = |file: fs::DirEntry| file.path().file_stem().expect("a name").to_string_lossy().into_owned();
    files.map(|file| stem(file.expect("the folder can be read"))).collect()
}

/// Returns the Rust sources of a directory, without those that are only tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("the directory can be read").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests.rs") {
            found.push(path);
        }
    }
}

/// Returns every place in the sources that treats a preset in its own way: file, line, preset.
fn mentions() -> Vec<(String, usize, String)> {
    let (root, presets) = (root(), presets());
    let mut files = Vec::new();
    for name in CRATES {
        sources(&root.join("crates").join(name).join("src"), &mut files);
    }
    files.sort();
    let mut found = Vec::new();
    for file in files {
        let source = fs::read_to_string(&file).expect("a source is text");
        let path = file.strip_prefix(&root).expect("inside").to_string_lossy().replace('\\', "/");
        for Literal { line, text, compared } in literals(&source) {
            let is_word = WORDS.contains(&text.as_str());
            if presets.contains(&text) && (compared || !is_word) {
                found.push((path.clone(), line, text));
            }
        }
    }
    found
}

#[test]
fn no_code_treats_a_preset_in_its_own_way() {
    for (path, line, preset) in mentions() {
        let allowed = ALLOWED.iter().any(|(file, name, _)| *file == path && *name == preset);
        assert!(
            allowed,
            "{path}:{line} names the preset `{preset}`: express it in the profile language, or add the place to ALLOWED \
             with a reason"
        );
    }
}

#[test]
fn every_allowed_place_is_still_there() {
    let mentions = mentions();
    for (file, name, reason) in ALLOWED {
        assert!(!reason.is_empty(), "{file} needs a reason to name the preset `{name}`");
        let there = mentions.iter().any(|(path, _, preset)| path == file && preset == name);
        assert!(there, "{file} does not name the preset `{name}` any more: take it out of ALLOWED");
    }
}
