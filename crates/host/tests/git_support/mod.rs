//! What the git tests share: a clean room, and the real git as the oracle.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::print_stdout, reason = "the figures of a test are part of its result")]

use preface_host::{
    provider::git::{self as provider, GitError, Repository},
    system::os::OsSystem,
};
use std::{
    ffi::OsStr,
    fs,
    path::Path,
    process::{Command, Output, Stdio},
};

/// Runs a test again in a process of its own, whose environment holds no configuration of the machine's user.
///
/// The library looks for the user's configuration where the environment points; so does git. Returns true in that
/// process, where the test goes on, and false in the first one, when the other has succeeded.
pub fn in_clean_room(test: &str) -> bool {
    const MARK: &str = "PREFACE_GIT_CLEAN_ROOM";
    if std::env::var_os(MARK).is_some() {
        return true;
    }
    let home = tempfile::tempdir().expect("a temporary home");
    let mut command = Command::new(std::env::current_exe().expect("the test binary"));
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env(MARK, "1");
    clean(&mut command, home.path());
    expect_one_test(&mut command, test);
    false
}

/// Runs a command that runs one test of this binary, and passes on what it prints. A name that no test has would
/// succeed, too.
pub fn expect_one_test(command: &mut Command, test: &str) {
    let output = command.output().expect("the test binary starts");
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "`{test}` failed in a process of its own:\n{text}{errors}");
    assert!(text.contains("test result: ok. 1 passed;"), "`{test}` did not run:\n{text}");
    print!("{text}");
}

fn clean(command: &mut Command, home: &Path) {
    for (name, _) in std::env::vars_os() {
        if name.as_encoded_bytes().starts_with(b"GIT_") || name.as_encoded_bytes().starts_with(b"XDG_") {
            command.env_remove(name);
        }
    }
    command
        .env("HOME", home)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_AUTHOR_NAME", "A U Thor")
        .env("GIT_AUTHOR_EMAIL", "author@example.com")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_NAME", "C O Mitter")
        .env("GIT_COMMITTER_EMAIL", "committer@example.com")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("LC_ALL", "C")
        .env("TZ", "UTC");
}

/// Returns the status in `dir`.
pub fn status(dir: &Path) -> Result<String, GitError> {
    let system = OsSystem::new(&[]);
    provider::status(&system, &Repository::holding(&system, dir)?)
}

/// Runs git in `dir` with the environment of the clean room.
pub fn git_output<I: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = I>) -> Output {
    Command::new("git")
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "advice.detachedHead=false",
        ])
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .expect("git starts")
}

/// Runs git and insists that it succeeds.
pub fn git<I: AsRef<OsStr>>(dir: &Path, args: impl IntoIterator<Item = I>) -> String {
    let output = git_output(dir, args);
    assert!(
        output.status.success(),
        "git failed in {}: {}{}",
        dir.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("git prints UTF-8")
}

/// Runs `git` with blank-separated words.
pub fn run(dir: &Path, words: &str) -> String {
    git(dir, words.split(' '))
}

/// Writes a file and its directories.
pub fn put(path: impl AsRef<Path>, content: impl AsRef<[u8]>) {
    let path = path.as_ref();
    fs::create_dir_all(path.parent().expect("a parent")).expect("its directory");
    fs::write(path, content).expect("a file");
}
