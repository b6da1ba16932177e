//! Prints request bodies for `cargo xtask requests`, one JSON object on each line: the golden ones of `crates/core/tests/requests`, then
//! random ones of each format. `cargo run -p preface-testkit --example request_bodies -- COUNT`.
//!
//! What the schemas of services do not state is checked here: the blocks of the prompt are the prompt, marks are few, names fit, and
//! system messages are where the service accepts them.

use preface_core::{
    attachment::{Attachment, AttachmentPlace, AttachmentRole, PlacedAttachment},
    format::{FORMATS, RequestContent, RequestFormat, RequestTarget, services},
    message::{Message, MessageForms, SystemMessages, convert},
    origin::{Origin, Span},
    prompt::{Part, Prompt},
    section::SectionId,
    turn::Tool,
    variable::Stability,
};
use serde_json::{Value, json};
use std::{
    error::Error,
    fs,
    io::{self, BufWriter, Write},
    path::Path,
    sync::Arc,
};

const PNG: &str = "iVBORw0KGgo=";
const MODELS: [&str; 8] = [
    "claude-opus-5-5",
    "claude-sonnet-4-5",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "gpt-6.2-sol",
    "gpt-5",
    "gemini-4-argon",
    "gemini-2.5-flash",
    "a-model-of-ours",
];

/// A small generator with a fixed start: the same bodies everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap_or_default() % end
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    fn text(&mut self) -> String {
        let words = ["tide", "ß", "漢字", "</system-reminder>", "\n\n", " ", "\u{202e}", "\"", "{}", "a.b"];
        let mut text = String::new();
        for _ in 0..self.below(6) {
            text.push_str(words[self.below(words.len())]);
        }
        text
    }
}

fn part(section: &str, range: std::ops::Range<usize>, stability: Stability) -> Part {
    let origin = Origin::Literal { profile: "test".into(), key: section.into() };
    let spans = if range.is_empty() { Vec::new() } else { vec![Span { range: 0..range.len(), origin }] };
    Part {
        section: SectionId::new(section),
        provider: None,
        range,
        stability,
        priority: 0,
        spans,
        cuts: Vec::new(),
    }
}

fn prompt(random: &mut Random) -> Prompt {
    let mut prompt = Prompt::default();
    for at in 0..random.below(6) {
        let start = prompt.text.len();
        let text = random.text().repeat(1 + random.below(3) * 200);
        prompt.text.push_str(&text);
        let stability = *random.pick(&[Stability::Static, Stability::Conversation, Stability::Turn]);
        prompt.parts.push(part(&format!("part-{at}"), start..prompt.text.len(), stability));
    }
    if random.chance(20) {
        prompt.attachments.push(attachment("first", &random.text(), AttachmentPlace::FirstUser));
    }
    if random.chance(40) {
        prompt.attachments.push(attachment(
            "reminder",
            &format!("now {}", random.text()),
            AttachmentPlace::LastUser,
        ));
    }
    prompt
}

fn attachment(section: &str, text: &str, place: AttachmentPlace) -> Attachment {
    Attachment { place, part: part(section, 0..text.len(), Stability::Turn), text: text.to_owned() }
}

fn tools(random: &mut Random) -> Vec<Tool> {
    let names = ["read", "mcp.files/read_all", "größe", "a tool with blanks", &"long_".repeat(40), "x"];
    let mut tools = Vec::new();
    for name in names {
        if random.chance(50) {
            continue;
        }
        let schema = json!({ "type": "object", "properties": { "path": { "type": "string", "minLength": 1 } },
            "required": ["path"], "additionalProperties": false });
        tools.push(Tool {
            name: name.to_owned(),
            description: random.chance(70).then(|| random.text()),
            input_schema: random.chance(70).then(|| Arc::new(schema)),
            strict: random.chance(30),
            ..Tool::default()
        });
    }
    tools
}

/// The API that wrote a turn.
#[derive(Clone, Copy)]
enum Dialect {
    Neutral,
    Anthropic,
    Chat,
    Responses,
}

fn user(random: &mut Random, dialect: Dialect) -> Value {
    let text = random.text();
    let image = random.chance(30);
    match dialect {
        _ if !image && random.chance(40) => json!({ "role": "user", "content": text }),
        Dialect::Neutral => json!({ "role": "user", "timestamp": 1, "content": [
            { "type": "text", "text": text }, { "type": "image", "data": PNG, "mimeType": "image/png" },
            { "type": "document", "data": "JVBERi0=", "mimeType": "application/pdf", "name": "a.pdf" }] }),
        Dialect::Anthropic => {
            json!({ "role": "user", "content": [{ "type": "text", "text": format!("{text}."),
            "cache_control": { "type": "ephemeral" } },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": PNG } },
            { "type": "document", "source": { "type": "text", "media_type": "text/plain", "data": "a" } }] })
        }
        Dialect::Chat => json!({ "role": "user", "content": [{ "type": "text", "text": text },
            { "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{PNG}") } }] }),
        Dialect::Responses => json!({ "type": "message", "role": "user", "content": [
            { "type": "input_text", "text": text },
            { "type": "input_image", "detail": "low", "image_url": format!("data:image/png;base64,{PNG}") }] }),
    }
}

