//! No bytes of an MCP server make the client panic, hang, or keep more than its limits.
//!
//! Each line answers one request; `$ID` in it is the id of the request. A server that does not answer in time is not tried:
//! it closes after the last line.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_mcp::{McpError, QueryLimits, replay};
use std::time::Duration;

fuzz_target!(|data: &[u8]| {
    let limits = QueryLimits { bytes: 32 << 10, items: 20, fetched: 1 << 10, ..QueryLimits::default() };
    let reply = replay(data, &limits).expect("there is a runtime");
    assert!(reply.took < Duration::from_secs(5), "it ends");
    for note in &reply.diagnostics {
        assert!(note.help.is_some(), "each note has a remedy: {note:?}");
        assert!(note.message.len() < 8 << 10, "no note is long: {}", note.message.len());
        let shown = note.message.chars().all(|c| !c.is_control());
        assert!(shown, "nothing in a note moves the screen: {:?}", note.message);
    }
    match &reply.result {
        Ok(description) => {
            for items in [description.tools.len(), description.prompts.len(), description.resources.len()] {
                assert!(items <= limits.items, "{items} items");
            }
            assert!(description.tools.is_sorted_by(|a, b| a.name < b.name), "sorted, and each name once");
            assert!(description.tools.iter().all(|tool| !tool.name.trim().is_empty()));
            let fetched: usize = description.fetched.iter().flat_map(|it| &it.texts).map(String::len).sum();
            assert!(fetched <= 2 * limits.fetched, "{fetched} bytes");
            let again = serde_json::to_vec(description).expect("it is JSON");
            let again = serde_json::from_slice(&again).expect("it is read again");
            assert_eq!(description, &again, "what is recorded is read again");
        }
        Err(McpError::Protocol(why) | McpError::Died(why) | McpError::Unreachable(why)) => {
            assert!(why.len() < 8 << 10 && why.chars().all(|c| !c.is_control()), "{why:?}");
        }
        Err(McpError::Timeout | McpError::TooLarge(_)) => {}
        Err(McpError::Stopped) => unreachable!("nobody stops it"),
    }
});
