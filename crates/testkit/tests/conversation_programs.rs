//! Programs of layers as hooks of a conversation: what fails is reported and skipped, and what a project brings is compared with its
//! grant each time.

use preface_engine::{
    ASSETS, BuildOptions, Engine, ToolChoice, TrustChoice,
    conversation::Conversation,
    core::hook::{HookEvent, HookFn, HookReply},
    coverage::HiddenText,
    host::system::{
        RunError,
        testing::{FakeRun, MemorySystem},
    },
};
use std::{sync::Arc, time::Duration};

fn manifest(id: &str, fields: &str) -> String {
    format!(
        r#"{{"id": "{id}", "category": "hooks", "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0", {fields}}}"#
    )
}

fn machine() -> MemorySystem {
    MemorySystem::new().with_bundle(ASSETS).with_home("/home/user").with_dir("/work")
}

fn request() -> BuildOptions {
    BuildOptions {
        preset: Some("pi".to_owned()),
        tools: ToolChoice::Named(vec!["read".to_owned()]),
        now: Some("2026-03-07T14:55:05Z".to_owned()),
        sets: vec!["docs=false".to_owned()],
        ..BuildOptions::in_dir("/work")
    }
}

/// The ways in which a program fails, and the reported reasons.
fn failures() -> Vec<(FakeRun, &'static str)> {
    let limit = 1 << 20;
    vec![
        (FakeRun::printing("{}").taking(Duration::from_secs(60)), "200 ms"),
        (FakeRun::printing(vec![b'x'; limit + 1]), "longer than 1048576 bytes"),
        (FakeRun::failing(7, "no luck"), "exit code 7"),
        (FakeRun::printing("{\"messages\":"), "cannot be used"),
        (FakeRun::printing("[]"), "expected a map"),
        (FakeRun::refused(RunError::NotFound { program: "broken".to_owned() }), "not found"),
    ]
}

