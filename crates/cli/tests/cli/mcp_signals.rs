//! Signals while servers are queried or hooks run: what was started is gone, and the exit code says which signal it was.

use crate::sandbox::Sandbox;
use serde_json::json;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A server that says nothing and starts a program, both of which write down who they are.
const SILENT: &str = "sleep 1002 & echo $! $$ > pids.part; mv pids.part pids; trap '' TERM; wait";

/// Waits until something is so.
fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn runs(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    // One that ended and that nobody collected yet is gone.
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
}

fn sandbox() -> Sandbox {
    Sandbox::new().env("PATH", &std::env::var("PATH").unwrap_or_default())
}

fn ends(line: &str, signal: &str, code: i32) {
    let sandbox = sandbox();
    let servers = json!({"mcpServers": {"silent": {"command": "sh", "args": ["-c", SILENT]}}});
    sandbox.home(".config/preface/mcp.json", servers.to_string());
    ends_in(&sandbox, line, signal, code);
}

fn hangups_are_ignored() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}

fn ends_in(sandbox: &Sandbox, line: &str, signal: &str, code: i32) {
    let mut asking = sandbox
        .command(line)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let pids = sandbox.path("home/pids");
    wait_for("the server starts", || pids.exists());
    let pids = fs::read_to_string(pids).expect("who they are");
    let pids: Vec<&str> = pids.split_whitespace().collect();
    assert!(pids.len() == 2 && pids.iter().all(|pid| runs(pid)), "{pids:?}");
    let sent = Command::new("kill").args([signal, &asking.id().to_string()]).status();
    assert!(sent.expect("`kill`").success());
    let status = asking.wait().expect("an end");
    wait_for("what was started is gone", || !pids.iter().any(|pid| runs(pid)));
    assert_eq!(status.code(), Some(code), "{line}");
}

#[test]
fn ctrl_c_ends_the_servers_that_a_refresh_started() {
    ends("preface mcp refresh", "-INT", 130);
}

#[test]
fn a_dry_run_that_is_told_to_end_takes_its_servers_along() {
    ends("preface mcp refresh --dry-run silent", "-TERM", 143);
}

#[test]
fn a_build_that_asks_first_is_ended_by_ctrl_c_with_its_servers() {
    ends("preface build --refresh-mcp", "-INT", 130);
}

#[test]
fn a_signal_ends_the_hooks_of_a_build_with_what_they_started() {
    for (signal, code) in [("-INT", 130), ("-TERM", 143), ("-HUP", 129)] {
        // Under `nohup` the program goes on after a hangup, as it should.
        if signal == "-HUP" && hangups_are_ignored() {
            continue;
        }
        let sandbox = sandbox();
        let pids = sandbox.path("home/pids");
        let script = format!("cd '{}'; {SILENT}", pids.parent().expect("a home").display());
        let hook = json!({"id": "w", "category": "hooks", "contractVersion": "1.0.0",
            "requiredCoreVersion": ">=0.1.0 <2.0.0", "event": "before_agent_start",
            "command": ["sh", "-c", script], "timeoutMs": 60000});
        sandbox.home(".sf/agent/extensions/hooks/w/manifest.json", hook.to_string());
        ends_in(&sandbox, "preface build --preset pi --prompt x", signal, code);
    }
}
