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
     1         bundled      bundled: join
     1         global       ~/.config/preface/append.md:1
     1         variable     [system:os]
     8  42.1%  static     context
     1         bundled      bundled: join
     1         profile      small.toml: item
     2         variable     [item:path]
     4         project      AGENTS.md:1
                          ── static up to here: 14 tokens ──
     5  26.3%  turn       today
     1         bundled      bundled: join
     2         profile      small.toml: text
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
  ——▶ ~/.config/preface/profiles/small.toml:17:9   (`section.identity.text` of the profile `small`)
   │
17 │ text = \"You help.\"
   │         ^
",
    );
    // The separator is not in the file.
    sandbox
        .run("preface explain --at 9")
        .exits(0)
        .prints("rules bytes 9–10\n ——▶ `join`, bundled with preface\n     \\n\n");
    sandbox
        .run("preface explain --at AGENTS.md:3")
        .exits(0)
        .prints("AGENTS.md:3 is in the prompt.\n  Use tabs.\nin context, bytes 45–54\n");
    sandbox
        .run("preface explain --at ./AGENTS.md:9")
        .exits(1)
        .prints("")
        .says("error: AGENTS.md has 3 lines, and no line 9\n");
    sandbox.run("preface explain --at 'Use spaces' --format json").exits(1).prints("");
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
fn a_line_of_a_part_that_the_budget_drops_has_the_reason() {
    let sandbox = sandbox();
    let ran = sandbox.run("preface explain -q --budget 5 --at AGENTS.md:3").exits(0);
    let why =
        "warning: section `context` (9 tokens of AGENTS.md) was left out: the budget is 5 [budget/dropped]\n";
    assert!(ran.stdout.contains(why), "{}", ran.stdout);
}

#[test]
fn the_value_of_an_option_has_the_place_that_sets_it() {
    let sandbox = Sandbox::empty();
    let house = "extends = \"default\"\n\n[options]\nmode = \"fast\"\n\n[section.identity]\ntext = \"In [option:mode] mode.\"\n";
    sandbox.work("house.toml", house);
    let at = |text: &str, flags: &str| {
        sandbox.run(&format!("preface explain -q --profile house.toml --at {text} {flags}")).exits(0).stdout
    };
    assert!(
        at("fast", "").contains(" ——▶ house.toml:4:9   (the variable `option:mode`)\n"),
        "{}",
        at("fast", "")
    );
    let of_call = " ——▶ the variable `option:mode`, from this call\n";
    for (text, flags) in
        [("slow", "--set mode=slow"), ("fast", "--set mode=fast"), ("slow", "--set options.mode=slow")]
    {
        assert!(at(text, flags).contains(of_call), "{}", at(text, flags));
    }
    sandbox.home(".config/preface/settings.json", "{\n\"options\": {\"mode\": \"slow\"}}");
    let of_settings = " ——▶ the variable `option:mode`, from ~/.config/preface/settings.json:2\n";
    assert!(at("slow", "").contains(of_settings), "{}", at("slow", ""));
}

