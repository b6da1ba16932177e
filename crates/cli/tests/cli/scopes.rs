//! `preface list extensions`, `tools`, `providers`, `hooks` and `health`

use crate::sandbox::Sandbox;

/// A manifest with these fields.
fn manifest(category: &str, id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "{category}", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

/// A project of `stud` that overrides a bundled tool, brings a broken one and a hook, and rewrites the order of hooks.
fn layered() -> Sandbox {
    let sandbox = Sandbox::empty();
    let tool = |id: &str, fields: &str| manifest("tools", id, fields);
    sandbox
        .home(".stud/settings.json", "{\n  \"tools\": {\"ls\": {\"disable\": true}}\n}\n")
        .home(
            ".stud/extensions/providers/proxy/manifest.json",
            manifest("providers", "proxy", r#""kind": "openai", "baseUrl": "https://proxy.example/v1""#),
        )
        .work(".stud/extensions/tools/bash/manifest.json", tool("bash", r#""description": "Strictly.""#))
        .work(".stud/extensions/tools/read/manifest.json", tool("read", r#""description": 1"#))
        .work(
            ".stud/extensions/hooks/audit/manifest.json",
            manifest("hooks", "audit", r#""slot": "TOOL_CALL/pre", "command": ["./audit.sh"]"#),
        )
        .work(".stud/ordering.json", r#"{"hooks": {"TOOL_CALL/pre": ["audit"]}}"#);
    sandbox
}

#[test]
fn the_story_of_a_name_tells_every_layer() {
    let sandbox = layered();
    sandbox
        .run("preface list extensions --preset stud --trust once --why tools/bash")
        .exits(0)
        .says("")
        .prints(
            "\
tools/bash is the project's.
  bundled  bundled/extensions/tools/bash/manifest.json  hidden by project (.stud/extensions/tools/bash/manifest.json)
  global   -                                            nothing here
  project  .stud/extensions/tools/bash/manifest.json    active: hides bundled (bundled/extensions/tools/bash/manifest.json)
",
        );
    sandbox.run("preface list extensions --preset stud --why bash").exits(0).says("").prints(
        "\
tools/bash is the bundled one.
  bundled  bundled/extensions/tools/bash/manifest.json  active
  global   -                                            nothing here
  project  -                                            not read: the project is not trusted
",
    );
    sandbox.run("preface list extensions --preset stud --why bsah").exits(1).prints("").says(
        "error: no layer has `bsah`; the project is not trusted and was not read\n\
             help: did you mean `bash`?\n",
    );
    let ran = sandbox.run("preface list extensions --preset stud --trust once --why bsah").exits(1);
    assert_eq!(ran.stderr, "error: no layer has `bsah`\nhelp: did you mean `bash`?\n");
}

#[test]
fn what_is_broken_is_told_and_changes_no_exit_code() {
    let sandbox = layered();
    let ran = sandbox.run("preface list extensions --all --preset stud --trust once").exits(0);
    assert!(
        ran.stderr.contains("warning: project/read (Tool): `description` must be a string, not a number"),
        "{}",
        ran.stderr
    );
    let words = |line: &str| line.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>();
    assert!(ran.stdout.lines().any(|line| words(line) == ["ls", "bundled", "off"]), "{}", ran.stdout);
    assert!(ran.stdout.contains("\n    switched off by ~/.stud/settings.json:2\n"), "{}", ran.stdout);
    sandbox.run("preface list extensions --preset stud --trust once -q").exits(0).says("");
    sandbox.run("preface doctor --preset stud --trust once").exits(0).says("");
}

#[test]
fn health_counts_files_that_cannot_be_used() {
    let sandbox = Sandbox::empty();
    sandbox
        .work(".claude/agents/a.md", "---\nname: a\ndescription: Use it. Example: this.\n---\nYou.\n")
        .work(".claude/agents/b.md", "---\nname: [\n---\nYou.\n");
    let ran = sandbox.run("preface doctor --preset claude-code").exits(0);
    assert!(ran.stdout.starts_with("warning: .claude/agents/b.md was left out"), "{}", ran.stdout);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(ran.stdout.lines().any(|line| words(line) == "agents 18 active, 1 invalid"), "{}", ran.stdout);
    let health = sandbox.run("preface doctor --preset claude-code --format json").exits(0).json();
    assert_eq!(health["files"]["agents"], serde_json::json!({"active": 18, "invalid": 1}));
}

#[test]
fn a_category_is_listed_without_what_is_not_active() {
    let sandbox = layered();
    let ran = sandbox.run("preface list tools --preset stud --trust once").exits(0);
    assert!(!ran.stdout.contains("\n  ls "), "{}", ran.stdout);
    let last = "6 active, 1 off, 1 broken, 1 warning, 0 errors; 3 not active, `--all` lists them\n\
                used by a build: none; name tools with `--tools`\n";
    assert!(ran.stdout.ends_with(last), "{}", ran.stdout);
    let ran = sandbox.run("preface list tools --preset stud --trust once --all").exits(0);
    assert!(ran.stdout.contains("\n  ls "), "{}", ran.stdout);
    sandbox.run("preface list providers --preset stud").exits(0).prints(
        "  name   layer   state   what it is
providers
  proxy  global  active  https://proxy.example/v1
1 active, 0 off, 1 warning, 0 errors
",
    );
}

#[test]
fn hooks_are_listed_with_the_order_that_was_rewritten() {
    layered().run("preface list hooks --preset stud --trust once -q").exits(0).says("").prints(
        "  name      layer    state        what it is
hooks TOOL_CALL/pre
  1. audit  project  needs grant  transform: ./audit.sh
    may not run: `preface trust grant --allow-commands --preset stud`
TOOL_CALL/pre: the order is that of the project layer's ordering.json
  as without it: audit
1 active, 0 off, 1 warning, 0 errors
",
    );
}

#[test]
fn programs_get_every_entry_with_every_key() {
    let sandbox = layered();
    let report =
        sandbox.run("preface list extensions --preset stud --trust once --format json").exits(0).json();
    let keys: Vec<&String> = report.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["kind", "entries", "diagnostics", "audit", "servers"]);
    let entries = report["entries"].as_array().expect("a list");
    let row = |name: &str, scope: &str| {
        let is = |row: &&serde_json::Value| row["name"] == name && row["origin"]["scope"] == scope;
        entries.iter().find(is).unwrap_or_else(|| panic!("{name} of {scope}")).clone()
    };
    assert_eq!(row("bash", "project")["shadows"][0]["scope"], "bundled");
    assert_eq!(row("bash", "bundled")["shadowed_by"]["scope"], "project");
    assert_eq!(row("read", "bundled")["fallback_from"]["scope"], "project");
    assert_eq!(row("read", "project")["status"], "disabled");
    assert_eq!(row("ls", "bundled")["disabled_by"]["scope"], "global");
    let hook = row("audit", "project");
    assert_eq!((&hook["order"], &hook["slot"]), (&0.into(), &"TOOL_CALL/pre".into()));
    assert_eq!((&hook["active"], &hook["runnable"]), (&true.into(), &false.into()));
    let all = [
        "active",
        "config_scope",
        "disabled_by",
        "fallback_from",
        "order",
        "runnable",
        "shadowed_by",
        "shadows",
        "slot",
        "state",
        "status",
    ];
    assert!(entries.iter().all(|row| all.iter().all(|key| row.get(key).is_some())), "each has all keys");
    let audit = report["audit"].as_array().expect("a list");
    assert!(audit.iter().any(|event| event["type"] == "OrderingRewrite"), "{audit:?}");

    let tools = sandbox.run("preface list tools --preset stud --trust once --format json").exits(0).json();
    let of_tools: Vec<serde_json::Value> =
        entries.iter().filter(|row| row["category"] == "tools").cloned().collect();
    assert_eq!(tools["entries"], serde_json::Value::Array(of_tools), "the same entries in the same words");
}

#[test]
fn who_switched_off_and_on_and_which_command_is_typed_is_part_of_the_story() {
    let sandbox = Sandbox::empty();
    let command = |id: &str| manifest("commands", id, r#""name": "hi", "description": "Greets.""#);
    sandbox
        .home(".stud/extensions/commands/greet/manifest.json", command("greet"))
        .home(".stud/settings.json", r#"{"tools": {"bash": {"disable": true}, "edit": {"disable": true}}}"#)
        .work(".stud/extensions/commands/hello/manifest.json", command("hello"))
        .work(
            ".stud/extensions/tools/edit/manifest.json",
            manifest("tools", "edit", r#""description": "E.""#),
        )
        .work(".stud/settings.json", r#"{"tools": {"bash": {"disable": false}}}"#);
    let why = |name: &str| {
        sandbox
            .run(&format!("preface list extensions --preset stud --trust once --why {name}"))
            .exits(0)
            .stdout
    };
    let greet = "\
commands/greet is not active.
  bundled  -                                                nothing here
  global   ~/.stud/extensions/commands/greet/manifest.json  hidden by project (.stud/extensions/commands/hello/manifest.json)
  project  -                                                nothing here
";
    assert_eq!(why("greet"), greet);
    let typed = why("hi");
    assert!(typed.starts_with(greet) && typed.contains("\n\ncommands/hello is the project's.\n"), "{typed}");
    let bash = why("bash");
    let reason = "which ~/.stud/settings.json:1 (global) switches off, is switched on again by \
                  .stud/settings.json:1 (project)";
    assert!(bash.contains(reason), "{bash}");
}

#[test]
fn an_order_without_hooks_and_hooks_of_one_name_are_told_apart() {
    let sandbox = Sandbox::empty();
    let hook = |fields: &str| manifest("hooks", "same", &format!(r#"{fields}, "command": ["true"]"#));
    sandbox
        .home(".stud/extensions/hooks/same/manifest.json", hook(r#""event": "tool_call""#))
        .work(".stud/extensions/hooks/same/manifest.json", hook(r#""slot": "TOOL_CALL/pre""#))
        .work(".stud/ordering.json", r#"{"hooks": {"TOOL_CALL/pre": ["same"], "RENDER/post": ["x"]}}"#);
    let ran = sandbox.run("preface list hooks --preset stud --trust once -q").exits(0);
    for line in [
        "  1. same  global   active       transform of tool_call: true\n    preface calls no tools and never starts it; it is listed for your agent\n",
        "  2. same  project  needs grant  transform: true\n",
        "  as without it: same (global), same (project)\n",
        "RENDER/post: the order is that of the project layer's ordering.json\n  no hook is active there\n",
    ] {
        assert!(ran.stdout.contains(line), "{line}{}", ran.stdout);
    }
}

#[test]
fn tools_can_be_listed_by_name() {
    let ran = Sandbox::empty().run("preface list tools --tools read,bash").exits(0).says("");
    let names: Vec<&str> =
        ran.stdout.lines().filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert_eq!(names, ["name", "bash", "read"]);
    assert!(ran.stdout.ends_with("\nused by a build: read, bash\n"), "{}", ran.stdout);
    let ran = Sandbox::empty().run("preface list tools").exits(0).says("");
    assert!(ran.stdout.ends_with("\nused by a build: none; name tools with `--tools`\n"), "{}", ran.stdout);
}

#[test]
fn health_names_what_is_hidden_and_counts_the_files_that_are_no_extensions() {
    let ran = layered().run("preface doctor --preset stud --trust once").exits(0);
    assert!(ran.stdout.contains(", 1 hidden (bash of bundled)"), "{}", ran.stdout);
    let sandbox = Sandbox::empty();
    sandbox.home(".claude/agents/e.md", "---\nname: e\ndescription: d\n---\n");
    let ran = sandbox.run("preface doctor --preset claude-code").exits(0);
    let warnings = ran.stdout.lines().filter(|line| line.starts_with("warning: ")).count();
    assert_eq!(warnings, 1, "{}", ran.stdout);
    let last = ran.stdout.lines().last().unwrap_or_default();
    assert!(last.starts_with("extensions ") && last.ends_with(", 1 warning, 0 errors"), "{last}");
}

/// What an author looks for comes first: the files that a prompt is made of, then tools and servers.
#[test]
fn health_begins_with_instructions_and_skills() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    sandbox.work(".preface/skills/deploy/SKILL.md", "---\nname: deploy\ndescription: Deploys.\n---\nGo.\n");
    sandbox.run("preface trust grant").exits(0);
    let ran = sandbox.run("preface list").exits(0);
    let after = ran.stdout.split("trust  ").nth(1).expect("a line about trust");
    let lines: Vec<&str> =
        after.lines().skip(1).map(|line| line.split("  ").next().unwrap_or_default()).collect();
    assert_eq!(
        lines,
        ["instructions", "skills", "tools", "contextProviders", "extensions"],
        "{}",
        ran.stdout
    );
    assert!(after.contains("instructions      AGENTS.md\nskills            1 active\n"), "{after}");
}

#[test]
fn health_has_sorted_keys_and_two_blanks() {
    let ran = layered().run("preface doctor --preset stud --trust once --format json").exits(0);
    assert!(ran.stdout.starts_with("{\n  \"directories\": {\n    \"global\": {\n"), "{}", ran.stdout);
    let health = ran.json();
    let keys: Vec<&String> = health.as_object().expect("an object").keys().collect();
    assert!(keys.is_sorted(), "{keys:?}");
    let extensions = health["extensions"].as_array().expect("a list");
    let keys: Vec<&String> = extensions[0].as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["configScope", "id", "kind", "scope", "shadows", "state"]);
    let active = extensions.iter().filter(|row| row["state"] == "active" || row["state"] == "needs grant");
    assert_eq!(health["startup"]["loadedCount"], active.count());
    assert_eq!(health["startup"]["disabled"], serde_json::json!(["tools/ls", "tools/read"]));
}

#[test]
fn a_project_takes_over_once_it_may_run_and_not_before() {
    let sandbox = Sandbox::empty();
    let logger = |path: &str| manifest("loggers", "log", &format!(r#""path": "{path}""#));
    sandbox
        .home(".stud/extensions/loggers/log/manifest.json", logger("mine.jsonl"))
        .home(".stud/system.md", "Mine.")
        .work(".stud/extensions/loggers/log/manifest.json", logger("theirs.jsonl"));
    sandbox.run("preface trust grant --preset stud").exits(0);
    sandbox.run("preface list loggers --all --preset stud").exits(0).says("").prints(
        "  name  layer    state    what it is
loggers
  log   global   active   mine.jsonl
    the one above it cannot be used: project (.stud/extensions/loggers/log/manifest.json)
  log   project  pending  theirs.jsonl
    may not run: `preface trust grant --allow-commands --preset stud`
1 active, 0 off, 0 warnings, 0 errors
",
    );
    sandbox.run("preface list --why log --preset stud").exits(0).says("").prints(
        "loggers/log is the global one.
  bundled  -                                             nothing here
  global   ~/.stud/extensions/loggers/log/manifest.json  active: the one above it cannot be used: project (.stud/extensions/loggers/log/manifest.json)
  project  .stud/extensions/loggers/log/manifest.json    pending: may not run: `preface trust grant --allow-commands --preset stud`
",
    );
    sandbox.run("preface build --preset stud").exits(0).prints("Mine.");
    let (mine, theirs) = (sandbox.path("home/.stud/mine.jsonl"), sandbox.path("work/.stud/theirs.jsonl"));
    assert!(mine.exists() && !theirs.exists(), "the user's log goes on");

    sandbox.run("preface trust grant --allow-commands --preset stud").exits(0);
    let before = std::fs::metadata(&mine).expect("it is there").len();
    sandbox.run("preface build --preset stud").exits(0).prints("Mine.");
    assert!(theirs.exists(), "the project's writes now");
    assert_eq!(std::fs::metadata(&mine).expect("it is there").len(), before);
}

#[test]
fn a_tool_that_cannot_be_used_is_left_out_of_a_request_and_reported() {
    let sandbox = Sandbox::empty();
    sandbox
        .home(
            ".config/preface/extensions/tools/off/manifest.json",
            manifest("tools", "off", r#""description": "d""#),
        )
        .home(
            ".config/preface/extensions/tools/bad/manifest.json",
            manifest("tools", "bad", r#""description": 1"#),
        )
        .work(
            ".preface/extensions/tools/held/manifest.json",
            manifest("tools", "held", r#""description": "d""#),
        );
    for (name, code) in [("off", "tool/left-out"), ("bad", "tool/left-out"), ("held", "tool/left-out")] {
        let off = "--set tools.off.disable=true";
        let ran =
            sandbox.run(&format!("preface build --tools {name},read {off} --format request -v")).exits(0);
        let tools: Vec<serde_json::Value> =
            ran.json()["tools"].as_array().expect("a list").iter().map(|tool| tool["name"].clone()).collect();
        assert_eq!(tools, ["read"], "{name}");
        assert!(ran.stderr.contains(&format!("[{code}]")), "{name}: {}", ran.stderr);
    }
}

/// What the seed calls a misconfigured override: it names a file that is not there, or one without text.
#[test]
fn an_override_without_its_file_replaces_nothing() {
    let sandbox = Sandbox::empty();
    let with = |more: &str| manifest("contextProviders", "notes", more);
    let project = ".stud/extensions/contextProviders/notes";
    sandbox
        .home(".stud/system.md", "Mine.\n")
        .home(".stud/extensions/contextProviders/notes/manifest.json", with(r#""markdown": "My notes.""#))
        .work(&format!("{project}/manifest.json"), with(r#""files": ["notes.md"]"#));
    for text in [None, Some(""), Some("Their notes.\n")] {
        if let Some(text) = text {
            sandbox.work(&format!("{project}/notes.md"), text);
        }
        sandbox.run("preface trust grant --preset stud").exits(0);
        let built = sandbox.run("preface build --preset stud -q").exits(0);
        let expected = if text == Some("Their notes.\n") { "Their notes." } else { "My notes." };
        assert!(built.stdout.contains(expected), "{text:?}: {}", built.stdout);
    }
}

/// A file that changed after its grant gives no text, and a schema that does not compile no tool.
#[test]
fn an_override_that_cannot_be_used_replaces_nothing() {
    let sandbox = Sandbox::empty();
    let notes = |more: &str| manifest("contextProviders", "notes", more);
    let tool = |more: &str| manifest("tools", "t", more);
    let project = ".preface/extensions/contextProviders/notes";
    sandbox
        .home(
            ".config/preface/extensions/contextProviders/notes/manifest.json",
            notes(r#""markdown": "My notes.""#),
        )
        .home(".config/preface/extensions/tools/t/manifest.json", tool(r#""description": "Mine.""#))
        .work(&format!("{project}/manifest.json"), notes(r#""files": ["notes.md"]"#))
        .work(&format!("{project}/notes.md"), "Their notes.\n");
    sandbox.run("preface trust grant").exits(0);
    assert!(sandbox.run("preface build -q").exits(0).stdout.contains("Their notes."));
    sandbox.work(&format!("{project}/notes.md"), "Other notes.\n");
    let built = sandbox.run("preface build").exits(0);
    assert!(built.stdout.contains("My notes."), "{}", built.stdout);
    assert!(built.stderr.contains("notes/notes.md is not trusted and was left out"), "{}", built.stderr);

    for schema in [
        r##"{"$ref": "#/nope"}"##,
        r##"{"type": "object", "properties": {"a": {"$ref": "#/nope"}}}"##,
        r#"{"type": "object", "properties": {"a": {"type": "nonsense"}}}"#,
    ] {
        let theirs = tool(&format!(r#""description": "Theirs.", "inputSchema": {schema}"#));
        sandbox.work(".preface/extensions/tools/t/manifest.json", theirs);
        sandbox.run("preface trust grant").exits(0);
        let ran = sandbox.run("preface list --why tools/t").exits(0);
        assert!(ran.stdout.starts_with("tools/t is the global one."), "{schema}: {}", ran.stdout);
        assert!(ran.stdout.contains("broken"), "{schema}: {}", ran.stdout);
    }
}

#[test]
fn what_a_layer_switches_off_and_has_itself_is_its_own() {
    let sandbox = Sandbox::empty();
    sandbox.home(".stud/settings.json", r#"{"tools": {"read": {"disable": true}}}"#);
    let off = "tools/read is not active.
  bundled  bundled/extensions/tools/read/manifest.json  switched off by ~/.stud/settings.json:1
  global   -                                            nothing here
  project  -                                            nothing here
";
    sandbox.run("preface list --why read --preset stud").exits(0).says("").prints(off);
    sandbox.home(
        ".stud/extensions/tools/read/manifest.json",
        manifest("tools", "read", r#""description": "d""#),
    );
    sandbox.run("preface list --why read --preset stud").exits(0).says("").prints(
        "tools/read is the global one.
  bundled  bundled/extensions/tools/read/manifest.json  switched off by ~/.stud/settings.json:1
  global   ~/.stud/extensions/tools/read/manifest.json  active: hides bundled (bundled/extensions/tools/read/manifest.json)
  project  -                                            nothing here
",
    );
}

#[test]
fn a_directory_of_no_category_is_reported_and_does_not_hide_flat_ones() {
    let sandbox = Sandbox::empty();
    sandbox
        .home(".stud/tools/flat/manifest.json", manifest("tools", "flat", r#""description": "d""#))
        .home(".stud/extensions/Tools/x/manifest.json", "{}")
        .home(".stud/extensions/.git/x", "");
    let ran = sandbox.run("preface list tools --preset stud").exits(0);
    assert!(ran.stdout.contains("\n  flat   global   active  d\n"), "{}", ran.stdout);
    assert_eq!(ran.stderr.matches("extension/passed-over").count(), 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean `tools`?"), "{}", ran.stderr);
}

#[test]
fn health_counts_broken_settings_and_fails() {
    let sandbox = Sandbox::empty();
    sandbox.home(".config/preface/settings.json", "{ \"budget\": ");
    let ran = sandbox.run("preface doctor").exits(1).says("");
    assert!(ran.stdout.contains("17 active, 0 off, 0 warnings, 1 error\n"), "{}", ran.stdout);
    let health = sandbox.run("preface doctor --format json").exits(1).json();
    let errors = health["startup"]["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0]["code"], "settings/shape-invalid");
    assert_eq!(errors[0]["location"]["path"], "~/.config/preface/settings.json");
}

#[test]
fn a_list_without_a_kind_is_the_summary_of_doctor() {
    let sandbox = layered();
    for flags in ["", " --format json"] {
        let doctor =
            sandbox.run(&format!("preface doctor --preset stud --trust once{flags}")).exits(0).says("");
        let list = sandbox.run(&format!("preface list --preset stud --trust once{flags}")).exits(0).says("");
        assert_eq!(list.stdout, doctor.stdout);
    }
}

/// An unknown name of a kind leads to the list of that kind.
#[test]
fn an_unknown_name_leads_to_the_list_of_its_kind() {
    let sandbox = Sandbox::empty();
    for kind in ["skills", "agents", "hooks", "tools"] {
        let help = format!("help: see what there is: `preface list {kind} --all`\n");
        for line in [format!("--why {kind}/qqqqqqqqqq"), format!("{kind} --why qqqqqqqqqq")] {
            let ran = sandbox.run(&format!("preface list {line}")).exits(1);
            assert!(ran.stderr.ends_with(&help), "{line}: {}", ran.stderr);
        }
    }
}
