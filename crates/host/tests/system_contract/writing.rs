//! `write`, `make_dir`, `make_dirs`, `remove`, `lock`.

use crate::place::Place;
use preface_host::system::{CreateOutcome, FileKind, ReadScope, WriteError, WriteMode, make_dirs_within};
use std::{
    path::Path,
    sync::{
        Barrier,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

fn write(place: &Place, path: &Path, text: &str, how: WriteMode) -> Result<(), WriteError> {
    place.system.write(path, text.as_bytes(), how, 0o644)
}

fn kind(place: &Place, path: &Path) -> Option<FileKind> {
    place.system.link_stat(path).map(|stat| stat.kind)
}

pub fn a_write_leaves_nothing_else_behind(place: &Place) {
    let path = place.at("f");
    assert_eq!(write(place, &path, "one", WriteMode::New), Ok(()));
    assert_eq!(write(place, &path, "two", WriteMode::Replace), Ok(()));
    assert_eq!(write(place, &path, "three", WriteMode::New), Err(WriteError::Exists));
    assert_eq!(write(place, &path, "", WriteMode::Replace), Ok(()));
    assert_eq!(place.text(&path), "");
    let big = "x".repeat(300_000);
    assert_eq!(write(place, &path, &big, WriteMode::Replace), Ok(()));
    assert_eq!(place.text(&path), big);
    assert_eq!(place.names(&place.root), ["f"], "no temporary file stays");
}

pub fn a_write_sets_the_mode_whatever_was_there(place: &Place) {
    let mode = |name: &str| place.system.stat(&place.at(name)).and_then(|stat| stat.mode);
    for (name, bits) in [("secret", 0o600), ("shared", 0o666), ("odd", 0o751), ("read-only", 0o444)] {
        place.system.write(&place.at(name), b"1", WriteMode::New, bits).expect("a new file");
        assert_eq!(mode(name), Some(bits), "{name}: the umask is not used");
    }
    place.system.write(&place.at("shared"), b"2", WriteMode::Replace, 0o600).expect("a replaced file");
    assert_eq!(mode("shared"), Some(0o600), "the old file's mode is not used");
    place.system.write(&place.at("read-only"), b"2", WriteMode::Replace, 0o444).expect("a replaced file");
    assert_eq!(place.text(&place.at("read-only")), "2");
    place.system.write(&place.at("setuid"), b"", WriteMode::New, 0o4755).expect("a new file");
    assert_eq!(mode("setuid"), Some(0o755), "only permission bits are taken");
    let owner = place.system.stat(&place.at("secret")).and_then(|stat| stat.owner);
    assert_eq!(owner, place.system.user_id());
}

pub fn a_replaced_file_is_another_file(place: &Place) {
    let path = place.file("f", "old");
    let twin = place.hard_link("twin", &path);
    place.replace(&path, "new");
    assert_eq!(place.text(&path), "new");
    assert_eq!(place.text(&twin), "old", "a write never changes a file that somebody may be reading");
}

pub fn a_new_file_refuses_whatever_stands_there(place: &Place) {
    place.file("f", "old");
    place.dir("d");
    place.special("s");
    place.link("nowhere", "none");
    place.link("to-file", "f");
    for name in ["f", "d", "s", "nowhere", "to-file"] {
        assert_eq!(write(place, &place.at(name), "new", WriteMode::New), Err(WriteError::Exists), "{name}");
    }
    assert_eq!(place.text(&place.at("f")), "old");
    assert_eq!(kind(place, &place.at("none")), None, "the link's target was not created");
    assert_eq!(place.names(&place.root), ["d", "f", "nowhere", "s", "to-file"]);
}

pub fn a_write_to_something_else_is_refused(place: &Place) {
    place.dir("d");
    place.special("s");
    place.link("to-dir", "d");
    place.link("to-special", "s");
    place.link("self", "self");
    for name in ["d", "s", "to-dir", "to-special"] {
        assert_eq!(
            write(place, &place.at(name), "new", WriteMode::Replace),
            Err(WriteError::Exists),
            "{name}"
        );
    }
    assert!(matches!(write(place, &place.at("self"), "new", WriteMode::Replace), Err(WriteError::Other(_))));
    assert_eq!(write(place, Path::new("/"), "new", WriteMode::Replace), Err(WriteError::Exists));
    assert_eq!(place.names(&place.root), ["d", "s", "self", "to-dir", "to-special"]);
    assert_eq!(kind(place, &place.at("s")), Some(FileKind::Special));
}

pub fn a_write_through_a_link_replaces_the_target(place: &Place) {
    let target = place.file("dotfiles/f", "old");
    place.link("f", "dotfiles/f");
    let second = place.link("second", "f");
    place.replace(&second, "new");
    assert_eq!(place.text(&target), "new");
    assert_eq!(kind(place, &second), Some(FileKind::Link), "the links stay");
    assert_eq!(kind(place, &place.at("f")), Some(FileKind::Link));
    assert_eq!(place.names(&place.at("dotfiles")), ["f"]);
}

pub fn a_write_through_a_dangling_link_creates_the_target(place: &Place) {
    place.dir("dotfiles");
    let link = place.link("f", "dotfiles/f");
    place.replace(&link, "new");
    assert_eq!(place.text(&place.at("dotfiles/f")), "new");
    assert_eq!(kind(place, &link), Some(FileKind::Link));
    let lost = place.link("lost", "no/such/f");
    assert_eq!(write(place, &lost, "new", WriteMode::Replace), Err(WriteError::NoParent));
}

pub fn a_write_needs_its_directory(place: &Place) {
    place.file("f", "");
    place.link("nowhere", "none");
    for name in ["none/f", "f/child", "nowhere/child"] {
        for how in [WriteMode::New, WriteMode::Replace] {
            assert_eq!(write(place, &place.at(name), "", how), Err(WriteError::NoParent), "{name}");
        }
    }
    let too_long = place.at(&"n".repeat(256));
    assert!(matches!(write(place, &too_long, "", WriteMode::New), Err(WriteError::Other(_))));
    assert_eq!(place.names(&place.root), ["f", "nowhere"], "no temporary file stays after a failure");
}

pub fn one_of_many_new_writers_wins(place: &Place) {
    let path = place.at("f");
    let wins = AtomicUsize::new(0);
    thread::scope(|scope| {
        for number in 0..8 {
            let (path, wins) = (&path, &wins);
            scope.spawn(move || match write(place, path, &number.to_string(), WriteMode::New) {
                Ok(()) => _ = wins.fetch_add(1, Ordering::Relaxed),
                Err(error) => assert_eq!(error, WriteError::Exists),
            });
        }
    });
    assert_eq!(wins.load(Ordering::Relaxed), 1);
    assert_eq!(place.names(&place.root), ["f"]);
}

pub fn make_dir_returns_whether_it_made_the_directory(place: &Place) {
    let dir = place.at("d");
    assert_eq!(place.system.make_dir(&dir, 0o700), Ok(CreateOutcome::New));
    assert_eq!(place.system.stat(&dir).and_then(|stat| stat.mode), Some(0o700));
    assert_eq!(place.system.make_dir(&dir, 0o777), Ok(CreateOutcome::Existed));
    assert_eq!(
        place.system.stat(&dir).and_then(|stat| stat.mode),
        Some(0o700),
        "an existing one is left alone"
    );
    assert_eq!(place.system.make_dir(&place.at("open"), 0o777), Ok(CreateOutcome::New));
    assert_eq!(
        place.system.stat(&place.at("open")).and_then(|stat| stat.mode),
        Some(0o777),
        "whatever the umask"
    );

    place.file("f", "");
    place.link("to-dir", "d");
    place.link("nowhere", "none");
    assert_eq!(place.system.make_dir(&place.at("to-dir"), 0o700), Ok(CreateOutcome::Existed));
    assert_eq!(place.system.make_dir(&place.at("f"), 0o700), Err(WriteError::Exists));
    assert_eq!(place.system.make_dir(&place.at("nowhere"), 0o700), Err(WriteError::Exists));
    assert_eq!(place.system.make_dir(&place.at("no/parent"), 0o700), Err(WriteError::NoParent));
    assert_eq!(place.system.make_dir(&place.at("f/child"), 0o700), Err(WriteError::NoParent));
    assert_eq!(place.system.make_dir(Path::new("/"), 0o700), Ok(CreateOutcome::Existed));

    let made = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let answer = place.system.make_dir(&place.at("race"), 0o700).expect("a directory");
                made.fetch_add(usize::from(answer == CreateOutcome::New), Ordering::Relaxed);
            });
        }
    });
    assert_eq!(made.load(Ordering::Relaxed), 1, "exactly one made it");
}

