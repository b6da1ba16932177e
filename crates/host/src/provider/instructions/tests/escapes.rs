//! A project's files lead nowhere but into the project.

use super::*;
use crate::system::testing::AccessKind;
use serde_json::json;

fn secrets(system: MemorySystem) -> MemorySystem {
    system
        .with_file("/etc/passwd", "SECRET")
        .with_file("/home/u/.ssh/id", "SECRET")
        .with_file("/w/secret.md", "SECRET")
        .with_file("/w/p2/secret.md", "SECRET")
}

fn assert_no_secret(system: &MemorySystem, built: &BuiltSection) {
    for item in &built.contribution.items {
        assert!(!text_of(&item.pieces).contains("SECRET"), "{item:?}");
    }
    for place in ["/etc/passwd", "/home/u/.ssh/id", "/w/secret.md", "/w/p2/secret.md", "/w/p/.git/config"] {
        let read = |touch: &crate::system::testing::AccessRecord| {
            touch.verb == AccessKind::Read
                && touch.place == Path::new(place)
                && system.link_stat(&touch.place).is_some()
        };
        assert!(!system.touches().iter().any(read), "{place} was opened");
    }
}

/// Returns whether a directory, or one below it, was listed.
fn is_listed(system: &MemorySystem, dir: &str) -> bool {
    system.touches().iter().any(|touch| touch.verb == AccessKind::List && touch.place.starts_with(dir))
}

#[test]
fn imports_of_the_tree_stay_in_the_work_tree() {
    let text = "@../../etc/passwd @/etc/passwd @~/.ssh/id @../secret.md @../p2/secret.md @out.md @dir/secret.md \
                @in/../../secret.md @/etc/nothing @~/nothing @.git/config @sub/up.md @sub/deep.md";
    let system = secrets(machine())
        .with_file("/w/p/CLAUDE.md", text)
        .with_link("/w/p/out.md", "/w/secret.md")
        .with_link("/w/p/dir", "/w/p2")
        .with_dir("/w/p/in")
        .with_file("/w/p/.git/config", "SECRET")
        .with_file("/w/p/sub/up.md", "up: @../ok.md @../../secret.md")
        .with_link("/w/p/sub/deep.md", "../fine.md")
        .with_file("/w/p/ok.md", "ok")
        .with_file("/w/p/fine.md", "fine");
    let built = build(&system, json!({}));
    let refused = text.split(" @sub").next().expect("a first part");
    assert_eq!(built.text(), format!("{refused} up: ok @../../secret.md fine"));
    assert_eq!(built.messages("imports/outside").len(), 12);
    assert!(
        built
            .diagnostics
            .iter()
            .all(|diagnostic| diagnostic.severity == Severity::Warning && diagnostic.help.is_some())
    );
    assert_no_secret(&system, &built);
    let first = "CLAUDE.md:1: `@../../etc/passwd` stays as it is written: it is outside the work tree, or outside \
                 the directory if there is no work tree";
    assert_eq!(built.messages("imports/outside")[0], first);
}

#[test]
fn whether_a_file_exists_is_not_revealed() {
    let (there, gone) = ("@/etc/passwd", "@/etc/nothing");
    let message = |text: &str| {
        let system = secrets(machine()).with_file("/w/p/CLAUDE.md", text);
        build(&system, json!({})).messages("imports/outside")[0].replace(text, "@")
    };
    assert_eq!(message(there), message(gone));
}

