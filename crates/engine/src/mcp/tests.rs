//! Queries on a machine in memory, with a query function that only returns fixed replies.

use super::{QueryOptions, ServerState};
use crate::{ASSETS, BuildOptions, Conversation, Engine, TrustChoice};
use preface_core::{
    diagnostic::Diagnostic,
    mcp_servers::{ContentRequest, ServerDescription},
};
use preface_host::system::testing::MemorySystem;
use preface_mcp::{McpError, ServerEndpoint, ServerReply, ServerTarget};
use serde_json::json;
use std::{path::Path, sync::Mutex, time::Duration};

const RECORDING: &str = "/home/user/.local/state/preface/mcp";

fn machine() -> MemorySystem {
    let servers = json!({
        "git": {"command": "git-mcp", "args": ["--now"], "env": {"TOKEN": "${MY_TOKEN}", "MODE": "${MODE:-plain}"}},
        "web": {"url": "https://web.example/mcp?key=query-secret", "headers": {"Authorization": "Bearer ${MY_TOKEN}"}},
    });
    MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_file("/usr/bin/git-mcp", "")
        .with_mode("/usr/bin/git-mcp", 0o755)
        .with_var("PATH", "/work/bin:relative:/usr/bin")
        .with_var("MY_TOKEN", "hush-hush-hush")
        .with_var("AWS_KEY", "never")
        .with_file("/home/user/.claude/mcp.json", servers.to_string())
}

fn request() -> BuildOptions {
    BuildOptions { preset: Some("claude-code".into()), ..BuildOptions::in_dir("/work") }
}

fn described() -> ServerDescription {
    let result =
        json!({"instructions": "Your token is hush-hush-hush.", "tools": [{"name": "b"}, {"name": "a"}]});
    let mut described: ServerDescription = serde_json::from_value(result).expect("a description");
    described.settle();
    described
}

fn reply(target: &ServerTarget, result: Result<ServerDescription, McpError>) -> ServerReply {
    let is_empty = result.as_ref().is_ok_and(|result| result.tools.is_empty());
    ServerReply {
        name: target.name.clone(),
        took: Duration::from_millis(5),
        calls_itself: Some("fake 1".into()),
        protocol: Some("2025-06-18".into()),
        result,
        refused: if is_empty { vec!["tools"] } else { Vec::new() },
        diagnostics: if is_empty { vec![refused()] } else { Vec::new() },
    }
}

/// A diagnostic as the MCP client makes it.
fn refused() -> Diagnostic {
    Diagnostic::warning(
        preface_core::diagnostic::DiagnosticCode::McpRefused,
        "it announces tools and does not list them: busy",
    )
}

/// Queries all servers; returns the answers and the targets.
fn ask(
    system: &MemorySystem,
    result: &Result<ServerDescription, McpError>,
) -> (super::ServerAnswers, Vec<ServerTarget>) {
    let seen = Mutex::new(Vec::new());
    let talk = |targets: &[ServerTarget], on_reply: &(dyn Fn(&ServerReply) + Sync)| {
        seen.lock().expect("nobody panicked").extend(targets.iter().cloned());
        let all: Vec<ServerReply> = targets.iter().map(|target| reply(target, result.clone())).collect();
        all.iter().for_each(on_reply);
        all
    };
    let answers = Engine::new(system)
        .query_servers_with(&talk, &request(), &QueryOptions::default(), &|_| {})
        .expect("answers");
    (answers, seen.into_inner().expect("nobody panicked"))
}

#[test]
fn a_server_gets_what_its_entry_says_and_little_else() {
    let (answers, targets) = ask(&machine(), &Ok(described()));
    assert!(answers.all_well(), "{answers:?}");
    let ServerEndpoint::Program { command, args, env, cwd } = &targets[0].reach else { panic!("a program") };
    assert_eq!((command.as_str(), args.as_slice()), ("/usr/bin/git-mcp", &["--now".to_owned()][..]));
    assert_eq!(cwd, Path::new("/home/user"), "whatever is worked on has no say");
    let env: Vec<String> = env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(env, ["MODE=plain", "PATH=/usr/bin", "PREFACE_PROJECT_DIR=/work", "TOKEN=hush-hush-hush"]);
    let ServerEndpoint::Address { url, headers } = &targets[1].reach else { panic!("an address") };
    assert_eq!(url, "https://web.example/mcp?key=query-secret");
    assert_eq!(headers, &[("Authorization".to_owned(), "Bearer hush-hush-hush".to_owned())]);
}

