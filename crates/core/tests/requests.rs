//! Requests in the format of each vendor: `requests/NAME.jsonl` is a history, `requests/NAME.FORMAT.json` the body, and
//! `requests/NAME.txt` has the diagnostics. `PREFACE_PRINT=1` writes them; `cargo xtask requests` validates the bodies with the
//! vendors' own SDKs.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes its cases")]

use preface_core::{
    attachment::{Attachment, AttachmentPlace, AttachmentRole, PlacedAttachment},
    format::{self, FORMATS, RequestContent, RequestRecord, RequestTarget},
    message::{Message, MessageForms, Role, SystemMessages, convert, read},
    origin::{Origin, Source, Span},
    prompt::{Part, Prompt},
    scope::Scope,
    section::SectionId,
    turn::Tool,
    variable::Stability,
};
use proptest::prelude::*;
use serde_json::{Value, json};
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
            let same = |body: &str| serde_json::from_str::<Value>(body).unwrap();
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

/// What happens between two requests.
#[derive(Clone, Debug)]
enum Step {
    /// The user writes, with a reminder if there is a text.
    User(String, Option<String>),
    /// The model calls tools, some of which fail; a reminder follows the results if there is a text.
    Calls(usize, bool, Option<String>),
    /// The model answers without a call, and the user writes.
    Answer(String),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let text = "[a-c <>/]{0,12}|</?system-reminder>";
    let reminder = || prop::option::of("[a-z ]{1,20}|a</system-reminder>b");
    let step = prop_oneof![
        (text, reminder()).prop_map(|(text, reminder)| Step::User(text, reminder)),
        (1..4usize, any::<bool>(), reminder())
            .prop_map(|(calls, fails, reminder)| Step::Calls(calls, fails, reminder)),
        text.prop_map(Step::Answer),
    ];
    prop::collection::vec(step, 1..12)
}

fn message(value: Value) -> Message {
    serde_json::from_value(value).unwrap()
}

fn reminder(text: &str) -> Attachment {
    let range = 0..text.len();
    let origin = Origin::Caller { flag: "--event".into() };
    let part = Part {
        section: SectionId::new("reminder"),
        provider: None,
        range: range.clone(),
        stability: Stability::Turn,
        priority: 0,
        spans: vec![Span { range, origin }],
        cuts: Vec::new(),
    };
    Attachment { place: AttachmentPlace::LastUser, part, text: text.to_owned() }
}

/// The conversation of the property: the history, and the attachments that earlier requests placed.
#[derive(Default)]
struct Conversation {
    history: Vec<Message>,
    placed: Vec<PlacedAttachment>,
    calls: usize,
}

