//! The output of `git status --short`, by git.
//!
//! A repository names programs that git would start: filters, hooks, fsmonitor, a promisor remote. Each is taken from it by
//! git's environment, which counts more than any configuration: the settings of [`SETTINGS`], and empty commands for each filter
//! that `git config` lists, wherever it is configured. The index is not written, and nothing is fetched. Submodules are not
//! looked into, because git would start itself there.

use super::{GitError, Repository, is_others, shown_path};
use crate::system::{RunError, RunOutput, RunRequest, RunStatus, System};
use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _, path::PathBuf, time::Duration};

/// The longest that a status may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(10);

/// Variables that keep git from asking, writing and fetching.
const ENVIRONMENT: [(&str, &str); 5] = [
    ("GIT_ALLOW_PROTOCOL", "none"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("LC_ALL", "C"),
];

/// Settings that start programs, and those that add lines or colors for people.
const SETTINGS: [(&str, &str); 7] = [
    ("color.status", "never"),
    ("color.ui", "never"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("status.branch", "false"),
    ("status.showStash", "false"),
    ("status.submoduleSummary", "false"),
];

/// The exit code of git for an option that it does not know.
const USAGE: i32 = 129;

/// Returns what `git status --short --ignore-submodules=dirty` prints in the working directory of a repository, without the last
/// line end; nothing for a clean work tree.
///
/// # Errors
/// The repository belongs to another user, git cannot be run or is too old, it fails, or it takes more than [`TIME_LIMIT`].
pub fn status(system: &dyn System, repository: &Repository) -> Result<String, GitError> {
    check_owner(system, repository)?;
    let mut settings = SETTINGS.map(|(key, value)| (key.to_owned(), value)).to_vec();
    // The option came with `GIT_NO_LAZY_FETCH`: a git that does not know the variable refuses the option.
    let list =
        ["--no-lazy-fetch", "config", "--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\."];
    let listed = run(system, repository, &settings, &list, TIME_LIMIT)?;
    match listed.status {
        RunStatus::Code(0 | 1) => {}
        RunStatus::Code(USAGE) => return Err(GitError::Old),
        _ => return Err(failed("status", &listed)),
    }
    for key in listed.stdout.split(|byte| *byte == 0).filter(|key| !key.is_empty()) {
        let key = std::str::from_utf8(key)
            .map_err(|_| GitError::Broken("the name of a filter is not UTF-8".to_owned()))?;
        let Some((filter, _)) = key.rsplit_once('.') else { continue };
        settings.extend(["clean", "process", "smudge"].map(|command| (format!("{filter}.{command}"), "")));
        settings.push((format!("{filter}.required"), "false"));
    }
    let left = TIME_LIMIT.saturating_sub(listed.took);
    let output =
        run(system, repository, &settings, &["status", "--short", "--ignore-submodules=dirty"], left)?;
    if !output.status.success() {
        return Err(failed("status", &output));
    }
    let text = output.stdout.strip_suffix(b"\n").unwrap_or(&output.stdout);
    // Only with `core.quotePath` off can a name be something else than UTF-8.
    Ok(String::from_utf8_lossy(text).into_owned())
}

/// Returns the files that git has in its index although its patterns ignore them, by their paths from the root of the work tree.
///
/// # Errors
/// As [`status`].
pub fn tracked_but_ignored(system: &dyn System, repository: &Repository) -> Result<Vec<PathBuf>, GitError> {
    check_owner(system, repository)?;
    let settings = SETTINGS.map(|(key, value)| (key.to_owned(), value));
    let words = ["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"];
    let output = run(system, repository, &settings, &words, TIME_LIMIT)?;
    if !output.status.success() {
        return Err(failed("ls-files", &output));
    }
    let paths = output.stdout.split(|byte| *byte == 0).filter(|path| !path.is_empty());
    Ok(paths.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
}

/// Refuses a repository of another user: an explicit `GIT_DIR` switches git's own check off.
fn check_owner(system: &dyn System, repository: &Repository) -> Result<(), GitError> {
    let mut paths = [repository.root.join(".git"), repository.git_dir.clone()].into_iter();
    paths.find(|path| is_others(system, path)).map_or(Ok(()), |path| Err(GitError::Owner(path)))
}

/// Runs git with settings that count more than any file.
fn run(
    system: &dyn System,
    repository: &Repository,
    settings: &[(String, &str)],
    words: &[&str],
    limit: Duration,
) -> Result<RunOutput, GitError> {
    let mut env = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    for (name, path) in [("GIT_DIR", &repository.git_dir), ("GIT_WORK_TREE", &repository.root)] {
        let unreadable = || GitError::Broken(format!("`{}` is not UTF-8", shown_path(path)));
        env.push((name.to_owned(), path.to_str().ok_or_else(unreadable)?.to_owned()));
    }
    if let Some(Ok(dir)) = system.var("XDG_CONFIG_HOME").map(|dir| dir.into_string()) {
        env.push(("XDG_CONFIG_HOME".to_owned(), dir));
    }
    env.push(("GIT_CONFIG_COUNT".to_owned(), settings.len().to_string()));
    for (at, (key, value)) in settings.iter().enumerate() {
        env.push((format!("GIT_CONFIG_KEY_{at}"), key.clone()));
        env.push((format!("GIT_CONFIG_VALUE_{at}"), (*value).to_owned()));
    }
    let request = RunRequest {
        env,
        timeout: limit,
        not_below: Some(repository.root.clone()),
        ..RunRequest::new(["git"].iter().chain(words).copied(), &repository.cwd)
    };
    system.run(&request).map_err(|error| match error {
        RunError::TimedOut { .. } => {
            GitError::Broken(format!("git took more than {} s", TIME_LIMIT.as_secs()))
        }
        RunError::TooMuch { limit } => GitError::Broken(format!("git printed more than {limit} bytes")),
        error => GitError::Program(error),
    })
}

/// Returns the error of a git that ended with a failure. What it printed may quote any file that the repository names.
fn failed(verb: &str, output: &RunOutput) -> GitError {
    GitError::Broken(format!("`git {verb}` ended with {}", output.status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::{FakeRun, MemorySystem};
    use std::path::Path;

    fn machine() -> MemorySystem {
        MemorySystem::new()
            .with_file("/p/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/p/.git/objects")
            .with_dir("/p/.git/refs")
    }

    fn with(git: FakeRun) -> Result<String, GitError> {
        let system = machine().with_git_status("/p", git);
        status(&system, &Repository::holding(&system, Path::new("/p")).expect("a repository"))
    }

    #[test]
    fn a_git_that_does_not_answer_is_a_reason() {
        let broken = |what: &str| Err(GitError::Broken(what.to_owned()));
        let inside = RunError::InsideProject { path: "/p/bin/git".into() };
        for (git, expected) in [
            (FakeRun::printing(" M a\n?? b\n"), Ok(" M a\n?? b".to_owned())),
            (FakeRun::printing(""), Ok(String::new())),
            (FakeRun::printing("").taking(TIME_LIMIT), broken("git took more than 10 s")),
            (FakeRun::printing(vec![b'x'; 100 << 20]), broken("git printed more than 1048576 bytes")),
            (FakeRun::failing(128, "fatal: s3cret"), broken("`git status` ended with exit code 128")),
            (FakeRun::failing(USAGE, "unknown option: --no-lazy-fetch"), Err(GitError::Old)),
            (FakeRun::refused(inside.clone()), Err(GitError::Program(inside))),
        ] {
            assert_eq!(with(git), expected);
        }
        let system = machine();
        let missing = status(&system, &Repository::holding(&system, Path::new("/p")).expect("a repository"));
        assert_eq!(missing, Err(GitError::Program(RunError::NotFound { program: "git".to_owned() })));
    }

    #[test]
    fn a_repository_of_another_user_has_no_status() {
        let system = machine().with_owner("/p/.git", 66).with_git_status("/p", FakeRun::printing(""));
        let found = Repository::holding(&system, Path::new("/p")).expect("a repository");
        assert_eq!(status(&system, &found), Err(GitError::Owner("/p/.git".into())));
        assert!(system.runs().is_empty());
        let named = MemorySystem::new()
            .with_file("/p/.git", "gitdir: /other/.git\n")
            .with_file("/other/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/other/.git/objects")
            .with_dir("/other/.git/refs")
            .with_owner("/other/.git", 66);
        let found = Repository::holding(&named, Path::new("/p")).expect("a repository");
        assert_eq!(status(&named, &found), Err(GitError::Owner("/other/.git".into())));
    }
}