/// A name means the next program of the user's; a path means itself, wherever it leads.
#[test]
fn a_users_server_is_not_found_in_the_project_by_its_name() {
    let inside = "/work/bin/git-mcp";
    let system = machine().with_file(inside, "").with_mode(inside, 0o755);
    let command = |system: &MemorySystem| {
        let (answers, targets) = ask(system, &Ok(described()));
        let ServerEndpoint::Program { command, env, .. } = &targets[0].reach else { panic!("a program") };
        let path = env.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.clone());
        let codes: Vec<String> =
            answers.servers[0].diagnostics.iter().map(|diagnostic| diagnostic.code.to_string()).collect();
        (command.clone(), path.unwrap_or_default(), codes.contains(&"program/inside-project".to_owned()))
    };
    assert_eq!(command(&system), ("/usr/bin/git-mcp".into(), "/usr/bin".into(), true));
    let put = |entry: serde_json::Value| {
        system.put_file("/home/user/.claude/mcp.json", json!({"git": entry}).to_string());
    };
    put(json!({"command": "git-mcp", "env": {"PATH": "/opt/bin:${PATH}"}}));
    assert_eq!(command(&system), ("/usr/bin/git-mcp".into(), "/opt/bin:/usr/bin".into(), true));
    put(json!({"command": inside}));
    assert_eq!(command(&system), (inside.into(), "/usr/bin".into(), false), "the user named it");
    system.cut("/usr/bin/git-mcp");
    put(json!({"command": "git-mcp"}));
    let (answers, targets) = ask(&system, &Ok(described()));
    assert_eq!((targets.len(), answers.servers[0].state), (0, ServerState::NotQueried));
}

#[test]
fn what_a_server_was_given_is_repeated_nowhere() {
    let system = machine();
    let (answers, _) = ask(&system, &Ok(described()));
    let printed = format!("{:?}", answers.servers);
    assert!(!printed.contains("hush"), "{printed}");
    assert!(
        answers.servers.iter().all(|server| server
            .diagnostics
            .iter()
            .any(|diagnostic| diagnostic.code.as_str() == "mcp/secret"))
    );
    let built = Engine::new(&system).build(&request()).expect("a prompt");
    assert!(built.prompt.text.contains("Your token is ***."), "{}", built.prompt.text);
    let problem = McpError::Died("the last it said: `hush-hush-hush` to key=query-secret".into());
    let (answers, _) = ask(&system, &Err(problem));
    let printed = format!("{:?}", answers.servers);
    assert!(!printed.contains("hush-hush"), "{printed}");
    assert!(!format!("{:?}", answers.servers[1]).contains("query-secret"), "{printed}");
}

#[test]
fn a_key_that_is_written_out_is_masked_whatever_its_name_is() {
    let system = machine();
    let servers = json!({
        "git": {"command": "git-mcp", "env": {
            "TOK": "supersecrettoken123", "AS": "Bearer open5esame", "DIR": "/srv/data1", "MODE": "readonly",
        }},
        "web": {"url": "https://web.example/mcp", "headers": {"X-As": "Basic dXNlcjo1"}},
    });
    system.put_file("/home/user/.claude/mcp.json", servers.to_string());
    let says = "supersecrettoken123, open5esame, dXNlcjo1; /srv/data1, readonly.";
    let tool = json!({"name": "t", "description": says});
    let result =
        serde_json::from_value(json!({"instructions": says, "tools": [tool]})).expect("a description");
    let (answers, _) = ask(&system, &Ok(result));
    let git = answers.servers[0].description.as_ref().expect("an answer");
    assert_eq!(git.instructions.as_deref(), Some("***, ***, dXNlcjo1; /srv/data1, readonly."));
    assert_eq!(git.tools[0].description, git.instructions);
    let web = answers.servers[1].description.as_ref().and_then(|result| result.instructions.as_deref());
    assert_eq!(web, Some("supersecrettoken123, open5esame, ***; /srv/data1, readonly."));
    assert!(answers.servers[0].recorded.is_some());
    let built = Engine::new(&system).build(&request()).expect("a prompt");
    let git = built.tools.iter().find(|tool| tool.name == "mcp__git__t").expect("a tool");
    assert!(git.description.as_ref().is_some_and(|text| !text.contains("supersecret")), "{git:?}");
}

