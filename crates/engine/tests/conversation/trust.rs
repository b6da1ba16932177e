//! A stored prompt is handed out only as long as nobody took back the trust in its texts.

use crate::bench::{Bench, at, id, instant, machine, run};
use preface_engine::{
    BuildOptions, Engine, TrustChoice,
    conversation::{ConversationError, Refresh, RequestInput, TurnResult},
    core::{
        diagnostic::{Diagnostic, DiagnosticCode},
        format,
        mcp_servers::{McpFile, resolve},
        scope::Scope,
    },
    coverage::HiddenText,
    host::{mcp_recordings, system::testing::MemorySystem},
    store::Actor,
};

const PROJECT: &str = "/work/p";

fn project() -> MemorySystem {
    machine().with_file("/work/p/AGENTS.md", "Use tabs.").with_file("/home/user/.config/preface/x", "")
}

fn turn_options(preset: &str, trust: TrustChoice) -> BuildOptions {
    BuildOptions { preset: Some(preset.to_owned()), trust, ..BuildOptions::in_dir(PROJECT) }
}

fn request(preset: &str) -> BuildOptions {
    BuildOptions { preset: Some(preset.to_owned()), ..BuildOptions::in_dir(PROJECT) }
}

fn grant(system: &MemorySystem, preset: &str) {
    let (engine, request) = (Engine::new(system), request(preset));
    let review = engine.review(&request, &[]).expect("a review");
    engine.grant(&request, &review, &[], HiddenText::Refuse).expect("granted");
}

fn revoke(system: &MemorySystem, preset: &str) {
    Engine::new(system).revoke(&request(preset), &[]).expect("revoked");
}

/// Returns the names of the texts because of which a prompt is refused.
fn refused(turned: Result<TurnResult, ConversationError>) -> Vec<String> {
    match turned {
        Err(ConversationError::TrustChanged(_, untrusted)) => untrusted,
        other => panic!("it is handed out: {other:?}"),
    }
}

async fn text(bench: &Bench, preset: &str, trust: TrustChoice) -> String {
    bench.turn_of("c", &turn_options(preset, trust)).await.expect("it is handed out").head.text.to_string()
}

#[test]
fn a_prompt_records_the_texts_of_the_project() {
    run(async {
        let bench = Bench::on(project()).await;
        grant(&bench.system, "default");
        bench.turn_of("c", &turn_options("default", TrustChoice::Ask)).await.unwrap();
        let record: serde_json::Value = serde_json::from_str(&bench.kept("c").await.record).unwrap();
        let file = &record["project"][0];
        assert_eq!((&file["path"], &file["real"]), (&"AGENTS.md".into(), &"/work/p/AGENTS.md".into()));
        // The digest of `Use tabs.` by b3sum.
        assert!(file["digest"].as_str().is_some_and(|digest| digest.len() == "blake3:".len() + 64));
        assert_eq!(record["project"].as_array().map(Vec::len), Some(1));
    });
}

#[test]
fn a_revoked_text_is_not_handed_out_any_more() {
    run(async {
        let bench = Bench::on(project()).await;
        grant(&bench.system, "default");
        assert!(text(&bench, "default", TrustChoice::Ask).await.contains("Use tabs."));
        // What was granted may change on disk; the stored prompt stays, and stays trusted.
        bench.system.put_file("/work/p/AGENTS.md", "Use blanks.");
        for trust in [TrustChoice::Ask, TrustChoice::Require, TrustChoice::Once] {
            assert!(text(&bench, "default", trust).await.contains("Use tabs."), "{trust:?}");
        }
        assert_eq!(
            refused(bench.turn_of("c", &turn_options("default", TrustChoice::Deny)).await),
            ["AGENTS.md"]
        );

        revoke(&bench.system, "default");
        for trust in [TrustChoice::Ask, TrustChoice::Require, TrustChoice::Deny] {
            assert_eq!(
                refused(bench.turn_of("c", &turn_options("default", trust)).await),
                ["AGENTS.md"],
                "{trust:?}"
            );
        }
        assert!(
            text(&bench, "default", TrustChoice::Once).await.contains("Use tabs."),
            "the caller's own word"
        );
        bench.system.put_file("/work/p/AGENTS.md", "Use tabs.");
        grant(&bench.system, "default");
        assert!(text(&bench, "default", TrustChoice::Require).await.contains("Use tabs."), "trusted again");
    });
}

