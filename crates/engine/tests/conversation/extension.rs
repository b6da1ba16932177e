//! Each request of a conversation begins with the one before, unless the caller requests a change: whatever happens to the
//! clock, to git, to files and to recordings of servers in between.
//!
//! `PREFACE_TURNS=1000 cargo test -p preface-engine --test conversation a_cache -- --nocapture` prints the shares of a longer simulation.

#![allow(clippy::disallowed_methods, reason = "recorded bodies are files")]

use crate::bench::{Bench, at, id, instant, run, turn_options};
use preface_engine::{
    ASSETS, BuildOptions, ToolChoice,
    conversation::{Refresh, RequestInput, RequestResult, RequestSummary},
    core::{
        format::{RequestFormat, find},
        message::Message,
        model::{Models, PrefixCheck},
    },
    host::system::testing::MemorySystem,
};
use proptest::prelude::*;
use serde_json::json;
use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

/// The profiles, with the options that choose a variant or an order.
const PROFILES: [(&str, &[&str]); 8] = [
    ("default", &[]),
    ("pi", &["variant=sf"]),
    ("pi", &["variant=0.58"]),
    ("pi", &["variant=0.73"]),
    ("pi", &["variant=0.87"]),
    ("claude-code", &["order=seed"]),
    ("claude-code", &["order=catalog"]),
    ("claude-code", &["order=stable-first"]),
];

/// The formats of services, each with a model.
const SERVICES: [(&str, &str); 6] = [
    ("anthropic", "claude-opus-5-5"),
    ("openai-responses", "gpt-6.2"),
    ("openai-chat", "gpt-6.2"),
    ("openai-compatible", "a-local-model"),
    ("gemini", "gemini-3.8-flash"),
    ("bedrock-converse", "claude-opus-5-5"),
];

/// A repository with instructions, a skill and a recorded server.
fn machine() -> MemorySystem {
    let system = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_dir("/work/p/.git/objects")
        .with_dir("/work/p/.git/refs")
        .with_file("/work/p/AGENTS.md", "Use tabs.\n")
        .with_file("/work/p/CLAUDE.md", "Use tabs, always.\n")
        .with_file(
            "/home/user/.claude/mcp.json",
            r#"{"mcpServers": {"tickets": {"command": "tickets-mcp"}}}"#,
        )
        .with_now(instant(1_772_895_305));
    server(&system, true);
    branch(&system, 0);
    system
}

/// Records what a server offers, or that it offers nothing.
fn server(system: &MemorySystem, up: bool) {
    let tools = if up { json!([{ "name": "find", "description": "Finds tickets." }]) } else { json!([]) };
    let recorded = json!({ "instructions": "Tickets have numbers.", "tools": tools });
    system.put_file("/home/user/.claude/mcp-descriptions/tickets.json", recorded.to_string());
}

fn branch(system: &MemorySystem, number: u64) {
    let name = format!("work-{number}");
    system.put_file("/work/p/.git/HEAD", format!("ref: refs/heads/{name}\n"));
    system.put_file(format!("/work/p/.git/refs/heads/{name}"), format!("{}\n", "7".repeat(40)));
}

/// A conversation of an agent with a service.
struct Agent {
    bench: Bench,
    options: BuildOptions,
    format: &'static RequestFormat,
    model: String,
    history: Vec<serde_json::Value>,
    turn: u64,
}

impl Agent {
    async fn new(profile: (&str, &[&str]), service: (&str, &str)) -> Self {
        let bench = Bench::on(machine()).await;
        let mut options = BuildOptions {
            preset: Some(profile.0.to_owned()),
            trust: preface_engine::TrustChoice::Once,
            ..turn_options()
        };
        options.sets = profile.1.iter().map(|set| (*set).to_owned()).collect();
        // Without names the tools are those of the profile, with those of servers.
        options.tools = match profile.0 {
            "claude-code" => ToolChoice::Profile,
            preset => ToolChoice::Named(tools(preset, 0)),
        };
        bench.turn_of("c", &options).await.expect("the first turn");
        let format = find(service.0).expect("a format");
        Agent { bench, options, format, model: service.1.to_owned(), history: Vec::new(), turn: 0 }
    }

