//! `preface serve` and `preface token`: the program itself, from its first line to its last.

use crate::sandbox::Sandbox;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Child, ChildStderr, ExitStatus, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// How long a test that goes wrong waits.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service that runs. It ends with the test.
pub(crate) struct Service {
    child: Child,
    address: String,
    greeting: String,
    log: Option<BufReader<ChildStderr>>,
}

impl Service {
    pub(crate) fn start(sandbox: &Sandbox, line: &str) -> Self {
        let mut command = sandbox.command(&format!("preface serve --listen 127.0.0.1:0 {line}"));
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the binary starts");
        let mut log = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut greeting = String::new();
        log.read_line(&mut greeting).expect("a line");
        let address =
            greeting.split_once("http://").map(|(_, rest)| rest.split(',').next().unwrap_or_default());
        let Some(address) = address.map(str::to_owned) else {
            log.read_to_string(&mut greeting).expect("text");
            panic!("it does not listen: {greeting}");
        };
        Service { child, address, greeting, log: Some(log) }
    }

    fn ask(&self, line: &str) -> Answer {
        self.ask_with(line, &[], "")
    }

    pub(crate) fn ask_with(&self, line: &str, headers: &[&str], body: &str) -> Answer {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        let mut request =
            format!("{line} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|header| header.starts_with("Host:")) {
            request.push_str(&format!("Host: {}\r\n", self.address));
        }
        headers.iter().for_each(|header| request.push_str(&format!("{header}\r\n")));
        write!(stream, "{request}\r\n{body}").expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
        Answer { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Sends a signal by its name.
    fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &id]).status().expect("kill runs");
        assert!(sent.success());
    }

    /// Waits for its end: how it ended, and what it logged after its first line.
    fn end(mut self) -> (ExitStatus, String) {
        let mut log = String::new();
        self.log.take().expect("the log").read_to_string(&mut log).expect("text");
        (self.child.wait().expect("it ends"), log)
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    body: String,
}

