//! What holds for every template: the same output as the slow way, identity of plain text, laziness.

use preface_core::{
    lint::template::VariableTypes,
    template::{Template, TemplateOptions, parse_template},
    variable::{Stability, VariableKey},
};
use proptest::prelude::*;
use std::{ops::Range, sync::Arc};

#[path = "template/oracle.rs"]
mod oracle;
#[path = "template/oracle_inputs.rs"]
mod oracle_inputs;
#[path = "template/rendered.rs"]
mod rendered;
use rendered::{Rendered, Values, render};

/// Strings over an alphabet that makes tags, near tags and broken tags likely.
fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => prop::sample::select(vec![
            "[", "]", ":", "!", "if", "else", "endif", "raw", "endraw", "a", "b", "x", " ", "\t", "\n", "\r\n", "\r",
            "\u{2028}", "\u{2029}", "\u{feff}", "\u{a0}", "\u{85}", "é", "–", "𝒳", "_", "-", "0",
        ])
        .prop_map(str::to_owned),
        4 => prop::sample::select(vec![
            "[if a:x]", "[if !a:x]", "[if b:]", "[else]", "[endif]", "[a:x]", "[b:]", "[raw]", "[endraw]", "[ else ]",
            "[\nendif]", "[if\n!a:é]", "\n[if a:x]\n", "\n[endif] \r\n", "[if ", "[a:[", "[a: x\n",
        ])
        .prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// An answer for every key: a third absent, some empty, the others full of tags.
fn answer(key: &str) -> Option<String> {
    match key.bytes().map(usize::from).sum::<usize>() % 6 {
        0 | 1 => None,
        2 => Some(String::new()),
        _ => Some(format!("<[{key}][endif]>")),
    }
}

fn values(template: &Template) -> Values {
    let keys = template.tiles().into_iter().filter_map(|tile| tile.key);
    keys.map(|key| (key.clone(), answer(key.as_str()))).collect()
}

fn parse(text: &str, raw: bool, trim_tag_lines: bool) -> Template {
    Template::parse(text, &TemplateOptions { raw, trim_tag_lines, ..TemplateOptions::default() }).unwrap()
}

/// Checks that what was emitted and the working tags between tile the text, where no branch was left out.
fn check_ranges(template: &Template, emitted: &[Range<usize>]) {
    let tags: Vec<_> = template.tiles().into_iter().filter(|tile| tile.kind.is_tag()).collect();
    let working: Vec<_> = tags.iter().filter(|tag| tag.stray.is_none()).collect();
    let mut at = 0;
    let end = template.text().len()..template.text().len();
    for range in emitted.iter().chain([&end]) {
        assert!(at <= range.start, "ranges stand in order and apart");
        if at < range.start {
            assert!(working.iter().any(|tag| tag.range.start == at), "a gap starts with a working tag");
            assert!(working.iter().any(|tag| tag.range.end == range.start), "and ends with one");
        }
        at = range.end;
    }
    for pair in tags.windows(2) {
        assert!(pair[0].range.end <= pair[1].range.start, "tags stand in order and apart");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_slow_way_gives_the_same(text in nasty(), raw: bool, trim: bool) {
        let template = parse(&text, raw, trim);
        let expected = oracle::render(&text, raw, trim, &answer);
        prop_assert_eq!(render(&template, &values(&template)), expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_without_brackets_stays(text in "[^\\[]*") {
        prop_assert_eq!(parse_template(&text, &Values::new()).unwrap(), text);
    }

    #[test]
    fn a_text_in_a_raw_block_stays(text in nasty()) {
        let text = text.replace("endraw", "raw");
        let wrapped = parse(&format!("[raw]{text}[endraw]"), true, false);
        prop_assert_eq!(render(&wrapped, &Values::new()), text);
    }

    #[test]
    fn what_is_written_tiles_the_template(text in nasty(), raw: bool) {
        let template = parse(&text, raw, false);
        let values = values(&template);
        let mut lookup = |key: &VariableKey| Ok(values[key].clone());
        let mut rendered = Rendered::new(&template, &mut lookup);
        template.render(&mut rendered).unwrap();
        check_ranges(&template, &rendered.ranges);
        prop_assert_eq!(rendered.text, render(&template, &values));
    }

    #[test]
    fn a_variable_that_nobody_knows_ends_the_render_where_it_stands(text in nasty(), known in 0_usize..8) {
        let template = parse(&text, false, false);
        let values = values(&template);
        let mut reads = 0;
        let mut lookup = |key: &VariableKey| {
            reads += 1;
            if reads > known { Err(key.clone()) } else { Ok(values[key].clone()) }
        };
        let mut rendered = Rendered::new(&template, &mut lookup);
        let result = template.render(&mut rendered);
        let (text, ranges) = (rendered.text, rendered.ranges);
        let whole = render(&template, &values);
        prop_assert!(whole.starts_with(&text));
        if let Err(key) = result {
            let end = ranges.last().map_or(0, |range| range.end);
            let next = template.tiles().into_iter().find(|tile| tile.range.start >= end && tile.key == Some(&key));
            prop_assert!(next.is_some(), "the key of a tag behind what was written");
        } else {
            prop_assert_eq!(text, whole);
        }
        prop_assert!(reads <= known + 1, "nothing is read after that");
    }
}

/// Tags of inputs and texts, in any order.
fn pieces() -> impl Strategy<Value = Vec<&'static str>> {
    let piece = prop::sample::select(vec![
        "[if app:plan = pro]",
        "[if app:plan != pro | x]",
        "[if app:plan]",
        "[if !app:name]",
        "[if app:gone]",
        "[elif app:name]",
        "[elif app:name = a]",
        "[elif app:plan = pro]",
        "[else]",
        "[else]",
        "[endif]",
        "[endif]",
        "[endif]",
        "[each app:tips]",
        "[each app:shots]",
        "[each app:plan]",
        "[endeach]",
        "[endeach]",
        "[item:text]",
        "[item:q]",
        "[item:a]",
        "[item:b]",
        "[if item:q = x]",
        "[if item:q]",
        "[elif item:a != y]",
        "[if !item:a]",
        "[app:plan]",
        "[app:name]",
        "[app:gone]",
        "x",
        "y ",
        "\n",
    ]);
    prop::collection::vec(piece, 0..20)
}

/// Strings over the tags of inputs, whole and broken.
fn with_inputs() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(vec![
            "[if app:plan = pro]", "[if app:plan != pro | x]", "[if app:plan]", "[elif app:name]", "[elif app:name = a]", "[else]",
            "[endif]", "[each app:tips]", "[each app:shots]", "[each app:plan]", "[endeach]", "[item:text]", "[item:q]",
            "[if item:q = x]", "[elif item:a != y]", "[if !item:a]", "[app:plan]", "[app:name]", "[app:tips]", "[raw]", "[endraw]",
        ])
        .prop_map(str::to_owned),
        2 => prop::sample::select(vec!["[", "]", " = ", " != ", "|", "each ", "elif ", "app:plan", "item:", "x", "\n", " "])
            .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..32).prop_map(|pieces| pieces.concat())
}

