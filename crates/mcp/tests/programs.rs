//! Servers that are programs: one that behaves, and many that do not.

use preface_core::mcp_servers::Want;
use preface_mcp::{Heard, Limits, Reach, Target, Trouble, ask};
use std::{collections::BTreeMap, time::Duration};

/// A fake server that behaves so.
fn fake(manners: &str, seconds: u64) -> Target {
    let reach = Reach::Program {
        command: env!("CARGO_BIN_EXE_fake_mcp_server").to_owned(),
        args: vec![manners.to_owned()],
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        cwd: "/".into(),
    };
    Target { name: manners.to_owned(), reach, deadline: Duration::from_secs(seconds), wants: Vec::new() }
}

fn ask_one(target: Target) -> Heard {
    ask(&[target], &Limits::default(), &|_| ()).remove(0)
}

#[test]
fn a_server_that_behaves_says_all_it_has() {
    let wants = vec![
        Want::Prompt {
            name: "greet".to_owned(),
            arguments: BTreeMap::from([("whom".to_owned(), "you".to_owned())]),
        },
        Want::Resource { uri: "fake://notes".to_owned() },
    ];
    let heard = ask_one(Target { wants, ..fake("good", 20) });
    let said = heard.said.expect("it answers");
    assert_eq!(said.instructions.as_deref(), Some("Be kind to the fake."));
    assert_eq!(said.tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["read", "write"]);
    assert_eq!(said.prompts[0].arguments[0].name, "whom");
    assert_eq!(said.resources[0].uri, "fake://notes");
    assert_eq!(said.fetched[0].texts, ["Hello, \"you\"."]);
    assert_eq!(said.fetched[1].texts, ["Noted."]);
    assert_eq!(heard.calls_itself.as_deref(), Some("fake 1.0"));
    assert_eq!(heard.protocol.as_deref(), Some("2025-11-25"));
    assert_eq!(heard.notes.iter().map(|note| &*note.code).collect::<Vec<_>>(), ["mcp/not-text"]);
}

#[test]
fn a_server_of_the_newer_protocol_is_spoken_to_in_its_way() {
    let heard = ask_one(fake("modern", 20));
    assert_eq!(heard.protocol.as_deref(), Some("2026-07-28"), "{heard:?}");
    assert_eq!(heard.said.expect("it answers").tools.len(), 2);
}

#[test]
fn a_server_that_says_nothing_is_late() {
    assert_eq!(ask_one(fake("silent", 1)).said, Err(Trouble::Late));
}
