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
    assert_eq!(ran.stderr, "error: unknown value for `<SHELL>`: `fsh`\nhint: did you mean `fish`?\n");
}