/// Two hooks at each event: a program that fails, and a handler that runs after it.
#[test]
fn a_program_that_fails_is_reported_and_the_chain_goes_on() {
    for event in ["resources_discover", "input", "before_agent_start", "context"] {
        for (fake, words) in failures() {
            let hook = |id: &str| {
                let fields = format!(r#""event": "{event}", "command": ["{id}"], "timeoutMs": 200"#);
                (format!("/home/user/.sf/agent/extensions/hooks/{id}/manifest.json"), manifest(id, &fields))
            };
            let mut machine = machine().with_command(["broken"], fake);
            let (path, text) = hook("broken");
            machine = machine.with_file(path, text).with_dir("/skills");
            let last = HookFn::new("last", HookEvent::ALL, |ask| {
                Ok(match ask.event {
                    HookEvent::Input => HookReply {
                        prompt: Some(format!("{}!", ask.prompt.unwrap_or_default())),
                        ..HookReply::default()
                    },
                    HookEvent::BeforeAgentStart => HookReply {
                        system_prompt: Some(format!("{}+", ask.system_prompt.unwrap_or_default())),
                        ..HookReply::default()
                    },
                    HookEvent::Context => HookReply {
                        messages: Some(ask.messages.iter().chain(ask.messages.iter()).cloned().collect()),
                        ..HookReply::default()
                    },
                    _ => HookReply::default(),
                })
            });
            let setup = Conversation::setup(Arc::new(machine.clone()), request()).handler(last);
            let (mut conversation, mut history) = (setup.start().expect("it starts"), Vec::new());
            assert!(conversation.submit("one", &mut history).expect("a run"));
            let seen = conversation.request(&history);
            assert_eq!(seen.prompt.text, format!("{}+", conversation.base().text), "{event}");
            let texts: Vec<String> = seen.messages.iter().map(|one| one.text()).collect();
            assert_eq!(texts, ["one!", "one!"], "{event}");
            conversation.finish();
            let mut diagnostics = conversation.base().diagnostics.clone();
            diagnostics.extend(conversation.take_diagnostics());
            let failed: Vec<_> =
                diagnostics.iter().filter(|diagnostic| diagnostic.code.as_str() == "hook/error").collect();
            assert_eq!(failed.len(), 1, "{event}: {diagnostics:#?}");
            assert!(failed[0].message.contains(words), "{event}: {}", failed[0].message);
            assert!(failed[0].message.contains("hook `broken` failed at"), "{}", failed[0].message);
            assert_eq!(machine.runs().len(), 1, "{event}: it is not tried again");
            assert_eq!(machine.runs()[0].timeout, Duration::from_millis(200));
        }
    }
}

/// A grant ends with the first byte that differs, in a conversation that began before as well.
#[test]
fn a_projects_hook_that_changed_does_not_run_at_the_next_run_or_request() {
    for event in ["before_agent_start", "context", "input"] {
        let dir = "/work/.sf/extensions/hooks/house";
        let fields = format!(r#""event": "{event}", "command": ["./house.sh"]"#);
        let machine = machine()
            .with_file(format!("{dir}/manifest.json"), manifest("house", &fields))
            .with_file(format!("{dir}/house.sh"), "1")
            .with_mode(format!("{dir}/house.sh"), 0o755)
            .with_command([format!("{dir}/house.sh").as_str()], FakeRun::printing(""));
        let ask = BuildOptions { trust: TrustChoice::Ask, ..request() };
        let engine = Engine::new(&machine);
        preface_testkit::grant(&engine, &ask, &[], HiddenText::Refuse).expect("a grant");
        let granted = engine.grant_commands(&ask, &[], None).expect("a grant");
        assert_eq!(granted.added.len(), 1, "{:?}", granted.refused);
        let setup = Conversation::setup(Arc::new(machine.clone()), ask);
        let mut conversation = setup.start().expect("it starts");
        let mut run = |words: &str| {
            let before = machine.runs().len();
            let mut history = Vec::new();
            conversation.submit(words, &mut history).expect("a run");
            conversation.request(&history);
            conversation.finish();
            (machine.runs().len() - before, conversation.take_diagnostics())
        };
        let put = |text: &str| {
            machine.put_file(format!("{dir}/house.sh"), text);
            drop(machine.clone().with_mode(format!("{dir}/house.sh"), 0o755));
        };
        assert_eq!(run("one"), (1, vec![]), "{event}");
        put("2");
        let (ran, diagnostics) = run("two");
        assert_eq!(ran, 0, "{event}: it changed");
        let codes: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect();
        assert_eq!(codes, ["extension/needs-grant", "hook/error"], "{event}");
        assert!(
            diagnostics[0].message.contains("it changed since you allowed it"),
            "{}",
            diagnostics[0].message
        );
        let (ran, diagnostics) = run("three");
        assert_eq!((ran, diagnostics.len(), diagnostics[0].code.as_str()), (0, 1, "hook/error"), "{event}");
        put("1");
        assert_eq!(run("four"), (1, vec![]), "{event}: the old bytes are granted still");
    }
}

/// Between two requests of one run, too.
#[test]
fn grants_are_compared_before_each_request() {
    let dir = "/work/.sf/extensions/hooks/house";
    let machine = machine()
        .with_file(
            format!("{dir}/manifest.json"),
            manifest("house", r#""event": "context", "command": ["./house.sh"]"#),
        )
        .with_file(format!("{dir}/house.sh"), "1")
        .with_mode(format!("{dir}/house.sh"), 0o755)
        .with_command([format!("{dir}/house.sh").as_str()], FakeRun::printing(r#"{"messages": []}"#));
    let engine = Engine::new(&machine);
    preface_testkit::grant(&engine, &request(), &[], HiddenText::Refuse).expect("a grant");
    engine.grant_commands(&request(), &[], None).expect("a grant");
    let setup = Conversation::setup(Arc::new(machine.clone()), request());
    let (mut conversation, mut history) = (setup.start().expect("it starts"), Vec::new());
    conversation.submit("one", &mut history).expect("a run");
    assert_eq!(conversation.request(&history).messages.len(), 0);
    machine.put_file(format!("{dir}/house.sh"), "2");
    assert_eq!(conversation.request(&history).messages.len(), 1);
    assert_eq!(machine.runs().len(), 1);
}