#[test]
fn a_work_tree_reaches_up_to_its_root_and_a_loose_directory_to_itself() {
    let files = |system: MemorySystem| {
        secrets(system)
            .with_file("/w/p/sub/CLAUDE.md", "@../top.md @../../secret.md @near.md")
            .with_file("/w/p/sub/near.md", "near")
            .with_file("/w/p/top.md", "top")
            .with_file("/w/p/high.md", "high")
            .with_file("/w/CLAUDE.md", "@p/high.md @../etc/passwd")
            .with_current_dir("/w/p/sub")
    };
    let built = build(&files(machine()), json!({}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["top @../../secret.md near", "high @../etc/passwd"]);
    let built = build(&files(loose()), json!({}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["@../top.md @../../secret.md near", "high @../etc/passwd"]);
}

#[test]
fn a_work_tree_that_holds_the_home_directory_is_none() {
    let system = secrets(loose())
        .with_file("/home/u/.git/HEAD", "ref: refs/heads/main\n")
        .with_dir("/home/u/.git/objects")
        .with_dir("/home/u/.git/refs")
        .with_file("/home/u/p/CLAUDE.md", "@../.ssh/id @~/.ssh/id @in.md")
        .with_file("/home/u/p/in.md", "in")
        .with_current_dir("/home/u/p");
    let built = build(&system, json!({}));
    assert_eq!(built.text(), "@../.ssh/id @~/.ssh/id in");
    // The account's own home directory is looked up in `/etc/passwd`: here the project could have brought it.
    system.cut("/etc/passwd");
    system.clear_touches();
    assert_no_secret(&system, &build(&system, json!({})));
}

#[test]
fn the_file_of_a_hidden_directory_reaches_into_the_directory_it_is_about() {
    let system = loose().with_file("/w/p/.claude/CLAUDE.md", "@../a.md").with_file("/w/p/a.md", "A");
    assert_eq!(build(&system, json!({})).text(), "A");
}

#[test]
fn the_users_and_managed_files_import_from_anywhere() {
    let system = secrets(machine())
        .with_file("/home/u/.tool/CLAUDE.md", "@../other.md @/w/secret.md")
        .with_file("/home/u/notes.md", "notes @/etc/passwd")
        .with_file("/home/u/other.md", "other")
        .with_file("/etc/tool.md", "@~/notes.md");
    let built = build(&system, json!({"user": ["CLAUDE.md"], "managed": ["/etc/tool.md"]}));
    let texts: Vec<String> = built.items().into_iter().map(|item| item.2).collect();
    assert_eq!(texts, ["notes SECRET", "other SECRET"]);
    assert_eq!(built.diagnostics, []);
    assert_origins(&built, &system);
}

#[test]
fn links_of_the_tree_stay_in_the_work_tree() {
    let system = secrets(machine())
        .with_link("/w/p/CLAUDE.md", "/home/u/.ssh/id")
        .with_link("/w/p/.claude", "/w/dot")
        .with_file("/w/dot/CLAUDE.md", "dot")
        .with_link("/w/p/CLAUDE.local.md", "docs/local.md")
        .with_file("/w/p/docs/local.md", "local @x.md")
        .with_file("/w/p/x.md", "X");
    let built = build(&system, json!({}));
    assert_eq!(built.items(), [("CLAUDE.local.md", "local", "local X".to_owned())]);
    assert_eq!(built.messages("file/outside").len(), 2);
    assert_no_secret(&system, &built);
}

#[test]
fn rules_stay_in_the_work_tree() {
    let system = secrets(machine())
        .with_link("/w/p/.tool/rules/out.md", "/w/secret.md")
        .with_link("/w/p/.tool/rules/dir", "/w/p2")
        .with_link("/w/p/.tool/rules/git", "/w/p/.git")
        .with_file("/w/p/.git/x.md", "SECRET")
        .with_link("/w/p/.tool/rules/in", "/w/p/docs")
        .with_file("/w/p/docs/in.md", "in @../../secret.md");
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.items(), [(".tool/rules/in/in.md", "rule", "in @../../secret.md".to_owned())]);
    assert_eq!(built.messages("file/outside").len(), 3);
    assert_no_secret(&system, &built);
    assert!(!is_listed(&system, "/w/p/.git") && !is_listed(&system, "/w/p2"));
    let system = secrets(machine()).with_link("/w/p/.tool", "/w/p2").with_file("/w/p2/rules/a.md", "SECRET");
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.messages("file/outside").len(), 1);
    assert_no_secret(&system, &built);
}

#[test]
fn a_link_to_a_directory_beside_the_roots_is_not_looked_into() {
    let system = machine()
        .with_current_dir("/w/p/src")
        .with_link("/w/p/src/.tool/rules/out", "/w/p/docs")
        .with_link("/w/p/src/.tool/rules/in", "/w/p/src/near")
        .with_file("/w/p/src/near/a.md", "near")
        .with_file("/w/p/docs/secret.md", "SECRET");
    let terms = || TestTrust { roots: Some(vec!["/w/p/src".into()]), ..TestTrust::default() };
    let built = build_on(&system, json!({"rules": "rules"}), terms());
    assert_eq!(built.paths(), [".tool/rules/in/a.md"]);
    assert_eq!(built.messages("file/outside").len(), 1, "{:?}", built.diagnostics);
    assert!(!is_listed(&system, "/w/p/docs"));
    // Without roots it is in the project.
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.paths(), [".tool/rules/in/a.md", ".tool/rules/out/secret.md"]);
}
