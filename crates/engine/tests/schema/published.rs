//! The schemas that preface publishes say what its readers do: each sample is good for both or bad for both.

use preface_core::{
    diagnostic::Severity,
    extension::{Category, Manifest, ManifestLocation, Ordering, SchemaChecker},
    mcp_servers::{self, McpFile},
    scope::Scope,
    settings::{json_schema, merge, parse},
};
use preface_engine::JsonSchema;
use serde_json::{Value, json};

fn published(name: &str) -> Value {
    let text = match name {
        "settings" => return json_schema().clone(),
        "manifest" => include_str!("../../../../docs/reference/schemas/manifest.json"),
        "mcp" => include_str!("../../../../docs/reference/schemas/mcp.json"),
        _ => include_str!("../../../../docs/reference/schemas/ordering.json"),
    };
    serde_json::from_str(text).expect("it is JSON")
}

fn check(name: &str, reads: impl Fn(&[u8]) -> bool, samples: &[(bool, Value)]) {
    let schema = published(name);
    for (good, sample) in samples {
        assert_eq!(reads(sample.to_string().as_bytes()), *good, "the reader of {name}: {sample}");
        let fits = jsonschema::is_valid(&schema, sample);
        assert_eq!(fits, *good, "the schema of {name}: {sample}");
    }
}

#[test]
fn settings() {
    let reads = |bytes: &[u8]| {
        let (layer, mut diagnostics) = parse(Scope::Global, "s", bytes);
        let _ = merge(layer.into_iter().collect(), &mut diagnostics);
        !diagnostics.iter().any(|diagnostic| {
            diagnostic.severity == Severity::Error || diagnostic.code.as_str() == "settings/schema-violation"
        })
    };
    let samples = [
        (true, json!({"budget": {"tokens": 5, "onOver": null}, "env": {"A": "${A}"}, "tools": null})),
        (true, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a..md"}}}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a/../b"}}}})),
        (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": " "}}}})),
        (false, json!({"$schema": "preface:settings"})),
        (false, json!({"budget": {"tokens": -1}})),
        (false, json!(null)),
    ];
    check("settings", reads, &samples);
}

#[test]
fn orderings() {
    let reads = |bytes: &[u8]| Ordering::read(Scope::Global, "o", bytes).is_ok();
    let samples = [
        (true, json!({})),
        (true, json!({"hooks": {}})),
        (true, json!({"hooks": {"TOOL_CALL/pre": ["b", "a"], "RENDER/post": ["a"]}})),
        (false, json!(null)),
        (false, json!([])),
        (false, json!({"tools": {}})),
        (false, json!({"hooks": []})),
        (false, json!({"hooks": {"tool_call/pre": ["a"]}})),
        (false, json!({"hooks": {"TOOL_CALL/pre": []}})),
        (false, json!({"hooks": {"TOOL_CALL/pre": "a"}})),
        (false, json!({"hooks": {"TOOL_CALL/pre": ["a", "a"]}})),
        (false, json!({"hooks": {"TOOL_CALL/pre": ["a", 1]}})),
        (true, json!({"hooks": {"TOOL_CALL/pre": [""]}})),
    ];
    check("ordering", reads, &samples);
}

#[test]
fn servers() {
    let reads = |bytes: &[u8]| {
        let (file, diagnostics) = McpFile::read(Scope::Global, "m", bytes);
        let Some(file) = file else { return false };
        let resolved = mcp_servers::resolve(vec![file], &|_| false);
        !diagnostics
            .iter()
            .chain(&resolved.diagnostics)
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    };
    let samples = [
        (true, json!({})),
        (true, json!({"mcpServers": {}})),
        (true, json!({"mcpServers": {"git": {"command": "mcp-git", "args": ["-v"], "env": {"A": "${A}"}}}})),
        (true, json!({"git": {"command": "mcp-git"}, "web": {"type": "sse", "url": "https://x.test/"}})),
        (true, json!({"web": {"type": "http", "url": "http://127.0.0.1:9/", "headers": {"A": "${A}"}}})),
        (true, json!({"web": {"type": "stdio", "command": "a", "cwd": "/"}})),
        (false, json!([])),
        (false, json!({"mcpServers": []})),
        (false, json!({"git": "mcp-git"})),
        (false, json!({"": {"command": "a"}})),
        (false, json!({"a/b": {"command": "a"}})),
        (false, json!({"git": {}})),
        (false, json!({"git": {"command": ""}})),
        (false, json!({"git": {"command": 5}})),
        (false, json!({"git": {"command": "a", "args": "b"}})),
        (false, json!({"git": {"command": "a", "url": "https://x.test/"}})),
        (false, json!({"git": {"type": "stdio", "url": "https://x.test/"}})),
        (false, json!({"git": {"type": "sse", "command": "a"}})),
        (false, json!({"git": {"type": "pipe", "command": "a"}})),
        (false, json!({"git": {"command": "a", "disable": "yes"}})),
        (false, json!({"web": {"url": "ftp://x.test/"}})),
    ];
    check("mcp", reads, &samples);
    // A switch alone is good, whatever it is about.
    let schema = published("mcp");
    for switch in [json!({"git": {"disable": true}}), json!({"git": {"disabled": false}})] {
        assert_eq!(JsonSchema.check(&schema, &switch), Ok(()));
    }
}

