//! `preface build --conversation`: built once, kept, and read from then on.

use crate::sandbox::{BARE, Sandbox};

const KEPT: &str = "stored: since 2026-03-07T14:55:05Z, for `c1` (revision 1)\n";

#[test]
fn a_prompt_for_later_turns_needs_a_store_that_lasts() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation c1 --store memory:").exits(2).prints("").says(
        "\
error: `memory:` is gone with this command, and a prompt for later turns with it
help: name a store that stays, such as `--store sqlite:PATH`, or build with `--no-store`
",
    );
    sandbox.run("preface build --conversation c1 --store memory: --no-store").exits(0).prints(BARE).says("");
}

#[test]
fn later_turns_get_the_same_bytes() {
    let sandbox = Sandbox::new();
    sandbox
        .run("preface build --conversation c1")
        .exits(0)
        .prints(BARE)
        .says("stored: for later turns of `c1` (revision 1)\n");
    sandbox.home(".config/preface/append.md", "Be brief.\n");
    let later = "--now 2026-04-01T00:00:00Z";
    sandbox.run(&format!("preface build --conversation c1 {later}")).exits(0).prints(BARE).says(KEPT);
    sandbox.run(&format!("preface build --conversation c1 -q {later}")).exits(0).prints(BARE).says("");
    sandbox
        .run(&format!("preface build --conversation c2 -q {later}"))
        .exits(0)
        .prints("You help.\n\nBe brief.\n\nIt is 2026-04-01.");
    sandbox
        .run(&format!("preface build --conversation c1 --no-store {later}"))
        .exits(0)
        .prints("You help.\n\nBe brief.\n\nIt is 2026-04-01.")
        .says("");
}

#[test]
fn a_link_that_the_call_allows_is_followed_for_a_conversation() {
    let sandbox = Sandbox::empty();
    sandbox.home("shared/AGENTS.md", "Use tabs.\n");
    let shared = sandbox.path("home/shared");
    std::os::unix::fs::symlink(shared.join("AGENTS.md"), sandbox.path("work/AGENTS.md")).expect("a link");
    let call = format!("preface build --preset pi -q --conversation c1 --follow {}", shared.display());
    let ran = sandbox.run(&call).exits(0);
    assert!(ran.stdout.contains("\nUse tabs.\n"), "{}", ran.stdout);
}

#[test]
fn a_turn_that_asks_for_something_else_is_told() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation c1 --model one").exits(0);
    sandbox.run("preface build --conversation c1 --model two").exits(0).prints(BARE).says(&format!(
        "{KEPT}warning: the prompt was built for the model `one` and is not built again; this turn has `two` [conversation/options] (`-v` shows details)\nhelp: a compaction or a refresh builds it for the new one\n"
    ));
    sandbox.run("preface build --conversation c1 --model one").exits(0).says(KEPT);
}

#[test]
fn a_refresh_takes_what_a_turn_may_not_change() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface build --conversation c1 --tools read").exits(0);
    let ran = sandbox.run("preface build --conversation c1 --tools read,bash").exits(0);
    assert!(ran.stderr.contains("a compaction or a refresh builds it"), "{}", ran.stderr);
    let ran =
        sandbox.run("preface conversation refresh c1 --tools read,bash --now 2026-03-07T14:55:05Z").exits(0);
    assert!(ran.stderr.contains("`c1` is at revision 2 now."), "{}", ran.stderr);
    let kept = |revision| KEPT.replace("revision 1", revision);
    sandbox.run("preface build --conversation c1 --tools read,bash").exits(0).says(&kept("revision 2"));
    let ran =
        sandbox.run("preface conversation refresh c1 --budget 4000 --now 2026-03-07T14:55:05Z").exits(0);
    assert!(ran.stderr.contains("`c1` is at revision 3 now."), "{}", ran.stderr);
    sandbox
        .run("preface build --conversation c1 --tools read,bash --budget 4000")
        .exits(0)
        .says(&kept("revision 3"));
}

