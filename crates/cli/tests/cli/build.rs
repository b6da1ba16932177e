//! `preface build`

use crate::sandbox::{BARE, Sandbox};
use std::{fs, path::PathBuf};

#[test]
fn the_prompt_is_exactly_what_stdout_gets() {
    Sandbox::new().run("preface build").exits(0).prints(BARE).says("");
}

#[test]
fn text_that_is_not_trusted_is_held_and_told_in_one_line() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let untrusted = "warning: AGENTS.md is not trusted and was left out (`-v` shows details)\nhelp: review what is new, then trust it: `preface trust grant`, or `--trust once` for this call\n";
    sandbox.run("preface build").exits(0).prints(BARE).says(untrusted);
    sandbox.run("preface build -q").exits(0).prints(BARE).says("");
    sandbox.run("preface build -v").exits(0).prints(BARE).says(
        "\
warning: AGENTS.md (10 bytes) was left out: it is not trusted [trust/untrusted]
 ——▶ AGENTS.md   (project layer)
help: look at it, then trust it: `preface trust grant`, or `--trust once` for this call
",
    );
}

#[test]
fn trust_can_be_given_or_refused_for_one_call() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let spoken = "You help.\n\n## AGENTS.md\n\nUse tabs.\n\nIt is 2026-03-07.";
    sandbox.run("preface build --trust once").exits(0).prints(spoken).says("");
    sandbox.run("preface build").exits(0).prints(BARE);
    sandbox.run("preface trust grant").exits(0);
    sandbox.run("preface build").exits(0).prints(spoken).says("");
    sandbox.run("preface build --trust deny -q").exits(0).prints(BARE);
}

#[test]
fn required_trust_that_is_missing_is_exit_3_and_no_prompt() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface build --trust require").exits(3).prints("").says(
        "\
error: not trusted: AGENTS.md (new)
help: review the files, then trust them: `preface trust grant`
",
    );
    let ran = sandbox.run("preface build --trust require --format json").exits(3).prints("");
    let said: serde_json::Value = serde_json::from_str(&ran.stderr).expect("one JSON object");
    assert_eq!(said["error"]["class"], "Validation");
    assert_eq!(said["error"]["code"], "HeadlessTrustRequired");
    assert_eq!(said["error"]["context"]["sources"][0], "AGENTS.md");
    sandbox.run("preface trust grant").exits(0);
    sandbox.run("preface build --trust require").exits(0);
}

#[test]
fn pins_that_the_caller_gives_count() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    let pins = sandbox.run("preface trust export").exits(0).stdout;
    let other = Sandbox::new();
    other.work("AGENTS.md", "Use tabs.\n").home("pins.json", pins);
    other.run("preface build --trust require --trust-pins [ROOT]/home/pins.json").exits(0);
    other.work("AGENTS.md", "Use spaces.\n");
    other.run("preface build --trust require --trust-pins [ROOT]/home/pins.json").exits(3);
    fs::remove_file(other.path("work/AGENTS.md")).expect("it was there");
    let required = "preface build --trust require --trust-pins [ROOT]/home/pins.json";
    assert!(other.run(required).exits(3).prints("").stderr.contains("not trusted: AGENTS.md (missing)"));
    let status = "preface trust status --trust-pins [ROOT]/home/pins.json";
    let shown = other.run(status).exits(0).stdout;
    assert!(shown.contains("missing") && shown.contains("AGENTS.md"), "{shown}");
    let document = other.run(&format!("{status} --format json")).exits(0).json();
    let lost = serde_json::json!([{"path": "AGENTS.md", "state": "missing"}]);
    assert_eq!((&document["lost"], &document["left_out"]), (&lost, &true.into()));
    other.work("AGENTS.md", "a".repeat((4 << 20) + 1));
    assert!(other.run(required).exits(3).prints("").stderr.contains("not trusted: AGENTS.md (too large)"));
    {
        fs::remove_file(other.path("work/AGENTS.md")).expect("it was there");
        other.work("other.md", "Use tabs.\n");
        std::os::unix::fs::symlink("other.md", other.path("work/AGENTS.md")).expect("a link");
        assert!(other.run(required).exits(3).prints("").stderr.contains("AGENTS.md (now a link)"));
    }
    other
        .run("preface build --trust-pins nowhere.json")
        .exits(1)
        .says("error: cannot read `nowhere.json`: not found\nhelp: check the path; it is relative to the current directory\n");
}

