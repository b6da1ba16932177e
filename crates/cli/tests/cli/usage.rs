//! What is asked wrongly: exit 2, one error, a help.

use crate::sandbox::Sandbox;

/// Runs a line that clap refuses: its words, with what comes nearest.
fn refuses(sandbox: &Sandbox, line: &str, message: &str, tip: &str) {
    let ran = sandbox.run(line).exits(2).prints("");
    assert!(ran.stderr.starts_with(&format!("error: {message}")), "{line}: {}", ran.stderr);
    assert!(ran.stderr.contains(tip), "{line}: {}", ran.stderr);
    assert!(
        ran.stderr.contains("\nUsage: preface ") || ran.stderr.contains("try '--help'"),
        "{line}: {}",
        ran.stderr
    );
}

#[test]
fn what_clap_refuses_has_its_words() {
    let sandbox = Sandbox::new();
    for (line, message, tip) in [
        ("preface bild", "unrecognized subcommand 'bild'", "'build'"),
        ("preface trust gran", "unrecognized subcommand 'gran'", "'grant'"),
        ("preface build --trus once", "unexpected argument '--trus' found", "'--trust"),
        ("preface build --trust onc", "invalid value 'onc' for '--trust <MODE>'", "'once'"),
        ("preface build --format jsn", "invalid value 'jsn' for '--format <FORMAT>'", "'json'"),
        ("preface build --format markdown", "invalid value 'markdown'", "[possible values: anthropic, "),
        ("preface build --budget 12k", "invalid value '12k' for '--budget <N>'", "invalid digit"),
        ("preface build -q -v", "the argument '--quiet' cannot be used with '--verbose'", ""),
        ("preface build --model", "a value is required for '--model <NAME>'", ""),
        ("preface template render", "the following required arguments were not provided:", "<FILE>"),
        ("preface list sub", "invalid value 'sub' for '[KIND]'", "skills"),
        ("preface list tolls", "invalid value 'tolls' for '[KIND]'", "'tools'"),
        ("preface exec claude --dry-run -p hi", "unexpected argument '-p' found", "'-- -p'"),
        ("preface -C . conversation list", "unexpected argument '-C' found", ""),
        (
            "preface template show --template review@prod",
            "invalid value 'review@prod' for '--template <NAME>'",
            "name the template, `review`",
        ),
    ] {
        refuses(&sandbox, line, message, tip);
    }
    let ran = sandbox.run("preface build --trus once --format json").exits(2).prints("");
    let error: serde_json::Value = serde_json::from_str(&ran.stderr).expect("JSON");
    assert_eq!(error["error"]["message"], "unexpected argument '--trus' found");
}

#[test]
fn unknown_words_get_the_nearest_one() {
    let sandbox = Sandbox::new();
    let cases = [
        ("preface build --preset defalt", "error: unknown preset: `defalt`\nhelp: did you mean `default`?\n"),
        ("preface build --set orde=x", "error: unknown option: `orde`\nhelp: did you mean `order`?\n"),
        (
            "preface build --set budget.tokns=9",
            "error: unknown setting `budget.tokns`\nhelp: did you mean `budget.tokens`?\n",
        ),
        (
            "preface build --tokenizer o300k",
            "error: unknown tokenizer: `o300k`\nhelp: did you mean `o200k`?\n",
        ),
        (
            "preface build --tokenizer words",
            "error: unknown tokenizer: `words`\nhelp: tokenizers are `estimate`, `cl100k`, `estimate:bytes4`, \
             `estimate:bytes4-floor`,\n      `estimate:claude`, `estimate:claude-2026`, `estimate:gpt`, `o200k`\n",
        ),
        (
            "preface build --preset claude-code --set claudeMd.ordr=x",
            "error: unknown setting: `claudeMd.ordr`\nhelp: did you mean `claudeMd.order`?\n",
        ),
        (
            "preface build --set foo",
            "error: not a setting with a value (`path=value`): `foo`\nhelp: write the value behind it, such as `foo=true`\n",
        ),
        (
            "preface build --agent foo --preset claude-code",
            "error: there is no agent `foo`\nhelp: see which agents there are: `preface list agents --preset claude-code`\n",
        ),
        (
            "preface build --now yesterday",
            "error: not an instant: `yesterday`\nhelp: use RFC 3339, such as `2026-03-07T14:55:05Z`\n",
        ),
        (
            "preface build --tz Mars/Base",
            "error: unknown time zone: `Mars/Base`\nhelp: use a name such as `Europe/Berlin` or `UTC`\n",
        ),
        (
            "preface build nowhere",
            "error: no such directory: `[ROOT]/work/nowhere`\nhelp: name a directory\n",
        ),
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
    sandbox.run("preface -q -v build").exits(2);
}

#[test]
fn quiet_and_verbose_are_accepted_by_each_command_before_and_after_it() {
    let sandbox = Sandbox::new();
    let granted = sandbox.run("preface trust grant").exits(0).stdout;
    sandbox.run("preface trust revoke").exits(0);
    assert_eq!(sandbox.run("preface trust grant -q").exits(0).says("").stdout, granted);
    let presets = sandbox.run("preface list presets").exits(0).stdout;
    for line in ["preface -v list presets", "preface --quiet list presets", "preface list presets --verbose"]
    {
        sandbox.run(line).exits(0).says("").prints(&presets);
    }
    sandbox.run("preface list presets -x").exits(2);
    sandbox.run("preface list presets -qv").exits(2);
    sandbox.run("preface list presets -- -q").exits(2);
}

#[test]
fn a_directory_is_an_argument_or_a_flag_before_or_after_the_command() {
    let sandbox = Sandbox::new();
    sandbox.work("sub/AGENTS.md", "Use tabs.\n");
    let at = "--now 2026-03-07T14:55:05Z --tz UTC -q";
    let expected = sandbox.run("preface build -C sub -q --preset default").exits(0).stdout;
    sandbox.run("preface build sub -q --preset default").exits(0).prints(&expected);
    sandbox.run(&format!("preface -C sub build --preset default {at}")).exits(0).prints(&expected);
    sandbox
        .run(&format!("preface -Csub --trust-home build --preset default {at}"))
        .exits(0)
        .prints(&expected);
    sandbox.run(&format!("preface -Csub build --preset default {at}")).exits(0).prints(&expected);
    for command in ["explain", "lint", "doctor"] {
        let flag = sandbox.run(&format!("preface {command} -C sub --preset default"));
        let argument = sandbox.run(&format!("preface {command} sub --preset default"));
        assert_eq!(argument.stdout, flag.stdout, "{command}");
    }
    sandbox.run("preface build sub -C sub").exits(2);
}

#[test]
fn an_error_of_a_profile_of_yours_is_at_its_path_from_home() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/profiles/bad.toml", "extends = \"default\"\nordr = \"main\"\n");
    let ran = sandbox.run("preface build --preset bad").exits(1).prints("");
    assert!(ran.stderr.contains("——▶ ~/.config/preface/profiles/bad.toml:2:1\n"), "{}", ran.stderr);
}

#[test]
fn the_directory_is_an_argument_in_every_help() {
    for command in ["build", "explain", "lint", "doctor"] {
        let ran = Sandbox::empty().run(&format!("preface {command} --help")).exits(0);
        assert!(ran.stdout.contains("\nArguments:\n  [DIR]\n"), "{command}: {}", ran.stdout);
    }
}

#[test]
fn a_quiet_command_prints_no_status() {
    let sandbox = Sandbox::new();
    sandbox.run("preface template delete").exits(0).says("`main` is the default already.\n");
    sandbox.run("preface -q template delete").exits(0).prints("").says("");
}
