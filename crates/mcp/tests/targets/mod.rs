//! Whom the tests ask.

use preface_core::mcp_servers::ContentRequest;
use preface_mcp::{AskLimits, ServerEndpoint, ServerReply, ServerTarget, ask};
use std::{collections::BTreeMap, time::Duration};

/// Asks one server with the usual limits.
pub fn ask_one(target: ServerTarget) -> ServerReply {
    ask(&[target], &AskLimits::default(), &|_| ()).remove(0)
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

/// Asserts that all was heard that a well-behaved fake server has.
pub fn assert_all_received(reply: &ServerReply) {
    let said = reply.result.as_ref().expect("it answers");
    assert_eq!(said.instructions.as_deref(), Some("Be kind to the fake."));
    assert_eq!(said.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["read", "write"]);
    assert_eq!(said.prompts[0].arguments[0].name, "whom");
    assert_eq!(said.resources[0].uri, "fake://notes");
    assert_eq!(said.fetched[0].texts, ["Hello, you."]);
    assert_eq!(said.fetched[1].texts, ["Noted."]);
    assert_eq!(reply.calls_itself.as_deref(), Some("fake 1.0"));
    assert_eq!(reply.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(codes(reply), ["mcp/not-text"], "the picture in the prompt");
}

/// The codes of the notes, in their order.
pub fn codes(reply: &ServerReply) -> Vec<&str> {
    reply.notes.iter().map(|note| note.code.as_str()).collect()
}
