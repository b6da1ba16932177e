//! `preface completions`

use crate::sandbox::Sandbox;

#[test]
fn each_shell_gets_a_script_that_knows_the_commands() {
    let sandbox = Sandbox::empty();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let ran = sandbox.run(&format!("preface completions {shell}")).exits(0).says("");
        assert!(ran.stdout.contains("explain"), "the script for {shell} knows `explain`");
    }
}

#[test]
fn an_unknown_shell_is_told_apart() {
    let ran = Sandbox::empty().run("preface completions fsh").exits(2).prints("");
    assert_eq!(ran.stderr, "error: unknown value for `<SHELL>`: `fsh`\nhelp: did you mean `fish`?\n");
}

#[test]
fn values_that_the_program_knows_are_suggested() {
    let ran = Sandbox::empty().run("preface completions bash").exits(0).says("");
    for (flag, value) in [("--preset", "claude-code"), ("--tokenizer", "o200k"), ("--agent", "explore")] {
        let at = ran.stdout.find(&format!("                {flag})\n")).expect(flag);
        let suggested = ran.stdout[at..].lines().nth(1).unwrap();
        assert!(suggested.contains("compgen -W") && suggested.contains(value), "{flag}: {suggested}");
    }
}
