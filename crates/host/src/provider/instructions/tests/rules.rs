//! Directories of rules.

use super::*;
use serde_json::json;

fn rules(files: &[(&str, &str)]) -> MemorySystem {
    let root = Path::new("/w/p/.tool/rules");
    files.iter().fold(machine(), |system, (path, text)| system.with_file(root.join(path), text))
}

fn touched(system: &MemorySystem, paths: &[&str]) -> BuiltSection {
    build(system, json!({"rules": "rules", "touched": paths}))
}

#[test]
fn rules_come_sorted_after_the_files_of_their_layer() {
    let system =
        rules(&[("b.md", "b"), ("a/z.md", "z"), ("a/deep/x.md", "x"), ("a.md", "a"), ("note.txt", "no")])
            .with_file("/w/p/.tool/rules/.hidden.md", "no")
            .with_file("/w/p/.tool/rules/.md", "no")
            .with_file("/w/p/CLAUDE.md", "project")
            .with_file("/CLAUDE.md", "root")
            .with_file("/home/u/.tool/CLAUDE.md", "user")
            .with_file("/home/u/.tool/rules/u.md", "---\nname: u\n---\nof the user");
    let built = build(&system, json!({"rules": "rules", "user": ["CLAUDE.md"]}));
    assert_eq!(
        built.paths(),
        [
            "~/.tool/CLAUDE.md",
            "~/.tool/rules/u.md",
            "CLAUDE.md",
            "../../CLAUDE.md",
            ".tool/rules/a/deep/x.md",
            ".tool/rules/a/z.md",
            ".tool/rules/a.md",
            ".tool/rules/b.md",
        ]
    );
    assert_eq!(built.items()[1], ("~/.tool/rules/u.md", "rule", "of the user".to_owned()));
    assert_eq!(built.diagnostics, []);
    assert_origins(&built, &system);
    assert_eq!(build(&system, json!({})).paths(), ["CLAUDE.md", "../../CLAUDE.md"]);
}

#[test]
fn a_rule_with_paths_waits_for_a_file_that_matches() {
    let system = rules(&[
        ("api.md", "---\npaths: src/api/**/*.{ts,tsx}\n---\nAPI\n"),
        ("docs.md", "---\npaths:\n  - docs/**\n  - \"*.md\"\n---\nDocs\n"),
        ("all.md", "All\n"),
    ]);
    let built = touched(&system, &[]);
    assert_eq!(built.items(), [(".tool/rules/all.md", "rule", "All\n".to_owned())]);
    assert_eq!(built.codes(), [(Severity::Info, "rules/waiting")]);
    assert_eq!(
        built.messages("rules/waiting"),
        ["2 rules wait for a file to be worked on, such as .tool/rules/api.md (`src/api/**/*.{ts,tsx}`)"]
    );
    assert_eq!(built.diagnostics[0].help.as_deref(), Some("`touched` names files that are worked on"));
    let with_help = build(&system, json!({"rules": "rules", "hints": {"waiting": "touch one"}}));
    assert_eq!(with_help.diagnostics[0].help.as_deref(), Some("touch one"));
    let texts = |paths: &[&str]| -> Vec<String> {
        touched(&system, paths).items().into_iter().map(|item| item.2).collect()
    };
    assert_eq!(texts(&["src/api/x.ts"]), ["All\n", "API\n"]);
    assert_eq!(texts(&["/w/p/src/api/deep/x.tsx"]), ["All\n", "API\n"], "an absolute path is the same file");
    assert_eq!(texts(&["./docs/a/b", "src/x.ts"]), ["All\n", "Docs\n"]);
    assert_eq!(texts(&["README.md"]), ["All\n", "Docs\n"]);
    assert_eq!(texts(&["sub/README.md"]), ["All\n"], "a star does not reach over a slash");
    assert_eq!(texts(&["/elsewhere/docs/x"]), ["All\n"]);
    let both = touched(&system, &["docs/x", "src/api/x.ts"]);
    assert_eq!((both.contribution.items.len(), both.diagnostics), (3, vec![]));
}

#[test]
fn globs_of_rules_may_be_absolute_or_of_a_directory() {
    let system = rules(&[
        ("a.md", "---\npaths: /opt/**\n---\nA"),
        ("b.md", "---\npaths: ~/notes/\n---\nB"),
        ("c.md", "---\npaths: [\"src/\"]\n---\nC"),
        ("d.md", "---\npaths: ../other/*.rs\n---\nD"),
        ("e.md", "---\npaths: \"**/*.py\"\n---\nE"),
    ]);
    for (path, text) in [
        ("/opt/x/y", "A"),
        ("/home/u/notes/x", "B"),
        ("src/deep/x", "C"),
        ("/w/other/x.rs", "D"),
        ("../other/x.rs", "D"),
        ("x.py", "E"),
        ("/elsewhere/deep/x.py", "E"),
    ] {
        assert_eq!(touched(&system, &[path]).text(), text, "{path}");
    }
}

