//! Sessions: what rebuilds the base and what does not, what a run keeps, what is sent meanwhile.

use preface_engine::{
    ASSETS, Engine, Error, Request, ToolChoice,
    core::{
        hook::{HookEvent, HookFailure, HookFn, HookReply},
        message::{Message, Role},
        prompt::Prompt,
        turn::Tool,
    },
    host::system::testing::MemorySystem,
    session::{InputOutcome, Session, Setup},
};
use serde_json::json;
use std::sync::{Arc, Mutex};

fn machine() -> MemorySystem {
    let machine = MemorySystem::new()
        .with_bundle(ASSETS)
        .with_home("/home/user")
        .with_dir("/work")
        .with_file("/work/AGENTS.md", "Use tabs.\n");
    machine.set_now("2026-03-07T14:55:05Z".parse().expect("an instant"));
    machine
}

fn request(variant: &str) -> Request {
    Request {
        preset: Some("pi".to_owned()),
        tools: ToolChoice::Named(vec!["read".to_owned(), "bash".to_owned()]),
        zone: Some("UTC".to_owned()),
        sets: vec![format!("variant={variant}"), "docs=false".to_owned()],
        ..Request::new("/work")
    }
}

fn setup<'s>(machine: &'s MemorySystem, variant: &str) -> Setup<'s> {
    Session::setup(Engine::new(machine), request(variant))
}

/// The reasons for which a prompt is what it is.
fn triggers(prompt: &Prompt) -> Vec<&'static str> {
    prompt.triggers.iter().map(|trigger| trigger.kind.as_str()).collect()
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn tool(name: &str) -> Tool {
    Tool { name: name.to_owned(), description: Some(format!("The {name}")), ..Tool::default() }
}

