//! The first turn builds, later ones read, whatever has changed meanwhile.

use crate::bench::{Bench, at, id, instant, machine, run, turn_options};
use preface_engine::{
    BuildOptions, ToolChoice,
    conversation::RequestInput,
    core::{diagnostic::Diagnostics, format},
    store::{ConstructReason, PromptSummary, StoredPrompt},
};

/// A template that depends on everything that can change.
const ALL: &str =
    "[system:time] [prompt:cwd] [prompt:model] [prompt:conversation_id] [file:a.md] [git:branch]";

fn codes(diagnostics: &Diagnostics) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn a_first_turn_builds_and_says_what_it_built() {
    run(async {
        let bench = Bench::new().await;
        bench.template("Hello [prompt:conversation_id], in [prompt:cwd].").await;
        let options = BuildOptions { model: Some("m-1".into()), ..turn_options() };
        let turned = bench.turn_of("c", &options).await.unwrap();
        assert!(turned.constructed);
        let PromptSummary { revision, text, bytes, cwd, model, preset, template, reason, created_at, .. } =
            turned.head;
        assert_eq!((&*text, bytes, revision.revision), ("Hello c, in /work/p.", 20, 1));
        assert_eq!((cwd.as_str(), model.as_deref(), preset.as_str()), ("/work/p", Some("m-1"), "template"));
        assert_eq!((reason, created_at), (ConstructReason::FirstTurn, instant(10)));
        let used = template.expect("the preset takes a template");
        assert_eq!((used.chosen.as_str(), used.name.as_str(), used.version), ("main", "main", Some(1)));
        assert!(bench.kept("c").await.is_whole(), "the fingerprint is the text's");
    });
}

#[test]
fn later_turns_read_what_was_built_whatever_changed() {
    run(async {
        let system = machine()
            .with_file("/work/p/a.md", "A")
            .with_file("/work/p/.git/HEAD", "ref: refs/heads/main\n")
            .with_file("/work/p/.git/refs/heads/main", format!("{}\n", "12".repeat(20)))
            .with_dir("/work/p/.git/objects")
            .with_dir("/work/q");
        let bench = Bench::on(system).await;
        bench.template(ALL).await;
        bench.system.set_now(instant(0));
        let options = BuildOptions { model: Some("m-1".into()), ..turn_options() };
        let first = bench.turn_of("c", &options).await.unwrap();
        assert_eq!(&*first.head.text, "1970-01-01T00:00:00.000Z /work/p m-1 c A main");

        bench.template("Other.").await;
        bench.system.set_now(instant(86_400));
        bench.system.put_file("/work/p/a.md", "B");
        bench.system.put_file("/work/p/.git/HEAD", "ref: refs/heads/other\n");
        let moved = BuildOptions { cwd: Some("/work/q".into()), model: Some("m-2".into()), ..options };
        let later = bench.turn_of("c", &moved).await.unwrap();
        assert!(!later.constructed);
        assert_eq!(later.head, first.head);
        assert_eq!(bench.history("c").await, 0);

        let compacted = bench.compact_as("c", &moved, None).await.unwrap();
        assert_eq!((&*compacted.head.text, compacted.head.revision.revision), ("Other.", 2));
        assert_eq!(&*bench.turn("c").await.head.text, "Other.");
    });
}

#[test]
fn a_later_turn_looks_at_nothing() {
    run(async {
        let bench = Bench::on(machine().with_file("/work/p/AGENTS.md", "Tabs.")).await;
        bench.turn("c").await;
        bench.system.clear_touches();
        bench.turn("c").await;
        assert_eq!(bench.system.touches(), []);
    });
}

#[test]
fn a_later_turn_hears_where_it_asks_for_something_else() {
    run(async {
        let bench = Bench::new().await;
        let first = BuildOptions { model: Some("m-1".into()), ..turn_options() };
        bench.turn_of("c", &first).await.unwrap();
        assert_eq!(codes(&bench.turn_of("c", &first).await.unwrap().diagnostics), [""; 0]);
        assert_eq!(codes(&bench.turn_of("c", &BuildOptions::default()).await.unwrap().diagnostics), [""; 0]);
        let other = BuildOptions {
            cwd: Some("/elsewhere".into()),
            model: Some("m-2".into()),
            preset: Some("default".into()),
            template: Some("review".into()),
            ..BuildOptions::default()
        };
        let diagnostics = bench.turn_of("c", &other).await.unwrap().diagnostics;
        let told =
            ["conversation/options", "conversation/options", "conversation/options", "conversation/options"];
        assert_eq!(codes(&diagnostics), told);
        assert!(diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()), "each says what to do");
        let unknown = BuildOptions { preset: Some("defualt".into()), ..BuildOptions::default() };
        let diagnostics = bench.turn_of("c", &unknown).await.unwrap().diagnostics;
        assert_eq!(codes(&diagnostics), ["conversation/options"]);
        let says =
            "the prompt was built for the preset `template` and is not built again; this turn has `defualt`";
        assert_eq!(diagnostics[0].message, says);
    });
}

