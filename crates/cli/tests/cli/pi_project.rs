//! Preset `pi`: what a project of it may run, and that the home directory is a project as any other.

use crate::sandbox::Sandbox;
use std::{fs, os::unix::fs::PermissionsExt};

const BUILD: &str = "preface build --preset pi --set date=false --prompt Hi";

/// A hook that makes the whole prompt of a run, in this directory.
fn hook(sandbox: &Sandbox, dir: &str) {
    let manifest = r#"{"id": "loud", "category": "hooks", "contractVersion": "1.0.0",
        "requiredCoreVersion": ">=1.0.0 <2.0.0", "event": "before_agent_start", "command": ["./run.sh"]}"#;
    let program = sandbox.path(&format!("{dir}/.sf/extensions/hooks/loud/run.sh"));
    fs::create_dir_all(program.parent().expect("a directory")).expect("a place");
    fs::write(program.with_file_name("manifest.json"), manifest).expect("a manifest");
    fs::write(&program, "#!/bin/sh\necho '{\"system_prompt\": \"LOUD\"}'\n").expect("a script");
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a program");
}

#[test]
fn a_hook_of_a_project_runs_after_a_grant_and_until_it_is_taken_back() {
    let sandbox = Sandbox::empty().env("PATH", "/usr/bin:/bin");
    hook(&sandbox, "work");
    let quiet = sandbox.run(BUILD).exits(0);
    assert!(!quiet.stdout.contains("LOUD"), "{}", quiet.stdout);
    let manifest = ".sf/extensions/hooks/loud/manifest.json";
    assert!(quiet.stderr.starts_with(&format!("warning: {manifest} is not trusted")), "{}", quiet.stderr);

    let diff = sandbox.run("preface trust diff --preset pi").exits(0);
    assert!(diff.stdout.contains(&format!("+++ b/{manifest}\n")), "{}", diff.stdout);
    assert!(diff.stdout.contains("+++ b/.sf/extensions/hooks/loud/run.sh\n"), "{}", diff.stdout);
    let granted = sandbox.run("preface trust grant --preset pi").exits(0);
    assert!(granted.stdout.contains(manifest), "{}", granted.stdout);
    let waits = sandbox.run(BUILD).exits(0);
    assert!(!waits.stdout.contains("LOUD") && waits.stderr.contains("it may not run: it is not granted"));
    let granted = sandbox.run("preface trust grant --preset pi --allow-commands").exits(0);
    assert!(granted.stdout.contains("Allowed from now on:\n  hooks/loud\n    runs "), "{}", granted.stdout);
    sandbox.run(BUILD).exits(0).prints("LOUD");

    let revoked = sandbox.run("preface trust revoke --preset pi").exits(0);
    assert!(
        revoked.stdout.contains("May not run any more in [ROOT]/work:\n  hooks/loud\n"),
        "{}",
        revoked.stdout
    );
    assert_eq!(sandbox.run(BUILD).exits(0).stdout, quiet.stdout);
    sandbox.run("preface trust revoke --preset pi").exits(0);
}

#[test]
fn a_preset_without_a_gate_needs_no_grant_of_text() {
    let sandbox = Sandbox::empty();
    sandbox.work("CLAUDE.md", "Use tabs.\n");
    let status = sandbox.run("preface trust status --preset claude-code").exits(0);
    assert!(status.stdout.contains("The project has no files that a grant covers.\n"), "{}", status.stdout);
    let granted = sandbox.run("preface trust grant --preset claude-code").exits(0);
    assert!(granted.stdout.starts_with("There is nothing to grant in [ROOT]/work.\n"), "{}", granted.stdout);
    let denied = sandbox.run("preface build --preset claude-code --trust deny").exits(0);
    assert_eq!(
        denied.stderr,
        "warning: CLAUDE.md is not trusted and was left out (`-v` shows details)\nhelp: run it without `--trust deny`\n"
    );
}

/// The project directory holds the user's own one there, and its files come first.
#[test]
fn the_home_directory_is_a_project_with_the_users_directory_in_it() {
    for variant in ["sf", "0.58", "0.73", "0.87"] {
        let name = if variant == "sf" { ".sf" } else { ".pi" };
        let sandbox = Sandbox::empty();
        sandbox
            .home(&format!("{name}/SYSTEM.md"), "The project's.")
            .home(&format!("{name}/agent/SYSTEM.md"), "The user's.")
            .home(&format!("{name}/agent/APPEND_SYSTEM.md"), "Appended.");
        // The home of a sandbox is not the home of the account.
        let line =
            format!("preface build -v --trust-home --preset pi --set variant={variant} -C [ROOT]/home");
        let ran = sandbox.run(&line).exits(0);
        assert!(ran.stdout.starts_with("The project's.\n\n"), "{variant}: {}", ran.stdout);
        assert!(ran.stdout.contains("Appended."), "{variant}: {}", ran.stdout);
        assert!(!ran.stderr.contains("layer/none"), "{variant}: {}", ran.stderr);
    }
}