#[test]
fn without_a_decision_a_stored_prompt_is_handed_out_unless_trust_is_required() {
    run(async {
        let bench = Bench::on(project()).await;
        assert!(text(&bench, "default", TrustChoice::Once).await.contains("Use tabs."));
        assert!(text(&bench, "default", TrustChoice::Ask).await.contains("Use tabs."));
        let required = bench.turn_of("c", &turn_options("default", TrustChoice::Require)).await;
        assert_eq!(refused(required), ["AGENTS.md"]);
    });
}

#[test]
fn a_profile_without_a_gate_can_be_denied() {
    run(async {
        let bench = Bench::on(project()).await;
        assert!(text(&bench, "pi", TrustChoice::Ask).await.contains("Use tabs."));
        assert!(text(&bench, "pi", TrustChoice::Require).await.contains("Use tabs."));
        assert_eq!(refused(bench.turn_of("c", &turn_options("pi", TrustChoice::Deny)).await), ["AGENTS.md"]);
    });
}

#[test]
fn tools_of_a_server_of_the_project_leave_with_its_trust() {
    run(async {
        let launch = r#"{"mcpServers": {"tickets": {"command": "/usr/bin/tickets"}}}"#;
        let recorded = r#"{"tools": [{"name": "find", "description": "Obey the project."}]}"#;
        let preset = "claude-code";
        let system =
            machine().with_file("/work/p/.claude/mcp.json", launch).with_file("/usr/bin/tickets", "");
        let places = Engine::new(&system).build(&request(preset)).expect("a build").places;
        let (file, _) = McpFile::read(Scope::Project, "mcp.json", launch.as_bytes());
        let servers = resolve(file.into_iter().collect(), &|_| false).servers;
        let recording = mcp_recordings::path(&servers[0], &system, &places).expect("a place for it");
        system.put_file(&recording, recorded);
        let bench = Bench::rooted(system).await;
        let options = turn_options(preset, TrustChoice::Ask);
        let engine = Engine::new(&bench.system);
        grant(&bench.system, preset);
        let granted = engine.grant_commands(&request(preset), &[], None).expect("granted");
        assert_eq!(granted.added.len(), 1, "{granted:?}");
        bench.turn_of("c", &options).await.expect("a first turn");
        let send = async |history: &str| {
            let input = RequestInput {
                model: Some("claude-opus-5-5".to_owned()),
                messages: serde_json::from_str(history).expect("messages"),
                ..RequestInput::new(format::find("anthropic").expect("a format"))
            };
            let result = bench.service.request(&id("c"), &options, input, &at(10)).await.expect("a request");
            let reported = result.diagnostics.iter().filter(|diagnostic| {
                ["conversation/tools-revoked", "prefix/changed"].contains(&diagnostic.code.as_str())
            });
            let body: serde_json::Value = serde_json::from_str(&result.body).expect("JSON");
            let change = result.comparison.and_then(|comparison| comparison.change);
            (
                body["tools"].to_string().contains("Obey the project."),
                change.map(|change| change.to_string()),
                reported.count(),
            )
        };
        let first = r#"[{"role": "user", "content": "one"}]"#;
        assert_eq!(send(first).await, (true, None, 0));
        // A server that is gone takes nothing with it: the conversation keeps what it began with.
        bench.system.put_file(&recording, "{}");
        let second = r#"[{"role": "user", "content": "one"}, {"role": "assistant", "content": "1"}, {"role": "user", "content": "two"}]"#;
        assert_eq!(send(second).await, (true, None, 0));
        bench.system.put_file(&recording, recorded);
        revoke(&bench.system, preset);
        let gone = "the tool `mcp__tickets__find` is gone (`tools_changed`)";
        assert_eq!(send(second).await, (false, Some(gone.to_owned()), 2));
        assert_eq!(send(second).await, (false, None, 0), "it is reported once");
        Engine::new(&bench.system).grant_commands(&request(preset), &[], None).expect("granted");
        assert_eq!(send(second).await, (false, None, 0), "a refresh takes what was granted since");
    });
}

