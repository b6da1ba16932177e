//! What a model sees of a history: the published packages' answers in `tests/messages/converted.txt`, and files that are
//! refused.
//!
//! A case is a line `=== what it shows`, the messages on one line, `---`, and what each of 0.58.3, 0.73.1 and 0.87.1
//! answered. Where 0.87.1 answered something else, that follows `--- system kept`: it alone sends messages of role
//! `system` on.

use preface_core::message::{
    DropReason, MOST_BYTES, MOST_MESSAGES, MessageConversion, MessageForms, MessageFrame, MessagesError,
    SystemMessages, convert, read,
};
use serde_json::{Value, json};

fn kept() -> MessageForms {
    MessageForms { system: SystemMessages::Keep, ..MessageForms::default() }
}

fn converted(json: &str, forms: &MessageForms) -> MessageConversion {
    let mut diagnostics = Vec::new();
    let messages = read("messages.json", json.as_bytes(), &mut diagnostics)
        .unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(diagnostics, []);
    convert(&messages, forms)
}

fn shown(conversion: &MessageConversion) -> String {
    serde_json::to_string(&conversion.messages).unwrap()
}

#[test]
fn the_model_sees_what_the_packages_send() {
    let cases: Vec<&str> = include_str!("messages/converted.txt").split("=== ").skip(1).collect();
    assert!(cases.len() > 30, "a file without cases checks nothing");
    for case in cases {
        let (name, rest) = case.split_once('\n').unwrap();
        let (given, answers) = rest.split_once("\n---\n").unwrap();
        let (answer, with_system) = match answers.split_once("\n--- system kept\n") {
            Some((answer, with_system)) => (answer, with_system),
            None => (answers.trim_end_matches('\n'), answers.trim_end_matches('\n')),
        };
        // Compared as text: the order of the fields counts, too.
        let text = |json: &str| serde_json::from_str::<Value>(json).unwrap().to_string();
        assert_eq!(shown(&converted(given, &MessageForms::default())), text(answer), "{name}");
        assert_eq!(shown(&converted(given, &kept())), text(with_system), "{name}, system messages kept");
    }
}

#[test]
fn what_is_left_out_is_listed() {
    let json = r#"[{"role":"bashExecution","command":"env","excludeFromContext":true},
        {"role":"user","content":"x"}, {"role":"system","content":"y"}]"#;
    let conversion = converted(json, &MessageForms::default());
    let dropped: Vec<_> = conversion.dropped.iter().map(|one| (one.message, one.why)).collect();
    assert_eq!(dropped, [(0, DropReason::Excluded), (2, DropReason::System)]);
    assert_eq!(conversion.messages[0].origin.message, 1);
    let diagnostics: Vec<_> = conversion
        .diagnostics()
        .into_iter()
        .map(|diagnostic| (diagnostic.code.as_str(), diagnostic.message))
        .collect();
    assert_eq!(diagnostics[0].0, "messages/excluded");
    assert_eq!(diagnostics[0].1, "message 0 is not sent: its command was run with `!!`");
    assert_eq!(diagnostics[1].0, "messages/system");
    assert_eq!(converted(json, &kept()).dropped.len(), 1);
}

/// The texts of a message's blocks, with the bytes that are the profile's in angle quotes.
fn marked(conversion: &MessageConversion) -> Vec<String> {
    let message = &conversion.messages[0];
    let blocks = message.fields()["content"].as_array().unwrap();
    let mark = |(at, block): (usize, &Value)| {
        let text = block["text"].as_str().unwrap_or("(no text)");
        let (mut marked, mut end) = (String::new(), 0);
        for span in message.origin.frames.iter().filter(|span| span.block == at) {
            marked += &format!("{}«{}»", &text[end..span.range.start], &text[span.range.clone()]);
            end = span.range.end;
        }
        marked + &text[end..]
    };
    blocks.iter().enumerate().map(mark).collect()
}

#[test]
fn each_byte_is_the_messages_or_the_profiles() {
    let forms = MessageForms::default();
    for (json, expected) in [
        (
            json!({"role": "branchSummary", "summary": "We climbed."}),
            "«The following is a summary of a branch that this conversation came back from:\n\n<summary>\n»We climbed.«</summary>»",
        ),
        (
            json!({"role": "bashExecution", "command": "ls", "output": "a\n", "exitCode": 2, "truncated": true, "fullOutputPath": "/l"}),
            "«Ran `»ls«`\n```\n»a\n«\n```\n\nCommand exited with code »2«\n\n[Output truncated. Full output: »/l«]»",
        ),
        (
            json!({"role": "bashExecution", "command": "ls", "cancelled": true}),
            "«Ran `»ls«`\n(no output)\n\n(command cancelled)»",
        ),
        (json!({"role": "custom", "content": "It rains."}), "It rains."),
    ] {
        assert_eq!(marked(&converted(&json.to_string(), &forms)), [expected], "{json}");
    }
}

