//! What holds for all settings: merging is a fold from the weakest layer upward, and every value knows its origin.

use preface_core::{
    scope::Scope,
    settings::{
        KeyPath, LayerSettings, MergedSettings, SetBy, Settings, SettingsNode, SettingsTree, ValueOutcome,
        ValueShape, merge, parse,
    },
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};

fn layer(scope: Scope, value: &Value) -> LayerSettings {
    parse(scope, "settings.json", value.to_string().as_bytes()).0.expect("an object of settings")
}

fn merged(layers: Vec<LayerSettings>) -> MergedSettings {
    merge(layers, &mut Vec::new())
}

/// Keys whose values are always objects (`o…`) or never (`l…`), so that layers do not clash.
fn tame() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        Just(Value::Null),
        "[a-z]{0,2}".prop_map(Value::from),
        vec(0_i64..3, 0..3).prop_map(Value::from),
    ];
    let leaves = vec((select(vec!["l1", "l2", "l3"]), leaf), 0..4);
    let flat =
        leaves.prop_map(|leaves| leaves.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>());
    let table = flat.clone().prop_map(Value::Object).prop_recursive(3, 24, 3, move |inner| {
        (flat.clone(), vec((select(vec!["o1", "o2"]), inner), 0..3)).prop_map(|(mut map, tables)| {
            map.extend(tables.into_iter().map(|(k, v)| (k.to_owned(), v)));
            Value::Object(map)
        })
    });
    let list = vec(select(vec!["a", "b", "c", "d"]), 0..4);
    (table.clone(), table.clone(), table, list, any::<[bool; 4]>()).prop_map(
        |(logging, tool, provider, list, given)| {
            let all = [
                ("logging", logging),
                ("tools", json!({"t": tool})),
                ("providers", json!({"p": provider})),
                ("securityMode", json!({"allowlist": list})),
            ];
            let kept = all.into_iter().zip(given).filter(|(_, given)| *given);
            Value::Object(kept.map(|((key, value), _)| (key.to_owned(), value)).collect())
        },
    )
}

/// Anything at all below the open keys.
fn wild() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let any = leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[ab~/.\"]{0,2}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    });
    vec(("[ab.]{1,2}", any), 0..4).prop_map(|entries| {
        let map: Map<String, Value> = entries.into_iter().collect();
        json!({"logging": map})
    })
}

/// Anything at all in the place of known settings, and of entries of theirs.
fn misplaced() -> impl Strategy<Value = Value> {
    fn add(path: &[&str], shape: ValueShape, paths: &mut Vec<Vec<String>>) {
        let entry = Some("entry")
            .filter(|_| path.len() < 5 && shape.takes("object") && shape.expected() != "anything");
        for (name, below) in shape.names().chain(entry).filter_map(|name| Some((name, shape.under(name)?))) {
            let path = [path, &[name]].concat();
            paths.push(path.iter().map(|key| (*key).to_owned()).collect());
            add(&path, below, paths);
        }
    }
    let mut paths = Vec::new();
    add(&[], ValueShape::root(), &mut paths);
    let values = [
        "null",
        "true",
        "-1",
        "7.0",
        "1e300",
        "\"cut\"",
        "\"ask\"",
        "[\"a\", \"a\"]",
        "[1]",
        "{}",
        "{\"all\": []}",
    ];
    (select(paths), select(values.to_vec())).prop_map(|(path, value)| {
        let value = serde_json::from_str(value).unwrap();
        path.into_iter().rev().fold(value, |value, key| json!({key: value}))
    })
}

fn pointer(path: &KeyPath) -> String {
    path.keys().iter().map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Merges plain JSON by the rules, written down a second time.
fn folded(below: Value, above: Value, whole: bool) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (key, value) in above {
                let there = below.get(&key).cloned();
                let value = match there {
                    Some(there) if !whole => folded(there, value, false),
                    _ => value,
                };
                below.insert(key, value);
            }
            Value::Object(below)
        }
        (_, above) => above,
    }
}

fn expected(below: Value, above: Value) -> Value {
    let mut result = folded(below.clone(), above.clone(), false);
    let list = |value: &Value| value["securityMode"]["allowlist"].as_array().cloned().unwrap_or_default();
    if let Some(security) = result.get_mut("securityMode").and_then(Value::as_object_mut) {
        let mut sum: Vec<Value> = Vec::new();
        for item in list(&below).into_iter().chain(list(&above)) {
            if !sum.contains(&item) {
                sum.push(item);
            }
        }
        security.remove("allowlist");
        if !sum.is_empty() {
            security.insert("allowlist".to_owned(), Value::from(sum));
        }
    }
    if let (Some(one), Some(two)) = (below.get("providers"), above.get("providers")) {
        result["providers"] = folded(one.clone(), two.clone(), true);
    }
    result
}

