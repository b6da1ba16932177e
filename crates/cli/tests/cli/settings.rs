//! `preface config`

use crate::sandbox::{BARE, Sandbox};
use std::fs;

const FILE: &str = "home/.config/preface/settings.json";

fn file(sandbox: &Sandbox) -> String {
    fs::read_to_string(sandbox.path(FILE)).expect("it is there")
}

#[test]
fn what_is_set_can_be_got_and_unset() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config get budget.tokens").exits(1).prints("").says(
        "error: `budget.tokens` is not set\nhelp: see the settings with a value: `preface config list`\n",
    );
    sandbox
        .run("preface config set budget.tokens 9000")
        .exits(0)
        .prints("")
        .says("set budget.tokens = 9000 in ~/.config/preface/settings.json\n");
    assert_eq!(file(&sandbox), "{\n  \"budget\": {\n    \"tokens\": 9000\n  }\n}\n");
    for key in ["budget.tokens", "/budget/tokens"] {
        sandbox.run(&format!("preface config get {key}")).exits(0).prints("9000\n").says("");
    }
    sandbox.run("preface config get budget").exits(0).prints("{\n  \"tokens\": 9000\n}\n").says("");
    sandbox.run("preface config get budget --format json").exits(0).prints("{\"tokens\":9000}\n").says("");
    sandbox
        .run("preface config set budget.tokens 9000")
        .exits(0)
        .says("budget.tokens is 9000 in ~/.config/preface/settings.json already\n");
    sandbox
        .run("preface config unset budget.tokens")
        .exits(0)
        .says("unset budget.tokens in ~/.config/preface/settings.json\n");
    sandbox
        .run("preface config unset budget.tokens")
        .exits(0)
        .says("budget.tokens is not set in ~/.config/preface/settings.json\n");
    sandbox
        .run("preface config list")
        .exits(0)
        .says("")
        .prints("securityMode.mode  \"ask\"  bundled  bundled/settings.json:3\n");
    sandbox.run("preface config get securityMode.mode").exits(0).prints("ask\n").says("");
    sandbox.home(".config/preface/settings.json", r#"{"securityMode": null}"#);
    sandbox.run("preface config get securityMode").exits(0).prints("null\n").says("");
    sandbox.run("preface build -q").exits(0).says("");
}