#[test]
fn a_cwd_behind_a_link_is_the_same_directory() {
    let system = MemorySystem::new()
        .with_home("/home/u")
        .with_file("/real/p/.tool/rules/a.md", "---\npaths: src/*.[ch]\n---\nA")
        .with_link("/w", "/real")
        .with_current_dir("/w/p");
    for path in ["src/x.c", "/w/p/src/x.c", "/real/p/src/x.h"] {
        assert_eq!(touched(&system, &[path]).text(), "A", "{path}");
    }
}

#[test]
fn an_invalid_pattern_matches_nothing_and_is_reported() {
    let system = rules(&[
        ("a.md", "---\npaths: [\"src/[\", \"src/{a\", \"ok\"]\n---\nA"),
        ("b.md", "---\npaths: 7\n---\nB"),
        ("c.md", "---\npaths: \"a}\"\n---\nC"),
        ("d.md", "---\npaths: \"[b-a]\"\n---\nD"),
        ("e.md", &format!("---\npaths: \"{}\"\n---\nE", "x".repeat(5_000))),
    ]);
    let built = touched(&system, &["ok", "src/[", "aaaa", "a"]);
    assert_eq!(built.text(), "A", "the sound pattern beside them counts");
    let messages = built.messages("rules/head");
    assert_eq!(messages.len(), 6, "{messages:#?}");
    assert_eq!(
        messages[0],
        ".tool/rules/a.md: `src/[` matches nothing: unclosed character class; missing ']'"
    );
    assert_eq!(messages[2], ".tool/rules/b.md: `paths` is neither a text nor a list of texts");
    assert!(messages[3].contains("`a}` matches nothing: unopened alternate group"));
    assert!(messages[5].len() < 200);
    assert_eq!(built.messages("rules/waiting"), Vec::<&str>::new(), "what never matches does not wait");
    let built = touched(&system, &[]);
    assert_eq!(built.messages("rules/head").len(), 6, "also where nothing is worked on");
    assert_eq!(
        built.messages("rules/waiting"),
        ["1 rule waits for a file to be worked on, such as .tool/rules/a.md (`src/[`)"]
    );
    assert!(built.contribution.silent.as_deref().is_some_and(|why| why.ends_with("see the diagnostics")));
}

#[test]
fn a_head_that_is_no_yaml_is_reported_and_the_rule_included() {
    let system = rules(&[("a.md", "---\ntitle: a\nname: [a: b\n---\nA")]);
    let built = touched(&system, &[]);
    assert_eq!(built.text(), "A");
    assert_eq!(built.diagnostics[0].place.as_ref().and_then(|place| place.line), Some(3));
}

#[test]
fn imports_of_a_rule_are_relative_to_it_and_its_head_is_not_looked_at() {
    let system = rules(&[("a.md", "---\nx: \"@b.md ` \"\n---\n@b.md and ` @../CONTEXT.md\n"), ("b.md", "B")])
        .with_file("/w/p/.tool/CONTEXT.md", "context");
    let built = touched(&system, &[]);
    assert_eq!(built.items()[0].2, "B and ` context\n");
    assert_origins(&built, &system);
    let line = system.with_file("/w/p/.tool/rules/a.md", "---\nname: a\n---\n\n@gone.md\n");
    assert!(touched(&line, &[]).messages("imports/missing")[0].starts_with(".tool/rules/a.md:5: "));
}

#[test]
fn links_are_followed_once_and_cycles_end() {
    let system = rules(&[("a.md", "A"), ("sub/b.md", "B")])
        .with_link("/w/p/.tool/rules/again.md", "a.md")
        .with_link("/w/p/.tool/rules/loop", "/w/p/.tool/rules")
        .with_link("/w/p/.tool/rules/sub/up", "..")
        .with_link("/w/p/.tool/rules/self.md", "self.md")
        .with_link("/w/p/.tool/rules/twice", "sub")
        .with_link("/w/p/.tool/rules/other", "../../docs")
        .with_file("/w/p/docs/c.md", "C");
    let built = touched(&system, &[]);
    assert_eq!(built.paths(), [".tool/rules/a.md", ".tool/rules/other/c.md", ".tool/rules/sub/b.md"]);
    assert_eq!(
        built.messages("rules/directory"),
        [
            ".tool/rules/loop was left out: it was looked into by another name",
            ".tool/rules/sub/up was left out: it was looked into by another name",
            ".tool/rules/twice was left out: it was looked into by another name",
        ]
    );
    assert_eq!((built.messages("context/duplicate").len(), built.messages("file/link").len()), (1, 1));
}

#[test]
fn rules_of_nothing_but_a_head_are_silent() {
    let built = touched(&rules(&[("a.md", "---\nname: a\n---\n\n")]), &[]);
    assert_eq!((built.contribution.items.len(), built.diagnostics), (0, vec![]));
}
