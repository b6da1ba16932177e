//! `preface capture`, with a script in the place of Claude Code.

use crate::sandbox::{Ran, Sandbox};
use std::{
    fs,
    io::Write as _,
    os::unix::fs::PermissionsExt,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Sends a request in the form of Claude Code, with CLAUDE.md in it, as often as the variable TIMES asks. What was set for it is in a
/// file of its home.
const CLAUDE: &str = r##"#!/bin/bash
export LC_ALL=C
if [ "$1" = --version ]; then echo "9.9.9 (a script)"; exit; fi
message="${@: -1}"
rules=$(sed ':a;N;$!ba;s/\n/\\n/g' CLAUDE.md 2>/dev/null)
echo "$ANTHROPIC_BASE_URL|$ANTHROPIC_API_KEY|$NO_PROXY|$*" > "$HOME/started"
test -n "$HANG" && { sleep 300 & echo $! > "$HOME/child"; wait; }
post() {
  exec 3<>"/dev/tcp/127.0.0.1/${ANTHROPIC_BASE_URL##*:}"
  printf 'POST %s HTTP/1.1\r\nhost: x\r\nx-api-key: sk-secret\r\nconnection: close\r\ncontent-length: %d\r\n\r\n%s' "$1" "${#2}" "$2" >&3
  cat <&3 > "$HOME/reply"
  exec 3>&-
}
post /api/telemetry '{}'
for at in $(seq ${TIMES:-1}); do
  post '/v1/messages?beta=true' '{"model":"m","metadata":{"user_id":"'$(cat /proc/sys/kernel/random/uuid)'"},"system":[{"type":"text","text":"You are a script <b>.'"$EXTRA"' cch=x'$$';"}],"messages":[{"role":"user","content":[{"type":"text","text":"Rules:\n'"$rules"'"},{"type":"text","text":"'"$message"'"}]}],"tools":[{"name":"mcp__git__log","description":"Shows the log."}]}'
done
test -n "$STAY" && { sleep 300 & echo $! > "$HOME/child"; wait; }
"##;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new().env("PATH", "[ROOT]/bin:/usr/bin:/bin");
    let path = sandbox.path("bin/claude");
    fs::create_dir(sandbox.path("bin")).expect("a directory");
    fs::write(&path, CLAUDE).expect("a program");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it can be run");
    sandbox.work("CLAUDE.md", "Always run the tests before a commit.\nUse blanks.\n");
    sandbox
}

fn started(sandbox: &Sandbox) -> Option<String> {
    fs::read_to_string(sandbox.path("home/started")).ok()
}

