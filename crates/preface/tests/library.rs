//! The library as a program uses it, on real directories.

use preface::{
    Error, ErrorKind, Format, HookEvent, HookFn, HookHandler, HookReply, Preface, Prompt, Store, Tool, Trust,
};
use serde_json::{Value, json};
use std::{error::Error as _, fs, path::PathBuf};
use tempfile::TempDir;

/// A home and a project, both empty.
struct Machine {
    dir: TempDir,
    preface: Preface,
}

impl Machine {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let preface = Preface::with_home(dir.path().join("home"));
        let machine = Machine { dir, preface };
        fs::create_dir_all(machine.project()).unwrap();
        machine
    }

    fn project(&self) -> PathBuf {
        self.dir.path().join("project")
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn prompt(&self) -> preface::PromptBuilder {
        self.preface.prompt(self.project()).now("2026-03-07T14:55:05Z").time_zone("UTC")
    }
}

#[test]
fn threads_share_it() {
    fn shared<T: Clone + Send + Sync>() {}
    shared::<Preface>();
    shared::<Store>();
    shared::<Prompt>();
    shared::<Error>();
    let machine = Machine::new();
    let expected = machine.prompt().build().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(machine.prompt().build().unwrap().text(), expected.text()));
        }
    });
}

#[test]
fn text_of_the_project_needs_trust() {
    let machine = Machine::new();
    machine.file("project/AGENTS.md", "Run `just test`.");
    let build = |trust| machine.prompt().trust(trust).build();
    assert!(build(Trust::Once).unwrap().text().contains("just test"));
    for trust in [Trust::Recorded, Trust::Deny] {
        assert!(!build(trust).unwrap().text().contains("just test"), "{trust:?}");
    }
    let error = build(Trust::Require).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (ErrorKind::Untrusted, "not trusted: AGENTS.md (new)")
    );
    assert_eq!(error.code(), "trust/required");
    assert!(error.help().is_some());
}

#[test]
fn errors_have_kind_place_and_help() {
    let machine = Machine::new();
    let error = machine.prompt().budget(5).build().unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::TooLarge, "budget/over"));
    let error = machine.prompt().variable("name", "x").build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(error.to_string(), "not a variable name (`type:name`): `name`");
    let error = machine.prompt().setting("", 1).build().unwrap_err();
    assert_eq!(error.to_string(), "not the path of a setting: ``");
    let error = machine.prompt().now("yesterday").build().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);

    machine.file("own.toml", "extends = \"default\"\n[[guideline]]\ntxt = \"Be brief.\"\n");
    let error = machine.prompt().profile(machine.dir.path().join("own.toml")).build().unwrap_err();
    let location = error.place().unwrap();
    assert_eq!((error.kind(), location.line), (ErrorKind::Config, Some(3)), "{error:?}");
    assert!(location.to_string().ends_with("own.toml:3:1"), "{location}");
    assert!(!error.to_string().contains("own.toml"), "{error}: the place is a field of its own");
    assert!(error.source().is_none(), "the message of the cause is that of the error");

    let error = Prompt::from_snapshot("{}").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Snapshot);
    let error = "openai".parse::<Format>().unwrap_err();
    assert!(error.help().unwrap().contains("`openai-responses`"));
    let options = json!({"tools": [{"name": "x", "parameters": {}}]});
    let error = Machine::new().prompt().options(options).build().unwrap_err();
    assert!(error.to_string().contains("not a tool: unknown field `parameters`"), "{error}");
}

#[test]
fn settings_are_values_and_no_command_line_syntax() {
    let machine = Machine::new();
    let prompt = machine.prompt().setting("systemPrompt.append", "true").build().unwrap();
    assert!(prompt.text().ends_with("true"), "a text that is JSON stays a text");
    let prompt = machine.prompt().setting("sections.identity.disable", true).build().unwrap();
    assert!(prompt.absent().iter().any(|absent| absent.section.as_str() == "identity"));
    let with_equals = machine.prompt().setting("systemPrompt.append", "a=b").build().unwrap();
    assert!(with_equals.text().ends_with("a=b"));
}

