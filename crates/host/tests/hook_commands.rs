//! Hooks that are real programs: good ones, and those that never reply, never stop or never read.

use preface_core::hook::{HookCall, HookEvent, HookFailure, HookInputs, HookReply, HookTool};
use preface_host::{
    hook_command::{HookCommand, OUTPUT_LIMIT},
    system::os::OsSystem,
};
use serde_json::{Value, json};
use std::{
    fs,
    time::{Duration, Instant},
};

/// Longer than any hook here may hold us.
const SOON: Duration = Duration::from_secs(10);

struct HookTestResult {
    reply: Result<HookReply, HookFailure>,
    diagnostics: Vec<String>,
}

fn run_with_limit(script: &str, timeout: Duration, messages: &mut Vec<Value>) -> HookTestResult {
    let dir = tempfile::tempdir().expect("a directory");
    let argv = ["/bin/sh", "-c", script];
    let mut hook = HookCommand::new("h", HookEvent::BeforeAgentStart, argv, dir.path());
    hook.timeout = timeout;
    call(&hook, messages)
}

fn call(hook: &HookCommand, messages: &mut Vec<Value>) -> HookTestResult {
    let mut ask = HookCall::new(hook.event, "/work", messages);
    ask.system_prompt = Some("Be kind.");
    let (mut diagnostics, start) = (Vec::new(), Instant::now());
    let reply = hook.call(&OsSystem::new(&[]), &ask, &mut diagnostics);
    assert!(start.elapsed() < SOON, "{:?} took {:?}", hook.argv, start.elapsed());
    HookTestResult {
        reply,
        diagnostics: diagnostics.into_iter().map(|diagnostic| diagnostic.code.to_string()).collect(),
    }
}

fn run(script: &str) -> HookTestResult {
    run_with_limit(script, SOON, &mut Vec::new())
}