fn list(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn message(value: serde_json::Value) -> Message {
    Message::new(value.as_object().expect("an object").clone()).expect("a message")
}

/// A hook that is behind the prompt.
fn appends(text: &'static str) -> impl preface_engine::core::hook::HookHandler + 'static {
    HookFn::new("tone", [HookEvent::BeforeAgentStart], move |ask| {
        let prompt = ask.system_prompt.unwrap_or_default();
        Ok(HookReply { system_prompt: Some(format!("{prompt}{text}")), ..HookReply::default() })
    })
}

#[test]
fn the_base_is_rebuilt_for_few_reasons() {
    let machine = machine();
    let mut session = setup(&machine, "sf").start().expect("it starts");
    let start = session.base().clone();
    assert_eq!(triggers(&start), ["startup"]);
    assert!(start.text.contains("Saturday, March 7, 2026") && start.text.contains("Use tabs."));

    // A date, a file, runs, a compaction: no reason.
    machine.set_now("2026-03-08T14:55:05Z".parse().expect("an instant"));
    machine.put_file("/work/AGENTS.md", "Use blanks.\n");
    for words in ["one", "two"] {
        assert_eq!(session.submit(words).expect("a run"), InputOutcome::Run);
        assert_eq!(session.request().prompt, start);
        session.record(message(json!({ "role": "assistant", "content": "done" })));
        session.finish();
    }
    session.record(message(json!({ "role": "compactionSummary", "summary": "We talked." })));
    session.record(message(json!({ "role": "branchSummary", "summary": "We went astray." })));
    assert_eq!(session.base(), &start);

    // Other tools: at this instant, and without a look at the files.
    session.set_active_tools(&list(&["read"])).expect("a rebuild");
    let switched = session.base().clone();
    assert_eq!(triggers(&switched), ["startup", "set_active_tools"]);
    assert!(switched.text.contains("Sunday, March 8, 2026") && switched.text.contains("Use tabs."));
    assert!(!switched.text.contains("- bash:"));

    // A tool that is new is active; one that is known and switched off stays so.
    session.register_tool(tool("plan")).expect("a rebuild");
    assert_eq!(names(session.tools()), ["read", "plan"]);
    session.set_active_tools(&list(&["read"])).expect("a rebuild");
    session.register_tool(tool("plan")).expect("a rebuild");
    assert_eq!(names(session.tools()), ["read"]);
    assert_eq!(
        triggers(session.base()),
        ["startup", "set_active_tools", "tool_registry", "set_active_tools", "tool_registry"]
    );

    // Everything again: the active tools stay, and what was registered is active.
    session.reload().expect("a rebuild");
    assert_eq!(triggers(session.base()), ["reload"]);
    assert!(session.base().text.contains("Use blanks."));
    assert_eq!(names(session.tools()), ["read", "plan"]);
    assert_eq!(session.messages().len(), 6, "the messages stay");
}

#[test]
fn skills_that_a_hook_points_to_rebuild_the_base_and_nothing_else_does() {
    let machine =
        machine().with_file("/more/tidy/SKILL.md", "---\nname: tidy\ndescription: Tidies up.\n---\n");
    let reasons = Arc::new(Mutex::new(Vec::new()));
    let recorded = Arc::clone(&reasons);
    let paths = HookFn::new("more", [HookEvent::ResourcesDiscover], move |ask| {
        recorded.lock().expect("a list").push(format!("{:?}", ask.reason));
        Ok(HookReply { skill_paths: vec!["/more".to_owned()], ..HookReply::default() })
    });
    let mute = HookFn::new("mute", [HookEvent::ResourcesDiscover], |_| Ok(HookReply::default()));
    let silent = setup(&machine, "sf").handler(mute).start().expect("it starts");
    assert_eq!(triggers(silent.base()), ["startup"]);

    let mut session = setup(&machine, "sf").handler(paths).start().expect("it starts");
    assert_eq!(triggers(session.base()), ["startup", "resources_discover"]);
    assert_eq!(session.base().triggers[1].by.as_deref(), Some("more"));
    assert!(session.base().text.contains("<name>tidy</name>"));
    machine.put_file("/more/sweep/SKILL.md", "---\nname: sweep\ndescription: Sweeps.\n---\n");
    session.set_active_tools(&list(&["read"])).expect("a rebuild");
    assert!(!session.base().text.contains("sweep"));
    session.reload().expect("a rebuild");
    assert_eq!(triggers(session.base()), ["reload", "resources_discover"]);
    assert!(session.base().text.contains("<name>sweep</name>"));
    assert_eq!(*reasons.lock().expect("a list"), ["Some(Startup)", "Some(Reload)"]);
}

/// D13, and the end of §6.3.
#[test]
fn a_run_keeps_its_prompt_and_the_next_one_starts_from_the_base() {
    for (variant, hooked, tools_in_run, same_text) in [
        ("sf", true, ["read", "bash"].as_slice(), true),
        ("sf", false, &["read", "bash"], true),
        ("0.87", true, &["read"], true),
        ("0.87", false, &["read"], false),
    ] {
        let machine = machine();
        let mut setup = setup(&machine, variant);
        if hooked {
            setup = setup.handler(appends("\nBe brief."));
        }
        let mut session = setup.start().expect("it starts");
        session.submit("one").expect("a run");
        let first = session.request();
        assert_eq!(first.prompt.text.ends_with("\nBe brief."), hooked);
        session.set_active_tools(&list(&["read"])).expect("a rebuild");
        let second = session.request();
        assert_eq!(names(&second.tools), tools_in_run, "{variant}, {hooked}");
        assert_eq!(first.prompt.text == second.prompt.text, same_text, "{variant}, {hooked}");
        session.reload().expect("a rebuild");
        assert_eq!(session.request().prompt.text, second.prompt.text, "a reload is for the next run");
        session.finish();
        assert_eq!(session.prompt(), session.base());
        assert!(!session.base().text.contains("Be brief.") && !session.base().text.contains("- bash:"));
        session.submit("two").expect("a run");
        let suffix = if hooked { "\nBe brief." } else { "" };
        assert_eq!(session.request().prompt.text, format!("{}{suffix}", session.base().text));
    }
}

#[test]
fn a_message_during_a_run_waits_for_its_next_request() {
    let machine = machine();
    let recorded = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&recorded);
    let watch = HookFn::new("watch", [HookEvent::Input, HookEvent::BeforeAgentStart], move |ask| {
        seen.lock().expect("a list").push(format!("{} {}", ask.event, ask.prompt.unwrap_or("-")));
        Ok(HookReply::default())
    });
    let mut session = setup(&machine, "sf").handler(watch).start().expect("it starts");
    let roles = |session: &Session<'_>| -> Vec<String> {
        session.messages().iter().map(|one| format!("{} {}", one.role(), one.text())).collect()
    };
    session.submit("one").expect("a run");
    session.request();
    let call = json!([{ "type": "toolCall", "id": "c", "name": "bash", "arguments": {} }]);
    session.record(message(json!({ "role": "assistant", "content": call })));
    assert_eq!(session.submit("hurry").expect("steering"), InputOutcome::Steering);
    session.send(Message::custom("bell", "ding"), true).expect("steering");
    session.record(message(json!({ "role": "bashExecution", "command": "ls", "output": "a" })));
    session.record(message(json!({ "role": "toolResult", "toolCallId": "c", "content": "ok" })));
    assert_eq!(session.request().messages.len(), 5);
    assert_eq!(roles(&session), ["user one", "assistant ", "toolResult ok", "user hurry", "custom ding"]);
    session.record(message(json!({ "role": "assistant", "content": "done" })));
    session.submit("late").expect("steering");
    session.finish();
    // A command waits for the end of the run; what nobody answered yet is there for the next one.
    assert_eq!(&roles(&session)[5..], ["assistant done", "user late", "bashExecution a"]);
    session.send_next_turn(Message::custom("note", "by the way"));
    session.send(Message::custom("bell", "dong"), false).expect("no run");
    assert_eq!(session.submit("two").expect("a run"), InputOutcome::Run);
    assert_eq!(&roles(&session)[8..], ["custom dong", "user two", "custom by the way"]);
    assert_eq!(
        *recorded.lock().expect("a list"),
        [
            "input one",
            "before_agent_start one",
            "input hurry",
            "input late",
            "input two",
            "before_agent_start two"
        ]
    );
}

