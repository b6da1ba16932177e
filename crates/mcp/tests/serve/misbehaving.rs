//! A client that writes what it likes, or does not read.

use crate::fake::Fake;
use preface_mcp::{LONGEST_MESSAGE, serve};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

/// A client that writes what it likes.
struct Raw {
    read: Lines<BufReader<ReadHalf<DuplexStream>>>,
    write: WriteHalf<DuplexStream>,
}

impl Raw {
    fn new(fake: &Arc<Fake>) -> Self {
        let (ours, theirs) = tokio::io::duplex(1 << 12);
        let (read, write) = tokio::io::split(theirs);
        tokio::spawn(serve(fake.clone(), read, write));
        let (read, write) = tokio::io::split(ours);
        Raw { read: BufReader::new(read).lines(), write }
    }

    async fn begun(fake: &Arc<Fake>) -> Self {
        let mut raw = Raw::new(fake);
        raw.begin().await;
        raw
    }

    async fn begin(&mut self) {
        self.send(&initialize().to_string()).await;
        assert_eq!(self.receive().await["id"], json!("first"));
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    async fn send(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn receive(&mut self) -> Value {
        serde_json::from_str(&self.read.next_line().await.unwrap().expect("the server still talks")).unwrap()
    }

    async fn request(&mut self, id: usize, method: &str, params: Value) {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&request.to_string()).await;
    }
}

fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": "first", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "raw", "version": "0" },
    }})
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_that_are_no_messages_are_refused_and_the_next_one_is_read() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    for (line, code, id) in [
        ("{", -32700, Value::Null),
        ("GET / HTTP/1.1", -32700, Value::Null),
        ("\u{0}\u{1}", -32700, Value::Null),
        ("[]", -32600, Value::Null),
        ("null", -32600, Value::Null),
        (r#"{"id":7,"method":"tools/list"}"#, -32600, json!(7)),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        (&"[".repeat(10_000), -32700, Value::Null),
    ] {
        raw.send(line).await;
        let reply = raw.receive().await;
        assert_eq!((&reply["error"]["code"], &reply["id"]), (&json!(code), &id), "{line}");
    }
    raw.write.write_all(b"\r\n\n  \n{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}\r\n").await.unwrap();
    assert_eq!(raw.receive().await, json!({ "jsonrpc": "2.0", "id": 8, "result": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_read() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}"#;
    let fits = frame.replace(r#""""#, &format!("{:?}", "y".repeat(LONGEST_MESSAGE - frame.len())));
    assert_eq!(fits.len(), LONGEST_MESSAGE);
    raw.send(&fits).await;
    assert_eq!(raw.receive().await["id"], json!(1), "the longest that is read");
    raw.send(&format!("{fits} ")).await;
    let reply = raw.receive().await;
    assert_eq!(reply["error"]["code"], json!(-32600));
    assert_eq!(
        reply["error"]["message"],
        json!("a message has at most 4194304 bytes, and this one has more")
    );
    raw.request(2, "ping", json!({})).await;
    assert_eq!(raw.receive().await["id"], json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_before_the_beginning_is_passed_over() {
    let mut raw = Raw::new(&Arc::new(Fake::default()));
    raw.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    raw.send(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#).await;
    raw.send("nonsense").await;
    assert_eq!(raw.receive().await["error"]["code"], json!(-32700));
    raw.request(4, "tools/list", json!({})).await;
    assert_eq!(raw.receive().await["error"]["code"], json!(-32602), "neither era began");
    raw.send(r#"{"jsonrpc":"2.0","id":4,"method":"initialize"}"#).await;
    let error = &raw.receive().await["error"];
    let message = error["message"].as_str().unwrap_or_default();
    assert_eq!(error["code"], json!(-32602));
    assert!(message.contains("send `initialize` with `params`"), "{message}");
    raw.send(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#).await;
    raw.begin().await;
    raw.request(5, "tools/list", json!({})).await;
    assert_eq!(raw.receive().await["result"]["tools"].as_array().unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_of_another_shape_and_unknown_methods_are_named() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    for (method, params, code, message) in [
        ("tools/call", json!({ "name": 5 }), -32602, "the parameters of `tools/call` have another shape"),
        ("prompts/get", json!({}), -32602, "the parameters of `prompts/get` have another shape"),
        ("prompts/get", json!([1]), -32600, "not a message of JSON-RPC 2.0, alone on its line"),
        ("tools/list", json!({ "cursor": "2" }), -32602, "there is one page, and it needs no cursor"),
        ("tools/drop", json!({}), -32601, "unknown method: `tools/drop`"),
    ] {
        raw.request(1, method, params).await;
        let reply = raw.receive().await;
        assert_eq!((&reply["error"]["code"], &reply["error"]["message"]), (&json!(code), &json!(message)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_with_a_duplicate_key_is_refused() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    raw.send(r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"1","a":"2"}}}"#).await;
    let reply = raw.receive().await;
    assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(1), &json!(-32600)));
    assert_eq!(reply["error"]["message"], "`a` is duplicated: column 94");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_reads_late_gets_every_answer() {
    const MANY: usize = 2000;
    let raw = Raw::begun(&Arc::new(Fake::default())).await;
    let Raw { mut read, mut write } = raw;
    let writing = tokio::spawn(async move {
        for id in 0..MANY {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list"}}"#) + "\n";
            write.write_all(line.as_bytes()).await.unwrap();
        }
        write
    });
    // The streams hold a few kilobytes: the server waits for us, and with it the writer.
    tokio::task::yield_now().await;
    let mut ids = Vec::new();
    for _ in 0..MANY {
        let reply: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        ids.push(reply["id"].as_u64().unwrap());
    }
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..MANY as u64), "each once");
    drop(writing.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn too_many_calls_at_once_are_refused() {
    let fake = Arc::new(Fake::default());
    let mut raw = Raw::begun(&fake).await;
    for id in 0..40 {
        raw.request(id, "tools/call", json!({ "name": "wait", "arguments": { "text": "x" } })).await;
    }
    for _ in 0..8 {
        let reply = raw.receive().await;
        assert_eq!(reply["error"]["message"], json!("too many calls at once: 32 are not answered yet"));
    }
    fake.open();
    for _ in 0..32 {
        assert_eq!(raw.receive().await["result"]["structuredContent"], json!({ "text": "x" }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_the_stream_and_answers_earlier_requests() {
    for last in ["\n", ""] {
        let fake = Arc::new(Fake::default());
        let request = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "last" } } });
        let input = format!("{}\nnonsense\n{request}{last}", initialize());
        let (mut ours, theirs) = tokio::io::duplex(1 << 16);
        serve(fake, std::io::Cursor::new(input.into_bytes()), theirs).await.unwrap();
        let mut reply = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut ours, &mut reply).await.unwrap();
        let mut ids: Vec<Value> =
            reply.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].take()).collect();
        ids.sort_by_key(Value::to_string);
        assert_eq!(ids, [json!("first"), json!(9), Value::Null]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_where_nobody_reads_any_more() {
    let (mut ours, theirs) = tokio::io::duplex(1 << 12);
    let (nobody, closed) = tokio::io::duplex(1 << 12);
    drop(nobody);
    let serving = tokio::spawn(serve(Arc::new(Fake::default()), theirs, closed));
    ours.write_all(format!("{}\n", initialize()).as_bytes()).await.unwrap();
    // What it ends with is not the point: it could not write who it is.
    let ended = tokio::time::timeout(std::time::Duration::from_secs(60), serving).await;
    let _ = ended.expect("it ends though the client is still there").expect("it does not panic");
}

#[tokio::test]
async fn whoever_leaves_without_a_word_is_no_trouble() {
    let (mut ours, theirs) = tokio::io::duplex(1 << 12);
    serve(Arc::new(Fake::default()), tokio::io::empty(), theirs).await.unwrap();
    let mut written = Vec::new();
    tokio::io::AsyncReadExt::read_to_end(&mut ours, &mut written).await.unwrap();
    assert!(written.is_empty(), "nothing was requested");
}