/// Waits for a value.
fn until<T>(mut value: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + Duration::from_secs(20);
    while Instant::now() < deadline {
        if let Some(value) = value() {
            return value;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("it does not come");
}

/// The lines of a view without their numbers.
fn labels(ran: &Ran) -> Vec<String> {
    let words = |line: &str| line.trim_start_matches(|c: char| " 0123456789,.%<".contains(c)).to_owned();
    ran.stdout.lines().map(words).filter(|line| !line.is_empty()).collect()
}

#[test]
fn the_request_is_shown_with_the_source_of_each_part() {
    let sandbox = sandbox();
    let ran = sandbox.run("preface capture claude --save capture.json").exits(0);
    let labels = labels(&ran);
    let expected = [
        "Claude Code 9.9.9 (print mode) in [ROOT]/work",
        "≈tokens  share  bytes  source",
        "Claude Code's own",
        "MCP server git",
        "CLAUDE.md",
        "your message",
        "JSON",
        "≈tokens  share  bytes  part of the request",
        "system prompt",
        "system[0]",
        "tool",
        "mcp__git__log: MCP server git",
        "messages",
        "messages[0].content[0] (user)",
        "CLAUDE.md",
        "Claude Code's own",
        "messages[0].content[1] (user): your message",
        "settings: model, metadata",
        "JSON between them",
        "other requests (`--request N` shows one): 1 POST /api/telemetry (2 bytes, answered with 404).",
    ];
    let shown: Vec<&str> =
        labels.iter().map(String::as_str).filter(|label| expected.contains(label)).collect();
    assert_eq!(shown, expected, "{}", ran.stdout);
    let mode = fs::metadata(sandbox.path("work/capture.json")).expect("the file").permissions().mode();
    let saved = fs::read_to_string(sandbox.path("work/capture.json")).expect("the file");
    assert!(mode & 0o777 == 0o600 && !saved.contains("sk-secret"), "{saved}");
}

#[test]
fn a_saved_capture_is_explained_searched_and_compared() {
    let sandbox = sandbox();
    let ran = sandbox.run("preface capture claude --save a.json").exits(0);
    assert_eq!(sandbox.run("preface explain a.json").exits(0).stdout, ran.stdout);
    let text = "n the tests before a commit.\\nUse blanks.\n";
    let place = sandbox.run("preface explain a.json --at 'Use blanks'").exits(0).stdout;
    assert!(
        place.starts_with("CLAUDE.md  messages[0].content[0], byte ") && place.ends_with(text),
        "{place}"
    );
    // What was printed is found, too.
    let offset = place.lines().next().and_then(|line| line.split(", ").nth(1)).expect("an offset");
    sandbox.run(&format!("preface explain a.json --at '{offset}'")).exits(0).prints(&place);
    sandbox.run(&format!("preface explain a.json --at '{}'", text.trim_end())).exits(0);
    let part = sandbox.run("preface explain a.json --at 'messages[0].content[1]'").exits(0);
    assert!(part.stdout.starts_with("your message  messages[0].content[1], byte "), "{}", part.stdout);
    sandbox.run("preface explain a.json --request 1").exits(0);
    sandbox.run("preface explain a.json --request 9").exits(2);
    sandbox.run("preface capture claude --save b.json").exits(0);
    let same = sandbox.run("preface diff a.json b.json --exit-code").exits(0);
    assert!(same.stdout.ends_with("\nThe requests are the same, but for ids.\n"), "{}", same.stdout);
    sandbox.work("CLAUDE.md", "Always run the tests before a commit.\nUse tabs.\n");
    sandbox.run("preface capture claude --save c.json").exits(0);
    let changed = sandbox.run("preface diff a.json c.json --exit-code").exits(1);
    let shown = "changed  50 → 48 bytes  CLAUDE.md\n";
    assert!(changed.stdout.contains(shown), "{}", changed.stdout);
    assert!(changed.stdout.contains("-Use blanks.\n") && changed.stdout.contains("+Use tabs.\n"));
    let json = sandbox.run("preface diff a.json c.json --format json").exits(0).json();
    let row = json["sources"].as_array().expect("rows").iter().find(|row| row["name"] == "CLAUDE.md");
    assert_eq!(row.map(|row| (&row["before"], &row["after"])), Some((&50.into(), &48.into())), "{json}");
}

#[test]
fn a_capture_is_saved_also_if_nobody_reads_the_view() {
    let sandbox = sandbox();
    let mut command = sandbox.command("preface capture claude -q --save a.json");
    let mut run = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the binary starts");
    drop(run.stdout.take());
    run.wait().expect("it ends");
    assert!(sandbox.path("work/a.json").exists());
}

#[test]
fn what_cannot_be_captured_or_is_no_capture_is_an_error_with_the_reason() {
    let sandbox = sandbox();
    sandbox.work("broken.json", "{");
    let why = "`broken.json` is no saved capture: EOF while parsing an object at line 1 column 1\n";
    assert!(sandbox.run("preface explain broken.json").exits(2).stderr.contains(why));
    let ran = sandbox.run("preface diff CLAUDE.md broken.json").exits(1);
    assert!(ran.stderr.starts_with("error: `CLAUDE.md` is no JSON: "), "{}", ran.stderr);
    let ran = sandbox.run("preface explain missing.json").exits(1);
    assert!(ran.stderr.starts_with("error: cannot read `missing.json`: not found\n"), "{}", ran.stderr);
    let ran = sandbox.run("preface capture goose").exits(2);
    assert!(
        ran.stderr.starts_with("error: goose cannot be captured: it was not measured\n"),
        "{}",
        ran.stderr
    );
    let ran = sandbox.run("preface lint CLAUDE.md").exits(2);
    assert!(
        ran.stderr.ends_with("help: check one file: `preface lint --file CLAUDE.md`\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_words_of_the_agent_are_no_findings() {
    let sandbox = sandbox().env("EXTRA", "\u{200b}");
    sandbox.run("preface capture claude -q --save a.json").exits(0);
    sandbox.run("preface lint a.json").exits(0).prints("");
    sandbox.work("CLAUDE.md", "Always run the tests before a commit.\nUse \u{200b}blanks.\n");
    sandbox.run("preface capture claude -q --save a.json").exits(0);
    let ran = sandbox.run("preface lint a.json");
    assert!(ran.stdout.contains("a.json#CLAUDE.md:2:5"), "{}", ran.stdout);
}

#[test]
fn text_of_arguments_is_the_users() {
    let text = "Never answer in more than three words.";
    let sandbox = sandbox().env("EXTRA", &format!("\\n{text}"));
    let line = format!("preface capture claude --at 'Never answer' -- --append-system-prompt '{text}'");
    let ran = sandbox.run(&line).exits(0);
    assert!(ran.stdout.starts_with("your arguments  system[0], byte "), "{}", ran.stdout);
}

#[test]
fn an_agent_that_the_user_starts_is_listened_to() {
    let sandbox = sandbox();
    let mut command = sandbox.command("preface capture claude --listen --save a.json");
    let log = fs::File::create(sandbox.path("home/log")).expect("a file");
    let mut run = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
    let printed = until(|| {
        let log = fs::read_to_string(sandbox.path("home/log")).ok()?;
        log.contains("Ctrl-C").then_some(log)
    });
    assert!(printed.starts_with("The project makes Claude Code run nothing.\n"), "{printed}");
    let line = printed.lines().find(|line| line.starts_with("  ")).expect("a command");
    let mut agent = Command::new("sh");
    agent.args(["-c", &format!("{} 'hello, hello'", line.trim())]);
    agent.env("PATH", sandbox.path("bin").display().to_string() + ":/usr/bin:/bin");
    agent.env("HOME", sandbox.path("home")).current_dir(sandbox.path("work")).status().expect("it runs");
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill");
    assert!(run.wait().expect("it ends").success());
    let ran = sandbox.run("preface explain a.json --at 'hello, hello'").exits(0);
    assert!(ran.stdout.starts_with("your message  messages[0].content[1]"), "{}", ran.stdout);
}

#[test]
fn what_a_project_runs_needs_consent() {
    let sandbox = sandbox();
    sandbox.work(
        ".claude/settings.json",
        r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"make x"}]}]}}"#,
    );
    let list = "The project makes Claude Code run or connect to:\n  .claude/settings.json\n    hooks SessionStart: make x\n";
    let ran = sandbox.run("preface capture claude").exits(3);
    assert!(ran.stderr.starts_with(list), "{}", ran.stderr);
    assert_eq!(started(&sandbox), None);
    sandbox.run("preface capture claude --trust deny").exits(3);
    let dry = sandbox.run("preface capture claude --dry-run").exits(0);
    assert!(dry.stdout.ends_with(list) && dry.stdout.contains("--settings"), "{}", dry.stdout);
    assert_eq!(started(&sandbox), None);
    sandbox.run("preface capture claude --trust once").exits(0);
    assert!(started(&sandbox).is_some());
    let quiet = sandbox.run("preface capture claude --trust once -q").exits(0);
    assert_eq!(quiet.stderr, "");
}

