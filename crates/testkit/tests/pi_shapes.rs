//! Preset `pi` has two shapes, flat text and sections in tags, and both are data of one profile.

use preface_engine::{ASSETS, Engine, Request, ToolChoice};
use preface_testkit::MemorySystem;

/// Builds a variant in a directory with one AGENTS.md and one CLAUDE.md, without anything above it.
fn build(variant: &str, tools: &[&str]) -> String {
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_file("/p/AGENTS.md", "Use tabs.")
        .with_file("/p/CLAUDE.md", "Be kind.");
    let request = Request {
        preset: Some("pi".to_owned()),
        sets: vec![format!("variant={variant}"), "identity=I.".to_owned()],
        tools: ToolChoice::Named(tools.iter().map(|tool| (*tool).to_owned()).collect()),
        now: Some("2026-03-07T14:55:05Z".to_owned()),
        zone: Some("UTC".to_owned()),
        ..Request::new("/p")
    };
    let built = Engine::new(&system).build(&request).unwrap_or_else(|error| panic!("{variant}: {error}"));
    built.prompt.check_tiling().unwrap();
    built.prompt.text
}

/// The grammar of the preset's prompt.
#[test]
fn the_flat_shape_of_the_anatomy_is_a_profile() {
    let text = build("0.58", &["bash"]);
    let tail = text.split("\n\n# Project Context").nth(1).unwrap();
    assert_eq!(
        tail,
        "\n\nProject-specific instructions and guidelines:\n\n## /p/AGENTS.md\n\nUse tabs.\n\n\
         \nCurrent date: 2026-03-07\nCurrent working directory: /p"
    );
    assert!(text.starts_with("I.\n\nAvailable tools:\n- bash: "), "{text}");
    assert!(
        text.contains(
            "\n\nIn addition to the tools above, you may have access to other custom tools depending on the project.\n\n\
             Guidelines:\n- Use bash for file operations like ls, rg, find\n- Be concise in your responses\n\
             - Show file paths clearly when working with files\n\nPi documentation"
        ),
        "{text}"
    );
}

#[test]
fn the_tagged_shape_is_a_frame_per_section() {
    let text = build("0.87", &[]);
    assert!(text.starts_with("I.\n\n<tools>\n(none)\n\nIn addition to"), "{text}");
    assert!(text.ends_with("</project_instructions>\n</project_context>\n\n<cwd>\n/p\n</cwd>"), "{text}");
}
