//! The replies of a fake server to a message, by its manners. The same over pipes and over HTTP.

use serde_json::{Value, json};

/// Returns the replies to a message, each piece a line or a body.
pub fn answers(manners: &str, message: &Value) -> Vec<Vec<u8>> {
    let Some(id) = message.get("id") else { return Vec::new() };
    let method = message["method"].as_str().unwrap_or_default();
    let reply = match (manners, method) {
        ("silent", _) | ("silent-to-the-new", "server/discover") => return Vec::new(),
        ("silent-about-tools", "tools/list") | ("silent-about-prompts", "prompts/get") => return Vec::new(),
        ("bad-json", _) => return vec![b"{\"jsonrpc\": \"2.0\", \"id\": 0, \"result\": {".to_vec()],
        ("banner", _) => {
            return [b"Server is running!".to_vec()].into_iter().chain(polite(message)).collect();
        }
        ("wrong-id", _) => answer(&json!(4711), &json!({})),
        ("asks-back", "tools/list") => {
            return ["ping", "roots/list", "sampling/createMessage", "elicitation/create", "what/ever"]
                .iter()
                .map(|method| bytes(&json!({ "jsonrpc": "2.0", "id": method, "method": method })))
                .chain(polite(message))
                .collect();
        }
        ("wrong-types", "initialize") => answer(id, &json!({ "protocolVersion": 7, "capabilities": "all" })),
        ("no-list", "tools/list") => answer(id, &json!({ "tools": "many" })),
        ("circle", "tools/list") => answer(id, &json!({ "tools": [tool("one")], "nextCursor": "again" })),
        ("pages", "tools/list") => pages(id, &message["params"]["cursor"]),
        ("endless-pages", "tools/list") => {
            let cursor = format!("{}x", message["params"]["cursor"].as_str().unwrap_or_default());
            answer(id, &json!({ "tools": [tool(&cursor)], "nextCursor": cursor }))
        }
        ("many", "tools/list") => {
            let tools: Vec<Value> = (0..5000).map(|at| tool(&format!("tool-{at:04}"))).collect();
            answer(id, &json!({ "tools": tools }))
        }
        ("bad-items", "tools/list") => answer(
            id,
            &json!({ "tools": [
            tool("good"), tool("good"), tool(""), tool(&"n".repeat(1000)), tool("line\nbreak"), 7, {},
            { "name": 7 }, { "name": "listed", "inputSchema": [] }, { "name": "bare" },
            { "name": "long", "description": "d".repeat(70_000) },
        ] }),
        ),
        ("hides", "tools/list") => answer(
            id,
            &json!({ "tools": [
            { "name": "tagged", "description": "Adds.\u{e0073}\u{e0065}\u{e006e}\u{e0064}", "inputSchema": {} },
            { "name": "zero\u{200b}width", "inputSchema": {} },
            { "name": "bidi", "inputSchema": { "title": "a\u{202e}b" } },
        ] }),
        ),
        ("refuses", "tools/list") => error(id, "not today"),
        ("modern" | "slow-modern", "server/discover") => answer(
            id,
            &json!({
                "resultType": "complete",
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
                "instructions": "Speak of the new.",
                "ttlMs": 0,
                "cacheScope": "private",
                "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "2.0" } },
            }),
        ),
        ("modern" | "slow-modern", "initialize") => error(id, "that is over"),
        _ => return polite(message),
    };
    vec![reply]
}

/// Returns the reply of a server that behaves.
fn polite(message: &Value) -> Vec<Vec<u8>> {
    let id = &message["id"];
    let params = &message["params"];
    let reply = match message["method"].as_str().unwrap_or_default() {
        "initialize" => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {}, "prompts": {}, "resources": {} },
            "serverInfo": { "name": "fake", "version": "1.0" },
            "instructions": "Be kind to the fake.",
        }),
        "tools/list" => json!({ "tools": [tool("write"), tool("read")] }),
        "prompts/list" => json!({ "prompts": [
            { "name": "greet", "description": "Greets.", "arguments": [{ "name": "whom", "required": true }] },
        ] }),
        "resources/list" => json!({ "resources": [
            { "uri": "fake://notes", "name": "notes", "mimeType": "text/plain" },
        ] }),
        "prompts/get" => {
            let text = format!("Hello, {}.", params["arguments"]["whom"].as_str().unwrap_or_default());
            json!({ "messages": [
                { "role": "user", "content": { "type": "text", "text": text } },
                { "role": "user", "content": { "type": "image", "data": "", "mimeType": "image/png" } },
            ] })
        }
        "resources/read" => json!({ "contents": [{ "uri": params["uri"], "text": "Noted." }] }),
        _ => return vec![error(id, "no such method")],
    };
    vec![answer(id, &reply)]
}

fn pages(id: &Value, cursor: &Value) -> Vec<u8> {
    match cursor.as_str() {
        None => answer(id, &json!({ "tools": [tool("c")], "nextCursor": "2" })),
        Some("2") => answer(id, &json!({ "tools": [tool("b")], "nextCursor": "" })),
        Some(_) => answer(id, &json!({ "tools": [tool("a")] })),
    }
}

fn tool(name: &str) -> Value {
    json!({ "name": name, "description": "Does it.", "inputSchema": { "type": "object" } })
}

fn answer(id: &Value, result: &Value) -> Vec<u8> {
    bytes(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn error(id: &Value, why: &str) -> Vec<u8> {
    bytes(&json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": why } }))
}

fn bytes(message: &Value) -> Vec<u8> {
    message.to_string().into_bytes()
}
