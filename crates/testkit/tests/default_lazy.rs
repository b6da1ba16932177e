//! What is opened, and how often: nothing in a branch that is not taken, everything else once.

use preface_engine::{ASSETS, BuildOptions, Engine, ToolChoice, TrustChoice};
use preface_testkit::MemorySystem;

fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_file("/work/taken.md", "Taken.")
        .with_file("/work/not-taken.md", "Not taken.")
        .with_file("/work/inner.md", "Inner.")
        .with_file("/work/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/work/.git/refs/heads/main", "1234567890123456789012345678901234567890\n")
        .with_dir("/work/.git/objects")
}

fn build(system: &MemorySystem, tools: &[&str]) -> String {
    let tools = ToolChoice::Named(tools.iter().map(|tool| (*tool).to_owned()).collect());
    let request = BuildOptions { tools, trust: TrustChoice::Once, ..BuildOptions::in_dir("/work") };
    Engine::new(system).build(&request).expect("the build succeeds").prompt.text
}

#[test]
fn a_branch_that_is_not_taken_opens_nothing() {
    let system = machine().with_file(
        "/home/user/.config/preface/base.md",
        "[if tool:read][file:taken.md][if tool:bash][file:inner.md][endif][else][file:not-taken.md][endif]",
    );
    assert!(build(&system, &["read"]).contains("\n\nTaken.\n\n"));
    assert_eq!(system.reads("/work/taken.md"), 1);
    assert_eq!(system.reads("/work/not-taken.md"), 0, "the else branch is not taken");
    assert_eq!(system.reads("/work/inner.md"), 0, "the inner condition is false");
}

#[test]
fn a_file_is_read_once_however_often_it_is_named() {
    let text = "[if file:taken.md][file:taken.md][file:taken.md][endif][if !file:taken.md]x[endif]";
    let system = machine()
        .with_file("/home/user/.config/preface/base.md", text)
        .with_file("/home/user/.config/preface/sections/again.md", text);
    assert!(build(&system, &[]).contains("Taken.Taken.\n\nTaken.Taken."));
    assert_eq!(system.reads("/work/taken.md"), 1);
}

#[test]
fn an_absent_section_opens_nothing() {
    let system = machine()
        .with_file("/home/user/.config/preface/base.md", "Base.")
        .with_file("/home/user/.config/preface/sections/extra.md", "[file:taken.md]")
        .with_file("/home/user/.config/preface/sections/off.md", "[file:inner.md]")
        .with_file(
            "/home/user/.config/preface/settings.json",
            r#"{"sections": {
                "extra": {"when": {"all": ["tool:bash", "file:not-taken.md"]}},
                "off": {"disable": true},
                "environment": {"disable": true}
            }}"#,
        );
    assert_eq!(build(&system, &[]), "Base.");
    for path in ["/work/taken.md", "/work/not-taken.md", "/work/inner.md", "/work/.git/refs/heads/main"] {
        assert_eq!(system.reads(path), 0, "{path}");
    }
}

#[test]
fn a_replaced_text_is_not_rendered() {
    let system =
        machine().with_file("/home/user/.config/preface/sections/identity.md", "[file:taken.md]").with_file(
            "/home/user/.config/preface/settings.json",
            r#"{"sections": {"identity": {"text": "I."}}}"#,
        );
    assert!(build(&system, &[]).starts_with("I.\n\n"));
    assert_eq!(system.reads("/work/taken.md"), 0);
}

#[test]
fn a_custom_prompt_looks_at_nothing_else() {
    let system = machine()
        .with_file("/work/AGENTS.md", "Tabs.")
        .with_file("/work/.preface/system.md", "System.")
        .with_file("/home/user/.config/preface/settings.json", r#"{"systemPrompt": {"custom": "Mine."}}"#);
    assert_eq!(build(&system, &[]), "Mine.");
    assert_eq!(system.reads("/work/AGENTS.md"), 0);
    assert_eq!(system.reads("/work/.preface/system.md"), 0);
}

#[test]
fn a_held_template_opens_nothing() {
    // The section `environment` looks whether the branch has a commit.
    let system = machine().with_file("/work/.preface/append.md", "[file:taken.md][git:branch]").with_file(
        "/home/user/.config/preface/settings.json",
        r#"{"sections": {"environment": {"disable": true}}}"#,
    );
    let built = Engine::new(&system).build(&BuildOptions::in_dir("/work")).expect("the build succeeds");
    assert_eq!(built.untrusted().count(), 1);
    for path in ["/work/taken.md", "/work/.git/refs/heads/main"] {
        assert_eq!(system.reads(path), 0, "{path}");
    }
}
