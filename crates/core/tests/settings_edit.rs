//! Editing settings: what a person sees in their file afterwards, and what holds for any file.

use preface_core::{
    diagnostic::Diagnostic,
    scope::Scope,
    settings::{KeyPath, SettingChange, edit, parse},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Value, json};

fn set(before: &str, key: &str, value: Value) -> Result<Option<String>, Box<Diagnostic>> {
    edit(
        Scope::Global,
        "settings.json",
        Some(before.as_bytes()),
        &key.parse().unwrap(),
        &SettingChange::Set(value),
    )
}

fn unset(before: &str, key: &str) -> Result<Option<String>, Box<Diagnostic>> {
    edit(
        Scope::Global,
        "settings.json",
        Some(before.as_bytes()),
        &key.parse().unwrap(),
        &SettingChange::Unset,
    )
}

#[track_caller]
fn sets(before: &str, key: &str, value: Value, after: &str) {
    assert_eq!(set(before, key, value).unwrap().as_deref(), Some(after), "{before}");
}

#[track_caller]
fn unsets(before: &str, key: &str, after: &str) {
    assert_eq!(unset(before, key).unwrap().as_deref(), Some(after), "{before}");
}

#[test]
fn a_file_that_is_not_there_becomes_one() {
    let key: KeyPath = "budget.tokens".parse().unwrap();
    let text = edit(Scope::Global, "settings.json", None, &key, &SettingChange::Set(9000.into())).unwrap();
    assert_eq!(text.as_deref(), Some("{\n  \"budget\": {\n    \"tokens\": 9000\n  }\n}\n"));
    assert_eq!(edit(Scope::Global, "settings.json", None, &key, &SettingChange::Unset), Ok(None));
}

#[test]
fn a_value_is_replaced_in_its_place() {
    sets("{\"preset\":\"pi\"/*a*/,}", "preset", json!("stud"), "{\"preset\":\"stud\"/*a*/,}");
    sets(
        "{\n\t\"budget\": { \"tokens\": 5 } // small\n}",
        "budget.tokens",
        json!(9),
        "{\n\t\"budget\": { \"tokens\": 9 } // small\n}",
    );
    assert_eq!(set("{ \"preset\" : \"pi\" }", "preset", json!("pi")), Ok(None), "it is set already");
    sets("{\"budget\": {\"tokens\": 5}}", "budget.tokens", json!(2e5), "{\"budget\": {\"tokens\": 200000}}");
    assert_eq!(
        set("{\"budget\": {\"tokens\": 2e5}}", "budget.tokens", json!(200_000)),
        Ok(None),
        "the same number"
    );
}

#[test]
fn a_member_is_added_in_the_style_of_its_neighbours() {
    sets("{}", "preset", json!("pi"), "{\n  \"preset\": \"pi\"\n}");
    sets("{\"profile\":\"a\"}", "preset", json!("pi"), "{\n  \"profile\":\"a\",\n  \"preset\": \"pi\"\n}");
    sets(
        "{\n    \"profile\": \"a\" // one\n    // two\n}\n",
        "budget.tokens",
        json!(1),
        "{\n    \"profile\": \"a\", // one\n    \"budget\": {\n        \"tokens\": 1\n    }\n    // two\n}\n",
    );
    sets(
        "{\n  \"profile\": \"a\", // one\n}",
        "preset",
        json!("pi"),
        "{\n  \"profile\": \"a\", // one\n  \"preset\": \"pi\",\n}",
    );
    sets(
        "// only\n{\n  // \"preset\": \"default\",\n}\n",
        "preset",
        json!("pi"),
        "// only\n{\n  // \"preset\": \"default\",\n  \"preset\": \"pi\"\n}\n",
    );
    sets(
        "{\n  \"profile\": \"a\",\n  /* x */ \"claudeMd\": \"b\"\n}",
        "preset",
        json!("pi"),
        "{\n  \"profile\": \"a\",\n  /* x */ \"claudeMd\": \"b\",\n  \"preset\": \"pi\"\n}",
    );
    sets("{ /* none */ }", "preset", json!("pi"), "{\n  /* none */\n  \"preset\": \"pi\"\n}");
    sets("{ \"budget\": {} }", "budget.tokens", json!(1), "{ \"budget\": {\n    \"tokens\": 1\n  } }");
    sets("// later\n", "preset", json!("pi"), "// later\n{\n  \"preset\": \"pi\"\n}\n");
}

