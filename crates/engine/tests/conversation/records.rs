//! What is kept beside a prompt, and what becomes of records that preface did not write.

use crate::bench::{Bench, PRESET, at, id, machine, run, turn_options};
use preface_engine::{
    BuildOptions, Engine, TemplateInput,
    conversation::{ConversationError, Refresh},
    core::{budget::Bytes4, document::Document, prompt::fingerprint, variable::VariableKey},
    store::{InsertOutcome, Revision, StoredPrompt},
};
use serde_json::{Value, json};

#[test]
fn facts_are_kept_as_digests_and_never_as_values() {
    run(async {
        let system = machine().with_file("/work/p/key", "s3cret-value").with_hostname("s3cret-host");
        let bench = Bench::on(system).await;
        bench.template("[if file:key][if system:hostname][if file:none]x[endif]yes[endif][endif]").await;
        assert_eq!(&*bench.turn("c").await.head.text, "yes");
        let record = bench.kept("c").await.record;
        assert!(!record.contains("s3cret"), "{record}");
        let variables = bench.service.explain(&id("c")).await.unwrap().variables;
        let told: Vec<(String, bool, Option<String>)> = variables
            .into_iter()
            .map(|variable| (variable.variable.to_string(), variable.exists, variable.digest))
            .collect();
        let digest = |text: &str| Some(fingerprint(text));
        assert_eq!(
            told,
            [
                ("file:key".to_owned(), true, digest("s3cret-value")),
                ("file:none".to_owned(), false, None),
                ("system:hostname".to_owned(), true, digest("s3cret-host")),
            ]
        );
    });
}

#[test]
fn explain_shows_what_a_build_gives() {
    run(async {
        let bench = Bench::on(machine().with_file("/work/p/a.md", "Ä\n")).await;
        let text = "Hello [file:a.md][if file:b.md]x[endif] [prompt:model] [prompt:conversation_id]";
        bench.template(text).await;
        let options = BuildOptions { model: Some("m-1".into()), ..turn_options() };
        bench.turn_of("c", &options).await.unwrap();
        let explained = bench.service.explain(&id("c")).await.unwrap();
        explained.document.check().expect("parts and spans tile the text");

        let template_text = TemplateInput { version: Some(1), ..TemplateInput::unsaved("main", text) };
        let request = BuildOptions {
            conversation: Some("c".to_owned()),
            template_text: Some(template_text),
            ..options.clone()
        };
        let built = Engine::new(&bench.system).build(&request).unwrap();
        assert_eq!(explained.document, Document::of(&built.prompt, &Bytes4));
        assert_eq!(explained.document.text, &*explained.head.text);
        assert_eq!(explained.options, options);
    });
}

#[test]
fn a_kept_prompt_is_counted_by_whom_it_was_asked_for() {
    run(async {
        let bench = Bench::new().await;
        bench.template("twelve bytes").await;
        let told = async |id_: &str, counter: Option<&str>| {
            let options = BuildOptions { counter: counter.map(str::to_owned), ..turn_options() };
            bench.turn_of(id_, &options).await.unwrap();
            let tokens = bench.service.explain(&id(id_)).await.unwrap().document.tokens;
            (tokens.counter, tokens.count, tokens.exact)
        };
        assert_eq!(told("a", None).await, ("estimate:bytes4".to_owned(), 3, false));
        assert_eq!(told("b", Some("estimate:claude")).await, ("estimate:claude".to_owned(), 4, false));
        if cfg!(feature = "exact-counts") {
            assert_eq!(told("c", Some("o200k")).await, ("o200k".to_owned(), 3, true));
        }
        let record: Value = serde_json::from_str(&bench.kept("a").await.record).unwrap();
        assert_eq!(record.get("counter"), None, "the default is not written down");
    });
}

#[test]
fn explain_of_an_unknown_conversation_is_refused() {
    run(async {
        let bench = Bench::new().await;
        let error = bench.service.explain(&id("c")).await.unwrap_err();
        assert_eq!(error, ConversationError::Unknown(id("c")));
    });
}

#[test]
fn facts_of_the_caller_are_remembered() {
    run(async {
        let bench = Bench::new().await;
        bench.template("<[x:y]><[git:branch]>").await;
        let key: VariableKey = "x:y".parse().unwrap();
        let options = BuildOptions { variables: [(key, Some("z".into()))].into(), ..turn_options() };
        assert_eq!(&*bench.turn_of("c", &options).await.unwrap().head.text, "<z><>");
        assert_eq!(&*bench.compact("c").await.head.text, "<z><>");
    });
}