/// D9.
#[test]
fn hooks_run_whoever_starts_the_run() {
    let machine = machine();
    let mut session = setup(&machine, "sf").handler(appends("\nBe brief.")).start().expect("it starts");
    session.send(Message::custom("alarm", "wake up"), true).expect("a run");
    assert_eq!(session.request().prompt.text, format!("{}\nBe brief.", session.base().text));
}

#[test]
fn outside_of_a_run_no_hook_is_called() {
    let machine = machine();
    let loud = HookFn::new("loud", [HookEvent::Context], |_| Err(HookFailure::failed("asked")));
    let mut session = setup(&machine, "sf")
        .handler(loud)
        .history(vec![Message::user("before")])
        .start()
        .expect("it starts");
    let request = session.request();
    assert_eq!((request.messages.len(), request.prompt == *session.base()), (1, true));
    assert_eq!(session.take_diagnostics(), []);
}

#[test]
fn a_message_that_is_none_is_left_out_with_a_note() {
    let machine = machine();
    let odd = HookFn::new("odd", [HookEvent::BeforeAgentStart, HookEvent::Context], |ask| {
        Ok(match ask.event {
            HookEvent::Context => {
                let list = ask.messages.iter().cloned().chain([json!({ "role": "nobody" }), json!(7)]);
                HookReply { messages: Some(list.collect()), ..HookReply::default() }
            }
            _ => HookReply { message: Some(json!({ "content": 7 })), ..HookReply::default() },
        })
    });
    let mut session = setup(&machine, "sf").handler(odd).start().expect("it starts");
    session.submit("one").expect("a run");
    assert_eq!(session.request().messages.len(), 1);
    let diagnostics = session.take_diagnostics();
    let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(codes, ["messages/left-out"; 3], "{diagnostics:#?}");
    assert_eq!(session.messages().iter().filter(|one| one.role() == Role::Custom).count(), 0);
}

/// §3.1: hooks get the values, not what a listing made of them.
#[test]
fn hooks_are_given_what_the_base_was_built_from() {
    let machine = machine()
        .with_file("/work/.sf/SYSTEM.md", "Mine.")
        .with_file("/work/.sf/APPEND_SYSTEM.md", "And more.")
        .with_file("/work/.sf/skills/a&b/SKILL.md", "---\nname: a-b\ndescription: Cut & paste <here>\n---\n");
    let recorded = Arc::new(Mutex::new(serde_json::Value::Null));
    let seen = Arc::clone(&recorded);
    let watch = HookFn::new("watch", [HookEvent::BeforeAgentStart], move |ask| {
        *seen.lock().expect("a value") = serde_json::from_str(&ask.to_json()).expect("JSON");
        Ok(HookReply::default())
    });
    let mut session = setup(&machine, "sf").handler(watch).start().expect("it starts");
    assert!(session.base().text.contains("Cut &amp; paste"));
    session.submit("one").expect("a run");
    let recorded = recorded.lock().expect("a value");
    let inputs = &recorded["inputs"];
    assert_eq!(inputs["customPrompt"], "Mine.");
    assert_eq!(inputs["appendSystemPrompt"], "And more.");
    assert_eq!(inputs["selectedTools"], json!(["read", "bash"]));
    assert_eq!(inputs["contextFiles"], json!([{ "path": "/work/AGENTS.md", "content": "Use tabs.\n" }]));
    assert_eq!(
        inputs["skills"],
        json!([{
            "name": "a-b",
            "description": "Cut & paste <here>",
            "filePath": "/work/.sf/skills/a&b/SKILL.md",
            "baseDir": "/work/.sf/skills/a&b",
            "disableModelInvocation": false
        }])
    );
    assert_eq!(recorded["tools"][0]["active"], true);
}