#[test]
fn explain_and_the_document_are_about_what_is_kept() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("preface explain --conversation c1").exits(0).says("");
    assert!(ran.stdout.starts_with("small: 2 parts"), "nothing is kept: {}", ran.stdout);
    let first = sandbox.run("preface build --conversation c1 --format json").exits(0).json();
    sandbox.home(".config/preface/append.md", "Be brief.\n");
    let later = sandbox.run("preface build --conversation c1 --format json").exits(0).json();
    assert_eq!(first, later);
    let explained = sandbox.run("preface explain --conversation c1 --format json").exits(0).says(KEPT).json();
    assert_eq!(first, explained);
    sandbox.run("preface explain --conversation c1 --at 'You help'").exits(0).says(KEPT).prints(
        "\
identity bytes 0–8
 ——▶ `section.identity.text` of the profile `small`
     You help
",
    );
    let ran = sandbox.run("preface diff conversation:c1 . --set order=main").exits(0);
    let heads: Vec<&str> = ran.stdout.lines().take(2).collect();
    assert_eq!(
        heads,
        ["--- c1 (revision 1)  7 tokens, 28 bytes", "+++ small (this build)  10 tokens, 39 bytes"]
    );
}

#[test]
fn what_a_kept_prompt_has_no_answer_to_is_refused() {
    let sandbox = Sandbox::new();
    for flag in ["--prompt hello", "--save-snapshot snapshot.json"] {
        let name = flag.split(' ').next().unwrap_or_default();
        sandbox.run(&format!("preface build --conversation c1 {flag}")).exits(2).prints("").says(&format!(
            "\
error: `{name}` needs a new build, and `--conversation` prints the stored prompt
help: `--no-store` builds now, with the id as a variable
"
        ));
        sandbox.run(&format!("preface build --conversation c1 --no-store {flag}")).exits(0).prints(BARE);
    }
    sandbox
        .run("preface conversation list")
        .exits(0)
        .prints("No prompt is stored. `preface build --conversation ID` stores one.\n");
}

#[test]
fn a_request_has_the_kept_prompt_and_the_tools_and_messages_of_this_turn() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(BARE);
    sandbox
        .home(".config/preface/append.md", "Be brief.\n")
        .work("chat.jsonl", "{\"role\":\"user\",\"content\":\"Hello\",\"timestamp\":1}\n");
    let request = sandbox
        .run("preface build --conversation c1 --format request --messages chat.jsonl --tools read")
        .exits(0)
        .says(KEPT)
        .json();
    assert_eq!(request["system"], BARE);
    assert_eq!(request["messages"][0]["content"], "Hello");
    assert_eq!(request["tools"][0]["name"], "read");
}

#[test]
fn what_is_held_is_kept_held_and_a_refused_build_keeps_nothing() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface build --conversation c1 --trust require").exits(3).prints("");
    sandbox.run("preface conversation show c1").exits(1);
    sandbox.run("preface build --conversation c1").exits(0).prints(BARE).says(
        "\
stored: for later turns of `c1` (revision 1)
warning: AGENTS.md is not trusted and was left out (`-v` shows details)
help: review what is new, then trust it: `preface trust grant`, or `--trust once` for this call
",
    );
    sandbox.run("preface trust grant").exits(0);
    let pins = sandbox.run("preface trust export").exits(0).stdout;
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(BARE);
    sandbox.run("preface trust revoke").exits(0);
    sandbox.work("pins.json", pins);
    sandbox
        .run("preface build --conversation c2 -q --trust require --trust-pins pins.json")
        .exits(0)
        .prints("You help.\n\n## AGENTS.md\n\nUse tabs.\n\nIt is 2026-03-07.");
}

