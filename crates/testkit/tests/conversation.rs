//! Conversations without a store: what rebuilds the base and what does not, what a run keeps, what hooks change.

use preface_engine::{
    ASSETS, BuildOptions, Error, ToolChoice,
    conversation::{Conversation, ConversationError, Setup},
    core::{
        hook::{HookEvent, HookFailure, HookFn, HookReply},
        message::{Message, Role},
        prompt::Prompt,
        turn::Tool,
    },
    host::system::testing::MemorySystem,
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

fn request(variant: &str) -> BuildOptions {
    BuildOptions {
        preset: Some("pi".to_owned()),
        tools: ToolChoice::Named(vec!["read".to_owned(), "bash".to_owned()]),
        zone: Some("UTC".to_owned()),
        sets: vec![format!("variant={variant}"), "docs=false".to_owned()],
        ..BuildOptions::in_dir("/work")
    }
}

fn setup(machine: &MemorySystem, variant: &str) -> Setup {
    Conversation::setup(Arc::new(machine.clone()), request(variant))
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
    let mut conversation = setup(&machine, "sf").start().expect("it starts");
    let mut history = Vec::new();
    let start = conversation.base().clone();
    assert_eq!(triggers(&start), ["startup"]);
    assert!(start.text.contains("Saturday, March 7, 2026") && start.text.contains("Use tabs."));

    // A date, a file, runs, a compaction: no reason.
    machine.set_now("2026-03-08T14:55:05Z".parse().expect("an instant"));
    machine.put_file("/work/AGENTS.md", "Use blanks.\n");
    for words in ["one", "two"] {
        assert!(conversation.submit(words, &mut history).expect("a run"));
        assert_eq!(conversation.request(&history).prompt, start);
        conversation.finish();
    }
    let instructions = conversation.compact().expect("a compaction");
    assert!(!instructions.is_empty());
    assert_eq!(conversation.base(), &start, "the profile keeps it");
    assert_eq!(conversation.take_diagnostics()[0].code.as_str(), "conversation/kept");

    // Other tools: at this instant, and without a look at the files.
    conversation.set_active_tools(&list(&["read"])).expect("a rebuild");
    let switched = conversation.base().clone();
    assert_eq!(triggers(&switched), ["startup", "set_active_tools"]);
    assert!(switched.text.contains("Sunday, March 8, 2026") && switched.text.contains("Use tabs."));
    assert!(!switched.text.contains("- bash:"));

    // A tool that is new is active; one that is known and switched off stays so.
    conversation.register_tool(tool("plan")).expect("a rebuild");
    assert_eq!(names(conversation.tools()), ["read", "plan"]);
    conversation.set_active_tools(&list(&["read"])).expect("a rebuild");
    conversation.register_tool(tool("plan")).expect("a rebuild");
    assert_eq!(names(conversation.tools()), ["read"]);
    assert_eq!(
        triggers(conversation.base()),
        ["startup", "set_active_tools", "tool_registry", "set_active_tools", "tool_registry"]
    );

    // Everything again: the active tools stay, and what was registered is active.
    assert!(conversation.reload().expect("a rebuild"));
    assert_eq!(triggers(conversation.base()), ["reload"]);
    assert!(conversation.base().text.contains("Use blanks."));
    assert_eq!(names(conversation.tools()), ["read", "plan"]);
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

    let mut conversation = setup(&machine, "sf").handler(paths).start().expect("it starts");
    assert_eq!(triggers(conversation.base()), ["startup", "resources_discover"]);
    assert_eq!(conversation.base().triggers[1].by.as_deref(), Some("more"));
    assert!(conversation.base().text.contains("<name>tidy</name>"));
    machine.put_file("/more/sweep/SKILL.md", "---\nname: sweep\ndescription: Sweeps.\n---\n");
    conversation.set_active_tools(&list(&["read"])).expect("a rebuild");
    assert!(!conversation.base().text.contains("sweep"));
    conversation.reload().expect("a rebuild");
    assert_eq!(triggers(conversation.base()), ["reload", "resources_discover"]);
    assert!(conversation.base().text.contains("<name>sweep</name>"));
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
        let mut conversation = setup.start().expect("it starts");
        let mut history = Vec::new();
        conversation.submit("one", &mut history).expect("a run");
        let first = conversation.request(&history);
        assert_eq!(first.prompt.text.ends_with("\nBe brief."), hooked);
        conversation.set_active_tools(&list(&["read"])).expect("a rebuild");
        let second = conversation.request(&history);
        assert_eq!(names(&second.tools), tools_in_run, "{variant}, {hooked}");
        assert_eq!(first.prompt.text == second.prompt.text, same_text, "{variant}, {hooked}");
        conversation.reload().expect("a rebuild");
        assert_eq!(
            conversation.request(&history).prompt.text,
            second.prompt.text,
            "a reload is for the next run"
        );
        conversation.finish();
        assert_eq!(conversation.prompt(), conversation.base());
        assert!(
            !conversation.base().text.contains("Be brief.") && !conversation.base().text.contains("- bash:")
        );
        conversation.submit("two", &mut history).expect("a run");
        let suffix = if hooked { "\nBe brief." } else { "" };
        assert_eq!(
            conversation.request(&history).prompt.text,
            format!("{}{suffix}", conversation.base().text)
        );
    }
}

