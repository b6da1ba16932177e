//! Where a conversation may work.

use crate::bench::{Bench, id, machine, run, turn_options};
use preface_engine::{BuildOptions, conversation::ConversationError};

fn in_dir(cwd: &str) -> BuildOptions {
    BuildOptions { cwd: Some(cwd.into()), ..turn_options() }
}

#[test]
fn with_roots_a_cwd_lies_in_one_of_them_really() {
    run(async {
        let system = machine()
            .with_dir("/elsewhere")
            .with_dir("/work-not")
            .with_link("/work/away", "/elsewhere")
            .with_link("/back", "/work/p")
            .with_file("/work/file", "x");
        let bench = Bench::rooted(system).await;
        for cwd in ["/work", "/work/p", "/work/p/", "/work/p/../p", "/back"] {
            bench.turn_of(&format!("in {cwd}"), &in_dir(cwd)).await.unwrap();
        }
        for cwd in
            ["/", "/elsewhere", "/work-not", "/work/away", "/work/away/gone", "/work/..", "p", "", "work/p"]
        {
            let error = bench.turn_of("out", &in_dir(cwd)).await.unwrap_err();
            assert_eq!(error, ConversationError::Outside(cwd.to_owned()));
        }
        let gone = bench.turn_of("out", &in_dir("/work/gone")).await.unwrap_err();
        assert_eq!(
            gone,
            ConversationError::NoDirectory("/work/gone".into()),
            "what is missing in a root may be reported"
        );
        let file = bench.turn_of("out", &in_dir("/work/file")).await.unwrap_err();
        assert_eq!(file, ConversationError::NoDirectory("/work/file".into()));
        assert_eq!(bench.store.head(&id("out")).await.unwrap(), None);
    });
}

#[test]
fn a_directory_that_becomes_a_link_during_the_build_is_refused() {
    run(async {
        let system = machine().with_file("/work/p/a.md", "A").with_dir("/elsewhere");
        let bench = Bench::rooted(system).await;
        bench.template("[file:a.md]").await;
        bench.system.put_link_at_read("/work/p/a.md", "/work/p", "/elsewhere");
        let error = bench.turn_of("c", &in_dir("/work/p")).await.unwrap_err();
        assert_eq!(error, ConversationError::Outside("/work/p".into()));
        assert_eq!(bench.store.head(&id("c")).await.unwrap(), None);
    });
}

#[test]
fn a_cwd_is_shown_as_it_is_given() {
    run(async {
        let bench = Bench::rooted(machine()).await;
        bench.template("In [prompt:cwd].").await;
        for cwd in ["/work/p/", "/work/p/../p"] {
            let turned = bench.turn_of(cwd, &in_dir(cwd)).await.unwrap();
            assert_eq!((&*turned.head.text, &*turned.head.cwd), (&*format!("In {cwd}."), cwd));
            let later = bench.turn_of(cwd, &in_dir("/work/p")).await.unwrap();
            assert!(later.diagnostics.is_empty(), "it is the same directory: {:?}", later.diagnostics);
            let other = bench.turn_of(cwd, &in_dir("/work")).await.unwrap();
            assert_eq!(other.diagnostics[0].code.as_str(), "conversation/options");
        }
    });
}

#[test]
fn a_compaction_may_not_leave_the_roots() {
    run(async {
        let bench = Bench::rooted(machine().with_dir("/elsewhere")).await;
        let first = bench.turn("c").await.head;
        let error = bench.compact_as("c", &BuildOptions::in_dir("/elsewhere"), None).await.unwrap_err();
        assert_eq!(error, ConversationError::Outside("/elsewhere".into()));
        assert_eq!(bench.kept("c").await.head, first);
    });
}

#[test]
fn one_root_is_the_place_of_a_turn_that_says_none() {
    run(async {
        let nowhere = BuildOptions { cwd: None, ..turn_options() };
        let bench = Bench::rooted(machine()).await;
        assert_eq!(bench.turn_of("c", &nowhere).await.unwrap().head.cwd, "/work");
        let two = bench.service.clone().with_roots(&["/work".into(), "/home".into()]);
        let refused = two.turn(&id("d"), &nowhere, &crate::bench::at(1)).await.unwrap_err();
        assert_eq!(refused, ConversationError::NoCwd);
        let none = Bench::new().await.turn_of("d", &nowhere).await.unwrap_err();
        assert_eq!(none, ConversationError::NoCwd);
    });
}

#[test]
fn without_roots_any_directory_will_do_that_is_there() {
    run(async {
        let bench = Bench::on(machine().with_current_dir("/work").with_dir("/elsewhere")).await;
        assert_eq!(bench.turn_of("a", &in_dir("/elsewhere")).await.unwrap().head.cwd, "/elsewhere");
        assert_eq!(bench.turn_of("b", &in_dir("p")).await.unwrap().head.cwd, "/work/p");
        let gone = bench.turn_of("c", &in_dir("/gone")).await.unwrap_err();
        assert!(matches!(gone, ConversationError::Engine(_)), "{gone}");
    });
}

#[test]
fn nothing_outside_of_the_roots_is_read() {
    run(async {
        let system = machine()
            .with_file("/etc/secret", "s3cret")
            .with_file("/AGENTS.md", "Above.")
            .with_link("/work/p/AGENTS.md", "/etc/secret")
            .with_link("/work/p/out", "/etc/secret");
        let bench = Bench::rooted(system).await;
        bench.template("<[file:/etc/secret][file:out][file:../../etc/secret][file:AGENTS.md]>").await;
        assert_eq!(&*bench.turn("c").await.head.text, "<>");
        for preset in ["default", "pi", "stud"] {
            let options = BuildOptions { preset: Some(preset.into()), ..turn_options() };
            let head = bench.turn_of(preset, &options).await.unwrap().head;
            assert!(
                !head.text.contains("s3cret") && !head.text.contains("Above."),
                "{preset}: {}",
                head.text
            );
        }
        assert_eq!(bench.system.reads("/AGENTS.md"), 0);
    });
}
