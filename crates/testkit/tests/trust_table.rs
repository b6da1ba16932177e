//! The table of trust, walked: each kind of thing that a project brings × each preset × no grant, a grant, a change after it, and a
//! revocation. What is expected comes from `TrustKind::requires` alone.

use preface_engine::{
    ASSETS, BuildOptions, Engine, ToolChoice,
    core::{
        extension::Category,
        scope::Scope,
        trust::{
            Requirement,
            TrustKind::{self, Action, Configuration, LayerText, TreeText},
            TrustMode,
        },
    },
    coverage::HiddenText,
    host::system::{
        System as _,
        testing::{FakeRun, MemorySystem},
    },
};
use std::path::Path;

/// A preset with its mode, the user's directory and the project's, which not all have.
struct Preset {
    name: &'static str,
    mode: TrustMode,
    user: &'static str,
    project: Option<&'static str>,
}

const PRESETS: [Preset; 5] = [
    Preset {
        name: "default",
        mode: TrustMode::Pinned,
        user: "/home/user/.config/preface",
        project: Some("/work/.preface"),
    },
    Preset { name: "stud", mode: TrustMode::Whole, user: "/home/user/.stud", project: Some("/work/.stud") },
    Preset {
        name: "claude-code",
        mode: TrustMode::None,
        user: "/home/user/.claude",
        project: Some("/work/.claude"),
    },
    Preset { name: "pi", mode: TrustMode::None, user: "/home/user/.sf/agent", project: Some("/work/.sf") },
    Preset { name: "template", mode: TrustMode::None, user: "/home/user/.config/preface", project: None },
];

/// The mark of the project's content before it changes, and after.
const MARKS: [&str; 2] = ["FIRST", "SECOND"];

/// Something that a project brings.
struct Thing {
    name: &'static str,
    kind: TrustKind,
    /// The presets that use such a thing.
    presets: &'static [&'static str],
    /// Files of the user, below the user's directory.
    user: &'static [(&'static str, &'static str)],
    /// Its file, below the project's directory, or the work tree with a leading `/`.
    file: &'static str,
    /// The content; `MARK` is the mark.
    content: &'static str,
    /// More of the request: settings of the caller.
    sets: &'static [&'static str],
    /// Returns whether the project's thing is used, with this mark.
    is_used: fn(&Engine<'_>, &BuildOptions, &str) -> bool,
}

const LAYERED: &[&str] = &["default", "stud", "claude-code", "pi"];

const MANIFEST: &str = r#""contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0""#;

/// Completes a manifest: `{…}` after its category and id.
fn completed(content: &str) -> String {
    content.replace("MANIFEST", MANIFEST)
}

fn in_prompt(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    engine.build(request).expect("a prompt").prompt.text.contains(mark)
}

/// The user's text is gone.
fn is_gone(engine: &Engine<'_>, request: &BuildOptions, _: &str) -> bool {
    !engine.build(request).expect("a prompt").prompt.text.contains("MINE")
}

fn in_settings(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    let settings = engine.look(request).and_then(|build| build.settings()).expect("settings");
    settings.merged.to_value().to_string().contains(mark)
}

fn is_server(engine: &Engine<'_>, request: &BuildOptions, _: &str) -> bool {
    let report = engine.look(request).and_then(|build| build.servers()).expect("servers");
    report.scopes.mcp.servers.iter().any(|server| server.name == "s" && server.origin.scope == Scope::Project)
}

fn is_order(engine: &Engine<'_>, request: &BuildOptions, _: &str) -> bool {
    let scopes = engine.look(request).and_then(|build| build.scopes()).expect("entries").scopes;
    let order = |id: &str| scopes.active(Category::Hooks, id).and_then(|hook| hook.order);
    order("b") < order("a")
}

fn is_command(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    let commands = engine.look(request).expect("slash commands").slash_commands().entries;
    commands.iter().any(|command| {
        command.active
            && command.origin.scope == Scope::Project
            && command.value.what.as_ref().is_some_and(|what| what.description.contains(mark))
    })
}

fn is_agent(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    in_prompt(engine, &BuildOptions { agent: Some("helper".to_owned()), ..request.clone() }, mark)
}