#[test]
fn line_ends_and_the_mark_at_the_start_stay() {
    sets(
        "\u{feff}{\r\n  \"profile\": \"a\" // x\r\n}\r\n",
        "budget.tokens",
        json!(1),
        "\u{feff}{\r\n  \"profile\": \"a\", // x\r\n  \"budget\": {\r\n    \"tokens\": 1\r\n  }\r\n}\r\n",
    );
    sets("// later\r\n", "preset", json!("pi"), "// later\r\n{\r\n  \"preset\": \"pi\"\r\n}\r\n");
    unsets(
        "\u{feff}{\r\n  \"preset\": \"a\",\r\n  \"profile\": \"b\"\r\n}",
        "preset",
        "\u{feff}{\r\n  \"profile\": \"b\"\r\n}",
    );
}

#[test]
fn a_member_goes_with_its_comma_and_its_line() {
    unsets("{\n  \"preset\": \"a\",\n  \"profile\": \"b\"\n}", "preset", "{\n  \"profile\": \"b\"\n}");
    unsets(
        "{\n  \"preset\": \"a\", // keep\n  \"profile\": \"b\"\n}",
        "profile",
        "{\n  \"preset\": \"a\" // keep\n}",
    );
    unsets("{\n  // why\n  \"preset\": \"a\" // about it\n}", "preset", "{\n  // why\n}");
    unsets("{\"preset\": \"a\", \"profile\": \"b\"}", "preset", "{ \"profile\": \"b\"}");
    unsets("{\"preset\": \"a\", \"profile\": \"b\"}", "profile", "{\"preset\": \"a\"}");
    unsets("{\"preset\": \"a\" /* x */, \"profile\": \"b\"}", "preset", "{ \"profile\": \"b\"}");
    unsets("{ \"budget\": { \"tokens\": 5 }, \"preset\": \"a\" }", "budget.tokens", "{ \"preset\": \"a\" }");
    unsets("{ \"budget\": { /* x */ \"tokens\": 5 } }", "budget.tokens", "{ \"budget\": {} }");
    unsets("{ \"budget\": { \"tokens\": 5 } }", "budget", "{}");
    for absent in ["preset", "budget.onOver", "budget.tokens.x", "nothing.at.all"] {
        assert_eq!(unset("{ \"budget\": { \"tokens\": 5 } }", absent), Ok(None), "{absent}");
    }
}

