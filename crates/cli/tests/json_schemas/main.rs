//! Every command that prints JSON has a schema in `docs/reference/json`, and what it prints is what the schema describes.

mod commands;
mod form;
#[allow(dead_code)]
#[path = "../cli/sandbox.rs"]
mod sandbox;

use commands::{Output, outputs};
use form::{Definitions, closed, with_definitions};
use sandbox::Sandbox;
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::PathBuf};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/json")
}

/// The whole schema of a file.
fn file(title: &str, about: &str, schema: &Value, definitions: &Definitions) -> Value {
    let mut document = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": about,
    });
    for (key, value) in closed(schema, definitions, false).as_object().expect("a schema is an object") {
        document[key] = value.clone();
    }
    document["description"] = about.into();
    with_definitions(document, definitions)
}

fn all() -> (Vec<Output>, Vec<(&'static str, Value)>) {
    let mut definitions = Definitions::new();
    let outputs = outputs(&mut definitions);
    let mut files: Vec<(&str, Value)> = outputs
        .iter()
        .map(|output| {
            let title = format!("preface {} --format json", output.command);
            (output.file, file(&title, output.about, &output.schema, &definitions))
        })
        .collect();
    let about = "An error, on stderr, where `--format json` was asked for.";
    files.push(("error", file("An error", about, &commands::error(), &definitions)));
    (outputs, files)
}

/// `PREFACE_PRINT=1` writes the files.
#[test]
fn the_files_are_what_the_types_are() {
    let (outputs, files) = all();
    let is_print = std::env::var_os("PREFACE_PRINT").is_some();
    let page = fs::read_to_string(folder().join("../json.md")).expect("docs/reference/json.md");
    for (name, schema) in &files {
        let path = folder().join(format!("{name}.json"));
        let text = format!("{schema:#}\n");
        if is_print {
            fs::write(&path, text).expect("a file of docs/reference/json");
            continue;
        }
        let found = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            found == text,
            "{name}.json is stale; `PREFACE_PRINT=1 cargo test -p preface-cli --test json_schemas` writes it"
        );
    }
    let known: BTreeSet<String> = files.iter().map(|(name, _)| format!("{name}.json")).collect();
    let found: BTreeSet<String> = fs::read_dir(folder())
        .expect("docs/reference/json")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("a plain name"))
        .collect();
    assert_eq!(found, known, "the files of docs/reference/json are those of the commands");
    for output in &outputs {
        let row = format!("| `{}` | [{file}.json](json/{file}.json) |", output.command, file = output.file);
        assert!(page.contains(&row), "docs/reference/json.md has the row {row}");
    }
}

const HOOK: &str = r#"{
  "id": "audit", "category": "hooks", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0",
  "event": "before_agent_start", "command": ["/bin/sh", "-c", "cat"], "timeoutMs": 20000
}"#;
const CHAT: &str = r#"{
  "extensions": [{"name": "house", "before_agent_start": [{"append": "\nUse tabs."}], "context": [{"inject": "now"}]}],
  "replies": [{"text": "hello"}],
  "steps": [{"prompt": "one"}, {"setActiveTools": ["read"]}, {"prompt": "two"}]
}"#;
const README: &str = "\
# Prompts

Counts as of **[Claude Code v1.2.3](somewhere)**.

- [Tool Description: Bell](./system-prompts/tool-description-bell.md) (**12** tks) - Rings.
";
const BELL: &str = "<!--\nname: 'Tool Description: Bell'\ndescription: Rings\nccVersion: 1.2.0\nvariables:\n  - BELL_NAME\n-->\nUse ${BELL_NAME} to ring.\n";
const MANNERS: &str =
    "<!--\nname: 'System Prompt: Manners'\ndescription: Be kind\nccVersion: 1.1.9\n-->\nBe kind.\n";
/// A server that answers what it is asked.
const SERVER: &str = r#"
while IFS= read -r line; do
  case $line in *'"id":'*) ;; *) continue;; esac
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  printf '{"jsonrpc":"2.0","id":%s,' "$id"
  case $line in
    *'"initialize"'*) printf '"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"fake","version":"1.0"}}';;
    *'"tools/list"'*) printf '"result":{"tools":[{"name":"log","description":"Shows the log.","inputSchema":{"type":"object"}}]}';;
    *) printf '"error":{"code":-32601,"message":"no"}';;
  esac
  printf '}\n'
done
"#;