#[test]
fn a_profile_may_wrap_texts_of_extensions() {
    let custom = MessageFrame::new("[event {type}]\n", "\n[end of {type}]");
    let forms = MessageForms { custom, ..MessageForms::default() };
    let text = |text: &str| json!({"type": "text", "text": text});
    let image = json!({"type": "image", "data": "aGk="});
    for (content, expected) in [
        (json!("It rains."), vec!["«[event »{type}«]\n»It rains.«\n[end of »{type}«]»"]),
        (json!([text("a")]), vec!["«[event »{type}«]\n»a«\n[end of »{type}«]»"]),
        (
            json!([text("a"), image, text("b")]),
            vec!["«[event »{type}«]\n»a", "(no text)", "b«\n[end of »{type}«]»"],
        ),
        (json!([image, text("b"), text("c")]), vec!["(no text)", "b", "c«\n[end of »{type}«]»"]),
        (json!([image]), vec!["«[event »{type}«]\n\n[end of »{type}«]»", "(no text)"]),
        (json!([]), vec!["«[event »{type}«]\n\n[end of »{type}«]»"]),
    ] {
        // The type itself looks like the place where it goes: what was inserted is not read again.
        let json = json!({"role": "custom", "customType": "{type}", "content": content}).to_string();
        assert_eq!(marked(&converted(&json, &forms)), expected, "{json}");
    }
}

#[test]
fn the_words_of_the_guide_are_the_ones_that_count() {
    let page = include_str!("../../../docs/reference/messages.md");
    let words = page.split("\n```toml\n").nth(1).and_then(|rest| rest.split("\n```").next()).unwrap();
    let words: toml::Table = toml::from_str(words).unwrap();
    let words: MessageForms = words["messages"].clone().try_into().unwrap();
    assert_eq!(words, MessageForms::default());
}

fn refused(text: &str) -> MessagesError {
    read("chat.json", text.as_bytes(), &mut Vec::new()).expect_err(text)
}

