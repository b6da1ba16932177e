//! The tool definitions for clients: descriptions, arguments and results.

use super::arguments::DIRECTORY;
use preface_engine::{core::format, mcp_protocol::ToolOffer};
use serde_json::{Map, Value, json};

/// Returns the tools, by name. `presets` are named as examples.
pub fn tools(presets: &[&str]) -> Vec<ToolOffer> {
    let input = input(presets);
    let offer = |name: &str, title: &str, about: &str, output: Value| ToolOffer {
        name: name.to_owned(),
        title: title.to_owned(),
        about: about.to_owned(),
        input: input.clone(),
        output: object(output),
    };
    vec![
        offer(
            "build",
            "Build a system prompt",
            "Builds the system prompt that an agent gets in a directory. Answers with its text, its tokens and the \
             diagnostics of the build: what was not trusted, cut or left out, with a remedy for each. Changes nothing.",
            build(),
        ),
        offer(
            "explain",
            "Explain a system prompt",
            "Builds the same prompt and lists for each part where its text came from, how many tokens it takes and how long \
             its bytes stay the same, and which sections are absent and why. Changes nothing.",
            explain(),
        ),
        offer(
            "lint",
            "Find trouble in a system prompt",
            "Looks at every text that a build of the directory would use, untrusted ones included, for hidden characters, \
             secrets, forged structure, tags that do nothing and parts that spoil a prompt cache. Answers with diagnostics: \
             code, severity, path, line and help. Changes nothing.",
            lint(),
        ),
        ToolOffer {
            input: object(request_input(presets)),
            ..offer(
                "request",
                "Make the body of a request",
                "Builds the same prompt and answers with the body of a request to a service that offers models: the prompt, the \
                 messages and the active tools in the service's format, with its cache marks. The agent sends it. Changes \
                 nothing, and records nothing.",
                request(),
            )
        },
    ]
}

fn request_input(presets: &[&str]) -> Value {
    let names: Vec<&str> = format::services().map(|format| format.name()).collect();
    let mut input = Value::Object(input(presets));
    input["properties"]["format"] = json!({ "enum": names, "description": "The format of the body." });
    input["properties"]["messages"] = json!({
        "type": "array",
        "items": { "type": "object" },
        "description": "The messages so far, oldest first, as Anthropic or OpenAI write them, or in the neutral form.",
    });
    input["properties"]["max_output_tokens"] =
        json!({ "type": "integer", "minimum": 1, "description": "The most tokens of the answer." });
    input["properties"]["cache_ttl"] = json!({
        "type": "string",
        "description": "The lifetime of the cache marks as the service writes it, such as `1h`. Without it that of the model.",
    });
    input["required"] = json!(["format", "messages"]);
    input
}

fn request() -> Value {
    json!({
        "type": "object",
        "properties": {
            "body": { "type": "object", "description": "What to send." },
            "fingerprint": { "type": "string", "description": "That of the prompt." },
            "diagnostics": list(diagnostic()),
        },
        "required": ["body", "fingerprint", "diagnostics"],
    })
}

fn input(presets: &[&str]) -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": {
            "directory": { "type": "string", "description": DIRECTORY },
            "preset": {
                "type": "string",
                "description": "A preset, or a profile of the user's, by its name. Without it the user's settings decide.",
                "examples": presets,
            },
            "model": { "type": "string", "description": "The model that will read the prompt." },
            "agent": {
                "type": "string",
                "description": "Build the prompt of this agent instead of the main conversation's.",
            },
            "tools": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The names of the active tools; an empty list activates no tool. Without it the profile decides.",
            },
        },
        "additionalProperties": false,
    }))
}

fn build() -> Value {
    json!({
        "type": "object",
        "properties": {
            "preset": { "type": "string" },
            "text": { "type": "string", "description": "The system prompt." },
            "fingerprint": { "type": "string", "description": "The same for the same text." },
            "tokens": tokens(),
            "attachments": list(json!({
                "type": "object",
                "description": "A text that goes into a message of the user, beside the prompt.",
                "properties": {
                    "id": { "type": "string" }, "place": { "type": "string" }, "text": { "type": "string" },
                },
                "required": ["id", "place", "text"],
            })),
            "diagnostics": list(diagnostic()),
        },
        "required": ["preset", "text", "fingerprint", "tokens", "attachments", "diagnostics"],
    })
}

fn explain() -> Value {
    json!({
        "type": "object",
        "properties": {
            "preset": { "type": "string" },
            "tokens": tokens(),
            "bytes": { "type": "integer" },
            "parts": list(json!({
                "type": "object",
                "properties": {
                    "section": { "type": "string" },
                    "tokens": { "type": "integer" },
                    "bytes": { "type": "integer" },
                    "stability": { "type": "string", "description": "How long its bytes stay the same." },
                    "origins": list(json!({
                        "type": "object",
                        "properties": {
                            "label": { "type": "string", "description": "A file and its line, a key, or a variable." },
                            "scope": { "type": ["string", "null"], "description": "The layer that is used." },
                            "tokens": { "type": "integer" },
                        },
                        "required": ["label", "scope", "tokens"],
                    })),
                    "cut": { "type": "boolean", "description": "True if a limit took something away." },
                },
                "required": ["section", "tokens", "bytes", "stability", "origins", "cut"],
            })),
            "absent": list(json!({
                "type": "object",
                "properties": {
                    "section": { "type": "string" }, "reason": { "type": "string" }, "why": { "type": "string" },
                },
                "required": ["section", "reason", "why"],
            })),
            "cache": {
                "type": "object",
                "properties": {
                    "static_tokens": { "type": "integer" },
                    "ends_at": { "type": ["string", "null"], "description": "The first section that is not static." },
                },
                "required": ["static_tokens", "ends_at"],
            },
            "diagnostics": list(diagnostic()),
        },
        "required": ["preset", "tokens", "bytes", "parts", "absent", "cache", "diagnostics"],
    })
}

fn lint() -> Value {
    json!({
        "type": "object",
        "properties": {
            "texts": { "type": "integer", "description": "How many texts were read." },
            "errors": { "type": "integer" },
            "warnings": { "type": "integer" },
            "diagnostics": list(diagnostic()),
        },
        "required": ["texts", "errors", "warnings", "diagnostics"],
    })
}

fn tokens() -> Value {
    json!({
        "type": "object",
        "properties": {
            "count": { "type": "integer" },
            "counter": { "type": "string" },
            "exact": { "type": "boolean", "description": "False for an estimate." },
        },
        "required": ["count", "counter", "exact"],
    })
}

fn diagnostic() -> Value {
    json!({
        "type": "object",
        "properties": {
            "code": { "type": "string" },
            "severity": { "enum": ["info", "warning", "error"] },
            "message": { "type": "string" },
            "path": { "type": "string" },
            "line": { "type": "integer" },
            "column": { "type": "integer" },
            "help": { "type": "string" },
        },
        "required": ["code", "severity", "message"],
    })
}

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
