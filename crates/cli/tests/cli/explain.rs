//! `preface explain`

use crate::sandbox::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .work("AGENTS.md", "# Rules\n\nUse tabs.\n")
        .home(".config/preface/append.md", "On [system:os].\n");
    sandbox.run("preface trust grant").exits(0);
    sandbox
}

#[test]
fn each_part_has_a_row_and_its_sources_stand_below() {
    sandbox().run("preface explain").exits(0).says("").prints(
        "\
small: 4 parts, 19 tokens (estimate:bytes4), 73 bytes

tokens  share  stability  section
     3  15.8%  static     identity
     3         profile      small.toml: text
     3  15.8%  static     rules
     1         profile      small.toml: join
     1         global       ~/.config/preface/append.md:1
     1         variable     [system:os]
     8  42.1%  static     context
     2         profile      small.toml: join, item
     2         variable     [item:path]
     4         project      AGENTS.md:1
                          ── static up to here: 14 tokens ──
     5  26.3%  turn       today
     3         profile      small.toml: join, text
     2         variable     [system:local_date]
    19   100%             total

cache: the first 14 tokens (54 bytes) are the same for every conversation; `today` ends them.
",
    );
}

#[test]
fn what_is_not_there_has_a_reason() {
    Sandbox::new().run("preface explain --absent").exits(0).prints(
        "\
section  reason   why
rules    no text  there is no append.md
context  no text  there is no AGENTS.md or CLAUDE.md from here up
",
    );
}

#[test]
fn every_run_of_bytes_has_an_origin() {
    let ran = sandbox().run("preface explain --spans").exits(0);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["from", "to", "section", "origin", "text"]);
    assert_eq!(
        lines.last(),
        Some(&"  72  73  today     small.toml section.today.text     ."),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_text_a_byte_and_a_line_lead_to_their_place() {
    let sandbox = sandbox();
    sandbox.run("preface explain --at 'Use tabs'").exits(0).prints(
        "\
context bytes 45–53
 ——▶ AGENTS.md:3:1   (project layer)
  │
3 │ Use tabs.
  │ ^^^^^^^^
",
    );
    sandbox.run("preface explain --at 0").exits(0).prints(
        "\
identity bytes 0–1
  ——▶ ~/.config/preface/profiles/small.toml:17:9   (`section.identity.text` of the profile small)
   │
17 │ text = \"You help.\"
   │         ^
",
    );
    // The separator is not in the file.
    sandbox
        .run("preface explain --at 9")
        .exits(0)
        .prints("rules bytes 9–10\n ——▶ `join` of the profile small\n     \\n\n");
    sandbox
        .run("preface explain --at AGENTS.md:3")
        .exits(0)
        .prints("AGENTS.md:3 is in the prompt.\n  Use tabs.\nin context, bytes 45–54\n");
    sandbox
        .run("preface explain --at ./AGENTS.md:9")
        .exits(1)
        .prints("")
        .says("error: AGENTS.md has 3 lines, and no line 9\n");
    let ran = sandbox.run("preface explain --at 'Use spaces'").exits(1).prints("");
    assert!(ran.stderr.starts_with("error: the prompt does not contain `Use spaces`\n"), "{}", ran.stderr);
    sandbox
        .run("preface explain --at 4096")
        .exits(1)
        .says("error: the prompt ends before byte 4096: it has 73 bytes\n");
}

#[test]
fn a_line_that_is_held_says_so() {
    let sandbox = sandbox();
    sandbox.work("AGENTS.md", "# Rules\n\nUse spaces.\n");
    let ran = sandbox.run("preface explain -q --at AGENTS.md:3").exits(0);
    assert!(
        ran.stdout
            .starts_with("AGENTS.md:3 is not in the prompt, nor is the rest of its file.\n  Use spaces.\n"),
        "{}",
        ran.stdout
    );
    assert!(ran.stdout.contains("was left out: it changed since you trusted it"), "{}", ran.stdout);
}

#[test]
fn a_cut_is_shown_at_its_part() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/append.md", "Be brief. ".repeat(40));
    let ran = sandbox.run("preface explain --budget 40").exits(0);
    assert!(ran.stdout.contains("    cut by the budget: 28 of 100 tokens are left\n"), "{}", ran.stdout);
}

#[test]
fn the_document_is_the_one_that_build_prints() {
    let sandbox = sandbox();
    let built = sandbox.run("preface build --format json").exits(0).stdout;
    sandbox.run("preface explain --format json").exits(0).prints(&built);
}

#[test]
fn a_saved_world_is_explained_without_the_machine() {
    let sandbox = sandbox();
    sandbox.run("preface build --save-snapshot snapshot.json").exits(0);
    std::fs::remove_file(sandbox.path("work/AGENTS.md")).expect("it was there");
    let ran = sandbox.run("preface explain --snapshot snapshot.json").exits(0).says("");
    assert!(ran.stdout.starts_with("small: 4 parts, 19 tokens"), "{}", ran.stdout);
}

#[test]
fn what_is_held_is_among_what_is_absent() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/system.md", "Mine.\n").work(".stud/system.md", "Theirs.\n");
    sandbox.run("preface explain --absent --preset stud").exits(0).prints(
        "\
section  reason    why
.stud    left out  it is not trusted
",
    );
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let ran = sandbox.run("preface explain --absent").exits(0);
    assert!(ran.stdout.contains("\nAGENTS.md  left out "), "{}", ran.stdout);
}

#[test]
fn what_was_cut_and_left_out_is_absent() {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".stud/system.md", "A line of mine.\n".repeat(30))
        .home(".stud/settings.json", r#"{"contextProviders": {"SystemPromptFile": {"maxTokens": 20}}}"#)
        .work(".stud/system.md", "Never push to main.\n");
    sandbox.run("preface explain --absent --preset stud --trust once -q").exits(0).prints(
        "section  reason  why
system   cut     section `system` lost 114 of 126 tokens, all of .stud/system.md: its ceiling is 20
",
    );
    sandbox.home(".stud/settings.json", r#"{"contextProviders": {"SystemPromptFile": {"enabled": false}}}"#);
    sandbox.run("preface explain --absent --preset stud --trust once -q").exits(0).prints(
        "section            reason    why
~/.stud/system.md  left out  `contextProviders.SystemPromptFile.enabled` is false
",
    );
}
