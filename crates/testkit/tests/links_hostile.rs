//! Links of a project lead nowhere but into the project, in every preset and for every kind of file; the user may allow
//! a target by name.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Engine, TrustChoice,
    core::diagnostic::{Diagnostic, DiagnosticCode, Severity},
    host::system::testing::AccessKind,
};
use preface_testkit::MemorySystem;
use std::path::PathBuf;

const SECRET: &str = "SECRET OF THE USER";

/// What a hostile project brings: a preset, and a link of it with its target.
const LINKS: [(&str, &str, &str); 20] = [
    ("claude-code", "/p/CLAUDE.md", "/h/out/CLAUDE.md"),
    ("claude-code", "/p/.claude/CLAUDE.md", "/h/out/CLAUDE.md"),
    ("claude-code", "/p/.claude/sections/env.md", "/h/out/env.md"),
    ("claude-code", "/p/.claude/sections", "/h/out/sections"),
    ("claude-code", "/p/.claude", "/h/out/layer"),
    ("claude-code", "/p/.claude/rules", "/h/out/rules"),
    ("claude-code", "/p/.claude/rules/r.md", "/h/out/env.md"),
    ("claude-code", "/p/.claude/commands/c.md", "/h/out/command.md"),
    ("claude-code", "/p/.claude/preface.json", "/h/out/settings.json"),
    ("pi", "/p/AGENTS.md", "/h/out/env.md"),
    ("pi", "/p/CLAUDE.md", "/h/out/env.md"),
    ("pi", "/p/.sf/SYSTEM.md", "/h/out/env.md"),
    ("pi", "/p/.sf", "/h/out/layer"),
    ("pi", "/p/.agents/skills/x", "/h/out/skill"),
    ("pi", "/p/.agents/skills", "/h/out/skills"),
    ("pi", "/p/.agents/skills/x/SKILL.md", "/h/out/skill/SKILL.md"),
    ("default", "/p/AGENTS.md", "/h/out/env.md"),
    ("default", "/p/.preface/append.md", "/h/out/env.md"),
    ("default", "/p/.preface", "/h/out/layer"),
    ("default", "/p/.preface/sections", "/h/out/sections"),
];

fn machine() -> MemorySystem {
    let skill = format!("---\nname: x\ndescription: {SECRET}\n---\nBody.\n");
    let command = format!("---\ndescription: {SECRET}\n---\nBody.\n");
    let settings = format!(r#"{{"systemPrompt": {{"append": "{SECRET}"}}}}"#);
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/h")
        .with_file("/p/.git/HEAD", "ref: refs/heads/main\n")
        .with_dir("/p/.git/objects")
        .with_dir("/p/.git/refs");
    for file in [
        "CLAUDE.md",
        "env.md",
        "sections/env.md",
        "layer/append.md",
        "layer/SYSTEM.md",
        "layer/CLAUDE.md",
        "layer/sections/env.md",
        "rules/r.md",
    ] {
        system = system.with_file(format!("/h/out/{file}"), SECRET);
    }
    system
        .with_file("/h/out/skill/SKILL.md", &skill)
        .with_file("/h/out/skills/x/SKILL.md", &skill)
        .with_file("/h/out/command.md", &command)
        .with_file("/h/out/settings.json", &settings)
}

fn build(system: &MemorySystem, preset: &str, follow: &[&str]) -> BuildResult {
    let request = BuildOptions {
        preset: Some(preset.to_owned()),
        trust: TrustChoice::Once,
        follow: follow.iter().map(PathBuf::from).collect(),
        ..BuildOptions::in_dir("/p")
    };
    Engine::new(system).build(&request).expect("no file of a project stops a build")
}

#[test]
fn no_link_of_a_project_leads_out_of_it() {
    for (preset, link, target) in LINKS {
        let system = machine().with_link(link, target);
        let built = build(&system, preset, &[]);
        assert!(!built.prompt.text.contains(SECRET), "{preset} {link}");
        let diagnostics = &built.prompt.diagnostics;
        let outside = diagnostics.iter().find(|diagnostic| diagnostic.code.as_str() == "file/outside");
        let outside = outside.unwrap_or_else(|| panic!("{preset} {link} is reported: {diagnostics:?}"));
        assert_eq!(outside.severity, Severity::Warning, "{preset} {link}");
        let flag = outside.help.as_ref().and_then(|help| help.flag.as_deref()).unwrap_or_default();
        assert!(flag.starts_with("--follow /h/out"), "{preset} {link}: {flag}");
        let listed = system.touches();
        let listed =
            listed.iter().filter(|touch| touch.verb == AccessKind::List && touch.place.starts_with("/h/out"));
        assert_eq!(listed.count(), 0, "{preset} {link}: no directory outside is listed");
    }
}

#[test]
fn a_link_that_the_user_allowed_is_followed_and_reported() {
    for (preset, link, target) in LINKS {
        let system = machine().with_link(link, target);
        let built = build(&system, preset, &["/h/out"]);
        assert!(built.prompt.text.contains(SECRET), "{preset} {link}: {:?}", built.prompt.diagnostics);
        let diagnostics = &built.prompt.diagnostics;
        let followed = diagnostics.iter().find(|diagnostic| diagnostic.code.as_str() == "file/followed");
        let followed = followed.unwrap_or_else(|| panic!("{preset} {link} is reported: {diagnostics:?}"));
        assert_eq!(followed.severity, Severity::Info);
        assert!(followed.message.contains("~/out/"), "{}", followed.message);
    }
    let elsewhere = build(&machine().with_link("/p/AGENTS.md", "/h/out/env.md"), "pi", &["/h/out/layer"]);
    assert!(!elsewhere.prompt.text.contains(SECRET), "only what was named");
}

#[test]
fn the_users_own_settings_allow_targets_and_a_projects_do_not() {
    let linked = || machine().with_link("/p/AGENTS.md", "/h/out/env.md");
    let settings = r#"{"trust": {"follow": ["~/out/env.md", "relative"]}}"#;
    let own = build(&linked().with_file("/h/.config/preface/settings.json", settings), "default", &[]);
    assert!(own.prompt.text.contains(SECRET), "{:?}", own.prompt.diagnostics);
    assert!(
        own.prompt.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "settings/ignored"),
        "`relative` is reported"
    );
    let projects = build(&linked().with_file("/p/.preface/settings.json", settings), "default", &[]);
    assert!(!projects.prompt.text.contains(SECRET));
}