#[test]
fn a_hook_reads_one_line_of_json_and_replies() {
    let result =
        run(r#"IFS= read -r line; rest=$(cat); printf '{"message":{"content":"%s|%s"}}' "${#line}" "$rest""#);
    let mut none = Vec::new();
    let mut ask = HookCall::new(HookEvent::BeforeAgentStart, "/work", &mut none);
    ask.system_prompt = Some("Be kind.");
    let content = format!("{}|", ask.to_json().len());
    let reply = HookReply { message: Some(json!({"content": content})), ..HookReply::default() };
    assert_eq!((result.reply, result.diagnostics), (Ok(reply), vec![]));
}

#[test]
fn a_hook_that_prints_nothing_changes_nothing() {
    for script in ["exit 0", "echo", "printf ' \\n\\n'", "cat >/dev/null", "echo noise >&2"] {
        assert_eq!(run(script).reply, Ok(HookReply::default()), "{script}");
    }
}

#[test]
fn a_hook_that_exits_with_7_failed() {
    let result = run("echo '{\"system_prompt\":\"x\"}'; echo 'no such thing' >&2; exit 7");
    let ended = HookFailure::Ended { status: "exit code 7".into(), output: Some("no such thing".into()) };
    assert_eq!(result.reply, Err(ended));
}

#[test]
fn a_hook_that_never_replies_is_late() {
    let result = run_with_limit("sleep 60", Duration::from_millis(200), &mut Vec::new());
    assert_eq!(result.reply, Err(HookFailure::Late { timeout_ms: 200 }));
    let result = run_with_limit(
        "trap '' TERM; while :; do sleep 1; done",
        Duration::from_millis(200),
        &mut Vec::new(),
    );
    assert_eq!(result.reply, Err(HookFailure::Late { timeout_ms: 200 }), "one that does not listen either");
}

#[test]
fn a_hook_that_prints_without_end_is_stopped() {
    let result = run("exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    assert_eq!(result.reply, Err(HookFailure::TooMuch { limit: OUTPUT_LIMIT }));
}

#[test]
fn bad_json_has_a_place() {
    let result = run(r"printf '{\n  system_prompt: 1}'");
    let why = "key must be a string at line 2 column 3".to_owned();
    assert_eq!(result.reply, Err(HookFailure::Reply { why }));
}

#[test]
fn a_hook_that_does_not_read_does_not_block() {
    let many = || vec![json!({"role": "user", "content": "x".repeat(4 << 20)})];
    let result = run_with_limit("echo '{\"system_prompt\":\"x\"}'", SOON, &mut many());
    let reply = HookReply { system_prompt: Some("x".into()), ..HookReply::default() };
    assert_eq!(result.reply, Ok(reply.clone()), "one that ends at once");
    let result = run_with_limit("exec <&-; sleep 0.1; echo '{\"system_prompt\":\"x\"}'", SOON, &mut many());
    assert_eq!(result.reply, Ok(reply), "one that closes its end");
    let result = run_with_limit("sleep 60", Duration::from_millis(200), &mut many());
    assert_eq!(result.reply, Err(HookFailure::Late { timeout_ms: 200 }), "one that waits");
}

#[test]
fn a_hook_that_cannot_start_is_an_error() {
    let dir = tempfile::tempdir().expect("a directory");
    let at = |argv: &[&str]| HookCommand::new("h", HookEvent::Input, argv.iter().copied(), dir.path());
    let why = |hook: &HookCommand| match call(hook, &mut Vec::new()).reply {
        Err(HookFailure::NotStarted { why }) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(why(&at(&["preface-no-such-program"])), "program not found: `preface-no-such-program`");
    let script = dir.path().join("hook.sh");
    fs::write(&script, "#!/bin/sh\nexit 0\n").expect("it can be written");
    let word = script.display().to_string();
    assert!(why(&at(&[&word])).contains("permission denied"), "it is not executable");
}

/// The bodies of the fenced blocks of a page with this info string.
fn blocks(page: &str, info: &str) -> Vec<String> {
    let page = format!("{}/../../docs/{page}", env!("CARGO_MANIFEST_DIR"));
    let page = fs::read_to_string(page).expect("the page is there");
    let fence = format!("\n```{info}\n");
    let bodies = page.split(&fence).skip(1).filter_map(|rest| rest.split("\n```").next());
    bodies.map(str::to_owned).collect()
}

#[test]
fn the_pages_show_a_hook_that_works_and_what_it_receives() {
    let task = "tasks/write-a-hook.md";
    let (manifests, scripts) = (blocks(task, "json"), blocks(task, "sh"));
    // The scenario behind it is the engine's to read.
    let example = &blocks("reference/hooks.md", "json")[0];
    let manifest: Value = serde_json::from_str(&manifests[0]).expect("JSON");
    assert_eq!(manifest["event"].as_str().and_then(HookEvent::named), Some(HookEvent::BeforeAgentStart));

    let shown: Value = serde_json::from_str(example).expect("JSON");
    let inputs: HookInputs = serde_json::from_value(shown["inputs"].clone()).expect("inputs");
    let tools: Vec<HookTool> = serde_json::from_value(shown["tools"].clone()).expect("tools");
    let mut messages = shown["messages"].as_array().expect("a list").clone();
    let mut ask = HookCall::new(HookEvent::BeforeAgentStart, "/work", &mut messages);
    ask.prompt = shown["prompt"].as_str();
    ask.system_prompt = shown["system_prompt"].as_str();
    (ask.tools, ask.inputs) = (&tools, Some(&inputs));
    assert_eq!(serde_json::from_str::<Value>(&ask.to_json()).expect("JSON"), shown);

    let message = json!({"customType": "house-rules", "content": "Use tabs."});
    let reply = HookReply { message: Some(message), ..HookReply::default() };
    assert_eq!(run(&scripts[0]).reply, Ok(reply));
}

#[test]
fn the_page_names_every_event_with_its_slot_and_keys() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/hooks.md");
    let page = fs::read_to_string(page).expect("the page is there");
    for event in HookEvent::ALL {
        let row = page.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{event}`")));
        let row = row.unwrap_or_else(|| panic!("no row for `{event}`"));
        assert!(row.contains(&format!("`{}`", event.slot())), "{row}");
        for key in event.reply_keys() {
            assert!(row.contains(&format!("`{key}`")), "{row} lacks `{key}`");
            assert!(page.contains(&format!("\n| `{key}` (")), "`{key}` has no row");
        }
    }
}
