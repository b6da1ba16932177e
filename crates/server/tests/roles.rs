//! The role that each request needs: every address of the router, and the same table in `docs/reference/http.md`.

mod support;

use axum::http::Method;
use preface_engine::store::TokenRole;
use std::{collections::BTreeMap, fs, path::Path};
use support::{add_token, app, send};

/// What each address needs; `-`: nothing. Deliberately written out, and not derived from the rule.
const NEEDED: &[(&str, &str)] = &[
    ("DELETE /conversations/{id}", "write"),
    ("DELETE /templates/{name}", "write"),
    ("DELETE /templates/{name}/labels/{label}", "write"),
    ("GET /", "-"),
    ("GET /assets/{name}", "-"),
    ("GET /conversations", "read"),
    ("GET /conversations/{id}/explain", "read"),
    ("GET /conversations/{id}/history", "read"),
    ("GET /conversations/{id}/requests", "read"),
    ("GET /conversations/{id}/system-prompt", "read"),
    ("GET /export", "read"),
    ("GET /healthz", "-"),
    ("GET /metrics", "metrics"),
    ("GET /openapi.json", "read"),
    ("GET /plain", "-"),
    ("GET /readyz", "-"),
    ("GET /scopes", "analyze"),
    ("GET /system-prompt", "read"),
    ("GET /system-prompt/files", "analyze"),
    ("GET /system-prompt/variables", "read"),
    ("GET /templates", "read"),
    ("GET /templates/{name}", "read"),
    ("GET /templates/{name}/diff", "read"),
    ("GET /templates/{name}/versions", "read"),
    ("GET /templates/{name}/versions/{version}", "read"),
    ("POST /conversations/{id}/compactions", "converse"),
    ("POST /conversations/{id}/refresh", "converse"),
    ("POST /conversations/{id}/requests", "converse"),
    ("POST /conversations/{id}/requests/{number}/usage", "converse"),
    ("POST /conversations/{id}/turns", "converse"),
    ("POST /import", "write"),
    ("POST /purge", "write"),
    ("POST /system-prompt/analyze", "analyze"),
    ("POST /templates/{name}/versions/{version}/restore", "write"),
    ("PUT /system-prompt", "write"),
    ("PUT /templates/{name}", "write"),
    ("PUT /templates/{name}/labels/{label}", "write"),
];

/// The roles that include each.
fn roles(needed: &str) -> &'static [&'static str] {
    match needed {
        "-" | "metrics" => &["metrics", "read", "analyze", "converse", "write"],
        "read" => &["read", "analyze", "converse", "write"],
        "analyze" => &["analyze", "write"],
        "converse" => &["converse", "write"],
        "write" => &["write"],
        other => panic!("{other}"),
    }
}

#[test]
fn the_table_has_every_address() {
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let mut known: Vec<String> = Vec::new();
    for (path, item) in api["paths"].as_object().unwrap() {
        let methods =
            item.as_object().unwrap().keys().filter(|key| Method::from_bytes(key.as_bytes()).is_ok());
        known.extend(methods.map(|method| format!("{} {path}", method.to_uppercase())));
    }
    known.sort();
    let listed: Vec<&str> = NEEDED.iter().map(|(line, _)| *line).collect();
    assert_eq!(listed, known, "add the role that a new address needs");
}

#[tokio::test]
async fn each_role_may_request_what_the_table_allows() {
    let app = app().await.listening("0.0.0.0:7677".parse().unwrap(), &[], Default::default());
    for role in TokenRole::ALL {
        add_token(app.store.as_ref(), role.as_str(), role).await;
    }
    let router = preface_server::router(app);
    for (line, needed) in NEEDED {
        let line = line.replace("{version}", "1").replace(['{', '}'], "");
        let (method, path) = line.split_once(' ').unwrap();
        let mut lines = vec![line.clone()];
        if method == "GET" {
            lines.push(format!("HEAD {path}"));
        }
        for line in lines {
            for role in TokenRole::ALL {
                let token = format!("authorization: Bearer {}", role.as_str().to_uppercase());
                let headers = ["host: 192.0.2.7:7677", &token, "content-type: application/json"];
                let response = send(&router, &line, &headers, "{}").await;
                let refused = response.status == 403;
                assert_eq!(response.headers["preface-role"], role.as_str(), "{line}");
                assert_ne!(response.status, 401, "{line} {role:?}");
                assert_eq!(
                    !refused,
                    roles(needed).contains(&role.as_str()),
                    "{line} {role:?}: {}",
                    response.text()
                );
                if refused && method != "GET" {
                    assert_eq!(response.problem()["code"], "role");
                    assert!(response.problem()["detail"].as_str().unwrap().contains(&format!("`{needed}`")));
                }
            }
            let response = send(&router, &line, &["host: 192.0.2.7:7677"], "{}").await;
            assert_eq!(response.status == 401, *needed != "-", "{line} without a token: {}", response.text());
        }
    }
}

#[tokio::test]
async fn values_that_read_files_need_a_role_that_reads_files() {
    let app = app().await.listening("0.0.0.0:7677".parse().unwrap(), &[], Default::default());
    for role in TokenRole::ALL {
        add_token(app.store.as_ref(), role.as_str(), role).await;
    }
    let router = preface_server::router(app);
    for query in ["?cwd=/work", "?model=m&c%77d=/work", "?cwd="] {
        for role in TokenRole::ALL {
            let token = format!("authorization: Bearer {}", role.as_str().to_uppercase());
            let line = format!("GET /system-prompt/variables{query}");
            let response = send(&router, &line, &["host: 192.0.2.7:7677", &token], "").await;
            assert_eq!(response.status != 403, roles("analyze").contains(&role.as_str()), "{line} {role:?}");
        }
    }
}

#[test]
fn the_page_lists_the_same_roles() {
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/http.md"))
        .unwrap();
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let documented: BTreeMap<&str, &str> = rows
        .filter_map(|row| {
            let mut cells = row.split('|').map(str::trim);
            Some((cells.next()?.strip_suffix('`')?, cells.next()?))
        })
        .collect();
    for (line, needed) in NEEDED {
        if let Some(documented) = documented.get(line) {
            let expected = if *needed == "-" { "–".to_owned() } else { format!("`{needed}`") };
            assert_eq!(*documented, expected, "{line}");
        }
    }
}
