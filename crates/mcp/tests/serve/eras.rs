//! A client that behaves, in both ways in which a connection begins.

use crate::fake::{Fake, object};
use preface_mcp::serve;
use rmcp::{
    ClientLifecycleMode, RoleClient, ServiceError, ServiceExt,
    model::{
        CallToolRequestParams, ContentBlock, ErrorCode, GetPromptRequestParams, ProtocolVersion,
        ReadResourceRequestParams, ResourceContents, Role,
    },
    serve_client_with_lifecycle,
    service::RunningService,
};
use serde_json::{Value, json};
use std::sync::Arc;

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
        let params = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "Ada" })));
        let got = client.get_prompt(params).await.unwrap();
        assert_eq!(got.messages.len(), 1);
        assert_eq!(got.messages[0].role, Role::User);
        assert_eq!(text(&got.messages[0].content), "Hello Ada.\n", "byte for byte");

        let tools = client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["echo", "panic", "refuse", "wait"]);
        let annotations = tools[0].annotations.as_ref().unwrap();
        assert_eq!((annotations.read_only_hint, annotations.destructive_hint), (Some(true), Some(false)));
        assert_eq!((annotations.idempotent_hint, annotations.open_world_hint), (Some(true), Some(false)));
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
async fn errors_are_where_the_caller_sees_them() {
    for era in eras() {
        let client = client(&Arc::new(Fake::default()), era).await;
        let (code, message, _) = refused(client.get_prompt(GetPromptRequestParams::new("gret")).await);
        assert_eq!(
            (code, message.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown prompt: `gret`\nhelp: did you mean `greet`?")
        );
        let params = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "whom": "Ada" })));
        let (code, message, _) = refused(client.get_prompt(params).await);
        assert_eq!(
            (code, message.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown argument: `whom`\nhelp: did you mean `who`?")
        );
        let params = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "nobody" })));
        assert_eq!(refused(client.get_prompt(params).await).0, ErrorCode::INVALID_PARAMS);
        let params = GetPromptRequestParams::new("greet").with_arguments(object(json!({ "who": "broken" })));
        let (code, message, data) = refused(client.get_prompt(params).await);
        assert_eq!(
            (code, message.as_str()),
            (ErrorCode::INTERNAL_ERROR, "it is broken (a.md:3)\nhelp: mend it")
        );
        let expected = json!({ "code": "profile/invalid", "file": "a.md", "line": 3, "remedy": "mend it" });
        assert_eq!(data, Some(expected));

        let (code, message, _) = refused(client.call_tool(call("ecko", "")).await);
        assert_eq!(
            (code, message.as_str()),
            (ErrorCode::INVALID_PARAMS, "unknown tool: `ecko`\nhelp: did you mean `echo`?")
        );
        let wrong = CallToolRequestParams::new("echo").with_arguments(object(json!({ "txt": 1 })));
        for (params, expected) in [
            (wrong, "unknown argument: `txt`\nhelp: did you mean `text`?"),
            (call("refuse", ""), "it is broken (a.md:3)\nhelp: mend it"),
        ] {
            let done = client.call_tool(params).await.unwrap();
            assert_eq!(
                (done.is_error, text(&done.content[0])),
                (Some(true), expected),
                "for the model to read"
            );
        }
        let (_, message, _) =
            refused(client.read_resource(ReadResourceRequestParams::new("fake://two")).await);
        assert_eq!(message, "unknown resource: `fake://two`\nhelp: did you mean `fake://one`?");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_ends_one_call_and_nothing_else() {
    let fake = Arc::new(Fake::default());
    let client = client(&fake, ClientLifecycleMode::Initialize).await;
    let (code, message, _) = refused(client.call_tool(call("panic", "")).await);
    assert_eq!(
        (code, message.as_str()),
        (ErrorCode::INTERNAL_ERROR, "a mistake of this server ended the call")
    );
    assert_eq!(text(&client.call_tool(call("echo", "still here")).await.unwrap().content[0]), "still here");
    let diagnostics = fake.diagnostics.lock().unwrap();
    assert!(
        diagnostics.contains(&"tool panic: a mistake of this server ended it".to_owned()),
        "{diagnostics:?}"
    );
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