#[test]
fn an_id_is_data() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build --conversation '../../etc/x y' -q").exits(0).prints(BARE);
    sandbox
        .run("preface build --conversation 'a\u{202e}b'")
        .exits(0)
        .says("stored: for later turns of `a\\u{202e}b` (revision 1)\n");
    let long = "x".repeat(256);
    sandbox.run(&format!("preface build --conversation {long}")).exits(2).prints("");
    sandbox.run(&format!("preface build --conversation {long} --no-store")).exits(0).prints(BARE);
}

#[test]
fn advice_about_a_stored_prompt_is_about_its_directory_and_preset() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/system.md", "").work("one/.stud/system.md", "Use tabs.\n").work("two/file", "");
    sandbox.run("preface trust grant --preset stud -C one").exits(0);
    sandbox.run("preface build --preset stud -C one --conversation c1 -q").exits(0).prints("Use tabs.\n");
    sandbox.work("one/.stud/system.md", "Use spaces.\n");
    let ran = sandbox.run("preface build -C two --conversation c1 -v").exits(0).prints("Use spaces.\n");
    let said = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("accept the new state: `preface trust grant -C [ROOT]/work/one --preset stud`"),
        "{said}"
    );
}

#[test]
fn a_stored_prompt_follows_the_trust_in_its_texts() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    let prompt = "You help.\n\n## AGENTS.md\n\nUse tabs.\n\nIt is 2026-03-07.";
    sandbox.run("preface build --conversation c1 -q").exits(0).prints(prompt);
    sandbox.work("AGENTS.md", "Use blanks.\n");
    sandbox.run("preface build --conversation c1 --trust require -q").exits(0).prints(prompt);
    let refused = "\
error: the stored prompt of `c1` has text that is not trusted: AGENTS.md
help: trust the text again, or build the prompt without it: `preface conversation refresh c1`
";
    let denied = "\
error: the stored prompt of `c1` has text that is not trusted: AGENTS.md
help: trust the text again, or build the prompt without it:
      `preface conversation refresh c1 --trust deny`
";
    sandbox.run("preface build --conversation c1 --trust deny").exits(3).prints("").says(denied);
    sandbox.run("preface trust revoke").exits(0);
    for (trust, said) in [("", refused), ("--trust deny", denied), ("--trust require", refused)] {
        sandbox
            .run(&format!("preface exec claude --conversation c1 --dry-run {trust}"))
            .exits(3)
            .prints("")
            .says(said);
        sandbox.run(&format!("preface build --conversation c1 {trust}")).exits(3).prints("").says(said);
    }
    sandbox.run("preface conversation refresh c1 -q --now 2026-03-07T15:00:00Z").exits(0);
    sandbox.run("preface build --conversation c1 --trust require -q").exits(0).prints(BARE);
}

#[test]
fn a_stored_prompt_of_stud_is_built_before_each_turn() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/system.md", "Mine.\n").work(".stud/system.md", "Theirs.\n");
    sandbox.run("preface trust grant --preset stud").exits(0);
    let build = "preface build --preset stud --conversation c1 -q";
    sandbox.run(build).exits(0).prints("Mine.\n\nTheirs.\n");
    sandbox.work(".stud/system.md", "Edited.\n");
    sandbox.run(build).exits(0).prints("Mine.\n\nEdited.\n");
    sandbox.run(&format!("{build} --trust deny")).exits(0).prints("Mine.\n");
    sandbox.run("preface trust revoke --preset stud").exits(0);
    sandbox.run(build).exits(0).prints("Mine.\n");
    sandbox.run(&format!("{build} --trust require")).exits(3).prints("");
}

