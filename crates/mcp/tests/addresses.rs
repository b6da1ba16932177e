//! Servers that are addresses: a tiny HTTP server on loopback that behaves, or does not.

#[path = "../fake/manners.rs"]
mod manners;
#[path = "targets/mod.rs"]
mod targets;

use preface_mcp::{McpError, QueryLimits, ServerEndpoint, ServerReply, ServerTarget, query_servers};
use serde_json::{Value, json};
use std::{
    env,
    io::{Read, Write},
    net::TcpListener,
    process::Command,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};
use targets::{assert_all_received, codes, query_server, target, wants};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned, crypto::ring};

/// A request as a server sees it: its first line and its headers in small letters, and its body.
#[derive(Clone, Debug)]
struct Seen {
    head: String,
    body: Value,
}

/// A server on loopback, for as long as the test runs.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

/// A connection, with TLS or without.
trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

/// The reply of a server to a request.
type Manner = fn(&mut dyn Connection, &Seen);

impl Server {
    fn start(manner: Manner) -> Server {
        Self::start_with(manner, None)
    }

    fn start_with(manner: Manner, tls: Option<Arc<ServerConfig>>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
        let address = listener.local_addr().expect("it has a port");
        let url = match tls {
            Some(_) => format!("https://localhost:{}/mcp", address.port()),
            None => format!("http://{address}/mcp"),
        };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let sees = seen.clone();
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let (sees, tls) = (sees.clone(), tls.clone());
                thread::spawn(move || match tls {
                    Some(tls) => {
                        let tls = ServerConnection::new(tls).expect("a connection");
                        serve(&mut StreamOwned::new(tls, stream), manner, &sees);
                    }
                    None => serve(&mut { stream }, manner, &sees),
                });
            }
        });
        Server { url, seen }
    }

    fn target(&self, seconds: u64) -> ServerTarget {
        let headers = vec![("Authorization".to_owned(), "Bearer open-sesame".to_owned())];
        let reach = ServerEndpoint::Address { url: self.url.clone(), headers };
        ServerTarget { wants: wants(), ..target("http", reach, seconds) }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

/// Reads a line. `None` where the connection ends.
fn read_line(stream: &mut dyn Connection) -> Option<String> {
    let mut line = Vec::new();
    while !line.ends_with(b"\n") {
        let mut byte = [0];
        // What is no text is no request.
        stream.read_exact(&mut byte).ok().filter(|()| byte.is_ascii())?;
        line.extend(byte);
    }
    Some(String::from_utf8_lossy(&line).trim_end().to_owned())
}

fn serve(stream: &mut dyn Connection, manner: Manner, sees: &Mutex<Vec<Seen>>) {
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let Some(line) = read_line(stream) else { return };
        if line.is_empty() {
            break;
        }
        let (name, value) = line.split_once(": ").unwrap_or((&line, ""));
        let name = name.to_ascii_lowercase();
        if name == "content-length" {
            length = value.parse().expect("a length");
        }
        head.push_str(&format!("{name}: {value}\n"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).expect("the body comes");
    let seen = Seen { head, body: serde_json::from_slice(&body).unwrap_or_default() };
    sees.lock().unwrap().push(seen.clone());
    manner(stream, &seen);
}

fn respond(stream: &mut dyn Connection, status: &str, kind: &str, more: &str, body: &[u8]) {
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{more}Connection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(head.as_bytes());
    let _ = stream.write_all(body);
}

/// Answers as JSON, with a session from the handshake on, as the manners determine.
fn json_with(manners: &str, stream: &mut dyn Connection, seen: &Seen) {
    if seen.head.starts_with("delete ") {
        return respond(stream, "204 No Content", "", "", b"");
    }
    match manners::answers(manners, &seen.body).last() {
        None => respond(stream, "202 Accepted", "", "", b""),
        Some(answer) => respond(stream, "200 OK", "application/json", "Mcp-Session-Id: s-1\r\n", answer),
    }
}

fn events_with(manners: &str, stream: &mut dyn Connection, seen: &Seen) {
    let answers = manners::answers(manners, &seen.body);
    if answers.is_empty() {
        return respond(stream, "202 Accepted", "", "", b"");
    }
    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n\r\n");
    let diagnostic = json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": {} });
    let _ = stream.write_all(format!(": hello\n\nevent: message\ndata: {diagnostic}\n\n").as_bytes());
    for answer in answers {
        let _ = stream.write_all(&[b"event: message\ndata: ", &answer[..], b"\n\n"].concat());
    }
    // It stays open after the answer: nobody may wait for its end.
    let _ = stream.read(&mut [0]);
}

fn method(seen: &Seen) -> &str {
    seen.body["method"].as_str().unwrap_or_default()
}

fn violation_of(reply: &ServerReply) -> &str {
    match &reply.result {
        Err(McpError::Protocol(why)) => why,
        other => panic!("no lie: {other:?}"),
    }
}

fn unreachable_of(reply: &ServerReply) -> &str {
    match &reply.result {
        Err(McpError::Unreachable(why)) => why,
        other => panic!("it was reached: {other:?}"),
    }
}

#[test]
fn everything_of_a_server_that_answers_in_json_is_received() {
    let server = Server::start(|stream, seen| json_with("good", stream, seen));
    assert_all_received(&query_server(server.target(30)));
    let seen = server.seen();
    assert!(seen.iter().all(|it| it.head.contains("authorization: Bearer open-sesame\n")));
    let first = &seen[0];
    assert_eq!(method(first), "server/discover");
    assert!(first.head.contains("mcp-protocol-version: 2026-07-28\n"), "{}", first.head);
    assert!(first.head.contains("mcp-method: server/discover\n"));
    let after = seen.iter().skip_while(|it| method(it) != "initialize").skip(1);
    for it in after {
        assert!(it.head.contains("mcp-session-id: s-1\n"), "{}", it.head);
        assert!(it.head.contains("mcp-protocol-version: 2025-11-25\n"), "{}", it.head);
    }
    assert!(seen.last().unwrap().head.starts_with("delete "), "the session is ended");
}

#[test]
fn everything_of_a_server_that_answers_in_events_is_received() {
    let server = Server::start(|stream, seen| events_with("good", stream, seen));
    let reply = query_server(server.target(30));
    assert_all_received(&reply);
    assert!(reply.took < Duration::from_secs(20), "{:?}", reply.took);
}

#[test]
fn a_server_of_the_newer_protocol_is_reached_with_it() {
    let server = Server::start(|stream, seen| json_with("modern", stream, seen));
    let reply = query_server(server.target(30));
    assert_eq!(reply.protocol.as_deref(), Some("2026-07-28"), "{reply:?}");
    let seen = server.seen();
    let get = seen.iter().find(|it| method(it) == "resources/read").unwrap();
    assert!(get.head.contains("mcp-name: fake://notes\n"), "{}", get.head);
    assert!(get.head.contains("mcp-protocol-version: 2026-07-28\n"), "{}", get.head);
    assert!(seen.iter().all(|it| method(it) != "initialize"));
}

#[test]
fn an_older_server_that_refuses_the_newer_handshake_with_a_status_is_reached() {
    let server = Server::start(|stream, seen| match method(seen) {
        "server/discover" => respond(stream, "400 Bad Request", "text/plain", "", b"no session"),
        _ => json_with("good", stream, seen),
    });
    assert_all_received(&query_server(server.target(30)));
    let server = Server::start(|stream, seen| match method(seen) {
        "server/discover" => {
            let error = json!({ "jsonrpc": "2.0", "id": "server-error", "error": { "code": -32600, "message": "no" } });
            respond(stream, "400 Bad Request", "application/json", "", error.to_string().as_bytes());
        }
        _ => json_with("good", stream, seen),
    });
    assert_all_received(&query_server(server.target(30)));
}

#[test]
fn an_older_server_that_ignores_the_newer_handshake_is_reached() {
    let server = Server::start(|stream, seen| match method(seen) {
        "server/discover" => thread::sleep(Duration::from_secs(60)),
        _ => events_with("good", stream, seen),
    });
    assert_all_received(&query_server(server.target(9)));
}

#[test]
fn a_stream_that_breaks_off_is_taken_up_again() {
    let server = Server::start(|stream, seen| {
        if seen.head.starts_with("get ") {
            assert!(seen.head.contains("last-event-id: 1\n"), "{}", seen.head);
            // The second question is `tools/list`, after the handshake and its notification.
            let answer = json!({ "jsonrpc": "2.0", "id": 2, "result": { "tools": [{ "name": "late" }] } });
            return respond(
                stream,
                "200 OK",
                "text/event-stream",
                "",
                format!("data: {answer}\n\n").as_bytes(),
            );
        }
        match method(seen) {
            "tools/list" => {
                let start = b"id: 1\nretry: 10\ndata:\n\n";
                respond(stream, "200 OK", "text/event-stream", "", start);
            }
            _ => json_with("good", stream, seen),
        }
    });
    let reply = query_server(server.target(30));
    assert_eq!(reply.result.unwrap().tools[0].name, "late");
}

#[test]
fn a_request_in_a_stream_is_refused() {
    let server = Server::start(|stream, seen| events_with("asks-back", stream, seen));
    assert_all_received(&query_server(server.target(30)));
    let answers: Vec<_> = server.seen().into_iter().filter(|it| it.body.get("method").is_none()).collect();
    let refused = |it: &&Seen| it.body["error"]["code"] == -32601;
    let refusals = answers.iter().filter(refused).count();
    assert!(answers.iter().all(|it| it.body["id"] == "ping" || refused(&it)), "{answers:?}");
    assert!(refusals >= 1, "{answers:?}");
}

#[test]
fn an_address_without_a_server_is_an_error() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for (url, why) in [
        (format!("http://{unused}/mcp"), "refused"),
        ("ftp://127.0.0.1/mcp".to_owned(), "neither http nor https"),
        (format!("https://{unused}/mcp"), "refused"),
        ("nonsense".to_owned(), "neither http nor https"),
    ] {
        let reply = query_server(target("nobody", ServerEndpoint::Address { url, headers: vec![] }, 20));
        assert!(unreachable_of(&reply).contains(why), "{reply:?}");
    }
    let headers = vec![("X-Key".to_owned(), "two\nlines".to_owned())];
    let reach = ServerEndpoint::Address { url: "http://127.0.0.1:1/".to_owned(), headers };
    assert!(unreachable_of(&query_server(target("header", reach, 20))).contains("`X-Key`"));
}

#[test]
fn a_server_without_tls_at_an_https_address_is_an_error() {
    let server = Server::start(|stream, seen| json_with("good", stream, seen));
    let reach = ServerEndpoint::Address { url: server.url.replace("http:", "https:"), headers: vec![] };
    let reply = query_server(target("tls", reach, 20));
    assert!(unreachable_of(&reply).starts_with("TLS failed: "), "{reply:?}");
    assert!(server.seen().is_empty());
}

const URL: &str = "PREFACE_TEST_SERVER_URL";

#[test]
fn child_that_queries_over_tls() {
    let Ok(url) = env::var(URL) else { return };
    let reach = ServerEndpoint::Address { url, headers: vec![] };
    assert_all_received(&query_server(ServerTarget { wants: wants(), ..target("tls", reach, 30) }));
}

/// The test program starts itself again: certificates are those of the environment that a process begins with.
#[test]
fn a_server_with_a_trusted_certificate_is_reached_over_tls_and_no_other_is() {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
    let key = certified.signing_key.serialize_der().try_into().expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|config| {
            config.with_no_client_auth().with_single_cert(vec![certified.cert.der().clone()], key)
        });
    let server = Server::start_with(
        |stream, seen| {
            if seen.head.starts_with("post /mcp http/1.1") {
                return respond(stream, "307 Temporary Redirect", "", "Location: /mcp/\r\n", b"");
            }
            json_with("good", stream, seen);
        },
        Some(Arc::new(config.expect("a configuration"))),
    );
    let reply = query_server(server.target(20));
    assert!(!unreachable_of(&reply).is_empty() && server.seen().is_empty(), "{reply:?}");
    let directory = tempfile::tempdir().expect("a directory");
    let trusted = directory.path().join("trusted.pem");
    std::fs::write(&trusted, certified.cert.pem()).expect("it is written");
    let output = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "child_that_queries_over_tls", "--nocapture"])
        .env("SSL_CERT_FILE", &trusted)
        .env(URL, &server.url)
        .output()
        .expect("it starts");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && shown.contains("test result: ok. 1 passed;"), "{shown}");
    assert!(server.seen().len() > 5);
}