#[test]
fn it_says_where_it_listens_and_prints_nothing() {
    let sandbox = Sandbox::empty();
    sandbox.work("sub/AGENTS.md", "Use tabs.");
    let mut service = Service::start(&sandbox, "--store memory: --root sub --root .");
    let work = sandbox.path("work").canonicalize().expect("it is there");
    let expected = format!(
        "Listening on http://{}, store memory:, preset `template`, for {} and {}.\n",
        service.address,
        work.join("sub").display(),
        work.display()
    );
    assert_eq!(service.greeting, expected);
    assert!(service.address.starts_with("127.0.0.1:"));
    let health = service.ask("GET /healthz");
    assert_eq!((health.status, health.body.as_str()), (200, r#"{"status":"ok"}"#));
    let ready = service.ask("GET /readyz");
    assert_eq!((ready.status, ready.body.as_str()), (200, r#"{"status":"ok","store":"memory"}"#));
    let document: serde_json::Value =
        serde_json::from_str(&service.ask("GET /openapi.json").body).expect("JSON");
    assert!(document["paths"]["/healthz"]["get"].is_object());
    let rebound = service.ask_with("GET /healthz", &["Host: rebound.example"], "");
    assert_eq!(rebound.status, 421);
    service.child.kill().expect("it runs");
    let mut printed = String::new();
    service.child.stdout.take().expect("a pipe").read_to_string(&mut printed).expect("text");
    assert_eq!(printed, "");
}

#[test]
fn what_cannot_be_served_is_told_at_once() {
    let sandbox = Sandbox::empty();
    sandbox.work("file", "");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let taken = taken.local_addr().map(|address| (taken, address)).expect("its address");
    for (line, exit, stderr) in [
        (
            "preface serve --store memory: --root nowhere".to_owned(),
            2,
            "error: invalid value 'nowhere' for '--root <DIR>': there is nothing of that name\n\n\
             For more information, try '--help'.\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --root file".to_owned(),
            2,
            "error: invalid value 'file' for '--root <DIR>': it is not a directory\n\n\
             For more information, try '--help'.\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --preset templat".to_owned(),
            2,
            "error: unknown preset: `templat`\nhelp: did you mean `template`?\n".to_owned(),
        ),
        (
            "preface serve --store mysql://me:secret@db/x".to_owned(),
            2,
            "error: not a store: `mysql:…`: unknown kind\n\
             help: a store is `sqlite:PATH`, `postgres://USER@HOST/DATABASE` or `memory:`\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --allowed-host http://prompts.example".to_owned(),
            2,
            "error: not the name of a host: `http://prompts.example`\n\
             help: a host is `NAME` or `NAME:PORT`, without `http://`\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --listen 0.0.0.0:0".to_owned(),
            1,
            "error: 0.0.0.0:0 is open to other machines, and the store has no valid token\n\
             help: use a store that keeps tokens, such as `--store sqlite:PATH`; or listen on 127.0.0.1\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --listen 127.0.0.1:0 --require-token".to_owned(),
            1,
            "error: --require-token is given, and the store has no valid token\n\
             help: use a store that keeps tokens, such as `--store sqlite:PATH`\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --tls-cert no.pem --tls-key file".to_owned(),
            1,
            "error: the certificate cannot be read: [ROOT]/work/no.pem: No such file or directory\n\
             help: `--tls-cert` names a PEM file with the certificate of this service, then those of its chain\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --tls-cert file --tls-key file".to_owned(),
            1,
            "error: [ROOT]/work/file: the file contains no certificate\n\
             help: `--tls-cert` names a PEM file with the certificate of this service, then those of its chain\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --tls-cert file --tls-key no.pem".to_owned(),
            1,
            "error: the key cannot be read: [ROOT]/work/no.pem: No such file or directory\n\
             help: `--tls-key` names a PEM file with the private key of the certificate, not encrypted\n"
                .to_owned(),
        ),
        (
            "preface serve --store memory: --listen 127.0.0.1".to_owned(),
            2,
            "error: invalid value '127.0.0.1' for '--listen <ADDRESS:PORT>': write an IP address and a port, such as \
             `127.0.0.1:7677` or `[::1]:7677`\n\nFor more information, try '--help'.\n"
                .to_owned(),
        ),
        (
            format!("preface serve --store memory: --listen {}", taken.1),
            1,
            format!(
                "error: cannot listen on {}: address already in use\n\
                 help: another program does; `--listen 127.0.0.1:0` picks a free port\n",
                taken.1
            ),
        ),
    ] {
        sandbox.run(&line).exits(exit).prints("").says(&stderr);
    }
}

#[test]
fn the_environment_names_a_store_and_the_flag_wins() {
    let sandbox = Sandbox::empty().env("PREFACE_STORE", "mysql://me:secret@db/x");
    let ran = sandbox.run("preface serve").exits(2);
    assert!(!ran.stderr.contains("secret"), "{}", ran.stderr);
    assert!(ran.stderr.contains("mysql:"), "{}", ran.stderr);
    assert!(!sandbox.run("preface serve --help").stdout.contains("secret"));
    Service::start(&sandbox, "--store memory:").ask("GET /readyz");
}

#[test]
fn a_token_is_for_a_store_that_lasts() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface token create ci --store memory:").exits(2).prints("").says(
        "\
error: `memory:` is gone with this command, and a token with it
help: name the store of the service, such as `--store sqlite:PATH`
",
    );
    sandbox.run("preface token create local --store sqlite:x.db").exits(2).prints("").says(
        "\
error: not a name for a token: `local`
help: a name has 1 to 64 letters, digits, `-`, `_`, `.` or `@`, and is not `local`
",
    );
}

#[test]
fn it_ends_well_when_it_is_told_to() {
    for signal in ["TERM", "INT"] {
        let service = Service::start(&Sandbox::empty(), "--store memory: --log info");
        assert_eq!(service.ask("GET /healthz").status, 200);
        service.signal(signal);
        let (status, log) = service.end();
        assert_eq!(status.code(), Some(0), "{signal}: {log}");
        assert!(log.contains("finishing accepted requests"), "{log}");
    }
}

/// Reads what the service says until it says this.
fn wait_for(service: &mut Service, words: &str) {
    let log = service.log.as_mut().expect("the log");
    let mut line = String::new();
    while !line.contains(words) {
        line.clear();
        assert!(log.read_line(&mut line).expect("text") > 0, "it ended without `{words}`");
    }
}

/// Sends the head of a turn and waits until its handler asks for the body: the request is accepted.
fn accepted(service: &Service, length: usize) -> TcpStream {
    let mut stream = TcpStream::connect(&service.address).expect("it listens");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    write!(
        stream,
        "POST /conversations/a/turns HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n",
        service.address,
    )
    .expect("it reads");
    let mut go_on = [0; 25];
    stream.read_exact(&mut go_on).expect("it goes on");
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let mut service = Service::start(&Sandbox::empty(), "--store memory:");
    let waiting = accepted(&service, 100);
    service.signal("TERM");
    wait_for(&mut service, "finishing accepted requests");
    service.signal("TERM");
    let (status, log) = service.end();
    assert_eq!(status.code(), Some(130), "{log}");
    drop(waiting);
}

#[test]
fn a_turn_that_was_accepted_before_the_end_is_answered_and_kept() {
    let sandbox = Sandbox::empty();
    let store = "--store sqlite:kept.db --preset default";
    let mut service = Service::start(&sandbox, store);
    let work = sandbox.path("work").canonicalize().expect("it is there");
    let body = serde_json::json!({"options": {"directory": work, "model": "m"}}).to_string();
    let mut stream = accepted(&service, body.len());
    service.signal("TERM");
    wait_for(&mut service, "finishing accepted requests");
    stream.write_all(body.as_bytes()).expect("it still reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("it answers");
    assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    let (status, log) = service.end();
    assert_eq!(status.code(), Some(0), "{log}");
    let said: serde_json::Value =
        serde_json::from_str(answer.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    assert!(said["system_prompt"].as_str().is_some_and(|prompt| !prompt.is_empty()), "{said}");

    let again = Service::start(&sandbox, store);
    let kept = again.ask("GET /conversations/a/system-prompt");
    let kept: serde_json::Value = serde_json::from_str(&kept.body).expect("JSON");
    assert_eq!(kept["system_prompt"], said["system_prompt"]);
}

#[test]
fn the_usual_store_is_the_users_own() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::empty();
    let service = Service::start(&sandbox, "");
    let file = sandbox.path("home/.local/state/preface/preface.db");
    assert!(
        service.greeting.contains(&format!(", store sqlite:{}, ", file.display())),
        "{}",
        service.greeting
    );
    let mode = std::fs::metadata(&file).expect("it was made").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_token_is_shown_once_and_may_what_its_role_says() {
    let sandbox = Sandbox::empty();
    let store = "--store sqlite:kept.db";
    sandbox
        .run(&format!("preface token list {store}"))
        .exits(0)
        .says("")
        .prints("There are no tokens. `preface token create NAME --store sqlite:kept.db` makes one.\n");
    let ran = sandbox.run(&format!("preface token create ci --expires 90d {store}")).exits(0);
    let token = ran.stdout.trim_end();
    assert_eq!(ran.stdout, format!("{token}\n"));
    assert!(token.len() >= 64 && token.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{token}");
    assert!(ran.stderr.starts_with("The token is not shown again."), "{}", ran.stderr);
    let again = sandbox.run(&format!("preface token create ci {store}")).exits(1).prints("");
    assert_eq!(
        again.stderr,
        "error: there is a token of that name: `ci`\nhelp: end it: `preface token revoke ci --store sqlite:kept.db`\n"
    );
    let listed = sandbox.run(&format!("preface token list --format json {store}")).exits(0);
    let rows = listed.entries();
    assert_eq!((&rows[0]["name"], &rows[0]["role"]), (&"ci".into(), &"read".into()));
    let at = |key: &str| {
        rows[0][key].as_str().expect("an instant").parse::<jiff::Timestamp>().expect("an instant")
    };
    assert_eq!(at("expires_at").duration_since(at("created_at")).as_hours(), 90 * 24);
    assert_eq!(rows[0]["expired"], false);
    let table = sandbox.run(&format!("preface token list {store}")).exits(0).stdout;
    let row = table.lines().nth(1).expect("a row behind the header");
    assert!(row.starts_with("read ") && row.contains("  until 2"), "{table}");
    sandbox.run(&format!("preface token create late --expires 2001-01-01 {store}")).exits(2).prints("").says(
        "error: the token would have expired already\n\
         help: `--expires` takes a time that is to come, such as `90d`\n",
    );
    assert!(!listed.stdout.contains(token));
    let bytes = std::fs::read(sandbox.path("work/kept.db")).expect("the store");
    assert!(!bytes.windows(token.len()).any(|window| window == token.as_bytes()), "only a digest is kept");

    let service = Service::start(&sandbox, &format!("{store} --log-format json"));
    let sent = format!("Authorization: Bearer {token}");
    assert_eq!(service.ask_with("GET /conversations", &[&sent], "").status, 200);
    let refused = service.ask_with("DELETE /conversations/a", &[&sent], "");
    assert_eq!(refused.status, 403);
    assert!(refused.body.contains(r#""code":"role""#), "{}", refused.body);
    assert_eq!(service.ask_with("GET /conversations", &["Authorization: Bearer x"], "").status, 401);
    service.signal("TERM");
    let (_, log) = service.end();
    let line =
        log.lines().find(|line| line.contains(r#""code":"role""#)).expect("a line of the refused request");
    assert!(line.contains(r#""actor":"ci""#), "{line}");

    sandbox.run(&format!("preface token revoke ci {store}")).exits(0).prints("The token `ci` is revoked.\n");
    sandbox
        .run(&format!("preface token revoke ci {store}"))
        .exits(1)
        .prints("")
        .says("error: there is no token of that name: `ci`\nhelp: see the names: `preface token list --store sqlite:kept.db`\n");
    let service = Service::start(&sandbox, store);
    assert_eq!(service.ask_with("GET /conversations", &[&sent], "").status, 401);
    drop(service);

    let token = sandbox.run(&format!("preface token create other {store}")).exits(0).stdout;
    let service = Service::start(&sandbox, &format!("{store} --require-token"));
    assert_eq!(service.ask("GET /conversations").status, 401);
    let sent = format!("Authorization: Bearer {}", token.trim_end());
    assert_eq!(service.ask_with("GET /conversations", &[&sent], "").status, 200);
}

#[test]
fn the_log_has_the_reason_why_a_store_fails() {
    let sandbox = Sandbox::empty();
    let service = Service::start(&sandbox, "--store sqlite:kept.db --log-format json");
    std::fs::remove_file(sandbox.path("work/kept.db")).expect("the store");
    assert_eq!(service.ask("POST /conversations/c/turns").status, 503);
    service.signal("TERM");
    let (_, log) = service.end();
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let line = lines.iter().find(|line| line["code"] == "store-unavailable").expect("a line");
    let reason = line["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("the store's file was removed or replaced"), "{reason}");
}

#[test]
fn an_empty_address_of_a_store_is_not_the_usual_store() {
    let sandbox = Sandbox::empty();
    for command in ["serve", "token list", "conversation list"] {
        let ran = sandbox.run(&format!("preface {command} --store=")).exits(2).prints("");
        assert!(ran.stderr.starts_with("error: not a store: ``: the address is empty\n"), "{}", ran.stderr);
    }
    let sandbox = Sandbox::empty().env("PREFACE_STORE", "");
    sandbox.run("preface token list").exits(0);
}

#[test]
fn a_list_of_tokens_makes_no_store() {
    let sandbox = Sandbox::empty();
    sandbox.run("preface token list --store sqlite:kept.db").exits(0);
    sandbox.run("preface token revoke ci --store sqlite:kept.db").exits(1);
    assert!(!sandbox.path("work/kept.db").exists());
}

#[test]
fn the_log_has_a_line_for_a_request_and_no_secrets() {
    let service = Service::start(&Sandbox::empty(), "--store memory: --log debug --log-format json");
    let headers = ["X-Request-Id: 7f3a", "Authorization: Bearer s3cret"];
    let refused = service.ask_with("PUT /system-prompt", &headers, "the text");
    assert_eq!(refused.status, 401);
    assert!(refused.head.contains("x-request-id: 7f3a"), "{}", refused.head);
    service.ask("GET /readyz");
    let service_greeting = service.greeting.clone();
    service.signal("TERM");
    let (_, log) = service.end();
    assert!(!log.contains("s3cret") && !log.contains("the text"), "{log}");
    let first: serde_json::Value = serde_json::from_str(&service_greeting).expect("an object");
    assert!(first["message"].as_str().expect("a text").starts_with("Listening on http://"), "{first}");
    let lines: Vec<serde_json::Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("an object a line")).collect();
    let of = |route: &str| lines.iter().find(|line| line["route"] == route).expect("a line");
    let refused = of("/system-prompt");
    assert_eq!(
        (&refused["id"], &refused["method"], &refused["status"], &refused["code"], &refused["level"]),
        (&"7f3a".into(), &"PUT".into(), &401.into(), &"token-unknown".into(), &"INFO".into())
    );
    assert_eq!((&of("/readyz")["level"], &of("/readyz")["actor"]), (&"DEBUG".into(), &"local".into()));
    assert!(of("/readyz")["ms"].is_number());
}

/// The bytes of `4bf92f3577b34da6a3ce929d0e0e4736`.
const TRACE: [u8; 16] =
    [0x4b, 0xf9, 0x2f, 0x35, 0x77, 0xb3, 0x4d, 0xa6, 0xa3, 0xce, 0x92, 0x9d, 0x0e, 0x0e, 0x47, 0x36];

/// Takes one export and answers it.
fn collector() -> (String, mpsc::Receiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}", listener.local_addr().expect("its address"));
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let mut reader = BufReader::new(stream);
        let mut taken = Vec::new();
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a line");
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
            taken.extend_from_slice(line.as_bytes());
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("a body");
        taken.extend_from_slice(&body);
        reader.into_inner().write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").expect("it reads");
        send.send(taken).expect("the test waits");
    });
    (address, receive)
}

#[test]
fn traces_go_to_the_collector_that_the_environment_names() {
    let (address, exported) = collector();
    let sandbox = Sandbox::empty().env("OTEL_EXPORTER_OTLP_ENDPOINT", &address);
    let service = Service::start(&sandbox, "--store memory:");
    let parent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert_eq!(service.ask_with("GET /readyz", &[parent], "").status, 200);
    service.signal("TERM");
    let exported = exported.recv_timeout(PATIENCE).expect("an export");
    let (status, log) = service.end();
    assert_eq!(status.code(), Some(0), "{log}");
    let has = |bytes: &[u8]| exported.windows(bytes.len()).any(|window| window == bytes);
    assert!(exported.starts_with(b"POST /v1/traces HTTP/1.1"));
    assert!(has(b"application/x-protobuf"), "{}", String::from_utf8_lossy(&exported));
    assert!(has(b"service.name") && has(b"preface"), "the resource is named");
    assert!(has(b"GET /readyz"), "the span is named by method and route");
    assert!(has(&TRACE), "the caller's trace goes on");
}

#[test]
fn a_collector_that_is_gone_hurts_nobody() {
    let gone = TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).expect("a port");
    let sandbox = Sandbox::empty().env("OTEL_EXPORTER_OTLP_ENDPOINT", &format!("http://{gone}"));
    let service = Service::start(&sandbox, "--store memory:");
    for _ in 0..20 {
        assert_eq!(service.ask("GET /readyz").status, 200);
    }
    service.signal("TERM");
    let (status, log) = service.end();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(log.matches("the collector takes no traces").count(), 1, "{log}");
}