#[test]
fn each_turn_of_a_conversation_is_logged() {
    let sandbox = Sandbox::empty();
    let logger = r#"{"id": "l", "category": "loggers", "contractVersion": "1.0.0",
        "requiredCoreVersion": ">=1.0.0", "path": "l.jsonl"}"#;
    sandbox.home(".config/preface/extensions/loggers/l/manifest.json", logger);
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let contributions = || {
        let log = std::fs::read_to_string(sandbox.path("home/.config/preface/l.jsonl")).expect("a log");
        log.lines().filter(|line| line.contains("ContextContributionMade") && line.contains("\"c1\"")).count()
    };
    let build = "preface build --preset default --trust once --conversation c1 -q";
    sandbox.run(build).exits(0);
    let each = contributions();
    assert!(each > 0);
    sandbox.run(build).exits(0);
    assert_eq!(contributions(), 2 * each);
    sandbox.run("preface explain --conversation c1").exits(0);
    sandbox.run("preface conversation refresh c1 --dry-run -q").exits(0);
    assert_eq!(contributions(), 2 * each, "looking is no turn");
}

#[test]
fn other_tools_settings_and_limits_of_a_later_turn_are_told() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface build --preset pi --conversation k").exits(0);
    let ran = sandbox
        .run("preface build --preset pi --conversation k --tools read --budget 9 --set date=false -v")
        .exits(0);
    let told = ran.stderr.replace('\n', " ");
    for code in ["[conversation/tools]", "[conversation/options]", "[conversation/options]"] {
        assert!(told.contains(code), "{code}: {}", ran.stderr);
    }
    assert!(
        told.contains("other tools (`read`) than the prompt (`bash`, `edit`, `read`, `write`)"),
        "{told}"
    );
    let ran = sandbox.run("preface build --preset pi --conversation k --tools write,read,bash,edit").exits(0);
    assert!(!ran.stderr.contains("warning"), "{}", ran.stderr);
}

#[test]
fn tools_that_one_of_two_turns_does_not_name_are_reported() {
    let sandbox = Sandbox::empty();
    let build = |preset: &str, id: &str, more: &str| {
        let ran =
            sandbox.run(&format!("preface build --preset {preset} --conversation {id} {more} -v")).exits(0);
        ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for preset in ["default", "pi"] {
        build(preset, &format!("{preset}-a"), "--tools read,bash");
        let told = build(preset, &format!("{preset}-a"), "");
        let expected = "warning: this turn names no tools, and the prompt was built for `bash`, `read`; the stored prompt stays as it was built [conversation/tools]";
        assert!(told.contains(expected), "{told}");
        let told = build(preset, &format!("{preset}-a"), "--tools bash,read");
        assert!(!told.contains("conversation/tools"), "{told}");
        build(preset, &format!("{preset}-b"), "");
        let told = build(preset, &format!("{preset}-b"), "");
        assert!(!told.contains("conversation/tools"), "{told}");
        let told = build(preset, &format!("{preset}-b"), "--tools read");
        assert!(told.contains("warning: this turn has other tools (`read`) than the prompt ("), "{told}");
    }
    // A prompt without a list of tools is right for all of them.
    sandbox.home(".sf/agent/SYSTEM.md", "Be brief.\n");
    build("pi", "c", "--tools read,bash");
    let told = build("pi", "c", "--tools read");
    assert!(!told.contains("conversation/tools"), "{told}");
}

#[test]
fn a_turn_that_builds_again_says_what_it_is_built_for() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/system.md", "G\n").work("a/.stud/system.md", "A\n").work("b/.stud/system.md", "B\n");
    sandbox.run("preface trust grant --preset stud -C a").exits(0);
    sandbox.run("preface build --preset stud --conversation d -C a").exits(0).prints("G\n\nA\n");
    sandbox.work("a/.stud/system.md", "A2\n");
    let ran =
        sandbox.run("preface build --preset stud --conversation d -C b -v").exits(0).prints("G\n\nA2\n");
    assert!(ran.stderr.contains("[conversation/options]"), "{}", ran.stderr);
    std::fs::rename(sandbox.path("work/a"), sandbox.path("work/gone")).expect("it can be moved");
    let ran = sandbox.run("preface build --preset stud --conversation d -C b").exits(2);
    assert!(ran.stderr.contains("a refresh with another directory moves the conversation"), "{}", ran.stderr);
}