#[test]
fn an_error_status_is_an_error() {
    let server = Server::start(|stream, _| respond(stream, "401 Unauthorized", "text/plain", "", b"who?"));
    assert!(unreachable_of(&query_server(server.target(20))).contains("HTTP 401"));
    let server = Server::start(|stream, _| respond(stream, "500 Oops", "text/html", "", b"<h1>"));
    assert!(unreachable_of(&query_server(server.target(20))).contains("HTTP 500"));
    let server = Server::start(|stream, seen| match method(seen) {
        "tools/list" => respond(stream, "503 Busy", "text/html", "", b"<h1>"),
        _ => json_with("good", stream, seen),
    });
    let reply = query_server(server.target(20));
    assert!(matches!(&reply.result, Err(McpError::Died(why)) if why.contains("HTTP 503")), "{reply:?}");
}

#[test]
fn a_redirection_is_followed_at_its_origin_and_nowhere_else() {
    let server = Server::start(|stream, seen| {
        if seen.head.starts_with("post /mcp http/1.1") {
            return respond(stream, "307 Temporary Redirect", "", "Location: /mcp/\r\n", b"");
        }
        json_with("good", stream, seen);
    });
    assert_all_received(&query_server(server.target(30)));
    let server = Server::start(|stream, _| {
        respond(stream, "307 Temporary Redirect", "", "Location: http://localhost:9/mcp\r\n", b"");
    });
    assert!(unreachable_of(&query_server(server.target(20))).contains("elsewhere"));
    let server = Server::start(|stream, _| {
        respond(stream, "308 Permanent Redirect", "", "Location: /again\r\n", b"");
    });
    assert!(unreachable_of(&query_server(server.target(20))).contains("in a circle"));
}

