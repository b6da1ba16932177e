//! Requests in the format of each vendor: `requests/NAME.jsonl` is a history, `requests/NAME.FORMAT.json` the body, and
//! `requests/NAME.txt` has the diagnostics. `PREFACE_PRINT=1` writes them; `cargo xtask requests` validates the bodies with the
//! vendors' own SDKs. `requests/rules.md` has the rules of each vendor, each with a history.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes its cases")]

use preface_core::{
    attachment::{Attachment, AttachmentPlace, AttachmentRole, PlacedAttachment},
    diagnostic::Severity,
    format::{self, FORMATS, RequestContent, RequestRecord, RequestTarget},
    message::{Message, MessageForms, Role, SystemMessages, convert, read},
    model::Models,
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
            let format = FORMATS.iter().find(|format| format.name == name).unwrap();
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

/// Each rule is a heading, a history, and lines `FORMAT: what is reported` or `FORMAT POINTER = what is written`, without what is
/// reported for every history. A format without a line for a report has none.
#[test]
fn each_rule_of_a_vendor_is_kept_or_reported() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/requests/rules.md");
    let text = fs::read_to_string(path).unwrap();
    let (prompt, tools) = (prompt(), tools());
    let mut wrong = Vec::new();
    for rule in text.split("\n## ").skip(1) {
        let (title, rest) = rule.split_once('\n').unwrap();
        let (_, rest) = rest.split_once("```json").unwrap();
        let (options, rest) = rest.split_once('\n').unwrap();
        let (history, expected) = rest.split_once("```").unwrap();
        let option = |key: &str| options.split_whitespace().find_map(|option| option.strip_prefix(key));
        let history = read(title, history.as_bytes(), &mut Vec::new()).unwrap();
        let forms = MessageForms { system: SystemMessages::Keep, ..MessageForms::default() };
        let messages = convert(&history, &forms).messages;
        let mut expected: Vec<&str> = expected.lines().filter_map(|line| line.strip_prefix("- ")).collect();
        let mut reported = Vec::new();
        for (name, model) in MODELS {
            let format = format::find(name).unwrap();
            let mut reminded = prompt.clone();
            reminded.attachments.extend(option("reminder=").map(reminder));
            let role = option("role=").map_or(AttachmentRole::User, |_| AttachmentRole::System);
            let target = RequestTarget {
                model: Some(option("model=").unwrap_or(model)),
                attachment_role: role,
                ..RequestTarget::default()
            };
            let tools = if option("tools=").is_some() { &[] } else { &tools[..1] };
            let content =
                RequestContent { messages: &messages, tools, target, ..RequestContent::from(&reminded) };
            // With `after` the reminder came with an earlier request, which had only so many messages.
            let placed = option("after=").map(|after| {
                let messages = &messages[..after.parse().unwrap()];
                format.format(RequestContent { messages, ..content }).attachments
            });
            let request = match &placed {
                Some(placed) => {
                    format.format(RequestContent { attachments: placed, prompt: &prompt, ..content })
                }
                None => format.format(content),
            };
            for diagnostic in request.diagnostics {
                let code = diagnostic.code.as_str();
                if !["cache/below-minimum", "request/model-unknown"].contains(&code) {
                    reported.push(format!("{name}: {code}: {}", diagnostic.message));
                }
            }
            let body: Value = serde_json::from_str(&request.body).unwrap();
            for line in expected.iter().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' ')) {
                let (pointer, value) = line.split_once(" = ").unwrap();
                let value: Value = serde_json::from_str(value).unwrap();
                let found = body.pointer(pointer).unwrap_or(&Value::Null);
                if *found != value {
                    wrong.push(format!("{title}: {name} {pointer} is {found}"));
                }
            }
        }
        expected.retain(|line| !line.contains(" = "));
        let is_missing = |line: &&&str| !reported.iter().any(|found| found == **line);
        wrong.extend(expected.iter().filter(is_missing).map(|line| format!("{title}: missing {line}")));
        let is_more = |line: &&String| !expected.contains(&line.as_str());
        wrong.extend(reported.iter().filter(is_more).map(|line| format!("{title}: also {line}")));
    }
    assert_eq!(wrong, [""; 0], "{}", wrong.join("\n"));
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
                self.history.push(message(
                    json!({ "role": "assistant", "api": "anthropic-messages", "content": content }),
                ));
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
    fn each_request_extends_the_one_before(steps in steps(), role in 0..3usize) {
        let (prompt, tools) = (prompt(), tools());
        let attachment_role = [AttachmentRole::User, AttachmentRole::System, AttachmentRole::Turn][role];
        for (name, model) in MODELS {
            let format = FORMATS.iter().find(|format| format.name == name).unwrap();
            let mut conversation = Conversation::default();
            let mut before: Option<RequestRecord> = None;
            let mut sent_before = Vec::new();
            for step in &steps {
                let text = conversation.step(step, attachment_role != AttachmentRole::User);
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
        let literal =
            |key: &str| Origin::Literal { profile: "p".into(), key: format!("section.{key}").into() };
        let file = |path: &str| {
            let source = Arc::new(Source { scope: Scope::Project, path: path.into() });
            Origin::Source { source, span: 0..1, lossy: false }
        };
        let rules = [
            ("before", literal("rules.before")),
            ("prefix", literal("rules.prefix")),
            ("item", literal("rules.item")),
            (rules, file("AGENTS.md")),
            ("item", literal("rules.item")),
            ("Be brief.", file("CLAUDE.md")),
            ("suffix", literal("rules.suffix")),
        ];
        let parts: [(&str, &[(&str, Origin)]); 2] =
            [("head", &[("You help.", literal("head.text"))]), ("rules", &rules)];
        for (section, texts) in parts {
            let start = prompt.text.len();
            let mut spans = Vec::new();
            for (text, origin) in texts {
                let from = prompt.text.len() - start;
                prompt.text.push_str(text);
                spans.push(Span { range: from..prompt.text.len() - start, origin: origin.clone() });
            }
            prompt.parts.push(Part {
                section: SectionId::new(section),
                provider: None,
                range: start..prompt.text.len(),
                stability: Stability::Static,
                priority: 0,
                spans,
                cuts: Vec::new(),
            });
        }
        let content = RequestContent {
            target: RequestTarget { digests: true, ..RequestTarget::default() },
            ..RequestContent::from(&prompt)
        };
        let format = format::find("anthropic").unwrap();
        RequestRecord::of("anthropic", &content, &format.format(content))
    };
    let change = record("Use tabs.").compare(&record("Use spaces.")).change.unwrap();
    assert_eq!(change.what, "the section `rules` changed (from AGENTS.md)");
}

/// Returns the record of a request in a format, with a prompt of so many bytes.
fn record((format, model): (&str, &str), bytes: usize, history: &[Message]) -> RequestRecord {
    let mut prompt = Prompt { text: "x".repeat(bytes), ..Prompt::default() };
    let origin = Origin::Literal { profile: "p".into(), key: "section.rules.text".into() };
    prompt.parts.push(Part {
        section: SectionId::new("rules"),
        provider: None,
        range: 0..bytes,
        stability: Stability::Static,
        priority: 0,
        spans: vec![Span { range: 0..bytes, origin }],
        cuts: Vec::new(),
    });
    let messages = convert(history, &MessageForms::default()).messages;
    let target = RequestTarget { model: Some(model), digests: true, ..RequestTarget::default() };
    let content = RequestContent { messages: &messages, target, ..RequestContent::from(&prompt) };
    RequestRecord::of(format, &content, &format::find(format).unwrap().format(content))
}

#[test]
fn a_changed_message_has_its_place_in_the_body() {
    let history = [Message::user("one"), Message::user("two")];
    let edited = [Message::user("one"), Message::user("2")];
    for (format, place) in [
        ("anthropic", "messages[0]"), // it joins two messages of the user
        ("gemini", "contents[0]"),
        ("openai-chat", "messages[2]"),
        ("openai-responses", "input[2]"),
    ] {
        let model = (format, "m");
        let change = record(model, 9, &history).compare(&record(model, 9, &edited)).change.unwrap();
        assert_eq!(change.what, format!("`{place}` of the body (role `user`) changed"), "{format}");
    }
}

#[test]
fn a_cache_is_read_by_the_rules_of_the_model() {
    let history = [Message::user("one")];
    let longer =
        [Message::user("one"), message(json!({ "role": "assistant", "content": "1" })), Message::user("two")];
    let edited = [Message::user("three")];
    let readable = |model: (&str, &str), bytes: usize, later: &[Message]| {
        let (before, later) = (record(model, bytes, &history), record(model, bytes, later));
        let row = Models::bundled().find(model.1).model;
        let all: usize = before.blocks.iter().map(|block| block.bytes).sum();
        (before.readable(&later, row), all)
    };
    // The least that is cached: 512 tokens, which count as four bytes each.
    let claude = ("anthropic", "claude-opus-5-5");
    assert_eq!(readable(claude, 1_000, &longer).0, 0);
    let (read, all) = readable(claude, 2_048, &longer);
    assert_eq!(read, all, "up to the mark behind the last message");
    assert_eq!(readable(claude, 2_048, &edited).0, 2_048, "up to the mark behind the static part");
    // 1,024 tokens, then steps of 128.
    let gpt = ("openai-responses", "gpt-6.2");
    assert_eq!(readable(gpt, 4_000, &longer).0, 0);
    assert_eq!(readable(gpt, 4_500, &longer).0, 4_096);
    assert_eq!(readable(gpt, 4_700, &longer).0, 4_608);
    // Nothing is known of it, or it is another one.
    assert_eq!(readable(("anthropic", "mine"), 20_000, &longer).0, 0);
    let (before, later) = (record(claude, 20_000, &history), record(gpt, 20_000, &longer));
    assert_eq!(before.readable(&later, Models::bundled().find(gpt.1).model), 0);
}

/// Static parts behind a part that changes are in its tier: the mark is in front of that.
#[test]
fn a_cache_is_read_up_to_the_mark_that_was_sent() {
    let record = |directory: &str, format: &str| {
        let mut prompt = prompt();
        prompt.text = prompt.text.replace("/work", directory);
        prompt.parts[2].stability = Stability::Static;
        prompt.check_tiling().unwrap();
        let messages = convert(&[Message::user(&"y".repeat(4_000))], &MessageForms::default()).messages;
        let target =
            RequestTarget { model: Some("claude-opus-5-5"), digests: true, ..RequestTarget::default() };
        let content = RequestContent { messages: &messages, target, ..RequestContent::from(&prompt) };
        RequestRecord::of(format, &content, &format::find(format).unwrap().format(content))
    };
    let row = Models::bundled().find("claude-opus-5-5").model;
    for format in ["anthropic", "bedrock-converse"] {
        let (before, later) = (record("/work", format), record("/home", format));
        let identity = before.blocks[0].bytes;
        assert_eq!((before.marks.as_slice(), before.readable(&later, row)), (&[0, 2, 3][..], identity));
    }
}

#[test]
fn a_chosen_lifetime_is_that_of_every_mark() {
    let (prompt, tools) = (prompt(), tools());
    let formatted = |(name, model): (&str, &str), ttl: &str, history: &[Message]| {
        let messages = convert(history, &MessageForms::default()).messages;
        let target = RequestTarget { model: Some(model), cache_ttl: Some(ttl), ..RequestTarget::default() };
        let content =
            RequestContent { messages: &messages, tools: &tools, target, ..RequestContent::from(&prompt) };
        let request = format::find(name).unwrap().format(content);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let refused = request.diagnostics.into_iter().find(|one| one.code.as_str() == "cache/ttl");
        (body, request.cache.unwrap(), refused.map(|one| one.message))
    };
    let history = [Message::user("one")];
    let claude = ("anthropic", "claude-opus-5-5");
    let hour = json!({ "type": "ephemeral", "ttl": "1h" });
    let (body, plan, refused) = formatted(claude, "1h", &history);
    assert_eq!((plan.ttl.as_deref(), refused), (Some("1h"), None));
    assert_eq!((&body["cache_control"], &body["system"][1]["cache_control"]), (&hour, &hour));
    let (body, default, refused) = formatted(claude, "5m", &history);
    assert_eq!((default.ttl.as_deref(), refused), (Some("5m"), None));
    assert_eq!(body["cache_control"], json!({ "type": "ephemeral" }));
    assert!((plan.cold / default.cold - 2.0 / 1.25).abs() < 1e-9, "{} {}", plan.cold, default.cold);
    assert!((plan.warm - default.warm).abs() < 1e-9);

    let (body, ..) = formatted(("bedrock-converse", "claude-opus-5-5"), "1h", &history);
    let point = json!({ "cachePoint": { "type": "default", "ttl": "1h" } });
    assert_eq!((&body["system"][1], &body["messages"][0]["content"][1]), (&point, &point));
    let (body, ..) = formatted(("openai-responses", "gpt-6-sol"), "12h", &history);
    assert_eq!(body["prompt_cache_options"], json!({ "ttl": "12h" }));

    for (model, ttl, message) in [
        (
            claude,
            "2h",
            "the lifetime `2h` is not offered for a cache of `claude-opus-5-5` here; `5m` or `1h` is",
        ),
        (
            ("openai-chat", "gpt-6-sol"),
            "12h",
            "the lifetime `12h` is not offered for a cache of `gpt-6-sol` here; `30m` is",
        ),
        (
            ("openai-compatible", "mine"),
            "1h",
            "the lifetime `1h` is not offered for a cache of `mine` here; no choice is",
        ),
    ] {
        let (body, plan, refused) = formatted(model, ttl, &history);
        assert_eq!(refused.as_deref(), Some(message));
        assert_ne!(plan.ttl.as_deref(), Some(ttl));
        assert!(!body.to_string().contains(ttl), "{body}");
    }
}

#[test]
fn no_mark_of_the_prompt_is_shorter_than_one_of_the_caller() {
    let prompt = prompt();
    let marked = |mark: Value| {
        let content = json!([{ "type": "text", "text": "one", "cache_control": mark }]);
        let history = [message(json!({ "role": "user", "content": content }))];
        let messages = convert(&history, &MessageForms::default()).messages;
        let target = RequestTarget { model: Some("claude-opus-5-5"), ..RequestTarget::default() };
        let content = RequestContent { messages: &messages, target, ..RequestContent::from(&prompt) };
        let request = format::find("anthropic").unwrap().format(content);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        (body["system"][0]["cache_control"].clone(), request.cache.unwrap().ttl.unwrap())
    };
    let hour = json!({ "type": "ephemeral", "ttl": "1h" });
    assert_eq!(marked(hour.clone()), (hour, "1h".to_owned()));
    let default = json!({ "type": "ephemeral" });
    assert_eq!(marked(default.clone()), (default, "5m".to_owned()));
}

#[test]
fn a_reminder_for_one_turn_stays_in_its_place_without_a_mark_behind_it() {
    let mut prompt = prompt();
    let history = [Message::user("one")];
    let longer =
        [Message::user("one"), message(json!({ "role": "assistant", "content": "1" })), Message::user("two")];
    let mut placed = Vec::new();
    let mut request = |format: &str, prompt: &Prompt, history: &[Message]| {
        let messages = convert(history, &MessageForms::default()).messages;
        let target = RequestTarget {
            model: Some("claude-opus-5-5"),
            attachment_role: AttachmentRole::Turn,
            digests: true,
            ..RequestTarget::default()
        };
        let content = RequestContent {
            messages: &messages,
            attachments: &placed,
            target,
            ..RequestContent::from(prompt)
        };
        let request = format::find(format).unwrap().format(content);
        let record = RequestRecord::of(format, &content, &request);
        let body: Value = serde_json::from_str(&request.body).unwrap();
        let codes: Vec<&str> = request.diagnostics.iter().map(|one| one.code.as_str()).collect();
        let beta = codes.contains(&"request/beta");
        placed.extend(request.attachments);
        (body["messages"].clone(), record, beta)
    };
    prompt.attachments.push(reminder("Plan mode is on."));
    let sent = json!([
        { "role": "user", "content": [{ "type": "text", "text": "one" }] },
        { "role": "system", "content": [{ "type": "text", "text": "Plan mode is on." }], "clear_at": "next_user_message" },
    ]);
    let (messages, before, beta) = request("anthropic", &prompt, &history);
    assert_eq!((&messages, beta), (&sent, true));
    prompt.attachments.clear();
    let (messages, later, beta) = request("anthropic", &prompt, &longer);
    assert_eq!((&messages.as_array().unwrap()[..2], beta), (sent.as_array().unwrap().as_slice(), true));
    assert!(before.compare(&later).extends);
    let row = Models::bundled().find("claude-opus-5-5").model;
    let all: usize = before.blocks.iter().map(|block| block.bytes).sum();
    assert_eq!(before.readable(&later, row), all - before.blocks.last().unwrap().bytes);

    // Where the service has no such thing, the model sees it always.
    let (messages, _, beta) = request("bedrock-converse", &prompt, &longer);
    assert_eq!(
        (&messages[1], beta),
        (&json!({ "role": "system", "content": [{ "text": "Plan mode is on." }] }), false)
    );
}

#[test]
fn a_model_that_is_misspelled_is_a_warning_with_the_name() {
    let diagnostic = |model: &str| {
        let prompt = prompt();
        let target = RequestTarget { model: Some(model), ..RequestTarget::default() };
        let content = RequestContent { target, ..RequestContent::from(&prompt) };
        let diagnostics = format::find("anthropic").unwrap().format(content).diagnostics;
        let found = diagnostics.into_iter().find(|one| one.code.as_str() == "request/model-unknown").unwrap();
        (found.severity, found.help.unwrap())
    };
    assert_eq!(diagnostic("claude-opus-5-6"), (Severity::Warning, "did you mean `claude-opus-5-5`?".into()));
    let (severity, help) = diagnostic("my-own-model");
    assert_eq!(severity, Severity::Info);
    assert!(help.contains("models.toml"), "{help}");
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