/// The options where these variables are declared.
fn declared(trim_tag_lines: bool) -> TemplateOptions {
    let declared = "'app:plan' = {}\n'app:name' = {}\n'app:tips' = { type = 'list' }\n\
        'app:shots' = { type = 'records', fields = ['q', 'a'] }";
    let keys = ["plan", "name", "tips", "shots"].into_iter();
    let types =
        keys.fold(VariableTypes::default(), |types, name| types.fixed("app", name, Stability::Conversation));
    TemplateOptions {
        raw: true,
        trim_tag_lines,
        types: Some(Arc::new(types)),
        inputs: Some(Arc::new(toml::from_str(declared).unwrap())),
        ..TemplateOptions::default()
    }
}

/// Values of the declared variables, all made from `texts`.
fn declared_values(texts: &[String; 7]) -> Values {
    let [plan, name, tip, other, q, a, last] = texts;
    [
        ("app:plan", plan.clone()),
        ("app:name", name.clone()),
        ("app:tips", serde_json::json!([tip, other]).to_string()),
        ("app:shots", serde_json::json!([{"q": q, "a": a}, {"q": last, "a": null}]).to_string()),
    ]
    .map(|(key, value)| (key.parse().unwrap(), Some(value)))
    .into()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_value_never_becomes_structure(
        text in with_inputs(),
        values in prop::array::uniform7(prop_oneof![with_inputs(), any::<String>()]),
        trim: bool,
    ) {
        // A list as a text is its JSON, which writes values in another way.
        let text = text.replace("[app:tips]", "");
        let template = Template::parse(text.as_str(), &declared(trim)).unwrap();
        // No test is about one of these, so all decide as with the values.
        let marks = std::array::from_fn(|at| format!("\u{1}{at}\u{2}"));
        let values = values.map(|value| format!("\u{3}{value}"));
        let marked = render(&template, &declared_values(&marks));
        let expected = marks.iter().zip(&values).fold(marked, |text, (mark, value)| text.replace(mark, value));
        prop_assert_eq!(render(&template, &declared_values(&values)), expected);
    }

    #[test]
    fn the_slow_way_with_inputs_gives_the_same(
        pieces in pieces(),
        plan in prop::sample::select(vec![None, Some("pro"), Some("x"), Some("")]),
        name in prop::sample::select(vec![None, Some("a"), Some("pro")]),
        tips in prop::collection::vec("[xy]", 0..3),
        shots in prop::collection::vec((prop::option::of("[xy]"), prop::option::of("[xy]")), 0..3),
    ) {
        let shots: Vec<_> = shots.into_iter().map(|(q, a)| serde_json::json!({"q": q, "a": a})).collect();
        let lists = [("app:tips", serde_json::json!(tips)), ("app:shots", serde_json::json!(shots))];
        let texts = [("app:plan", plan), ("app:name", name)];
        let texts = texts.map(|(key, text)| (key.parse().unwrap(), text.map(str::to_owned)));
        let values = lists.clone().map(|(key, list)| (key.parse().unwrap(), Some(list.to_string())));
        let tips: Vec<_> = tips.iter().map(|tip| serde_json::json!({"text": tip})).collect();
        let all = serde_json::json!({"app:plan": plan, "app:name": name, "app:tips": tips, "app:shots": shots});
        let expected = oracle_inputs::render(&pieces, &all);
        let template = Template::parse(pieces.concat(), &declared(false)).unwrap();
        prop_assert_eq!(render(&template, &texts.into_iter().chain(values).collect()), expected);
    }

    #[test]
    fn what_is_text_stays_where_inputs_are(text in with_inputs(), trim: bool) {
        let template = Template::parse(text.as_str(), &declared(trim)).unwrap();
        let stray: Vec<_> = template.tiles().into_iter().filter(|tile| tile.stray.is_some()).collect();
        // All that works is one balanced list of blocks.
        let mut open = Vec::new();
        for tile in template.tiles().iter().filter(|tile| tile.stray.is_none()) {
            match tile.kind.as_str() {
                word @ ("if" | "if-not" | "each") => open.push(&word[..2]),
                "endif" => prop_assert_eq!(open.pop(), Some("if")),
                "endeach" => prop_assert_eq!(open.pop(), Some("ea")),
                "elif" | "elif-not" | "else" => prop_assert_eq!(open.last(), Some(&"if")),
                _ => {}
            }
            let is_item = tile.key.is_some_and(|key| key.kind() == "item");
            prop_assert!(!is_item || open.contains(&"ea"), "an item is of an entry");
        }
        prop_assert!(open.is_empty());
        prop_assert!(stray.iter().all(|token| text[token.range.clone()].starts_with('[')));
    }

    #[test]
    fn inputs_change_nothing_without_their_words(text in nasty(), raw: bool, trim: bool) {
        let on = TemplateOptions { inputs: Some(Arc::default()), raw, trim_tag_lines: trim, ..TemplateOptions::default() };
        let (on, off) = (Template::parse(text.as_str(), &on).unwrap(), parse(&text, raw, trim));
        prop_assert_eq!(render(&on, &values(&on)), render(&off, &values(&off)));
    }
}

