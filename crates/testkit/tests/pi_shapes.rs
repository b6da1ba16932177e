//! Preset `pi` has two shapes, flat text and sections in tags, and both are data of one profile.

use preface_engine::{ASSETS, BuildOptions, BuildResult, Engine, ToolChoice};
use preface_testkit::MemorySystem;

/// Builds a variant in a directory with one AGENTS.md and one CLAUDE.md, without anything above it.
fn built(variant: &str, tools: &[&str]) -> BuildResult {
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_file("/p/AGENTS.md", "Use tabs.")
        .with_file("/p/CLAUDE.md", "Be kind.");
    let request = BuildOptions {
        preset: Some("pi".to_owned()),
        sets: vec![format!("variant={variant}"), "identity=I.".to_owned()],
        tools: ToolChoice::Named(tools.iter().map(|tool| (*tool).to_owned()).collect()),
        now: Some("2026-03-07T14:55:05Z".to_owned()),
        zone: Some("UTC".to_owned()),
        ..BuildOptions::in_dir("/p")
    };
    let built = Engine::new(&system).build(&request).unwrap_or_else(|error| panic!("{variant}: {error}"));
    built.prompt.check_tiling().unwrap();
    built
}

fn build(variant: &str, tools: &[&str]) -> String {
    built(variant, tools).prompt.text
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

/// The parameters of the published packages, by the releases that the variants are named after.
#[test]
fn definitions_of_tools_have_the_parameters_of_the_variant() {
    let common = [
        ("read", vec!["path", "offset", "limit"]),
        ("bash", vec!["command", "timeout"]),
        ("write", vec!["path", "content"]),
        ("grep", vec!["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"]),
        ("find", vec!["pattern", "path", "limit"]),
        ("ls", vec!["path", "limit"]),
    ];
    for variant in ["sf", "0.58", "0.73", "0.87"] {
        let edit = match variant {
            "sf" | "0.58" => vec!["path", "oldText", "newText"],
            _ => vec!["path", "edits"],
        };
        for (tool, parameters) in common.iter().cloned().chain([("edit", edit)]) {
            let built = built(variant, &[tool]);
            let definition = &built.tools[0];
            let schema = definition.input_schema.as_ref().unwrap();
            let mut found: Vec<&str> =
                schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
            let mut expected = parameters.clone();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{variant}: {tool}");
        }
    }
}
