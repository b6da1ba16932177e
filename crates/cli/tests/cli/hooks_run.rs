//! `preface hook run`: scenarios on a real machine, beside hooks of the layers.

use crate::sandbox::Sandbox;

const CHAT: &str = r#"{
  "extensions": [
    {"name": "house", "before_agent_start": [{"append": "\nUse tabs."}], "context": [{"inject": "for this request"}]}
  ],
  "replies": [{"text": "hello"}],
  "steps": [{"prompt": "one"}, {"setActiveTools": ["read"]}, {"prompt": "two"}]
}"#;

const LINE: &str = "preface hook run --scenario chat.json --preset pi --now 2026-03-07T14:55:05Z --tz UTC \
                    --set docs=false --tools read,bash";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::empty();
    sandbox.work("chat.json", CHAT);
    sandbox
}

/// A prompt names its directory, so that its size is the machine's.
fn sizes(view: &str) -> String {
    let lines = view.lines().map(|line| match line.rsplit_once(": ") {
        Some((head, size)) if !line.starts_with(' ') && size.ends_with(" bytes") => {
            format!("{head}: N bytes\n")
        }
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// A hook of the user's, a shell script.
fn hook(sandbox: &Sandbox, name: &str, event: &str, script: &str) {
    let manifest = serde_json::json!({
        "id": name,
        "category": "hooks",
        "contractVersion": "1.0.0",
        "requiredCoreVersion": ">=1.0.0",
        "event": event,
        "command": ["/bin/sh", "-c", script],
        "timeoutMs": if name == "late" { 200 } else { 20_000 },
    });
    sandbox.home(&format!(".sf/agent/extensions/hooks/{name}/manifest.json"), manifest.to_string());
}

#[test]
fn each_request_is_shown_beside_the_base() {
    let ran = sandbox().run(LINE).exits(0).says("");
    assert_eq!(
        sizes(&ran.stdout),
        "base: N bytes

request 1: =base+\"\\nUse tabs.\"
  before_agent_start by house: hooks.house, 10 bytes of its own
  tools: read, bash
  user       one
  user       for this request

request 2: N bytes
  set_active_tools: tools, guidelines
  before_agent_start by house: hooks.house, 10 bytes of its own
  tools: read
  user       one
  assistant  hello
  user       two
  user       for this request

base at the end: N bytes
",
    );
}

#[test]
fn json_has_everything() {
    let ran = sandbox().run(&format!("{LINE} --format json")).exits(0);
    let json = ran.json();
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(keys, ["base", "baseAfter", "calls", "log", "errors", "prompts", "diagnostics"]);
    let base = json["base"].as_str().expect("a text");
    assert_eq!(json["calls"][0]["systemPrompt"], format!("{base}\nUse tabs."));
    assert_eq!(
        json["calls"][0]["messages"],
        serde_json::json!([
            {"role": "user", "content": [{"type": "text", "text": "one"}]},
            {"role": "user", "content": [{"type": "text", "text": "for this request"}]},
        ])
    );
    assert_eq!(json["calls"][1]["tools"], serde_json::json!(["read"]));
    assert_eq!(json["log"][0]["event"], "before_agent_start");
    let tail = json["log"][0]["sawPromptTail"].as_str().expect("a text");
    assert!(base.ends_with(tail.trim_start_matches(|c| c != '\n')), "{tail}");
    assert_eq!(json["prompts"][1], serde_json::json!({"prompt": "two", "handled": false}));
}

#[test]
fn a_slip_is_shown_where_it_is() {
    let sandbox = sandbox();
    sandbox.work("chat.json", "{\"steps\": [\n  {\"promt\": \"one\"}\n]}\n");
    sandbox.run(LINE).exits(1).prints("").says(
        "error: unknown key `promt`
 ——▶ chat.json:2:10
  │
2 │   {\"promt\": \"one\"}
  │          ^
help: did you mean `prompt`?
",
    );
    let ran = sandbox.run("preface hook run --scenario nowhere.json").exits(1).prints("");
    assert!(ran.stderr.contains("nowhere.json"), "{}", ran.stderr);
    sandbox.run("preface hook run").exits(2).prints("");
}

/// Real programs that fail, at each event: told and skipped, and what follows is as if they were not there.
#[cfg(unix)]
#[test]
fn programs_that_fail_are_told_and_skipped() {
    let expected = sizes(&sandbox().run(LINE).exits(0).stdout);
    for event in ["resources_discover", "input", "before_agent_start", "context"] {
        let sandbox = sandbox();
        hook(&sandbox, "flood", event, "head -c 1000000000 /dev/zero");
        hook(&sandbox, "late", event, "sleep 60");
        hook(&sandbox, "odd", event, "echo '{\"messages\": oops}'");
        hook(&sandbox, "seven", event, "cat >/dev/null; echo no luck >&2; exit 7");
        hook(&sandbox, "sound", event, "cat >/dev/null");
        let ran = sandbox.env("PATH", "/usr/bin:/bin").run(&format!("{LINE} -v")).exits(0);
        assert_eq!(sizes(&ran.stdout), expected, "{event}");
        for (name, words) in [
            ("flood", "its answer is longer than 1048576 bytes"),
            ("late", "200 ms"),
            ("odd", "its answer is no JSON, at line 1, column 14"),
            ("seven", "exit code 7"),
        ] {
            let start = format!("error: hook `{name}` failed at {event} and was skipped: ");
            let told = ran.stderr.split(&start).nth(1);
            let told = told.unwrap_or_else(|| panic!("`{name}` at {event} is told: {}", ran.stderr));
            let told = told
                .split("error:")
                .next()
                .unwrap_or_default()
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            assert!(told.contains(words), "{name}, {event}: {told}");
        }
        assert!(!ran.stderr.contains("`sound`"), "{event}: {}", ran.stderr);
    }
}

/// A program's own change, on a real machine.
#[cfg(unix)]
#[test]
fn a_program_of_the_user_speaks_before_the_scenario() {
    let sandbox = sandbox();
    hook(
        &sandbox,
        "tone",
        "before_agent_start",
        r#"cat >/dev/null; echo '{"message": {"content": "Be brief."}}'"#,
    );
    let ran = sandbox.env("PATH", "/usr/bin:/bin").run(LINE).exits(0);
    assert!(
        ran.stdout.contains("  user       one\n  user       Be brief.\n  user       for this request\n"),
        "{}",
        ran.stdout
    );
}
