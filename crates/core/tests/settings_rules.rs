//! One test for each rule on settings.

use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    scope::Scope,
    settings::{
        FilePath, KeyPath, MergedSettings, SetBy, SetValue, Settings, SystemPromptFileSettings, ValueOutcome,
        merge, parse, parse_foreign,
    },
};
use serde_json::json;

const SHAPE_INVALID: &str = "settings/shape-invalid";
const VIOLATION: &str = "settings/schema-violation";

/// Merges texts of layers; diagnostics of reading come first.
fn settings(layers: &[(Scope, &str)]) -> (MergedSettings, Diagnostics) {
    let mut diagnostics = Vec::new();
    let mut parsed = Vec::new();
    for (scope, text) in layers {
        let (layer, more) = parse(*scope, &format!("{scope}/settings.json"), text.as_bytes());
        diagnostics.extend(more);
        parsed.extend(layer);
    }
    (merge(parsed, &mut diagnostics), diagnostics)
}

fn three(bundled: &str, global: &str, project: &str) -> (MergedSettings, Diagnostics) {
    settings(&[(Scope::Bundled, bundled), (Scope::Global, global), (Scope::Project, project)])
}

fn path(text: &str) -> KeyPath {
    text.parse().unwrap()
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
}

#[test]
fn of_another_programs_file_only_the_named_keys_are_kept() {
    let text = "\u{feff}{ // theirs\n  \"env\": {\"TOKEN\": \"hunter2\"}, \"outputStyle\": \"Concise\", \"skills\": [\"a\"],\n  \"hooks\": [], \"claudeMdExcludes\": [\"x\"]}";
    let keys = ["outputStyle", "claudeMdExcludes", "skills"].map(str::to_owned);
    let (layer, diagnostics) = parse_foreign(Scope::Global, "settings.json", text.as_bytes(), &keys);
    assert_eq!(codes(&diagnostics), Vec::<&str>::new());
    let merged = merge(vec![layer.unwrap()], &mut Vec::new());
    assert_eq!(merged.to_value(), json!({"outputStyle": "Concise", "claudeMdExcludes": ["x"]}));
    assert_eq!(merged.foreign(SetBy::Global, "skills").map(|node| node.to_value()), Some(json!(["a"])));
    let node = merged.get(&path("outputStyle")).unwrap();
    assert_eq!((node.place().line, &text[node.span()]), (Some(2), "\"Concise\""));
    let stored = serde_json::to_string(&merged).unwrap();
    assert!(
        !stored.contains("hunter2") && !stored.contains("theirs") && !stored.contains("hooks"),
        "{stored}"
    );
    assert_eq!(serde_json::from_str::<MergedSettings>(&stored).unwrap(), merged);

    let (_, diagnostics) =
        parse_foreign(Scope::Project, "settings.json", br#"{"outputStyle": 5, "tools": {}, "x": 1}"#, &keys);
    assert_eq!(codes(&diagnostics), [SHAPE_INVALID, "settings/shared"]);
}

/// `line:column` of each diagnostic.
fn places(diagnostics: &[Diagnostic]) -> Vec<String> {
    let place = |diagnostic: &Diagnostic| {
        let place = diagnostic.place.clone().unwrap_or_default();
        format!("{}:{}", place.line.unwrap_or(0), place.column.unwrap_or(0))
    };
    diagnostics.iter().map(place).collect()
}

mod reading {
    use super::*;

    #[test]
    fn comments_trailing_commas_and_a_bom_are_read() {
        let text = "\u{feff}// mine\n{\"budget\": {\"tokens\": 5,}, /* more */ \"preset\": \"pi\",}\n";
        let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
        assert_eq!(merged.to_value(), json!({"budget": {"tokens": 5}, "preset": "pi"}));
        assert_eq!(diagnostics, []);
        let tokens = merged.get(&path("budget.tokens")).unwrap();
        assert_eq!(&text[tokens.span()], "5", "spans count from the start of the file, the BOM included");
    }

    #[test]
    fn a_bom_takes_no_column() {
        let (_, diagnostics) = settings(&[(Scope::Global, "\u{feff}{\"presett\": 1}")]);
        assert_eq!(places(&diagnostics), ["1:2"]);
        assert_eq!(diagnostics[0].place.as_ref().unwrap().excerpt.as_deref(), Some("{\"presett\": 1}"));
    }

    #[test]
    fn a_file_that_is_no_json_object_is_left_out_and_reported_with_its_place() {
        let cases: [(&[u8], &str, &str); 22] = [
            (b"", "it is empty", "1:1"),
            (b"// nothing", "it is empty", "1:1"),
            (b"[]", "settings must be a JSON object", "1:1"),
            (b"null", "settings must be a JSON object", "1:1"),
            (b"\n \"text\"", "settings must be a JSON object", "2:2"),
            (b"{", "unterminated object", "1:1"),
            (b"{} {}", "text cannot contain more than one JSON value", "1:4"),
            (b"{\n  \"a\": 1\n  \"b\": 2\n}", "expected comma", "2:9"),
            (b"{\"a\" 1}", "expected colon after the string or word in object property", "1:6"),
            (b"{\"a\": }", "unexpected close brace", "1:7"),
            (b"{a: 1}", "a key must be a text in double quotes", "1:2"),
            (b"{'a': 1}", "single-quoted strings are not allowed", "1:2"),
            (b"{\"a\": 0xff}", "hexadecimal numbers are not allowed", "1:7"),
            (b"{\"a\": +1}", "unary plus on numbers is not allowed", "1:7"),
            (b"{\"a\": .5}", "leading or trailing decimal points on numbers are not allowed", "1:7"),
            (b"{\"a\": NaN}", "unexpected token", "1:7"),
            (b"{\"a\": \"\\x41\"}", "invalid escape", "1:8"),
            (b"{\"a\": [1,,2]}", "unexpected comma", "1:10"),
            (b"{/* \"a\": 1}", "unterminated comment block", "1:2"),
            (
                b"{\"a\": \"two\nlines\"}",
                "a control character in a string must be escaped, such as `\\n`",
                "1:11",
            ),
            (b"{\"a\": \"\xff\"}", "it is not UTF-8", "1:8"),
            (b"\xff\xfe{\0}\0", "it is not UTF-8", "1:1"),
        ];
        for (text, message, place) in cases {
            let (layer, diagnostics) = parse(Scope::Global, "~/.stud/settings.json", text);
            let name = String::from_utf8_lossy(text);
            assert_eq!(layer, None, "{name}");
            assert_eq!(codes(&diagnostics), [SHAPE_INVALID], "{name}");
            assert_eq!(diagnostics[0].severity, Severity::Error, "{name}");
            assert_eq!(diagnostics[0].message, format!("{message}; this file is left out"), "{name}");
            assert_eq!(places(&diagnostics), [place], "{name}");
        }
    }

    #[test]
    fn the_other_layers_still_load() {
        let (merged, diagnostics) =
            three("{\"logging\": {\"a\": 1}}", "{ not json", "{\"logging\": {\"b\": 2}}");
        assert_eq!(merged.to_value(), json!({"logging": {"a": 1, "b": 2}}));
        assert_eq!(codes(&diagnostics), [SHAPE_INVALID]);
        assert_eq!(diagnostics[0].place.as_ref().unwrap().scope, Some(Scope::Global));
    }

    #[test]
    fn unknown_top_level_keys_are_dropped_with_their_place() {
        let cases = [
            ("tolls", Some("did you mean `tools`?")),
            ("Tools", Some("did you mean `tools`?")),
            ("system_prompt", Some("did you mean `systemPrompt`?")),
            ("mcp", Some("MCP servers are listed in `mcp.json`")),
            ("$schema", Some("remove it; settings have one schema")),
        ];
        for (key, help) in cases {
            let text = format!("{{\n  \"{key}\": {{}},\n  \"preset\": \"pi\"\n}}");
            let (merged, diagnostics) = settings(&[(Scope::Global, &text)]);
            assert_eq!(merged.to_value(), json!({"preset": "pi"}), "the rest of the layer loads");
            assert_eq!(codes(&diagnostics), ["settings/unknown-key"]);
            assert_eq!(diagnostics[0].severity, Severity::Error);
            assert_eq!(diagnostics[0].message, format!("unknown setting `{key}`"));
            assert_eq!(diagnostics[0].help.as_deref(), help);
            assert_eq!(places(&diagnostics), ["2:3"]);
        }
    }

    #[test]
    fn unknown_nested_keys_are_dropped_with_their_place() {
        let cases = [
            ("{\"budget\": {\"tokns\": 1}}", "budget.tokns", "did you mean `tokens`?", json!({"budget": {}})),
            (
                "{\"sections\": {\"a\": {\"txt\": \"\"}}}",
                "sections.a.txt",
                "did you mean `text`?",
                json!({"sections": {"a": {}}}),
            ),
            (
                "{\"active\": {\"tool\": \"x\"}}",
                "active.tool",
                "known here: `attachedSM`, `interactor`, `provider`, `sessionStore`",
                json!({"active": {}}),
            ),
        ];
        for (text, key, help, left) in cases {
            let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
            assert_eq!(merged.to_value(), left);
            assert_eq!(codes(&diagnostics), [SHAPE_INVALID]);
            assert_eq!(diagnostics[0].message, format!("unknown setting `{key}`"));
            assert_eq!(diagnostics[0].help.as_deref(), Some(help));
        }
    }

    #[test]
    fn values_of_a_wrong_type_are_dropped_and_the_rest_loads() {
        let cases = [
            ("\"preset\": 5", "`preset` must be a string, not 5"),
            ("\"tools\": []", "`tools` must be an object, not an array"),
            ("\"tools\": {\"Bash\": true}", "`tools.Bash` must be an object, not true"),
            (
                "\"tools\": {\"Bash\": {\"disable\": \"yes\"}}",
                "`tools.Bash.disable` must be true or false, not a string",
            ),
            ("\"env\": {\"A\": 5}", "`env.A` must be a string, not 5"),
            ("\"budget\": {\"tokens\": -1}", "`budget.tokens` must be an integer of 0 or more, not -1"),
            ("\"budget\": {\"tokens\": 1.5}", "`budget.tokens` must be an integer of 0 or more, not 1.5"),
            (
                "\"budget\": {\"onOver\": \"cutt\"}",
                "`budget.onOver` must be one of `cut`, `error`, `warn`, not `cutt`; did you mean `cut`?",
            ),
            ("\"securityMode\": \"ask\"", "`securityMode` must be an object, not a string"),
            (
                "\"securityMode\": {\"allowlist\": [\"a\", 1]}",
                "`securityMode.allowlist` must be an array of strings, but item 1 is 1",
            ),
            (
                "\"sections\": {\"a\": {\"stability\": \"always\"}}",
                "`sections.a.stability` must be one of `conversation`, `static`, `turn`, not `always`",
            ),
            ("\"logging\": 1e999", "the number of `logging` is too large"),
        ];
        for (member, message) in cases {
            let (merged, diagnostics) =
                settings(&[(Scope::Global, &format!("{{{member}, \"profile\": \"x\"}}"))]);
            assert_eq!(codes(&diagnostics), [SHAPE_INVALID], "{member}");
            assert_eq!(diagnostics[0].message, message);
            assert_eq!(merged.to_value()["profile"], "x", "{member}");
        }
    }

    #[test]
    fn integers_may_be_written_in_any_way_json_has() {
        for (text, tokens) in
            [("4096", 4096), ("4096.0", 4096), ("4e3", 4000), ("1e300", i64::MAX as u64), ("-0", 0)]
        {
            let (merged, diagnostics) =
                settings(&[(Scope::Global, &format!("{{\"budget\": {{\"tokens\": {text}}}}}"))]);
            assert_eq!(diagnostics, [], "{text}");
            assert_eq!(Settings::read(&merged).budget.tokens, Some(tokens), "{text}");
        }
    }

    #[test]
    fn a_key_that_is_set_twice_is_an_error_and_the_last_one_counts() {
        let text = "{\n  \"preset\": \"a\",\n  \"tools\": {\"x\": {}, \"x\": {\"disable\": true}},\n  \"preset\": \"b\"\n}";
        let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
        assert_eq!(merged.to_value(), json!({"preset": "b", "tools": {"x": {"disable": true}}}));
        let messages: Vec<&str> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "`tools.x` is set twice in this file; the last one counts",
                "`preset` is set twice in this file; the last one counts"
            ]
        );
        assert_eq!(places(&diagnostics), ["3:22", "4:3"]);
        assert_eq!(diagnostics[1].help.as_deref(), Some("the earlier one is on line 2"));
    }

    #[test]
    fn open_objects_take_anything() {
        let text = r#"{"logging": {"x": [1, {"y": null}]}, "providers": {"p": {"model": "m"}}, "hooks": {"h": {"z": 1}}}"#;
        let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
        assert_eq!(merged.to_value(), serde_json::from_str::<serde_json::Value>(text).unwrap());
        assert_eq!(diagnostics, []);
    }

    #[test]
    fn literal_env_values_are_reported_without_showing_them() {
        let text = "{\"env\": {\n  \"A\": \"${A}\",\n  \"B\": \"hunter2-hunter2\",\n  \"C\": \"${1A}\"\n}}";
        let (merged, diagnostics) = settings(&[(Scope::Project, text)]);
        assert_eq!(codes(&diagnostics), ["settings/literal-env-value", "settings/literal-env-value"]);
        assert_eq!(places(&diagnostics), ["3:8", "4:8"]);
        assert_eq!(
            diagnostics[0].place.as_ref().unwrap().excerpt.as_deref(),
            Some("  \"B\": \"***************\",")
        );
        assert_eq!(merged.to_value()["env"]["B"], "hunter2-hunter2", "a host gets the value");
    }

    #[test]
    fn listings_mask_env_of_extensions_and_tokens() {
        let token = format!("ghp_{}", "a1B2".repeat(8));
        let text = format!(
            r#"{{"hooks": {{"h": {{"env": {{"K": "hunter2"}}, "note": "use {token}"}}}}, "tools": {{"env": {{"x": "y"}}}}}}"#
        );
        let (merged, _) = settings(&[(Scope::Global, &text)]);
        let key = |key: &str| merged.get(&key.parse().unwrap()).unwrap().masked().to_string();
        let masked = format!("ghp_{}", "*".repeat(32));
        assert_eq!(key("hooks.h"), format!(r#"{{"env":{{"K":"***"}},"note":"use {masked}"}}"#));
        assert_eq!(key("tools.env"), r#"{"x":"y"}"#, "the settings of a tool with this name");
    }

    #[test]
    fn excerpts_debug_output_and_saved_snapshots_show_no_secrets() {
        let text = r#"{"env": {"A": "hunter2"}, "providers": {"p": {"apiKey": "hunter2", "model": "m"}}, "presett": "x", "token": "hunter2"}"#;
        let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
        assert_eq!(diagnostics.len(), 3);
        assert!(!format!("{diagnostics:?}").contains("hunter2"), "{diagnostics:?}");
        let saved = serde_json::to_string(&merged).unwrap();
        assert!(!saved.contains("hunter2") && saved.contains("\\\"model\\\": \\\"m\\\""), "{saved}");
    }
}

mod merging {
    use super::*;

    #[test]
    fn each_rule_of_the_table() {
        let cases = [
            (
                "objects merge at all levels",
                r#"{"logging":{"a":{"b":{"c":1}}}}"#,
                r#"{"logging":{"a":{"b":{"d":2}}}}"#,
                json!({"logging": {"a": {"b": {"c": 1, "d": 2}}}}),
            ),
            (
                "later scalars win",
                r#"{"logging":{"level":"info"}}"#,
                r#"{"logging":{"level":"debug"}}"#,
                json!({"logging": {"level": "debug"}}),
            ),
            (
                "later arrays replace",
                r#"{"logging":{"to":["a","b"]}}"#,
                r#"{"logging":{"to":["c"]}}"#,
                json!({"logging": {"to": ["c"]}}),
            ),
            (
                "an empty array replaces too",
                r#"{"logging":{"to":["a"]}}"#,
                r#"{"logging":{"to":[]}}"#,
                json!({"logging": {"to": []}}),
            ),
            (
                "the allowlist adds up, the first of equals stays",
                r#"{"securityMode":{"allowlist":["b","a"]}}"#,
                r#"{"securityMode":{"allowlist":["c","b"]}}"#,
                json!({"securityMode": {"allowlist": ["b", "a", "c"]}}),
            ),
            (
                "equal items of one layer count once",
                r#"{"securityMode":{"allowlist":["a","a"]}}"#,
                "{}",
                json!({"securityMode": {"allowlist": ["a"]}}),
            ),
            (
                "an empty allowlist drops the key",
                r#"{"securityMode":{"allowlist":[]}}"#,
                r#"{"securityMode":{"allowlist":[]}}"#,
                json!({"securityMode": {}}),
            ),
            (
                "other arrays named allowlist replace",
                r#"{"tools":{"t":{"allowlist":["a"]}}}"#,
                r#"{"tools":{"t":{"allowlist":["b"]}}}"#,
                json!({"tools": {"t": {"allowlist": ["b"]}}}),
            ),
            (
                "an entry of providers is replaced whole",
                r#"{"providers":{"p":{"a":1,"b":2},"q":{"a":1}}}"#,
                r#"{"providers":{"p":{"c":3}}}"#,
                json!({"providers": {"p": {"c": 3}, "q": {"a": 1}}}),
            ),
            (
                "other entries merge",
                r#"{"tools":{"t":{"a":1,"b":2}}}"#,
                r#"{"tools":{"t":{"a":3}}}"#,
                json!({"tools": {"t": {"a": 3, "b": 2}}}),
            ),
            (
                "null is a value",
                r#"{"logging":{"level":"info"}}"#,
                r#"{"logging":{"level":null}}"#,
                json!({"logging": {"level": null}}),
            ),
            (
                "new keys come last",
                r#"{"logging":{"z":1,"y":1}}"#,
                r#"{"logging":{"x":2,"y":2,"z":2}}"#,
                json!({"logging": {"z": 2, "y": 2, "x": 2}}),
            ),
        ];
        for (rule, lower, higher, expected) in cases {
            let (merged, diagnostics) = settings(&[(Scope::Bundled, lower), (Scope::Global, higher)]);
            assert_eq!(merged.to_value().to_string(), expected.to_string(), "{rule}");
            assert_eq!(diagnostics, [], "{rule}");
        }
    }

    #[test]
    fn three_layers_count_whatever_order_they_come_in() {
        let one = (
            Scope::Bundled,
            r#"{"securityMode":{"mode":"ask","allowlist":["1"]},"logging":{"a":1,"b":1,"c":1}}"#,
        );
        let two = (Scope::Global, r#"{"securityMode":{"allowlist":["2"]},"logging":{"b":2,"c":2}}"#);
        let three = (Scope::Project, r#"{"securityMode":{"allowlist":["3","1"]},"logging":{"c":3}}"#);
        let expected = json!({"securityMode": {"mode": "ask", "allowlist": ["1", "2", "3"]}, "logging": {"a": 1, "b": 2, "c": 3}});
        for layers in [[one, two, three], [three, two, one], [two, three, one]] {
            assert_eq!(settings(&layers).0.to_value(), expected);
        }
    }

    #[test]
    fn an_object_against_anything_else_is_replaced_whole_and_reported() {
        let cases = [
            (
                r#"{"logging":{"a":{"b":1}}}"#,
                r#"{"logging":{"a":5}}"#,
                json!(5),
                "`logging.a` is 5 here and an object in the bundled settings; this one counts whole",
            ),
            (
                r#"{"logging":{"a":"x"}}"#,
                r#"{"logging":{"a":{"b":1}}}"#,
                json!({"b": 1}),
                "`logging.a` is an object here and a string in the bundled settings; this one counts whole",
            ),
            (
                r#"{"logging":{"a":{"b":1}}}"#,
                r#"{"logging":{"a":null}}"#,
                json!(null),
                "`logging.a` is null here and an object in the bundled settings; this one counts whole",
            ),
        ];
        for (lower, higher, expected, message) in cases {
            let (merged, diagnostics) = settings(&[(Scope::Bundled, lower), (Scope::Global, higher)]);
            assert_eq!(merged.to_value()["logging"]["a"], expected);
            assert_eq!(codes(&diagnostics), ["settings/shape-clash"]);
            assert_eq!(
                (diagnostics[0].severity, diagnostics[0].message.as_str()),
                (Severity::Warning, message)
            );
        }
    }

    #[test]
    fn no_layer_at_all_is_an_empty_object() {
        assert_eq!(MergedSettings::default().to_value(), json!({}));
        assert_eq!(MergedSettings::default().why(&path("budget")), []);
    }

    #[test]
    fn why_lists_the_value_of_each_layer() {
        let (merged, _) = three(
            r#"{"logging":{"level":"info","a":1}}"#,
            r#"{"logging":{"level":"warn"},"budget":{"tokens":5}}"#,
            "{\n\"logging\":{\"level\":\"debug\"},\n\"budget\":{\"tokens\":6}}",
        );
        let why = |text: &str| -> Vec<(SetBy, String, ValueOutcome)> {
            merged
                .why(&path(text))
                .into_iter()
                .map(|value| (value.by, value.value.to_string(), value.outcome))
                .collect()
        };
        use SetBy::{Bundled, Global, Project};
        use ValueOutcome::{Ignored, Overridden, Used};
        assert_eq!(
            why("logging.level"),
            [
                (Bundled, "\"info\"".into(), Overridden),
                (Global, "\"warn\"".into(), Overridden),
                (Project, "\"debug\"".into(), Used)
            ]
        );
        assert_eq!(why("/logging/a"), [(Bundled, "1".into(), Used)]);
        assert_eq!(why("budget.tokens"), [(Global, "5".into(), Used), (Project, "6".into(), Ignored)]);
        let logging: Vec<ValueOutcome> = why("logging").into_iter().map(|(_, _, outcome)| outcome).collect();
        assert_eq!(logging, [Used, Overridden, Used], "of the global object nothing stands");
        let place = &merged.why(&path("logging.level"))[2].place;
        assert_eq!(
            (place.path.as_str(), place.line, place.column),
            ("project/settings.json", Some(2), Some(20))
        );
    }

    #[test]
    fn a_saved_merge_reads_back_the_same() {
        let (merged, _) = three(
            r#"{"logging":{"a":1}}"#,
            "\u{feff}// mine\n{\"contextProviders\":{\"SystemPromptFile\":{\"maxTokens\":7}}}",
            r#"{"contextProviders":{"SystemPromptFile":{"maxTokens":-7}},"preset":"x"}"#,
        );
        let saved = serde_json::to_string(&merged).unwrap();
        let again: MergedSettings = serde_json::from_str(&saved).unwrap();
        assert_eq!(again, merged);
        assert_eq!(serde_json::to_string(&again).unwrap(), saved);
    }

    #[test]
    fn deep_settings_survive_being_saved() {
        let deep = format!("{{\"logging\": {}{}}}", "{\"a\":".repeat(61) + "{}", "}".repeat(61));
        let (merged, diagnostics) = settings(&[(Scope::Global, &deep)]);
        assert_eq!(diagnostics, []);
        let again: MergedSettings = serde_json::from_str(&serde_json::to_string(&merged).unwrap()).unwrap();
        assert_eq!(again, merged);
    }
}

mod projects {
    use super::*;

    #[test]
    fn of_prefaces_own_keys_only_text_counts() {
        let ignored = [
            r#""preset": "x""#,
            r#""profile": "x""#,
            r#""budget": {"tokens": 1}"#,
            r#""template": {"maxDepth": 0}"#,
            r#""trust": {"mode": "none"}"#,
            r#""claudeMd": "x""#,
            r#""outputStyle": "x""#,
        ];
        for member in ignored {
            let text = format!("{{{member}}}");
            let (merged, diagnostics) = settings(&[(Scope::Project, &text)]);
            assert_eq!(merged.to_value(), json!({}), "{member}");
            assert_eq!(
                (codes(&diagnostics), diagnostics[0].severity),
                (vec!["settings/ignored"], Severity::Warning),
                "{member}"
            );
            assert_eq!(places(&diagnostics), ["1:2"], "{member}");
            let (merged, diagnostics) = settings(&[(Scope::Global, &text)]);
            assert_eq!(
                (merged.to_value().as_object().unwrap().len(), diagnostics),
                (1, vec![]),
                "{member} is the user's"
            );
        }
        for key in [r#""combine": true"#, r#""preset": "x""#, r#""type": "preset""#] {
            let text = format!(r#"{{"systemPrompt": {{"append": "x", {key}}}}}"#);
            let (merged, diagnostics) = settings(&[(Scope::Project, &text)]);
            assert_eq!(merged.to_value(), json!({"systemPrompt": {"append": "x"}}), "{key}");
            assert_eq!(codes(&diagnostics), ["settings/ignored"], "{key}");
        }
        let text = r#"{"systemPrompt": {"append": "x"}, "sections": {"a": {"text": "x"}}}"#;
        let (merged, diagnostics) = settings(&[(Scope::Project, text)]);
        assert_eq!(diagnostics, []);
        assert_eq!(merged.to_value().as_object().unwrap().len(), 2);
    }

    #[test]
    fn the_users_file_is_not_the_projects_to_choose() {
        let global = r#"{"contextProviders":{"SystemPromptFile":{"paths":{"global":"mine.md"}}}}"#;
        let tries = [
            r#"{"contextProviders":{"SystemPromptFile":{"paths":{"global":"/etc/passwd"}}}}"#,
            r#"{"contextProviders":{"SystemPromptFile":{"paths":{"global":null}}}}"#,
            r#"{"contextProviders":{"SystemPromptFile":{"paths":null}}}"#,
            r#"{"contextProviders":{"SystemPromptFile":null}}"#,
            r#"{"contextProviders":null}"#,
        ];
        for project in tries {
            let (merged, diagnostics) = settings(&[(Scope::Global, global), (Scope::Project, project)]);
            let file = system_prompt_file(&merged);
            assert_eq!(file.paths.global, Some(FilePath("mine.md".into())), "{project}");
            let values = merged.why(&path("contextProviders.SystemPromptFile.paths.global"));
            assert_eq!((values[0].by, values[0].outcome), (SetBy::Global, ValueOutcome::Used), "{project}");
            assert_eq!((diagnostics.len(), diagnostics[0].severity), (1, Severity::Warning), "{project}");
        }
    }

    #[test]
    fn a_mode_may_be_tightened_and_never_loosened() {
        let cases = [
            (None, "yolo", "ask"),
            (None, "allowlist", "ask"),
            (None, "ask", "ask"),
            (Some("ask"), "yolo", "ask"),
            (Some("ask"), "allowlist", "ask"),
            (Some("allowlist"), "yolo", "allowlist"),
            (Some("allowlist"), "ask", "ask"),
            (Some("yolo"), "allowlist", "allowlist"),
            (Some("yolo"), "ask", "ask"),
            (Some("yolo"), "yolo", "yolo"),
        ];
        for (global, project, expected) in cases {
            let global =
                global.map_or("{}".to_owned(), |mode| format!(r#"{{"securityMode":{{"mode":"{mode}"}}}}"#));
            let text = format!(r#"{{"securityMode":{{"mode":"{project}"}}}}"#);
            let (merged, diagnostics) = settings(&[(Scope::Global, &global), (Scope::Project, &text)]);
            let mode =
                merged.get(&path("securityMode.mode")).and_then(|node| node.as_text()).unwrap_or("ask");
            assert_eq!(mode, expected, "{global} then {text}");
            assert_eq!(
                diagnostics.is_empty(),
                mode == project,
                "a mode without effect is reported: {global} then {text}"
            );
        }
    }

    #[test]
    fn null_of_a_project_clears_no_security_setting() {
        let global = r#"{"securityMode":{"mode":"allowlist","allowlist":["ls"]}}"#;
        let own = settings(&[(Scope::Global, global)]).0.to_value();
        for (project, cleared) in [
            (r#"{"securityMode":null}"#, &["securityMode"][..]),
            (
                r#"{"securityMode":{"mode":null,"allowlist":null}}"#,
                &["securityMode.mode", "securityMode.allowlist"],
            ),
        ] {
            let (merged, diagnostics) = settings(&[(Scope::Global, global), (Scope::Project, project)]);
            assert_eq!(merged.to_value(), own, "{project}");
            let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.clone()).collect();
            let expected = cleared.iter().map(|key| format!("a project cannot clear `{key}`; it is ignored"));
            assert_eq!(messages, expected.collect::<Vec<_>>(), "{project}");
        }
    }

    #[test]
    fn additions_to_the_allowlist_are_reported() {
        let global = r#"{"securityMode":{"mode":"allowlist","allowlist":["ls"]}}"#;
        let project = r#"{"securityMode":{"allowlist":["ls","rm"]}}"#;
        let (merged, diagnostics) = settings(&[(Scope::Global, global), (Scope::Project, project)]);
        assert_eq!(
            merged.to_value(),
            json!({"securityMode": {"mode": "allowlist", "allowlist": ["ls", "rm"]}})
        );
        assert_eq!(
            (codes(&diagnostics), diagnostics[0].severity),
            (vec!["settings/loosened"], Severity::Warning)
        );
        assert_eq!(diagnostics[0].message, "the project adds to `securityMode.allowlist`: `rm`");
    }
}

fn system_prompt_file(merged: &MergedSettings) -> SystemPromptFileSettings {
    Settings::read(merged).context_providers.system_prompt_file
}

mod system_prompt_file {
    use super::*;

    fn entry(fields: &str) -> String {
        format!("{{\"contextProviders\": {{\"SystemPromptFile\": {fields}}}}}")
    }

    #[test]
    fn defaults_are_those_of_the_seed() {
        let file = system_prompt_file(&MergedSettings::default());
        assert_eq!((file.enabled, file.max_tokens, file.priority), (true, 4096, 50));
        assert_eq!((&file.paths.global, &file.paths.project, file.disable), (&None, &None, false));
        assert_eq!(file, SystemPromptFileSettings::default());
    }

    #[test]
    fn each_value_names_who_set_it() {
        let (merged, diagnostics) = three(
            &entry(r#"{"priority": 1, "maxTokens": 100}"#),
            &entry(r#"{"priority": -2, "paths": {"global": "mine.md"}, "enabled": false}"#),
            &entry(r#"{"enabled": true, "paths": {"project": "a..md"}}"#),
        );
        assert_eq!(diagnostics, []);
        let file = system_prompt_file(&merged);
        assert_eq!((file.priority, file.max_tokens, file.enabled), (-2, 100, true));
        assert_eq!(file.paths.global, Some(FilePath("mine.md".into())));
        assert_eq!(file.paths.project, Some(FilePath("a..md".into())));
        let by = |key: &str| SystemPromptFileSettings::set_by(&merged, key);
        assert_eq!(
            (by("priority"), by("maxTokens"), by("enabled"), by("disable")),
            (Some(SetBy::Global), Some(SetBy::Bundled), Some(SetBy::Project), None)
        );
    }

    #[test]
    fn a_bad_value_falls_back_to_the_next_lower_valid_one() {
        let long = "x".repeat(4097);
        let long_path = format!(r#"{{"paths": {{"project": "{long}"}}}}"#);
        let cases: [(&str, &str); 17] = [
            (r#"{"maxTokens": -1}"#, "`/maxTokens` must be an integer of 0 or more, not -1"),
            (r#"{"maxTokens": 1.5}"#, "`/maxTokens` must be an integer of 0 or more, not 1.5"),
            (r#"{"maxTokens": "4096"}"#, "`/maxTokens` must be an integer of 0 or more, not a string"),
            (r#"{"maxTokens": null}"#, "`/maxTokens` must be an integer of 0 or more, not null"),
            (r#"{"enabled": "yes"}"#, "`/enabled` must be true or false, not a string"),
            (r#"{"enabled": null}"#, "`/enabled` must be true or false, not null"),
            (r#"{"priority": 0.5}"#, "`/priority` must be an integer, not 0.5"),
            (r#"{"priority": {}}"#, "`/priority` must be an integer, not an object"),
            (r#"{"paths": "x"}"#, "`/paths` must be an object, not a string"),
            (r#"{"paths": {"project": ""}}"#, "`/paths/project` must not be blank"),
            (r#"{"paths": {"project": " \t"}}"#, "`/paths/project` must not be blank"),
            (r#"{"paths": {"project": 5}}"#, "`/paths/project` must be a string, not 5"),
            (r#"{"paths": {"project": "../x.md"}}"#, "`/paths/project` must not contain `..`"),
            (r#"{"paths": {"project": "a/../b.md"}}"#, "`/paths/project` must not contain `..`"),
            (r#"{"paths": {"project": "a\\..\\b.md"}}"#, "`/paths/project` must not contain `..`"),
            (r#"{"paths": {"project": ".."}}"#, "`/paths/project` must not contain `..`"),
            (&long_path, "`/paths/project` must be at most 4096 characters long, not 4097"),
        ];
        let good =
            entry(r#"{"maxTokens": 7, "enabled": false, "priority": 7, "paths": {"project": "good.md"}}"#);
        for (fields, reason) in cases {
            let (merged, diagnostics) = settings(&[(Scope::Global, &good), (Scope::Project, &entry(fields))]);
            assert_eq!(
                (codes(&diagnostics), diagnostics[0].severity),
                (vec![VIOLATION], Severity::Warning),
                "{fields:.60}"
            );
            let message =
                format!("project-scope override failed validation ({reason}); retaining global value");
            assert_eq!(diagnostics[0].message, message);
            let file = system_prompt_file(&merged);
            assert_eq!((file.max_tokens, file.enabled, file.priority), (7, false, 7), "{fields:.60}");
            assert_eq!(file.paths.project, Some(FilePath("good.md".into())), "{fields:.60}");
            let (merged, diagnostics) = settings(&[(Scope::Global, &entry(fields))]);
            let message =
                format!("global-scope override failed validation ({reason}); retaining bundled value");
            assert_eq!(
                (codes(&diagnostics), diagnostics[0].message.as_str()),
                (vec![VIOLATION], message.as_str()),
                "every layer is checked"
            );
            assert_eq!(system_prompt_file(&merged), SystemPromptFileSettings::default());
        }
    }

    #[test]
    fn the_other_fields_of_a_layer_with_a_bad_one_count() {
        let (merged, _) = settings(&[(
            Scope::Project,
            &entry(r#"{"maxTokens": -1, "priority": 9, "paths": {"project": "p.md", "globl": ""}}"#),
        )]);
        let file = system_prompt_file(&merged);
        assert_eq!((file.max_tokens, file.priority), (4096, 9));
        assert_eq!(file.paths.project, Some(FilePath("p.md".into())));
    }

    #[test]
    fn a_fallback_skips_bad_layers_and_names_the_one_it_retains() {
        let (merged, diagnostics) = three(
            &entry(r#"{"maxTokens": 1}"#),
            &entry(r#"{"maxTokens": "x"}"#),
            &entry(r#"{"maxTokens": -3}"#),
        );
        let ends: Vec<&str> =
            diagnostics.iter().map(|diagnostic| diagnostic.message.rsplit("; ").next().unwrap()).collect();
        assert_eq!(ends, ["retaining bundled value", "retaining bundled value"]);
        let file = system_prompt_file(&merged);
        assert_eq!(file.max_tokens, 1);
        assert_eq!(SystemPromptFileSettings::set_by(&merged, "maxTokens"), Some(SetBy::Bundled));
    }

    #[test]
    fn the_schema_is_closed() {
        let cases = [
            (r#"{"maxToken": 5}"#, "/maxToken", "did you mean `maxTokens`?", "1:44"),
            (r#"{"paths": {"globl": "x"}}"#, "/paths/globl", "did you mean `global`?", "1:54"),
            (r#"{"path": "x"}"#, "/path", "did you mean `paths`?", "1:44"),
        ];
        for (fields, pointer, help, place) in cases {
            let (merged, diagnostics) = settings(&[(Scope::Global, &entry(fields))]);
            assert_eq!(codes(&diagnostics), [VIOLATION]);
            assert_eq!(
                diagnostics[0].message,
                format!("`SystemPromptFile` has no field `{pointer}`; it is ignored")
            );
            assert_eq!(
                (diagnostics[0].help.as_deref(), places(&diagnostics)),
                (Some(help), vec![place.to_owned()])
            );
            assert_eq!(system_prompt_file(&merged), SystemPromptFileSettings::default());
        }
    }

    #[test]
    fn disable_is_the_layers_word_and_can_be_taken_back() {
        let cases = [
            (r#"{"disable": true}"#, "{}", Some(SetBy::Global)),
            (r#"{"disable": true}"#, r#"{"disable": false}"#, None),
            ("{}", r#"{"disable": true}"#, Some(SetBy::Project)),
            (r#"{"disable": true}"#, r#"{"disable": true}"#, Some(SetBy::Project)),
            (r#"{"disable": true}"#, r#"{"maxTokens": 5}"#, Some(SetBy::Global)),
        ];
        for (global, project, by) in cases {
            let (merged, diagnostics) =
                settings(&[(Scope::Global, &entry(global)), (Scope::Project, &entry(project))]);
            assert_eq!(diagnostics, [], "`disable` is no field of the provider");
            let [category, id] = SystemPromptFileSettings::KEYS;
            assert_eq!(merged.disabled_by(category, id), by, "{global} then {project}");
            assert_eq!(system_prompt_file(&merged).disable, by.is_some(), "{global} then {project}");
        }
        let (_, diagnostics) = settings(&[(Scope::Global, &entry(r#"{"disable": "yes"}"#))]);
        assert_eq!(codes(&diagnostics), [SHAPE_INVALID]);
    }

    #[test]
    fn why_lists_the_value_that_failed() {
        let (merged, _) = settings(&[
            (Scope::Global, &entry(r#"{"maxTokens": 7}"#)),
            (Scope::Project, &entry(r#"{"maxTokens": -1}"#)),
        ]);
        let values = merged.why(&path("contextProviders.SystemPromptFile.maxTokens"));
        assert_eq!((values[0].outcome, values[1].outcome), (ValueOutcome::Used, ValueOutcome::Ignored));
    }

    #[test]
    fn other_context_providers_are_open() {
        let text = r#"{"contextProviders":{"repoSummary":{"maxTokens":-1,"disable":true,"any":[1]}}}"#;
        let (merged, diagnostics) = settings(&[(Scope::Global, text)]);
        assert_eq!(diagnostics, []);
        assert_eq!(merged.disabled_by("contextProviders", "repoSummary"), Some(SetBy::Global));
        assert_eq!(merged.to_value(), serde_json::from_str::<serde_json::Value>(text).unwrap());
    }
}

mod views {
    use super::*;

    #[test]
    fn a_layer_with_a_text_and_a_file_for_a_section_has_the_text() {
        let both = r#"{"sections":{"a":{"text":"t","file":"f.md"}}}"#;
        let (merged, diagnostics) = settings(&[(Scope::Global, both)]);
        let section = &Settings::read(&merged).sections["a"];
        assert_eq!((section.text.as_deref(), &section.file), (Some("t"), &None));
        assert_eq!(codes(&diagnostics), ["settings/hidden"]);
    }

    #[test]
    fn null_takes_back_what_a_lower_layer_set() {
        let (merged, diagnostics) = settings(&[
            (Scope::Global, r#"{"systemPrompt":{"custom":"c","append":"a"}}"#),
            (Scope::Project, r#"{"systemPrompt":{"custom":null}}"#),
        ]);
        assert_eq!(diagnostics, []);
        let own = Settings::read(&merged);
        assert_eq!(own.system_prompt.custom, None);
        assert_eq!(own.system_prompt.append.as_deref(), Some("a"));
        assert_eq!(merged.get(&path("systemPrompt.append")).unwrap().by(), SetBy::Global);
    }
}

mod set {
    use super::*;

    fn set(arguments: &[&str]) -> MergedSettings {
        let layers =
            arguments.iter().map(|argument| SetValue::parse(argument).unwrap().into_layer()).collect();
        let mut diagnostics = Vec::new();
        let merged = merge(layers, &mut diagnostics);
        assert_eq!(diagnostics, []);
        merged
    }

    #[test]
    fn values_are_typed_by_the_schema() {
        let cases = [
            ("systemPrompt.custom=5", json!({"systemPrompt": {"custom": "5"}})),
            ("systemPrompt.custom=\"a\" = b", json!({"systemPrompt": {"custom": "\"a\" = b"}})),
            ("systemPrompt.custom=", json!({"systemPrompt": {"custom": ""}})),
            ("budget.tokens=9000", json!({"budget": {"tokens": 9000}})),
            ("budget.onOver=warn", json!({"budget": {"onOver": "warn"}})),
            ("template.raw=true", json!({"template": {"raw": true}})),
            ("budget={\"tokens\": 5}", json!({"budget": {"tokens": 5}})),
            ("securityMode.allowlist=[\"a\"]", json!({"securityMode": {"allowlist": ["a"]}})),
            ("securityMode.mode=yolo", json!({"securityMode": {"mode": "yolo"}})),
            ("logging.level=debug", json!({"logging": {"level": "debug"}})),
            ("logging.size=5", json!({"logging": {"size": 5}})),
            ("logging.size=\"5\"", json!({"logging": {"size": "5"}})),
            ("logging.off=null", json!({"logging": {"off": null}})),
            (
                "contextProviders.SystemPromptFile.maxTokens=5",
                json!({"contextProviders": {"SystemPromptFile": {"maxTokens": 5}}}),
            ),
            (
                "contextProviders.SystemPromptFile.paths.global=x",
                json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "x"}}}}),
            ),
            ("/tools/a.b/disable=true", json!({"tools": {"a.b": {"disable": true}}})),
        ];
        for (argument, expected) in cases {
            assert_eq!(set(&[argument]).to_value(), expected, "{argument}");
        }
    }

    #[test]
    fn the_caller_is_the_strongest_and_the_last_of_several_counts() {
        let (layer, _) = parse(Scope::Global, "settings.json", br#"{"budget":{"tokens":1,"onOver":"cut"}}"#);
        let mut layers = vec![SetValue::parse("budget.tokens=2").unwrap().into_layer()];
        layers.push(SetValue::parse("budget.tokens=3").unwrap().into_layer());
        layers.extend(layer);
        let merged = merge(layers, &mut Vec::new());
        assert_eq!(merged.to_value(), json!({"budget": {"tokens": 3, "onOver": "cut"}}));
        let values = merged.why(&path("budget.tokens"));
        let by: Vec<_> = values.iter().map(|value| (value.by, value.outcome)).collect();
        use ValueOutcome::{Overridden, Used};
        assert_eq!(by, [(SetBy::Global, Overridden), (SetBy::Caller, Overridden), (SetBy::Caller, Used)]);
        assert_eq!((values[2].place.path.as_str(), values[2].place.column), ("--set", Some(15)));
        let again: MergedSettings = serde_json::from_str(&serde_json::to_string(&merged).unwrap()).unwrap();
        assert_eq!(again, merged);
    }

    #[test]
    fn what_cannot_be_set_is_refused_with_a_suggestion() {
        let cases = [
            ("budget.tokens", "`budget.tokens` has no value", Some("write `path=value`")),
            ("=5", "`` is not a path: a key is empty", None),
            ("budgt.tokens=5", "unknown setting `budgt.tokens`", Some("did you mean `budget.tokens`?")),
            ("budget.tokns=5", "unknown setting `budget.tokns`", Some("did you mean `budget.tokens`?")),
            ("budget.tokens.more=5", "unknown setting `budget.tokens.more`", None),
            (
                "contextProviders.SystemPromptFile.maxToken=5",
                "unknown setting `contextProviders.SystemPromptFile.maxToken`",
                Some("did you mean `contextProviders.SystemPromptFile.maxTokens`?"),
            ),
            ("variant=0.58", "unknown setting `variant`", None),
            ("budget.tokens=many", "`budget.tokens` must be an integer of 0 or more, not `many`", None),
            ("budget.tokens=-1", "`budget.tokens` must be an integer of 0 or more, not -1", None),
            (
                "budget.onOver=cutt",
                "`budget.onOver` must be one of `cut`, `error`, `warn`, not `cutt`; did you mean `cut`?",
                None,
            ),
            ("template.raw=1", "`template.raw` must be true or false, not 1", None),
            (
                "securityMode.allowlist=a",
                "`securityMode.allowlist` must be an array of strings in JSON: unexpected word",
                None,
            ),
            ("budget={\"tokns\":5}", "`budget` is not valid: unknown setting `budget.tokns`", None),
            (
                "contextProviders.SystemPromptFile.paths.project=../x",
                "`contextProviders.SystemPromptFile.paths.project` must not contain `..`",
                None,
            ),
        ];
        for (argument, message, help) in cases {
            let error = SetValue::parse(argument).unwrap_err();
            assert_eq!(error.to_string(), message);
            assert_eq!(error.help.as_deref(), help, "{argument}");
        }
    }

    #[test]
    fn secrets_of_the_caller_are_not_saved() {
        let merged = set(&[
            "env.A=hunter2",
            "providers.p.apiKey=hunter2",
            "providers.q={\"token\":\"hunter2\",\"model\":\"m\"}",
        ]);
        let saved = serde_json::to_string(&merged).unwrap();
        assert!(!saved.contains("hunter2") && saved.contains("model"), "{saved}");
        assert!(serde_json::from_str::<MergedSettings>(&saved).is_ok());
    }
}

mod hostile {
    use super::*;
    use std::thread::Builder;

    #[test]
    fn deep_nesting_is_refused_without_recursion() {
        let texts = [
            "[".repeat(100_000),
            "{\"a\":".repeat(100_000),
            format!("{{\"logging\":{}", "[".repeat(100_000)),
        ];
        for text in texts {
            // A stack far smaller than any caller's.
            let small = Builder::new().stack_size(64 << 10);
            let run = small.spawn(move || parse(Scope::Project, "settings.json", text.as_bytes())).unwrap();
            let (layer, diagnostics) = run.join().unwrap();
            assert_eq!(layer, None);
            assert_eq!(
                diagnostics[0].message,
                "objects and arrays must not nest deeper than 64 levels; this file is left out"
            );
        }
    }

    #[test]
    fn the_deepest_allowed_file_goes_all_the_way() {
        let deep = |levels: usize| {
            format!("{{\"logging\":{{\"a\":{}{}}}}}", "[".repeat(levels - 2), "]".repeat(levels - 2))
        };
        assert!(parse(Scope::Global, "s", deep(65).as_bytes()).0.is_none());
        let run = Builder::new().stack_size(512 << 10).spawn(move || {
            let (merged, diagnostics) = settings(&[(Scope::Global, &deep(64)), (Scope::Project, &deep(64))]);
            assert_eq!(diagnostics, []);
            drop(merged.clone());
            serde_json::from_str::<MergedSettings>(&serde_json::to_string(&merged).unwrap()).unwrap()
                == merged
        });
        assert!(run.unwrap().join().unwrap());
    }

    #[test]
    fn large_texts_keys_and_numbers_are_read_or_refused() {
        let mega = "x".repeat(1 << 20);
        let (merged, diagnostics) =
            settings(&[(Scope::Global, &format!("{{\"systemPrompt\": {{\"custom\": \"{mega}\"}}}}"))]);
        assert_eq!(diagnostics, []);
        assert_eq!(merged.get(&path("systemPrompt.custom")).unwrap().as_text().unwrap().len(), 1 << 20);

        let (_, diagnostics) = settings(&[(Scope::Global, &format!("{{\"{mega}\": 1}}"))]);
        assert_eq!(diagnostics.len(), 1);
        assert!(diagnostics[0].message.len() < 200, "a note stays readable");

        let digits = "9".repeat(1 << 20);
        let (merged, diagnostics) =
            settings(&[(Scope::Global, &format!("{{\"logging\": {{\"a\": {digits}, \"b\": 1}}}}"))]);
        assert_eq!(codes(&diagnostics), [SHAPE_INVALID]);
        assert_eq!(merged.to_value(), json!({"logging": {"b": 1}}));
    }

    #[test]
    fn thousands_of_faults_give_a_screenful_of_diagnostics() {
        let keys: String = (0..20_000).map(|at| format!("\"k{at}\":1,")).collect();
        let fields = format!("{{\"contextProviders\":{{\"SystemPromptFile\":{{{keys}}}}}}}");
        for text in [format!("{{{keys}}}"), fields, format!("{{{}}}", "\"preset\":\"a\",".repeat(20_000))] {
            let (_, diagnostics) = settings(&[(Scope::Global, &text)]);
            assert_eq!(diagnostics.len(), 21);
            assert!(diagnostics[20].message.ends_with("more diagnostics about this file are not shown"));
        }
    }

    #[test]
    fn long_keys_deep_down_cost_no_more_than_the_file() {
        let long = "k".repeat(400_000);
        let many: String = (0..30_000).map(|at| format!("\"{at}\":1,")).collect();
        let text = format!("{{\"logging\":{{\"{long}\":{{{many}}}}}}}");
        let (merged, diagnostics) = settings(&[(Scope::Global, &text), (Scope::Project, &text)]);
        assert_eq!(diagnostics, []);
        assert_eq!(merged.to_value()["logging"][&long].as_object().unwrap().len(), 30_000);
    }

    #[test]
    fn half_a_surrogate_pair_is_no_text() {
        let cases = [r"\ud800", r"\udc00", r"\ud800A", r"\ud800x", r"\ud800\ud800", r"\u12", r"\q"];
        for text in cases {
            let (layer, diagnostics) =
                parse(Scope::Global, "s", format!("{{\"preset\": \"{text}\"}}").as_bytes());
            assert_eq!((layer, codes(&diagnostics)), (None, vec![SHAPE_INVALID]), "{text}");
        }
        let (merged, _) = settings(&[(Scope::Global, r#"{"preset": "\ud83d\ude00"}"#)]);
        assert_eq!(merged.to_value(), json!({"preset": "😀"}));
    }

    #[test]
    fn names_in_notes_are_escaped() {
        let (_, diagnostics) = settings(&[(Scope::Project, "{\"pre\u{202e}set\\n\": 1}")]);
        assert_eq!(diagnostics[0].message, "unknown setting `pre\\u{202e}set\\u{a}`");
    }
}