/// Returns the keys that a render reads, each as often as it is read.
fn keys_read(text: &str, exists: &[&str]) -> Vec<String> {
    let template = parse(text, true, false);
    let mut keys = Vec::new();
    let mut lookup = |key: &VariableKey| {
        keys.push(key.to_string());
        Ok(exists.contains(&key.as_str()).then(|| "V".to_owned()))
    };
    template.render(&mut Rendered::new(&template, &mut lookup)).unwrap();
    keys
}

#[test]
fn only_reached_keys_are_read() {
    let text = "[if a:x][a:y][else][a:z][endif][raw][a:raw][endraw]";
    assert_eq!(keys_read(text, &["a:x"]), ["a:x", "a:y"]);
    assert_eq!(keys_read(text, &[]), ["a:x", "a:z"]);
    let nested = "[if !a:x][if a:y][a:deep][endif][endif]";
    assert_eq!(keys_read(nested, &["a:x"]), ["a:x"], "a branch that is not taken reads nothing");
    assert_eq!(keys_read(nested, &[]), ["a:x", "a:y"]);
    assert_eq!(keys_read("[if file:never][a:x]", &[]), ["a:x"], "an `if` that is text reads nothing");
    assert_eq!(keys_read("no tag, [else] [endif] [ ]", &[]), [] as [&str; 0]);
}

#[test]
fn a_render_writes_nothing_past_an_unknown_key() {
    let template = parse("one [a:x] two [if a:y]three[endif]", false, false);
    let mut nobody = |key: &VariableKey| Err(key.clone());
    let mut rendered = Rendered::new(&template, &mut nobody);
    assert_eq!(template.render(&mut rendered), Err(VariableKey::new("a", "x")));
    assert_eq!(rendered.text, "one ");
    let mut known = |_: &VariableKey| Ok(Some("X".to_owned()));
    let mut rendered = Rendered::new(&template, &mut known);
    assert_eq!(template.render(&mut rendered), Ok(()));
    assert_eq!(rendered.text, "one X two three");
    assert_eq!(rendered.ranges, [0..4, 4..9, 9..14, 22..27]);
}

#[test]
fn work_per_render_is_one_visit_per_tag() {
    let visits = |depth: usize| {
        let text = "[if a:x]".repeat(depth) + "[a:x]" + &"[endif]".repeat(depth);
        let template = Template::parse(
            text,
            &TemplateOptions { max_depth: None, max_bytes: None, ..TemplateOptions::default() },
        );
        let template = template.unwrap();
        let mut count = 0;
        let mut lookup = |_: &VariableKey| {
            count += 1;
            Ok(Some("X".to_owned()))
        };
        template.render(&mut Rendered::new(&template, &mut lookup)).unwrap();
        count
    };
    assert_eq!([5_000, 10_000, 20_000].map(visits), [5_001, 10_001, 20_001]);
}