#[test]
fn a_misspelt_key_can_be_taken_out() {
    unsets("{ \"budgte\": 5, \"preset\": \"a\" }", "budgte", "{ \"preset\": \"a\" }");
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    sets(r#"{"preset": "a", "preset": "b"}"#, "preset", json!("c"), r#"{"preset": "a", "preset": "c"}"#);
    unsets(r#"{"preset": "a", "profile": "p", "preset": "b"}"#, "preset", r#"{ "profile": "p"}"#);
    // The first `budget` does not count and must not come back.
    unsets(
        r#"{"budget": {"onOver": "cut"}, "budget": {"tokens": 1}}"#,
        "budget.tokens",
        r#"{"budget": {"onOver": "cut"}, "budget": {}}"#,
    );
}

#[test]
fn what_is_in_the_way_is_named_with_its_line() {
    let diagnostic = set("{\n  \"budget\": 5\n}", "budget.tokens", json!(9)).unwrap_err();
    assert_eq!(diagnostic.message, "`budget` is a number on line 2, so `budget.tokens` cannot be below it");
    assert_eq!(diagnostic.help.as_deref(), Some("unset `budget` first, or set it as a whole"));
    assert_eq!(diagnostic.place.unwrap().line, Some(2));
}

#[test]
fn a_file_that_does_not_parse_is_left_alone() {
    for text in ["{\n  \"preset\" \"a\"\n}", "{\n \"a\": 1", "[]", "{\"a\": 1} x"] {
        for refused in [set(text, "preset", json!("a")), unset(text, "preset")] {
            let diagnostic = refused.unwrap_err();
            assert!(diagnostic.message.ends_with("; nothing was changed"), "{}", diagnostic.message);
            assert!(diagnostic.place.unwrap().line.is_some(), "the line is named");
            assert_eq!(diagnostic.help.as_deref(), Some("mend the file, then check it"));
        }
    }
    let latin = edit(
        Scope::Global,
        "s",
        Some(b"{\"preset\": \"\xe9\"}"),
        &"preset".parse().unwrap(),
        &SettingChange::Unset,
    );
    assert_eq!(latin.unwrap_err().message, "it is not UTF-8; nothing was changed");
}

#[test]
fn what_the_reader_refuses_is_not_written() {
    let refused = [
        ("budget.tokens", json!(-1), "`budget.tokens` must be an integer of 0 or more, not -1"),
        ("budget.tokns", json!(1), "unknown setting `budget.tokns`"),
        (
            "contextProviders.SystemPromptFile",
            json!({"maxTokens": -1}),
            "global-scope override failed validation (`/maxTokens` must be an integer of 0 or more, not -1)",
        ),
    ];
    for (key, value, message) in refused {
        let error = set("{\"nonsense\": 1}", key, value).unwrap_err();
        assert!(error.message.starts_with(message), "{}", error.message);
    }
    let deep: KeyPath = std::iter::once("logging").chain(std::iter::repeat_n("a", 100_000)).collect();
    let error = edit(Scope::Global, "s", None, &deep, &SettingChange::Set(json!(1))).unwrap_err();
    assert!(error.message.contains("nest deeper than 64"), "{}", error.message);
    let error = edit(Scope::Global, "s", None, &KeyPath::default(), &SettingChange::Unset).unwrap_err();
    assert_eq!(error.message, "no setting is named");
}

#[test]
fn a_project_sets_what_a_project_may() {
    let set = |key: &str, value| {
        edit(
            Scope::Project,
            ".preface/settings.json",
            None,
            &key.parse().unwrap(),
            &SettingChange::Set(value),
        )
    };
    assert!(set("sections.style.text", json!("Use tabs.")).unwrap().is_some());
    let error = set("budget.tokens", json!(5)).unwrap_err();
    assert_eq!(error.message, "a project cannot set `budget.tokens`");
    let error = set("contextProviders.SystemPromptFile.paths.global", json!("x")).unwrap_err();
    assert_eq!(error.message, "a project cannot set `contextProviders.SystemPromptFile.paths.global`");
}

/// A file as people write them: members, comments, blanks and line ends wherever they may be.
#[derive(Clone, Debug)]
enum Piece {
    Plain(Value),
    Members { members: Vec<(String, Piece, Vec<&'static str>)>, comma: bool },
}

const TRIVIA: [&str; 8] = ["", " ", "\n", "  ", "\n  ", "/*c*/", " // c\n", " /* c\n c */ "];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        vec(any::<i8>(), 0..3).prop_map(Value::from),
        vec(("[a-c]", any::<i8>()), 1..3)
            .prop_map(|map| Value::Object(map.into_iter().map(|(k, v)| (k, v.into())).collect())),
    ]
}

/// Objects without comments inside, so that a comment is never inside a value that goes.
fn plain() -> impl Strategy<Value = Piece> {
    prop_oneof![any::<bool>().prop_map(Value::from), any::<i32>().prop_map(Value::from), Just(json!([1, 2]))]
        .prop_map(Piece::Plain)
}

fn piece() -> impl Strategy<Value = Piece> {
    plain().prop_recursive(3, 24, 4, |inner| {
        let trivia = vec(select(TRIVIA.to_vec()), 4);
        (vec(("[a-d]", inner, trivia), 0..4), any::<bool>())
            .prop_map(|(members, comma)| Piece::Members { members, comma })
    })
}

fn file() -> impl Strategy<Value = String> {
    let trivia = || select(TRIVIA.to_vec());
    let logging = (vec(("[a-d]", piece(), vec(trivia(), 4)), 0..4), any::<bool>())
        .prop_map(|(members, comma)| Piece::Members { members, comma });
    (logging, vec(trivia(), 4), any::<[bool; 3]>()).prop_map(|(logging, trivia, [mark, windows, other])| {
        let mut out = format!("{}{{{}", trivia[0], trivia[1]);
        if other {
            out.push_str("\"preset\": \"pi\",\n");
        }
        out.push_str("\"logging\":");
        write(&logging, &mut out);
        out.push_str(&format!("{}}}{}", trivia[2], trivia[3]));
        if windows {
            out = out.replace('\n', "\r\n");
        }
        if mark { format!("\u{feff}{out}") } else { out }
    })
}

fn write(piece: &Piece, out: &mut String) {
    match piece {
        Piece::Plain(value) => out.push_str(&value.to_string()),
        Piece::Members { members, comma } => {
            out.push('{');
            for (at, (name, value, trivia)) in members.iter().enumerate() {
                out.push_str(&format!("{}{}:{}", trivia[0], json!(name), trivia[1]));
                write(value, out);
                out.push_str(trivia[2]);
                if *comma || at + 1 < members.len() {
                    out.push(',');
                }
                out.push_str(trivia[3]);
            }
            out.push('}');
        }
    }
}

fn key() -> impl Strategy<Value = KeyPath> {
    vec("[a-e]", 1..4).prop_map(|keys| std::iter::once("logging".to_owned()).chain(keys).collect())
}

fn read(text: &str) -> Value {
    parse(Scope::Global, "s", text.as_bytes()).0.expect("an object of settings").root().to_value()
}

/// The value without objects that hold nothing.
fn full(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, value)| (key, full(value)))
                .filter(|(_, value)| *value != json!({}))
                .collect(),
        ),
        other => other,
    }
}

