//! `preface build --format request`: all that a model sees.

use crate::sandbox::{BARE, Sandbox};
use preface_engine::core::format::services;

#[test]
fn without_messages_and_tools_it_is_the_prompt() {
    let expected =
        "{\n  \"system\": \"You help.\\n\\nIt is 2026-03-07.\",\n  \"messages\": [],\n  \"tools\": []\n}\n";
    Sandbox::new().run("preface build --format request").exits(0).prints(expected).says("");
}

/// The histories of the formats' own tests, as one.
const HISTORIES: [&str; 5] = [
    include_str!("../../../core/tests/requests/anthropic.jsonl"),
    include_str!("../../../core/tests/requests/broken.jsonl"),
    include_str!("../../../core/tests/requests/neutral.jsonl"),
    include_str!("../../../core/tests/requests/openai-chat.jsonl"),
    include_str!("../../../core/tests/requests/openai-responses.jsonl"),
];

#[test]
fn a_request_has_the_same_diagnostics_alone_as_the_first_and_as_a_later_one() {
    let sandbox = Sandbox::new();
    sandbox.work("chat.jsonl", HISTORIES.concat());
    for format in services().map(|format| format.name) {
        let reported = |flags: &str| {
            let line = format!("preface build --messages chat.jsonl --format {format} --model m -v {flags}");
            let ran = sandbox.run(&line).exits(0);
            let of_request = |line: &&str| line.contains("[request/") || line.contains("[messages/");
            ran.stderr.lines().filter(of_request).map(str::to_owned).collect::<Vec<_>>()
        };
        let alone = reported("");
        assert!(alone.len() > 5, "{format}: {alone:?}");
        let conversation = format!("--conversation {format}");
        assert_eq!(reported(&conversation), alone, "{format}: the first request");
        assert_eq!(reported(&conversation), alone, "{format}: the second request");
    }
}