#[test]
fn a_service_refuses_what_was_revoked_later_and_nothing_else() {
    run(async {
        let bench = Bench::rooted(project()).await;
        let early = turn_options("default", TrustChoice::Ask);
        assert!(text(&bench, "default", TrustChoice::Ask).await.contains("Use tabs."), "a root is the grant");
        assert!(
            text(&bench, "default", TrustChoice::Ask).await.contains("Use tabs."),
            "no record is no revocation"
        );
        // Somebody revoked another project.
        let other = BuildOptions { cwd: Some("/work/q".into()), ..request("default") };
        bench.system.put_file("/work/q/AGENTS.md", "Other.");
        Engine::new(&bench.system).revoke(&other, &[]).expect("revoked");
        assert!(text(&bench, "default", TrustChoice::Ask).await.contains("Use tabs."));

        revoke(&bench.system, "default");
        assert_eq!(refused(bench.turn_of("c", &early).await), ["AGENTS.md"]);
        let head = bench.kept("c").await.head;
        let checked = bench.service.check_trust(&head, &BuildOptions::default()).await;
        assert!(matches!(checked, Err(ConversationError::TrustChanged(..))), "{checked:?}");

        // What is built after it has none of the text, until it is granted again.
        let after = Actor::at("tester", instant(4_000_000_000));
        let later = bench.service.turn(&id("later"), &early, &after).await.expect("a first turn");
        assert!(!later.head.text.contains("Use tabs."), "{}", later.head.text);
        let left_out = |diagnostic: &Diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted;
        assert!(later.diagnostics.iter().any(left_out), "{:?}", later.diagnostics);
        let again = bench.service.turn(&id("later"), &early, &after).await.expect("a later turn");
        assert_eq!((again.constructed, again.head), (false, later.head));
        let none = BuildOptions::default();
        let shown = bench.service.refresh(&id("c"), &none, Refresh::Show, None, &after).await.expect("shown");
        assert!(!shown.difference.same);
        let refreshed = bench.service.refresh(&id("c"), &none, Refresh::Keep, None, &after).await;
        let refreshed = refreshed.expect("refreshed").head;
        assert!(!refreshed.text.contains("Use tabs."), "{}", refreshed.text);
        let compacted = bench.service.compact(&id("c"), &none, None, &after).await.expect("compacted").head;
        assert!(!compacted.text.contains("Use tabs."), "{}", compacted.text);
        grant(&bench.system, "default");
        let granted = bench.service.refresh(&id("c"), &none, Refresh::Keep, None, &after).await;
        assert!(granted.expect("refreshed").head.text.contains("Use tabs."));
    });
}

#[test]
fn a_service_looks_at_one_file_on_a_later_turn() {
    run(async {
        let bench = Bench::rooted(project()).await;
        let options = turn_options("default", TrustChoice::Ask);
        bench.turn_of("c", &options).await.unwrap();
        bench.turn_of("c", &options).await.unwrap();
        bench.system.clear_touches();
        bench.turn_of("c", &options).await.unwrap();
        let looks: Vec<String> =
            bench.system.touches().iter().map(|touch| touch.path.display().to_string()).collect();
        assert_eq!(looks, ["/home/user/.local/state/preface/trust.json"]);
    });
}

#[test]
fn a_profile_may_build_between_turns() {
    run(async {
        let system = project()
            .with_file("/home/user/.stud/system.md", "G1")
            .with_file("/work/p/.stud/system.md", "P1");
        for bench in [Bench::on(system.clone()).await, Bench::rooted(system).await] {
            grant(&bench.system, "stud");
            let options = turn_options("stud", TrustChoice::Ask);
            let turn = async || bench.turn_of("c", &options).await.expect("a turn");
            let first = turn().await;
            assert_eq!((&*first.head.text, first.head.revision.revision), ("G1\n\nP1", 1));
            let same = turn().await;
            assert_eq!((same.constructed, same.head), (false, first.head), "nothing changed");
            bench.system.put_file("/home/user/.stud/system.md", "G2");
            let edited = turn().await;
            assert!(edited.constructed);
            assert_eq!((&*edited.head.text, edited.head.revision.revision), ("G2\n\nP1", 2));
            assert_eq!(bench.history("c").await, 1);
            bench.system.put_file("/home/user/.stud/system.md", "G1");
        }
    });
}

#[test]
fn a_project_that_is_not_trusted_any_more_is_left_out_between_turns() {
    run(async {
        let system =
            project().with_file("/home/user/.stud/system.md", "G").with_file("/work/p/.stud/system.md", "P");
        let bench = Bench::on(system).await;
        grant(&bench.system, "stud");
        assert_eq!(text(&bench, "stud", TrustChoice::Ask).await, "G\n\nP");
        assert_eq!(text(&bench, "stud", TrustChoice::Deny).await, "G");
        assert_eq!(text(&bench, "stud", TrustChoice::Ask).await, "G\n\nP");
        revoke(&bench.system, "stud");
        assert_eq!(text(&bench, "stud", TrustChoice::Ask).await, "G");
        let required = bench.turn_of("c", &turn_options("stud", TrustChoice::Require)).await;
        assert!(
            matches!(required, Err(ConversationError::Engine(preface_engine::Error::Untrusted(_)))),
            "{required:?}"
        );
    });
}
