//! The body of a request, beside `serde_json` printing the same value.

use crate::{
    Bench, BenchError,
    harness::{closure, interleave},
    table::{Bar, Table},
    template::bytes,
};
use preface_core::{
    format::{RequestContent, RequestTarget, find},
    message::{Message, MessageForms, convert},
    prompt::Prompt,
};
use serde_json::{Value, json};

pub const BENCH: Bench = Bench {
    name: "bodies",
    about: "the body of a request with 200 messages, beside serde_json printing the same value.",
    run,
};

const MESSAGES: usize = 200;

/// The formats of services, each with a model.
const SERVICES: [(&str, &str); 5] = [
    ("anthropic", "claude-opus-5-5"),
    ("openai-responses", "gpt-6.2"),
    ("openai-chat", "gpt-6.2"),
    ("gemini", "gemini-3.8-flash"),
    ("bedrock-converse", "claude-opus-5-5"),
];

fn run(rounds: Option<usize>) -> Result<Vec<Table>, BenchError> {
    let wrong = |error: serde_json::Error| BenchError::Failed(error.to_string());
    let history: Vec<Message> = serde_json::from_value(history()).map_err(wrong)?;
    let messages = convert(&history, &MessageForms::default()).messages;
    let prompt = Prompt::default();
    let mut tables = Vec::new();
    for (name, model) in SERVICES {
        let format = find(name).ok_or_else(|| BenchError::Failed(name.to_owned()))?;
        let body = || {
            let target = RequestTarget { model: Some(model), indented: false, ..RequestTarget::default() };
            let content = RequestContent { messages: &messages, target, ..RequestContent::from(&prompt) };
            format.format(content).body
        };
        let text = body();
        let value: Value = serde_json::from_str(&text).map_err(wrong)?;
        let measured = interleave(
            vec![closure("body", body), closure("serde_json", || value.to_string())],
            rounds.unwrap_or(201),
        );
        let title = format!("{name}: {MESSAGES} messages, {}", bytes(text.len()));
        #[cfg(feature = "allocations")]
        let title = format!(
            "{title}; allocations: body {}, serde_json {}",
            allocations(body),
            allocations(|| value.to_string())
        );
        let bars = vec![Bar { of: "body", to: "serde_json", at_most: 2.0 }];
        tables.push(Table::new(title, measured, bars));
    }
    Ok(tables)
}

/// Counts the allocations of a call, and their bytes.
#[cfg(feature = "allocations")]
fn allocations<T>(call: impl Fn() -> T) -> String {
    let region = stats_alloc::Region::new(crate::ALLOCATOR);
    std::hint::black_box(call());
    let change = region.change();
    format!("{} ({})", change.allocations + change.reallocations, bytes(change.bytes_allocated))
}

/// A question, an answer with a call, and its result, over and over.
fn history() -> Value {
    let message = |at: usize| match at % 4 {
        0 => {
            json!({ "role": "user", "content": format!("Task {at}: {}", "make the next test pass. ".repeat(8)) })
        }
        1 => json!({ "role": "assistant", "content": [
            { "type": "text", "text": "I read the file first. ".repeat(6) },
            { "type": "toolCall", "id": format!("call_{at}"), "name": "read", "arguments": { "path": format!("src/{at}.rs") } },
        ] }),
        2 => json!({
            "role": "toolResult", "toolCallId": format!("call_{}", at - 1), "toolName": "read", "isError": false,
            "content": [{ "type": "text", "text": "fn \"next\"() {\n\treturn 1;\n}\n".repeat(40) }],
        }),
        _ => {
            json!({ "role": "assistant", "content": [{ "type": "text", "text": "The test passes now. ".repeat(12) }] })
        }
    };
    (0..MESSAGES).map(message).collect()
}
