//! What a project may do beyond text needs a grant that names it, and ends with the first byte that differs.

use preface_engine::{
    ASSETS, BuildOptions, BuildResult, Conversation, Engine, ScopesReport, ToolChoice, TrustChoice,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode, Severity},
        extension::{Category, ExtensionEntry},
        scope::Scope,
    },
    host::{
        system::{
            PROJECT_DIR, System,
            testing::{FakeRun, MemorySystem},
        },
        trust::{CheckedCommand, CommandWords, Permission},
    },
};
use std::{collections::BTreeSet, sync::Arc};

/// A preset, its global directory and its project directory.
const PRESETS: [(&str, &str, &str); 2] = [
    ("stud", "/home/user/.stud", "/work/.stud"),
    ("default", "/home/user/.config/preface", "/work/.preface"),
];

/// These, and the presets that include text without a grant.
const ALL_PRESETS: [(&str, &str, &str); 3] =
    [PRESETS[0], PRESETS[1], ("claude-code", "/home/user/.claude", "/work/.claude")];

/// Returns preface's settings in a directory of one of these.
fn settings_in(dir: &str) -> String {
    format!("{dir}/{}", if dir.ends_with(".claude") { "preface.json" } else { "settings.json" })
}

fn manifest(category: &str, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

fn speaker(command: &str) -> String {
    manifest("contextProviders", "speaker", &format!(r#""command": {command}"#))
}

fn machine() -> MemorySystem {
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_command(["node", "say.js"], FakeRun::printing("PRINTED"))
        .with_command(["node", "say.js", "more"], FakeRun::printing("PRINTED"))
}

fn request(preset: &str, trust: TrustChoice) -> BuildOptions {
    BuildOptions { preset: Some(preset.into()), trust, ..BuildOptions::in_dir("/work") }
}

fn build(system: &MemorySystem, preset: &str, trust: TrustChoice) -> BuildResult {
    Engine::new(system).build(&request(preset, trust)).expect("a prompt")
}

fn scopes(system: &MemorySystem, preset: &str) -> ScopesReport {
    Engine::new(system)
        .look(&request(preset, TrustChoice::Ask))
        .and_then(|build| build.scopes())
        .expect("a listing")
}

/// Grants every text, as `preface trust grant` does.
fn trust(system: &MemorySystem, preset: &str) {
    preface_testkit::grant(
        &Engine::new(system),
        &request(preset, TrustChoice::Ask),
        &[],
        preface_engine::coverage::HiddenText::Refuse,
    )
    .expect("a grant");
}

/// Grants what the project would do, as `preface trust grant --allow-commands` does besides.
fn allow(system: &MemorySystem, preset: &str) -> Vec<Permission> {
    let report = Engine::new(system)
        .grant_commands(&request(preset, TrustChoice::Ask), &[], None)
        .expect("a grant of commands");
    assert_eq!(report.refused, [""; 0]);
    report.added
}

fn project_entry(report: &ScopesReport, category: Category, id: &str) -> ExtensionEntry {
    let entry = report.scopes.active(category, id);
    entry.unwrap_or_else(|| panic!("`{id}` is active: {:?}", report.diagnostics)).clone()
}

/// True if the program was started, and its output is in the prompt.
#[track_caller]
fn runs_program(system: &MemorySystem, preset: &str, trust: TrustChoice) -> bool {
    let before = system.runs().len();
    let built = build(system, preset, trust);
    let ran = system.runs().len() > before;
    assert_eq!(built.prompt.text.contains("PRINTED"), ran, "{preset}: {}", built.prompt.text);
    ran
}

#[test]
fn a_program_of_a_project_runs_by_its_own_grant_alone() {
    for (preset, _, project) in PRESETS {
        let path = format!("{project}/extensions/contextProviders/speaker/manifest.json");
        let one = speaker(r#"["node", "say.js"]"#);
        let system = machine().with_file(&path, &one).with_file("/work/say.js", "1");
        for choice in [TrustChoice::Ask, TrustChoice::Deny, TrustChoice::Once] {
            assert!(!runs_program(&system, preset, choice), "{preset}");
        }
        trust(&system, preset);
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}: a grant of text starts nothing");
        assert!(!runs_program(&system, preset, TrustChoice::Once), "{preset}");
        let entry = project_entry(&scopes(&system, preset), Category::ContextProviders, "speaker");
        assert!(entry.active && !entry.runnable);

        assert_eq!(allow(&system, preset).len(), 1);
        assert!(system.runs().is_empty(), "granting starts nothing");
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        assert!(project_entry(&scopes(&system, preset), Category::ContextProviders, "speaker").runnable);
        assert!(!runs_program(&system, preset, TrustChoice::Deny), "{preset}: not where the call denies it");

        // The script.
        system.put_file("/work/say.js", "2");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        assert!(!runs_program(&system, preset, TrustChoice::Once), "{preset}");
        let report = scopes(&system, preset);
        let entry = project_entry(&report, Category::ContextProviders, "speaker");
        assert!(
            entry.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("it changed")),
            "{entry:?}"
        );
        let built = build(&system, preset, TrustChoice::Ask);
        let diagnostic = built
            .prompt
            .diagnostics
            .iter()
            .find(|diagnostic| diagnostic.code.as_str() == "extension/needs-grant");
        let severity = diagnostic.map(|diagnostic| diagnostic.severity);
        assert_eq!(severity, Some(Severity::Warning), "{preset}: its text is missing, and that is reported");
        system.put_file("/work/say.js", "1");
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}: the old bytes are granted still");
        system.cut("/work/say.js");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        system.put_file("/work/say.js", "1");

        // Its words. The text is granted anew each time; that does not cover the program.
        system.put_file(&path, speaker(r#"["node", "say.js", "more"]"#));
        trust(&system, preset);
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        assert!(!runs_program(&system, preset, TrustChoice::Once), "{preset}");
        system.put_file(&path, &one);
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");

        Engine::new(&system).revoke(&request(preset, TrustChoice::Ask), &[]).expect("a revocation");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        assert!(!runs_program(&system, preset, TrustChoice::Once), "{preset}: revoked is revoked");
        trust(&system, preset);
        assert!(
            !runs_program(&system, preset, TrustChoice::Ask),
            "{preset}: trusting the text again brings nothing back"
        );
    }
}

#[test]
fn a_script_beside_its_manifest_is_pinned_by_its_bytes() {
    for (preset, _, project) in PRESETS {
        let dir = format!("{project}/extensions/contextProviders/speaker");
        let program = format!("{dir}/say.sh");
        let system = machine()
            .with_file(format!("{dir}/manifest.json"), speaker(r#"["./say.sh"]"#))
            .with_file(&program, "1")
            .with_mode(&program, 0o755)
            .with_command([&program], FakeRun::printing("PRINTED"));
        let put = |text: &str| {
            system.put_file(&program, text);
            drop(system.clone().with_mode(&program, 0o755));
        };
        trust(&system, preset);
        allow(&system, preset);
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        put("2");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        put("1");
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        let runs = system.runs();
        assert!(runs.iter().all(|run| run.argv[0] == program), "{runs:?}");
        assert!(runs.iter().all(|run| run.cwd == std::path::Path::new("/work")), "it works where it did");
        // A file beside it is part of the program.
        system.put_file(format!("{dir}/lib.sh"), "1");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        allow(&system, preset);
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");
    }
}

/// A permission from before directories were recorded is about the script alone, so it does not cover what lies beside it.
#[test]
fn an_extension_without_a_recorded_directory_counts_as_changed() {
    let dir = "/work/.preface/extensions/contextProviders/speaker";
    let program = format!("{dir}/say.sh");
    let system = machine()
        .with_file(format!("{dir}/manifest.json"), speaker(r#"["./say.sh"]"#))
        .with_file(&program, "1")
        .with_mode(&program, 0o755)
        .with_command([&program], FakeRun::printing("PRINTED"));
    trust(&system, "default");
    let store = "/home/user/.local/state/preface/trust.json";
    let root = std::path::Path::new("/work");
    let argv = [program];
    let words = CommandWords {
        subject: "contextProviders/speaker",
        argv: &argv,
        cwd: root,
        env: &Default::default(),
        directory: None,
    };
    let old = CheckedCommand::check(&system, root, &words).map(|command| command.permission);
    preface_engine::host::trust::TrustStore::at(&system, store.into())
        .grant_permissions(root, &[old.expect("a permit")])
        .expect("granted");
    assert!(!runs_program(&system, "default", TrustChoice::Ask));
    let report = scopes(&system, "default");
    let entry = project_entry(&report, Category::ContextProviders, "speaker");
    assert!(
        entry.diagnostics.iter().any(|diagnostic| diagnostic.message.contains("it changed")),
        "{entry:?}"
    );
    allow(&system, "default");
    assert!(runs_program(&system, "default", TrustChoice::Ask));
}

/// Work trees of one repository have different files, so a grant in one allows nothing in another.
#[test]
fn work_trees_share_no_permits() {
    let provider = |root: &str| format!("{root}/.preface/extensions/contextProviders/speaker/manifest.json");
    let system = machine()
        .with_dir("/work/.git/refs")
        .with_dir("/work/.git/objects")
        .with_file("/work/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/work/.git/worktrees/tree/gitdir", "/tree/.git\n")
        .with_file("/work/.git/worktrees/tree/commondir", "../..\n")
        .with_file("/work/.git/worktrees/tree/HEAD", "ref: refs/heads/tree\n")
        .with_file("/tree/.git", "gitdir: /work/.git/worktrees/tree\n")
        .with_file(provider("/work"), speaker(r#"["node", "-e", "1"]"#))
        .with_file(provider("/tree"), speaker(r#"["node", "-e", "1"]"#))
        .with_command(["node", "-e", "1"], FakeRun::printing("PRINTED"));
    trust(&system, "default");
    allow(&system, "default");
    let ran = |root: &str| {
        let before = system.runs().len();
        let request = BuildOptions { preset: Some("default".into()), ..BuildOptions::in_dir(root) };
        preface_testkit::grant(
            &Engine::new(&system),
            &request,
            &[],
            preface_engine::coverage::HiddenText::Refuse,
        )
        .expect("a grant of texts");
        Engine::new(&system).build(&request).expect("a prompt");
        system.runs().len() > before
    };
    assert_eq!((ran("/work"), ran("/tree")), (true, false));
}

/// Headers of a server, and which key goes to an address, are part of what was granted.
#[test]
fn a_permit_of_an_address_is_about_its_headers_and_its_key() {
    let servers = |value: &str| {
        format!(
            r#"{{"mcpServers": {{"far": {{"url": "https://one.example", "headers": {{"X-Key": "{value}"}}}}}}}}"#
        )
    };
    let model = |key: &str| {
        let fields = format!(
            r#""kind": "openai", "baseUrl": "https://one.example", "apiKey": {{"kind": "env", "name": "{key}"}}"#
        );
        manifest("providers", "proxy", &fields)
    };
    let path = "/work/.preface/extensions/providers/proxy/manifest.json";
    let system = machine()
        .with_file("/work/.preface/mcp.json", servers("literal-secret-value"))
        .with_file(path, model("ONE_KEY"));
    trust(&system, "default");
    let added = allow(&system, "default");
    assert_eq!(added.len(), 2);
    let shown: Vec<String> = added.iter().flat_map(Permission::lines).map(|line| line.to_string()).collect();
    assert!(shown.contains(&"with X-Key: literal-secret-value".to_owned()), "{shown:?}");
    let runnable = || {
        let report = scopes(&system, "default");
        let proxy = project_entry(&report, Category::Providers, "proxy").runnable;
        (report.mcp.active("far").is_some_and(|server| server.runnable), proxy)
    };
    assert_eq!(runnable(), (true, true));
    system.put_file("/work/.preface/mcp.json", servers("another-secret-value"));
    system.put_file(path, model("OTHER_KEY"));
    trust(&system, "default");
    assert_eq!(runnable(), (false, false), "another header, another key");
}

#[test]
fn a_program_that_leads_outside_cannot_be_granted() {
    for (preset, _, project) in PRESETS {
        let dir = format!("{project}/extensions/contextProviders/speaker");
        let system = machine()
            .with_file(format!("{dir}/manifest.json"), speaker(r#"["./say.sh"]"#))
            .with_file("/elsewhere/say.sh", "1")
            .with_link(format!("{dir}/say.sh"), "/elsewhere/say.sh")
            .with_command([format!("{dir}/say.sh")], FakeRun::printing("PRINTED"));
        trust(&system, preset);
        let report = Engine::new(&system)
            .grant_commands(&request(preset, TrustChoice::Ask), &[], None)
            .expect("a report");
        assert_eq!((report.added.len(), report.refused.len()), (0, 1), "{report:?}");
        assert!(!runs_program(&system, preset, TrustChoice::Ask), "{preset}");
    }
}

#[test]
fn the_users_own_program_needs_no_grant() {
    for (preset, global, _) in PRESETS {
        let system = machine()
            .with_file(
                format!("{global}/extensions/contextProviders/speaker/manifest.json"),
                speaker(r#"["node", "say.js"]"#),
            )
            .with_file("/work/say.js", "1");
        assert!(runs_program(&system, preset, TrustChoice::Ask), "{preset}");
        assert!(runs_program(&system, preset, TrustChoice::Deny), "{preset}");
        let runs = system.runs();
        assert_eq!(runs[0].not_below.as_deref(), Some(std::path::Path::new("/work")));
    }
}

/// What a program loads by its working directory is the project's, so the user's own start in the home directory until the
/// project is granted. Listings and reviews start none.
#[test]
fn programs_of_the_user_start_in_a_project_that_is_granted() {
    for (preset, global, project) in ALL_PRESETS {
        let hook = manifest("hooks", "tone", r#""event": "before_agent_start", "command": ["tone"]"#);
        let system = machine()
            .with_file(format!("{global}/extensions/hooks/tone/manifest.json"), hook)
            .with_file(
                format!("{global}/extensions/contextProviders/speaker/manifest.json"),
                speaker(r#"["node", "say.js"]"#),
            )
            .with_command(["tone"], FakeRun::printing("{}"))
            .with_file("/work/.git/HEAD", "ref: refs/heads/main\n")
            .with_dir("/work/.git/objects")
            .with_dir("/work/.git/refs")
            .with_file(settings_in(project), "{}");
        let engine = Engine::new(&system);
        let started = |choice: TrustChoice| {
            let before = system.runs().len();
            engine.build(&request(preset, choice)).expect("a prompt");
            let setup = Conversation::setup(Arc::new(system.clone()), request(preset, choice));
            let mut conversation = setup.start().expect("it starts");
            conversation.submit("hi", &mut Vec::new()).expect("a run");
            let runs = system.runs().split_off(before);
            let about = (PROJECT_DIR.to_owned(), "/work".to_owned());
            assert!(runs.iter().all(|run| run.env.contains(&about)), "{preset}: {runs:?}");
            assert!(["node", "tone"].iter().all(|name| runs.iter().any(|run| run.argv[0] == *name)));
            runs.into_iter().map(|run| run.cwd.display().to_string()).collect::<BTreeSet<_>>()
        };
        let [home, work] = ["/home/user", "/work"].map(|dir| BTreeSet::from([dir.to_owned()]));
        assert_eq!(started(TrustChoice::Ask), home, "{preset}");
        assert_eq!(started(TrustChoice::Deny), home, "{preset}");
        assert_eq!(started(TrustChoice::Once), work, "{preset}");
        let before = system.runs().len();
        let ask = request(preset, TrustChoice::Ask);
        engine.look(&ask).and_then(|build| build.scopes()).expect("a listing");
        engine.look(&ask).and_then(|build| build.servers()).expect("a listing");
        engine.build_wide(&ask).expect("a review");
        engine.review(&ask, &[]).expect("a review");
        engine.lint(&ask).expect("a lint");
        trust(&system, preset);
        assert_eq!(system.runs().len(), before, "{preset}");
        assert_eq!(started(TrustChoice::Ask), work, "{preset}");
        engine.revoke(&ask, &[]).expect("a revocation");
        assert_eq!(started(TrustChoice::Ask), home, "{preset}");
    }
}

/// Without a grant a project's configuration changes nothing of the user's; with one it is the nearest layer.
#[test]
fn without_a_grant_the_users_own_stay_the_users() {
    for (preset, global, project) in ALL_PRESETS {
        let server = |command: &str| format!(r#"{{"mcpServers": {{"mine": {{"command": "{command}"}}}}}}"#);
        let own = machine()
            .with_file(
                format!("{global}/extensions/contextProviders/notes/manifest.json"),
                manifest("contextProviders", "notes", r#""markdown": "MY NOTES""#),
            )
            .with_file(
                format!("{global}/extensions/tools/tea/manifest.json"),
                manifest("tools", "tea", r#""description": "mine""#),
            )
            .with_file(settings_in(global), r#"{"securityMode": {"mode": "allowlist", "allowlist": ["ls"]}}"#)
            .with_file(format!("{global}/mcp.json"), server("own"));
        let settings = r#"{"contextProviders": {"notes": {"disable": true}},
            "securityMode": {"mode": null, "allowlist": ["rm"]}, "systemPrompt": {"append": "THEIRS"}}"#;
        let system = own
            .clone()
            .with_file(settings_in(project), settings)
            .with_file(format!("{project}/ordering.json"), r#"{"bundled": []}"#)
            .with_file(format!("{project}/mcp.json"), server("theirs"))
            .with_file(
                format!("{project}/extensions/tools/tea/manifest.json"),
                manifest("tools", "tea", r#""description": "theirs""#),
            );
        let seen = |system: &MemorySystem| {
            let ask = BuildOptions {
                tools: ToolChoice::Named(vec!["tea".to_owned()]),
                ..request(preset, TrustChoice::Ask)
            };
            let engine = Engine::new(system);
            let built = engine.build(&ask).expect("a prompt");
            let tools = format!("{:?}", built.tools);
            let key = "securityMode".parse().expect("a key");
            let security = engine
                .look(&ask)
                .and_then(|build| build.settings())
                .expect("settings")
                .merged
                .get(&key)
                .map(|node| node.to_value());
            let report = engine.look(&ask).and_then(|build| build.scopes()).expect("a listing");
            let server = report.mcp.active("mine").map(|server| server.origin.scope);
            let notes = report.scopes.active(Category::ContextProviders, "notes").is_some();
            (built.prompt.text, tools, security, server, notes)
        };
        assert_eq!(seen(&system), seen(&own), "{preset}");
        let untrusted = build(&system, preset, TrustChoice::Ask);
        let is_said = |diagnostic: &&Diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted;
        assert!(untrusted.prompt.diagnostics.iter().any(|one| is_said(&one)), "{preset}");
        trust(&system, preset);
        let (text, tools, security, server, notes) = seen(&system);
        assert!(!notes && tools.contains("theirs"), "{preset}: {tools}");
        assert_eq!(server, Some(Scope::Global), "{preset}: its program is not granted");
        let security = security.expect("security settings").to_string();
        assert_eq!(security, r#"{"mode":"allowlist","allowlist":["ls","rm"]}"#, "{preset}");
        assert!(!text.contains("MY NOTES"), "{preset}");
        assert_eq!(text.contains("THEIRS"), preset != "template", "{preset}: {text}");
    }
}

/// An agent, style or command of a name that the user has is the user's without a grant; one of a new name is used.
#[test]
fn a_name_that_the_user_has_is_the_users() {
    let agent = |text: &str| format!("---\nname: rev\ndescription: {text}\n---\n{text}\n");
    let style = |name: &str, text: &str| format!("---\nname: {name}\n---\n{text}\n");
    let system = machine()
        .with_file("/home/user/.claude/settings.json", r#"{"outputStyle": "terse"}"#)
        .with_file("/home/user/.claude/output-styles/terse.md", style("terse", "MINE: never push."))
        .with_file("/home/user/.claude/agents/rev.md", agent("mine"))
        .with_file("/work/.claude/output-styles/x.md", style("Terse", "THEIRS: push to main."))
        .with_file("/work/.claude/agents/rev.md", agent("theirs"))
        .with_file("/work/.claude/agents/new.md", agent("new").replace("name: rev", "name: new"));
    let engine = Engine::new(&system);
    let seen = || {
        let ask = request("claude-code", TrustChoice::Ask);
        let built = engine.build(&ask).expect("a prompt");
        let report = engine.look(&ask).expect("a listing").agents();
        let agents =
            report.entries.iter().filter(|agent| agent.active && agent.origin.scope != Scope::Bundled);
        let agents: Vec<String> = agents.map(|agent| agent.origin.path.clone()).collect();
        (built.prompt.text.contains("THEIRS"), built.prompt.text.contains("MINE"), agents)
    };
    let (mine, theirs) = ("~/.claude/agents/rev.md".to_owned(), ".claude/agents/rev.md".to_owned());
    assert_eq!(seen(), (false, true, vec![".claude/agents/new.md".to_owned(), mine]));
    let built = engine.build(&request("claude-code", TrustChoice::Ask)).expect("a prompt");
    let left_out = built.untrusted().map(|seen| seen.shown.clone()).collect::<Vec<_>>();
    assert_eq!(left_out, [".claude/output-styles/x.md", ".claude/agents/rev.md"]);
    trust(&system, "claude-code");
    assert_eq!(seen(), (true, false, vec![".claude/agents/new.md".to_owned(), theirs]));
}

/// What cannot be allowed is not recorded, so that it takes the place of nothing.
#[test]
fn what_cannot_be_allowed_is_not_recorded() {
    for (preset, global, project) in ALL_PRESETS {
        let log = |path: &str| manifest("loggers", "audit", &format!(r#""path": "{path}""#));
        let own = format!("{global}/extensions/loggers/audit/manifest.json");
        let theirs = format!("{project}/extensions/loggers/audit/manifest.json");
        let servers = r#"{"mcpServers": {"gone": {"command": "./gone.sh"}}}"#;
        let system = machine()
            .with_file(own, log("audit.jsonl"))
            .with_file(theirs, log("d/x.jsonl"))
            .with_dir("/work/out")
            .with_link(format!("{project}/d"), "../out")
            .with_file(format!("{project}/mcp.json"), servers)
            .with_file(
                format!("{project}/extensions/contextProviders/speaker/manifest.json"),
                speaker(r#"["./nope.sh"]"#),
            );
        trust(&system, preset);
        let report = Engine::new(&system)
            .grant_commands(&request(preset, TrustChoice::Ask), &[], None)
            .expect("a grant of commands");
        assert_eq!((report.added.len(), report.refused.len()), (0, 3), "{preset}: {report:?}");
        let listed = scopes(&system, preset);
        let audit = listed.scopes.active(Category::Loggers, "audit").expect("a logger");
        assert_eq!(audit.origin.scope, Scope::Global, "{preset}");
        assert!(listed.mcp.active("gone").is_none_or(|server| !server.runnable), "{preset}");
    }
}

/// A bare name is never a program of the project, whoever starts it.
#[test]
fn a_bare_name_is_no_program_of_the_project() {
    for (preset, global, project) in PRESETS {
        for layer in [global, project] {
            let system = MemorySystem::new()
                .with_bundle(ASSETS)
                .with_home("/home/user")
                .with_dir("/work/.git")
                .with_dir(project)
                .with_file(
                    format!("{layer}/extensions/contextProviders/speaker/manifest.json"),
                    speaker(r#"["say"]"#),
                )
                .with_command(["say"], FakeRun::printing("PRINTED").found_at("/work/bin/say"));
            trust(&system, preset);
            allow(&system, preset);
            let built = build(&system, preset, TrustChoice::Ask);
            assert!(!built.prompt.text.contains("PRINTED"), "{preset}: {layer}");
            let diagnostic = built
                .prompt
                .diagnostics
                .iter()
                .find(|diagnostic| diagnostic.code.as_str() == "extension/context-provider-failed");
            assert!(diagnostic.is_some(), "{preset}: {:?}", built.prompt.diagnostics);
        }
    }
}

#[test]
fn addresses_files_and_hooks_wait_for_a_grant() {
    for (preset, global, project) in PRESETS {
        let files = [
            (Category::Providers, "proxy", r#""kind": "openai", "baseUrl": "https://one.example""#),
            (Category::Loggers, "log", r#""path": "one.jsonl""#),
            (Category::SessionStores, "store", r#""kind": "postgres", "url": "postgres://one.example/db""#),
            (Category::Hooks, "hook", r#""slot": "TOOL_CALL/pre", "command": ["one"]"#),
        ];
        let path = |layer: &str, category: Category, id: &str| {
            format!("{layer}/extensions/{category}/{id}/manifest.json")
        };
        let mut system = machine();
        for (category, id, fields) in files {
            let text = manifest(category.as_str(), id, fields);
            // The user has the same, which a grant-less override must not make the project's.
            system = system
                .with_file(path(global, category, id), &text)
                .with_file(path(project, category, id), &text);
        }
        let runnable = |system: &MemorySystem| {
            let report = scopes(system, preset);
            files.map(|(category, id, _)| {
                let is_theirs = |entry: &&ExtensionEntry| {
                    entry.value.category == category
                        && entry.name == id
                        && entry.origin.scope == Scope::Project
                };
                let entry = report.scopes.entries.iter().find(is_theirs).expect("it is listed");
                // Until it may run, the user's own does its work.
                assert_eq!(project_entry(&report, category, id).origin.scope == Scope::Project, entry.active);
                (entry.active, entry.runnable)
            })
        };
        // Hooks of one name do not hide each other.
        let waiting = [(false, false), (false, false), (false, false), (true, false)];
        trust(&system, preset);
        assert_eq!(runnable(&system), waiting, "{preset}");
        allow(&system, preset);
        assert_eq!(runnable(&system), [(true, true); 4], "{preset}");
        for (category, id, fields) in files {
            let changed = manifest(category.as_str(), id, &fields.replace("one", "two"));
            system.put_file(path(project, category, id), changed);
        }
        trust(&system, preset);
        assert_eq!(runnable(&system), waiting, "{preset}");
        for (category, id, fields) in files {
            system.put_file(path(project, category, id), manifest(category.as_str(), id, fields));
        }
        assert_eq!(runnable(&system), [(true, true); 4], "{preset}");
        Engine::new(&system).revoke(&request(preset, TrustChoice::Ask), &[]).expect("a revocation");
        trust(&system, preset);
        assert_eq!(runnable(&system), waiting, "{preset}");
    }
}

#[test]
fn servers_of_a_project_wait_for_a_grant() {
    for (preset, global, project) in PRESETS {
        let servers = |word: &str| {
            format!(
                r#"{{"mcpServers": {{"local": {{"command": "node", "args": ["say.js"], "env": {{"A": "{word}"}}}},
                "far": {{"type": "http", "url": "https://{word}.example"}}}}}}"#
            )
        };
        let system = machine()
            .with_file(format!("{global}/mcp.json"), r#"{"mcpServers": {"mine": {"command": "node"}}}"#)
            .with_file(format!("{project}/mcp.json"), servers("one"))
            .with_file("/work/say.js", "1");
        let runnable = |system: &MemorySystem| {
            let report = scopes(system, preset);
            ["far", "local", "mine"].map(|id| report.mcp.active(id).is_some_and(|server| server.runnable))
        };
        assert_eq!(runnable(&system), [false, false, true], "{preset}");
        trust(&system, preset);
        assert!(scopes(&system, preset).mcp.active("local").is_some(), "{preset}");
        assert_eq!(runnable(&system), [false, false, true], "{preset}");
        allow(&system, preset);
        assert_eq!(runnable(&system), [true, true, true], "{preset}");
        system.put_file("/work/say.js", "2");
        assert_eq!(runnable(&system), [true, false, true], "{preset}");
        system.put_file("/work/say.js", "1");
        system.put_file(format!("{project}/mcp.json"), servers("two"));
        trust(&system, preset);
        assert_eq!(runnable(&system), [false, false, true], "{preset}");
        system.put_file(format!("{project}/mcp.json"), servers("one"));
        assert_eq!(runnable(&system), [true, true, true], "{preset}");
        Engine::new(&system).revoke(&request(preset, TrustChoice::Ask), &[]).expect("a revocation");
        trust(&system, preset);
        assert_eq!(runnable(&system), [false, false, true], "{preset}");
        assert!(system.runs().is_empty());
    }
}

const TRUSTED: &str = "/work/trusted";
const HOSTILE: &str = "/work/x";

/// A directory with a text, a context provider, a hook and a server.
fn with_project(system: MemorySystem, dir: &str) -> MemorySystem {
    let extension =
        |category: &str, id: &str| format!("{dir}/.preface/extensions/{category}/{id}/manifest.json");
    let hook = manifest("hooks", "hook", r#""slot": "TOOL_CALL/pre", "command": ["make", "hook"]"#);
    system
        .with_file(format!("{dir}/AGENTS.md"), "GRANTED TEXT")
        .with_file(extension("contextProviders", "speaker"), speaker(r#"["node", "say.js"]"#))
        .with_file(extension("hooks", "hook"), hook)
        .with_file(
            format!("{dir}/.preface/mcp.json"),
            r#"{"mcpServers": {"local": {"command": "npm", "args": ["run"]}}}"#,
        )
        .with_file(format!("{dir}/say.js"), "1")
}

fn with_git_dir(system: MemorySystem, dir: &str) -> MemorySystem {
    system
        .with_file(format!("{dir}/HEAD"), "ref: refs/heads/main\n")
        .with_file(format!("{dir}/refs/heads/main"), "0123456789012345678901234567890123456789\n")
        .with_dir(format!("{dir}/objects"))
}

/// Returns which of provider, hook and server may run in a directory, and whether its text is included.
fn allowed_in(system: &MemorySystem, dir: &str) -> ([bool; 3], bool) {
    let engine = Engine::new(system);
    let request = BuildOptions { preset: Some("default".into()), ..BuildOptions::in_dir(dir) };
    let report = engine.look(&request).and_then(|build| build.scopes()).expect("a listing");
    let runs = |category, id| report.scopes.active(category, id).is_some_and(|entry| entry.runnable);
    let runnable = [
        runs(Category::ContextProviders, "speaker"),
        runs(Category::Hooks, "hook"),
        report.mcp.active("local").is_some_and(|server| server.runnable),
    ];
    (runnable, engine.build(&request).expect("a prompt").prompt.text.contains("GRANTED TEXT"))
}

#[test]
fn a_git_that_names_a_trusted_repository_gives_nothing() {
    let machine = || {
        let system = with_git_dir(machine(), &format!("{TRUSTED}/.git"))
            .with_file(format!("{TRUSTED}/.git/worktrees/w/HEAD"), "ref: refs/heads/main\n")
            .with_file(format!("{TRUSTED}/.git/worktrees/w/commondir"), "../..\n")
            .with_file(format!("{TRUSTED}/.git/worktrees/w/gitdir"), "/work/linked/.git\n")
            .with_file("/work/linked/.git", format!("gitdir: {TRUSTED}/.git/worktrees/w\n"));
        let system = [TRUSTED, "/work/linked", HOSTILE].into_iter().fold(system, with_project);
        let request = BuildOptions { preset: Some("default".into()), ..BuildOptions::in_dir(TRUSTED) };
        let engine = Engine::new(&system);
        preface_testkit::grant(&engine, &request, &[], preface_engine::coverage::HiddenText::Refuse)
            .expect("a grant");
        engine.grant_commands(&request, &[], None).expect("a grant of commands");
        system
    };
    assert_eq!(allowed_in(&machine(), TRUSTED), ([true; 3], true));
    assert_eq!(
        allowed_in(&machine(), "/work/linked"),
        ([false; 3], false),
        "a work tree has grants of its own"
    );

    let own = || with_git_dir(machine(), &format!("{HOSTILE}/.git"));
    let file = |target: &str| machine().with_file(format!("{HOSTILE}/.git"), format!("gitdir: {target}\n"));
    for (what, system) in [
        ("no .git", machine()),
        ("a repository of its own", own()),
        (
            "a relative commondir",
            own().with_file(format!("{HOSTILE}/.git/commondir"), "../../trusted/.git\n"),
        ),
        (
            "an absolute commondir",
            own().with_file(format!("{HOSTILE}/.git/commondir"), format!("{TRUSTED}/.git\n")),
        ),
        ("a file to the repository", file("../trusted/.git")),
        ("a file to a work tree's directory", file("../trusted/.git/worktrees/w")),
        (
            "a file to a directory of its own with commondir",
            with_git_dir(file("git"), &format!("{HOSTILE}/git"))
                .with_file(format!("{HOSTILE}/git/commondir"), format!("{TRUSTED}/.git\n"))
                .with_file(format!("{HOSTILE}/git/gitdir"), format!("{HOSTILE}/.git\n")),
        ),
        ("a link", machine().with_link(format!("{HOSTILE}/.git"), "../trusted/.git")),
        (
            "a HEAD with text, and commondir",
            own()
                .with_file(format!("{HOSTILE}/.git/HEAD"), "ref: refs/worktree/GRANTED-TEXT\n")
                .with_file(format!("{HOSTILE}/.git/commondir"), "../../trusted/.git\n"),
        ),
        (
            "refs and objects that are links",
            own()
                .with_link(format!("{HOSTILE}/.git/refs"), "../../trusted/.git/refs")
                .with_link(format!("{HOSTILE}/.git/objects"), "../../trusted/.git/objects"),
        ),
    ] {
        let before = system.runs().len();
        assert_eq!(allowed_in(&system, HOSTILE), ([false; 3], false), "{what}");
        assert_eq!(system.runs().len(), before, "{what}: nothing was started");
    }
}

/// A granted logger writes below the project, whatever its directories became since.
#[test]
fn a_logger_of_a_project_writes_through_no_link() {
    for (preset, _, project) in PRESETS {
        let at = format!("{project}/extensions/loggers/audit/manifest.json");
        let system = machine()
            .with_dir(format!("{project}/d"))
            .with_dir("/home/user/victim")
            .with_file(at, manifest("loggers", "audit", r#""path": "d/x.log""#));
        trust(&system, preset);
        allow(&system, preset);
        build(&system, preset, TrustChoice::Ask);
        let log = format!("{project}/d/x.log");
        assert!(system.stat(log.as_ref()).is_some(), "{preset}: it writes");
        system.cut(format!("{project}/d"));
        system.put_link(format!("{project}/d"), "/home/user/victim");
        let built = build(&system, preset, TrustChoice::Ask);
        let failed =
            built.prompt.diagnostics.iter().find(|diagnostic| diagnostic.code.as_str() == "logger/failed");
        assert!(failed.is_some(), "{preset}: {:?}", built.prompt.diagnostics);
        assert_eq!(system.list("/home/user/victim".as_ref(), 9), Ok(Vec::new()), "{preset}");
    }
}

/// A permission of a project that is trusted as a whole is about the directory that it was given for.
#[test]
fn a_permit_ends_where_the_directory_becomes_a_link() {
    let manifest = manifest("loggers", "audit", r#""path": "d/x.log""#);
    let system = machine()
        .with_file("/work/.stud/extensions/loggers/audit/manifest.json", &manifest)
        .with_dir("/work/.stud/d")
        .with_file("/elsewhere/extensions/loggers/audit/manifest.json", &manifest)
        .with_dir("/elsewhere/d");
    trust(&system, "stud");
    allow(&system, "stud");
    build(&system, "stud", TrustChoice::Ask);
    assert!(system.stat("/work/.stud/d/x.log".as_ref()).is_some(), "it writes where it was granted");
    system.cut("/work/.stud");
    system.put_link("/work/.stud", "/elsewhere");
    for choice in [TrustChoice::Ask, TrustChoice::Once] {
        build(&system, "stud", choice);
        assert_eq!(system.list("/elsewhere/d".as_ref(), 9), Ok(Vec::new()));
    }
}