    /// Sends a message of the user, and adds an answer with a tool call and its result to the history.
    async fn say(&mut self, events: Vec<serde_json::Value>) -> RequestResult {
        self.turn += 1;
        let turn = self.turn;
        self.history
            .push(json!({ "role": "user", "content": format!("Task {turn}: make the next test pass.") }));
        let messages = serde_json::from_value::<Vec<Message>>(json!(self.history)).expect("messages");
        let model = Some(self.model.clone());
        let input = RequestInput { model, messages, events, ..RequestInput::new(self.format) };
        let result = self.bench.service.request(&id("c"), &self.options, input, &at(10)).await;
        self.history.push(json!({ "role": "assistant", "content": [
            { "type": "text", "text": "I read the file first." },
            { "type": "toolCall", "id": format!("call_{turn}"), "name": "read", "arguments": { "path": format!("src/{turn}.rs") } },
        ] }));
        self.history.push(json!({
            "role": "toolResult", "toolCallId": format!("call_{turn}"), "toolName": "read",
            "content": [{ "type": "text", "text": format!("fn f{turn}() {{}}\n").repeat(8) }], "isError": false,
        }));
        result.expect("a request")
    }

    async fn compact(&mut self) {
        self.bench.compact("c").await;
        self.history = vec![json!({ "role": "user", "content": format!("Summary of {} turns.", self.turn) })];
    }
}

/// The tools of a preset: all, or all but the last.
fn tools(preset: &str, fewer: usize) -> Vec<String> {
    let names: &[&str] = match preset {
        "claude-code" => &["Read", "Bash", "Edit", "Glob", "Grep"],
        _ => &["read", "bash", "edit", "write"],
    };
    names[..names.len() - fewer].iter().map(|name| (*name).to_owned()).collect()
}

/// One thing that happens between two requests.
#[derive(Clone, Debug)]
enum Step {
    Say,
    Reminder,
    Day,
    Branch(u64),
    File,
    Server(bool),
    Tools(usize),
    Compact,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => Just(Step::Say),
        2 => Just(Step::Reminder),
        2 => Just(Step::Day),
        2 => (0..3_u64).prop_map(Step::Branch),
        1 => Just(Step::File),
        1 => any::<bool>().prop_map(Step::Server),
        1 => (0..2_usize).prop_map(Step::Tools),
        1 => Just(Step::Compact),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Without a change that the caller requests, a request extends the one before byte for byte.
    #[test]
    fn each_request_extends_the_last(
        steps in proptest::collection::vec(step(), 1..24),
        profile in 0..PROFILES.len(),
        service in 0..SERVICES.len(),
    ) {
        run(async {
            let (preset, sets) = PROFILES[profile];
            let mut agent = Agent::new((preset, sets), SERVICES[service]).await;
            agent.say(Vec::new()).await;
            let mut day = 0;
            let mut is_changed = false;
            for step in steps {
                let mut events = Vec::new();
                match step {
                    Step::Say => {}
                    Step::Reminder if preset == "claude-code" => {
                        events.push(json!({ "type": "file-opened", "path": "src/lib.rs" }));
                    }
                    Step::Reminder => {}
                    Step::Day => {
                        day += 1;
                        agent.bench.system.set_now(instant(1_772_895_305 + day * 86_400));
                        continue;
                    }
                    Step::Branch(number) => {
                        branch(&agent.bench.system, number);
                        continue;
                    }
                    Step::File => {
                        agent.bench.system.put_file("/work/p/AGENTS.md", format!("Use tabs on day {day}.\n"));
                        continue;
                    }
                    Step::Server(up) => {
                        server(&agent.bench.system, up);
                        continue;
                    }
                    Step::Tools(fewer) => {
                        let all = fewer == 0 && preset == "claude-code";
                        let tools = match all {
                            true => ToolChoice::Profile,
                            false => ToolChoice::Named(tools(preset, fewer)),
                        };
                        is_changed |= tools != agent.options.tools;
                        agent.options.tools = tools;
                        continue;
                    }
                    Step::Compact => {
                        agent.compact().await;
                        is_changed = true;
                        continue;
                    }
                }
                let result = agent.say(events).await;
                let comparison = result.comparison.expect("it is not the first request");
                assert!(comparison.extends || is_changed, "{preset} {:?}: {:?}", agent.format.name, comparison.change);
                is_changed = false;
            }
        });
    }
}

