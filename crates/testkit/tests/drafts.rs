//! The drafts in `docs/design/profiles` build: the profile language still covers them.

use preface_engine::{ASSETS, Engine, Request, ToolChoice};
use preface_testkit::MemorySystem;
use std::path::Path;

fn draft(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/design/profiles").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Builds a draft in a directory with one AGENTS.md and one CLAUDE.md, without anything above it.
fn build(name: &str, sets: &[&str], tools: &[&str]) -> String {
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_file("/home/user/draft.toml", draft(name))
        .with_file("/p/AGENTS.md", "Use tabs.")
        .with_file("/p/CLAUDE.md", "Be kind.");
    let request = Request {
        profile: Some("/home/user/draft.toml".into()),
        sets: sets.iter().map(|set| (*set).to_owned()).collect(),
        tools: ToolChoice::Named(tools.iter().map(|tool| (*tool).to_owned()).collect()),
        now: Some("2026-03-07T14:55:05Z".to_owned()),
        zone: Some("UTC".to_owned()),
        ..Request::new("/p")
    };
    let built =
        Engine::new(&system).build(&request).unwrap_or_else(|error| panic!("{name} {sets:?}: {error}"));
    built.prompt.check_tiling().unwrap();
    built.prompt.text
}

#[test]
fn ordered_conditional_parts_are_a_profile() {
    let text = build("claude-code.toml", &[], &["Glob", "Edit"]);
    let parts: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(parts[..2], ["Main part. Security policy.", "Security policy."]);
    assert!(parts.contains(&"Glob.") && parts.contains(&"Edit.") && !parts.contains(&"Grep."), "{text}");
    assert_eq!(parts.last(), Some(&"Be kind."));
    let catalog = build("claude-code.toml", &["order=catalog", "sessions=false"], &["Glob"]);
    let style = catalog.find("Style.").unwrap();
    assert!(catalog.find("Be kind.").unwrap() < style && !catalog.contains("Past sessions."), "{catalog}");
}
