//! What was gathered for one prompt serves the next, and nobody can tell but by the clock.

use crate::bench::{at, id, instant, machine, memory, run};
use preface_engine::{
    BuildOptions,
    conversation::{ConversationService, InlineOffload},
    host::system::testing::MemorySystem,
    store::{Actor, ExpectedVersion, NewVersion, Revision, Store, StoredPrompt},
};
use proptest::prelude::*;
use std::sync::Arc;

const SETTINGS: &str = "/home/user/.config/preface/settings.json";
const RULES: &str = "/work/p/AGENTS.md";

/// What can change between two first turns.
#[derive(Clone, Debug)]
enum Change {
    Nothing,
    Put(&'static str, &'static str),
    Remove(&'static str),
    Template(&'static str),
    Day(i64),
}

fn change() -> impl Strategy<Value = Change> {
    let files = prop::sample::select(vec![
        (SETTINGS, r#"{"sections": {"mine": {"text": "Mine."}}}"#),
        (SETTINGS, r#"{"budget": {"tokens": 100000}}"#),
        (SETTINGS, "{"),
        (RULES, "Use tabs."),
        (RULES, "Use spaces."),
        ("/work/AGENTS.md", "From above."),
        ("/work/p/.preface/sections/tone.md", "Be terse."),
        ("/work/p/.preface/settings.json", r#"{"sections": {"tone": {"order": 1}}}"#),
        ("/home/user/.config/preface/sections/tone.md", "Be kind."),
        ("/home/user/.config/preface/profiles/template.toml", "extends = \"default\""),
        ("/home/user/.config/preface/template.md", "My own. [file:AGENTS.md]"),
    ]);
    let all = [SETTINGS, RULES, "/work/p/.preface", "/home/user/.config/preface"];
    prop_oneof![
        2 => Just(Change::Nothing),
        3 => files.prop_map(|(path, text)| Change::Put(path, text)),
        1 => prop::sample::select(all.to_vec()).prop_map(Change::Remove),
        1 => prop::sample::select(vec!["", "[system:date] [prompt:conversation_id]", "<[file:AGENTS.md]>"])
            .prop_map(Change::Template),
        1 => (1i64..9).prop_map(Change::Day),
    ]
}

/// The first prompt of a conversation, as it is kept.
async fn first(
    service: &ConversationService,
    store: &dyn Store,
    name: &str,
    options: &BuildOptions,
) -> StoredPrompt {
    let turned = service.first_turn(&id(name), options, &at(10)).await.expect("a turn");
    assert!(turned.constructed);
    let mut kept = store.conversation(&id(name)).await.expect("the store answers").expect("it is kept");
    kept.head.revision = Revision { stamp: Default::default(), ..kept.head.revision };
    kept
}

async fn play(preset: &str, changes: Vec<Change>) -> Result<(), TestCaseError> {
    let system = Arc::new(machine().with_file(RULES, "Use tabs."));
    let store = memory().await;
    let service = |store: &Arc<dyn Store>| {
        ConversationService::new(system.clone(), store.clone(), Arc::new(InlineOffload))
            .with_roots(&["/work".into()])
    };
    let lasting = service(&store);
    let options = BuildOptions { preset: Some(preset.to_owned()), ..BuildOptions::in_dir("/work/p") };
    for (number, change) in changes.into_iter().enumerate() {
        match change {
            Change::Nothing => {}
            Change::Put(path, text) => system.put_file(path, text),
            Change::Remove(path) => system.cut(path),
            Change::Day(day) => system.set_now(instant(day * 86_400)),
            Change::Template(text) => {
                let new = NewVersion::of("main".parse().unwrap(), text);
                store
                    .put_template(new, ExpectedVersion::Any, &Actor::at("tester", instant(0)))
                    .await
                    .unwrap();
            }
        }
        let name = number.to_string();
        let kept = first(&lasting, &*store, &name, &options).await;
        store.delete(&id(&name), None, &at(0)).await.unwrap();
        // Somebody who gathers for the first time.
        let anew = first(&service(&store), &*store, &name, &options).await;
        prop_assert_eq!(kept, anew);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_prompt_is_what_it_would_be_if_everything_were_gathered_anew(
        preset in prop::sample::select(vec!["template", "default"]),
        changes in prop::collection::vec(change(), 1..16),
    ) {
        run(play(preset, changes))?;
    }
}

/// Builds first prompts of new conversations.
async fn firsts(system: &MemorySystem, names: &[&str]) -> usize {
    let store = memory().await;
    let service = ConversationService::new(Arc::new(system.clone()), store.clone(), Arc::new(InlineOffload));
    let options = BuildOptions { preset: Some("template".to_owned()), ..BuildOptions::in_dir("/work/p") };
    let before = system.reads(SETTINGS);
    for name in names {
        first(&service, &*store, name, &options).await;
    }
    system.reads(SETTINGS) - before
}

#[test]
fn what_did_not_change_is_read_once() {
    let system = machine().with_file(SETTINGS, "{}").with_file(RULES, "Use tabs.");
    run(async {
        let once = firsts(&system, &["a"]).await;
        assert!(once > 0);
        assert_eq!(firsts(&system, &["a", "b", "c"]).await, once);
    });
}

/// What is remembered takes room among the files of a build as what is read does.
#[test]
fn remembered_files_take_their_room() {
    let system = Arc::new(machine().with_file("/work/p/large.md", vec![b'a'; 1 << 20]));
    let spelled = |times: usize| format!("[if file:{}large.md]x[endif]", "./".repeat(times));
    run(async {
        let store = memory().await;
        let service = || {
            ConversationService::new(system.clone(), store.clone(), Arc::new(InlineOffload))
                .with_roots(&["/work".into()])
        };
        let (lasting, options) = (
            service(),
            BuildOptions { preset: Some("template".to_owned()), ..BuildOptions::in_dir("/work/p") },
        );
        let put = async |text: String| {
            let new = NewVersion::of("main".parse().unwrap(), text.as_str());
            store.put_template(new, ExpectedVersion::Any, &Actor::at("tester", instant(0))).await.unwrap();
        };
        put(spelled(0)).await;
        first(&lasting, &*store, "a", &options).await;
        put((0..65).map(spelled).collect()).await;
        let kept = first(&lasting, &*store, "b", &options).await;
        store.delete(&id("b"), None, &at(0)).await.unwrap();
        assert_eq!(kept, first(&service(), &*store, "b", &options).await, "64 of the 65 files have room");
    });
}
