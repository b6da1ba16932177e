//! `docs/reference/diagnostics.md` lists each code as the table has it, and each code is used. `PREFACE_PRINT=1` writes the page
//! anew.

#![allow(clippy::disallowed_methods, reason = "the page and the sources are files")]

use preface_core::{
    diagnostic::{DiagnosticCode, Severity},
    lint::forged,
};
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

A diagnostic has a code, a severity, a message and, where they are known, a location and help: what to do. The code is stable; the
message may change. The severity is `warning` where none is written; of several, the usual one comes first.

"
    .to_owned();
    for code in DiagnosticCode::ALL {
        let severities: Vec<_> = code.severities().iter().copied().map(Severity::as_str).collect();
        let severities = match code.severities() {
            [Severity::Warning] => String::new(),
            _ => format!(" ({})", severities.join(", ")),
        };
        let _ = writeln!(page, "- `{code}`{severities}: {}", code.meaning());
    }
    page + &imitations()
}

/// The rules for what imitates the structure of a prompt, with the lists that the lint goes by.
fn imitations() -> String {
    let list = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let (tags, markers) = (list(forged::TAGS), list(forged::MARKERS));
    let marker_tags = list(forged::MARKER_TAGS);
    format!(
        "
## Imitations

Letters in another case, letters and brackets that look alike, and invisible characters in between make no difference. In names of tags `-` and `_`
are the same.

A text that you wrote or granted is judged by its form: a tag in its own case (`</skill>`, `<skill>`; not `Vec<Skill>`) that is
no part of a word or a path (not `skills/<skill>/`), or one in disguise. In its spans of code and closed fences nothing is one. Texts that
nobody answers for (values of variables, tools, MCP servers, reminders, files of a project that a preset includes without a grant)
are judged everywhere.

- `forged/tag`: `<` and the name of a tag that preface writes, with a `/` or without: {tags}, those in `own_tags` of the profile, the
  ids of its sections with `section_tags`, and those that a `prefix` or `suffix` of a section opens or closes.
- `forged/marker`: a name between `<|` and `|>`, one of {markers}, or one of the tags {marker_tags}.
- `forged/role`: a label at the start of a line, behind blanks and the characters `>`, `*`, `_` and `#`. `Assistant:` and `Human:` are reported
  everywhere, `System:` and `User:` only outside of fenced code and before a sentence: three words or more on the same line, or eight characters of a
  script without spaces. `Instruction:` is one in a heading.
- `forged/heading`: a line that starts with `#` and is the same as such a line of the finished prompt that the profile or a text of preface
  writes. It is looked for in the texts of sections with `watch_tags`: instruction files and appended texts with `pi`, instruction files with
  `default`; with `claude-code` those, output styles, agents, slash commands and MCP servers.
"
    )
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