#[test]
fn manifests() {
    let reads = |bytes: &[u8]| {
        let sample: Value = serde_json::from_slice(bytes).expect("the samples are JSON");
        let category = sample["category"].as_str().and_then(|name| name.parse().ok());
        let category: Category = category.unwrap_or(Category::Tools);
        let lies = ManifestLocation { scope: Scope::Global, category, id: "a", path: "m" };
        Manifest::read(bytes, &lies, &JsonSchema).is_ok()
    };
    let with = |category: &str, more: Value| {
        let mut manifest = json!({
            "id": "a", "category": category, "contractVersion": "1.0.0", "requiredCoreVersion": ">=1.0.0 <2.0.0",
        });
        let all = manifest.as_object_mut().expect("an object");
        all.extend(more.as_object().expect("an object").clone());
        manifest
    };
    let without = |key: &str| {
        let mut manifest = with("tools", json!({}));
        manifest.as_object_mut().expect("an object").remove(key);
        manifest
    };
    let samples = [
        (true, with("tools", json!({}))),
        (
            true,
            with(
                "tools",
                json!({"description": "x", "promptGuidelines": ["y"], "inputSchema": {}, "strict": true}),
            ),
        ),
        (true, with("ui", json!({"requiredCoreVersion": "1.0.0"}))),
        (
            true,
            with(
                "hooks",
                json!({"slot": "TOOL_CALL/pre", "role": "guard", "command": ["a", "b"], "timeoutMs": 5}),
            ),
        ),
        (true, with("hooks", json!({"event": "tool_call", "command": ["a"]}))),
        (true, with("contextProviders", json!({"markdown": "x", "priority": -5, "maxTokens": 0}))),
        (true, with("contextProviders", json!({"files": ["a.md", "b/c..md"], "kind": "tool-hint"}))),
        (true, with("providers", json!({"kind": "k", "baseUrl": "https://x.test", "apiKey": "${KEY}"}))),
        (true, with("providers", json!({"apiKey": {"kind": "env", "name": "KEY"}}))),
        (true, with("sessionStores", json!({"kind": "sqlite"}))),
        (true, with("loggers", json!({"path": "log.jsonl"}))),
        (
            true,
            with(
                "tools",
                json!({
                    "configSchema": {"type": "object", "additionalProperties": false, "properties": {"n": {}}},
                    "config": {"n": 5},
                }),
            ),
        ),
        (false, json!([])),
        (false, without("id")),
        (false, without("category")),
        (false, without("contractVersion")),
        (false, without("requiredCoreVersion")),
        (false, with("tool", json!({}))),
        (false, with("tools", json!({"contractVersion": "2.0.0"}))),
        (false, with("tools", json!({"requiredCoreVersion": "^1.0.0"}))),
        (false, with("tools", json!({"requiredCoreVersion": ""}))),
        (false, with("tools", json!({"config": []}))),
        (false, with("tools", json!({"configSchema": {"type": "object"}}))),
        (false, with("tools", json!({"description": 5}))),
        (false, with("hooks", json!({"slot": "tool_call/pre"}))),
        (false, with("hooks", json!({"event": "sometimes"}))),
        (false, with("hooks", json!({"role": "judge"}))),
        (false, with("hooks", json!({"command": "a b"}))),
        (false, with("hooks", json!({"command": []}))),
        (false, with("hooks", json!({"command": ["a"], "timeoutMs": 0}))),
        (false, with("contextProviders", json!({"maxTokens": -1}))),
        (false, with("contextProviders", json!({"files": ["../a"]}))),
        (false, with("contextProviders", json!({"files": ["/a"]}))),
        (false, with("contextProviders", json!({"kind": "poem"}))),
        (false, with("providers", json!({"baseUrl": "x.test"}))),
        (false, with("providers", json!({"apiKey": "sk-key"}))),
        (false, with("sessionStores", json!({"kind": "paper"}))),
        (false, with("loggers", json!({"path": "../log"}))),
    ];
    check("manifest", reads, &samples);
}