#[test]
fn a_world_gives_the_same_bytes_again_without_the_machine() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let first = sandbox.run("preface build --trust once --save-snapshot snapshot.json").exits(0).says("");
    fs::remove_file(sandbox.path("work/AGENTS.md")).expect("it was there");
    fs::remove_dir_all(sandbox.path("home/.config")).expect("it was there");
    sandbox.run("preface build --snapshot snapshot.json").exits(0).prints(&first.stdout).says("");
    let again = sandbox.run("preface build --snapshot snapshot.json --format json").exits(0).json();
    assert_eq!(again["text"], *first.stdout);
    for line in [
        "preface build --snapshot snapshot.json --model x",
        "preface build --snapshot snapshot.json -C..",
        "preface explain --snapshot snapshot.json -C..",
    ] {
        let ran = sandbox.run(line).exits(2).prints("");
        let refused = "error: the argument '--snapshot <FILE>' cannot be used with";
        assert!(ran.stderr.starts_with(refused), "{}", ran.stderr);
    }
}

#[test]
fn a_world_that_is_none_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.work("snapshot.json", "{}");
    let ran = sandbox.run("preface build --snapshot snapshot.json").exits(1).prints("");
    assert!(
        ran.stderr.starts_with("error: invalid snapshot: `snapshot.json`: missing field"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_document_explains_every_byte() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let document = sandbox.run("preface build --trust once --format json").exits(0).json();
    assert_eq!(document["preset"], "small");
    assert_eq!(document["parts"][1]["section"], "context");
    assert_eq!(document["parts"][1]["provider"], "instructions");
    assert_eq!(document["tokens"]["exact"], false);
    let spans =
        document["parts"].as_array().into_iter().flatten().flat_map(|part| part["spans"].as_array().cloned());
    let mut at = 0;
    for span in spans.flatten() {
        assert_eq!(span["range"][0], at);
        at = span["range"][1].as_u64().expect("a number");
    }
    assert_eq!(document["text"].as_str().map(str::len), usize::try_from(at).ok());
}

#[test]
fn over_the_budget_something_is_cut_and_what_must_stay_is_exit_5() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/append.md", "Be brief. ".repeat(40));
    let ran = sandbox.run("preface build --budget 40").exits(0);
    assert_eq!(
        ran.stderr,
        "warning: section `rules` lost 72 of 100 tokens; section `today` (5 tokens) was left out: the budget is 40 \
         (`-v` shows details)\n\
         help: raise the budget (set by the call), or shorten the text; see where: `preface explain --budget 40`\n",
        "{}",
        ran.stdout
    );
    sandbox.run("preface build --budget 2").exits(5).prints("").says(
        "error: system prompt 3 tokens exceeds budget 2\nhelp: `identity` needs 3; raise the budget (set by the call), or shorten it\n",
    );
}

#[test]
fn settings_and_facts_can_be_given_for_one_call() {
    let sandbox = Sandbox::new();
    sandbox
        .run(
            "preface build --set 'systemPrompt.append=Answer in English.' --variable system:local_date=today=now",
        )
        .exits(0)
        .prints("You help.\n\nIt is today=now.\n\nAnswer in English.");
    sandbox.run("preface build --variable system:local_date").exits(0).prints("You help.\n\nIt is .");
}