/// A saved capture with one message.
fn capture(message: &str) -> String {
    let end = 25 + message.len();
    let row = |start: usize, end: usize, kind: &str| json!({ "range": { "start": start, "end": end }, "source": { "kind": kind } });
    let items = json!([
        { "kind": "setting", "place": "model", "name": "model", "rows": [row(9, 12, "agent")] },
        { "kind": "message", "place": "messages", "name": "user", "cache_mark": true, "rows": [row(25, end, "environment")] },
    ]);
    let body = format!(r#"{{"model":"m","messages":"{message}"}}"#);
    let secret = json!({ "range": { "start": 25, "end": end }, "code": "secret/key" });
    let request = json!({ "method": "POST", "path": "/v1/messages", "known": true, "model": "m", "body": body, "items": items, "secrets": [secret] });
    let capture = json!({
        "preface_capture": 1, "agent": "claude", "version": "2.0.0", "mode": "print", "directory": "/work", "at": "2026-03-07T14:55:05Z",
        "message": "", "redacted": false, "main": 0, "requests": [request], "written": ["a"],
    });
    capture.to_string()
}

/// A project and a user with one of everything.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox
        .work("AGENTS.md", "Use tabs.\n\u{200b}Hidden.\n")
        .work(".stud/extensions/hooks/audit/manifest.json", HOOK)
        .work(
            ".claude/agents/reviewer.md",
            "---\nname: reviewer\ndescription: Reviews.\ntools: Read\n---\n\nYou review.\n",
        )
        .work(".claude/agents/broken.md", "---\nname: [\n---\n")
        .work(".claude/output-styles/short.md", "---\nname: short\ndescription: Short.\n---\n\nBe short.\n")
        .work(".pi/skills/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies.\n---\n\nTidy.\n")
        .work("chat.json", CHAT)
        .work("usage.json", r#"{"input_tokens": 100, "cache_read_input_tokens": 900}"#)
        .work("one.md", "You help in [prompt:cwd].\n")
        .work("two.md", "You help.\n")
        .work("capture.json", capture("hello"))
        .work("other.json", capture("good day"))
        .work("cat/README.md", README)
        .work("cat/system-prompts/tool-description-bell.md", BELL)
        .work("cat/system-prompts/system-prompt-manners.md", MANNERS)
        .work("new/system-prompts/tool-description-bell.md", BELL.replace("to ring", "to sound"))
        .work("new/system-prompts/tool-description-horn.md", BELL.replace("Bell", "Horn"))
        .home("fake.sh", SERVER);
    let server = sandbox.path("home/fake.sh").display().to_string();
    for home in [".stud", ".sf/agent", ".config/preface"] {
        sandbox.home(&format!("{home}/extensions/hooks/audit/manifest.json"), HOOK).home(
            &format!("{home}/mcp.json"),
            json!({ "mcpServers": { "git": { "command": "/bin/sh", "args": [server] } } }).to_string(),
        );
    }
    sandbox.run("preface build --conversation 7f3a --trust once --now 2026-03-07T14:55:05Z").exits(0);
    fs::write(sandbox.path("chat.jsonl"), "{\"role\":\"user\",\"content\":\"Hi\"}\n").expect("a file");
    let request = "preface build --conversation 7f3a --trust once --format anthropic --model claude-opus-5-5 --messages";
    sandbox.run(&format!("{request} {}", sandbox.path("chat.jsonl").display())).exits(0);
    sandbox
}

#[test]
fn what_a_command_prints_is_what_its_schema_describes() {
    let (outputs, files) = all();
    let sandbox = sandbox();
    let mut wrong = Vec::new();
    for (output, (_, schema)) in outputs.iter().zip(&files) {
        let validator = jsonschema::validator_for(schema).expect("a valid schema");
        assert!(!output.lines.is_empty(), "a command has a line");
        for (line, code) in output.lines {
            let ran = sandbox.run(line);
            if output.file == "template-export" {
                sandbox.work("templates.json", &ran.stdout);
            }
            let Ok(json) = serde_json::from_str::<Value>(&ran.stdout) else {
                wrong.push(format!("{line}\n  no JSON: {}{}", ran.stdout, ran.stderr));
                continue;
            };
            wrong.extend(validator.iter_errors(&json).take(3).map(|error| {
                let error_text: String = error.to_string().chars().take(300).collect();
                format!("{line}\n  {}: {error_text}", error.instance_path())
            }));
            if ran.code() != Some(*code) {
                wrong.push(format!("{line}\n  exits with {:?}: {}", ran.code(), ran.stderr));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_with_the_format_json_has_a_schema() {
    let sandbox = Sandbox::new();
    let (outputs, _) = all();
    let mut missing = Vec::new();
    let mut count = 0;
    walk(&sandbox, "", &mut |command, help| {
        if help.lines().any(|line| line.trim_start().starts_with("--format"))
            && !help.contains("`preface serve`")
        {
            count += 1;
            // These two are other commands in short.
            let command = match command {
                "trust" => "trust status",
                "list" => "doctor",
                command => command,
            };
            if !outputs.iter().any(|output| output.command == command) {
                missing.push(command.to_owned());
            }
        }
    });
    assert!(count > 40, "the help of the commands is read: {count}");
    assert!(missing.is_empty(), "no schema: {missing:?}");
}

#[test]
fn every_kind_of_list_has_a_schema() {
    let help = Sandbox::new().run("preface list -h").exits(0).stdout;
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let kinds = help.split("[possible values: ").nth(1).and_then(|rest| rest.split(']').next());
    let kinds: Vec<&str> = kinds.expect("the kinds").split(", ").collect();
    assert!(kinds.len() > 15, "{kinds:?}");
    let (outputs, _) = all();
    for kind in kinds {
        let command = format!("list {kind}");
        assert!(outputs.iter().any(|output| output.command == command), "no schema: {command}");
    }
}

/// The keys that another format fixes: audit events, the heads of agents and styles, the health document of
/// stud, and its object for a project that needs a grant.
const FIXED: [&str; 13] = [
    "argument-hint",
    "byteCount",
    "canonicalPath",
    "configScope",
    "criticalSystemReminder",
    "disabledCount",
    "disallowedTools",
    "fallbackFrom",
    "keep-coding-instructions",
    "loadedCount",
    "newOrder",
    "previousOrder",
    "providerId",
];

#[test]
fn keys_are_in_snake_case() {
    let (_, files) = all();
    let mut found = BTreeSet::new();
    files.iter().for_each(|(_, schema)| keys(schema, &mut found));
    let other =
        |key: &&String| !key.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    let other: Vec<String> = found.iter().filter(other).cloned().collect();
    assert_eq!(other, FIXED);
    for word in ["notes", "findings", "problem", "problems"] {
        assert!(!found.contains(word), "a list of diagnostics has the name `diagnostics`, not `{word}`");
    }
}

fn keys(schema: &Value, found: &mut BTreeSet<String>) {
    if let Value::Object(fields) = schema {
        let own = fields.get("properties").and_then(Value::as_object);
        found.extend(own.into_iter().flat_map(|own| own.keys().cloned()));
        fields.values().for_each(|value| keys(value, found));
    } else if let Value::Array(items) = schema {
        items.iter().for_each(|item| keys(item, found));
    }
}

fn walk(sandbox: &Sandbox, command: &str, visit: &mut dyn FnMut(&str, &str)) {
    let help = sandbox.run(&format!("preface {command} -h")).exits(0).stdout;
    visit(command, &help);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in listed.take_while(|line| line.starts_with("  ")) {
        let below = line.split_whitespace().next().unwrap_or_default();
        if !line.starts_with("   ") && below != "help" {
            walk(sandbox, format!("{command} {below}").trim_start(), visit);
        }
    }
}

#[test]
fn an_error_is_one_object() {
    let (_, files) = all();
    let (_, schema) = files.last().expect("the error is the last");
    let validator = jsonschema::validator_for(schema).expect("a valid schema");
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n").work("bad.toml", "name = \n");
    for (line, code, exit) in [
        ("preface build --format json --preset none", "cli/usage", 2),
        ("preface build --format json --profile bad.toml", "cli/failed", 1),
        ("preface build --format json --trust require", "HeadlessTrustRequired", 3),
        ("preface build --format json --budget 1", "budget/over", 5),
        ("preface list --format=json --unknown", "cli/usage", 2),
        ("preface config get nothing.at.all --format json", "cli/usage", 2),
        ("preface conversation show none --format json", "cli/failed", 1),
        ("preface catalog list 9.9.9 --format json", "", 1),
        ("preface template show 9 --format json", "cli/failed", 1),
        ("preface trust grant AGENTS.md --preset stud --format json", "cli/usage", 2),
    ] {
        let ran = sandbox.run(line).exits(exit).prints("");
        let last = ran.stderr.lines().last().unwrap_or_default();
        let error: Value =
            serde_json::from_str(last).unwrap_or_else(|why| panic!("{line}: {why}: {}", ran.stderr));
        let errors: Vec<String> = validator.iter_errors(&error).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}: {error}");
        assert_eq!(error["exit_code"], exit, "{line}");
        assert!(code.is_empty() || error["error"]["code"] == code, "{line}: {error}");
    }
    let ran = sandbox.run("preface build --format json --preset none");
    let error: Value = serde_json::from_str(&ran.stderr).expect("an object");
    assert!(error["error"].get("location").is_none(), "a name that is unknown has no place: {error}");
    let text = sandbox.run("preface build --preset none").exits(2);
    assert!(text.stderr.starts_with("error: "), "without the flag an error is text: {}", text.stderr);
}
