//! The server's protocol half: what a client of either era sees, and what a client that misbehaves does not break.

use preface_core::diagnostic::{Diagnostic, Place};
use preface_mcp::{
    About, Arguments, Done, LONGEST_MESSAGE, Offer, PromptArgument, PromptOffer, Refusal, RefusalKind,
    ResourceOffer, ToolOffer, serve,
};
use rmcp::{
    ClientLifecycleMode, RoleClient, ServiceError, ServiceExt,
    model::{
        CallToolRequestParams, ContentBlock, ErrorCode, GetPromptRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ResourceContents, Role,
    },
    serve_client_with_lifecycle,
    service::RunningService,
};
use serde_json::{Map, Value, json};
use std::sync::{Arc, Condvar, Mutex};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

/// Offers one of each, and tools that misbehave.
#[derive(Default)]
struct Fake {
    /// Calls of `wait` go on once this is true.
    open: Mutex<bool>,
    opened: Condvar,
    notes: Mutex<Vec<String>>,
}

impl Fake {
    fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify_all();
    }
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

impl Offer for Fake {
    fn about(&self) -> About {
        About { name: "fake".into(), version: "1.2.3".into(), instructions: "Try it.".into() }
    }

    fn prompts(&self) -> Vec<PromptOffer> {
        let arguments = vec![PromptArgument { name: "who".into(), about: "Whom to greet".into() }];
        vec![PromptOffer { name: "greet".into(), about: "A greeting.".into(), arguments }]
    }

    fn tools(&self) -> Vec<ToolOffer> {
        ["echo", "panic", "refuse", "wait"]
            .map(|name| ToolOffer {
                name: name.into(),
                title: name.to_uppercase(),
                about: format!("Does {name}."),
                input: object(json!({ "type": "object", "properties": { "text": { "type": "string" } } })),
                output: object(json!({ "type": "object" })),
            })
            .into()
    }

    fn resources(&self) -> Vec<ResourceOffer> {
        vec![ResourceOffer {
            address: "fake://one".into(),
            name: "one".into(),
            about: "The only one.".into(),
            media_type: "text/plain".into(),
        }]
    }

    fn prompt(&self, _: &str, arguments: &Arguments) -> Result<String, Refusal> {
        match arguments.get("who").and_then(Value::as_str) {
            Some("nobody") => Err(Refusal::arguments("nobody to greet", "name somebody")),
            Some("broken") => Err(broken()),
            who => Ok(format!("Hello {}.\n", who.unwrap_or("you"))),
        }
    }

    fn call(&self, tool: &str, arguments: &Arguments) -> Result<Done, Refusal> {
        match tool {
            "panic" => panic!("a panic of a test"),
            "refuse" => return Err(broken()),
            "wait" => {
                let open = self.open.lock().unwrap();
                drop(self.opened.wait_while(open, |open| !*open).unwrap());
            }
            _ => {}
        }
        let text = arguments.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Done { texts: vec![text.clone()], structured: json!({ "text": text }) })
    }

    fn read(&self, address: &str) -> Result<String, Refusal> {
        Ok(format!("this is {address}"))
    }

    fn note(&self, line: &str) {
        self.notes.lock().unwrap().push(line.to_owned());
    }
}

fn broken() -> Refusal {
    let place = Place { line: Some(3), ..Place::file(None, "a.md") };
    let note = Diagnostic::error("fake/broken", "it is broken").at(place).help("mend it");
    Refusal::new(RefusalKind::Failed, note)
}

/// The two ways in which a connection begins.
fn eras() -> [ClientLifecycleMode; 2] {
    let newest = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    [ClientLifecycleMode::Initialize, newest]
}

async fn client(fake: &Arc<Fake>, era: ClientLifecycleMode) -> RunningService<RoleClient, ()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve(fake.clone(), read, write));
    serve_client_with_lifecycle((), ours, era).await.unwrap()
}

fn call(tool: &'static str, text: &str) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(object(json!({ "text": text })))
}

fn text(block: &ContentBlock) -> &str {
    &block.as_text().unwrap().text
}