#[test]
fn a_number_without_a_fraction_is_shown_as_an_integer() {
    let sandbox = Sandbox::empty();
    sandbox.home(".config/preface/settings.json", r#"{"budget": {"tokens": 2e5}}"#);
    sandbox.run("preface config get budget.tokens").exits(0).prints("200000\n").says("");
    sandbox.run("preface config get budget --format json").exits(0).prints("{\"tokens\":200000}\n").says("");
    sandbox
        .run("preface config set budget.tokens 3e5")
        .exits(0)
        .says("set budget.tokens = 300000 in ~/.config/preface/settings.json\n");
}

#[test]
fn a_string_is_printed_bare_and_counts_in_a_build() {
    let sandbox = Sandbox::new();
    sandbox.run("preface config set systemPrompt.append 'Be kind.'").exits(0);
    assert_eq!(
        file(&sandbox),
        "{\n  \"preset\": \"small\",\n  \"systemPrompt\": {\n    \"append\": \"Be kind.\"\n  }\n}",
    );
    sandbox.run("preface config get systemPrompt.append").exits(0).prints("Be kind.\n").says("");
    sandbox
        .run("preface config get systemPrompt.append --format json")
        .exits(0)
        .prints("\"Be kind.\"\n")
        .says("");
    sandbox.run("preface build").exits(0).prints(&format!("{BARE}\n\nBe kind.")).says("");
    sandbox.run("preface config set systemPrompt.append -- -v").exits(0);
    sandbox.run("preface config get systemPrompt.append").exits(0).prints("-v\n");
}

#[test]
fn a_file_stays_as_a_person_wrote_it() {
    let sandbox = Sandbox::empty();
    sandbox.home(
        ".config/preface/settings.json",
        "\u{feff}// mine\r\n{\r\n  \"budget\": { \"tokens\": 5 }, // small\r\n  /* x */ \"sections\": {\r\n    \"a\": { \"text\": \"t\" }, // why\r\n  },\r\n}\r\n",
    );
    sandbox.run("preface config set budget.tokens 6").exits(0);
    sandbox.run("preface config set sections.b.text u").exits(0);
    sandbox.run("preface config set preset default").exits(0);
    sandbox.run("preface config unset sections.a").exits(0);
    assert_eq!(
        file(&sandbox),
        "\u{feff}// mine\r\n{\r\n  \"budget\": { \"tokens\": 6 }, // small\r\n  /* x */ \"sections\": {\r\n    \"b\": {\r\n      \"text\": \"u\",\r\n    },\r\n  },\r\n  \"preset\": \"default\",\r\n}\r\n"
    );
}

#[test]
fn wrong_keys_and_values_are_wrong_usage() {
    let sandbox = Sandbox::empty();
    let cases = [
        ("get budget.tokns", "error: unknown setting `budget.tokns`\nhelp: did you mean `budget.tokens`?\n"),
        ("unset budgte", "error: unknown setting `budgte`\nhelp: did you mean `budget`?\n"),
        ("set budgte 5", "error: unknown setting `budgte`\nhelp: did you mean `budget`?\n"),
        (
            "get a..b",
            "error: `a..b` is not a path: a key is empty\nhelp: docs/reference/settings.md lists every setting\n",
        ),
        (
            "set budget.tokens many",
            "error: `budget.tokens` must be an integer of 0 or more, not `many`\nhelp: docs/reference/settings.md lists every setting\n",
        ),
        (
            "set budget.tokens 5 --scope project",
            "error: a project cannot set `budget.tokens`\nhelp: without `--scope project` it goes into your own settings\n",
        ),
    ];
    for (line, said) in cases {
        sandbox.run(&format!("preface config {line}")).exits(2).prints("").says(said);
    }
    assert!(!sandbox.path(FILE).exists());
}

#[test]
fn a_broken_file_is_named_with_its_line_and_left_alone() {
    let sandbox = Sandbox::empty();
    sandbox.home(".config/preface/settings.json", "{\n  \"budget\": }\n");
    for line in ["set budget.tokens 5", "unset budget.tokens"] {
        sandbox.run(&format!("preface config {line}")).exits(1).prints("").says(
            "\
error: unexpected close brace; nothing was changed
 ——▶ ~/.config/preface/settings.json:2:13   (global layer)
  │
2 │   \"budget\": }
  │             ^
help: mend the file, then check it: `preface doctor`
",
        );
    }
    assert_eq!(file(&sandbox), "{\n  \"budget\": }\n");
    fs::remove_file(sandbox.path(FILE)).expect("it was there");
    fs::create_dir(sandbox.path(FILE)).expect("a directory in its place");
    sandbox.run("preface config set budget.tokens 5").exits(1).says(
        "\
error: cannot read `~/.config/preface/settings.json`: a directory, not a file
help: move `~/.config/preface/settings.json` away; a regular file belongs there
",
    );
    Sandbox::empty().without("HOME").run("preface config set budget.tokens 5").exits(1).says(
        "\
error: there is no place for your settings: there is no home directory outside of the project
help: set PREFACE_HOME to a directory
",
    );
}

#[test]
fn who_said_what_is_told_weakest_first() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/settings.json",
        "{\n  \"preset\": \"small\",\n  \"logging\": { \"level\": \"a\" }\n}",
    );
    sandbox
        .work(".preface/settings.json", "{\n  \"logging\": { \"level\": \"b\" },\n  \"preset\": \"pi\"\n}");
    sandbox
        .run("preface config get logging.level --trust once --why --set logging.level=c")
        .exits(0)
        .says("")
        .prints(
            "\
global   \"a\"  ~/.config/preface/settings.json:3  overridden by caller
project  \"b\"  .preface/settings.json:2           overridden by caller
caller   \"c\"  --set                              used
",
        );
    let ran = sandbox.run("preface config get preset --why --trust once").exits(0);
    assert_eq!(
        ran.stdout,
        "\
global   \"small\"  ~/.config/preface/settings.json:2  used
project  \"pi\"     .preface/settings.json:3           ignored: a project cannot set it
"
    );
    let ran = sandbox.run("preface config get logging.level --why").exits(0);
    assert_eq!(
        ran.stdout,
        "\
global   \"a\"  ~/.config/preface/settings.json:3  used
project  ?    .preface/settings.json             not trusted
"
    );
    assert!(ran.stderr.contains("[trust/untrusted]"), "{}", ran.stderr);
    let json =
        sandbox.run("preface config get logging.level --why --trust once --format json").exits(0).entries();
    assert_eq!(json[0]["outcome"], "overridden");
    assert_eq!((&json[1]["by"], &json[1]["value"]), (&"project".into(), &"b".into()));
    assert_eq!(json[1]["place"]["line"], 2);
    sandbox.run("preface config get logging.level --trust require").exits(3).prints("");
}