fn has_tool(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    let request = BuildOptions { tools: ToolChoice::Named(vec!["bash".to_owned()]), ..request.clone() };
    let built = engine.build(&request).expect("a prompt");
    built.tools.iter().any(|tool| tool.description.as_deref().is_some_and(|text| text.contains(mark)))
}

fn has_address(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    let scopes = engine.look(request).and_then(|build| build.scopes()).expect("entries").scopes;
    let provider = scopes.active(Category::Providers, "p");
    provider.is_some_and(|entry| {
        entry.runnable && entry.about.as_deref().is_some_and(|about| about.contains(mark))
    })
}

/// A build appends a line to the project's file.
fn is_written(engine: &Engine<'_>, request: &BuildOptions, mark: &str) -> bool {
    let project = request.cwd.clone().expect("a directory").join(match request.preset.as_deref() {
        Some("stud") => ".stud",
        Some("claude-code") => ".claude",
        Some("pi") => ".sf",
        _ => ".preface",
    });
    let file = project.join(format!("{mark}.jsonl"));
    let length = || engine.system().stat(&file).map_or(0, |stat| stat.len);
    let before = length();
    engine.build(request).expect("a prompt");
    length() > before
}

const THINGS: &[Thing] = &[
    Thing {
        name: "instructions of the work tree",
        kind: TreeText,
        presets: &["default", "pi", "template"],
        user: &[],
        file: "/AGENTS.md",
        content: "MARK",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "CLAUDE.md",
        kind: TreeText,
        presets: &["claude-code"],
        user: &[],
        file: "/CLAUDE.md",
        content: "MARK",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "an appended text",
        kind: LayerText,
        presets: &["default"],
        user: &[],
        file: "append.md",
        content: "MARK",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "system.md",
        kind: LayerText,
        presets: &["stud"],
        user: &[("system.md", "Mine.")],
        file: "system.md",
        content: "MARK",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "SYSTEM.md",
        kind: LayerText,
        presets: &["pi"],
        user: &[("SYSTEM.md", "Mine.")],
        file: "SYSTEM.md",
        content: "MARK",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "a skill",
        kind: LayerText,
        presets: &["default", "pi"],
        user: &[],
        file: "skills/deploy/SKILL.md",
        content: "---\nname: deploy\ndescription: MARK\n---\nBody.\n",
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "an agent of a new name",
        kind: LayerText,
        presets: &["claude-code"],
        user: &[("agents/helper.md", "---\nname: other\ndescription: d\n---\nMine.\n")],
        file: "agents/new.md",
        content: "---\nname: new\ndescription: MARK\n---\nTheirs.\n",
        sets: &[],
        is_used: |engine, request, mark| {
            let agents = engine.look(request).expect("agents").agents().entries;
            agents.iter().any(|agent| {
                agent.active && agent.value.what.as_ref().is_some_and(|what| what.description.contains(mark))
            })
        },
    },
    Thing {
        name: "a section in settings",
        kind: Configuration,
        presets: LAYERED,
        user: &[],
        file: "settings.json",
        content: r#"{"sections": {"more": {"text": "MARK"}}}"#,
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "an allowlist",
        kind: Configuration,
        presets: LAYERED,
        user: &[],
        file: "settings.json",
        content: r#"{"securityMode": {"allowlist": ["MARK"]}}"#,
        sets: &[],
        is_used: in_settings,
    },
    Thing {
        name: "a directive that disables",
        kind: Configuration,
        presets: &["default", "stud"],
        user: &[(
            "extensions/contextProviders/notes/manifest.json",
            r#"{"id": "notes", "category": "contextProviders", MANIFEST, "markdown": "MINE"}"#,
        )],
        file: "settings.json",
        content: r#"{"contextProviders": {"notes": {"disable": true, "MARK": 1}}}"#,
        sets: &[],
        is_used: is_gone,
    },
    Thing {
        name: "null in place of a setting",
        kind: Configuration,
        presets: &["default", "stud"],
        user: &[("settings.json", r#"{"sections": {"mine": {"text": "MINE"}}}"#)],
        file: "settings.json",
        content: r#"{"sections": {"mine": null, "MARK": {"disable": true}}}"#,
        sets: &[],
        is_used: |engine, request, _| {
            engine.look(request).and_then(|build| build.settings()).expect("settings").merged.to_value()["sections"]["mine"].is_null()
        },
    },
    Thing {
        name: "an extension",
        kind: Configuration,
        presets: &["default", "stud"],
        user: &[],
        file: "extensions/contextProviders/theirs/manifest.json",
        content: r#"{"id": "theirs", "category": "contextProviders", MANIFEST, "markdown": "MARK"}"#,
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "an extension of a name that the user has",
        kind: Configuration,
        presets: &["default", "stud"],
        user: &[(
            "extensions/contextProviders/notes/manifest.json",
            r#"{"id": "notes", "category": "contextProviders", MANIFEST, "markdown": "MINE"}"#,
        )],
        file: "extensions/contextProviders/notes/manifest.json",
        content: r#"{"id": "notes", "category": "contextProviders", MANIFEST, "markdown": "MARK"}"#,
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "texts of a tool",
        kind: Configuration,
        presets: LAYERED,
        user: &[],
        file: "extensions/tools/bash/manifest.json",
        content: r#"{"id": "bash", "category": "tools", MANIFEST, "description": "MARK"}"#,
        sets: &[],
        is_used: has_tool,
    },
    Thing {
        name: "an order of hooks",
        kind: Configuration,
        presets: LAYERED,
        user: &[
            (
                "extensions/hooks/a/manifest.json",
                r#"{"id": "a", "category": "hooks", MANIFEST, "slot": "TOOL_CALL/pre", "command": ["true"]}"#,
            ),
            (
                "extensions/hooks/b/manifest.json",
                r#"{"id": "b", "category": "hooks", MANIFEST, "slot": "TOOL_CALL/pre", "command": ["true"]}"#,
            ),
        ],
        file: "ordering.json",
        content: r#"{"hooks": {"TOOL_CALL/pre": ["b", "a"], "RENDER/pre": ["MARK"]}}"#,
        sets: &[],
        is_used: is_order,
    },
    Thing {
        name: "a list of servers",
        kind: Configuration,
        presets: LAYERED,
        user: &[],
        file: "mcp.json",
        content: r#"{"mcpServers": {"s": {"command": "true", "args": ["MARK"]}}}"#,
        sets: &[],
        is_used: is_server,
    },
    Thing {
        name: "an agent of a name that the user has",
        kind: Configuration,
        presets: &["claude-code"],
        user: &[("agents/helper.md", "---\nname: helper\ndescription: d\n---\nMine.\n")],
        file: "agents/helper.md",
        content: "---\nname: helper\ndescription: d\n---\nMARK\n",
        sets: &[],
        is_used: is_agent,
    },
    Thing {
        name: "an output style of a name that the user has",
        kind: Configuration,
        presets: &["claude-code"],
        user: &[("output-styles/terse.md", "---\nname: Terse\ndescription: d\n---\nMine.\n")],
        file: "output-styles/terse.md",
        content: "---\nname: Terse\ndescription: d\n---\nMARK\n",
        sets: &["outputStyle=Terse"],
        is_used: in_prompt,
    },
    Thing {
        name: "a slash command of a name that the user has",
        kind: Configuration,
        presets: &["claude-code"],
        user: &[("commands/ship.md", "---\ndescription: Mine\n---\nMine.\n")],
        file: "commands/ship.md",
        content: "---\ndescription: MARK\n---\nTheirs.\n",
        sets: &[],
        is_used: is_command,
    },
    Thing {
        name: "a program",
        kind: Action,
        presets: &["default", "stud"],
        user: &[],
        file: "extensions/contextProviders/run/manifest.json",
        content: r#"{"id": "run", "category": "contextProviders", MANIFEST, "command": ["say", "MARK"]}"#,
        sets: &[],
        is_used: in_prompt,
    },
    Thing {
        name: "an address",
        kind: Action,
        presets: LAYERED,
        user: &[],
        file: "extensions/providers/p/manifest.json",
        content: r#"{"id": "p", "category": "providers", MANIFEST, "kind": "openai", "baseUrl": "https://MARK.example"}"#,
        sets: &[],
        is_used: has_address,
    },
    Thing {
        name: "a file that is written",
        kind: Action,
        presets: LAYERED,
        user: &[],
        file: "extensions/loggers/log/manifest.json",
        content: r#"{"id": "log", "category": "loggers", MANIFEST, "path": "MARK.jsonl"}"#,
        sets: &[],
        is_used: is_written,
    },
];

/// The states of the user's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    NoGrant,
    Granted,
    Allowed,
    Changed,
    Revoked,
}

const STATES: [State; 5] = [State::NoGrant, State::Granted, State::Allowed, State::Changed, State::Revoked];

/// What the table says: in `stud` an edit takes effect on the next turn.
fn expected(kind: TrustKind, mode: TrustMode, state: State) -> bool {
    match kind.requires(mode) {
        Requirement::Nothing => true,
        Requirement::ContentGrant => matches!(state, State::Granted | State::Allowed),
        Requirement::ProjectGrant => !matches!(state, State::NoGrant | State::Revoked),
        Requirement::CommandGrant => state == State::Allowed,
    }
}

fn machine(thing: &Thing, preset: &Preset, mark: &str) -> MemorySystem {
    let mut system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_current_dir("/work");
    for mark in MARKS {
        system = system.with_command(["say", mark], FakeRun::printing(mark));
    }
    for (file, content) in thing.user {
        system = system.with_file(format!("{}/{file}", preset.user), completed(content));
    }
    system.with_file(path(thing, preset), completed(thing.content).replace("MARK", mark))
}

fn path(thing: &Thing, preset: &Preset) -> String {
    let file = match (thing.file, preset.name) {
        ("settings.json", "claude-code" | "pi") => "preface.json",
        (file, _) => file,
    };
    match file.strip_prefix('/') {
        Some(file) => format!("/work/{file}"),
        None => format!("{}/{file}", preset.project.expect("it has a directory of the project")),
    }
}

#[test]
fn each_thing_is_used_exactly_when_the_table_says_so() {
    let (mut cells, mut wrong) = (0, Vec::new());
    for thing in THINGS {
        for preset in PRESETS.iter().filter(|preset| thing.presets.contains(&preset.name)) {
            for state in STATES {
                let system = machine(thing, preset, MARKS[0]);
                let engine = Engine::new(&system);
                let request = BuildOptions {
                    preset: Some(preset.name.to_owned()),
                    sets: thing.sets.iter().map(|set| (*set).to_owned()).collect(),
                    ..BuildOptions::in_dir("/work")
                };
                let mut mark = MARKS[0];
                if state != State::NoGrant {
                    preface_testkit::grant(&engine, &request, &[], HiddenText::Refuse).expect("a grant");
                }
                if !matches!(state, State::NoGrant | State::Granted) {
                    engine.grant_commands(&request, &[], None).expect("a grant of commands");
                }
                match state {
                    State::Changed => {
                        mark = MARKS[1];
                        let content = completed(thing.content).replace("MARK", mark);
                        system.put_file(path(thing, preset), content);
                    }
                    State::Revoked => {
                        engine.revoke(&request, &[]).expect("revoked");
                    }
                    State::NoGrant | State::Granted | State::Allowed => {}
                }
                cells += 1;
                let is_used = (thing.is_used)(&engine, &request, mark);
                if is_used != expected(thing.kind, preset.mode, state) {
                    let used = if is_used { "is used" } else { "is not used" };
                    wrong.push(format!("{} in {}, {state:?}: it {used}", thing.name, preset.name));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "of {cells} cells:\n{}", wrong.join("\n"));
    assert!(cells > 200, "{cells}");
}

#[test]
fn the_modes_of_the_presets_are_those_of_the_table() {
    for preset in &PRESETS {
        let system = MemorySystem::new().with_bundle(ASSETS).with_home("/home/user").with_dir("/work");
        let request = BuildOptions { preset: Some(preset.name.to_owned()), ..BuildOptions::in_dir("/work") };
        let built = Engine::new(&system).build(&request).expect("a prompt");
        assert_eq!(built.mode, preset.mode, "{}", preset.name);
        assert!(system.stat(Path::new("/work")).is_some());
    }
}