#[test]
fn a_profile_that_is_broken_is_shown_where_it_breaks() {
    let sandbox = Sandbox::new();
    sandbox.work("mine.toml", "name = \"mine\"\narange = \"listed\"\n");
    sandbox.run("preface build --profile mine.toml").exits(1).prints("").says(
        "\
error: unknown key: `arange`
 ——▶ [ROOT]/work/mine.toml:2:1
  │
2 │ arange = \"listed\"
  │ ^^^^^^
help: did you mean `arrange`?
",
    );
}

#[test]
fn a_template_that_is_too_deep_is_shown_where_it_gets_too_deep() {
    let sandbox = Sandbox::new();
    sandbox
        .home(".config/preface/append.md", "Hi.\n[if tool:b][if tool:b][if tool:b]x[endif][endif][endif]\n");
    sandbox.run("preface build --set template.maxDepth=2").exits(1).prints("").says(
        "\
error: blocks are nested more than 2 deep
 ——▶ ~/.config/preface/append.md:2:23   (global layer)
  │
2 │ [if tool:b][if tool:b][if tool:b]x[endif][endif][endif]
  │                       ^^^^^^^^^^^
help: make the template smaller, or lift the limit `template.maxDepth`:
      `preface config set template.maxDepth 0`, or `--set template.maxDepth=0` for this call
",
    );
}

#[test]
fn settings_that_are_wrong_are_a_note_with_a_place() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/settings.json", "{\n  \"preset\": \"small\",\n  \"budgte\": {}\n}\n");
    let ran = sandbox.run("preface build -v").exits(0).prints(BARE);
    assert!(
        ran.stderr.contains(" ——▶ ~/.config/preface/settings.json:3:3   (global layer)\n"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("\n3 │   \"budgte\": {}\n  │   ^^^^^^^^\n"), "{}", ran.stderr);
    assert!(ran.stderr.contains("help: did you mean `budget`?"), "{}", ran.stderr);
}

#[test]
fn a_system_file_of_any_size_is_cut_to_its_ceiling() {
    let sandbox = Sandbox::empty();
    for (bytes, last) in [
        (262_144, "…[truncated 61449 of 65536 tokens]"),
        (262_145, "…[truncated 61450 of 65537 tokens]"),
        (5_000_000, "…[truncated 1245914 of 1250000 tokens]"),
    ] {
        sandbox.home(".stud/system.md", "y".repeat(bytes));
        let ran = sandbox.run("preface build --preset stud").exits(0);
        assert!(ran.stdout.ends_with(last), "{bytes}: {:?}", &ran.stdout[ran.stdout.len() - 60..]);
        assert!(ran.stdout.len() <= 16_384, "{bytes}: {}", ran.stdout.len());
        assert!(ran.stderr.contains("section `system` lost "), "{}", ran.stderr);
    }
    // The limit of what is read lies in the middle of a character.
    sandbox.home(".stud/system.md", format!("a{}", "\u{e9}".repeat(200_000)));
    let ran = sandbox.run("preface build --preset stud -v").exits(0);
    assert!(!ran.stderr.contains("UTF-8"), "{}", ran.stderr);
    assert!(ran.stdout.ends_with(" of 100001 tokens]"), "{:?}", ran.stdout.lines().last());
}

#[test]
fn the_first_file_comes_with_a_build_and_is_reported() {
    let sandbox = Sandbox::empty();
    for command in [
        "explain",
        "lint",
        "list",
        "doctor",
        "trust status",
        "trust list",
        "list variables",
        "list agents",
        "diff",
    ] {
        let _ = sandbox.run(&format!("preface {command} --preset stud"));
        assert!(!sandbox.path("home/.stud").exists(), "{command} only looks");
    }
    for command in ["template show", "template list", "conversation list"] {
        sandbox.run(&format!("preface {command}")).exits(0);
        assert!(!sandbox.path("home/.stud").exists(), "{command} only looks");
    }
    sandbox
        .run("preface build --preset stud")
        .exits(0)
        .says("info: [ROOT]/home/.stud/system.md was created (742 bytes) (`-v` shows details)\n");
    sandbox.run("preface build --preset stud").exits(0).says("");
}

