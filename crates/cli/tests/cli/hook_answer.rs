//! `preface hook answer`

use crate::sandbox::{BARE, Ran, Sandbox};
use serde_json::{Value, json};
use std::fs;

fn answer(sandbox: &Sandbox, flags: &str, input: &str) -> Ran {
    sandbox
        .run_with(&format!("preface hook answer {flags} --now 2026-03-07T14:55:05Z --tz UTC"), input)
        .exits(0)
}

fn input(sandbox: &Sandbox, fields: Value) -> String {
    let mut input = json!({ "session_id": "s1", "cwd": sandbox.path("work"), "transcript_path": "/none" });
    for (key, value) in fields.as_object().expect("an object") {
        input[key] = value.clone();
    }
    input.to_string()
}

#[test]
fn a_session_that_starts_gets_the_prompt_in_the_form_of_its_agent() {
    let sandbox = Sandbox::new();
    let start = input(&sandbox, json!({ "hook_event_name": "SessionStart", "source": "startup" }));
    let specific = format!(
        "{}\n",
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": BARE } })
    );
    for agent in ["claude", "codex", "gemini"] {
        answer(&sandbox, &format!("--for {agent}"), &start).prints(&specific).says("");
    }
    // Copilot's event has no name; its fields have other names.
    let start = json!({ "sessionId": "s1", "timestamp": 1, "cwd": sandbox.path("work"), "source": "new" });
    let plain = format!("{}\n", json!({ "additionalContext": BARE }));
    answer(&sandbox, "--for copilot", &start.to_string()).prints(&plain).says("");
    for source in ["clear", "compact", "later"] {
        let again = input(&sandbox, json!({ "hook_event_name": "SessionStart", "source": source }));
        answer(&sandbox, "--for claude", &again).prints(&specific);
    }
}

#[test]
fn the_hook_names_directory_model_and_conversation_and_flags_override_them() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/profiles/small.toml",
        "name = \"small\"\nhome = { global = [\"config:preface\"] }\n[orders]\nmain = [\"all\"]\n[section.all]\nlanguage = \"template\"\n\
         text = \"[prompt:cwd] [prompt:model] [prompt:conversation_id]\"\n",
    );
    fs::create_dir(sandbox.path("other")).expect("a directory");
    let start = |extra: Value| input(&sandbox, extra);
    let context = |flags: &str, input: &str| -> String {
        let printed: Value = serde_json::from_str(&answer(&sandbox, flags, input).stdout).expect("JSON");
        printed["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default().to_owned()
    };
    let start =
        start(json!({ "hook_event_name": "SessionStart", "model": "large-1", "cwd": sandbox.path("other") }));
    assert_eq!(context("--for claude", &start), "[ROOT]/other large-1 s1");
    assert_eq!(
        context("--for claude -C [ROOT]/work --model small-1 --conversation c", &start),
        "[ROOT]/work small-1 c"
    );
}

#[test]
fn what_is_not_trusted_is_left_out_without_a_question() {
    let sandbox = Sandbox::new();
    sandbox.work("AGENTS.md", "Use tabs.\n");
    let start = input(&sandbox, json!({ "hook_event_name": "SessionStart" }));
    let ran = answer(&sandbox, "--for claude", &start);
    assert!(!ran.stdout.contains("Use tabs."), "{}", ran.stdout);
    assert!(ran.stderr.starts_with("warning: AGENTS.md is not trusted and was left out"), "{}", ran.stderr);
    sandbox.run("preface trust grant").exits(0);
    assert!(answer(&sandbox, "--for claude", &start).stdout.contains("Use tabs."));
}

#[test]
fn a_submitted_prompt_gets_the_reminders_of_events() {
    let sandbox = Sandbox::new();
    let event = r#"--preset claude-code --event '{"type":"file-empty","path":"src/a.rs"}'"#;
    let text = "<system-reminder>\n`src/a.rs` exists and is empty.\n</system-reminder>";
    for (agent, name) in [("claude", "UserPromptSubmit"), ("gemini", "BeforeAgent")] {
        let submit = input(&sandbox, json!({ "hook_event_name": name, "prompt": "Go on." }));
        let specific = json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": text } });
        answer(&sandbox, &format!("--for {agent} {event}"), &submit).prints(&format!("{specific}\n"));
        answer(&sandbox, &format!("--for {agent}"), &submit).prints("{}\n").says("");
    }
    let submit =
        json!({ "sessionId": "s1", "timestamp": 1, "cwd": sandbox.path("work"), "prompt": "Go on." });
    answer(&sandbox, &format!("--for copilot {event}"), &submit.to_string())
        .prints(&format!("{}\n", json!({ "additionalContext": text })));
}

#[test]
fn texts_for_user_messages_are_behind_the_prompt_when_a_session_starts() {
    let sandbox = Sandbox::new();
    sandbox.home(
        ".config/preface/profiles/small.toml",
        "name = \"small\"\nhome = { global = [\"config:preface\"] }\n[orders]\nmain = [\"one\", \"two\"]\n[section.one]\ntext = \"You help.\"\n\
         [section.two]\nplace = \"first-user\"\ntext = \"Use tabs.\"\n",
    );
    let start = input(&sandbox, json!({ "hook_event_name": "SessionStart" }));
    let text = "You help.\n\n<system-reminder>\nUse tabs.\n</system-reminder>";
    let specific =
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": text } });
    answer(&sandbox, "--for claude", &start).prints(&format!("{specific}\n"));
}