/// What a service would read from its cache.
#[derive(Default)]
struct Simulation {
    /// The bytes that a request and the one before it could have had in common.
    could: usize,
    /// Those that the service reads from the cache by its rules.
    read: usize,
    /// The first differences, each with its number.
    breaks: BTreeMap<String, usize>,
}

/// The turns of one conversation; it is compacted in its middle.
const CONVERSATION: u64 = 50;

impl Simulation {
    /// Runs turns in which the day changes at every twentieth and the branch at every seventh. With `rebuilt` the prompt is built
    /// again before each request, as by an agent that stores nothing.
    async fn run(profile: (&str, &[&str]), service: (&str, &str), turns: u64, rebuilt: bool) -> Self {
        let mut simulation = Simulation::default();
        let mut agent = Agent::new(profile, service).await;
        for turn in 0..turns {
            if turn > 0 && turn % CONVERSATION == 0 {
                agent = Agent::new(profile, service).await;
            }
            let day = i64::try_from(turn / 20).expect("a day");
            agent.bench.system.set_now(instant(1_772_895_305 + day * 86_400));
            branch(&agent.bench.system, turn / 7);
            let is_compacted = turn % CONVERSATION == CONVERSATION / 2;
            if is_compacted {
                agent.compact().await;
            }
            if rebuilt {
                agent.bench.refresh("c", Refresh::Keep).await;
            }
            let events = match turn % 5 {
                3 if profile.0 == "claude-code" => {
                    vec![json!({ "type": "file-opened", "path": "src/lib.rs" })]
                }
                _ => Vec::new(),
            };
            let result = agent.say(events).await;
            if let Some(comparison) = result.comparison.as_ref().filter(|_| !is_compacted) {
                simulation.could += comparison.earlier_bytes;
                let requests = agent.bench.service.request_summaries(&id("c")).await.expect("the requests");
                simulation.read += requests.last().map(readable).expect("a request");
                if let Some(change) = &comparison.change {
                    *simulation.breaks.entry(change.what.clone()).or_default() += 1;
                }
            }
        }
        simulation
    }

    #[expect(clippy::cast_precision_loss, reason = "a share, not a count")]
    fn share(&self) -> f64 {
        self.read as f64 * 100.0 / self.could.max(1) as f64
    }
}

/// Returns the bytes of a request that the service can read from its cache.
fn readable(request: &RequestSummary) -> usize {
    (request.expected_read * request.bytes as f64).round() as usize
}