fn leaves<'a>(
    node: &'a SettingsNode,
    path: &mut Vec<String>,
    visit: &mut dyn FnMut(&[String], &'a SettingsNode),
) {
    match node.tree() {
        SettingsTree::Table(table) if !table.is_empty() => {
            for (key, below) in table.iter() {
                path.push(key.to_owned());
                leaves(below, path, visit);
                path.pop();
            }
        }
        _ => visit(path, node),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn merging_is_a_fold_by_the_rules(a in tame(), b in tame(), c in tame()) {
        let all = merged(vec![layer(Scope::Bundled, &a), layer(Scope::Global, &b), layer(Scope::Project, &c)]);
        let by_hand = expected(expected(expected(json!({}), a), b), c);
        prop_assert_eq!(all.to_value().to_string(), by_hand.to_string());
    }

    #[test]
    fn what_was_not_left_out_fits_the_types(a in misplaced(), b in misplaced(), c in misplaced()) {
        let all = merged(vec![layer(Scope::Bundled, &a), layer(Scope::Global, &b), layer(Scope::Project, &c)]);
        let _ = Settings::read(&all);
    }

    #[test]
    fn merging_is_associative_where_nothing_clashes(a in tame(), b in tame(), c in tame()) {
        let of = |value: &Value| layer(Scope::Global, value);
        let left = merged(vec![of(&merged(vec![of(&a), of(&b)]).to_value()), of(&c)]);
        let right = merged(vec![of(&a), of(&merged(vec![of(&b), of(&c)]).to_value())]);
        prop_assert_eq!(left.to_value().to_string(), right.to_value().to_string());
    }

    #[test]
    fn empty_layers_change_nothing(a in wild()) {
        let nothing = json!({});
        let alone = merged(vec![layer(Scope::Global, &a)]).to_value().to_string();
        let among = [layer(Scope::Bundled, &nothing), layer(Scope::Global, &a), layer(Scope::Project, &nothing)];
        prop_assert_eq!(merged(among.to_vec()).to_value().to_string(), alone);
    }

    #[test]
    fn merging_is_deterministic_and_survives_saving(a in wild(), b in wild()) {
        let layers = vec![layer(Scope::Global, &a), layer(Scope::Project, &b)];
        let (mut one, mut two) = (Vec::new(), Vec::new());
        let first = merge(layers.clone(), &mut one);
        prop_assert_eq!(&first, &merge(layers.into_iter().rev().collect(), &mut two));
        prop_assert_eq!(one, two);
        let again: MergedSettings = serde_json::from_str(&serde_json::to_string(&first).unwrap()).unwrap();
        prop_assert_eq!(again, first);
    }

    #[test]
    fn every_leaf_knows_its_origin(a in wild(), b in wild(), c in wild()) {
        let texts = [a.to_string(), b.to_string(), c.to_string()];
        let all = merged(vec![layer(Scope::Bundled, &a), layer(Scope::Global, &b), layer(Scope::Project, &c)]);
        let mut checked = Ok(());
        leaves(all.root(), &mut Vec::new(), &mut |keys, leaf| {
            let path: KeyPath = keys.iter().cloned().collect();
            let text = &texts[leaf.by() as usize][leaf.span()];
            let values = all.why(&path);
            let used: Vec<SetBy> =
                values.iter().filter(|value| value.outcome == ValueOutcome::Used).map(|value| value.by).collect();
            let written: Value = serde_json::from_str(text).unwrap();
            let pointer: KeyPath = pointer(&path).parse().unwrap_or_default();
            if checked.is_ok() && !keys.is_empty() {
                checked = (|| {
                    prop_assert_eq!(&written, &leaf.to_value(), "the span is the value as it is written");
                    prop_assert_eq!(all.get(&path), Some(leaf));
                    prop_assert_eq!(&pointer, &path, "a pointer leads back");
                    prop_assert!(used.contains(&leaf.by()), "{path}: {values:?}");
                    prop_assert_eq!(values.last().map(|value| value.by), values.iter().map(|value| value.by).max());
                    if !matches!(leaf.tree(), SettingsTree::Table(_)) {
                        prop_assert_eq!(&used, &vec![leaf.by()], "one layer gave {}", path);
                        prop_assert_eq!(values.last().map(|value| value.by), Some(leaf.by()), "the strongest is used");
                    }
                    Ok(())
                })();
            }
        });
        checked?;
    }

    #[test]
    fn a_valid_higher_value_beats_a_lower_one(lower in -5_i64..5, higher in -5_i64..5) {
        let tokens = |tokens: i64| json!({"contextProviders": {"SystemPromptFile": {"maxTokens": tokens}}});
        let all = merged(vec![layer(Scope::Global, &tokens(lower)), layer(Scope::Project, &tokens(higher))]);
        let found = all.at(&["contextProviders", "SystemPromptFile", "maxTokens"]).and_then(SettingsNode::as_integer);
        prop_assert_eq!(found, [higher, lower].into_iter().find(|tokens| *tokens >= 0));
    }

    #[test]
    fn a_file_gives_settings_or_a_note(bytes in vec(any::<u8>(), 0..64), at in 0_usize..40, whole in any::<bool>()) {
        let sound = br#"{"logging": {"level": "info"}, "a": 1}"#;
        let mut file = bytes;
        if !whole {
            let at = at.min(sound.len());
            file = [&sound[..at], file.as_slice(), &sound[at..]].concat();
        }
        let (layer, diagnostics) = parse(Scope::Project, "settings.json", &file);
        if layer.is_none() {
            let [diagnostic] = &diagnostics[..] else { return Err(TestCaseError::fail(format!("{diagnostics:?}"))) };
            prop_assert_eq!(diagnostic.code.as_str(), "settings/shape-invalid");
            prop_assert!(diagnostic.message.ends_with("this file is left out"), "{}", diagnostic.message);
        }
        // `a` is no setting, so a file around it is never without a diagnostic.
        prop_assert!(whole || !diagnostics.is_empty(), "{layer:?}");
    }

    #[test]
    fn nothing_like_json_makes_reading_panic(text in "[\\[\\]{}:,\"\\\\/*\nutrefalsn0-9.eE+ ü-]{0,40}", at in 0_usize..3) {
        let around = [format!("{{\"logging\": {text}}}"), format!("{{\"env\": {{\"A\": \"{text}\"}}}}"), text][at].clone();
        let (layer, _) = parse(Scope::Project, "settings.json", around.as_bytes());
        let all = merged(layer.into_iter().collect());
        let saved = serde_json::to_string(&all).unwrap();
        let again: MergedSettings = serde_json::from_str(&saved).unwrap();
        prop_assert_eq!(again.root().masked(), all.root().masked(), "{}", saved);
    }
}