#[test]
fn the_project_is_the_work_tree() {
    for preset in ["default", "claude-code", "pi"] {
        let system = machine().with_file("/p/docs/rules.md", "USE TABS").with_dir("/p/sub");
        let system = system.with_link("/p/sub/AGENTS.md", "../docs/rules.md");
        let system = system.with_link("/p/sub/CLAUDE.md", "../docs/rules.md");
        let request = BuildOptions {
            preset: Some(preset.to_owned()),
            trust: TrustChoice::Once,
            ..BuildOptions::in_dir("/p/sub")
        };
        let built = Engine::new(&system).build(&request).expect("it builds");
        assert!(built.prompt.text.contains("USE TABS"), "{preset}: {:?}", built.prompt.diagnostics);
    }
}

/// A file above the project may lead to what is below its own directory, and no further.
#[test]
fn a_file_above_the_project_stays_below_its_own_directory() {
    let system = || machine().with_dir("/w/q/.git").with_file("/w/docs/a.md", "OF ALL");
    let prompt = |system: &MemorySystem| {
        let request = BuildOptions {
            preset: Some("pi".to_owned()),
            trust: TrustChoice::Once,
            ..BuildOptions::in_dir("/w/q")
        };
        Engine::new(system).build(&request).expect("it builds").prompt.text
    };
    assert!(prompt(&system().with_link("/w/AGENTS.md", "docs/a.md")).contains("OF ALL"));
    assert!(!prompt(&system().with_link("/w/AGENTS.md", "/h/out/env.md")).contains(SECRET));
}

#[test]
fn the_kernels_files_are_read_for_nobody() {
    let environ = || machine().with_file("/proc/self/environ", SECRET);
    for (preset, link) in [("claude-code", "/p/.claude/sections/env.md"), ("pi", "/p/AGENTS.md")] {
        let built = build(&environ().with_link(link, "/proc/self/environ"), preset, &["/proc/self/environ"]);
        assert!(!built.prompt.text.contains(SECRET), "{preset}: not even where it is allowed by name");
    }
    let diagnostics =
        build(&environ().with_link("/p/AGENTS.md", "/proc/self/environ"), "pi", &[]).prompt.diagnostics;
    let help = diagnostics
        .iter()
        .find(|diagnostic| diagnostic.code.as_str() == "file/outside")
        .and_then(|diagnostic| diagnostic.help.as_deref());
    assert!(
        help.is_some_and(|help| !help.contains("--follow")),
        "no remedy that would not help: {diagnostics:?}"
    );
    let own = environ().with_link("/h/.config/preface/append.md", "/proc/self/environ");
    assert!(
        !build(&own, "default", &[]).prompt.text.contains(SECRET),
        "nor through a link of the user's own"
    );
}

#[test]
fn a_text_given_as_a_file_of_the_project_is_opened_as_such() {
    let build_following = |follow: &[&str]| {
        let system = machine().with_link("/p/prompt.md", "/h/out/env.md").with_current_dir("/p");
        let request = BuildOptions {
            preset: Some("pi".to_owned()),
            sets: vec!["system_prompt=prompt.md".to_owned()],
            follow: follow.iter().map(PathBuf::from).collect(),
            ..BuildOptions::in_dir("/p")
        };
        Engine::new(&system).build(&request)
    };
    let error = build_following(&[]).expect_err("it leads out").to_string();
    assert!(error.contains("leads outside"), "{error}");
    assert!(build_following(&["/h/out/env.md"]).expect("it is allowed").prompt.text.contains(SECRET));
}