/// With a stored prompt, services read everything that was sent before; without, what the order of the preset leaves.
#[test]
#[allow(clippy::print_stdout, reason = "the table is for the person who asks for many turns")]
fn a_cache_reads_what_was_sent_before() {
    let turns = env::var("PREFACE_TURNS").map_or(10, |turns| turns.parse().expect("a number"));
    let mut table = String::from("profile | format | stored | built each time | its breaks\n");
    for profile in PROFILES {
        for service in SERVICES {
            let (stored, rebuilt) = run(async {
                (
                    Simulation::run(profile, service, turns, false).await,
                    Simulation::run(profile, service, turns, true).await,
                )
            });
            let name = format!("{} {}", profile.0, profile.1.join(" "));
            assert_eq!(stored.breaks, BTreeMap::new(), "{name} {}", service.0);
            if matches!(service.0, "anthropic" | "bedrock-converse") {
                assert_eq!(stored.read, stored.could, "{name} {}", service.0);
            }
            assert!(rebuilt.read <= stored.read, "{name} {}", service.0);
            let breaks: Vec<String> =
                rebuilt.breaks.iter().map(|(what, number)| format!("{what}: {number}")).collect();
            let _ = writeln!(
                table,
                "{} | {} | {:.1} % | {:.1} % | {}",
                name.trim(),
                service.0,
                stored.share(),
                rebuilt.share(),
                breaks.join("; ")
            );
        }
    }
    println!("{turns} turns\n{table}");
}

/// The request of a compaction has the old messages with their attachments, and the instructions behind the prompt; the one after
/// it has neither. Reasoning from before is in none of them where the service checks prefixes.
#[test]
fn a_compaction_has_a_request_of_its_own() {
    for service in SERVICES {
        run(async {
            let mut agent = Agent::new(("claude-code", &[]), service).await;
            agent.say(vec![json!({ "type": "file-opened", "path": "src/lib.rs" })]).await;
            agent.history.push(json!({ "role": "assistant", "api": "anthropic-messages", "content": [
                { "type": "thinking", "thinking": "It was read.", "thinkingSignature": "c2ln" },
                { "type": "text", "text": "Done." },
            ] }));
            let before = agent.say(Vec::new()).await;
            let reminder = "in the editor.";
            assert!(before.body.contains(reminder), "{service:?}");

            let compaction = agent.bench.compact("c").await;
            let instructions = compaction.instructions;
            let first = instructions.lines().next().expect("instructions");
            agent.history.push(json!({ "role": "user", "content": "Write the summary." }));
            let messages = serde_json::from_value::<Vec<Message>>(json!(agent.history)).expect("messages");
            let input = RequestInput {
                model: Some(agent.model.clone()),
                messages,
                instructions: Some(instructions.clone()),
                ..RequestInput::new(agent.format)
            };
            let own = agent
                .bench
                .service
                .request(&id("c"), &agent.options, input, &at(10))
                .await
                .expect("a request");
            assert_eq!(own.body.matches(reminder).count(), 1, "{service:?}");
            assert!(own.body.contains(first), "{service:?}");
            let checks = Models::bundled().find(service.1).model.checks_prefix != PrefixCheck::Never;
            if checks {
                assert!(!own.body.contains("It was read."), "{service:?}");
            }
            let codes: Vec<&str> =
                own.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
            assert!(!codes.contains(&"prefix/changed"), "{service:?}: {codes:?}");

            agent.history = vec![json!({ "role": "user", "content": "A summary of two turns." })];
            let next = agent.say(Vec::new()).await;
            assert!(!next.body.contains(reminder) && !next.body.contains(first), "{service:?}");
            let codes: Vec<&str> =
                next.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
            assert!(!codes.contains(&"prefix/changed"), "{service:?}: {codes:?}");
            let last = agent.say(Vec::new()).await;
            assert!(last.comparison.expect("a comparison").extends, "{service:?}");
            let listed = agent.bench.service.request_summaries(&id("c")).await.expect("the requests");
            assert_eq!(listed.iter().filter(|one| one.format.is_some()).count(), 5, "{service:?}");
        });
    }
}

/// The seven reminders that a session of a coding agent has most, each at its turn of ten.
fn reminders(turn: u64) -> Vec<serde_json::Value> {
    match turn {
        1 => vec![json!({ "type": "file-opened", "path": "src/lib.rs" })],
        2 => vec![json!({ "type": "todo-list-empty" })],
        4 => vec![
            json!({ "type": "file-modified", "path": "src/lib.rs", "snippet": "fn a() {}" }),
            json!({ "type": "new-diagnostics", "diagnostics": ["src/lib.rs:1: unused"] }),
        ],
        5 => vec![json!({ "type": "hook-context", "hook": "lint", "context": "Two warnings." })],
        7 => vec![json!({ "type": "todo-reminder", "turns": 5 })],
        9 => vec![json!({ "type": "token-usage", "used": 90_000, "limit": 200_000, "left": 110_000 })],
        _ => Vec::new(),
    }
}

