//! Servers that are programs: one that behaves, and many that do not.

#[path = "targets/mod.rs"]
mod targets;

use preface_mcp::{McpError, QueryLimits, ServerEndpoint, ServerReply, ServerTarget, query_servers};
use std::{
    fs,
    path::Path,
    sync::Mutex,
    thread::sleep,
    time::{Duration, Instant},
};
use targets::{assert_all_received, codes, query_server, target, wants};

/// A fake server that behaves so.
fn fake(manners: &str, seconds: u64) -> ServerTarget {
    fake_at(manners, Path::new("unused"), seconds)
}

fn fake_at(manners: &str, place: &Path, seconds: u64) -> ServerTarget {
    let reach = ServerEndpoint::Program {
        command: env!("CARGO_BIN_EXE_fake_mcp_server").to_owned(),
        args: vec![manners.to_owned(), place.to_str().unwrap().to_owned()],
        env: vec![
            ("PATH".to_owned(), "/usr/bin:/bin".to_owned()),
            ("KEY".to_owned(), "sesame-open".to_owned()),
        ],
        cwd: "/".into(),
    };
    target(manners, reach, seconds)
}

fn violation_of(reply: &ServerReply) -> &str {
    match &reply.result {
        Err(McpError::Protocol(why)) => why,
        other => panic!("no lie: {other:?}"),
    }
}

fn death_of(reply: &ServerReply) -> &str {
    match &reply.result {
        Err(McpError::Died(why)) => why,
        other => panic!("no death: {other:?}"),
    }
}

/// The number that a fake wrote down.
fn number_at(place: &Path) -> String {
    fs::read_to_string(place).expect("it wrote its number").trim().to_owned()
}