#[test]
fn a_part_that_goes_into_a_message_is_reported() {
    let sandbox = Sandbox::empty();
    sandbox.work("CLAUDE.md", "Rule.\n");
    let place = "preface build --preset claude-code --set claudeMd.place=user";
    let told = "`claude-md` is sent in a user message: `--format request` and `--format json` include it\n";
    let ran = sandbox.run(place).exits(0).says(told);
    assert!(!ran.stdout.contains("Rule."));
    sandbox.run(&format!("{place} -q")).exits(0).says("");
    sandbox.run(&format!("{place} --format request")).exits(0).says("");
}

#[test]
fn a_budget_below_zero_is_a_bad_value() {
    let ran = Sandbox::empty().run("preface build --budget -1").exits(2);
    assert!(ran.stderr.contains("--budget") && !ran.stderr.contains("unknown argument"), "{}", ran.stderr);
}

#[test]
fn the_line_after_a_build_names_a_file_that_a_budget_took_before_other_parts() {
    let sandbox = Sandbox::empty();
    sandbox.work("CLAUDE.md", "Always run make check.\n".repeat(100));
    let build = "preface build --preset claude-code --set budget.onOver=cut --budget";
    let ran = sandbox.run(&format!("{build} 1200")).exits(0);
    let starts = "warning: section `claude-md` (823 tokens of CLAUDE.md) was left out; ";
    assert!(ran.stderr.starts_with(starts), "{}", ran.stderr);
    assert!(ran.stderr.contains(" more parts lost text: the budget is 1200"), "{}", ran.stderr);
    assert!(!ran.stdout.contains("# Instructions from the user"), "{}", ran.stdout);
}

#[test]
fn the_line_after_a_build_names_the_files_of_what_it_reports() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/system.md", "").home(".stud/settings.json", "{");
    let ran = sandbox.run("preface build --preset stud").exits(0);
    assert_eq!(
        ran.stderr,
        "error: unterminated object; this file is left out [settings/shape-invalid]\n \
         ——▶ ~/.stud/settings.json:1:1   (global layer)\n  │\n1 │ {\n  │ ^\n"
    );
    sandbox.work(".stud/system.md", "Use tabs.\n");
    let ran = sandbox.run("preface build --preset stud").exits(0);
    assert!(
        ran.stderr.starts_with(
            "error: unterminated object; this file is left out [settings/shape-invalid]\n ——▶ ~/"
        ),
        "{}",
        ran.stderr
    );
    let sandbox = Sandbox::empty();
    sandbox.work(".sf/SYSTEM.md/file", "").work(".sf/APPEND_SYSTEM.md/file", "");
    let ran = sandbox.run("preface build --preset pi").exits(0);
    for file in [".sf/APPEND_SYSTEM.md", ".sf/SYSTEM.md"] {
        assert!(ran.stderr.contains(&format!("\n ——▶ {file}")), "{}", ran.stderr);
    }
}

#[test]
fn a_locked_build_names_what_changed() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let build = "preface build --trust once --tools read";
    let prompt = sandbox.run(&format!("{build} --lock prompt.lock")).exits(0).stdout;
    let lock = fs::read_to_string(sandbox.path("work/prompt.lock")).unwrap();
    assert!(!lock.contains("Use tabs"), "{lock}");
    sandbox.run(&format!("{build} --locked prompt.lock --now 2027-01-01T00:00:00Z -q")).exits(0);
    sandbox.run(&format!("{build} --locked prompt.lock")).exits(0).prints(&prompt);
    sandbox.work("AGENTS.md", "Use blanks.\n").work("CLAUDE.md", "And so on.\n");
    let ran =
        sandbox.run("preface build --trust once --tools read,bash --locked prompt.lock").exits(6).prints("");
    let error = ran.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in
        ["CLAUDE.md is new", "AGENTS.md changed", "tool bash is new", "preface build --lock prompt.lock"]
    {
        assert!(error.contains(words), "{words}: {error}");
    }
    sandbox.work("prompt.lock", lock.replace("AGENTS.md", "OTHERS.md"));
    let ran = sandbox.run(&format!("{build} --locked prompt.lock")).exits(1).prints("");
    assert!(ran.stderr.contains("`root` is not the digest of the rest"), "{}", ran.stderr);
}

