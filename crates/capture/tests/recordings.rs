//! Requests in the form of each agent, with texts of our own: every marked line is found in its file, and nothing else is.
//! They are here, and not in testkit, because nothing else reads them; `cargo xtask peers agents` has the agents themselves.

use preface_capture::{
    agent::find,
    document::{Capture, CaptureInputs},
    endpoint::ReceivedRequest,
    files::Places,
    project::config_files,
    run::Mode,
    source::SourceKind,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, fs, path::Path};

const MESSAGE: &str = "Answer with OK. (7f3a)";

/// Files, each line of which ends with a mark that is nowhere else.
const FILES: &[(&str, &[&str])] = &[
    ("home/rules.md", &["Answer in the language of the question.", "Name each file that you change."]),
    (
        "app/AGENTS.md",
        &[
            "# Rules",
            "Always run the tests before a commit, on Linux and on macOS.",
            "See @docs/style.md for the style.",
        ],
    ),
    ("app/docs/style.md", &["Use blanks, four for each level of a block.", "Comments say why."]),
    ("app/api/AGENTS.md", &["The API answers in JSON, errors too.", "", "Each route has a test of its own."]),
    (
        "app/skills/deploy/SKILL.md",
        &["---", "name: deploy", "description: Deploys the service to the staging cluster", "---", "Body."],
    ),
];

/// Where each agent keeps its instructions and skills.
const AGENTS: &[(&str, &str, &str, &str)] = &[
    ("claude", ".claude/CLAUDE.md", "CLAUDE.md", ".claude/skills"),
    ("codex", ".codex/AGENTS.md", "AGENTS.md", ".agents/skills"),
    ("gemini", ".gemini/GEMINI.md", "GEMINI.md", ".gemini/skills"),
    ("opencode", ".config/opencode/AGENTS.md", "AGENTS.md", ".claude/skills"),
    ("pi", ".pi/agent/AGENTS.md", "AGENTS.md", ".pi/skills"),
    ("copilot", ".copilot/copilot-instructions.md", "AGENTS.md", ".github/skills"),
];

/// A line with its mark.
fn marked(file: &str, at: usize, line: &str) -> String {
    let is_marked = line.len() > 24 && !line.starts_with("---");
    if is_marked { format!("{line} mark-{}-{at}", file.replace(['/', '.'], "-")) } else { line.to_owned() }
}

fn text(file: &str) -> String {
    let (_, lines) = FILES.iter().find(|(name, _)| *name == file).unwrap();
    lines.iter().enumerate().map(|(at, line)| marked(file, at, line) + "\n").collect()
}

/// Breaks lines at about 40 columns, and ends them as Windows does.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        column += word.len() + 1;
        out += word;
        if column > 40 {
            out += "\r\n  ";
            column = 0;
        } else {
            out.push(' ');
        }
    }
    out
}

/// The request of an agent: its own words, which are like those of the files, between their texts.
fn request(agent: &str) -> (&'static str, Value) {
    let own = "Always run the tests of the user. Use blanks where the file does. Deploys the service only if asked.";
    let instructions = format!(
        "<rules>\nContents of a file:\n\n{}\n--- next ---\n{}\n\nand:\n{}\n{}</rules>",
        text("home/rules.md"),
        text("app/AGENTS.md"),
        wrapped(&text("app/docs/style.md")),
        text("app/api/AGENTS.md"),
    );
    let skill =
        marked("app/skills/deploy/SKILL.md", 2, "description: Deploys the service to the staging cluster");
    let skills = format!("Skills:\n- deploy: {}\n", skill.strip_prefix("description: ").unwrap());
    let tool = json!({ "name": "mcp__git__log", "description": own, "input_schema": { "type": "object" } });
    let content =
        |texts: &[&str]| texts.iter().map(|text| json!({ "type": "text", "text": text })).collect::<Value>();
    match agent {
        "claude" => (
            "/v1/messages?beta",
            json!({
                "model": "m",
                "messages": [
                    { "role": "user", "content": content(&[&instructions, MESSAGE]) },
                    { "role": "system", "content": format!("SessionStart: hook text\n\n# Environment\n - Platform: linux\n - Be brief.\n\nThe following skills are available\n{skills}") },
                ],
                "system": content(&["You are an agent.", own]),
                "tools": [tool],
            }),
        ),
        "codex" => (
            "/v1/responses",
            json!({
                "model": "m",
                "input": [
                    { "type": "additional_tools", "role": "developer", "tools": [{ "type": "namespace", "name": "mcp__git", "description": own, "tools": [{ "type": "function", "name": "log" }] }] },
                    { "type": "message", "role": "developer", "content": [{ "type": "input_text", "text": own }, { "type": "input_text", "text": skills }] },
                    { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": instructions }, { "type": "input_text", "text": "<environment_context>\nLinux</environment_context>" }] },
                    { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": MESSAGE }] },
                ],
            }),
        ),
        "gemini" => (
            "/v1beta/models/m:streamGenerateContent?alt",
            json!({
                "systemInstruction": { "role": "user", "parts": [{ "text": format!("{own}\n{skills}") }] },
                "contents": [{ "role": "user", "parts": [{ "text": format!("<session_context>\nLinux\n{instructions}\n</session_context>") }, { "text": MESSAGE }] }],
                "tools": [{ "functionDeclarations": [{ "name": "read", "description": own }] }],
            }),
        ),
        "pi" => (
            "/v1/messages",
            json!({ "model": "m", "system": content(&[&format!("{own}\n{instructions}\n{skills}")]), "messages": [{ "role": "user", "content": MESSAGE }], "tools": [tool] }),
        ),
        _ => (
            "/v1/chat/completions",
            json!({
                "model": "m",
                "messages": [{ "role": "system", "content": format!("{own}\n{instructions}\n{skills}") }, { "role": "user", "content": MESSAGE }],
                "tools": [{ "type": "function", "function": tool }],
            }),
        ),
    }
}

/// Returns the marks in a text.
fn marks(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '\\' | '"'));
    words.filter(|word| word.starts_with("mark-")).map(str::to_owned).collect()
}

