//! Hostile input costs little, and few diagnostics report it.

use super::*;
use crate::system::ReadError;
use serde_json::json;
use std::time::{Duration, Instant};

/// Runs in a build for debugging, on a machine that others use, too.
const PATIENCE: Duration = Duration::from_secs(60);

fn bytes(built: &BuiltSection) -> usize {
    built.contribution.items.iter().flat_map(|item| &item.pieces).map(|piece| piece.text.len()).sum()
}

#[test]
fn of_five_thousand_rules_a_thousand_are_included() {
    let mut system = machine();
    for at in 0..5_000 {
        system =
            system.with_file(format!("/w/p/.tool/rules/d{}/r{at:04}.md", at % 7), format!("rule {at}\n"));
    }
    let system = system.with_file("/home/u/.tool/rules/own.md", "own");
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.contribution.items.len(), 1_000);
    assert_eq!(built.paths()[0], "~/.tool/rules/own.md", "the user's come first");
    assert!(built.paths()[1..].is_sorted());
    assert_eq!(
        built.messages("rules/limit"),
        ["4001 rules were left out: a build reads at most 1000 rules and 4194304 bytes of them"]
    );
    assert_eq!(built.diagnostics.len(), 1);
    assert_eq!(system.reads("/w/p/.tool/rules/d6/r4997.md"), 0);
}

#[test]
fn one_note_reports_five_thousand_waiting_rules() {
    let mut system = machine();
    for at in 0..5_000 {
        let text = format!("---\npaths: src/{at}/**\n---\nrule {at}\n");
        system = system.with_file(format!("/w/p/.tool/rules/r{at:04}.md"), text);
    }
    let built = build(&system, json!({"rules": "rules", "touched": ["src/7/x", "src/4999/x"]}));
    assert_eq!(built.text(), "rule 7\n");
    assert_eq!((built.messages("rules/waiting").len(), built.messages("rules/limit").len()), (1, 1));
    assert!(built.messages("rules/waiting")[0].starts_with("999 rules wait "));
}

#[test]
fn rules_have_4_mib_together() {
    let mut system = machine();
    for at in 0..6 {
        system = system.with_file(format!("/w/p/.tool/rules/{at}.md"), vec![b'x'; 1 << 20]);
    }
    let system = system.with_file("/w/p/.tool/rules/0-huge.md", vec![b'x'; (4 << 20) + 1]);
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!((built.contribution.items.len(), bytes(&built)), (4, 4 << 20));
    assert!(built.messages("rules/limit")[0].starts_with("2 rules were left out"));
    assert_eq!(built.messages("file/too-large").len(), 1);
}

#[test]
fn directories_of_rules_have_limits() {
    let many = ReadError::TooLarge { size: 30_000, limit: 20_000 };
    let system = machine()
        .with_file("/w/p/.tool/rules/many/x.md", "one of many")
        .with_read_error("/w/p/.tool/rules/many", many);
    let deep = format!("/w/p/.tool/rules/{}x.md", "d/".repeat(40));
    let system = system.with_file(deep, "deep").with_file("/w/p/.tool/rules/a.md", "A");
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.text(), "A");
    assert_eq!(built.messages("rules/limit").len(), 2);
    let mut system = machine();
    for at in 0..1_000 {
        system = system.with_link(format!("/w/p/.tool/rules/{at:04}.md"), "/etc/passwd");
    }
    let system = system.with_file("/etc/passwd", "secret");
    let built = build(&system, json!({"rules": "rules"}));
    assert_eq!(built.messages("file/outside").len(), 21);
    assert_eq!(built.messages("file/outside")[20], "980 more like this are not listed");
}

