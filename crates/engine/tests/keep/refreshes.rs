//! A refresh builds afresh where somebody asks for it, and says what that changes.

use crate::bench::{Bench, at, id, instant, run};
use preface::{
    keep::{Asked, KeepError, Refresh},
    store::Reason,
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
        assert_eq!((kept.head.seal.revision, kept.head.reason), (2, Reason::Refresh));
        assert_eq!((&*bench.turn("c").await.head.text, bench.past("c").await), ("two\n", 1));
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
        assert_eq!(bench.past("c").await, 0);
    });
}

#[test]
fn a_refresh_may_say_something_else() {
    run(async {
        let bench = Bench::new().await;
        bench.template("[prompt:model]").await;
        bench.turn("c").await;
        let over = Asked { model: Some("m-2".into()), ..Asked::default() };
        let (id, at) = (id("c"), at(30));
        let refreshed = bench.keeper.refresh(&id, &over, Refresh::Keep, None, &at).await.unwrap();
        assert_eq!((&*refreshed.head.text, refreshed.head.model.as_deref()), ("m-2", Some("m-2")));
    });
}

#[test]
fn a_refresh_of_nothing_is_refused() {
    run(async {
        let bench = Bench::new().await;
        let at = at(30);
        let error = bench.keeper.refresh(&id("c"), &Asked::default(), Refresh::Show, None, &at).await;
        assert_eq!(error.unwrap_err(), KeepError::Unknown(id("c")));
        let first = bench.turn("c").await.head;
        bench.compact("c").await;
        for how in [Refresh::Show, Refresh::Keep] {
            let refused = bench.keeper.refresh(&id("c"), &Asked::default(), how, Some(first.seal), &at).await;
            assert!(matches!(refused, Err(KeepError::Stale(_))), "{how:?}");
        }
    });
}
