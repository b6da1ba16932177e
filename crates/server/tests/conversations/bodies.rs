//! What a body may hold, and how it must be sent.

use crate::bench::bench;
use axum::{body::Body, http::Method};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

/// Everything that takes the body of a turn.
const TAKES: [&str; 3] = ["turns", "compactions", "refresh"];

#[tokio::test]
async fn a_body_of_the_wrong_kind_is_refused() {
    let bench = bench().await;
    bench.begin("c").await;
    for verb in TAKES {
        for body in [
            "nonsense",
            "null",
            "[]",
            "\"text\"",
            "{",
            r#"{"cwd":1}"#,
            r#"{"cwd":{}}"#,
            r#"{"model":["m"]}"#,
            r#"{"preset":true}"#,
            r#"{"template":1}"#,
            r#"{"tools":"read"}"#,
            r#"{"tools":[1]}"#,
            r#"{"cwd":"\ud800"}"#,
        ] {
            let path = format!("/conversations/c/{verb}");
            bench.service.send(Method::POST, &path, &[JSON], Body::from(body)).await.problem(400, "body");
        }
    }
    let instructions = json!({"instructions": 1});
    bench.post("c/compactions", &instructions).await.problem(400, "body");
    assert_eq!(bench.get("/c/system-prompt").await.json()["revision"], 1);
}

