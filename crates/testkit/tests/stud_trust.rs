//! Nothing of a project is opened before it is trusted, and what a decision leaves on the disk.

use preface::{
    ASSETS, Ask, Built, Engine, Request, TrustAnswer, TrustChoice, TrustQuestion,
    host::{
        look::Confirm,
        system::{System, Within, memory::Verb},
    },
};
use preface_testkit::MemorySystem;
use std::{path::Path, sync::Mutex};

const STORE: &str = "/home/user/.stud/trust.json";

fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_file("/home/user/.stud/system.md", "G")
        .with_file("/work/.stud/system.md", "SECRET OF THE PROJECT")
        .with_file("/work/.stud/settings.json", "{}")
        .with_file("/work/.stud/ordering.json", "{}")
        .with_file("/work/.stud/mcp.json", "{}")
        .with_file("/work/.stud/sections/rules.md", "RULES")
        .with_file("/work/.stud/extensions/hooks/audit/manifest.json", "{}")
}

fn request() -> Request {
    Request { preset: Some("stud".into()), ..Request::new("/work") }
}

/// Answers every question alike, and looks at the log when asked.
#[derive(Debug)]
struct Person<'s> {
    system: &'s MemorySystem,
    answer: TrustAnswer,
    opened_before: Mutex<Option<usize>>,
    asked: Mutex<usize>,
}

impl<'s> Person<'s> {
    fn new(system: &'s MemorySystem, answer: TrustAnswer) -> Self {
        Person { system, answer, opened_before: Mutex::default(), asked: Mutex::default() }
    }

    fn asked(&self) -> usize {
        *self.asked.lock().expect("nobody panicked")
    }
}

impl Confirm for Person<'_> {
    fn confirm(&self, _question: &str) -> bool {
        false
    }
}

impl Ask for Person<'_> {
    fn trust(&self, _question: &TrustQuestion) -> Option<TrustAnswer> {
        *self.asked.lock().expect("nobody panicked") += 1;
        *self.opened_before.lock().expect("nobody panicked") = Some(opened(self.system));
        Some(self.answer)
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

/// Counts the reads below the project directory.
fn opened(system: &MemorySystem) -> usize {
    let read = |place: &Path, verb| verb == Verb::Read && place.starts_with("/work/.stud");
    system.touches().iter().filter(|touch| read(&touch.place, touch.verb)).count()
}

fn entries(system: &MemorySystem) -> Vec<serde_json::Value> {
    let read = system.read(Path::new(STORE), Within::Anywhere, 1 << 20).expect("a store");
    let store: serde_json::Value = serde_json::from_slice(&read.bytes).expect("the store is JSON");
    store["entries"].as_array().expect("entries").clone()
}

#[test]
fn without_trust_a_turn_only_looks_whether_the_directory_is_there() {
    for trust in [TrustChoice::Ask, TrustChoice::Deny] {
        let system = machine();
        let built = Engine::new(&system).build(&Request { trust, ..request() }).expect("the session goes on");
        assert_eq!(built.prompt.text, "G");
        for touch in system.touches() {
            let inside = touch.place.starts_with("/work/.stud") && touch.place != Path::new("/work/.stud");
            assert!(!inside, "{trust:?} touches the inside of an untrusted project: {touch:?}");
        }
        assert!(!format!("{:?}", built.prompt).contains("SECRET"), "no note or event holds the text");
    }
}

#[test]
fn a_question_shows_names_and_sizes_before_anything_is_opened() {
    for answer in [TrustAnswer::Trust, TrustAnswer::Once, TrustAnswer::Decline] {
        let system = machine();
        let person = Person::new(&system, answer);
        Engine::new(&system).build_asking(&request(), &person).expect("the session goes on");
        assert_eq!(*person.opened_before.lock().expect("nobody panicked"), Some(0), "{answer:?}");
    }
}

#[test]
fn an_abort_opens_and_records_nothing() {
    let system = machine();
    let person = Person::new(&system, TrustAnswer::Abort);
    let error = Engine::new(&system).build_asking(&request(), &person).err();
    assert_eq!(error, Some(preface::Error::Abort));
    assert_eq!((opened(&system), system.stat(Path::new(STORE))), (0, None));
}

#[test]
fn nobody_is_asked_where_nobody_sits_and_nothing_is_recorded() {
    let system = machine();
    let built: Built = Engine::new(&system).build(&request()).expect("the session goes on");
    assert_eq!(built.held_layer.as_deref(), Some(Path::new("/work/.stud")));
    assert_eq!((system.write_steps(), system.stat(Path::new(STORE))), (0, None));
}

#[test]
fn the_history_of_declines_does_not_grow() {
    let system = machine();
    for contents in ["one", "two", "two", "three"] {
        system.put_file("/work/.stud/system.md", contents);
        let person = Person::new(&system, TrustAnswer::Decline);
        Engine::new(&system).build_asking(&request(), &person).expect("the session goes on");
        let entries = entries(&system);
        assert_eq!(entries.len(), 1, "{contents}: {entries:?}");
        assert_eq!(entries[0]["decision"], "declined");
        let again = Person::new(&system, TrustAnswer::Trust);
        Engine::new(&system).build_asking(&request(), &again).expect("the session goes on");
        assert_eq!(again.asked(), 0, "{contents} was declined");
    }
}

#[test]
fn a_grant_is_recorded_for_the_user_alone() {
    let system = machine();
    system.cut("/home/user/.stud");
    let person = Person::new(&system, TrustAnswer::Trust);
    Engine::new(&system).build_asking(&request(), &person).expect("the session goes on");
    let mode = |path: &str| system.stat(Path::new(path)).and_then(|stat| stat.mode);
    assert_eq!((mode(STORE), mode("/home/user/.stud")), (Some(0o600), Some(0o700)));
    let entries = entries(&system);
    assert_eq!(entries.len(), 1);
    assert_eq!(entries[0]["canonicalPath"], "/work/.stud");
    assert_eq!(entries[0]["decision"], "trusted");
    assert_eq!(entries[0]["grantedAt"], "2026-01-02T03:04:05.000Z");
    assert!(entries[0]["digest"].as_str().is_some_and(|digest| digest.starts_with("blake3:")));
}

#[test]
fn a_store_that_cannot_be_written_still_lets_a_decline_stand() {
    let system = machine().with_mode("/home/user/.stud", 0o555);
    let person = Person::new(&system, TrustAnswer::Decline);
    let built = Engine::new(&system).build_asking(&request(), &person).expect("the session goes on");
    assert_eq!(built.prompt.text, "G");
    let codes: Vec<&str> = built.prompt.diagnostics.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(codes, ["Session/TrustStoreUnavailable", "trust/held"]);
}

#[test]
fn a_file_outside_is_not_read_where_nobody_sits() {
    let system = machine().with_file("/srv/outside.md", "OUTSIDE");
    system.put_link("/work/.stud/system.md", "/srv/outside.md");
    let built = Engine::new(&system)
        .build(&Request { trust: TrustChoice::Once, ..request() })
        .expect("the session goes on");
    assert_eq!((built.prompt.text.as_str(), system.reads("/srv/outside.md")), ("G\n\nRULES", 0));
}
