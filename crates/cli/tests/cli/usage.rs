//! What is asked wrongly: exit 2, one error, a hint.

use crate::sandbox::Sandbox;

#[test]
fn unknown_words_get_the_nearest_one() {
    let sandbox = Sandbox::new();
    let cases = [
        ("preface bild", "error: unknown command: `bild`\nhint: did you mean `build`?\n"),
        ("preface build --trus once", "error: unknown argument: `--trus`\nhint: did you mean `--trust`?\n"),
        (
            "preface build --trust onc",
            "error: unknown value for `--trust`: `onc`\nhint: did you mean `once`?\n",
        ),
        ("preface build --preset defalt", "error: unknown preset: `defalt`\nhint: did you mean `default`?\n"),
        (
            "preface build --format jsn",
            "error: unknown value for `--format`: `jsn`\nhint: did you mean `json`?\n",
        ),
        ("preface build --set orde=x", "error: unknown option: `orde`\nhint: did you mean `order`?\n"),
        (
            "preface build --set budget.tokns=9",
            "error: unknown setting `budget.tokns`\nhint: did you mean `budget.tokens`?\n",
        ),
        (
            "preface build --format anthropic",
            "error: unknown value for `--format`: `anthropic`\nhint: it takes text, json, request\n",
        ),
        ("preface build --count o300k", "error: unknown counter: `o300k`\nhint: did you mean `o200k`?\n"),
        (
            "preface build --count words",
            "error: unknown counter: `words`\nhint: counters are `estimate`, `cl100k`, `estimate:bytes4`, \
             `estimate:bytes4-floor`,\n      `estimate:claude`, `estimate:claude-2026`, `estimate:gpt`, `o200k`\n",
        ),
        ("preface trust gran", "error: unknown command: `gran`\nhint: did you mean `grant`?\n"),
        (
            "preface build --now yesterday",
            "error: not an instant: `yesterday`\nhint: use RFC 3339, such as `2026-03-07T14:55:05Z`\n",
        ),
        (
            "preface build --tz Mars/Base",
            "error: unknown time zone: `Mars/Base`\nhint: use a name such as `Europe/Berlin` or `UTC`\n",
        ),
        (
            "preface build -q -v",
            "error: `--quiet` and `--verbose` exclude each other\nhint: `preface build --help` tells what it takes\n",
        ),
        (
            "preface build --model",
            "error: `--model` needs a value\nhint: `preface build --help` tells what it takes\n",
        ),
        ("preface render", "error: `<FILE>` is missing\nhint: `preface render --help` tells what it takes\n"),
    ];
    for (line, said) in cases {
        sandbox.run(line).exits(2).prints("").says(said);
    }
}

#[test]
fn nothing_at_all_is_answered_with_the_help() {
    let ran = Sandbox::empty().run("preface").exits(2).prints("");
    assert!(ran.stderr.contains("Usage: preface"), "{}", ran.stderr);
}

#[test]
fn help_is_data() {
    let sandbox = Sandbox::empty();
    let ran = sandbox.run("preface --help").exits(0).says("");
    assert!(ran.stdout.contains("Exit codes:\n  0  done\n"), "{}", ran.stdout);
    let ran = sandbox.run("preface build --help").exits(0).says("");
    assert!(ran.stdout.contains("Examples:\n  preface build "), "{}", ran.stdout);
    let ran = sandbox.run("preface --version").exits(0).says("");
    assert_eq!(ran.stdout, format!("preface {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_and_talk_may_come_before_the_command() {
    let sandbox = Sandbox::new();
    let help = sandbox.run("preface help trust grant").exits(0).says("").stdout;
    assert_eq!(help, sandbox.run("preface trust grant --help").exits(0).stdout);
    assert_eq!(sandbox.run("preface help").exits(0).stdout, sandbox.run("preface --help").exits(0).stdout);
    let prompt = sandbox.run("preface build -q").exits(0).says("").stdout;
    sandbox.run("preface -q build --now 2026-03-07T14:55:05Z --tz UTC").exits(0).says("").prints(&prompt);
    sandbox.run("preface -q").exits(2);
}

#[test]
fn a_directory_and_a_number_are_asked_for_in_the_users_words() {
    let sandbox = Sandbox::new();
    sandbox.work("sub/x.md", "x");
    let cases = [
        ("preface build sub", "error: unknown argument: `sub`\nhint: `-C sub` names another directory\n"),
        (
            "preface build nowhere",
            "error: unknown argument: `nowhere`\nhint: `preface build --help` tells what it takes\n",
        ),
        (
            "preface build --budget 12k",
            "error: `--budget` takes a whole number, not `12k`\nhint: `preface build --help` tells what it takes\n",
        ),
        (
            "preface scopes tolls",
            "error: unknown value for `CATEGORY`: `tolls`\nhint: did you mean `tools`?\n",
        ),
    ];
    for (line, told) in cases {
        sandbox.run(line).exits(2).prints("").says(told);
    }
}