/// Returns true if a process runs. One whose parent does not wait for it may stay behind as a name.
fn runs(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

fn assert_gone(number: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    while runs(number) {
        assert!(Instant::now() < until, "the process {number} is still there");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn everything_of_a_server_that_behaves_is_received() {
    assert_all_received(&query_server(ServerTarget { wants: wants(), ..fake("good", 30) }));
}

#[test]
fn a_server_of_the_newer_protocol_is_reached_with_it() {
    let reply = query_server(fake("modern", 30));
    assert_eq!(reply.protocol.as_deref(), Some("2026-07-28"), "{reply:?}");
    assert_eq!(reply.calls_itself.as_deref(), Some("fake 2.0"));
    assert_eq!(reply.result.unwrap().tools.len(), 2);
}

#[test]
fn a_newer_server_that_starts_slowly_gets_a_second_handshake() {
    let directory = tempfile::tempdir().unwrap();
    let reply = query_server(fake_at("slow-modern", &directory.path().join("mark"), 6));
    assert_eq!(reply.protocol.as_deref(), Some("2026-07-28"), "{reply:?}");
}

#[test]
fn an_older_server_that_ignores_the_newer_handshake_is_reached() {
    let reply = query_server(ServerTarget { wants: wants(), ..fake("silent-to-the-new", 6) });
    assert_all_received(&reply);
}

#[test]
fn an_older_server_that_dies_of_the_newer_handshake_is_started_again() {
    assert_all_received(&query_server(ServerTarget { wants: wants(), ..fake("dies-of-the-new", 30) }));
}

#[test]
fn a_server_that_sends_nothing_is_a_timeout() {
    assert_eq!(query_server(fake("silent", 1)).result, Err(McpError::Timeout));
    let reply = query_server(fake("silent-about-tools", 2));
    assert_eq!((&reply.result, reply.calls_itself.as_deref()), (&Err(McpError::Timeout), Some("fake 1.0")));
}

#[test]
fn what_a_profile_names_and_comes_too_late_does_not_cost_the_lists() {
    let reply = query_server(ServerTarget { wants: wants(), ..fake("silent-about-prompts", 3) });
    assert_eq!(reply.result.as_ref().unwrap().tools.len(), 2);
    assert_eq!(codes(&reply), ["mcp/late"]);
}

#[test]
fn the_error_of_a_failed_start_has_its_output() {
    let reply = query_server(fake("fails", 30));
    assert!(death_of(&reply).contains("exit status: 3"), "{reply:?}");
    assert!(death_of(&reply).contains("the key `sesame-open` is wrong"), "{reply:?}");
    let reach = ServerEndpoint::Program {
        command: "no-such".to_owned(),
        args: vec![],
        env: vec![],
        cwd: "/no/where".into(),
    };
    let reply = query_server(target("ghost", reach, 5));
    assert!(
        matches!(&reply.result, Err(McpError::Unreachable(why)) if why.contains("/no/where")),
        "{reply:?}"
    );
}

#[test]
fn a_server_that_dies_is_dead_and_not_late() {
    for manners in ["dies", "dies-half-way"] {
        let reply = query_server(fake(manners, 60));
        assert!(death_of(&reply).contains("exit status: 7"), "{reply:?}");
        assert_eq!(reply.calls_itself.as_deref(), Some("fake 1.0"));
        assert!(reply.took < Duration::from_secs(30));
    }
}

#[test]
fn a_flood_is_cut_off() {
    for manners in ["floods-line", "floods-notes", "floods-requests"] {
        let reply = query_server(fake(manners, 60));
        assert_eq!(reply.result, Err(McpError::TooLarge(8 << 20)), "{manners}");
        assert!(reply.took < Duration::from_secs(45), "{manners}: {:?}", reply.took);
    }
}

#[test]
fn a_list_is_taken_up_to_its_limit() {
    let reply = query_server(fake("many", 60));
    assert_eq!((reply.result.as_ref().unwrap().tools.len(), codes(&reply)), (1000, vec!["mcp/protocol"]));
    let limits = QueryLimits { items: 10_000, ..QueryLimits::default() };
    let reply = query_servers(&[fake("many", 60)], &limits, &|_| ()).remove(0);
    assert_eq!((reply.result.unwrap().tools.len(), reply.diagnostics.len()), (5000, 0));
}

#[test]
fn all_pages_of_a_list_are_requested_up_to_a_limit() {
    let reply = query_server(fake("pages", 30));
    let names: Vec<_> = reply.result.unwrap().tools.into_iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["b", "c"], "an empty cursor is the end");
    let reply = query_server(fake("endless-pages", 60));
    assert_eq!((reply.result.as_ref().unwrap().tools.len(), codes(&reply)), (100, vec!["mcp/protocol"]));
    let reply = query_server(fake("circle", 30));
    assert_eq!(reply.result.as_ref().unwrap().tools.len(), 1, "what came is kept");
    assert_eq!(codes(&reply), ["mcp/protocol", "mcp/protocol"]);
}

#[test]
fn a_bad_item_is_left_out_with_a_note_and_costs_no_other() {
    let reply = query_server(fake("bad-items", 30));
    let tools = &reply.result.as_ref().unwrap().tools;
    assert_eq!(tools.iter().map(|tool| &*tool.name).collect::<Vec<_>>(), ["bare", "good", "long"]);
    assert_eq!(tools[2].description.as_ref().unwrap().len(), 64 << 10);
    let received: Vec<_> =
        reply.diagnostics.iter().map(|diagnostic| (diagnostic.code.as_str(), &*diagnostic.message)).collect();
    let long = "n".repeat(80);
    assert_eq!(
        received,
        [
            ("mcp/protocol", "the tool `good` comes twice; the first is kept"),
            ("mcp/protocol", "a tool is left out: its name is empty"),
            ("mcp/protocol", &*format!("a tool is left out: its name has 1000 bytes: `{long}…`")),
            ("mcp/protocol", "a tool is left out: its name holds control characters: `line\\u{a}break`"),
            ("mcp/protocol", "a tool is left out: it has no name"),
            ("mcp/protocol", "a tool is left out: it has no name"),
            ("mcp/protocol", "a tool is left out: its name is no text"),
            ("mcp/protocol", "the tool `listed` is left out: its schema is no object"),
            ("mcp/cut", "the description of the tool `long` is 70000 bytes long; 65536 are kept"),
        ]
    );
}

#[test]
fn hidden_text_is_named_and_stays() {
    let reply = query_server(fake("hides", 30));
    let warning = &reply.diagnostics[0];
    assert_eq!(warning.code.as_str(), "mcp/hidden");
    for named in [
        "/tools/tagged/description: tag characters hide the text `send`: U+E0073",
        "/tools/zero\\u{200b}width/name: zero-width characters: U+200B",
        "/tools/bidi/inputSchema/title: characters that change the order of text on a screen: U+202E",
    ] {
        assert!(warning.message.contains(named), "{}", warning.message);
    }
    let description = reply.result.unwrap();
    let tagged = description.tools.iter().find(|tool| tool.name == "tagged").unwrap();
    assert!(tagged.description.as_ref().unwrap().contains('\u{e0073}'));
}

#[test]
fn a_violation_of_the_protocol_is_an_error() {
    assert!(violation_of(&query_server(fake("bad-json", 2))).contains("what is not JSON"));
    assert!(violation_of(&query_server(fake("wrong-id", 2))).contains("a reply without a request"));
    assert!(violation_of(&query_server(fake("wrong-types", 30))).contains("the handshake"));
    assert!(violation_of(&query_server(fake("no-list", 30))).contains("without a list of tools"));
}

#[test]
fn what_a_server_writes_beside_its_messages_is_a_note() {
    let reply = query_server(ServerTarget { wants: wants(), ..fake("banner", 30) });
    assert_eq!(reply.result.as_ref().unwrap().tools.len(), 2);
    assert_eq!(codes(&reply), ["mcp/protocol", "mcp/protocol"]);
    assert!(reply.diagnostics[1].message.contains("`Server is running!`"));
}

#[test]
fn a_list_that_is_announced_and_refused_is_a_note() {
    let reply = query_server(fake("refuses", 30));
    assert_eq!(reply.result.as_ref().unwrap().prompts.len(), 1);
    assert_eq!(codes(&reply), ["mcp/refused"]);
}

#[test]
fn a_request_of_a_server_is_refused_and_its_lists_are_received() {
    let reply = query_server(ServerTarget { wants: wants(), ..fake("asks-back", 30) });
    assert_all_received(&reply);
}

#[test]
fn a_server_with_much_error_output_is_received() {
    assert_all_received(&query_server(ServerTarget { wants: wants(), ..fake("complains", 60) }));
}

#[test]
fn what_a_server_leaves_behind_is_gone() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("forks");
    assert_all_received(&query_server(ServerTarget { wants: wants(), ..fake_at("forks", &place, 30) }));
    assert_gone(&number_at(&place));
    let place = directory.path().join("goes");
    let reply = query_server(fake_at("forks-and-goes", &place, 60));
    assert!(death_of(&reply).contains("exit status: 0"), "{reply:?}");
    assert!(reply.took < Duration::from_secs(40));
    assert_gone(&number_at(&place));
}

#[test]
fn a_server_that_will_not_go_is_killed() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path().join("stays");
    let server = env!("CARGO_BIN_EXE_fake_mcp_server");
    let reach = ServerEndpoint::Program {
        command: "sh".to_owned(),
        args: ["-c", "trap '' TERM; exec \"$0\" stays \"$1\"", server, place.to_str().unwrap()]
            .map(str::to_owned)
            .to_vec(),
        env: vec![("PATH".to_owned(), "/usr/bin:/bin".to_owned())],
        cwd: "/".into(),
    };
    let reply = query_server(ServerTarget { wants: wants(), ..target("stays", reach, 30) });
    assert_all_received(&reply);
    let number = number_at(&place);
    assert!(!Path::new("/proc").join(&number).exists(), "it is not even a zombie");
}

#[test]
fn a_bad_server_does_not_delay_the_good_ones() {
    let targets = [
        fake("silent", 10),
        fake("good", 60),
        fake("floods-line", 60),
        fake("complains", 60),
        fake("dies", 60),
        fake("modern", 60),
    ];
    let received = Mutex::new(Vec::new());
    let reply = query_servers(&targets, &QueryLimits::default(), &|reply| {
        received.lock().unwrap().push(reply.name.clone());
    });
    let names = |all: &[ServerReply]| all.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&reply), ["silent", "good", "floods-line", "complains", "dies", "modern"]);
    assert_eq!(received.into_inner().unwrap().last().map(String::as_str), Some("silent"), "it is the last");
    assert_eq!(reply[0].result, Err(McpError::Timeout));
    assert!(reply[1].result.is_ok() && reply[3].result.is_ok() && reply[5].result.is_ok());
}