pub fn make_dirs_makes_the_parents(place: &Place) {
    let deep = place.at("a/b/c");
    assert_eq!(place.system.make_dirs(&deep, 0o700), Ok(()));
    assert_eq!(place.system.make_dirs(&deep, 0o700), Ok(()));
    for name in ["a", "a/b", "a/b/c"] {
        let stat = place.system.stat(&place.at(name)).expect("a directory");
        assert_eq!((stat.kind, stat.mode), (FileKind::Dir, Some(0o700)), "{name}");
    }
    place.file("f", "");
    place.link("nowhere", "none");
    for name in ["f", "f/child", "nowhere/child"] {
        assert_eq!(place.system.make_dirs(&place.at(name), 0o700), Err(WriteError::Exists), "{name}");
    }
}

pub fn remove_removes_files_and_links_only(place: &Place) {
    let file = place.file("d/f", "text");
    place.file("g", "");
    let link = place.link("link", "d");
    let nowhere = place.link("nowhere", "none");
    assert_eq!(place.system.remove(&link), Ok(()));
    assert_eq!(place.text(&file), "text", "the link is gone, not what it led to");
    assert_eq!(place.system.remove(&nowhere), Ok(()));
    assert_eq!(place.system.remove(&place.special("s")), Ok(()));
    assert!(matches!(place.system.remove(&place.at("d")), Err(WriteError::Other(_))), "a directory");
    assert_eq!(place.system.remove(&file), Ok(()));
    for name in ["d/f", "none/at/all", "g/child"] {
        assert_eq!(place.system.remove(&place.at(name)), Ok(()), "nothing is there: {name}");
    }
    assert_eq!(place.names(&place.root), ["d", "g"]);
}

