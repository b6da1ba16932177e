//! `/scopes`: what the layers bring for a directory.

mod common;

use common::{machine, service_on};
use serde_json::{Value, json};

const TOOL: &str = r#"{"name": "mine", "description": "does mine"}"#;

#[tokio::test]
async fn it_lists_what_is_active_and_what_shadows_it() {
    let system = machine()
        .with_file("/home/user/.config/preface/extensions/tools/mine.json", TOOL)
        .with_file("/work/.preface/extensions/tools/mine.json", TOOL);
    let service = service_on(system).await;
    let answer = service.get("/scopes?preset=default").await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let reply = answer.json();
    assert_eq!((&reply["preset"], &reply["cwd"]), (&json!("default"), &json!("/work")));
    let entries = reply["entries"].as_array().unwrap();
    let read = entries.iter().find(|entry| entry["name"] == "read").expect("a bundled tool");
    assert_eq!((&read["category"], &read["active"]), (&json!("tools"), &json!(true)));
    assert!(reply["startup"]["loadedCount"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn it_looks_below_the_roots_only() {
    let service = service_on(machine()).await;
    for (query, status) in [
        ("cwd=/etc", 403),
        ("cwd=/work/../etc", 403),
        ("cwd=relative", 400),
        ("preset=nowhere", 422),
        ("cwd=/work", 200),
    ] {
        assert_eq!(service.get(&format!("/scopes?{query}")).await.status, status, "{query}");
    }
}

/// Returns where a schema describes an object without its properties.
fn bare_objects(at: &str, schema: &Value) -> Vec<String> {
    let below = |key: &str, value: &Value| bare_objects(&format!("{at}/{key}"), value);
    match schema {
        Value::Object(fields) => {
            let described = ["properties", "additionalProperties", "propertyNames"];
            let is_bare =
                fields.get("type").is_some_and(|kind| kind == "object" || kind == &json!(["object", "null"]))
                    && !described.iter().any(|key| fields.contains_key(*key));
            let inner = fields.iter().flat_map(|(key, value)| below(key, value));
            is_bare.then(|| at.to_owned()).into_iter().chain(inner).collect()
        }
        Value::Array(items) => {
            items.iter().enumerate().flat_map(|(index, item)| below(&index.to_string(), item)).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn every_object_of_ours_is_described() {
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let bare = bare_objects("", &api["components"]["schemas"]);
    let any = [
        "/BuildOptions/properties/events/items",
        "/BuildOptions/properties/settings/additionalProperties",
        "/RequestBody/properties/messages/items",
        "/RequestReply/properties/body",
        "/Tool/properties/input_schema",
    ];
    assert_eq!(bare, any, "JSON Schemas, and the shapes of several vendors");
}

#[tokio::test]
async fn the_answer_fits_the_published_schema() {
    let api = serde_json::to_value(preface_server::api()).unwrap();
    let schemas = api["components"]["schemas"].to_string().replace("#/components/schemas/", "#/$defs/");
    let schemas: Value = serde_json::from_str(&schemas).unwrap();
    let schema = json!({"$ref": "#/$defs/ScopesReply", "$defs": schemas});
    let mut odd_answer = json!({});
    for query in ["preset=default&cwd=/work/project", "preset=stud&cwd=/work/project", "preset=template"] {
        let system = recording::recorded_machine();
        let answer = service_on(system).await.get(&format!("/scopes?{query}")).await.json();
        let fits = jsonschema::validate(&schema, &answer);
        assert!(fits.is_ok(), "{query}: {fits:?}\n{answer:#}");
        odd_answer = answer;
    }
    odd_answer["entries"][0]["status"] = json!("odd");
    assert!(!jsonschema::is_valid(&schema, &odd_answer), "the words of an entry are checked");
}

mod recording {
    use super::*;
    use preface_engine::host::system::testing::MemorySystem;
    use std::{collections::BTreeSet, ffi::OsStr, mem, os::unix::ffi::OsStrExt, path::Path};

    /// A project and a global directory with each kind of entry that the recording shows.
    pub(super) fn recorded_machine() -> MemorySystem {
        let own = "/home/user/.config/preface";
        let project = "/work/project/.preface";
        let mut system = machine()
            .with_file(
                format!("{own}/settings.json"),
                "{\n  \"tools\": {\n    \"grep\": {\"disable\": true}\n  }\n}\n",
            )
            .with_file(
                format!("{project}/mcp.json"),
                r#"{"mcpServers": {"docs": {"command": "docs-server", "args": ["--x"]}}}"#,
            )
            .with_file(
                format!("{project}/ordering.json"),
                r#"{"hooks": {"TOOL_CALL/pre": ["pre-tool-audit"]}}"#,
            );
        for (dir, category, id, fields) in [
            (own, "loggers", "fileDebug", r#""path":"debug.log""#),
            (own, "providers", "proxy", r#""kind":"openai","baseUrl":"https://proxy.example/v1""#),
            (own, "tools", "bash", r#""description":"My own bash.""#),
            (project, "hooks", "pre-tool-audit", r#""slot":"TOOL_CALL/pre","command":["./audit.sh"]"#),
            // In the recording its name, its path and its description are hostile, as no service would send them.
            (project, "tools", "a-tool", r#""description":"Hostile.""#),
            (project, "tools", "bash", r#""description":"Runs commands, strictly.""#),
            (project, "tools", "broken", r#""description":3"#),
        ] {
            let head = r#""contractVersion":"1.0.0","requiredCoreVersion":">=0.0.0""#;
            let manifest = format!(r#"{{"id":"{id}","category":"{category}",{head},{fields}}}"#);
            system = system.with_file(format!("{dir}/extensions/{category}/{id}/manifest.json"), &manifest);
        }
        // No grant can name this directory, so that what is in it is held.
        let unnamed = Path::new("/work/project").join(OsStr::from_bytes(b"rules-\xff"));
        system
            .with_file(unnamed.join("manifest.json"), "{}")
            .with_link(format!("{project}/extensions/contextProviders/house-rules"), unnamed)
    }

    /// Keys whose values are words of the service; other strings are texts.
    const WORDS: [&str; 9] =
        ["category", "code", "config_scope", "mode", "preset", "scope", "severity", "slot", "status"];

    /// Returns where two values differ in their keys, the kinds of their values or their words.
    fn differences(at: &str, recorded: &Value, real: &Value) -> Vec<String> {
        match (recorded, real) {
            (Value::Object(one), Value::Object(other)) => {
                let keys: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
                let below = |key: &String| match (one.get(key), other.get(key)) {
                    (Some(one), Some(other)) => differences(&format!("{at}/{key}"), one, other),
                    (Some(_), None) => vec![format!("{at}/{key} is not in the answer")],
                    _ => vec![format!("{at}/{key} is not in the recording")],
                };
                keys.into_iter().flat_map(below).collect()
            }
            (Value::Array(one), Value::Array(other)) if one.len() != other.len() => {
                vec![format!("{at} has {} items in the recording, {} in the answer", one.len(), other.len())]
            }
            (Value::Array(one), Value::Array(other)) => {
                let pairs = one.iter().zip(other).enumerate();
                pairs
                    .flat_map(|(index, (one, other))| differences(&format!("{at}/{index}"), one, other))
                    .collect()
            }
            _ => {
                let key = at.rsplit('/').next().unwrap_or_default();
                let is_alike = if WORDS.contains(&key) || recorded.is_boolean() {
                    recorded == real
                } else {
                    mem::discriminant(recorded) == mem::discriminant(real)
                };
                if is_alike { Vec::new() } else { vec![format!("{at} is {recorded}, in the answer {real}")] }
            }
        }
    }

    #[tokio::test]
    async fn the_recording_of_the_editors_tests_has_the_shape_of_the_answer() {
        let recorded: Value = serde_json::from_str(include_str!("../../../web/tests/scopes.json")).unwrap();
        let service = service_on(recorded_machine()).await;
        let answer = service.get("/scopes?preset=default&cwd=/work/project").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        let found = differences("", &recorded, &answer.json());
        assert!(found.is_empty(), "web/tests/scopes.json:\n{}\nanswer: {}", found.join("\n"), answer.text);
    }
}
