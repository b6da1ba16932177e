//! A refresh builds afresh where somebody asks for it, and says what that changes.

use crate::bench::{Bench, PRESET, at, id, instant, machine, run, turn_options};
use preface_engine::{
    BuildOptions,
    conversation::{ConversationError, Refresh},
    store::ConstructReason,
};

#[test]
fn a_refresh_may_only_show() {
    run(async {
        let bench = Bench::new().await;
        bench.template("one\n").await;
        let first = bench.turn("c").await.head;
        bench.template("two\n").await;
        let shown = bench.refresh("c", Refresh::Show).await;
        assert!(!shown.constructed && !shown.difference.same);
        assert_eq!(shown.head, first);
        assert!(shown.difference.text.contains("-one") && shown.difference.text.contains("+two"));
        assert_eq!(bench.text("c").await, "one\n");

        let kept = bench.refresh("c", Refresh::Keep).await;
        assert!(kept.constructed);
        assert_eq!(kept.difference, shown.difference);
        assert_eq!((kept.head.revision.revision, kept.head.reason), (2, ConstructReason::Refresh));
        assert_eq!((&*bench.turn("c").await.head.text, bench.history("c").await), ("two\n", 1));
    });
}

#[test]
fn a_refresh_that_changes_nothing_adds_nothing() {
    run(async {
        let bench = Bench::new().await;
        let first = bench.turn("c").await.head;
        bench.system.set_now(instant(86_400));
        let refreshed = bench.refresh("c", Refresh::Keep).await;
        assert!(!refreshed.constructed && refreshed.difference.same);
        assert_eq!(refreshed.head, first);
        assert_eq!(bench.history("c").await, 0);
        // Asking in so many words for what there is changes nothing either.
        let again = BuildOptions { template: Some("main".into()), ..turn_options() };
        let refreshed = bench.service.refresh(&id("c"), &again, Refresh::Keep, None, &at(30)).await.unwrap();
        assert!(!refreshed.constructed);
        assert_eq!((refreshed.head, bench.history("c").await), (first, 0));
    });
}

#[test]
fn a_refresh_that_asks_for_something_else_is_kept_though_the_text_is_the_same() {
    run(async {
        let profile = format!("extends = \"{PRESET}\"\n");
        let system =
            machine().with_dir("/work/q").with_file("/home/user/.config/preface/profiles/mine.toml", profile);
        let bench = Bench::on(system).await;
        for name in ["main", "review"] {
            bench.named(name, "same").await;
        }
        bench.turn_of("c", &BuildOptions { model: Some("m-1".into()), ..turn_options() }).await.unwrap();
        let others = [
            BuildOptions::in_dir("/work/q"),
            BuildOptions { model: Some("m-2".into()), ..BuildOptions::default() },
            BuildOptions { preset: Some("mine".into()), ..BuildOptions::default() },
            BuildOptions { template: Some("review".into()), ..BuildOptions::default() },
        ];
        for (revision, over) in (2..).zip(&others) {
            let shown = bench.service.refresh(&id("c"), over, Refresh::Show, None, &at(30)).await.unwrap();
            assert!(!shown.constructed && shown.difference.same, "{over:?}");
            let kept = bench.service.refresh(&id("c"), over, Refresh::Keep, None, &at(30)).await.unwrap();
            assert!(kept.constructed && kept.difference.same, "{over:?}");
            assert_eq!((&*kept.head.text, kept.head.revision.revision), ("same", revision), "{over:?}");
            assert_eq!(bench.kept("c").await.head, kept.head);
            let diagnostics = bench.service.diagnostics(&kept.head, over).await.unwrap();
            assert!(diagnostics.is_empty(), "a later turn is told nothing: {over:?}");
            let again = bench.service.refresh(&id("c"), over, Refresh::Keep, None, &at(30)).await.unwrap();
            assert!(!again.constructed, "once is enough: {over:?}");
        }
        let options = bench.service.explain(&id("c")).await.unwrap().options;
        let words = [&options.model, &options.preset, &options.template].map(Option::as_deref);
        assert_eq!(
            (options.cwd, words),
            (Some("/work/q".into()), [Some("m-2"), Some("mine"), Some("review")])
        );

        for name in ["main", "review"] {
            bench.named(name, &format!("{name}: [prompt:cwd] [prompt:model]")).await;
        }
        let compacted = bench.compact("c").await.head;
        assert_eq!((&*compacted.text, &*compacted.preset), ("review: /work/q m-2", "mine"));
    });
}

#[test]
fn a_refresh_may_say_something_else() {
    run(async {
        let bench = Bench::new().await;
        bench.template("[prompt:model]").await;
        bench.turn("c").await;
        let over = BuildOptions { model: Some("m-2".into()), ..BuildOptions::default() };
        let (id, at) = (id("c"), at(30));
        let refreshed = bench.service.refresh(&id, &over, Refresh::Keep, None, &at).await.unwrap();
        assert_eq!((&*refreshed.head.text, refreshed.head.model.as_deref()), ("m-2", Some("m-2")));
    });
}

#[test]
fn a_refresh_of_nothing_is_refused() {
    run(async {
        let bench = Bench::new().await;
        let at = at(30);
        let error = bench.service.refresh(&id("c"), &BuildOptions::default(), Refresh::Show, None, &at).await;
        assert_eq!(error.unwrap_err(), ConversationError::Unknown(id("c")));
        let first = bench.turn("c").await.head;
        bench.compact("c").await;
        for how in [Refresh::Show, Refresh::Keep] {
            let refused = bench
                .service
                .refresh(&id("c"), &BuildOptions::default(), how, Some(first.revision), &at)
                .await;
            assert!(matches!(refused, Err(ConversationError::Stale(_))), "{how:?}");
        }
    });
}