#[test]
fn output_goes_to_a_file_that_is_replaced_only_if_it_differs() {
    let sandbox = Sandbox::new();
    let modified = || fs::metadata(sandbox.path("work/p.md")).and_then(|it| it.modified()).expect("a time");
    sandbox.run("preface build --output p.md").exits(0).prints("").says("");
    assert_eq!(fs::read_to_string(sandbox.path("work/p.md")).expect("it was written"), BARE);
    let early = std::time::SystemTime::UNIX_EPOCH;
    let file = fs::File::options().write(true).open(sandbox.path("work/p.md")).expect("a file");
    file.set_modified(early).expect("its time is set");
    sandbox.run("preface build -o p.md").exits(0).prints("").says("");
    assert_eq!(modified(), early, "the same bytes are not written again");
    sandbox.run("preface build -o p.md --now 2026-03-08T00:00:00Z").exits(0).prints("");
    assert_ne!(modified(), early);
    assert!(
        fs::read_to_string(sandbox.path("work/p.md")).expect("a file").ends_with("It is 2026-03-08."),
        "other bytes are written"
    );
    sandbox.run("preface build -o -").exits(0).prints(BARE);
    sandbox.run("preface build -o /dev/stdout").exits(0).prints(BARE);
    sandbox.run("preface build --lock l.json -o /dev/null").exits(0).prints("").says("");
    assert!(sandbox.path("work/l.json").exists());
    for format in ["json", "request", "anthropic", "sections"] {
        let printed = sandbox.run(&format!("preface build -q --format {format}")).exits(0).stdout;
        sandbox.run(&format!("preface build -q --format {format} -o out.json")).exits(0).prints("");
        let written = fs::read_to_string(sandbox.path("work/out.json")).expect("a file");
        let root = sandbox.path("").display().to_string();
        assert_eq!(written.replace(root.trim_end_matches('/'), "[ROOT]"), printed, "{format}");
    }
}

#[test]
fn output_without_a_place_is_an_error_with_a_remedy() {
    let sandbox = Sandbox::new();
    sandbox.run("preface build -o none/p.md").exits(1).prints("").says(
        "error: cannot write `none/p.md`: its directory does not exist\nhelp: create the directory first (`mkdir -p`)\n",
    );
    fs::create_dir(sandbox.path("work/dir")).expect("a directory");
    sandbox
        .run("preface build -o dir")
        .exits(1)
        .prints("")
        .says("error: cannot write `dir`: not a regular file\nhelp: name a file\n");
    sandbox.work("p.lock", "{}").work("p.md", "old");
    assert_ne!(sandbox.run("preface build --locked p.lock -o p.md").code(), Some(0));
    assert_eq!(fs::read_to_string(sandbox.path("work/p.md")).expect("a file"), "old");
}

