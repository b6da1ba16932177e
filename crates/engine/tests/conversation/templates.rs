//! Which template a conversation is built from.

use crate::bench::{Bench, machine, run, turn_options};
use preface_engine::{BuildOptions, conversation::ConversationError};

fn with(template: &str) -> BuildOptions {
    BuildOptions { template: Some(template.into()), ..turn_options() }
}

#[test]
fn a_conversation_may_choose_a_template_a_label_or_a_version() {
    run(async {
        let bench = Bench::new().await;
        bench.template("main").await;
        let first = bench.named("review", "first").await;
        bench.named("review", "second").await;
        bench.label("review", "stable", Some(first)).await;
        for (choice, text, version) in [
            ("review", "second", 2),
            ("review@1", "first", 1),
            ("review@2", "second", 2),
            ("review@stable", "first", 1),
            ("main", "main", 1),
            ("main@1", "main", 1),
        ] {
            let head = bench.turn_of(choice, &with(choice)).await.unwrap().head;
            let used = head.template.expect("a template was used");
            assert_eq!((&*head.text, used.chosen.as_str(), used.version), (text, choice, Some(version)));
        }
    });
}

#[test]
fn a_label_that_moves_moves_at_a_compaction_and_a_number_stays() {
    run(async {
        let bench = Bench::new().await;
        bench.named("review", "first").await;
        bench.named("review", "second").await;
        bench.label("review", "stable", Some(1)).await;
        bench.turn_of("label", &with("review@stable")).await.unwrap();
        bench.turn_of("number", &with("review@1")).await.unwrap();
        bench.label("review", "stable", Some(2)).await;
        bench.compact("label").await;
        bench.compact("number").await;
        assert_eq!(
            (bench.text("label").await, bench.text("number").await),
            ("second".into(), "first".into())
        );
    });
}

#[test]
fn what_is_chosen_must_be_there() {
    run(async {
        let bench = Bench::new().await;
        bench.template("main").await;
        bench.named("gone", "x").await;
        bench.reset("gone").await;
        for choice in ["none", "main@7", "main@stable", "gone", "gone@2"] {
            let error = bench.turn_of("c", &with(choice)).await.unwrap_err();
            assert_eq!(error, ConversationError::UnknownTemplate(choice.into()));
        }
        for choice in ["@1", "a@", "a b", "../etc"] {
            let error = bench.turn_of("c", &with(choice)).await.unwrap_err();
            assert_eq!(error, ConversationError::Choice(choice.into()));
        }
        assert_eq!(&*bench.turn_of("c", &with("gone@1")).await.unwrap().head.text, "x");
    });
}

#[test]
fn a_template_that_is_gone_at_a_compaction_leaves_the_old_prompt() {
    run(async {
        let bench = Bench::new().await;
        bench.named("review", "text").await;
        bench.turn_of("c", &with("review")).await.unwrap();
        bench.reset("review").await;
        let error = bench.compact_as("c", &BuildOptions::default(), None).await.unwrap_err();
        assert_eq!(error, ConversationError::UnknownTemplate("review".into()));
        assert_eq!(bench.text("c").await, "text");
        assert_eq!(&*bench.compact_as("c", &with("main"), None).await.unwrap().head.text, DEFAULT);
    });
}

const DEFAULT: &str = "You are a helpful coding assistant.\n\n\n\nThe current working directory is /work/p.";

#[test]
fn the_default_speaks_until_one_is_stored_and_after_it_was_taken_back() {
    run(async {
        let bench = Bench::new().await;
        assert_eq!(&*bench.turn("a").await.head.text, DEFAULT);
        let used = bench.kept("a").await.head.template.unwrap();
        assert_eq!((used.chosen.as_str(), used.version), ("main", None));
        bench.template("").await;
        assert_eq!(&*bench.turn("b").await.head.text, "", "a stored empty one stays empty");
        bench.reset("main").await;
        assert_eq!(&*bench.turn("c").await.head.text, DEFAULT);
    });
}

#[test]
fn the_users_own_file_is_the_default_where_there_is_one() {
    run(async {
        let own = machine().with_file("/home/user/.config/preface/template.md", "Mine.");
        let bench = Bench::on(own).await;
        assert_eq!(&*bench.turn("a").await.head.text, "Mine.");
        bench.template("Stored.").await;
        assert_eq!(&*bench.turn("b").await.head.text, "Stored.");
    });
}

#[test]
fn a_profile_without_a_template_says_that_one_was_chosen_in_vain() {
    run(async {
        let bench = Bench::new().await;
        bench.named("review", "x").await;
        let options = BuildOptions { preset: Some("default".into()), ..with("review") };
        let turned = bench.turn_of("c", &options).await.unwrap();
        assert_eq!(turned.head.template, None);
        assert!(turned.diagnostics.iter().any(|diagnostic| diagnostic.code.as_str() == "template/unused"));
    });
}
