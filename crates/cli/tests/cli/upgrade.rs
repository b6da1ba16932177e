//! What 0.1 wrote is read by every later version: `release-0.1` has a store, grants and their copies.

use crate::sandbox::Sandbox;
use std::{fs, os::unix::fs::PermissionsExt, path::Path};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    fs::set_permissions(to, fs::Permissions::from_mode(0o700)).expect("a mode");
    for entry in fs::read_dir(from).expect("the files of the release").map(|entry| entry.expect("an entry")) {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).expect("a copy");
            fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("a mode");
        }
    }
}

#[test]
fn stores_and_grants_of_0_1_are_read() {
    let sandbox = Sandbox::empty();
    let release = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/release-0.1");
    copy(&release, &sandbox.path("home/.local/state/preface"));
    sandbox.run("preface template show prod").exits(0).prints("You help.\n").says("");
    sandbox.run("preface template show").exits(0).prints("You help with care.\n");
    let prompt = sandbox.run("preface conversation show c-1").exits(0);
    assert!(prompt.stdout.contains("default: 7 parts"), "{}", prompt.stdout);
    assert!(sandbox.run("preface token list").exits(0).stdout.contains("ci"));
    let trust = sandbox.run("preface trust list --format json").exits(0).json();
    assert_eq!(trust["entries"][0]["path"], "/home/ada/engine", "{trust}");
    sandbox.work("t.md", "You help again.\n");
    sandbox.run("preface template set t.md").exits(0);
    assert!(sandbox.run("preface template list main").exits(0).stdout.contains('3'), "it is written to");
}