#[test]
fn nothing_of_the_environment_gets_in() {
    let machine = Machine::new();
    machine.file("home/.config/preface/system.md", "A rule of this home.");
    assert!(machine.prompt().build().unwrap().text().contains("A rule of this home."));
    let elsewhere = Preface::with_home(machine.dir.path().join("other"));
    assert!(!elsewhere.prompt(machine.project()).build().unwrap().text().contains("A rule of this home."));
}

#[test]
fn tools_are_names_or_definitions() {
    let machine = Machine::new();
    let own = Tool { strict: true, ..Tool::new("deploy").description("Deploys.") };
    let prompt = machine.prompt().tools([own, Tool::new("read")]).build().unwrap();
    let names: Vec<&str> = prompt.tools().iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["deploy", "read"]);
    assert_eq!(
        json!(prompt.tools()[0]),
        json!({"name": "deploy", "description": "Deploys.", "snippet": "Deploys.", "strict": true})
    );
    let request = prompt.request(Format::Anthropic).model("claude-opus-5-5").build().unwrap();
    assert_eq!(request.to_json()["tools"][0]["name"], "deploy");
}

#[test]
fn the_parts_the_blocks_and_the_spans_tile_the_text() {
    let machine = Machine::new();
    let prompt = machine.prompt().tools(["read", "bash"]).build().unwrap();
    let text = prompt.text();
    assert_eq!(prompt.parts().iter().map(|part| prompt.text_of(part)).collect::<String>(), text);
    assert_eq!(prompt.blocks().into_iter().map(|block| &text[block.range]).collect::<String>(), text);
    let end = prompt.spans().fold(0, |end, (range, origin)| {
        assert_eq!(range.start, end);
        assert_eq!(prompt.origin_at(end), Some((range.clone(), origin)));
        range.end
    });
    assert_eq!(end, text.len());
    assert_eq!(prompt.origin_at(end), None);
    let document: Value = serde_json::from_str(&prompt.to_json().unwrap()).unwrap();
    assert_eq!(document["fingerprint"].as_str(), Some(prompt.fingerprint().as_str()));
    assert_eq!(document["tokens"]["count"], prompt.tokens());
}

