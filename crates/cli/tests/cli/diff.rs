//! `preface diff`

use crate::sandbox::Sandbox;

#[test]
fn the_clock_is_named_as_what_ends_the_cached_prefix() {
    Sandbox::new().run("preface diff --against-now 2026-03-08T00:00:00Z").exits(0).says("").prints(
        "\
--- small (this build)  7 tokens, 28 bytes
+++ small (now 2026-03-08T00:00:00Z)  7 tokens, 28 bytes

changed  5 tokens  today
1 part the same
cache: the first 7 tokens (26 bytes) are the same; then `today` differs, because of [system:local_date].

@@ -1,3 +1,3 @@ today
 You help.
 
-It is 2026-03-07.
\\ No newline at end of file
+It is 2026-03-08.
\\ No newline at end of file
",
    );
}

#[test]
fn differences_are_an_exit_code_only_where_asked() {
    let sandbox = Sandbox::new();
    let line = "preface diff --against-now 2026-03-08T00:00:00Z";
    sandbox.run(line).exits(0);
    sandbox.run(&format!("{line} --exit-code")).exits(1);
    let same = sandbox.run("preface diff --against-model large-1 --exit-code").exits(0);
    assert!(same.stdout.ends_with("\nThe texts are the same, byte for byte.\n"), "{}", same.stdout);
}

#[test]
fn a_receipt_tells_what_changed_since() {
    let sandbox = Sandbox::new();
    let receipt = sandbox.run("preface build --format json").exits(0).stdout;
    sandbox.work("before.json", &receipt).home(".config/preface/append.md", "Be brief.\n");
    let ran = sandbox.run("preface diff before.json").exits(0);
    assert!(
        ran.stdout.starts_with("--- before.json  7 tokens, 28 bytes\n+++ small (this build)  "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\nadded  +3 tokens  rules\n2 parts the same\n"), "{}", ran.stdout);
    sandbox.work("before.json", receipt.replace("You help", "You harm"));
    let ran = sandbox.run("preface diff before.json").exits(1).prints("");
    assert!(
        ran.stderr.starts_with("error: `before.json` does not add up: the fingerprint is"),
        "{}",
        ran.stderr
    );
    sandbox.work("before.json", "[]");
    sandbox.run("preface diff before.json").exits(1);
}

#[test]
fn a_saved_world_is_the_other_side() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --save-snapshot snapshot.json").exits(0);
    sandbox.run("preface diff snapshot.json --exit-code").exits(0);
}

#[test]
fn programs_get_one_document() {
    let ran = Sandbox::new().run("preface diff --against-now 2026-03-08T00:00:00Z --format json").exits(0);
    let difference = ran.json();
    assert_eq!(difference["same"], false);
    assert_eq!(difference["parts"][1]["change"], "changed");
}

#[test]
fn a_side_must_be_named() {
    let ran = Sandbox::new().run("preface diff").exits(2).prints("");
    assert!(
        ran.stderr.starts_with(
            "error: the following required arguments were not provided:\n  <--against-preset <NAME>|"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn two_snapshots_are_compared_without_a_look_at_the_machine() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build -q --save-snapshot a.json").exits(0);
    sandbox.home(".config/preface/append.md", "Be brief.\n");
    sandbox.run("preface build -q --save-snapshot b.json").exits(0);
    sandbox.home(".config/preface/append.md", "Be long.\n");
    let ran = sandbox.run("preface diff a.json b.json --exit-code").exits(1).says("");
    assert!(ran.stdout.starts_with("--- a.json  7 tokens, 28 bytes\n+++ b.json  "), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nadded  +3 tokens  rules\n"), "{}", ran.stdout);
    let reversed = sandbox.run("preface diff b.json a.json").exits(0);
    assert!(reversed.stdout.starts_with("--- b.json  "), "{}", reversed.stdout);
    sandbox.run("preface diff a.json --against-model large-1").exits(2);
}

#[test]
fn two_directories_are_compared_with_the_same_flags() {
    let sandbox = Sandbox::new();
    sandbox.work("old/AGENTS.md", "Use tabs.\n").work("new/AGENTS.md", "Use spaces.\n");
    let ran = sandbox.run("preface diff old new --trust once --exit-code").exits(1);
    assert!(
        ran.stdout.starts_with("--- small (old)  ") && ran.stdout.contains("\n+++ small (new)  "),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("\n-Use tabs.\n+Use spaces.\n"), "{}", ran.stdout);
    sandbox.run("preface diff old nowhere").exits(2);
}

#[test]
fn a_prompt_may_grow_by_so_many_tokens() {
    let sandbox = Sandbox::new();
    let before = sandbox.run("preface build --format json -q").exits(0).stdout;
    sandbox.work("main.json", &before).home(".config/preface/append.md", "x".repeat(400));
    sandbox.run("preface diff main.json --max-growth 150").exits(0);
    let ran = sandbox.run("preface diff main.json --max-growth 50").exits(1);
    assert!(ran.stderr.contains("error: the prompt grows by 1"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("tokens, over 50\nhelp: see what is largest: `preface explain --largest`"),
        "{}",
        ran.stderr
    );
    sandbox.run("preface diff . main.json --max-growth 0").exits(0);
}