#[test]
fn a_cut_is_shown_at_its_part() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/append.md", "Be brief. ".repeat(40));
    let ran = sandbox.run("preface explain --budget 40").exits(0);
    assert!(ran.stdout.contains("    cut by the budget: 28 of 100 tokens are left\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("bundled      bundled: join, cut.marker\n"), "{}", ran.stdout);
    sandbox
        .run("preface explain --budget 40 -q --at [truncated")
        .exits(0)
        .prints("rules bytes 127–137\n ——▶ `cut.marker`, bundled with preface\n     [truncated\n");
}

#[test]
fn a_text_of_an_overlay_or_of_the_caller_is_named_as_such() {
    let sandbox = Sandbox::new();
    sandbox.work(
        "house.toml",
        "extends = \"small\"\n[options]\ntone = \"\"\n[variables.\"option:tone\"]\n[variants.formal]\nwhen = [\"option:tone = formal\"]\n[variants.formal.section.identity]\ntext = \"Good day.\"\n",
    );
    let explain = |rest: &str| sandbox.run(&format!("preface explain --profile house.toml {rest}")).exits(0);
    let ran = explain("--set tone=formal");
    assert!(ran.stdout.contains("  profile      house.toml, variant formal: text\n"), "{}", ran.stdout);
    explain("--set tone=formal --at Good").prints(
        "\
identity bytes 0–4
 ——▶ house.toml:8:9   (`section.identity.text` of the profile `house`, variant `formal`)
  │
8 │ text = \"Good day.\"
  │         ^^^^
",
    );
    let ran = explain("--set join=XX");
    assert!(ran.stdout.contains("  caller       --set: join\n"), "{}", ran.stdout);
    explain("--set join=XX --at XX").prints("today bytes 9–11\n ——▶ `join`, set with `--set`\n     XX\n");
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
fn an_empty_prompt_has_its_reasons() {
    Sandbox::empty()
        .run("preface explain --preset stud")
        .exits(0)
        .prints("stud: 0 parts, 0 tokens (estimate:bytes4), 0 bytes\n")
        .says(
            "\
info: ~/.stud is not there yet: a build creates system.md [scaffold/skipped]
help: create them now: `preface config init --preset stud`
",
        );
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
system   cut     cut by its ceiling: 12 of 126 tokens are left
",
    );
    sandbox.home(".stud/settings.json", r#"{"contextProviders": {"SystemPromptFile": {"enabled": false}}}"#);
    sandbox.run("preface explain --absent --preset stud --trust once -q").exits(0).prints(
        "section            reason    why
~/.stud/system.md  left out  `contextProviders.SystemPromptFile.enabled` is false
",
    );
}

#[test]
fn a_stored_prompt_names_what_was_cut_and_left_out() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/append.md", "Be brief. ".repeat(40)).work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface build -q --budget 40 --conversation c1").exits(0);
    let absent = sandbox.run("preface explain --absent -q --conversation c1").exits(0).stdout;
    let row = |first: &str| -> Vec<&str> {
        let line = absent.lines().find(|line| line.starts_with(first)).unwrap_or_default();
        line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
    };
    assert_eq!(row("rules"), ["rules", "cut", "cut by the budget: 28 of 100 tokens are left"], "{absent}");
    assert_eq!(row("AGENTS.md"), ["AGENTS.md", "left out", "it is not trusted"], "{absent}");
}

#[test]
fn a_profile_with_the_name_of_a_hook_is_a_profile() {
    let sandbox = sandbox();
    sandbox.work("mine.toml", "name = \"hooks\"\nextends = \"default\"\n[section.mine]\ntext = \"Mine.\"\n");
    let shown = sandbox.run("preface explain --trust once --profile mine.toml").exits(0).stdout;
    let source = shown.lines().find(|line| line.ends_with("hooks.toml: text")).unwrap_or_default();
    assert_eq!(source.split_whitespace().nth(1), Some("profile"), "{shown}");
}

#[test]
fn a_value_of_the_profile_has_its_line() {
    let sandbox = Sandbox::new();
    let at = |text: &str| sandbox.run(&format!("preface explain --preset pi --at '{text}'")).exits(0).stdout;
    for (text, key) in [("purpose-driven", "option:identity"), ("Read file contents", "item:line")] {
        let shown = at(text);
        let place = shown.lines().nth(1).unwrap_or_default();
        assert!(place.trim_start().starts_with("——▶ bundled/presets/pi.toml:"), "{shown}");
        assert!(place.ends_with(&format!("(the variable `{key}`)")), "{shown}");
    }
}

