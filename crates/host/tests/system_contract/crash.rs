//! A writer is killed at random moments, again and again: what is read afterwards is the old file or the new one,
//! whole. `PREFACE_CRASH_ROUNDS` sets how often (default 20).

use crate::place::{BUNDLE, Place};
use preface_host::system::{ReadScope, System, WriteMode, os::OsSystem};
use std::{
    env,
    hash::{BuildHasher, RandomState},
    io::{self, BufRead, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const CHILD: &str = "PREFACE_TEST_CRASH_FILE";
const FIRST: &str = "PREFACE_TEST_CRASH_FIRST";
const ROUNDS: &str = "PREFACE_CRASH_ROUNDS";
const MODE: u32 = 0o640;

/// The `number`th content: its length and every line of it follow from the number.
fn content(number: u64) -> Vec<u8> {
    let lines = 1 + number * 7919 % 3000;
    let mut text = Vec::new();
    for line in 0..lines {
        writeln!(text, "{number} {line} of {lines}").expect("memory");
    }
    text
}

/// The number of a content, if it is whole.
fn number_of(bytes: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(bytes).ok()?;
    let number = text.split(' ').next()?.parse().ok()?;
    (content(number) == bytes).then_some(number)
}

/// Writes for ever; runs only as the child of the tests below.
#[test]
fn writer() {
    let Some(path) = env::var_os(CHILD).map(PathBuf::from) else { return };
    let first: u64 = env::var(FIRST).expect("the first number").parse().expect("a number");
    let system = OsSystem::new(BUNDLE);
    for number in first.. {
        let bytes = content(number);
        print_step("begin", number);
        system.write(&path, &bytes, WriteMode::Replace, MODE).expect("a write");
        print_step("done", number);
    }
}

fn print_step(word: &str, number: u64) {
    io::stdout().lock().write_all(format!("@{word} {number}\n").as_bytes()).expect("the parent listens");
}

#[test]
fn a_killed_writer_leaves_the_old_file_or_the_new_one() {
    let rounds = env::var(ROUNDS).ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(20);
    let place = Place::os();
    let path = place.at("file");
    place.system.write(&path, &content(0), WriteMode::Replace, MODE).expect("the first write");
    let mut next = 1;
    for round in 1..=rounds {
        let (done, begun) = write_and_kill(&place, &path, next);
        let number = read(&place, &path);
        assert!(
            number == done || number == begun,
            "round {round}: {done} was done and {begun} begun, but {number} is there"
        );
        check_left_overs(&place, round);
        next = begun + 1;
    }
    place.replace(&path, "the end");
    assert_eq!(place.text(&path), "the end", "left-over temporary files are in nobody's way");
}

/// Runs a writer from `first` on, reads along, kills it at some moment, and returns which write was the last one done
/// and the last one begun.
fn write_and_kill(place: &Place, path: &Path, first: u64) -> (u64, u64) {
    let mut child = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "crash::writer", "--nocapture"])
        .env(CHILD, path)
        .env(FIRST, first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child process");
    let stdout = child.stdout.take().expect("a pipe");
    let listener = thread::spawn(move || {
        let (mut done, mut begun) = (first - 1, first - 1);
        // The harness prints its own lines; the last one of ours may be cut.
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            let Some((word, number)) = line.split_once('@').and_then(|(_, line)| line.split_once(' ')) else {
                continue;
            };
            match (word, number.parse()) {
                ("begin", Ok(number)) => begun = number,
                ("done", Ok(number)) => done = number,
                _ => {}
            }
        }
        (done, begun)
    });
    // Whoever reads meanwhile sees whole files, in order.
    let mut last = first - 1;
    let start = Instant::now();
    while last < first {
        assert!(start.elapsed() < Duration::from_secs(60), "the writer never wrote");
        last = read(place, path).max(last);
    }
    let end = Instant::now() + Duration::from_micros(RandomState::new().hash_one(first) % 20_000);
    while Instant::now() < end {
        let number = read(place, path);
        assert!(number >= last, "{number} came after {last}");
        last = number;
    }
    child.kill().expect("the child dies");
    child.wait().expect("the child is dead");
    listener.join().expect("the listener ends with the pipe")
}

fn read(place: &Place, path: &Path) -> u64 {
    let read =
        place.system.read(path, ReadScope::Root(&place.root), 1 << 24).expect("the file is always there");
    assert_eq!(read.stat.mode, Some(MODE), "with its mode");
    number_of(&read.bytes).unwrap_or_else(|| panic!("{} bytes are not whole", read.bytes.len()))
}

/// A kill leaves at most one temporary file, and none that could be taken for something else.
fn check_left_overs(place: &Place, kills: usize) {
    let mut names = place.names(&place.root);
    names.retain(|name| name != "file");
    assert!(names.len() <= kills, "{} left over after {kills} kills", names.len());
    for name in names {
        assert!(name.starts_with(".preface-") && name.ends_with(".tmp"), "{name}");
        let mode = place.system.stat(&place.at(&name)).and_then(|stat| stat.mode);
        assert!(
            mode == Some(0o600) || mode == Some(MODE),
            "{name} is for us alone until it is complete: {mode:?}"
        );
    }
}
