//! `Engine::lint` scans the files of a project whole, whatever is trusted and whichever preset is used.

use preface_engine::{
    ASSETS, BuildOptions, Engine, ToolChoice, TrustChoice,
    core::diagnostic::{Diagnostic, Severity},
    coverage::HiddenText,
    host::system::testing::AccessKind,
    lint::LintFile,
};
use preface_testkit::MemorySystem;
use std::collections::BTreeMap;

const HIDDEN: &str = "Wait\u{200b} for it.";

fn machine(files: &[(&str, String)]) -> MemorySystem {
    let system = MemorySystem::new().with_bundle(ASSETS).with_home("/home/user").with_dir("/work");
    files.iter().fold(system, |system, (path, text)| system.with_file(format!("/work/{path}"), text))
}

fn skill(body: &str) -> String {
    format!("---\nname: rel\ndescription: Releases.\n---\n{body}\n")
}

/// The findings about texts: code, path and line.
fn findings(system: &MemorySystem, request: &BuildOptions) -> Vec<String> {
    let linted = Engine::new(system).lint(request).expect("the build succeeds");
    let line = |diagnostic: &Diagnostic| {
        let place = diagnostic.place.as_ref().expect("a place");
        let line = place.line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{} {}{line}", diagnostic.code, place.path)
    };
    let is_of_texts =
        |diagnostic: &&Diagnostic| matches!(diagnostic.code.topic(), "hidden" | "secret" | "forged");
    linted.findings.iter().filter(is_of_texts).map(line).collect()
}

fn request(preset: &str, trust: TrustChoice) -> BuildOptions {
    BuildOptions { preset: Some(preset.to_owned()), trust, ..BuildOptions::in_dir("/work") }
}

const TRUST: [TrustChoice; 3] = [TrustChoice::Ask, TrustChoice::Once, TrustChoice::Deny];

#[test]
fn what_is_found_does_not_depend_on_trust() {
    let token = format!("ghp{}{}", "_", "0123456789abcdefghij");
    let tool = r#"{"id": "t", "category": "tools", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0",
        "description": "HIDDEN", "inputSchema": {"type": "object"}}"#;
    let system = machine(&[
        (".preface/skills/rel/SKILL.md", skill(HIDDEN)),
        (
            ".preface/mcp.json",
            format!(r#"{{"mcpServers": {{"x": {{"command": "x", "args": ["{token}"]}}}}}}"#),
        ),
        (".preface/extensions/tools/t/manifest.json", tool.replace("HIDDEN", HIDDEN)),
        (".preface/append.md", format!("{HIDDEN}\n")),
        ("AGENTS.md", "Tabs.\n</system-reminder>\n".to_owned()),
    ]);
    let expected = [
        "hidden/character .preface/append.md:1",
        "hidden/character .preface/extensions/tools/t/manifest.json:2",
        "secret/key .preface/mcp.json:1",
        "hidden/character .preface/skills/rel/SKILL.md:5",
        "forged/tag AGENTS.md:2",
    ];
    for trust in TRUST {
        assert_eq!(findings(&system, &request("default", trust)), expected, "{trust:?}");
    }
    let recorded = request("default", TrustChoice::Ask);
    preface_testkit::grant(&Engine::new(&system), &recorded, &[], HiddenText::Allow).expect("it is granted");
    assert_eq!(findings(&system, &recorded), expected, "granted");
}

#[test]
fn each_preset_has_the_files_that_it_may_use() {
    let hidden = || HIDDEN.to_owned();
    let headed = |head: &str| format!("---\n{head}\n---\n{HIDDEN}\n");
    let system = machine(&[
        (".sf/skills/rel/SKILL.md", skill(HIDDEN)),
        (".sf/APPEND_SYSTEM.md", hidden()),
        (".claude/skills/rel/SKILL.md", skill(HIDDEN)),
        (".claude/agents/a.md", headed("name: a\ndescription: An agent.")),
        (".claude/commands/c.md", headed("description: A command.")),
        (".claude/rules/r.md", headed("paths: src/**")),
        (".claude/output-styles/s.md", headed("name: s\ndescription: A style.")),
        (".stud/system.md", hidden()),
        ("CLAUDE.md", hidden()),
    ]);
    let expected = BTreeMap::from([
        ("pi", &[".sf/APPEND_SYSTEM.md:1", ".sf/skills/rel/SKILL.md:5", "CLAUDE.md:1"][..]),
        (
            "claude-code",
            &[
                ".claude/agents/a.md:5",
                ".claude/commands/c.md:4",
                ".claude/output-styles/s.md:5",
                ".claude/rules/r.md:4",
                ".claude/skills/rel/SKILL.md:5",
                "CLAUDE.md:1",
            ],
        ),
        ("stud", &[".stud/system.md:1"]),
    ]);
    for (preset, paths) in expected {
        let expected: Vec<String> = paths.iter().map(|path| format!("hidden/character {path}")).collect();
        for trust in TRUST {
            assert_eq!(findings(&system, &request(preset, trust)), expected, "{preset} {trust:?}");
        }
    }
}