#[test]
fn the_origins_of_a_profile_that_extends_name_the_file_with_the_key() {
    let sandbox = sandbox();
    sandbox.work("mine.toml", "name = \"mine\"\nextends = \"default\"\n[section.mine]\ntext = \"Mine.\"\n");
    let explain = "preface explain --trust once --profile mine.toml";
    let parts = sandbox.run(explain).exits(0).stdout;
    assert!(parts.contains("default.toml: join, prefix, item\n"), "{parts}");
    assert!(parts.contains("mine.toml: text\n"), "{parts}");
    let largest = sandbox.run(&format!("{explain} --largest")).exits(0).stdout;
    let context = largest.lines().find(|line| line.contains("project-context")).unwrap_or_default();
    assert!(context.ends_with("default.toml"), "{largest}");
    let row = |text: &str| -> Vec<String> {
        text.lines().nth(3).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    assert_eq!(row(&largest)[4], "approach");
    assert!(parts.contains(&format!("{}  ", row(&largest)[0])), "{parts}");
}

#[test]
fn the_largest_parts_add_up_to_the_prompt() {
    let ran = Sandbox::new().run("preface explain --preset default --largest 99").exits(0);
    let tokens = ran.stdout.split(" tokens").next().and_then(|head| head.rsplit(' ').next());
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert_eq!(last.split_whitespace().nth(2), tokens, "{}", ran.stdout);
}

#[test]
fn a_dropped_section_is_absent_once() {
    let ran = Sandbox::new().run("preface explain --preset default --budget 700 --absent").exits(0);
    assert_eq!(ran.stdout.matches("environment").count(), 1, "{}", ran.stdout);
}

#[test]
fn a_file_that_is_not_there_has_a_suggestion() {
    sandbox().run("preface explain --at docs/AGENT.md:3").exits(1).prints("").says(
        "error: there is no file `docs/AGENT.md`\nhelp: see the files of the prompt: `preface explain`\n",
    );
    sandbox()
        .run("preface explain --at AGENT.md:3")
        .exits(1)
        .prints("")
        .says("error: there is no file `AGENT.md`\nhelp: did you mean `AGENTS.md`?\n");
}

#[test]
fn a_file_is_found_by_each_of_its_paths() {
    let sandbox = sandbox();
    let expected = "AGENTS.md:3 is in the prompt.\n  Use tabs.\nin context, bytes 45–54\n";
    for path in [sandbox.path("work/AGENTS.md").display().to_string(), "../work/AGENTS.md".to_owned()] {
        sandbox.run(&format!("preface explain --at {path}:3")).exits(0).prints(expected);
    }
    let own = sandbox.path("home/.config/preface/append.md").display().to_string();
    for path in [own.as_str(), "'~/.config/preface/append.md'"] {
        let shown = sandbox.run(&format!("preface explain --at {path}:1")).exits(0).stdout;
        assert!(shown.starts_with("~/.config/preface/append.md:1 is in the prompt"), "{shown}");
    }
}

#[test]
fn a_line_of_a_profile_is_found() {
    let sandbox = sandbox();
    let own = sandbox.path("home/.config/preface/profiles/small.toml").display().to_string();
    for path in [own.as_str(), "'~/.config/preface/profiles/small.toml'"] {
        sandbox
            .run(&format!("preface explain --at {path}:17"))
            .exits(0)
            .prints("~/.config/preface/profiles/small.toml:17 is in the prompt.\nin identity, bytes 0–9\n");
        sandbox.run(&format!("preface explain --at {path}:1")).exits(0).prints(
            "~/.config/preface/profiles/small.toml:1 is not in the prompt; other lines of its file are.\n",
        );
    }
}

#[test]
fn a_stored_prompt_has_no_lines_of_files() {
    let sandbox = sandbox();
    sandbox.run("preface build --conversation e1").exits(0);
    sandbox.run("preface explain --conversation e1 --at AGENTS.md:3").exits(1).prints("").says(
        "\
error: a stored prompt has no lines of files: `--at FILE:LINE` needs a build
help: `--at TEXT` shows the file that a text is from; `--no-store` builds now
",
    );
    let ran = sandbox.run("preface explain --conversation e1 --no-store --at AGENTS.md:3").exits(0);
    assert!(ran.stdout.starts_with("AGENTS.md:3 is in the prompt.\n"), "{}", ran.stdout);
}

#[test]
fn a_text_may_begin_with_a_hyphen() {
    let sandbox = sandbox();
    sandbox.work("AGENTS.md", "- Use tabs.\n");
    let ran = sandbox.run("preface explain --trust once -q --at '- Use tabs.'").exits(0);
    assert!(ran.stdout.contains("AGENTS.md:1:1"), "{}", ran.stdout);
    sandbox.run("preface build -q --prompt '- Fix the tests.'").exits(0);
}