#[test]
fn while_a_server_is_away_a_conversation_sees_what_it_saw() {
    let system = machine();
    ask(&system, &Ok(described()));
    let fixed = BuildOptions { now: Some("2026-03-07T14:55:05Z".into()), ..request() };
    let setup = Conversation::setup(std::sync::Arc::new(system.clone()), fixed);
    let mut conversation = setup.start().expect("a conversation");
    let seen = conversation.request(&[]);
    let names: Vec<&str> = seen.tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.ends_with(&["mcp__git__a", "mcp__git__b", "mcp__web__a", "mcp__web__b"]), "{names:?}");
    for problem in
        [McpError::Timeout, McpError::TooLarge(1), McpError::Died("x".into()), McpError::Protocol("x".into())]
    {
        let (answers, _) = ask(&system, &Err(problem));
        assert!(answers.servers.iter().all(|server| server.state == ServerState::Failed && server.keeps_old));
        conversation.reload().expect("a conversation that goes on");
        let now = conversation.request(&[]);
        assert_eq!(now.prompt.text, seen.prompt.text);
        assert_eq!(now.tools, seen.tools);
    }
    let learned =
        ServerDescription { tools: vec![described().tools.remove(0)], ..ServerDescription::default() };
    ask(&system, &Ok(learned));
    conversation.reload().expect("a conversation that goes on");
    let names: Vec<String> = conversation.request(&[]).tools.into_iter().map(|tool| tool.name).collect();
    assert!(names.ends_with(&["mcp__git__a".to_owned(), "mcp__web__a".to_owned()]), "{names:?}");
    let fewer: Vec<String> = names.iter().filter(|name| !name.starts_with("mcp__git")).cloned().collect();
    conversation.set_active_tools(&fewer).expect("other tools");
    assert!(!conversation.tools().iter().any(|tool| tool.name == "mcp__git__a"));
    conversation.set_active_tools(&names).expect("and back");
    assert_eq!(conversation.tools().len(), names.len(), "{:?}", conversation.take_diagnostics());
}

#[test]
fn what_was_fetched_for_one_profile_stays_when_another_asks() {
    let system = machine();
    let want = ContentRequest::Prompt { name: "p".into(), arguments: Default::default() };
    let fetched =
        preface_core::mcp_servers::FetchedContent { want: want.clone(), texts: vec!["Said.".into()] };
    ask(&system, &Ok(ServerDescription { fetched: vec![fetched], ..described() }));
    let (answers, _) = ask(&system, &Ok(described()));
    let result = answers.servers[0].description.as_ref().expect("an answer");
    assert!(result.fetched(&want).is_some_and(|fetched| fetched.texts == ["Said."]));
}

#[test]
fn a_list_that_a_server_refuses_to_give_stays_as_it_was() {
    let system = machine();
    ask(&system, &Ok(described()));
    let (answers, _) = ask(&system, &Ok(ServerDescription { tools: Vec::new(), ..described() }));
    let result = answers.servers[0].description.as_ref().expect("an answer");
    assert_eq!(result.tools.len(), 2, "an error of a list is no change of mind");
}

#[test]
fn a_build_reads_recordings_of_servers_that_may_run_and_of_no_others() {
    let system = machine();
    let (answers, _) = ask(&system, &Ok(described()));
    let file = answers.servers[0].recorded.clone().expect("a recording");
    let file = file.replace('~', "/home/user");
    assert!(file.starts_with(RECORDING), "{file}");
    let before = system.reads(&file);
    Engine::new(&system).build(&request()).expect("a prompt");
    assert_eq!(system.reads(&file), before + 1, "once");
    for preset in ["pi", "template", "default", "stud"] {
        let other = BuildOptions { preset: Some(preset.into()), ..request() };
        Engine::new(&system).build(&other).expect("a prompt");
    }
    let denied = BuildOptions { trust: TrustChoice::Deny, ..request() };
    system.put_file("/home/user/.claude/mcp.json", r#"{"git": {"command": "git-mcp", "disable": true}}"#);
    Engine::new(&system).build(&denied).expect("a prompt");
    assert_eq!(system.reads(&file), before + 1, "no server, no reading");
}