#[test]
fn a_project_is_told_what_a_grant_is_for() {
    let sandbox = Sandbox::new();
    sandbox.run("preface config set sections.style.text 'Use tabs.' --scope project").exits(0).says(
        "\
set sections.style.text = \"Use tabs.\" in .preface/settings.json
info: .preface/settings.json is used only after you trust its present content [trust/untrusted]
help: trust it: `preface trust grant`, or `--trust once` for this call
",
    );
    sandbox.run("preface trust grant").exits(0);
    sandbox.run("preface config get sections.style.text").exits(0).prints("Use tabs.\n").says("");
    sandbox.run("preface config set sections.style.text Mine.").exits(0).says(
        "\
set sections.style.text = \"Mine.\" in ~/.config/preface/settings.json
warning: it is not used here: .preface/settings.json:4 sets `sections.style.text` to \"Use tabs.\"
         [settings/hidden]
help: see the value of each layer: `preface config get sections.style.text --why`
",
    );
    sandbox.run("preface config unset sections.style.text").exits(0).says(
        "\
unset sections.style.text in ~/.config/preface/settings.json
it is still \"Use tabs.\": set by .preface/settings.json:4
",
    );
}

#[test]
fn secrets_are_shown_to_who_asks_for_exactly_them() {
    let sandbox = Sandbox::new();
    let json =
        r#"{"preset": "small", "env": {"A": "${A}"}, "providers": {"p": {"apiKey": "sk-one", "url": "u"}}}"#;
    sandbox.home(".config/preface/settings.json", json);
    sandbox.run("preface config get providers.p.apiKey").exits(0).prints("sk-one\n").says("");
    for line in [
        "get providers",
        "get providers --format json",
        "get providers.p.apiKey --why",
        "get providers.p.apiKey --why --format json",
        "list",
        "list --format json",
    ] {
        let ran = sandbox.run(&format!("preface config {line}")).exits(0);
        assert!(ran.stdout.contains("***"), "{line}: {}", ran.stdout);
        assert!(!format!("{}{}", ran.stdout, ran.stderr).contains("sk-one"), "{line}");
    }
    let ran = sandbox.run("preface config set providers.p.apiKey sk-two").exits(0);
    assert_eq!(ran.stderr, "set providers.p.apiKey = \"***\" in ~/.config/preface/settings.json\n");
}

#[test]
fn everything_is_listed_with_who_set_it() {
    let sandbox = Sandbox::new();
    sandbox.work(".preface/settings.json", "{\n  \"logging\": { \"a.b\": [1, 2], \"c\": {} }\n}");
    sandbox.run("preface config list --trust once").exits(0).says("").prints(
        "\
securityMode.mode  \"ask\"    bundled  bundled/settings.json:3
preset             \"small\"  global   ~/.config/preface/settings.json:1
logging.\"a.b\"      [1,2]    project  .preface/settings.json:2
logging.c          {}       project  .preface/settings.json:2
",
    );
    let json = sandbox.run("preface config list --trust once --format json").exits(0).entries();
    assert_eq!(json[2]["key"], "logging.\"a.b\"");
    assert_eq!((&json[2]["value"], &json[2]["by"]), (&serde_json::json!([1, 2]), &"project".into()));
}

