//! The limits of `system.md` that are too large to be written down in a case.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, TrustChoice,
    core::{
        budget::{Bytes4, Counter},
        snapshot::Item,
    },
    host::system::ReadError,
};
use preface_testkit::MemorySystem;

const FILE: &str = "/home/user/.stud/system.md";

fn turn(system: &MemorySystem) -> BuildResult {
    let mut request = BuildOptions::in_dir("/work");
    request.preset = Some("stud".into());
    request.trust = TrustChoice::Once;
    Engine::new(system).build(&request).expect("a turn is built")
}

fn with_text(text: &str) -> MemorySystem {
    MemorySystem::new().with_bundle(ASSETS).with_file(FILE, text)
}

fn with_settings(text: &str, fields: &str) -> MemorySystem {
    let settings = format!(r#"{{"contextProviders": {{"SystemPromptFile": {fields}}}}}"#);
    with_text(text).with_file("/home/user/.stud/settings.json", settings)
}

fn codes(built: &BuildResult) -> Vec<&str> {
    built.prompt.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

/// 4096 tokens are 16384 bytes. 1000 lines of 32 bytes are 8000 tokens. A marker of 34 bytes leaves 16350 of them; 510
/// whole lines are 16320 bytes, 4080 tokens; 8000 less 4080 are 3920.
#[test]
fn the_default_ceiling_is_4096_tokens() {
    let line = "A line of thirty-two characters\n";
    let fits = line.repeat(512);
    assert_eq!(fits.len(), 16384);
    let built = turn(&with_text(&fits));
    assert_eq!((built.prompt.text.as_str(), codes(&built)), (fits.as_str(), vec![]));

    let built = turn(&with_text(&format!("{fits}x")));
    assert_eq!(codes(&built), ["budget/cut"], "one byte more is one token more");

    let built = turn(&with_text(&line.repeat(1000)));
    let expected = format!("{}…[truncated 3920 of 8000 tokens]", line.repeat(510));
    assert_eq!(built.prompt.text, expected);
    assert!(Bytes4.count(&built.prompt.text) <= 4096);
}

#[test]
fn a_path_has_at_most_4096_characters() {
    let fields = |length: usize| format!(r#"{{"paths": {{"global": "{}"}}}}"#, "é".repeat(length));
    let built = turn(&with_settings("G", &fields(4097)));
    assert_eq!((built.prompt.text.as_str(), codes(&built)), ("G", vec!["settings/schema-violation"]));
    // The longest one is taken, and leads to nothing that could be read.
    let built = turn(&with_settings("G", &fields(4096)));
    assert_eq!((built.prompt.text.as_str(), codes(&built)), ("", vec!["prompt/file-left-out"]));
}

fn bytes(item: &Item) -> usize {
    item.pieces.iter().map(|piece| piece.text.len()).sum()
}

#[test]
fn a_file_over_the_cap_is_read_to_it_and_cut() {
    let cap = 256 << 10;
    let built = turn(&with_text(&"x".repeat(cap)));
    assert_eq!(codes(&built), ["budget/cut"], "at the cap it is read, and cut");
    assert!(built.prompt.text.ends_with(" of 65536 tokens]"), "the marker has the whole size");

    let built = turn(&with_text(&"x".repeat(cap + 1)));
    assert_eq!(codes(&built), ["budget/cut"]);
    assert!(built.prompt.text.ends_with(" of 65537 tokens]"), "so it does where the rest is not read");
    let read: usize =
        built.snapshot.contributions.iter().flat_map(|contribution| &contribution.items).map(bytes).sum();
    assert_eq!((read, built.snapshot.contributions[0].unread), (cap, 1));

    // The cap follows the ceiling: 16 bytes for each token.
    let built = turn(&with_settings(&"x".repeat(320_001), r#"{"maxTokens": 20000}"#));
    let read: usize =
        built.snapshot.contributions.iter().flat_map(|contribution| &contribution.items).map(bytes).sum();
    assert_eq!((read, built.snapshot.contributions[0].unread), (320_000, 1));
    assert!(built.prompt.text.ends_with(" of 80001 tokens]"));
}

#[test]
fn an_error_of_the_system_is_reported_in_its_words() {
    let broken = ReadError::Other("input/output error".into());
    let built = turn(&with_text("G").with_read_error(FILE, broken));
    assert_eq!((built.prompt.text.as_str(), codes(&built)), ("", vec!["prompt/file-left-out"]));
    assert_eq!(built.prompt.diagnostics[0].message, "~/.stud/system.md was left out: input/output error");
}

#[test]
fn the_log_never_holds_the_text() {
    let built =
        turn(&with_text("WORDS OF THE USER").with_file("/work/.stud/system.md", "WORDS OF THE PROJECT"));
    let log = serde_json::to_string(&built.prompt.audit).expect("the log is JSON");
    assert!(built.prompt.text.contains("WORDS") && !log.contains("WORDS"), "{log}");
}