#[tokio::test]
async fn a_problem_of_a_body_names_its_field() {
    let bench = bench().await;
    for (verb, sent, expected) in [
        ("turns", "null", "invalid type: null, expected struct TurnBody at line 1 column 4"),
        ("turns", r#"{"cwd":1}"#, "cwd: invalid type: integer `1`, expected a string at line 1 column 8"),
        (
            "turns",
            r#"{"tools":["a",[]]}"#,
            "tools[1]: invalid type: sequence, expected a string at line 1 column 14",
        ),
        ("turns", "{", "EOF while parsing an object at line 1 column 1"),
        ("turns", "{} x", "trailing characters at line 1 column 4"),
        (
            "compactions",
            r#"{"instructions":1}"#,
            "instructions: invalid type: integer `1`, expected a string",
        ),
        ("compactions", r#"{"cwd":1}"#, "invalid type: integer `1`, expected a string"),
    ] {
        let path = format!("/conversations/c/{verb}");
        let answer = bench.service.send(Method::POST, &path, &[JSON], Body::from(sent)).await;
        let problem = answer.problem(400, "body");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.starts_with("the body cannot be read: ") && detail.contains(expected),
            "{verb}: {sent}: {detail}"
        );
    }
}

#[tokio::test]
async fn a_duplicate_key_is_refused_at_any_depth() {
    let bench = bench().await;
    bench.begin("c").await;
    for (path, sent, detail) in [
        (
            "/conversations/c/requests",
            r#"{"format":"anthropic","messages":[{"role":"user","content":"a","role":"assistant"}]}"#,
            "`role` is duplicated: line 1, column 69",
        ),
        (
            "/conversations/c/requests",
            r#"{"format":"anthropic","messages":[{"role":"user","content":"a","content":"b"}]}"#,
            "`content` is duplicated: line 1, column 72",
        ),
        (
            "/conversations/c/requests",
            "{\"format\":\"anthropic\",\"messages\":[],\n\"messages\":[]}",
            "`messages` is duplicated: line 2, column 10",
        ),
        (
            "/conversations/c/requests",
            r#"{"format":"anthropic","messages":[],"events":[{"type":"a","type":"b"}]}"#,
            "`type` is duplicated: line 1, column 64",
        ),
        (
            "/conversations/c/requests/1/usage",
            r#"{"input_tokens":1,"input_tokens":2}"#,
            "`input_tokens` is duplicated: line 1, column 32",
        ),
        (
            "/conversations/c/turns",
            r#"{"model":"a","model":"b"}"#,
            "`model` is duplicated: line 1, column 20",
        ),
        (
            "/system-prompt/analyze",
            r#"{"template":"","variables":{"a:b":"1","a:b":"2"}}"#,
            "`a:b` is duplicated: line 1, column 43",
        ),
    ] {
        let answer = bench.service.send(Method::POST, path, &[JSON], Body::from(sent)).await;
        assert_eq!(answer.problem(400, "body")["detail"], detail, "{sent}");
    }
}

#[tokio::test]
async fn a_field_that_is_not_known_is_refused() {
    let bench = bench().await;
    bench.begin("c").await;
    let turn = "expected one of `cwd`, `model`, `preset`, `template`, `agent`, `tools`";
    for (verb, known) in [
        ("turns", turn.to_owned()),
        ("compactions", format!("{turn}, `instructions`")),
        ("refresh", turn.to_owned()),
    ] {
        let problem = bench.post(&format!("c/{verb}"), &json!({"cwdd": "x"})).await.problem(400, "body");
        assert!(
            problem["detail"].as_str().unwrap().contains(&format!("unknown field `cwdd`, {known}")),
            "{verb}: {problem}"
        );
    }
    let long = "x".repeat(10_000);
    let problem = bench.post("new/turns", &json!({long: 1})).await.problem(400, "body");
    assert!(problem["detail"].as_str().unwrap().len() < 300, "{problem}");
    bench.get("/new/system-prompt").await.problem(404, "unknown-conversation");
    assert_eq!(bench.get("/c/system-prompt").await.json()["revision"], 1, "nothing was built");
}

#[tokio::test]
async fn a_body_may_be_left_out_whatever_the_headers_announce() {
    let bench = bench().await;
    for verb in TAKES {
        for headers in
            [&[][..], &[JSON], &[JSON, ("content-length", "0")], &[("transfer-encoding", "chunked")]]
        {
            let path = format!("/conversations/c/{verb}");
            let answer = bench.service.send(Method::POST, &path, headers, Body::empty()).await;
            assert!(answer.status.is_success(), "{verb} {headers:?}: {}", answer.text);
        }
    }
}

#[tokio::test]
async fn a_field_that_is_null_is_left_out() {
    let bench = bench().await;
    let body = json!({"cwd": null, "model": null, "preset": null, "template": null, "tools": null});
    assert_eq!(bench.post("c/turns", &body).await.status, 201);
}

#[tokio::test]
async fn the_content_type_must_be_json() {
    let bench = bench().await;
    for verb in TAKES {
        let path = format!("/conversations/c/{verb}");
        for headers in [&[("content-type", "text/plain")][..], &[("content-length", "2")]] {
            let answer = bench.service.send(Method::POST, &path, headers, Body::from("{}")).await;
            answer.problem(415, "content-type");
        }
    }
    for kind in ["application/json; charset=utf-8", "APPLICATION/JSON"] {
        let path = format!("/conversations/{}/turns", kind.len());
        let answer =
            bench.service.send(Method::POST, &path, &[("content-type", kind)], Body::from("{}")).await;
        assert_eq!(answer.status, 201, "{kind}");
    }
}

#[tokio::test]
async fn fields_have_limits() {
    let bench = bench().await;
    let (fits, long) = ("m".repeat(4096), "m".repeat(4097));
    assert_eq!(bench.post("c/turns", &json!({"model": fits})).await.status, 201);
    for key in ["cwd", "model", "preset", "template"] {
        for value in [long.as_str(), "a\0b"] {
            let mut body = json!({});
            body[key] = Value::from(value);
            for verb in TAKES {
                let problem = bench.post(&format!("c/{verb}"), &body).await.problem(400, "field");
                assert!(problem["detail"].as_str().unwrap().contains(&format!("`{key}`")), "{problem}");
            }
        }
    }
    bench.post("c/turns", &json!({"tools": [long]})).await.problem(400, "field");
    bench.post("c/turns", &json!({"tools": vec!["t"; 1001]})).await.problem(400, "field");
}

#[tokio::test]
async fn a_recorded_request_has_a_limited_number_of_blocks() {
    let bench = bench().await;
    bench.begin("c").await;
    let request = |count: usize| {
        let messages = vec![json!({"role": "user", "content": "x"}); count];
        json!({"format": "anthropic", "messages": messages})
    };
    let problem = bench.post("c/requests", &request(20_001)).await.problem(413, "body-too-large");
    assert!(problem["detail"].as_str().unwrap().contains("the limit of 20000"), "{problem}");
    for count in 1..=2 {
        assert_eq!(bench.post("c/requests", &request(count)).await.status, 201);
    }
    let items = &bench.get("/c/requests").await.json()["items"];
    assert_eq!((&items[0]["comparison"], &items[1]["comparison"]["extends"]), (&Value::Null, &json!(true)));
}

#[tokio::test]
async fn a_query_that_cannot_be_read_is_refused() {
    let bench = bench().await;
    bench.begin("c").await;
    for path in ["c/refresh?dry_run=perhaps", "c/refresh?dry_run="] {
        bench.post(path, &json!({})).await.problem(400, "query");
    }
    for path in ["?limit=0", "?limit=501", "?limit=-1", "?limit=x", "/c/past?limit=0"] {
        bench.get(path).await.problem(400, "query");
    }
    bench.get("?template=a%2Fb").await.problem(400, "template-name");
    for (path, expected) in [
        ("?limit=x", "Failed to deserialize query string: limit: invalid digit found in string"),
        ("?limit=1&limit=2", "Failed to deserialize query string: duplicate field `limit`"),
        ("?after=x", "`after` is no `next` of this list"),
    ] {
        assert_eq!(bench.get(path).await.problem(400, "query")["detail"], expected, "{path}");
    }
    let problem = bench.post("c/refresh?dry_run=perhaps", &json!({})).await.problem(400, "query");
    assert_eq!(
        problem["detail"],
        "Failed to deserialize query string: dry_run: provided string was not `true` or `false`"
    );
    let problem = bench.service.get("/system-prompt/diff").await.problem(400, "query");
    assert_eq!(problem["detail"], "Failed to deserialize query string: missing field `from`");
    let problem = bench.service.get("/system-prompt/versions/x").await.problem(400, "path");
    assert!(problem["detail"].as_str().unwrap().contains("Cannot parse"), "{problem}");
    let problem = bench.get("/a%0Ab/past").await.problem(400, "path");
    assert!(problem["detail"].as_str().unwrap().contains("not a conversation id"), "{problem}");
}

#[tokio::test]
async fn a_compressed_body_is_refused() {
    let bench = bench().await;
    let send = async |path: &str, coding: &'static str| {
        let headers = [JSON, ("content-encoding", coding)];
        bench.service.send(Method::POST, path, &headers, Body::from("{}")).await
    };
    for coding in ["gzip", "br", "identity, gzip", "x", ""] {
        for path in ["/conversations/c/turns", "/system-prompt/analyze"] {
            let problem = send(path, coding).await.problem(415, "content-encoding");
            assert_eq!(problem["detail"], "the header `Content-Encoding` is not supported");
        }
    }
    assert_eq!(send("/conversations/c/turns", "Identity").await.status, 201);
}