#[test]
fn a_first_setting_does_not_swallow_the_first_file() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface config get budget.tokens --preset stud").exits(1);
    assert!(!sandbox.path("home/.stud").exists(), "looking creates nothing");
    sandbox.run("preface config set budget.tokens 5 --preset stud").exits(0).says(
        "\
info: [ROOT]/home/.stud/system.md was created (742 bytes) [scaffold/created]
help: it is yours: edit it, or delete it; it does not come back
set budget.tokens = 5 in ~/.stud/settings.json
",
    );
    assert!(sandbox.path("home/.stud/system.md").exists());
}

#[test]
fn a_link_as_project_directory_is_written_through_after_a_grant() {
    let sandbox = Sandbox::empty();
    let far = sandbox.path("far");
    fs::create_dir(&far).expect("a directory");
    fs::create_dir_all(sandbox.path("work")).expect("a directory");
    std::os::unix::fs::symlink(&far, sandbox.path("work/.stud")).expect("a link");
    let commands = [
        "config set systemPrompt.append hi --scope project",
        "config unset systemPrompt.append --scope project",
    ];
    for command in commands {
        let ran = sandbox.run(&format!("preface {command} --preset stud")).exits(1);
        let error = "error: `.stud` is a link to `../far`, which you have not trusted\nhelp: change `../far/settings.json` itself, or trust what lies there:\n      `preface trust grant --preset stud`\n";
        assert_eq!(ran.stderr, error, "{command}");
        assert_eq!(fs::read_dir(&far).expect("a directory").count(), 0, "{command}");
    }
    sandbox.run("preface trust grant --preset stud").exits(0);
    sandbox.run(&format!("preface {} --preset stud", commands[0])).exits(0);
    assert!(fs::read_to_string(far.join("settings.json")).expect("it was written").contains("\"hi\""));
}

