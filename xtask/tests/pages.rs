//! The pages in the root point at files. These tests follow the pointers.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The pages whose pointers are followed.
const PAGES: [&str; 3] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md"];

/// The directories that a pointer in backticks may start with.
const HOUSE: [&str; 6] = ["bench/", "bindings/", "crates/", "docs/", "packages/", "xtask/"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the root").to_owned()
}

fn pages() -> impl Iterator<Item = (&'static str, String)> {
    PAGES.iter().map(|page| (*page, fs::read_to_string(root().join(page)).expect("the page is there")))
}

#[test]
fn paths_in_backticks_exist() {
    for (page, text) in pages() {
        let spans = text.split('`').skip(1).step_by(2);
        // `<name>` stands for something that the reader chooses.
        let paths = spans.filter(|path| !path.contains(['<', ' ', '\n', '*']));
        for path in paths.filter(|path| HOUSE.iter().any(|start| path.starts_with(start))) {
            assert!(root().join(path).exists(), "{page} points at `{path}`, which is not there");
        }
    }
}

#[test]
fn links_to_files_work() {
    for (page, text) in pages() {
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://")) {
            let path = target.split('#').next().unwrap_or_default();
            assert!(root().join(path).exists(), "{page} links to `{target}`, which is not there");
        }
    }
}

/// Returns the text of every Rust file below a directory, one after the other.
fn sources(dir: &Path) -> String {
    let mut text = String::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).expect("a directory").map(|entry| entry.expect("an entry").path()) {
            if entry.is_dir() {
                pending.push(entry);
            } else if entry.extension().is_some_and(|ending| ending == "rs") {
                text.push_str(&fs::read_to_string(&entry).expect("a source file"));
            }
        }
    }
    text
}

#[test]
fn each_line_of_the_security_page_names_its_test() {
    let page = fs::read_to_string(root().join("docs/security.md")).expect("the page is there");
    let (proved, _) = page.split_once("## What is not promised").expect("the last list");
    let sources = sources(&root().join("crates"));
    // An item may go on in the next lines.
    let joined = proved.replace("\n  ", " ");
    let lines: Vec<&str> = joined.lines().filter(|line| line.starts_with("- ")).collect();
    assert!(lines.len() > 20, "the lists of the page are found");
    for line in lines {
        let (_, tests) = line.rsplit_once(" (").unwrap_or_else(|| panic!("no test is named: {line}"));
        let names = tests.split('`').skip(1).step_by(2).filter(|name| !name.contains('/'));
        for name in names {
            assert!(sources.contains(&format!("fn {name}(")), "`{name}` is not a test: {line}");
        }
    }
}