/// D9.
#[test]
fn hooks_run_whoever_starts_the_run() {
    let machine = machine();
    let mut conversation = setup(&machine, "sf").handler(appends("\nBe brief.")).start().expect("it starts");
    let history = [Message::custom("alarm", "wake up")];
    assert_eq!(conversation.begin(None, &history).expect("a run"), []);
    assert_eq!(
        conversation.request(&history).prompt.text,
        format!("{}\nBe brief.", conversation.base().text)
    );
}

#[test]
fn outside_of_a_run_no_hook_is_called() {
    let machine = machine();
    let loud = HookFn::new("loud", [HookEvent::Context], |_| Err(HookFailure::failed("asked")));
    let mut conversation = setup(&machine, "sf").handler(loud).start().expect("it starts");
    let request = conversation.request(&[Message::user("before")]);
    assert_eq!((request.messages.len(), request.prompt == *conversation.base()), (1, true));
    assert_eq!(conversation.take_diagnostics(), []);
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
    let mut conversation = setup(&machine, "sf").handler(odd).start().expect("it starts");
    let mut history = Vec::new();
    conversation.submit("one", &mut history).expect("a run");
    assert_eq!(conversation.request(&history).messages.len(), 1);
    let diagnostics = conversation.take_diagnostics();
    let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
    assert_eq!(codes, ["messages/left-out"; 3], "{diagnostics:#?}");
    assert_eq!(history.iter().filter(|one| one.role() == Role::Custom).count(), 0);
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
    let mut conversation = setup(&machine, "sf").handler(watch).start().expect("it starts");
    assert!(conversation.base().text.contains("Cut &amp; paste"));
    conversation.submit("one", &mut Vec::new()).expect("a run");
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
    let mut request = BuildOptions { budget: Some(230), ..request("sf") };
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
    let mut conversation = Conversation::setup(Arc::new(machine), request)
        .handler(many)
        .handler(greed)
        .start()
        .expect("it starts");
    let is_over = |error: &ConversationError| matches!(error, ConversationError::Engine(Error::Over(_)));
    let mut history = vec![Message::user("before")];
    let before = conversation.base().clone();
    let large = Tool { description: Some("word ".repeat(400)), ..tool("large") };
    assert!(is_over(&conversation.register_tool(large).unwrap_err()));
    let all = list(&["read", "bash", "edit", "write"]);
    assert!(is_over(&conversation.set_active_tools(&all).unwrap_err()));
    assert!(is_over(&conversation.submit("all", &mut history).unwrap_err()));
    assert_eq!((conversation.base(), names(conversation.tools())), (&before, vec!["read", "bash"]));
    assert_eq!(history.len(), 1, "a refused message is not added");
    conversation.take_diagnostics();
    conversation.set_active_tools(&list(&["large"])).expect("it is not known, so nothing is left");
    assert_eq!(conversation.take_diagnostics()[0].code.as_str(), "tool/unknown");
    assert!(conversation.submit("few", &mut history).expect("a run"));
    assert_eq!(names(conversation.tools()), ["bash"]);
    assert_eq!(history.len(), 2);
}