impl Conversation {
    /// Adds what happens, and returns the reminder for the next request. With `answered` every request has an answer: a
    /// system message must be in front of one, so that it becomes a text of the user where none came.
    fn step(&mut self, step: &Step, answered: bool) -> Option<String> {
        let unanswered = self.history.last().is_some_and(|last| last.role() != Role::Assistant);
        if answered && unanswered && !matches!(step, Step::Answer(_)) {
            self.history.push(message(json!({ "role": "assistant", "content": "ok" })));
        }
        match step {
            Step::User(text, reminder) => {
                self.history.push(Message::user(text));
                reminder.clone()
            }
            Step::Calls(count, fails, reminder) => {
                let ids: Vec<String> = (0..*count).map(|at| format!("call-{}", self.calls + at)).collect();
                self.calls += count;
                let calls = ids.iter().map(|id| {
                    json!({ "type": "toolCall", "id": id, "name": "mcp.files/read_all", "arguments": { "n": 1 } })
                });
                let content: Vec<Value> = calls.collect();
                self.history.push(message(json!({ "role": "assistant", "content": content })));
                for id in &ids {
                    let result = json!({ "role": "toolResult", "toolCallId": id, "isError": fails, "content": [
                        { "type": "text", "text": "done" },
                        { "type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png" },
                    ] });
                    self.history.push(message(result));
                }
                reminder.clone()
            }
            Step::Answer(text) => {
                let content = json!([{ "type": "thinking", "thinking": "t", "thinkingSignature": "s" },
                    { "type": "text", "text": text }]);
                self.history.push(message(json!({ "role": "assistant", "content": content })));
                self.history.push(Message::user("go on"));
                None
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A reminder that was sent stays where it was: each request begins with all of the one before, whatever its format.
    #[test]
    fn each_request_extends_the_one_before(steps in steps(), system in any::<bool>()) {
        let (prompt, tools) = (prompt(), tools());
        let attachment_role = if system { AttachmentRole::System } else { AttachmentRole::User };
        for (name, model) in MODELS {
            let format = FORMATS.iter().find(|format| format.name() == name).unwrap();
            let mut conversation = Conversation::default();
            let mut before: Option<RequestRecord> = None;
            let mut sent_before = Vec::new();
            for step in &steps {
                let text = conversation.step(step, system);
                let mut prompt = prompt.clone();
                prompt.attachments.extend(text.as_deref().map(reminder));
                let messages = convert(&conversation.history, &MessageForms::default()).messages;
                let target = RequestTarget { model: Some(model), attachment_role, digests: true, ..RequestTarget::default() };
                let content = RequestContent {
                    messages: &messages,
                    tools: &tools,
                    attachments: &conversation.placed,
                    target,
                    ..RequestContent::from(&prompt)
                };
                let request = format.format(content);
                let record = RequestRecord::of(name, &content, &request);
                if let Some(before) = &before {
                    let comparison = before.compare(&record);
                    prop_assert!(comparison.extends, "{name}: {:?}", comparison.change);
                }
                for text in &sent_before {
                    prop_assert!(request.body.contains(text), "{name}: {text} is gone");
                }
                prop_assert_eq!(request.attachments.len(), usize::from(text.is_some()));
                sent_before.extend(request.attachments.iter().filter(|one| one.text.bytes().all(|byte| byte.is_ascii_lowercase())).map(|one| one.text.clone()));
                conversation.placed.extend(request.attachments);
                before = Some(record);
            }
        }
    }
}

#[test]
fn a_changed_section_names_the_file_in_front_of_the_profile() {
    let record = |rules: &str| {
        let mut prompt = Prompt::default();
        let mut spans = Vec::new();
        for key in ["before", "prefix", "item", "suffix"] {
            let start = prompt.text.len();
            prompt.text.push_str(key);
            let origin = Origin::Literal { profile: "p".into(), key: format!("section.rules.{key}").into() };
            spans.push(Span { range: start..prompt.text.len(), origin });
        }
        let start = prompt.text.len();
        prompt.text.push_str(rules);
        let source = Arc::new(Source { scope: Scope::Project, path: "AGENTS.md".into() });
        let origin = Origin::Source { source, span: 0..rules.len(), lossy: false };
        spans.push(Span { range: start..prompt.text.len(), origin });
        prompt.parts.push(Part {
            section: SectionId::new("rules"),
            provider: None,
            range: 0..prompt.text.len(),
            stability: Stability::Static,
            priority: 0,
            spans,
            cuts: Vec::new(),
        });
        let content = RequestContent {
            target: RequestTarget { digests: true, ..RequestTarget::default() },
            ..RequestContent::from(&prompt)
        };
        let format = format::find("anthropic").unwrap();
        RequestRecord::of("anthropic", &content, &format.format(content))
    };
    let change = record("Use tabs.").compare(&record("Use spaces.")).change.unwrap();
    assert_eq!(
        change.what,
        "the section `rules` changed, from AGENTS.md, p.toml section.rules.before, p.toml section.rules.prefix and 2 more"
    );
}

#[test]
fn an_edited_history_is_reported_with_the_message() {
    let prompt = prompt();
    let with = |history: &[Message], placed: &[PlacedAttachment]| {
        let messages = convert(history, &MessageForms::default()).messages;
        let content =
            RequestContent { messages: &messages, attachments: placed, ..RequestContent::from(&prompt) };
        let diagnostics = FORMATS[0].format(content).diagnostics;
        let of_history = |code: &str| code == "history/edited";
        diagnostics
            .into_iter()
            .filter(|one| of_history(one.code.as_str()))
            .map(|one| one.message)
            .collect::<Vec<_>>()
    };
    let history = [Message::user("one"), Message::user("two")];
    let mut reminded = prompt.clone();
    reminded.attachments.push(reminder("Plan mode is on."));
    let messages = convert(&history, &MessageForms::default()).messages;
    let content = RequestContent { messages: &messages, ..RequestContent::from(&reminded) };
    let placed = FORMATS[0].format(content).attachments;
    assert_eq!((placed[0].after, placed[0].role), (1, AttachmentRole::User));
    assert_eq!(with(&history, &placed), [""; 0]);
    assert_eq!(
        with(&[Message::user("one"), Message::user("2")], &placed),
        ["message 1 changed since it was sent; `reminder` was sent behind it"]
    );
    assert_eq!(
        with(&history[..1], &placed),
        ["message 1 is no longer in the history; `reminder` was sent behind it"]
    );
}
