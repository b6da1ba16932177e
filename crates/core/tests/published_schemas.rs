//! `docs/reference/schemas` has each published schema; that of `settings.json` is derived from the types of settings, and
//! `PREFACE_PRINT=1` writes it anew.

#![allow(clippy::disallowed_methods, reason = "the schemas are files")]

use preface_core::{
    diagnostic::Severity,
    scope::Scope,
    settings::{json_schema, merge, parse},
};
use serde_json::{Value, json};
use std::{env, fs, path::Path};

#[test]
fn each_schema_is_a_file_of_the_docs() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/schemas");
    let text = format!("{:#}\n", json_schema());
    if env::var_os("PREFACE_PRINT").is_some() {
        fs::write(folder.join("settings.json"), &text).expect("it can be written");
    }
    for name in ["manifest", "mcp", "ordering", "settings"] {
        let file = fs::read_to_string(folder.join(format!("{name}.json"))).expect("it is there");
        let document: Value = serde_json::from_str(&file).expect("it is JSON");
        assert_eq!(document["$id"], format!("preface:{name}"));
        assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(
            name != "settings" || file == text,
            "settings.json is stale; `PREFACE_PRINT=1 cargo test -p preface-core --test published_schemas` writes it"
        );
    }
}

/// As much of a validator as these schemas need; what it does not know it refuses to ignore.
fn fits(schema: &Value, value: &Value) -> bool {
    let Some(schema) = schema.as_object() else { return schema == &json!(true) };
    schema.iter().all(|(word, argument)| match word.as_str() {
        "$schema" | "$id" | "$defs" | "title" | "description" => true,
        _ if word.starts_with("x-") => true,
        "$ref" => fits(json_schema().pointer(&argument.as_str().unwrap()[1..]).unwrap(), value),
        "anyOf" => argument.as_array().is_some_and(|any| any.iter().any(|schema| fits(schema, value))),
        "type" => {
            let kinds: Vec<&str> = match argument {
                Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
                one => one.as_str().into_iter().collect(),
            };
            kinds.iter().any(|kind| match *kind {
                "null" => value.is_null(),
                "boolean" => value.is_boolean(),
                "string" => value.is_string(),
                "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
                "array" => value.is_array(),
                "object" => value.is_object(),
                other => panic!("the validator does not know the type {other}"),
            })
        }
        "enum" => argument.as_array().is_some_and(|words| words.contains(value)),
        "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().unwrap()),
        "maxLength" => {
            value.as_str().is_none_or(|text| text.chars().count() as u64 <= argument.as_u64().unwrap())
        }
        "pattern" => value.as_str().is_none_or(|text| match argument.as_str().unwrap() {
            "\\S" => !text.trim().is_empty(),
            "(^|[/\\\\])\\.\\.([/\\\\]|$)" => text.split(['/', '\\']).any(|part| part == ".."),
            "^!?[A-Za-z0-9_]+:" => text.trim_start_matches('!').split_once(':').is_some_and(|(kind, _)| {
                !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            }),
            other => panic!("the validator does not know the pattern {other}"),
        }),
        "not" => !fits(argument, value),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| fits(argument, item))),
        "properties" => value.as_object().is_none_or(|map| {
            map.iter().all(|(key, value)| argument.get(key).is_none_or(|schema| fits(schema, value)))
        }),
        "additionalProperties" => value.as_object().is_none_or(|map| {
            let known = schema.get("properties").and_then(Value::as_object);
            map.iter()
                .filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)))
                .all(|(_, value)| fits(argument, value))
        }),
        other => panic!("the validator does not know {other}"),
    })
}

#[test]
fn the_reader_and_the_schema_agree() {
    let samples = [
        (true, json!({})),
        (true, json!({"sections": {"a": {"when": {"all": ["!tool:read"]}}}})),
        (true, json!({"budget": {"tokens": 9000, "onOver": "cut"}})),
        (true, json!({"budget": null})),
        (true, json!({"budget": {"tokens": null, "onOver": null}})),
        (true, json!({"budget": {"tokens": 5.0}})),
        (true, json!({"env": {"A": "${A}", "B": null}, "logging": {"any": [1, {"thing": true}]}})),
        (true, json!({"tools": {"Bash": {"disable": true, "timeout": 5}, "Edit": null}})),
        (true, json!({"providers": {"p": {"url": "x", "apiKey": "${KEY}"}}})),
        (true, json!({"sections": {"a": {"text": "t", "when": {"any": ["git:branch"]}, "priority": -5}}})),
        (true, json!({"sections": {"a": {"when": {"any": null, "none": [{"all": ["tool:read"]}]}}}})),
        (true, json!({"sections": {"a": {"when": null}}})),
        (true, json!({"securityMode": {"allowlist": ["a", "b"], "mode": "ask"}})),
        (
            true,
            json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a..md"}}, "x": {"y": 1}}}),
        ),
        (false, json!({"$schema": "preface:settings"})),
        (false, json!({"mcp": {}})),
        (false, json!({"budget": 5})),
        (false, json!({"budget": {"tokens": -1}})),
        (false, json!({"budget": {"tokens": 1.5}})),
        (false, json!({"budget": {"tokens": "5"}})),
        (false, json!({"budget": {"onOver": "explode"}})),
        (false, json!({"budget": {"tokns": 5}})),
        (false, json!({"env": {"A": 5}})),
        (false, json!({"tools": {"Bash": true}})),
        (false, json!({"tools": {"Bash": {"disable": "yes"}}})),
        (false, json!({"sections": {"a": {"txt": "t"}}})),
        (false, json!({"sections": {"a": {"when": {"al": ["git:branch"]}}}})),
        (false, json!({"sections": {"a": {"when": {"all": ["branch"]}}}})),
        (false, json!({"sections": {"a": {"when": {"all": [{"non": []}]}}}})),
        (false, json!({"sections": {"a": {"when": {"none": null}}}})),
        (false, json!({"sections": {"a": {"when": ["git:branch"]}}})),
        (false, json!({"securityMode": {"allowlist": ["a", null]}})),
        (false, json!({"securityMode": {"allowlist": "a"}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"maxTokens": -1}}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a/../b"}}}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": " "}}}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"colour": "red"}}})),
        (false, json!([])),
        (false, json!(null)),
    ];
    for (good, sample) in samples {
        let (layer, mut diagnostics) = parse(Scope::Global, "s", sample.to_string().as_bytes());
        let _ = merge(layer.into_iter().collect(), &mut diagnostics);
        let bad = |code: &str| code == "settings/schema-violation";
        let read = !diagnostics
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error || bad(diagnostic.code.as_str()));
        assert_eq!(read, good, "the reader: {sample} {diagnostics:?}");
        assert_eq!(fits(json_schema(), &sample), good, "the schema: {sample}");
    }
}