#[test]
fn the_three_forms_of_a_file_have_the_same_messages() {
    let (one, two) = (r#"{"role":"user","content":"a"}"#, r#"{"role":"user","content":"messages"}"#);
    let texts = [
        format!("[{one},{two}]"),
        format!("\u{feff} [\n  {one} ,\r\n\t{two}\n]\n\n"),
        format!("{{\"messages\":[{one},{two}]}}"),
        format!("{{ \"messages\" : [ {one}, {two} ] }}\n"),
        format!("{one}\n{two}"),
        format!("\n{one}\r\n\r\n{two}\n\n"),
    ];
    for text in texts {
        let mut diagnostics = Vec::new();
        let messages =
            read("chat", text.as_bytes(), &mut diagnostics).unwrap_or_else(|error| panic!("{error}: {text}"));
        let texts: Vec<_> = messages.iter().map(preface_core::message::Message::text).collect();
        assert_eq!((texts, diagnostics), (vec!["a".to_owned(), "messages".to_owned()], vec![]), "{text}");
    }
    for empty in ["[]", " [ ] ", "{\"messages\":[]}"] {
        assert_eq!(read("chat", empty.as_bytes(), &mut Vec::new()).unwrap(), []);
    }
}

#[test]
fn keys_beside_the_messages_are_reported() {
    let mut diagnostics = Vec::new();
    let text = "{\"system\": \"x\",\n \"messages\": [],\n \"tools\": [[]]}";
    assert_eq!(read("chat.json", text.as_bytes(), &mut diagnostics).unwrap(), []);
    assert_eq!(diagnostics.len(), 1, "one note, however many keys there are");
    assert_eq!(diagnostics[0].message, "`system` and 1 other key beside `messages` are not read");
    assert_eq!(
        diagnostics[0].place.as_ref().map(|place| (place.line, place.column)),
        Some((Some(1), Some(12)))
    );
}

#[test]
fn a_refused_file_has_an_error_with_place_message_and_remedy() {
    let user = r#"{"role":"user","content":"é"}"#;
    for (text, message, line, column, help) in [
        ("".to_owned(), "there are no messages", 1, 1, "`[]` is an empty list"),
        (" \n ".to_owned(), "there are no messages", 2, 2, "`[]` is an empty list"),
        (
            "é".to_owned(),
            "messages are a list of JSON objects",
            1,
            1,
            "give `[…]`, `{\"messages\": […]}`, or one message on each line",
        ),
        (
            format!("[{user}, 7]"),
            "message 1: a message must be an object, not a number",
            1,
            33,
            "write `{\"role\": \"user\", \"content\": \"…\"}`",
        ),
        (
            format!("[\n{user}\n{user}]"),
            "expected `,` or `]`",
            3,
            1,
            "messages are strict JSON, without comments",
        ),
        (format!("[{user},]"), "trailing comma", 1, 32, "messages are strict JSON, without comments"),
        (
            format!("[{user}"),
            "the file ends in the middle of a value",
            1,
            31,
            "the file ends early: was it cut?",
        ),
        (
            format!("{user}\n{{\"role\":\"us"),
            "message 1: the file ends in the middle of a value",
            2,
            12,
            "the file ends early: was it cut?",
        ),
        (format!("[{user}] x"), "trailing characters", 1, 33, "messages are strict JSON, without comments"),
        (
            format!("{{\"messages\": {user}}}"),
            "`messages` must be a list",
            1,
            14,
            "write `{\"messages\": []}`",
        ),
        (
            format!("{user}\n{{\"role\":\"tols\",\"content\":\"x\"}}"),
            "message 1: unknown role `tols`",
            2,
            9,
            "",
        ),
        (
            "[{\"role\":\"user\",\"content\":\"x\",\"role\":\"user\"}]".to_owned(),
            "message 0: duplicate key: `role`",
            1,
            36,
            "keep one of them",
        ),
        (
            "[{\"role\":\"user\",\n \"content\": [{\"type\":\"text\"}]}]".to_owned(),
            "message 0: block 0 of `content` is a text without a string `text`",
            2,
            13,
            "a block of text is `{\"type\": \"text\", \"text\": \"…\"}`",
        ),
        (
            "{\"type\":\"message\",\"message\":{}}".to_owned(),
            "message 0: an entry of a session file is no message",
            1,
            1,
            "pass the value of its `message`: `jq -c 'select(.type == \"message\").message' FILE`",
        ),
    ] {
        let error = refused(&text);
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!((error.place.line, error.place.column), (Some(line), Some(column)), "{text}: {message}");
        assert_eq!(error.place.path, "chat.json");
        if !help.is_empty() {
            assert_eq!(error.help.as_deref(), Some(help), "{text}");
        }
        assert!(error.help.is_some(), "each refusal has a remedy: {message}");
    }
    assert_eq!(refused("{\"role\":\"tools\"}").help.as_deref().map(|help| &help[..9]), Some("roles are"));
    assert_eq!(refused("{\"role\":\"Assistent\"}").help.as_deref(), Some("did you mean `assistant`?"));
}

#[test]
fn hostile_files_are_refused_soon() {
    let deep = format!(
        "[{{\"role\":\"user\",\"content\":\"x\",\"a\":{}{}}}]",
        "[".repeat(1 << 20),
        "]".repeat(1 << 20)
    );
    assert!(refused(&deep).message.starts_with("recursion limit"), "{}", refused(&deep));
    let wide = format!("[{{\"role\":\"user\",\"content\":\"x\",\"a\":[{}0]}}]", "0,".repeat(3_000_000));
    assert_eq!(refused(&wide).to_string(), "message 0: too many values");
    let many = "{\"role\":\"user\",\"content\":\"\"}\n".repeat(MOST_MESSAGES + 1);
    assert_eq!(refused(&many).to_string(), "message 100000: there are more than 100000 messages");
    let large = " ".repeat(MOST_BYTES + 1);
    assert_eq!(refused(&large).message, "16777217 bytes of messages are more than the limit of 16777216");
    let error = read("chat.json", b"[\n\"\xff\"]", &mut Vec::new()).unwrap_err();
    assert_eq!((error.message.as_str(), error.place.line), ("messages must be UTF-8", Some(2)));
    let half = refused(r#"[{"role":"user","content":"\ud83d"}]"#);
    assert_eq!(
        half.help.as_deref(),
        Some("write both halves of the character, or the character itself"),
        "{half}"
    );
}