/// What the line refuses leaves nothing behind: tools, base and messages are as they were.
#[test]
fn a_rebuild_that_is_refused_changes_nothing() {
    let machine = machine();
    let mut request = Request { budget: Some(230), ..request("sf") };
    request.sets.push("budget.onOver=error".to_owned());
    let many = HookFn::new("many", [HookEvent::BeforeAgentStart], |ask| {
        let greedy = ask.prompt == Some("all");
        let tools = list(if greedy { &["read"] } else { &["bash"] });
        Ok(HookReply { active_tools: Some(tools), ..HookReply::default() })
    });
    let greed = HookFn::new("greed", [HookEvent::BeforeAgentStart], |ask| {
        let all = (ask.prompt == Some("all")).then(|| list(&["read", "bash", "edit", "write"]));
        Ok(HookReply { active_tools: all, ..HookReply::default() })
    });
    let mut session = Session::setup(Engine::new(&machine), request)
        .handler(many)
        .handler(greed)
        .start()
        .expect("it starts");
    let before = session.base().clone();
    let large = Tool { description: Some("word ".repeat(400)), ..tool("large") };
    assert!(matches!(session.register_tool(large), Err(Error::Over(_))));
    let all = list(&["read", "bash", "edit", "write"]);
    assert!(matches!(session.set_active_tools(&all), Err(Error::Over(_))));
    session.send_next_turn(Message::custom("note", "by the way"));
    assert!(matches!(session.submit("all"), Err(Error::Over(_))));
    assert!(matches!(session.send(Message::custom("alarm", "all"), false), Ok(())));
    assert_eq!((session.base(), names(session.tools())), (&before, vec!["read", "bash"]));
    assert_eq!(session.messages().len(), 1, "a refused message is not added");
    session.take_diagnostics();
    session.set_active_tools(&list(&["large"])).expect("it is not known, so nothing is left");
    assert_eq!(session.take_diagnostics()[0].code.as_str(), "hook/unknown-tool");
    assert_eq!(session.submit("few").expect("a run"), InputOutcome::Run);
    assert_eq!(names(session.tools()), ["bash"]);
    assert_eq!(session.messages().len(), 3, "the message for the next turn waited");
}

/// A skill's command is replaced after the hooks of `input`, before the run; hidden skills answer, unknown names pass.
#[test]
fn a_skills_command_gives_way_to_its_text() {
    let file = "---\nname: tidy\ndescription: Tidies.\ndisable-model-invocation: true\n---\n\nTidy up.\n";
    let machine = machine().with_file("/work/.sf/skills/tidy/SKILL.md", file);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = seen.clone();
    let mut session = setup(&machine, "sf")
        .handler(HookFn::new("ear", [HookEvent::Input, HookEvent::BeforeAgentStart], move |ask| {
            recorded.lock().expect("no test panics here").push(ask.prompt.unwrap_or_default().to_owned());
            Ok(HookReply::default())
        }))
        .start()
        .expect("it starts");
    let text = "<skill name=\"tidy\" location=\"/work/.sf/skills/tidy/SKILL.md\">\n\
                References are relative to /work/.sf/skills/tidy.\n\nTidy up.\n</skill>";
    assert_eq!(session.submit("/skill:tidy  the tests ").unwrap(), InputOutcome::Run);
    assert_eq!(*seen.lock().unwrap(), ["/skill:tidy  the tests ", &format!("{text}\n\nthe tests")]);
    assert_eq!(session.submit("/skill:tidy").unwrap(), InputOutcome::Steering);
    session.request();
    session.finish();
    session.submit("/skill:nobody here").unwrap();
    let texts: Vec<String> = session.messages().iter().map(Message::text).collect();
    assert_eq!(texts, [format!("{text}\n\nthe tests"), text.to_owned(), "/skill:nobody here".to_owned()]);
    assert!(session.take_diagnostics().is_empty());
}