/// The last body of ten turns has each reminder once, behind the message that it was sent with. `PREFACE_PRINT=1` writes the files.
#[test]
fn seven_reminders_over_ten_turns_stay_in_their_places() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conversation/reminders");
    let is_print = env::var_os("PREFACE_PRINT").is_some();
    for service in SERVICES {
        let body = run(async {
            let mut agent = Agent::new(("claude-code", &["order=stable-first"]), service).await;
            agent.options.tools = ToolChoice::Named(Vec::new());
            let mut last = String::new();
            for turn in 1..=10 {
                let result = agent.say(reminders(turn)).await;
                assert!(
                    result.comparison.is_none_or(|comparison| comparison.extends),
                    "{service:?}: turn {turn}"
                );
                last = result.body;
            }
            last
        });
        for (turn, words) in [
            (1, "in the editor."),
            (4, "was changed after you read it"),
            (4, "reports new problems"),
            (5, "Two warnings."),
            (7, "has not changed for 5 turns"),
            (9, "are left."),
        ] {
            let message = body.find(&format!("Task {turn}:")).expect("the message of the user");
            let next = body.find(&format!("Task {}:", turn + 1)).unwrap_or(body.len());
            let found: Vec<usize> =
                body.match_indices(words).map(|(at, _)| at).filter(|at| *at > message).collect();
            assert_eq!(found.len(), 1, "{service:?}: {words}");
            assert!(found[0] < next, "{service:?}: `{words}` is behind the message of turn {turn}");
        }
        let mut value: serde_json::Value = serde_json::from_str(&body).expect("a body");
        let object = value.as_object_mut().expect("an object");
        for key in ["system", "systemInstruction"] {
            object.remove(key);
        }
        for key in ["input", "messages"] {
            if let Some(list) = object.get_mut(key).and_then(serde_json::Value::as_array_mut) {
                list.retain(|item| {
                    !(item["content"].to_string().contains("You are an agent that works in a terminal"))
                });
            }
        }
        let (path, text) = (dir.join(format!("{}.json", service.0)), format!("{value:#}\n"));
        if is_print {
            fs::create_dir_all(&dir).expect("the directory");
            fs::write(&path, text).expect("the file can be written");
        } else {
            assert!(
                fs::read_to_string(&path).unwrap_or_default() == text,
                "{} differs; PREFACE_PRINT=1 writes it",
                path.display()
            );
        }
    }
    assert!(!is_print, "the files are written: review them, then run the test without PREFACE_PRINT");
}

/// A server that is gone, and comes back with another text, changes nothing until the conversation is compacted.
#[test]
fn a_server_that_flaps_changes_no_request() {
    run(async {
        let mut agent = Agent::new(("claude-code", &[]), SERVICES[0]).await;
        let first = agent.say(Vec::new()).await;
        assert!(first.body.contains("Finds tickets."), "{}", first.body);
        server(&agent.bench.system, false);
        let second = agent.say(Vec::new()).await;
        assert!(second.comparison.expect("a comparison").extends);
        let codes: Vec<&str> = second.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert!(codes.contains(&"conversation/tools"), "{codes:?}");
        agent.compact().await;
        assert!(
            !agent.say(Vec::new()).await.body.contains("Finds tickets."),
            "a compaction takes the new ones"
        );
        agent.options.tools = ToolChoice::Named(tools("claude-code", 0));
        let other = agent.say(Vec::new()).await;
        assert!(!other.comparison.expect("a comparison").extends, "the caller requests other tools");
    });
}