/// A turn of the model with calls and their results.
fn calls(random: &mut Random, dialect: Dialect, from: usize, history: &mut Vec<Value>) -> usize {
    let count = 1 + random.below(3);
    let ids: Vec<String> =
        (from..from + count)
            .map(|at| {
                if random.chance(10) { format!("call|{at} {}", "x".repeat(70)) } else { format!("call_{at}") }
            })
            .collect();
    let name = (*random.pick(&["read", "mcp.files/read_all", "größe"])).to_owned();
    let (text, fails, image) = (random.text(), random.chance(20), random.chance(20));
    match dialect {
        Dialect::Neutral => {
            let mut content =
                vec![json!({ "type": "thinking", "thinking": text, "thinkingSignature": "c2ln" })];
            content.extend(ids.iter().map(
                |id| json!({ "type": "toolCall", "id": id, "name": name, "arguments": { "path": text } }),
            ));
            let api = *random.pick(&["anthropic-messages", "google-genai", "openai-responses", ""]);
            history.push(json!({ "role": "assistant", "api": api, "content": content }));
            for id in &ids {
                let mut content = vec![json!({ "type": "text", "text": text })];
                if image {
                    content.push(json!({ "type": "image", "data": PNG, "mimeType": "image/png" }));
                }
                history.push(
                    json!({ "role": "toolResult", "toolCallId": id, "toolName": name, "isError": fails,
                    "content": content, "details": {} }),
                );
            }
        }
        Dialect::Anthropic => {
            let mut content = vec![
                json!({ "type": "thinking", "thinking": "t", "signature": "c2ln" }),
                json!({ "type": "redacted_thinking", "data": "cmVk" }),
            ];
            content.extend(
                ids.iter().map(|id| json!({ "type": "tool_use", "id": id, "name": name, "input": {} })),
            );
            history.push(json!({ "role": "assistant", "content": content }));
            let results = ids.iter().map(|id| {
                json!({ "type": "tool_result", "tool_use_id": id, "is_error": fails, "content": "done" })
            });
            let mut content: Vec<Value> = results.collect();
            if random.chance(50) {
                content.push(json!({ "type": "text", "text": "go on" }));
            }
            history.push(json!({ "role": "user", "content": content }));
        }
        Dialect::Chat => {
            let calls = ids.iter().map(|id| {
                json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "{\"path\": \"a\"}" } })
            });
            let calls: Vec<Value> = calls.collect();
            history.push(json!({ "role": "assistant", "content": null, "refusal": null, "annotations": [],
                "tool_calls": calls }));
            for id in &ids {
                history.push(json!({ "role": "tool", "tool_call_id": id, "content": text }));
            }
        }
        Dialect::Responses => {
            history.push(
                json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "ZW5j" }),
            );
            history.extend(ids.iter().map(
                |id| json!({ "type": "function_call", "call_id": id, "name": name, "arguments": "{}" }),
            ));
            for id in &ids {
                let output =
                    if image { json!([{ "type": "input_text", "text": text }]) } else { json!(text) };
                history.push(json!({ "type": "function_call_output", "call_id": id, "output": output }));
            }
        }
    }
    count
}

fn history(random: &mut Random) -> Vec<Message> {
    let mut history = vec![json!({ "role": "user", "content": "start" })];
    let mut from = 0;
    for _ in 0..random.below(8) {
        let dialect =
            *random.pick(&[Dialect::Neutral, Dialect::Anthropic, Dialect::Chat, Dialect::Responses]);
        match random.below(4) {
            0 => from += calls(random, dialect, from, &mut history),
            1 => {
                let text = random.text();
                history.push(match dialect {
                    Dialect::Responses => json!({ "type": "message", "id": "msg_1", "status": "completed",
                        "role": "assistant", "content": [{ "type": "output_text", "text": text, "annotations": [] }] }),
                    Dialect::Chat => json!({ "role": "assistant", "content": text, "refusal": null }),
                    _ => json!({ "role": "assistant", "content": [{ "type": "text", "text": text }] }),
                });
                history.push(user(random, dialect));
            }
            2 => history.push(json!({ "role": "system", "content": format!("Rule {}", random.text()) })),
            _ => history.push(user(random, dialect)),
        }
    }
    history.into_iter().map(|value| serde_json::from_value(value).expect("a message")).collect()
}