#[test]
fn the_active_tools_stand_there_in_order_with_their_schemas() {
    let sandbox = Sandbox::new();
    let ran = sandbox.run("preface build --format request --tools write,read,mine -v").exits(0);
    let tools = ran.json()["tools"].clone();
    let names: Vec<_> = tools.as_array().expect("a list").iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["write", "read", "mine"]);
    assert_eq!(tools[1]["input_schema"]["required"][0], "path");
    assert_eq!(
        tools[2],
        serde_json::json!({"name": "mine", "description": "", "input_schema": {"type": "object"}})
    );
    assert!(
        ran.stderr.contains(
            "info: the tool `mine` has no schema; it is sent as one that takes any object [tool/no-schema]"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_tool_that_settings_switch_off_is_not_sent() {
    for (preset, tool) in [("pi", "bash"), ("claude-code", "Bash")] {
        let line =
            format!("preface build --preset {preset} --set tools.{tool}.disable=true --format request -q");
        let ran = Sandbox::empty().run(&line).exits(0);
        let tools = ran.json()["tools"].clone();
        let tools = tools.as_array().expect("a list");
        assert!(!tools.is_empty() && tools.iter().all(|sent| sent["name"] != tool), "{preset}: {tools:?}");
    }
}

#[test]
fn a_history_is_converted_and_what_is_left_out_is_told() {
    let sandbox = Sandbox::new();
    sandbox.work(
        "chat.jsonl",
        "{\"role\":\"bashExecution\",\"command\":\"env\",\"excludeFromContext\":true}\n\
         {\"role\":\"bashExecution\",\"command\":\"false\",\"exitCode\":1}\n\
         {\"role\":\"user\",\"content\":\"Why?\"}\n",
    );
    let ran = sandbox.run("preface build --format request --messages chat.jsonl").exits(0);
    let messages = ran.json()["messages"].clone();
    let text = "Ran `false`\n(no output)\n\nCommand exited with code 1";
    assert_eq!(
        messages,
        serde_json::json!([
            {"role": "user", "content": [{"type": "text", "text": text}]},
            {"role": "user", "content": "Why?"},
        ])
    );
    ran.says("");
    let ran = sandbox.run("preface build --format request --messages chat.jsonl -v").exits(0);
    ran.says("info: message 0 is not sent: its command was run with `!!` [messages/excluded]\n");
}

#[test]
fn a_profile_says_the_words_around_messages() {
    let sandbox = Sandbox::new();
    sandbox.work(
        "mine.toml",
        "extends = \"small\"\n[messages]\nshell.no-output = \"(silence)\"\nsystem = \"keep\"\n",
    );
    sandbox.work(
        "chat.json",
        r#"[{"role":"bashExecution","command":"true"}, {"role":"system","content":"Be brief."}]"#,
    );
    let ran = sandbox.run("preface build --profile mine.toml --format request --messages chat.json").exits(0);
    assert_eq!(ran.json()["messages"][0]["content"][0]["text"], "Ran `true`\n(silence)");
    assert_eq!(ran.json()["messages"][1]["role"], "system");
    sandbox.work("bad.toml", "extends = \"small\"\n[messages]\nshel = {}\n");
    let ran = sandbox.run("preface build --profile bad.toml").exits(1).prints("");
    assert!(ran.stderr.starts_with("error: `messages.shel`: unknown field `shel`"), "{}", ran.stderr);
}

#[test]
fn a_saved_world_keeps_the_words_and_the_tools() {
    let sandbox = Sandbox::new();
    sandbox.work("mine.toml", "extends = \"small\"\n[messages]\nbranch.after = \"</end>\"\n");
    sandbox.work("chat.json", r#"{"messages":[{"role":"branchSummary","summary":"x"}]}"#);
    let line = "preface build --profile mine.toml --tools read --format request --messages chat.json --save-snapshot w.json";
    let first = sandbox.run(line).exits(0).stdout;
    assert!(first.contains("x</end>"), "{first}");
    sandbox
        .run("preface build --snapshot w.json --format request --messages chat.json")
        .exits(0)
        .prints(&first);
}

#[test]
fn other_forms_show_no_messages_and_check_the_file_all_the_same() {
    let sandbox = Sandbox::new();
    sandbox.work("chat.json", "{\"system\": \"x\", \"messages\": []}");
    sandbox.run("preface build --messages chat.json -q").exits(0).prints(BARE).says("");
    sandbox
        .run("preface build --messages chat.json")
        .exits(0)
        .prints(BARE)
        .says("warning: `system` beside `messages` is not read (chat.json:1:12) [key/unknown] (`-v` shows details)\nhelp: only the list of messages counts\n");
    sandbox.work("bad.json", "[\n  {\"role\": \"asistant\", \"content\": []}\n]\n");
    let error = sandbox.run("preface build --format json --messages bad.json").exits(1).prints("").stderr;
    let error: serde_json::Value = serde_json::from_str(&error).expect("an object");
    assert_eq!(
        error["error"]["location"],
        serde_json::json!({ "path": "bad.json", "line": 2, "column": 12 })
    );
    for form in ["text", "request"] {
        sandbox.run(&format!("preface build --format {form} --messages bad.json")).exits(1).prints("").says(
            "\
error: message 0: unknown role `asistant`
 ——▶ bad.json:2:12
  │
2 │   {\"role\": \"asistant\", \"content\": []}
  │            ^^^^^^^^^^
help: did you mean `assistant`?
",
        );
    }
}

#[test]
fn messages_come_from_a_file() {
    let sandbox = Sandbox::new();
    sandbox
        .run("preface build --messages nowhere.json")
        .exits(1)
        .says("error: cannot read `nowhere.json`: not found\nhelp: check the path; it is relative to the current directory\n");
    let ran = sandbox.run("preface build --messages -").exits(2).prints("");
    assert!(ran.stderr.contains("messages are read from a file, not from stdin"), "{}", ran.stderr);
}