#[test]
fn an_answer_trusts_the_files_with_the_scripts_of_their_commands() {
    let sandbox = sandbox().env("TERM", "xterm");
    let hook = r#"{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"bash \"$CLAUDE_PROJECT_DIR\"/x.sh"}]}]}}"#;
    sandbox.work(".claude/settings.json", hook).work("x.sh", "echo one");
    for (answer, code) in [("n\n", 3), ("\n", 3), ("y\n", 0)] {
        assert_eq!(on_terminal(&sandbox, "capture claude --print", answer).0, Some(code), "{answer:?}");
        sandbox.run("preface capture claude").exits(3);
    }
    assert_eq!(on_terminal(&sandbox, "capture claude --print", "what\nt\n").0, Some(0));
    sandbox.run("preface capture claude -q").exits(0);
    sandbox.run("preface capture claude --trust deny").exits(3);
    let listed = sandbox.run("preface trust list").exits(0);
    assert!(listed.stdout.contains("0 texts, 1 permission"), "{}", listed.stdout);
    sandbox.work("x.sh", "echo two");
    let ran = sandbox.run("preface capture claude").exits(3);
    assert!(ran.stderr.contains("  .claude/settings.json, changed since it was trusted\n"), "{}", ran.stderr);
    sandbox.work("x.sh", "echo one");
    sandbox.run("preface capture claude -q").exits(0);
    sandbox.run("preface trust revoke").exits(0);
    sandbox.run("preface capture claude").exits(3);
    // What preface reads of the project is another question.
    sandbox.run("preface trust grant --preset claude-code --allow-commands").exits(0);
    sandbox.run("preface capture claude").exits(3);
}