fn refused<T: std::fmt::Debug>(result: Result<T, ServiceError>) -> (ErrorCode, String, Option<Value>) {
    match result {
        Err(ServiceError::McpError(error)) => (error.code, error.message.into_owned(), error.data),
        other => panic!("not refused by the server: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_either_era_lists_and_gets_everything() {
    for era in eras() {
        let client = client(&Arc::new(Fake::default()), era.clone()).await;
        let peer = client.peer_info().unwrap();
        assert_eq!(peer.instructions.as_deref(), Some("Try it."), "{era:?}");
        let named = peer.server_info.as_ref().unwrap();
        assert_eq!((named.name.as_str(), named.version.as_str()), ("fake", "1.2.3"));

        let prompts = client.list_all_prompts().await.unwrap();
        assert_eq!(prompts.len(), 1);
        assert_eq!(
            (prompts[0].name.as_str(), prompts[0].description.as_deref()),
            ("greet", Some("A greeting."))
        );
        let argument = &prompts[0].arguments.as_ref().unwrap()[0];
        assert_eq!((argument.name.as_str(), argument.required), ("who", Some(false)));
        let asked = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "Ada" })));
        let got = client.get_prompt(asked).await.unwrap();
        assert_eq!(got.messages.len(), 1);
        assert_eq!(got.messages[0].role, Role::User);
        assert_eq!(text(&got.messages[0].content), "Hello Ada.\n", "byte for byte");

        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["echo", "panic", "refuse", "wait"]);
        let says = tools[0].annotations.as_ref().unwrap();
        assert_eq!((says.read_only_hint, says.destructive_hint), (Some(true), Some(false)));
        assert_eq!((says.idempotent_hint, says.open_world_hint), (Some(true), Some(false)));
        let done = client.call_tool(call("echo", "a\u{0}b")).await.unwrap();
        assert_eq!(text(&done.content[0]), "a\u{0}b");
        assert_eq!(done.structured_content, Some(json!({ "text": "a\u{0}b" })));
        assert_eq!(done.is_error, Some(false));

        let resources = client.list_all_resources().await.unwrap();
        assert_eq!(resources[0].uri, "fake://one");
        let read = client.read_resource(ReadResourceRequestParams::new("fake://one")).await.unwrap();
        match &read.contents[0] {
            ResourceContents::TextResourceContents { text, mime_type, .. } => {
                assert_eq!((text.as_str(), mime_type.as_deref()), ("this is fake://one", Some("text/plain")));
            }
            other => panic!("{other:?}"),
        }
        client.cancel().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_said_where_the_caller_sees_it() {
    for era in eras() {
        let client = client(&Arc::new(Fake::default()), era).await;
        let (code, said, _) = refused(client.get_prompt(GetPromptRequestParams::new("gret")).await);
        assert_eq!(
            (code, said.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown prompt: `gret`\nhint: did you mean `greet`?")
        );
        let asked = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "whom": "Ada" })));
        let (code, said, _) = refused(client.get_prompt(asked).await);
        assert_eq!(
            (code, said.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown argument: `whom`\nhint: did you mean `who`?")
        );
        let asked = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "nobody" })));
        assert_eq!(refused(client.get_prompt(asked).await).0, ErrorCode::INVALID_PARAMS);
        let asked = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "broken" })));
        let (code, said, data) = refused(client.get_prompt(asked).await);
        assert_eq!(
            (code, said.as_str()),
            (ErrorCode::INTERNAL_ERROR, "it is broken (a.md:3)\nhint: mend it")
        );
        let expected = json!({ "code": "fake/broken", "file": "a.md", "line": 3, "remedy": "mend it" });
        assert_eq!(data, Some(expected));

        let (code, said, _) = refused(client.call_tool(call("ecko", "")).await);
        assert_eq!(
            (code, said.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown tool: `ecko`\nhint: did you mean `echo`?")
        );
        let wrong = CallToolRequestParams::new("echo").with_arguments(object(json!({ "txt": 1 })));
        for (asked, says) in [
            (wrong, "unknown argument: `txt`\nhint: did you mean `text`?"),
            (call("refuse", ""), "it is broken (a.md:3)\nhint: mend it"),
        ] {
            let done = client.call_tool(asked).await.unwrap();
            assert_eq!((done.is_error, text(&done.content[0])), (Some(true), says), "for the model to read");
        }
        let (_, said, _) = refused(client.read_resource(ReadResourceRequestParams::new("fake://two")).await);
        assert_eq!(said, "unknown resource: `fake://two`\nhint: did you mean `fake://one`?");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_ends_one_call_and_nothing_else() {
    let fake = Arc::new(Fake::default());
    let client = client(&fake, ClientLifecycleMode::Initialize).await;
    let (code, said, _) = refused(client.call_tool(call("panic", "")).await);
    assert_eq!((code, said.as_str()), (ErrorCode::INTERNAL_ERROR, "a mistake of this server ended the call"));
    assert_eq!(text(&client.call_tool(call("echo", "still here")).await.unwrap().content[0]), "still here");
    let notes = fake.notes.lock().unwrap();
    assert!(notes.contains(&"tool panic: a mistake of this server ended it".to_owned()), "{notes:?}");
}

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
        self.say(&initialize().to_string()).await;
        assert_eq!(self.hear().await["id"], json!("first"));
        self.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    }

    async fn say(&mut self, line: &str) {
        self.write.write_all(line.as_bytes()).await.unwrap();
        self.write.write_all(b"\n").await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.read.next_line().await.unwrap().expect("the server still talks")).unwrap()
    }

    async fn asks(&mut self, id: usize, method: &str, params: Value) {
        let asked = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.say(&asked.to_string()).await;
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
        raw.say(line).await;
        let said = raw.hear().await;
        assert_eq!((&said["error"]["code"], &said["id"]), (&json!(code), &id), "{line}");
    }
    raw.write.write_all(b"\r\n\n  \n{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\"}\r\n").await.unwrap();
    assert_eq!(raw.hear().await, json!({ "jsonrpc": "2.0", "id": 8, "result": {} }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_is_too_long_is_refused_and_the_next_one_is_read() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    let frame = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":""}}"#;
    let fits = frame.replace(r#""""#, &format!("{:?}", "y".repeat(LONGEST_MESSAGE - frame.len())));
    assert_eq!(fits.len(), LONGEST_MESSAGE);
    raw.say(&fits).await;
    assert_eq!(raw.hear().await["id"], json!(1), "the longest that is read");
    raw.say(&format!("{fits} ")).await;
    let said = raw.hear().await;
    assert_eq!(said["error"]["code"], json!(-32600));
    assert_eq!(said["error"]["message"], json!("a message has at most 4194304 bytes, and this one has more"));
    raw.asks(2, "ping", json!({})).await;
    assert_eq!(raw.hear().await["id"], json!(2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_before_the_beginning_is_passed_over() {
    let mut raw = Raw::new(&Arc::new(Fake::default()));
    raw.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    raw.say(r#"{"jsonrpc":"2.0","id":3,"result":{}}"#).await;
    raw.say("nonsense").await;
    assert_eq!(raw.hear().await["error"]["code"], json!(-32700));
    raw.asks(4, "tools/list", json!({})).await;
    assert_eq!(raw.hear().await["error"]["code"], json!(-32602), "neither era began");
    raw.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}"#).await;
    raw.begin().await;
    raw.asks(5, "tools/list", json!({})).await;
    assert_eq!(raw.hear().await["result"]["tools"].as_array().unwrap().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_of_another_shape_and_unknown_methods_are_named() {
    let mut raw = Raw::begun(&Arc::new(Fake::default())).await;
    for (method, params, code, says) in [
        ("tools/call", json!({ "name": 5 }), -32602, "the parameters of `tools/call` have another shape"),
        ("prompts/get", json!({}), -32602, "the parameters of `prompts/get` have another shape"),
        ("prompts/get", json!([1]), -32600, "not a message of JSON-RPC 2.0, alone on its line"),
        ("tools/list", json!({ "cursor": "2" }), -32602, "there is one page, and it needs no cursor"),
        ("tools/drop", json!({}), -32601, "unknown method: `tools/drop`"),
    ] {
        raw.asks(1, method, params).await;
        let said = raw.hear().await;
        assert_eq!((&said["error"]["code"], &said["error"]["message"]), (&json!(code), &json!(says)));
    }
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
    let mut heard = Vec::new();
    for _ in 0..MANY {
        let said: Value = serde_json::from_str(&read.next_line().await.unwrap().unwrap()).unwrap();
        heard.push(said["id"].as_u64().unwrap());
    }
    heard.sort_unstable();
    assert!(heard.into_iter().eq(0..MANY as u64), "each once");
    drop(writing.await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_asks_for_too_much_at_once_is_told_so() {
    let fake = Arc::new(Fake::default());
    let mut raw = Raw::begun(&fake).await;
    for id in 0..40 {
        raw.asks(id, "tools/call", json!({ "name": "wait", "arguments": { "text": "x" } })).await;
    }
    for _ in 0..8 {
        let said = raw.hear().await;
        assert_eq!(said["error"]["message"], json!("too many calls at once: 32 are not answered yet"));
    }
    fake.open();
    for _ in 0..32 {
        assert_eq!(raw.hear().await["result"]["structuredContent"], json!({ "text": "x" }));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_ends_with_the_stream_and_answers_what_was_asked_before() {
    for last in ["\n", ""] {
        let fake = Arc::new(Fake::default());
        let asked = json!({ "jsonrpc": "2.0", "id": 9, "method": "tools/call",
            "params": { "name": "echo", "arguments": { "text": "last" } } });
        let input = format!("{}\nnonsense\n{asked}{last}", initialize());
        let (mut ours, theirs) = tokio::io::duplex(1 << 16);
        serve(fake, std::io::Cursor::new(input.into_bytes()), theirs).await.unwrap();
        let mut said = String::new();
        tokio::io::AsyncReadExt::read_to_string(&mut ours, &mut said).await.unwrap();
        let mut ids: Vec<Value> =
            said.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].take()).collect();
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
    // It could not say who it is: what it ends with is not the point.
    let _ = serving.await.unwrap();
}

#[tokio::test]
async fn whoever_leaves_without_a_word_is_no_trouble() {
    serve(Arc::new(Fake::default()), tokio::io::empty(), tokio::io::sink()).await.unwrap();
}

/// `ServiceExt` is what clients usually begin with.
#[tokio::test(flavor = "multi_thread")]
async fn the_usual_client_gets_in() {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    tokio::spawn(serve(Arc::new(Fake::default()), read, write));
    let client = ().serve(ours).await.unwrap();
    assert_eq!(client.list_all_prompts().await.unwrap().len(), 1);
}