/// `xtask/src/peers/recordings` has what a resumed session of each agent sends.
#[test]
fn agents_that_do_not_store_it_get_the_prompt_again_when_a_session_is_resumed() {
    let sandbox = Sandbox::new();
    let resumed = input(&sandbox, json!({ "hook_event_name": "SessionStart", "source": "resume" }));
    let specific =
        json!({ "hookSpecificOutput": { "hookEventName": "SessionStart", "additionalContext": BARE } });
    answer(&sandbox, "--for gemini", &resumed).prints(&format!("{specific}\n"));
    answer(&sandbox, "--for codex", &resumed).prints("{}\n");
    let resumed =
        json!({ "sessionId": "s1", "timestamp": 1, "cwd": sandbox.path("work"), "source": "resume" });
    let plain = format!("{}\n", json!({ "additionalContext": BARE }));
    answer(&sandbox, "--for copilot", &resumed.to_string()).prints(&plain);
}

#[test]
fn other_events_have_no_answer() {
    let sandbox = Sandbox::new();
    let resumed = json!({ "hook_event_name": "SessionStart", "source": "resume" });
    for fields in [
        resumed,
        json!({ "hook_event_name": "PreToolUse", "tool_name": "x" }),
        json!({ "hook_event_name": "" }),
    ] {
        answer(&sandbox, "--for claude", &input(&sandbox, fields)).prints("{}\n").says("");
    }
    let end = json!({ "sessionId": "s1", "timestamp": 1, "cwd": "/none", "reason": "complete" });
    answer(&sandbox, "--for copilot", &end.to_string()).prints("{}\n").says("");
}

#[test]
fn no_input_stops_an_agent() {
    let sandbox = Sandbox::new();
    let start = |cwd: &str| json!({ "hook_event_name": "SessionStart", "cwd": cwd }).to_string();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let long = format!("{{\"hook_event_name\":\"SessionStart\",\"x\":\"{}\"}}", "x".repeat(4 << 20));
    let inputs = [
        ("", "not the JSON of a hook"),
        ("{", "not the JSON of a hook"),
        ("[]", "not a JSON object"),
        ("{}", "names no event"),
        (&deep, "recursion limit"),
        (&long, "more than 4194304 bytes"),
        (&start("/no/such/directory"), "/no/such/directory"),
        (&start("work"), "not an absolute path"),
        (r#"{"hook_event_name": 1, "cwd": {}}"#, "names no event"),
    ];
    for (input, why) in inputs {
        let ran = answer(&sandbox, "--for claude", input).prints("{}\n");
        assert!(ran.stderr.starts_with("error: ") && ran.stderr.contains(why), "{why}: {}", ran.stderr);
    }
    let valid = input(&sandbox, json!({ "hook_event_name": "SessionStart" }));
    for flags in [
        "--for claude --preset nobody",
        "--for nobody",
        "",
        "--for claude --unknown",
        "--for claude --event {",
    ] {
        let ran = answer(&sandbox, flags, &valid).prints("{}\n");
        assert!(ran.stderr.starts_with("error: "), "{flags}: {}", ran.stderr);
    }
    sandbox.home(".config/preface/settings.json", "{");
    answer(&sandbox, "--for claude", &valid);
    assert!(sandbox.run("preface hook answer --help").exits(0).stdout.contains("Usage:"));
}

#[test]
fn a_file_of_events_in_the_project_is_refused() {
    let sandbox = Sandbox::new();
    let event = r#"{"type":"file-empty","path":"src/a.rs"}"#;
    sandbox.work("events.json", event).home("events.json", event);
    let submit = input(&sandbox, json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Go on." }));
    let flags = |file: &str| format!("--for claude --preset claude-code --event '@{file}'");
    answer(&sandbox, &flags("events.json"), &submit).prints("{}\n").says(
        "error: `events.json` is a file of the project\n\
         help: an event of a hook comes from a file outside of it, or from JSON in `--event`\n",
    );
    // Wherever the agent went: the root of the process, and any other work tree that holds the file.
    let elsewhere =
        json!({ "hook_event_name": "UserPromptSubmit", "prompt": "Go on.", "cwd": sandbox.path("home") });
    for name in ["work/events.json", "other/events.json"] {
        let path = sandbox.path(name);
        fs::create_dir_all(path.parent().expect("a directory").join(".git/objects")).expect("a place");
        fs::create_dir_all(path.with_file_name(".git").join("refs")).expect("a place");
        fs::write(path.with_file_name(".git").join("HEAD"), "ref: refs/heads/main\n").expect("a head");
        fs::write(&path, event).expect("events");
        let refused = answer(&sandbox, &flags(&path.display().to_string()), &elsewhere.to_string());
        assert!(refused.stderr.contains("is a file of the project"), "{name}: {}", refused.stderr);
    }
    let outside = sandbox.path("home/events.json").display().to_string();
    let answered = answer(&sandbox, &flags(&outside), &submit);
    assert!(answered.stdout.contains("src/a.rs"), "{}", answered.stdout);
}