pub fn remove_dir_removes_empty_directories_only(place: &Place) {
    let file = place.file("d/f", "text");
    let link = place.link("link", "d");
    for path in [&place.at("d"), &file, &link] {
        assert!(place.system.remove_dir(path).is_err(), "{}", path.display());
    }
    assert_eq!(place.system.remove(&file), Ok(()));
    assert_eq!(place.system.remove_dir(&place.at("d")), Ok(()));
    for name in ["d", "none/at/all"] {
        assert_eq!(place.system.remove_dir(&place.at(name)), Ok(()), "nothing is there: {name}");
    }
    assert_eq!(place.names(&place.root), ["link"], "a link is no directory");
}

pub fn a_lock_excludes_and_ends_with_its_value(place: &Place) {
    let path = place.at("lock");
    let untrusted = place.system.lock(&path).expect("a free lock");
    let stat = place.system.stat(&path).expect("the lock file");
    assert_eq!((stat.kind, stat.len), (FileKind::File, 0));
    assert_eq!(place.system.lock(&path).map(drop), Err(WriteError::Busy));
    let other = place.system.lock(&place.at("other"));
    assert!(other.is_ok(), "another file is another lock");
    drop(untrusted);
    assert!(place.system.lock(&path).is_ok());
    place.file("full", "text");
    drop(place.system.lock(&place.at("full")));
    assert_eq!(place.text(&place.at("full")), "text", "a lock changes nothing in its file");
}

pub fn waiting_for_a_lock_ends_when_it_is_free(place: &Place) {
    let path = place.at("lock");
    let untrusted = place.system.lock(&path).expect("a free lock");
    let inside = AtomicBool::new(true);
    let started = Barrier::new(2);
    thread::scope(|scope| {
        scope.spawn(|| {
            started.wait();
            let _lock = place.system.lock(&path).expect("the lock becomes free in time");
            assert!(!inside.load(Ordering::SeqCst), "never two inside");
        });
        started.wait();
        // Time in which a lock that excludes nobody would let the other one in.
        thread::sleep(Duration::from_millis(50));
        inside.store(false, Ordering::SeqCst);
        drop(untrusted);
    });
}