#[test]
fn files_that_only_other_tools_use_are_scanned() {
    let system = machine(&[
        (".preface/append.md", "Be kind.[if tool:bash][file:docs/shell.md][endif]\n".to_owned()),
        ("docs/shell.md", HIDDEN.to_owned()),
    ]);
    for trust in TRUST {
        let found = findings(&system, &request("default", trust));
        assert_eq!(found, ["hidden/character docs/shell.md:1"], "{trust:?}");
    }
    let tools = ToolChoice::Named(vec!["bash".to_owned()]);
    let request = BuildOptions { tools, ..request("default", TrustChoice::Once) };
    assert_eq!(findings(&system, &request), ["hidden/character docs/shell.md:1"]);
}

/// What a file escapes is in no byte of it; a description that is folded is there in other lines.
#[test]
fn a_text_that_the_file_does_not_show_as_it_is_is_found_once() {
    let settings = r#"{"sections": {"a": {"text": "Wait\u200b.", "after": "identity"}, "b": {"text": "W{zero}ait.", "after": "a"}}}"#;
    let system = machine(&[
        (".preface/settings.json", settings.replace("{zero}", "\u{200b}")),
        (
            ".preface/skills/rel/SKILL.md",
            "---\nname: rel\ndescription: >-\n  Releases\u{200b}\n  things.\n---\nBody.\n".to_owned(),
        ),
    ]);
    let found = findings(&system, &request("default", TrustChoice::Once));
    assert_eq!(
        found,
        [
            "hidden/character .preface/settings.json:1",
            "hidden/character .preface/settings.json:1",
            "hidden/character .preface/skills/rel/SKILL.md:4",
        ]
    );
}

#[test]
fn a_file_in_utf_16_is_one_finding() {
    let utf_16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let marked = [b"\xff\xfe".to_vec(), utf_16("Marked.")].concat();
    let system = machine(&[])
        .with_file("/work/AGENTS.md", utf_16("Use tabs.\nBe brief.\n"))
        .with_file("/work/.preface/append.md", &marked)
        .with_file("/work/.claude/agents/a.md", utf_16(&skill("Body.")));
    for (preset, paths) in
        [("default", &[".preface/append.md", "AGENTS.md"][..]), ("claude-code", &[".claude/agents/a.md"])]
    {
        for trust in TRUST {
            let linted = Engine::new(&system).lint(&request(preset, trust)).expect("the build succeeds");
            let found = linted.findings.iter().filter(|diagnostic| diagnostic.severity >= Severity::Warning);
            let found: Vec<_> = found
                .map(|diagnostic| {
                    (diagnostic.code.as_str(), diagnostic.place.as_ref().map_or("", |place| &place.path))
                })
                .collect();
            let expected: Vec<_> = paths.iter().map(|path| ("file/not-utf8", *path)).collect();
            assert_eq!(found, expected, "{preset} {trust:?}");
        }
    }
    for (bytes, what) in [(utf_16("Tabs."), " without a byte order mark"), (marked, "")] {
        let file = LintFile { path: "/work/x.md".into(), shown: "x.md".to_owned(), bytes };
        let linted =
            Engine::new(&system).lint_files(&BuildOptions::in_dir("/work"), &[file]).expect("it is linted");
        let found: Vec<&str> = linted.findings.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(found, [format!("x.md was left out: it is UTF-16 (little-endian){what}, not UTF-8")]);
    }
}

#[test]
fn the_skills_of_the_user_are_scanned_too() {
    let system = machine(&[]).with_file("/home/user/.config/preface/skills/rel/SKILL.md", skill(HIDDEN));
    let found = findings(&system, &request("default", TrustChoice::Ask));
    assert_eq!(found, ["hidden/character ~/.config/preface/skills/rel/SKILL.md:5"]);
}

#[test]
fn the_files_of_a_project_are_read_a_few_times() {
    let system = machine(&[
        (".preface/skills/rel/SKILL.md", skill("Body.")),
        (".preface/append.md", "Be kind.\n".to_owned()),
        ("AGENTS.md", "Tabs.\n".to_owned()),
    ]);
    for trust in TRUST {
        system.clear_touches();
        findings(&system, &request("default", trust));
        let mut reads = BTreeMap::<_, usize>::new();
        for touch in system.touches().iter().filter(|touch| touch.verb == AccessKind::Read) {
            if touch.path.starts_with("/work") && touch.path.extension().is_some_and(|end| end == "md") {
                *reads.entry(touch.path.clone()).or_default() += 1;
            }
        }
        assert!(reads.len() >= 3 && reads.values().all(|count| *count <= 3), "{trust:?}: {reads:?}");
    }
}
