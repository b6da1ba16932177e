//! What a body may hold, and how it must be sent.

use crate::bench::{bench, diagnostics};
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
            r#"{"options":{"directory":1}}"#,
            r#"{"options":{"directory":{}}}"#,
            r#"{"options":{"model":["m"]}}"#,
            r#"{"options":{"preset":true}}"#,
            r#"{"options":{"template":1}}"#,
            r#"{"options":{"tools":"read"}}"#,
            r#"{"options":{"tools":[1]}}"#,
            r#"{"options":{"directory":"\ud800"}}"#,
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
        (
            "turns",
            r#"{"options":{"directory":1}}"#,
            "options.directory: invalid type: integer `1`, expected a string at line 1 column 25",
        ),
        ("turns", r#"{"options":{"tools":["a",[]]}}"#, "options.tools[1]: not a tool: "),
        ("turns", "{", "EOF while parsing an object at line 1 column 1"),
        ("turns", "{} x", "trailing characters at line 1 column 4"),
        (
            "compactions",
            r#"{"instructions":1}"#,
            "instructions: invalid type: integer `1`, expected a string",
        ),
        ("compactions", r#"{"options":{"directory":1}}"#, "invalid type: integer `1`, expected a string"),
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
            "the body cannot be read: duplicate key: `role` at line 1 column 69",
        ),
        (
            "/conversations/c/requests",
            r#"{"format":"anthropic","messages":[{"role":"user","content":"a","content":"b"}]}"#,
            "the body cannot be read: duplicate key: `content` at line 1 column 72",
        ),
        (
            "/conversations/c/requests",
            "{\"format\":\"anthropic\",\"messages\":[],\n\"messages\":[]}",
            "the body cannot be read: duplicate key: `messages` at line 2 column 10",
        ),
        (
            "/conversations/c/requests",
            r#"{"format":"anthropic","messages":[],"options":{"events":[{"type":"a","type":"b"}]}}"#,
            "the body cannot be read: duplicate key: `type` at line 1 column 75",
        ),
        (
            "/conversations/c/requests/1/usage",
            r#"{"input_tokens":1,"input_tokens":2}"#,
            "the body cannot be read: duplicate key: `input_tokens` at line 1 column 32",
        ),
        (
            "/conversations/c/turns",
            r#"{"options":{"model":"a","model":"b"}}"#,
            "the body cannot be read: duplicate key: `model` at line 1 column 31",
        ),
        (
            "/system-prompt/analyze",
            r#"{"template":"","options":{"variables":{"a:b":"1","a:b":"2"}}}"#,
            "the body cannot be read: duplicate key: `a:b` at line 1 column 54",
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
    for (verb, known) in [
        ("turns", "expected `options`"),
        ("compactions", "expected `options` or `instructions`"),
        ("refresh", "expected `options`"),
    ] {
        let problem = bench.post(&format!("c/{verb}"), &json!({"cwd": "x"})).await.problem(400, "body");
        assert!(
            problem["detail"].as_str().unwrap().contains(&format!("unknown field `cwd`, {known}")),
            "{verb}: {problem}"
        );
        let body = json!({"options": {"cwd": "x"}});
        let problem = bench.post(&format!("c/{verb}"), &body).await.problem(400, "body");
        let detail = problem["detail"].as_str().unwrap();
        assert!(
            detail.contains("options.cwd: unknown field `cwd`, expected one of `directory`"),
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
    let body = json!({"options": {"directory": null, "model": null, "preset": null, "template": null, "tools": null}});
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
    assert_eq!(bench.post("c/turns", &json!({"options": {"model": fits}})).await.status, 201);
    for key in ["directory", "model", "preset", "template"] {
        for value in [long.as_str(), "a\0b"] {
            let body = json!({"options": {key: value}});
            for verb in TAKES {
                let problem = bench.post(&format!("c/{verb}"), &body).await.problem(400, "field");
                assert!(problem["detail"].as_str().unwrap().contains(&format!("`{key}`")), "{problem}");
            }
        }
    }
    bench.post("c/turns", &json!({"options": {"tools": [long]}})).await.problem(400, "field");
    bench.post("c/turns", &json!({"options": {"tools": vec!["t"; 1001]}})).await.problem(400, "field");
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
    for path in ["?limit=0", "?limit=501", "?limit=-1", "?limit=x", "/c/history?limit=0"] {
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
    let problem = bench.service.get("/templates/main/diff").await.problem(400, "query");
    assert_eq!(problem["detail"], "Failed to deserialize query string: missing field `from`");
    let problem = bench.service.get("/templates/main/versions/x").await.problem(400, "path");
    assert!(problem["detail"].as_str().unwrap().contains("Cannot parse"), "{problem}");
    let problem = bench.get("/a%0Ab/history").await.problem(400, "path");
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
    for path in ["/c/system-prompt?x=1", "/c/history?limit=1&x", "?prefix=c&Limit=1"] {
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
    let turned = bench.post("c/turns", &json!({"options": {"agent": ""}})).await;
    assert!(!turned.text.contains("--agent"), "{}", turned.text);
    let turned = bench.post("c/turns", &json!({"options": {"directory": "/work/p/AGENTS.md"}})).await;
    assert_eq!(turned.problem(422, "no-directory")["help"], "make it, or name another");
}

#[tokio::test]
async fn what_a_client_may_not_set_is_refused_with_the_reason() {
    let bench = bench().await;
    for (options, expected) in [
        (json!({"profile": "/etc/passwd"}), "`profile` cannot be set here: it is a file of the machine"),
        (json!({"trust": "once"}), "`trust` cannot be set here"),
        (json!({"trust_pins": "{}"}), "`trust_pins` cannot be set here"),
        (json!({"template_text": "x"}), "`template_text` cannot be set here"),
        (json!({"conversation": "d"}), "`conversation` cannot be set here"),
        (json!({"settings": {"trust.mode": "none"}}), "the setting `trust.mode` cannot be set here"),
        (
            json!({"settings": {"sections.style.file": "/etc/passwd"}}),
            "`sections.style.file` cannot be set here",
        ),
        (
            json!({"settings": {"loggers.file.disable": true}}),
            "the setting `loggers.file.disable` cannot be set here",
        ),
        (json!({"settings": {"skill_paths": "/etc"}}), "the setting `skill_paths` cannot be set here"),
        (json!({"tools": [{"name": "x", "scope": "bundled"}]}), "`source` and `scope` of a tool"),
    ] {
        for verb in TAKES {
            let body = json!({"options": options});
            let problem = bench.post(&format!("c/{verb}"), &body).await;
            assert_eq!(problem.status, 400, "{verb} {options}: {}", problem.text);
            assert!(
                problem.json()["detail"].as_str().unwrap().contains(expected),
                "{verb} {options}: {}",
                problem.text
            );
        }
    }
    bench.get("/c/system-prompt").await.problem(404, "unknown-conversation");
}

#[tokio::test]
async fn a_conversation_has_variables_settings_and_tools_of_its_own() {
    let bench = bench().await;
    let options = json!({
        "preset": "default",
        "tools": ["read", {
            "name": "weather", "description": "Returns the weather of a city.",
            "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
        }],
        "variables": {"git:branch": "release"},
        "settings": {"sections.style.text": "Use blanks."},
        "time_zone": "Europe/Berlin",
        "budget": 20_000,
    });
    let first = bench.post("c/turns", &json!({"options": options})).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let prompt = first.json()["system_prompt"].as_str().unwrap().to_owned();
    for part in ["weather: Returns the weather of a city.", "release", "Use blanks."] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let messages = json!([{"role": "user", "content": "Hello."}]);
    let request =
        json!({"format": "anthropic", "messages": messages, "options": {"model": "claude-opus-5-5"}});
    let request = bench.post("c/requests", &request).await;
    assert_eq!(request.status, 201, "{}", request.text);
    let body = &request.json()["body"];
    assert_eq!(body["model"], "claude-opus-5-5");
    let tools = body["tools"].as_array().unwrap();
    assert!(
        tools
            .iter()
            .any(|tool| tool["name"] == "weather" && tool["input_schema"]["properties"]["city"].is_object())
    );

    // A later turn has the stored prompt, and hears what it does not have.
    let same = bench.post("c/turns", &json!({"options": options})).await;
    assert_eq!((same.status.as_u16(), diagnostics(&same.json())), (200, vec![]));
    let other = json!({"options": {"tools": ["read"], "variables": {"git:branch": "main"}}});
    let other = bench.post("c/turns", &other).await.json();
    assert_eq!(other["system_prompt"], prompt.as_str());
    assert_eq!(diagnostics(&other), ["conversation/tools", "conversation/options"]);
    let late =
        json!({"format": "anthropic", "messages": messages, "options": {"variables": {"git:branch": "x"}}});
    bench.post("c/requests", &late).await.problem(400, "option");
}
