//! `/system-prompt/variables`: the catalogue, and values on request.

mod common;

use common::{machine, service, service_on};
use preface_engine::host::system::testing::FakeRun;
use serde_json::{Value, json};

#[tokio::test]
async fn the_ten_of_the_seed_come_first() {
    let service = service().await;
    let reply = service.get("/system-prompt/variables").await.json();
    let keys: Vec<String> = reply["variables"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{}:{}", one["type"].as_str().unwrap(), one["name"].as_str().unwrap()))
        .collect();
    assert_eq!(
        keys[..10],
        [
            "system:time",
            "system:date",
            "system:os",
            "system:hostname",
            "prompt:cwd",
            "prompt:model",
            "prompt:conversation_id",
            "git:branch",
            "git:status",
            "file:<path>",
        ]
    );
    for one in &reply["variables"].as_array().unwrap()[..10] {
        assert_eq!(one["dynamic"], one["type"] == "file");
        assert!(one.get("value").is_none() && one.get("exists").is_none());
        for text in ["description", "example", "stability", "cost"] {
            assert!(!one[text].as_str().unwrap().is_empty(), "{text} of {one}");
        }
    }
}

#[tokio::test]
async fn the_route_and_the_engine_give_the_same_values() {
    let service = service().await;
    let reply = service.get("/system-prompt/variables").await.json();
    assert_eq!(reply["variables"], serde_json::to_value(preface_engine::variables()).unwrap());
}

fn value<'r>(reply: &'r Value, kind: &str, name: &str) -> (&'r Value, &'r Value) {
    let all = reply["variables"].as_array().unwrap();
    let one = all.iter().find(|one| one["type"] == kind && one["name"] == name).unwrap();
    (&one["exists"], &one["value"])
}

#[tokio::test]
async fn values_are_those_of_a_directory() {
    let machine = machine()
        .with_file("/work/p/.git/HEAD", "ref: refs/heads/main\n")
        .with_file("/work/p/.git/refs/heads/main", "1".repeat(40) + "\n")
        .with_dir("/work/p/.git/objects");
    let service = service_on(machine).await;
    let reply = service.get("/system-prompt/variables?cwd=/work/p&model=m-1").await.json();
    assert_eq!(value(&reply, "prompt", "cwd"), (&json!(true), &json!("/work/p")));
    assert_eq!(value(&reply, "prompt", "model"), (&json!(true), &json!("m-1")));
    assert_eq!(value(&reply, "prompt", "conversation_id"), (&json!(false), &Value::Null));
    assert_eq!(value(&reply, "git", "branch"), (&json!(true), &json!("main")));
    let all = reply["variables"].as_array().unwrap();
    let file = all.iter().find(|one| one["type"] == "file").unwrap();
    assert!(file.get("value").is_none(), "any name is good, so there is no value: {file}");
}

#[tokio::test]
async fn the_status_of_a_repository_above_the_roots_is_absent() {
    let repository = |at: &str| {
        machine()
            .with_dir("/work/p/sub")
            .with_file(format!("{at}/.git/HEAD"), "ref: refs/heads/main\n")
            .with_file(format!("{at}/.git/refs/heads/main"), "1".repeat(40) + "\n")
            .with_dir(format!("{at}/.git/objects"))
            .with_git_status("/work/p/sub", FakeRun::printing(" M ../private\n"))
    };
    for (at, expected) in [
        ("/work/p", (json!(true), json!(" M ../private"))),
        ("/work", (json!(true), json!(" M ../private"))),
        ("", (json!(false), Value::Null)),
    ] {
        let service = service_on(repository(at)).await;
        let reply = service.get("/system-prompt/variables?cwd=/work/p/sub").await.json();
        assert_eq!(value(&reply, "git", "status"), (&expected.0, &expected.1), "a repository at {at}/");
        let body = json!({"template": "[git:status]", "options": {"directory": "/work/p/sub"}});
        let analysis = service.post("/system-prompt/analyze", &body).await.text;
        assert_eq!(analysis.contains("private"), !at.is_empty(), "{analysis}");
        assert_eq!(analysis.contains("file/above-roots"), at.is_empty(), "{analysis}");
    }
}

#[tokio::test]
async fn without_a_directory_nothing_of_one_is_returned() {
    let service = service().await;
    let reply = service.get("/system-prompt/variables?model=m-1").await.json();
    assert_eq!(value(&reply, "prompt", "cwd"), (&json!(false), &Value::Null));
    assert_eq!(value(&reply, "git", "branch"), (&json!(false), &Value::Null));
    assert_eq!(value(&reply, "system", "os"), (&json!(true), &json!("linux")));
}

#[tokio::test]
async fn a_directory_outside_of_the_roots_is_refused() {
    let service = service().await;
    for cwd in ["/etc", "/", "/work/..", "/work/../etc", "/work/away", "/nowhere"] {
        let path = format!("/system-prompt/variables?cwd={cwd}");
        service.get(&path).await.problem(403, "outside-roots");
    }
    service.get("/system-prompt/variables?cwd=p").await.problem(400, "cwd");
    service.get("/system-prompt/variables?cwd=").await.problem(400, "cwd");
}

#[tokio::test]
async fn the_roots_are_listed() {
    let reply = service().await.get("/system-prompt/variables").await.json();
    assert_eq!(reply["roots"], json!(["/work"]));
}
