//! A compaction builds afresh, keeps the plain prompt, and hands out the prompt with the instructions behind it.

use crate::bench::{Bench, id, instant, machine, run, turn_options};
use preface_engine::{
    BuildOptions,
    conversation::ConversationError,
    store::{ConstructReason, Revision},
};

#[test]
fn the_instructions_stand_behind_the_prompt_and_are_not_kept() {
    run(async {
        let bench = Bench::new().await;
        bench.template("Prompt.").await;
        bench.turn("c").await;
        let compacted = bench.compact("c").await;
        let instructions = compacted.instructions.clone();
        assert!(instructions.contains("summary"), "they ask for a summary: {instructions}");
        assert_eq!(compacted.system_prompt(), format!("Prompt.\n\n{instructions}"));
        assert_eq!(&*compacted.head.text, "Prompt.");
        let kept = bench.kept("c").await;
        assert_eq!(&*kept.head.text, "Prompt.");
        assert!(!kept.record.contains("summary"), "the record holds none of it either");
        assert_eq!(&*bench.turn("c").await.head.text, "Prompt.");
    });
}

#[test]
fn an_empty_prompt_gives_the_instructions_alone() {
    run(async {
        let bench = Bench::new().await;
        bench.template("").await;
        bench.turn("c").await;
        let compacted = bench.compact("c").await;
        assert_eq!(compacted.system_prompt(), compacted.instructions);
        assert_eq!(bench.text("c").await, "");
        assert!(bench.turn("c").await.head.text.is_empty());
    });
}

#[test]
fn values_are_fresh_and_the_conversation_keeps_its_age() {
    run(async {
        let bench = Bench::on(machine().with_file("/work/p/a.md", "A")).await;
        bench.template("[file:a.md] [system:date]").await;
        bench.system.set_now(instant(0));
        let first = bench.turn("c").await.head;
        bench.system.put_file("/work/p/a.md", "B");
        bench.system.set_now(instant(86_400));
        let compacted = bench.compact("c").await;
        assert!(compacted.constructed);
        let head = compacted.head;
        assert_eq!((&*first.text, &*head.text), ("A 1970-01-01", "B 1970-01-02"));
        assert_eq!((head.revision.revision, head.reason), (2, ConstructReason::Compaction));
        assert_eq!((head.created_at, head.constructed_at), (first.created_at, instant(20)));
        assert_eq!(bench.kept("c").await.head, head, "what is returned is what is kept");
        assert_eq!(bench.history("c").await, 1);
    });
}

#[test]
fn what_is_said_now_wins_and_the_rest_is_remembered() {
    run(async {
        let bench = Bench::on(machine().with_dir("/work/q")).await;
        bench.template("[prompt:cwd] [prompt:model]").await;
        let options = BuildOptions { model: Some("m-1".into()), ..turn_options() };
        bench.turn_of("c", &options).await.unwrap();
        let model = BuildOptions { model: Some("m-2".into()), ..BuildOptions::default() };
        assert_eq!(&*bench.compact_as("c", &model, None).await.unwrap().head.text, "/work/p m-2");
        let cwd = BuildOptions::in_dir("/work/q");
        assert_eq!(&*bench.compact_as("c", &cwd, None).await.unwrap().head.text, "/work/q m-2");
        assert_eq!(&*bench.compact("c").await.head.text, "/work/q m-2");
    });
}

#[test]
fn template_edits_reach_new_and_compacted_conversations_only() {
    run(async {
        let bench = Bench::new().await;
        bench.template("one").await;
        bench.turn("old").await;
        bench.turn("compacted").await;
        bench.template("two").await;
        bench.compact("compacted").await;
        for (name, text) in [("old", "one"), ("compacted", "two"), ("new", "two")] {
            assert_eq!(&*bench.turn(name).await.head.text, text, "{name}");
        }
    });
}

#[test]
fn a_compaction_that_changes_nothing_is_a_revision_all_the_same() {
    run(async {
        let bench = Bench::new().await;
        bench.template("same").await;
        bench.turn("c").await;
        let compacted = bench.compact("c").await;
        assert!(compacted.constructed);
        assert_eq!(compacted.head.revision.revision, 2);
    });
}

#[test]
fn a_profile_may_keep_its_prompt_and_have_its_own_instructions() {
    run(async {
        let profile = "home = { global = \"config:preface\" }\ntrust = { mode = \"none\" }\n[orders]\nmain = [\"a\"]\n[section.a]\ntext = \
                       \"[file:a.md]\"\n[compaction]\nprompt = \"keep\"\ntext = \"Be short.\"\n";
        let system = machine()
            .with_file("/work/p/a.md", "A")
            .with_file("/home/user/.config/preface/profiles/keeps.toml", profile);
        let bench = Bench::on(system).await;
        let keeps = BuildOptions { preset: Some("keeps".into()), ..turn_options() };
        let first = bench.turn_of("c", &keeps).await.unwrap().head;
        assert_eq!(first.template, None, "the profile takes no template");
        bench.system.put_file("/work/p/a.md", "B");
        let compacted = bench.compact("c").await;
        assert!(!compacted.constructed);
        assert_eq!(compacted.head, first);
        assert_eq!(compacted.system_prompt(), "A\n\nBe short.");
        assert!(
            compacted.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "conversation/kept")
        );
        assert_eq!(bench.history("c").await, 0);
    });
}

#[test]
fn a_bundled_preset_keeps_its_prompt_over_a_compaction() {
    run(async {
        let bench = Bench::on(machine().with_file("/work/p/AGENTS.md", "Tabs.")).await;
        let options = BuildOptions { preset: Some("pi".into()), ..turn_options() };
        let first = bench.turn_of("c", &options).await.unwrap().head;
        bench.system.put_file("/work/p/AGENTS.md", "Blanks.");
        let compacted = bench.compact("c").await;
        assert!(!compacted.constructed);
        assert_eq!(compacted.head, first);
        assert!(first.text.contains("Tabs."), "the context file was there: {}", first.text);
    });
}

#[test]
fn an_unknown_conversation_is_not_compacted() {
    run(async {
        let bench = Bench::new().await;
        let error = bench.compact_as("c", &turn_options(), None).await.unwrap_err();
        assert_eq!(error, ConversationError::Unknown(id("c")));
        assert!(error.help().is_some());
    });
}

#[test]
fn a_compaction_goes_by_what_the_caller_knows() {
    run(async {
        let bench = Bench::new().await;
        let first = bench.turn("c").await.head;
        let second =
            bench.compact_as("c", &BuildOptions::default(), Some(first.revision)).await.unwrap().head;
        let error = bench.compact_as("c", &BuildOptions::default(), Some(first.revision)).await.unwrap_err();
        assert_eq!(error, ConversationError::Stale(Box::new(second.clone())));
        // The revision alone does not do: it may be that of another life.
        let stranger = Revision { revision: second.revision.revision, stamp: second.revision.stamp ^ 1 };
        let error = bench.compact_as("c", &BuildOptions::default(), Some(stranger)).await.unwrap_err();
        assert!(matches!(error, ConversationError::Stale(_)), "{error}");
        assert_eq!(bench.history("c").await, 1);
    });
}
