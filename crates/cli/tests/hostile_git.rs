//! A repository whose configuration names programs: no command of preface runs any of them.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// Every command, with what makes it look at git.
const COMMANDS: &[&[&str]] = &[
    &["build", "--trust", "once"],
    &["build", "--trust", "once", "--preset", "stud"],
    &["build", "--trust", "once", "--preset", "template"],
    &["build", "--trust", "deny"],
    &["explain", "--trust", "once", "--absent"],
    &["explain", "--trust", "once", "--spans"],
    &["diff", "--trust", "once", "--against-preset", "stud"],
    &["list", "variables", "--trust", "once"],
    &["lint", "--trust", "once"],
    &["lint", "--repository"],
    &["template", "render", "t.md", "--trust", "once"],
    &["trust", "status"],
    &["trust", "grant"],
    &["trust", "diff"],
    &["trust", "list"],
    &["trust", "export"],
    &["trust", "revoke"],
    &["config", "init"],
];

fn git(dir: &Path, home: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("HOME", home)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn program(path: &Path, canary: &Path) {
    fs::write(path, format!("#!/bin/sh\necho ran >> {}\ncat\n", canary.display())).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// A repository with a canary behind every door.
fn hostile(root: &Path) -> (PathBuf, PathBuf) {
    let (repo, home, canary) = (root.join("repo"), root.join("home"), root.join("canary"));
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(&repo).unwrap();
    let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    git(&repo, &home, &["init", "-q", "-b", "main"]);
    for (name, text) in [
        ("AGENTS.md", "Use tabs.\n"),
        ("t.md", "[git:branch] [git:status] [file:AGENTS.md]"),
        ("a.txt", "one\n"),
        (".gitattributes", "*.txt filter=evil\n"),
    ] {
        fs::write(repo.join(name), text).unwrap();
    }
    git(&repo, &home, &["add", "."]);
    git(&repo, &home, &[&identity[..], &["commit", "-q", "-m", "one"]].concat());
    let evil = root.join("evil.sh");
    program(&evil, &canary);
    let evil = evil.display().to_string();
    fs::create_dir_all(repo.join(".git/hooks")).unwrap();
    for hook in ["post-index-change", "post-checkout", "pre-commit", "fsmonitor-watchman"] {
        program(&repo.join(".git/hooks").join(hook), &canary);
    }
    let config = format!(
        "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {evil}\n\thooksPath = .git/hooks\n\tpager = {evil}\n\teditor = {evil}\n\tsshCommand = {evil}\n\
         [filter \"evil\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\trequired = true\n\
         [gpg]\n\tprogram = {evil}\n[log]\n\tshowSignature = true\n[diff]\n\texternal = {evil}\n[include]\n\tpath = ../more.config\n\
         [submodule \"sub\"]\n\turl = ext::{evil}\n\tupdate = !{evil}\n\tactive = true\n"
    );
    fs::write(repo.join(".git/config"), config).unwrap();
    fs::write(repo.join("more.config"), format!("[core]\n\tfsmonitor = {evil}\n")).unwrap();
    fs::write(repo.join(".git/info/attributes"), "* filter=evil\n").unwrap();
    // Equal size, other bytes: whoever wants to know has to ask the filter.
    fs::write(repo.join("a.txt"), "two\n").unwrap();
    (repo, canary)
}

#[test]
fn no_command_runs_what_a_repository_names() {
    let root = tempfile::tempdir().unwrap();
    let (repo, canary) = hostile(root.path());
    let home = root.path().join("home");
    for args in COMMANDS {
        let done = Command::new(env!("CARGO_BIN_EXE_preface"))
            .args(*args)
            .current_dir(&repo)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap())
            .env("HOME", &home)
            .output()
            .unwrap();
        assert!(
            matches!(done.status.code(), Some(0 | 4)),
            "preface {args:?}: {:?}\n{}",
            done.status,
            String::from_utf8_lossy(&done.stderr)
        );
        assert!(!canary.exists(), "preface {args:?} ran {}", fs::read_to_string(&canary).unwrap_or_default());
    }
    // The canary sings: git itself runs what the repository names.
    let _ = Command::new("git").args(["status", "--short"]).current_dir(&repo).env("HOME", &home).output();
    assert!(canary.exists(), "the repository must be hostile, or this test proves nothing");
}