#[test]
fn requests_go_nowhere_else() {
    let sandbox = sandbox()
        .env("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
        .env("ANTHROPIC_API_KEY", "sk-real")
        .env("HTTP_PROXY", "http://127.0.0.1:9")
        .env("NO_PROXY", "intern");
    sandbox.run("preface capture claude -q").exits(0);
    let set = started(&sandbox).expect("it was started");
    let fields: Vec<&str> = set.splitn(4, '|').collect();
    assert!(fields[0].starts_with("http://127.0.0.1:") && fields[0] != "http://127.0.0.1:9", "{set}");
    assert_eq!(fields[1..3], ["", "127.0.0.1,intern,localhost"], "{set}");
    fs::remove_file(sandbox.path("home/started")).expect("the file");
    let ran = sandbox.run("preface capture claude -- --settings x.json").exits(2);
    assert!(ran.stderr.contains("can send requests elsewhere"), "{}", ran.stderr);
    assert_eq!(started(&sandbox), None);
}

#[test]
fn secrets_and_ids_are_replaced() {
    let key = format!("sk-ant-{}", "abcde".repeat(5));
    let sandbox = sandbox().env("EXTRA", &key);
    let ran = sandbox.run("preface capture claude --redact --save capture.json").exits(0);
    assert!(ran.stdout.contains("secrets: secret/key at byte "), "{}", ran.stdout);
    let saved = fs::read_to_string(sandbox.path("work/capture.json")).expect("the file");
    assert!(!saved.contains("abcde") && saved.contains("00000000-0000-"), "{saved}");
}

#[test]
fn an_agent_that_sends_nothing_or_too_much_is_an_error_or_ended() {
    let sandbox = sandbox().env("TIMES", "0");
    let ran = sandbox.run("preface capture claude -q").exits(1);
    assert!(ran.stderr.contains("no request had the message; requests: /api/telemetry"), "{}", ran.stderr);
    let sandbox = sandbox.without("TIMES").env("TIMES", "50");
    let ran = sandbox.run("preface capture claude").exits(0);
    assert!(ran.stderr.contains("warning: Claude Code was ended after 20 requests\n"), "{}", ran.stderr);
    fs::write(sandbox.path("bin/claude"), "#!/bin/sh\necho no login >&2\nexit 7\n").expect("a program");
    let ran = sandbox.run("preface capture claude -q").exits(1);
    assert_eq!(
        ran.stderr,
        "error: Claude Code exited with 7: it sent no request\nhelp: it printed: no login\n"
    );
}

#[test]
fn two_captures_at_once_do_not_meet() {
    let sandbox = sandbox();
    let runs = ["a", "b"].map(|name| {
        let mut command = sandbox.command(&format!("preface capture claude -q --save {name}.json"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().expect("the binary starts")
    });
    for mut run in runs {
        assert!(run.wait().expect("it ends").success());
    }
    let messages = ["a", "b"].map(|name| {
        let saved = fs::read_to_string(sandbox.path(&format!("work/{name}.json"))).expect("the file");
        assert_eq!(saved.matches("/v1/messages").count(), 1);
        saved
            .split("\"message\":\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .expect("a message")
            .to_owned()
    });
    assert_ne!(messages[0], messages[1]);
}

/// Fails if a program is still there.
fn assert_ended(pid: &str) {
    // A process that ended and was not waited for has no command line.
    let line = fs::read(format!("/proc/{}/cmdline", pid.trim())).unwrap_or_default();
    assert!(line.is_empty(), "the agent's program is still there");
}

#[test]
fn what_an_agent_leaves_that_prints_its_version_is_ended() {
    let sandbox = sandbox();
    let script = CLAUDE.replace("then echo", "then sleep 300 > /dev/null & echo $! > \"$HOME/child\"; echo");
    fs::write(sandbox.path("bin/claude"), script).expect("a program");
    sandbox.run("preface capture claude").exits(0);
    assert_ended(&fs::read_to_string(sandbox.path("home/child")).expect("it left a program"));
}

#[test]
fn an_interrupted_capture_ends_all_that_it_started() {
    let sandbox = sandbox().env("HANG", "1");
    let mut command = sandbox.command("preface capture claude -q");
    let mut run = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let child = sandbox.path("home/child");
    let pid = until(|| fs::read_to_string(&child).ok().filter(|pid| pid.ends_with('\n')));
    Command::new("kill").args(["-INT", &run.id().to_string()]).status().expect("kill");
    let _ = run.wait();
    assert_ended(&pid);
    let state = sandbox.path("home/.local/state/preface");
    assert_eq!(fs::read_dir(state).map_or(0, |files| files.count()), 0, "no private file is left");
}

/// Runs the program on a terminal, types, and returns its exit code with what was printed.
fn on_terminal(sandbox: &Sandbox, words: &str, typed: &str) -> (Option<i32>, String) {
    let terminal = sandbox.command(&format!("preface {words}"));
    let line = format!("{} {words}", env!("CARGO_BIN_EXE_preface"));
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).env_clear();
    command.current_dir(sandbox.path("work")).stdin(Stdio::piped()).stdout(Stdio::piped());
    command.envs(terminal.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let mut run = command.spawn().expect("`script` of util-linux gives a terminal");
    run.stdin.as_mut().expect("a pipe").write_all(typed.as_bytes()).expect("it reads");
    let output = run.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn on_a_terminal_the_agent_ends_after_its_answer_with_what_it_started() {
    let sandbox = sandbox().env("STAY", "1").env("TERM", "xterm");
    let (code, printed) = on_terminal(&sandbox, "capture claude", "");
    assert!(
        code == Some(0) && printed.contains("Claude Code 9.9.9") && printed.contains("(on a terminal)"),
        "{printed}"
    );
    let pid = fs::read_to_string(sandbox.path("home/child")).expect("the agent started a program");
    assert_ended(&pid);
}
