//! The answers: a short text in the form of each API, whole or in a stream, so that an agent goes on to its end.

use serde_json::{Value, json};

/// The text of each answer.
const TEXT: &str = "OK";

/// The tokens that each request is said to have.
const INPUT_TOKENS: usize = 1000;

/// The tokens that an answer is said to have: its words.
fn tokens(text: &str) -> usize {
    text.split_whitespace().count()
}

/// A body with its media type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The media type.
    pub content_type: &'static str,
    /// The body.
    pub text: String,
}

impl Answer {
    fn json(value: &Value) -> Self {
        Answer { content_type: "application/json", text: value.to_string() }
    }

    fn stream(events: &[Value], end: &str) -> Self {
        let mut text = String::new();
        for event in events {
            if let Some(name) = event["type"].as_str() {
                text += &format!("event: {name}\n");
            }
            text += &format!("data: {event}\n\n");
        }
        Answer { content_type: "text/event-stream", text: text + end }
    }
}

/// Answers a request; `None` for a path that no service of a model has. `scripted` is asked for the text of a model's answer first.
pub fn answer(
    is_get: bool,
    path: &str,
    query: &str,
    body: &[u8],
    scripted: impl FnOnce() -> Option<String>,
) -> Option<Answer> {
    if is_get {
        let models = json!({ "object": "list", "data": [], "models": [], "has_more": false });
        return path.ends_with("/models").then(|| Answer::json(&models));
    }
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    let streams = body["stream"] == true;
    let text = || scripted().unwrap_or_else(|| text(&body));
    let (action, model) = (path.rsplit(['/', ':']).next()?, body["model"].clone());
    Some(match action {
        "count_tokens" => Answer::json(&json!({ "input_tokens": INPUT_TOKENS })),
        "countTokens" => Answer::json(&json!({ "totalTokens": INPUT_TOKENS })),
        "messages" => anthropic(&model, &text(), streams),
        "responses" => responses(&model, &text(), streams),
        "completions" => chat(&model, &text(), streams),
        "generateContent" => gemini(&text(), false),
        "streamGenerateContent" => gemini(&text(), query.contains("alt=sse")),
        _ => return None,
    })
}

/// Returns the text of the answer: JSON by its schema where a request asks for that.
fn text(body: &Value) -> String {
    let schemas = [
        "/generationConfig/responseJsonSchema",
        "/generationConfig/responseSchema",
        "/response_format/json_schema/schema",
        "/text/format/schema",
        "/output_config/format/schema",
        "/output_format/schema",
    ];
    let schema = schemas.iter().find_map(|pointer| body.pointer(pointer));
    schema.map_or_else(|| TEXT.to_owned(), |schema| example(schema, 0).to_string())
}

/// Returns the smallest value that a schema describes.
fn example(schema: &Value, depth: usize) -> Value {
    if let Some(value) =
        schema.get("const").or_else(|| schema["enum"].get(0)).or_else(|| schema.get("default"))
    {
        return value.clone();
    }
    if let Some(first) = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema[*key].get(0)) {
        return if depth < 16 { example(first, depth + 1) } else { Value::Null };
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => TEXT.into(),
        "number" | "integer" => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
        "boolean" => false.into(),
        "array" => json!([]),
        "null" => Value::Null,
        _ if depth < 16 => {
            let properties = schema["properties"].as_object().into_iter().flatten();
            properties.map(|(name, schema)| (name.clone(), example(schema, depth + 1))).collect()
        }
        _ => json!({}),
    }
}

fn anthropic(model: &Value, text: &str, streams: bool) -> Answer {
    let usage = json!({ "input_tokens": INPUT_TOKENS, "output_tokens": tokens(text), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0 });
    let mut message = json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    if streams {
        return Answer::stream(
            &[
                json!({ "type": "message_start", "message": message }),
                json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } }),
                json!({ "type": "content_block_stop", "index": 0 }),
                json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null }, "usage": usage }),
                json!({ "type": "message_stop" }),
            ],
            "",
        );
    }
    message["content"] = json!([{ "type": "text", "text": text }]);
    message["stop_reason"] = "end_turn".into();
    Answer::json(&message)
}

