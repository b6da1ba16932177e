//! Odd places to work in: none of them is an accident.

use crate::sandbox::{BARE, Sandbox};
use std::{fs, io::Read};

#[test]
fn an_empty_directory_outside_of_git_is_enough() {
    let ran = Sandbox::empty().run("preface build").exits(0).says("");
    assert!(ran.stdout.len() > 500, "the default prompt: {}", ran.stdout);
    Sandbox::empty().run("preface explain").exits(0).says("");
}

#[test]
fn without_a_home_there_is_no_global_layer() {
    let sandbox = Sandbox::empty().without("HOME");
    sandbox.run("preface build").exits(0).says("");
    let ran = sandbox.run("preface build -v").exits(0);
    assert!(ran.stderr.starts_with("info: there is no global layer"), "{}", ran.stderr);
    sandbox.run("preface trust status").exits(0);
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let ran = sandbox.run("preface trust grant").exits(1).prints("");
    assert!(ran.stderr.starts_with("error: there is no directory to keep trust in"), "{}", ran.stderr);
}

#[test]
fn preface_home_is_the_global_directory() {
    let sandbox = Sandbox::new().env("PREFACE_HOME", "[ROOT]/home/elsewhere");
    sandbox.home("elsewhere/base.md", "Elsewhere.");
    let ran = sandbox.run("preface build").exits(0);
    assert!(ran.stdout.starts_with("Elsewhere.\n\n"), "{}", ran.stdout);
}

#[test]
fn a_home_that_cannot_be_written_is_read() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let home = sandbox.path("home");
    fs::set_permissions(&home, fs::Permissions::from_mode(0o555)).expect("it is ours");
    let may_write_anyway = fs::write(home.join("probe"), "").is_ok();
    sandbox.run("preface build -q").exits(0).prints(BARE);
    if !may_write_anyway {
        let ran = sandbox.run("preface trust grant").exits(1).prints("");
        assert!(ran.stderr.contains("permission denied"), "{}", ran.stderr);
    }
    fs::set_permissions(&home, fs::Permissions::from_mode(0o755)).expect("it is ours");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/append.md", "Be brief. ".repeat(50_000));
    for line in ["preface build", "preface explain --spans", "preface build --format json", "preface man"] {
        let mut child = sandbox.command(line).spawn().expect("the binary starts");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut said).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!((said.as_str(), status.code()), ("", Some(0)), "{line}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let sandbox = Sandbox::new();
    let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("this system has one");
    let output = sandbox.command("preface build").stdout(full).output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(said, "error: cannot write to stdout: no space left on device\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_directory_that_is_none_is_wrong_usage() {
    let sandbox = Sandbox::new();
    sandbox.work("file", "");
    sandbox
        .run("preface build -C nowhere")
        .exits(2)
        .prints("")
        .says("error: no such directory: `[ROOT]/work/nowhere`\nhelp: name a directory\n");
    sandbox.run("preface build -C file").exits(2).prints("");
}

#[test]
fn colours_stay_out_of_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    for line in ["preface explain", "preface build", "preface trust status", "preface --help", "preface nope"]
    {
        let ran = sandbox.run(line);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{line}");
    }
    let sandbox = sandbox.env("CLICOLOR_FORCE", "1");
    assert!(sandbox.run("preface explain").stdout.contains('\u{1b}'), "CLICOLOR_FORCE keeps them");
    let sandbox = sandbox.without("CLICOLOR_FORCE").env("NO_COLOR", "1");
    assert!(!sandbox.run("preface explain").stdout.contains('\u{1b}'));
}

#[test]
fn a_prompt_keeps_its_escape_sequences_in_a_pipe() {
    let sandbox = Sandbox::new();
    sandbox.home(".config/preface/base.md", "a\u{1b}[31mb");
    sandbox.run("preface build").exits(0).prints("a\u{1b}[31mb\n\nIt is 2026-03-07.");
}