#[tokio::test]
async fn a_parameter_that_no_operation_has_is_refused_and_nothing_is_done() {
    let bench = bench().await;
    bench.post("c/turns", &json!({})).await;
    let problem = bench.post("c/refresh?dryrun=true", &json!({})).await.problem(400, "query");
    assert_eq!(problem["detail"], "unknown parameter: `dryrun`");
    assert_eq!(problem["help"], "did you mean `dry_run`?");
    for path in ["/c/system-prompt?x=1", "/c/past?limit=1&x", "?prefix=c&Limit=1"] {
        bench.get(path).await.problem(400, "query");
    }
    assert_eq!(bench.get("/c/system-prompt").await.json()["revision"], 1);
}

#[tokio::test]
async fn ids_that_no_address_can_name_are_refused() {
    let bench = bench().await;
    for id in ["%2e", "%2e%2e", "."] {
        bench.post(&format!("{id}/turns"), &json!({})).await.problem(400, "path");
    }
    for id in ["...", ".a", "a.", "..a"] {
        assert_eq!(bench.post(&format!("{id}/turns"), &json!({})).await.status, 201, "{id}");
    }
}

#[tokio::test]
async fn answers_name_no_flag_of_the_command_line() {
    let bench = bench().await;
    let turned = bench.post("c/turns", &json!({"agent": ""})).await;
    assert!(!turned.text.contains("--agent"), "{}", turned.text);
    let turned = bench.post("c/turns", &json!({"cwd": "/work/p/AGENTS.md"})).await;
    assert_eq!(turned.problem(422, "no-directory")["help"], "make it, or name another");
}