#[test]
fn a_file_with_several_names_is_refused_below_roots_and_where_trust_is_required() {
    let linked = || {
        let machine = machine().with_hard_link("/p/AGENTS.md", "/h/out/env.md");
        machine.with_hard_link("/p/CLAUDE.md", "/h/out/env.md")
    };
    let build_with = |system: &MemorySystem, preset: &str, trust: TrustChoice, roots: Option<&str>| {
        let request = BuildOptions {
            preset: Some(preset.to_owned()),
            trust,
            roots: roots.map(|root| vec![PathBuf::from(root)]),
            ..BuildOptions::in_dir("/p")
        };
        Engine::new(system).build(&request)
    };
    let own = linked()
        .with_file("/h/.config/preface/settings.json", r#"{"trust": {"hardLinks": true}}"#)
        .with_file("/h/.claude/preface.json", r#"{"trust": {"hardLinks": true}}"#);
    for preset in ["template", "default", "claude-code"] {
        let refused = build_with(&linked(), preset, TrustChoice::Once, Some("/p")).expect("it builds");
        assert!(!refused.prompt.text.contains(SECRET), "{preset}");
        let diagnostic =
            refused.prompt.diagnostics.iter().find(|diagnostic| diagnostic.code.as_str() == "file/link");
        let help = diagnostic.and_then(|diagnostic| diagnostic.help.as_deref()).unwrap_or_default();
        assert!(help.contains("`trust.hardLinks`"), "{preset}: {refused:?}");
        let plain = build_with(&linked(), preset, TrustChoice::Once, None).expect("it builds");
        assert!(
            plain.prompt.text.contains(SECRET),
            "{preset}: on the user's own machine it is like any other"
        );
        let allowed = build_with(&own, preset, TrustChoice::Once, Some("/p")).expect("it builds");
        assert!(allowed.prompt.text.contains(SECRET), "{preset}");
    }
    let required =
        build_with(&linked(), "pi", TrustChoice::Require, None).expect("nothing was left out for trust");
    assert!(!required.prompt.text.contains(SECRET), "where trust is required, too");
}

#[test]
fn a_repository_that_begins_above_the_roots_is_reported() {
    for preset in ["claude-code", "default", "pi"] {
        for (root, reported) in [("/p/web", 1), ("/p", 0)] {
            let system = machine()
                .with_file("/p/AGENTS.md", "Use tabs.")
                .with_file("/p/CLAUDE.md", "Use tabs.")
                .with_file("/p/web/CLAUDE.md", "Answer in JSON.");
            let request = BuildOptions {
                preset: Some(preset.to_owned()),
                trust: TrustChoice::Once,
                roots: Some(vec![root.into()]),
                ..BuildOptions::in_dir("/p/web")
            };
            let prompt = Engine::new(&system).build(&request).expect("it builds").prompt;
            assert!(prompt.text.contains("Answer in JSON."), "{preset}");
            assert_eq!(prompt.text.contains("Use tabs."), reported == 0, "{preset}");
            let is_report = |diagnostic: &&Diagnostic| diagnostic.code == DiagnosticCode::FileAboveRoots;
            assert_eq!(prompt.diagnostics.iter().filter(is_report).count(), reported, "{preset} {root}");
        }
    }
}

/// Also where the file does not parse: no message quotes it.
#[test]
fn below_roots_no_kind_of_file_is_read_by_another_name_of_it() {
    for preset in ["claude-code", "pi", "default", "stud", "template"] {
        for (_, name, _) in LINKS {
            let name = name.replace(".claude", dir_of(preset)).replace(".preface", dir_of(preset));
            let system = machine()
                .with_file("/h/out/broken", format!("---\n{SECRET}: [\n---\n{{\"{SECRET}\n"))
                .with_hard_link(&name, "/h/out/broken");
            let request = BuildOptions {
                preset: Some(preset.to_owned()),
                trust: TrustChoice::Once,
                roots: Some(vec!["/p".into()]),
                ..BuildOptions::in_dir("/p")
            };
            let built = Engine::new(&system).build(&request).expect("no file of a project stops a build");
            let all = format!("{} {:?}", built.prompt.text, built.prompt.diagnostics);
            assert!(!all.contains(SECRET), "{preset} {name}: {all}");
        }
    }
}

fn dir_of(preset: &str) -> &str {
    match preset {
        "claude-code" => ".claude",
        "stud" => ".stud",
        _ => ".preface",
    }
}