fn names(tools: &[Tool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// Adds a sentence to the prompt of each run.
fn brief() -> impl HookHandler {
    HookFn::new("tone", [HookEvent::BeforeAgentStart], |call| {
        let prompt = call.system_prompt.unwrap_or_default();
        Ok(HookReply { system_prompt: Some(format!("{prompt}\nBe brief.")), ..HookReply::default() })
    })
}

#[test]
fn without_a_store_a_conversation_holds_its_prompt() {
    let machine = Machine::new();
    let mut chat = machine.prompt().preset("pi").tools(["read"]).conversation(None, "c1").unwrap();
    assert!(chat.is_new() && chat.text().contains("- read:"));
    chat.on(brief());
    chat.on(HookFn::new("shy", [HookEvent::Input, HookEvent::Context], |call| {
        call.messages.retain(|message| message["content"] != "secret");
        Ok(HookReply { handled: call.prompt == Some("/help"), ..HookReply::default() })
    }));
    assert_eq!(chat.submit("/help", &json!([])).unwrap(), None);
    let earlier = json!([{"role": "user", "content": "secret"}, {"role": "assistant", "content": "No."}]);
    let history = chat.submit("Fix the tests.", &earlier).unwrap().unwrap();
    assert_eq!(history.as_array().unwrap().len(), 3);
    let request = |chat: &mut preface::Conversation| {
        chat.request(Format::Anthropic).model("claude-opus-5-5").messages(&history).build().unwrap()
    };
    let first = request(&mut chat);
    assert!(first.body().contains("Be brief.") && !first.body().contains("secret"), "{}", first.body());
    assert_eq!((first.number(), first.extends()), (None, None));
    chat.finish();
    assert!(!request(&mut chat).body().contains("Be brief."));
    let error = chat.record_usage(1, preface::RequestUsage::default()).unwrap_err();
    assert_eq!(error.to_string(), "the conversation has no store");
}

/// The prompt follows the tools at once or at the next compaction, as the profile has it, with a store and without.
#[test]
fn the_profile_decides_when_the_prompt_follows_the_tools() {
    for (preset, follows) in [("pi", true), ("default", false)] {
        let machine = Machine::new();
        let open = || machine.prompt().preset(preset).tools(["read", "bash"]).conversation(None, "c1");
        let mut chat = open().unwrap();
        let before = chat.text().to_owned();
        chat.set_active_tools(["read"]).unwrap();
        assert_eq!((names(chat.tools()), chat.text() != before), (vec!["read"], follows), "{preset}");
        let deploy = Tool::new("deploy").description("Deploys.");
        chat.register_tool(deploy).unwrap();
        assert_eq!(names(chat.tools()), ["read", "deploy"]);
        chat.set_active_tools(["raed"]).unwrap();
        assert!(chat.diagnostics().iter().any(|one| one.code.as_str() == "tool/unknown"));
        chat.set_active_tools(["read", "deploy"]).unwrap();
        let request = chat.request(Format::Anthropic).model("claude-opus-5-5").build().unwrap();
        assert_eq!(request.to_json()["tools"].as_array().unwrap().len(), 2, "{preset}");
        let codes = request.diagnostics().iter().map(|one| one.code.as_str());
        let codes: Vec<&str> = codes.filter(|code| code.starts_with("conversation/")).collect();
        let expected: &[&str] = if follows { &[] } else { &["conversation/tools"] };
        assert_eq!(codes, expected, "{preset}");

        machine.file("home/.sf/agent/AGENTS.md", "Use blanks.");
        machine.file("home/.config/preface/append.md", "Use blanks.");
        assert_eq!(chat.reload().unwrap(), follows, "{preset}");
        chat.compact().unwrap();
        assert!(chat.text().contains("Use blanks.") && chat.text().contains("deploy"), "{}", chat.text());
        let request = chat.request(Format::Anthropic).build().unwrap();
        assert!(
            request.diagnostics().iter().all(|one| one.code.as_str() != "conversation/tools"),
            "{preset}"
        );
    }
}

#[cfg(feature = "store-sqlite")]
mod stores {
    use super::*;

    #[test]
    fn what_is_stored_is_the_base() {
        let machine = Machine::new();
        let store = Store::memory().unwrap();
        let open = |tools: &[&str]| {
            let builder = machine.prompt().preset("pi").model("claude-opus-5-5");
            builder.tools(tools.iter().copied()).conversation(&store, "c1").unwrap()
        };
        let mut chat = open(&["read", "bash"]);
        chat.on(brief());
        let history = chat.submit("Fix the tests.", &json!([])).unwrap().unwrap();
        let first = chat.request(Format::Anthropic).messages(&history).build().unwrap();
        assert!(first.body().contains("Be brief."));
        chat.finish();
        chat.set_active_tools(["read"]).unwrap();
        let text = chat.text().to_owned();
        assert!(!text.contains("- bash:") && !text.contains("Be brief."));

        // A later program gets what is stored, and hears that its tools are others; a profile that builds at once does that.
        let same = open(&["read"]);
        assert_eq!((same.is_new(), same.text()), (false, text.as_str()));
        let other = open(&["read", "bash"]);
        assert!(other.is_new() && other.text().contains("- bash:"));
        // The first one takes what the other stored.
        let second = chat.request(Format::Anthropic).messages(&history).build().unwrap();
        assert_eq!((second.number(), chat.text()), (Some(2), other.text()));
        assert!(second.body().contains("- bash:"));
    }
    use preface::RequestUsage;

    fn user(text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    #[test]
    fn a_conversation_keeps_its_prompt_and_extends_its_requests() {
        let machine = Machine::new();
        let store = Store::memory().unwrap();
        let open =
            || machine.prompt().preset("claude-code").model("claude-opus-5-5").conversation(&store, "c1");
        let mut chat = open().unwrap();
        assert!(chat.is_new());
        let text = chat.text().to_owned();

        chat.remind(json!({"type": "todo-list-empty"})).unwrap();
        let mut history = vec![user("Fix the tests.")];
        let first = chat.request(Format::Anthropic).messages(&json!(history)).build().unwrap();
        assert_eq!((first.number(), first.extends()), (Some(1), None));
        assert!(first.body().contains("<system-reminder>"), "{}", first.body());
        chat.record_usage(1, RequestUsage { input_tokens: 9, ..RequestUsage::default() }).unwrap();
        assert_eq!(
            chat.record_usage(7, RequestUsage::default()).unwrap_err().kind(),
            ErrorKind::Conversation
        );

        // Another process, later: other settings do not change the stored prompt.
        machine.file("home/.config/preface/system.md", "New.");
        let mut chat = open().unwrap();
        assert!(!chat.is_new());
        assert_eq!(chat.text(), text);
        history.extend([json!({"role": "assistant", "content": "Done."}), user("Thanks.")]);
        let second = chat.request(Format::Anthropic).messages(&json!(history)).build().unwrap();
        assert_eq!((second.number(), second.extends()), (Some(2), Some(true)));

        let instructions = chat.compact().unwrap();
        let request = chat.request(Format::Anthropic).messages(&json!(history)).compaction(&instructions);
        assert!(request.build().unwrap().body().contains(&json!(instructions).to_string()[1..20]));
        assert_eq!(open().unwrap().id(), "c1");
    }

    #[test]
    fn a_refresh_takes_what_is_there_now() {
        let machine = Machine::new();
        let store = Store::memory().unwrap();
        let mut chat = machine.prompt().conversation(&store, "c1").unwrap();
        assert!(!chat.refresh().unwrap());
        machine.file("home/.config/preface/append.md", "New.");
        assert!(chat.refresh().unwrap());
        assert!(chat.text().contains("New."));
        let error = machine.prompt().conversation(&store, "").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
    }

    #[test]
    fn a_file_keeps_a_conversation() {
        let machine = Machine::new();
        let file = machine.dir.path().join("preface.db");
        let open = || {
            let store = Store::sqlite(&file).unwrap();
            machine.prompt().conversation(&store, "c1").unwrap()
        };
        assert!(open().is_new());
        assert!(!open().is_new());
        let error = Store::sqlite(machine.project()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Store);
    }

    #[test]
    fn a_template_of_the_users_store_is_named() {
        use preface_engine::templates;
        use preface_store::{Actor, ExpectedVersion, NewVersion, StoreUrl, TemplateName, open};

        let machine = Machine::new();
        let state = machine.dir.path().join("home/.local/state/preface");
        fs::create_dir_all(&state).unwrap();
        let build = |name: Option<&str>| {
            let builder =
                machine.preface.prompt(machine.project()).preset("template").variable("app:name", "Ada");
            name.into_iter().fold(builder, preface::PromptBuilder::template).build()
        };
        assert!(build(None).unwrap().text().starts_with("You are"), "nothing is stored");
        pollster::block_on(async {
            let store = open(&StoreUrl::Sqlite(state.join("preface.db"))).await.unwrap();
            let (main, actor) = (TemplateName::main(), Actor::new("test"));
            for text in ["First for [app:name].", "Second."] {
                let new = NewVersion::of(main.clone(), text);
                templates::put(&*store, new, ExpectedVersion::Any, &actor).await.unwrap();
            }
            templates::set_label(&*store, &main, "prod", Some(1), &actor).await.unwrap();
            store.close().await.unwrap();
        });
        assert_eq!(build(None).unwrap().text(), "Second.");
        assert_eq!(build(Some("main@prod")).unwrap().text(), "First for Ada.");
        assert_eq!(build(Some("main@2")).unwrap().text(), "Second.");
        let error = build(Some("main@pord")).unwrap_err();
        assert_eq!((error.kind(), error.help()), (ErrorKind::Usage, Some("did you mean `prod`?")));
    }
}
