//! Who counts tokens, and what a limit does with the count.

use crate::sandbox::Sandbox;
use serde_json::json;

/// Eleven bytes in two parts: two tokens, rounded down as a whole; three, rounded up.
const STRICT: &str = r#"
home = { global = ["config:preface"], project = ".preface" }
counter = "estimate:bytes4-floor"
join = ""
budget = { on-over = "error" }

[orders]
main = ["head", "tail"]

[section.head]
text = "0123456"

[section.tail]
text = "7890"
"#;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/profiles/strict.toml", STRICT);
    sandbox
}

#[test]
fn a_limit_is_about_the_finished_text() {
    let sandbox = sandbox();
    sandbox.run("preface build --preset strict --budget 2").exits(0).prints("01234567890").says("");
    sandbox.run("preface build --preset strict --budget 1").exits(5).prints("").says(
        "error: system prompt 2 tokens exceeds budget 1\nhelp: `head` needs 1 and `tail` needs 1; raise the budget (set by the call), or shorten them\n",
    );
}

#[test]
fn the_caller_is_stronger_than_the_profile() {
    let sandbox = sandbox();
    sandbox
        .run("preface build --preset strict --tokenizer estimate --budget 2")
        .exits(5)
        .prints("")
        .says("error: system prompt 3 tokens exceeds budget 2\nhelp: `head` needs 2 and `tail` needs 1; raise the budget (set by the call), or shorten them\n");
}

#[test]
fn a_limit_that_warns_leaves_the_text_whole() {
    let sandbox = sandbox();
    let ran = sandbox
        .run("preface build -v --preset strict --budget 1 --set budget.onOver=warn")
        .exits(0)
        .prints("01234567890");
    assert!(ran.stderr.contains("system prompt 2 tokens exceeds budget 1"), "{}", ran.stderr);
}

#[test]
fn a_profile_that_names_an_unknown_counter_is_told_so() {
    let sandbox = sandbox();
    sandbox
        .home(".config/preface/profiles/strict.toml", STRICT.replace("bytes4-floor", "bytes4-flor"))
        .run("preface build --preset strict")
        .exits(2)
        .prints("")
        .says(
            "error: unknown tokenizer: `estimate:bytes4-flor` (`counter` of the profile)\n\
             help: did you mean `estimate:bytes4-floor`?\n",
        );
}

#[test]
fn the_document_says_who_counted_and_how_sure_that_is() {
    let sandbox = sandbox();
    for (counter, tokens) in [
        ("o200k", json!({"count": 4, "counter": "o200k", "exact": true})),
        ("estimate:gpt", json!({"count": 3, "counter": "estimate:gpt", "exact": false, "low": 3, "high": 4})),
        ("estimate", json!({"count": 3, "counter": "estimate:bytes4", "exact": false})),
    ] {
        let ran = sandbox
            .run(&format!("preface build --preset strict --format json --tokenizer {counter}"))
            .exits(0);
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a document");
        assert_eq!(document["tokens"], tokens);
    }
}

#[test]
fn a_saved_world_is_counted_as_it_was() {
    let sandbox = sandbox();
    sandbox.run("preface build --preset strict --tokenizer o200k --save-snapshot snapshot.json").exits(0);
    let ran = sandbox.run("preface explain --snapshot snapshot.json").exits(0);
    assert!(ran.stdout.starts_with("strict: 2 parts, 4 tokens (o200k), 11 bytes\n"), "{}", ran.stdout);
}

#[test]
fn the_largest_parts_stand_first_with_what_they_take() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "# Rules\n\nUse tabs.\n");
    sandbox.run("preface trust grant").exits(0);
    sandbox.run("preface explain --largest").exits(0).says("").prints(
        "\
small: 3 parts, 16 tokens (estimate:bytes4), 62 bytes

tokens  share  sum  so far  section   mostly from
     8  50.0%    8   50.0%  context   AGENTS.md:1
     5  31.2%   13   81.2%  today     [system:local_date]
     3  18.8%   16  100.0%  identity  small.toml
",
    );
    sandbox.run("preface explain --largest 1 --tokenizer estimate:claude").exits(0).says("").prints(
        "\
small: 3 parts, 16 tokens (estimate:claude: 14 to 18), 62 bytes

tokens  share  sum  so far  section  mostly from
     8  50.0%    8   50.0%  context  AGENTS.md:1
and 2 more parts: 8 tokens
",
    );
}

#[test]
fn whoever_is_over_the_budget_sees_what_takes_the_room() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("preface explain --preset claude-code --largest 2 --budget 100").exits(5);
    assert!(ran.stdout.contains("claude-code/proactive-suggestions.md"), "{}", ran.stdout);
    assert!(ran.stderr.contains("error: system prompt "), "{}", ran.stderr);
    sandbox.run("preface build --preset claude-code --budget 100").exits(5).prints("");
}

#[test]
fn a_warning_about_the_budget_names_where_it_was_set() {
    let sandbox = sandbox();
    sandbox.work("warn.toml", STRICT.replace("\"error\" }", "\"warn\", tokens = 1 }"));
    let help = |sandbox: &Sandbox, line: &str| sandbox.run(line).exits(0).stderr;
    let of_profile = help(&sandbox, "preface build --profile warn.toml");
    assert!(of_profile.contains("raise `budget.tokens` (set in the profile `warn`)"), "{of_profile}");
    let of_call = help(&sandbox, "preface build --profile warn.toml --set budget.tokens=1");
    assert!(of_call.contains("raise `budget.tokens` (set with `--set`)"), "{of_call}");
    sandbox.home(".config/preface/settings.json", "{\n  \"budget\": {\"tokens\": 1}\n}\n");
    let of_settings = help(&sandbox, "preface build --profile warn.toml");
    let place = "raise `budget.tokens` (set in ~/.config/preface/settings.json:2)";
    assert!(of_settings.contains(place), "{of_settings}");
}
