//! Requests in the format of each vendor: `requests/NAME.jsonl` is a history, `requests/NAME.FORMAT.json` the body, and
//! `requests/NAME.txt` has the diagnostics. `PREFACE_PRINT=1` writes them; `cargo xtask requests` validates the bodies with the
//! vendors' own SDKs.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes its cases")]

use preface_core::{
    format::{FORMATS, RequestContent, RequestTarget},
    message::{MessageForms, SystemMessages, convert, read},
    origin::{Origin, Span},
    prompt::{Part, Prompt},
    section::SectionId,
    turn::Tool,
    variable::Stability,
};
use serde_json::json;
use std::{fmt::Write, fs, path::Path, sync::Arc};

/// The model of each vendor's format.
const MODELS: [(&str, &str); 6] = [
    ("anthropic", "claude-opus-5-5"),
    ("bedrock-converse", "us.anthropic.claude-opus-5-5-v1:0"),
    ("gemini", "gemini-4-argon"),
    ("openai-chat", "gpt-6-sol"),
    ("openai-compatible", "gpt-oss"),
    ("openai-responses", "gpt-6-sol"),
];

/// A prompt of three parts, the first of them large enough to be cached.
fn prompt() -> Prompt {
    let mut prompt = Prompt::default();
    let text = "Read the files that the user names before you answer. ".repeat(100);
    let parts = [
        ("identity", Stability::Static, text.as_str()),
        ("environment", Stability::Conversation, "Directory: /work"),
        ("clock", Stability::Turn, "Today is Tuesday."),
    ];
    for (section, stability, text) in parts {
        let start = prompt.text.len();
        let join = if start == 0 { "" } else { "\n\n" };
        prompt.text.push_str(join);
        prompt.text.push_str(text);
        let literal = |key: &str| Origin::Literal { profile: "test".into(), key: key.into() };
        let mut spans = vec![Span { range: 0..join.len(), origin: literal("join") }];
        spans.push(Span { range: join.len()..join.len() + text.len(), origin: literal(section) });
        spans.retain(|span| !span.range.is_empty());
        prompt.parts.push(Part {
            section: SectionId::new(section),
            provider: None,
            range: start..prompt.text.len(),
            stability,
            priority: 0,
            spans,
            cuts: Vec::new(),
        });
    }
    prompt.check_tiling().unwrap();
    prompt
}

fn tools() -> Vec<Tool> {
    let schema = json!({
        "type": "object",
        "properties": { "path": { "type": "string", "description": "The file." }, "n": { "type": "number" } },
        "required": ["path"],
        "additionalProperties": false,
    });
    let read = Tool {
        name: "read".into(),
        description: Some("Reads a file.".into()),
        input_schema: Some(Arc::new(schema)),
        ..Tool::default()
    };
    vec![read, Tool { name: "mcp.files/read_all".into(), ..Tool::default() }]
}

#[test]
fn each_history_has_its_body_in_each_format() {
    let print = std::env::var_os("PREFACE_PRINT").is_some();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests");
    let (prompt, tools) = (prompt(), tools());
    let mut wrong = Vec::new();
    let mut check = |name: String, text: &str| {
        let path = dir.join(&name);
        if print {
            fs::write(&path, text).unwrap();
        } else if fs::read_to_string(&path).unwrap_or_default() != text {
            wrong.push(name);
        }
    };
    for case in ["anthropic", "broken", "neutral", "openai-chat", "openai-responses"] {
        let bytes = fs::read(dir.join(format!("{case}.jsonl"))).unwrap();
        let history = read(case, &bytes, &mut Vec::new()).unwrap();
        let forms = MessageForms { system: SystemMessages::Keep, ..MessageForms::default() };
        let messages = convert(&history, &forms).messages;
        let mut diagnostics = String::new();
        for (name, model) in MODELS {
            let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
            let target =
                RequestTarget { model: Some(model), cache_key: Some("7f3a"), ..RequestTarget::default() };
            let content = RequestContent {
                messages: &messages,
                tools: &tools,
                target,
                ..RequestContent::from(&prompt)
            };
            let request = format.format(content);
            let compact = RequestTarget { indented: false, ..content.target };
            let again = format.format(RequestContent { target: compact, ..content }).body;
            let same = |body: &str| serde_json::from_str::<serde_json::Value>(body).unwrap();
            assert_eq!(same(&again), same(&request.body), "the layout changes no value: {case} {name}");
            check(format!("{case}.{name}.json"), &request.body);
            writeln!(diagnostics, "{name}").unwrap();
            for diagnostic in &request.diagnostics {
                let (severity, code) = (diagnostic.severity, diagnostic.code);
                writeln!(diagnostics, "  {severity} {code}: {}", diagnostic.message).unwrap();
            }
        }
        check(format!("{case}.txt"), &diagnostics);
    }
    assert!(
        wrong.is_empty(),
        "not as expected: {wrong:?}; `PREFACE_PRINT=1` writes them, then read the difference"
    );
}