fn manifest(category: &str, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

#[test]
fn get_prints_what_the_resolver_uses() {
    let sandbox = Sandbox::empty();
    let schema = r#"{"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer", "minimum": 0}}}"#;
    sandbox
        .home(
            ".stud/extensions/tools/t/manifest.json",
            manifest("tools", "t", &format!(r#""description": "d", "configSchema": {schema}"#)),
        )
        .home(".stud/settings.json", r#"{"tools": {"t": {"n": 3}}}"#)
        .work(".stud/settings.json", r#"{"tools": {"t": {"n": -1}}}"#);
    sandbox.run("preface trust grant --preset stud").exits(0);
    sandbox.run("preface config get tools.t.n --preset stud").exits(0).prints("3\n").says("");
    sandbox.run("preface config get tools.t.n --why --preset stud").exits(0).says("").prints(
        "global   3   ~/.stud/settings.json:1  used\n\
         project  -1  .stud/settings.json:1    ignored: project-scope override failed validation (value is less \
         than the minimum of 0 at /n); retaining global value\n",
    );
}

#[test]
fn a_projects_provider_settings_count_once_they_are_granted() {
    let sandbox = Sandbox::empty();
    let theirs = r#"{"providers": {"op": {"model": "theirs", "apiKey": {"kind": "env", "name": "K"}}}}"#;
    sandbox
        .home(
            ".stud/extensions/providers/op/manifest.json",
            manifest("providers", "op", r#""kind": "openai", "baseUrl": "https://g.example/v1""#),
        )
        .home(".stud/settings.json", r#"{"providers": {"op": {"model": "mine"}}}"#)
        .work(".stud/settings.json", theirs);
    sandbox.run("preface trust grant --preset stud").exits(0);
    let model = "preface config get providers.op.model --preset stud";
    sandbox.run(model).exits(0).prints("mine\n");
    let ran = sandbox.run("preface list providers --preset stud").exits(0);
    assert!(
        ran.stderr.contains("the project's settings of global/op (Provider) are not used"),
        "{}",
        ran.stderr
    );

    let ran = sandbox.run("preface trust grant --allow-commands --preset stud").exits(0);
    let grant = "  providers/op\n    connects to https://g.example/v1\n    with apiKey: env:K\n    with model: theirs\n";
    assert!(ran.stdout.contains(grant) || ran.stderr.contains(grant), "{}{}", ran.stdout, ran.stderr);
    sandbox.run(model).exits(0).prints("theirs\n").says("");
    let ran = sandbox.run("preface list providers --preset stud").exits(0).says("");
    assert!(ran.stdout.contains("configured by project"), "{}", ran.stdout);

    // Another key is another grant.
    sandbox.work(".stud/settings.json", theirs.replace("\"K\"", "\"OTHER\""));
    sandbox.run(model).exits(0).prints("mine\n");
}

#[test]
fn a_bad_option_is_reported_with_its_place_and_stops_nothing() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/settings.json",
        "{\n  \"preset\": \"small\",\n  \"options\": {\"arrange\": \"nope\"}\n}",
    );
    let note = "`options.arrange` is not valid: `arrange`: unknown variant `nope`, expected one of \
                `listed`, `stability`, `priority`; the profile's own value is used";
    let ran = sandbox.run("preface build --format json").exits(0);
    let document = ran.json();
    assert_eq!(document["text"], BARE);
    let diagnostics = document["diagnostics"].as_array().expect("a list");
    let found =
        diagnostics.iter().find(|one| one["message"] == note).unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!((&found["severity"], &found["location"]["line"]), (&"error".into(), &3.into()));
    sandbox.run("preface doctor").exits(1);
    sandbox.run("preface config list").exits(0);
    sandbox.run("preface build --set arrange=nope").exits(2).prints("");
}

#[test]
fn what_the_reader_would_refuse_is_not_written() {
    let sandbox = Sandbox::empty();
    sandbox
        .run("preface config set options.variant nope --preset pi")
        .exits(2)
        .says("error: unknown variant: `nope`\nhelp: variants are `0.58`, `0.73`, `0.87`, `sf`\n");
    sandbox.run("preface config set options.docs nope --preset pi").exits(2);
    assert!(!sandbox.path("home/.sf/agent/preface.json").exists());
    sandbox.run("preface config set options.variant 0.87 --preset pi").exits(0);
    let ran = sandbox.run("preface config set options.nosuch 1 --preset pi").exits(0);
    assert!(ran.stderr.contains("the profile `pi` has no option `nosuch`"), "{}", ran.stderr);

    sandbox
        .run("preface config set securityMode.mode yolo --scope project")
        .exits(2)
        .says("error: a project cannot loosen `securityMode.mode` from `ask` to `yolo`; `ask` stays\nhelp: nothing was written\n");
    assert!(!sandbox.path("work/.preface/settings.json").exists());
    sandbox.run("preface config set securityMode.mode yolo").exits(0);
    sandbox.run("preface config set securityMode.mode allowlist --scope project").exits(0);
}

#[test]
fn why_a_setting_that_nothing_reads_does_not_count_is_told() {
    let sandbox = Sandbox::empty();
    sandbox.home(".config/preface/settings.json", r#"{"tools": {"bash": {"disabled": true}}}"#);
    let ran = sandbox.run("preface config get tools.bash.disabled --why").exits(1);
    let told = "ignored: bundled/bash (Tool) has no setting `disabled`\n";
    assert!(ran.stdout.ends_with(told), "{}", ran.stdout);
}

#[test]
fn a_section_that_does_not_exist_is_reported_when_it_is_set_and_by_doctor() {
    let sandbox = Sandbox::empty();
    let note = "names an unknown section: `aproach`";
    let ran = sandbox.run("preface config set sections.aproach.disable false").exits(0);
    assert!(ran.stderr.contains(note) && ran.stderr.contains("did you mean `approach`?"), "{}", ran.stderr);
    let ran = sandbox.run("preface doctor").exits(0);
    assert!(ran.stdout.contains(note) && ran.stdout.contains("settings.json:3:5"), "{}", ran.stdout);
    let ran = sandbox.run("preface config set sections.approach.disable true").exits(0);
    assert_eq!(ran.stderr, "set sections.approach.disable = true in ~/.config/preface/settings.json\n");
}

/// What a profile refuses is ignored, and `--why` says so.
#[test]
fn an_option_that_the_profile_refuses_is_ignored() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/settings.json", r#"{"options": {"arrange": "nope"}}"#);
    let ran = sandbox.run("preface config get options.arrange --why --preset stud").exits(1);
    assert!(ran.stdout.contains("ignored"), "{}", ran.stdout);
    assert!(ran.stderr.contains("`options.arrange` is not set"), "{}", ran.stderr);
}