/// Checks what no schema states.
fn check(format: &RequestFormat, content: &RequestContent<'_>, body: &Value) -> Result<(), String> {
    let printed = body.to_string();
    let marks = ["\"cache_control\"", "\"prompt_cache_breakpoint\"", "\"cachePoint\""];
    let marks: usize = marks.iter().map(|mark| printed.matches(mark).count()).sum();
    let own = content.messages.iter().filter(|message| {
        serde_json::to_string(message.fields()).is_ok_and(|text| text.contains("cache_control"))
    });
    if marks > 4.max(own.count()) {
        return Err(format!("{marks} marks"));
    }
    let text = |block: &Value| block["text"].as_str().unwrap_or_default().to_owned();
    let join = |blocks: &Value| blocks.as_array().into_iter().flatten().map(text).collect::<String>();
    let prompt = match format.name {
        "anthropic" | "bedrock-converse" => join(&body["system"]),
        "gemini" => join(&body["systemInstruction"]["parts"]),
        "openai-responses" => join(&body["input"][0]["content"]),
        "openai-chat" => join(&body["messages"][0]["content"]),
        _ => body["messages"][0]["content"].as_str().unwrap_or_default().to_owned(),
    };
    if !content.prompt.blocks().is_empty() && prompt != content.prompt.text {
        return Err("the blocks are not the prompt".to_owned());
    }
    if format.name != "anthropic" {
        return Ok(());
    }
    let empty = Vec::new();
    let messages = body["messages"].as_array().unwrap_or(&empty);
    let roles: Vec<&str> =
        messages.iter().map(|message| message["role"].as_str().unwrap_or_default()).collect();
    for (at, message) in messages.iter().enumerate() {
        let blocks = message["content"].as_array().unwrap_or(&empty);
        if blocks.iter().any(|block| block["type"] == "text" && text(block).trim().is_empty())
            || blocks.is_empty()
        {
            return Err(format!("message {at} is blank or has a blank text"));
        }
        let placed = roles[at] != "system"
            || at > 0 && roles[at - 1] == "user" && roles.get(at + 1).is_none_or(|next| *next == "assistant");
        if !placed || at > 0 && roles[at - 1] == roles[at] {
            return Err(format!("the role of message {at}: {roles:?}"));
        }
        let results = blocks.iter().position(|block| block["type"] != "tool_result").unwrap_or(blocks.len());
        if blocks[results..].iter().any(|block| block["type"] == "tool_result") {
            return Err(format!("message {at}: a result behind another block"));
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = std::env::args().nth(1).unwrap_or_default().parse().unwrap_or(100);
    let mut out = BufWriter::new(io::stdout().lock());
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../core/tests/requests");
    let mut names: Vec<_> =
        fs::read_dir(&golden)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
    names.sort();
    for path in names.iter().filter(|path| path.extension().is_some_and(|ending| ending == "json")) {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        let Some((case, format)) = name.split_once('.').filter(|(case, _)| *case != "broken") else {
            continue;
        };
        let body: Value = serde_json::from_slice(&fs::read(path)?)?;
        writeln!(out, "{}", json!({ "case": case, "format": format, "body": body }))?;
    }
    let mut random = Random(0x5eed_1234_abcd_0001);
    for at in 0..count {
        let (prompt, tools, history) = (prompt(&mut random), tools(&mut random), history(&mut random));
        let forms = MessageForms { system: SystemMessages::Keep, ..MessageForms::default() };
        let messages = convert(&history, &forms).messages;
        let model = *random.pick(&MODELS);
        let role = *random.pick(&[AttachmentRole::User, AttachmentRole::System, AttachmentRole::Turn]);
        let target = RequestTarget {
            model: Some(model),
            cache_key: random.chance(50).then_some("7f3a"),
            cache_ttl: *random.pick(&[None, None, Some("5m"), Some("1h"), Some("12h")]),
            max_output_tokens: random.chance(50).then_some(1000),
            attachment_role: role,
            indented: false,
            ..RequestTarget::default()
        };
        let first = RequestContent { messages: &messages[..1], target, ..RequestContent::from(&prompt) };
        let placed: Vec<PlacedAttachment> = FORMATS[0].format(first).attachments;
        let content = RequestContent { messages: &messages, tools: &tools, attachments: &placed, ..first };
        for format in services() {
            let body = format.format(content).body;
            assert_eq!(body, format.format(content).body, "the same content gives the same bytes");
            let body: Value = serde_json::from_str(&body)?;
            check(format, &content, &body).map_err(|why| format!("{at} {}: {why}\n{body}", format.name))?;
            writeln!(out, "{}", json!({ "case": at.to_string(), "format": format.name, "body": body }))?;
        }
    }
    out.flush()?;
    Ok(())
}
