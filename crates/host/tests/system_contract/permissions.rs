//! What permissions forbid. Root is forbidden nothing, so as root the checks of the real machine run in a child
//! process as nobody.

use crate::place::Place;
use preface_host::system::{CreateOutcome, ReadError, ReadScope, WriteError, WriteMode};

const CHECKS: &[fn(&Place)] = &[
    a_directory_without_read_is_not_listed,
    a_directory_without_search_hides_what_is_in_it,
    a_directory_without_write_stays_as_it_is,
    a_file_without_read_is_denied,
    a_lock_file_of_somebody_else_is_denied,
    a_protected_file_is_replaced_where_its_directory_allows_it,
    outside_comes_before_denied,
];

fn a_file_without_read_is_denied(place: &Place) {
    let file = place.file("f", "secret");
    place.mode(&file, 0);
    place.link("l", "f");
    for path in [&file, &place.at("l")] {
        assert_eq!(place.system.read(path, ReadScope::Anywhere, 99), Err(ReadError::Denied));
        assert_eq!(place.system.read(path, place.within(), 99), Err(ReadError::Denied));
        assert_eq!(place.system.read(path, place.within(), 0), Err(ReadError::Denied), "before its size");
        assert!(place.system.stat(path).is_some(), "it can be seen");
    }
}

fn a_directory_without_search_hides_what_is_in_it(place: &Place) {
    let file = place.file("d/f", "secret");
    place.mode(&place.at("d"), 0o600);
    for within in [ReadScope::Anywhere, place.within()] {
        assert_eq!(place.system.read(&file, within, 99), Err(ReadError::Denied));
        assert_eq!(place.system.read(&place.at("d/none"), within, 99), Err(ReadError::Denied));
    }
    assert_eq!(place.system.stat(&file), None);
    assert_eq!(place.system.link_stat(&file), None);
    assert_eq!(place.system.canonical(&file), Err(ReadError::Denied));
    assert_eq!(place.system.write(&file, b"", WriteMode::Replace, 0o600), Err(WriteError::Denied));
    assert_eq!(place.system.remove(&file), Err(WriteError::Denied));
    assert_eq!(place.names(&place.at("d")), ["f"], "it may still be listed");
    place.mode(&place.at("d"), 0o700);
}

fn a_directory_without_read_is_not_listed(place: &Place) {
    let file = place.file("d/f", "text");
    place.mode(&place.at("d"), 0o300);
    assert_eq!(place.system.list(&place.at("d"), 9), Err(ReadError::Denied));
    assert_eq!(place.text(&file), "text", "who knows the name may read");
    let read = place.system.read(&file, place.within(), 99).map(|read| read.into_bytes());
    assert_eq!(read, Ok(b"text".to_vec()));
    let written = place.system.write(&place.at("d/g"), b"", WriteMode::New, 0o600);
    assert_eq!(written, Err(WriteError::Denied), "a directory that cannot be opened cannot be flushed");
    assert_eq!(place.system.make_dir(&place.at("d/d"), 0o700), Ok(CreateOutcome::New));
    place.mode(&place.at("d"), 0o700);
}

fn a_directory_without_write_stays_as_it_is(place: &Place) {
    let file = place.file("d/f", "old");
    place.mode(&place.at("d"), 0o555);
    for how in [WriteMode::New, WriteMode::Replace] {
        assert_eq!(place.system.write(&place.at("d/g"), b"", how, 0o600), Err(WriteError::Denied));
    }
    assert_eq!(
        place.system.write(&file, b"", WriteMode::New, 0o600),
        Err(WriteError::Exists),
        "before denied"
    );
    assert_eq!(place.system.write(&file, b"", WriteMode::Replace, 0o600), Err(WriteError::Denied));
    assert_eq!(place.system.make_dir(&place.at("d/d"), 0o700), Err(WriteError::Denied));
    assert_eq!(place.system.make_dirs(&place.at("d/d/e"), 0o700), Err(WriteError::Denied));
    assert_eq!(place.system.make_dir(&place.at("d"), 0o700), Ok(CreateOutcome::Existed));
    assert_eq!(place.system.remove(&file), Err(WriteError::Denied));
    assert_eq!(place.system.remove(&place.at("d/none")), Ok(()));
    assert_eq!(place.system.lock(&place.at("d/lock")).map(drop), Err(WriteError::Denied));
    assert_eq!(place.names(&place.at("d")), ["f"]);
    assert_eq!(place.text(&file), "old");
    place.mode(&place.at("d"), 0o755);
}

fn a_protected_file_is_replaced_where_its_directory_allows_it(place: &Place) {
    let file = place.file("f", "old");
    place.mode(&file, 0o400);
    place.replace(&file, "new");
    assert_eq!(place.text(&file), "new");
}

fn a_lock_file_of_somebody_else_is_denied(place: &Place) {
    let file = place.file("lock", "");
    place.mode(&file, 0o400);
    assert_eq!(place.system.lock(&file).map(drop), Err(WriteError::Denied));
}

fn outside_comes_before_denied(place: &Place) {
    let root = place.dir("root");
    let file = place.file("closed/f", "secret");
    place.link("root/out", "../closed/f");
    place.mode(&place.at("closed"), 0);
    let read = place.system.read(&root.join("out"), ReadScope::Root(&root), 99);
    assert_eq!(read, Err(ReadError::Outside { target: file }));
    place.mode(&place.at("closed"), 0o700);
}

#[test]
fn memory() {
    for check in CHECKS {
        check(&Place::memory());
    }
}

mod os {
    use super::*;
    use std::{env, fs, os::unix::fs::PermissionsExt, os::unix::process::CommandExt, process::Command};

    const AS_NOBODY: &str = "PREFACE_TEST_AS_NOBODY";
    const NOBODY: u32 = 65534;

    fn all() {
        for check in CHECKS {
            check(&Place::os());
        }
    }

    #[test]
    fn as_whoever_we_are() {
        if !rustix::process::geteuid().is_root() {
            return all();
        }
        // A copy, because nobody may not be let into the build directory.
        let dir = tempfile::tempdir().expect("a temporary directory");
        let program = dir.path().join("checks");
        fs::copy(env::current_exe().expect("this test"), &program).expect("a copy");
        for path in [dir.path(), &program] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("our own files");
        }
        let mut child = Command::new(program);
        child.args(["--exact", "permissions::os::as_nobody", "--nocapture"]).env(AS_NOBODY, "1");
        crate::os_only::expect_one_test(child.current_dir("/").uid(NOBODY).gid(NOBODY));
    }

    /// Runs only in the child of `as_whoever_we_are`.
    #[test]
    fn as_nobody() {
        if env::var_os(AS_NOBODY).is_some() {
            assert!(!rustix::process::geteuid().is_root());
            all();
        }
    }
}
