//! What holds for every history: order, completeness, and that what preface does not know stays.

use preface_core::message::{Message, MessageForms, ModelRole, Role, SystemMessages, convert, read};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", "\\PC{0,6}", Just("```\n".to_owned()), Just("{type}</summary>".to_owned())]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()).prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::vec(("[a-d]{1,2}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn block() -> impl Strategy<Value = Value> {
    let known = text().prop_map(|text| json!({"type": "text", "text": text, "cache": 1}));
    let unknown = value().prop_map(|inner| json!({"type": "hologram", "inner": inner}));
    prop_oneof![known, unknown]
}

fn content() -> impl Strategy<Value = Value> {
    prop_oneof![text().prop_map(Value::from), proptest::collection::vec(block(), 0..4).prop_map(Value::from)]
}

fn message() -> impl Strategy<Value = Message> {
    let role = proptest::sample::select(Role::ALL.to_vec());
    let shell = (text(), proptest::option::of(-2i64..3), any::<[bool; 3]>(), proptest::option::of(text()));
    let extra = proptest::collection::vec(("x[a-d]{1,2}", value()), 0..3);
    (role, content(), text(), shell, extra).prop_map(|(role, content, words, shell, extra)| {
        let (output, code, [cancelled, truncated, excluded], path) = shell;
        let mut fields: Map<String, Value> = extra.into_iter().collect();
        fields.insert("role".to_owned(), role.as_str().into());
        match role {
            Role::BashExecution => fields.extend(
                json!({"command": words, "output": output, "exitCode": code, "cancelled": cancelled,
                    "truncated": truncated, "excludeFromContext": excluded, "fullOutputPath": path})
                .as_object()
                .cloned()
                .unwrap_or_default(),
            ),
            Role::BranchSummary | Role::CompactionSummary => {
                fields.insert("summary".to_owned(), words.into());
            }
            _ => {
                fields.insert("content".to_owned(), content);
                fields.insert("customType".to_owned(), words.into());
            }
        }
        fields.insert("timestamp".to_owned(), 7.into());
        Message::new(fields).expect("the generator makes messages")
    })
}

proptest! {
    #[test]
    fn order_is_kept_and_nothing_is_lost(history in proptest::collection::vec(message(), 0..12), keep: bool) {
        let forms = MessageForms {
            system: if keep { SystemMessages::Keep } else { SystemMessages::Drop },
            ..MessageForms::default()
        };
        let seen = convert(&history, &forms);
        let places: Vec<usize> = seen.messages.iter().map(|message| message.origin.message).collect();
        prop_assert!(places.is_sorted_by(|a, b| a < b), "order is kept, each message comes once");
        let mut all: Vec<usize> = places.into_iter().chain(seen.dropped.iter().map(|one| one.message)).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..history.len()).collect::<Vec<_>>(), "each message is seen or listed");
        for message in &seen.messages {
            let given = &history[message.origin.message];
            match given.role() {
                Role::Assistant | Role::System | Role::ToolResult | Role::User => {
                    prop_assert_eq!(
                        serde_json::to_string(message).unwrap(),
                        serde_json::to_string(given).unwrap(),
                        "what a model knows passes, byte for byte"
                    );
                    prop_assert!(message.origin.frames.is_empty());
                }
                _ => {
                    prop_assert_eq!(message.role(), ModelRole::User);
                    let names: Vec<&String> = message.fields().keys().collect();
                    prop_assert_eq!(names, ["role", "content", "timestamp"], "the rest is the agent's");
                }
            }
            for span in &message.origin.frames {
                let text = message.fields()["content"][span.block]["text"].as_str().expect("a block of text");
                prop_assert!(text.get(span.range.clone()).is_some_and(|frame| !frame.is_empty()));
            }
        }
        prop_assert_eq!(&convert(&history, &forms), &seen, "a second time the same");
    }

    #[test]
    fn what_is_written_is_read_again(history in proptest::collection::vec(message(), 0..6)) {
        let list = serde_json::to_string_pretty(&history).unwrap();
        let mut diagnostics = Vec::new();
        prop_assert_eq!(&read("list", list.as_bytes(), &mut diagnostics).unwrap(), &history);
        let wrapped = format!("{{\"messages\":{list}}}");
        prop_assert_eq!(&read("wrapped", wrapped.as_bytes(), &mut diagnostics).unwrap(), &history);
        let lines: String = history.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
        if !history.is_empty() {
            prop_assert_eq!(&read("lines", lines.as_bytes(), &mut diagnostics).unwrap(), &history);
        }
        prop_assert_eq!(diagnostics, []);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(history in proptest::collection::vec(message(), 0..3), cut: usize, put in any::<[u8; 2]>()) {
        let mut bytes = serde_json::to_vec(&history).unwrap();
        let at = cut % bytes.len();
        bytes.splice(at..=at, put);
        if let Err(error) = read("chat", &bytes, &mut Vec::new()) {
            prop_assert!(error.help.is_some(), "each refusal has a remedy: {}", error);
        }
    }
}