/// The help names what builds the prompt again in this profile: a compaction of `pi` does not.
#[test]
fn the_help_for_other_tools_works_in_the_profile() {
    run(async {
        let tools = |names: &[&str]| {
            let names = names.iter().map(|name| (*name).to_owned()).collect();
            BuildOptions { tools: ToolChoice::Named(names), ..BuildOptions::default() }
        };
        for (preset, help) in [
            ("pi", "a refresh builds it for the new one"),
            ("default", "a compaction or a refresh builds it for the new one"),
        ] {
            let bench = Bench::new().await;
            let first = BuildOptions { preset: Some(preset.into()), ..tools(&["read", "bash"]) };
            bench.turn_of("c", &BuildOptions { cwd: Some("/work/p".into()), ..first }).await.unwrap();
            let later = BuildOptions { model: Some("m-2".into()), ..tools(&["read"]) };
            let diagnostics = bench.turn_of("c", &later).await.unwrap().diagnostics;
            assert_eq!(codes(&diagnostics), ["conversation/options", "conversation/tools"], "{preset}");
            assert!(diagnostics.iter().all(|one| one.help.as_deref() == Some(help)), "{diagnostics:#?}");
            let input = RequestInput::new(format::find("anthropic").expect("a format"));
            let request = bench.service.request(&id("c"), &tools(&["read"]), input, &at(20)).await.unwrap();
            assert!(codes(&request.diagnostics).contains(&"conversation/tools"), "{preset}");
        }
    });
}

#[test]
fn a_model_that_was_never_told_is_something_else() {
    run(async {
        let bench = Bench::new().await;
        bench.turn("c").await;
        let named = BuildOptions { model: Some("m-1".into()), ..BuildOptions::default() };
        assert_eq!(codes(&bench.turn_of("c", &named).await.unwrap().diagnostics), ["conversation/options"]);
    });
}

#[test]
fn conversations_do_not_share_a_prompt() {
    run(async {
        let bench = Bench::new().await;
        bench.template("[prompt:conversation_id]").await;
        for name in ["a", "A", "a ", "a/b", "../a", "ä", "%61"] {
            assert_eq!(&*bench.turn(name).await.head.text, name);
        }
    });
}

#[test]
fn an_empty_prompt_is_kept_as_one() {
    run(async {
        let bench = Bench::new().await;
        bench.template("").await;
        let first = bench.turn("c").await;
        assert!(first.constructed && first.head.text.is_empty());
        bench.template("Not empty.").await;
        let later = bench.turn("c").await;
        assert!(!later.constructed && later.head.text.is_empty());
    });
}

#[test]
fn a_forgotten_conversation_begins_again() {
    run(async {
        let bench = Bench::new().await;
        bench.template("one").await;
        let first = bench.turn("c").await.head;
        bench.compact("c").await;
        bench.template("two").await;
        assert!(bench.store.delete(&id("c"), None, &at(40)).await.unwrap());
        let again = bench.turn("c").await;
        assert!(again.constructed);
        assert_eq!((&*again.head.text, again.head.revision.revision), ("two", 1));
        assert_ne!(again.head.revision, first.revision, "a seal tells the two lives apart");
        assert_eq!(bench.history("c").await, 0);
    });
}

#[test]
fn a_construct_that_fails_keeps_nothing() {
    run(async {
        let bench = Bench::new().await;
        bench.template(&format!("{}x{}", "[if a:a]".repeat(1_001), "[endif]".repeat(1_001))).await;
        assert!(bench.turn_of("c", &turn_options()).await.is_err());
        let kept: Option<StoredPrompt> = bench.store.conversation(&id("c")).await.unwrap();
        assert_eq!(kept, None);
        bench.template("ok").await;
        bench.turn("d").await;
        bench.template(&format!("{}x{}", "[if a:a]".repeat(1_001), "[endif]".repeat(1_001))).await;
        assert!(bench.compact_as("d", &BuildOptions::default(), None).await.is_err());
        assert_eq!(bench.text("d").await, "ok", "the old prompt stays");
    });
}