#[test]
fn a_flood_is_cut_off() {
    let endless: [Manner; 4] = [
        |stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\": \"");
            while stream.write_all(&[b'x'; 64 << 10]).is_ok() {}
        },
        |stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            while stream
                .write_all(b"data: {\"jsonrpc\": \"2.0\", \"method\": \"notifications/x\"}\n\n")
                .is_ok()
            {}
        },
        |stream, _| {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ");
            while stream.write_all(&[b'x'; 64 << 10]).is_ok() {}
        },
        |stream, _| {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000000\r\n\r\n{";
            let _ = stream.write_all(head.as_bytes());
            thread::sleep(Duration::from_secs(60));
        },
    ];
    for (at, manner) in endless.into_iter().enumerate() {
        let reply = query_server(Server::start(manner).target(50));
        assert_eq!(reply.result, Err(McpError::TooLarge(8 << 20)), "{at}");
        assert!(reply.took < Duration::from_secs(40), "{at}: {:?}", reply.took);
    }
}

#[test]
fn endless_headers_end() {
    let server = Server::start(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"X-More: and more\r\n").is_ok() {}
    });
    let reply = query_server(server.target(50));
    assert!(reply.result.is_err() && reply.took < Duration::from_secs(40), "{reply:?}");
}

#[test]
fn a_violation_of_the_protocol_is_an_error() {
    let server = Server::start(|stream, _| respond(stream, "200 OK", "text/html", "", b"<h1>Hello</h1>"));
    assert!(violation_of(&query_server(server.target(20))).contains("`text/html`"));
    let server = Server::start(|stream, _| respond(stream, "202 Accepted", "", "", b""));
    assert!(violation_of(&query_server(server.target(20))).contains("no answer"));
    for manners in ["bad-json", "wrong-id"] {
        let manner: Manner = match manners {
            "bad-json" => |stream, seen| json_with("bad-json", stream, seen),
            _ => |stream, seen| json_with("wrong-id", stream, seen),
        };
        assert!(!violation_of(&query_server(Server::start(manner).target(20))).is_empty(), "{manners}");
    }
}