fn responses(model: &Value, text: &str, streams: bool) -> Answer {
    let part = json!({ "type": "output_text", "text": text, "annotations": [] });
    let item = json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part] });
    let whole = json!({
        "id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": model, "output": [item],
        "parallel_tool_calls": true, "tool_choice": "auto", "tools": [],
        "usage": {
            "input_tokens": INPUT_TOKENS, "input_tokens_details": { "cached_tokens": 0, "cache_write_tokens": 0 },
            "output_tokens": tokens(text), "output_tokens_details": { "reasoning_tokens": 0 },
            "total_tokens": INPUT_TOKENS + tokens(text),
        },
    });
    if !streams {
        return Answer::json(&whole);
    }
    let (mut begun, mut empty_item, mut empty_part) = (whole.clone(), item.clone(), part.clone());
    (begun["status"], begun["output"]) = ("in_progress".into(), json!([]));
    (empty_item["status"], empty_item["content"]) = ("in_progress".into(), json!([]));
    empty_part["text"] = "".into();
    let events = [
        json!({ "type": "response.created", "response": begun }),
        json!({ "type": "response.output_item.added", "output_index": 0, "item": empty_item }),
        json!({ "type": "response.content_part.added", "item_id": "msg_1", "output_index": 0, "content_index": 0, "part": empty_part }),
        json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text }),
        json!({ "type": "response.output_text.done", "item_id": "msg_1", "output_index": 0, "content_index": 0, "text": text }),
        json!({ "type": "response.content_part.done", "item_id": "msg_1", "output_index": 0, "content_index": 0, "part": part }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": whole }),
    ];
    let numbered: Vec<Value> = events
        .into_iter()
        .enumerate()
        .map(|(at, mut event)| {
            event["sequence_number"] = at.into();
            event
        })
        .collect();
    Answer::stream(&numbered, "")
}

fn chat(model: &Value, text: &str, streams: bool) -> Answer {
    let usage = json!({
        "prompt_tokens": INPUT_TOKENS, "completion_tokens": tokens(text), "total_tokens": INPUT_TOKENS + tokens(text),
    });
    let message = json!({ "role": "assistant", "content": text });
    if !streams {
        let choices = json!([{ "index": 0, "message": message, "finish_reason": "stop" }]);
        return Answer::json(&json!({
            "id": "chat_1", "object": "chat.completion", "created": 1, "model": model, "choices": choices, "usage": usage,
        }));
    }
    let chunk = |choices: Value, usage: Value| {
        json!({
            "id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": model, "choices": choices,
            "usage": usage,
        })
    };
    let events = [
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }]), Value::Null),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }]), Value::Null),
        chunk(json!([]), usage),
    ];
    Answer::stream(&events, "data: [DONE]\n\n")
}

fn gemini(text: &str, streams: bool) -> Answer {
    let reply = json!({
        "candidates": [{ "content": { "role": "model", "parts": [{ "text": text }] }, "finishReason": "STOP", "index": 0 }],
        "usageMetadata": {
            "promptTokenCount": INPUT_TOKENS, "candidatesTokenCount": tokens(text), "totalTokenCount": INPUT_TOKENS + tokens(text),
        },
    });
    if streams { Answer::stream(&[reply], "") } else { Answer::json(&reply) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_is_answered_whole_and_in_a_stream() {
        for path in
            ["/v1/messages", "/v1/responses", "/v1/chat/completions", "/v1beta/models/m:generateContent"]
        {
            for streams in [true, false] {
                let body = json!({ "model": "m", "stream": streams }).to_string();
                let path =
                    if streams { path.replace(":generate", ":streamGenerate") } else { path.to_owned() };
                let answer = answer(false, &path, "alt=sse", body.as_bytes(), || None).unwrap();
                let kind = if streams { "text/event-stream" } else { "application/json" };
                assert!(answer.content_type == kind && answer.text.contains(TEXT), "{path}: {answer:?}");
            }
        }
        assert_eq!(answer(false, "/api/event_logging", "", b"{}", || None), None);
        assert_eq!(answer(true, "/", "", b"", || None), None);
    }

    #[test]
    fn json_is_answered_by_its_schema() {
        let schema = json!({ "type": "object", "properties": {
            "reasoning": { "type": "STRING" }, "choice": { "enum": ["flash", "pro"] }, "score": { "type": ["integer", "null"] },
        } });
        let body = json!({ "generationConfig": { "responseJsonSchema": schema } });
        assert_eq!(text(&body), r#"{"reasoning":"OK","choice":"flash","score":1}"#);
        assert_eq!(text(&json!({})), "OK");
    }
}
