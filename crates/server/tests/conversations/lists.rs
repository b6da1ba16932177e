//! Lists of conversations, earlier prompts of one, where a prompt came from, and forgetting what is old.

use crate::bench::{Bench, bench};
use serde_json::{Value, json};

async fn ids(bench: &Bench, query: &str) -> (Vec<String>, Value) {
    let answer = bench.get(query).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let page = answer.json();
    let items = page["items"].as_array().unwrap().iter();
    let ids = items.map(|item| item["conversation_id"].as_str().unwrap().to_owned());
    (ids.collect(), page["next"].clone())
}

#[tokio::test]
async fn conversations_come_in_pages_the_last_begun_first() {
    let bench = bench().await;
    assert_eq!(ids(&bench, "").await, (vec![], Value::Null));
    for (id, second) in [("a", 1), ("b", 3), ("c", 2), ("d", 3)] {
        bench.begin_at(id, None, second).await;
    }
    assert_eq!(ids(&bench, "").await, (["b", "d", "c", "a"].map(String::from).to_vec(), Value::Null));
    let (first, next) = ids(&bench, "?limit=3").await;
    assert_eq!(first, ["b", "d", "c"]);
    // What comes and goes meanwhile neither repeats nor skips an entry.
    bench.begin_at("e", None, 9).await;
    bench.service.delete("/conversations/c").await;
    let next = next.as_str().unwrap().replace('/', "%2F");
    assert_eq!(ids(&bench, &format!("?limit=3&after={next}")).await, (vec!["a".to_owned()], Value::Null));
    for forged in ["never-given", "7", "x/c", "7/", ""] {
        bench.get(&format!("?after={forged}")).await.problem(400, "query");
    }
    assert_eq!(ids(&bench, "?after=-1%2Fc").await, (vec![], Value::Null), "the end of the list");
}

#[tokio::test]
async fn an_entry_has_everything_but_the_text() {
    let bench = bench().await;
    bench.service.store("Hello.").await;
    bench.begin_at("c", None, 5).await;
    let page = bench.get("").await.json();
    let item = &page["items"][0];
    assert_eq!((&item["bytes"], &item["revision"], &item["cwd"]), (&json!(6), &json!(1), &json!("/work/p")));
    assert_eq!(item["constructed_at"], "1970-01-01T00:00:05.000Z");
    assert_eq!(item["template"], json!({"chosen": "main", "name": "main", "version": 1}));
    assert!(item.get("system_prompt").is_none(), "{item}");
}

#[tokio::test]
async fn lists_can_be_narrowed() {
    let bench = bench().await;
    bench.service.put("/templates/review", &json!({"template": "R"})).await;
    bench.begin_at("a/1", None, 1).await;
    bench.begin_at("a/2", Some("review"), 2).await;
    bench.begin_at("b%", Some("review@1"), 3).await;
    bench.begin_at("b_", None, 4).await;
    for (query, found) in [
        ("?prefix=a%2F", &["a/2", "a/1"][..]),
        ("?prefix=b%25", &["b%"]),
        ("?prefix=b_", &["b_"]),
        ("?prefix=x", &[]),
        ("?template=review", &["b%", "a/2"]),
        ("?template=main", &["b_", "a/1"]),
        ("?template=review&prefix=a", &["a/2"]),
        ("?template=nobody", &[]),
    ] {
        assert_eq!(ids(&bench, query).await.0, found, "{query}");
    }
}

#[tokio::test]
async fn the_past_is_there_the_newest_first() {
    let bench = bench().await;
    bench.service.store("One.").await;
    bench.begin("c").await;
    assert_eq!(bench.get("/c/history").await.json(), json!({"items": [], "next": null}));
    for text in ["Two.", "Three."] {
        bench.service.store(text).await;
        bench.post_nothing("c/compactions", &[]).await;
    }
    let page = bench.get("/c/history?limit=1").await.json();
    let first_item =
        |page: &Value| (page["items"][0]["system_prompt"].clone(), page["items"][0]["revision"].clone());
    assert_eq!(first_item(&page), (json!("Two."), json!(2)));
    let next = page["next"].as_str().unwrap();
    let last = bench.get(&format!("/c/history?limit=1&after={next}")).await.json();
    assert_eq!((first_item(&last), &last["next"]), ((json!("One."), json!(1)), &Value::Null));
    assert!(last["items"][0]["replaced_at"].is_string());
    bench.get("/c/history?after=zzz").await.problem(400, "query");
}

#[tokio::test]
async fn explain_shows_where_each_byte_came_from() {
    let bench = bench().await;
    bench.service.store("In [prompt:cwd]. [file:AGENTS.md]").await;
    let turned = bench.begin("c").await;
    let answer = bench.get("/c/explain").await;
    assert_eq!(answer.etag(), turned.etag());
    let reply = answer.json();
    assert_eq!(reply["prompt"]["system_prompt"], reply["document"]["text"]);
    let spans = reply["document"]["parts"][0]["spans"].as_array().unwrap();
    let kinds: Vec<&str> = spans.iter().map(|span| span["origin"]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["stored", "variable", "stored", "variable"]);
    let mut at = json!(0);
    for span in spans {
        assert_eq!(span["range"][0], at, "spans follow each other");
        at = span["range"][1].clone();
    }
    assert_eq!(at, json!(reply["document"]["text"].as_str().unwrap().len()));
    let variables = reply["variables"].as_array().unwrap();
    let names: Vec<&str> = variables.iter().map(|variable| variable["variable"].as_str().unwrap()).collect();
    assert_eq!(names, ["file:AGENTS.md", "prompt:cwd"]);
    assert!(
        variables.iter().all(|variable| variable["digest"].is_string() && variable.get("value").is_none())
    );
    assert_eq!(reply["options"]["directory"], "/work/p");
}

#[tokio::test]
async fn a_purge_deletes_old_conversations() {
    let bench = bench().await;
    bench.begin_at("old", None, 1).await;
    bench.begin_at("older", None, 0).await;
    bench.begin("new").await;
    let would = bench.service.post("/purge", &json!({"older_than_seconds": 3600, "dry_run": true})).await;
    assert_eq!(would.json(), json!({"purged": 2}));
    let purged = bench.service.post("/purge", &json!({"older_than_seconds": 3600})).await;
    assert_eq!((purged.status.as_u16(), purged.json()), (200, json!({"purged": 2})));
    assert_eq!(ids(&bench, "").await.0, ["new"]);
    let none = bench.service.post("/purge", &json!({"older_than_seconds": u32::MAX})).await;
    assert_eq!(none.json(), json!({"purged": 0}));
    let prefix = json!({"older_than_seconds": 0, "prefix": "test-"});
    for body in [json!({}), json!({"older_than_seconds": -1}), json!({"older_than_seconds": "1h"}), prefix] {
        bench.service.post("/purge", &body).await.problem(400, "body");
    }
}

#[tokio::test]
async fn a_purge_forgets_more_than_one_helping() {
    let bench = bench().await;
    for number in 0..1001 {
        bench.begin_at(&number.to_string(), None, number).await;
    }
    let purged = bench.service.post("/purge", &json!({"older_than_seconds": 60})).await;
    assert_eq!(purged.json(), json!({"purged": 1001}));
}