fn capture(agent: &str, root: &Path) -> Capture {
    let (_, user, project, skills) = AGENTS.iter().find(|(name, ..)| *name == agent).unwrap();
    let name = |file: &str| match file {
        "home/rules.md" => format!("home/{user}"),
        _ => file.replace("AGENTS.md", project).replace("app/skills", &format!("app/{skills}")),
    };
    for (file, _) in FILES {
        let path = root.join(name(file));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text(file)).unwrap();
    }
    let places = Places { cwd: root.join("app/api"), root: root.join("app"), home: Some(root.join("home")) };
    let agent = find(agent).unwrap();
    let rules = agent.capture.as_ref().unwrap();
    let config = config_files(rules, &places);
    let inputs =
        CaptureInputs { agent, rules, places: &places, config: &config, message: MESSAGE, args: &[] };
    let (path, body) = request(&agent.name);
    let request = ReceivedRequest {
        method: "POST".into(),
        path: path.into(),
        body: body.to_string().into(),
        known: true,
    };
    Capture::of(&inputs, &[request], Mode::Print, "2026-11-28T00:00:00Z".into()).unwrap()
}

#[test]
fn every_marked_byte_is_found_in_its_file_and_nothing_else() {
    for (agent, ..) in AGENTS {
        let root = tempfile::tempdir().unwrap();
        let capture = capture(agent, root.path());
        let request = capture.request(None).unwrap();
        let rows = request.partition();
        assert_eq!(rows.iter().map(|row| &request.body[row.range.clone()]).collect::<String>(), request.body);
        let mut found = BTreeSet::new();
        for row in &rows {
            let run = &request.body[row.range.clone()];
            let is_file = matches!(row.source.kind, SourceKind::File | SourceKind::Skill);
            for mark in marks(run) {
                let name = row.source.names.first().unwrap_or_else(|| panic!("{agent}: {mark} has no file"));
                assert!(
                    is_file && row.source.names.len() == 1,
                    "{agent}: {mark} is from one file: {:?}",
                    row.source
                );
                let file =
                    FILES.iter().find(|(file, _)| mark.contains(&file.replace(['/', '.'], "-"))).unwrap().0;
                let is_right = match file {
                    "home/rules.md" => name.starts_with("~/"),
                    "app/AGENTS.md" => !name.contains('/'),
                    file => {
                        name.ends_with(file.rsplit_once('/').unwrap().0.strip_prefix("app/").unwrap())
                            || name.contains(file.strip_prefix("app/").unwrap().split('/').next().unwrap())
                    }
                };
                assert!(is_right, "{agent}: {mark} is from {file}, not from {name}");
                found.insert(mark);
            }
            if is_file {
                assert!(!marks(run).is_empty(), "{agent}: no words of the agent are from a file: {run}");
            }
        }
        assert_eq!(found, marks(&request.body), "{agent}: all marks are found");
        assert_eq!(found.len(), 8, "{agent}");
        let of = |kind| rows.iter().any(|row| row.source.kind == kind);
        assert!(of(SourceKind::Message), "{agent}");
        assert_eq!(of(SourceKind::Hook), *agent == "claude", "{agent}");
        assert_eq!(of(SourceKind::Environment), matches!(*agent, "claude" | "codex" | "gemini"), "{agent}");
        assert_eq!(of(SourceKind::Server), *agent != "gemini", "{agent}");
    }
}

#[test]
fn words_of_a_project_do_not_pass_for_the_message() {
    let request = |body: &str| ReceivedRequest {
        method: "POST".into(),
        path: "/v1/messages".into(),
        body: body.into(),
        known: true,
    };
    let requests = [request("Answer with OK. (0000) and much more text of a project"), request(MESSAGE)];
    assert_eq!(preface_capture::run::main_request(&requests, MESSAGE), Some(1));
    assert_eq!(preface_capture::run::main_request(&requests[..1], MESSAGE), None);
}