/// A skill's command is replaced after the hooks of `input`, before the run; hidden skills answer, unknown names pass.
#[test]
fn a_skills_command_gives_way_to_its_text() {
    let file = "---\nname: tidy\ndescription: Tidies.\ndisable-model-invocation: true\n---\n\nTidy up.\n";
    let machine = machine().with_file("/work/.sf/skills/tidy/SKILL.md", file);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let recorded = seen.clone();
    let mut conversation = setup(&machine, "sf")
        .handler(HookFn::new("ear", [HookEvent::Input, HookEvent::BeforeAgentStart], move |ask| {
            recorded.lock().expect("no test panics here").push(ask.prompt.unwrap_or_default().to_owned());
            Ok(HookReply::default())
        }))
        .start()
        .expect("it starts");
    let text = "<skill name=\"tidy\" location=\"/work/.sf/skills/tidy/SKILL.md\">\n\
                References are relative to /work/.sf/skills/tidy.\n\nTidy up.\n</skill>";
    let mut history = Vec::new();
    assert!(conversation.submit("/skill:tidy  the tests ", &mut history).unwrap());
    assert_eq!(*seen.lock().unwrap(), ["/skill:tidy  the tests ", &format!("{text}\n\nthe tests")]);
    assert_eq!(conversation.input("/skill:tidy", &history).unwrap().as_deref(), Some(text));
    conversation.finish();
    conversation.submit("/skill:nobody here", &mut history).unwrap();
    let texts: Vec<String> = history.iter().map(Message::text).collect();
    assert_eq!(texts, [format!("{text}\n\nthe tests"), "/skill:nobody here".to_owned()]);
    assert!(conversation.take_diagnostics().is_empty());
}

/// A profile that builds at a compaction alone keeps its prompt, whatever the tools are; they follow in requests.
#[test]
fn a_profile_that_keeps_its_prompt_follows_at_the_next_compaction() {
    let machine = machine();
    let request = BuildOptions {
        preset: Some("default".to_owned()),
        trust: preface_engine::TrustChoice::Once,
        tools: ToolChoice::Named(list(&["read", "bash"])),
        ..BuildOptions::in_dir("/work")
    };
    let mut conversation =
        Conversation::setup(Arc::new(machine.clone()), request).start().expect("it starts");
    let base = conversation.base().text.clone();
    machine.put_file("/work/AGENTS.md", "Use blanks.\n");
    assert!(!conversation.reload().expect("a reload"));
    conversation.set_active_tools(&list(&["read"])).expect("other tools");
    conversation.register_tool(tool("plan")).expect("another tool");
    let hook = HookFn::new("few", [HookEvent::BeforeAgentStart], |_| {
        Ok(HookReply { active_tools: Some(list(&["plan"])), ..HookReply::default() })
    });
    let seen = conversation.request(&[]);
    assert_eq!((names(&seen.tools), &seen.prompt.text), (vec!["read", "plan"], &base));
    let diagnostics = conversation.take_diagnostics();
    assert_eq!(diagnostics[0].code.as_str(), "conversation/tools", "{diagnostics:#?}");
    assert_eq!(diagnostics[0].help.as_deref(), Some("a compaction or a refresh builds it for the new one"));
    conversation.on(hook);
    conversation.submit("one", &mut Vec::new()).expect("a run");
    assert_eq!((names(conversation.tools()), &conversation.prompt().text), (vec!["plan"], &base));
    conversation.finish();
    conversation.compact().expect("a compaction");
    let text = &conversation.base().text;
    assert!(text.contains("Use blanks.") && text.contains("plan") && !text.contains("bash"), "{text}");
    conversation.request(&[]);
    assert_eq!(conversation.take_diagnostics(), []);
}
