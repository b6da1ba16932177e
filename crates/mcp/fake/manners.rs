//! What a fake server says to a message, by how it behaves.

use serde_json::{Value, json};
use std::{fs, process, thread, time::Duration};

/// What happens before it reads anything.
pub fn before(manners: &str, place: Option<&str>) {
    match manners {
        "forks" => {
            // A shell in between leaves it behind, with our pipes.
            let script = "sleep 300 & echo $! > \"$0\"";
            let place = place.expect("a place for the number");
            process::Command::new("sh").args(["-c", script, place]).status().expect("a shell is there");
        }
        "stays" => {
            fs::write(place.expect("a place for the number"), process::id().to_string())
                .expect("it is written");
        }
        "complains" => {
            for at in 0..20_000 {
                eprintln!("complaint {at} of many, all of them of some length");
            }
        }
        "fails" => {
            eprintln!("cannot start: the key is missing");
            process::exit(3);
        }
        "floods-line" => loop {
            print!("{}", "x".repeat(64 << 10));
        },
        "floods-notes" => loop {
            println!("{}", json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} }));
        },
        _ => {}
    }
}

/// What happens once its input is closed.
pub fn after(manners: &str) {
    if manners == "stays" {
        thread::sleep(Duration::from_secs(300));
    }
}

/// What it says to a message, each piece with its line end.
pub fn answers(manners: &str, message: &Value) -> Vec<Vec<u8>> {
    let Some(id) = message.get("id") else { return Vec::new() };
    let method = message["method"].as_str().unwrap_or_default();
    let params = &message["params"];
    let answer = |result: Value| vec![line(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))];
    match (manners, method) {
        ("silent", _) | ("silent-to-discover", "server/discover") => Vec::new(),
        ("modern", "server/discover") => answer(json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "instructions": "Speak of the new.",
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "2.0" } },
        })),
        (_, "initialize") => answer(json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
            "serverInfo": { "name": "fake", "version": "1.0" },
            "instructions": "Be kind to the fake.",
        })),
        ("dies", _) if method == "tools/list" => process::exit(7),
        (_, "tools/list") => answer(json!({ "tools": [
            { "name": "write", "description": "Writes.", "inputSchema": { "type": "object" } },
            { "name": "read", "description": "Reads.", "inputSchema": { "type": "object" } },
        ] })),
        (_, "prompts/list") => answer(json!({ "prompts": [
            { "name": "greet", "description": "Greets.", "arguments": [{ "name": "whom", "required": true }] },
        ] })),
        (_, "resources/list") => answer(json!({ "resources": [
            { "uri": "fake://notes", "name": "notes", "mimeType": "text/plain" },
        ] })),
        (_, "prompts/get") => answer(json!({ "messages": [
            { "role": "user", "content": { "type": "text", "text": format!("Hello, {}.", params["arguments"]["whom"]) } },
            { "role": "user", "content": { "type": "image", "data": "", "mimeType": "image/png" } },
        ] })),
        (_, "resources/read") => answer(json!({ "contents": [
            { "uri": params["uri"], "text": "Noted." },
        ] })),
        _ => vec![line(&json!({
            "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" },
        }))],
    }
}

fn line(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}
