//! The program is killed at any moment of its work: what it leaves is the old state or the new one, never half.
//! `PREFACE_CRASH_ROUNDS` says how often (20 unless told).

#![allow(clippy::print_stderr)] // the figures are for whoever asks for many rounds

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

fn rounds() -> u64 {
    std::env::var("PREFACE_CRASH_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20).max(1)
}

fn start(dir: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_preface"))
        .args(args)
        .env_clear()
        .env("HOME", dir.join("home"))
        .current_dir(dir.join("project"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// How long the work takes when nobody disturbs it.
fn undisturbed(args: &[&str]) -> Duration {
    let dir = sandbox();
    fs::write(dir.path().join("project/AGENTS.md"), "Rule.\n").unwrap();
    let begin = Instant::now();
    assert!(start(dir.path(), args).wait().unwrap().success());
    begin.elapsed()
}

/// Returns true while another round is due: those asked for, and more where something has not occurred yet.
fn is_due(round: u64, occurred: &[u64]) -> bool {
    round < rounds() || occurred.contains(&0) && round < 20 * rounds()
}

/// Starts the program and kills it after a while that walks over the whole work and a little beyond, in steps that
/// repeat late.
fn killed(dir: &Path, args: &[&str], round: u64, whole: Duration) -> bool {
    let mut child = start(dir, args);
    // A machine that became busier needs longer than it did undisturbed.
    let slower = 1 + round / rounds();
    let span = u64::try_from(whole.as_micros()).unwrap() * 5 / 4 * slower;
    thread::sleep(Duration::from_micros((round * span * 89 / 144) % span.max(1)));
    let early = child.try_wait().unwrap().is_none();
    let _ = child.kill();
    child.wait().unwrap();
    early
}

fn sandbox() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("home")).unwrap();
    fs::create_dir_all(dir.path().join("project")).unwrap();
    dir
}

#[test]
fn a_killed_scaffold_leaves_the_whole_file_or_none() {
    let whole =
        fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/assets/sections/stud/system.md"))
            .unwrap();
    let args = ["build", "--preset", "stud"];
    let time = undisturbed(&args);
    let (mut early, mut written, mut round) = (0, 0, 0);
    while is_due(round, &[early, written, round - written]) {
        let dir = sandbox();
        early += u64::from(killed(dir.path(), &args, round, time));
        match fs::read(dir.path().join("home/.stud/system.md")) {
            Ok(bytes) => {
                assert_eq!(bytes, whole, "round {round}: a torn system.md");
                written += 1;
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound, "round {round}"),
        }
        round += 1;
    }
    assert!(early > 0, "none of {round} was killed at work");
    assert!(written > 0, "none of {round} got as far as to write the file");
    assert!(written < round, "each of {round} wrote the file before it was killed");
    // Nothing that a killed one left is in the way of the next.
    let dir = sandbox();
    killed(dir.path(), &args, 7, time);
    assert!(start(dir.path(), &args).wait().unwrap().success());
    eprintln!("scaffold: {round} rounds, {early} killed at work, {written} files written, none torn");
}

#[test]
fn a_killed_grant_leaves_a_store_that_can_be_read() {
    let dir = sandbox();
    let store = dir.path().join("home/.local/state/preface/trust.json");
    let args = ["trust", "grant"];
    let time = undisturbed(&args);
    let (mut early, mut changed, mut round) = (0, 0, 0);
    let mut before = None;
    while is_due(round, &[early, changed, round - changed]) {
        fs::write(dir.path().join("project/AGENTS.md"), format!("Rule {round}.\n")).unwrap();
        early += u64::from(killed(dir.path(), &args, round, time));
        let now = fs::read(&store).ok();
        if let Some(bytes) = &now {
            let json: serde_json::Value = serde_json::from_slice(bytes)
                .unwrap_or_else(|error| panic!("round {round}: a torn store: {error}"));
            let roots = json["roots"].as_object().into_iter().flatten();
            let texts = roots.filter_map(|(_, root)| root["texts"].as_object()).flatten();
            for pin in texts.filter_map(|(_, versions)| versions.as_array()).flatten() {
                let digest = pin["digest"].as_str().unwrap().trim_start_matches("blake3:").to_owned();
                let copy = store.with_file_name("trust.d").join(&digest);
                let text = fs::read(&copy)
                    .unwrap_or_else(|error| panic!("round {round}: no copy {digest}: {error}"));
                assert!(text.starts_with(b"Rule ") && text.ends_with(b".\n"), "round {round}: a torn copy");
            }
        }
        changed += u64::from(now != before);
        before = now;
        round += 1;
    }
    assert!(early > 0, "none of {round} was killed at work");
    assert!(changed > 0, "none of {round} got as far as to write a record");
    assert!(changed < round, "each of {round} wrote its record before it was killed");
    // Nothing that a killed one left is in the way of the next.
    fs::write(dir.path().join("project/AGENTS.md"), "Rule last.\n").unwrap();
    assert!(start(dir.path(), &args).wait().unwrap().success());
    let text = fs::read_to_string(&store).unwrap();
    assert!(text.contains("AGENTS.md"), "{text}");
    eprintln!("grant: {round} rounds, {early} killed at work, {changed} records written, none torn");
}