pub fn a_lock_needs_a_file_of_its_own(place: &Place) {
    place.dir("d");
    place.file("f", "");
    place.special("s");
    place.link("link", "f");
    place.link("nowhere", "none");
    for name in ["d", "s", "link", "nowhere"] {
        assert_eq!(place.system.lock(&place.at(name)).map(drop), Err(WriteError::Exists), "{name}");
    }
    assert_eq!(place.system.lock(&place.at("no/parent")).map(drop), Err(WriteError::NoParent));
    assert_eq!(kind(place, &place.at("none")), None);
}

pub fn an_append_adds_to_a_file_of_its_own(place: &Place) {
    let append = |name: &str, text: &str, mode| place.system.append(&place.at(name), text.as_bytes(), mode);
    assert_eq!(append("f", "one\n", 0o600), Ok(()));
    let first = place.system.stat(&place.at("f")).expect("a file");
    assert_eq!((first.mode, first.owner), (Some(0o600), place.system.user_id()));
    assert_eq!(append("f", "two\n", 0o600), Ok(()));
    assert_eq!(append("f", "", 0o640), Ok(()));
    assert_eq!(place.text(&place.at("f")), "one\ntwo\n");
    let last = place.system.stat(&place.at("f")).expect("a file");
    assert_eq!((last.id, last.mode), (first.id, Some(0o640)), "the same file, with the requested mode");

    place.dir("d");
    place.special("s");
    place.link("to-file", "f");
    place.link("nowhere", "none");
    for name in ["d", "s", "to-file", "nowhere"] {
        assert_eq!(append(name, "x", 0o600), Err(WriteError::Exists), "{name}");
    }
    assert!(place.system.append(Path::new("relative"), b"x", 0o600).is_err());
    assert_eq!(place.text(&place.at("f")), "one\ntwo\n");
    assert_eq!(place.names(&place.root), ["d", "f", "nowhere", "s", "to-file"]);
}

pub fn a_rename_never_replaces(place: &Place) {
    let rename = |from: &str, to: &str| place.system.rename(&place.at(from), &place.at(to));
    place.file("f", "text");
    place.file("g", "other");
    place.dir("d");
    place.link("l", "f");
    place.link("nowhere", "none");
    for to in ["g", "d", "l", "nowhere", "f"] {
        assert_eq!(rename("f", to), Err(WriteError::Exists), "{to}");
    }
    assert_eq!(rename("none", "h"), Err(WriteError::NoParent));
    assert_eq!(rename("f", "h"), Ok(()));
    assert_eq!(place.text(&place.at("h")), "text");
    assert_eq!(rename("l", "m"), Ok(()), "a link moves itself");
    assert_eq!(kind(place, &place.at("m")), Some(FileKind::Link));
    place.file("d/in", "inside");
    assert_eq!(rename("d", "e"), Ok(()), "a directory moves with what is in it");
    assert_eq!(place.text(&place.at("e/in")), "inside");
    place.dir("empty");
    assert_eq!(rename("e", "empty"), Err(WriteError::Exists), "an empty directory is not replaced");
    assert_eq!(place.names(&place.root), ["e", "empty", "g", "h", "m", "nowhere"]);
}

/// Directories beneath a root are made without a link on the way.
pub fn directories_beneath_a_root_follow_no_link(place: &Place) {
    let root = place.dir("project");
    let make =
        |path: &str| make_dirs_within(place.system.as_ref(), &place.at(path), ReadScope::Root(&root), 0o700);
    assert_eq!(make("project/a/b"), Ok(()));
    assert_eq!(place.system.stat(&place.at("project/a")).and_then(|stat| stat.mode), Some(0o700));
    place.dir("elsewhere");
    place.link("project/out", "../elsewhere");
    place.link("project/inside", "a");
    place.link("project/nowhere", "../new");
    for path in
        ["project/out", "project/out/deep", "project/inside", "project/nowhere", "elsewhere", "project/../x"]
    {
        assert!(make(path).is_err(), "{path}");
    }
    assert_eq!(place.names(&place.at("elsewhere")), [] as [&str; 0], "nothing was made there");
    assert_eq!(kind(place, &place.at("new")), None);

    // The root itself may be a link: it is the user who named it.
    place.link("linked", "project");
    let linked = place.at("linked");
    let made = make_dirs_within(place.system.as_ref(), &linked.join("a/c"), ReadScope::Root(&linked), 0o700);
    assert_eq!(made, Ok(()));
    assert_eq!(place.names(&place.at("project/a")), ["b", "c"]);
}