#[test]
fn a_server_that_closes_or_sends_nothing_ends_in_time() {
    let server = Server::start(|_, _| ());
    assert!(!unreachable_of(&query_server(server.target(20))).is_empty());
    let server = Server::start(|_, _| thread::sleep(Duration::from_secs(60)));
    let reply = query_server(server.target(2));
    assert_eq!(reply.result, Err(McpError::Timeout));
    let server = Server::start(|stream, seen| match method(seen) {
        "prompts/list" => {
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
            );
        }
        _ => json_with("good", stream, seen),
    });
    assert!(matches!(query_server(server.target(20)).result, Err(McpError::Died(_))));
}

#[test]
fn an_unreachable_address_does_not_delay_the_others() {
    let silent = Server::start(|_, _| thread::sleep(Duration::from_secs(60)));
    let good = Server::start(|stream, seen| events_with("hides", stream, seen));
    let received = Mutex::new(Vec::new());
    let mut targets = vec![silent.target(10), good.target(60)];
    targets[0].name = "silent".to_owned();
    let reply = query_servers(&targets, &QueryLimits::default(), &|reply| {
        received.lock().unwrap().push(reply.name.clone());
    });
    assert_eq!(received.into_inner().unwrap(), ["http", "silent"]);
    assert_eq!(reply[0].result, Err(McpError::Timeout));
    assert!(codes(&reply[1]).contains(&"mcp/hidden"));
}
