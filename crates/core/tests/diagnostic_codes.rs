//! `docs/reference/diagnostics.md` lists each code as the table has it, and each code is used. `PREFACE_PRINT=1` writes the page
//! anew.

#![allow(clippy::disallowed_methods, reason = "the page and the sources are files")]

use preface_core::diagnostic::{DiagnosticCode, Severity};
use std::{
    collections::BTreeSet,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn printed() -> String {
    let mut page = "\
# Diagnostics

<!-- Written by `PREFACE_PRINT=1 cargo test -p preface-core --test diagnostic_codes`; the table is in
     crates/core/src/diagnostic/code.rs. -->

A diagnostic has a code, a severity, a message and, where they are known, a location and help. The code is stable; the message may
change. Where a code has several severities, the usual one comes first. The last column is what to do wherever that is always the
same; elsewhere the help of the diagnostic has it.

| code | severity | meaning | what to do |
| --- | --- | --- | --- |
"
    .to_owned();
    for code in DiagnosticCode::ALL {
        let severities: Vec<_> = code.severities().iter().copied().map(Severity::as_str).collect();
        let remedy = code.remedy().unwrap_or_default();
        let row = format!("| `{code}` | {} | {} | {remedy}", severities.join(", "), code.meaning());
        let _ = writeln!(page, "{} |", row.trim_end());
    }
    page
}

#[test]
fn the_page_is_the_table() {
    let path = root().join("docs/reference/diagnostics.md");
    if env::var_os("PREFACE_PRINT").is_some() {
        fs::write(&path, printed()).expect("the page can be written");
        panic!("the page is written: review the difference, then run the test without PREFACE_PRINT");
    }
    let page = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == printed(),
        "{} is not the table; `PREFACE_PRINT=1 cargo test -p preface-core --test diagnostic_codes` writes it",
        path.display()
    );
}

#[test]
fn a_row_is_one_sentence_for_people() {
    for code in DiagnosticCode::ALL {
        for text in [Some(code.meaning()), code.remedy()].into_iter().flatten() {
            assert!(text.ends_with('.') && !text.contains(['|', '\n']), "{code}: {text}");
        }
    }
}

/// Adds the names of the codes that the sources below a directory use, without their tests.
fn used(dir: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(dir).expect("a directory").map(|entry| entry.expect("an entry").path()) {
        if entry.is_dir() && entry.file_name().is_some_and(|name| name != "tests") {
            used(&entry, names);
        } else if entry.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&entry).expect("a source file");
            let text = text.lines().take_while(|line| *line != "mod tests {");
            for line in text.filter(|line| !line.trim_start().starts_with("//")) {
                let after = line.split("DiagnosticCode::").skip(1);
                names
                    .extend(after.map(|name| name.chars().take_while(char::is_ascii_alphanumeric).collect()));
            }
        }
    }
}

#[test]
fn each_code_is_used() {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(root().join("crates")).expect("the crates") {
        let sources = entry.expect("a crate").path().join("src");
        if sources.is_dir() {
            used(&sources, &mut names);
        }
    }
    let unused: Vec<_> =
        DiagnosticCode::ALL.iter().filter(|code| !names.contains(&format!("{code:?}"))).collect();
    assert!(unused.is_empty(), "no source uses {unused:?}");
}