/// Puts a conversation into the store whose record somebody has changed.
async fn tampered(bench: &Bench, name: &str, change: impl FnOnce(&mut Value)) {
    bench.turn("sample").await;
    let StoredPrompt { mut head, record } = bench.kept("sample").await;
    let mut record: Value = serde_json::from_str(&record).expect("a record is JSON");
    change(&mut record);
    head.id = id(name);
    head.revision = Revision::new(1);
    let written = StoredPrompt { head, record: record.to_string().into() };
    let created = bench.store.create(written, &at(1)).await.unwrap();
    assert_eq!(created, InsertOutcome::New);
}

/// Everything that reads a record refuses it, and a turn goes on.
async fn is_refused(bench: &Bench, name: &str, why: &str) {
    let refused = |error: ConversationError| match error {
        ConversationError::Record(told) => assert!(told.contains(why), "{name}: {told}"),
        other => panic!("{name}: {other}"),
    };
    refused(bench.service.explain(&id(name)).await.unwrap_err());
    let options = BuildOptions::default();
    refused(bench.service.refresh(&id(name), &options, Refresh::Show, None, &at(2)).await.unwrap_err());
    assert_eq!(bench.text(name).await, TEXT, "nothing was written");
    assert!(!bench.turn(name).await.constructed, "a turn reads the text alone");
}

const TEXT: &str = "é of /work/p";

#[test]
fn a_record_of_a_newer_preface_is_refused() {
    run(async {
        let bench = Bench::new().await;
        bench.template("é of [prompt:cwd]").await;
        tampered(&bench, "newer", |record| {
            *record = json!({"version": 2, "asked": "in another form"});
        })
        .await;
        is_refused(&bench, "newer", "newer preface").await;
        let error = bench.compact_as("newer", &BuildOptions::default(), None).await.unwrap_err();
        assert!(matches!(error, ConversationError::Record(_)), "{error}");
    });
}

#[test]
fn a_record_that_is_none_or_does_not_tile_is_refused() {
    run(async {
        let bench = Bench::new().await;
        bench.template("é of [prompt:cwd]").await;
        let part = |record: &mut Value, key: &str, value: Value| record["prompt"]["parts"][0][key] = value;
        let origin = json!({"kind": "caller", "flag": "x"});
        tampered(&bench, "no form", |record| *record = json!([])).await;
        tampered(&bench, "no version", |record| *record = json!({})).await;
        tampered(&bench, "no prompt", |record| record["prompt"] = Value::Null).await;
        tampered(&bench, "no parts", |record| record["prompt"]["parts"] = json!([])).await;
        tampered(&bench, "too long", |record| part(record, "range", json!([0, 99]))).await;
        tampered(&bench, "too short", |record| part(record, "range", json!([0, 3]))).await;
        tampered(&bench, "late", |record| part(record, "range", json!([1, 13]))).await;
        tampered(&bench, "backwards", |record| part(record, "range", json!([13, 0]))).await;
        tampered(&bench, "far", |record| part(record, "range", json!([0, u64::MAX]))).await;
        tampered(&bench, "split", |record| {
            let spans = [[0, 1], [1, 13]].map(|range| json!({"range": range, "origin": origin}));
            part(record, "spans", json!(spans));
        })
        .await;
        tampered(&bench, "gap", |record| {
            let spans = [[0, 2], [3, 13]].map(|range| json!({"range": range, "origin": origin}));
            part(record, "spans", json!(spans));
        })
        .await;
        tampered(&bench, "split parts", |record| {
            let whole = record["prompt"]["parts"][0].clone();
            let halves = [[0, 1], [1, 13]].map(|range: [usize; 2]| {
                let mut half = whole.clone();
                half["range"] = json!(range);
                half["spans"] = json!([{"range": [0, range[1] - range[0]], "origin": origin}]);
                half
            });
            record["prompt"]["parts"] = json!(halves);
        })
        .await;
        for name in [
            "no form",
            "no version",
            "no prompt",
            "no parts",
            "too long",
            "too short",
            "late",
            "backwards",
            "far",
            "split",
            "gap",
            "split parts",
        ] {
            is_refused(&bench, name, "").await;
        }
    });
}

#[test]
fn a_conversation_whose_record_does_not_tile_is_mended_by_a_compaction() {
    run(async {
        let bench = Bench::new().await;
        bench.template("é of [prompt:cwd]").await;
        tampered(&bench, "c", |record| record["prompt"]["parts"] = json!([])).await;
        bench.compact("c").await;
        assert_eq!(bench.service.explain(&id("c")).await.unwrap().document.preset, PRESET);
    });
}