#[test]
fn patterns_of_rules_have_limits_together() {
    let many = "{a,b,c,d,e,f,g,h,i,j}".repeat(20);
    let mut system = machine();
    for at in 0..500 {
        let list = format!("  - \"{many}{}\"\n", "*a".repeat(20)).repeat(8);
        let text = format!("---\npaths:\n{list}---\nrule\n");
        system = system.with_file(format!("/w/p/.tool/rules/{at:03}.md"), text);
    }
    let start = Instant::now();
    let built = build(&system, json!({"rules": "rules", "touched": ["a".repeat(200)]}));
    assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
    assert_eq!(built.contribution.items.len(), 143, "512 KiB of patterns");
    assert_eq!(built.messages("rules/head").len(), 21);
}

#[test]
fn ten_files_that_import_each_other_ten_times_stay_small() {
    let mut system = machine();
    let all: String = (0..10).map(|at| format!("@f{at}.md ").repeat(10)).collect();
    for at in 0..10 {
        system = system.with_file(format!("/w/p/f{at}.md"), format!("{at}{}\n{all}", "x".repeat(1_000)));
    }
    let system = system.with_file("/w/p/CLAUDE.md", &all);
    for hops in [4, 32] {
        let start = Instant::now();
        let built = build(&system, json!({"hops": hops}));
        assert!(start.elapsed() < PATIENCE, "{:?}", start.elapsed());
        assert!(bytes(&built) <= (4 << 20) + all.len());
        assert_eq!(built.messages("imports/limit").len(), 0, "{:?}", built.codes());
        assert!(built.diagnostics.len() < 70, "{}", built.diagnostics.len());
        assert_origins(&built, &system);
    }
    system.clear_touches();
    build(&system, json!({}));
    assert!((0..10).all(|at| system.reads(format!("/w/p/f{at}.md")) == 1), "each is read once");
}

#[test]
fn imports_have_4_mib_and_a_thousand_files_together() {
    let mut system = machine();
    let names = |word: &str, many: usize| (0..many).map(|at| format!("@{word}{at} ")).collect::<String>();
    for at in 0..10 {
        system = system.with_file(format!("/w/p/big{at}"), vec![b'x'; 1 << 20]);
    }
    for at in 0..2_000 {
        system = system.with_file(format!("/w/p/small{at}"), "");
    }
    let system = system
        .with_file("/w/p/CLAUDE.md", names("big", 10))
        .with_file("/w/CLAUDE.md", names("p/small", 2_000));
    let built = build(&system, json!({}));
    // Four of the large ones fit, 996 of the others; what stays has its name.
    let stays = names("p/small", 2_000).len() - names("p/small", 996).len();
    assert_eq!(bytes(&built), (4 << 20) + 4 + 6 * 6 + 996 + stays);
    assert!(built.messages("imports/limit")[0].starts_with("1010 imports stay"));
}

#[test]
fn names_that_lead_nowhere_are_looked_for_ten_thousand_times() {
    let text: String = (0..50_000).map(|at| format!("@{at}.md ")).collect();
    let built = build(&machine().with_file("/w/p/CLAUDE.md", &text), json!({}));
    assert_eq!(built.text(), text);
    assert!(built.messages("imports/limit")[0].starts_with("40000 imports stay"));
    assert_eq!(built.messages("imports/missing").len(), 21);
    let long = format!("@{} @{}", "a".repeat(1 << 20), "a/".repeat(1 << 19));
    let built = build(&machine().with_file("/w/p/CLAUDE.md", &long), json!({}));
    assert_eq!((built.text() == long, built.messages("imports/missing").len()), (true, 0));
}

#[test]
fn binary_files_are_not_read_without_end() {
    let mut system = machine();
    let mut text = String::new();
    for at in 0..40 {
        system = system.with_file(format!("/w/p/{at}.bin"), vec![0; 3 << 20]);
        text.push_str(&format!("@{at}.bin "));
    }
    let built = build(&system.with_file("/w/p/CLAUDE.md", &text), json!({}));
    assert_eq!(built.text(), text);
    assert!(built.messages("imports/limit")[0].starts_with("19 imports stay"), "21 × 3 MiB fit into 64 MiB");
}