#[test]
fn output_keeps_permissions_and_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let sandbox = Sandbox::new();
    let mode = |path: &str| fs::metadata(sandbox.path(path)).expect("a file").permissions().mode() & 0o777;
    sandbox.run("preface build -o new.md").exits(0);
    assert_eq!(mode("work/new.md"), 0o600);
    sandbox.work("old.md", "old").work("sub/real.md", "old").home("real.md", "old");
    fs::set_permissions(sandbox.path("work/old.md"), fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("sub/real.md", sandbox.path("work/link.md")).expect("a link");
    sandbox.run("preface build -o old.md").exits(0);
    assert_eq!(mode("work/old.md"), 0o640);
    sandbox.run("preface build -o link.md").exits(0);
    assert_eq!(
        fs::read_link(sandbox.path("work/link.md")).expect("still a link"),
        PathBuf::from("sub/real.md")
    );
    assert_eq!(fs::read_to_string(sandbox.path("work/sub/real.md")).expect("a file"), BARE);
    symlink(sandbox.path("home/real.md"), sandbox.path("work/out.md")).expect("a link");
    symlink(sandbox.path("home"), sandbox.path("work/away")).expect("a link");
    symlink(sandbox.path("home/new.md"), sandbox.path("work/dangling.md")).expect("a link");
    for flag in ["--output", "--lock", "--save-snapshot"] {
        for file in ["out.md", "away/new.md", "dangling.md"] {
            sandbox.run(&format!("preface build -q {flag} {file}")).exits(1).says(&format!(
                "error: cannot write `{file}`: a link in it leads out of the project\n\
                 help: name the file that the link leads to, or delete the link\n"
            ));
        }
    }
    assert_eq!(fs::read_to_string(sandbox.path("home/real.md")).expect("a file"), "old");
    assert!(!sandbox.path("home/new.md").exists());
}

#[test]
fn sections_are_the_parts_with_the_shared_ones_in_front() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/profiles/small.toml",
        "name = \"small\"\nhome = { global = [\"config:preface\"] }\n[orders]\nmain = [\"one\", \"today\", \"late\"]\n[section.one]\ntext = \"You help.\"\n\
         [section.today]\nlanguage = \"template\"\ntext = \"It is [system:local_date].\"\n[section.late]\ntext = \"Be brief.\"\n",
    );
    let text = sandbox.run("preface build").exits(0).stdout;
    let ran = sandbox.run("preface build --format sections").exits(0).says("");
    let sections: serde_json::Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let field = |key: &str| -> Vec<String> {
        let sections = sections.as_array().expect("an array");
        sections.iter().map(|section| section[key].as_str().expect("a string").to_owned()).collect()
    };
    assert_eq!(field("id"), ["one", "today", "late"]);
    assert_eq!(
        field("scope"),
        ["shared", "session", "session"],
        "a static part behind another is not shared"
    );
    assert_eq!(field("text").concat(), text);
}

#[test]
fn the_help_of_a_link_out_of_the_project_names_the_flag() {
    let sandbox = Sandbox::new();
    sandbox.home("rules.md", "Use tabs.\n");
    std::os::unix::fs::symlink(sandbox.path("home/rules.md"), sandbox.path("work/AGENTS.md"))
        .expect("a link");
    let ran = sandbox.run("preface build --trust once -v").exits(0);
    let said: Vec<&str> = ran.stderr.split_whitespace().collect();
    assert!(said.join(" ").contains("or allow the link: `--follow "), "{}", ran.stderr);
}

#[test]
fn a_locked_build_names_a_file_that_is_not_trusted_any_more() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    sandbox.run("preface build -q --lock prompt.lock").exits(0);
    sandbox.work("AGENTS.md", "Use taps.\n");
    let error = sandbox.run("preface build -q --locked prompt.lock").exits(6).prints("").stderr;
    let error = error.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(error.contains("AGENTS.md is not trusted any more (it changed since you trusted it)"), "{error}");
    let help = "help: review what is new, then trust it: `preface trust grant`";
    assert!(error.contains(help), "{error}");
    fs::remove_file(sandbox.path("work/AGENTS.md")).expect("removed");
    let error = sandbox.run("preface build -q --locked prompt.lock").exits(6).prints("").stderr;
    assert!(error.contains("AGENTS.md is gone"), "{error}");
}
