//! Nothing of a project is opened where nobody is asked, what a question shows, and what a decision leaves on the disk.

use preface_core::{audit::AuditEvent, diagnostic::Diagnostic};
use preface_engine::{
    ASSETS, Ask, BuildOptions, BuildResult, Conversation, Engine, TrustAnswer, TrustChoice, TrustQuestion,
    coverage::HiddenText,
    host::{
        provider::context::Confirm,
        system::{ReadScope, System},
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

fn request() -> BuildOptions {
    BuildOptions { preset: Some("stud".into()), ..BuildOptions::in_dir("/work") }
}

/// Answers every question alike, and keeps the questions.
#[derive(Debug)]
struct Person {
    answer: TrustAnswer,
    questions: Mutex<Vec<TrustQuestion>>,
}

impl Person {
    fn new(answer: TrustAnswer) -> Self {
        Person { answer, questions: Mutex::default() }
    }

    fn questions(&self) -> Vec<TrustQuestion> {
        self.questions.lock().expect("nobody panicked").clone()
    }
}

impl Confirm for Person {
    fn confirm(&self, _question: &str) -> bool {
        false
    }
}

impl Ask for Person {
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer> {
        self.questions.lock().expect("nobody panicked").push(question.clone());
        Some(self.answer)
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

/// Returns the question of a build.
fn question(system: &MemorySystem, answer: TrustAnswer) -> TrustQuestion {
    let person = Person::new(answer);
    _ = Engine::new(system).build_interactive(&request(), &person);
    person.questions().pop().expect("a question")
}

/// The one record of the store.
fn record(system: &MemorySystem) -> serde_json::Value {
    let read = system.read(Path::new(STORE), ReadScope::Anywhere, 1 << 20).expect("a store");
    let store: serde_json::Value = serde_json::from_slice(&read.bytes).expect("the store is JSON");
    assert_eq!(store["roots"].as_object().map(serde_json::Map::len), Some(1), "{store}");
    store["roots"]["/work/.stud"].clone()
}

#[test]
fn without_trust_a_turn_only_looks_whether_the_directory_is_there() {
    for trust in [TrustChoice::Ask, TrustChoice::Deny] {
        let system = machine();
        let built =
            Engine::new(&system).build(&BuildOptions { trust, ..request() }).expect("the session goes on");
        assert_eq!(built.prompt.text, "G");
        for touch in system.touches() {
            let inside = touch.place.starts_with("/work/.stud") && touch.place != Path::new("/work/.stud");
            assert!(!inside, "{trust:?} touches the inside of an untrusted project: {touch:?}");
        }
        assert!(!format!("{:?}", built.prompt).contains("SECRET"), "no note or event holds the text");
    }
}

#[test]
fn a_question_shows_what_a_grant_covers() {
    let manifest = |category: &str, id: &str, more: &str| {
        format!(
            r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0"{more}}}"#
        )
    };
    let hook = manifest("hooks", "audit", r#", "event": "input", "command": ["/bin/sh", "-c", "id"]"#);
    let system = machine()
        .with_file("/home/user/.stud/extensions/tools/mine/manifest.json", manifest("tools", "mine", ""))
        .with_file("/work/.stud/extensions/tools/mine/manifest.json", manifest("tools", "mine", ""))
        .with_file("/work/.stud/extensions/hooks/audit/manifest.json", hook)
        .with_file("/work/.stud/settings.json", r#"{"securityMode": {"allowlist": ["rm"]}}"#);
    let question = question(&system, TrustAnswer::Abort);
    assert_eq!(
        question.contents,
        [
            ".stud/settings.json (39 bytes)",
            ".stud/extensions/hooks/audit/manifest.json (152 bytes)",
            ".stud/extensions/tools/mine/manifest.json (97 bytes)",
            ".stud/ordering.json (2 bytes)",
            ".stud/mcp.json (2 bytes)",
            ".stud/sections/rules.md (5 bytes, sent to the model)",
            ".stud/system.md (21 bytes, sent to the model)",
            "the project replaces your `tools/mine` with .stud/extensions/tools/mine/manifest.json",
            "the project adds to `securityMode.allowlist`: `rm`",
            "could run, outside of any sandbox, once the commands of the project are granted:",
            "  hooks/audit",
            "    runs /bin/sh -c id",
            "    in .",
            "    what sh reads, loads or starts is not pinned",
        ]
    );
    assert!(question.can_trust);
    let read =
        |name: &str| question.texts.iter().find(|(shown, _)| shown == name).map(|(_, text)| text.as_str());
    assert_eq!(read(".stud/system.md"), Some("SECRET OF THE PROJECT"));
}

#[test]
fn a_yes_does_not_trust_hidden_text_or_what_cannot_be_read() {
    let unreadable = machine().with_mode("/work/.stud/system.md", 0);
    let hidden = machine().with_file("/work/.stud/system.md", "P\u{e0041}");
    for (system, expected) in [
        (hidden, ".stud/system.md:1: tag characters hide the text `A`: U+E0041"),
        (unreadable, "not read: .stud/system.md: permission denied"),
    ] {
        let question = question(&system, TrustAnswer::Trust);
        assert!(question.contents.iter().any(|line| line == expected), "{:?}", question.contents);
        assert!(!question.can_trust);
        assert_eq!(system.stat(Path::new(STORE)), None, "{expected}");
    }
}

#[test]
fn what_cannot_be_read_is_not_granted() {
    let system = machine().with_mode("/work/.stud/system.md", 0);
    let granted = preface_testkit::grant(&Engine::new(&system), &request(), &[], HiddenText::Allow);
    let why = granted.expect_err("nobody knows what would be granted").to_string();
    assert!(why.contains(".stud/system.md (permission denied)"), "{why}");
    assert_eq!(system.stat(Path::new(STORE)), None);
}

#[test]
fn an_abort_records_nothing() {
    let system = machine();
    let person = Person::new(TrustAnswer::Abort);
    let error = Engine::new(&system).build_interactive(&request(), &person).err();
    assert_eq!((error, system.stat(Path::new(STORE))), (Some(preface_engine::Error::Abort), None));
}

#[test]
fn nobody_is_asked_where_nobody_sits_and_nothing_is_recorded() {
    let system = machine();
    let built: BuildResult = Engine::new(&system).build(&request()).expect("the session goes on");
    assert_eq!(built.untrusted_layer.as_deref(), Some(Path::new("/work/.stud")));
    assert_eq!((system.write_steps(), system.stat(Path::new(STORE))), (0, None));
}

#[test]
fn the_history_of_declines_does_not_grow() {
    let system = machine();
    for contents in ["one", "two", "two", "three"] {
        system.put_file("/work/.stud/system.md", contents);
        let person = Person::new(TrustAnswer::Decline);
        Engine::new(&system).build_interactive(&request(), &person).expect("the session goes on");
        let record = record(&system);
        assert!(record["declined"].is_object() && record.get("whole").is_none(), "{contents}: {record}");
        let again = Person::new(TrustAnswer::Trust);
        Engine::new(&system).build_interactive(&request(), &again).expect("the session goes on");
        assert_eq!(again.questions(), [], "{contents} was declined");
    }
}

#[test]
fn the_first_files_are_reported_once_whatever_the_answer_is() {
    for answer in [TrustAnswer::Trust, TrustAnswer::Once, TrustAnswer::Decline] {
        let system = MemorySystem::new()
            .with_bundle(ASSETS)
            .with_home("/home/user")
            .with_file("/work/.stud/system.md", "P");
        let person = Person::new(answer);
        let built = Engine::new(&system).build_interactive(&request(), &person).expect("the session goes on");
        assert_eq!(person.questions().len(), 1, "{answer:?}");
        let is_first = |event: &&AuditEvent| matches!(event, AuditEvent::SystemPromptScaffolded { .. });
        assert!(
            built.prompt.audit.first().as_ref().is_some_and(is_first),
            "{answer:?}: {:?}",
            built.prompt.audit
        );
        assert_eq!(built.prompt.audit.iter().filter(is_first).count(), 1, "{answer:?}");
        let codes = built.prompt.diagnostics.iter().map(|found| found.code.as_str());
        assert_eq!(codes.filter(|code| *code == "scaffold/created").count(), 1, "{answer:?}");
    }
}

#[test]
fn a_grant_is_recorded_for_the_user_alone() {
    let system = machine();
    system.cut("/home/user/.stud");
    let person = Person::new(TrustAnswer::Trust);
    Engine::new(&system).build_interactive(&request(), &person).expect("the session goes on");
    let mode = |path: &str| system.stat(Path::new(path)).and_then(|stat| stat.mode);
    assert_eq!((mode(STORE), mode("/home/user/.stud")), (Some(0o600), Some(0o700)));
    let record = record(&system);
    assert_eq!(record["at"], "2026-01-02T03:04:05Z");
    assert_eq!(record["whole"], true);
    let digest = &record["texts"]["system.md"][0]["digest"];
    assert!(digest.as_str().is_some_and(|digest| digest.starts_with("blake3:")), "{record}");
}

#[test]
fn a_store_that_cannot_be_written_still_lets_a_decline_stand() {
    let system = machine().with_mode("/home/user/.stud", 0o555);
    let person = Person::new(TrustAnswer::Decline);
    let built = Engine::new(&system).build_interactive(&request(), &person).expect("the session goes on");
    assert_eq!(built.prompt.text, "G");
    let codes: Vec<&str> =
        built.prompt.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(codes, ["trust/store-unavailable", "trust/untrusted"]);
}

#[test]
fn a_file_outside_is_not_read_where_nobody_sits() {
    let system = machine().with_file("/srv/outside.md", "OUTSIDE");
    system.put_link("/work/.stud/system.md", "/srv/outside.md");
    let built = Engine::new(&system)
        .build(&BuildOptions { trust: TrustChoice::Once, ..request() })
        .expect("the session goes on");
    assert_eq!((built.prompt.text.as_str(), system.reads("/srv/outside.md")), ("G\n\nRULES", 0));
}

#[test]
fn an_answer_for_once_holds_as_long_as_a_conversation() {
    let system = machine();
    let person = Person::new(TrustAnswer::Once);
    let setup = Conversation::setup(std::sync::Arc::new(system.clone()), request());
    let mut conversation = setup.start_interactive(&person).expect("it starts");
    assert!(conversation.base().text.contains("SECRET OF THE PROJECT"), "{}", conversation.base().text);
    conversation.reload().expect("it is read again");
    assert!(conversation.base().text.contains("SECRET OF THE PROJECT"));
    assert_eq!(person.questions().len(), 1);
    assert!(system.stat(Path::new(STORE)).is_none(), "nothing is recorded");
}

/// Changes a text of the project while it is asked about, and agrees.
#[derive(Debug)]
struct Swapping(MemorySystem, TrustAnswer);

impl Confirm for Swapping {
    fn confirm(&self, _question: &str) -> bool {
        false
    }
}

impl Ask for Swapping {
    fn trust(&self, _question: &TrustQuestion) -> Option<TrustAnswer> {
        self.0.put_file("/work/.stud/system.md", "SWAPPED");
        Some(self.1)
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

#[test]
fn an_answer_for_once_is_about_what_was_shown() {
    let system = machine();
    let person = Swapping(system.clone(), TrustAnswer::Once);
    let built = Engine::new(&system).build_interactive(&request(), &person).expect("a prompt");
    assert_eq!(built.prompt.text, "G\n\nRULES");
    let diagnostic =
        built.prompt.diagnostics.iter().find(|diagnostic| diagnostic.message.contains(".stud/system.md"));
    assert!(
        diagnostic.is_some_and(|diagnostic| diagnostic.code.as_str() == "trust/untrusted"),
        "{:?}",
        built.prompt.diagnostics
    );

    let system = machine().with_file("/work/.stud/system.md", "HIDDEN \u{e0041}\u{e0042}");
    let person = Person::new(TrustAnswer::Once);
    let built = Engine::new(&system).build_interactive(&request(), &person).expect("a prompt");
    assert_eq!(built.prompt.text, "G\n\nRULES", "hidden text takes a flag");
}

#[test]
fn a_yes_is_about_what_was_shown() {
    let system = machine();
    let person = Swapping(system.clone(), TrustAnswer::Trust);
    let built = Engine::new(&system).build_interactive(&request(), &person).expect("a prompt");
    let is_changed = |diagnostic: &Diagnostic| {
        diagnostic.code.as_str() == "trust/changed" && diagnostic.message.starts_with(".stud/system.md")
    };
    assert!(built.prompt.diagnostics.iter().any(is_changed), "{:?}", built.prompt.diagnostics);
}

/// A store that came with the project has no grants, whether it lies in the project's directory or beside it.
#[test]
fn a_store_in_the_project_is_not_believed() {
    let repository = || {
        let system = machine().with_file("/work/.git/HEAD", "ref: refs/heads/main\n");
        system.with_dir("/work/.git/objects").with_dir("/work/.git/refs")
    };
    let request = BuildOptions { preset: Some("stud".into()), ..BuildOptions::in_dir("/work") };
    let grant = |system: &MemorySystem| {
        preface_testkit::grant(&Engine::new(system), &request, &[], HiddenText::Refuse)
    };
    let granted = repository();
    grant(&granted).expect("a grant");
    let record =
        granted.read(Path::new(STORE), ReadScope::Anywhere, 1 << 20).expect("the store").into_bytes();
    let has_project = |system: &MemorySystem| {
        Engine::new(system).build(&request).expect("a prompt").prompt.text.contains("SECRET")
    };
    assert!(has_project(&granted));
    for home in ["/work/cfg", "/work/.stud", "/work/.git/cfg"] {
        let store = format!("{home}/trust.json");
        let system = repository().with_var("PREFACE_HOME", home).with_file(&store, record.clone());
        assert!(!has_project(&system), "{home}");
        assert!(grant(&system).is_err(), "{home} takes no grant");
    }
}