fn run(text: &str, key: &KeyPath, change: &SettingChange) -> Result<Option<String>, Box<Diagnostic>> {
    edit(Scope::Global, "s", Some(text.as_bytes()), key, change)
}

/// The value with one more, written down a second time.
fn put(mut base: Value, keys: &[String], value: Value) -> Value {
    let mut at = &mut base;
    for key in keys {
        at = at.as_object_mut().unwrap().entry(key.clone()).or_insert_with(|| json!({}));
    }
    *at = value;
    base
}

/// True if `part` is `whole` with some characters taken out.
fn subsequence(part: &str, whole: &str) -> bool {
    let mut whole = whole.chars();
    part.chars().all(|c| whole.any(|other| other == c))
}

fn pointer(key: &KeyPath) -> String {
    key.keys().iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn set_then_get_gives_the_value_and_changes_no_other(text in file(), key in key(), value in value()) {
        match run(&text, &key, &SettingChange::Set(value.clone())) {
            Ok(after) => {
                let after = after.unwrap_or_else(|| text.clone());
                prop_assert_eq!(read(&after), put(read(&text), key.keys(), value), "{:?}\n{:?}", text, after);
            }
            Err(error) => prop_assert!(error.message.contains("cannot be below it"), "{:?} {:?}", error, text),
        }
    }

    #[test]
    fn a_new_value_takes_nothing_away(text in file(), key in key(), value in value()) {
        let there = read(&text).pointer(&pointer(&key)).is_some();
        let blank = text.contains("{}") || text.contains("{ }") || text.contains("{\n") || text.contains("{  ") || text.contains("{\r");
        if !there && !blank && let Ok(Some(after)) = run(&text, &key, &SettingChange::Set(value)) {
            prop_assert!(subsequence(&text, &after), "{:?}\n{:?}", text, after);
            prop_assert_eq!(text.matches("\r\n").count() > 0 && !text.replace("\r\n", "").contains('\n'),
                after.matches("\r\n").count() > 0 && !after.replace("\r\n", "").contains('\n'));
        }
    }

    #[test]
    fn setting_and_unsetting_leaves_the_other_values(text in file(), key in key(), value in value()) {
        let there = read(&text).pointer(&pointer(&key)).is_some();
        if !there && let Ok(Some(with)) = run(&text, &key, &SettingChange::Set(value)) {
            let without = run(&with, &key, &SettingChange::Unset).unwrap().expect("it was there");
            prop_assert_eq!(full(read(&without)), full(read(&text)), "{:?}\n{:?}\n{:?}", text, with, without);
        }
    }

    #[test]
    fn what_is_unset_is_gone_and_nothing_else(text in file(), key in key()) {
        if let Some(after) = run(&text, &key, &SettingChange::Unset).unwrap() {
            let (keys, mut expected) = (key.keys(), read(&text));
            let above = keys[..keys.len() - 1].iter().fold(&mut expected, |at, key| &mut at[key.as_str()]);
            above.as_object_mut().unwrap().remove(&keys[keys.len() - 1]);
            prop_assert_eq!(full(read(&after)), full(expected), "{:?}\n{:?}", text, after);
            prop_assert!(subsequence(&after, &text), "{:?}\n{:?}", text, after);
            prop_assert_eq!(run(&after, &key, &SettingChange::Unset), Ok(None));
        }
    }

    #[test]
    fn comments_survive(lines in vec((select(vec!["budget", "preset", "profile", "template", "claudeMd"]), any::<[bool; 4]>()), 0..5), pick in 0_usize..6, sets in any::<bool>(), windows in any::<bool>()) {
        let mut text = "// top\n{\n".to_owned();
        for (at, (name, [above, beside, before_comma, one_line])) in lines.iter().enumerate() {
            if *above { text.push_str(&format!("  // above {at}\n")); }
            text.push_str(&format!("  \"{name}\": 1"));
            if *before_comma { text.push_str(&format!(" /* before {at} */ ")); }
            text.push(',');
            if *beside { text.push_str(&format!(" // beside {at}\n")); } else if !one_line { text.push('\n'); }
        }
        text.push_str("\n  // last\n} // end");
        if windows { text = text.replace('\n', "\r\n"); }
        // The reader drops these values; the editor must find its way all the same.
        let name = lines.get(pick).map_or("outputStyle", |(name, _)| name);
        let change = if sets { SettingChange::Set(json!("x")) } else { SettingChange::Unset };
        let key: KeyPath = name.parse().unwrap();
        match run(&text, &key, &change) {
            Ok(None) => {}
            Ok(Some(after)) => {
                let comments = |text: &str| -> Vec<String> {
                    text.split("//").skip(1).map(|rest| rest.lines().next().unwrap_or_default().trim().to_owned())
                        .chain(text.split("/*").skip(1).map(|rest| rest.split("*/").next().unwrap_or_default().to_owned()))
                        .collect()
                };
                let (before, after) = (comments(&text), comments(&after));
                // What stands on the line of a member is about it, and goes with it.
                let stays = |comment: &&String| sets || !comment.contains(' ');
                let before: Vec<&String> = before.iter().filter(stays).collect();
                prop_assert_eq!(before, after.iter().filter(stays).collect::<Vec<_>>(), "{}", text);
            }
            Err(_) => prop_assert!(sets, "only what is set can be refused: {}", text),
        }
    }
}
