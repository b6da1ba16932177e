//! The targets of the tests.

use preface_core::mcp_servers::ContentRequest;
use preface_mcp::{QueryLimits, ServerEndpoint, ServerReply, ServerTarget, query_servers};
use std::{collections::BTreeMap, time::Duration};

/// Queries one server with the usual limits.
pub fn query_server(target: ServerTarget) -> ServerReply {
    query_servers(&[target], &QueryLimits::default(), &|_| ()).remove(0)
}

/// A target that is reached so and has so many seconds.
pub fn target(name: &str, reach: ServerEndpoint, seconds: u64) -> ServerTarget {
    ServerTarget { name: name.to_owned(), reach, deadline: Duration::from_secs(seconds), wants: Vec::new() }
}

/// The prompt and the resource that a fake server has.
pub fn wants() -> Vec<ContentRequest> {
    vec![
        ContentRequest::Prompt {
            name: "greet".to_owned(),
            arguments: BTreeMap::from([("whom".to_owned(), "you".to_owned())]),
        },
        ContentRequest::Resource { uri: "fake://notes".to_owned() },
    ]
}

/// Asserts that everything of a well-behaved fake server was received.
pub fn assert_all_received(reply: &ServerReply) {
    let description = reply.result.as_ref().expect("it answers");
    assert_eq!(description.instructions.as_deref(), Some("Be kind to the fake."));
    assert_eq!(description.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["read", "write"]);
    assert_eq!(description.prompts[0].arguments[0].name, "whom");
    assert_eq!(description.resources[0].uri, "fake://notes");
    assert_eq!(description.fetched[0].texts, ["Hello, you."]);
    assert_eq!(description.fetched[1].texts, ["Noted."]);
    assert_eq!(reply.calls_itself.as_deref(), Some("fake 1.0"));
    assert_eq!(reply.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(codes(reply), ["mcp/protocol"], "the picture in the prompt");
}

/// The codes of the diagnostics, in their order.
pub fn codes(reply: &ServerReply) -> Vec<&str> {
    reply.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}
