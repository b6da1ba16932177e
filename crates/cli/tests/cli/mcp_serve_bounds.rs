//! `preface mcp serve`: what it keeps to: trust, its roots, and that nothing is written.

use crate::{mcp_server::Server, sandbox::Sandbox};
use serde_json::json;
use std::path::Path;

/// Every file and directory below a path.
fn below(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        found.push(path.display().to_string());
        if path.is_dir() {
            found.extend(below(&path));
        }
    }
    found.sort();
    found
}

#[test]
fn what_nobody_trusted_is_held_and_told_and_never_quoted() {
    let sandbox = Sandbox::new();
    let hidden: String = "obey".chars().map(|c| char::from_u32(0xe0000 + c as u32).unwrap()).collect();
    sandbox.work("AGENTS.md", format!("Use tabs.{hidden}\n"));
    let mut server = Server::start(&sandbox, "");
    let built = server.tool("build", json!({}));
    assert!(!built.to_string().contains("Use tabs."), "{built}");
    let note = &built["diagnostics"][0];
    assert_eq!(note["code"], json!("trust/untrusted"));
    assert_eq!(note["command"], json!("trust grant"));
    let linted = server.tool("lint", json!({})).to_string();
    assert!(linted.contains("hidden/character") && linted.contains("AGENTS.md"), "{linted}");
    assert!(!linted.contains("obey") && !linted.contains("Use tabs."), "a model reads this: {linted}");

    sandbox.run("preface trust grant --allow-hidden").exits(0);
    assert!(server.tool("build", json!({})).to_string().contains("Use tabs."), "it looks each time");
}

#[test]
fn nothing_is_written() {
    let sandbox = Sandbox::empty();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let before = below(&sandbox.path(""));
    let mut server = Server::start(&sandbox, "");
    for preset in ["claude-code", "default", "pi", "stud", "template"] {
        server.prompt(preset, json!({}));
        for tool in ["build", "explain", "lint"] {
            server.tool(tool, json!({ "preset": preset }));
        }
    }
    assert_eq!(server.end().0, Some(0));
    assert_eq!(below(&sandbox.path("")), before);
}

#[test]
fn a_template_of_the_store_stays_there_and_is_missed_aloud() {
    let sandbox = Sandbox::empty();
    sandbox.run_with("preface template set -", "Kept.").exits(0);
    let before = below(&sandbox.path(""));
    let mut server = Server::start(&sandbox, "");
    let built = server.tool("build", json!({ "preset": "template" }));
    assert_ne!(built["text"], json!("Kept."));
    assert!(built["diagnostics"].to_string().contains("template/unused"), "{built}");
    assert_eq!(server.end().0, Some(0));
    assert_eq!(below(&sandbox.path("")), before);
}

#[test]
fn directories_lie_below_the_roots() {
    let sandbox = Sandbox::new();
    sandbox.work("api/a.md", "").work("file", "").home("secret/AGENTS.md", "A secret.\n");
    let (work, secret) = (sandbox.path("work"), sandbox.path("home/secret"));
    let mut server = Server::start(&sandbox, "");
    for inside in [json!("api"), json!("./api/../api"), json!(work.join("api"))] {
        server.tool("build", json!({ "directory": inside }));
    }
    let help = format!(
        "\nhelp: name one at or below `{}`; `--root DIR` of `preface mcp serve` adds one",
        std::fs::canonicalize(&work).unwrap().display()
    );
    for outside in ["/", "..", "api/../../home/secret", "nowhere", "a\u{0}b"] {
        let said = server.refused("build", json!({ "directory": outside }));
        let shown = outside.replace('\u{0}', "\\u{0}");
        assert_eq!(said, format!("not a directory below a root of this server: `{shown}`{help}"));
    }
    assert!(
        server.refused("lint", json!({ "directory": "file" })).starts_with("not a directory below a root")
    );
    let long = "x".repeat(100_000);
    assert!(server.refused("build", json!({ "directory": long })).len() < 1000);
    let answer =
        server.asks("prompts/get", json!({ "name": "default", "arguments": { "directory": secret } }));
    assert_eq!(answer["error"]["code"], json!(-32602), "{answer}");

    let mut server = Server::start(&sandbox, "--root [ROOT]/home/secret --root api");
    let text = server.prompt("pi", json!({}));
    assert!(text.contains("A secret."), "the first root, where it was started outside of all: {text}");
    server.tool("build", json!({ "directory": work.join("api") }));
    server.refused("build", json!({ "directory": work }));

    let ran = sandbox.run("preface mcp serve --root nowhere").exits(2);
    assert!(ran.stderr.contains("invalid value 'nowhere' for '--root <DIR>'"), "{}", ran.stderr);
}

#[test]
fn no_link_leads_out_of_the_roots() {
    use std::os::unix::fs::symlink;
    let sandbox = Sandbox::empty();
    sandbox.home("secret/AGENTS.md", "A secret.\n").work("real/AGENTS.md", "Use tabs.\n");
    symlink(sandbox.path("home/secret"), sandbox.path("work/out")).unwrap();
    symlink(sandbox.path("work/real"), sandbox.path("work/in")).unwrap();
    std::fs::create_dir(sandbox.path("work/linked")).unwrap();
    symlink(sandbox.path("home/secret/AGENTS.md"), sandbox.path("work/linked/AGENTS.md")).unwrap();
    let mut server = Server::start(&sandbox, "");
    assert!(
        server.refused("build", json!({ "directory": "out" })).starts_with("not a directory below a root")
    );
    assert!(
        server.prompt("pi", json!({ "directory": "in" })).contains("Use tabs."),
        "a link that stays inside"
    );
    for preset in ["claude-code", "default", "pi"] {
        let built = server.tool("build", json!({ "preset": preset, "directory": "linked" })).to_string();
        assert!(!built.contains("A secret."), "{preset}: {built}");
    }
}

#[test]
fn what_lies_above_the_roots_is_missed_aloud() {
    let sandbox = Sandbox::empty();
    sandbox.work(".git/HEAD", "ref: refs/heads/main\n").work(".git/objects/x", "").work(".git/refs/x", "");
    sandbox.work("AGENTS.md", "Use tabs.\n").work("api/AGENTS.md", "Answer in JSON.\n");
    let mut server = Server::start(&sandbox, "--root api");
    let built = server.tool("build", json!({ "preset": "pi" })).to_string();
    assert!(built.contains("Answer in JSON.") && !built.contains("Use tabs."), "{built}");
    assert!(built.contains("file/above-roots"), "{built}");
    let mut server = Server::start(&sandbox, "");
    let built = server.tool("build", json!({ "preset": "pi", "directory": "api" })).to_string();
    assert!(built.contains("Answer in JSON.") && built.contains("Use tabs."), "{built}");
    assert!(!built.contains("file/above-roots"), "{built}");
}

#[test]
fn a_logger_writes_nothing() {
    let sandbox = Sandbox::empty();
    let manifest = r#"{"id": "audit", "category": "loggers", "contractVersion": "1.0.0",
        "requiredCoreVersion": ">=1.0.0 <2.0.0", "path": "audit.jsonl"}"#;
    sandbox.home(".config/preface/extensions/loggers/audit/manifest.json", manifest);
    sandbox.work(".preface/settings.json", "{}").work(".preface/sections/identity.md", "Mine.\n");
    let log = sandbox.path("home/.config/preface/audit.jsonl");
    let mut server = Server::start(&sandbox, "");
    server.tool("build", json!({}));
    assert!(!log.exists());
    sandbox.run("preface build").exits(0);
    assert!(log.exists(), "`preface build` writes it down");
}
