//! The rules of the store, one by one, on a machine in memory.

use super::*;
use crate::system::{
    ReadError, System, WriteError,
    testing::{AccessKind, MemorySystem, WriteFault},
};
use jiff::{SignedDuration, Timestamp};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostics, Severity},
    trust::Trust,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

mod commands;
mod faults;
mod last_word;
mod permissions;
mod pinned;
mod whole;

const FILE: &str = "/home/user/.config/x/trust.json";
const KEY: &str = "/work/.stud";
const ROOT: &str = "/work";

fn store(system: &MemorySystem) -> TrustStore<'_> {
    TrustStore::at(system, FILE.into())
}

fn key() -> &'static Path {
    Path::new(KEY)
}

fn root() -> &'static Path {
    Path::new(ROOT)
}

fn at(text: &str) -> Timestamp {
    text.parse().expect("an instant")
}

fn content(system: &MemorySystem) -> String {
    content_of(system, FILE)
}

fn content_of(system: &MemorySystem, path: &str) -> String {
    let read = system.read(Path::new(path), crate::system::ReadScope::Anywhere, u64::MAX);
    String::from_utf8(read.expect("a file").into_bytes()).expect("text")
}

/// Loads and expects no notes.
fn load(system: &MemorySystem) -> Records {
    let mut diagnostics = Diagnostics::new();
    let records = store(system).load(&mut diagnostics);
    assert_eq!(diagnostics, [], "{}", content(system));
    records
}

fn codes(diagnostics: &Diagnostics) -> Vec<&str> {
    diagnostics.iter().map(|note| note.code.as_str()).collect()
}

fn trust(records: &Records, path: &str) -> Trust {
    records.root(Path::new(path)).trust()
}

/// The files of a project that is granted as a whole.
fn whole_files(bytes: &[u8]) -> [PinnedText; 1] {
    [PinnedText { path: PinPath::parse("system.md").expect("a good name"), bytes: bytes.to_vec() }]
}

fn text(path: &str, bytes: &str) -> PinnedText {
    PinnedText { path: PinPath::parse(path).expect("a good name"), bytes: bytes.into() }
}

fn endpoint(subject: &str, url: &str) -> Permission {
    Permission {
        subject: subject.into(),
        action: PermissionAction::Endpoint { url: url.into(), with: BTreeMap::new() },
    }
}

fn state(pins: &RootRecord, path: &str, bytes: &str) -> GrantState {
    pins.state(&PinPath::parse(path).expect("a good name"), &Digest::of(bytes.as_bytes()))
}

/// Where the file lies does not matter to a caller.
#[test]
fn a_linked_store_is_written_through() {
    let system = MemorySystem::new()
        .with_file("/dotfiles/trust.json", "{\"version\": 1, \"roots\": {}}")
        .with_mode("/dotfiles/trust.json", 0o600)
        .with_link(FILE, "/dotfiles/trust.json");
    store(&system).grant_whole(key(), &whole_files(b"")).expect("granted");
    assert!(content_of(&system, "/dotfiles/trust.json").contains(KEY));
    assert_eq!(store(&system).file(), PathBuf::from(FILE));
}
