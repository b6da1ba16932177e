//! One manifest by itself: the stages of its check up to `configSchema`, and the fields of each category.

mod extension;

use extension::{CONFIG, CONTRACT, CORE, Checker, DISCOVERY, SHAPE, complete, manifest};
use preface_core::{
    diagnostic::Diagnostic,
    extension::{Ability, Category, HookRole, InvalidManifest, Manifest, ManifestLocation, id_fault},
    scope::Scope,
};
use serde_json::{Value, json};

fn read_bytes(scope: Scope, category: Category, id: &str, bytes: &[u8]) -> Result<Manifest, InvalidManifest> {
    Manifest::read(bytes, &ManifestLocation { scope, category, id, path: "m.json" }, &Checker)
}

fn read(category: Category, more: &Value) -> Result<Manifest, InvalidManifest> {
    let text = manifest(category, "x", more).to_string();
    read_bytes(Scope::Global, category, "x", text.as_bytes())
}

/// `code pointer line` of each failure.
fn failure_lines(failures: &[Diagnostic]) -> Vec<String> {
    let line = |failure: &Diagnostic| failure.place.as_ref().and_then(|place| place.line).unwrap_or(0);
    failures
        .iter()
        .map(|f| format!("{} {} {}", f.code, f.subject.as_deref().unwrap_or_default(), line(f)))
        .collect()
}

fn refused(result: Result<Manifest, InvalidManifest>) -> Vec<String> {
    failure_lines(&result.expect_err("the manifest is refused").failures)
}

mod by_category {
    use super::*;

    #[test]
    fn only_the_four_fields_are_needed() {
        for category in Category::ALL {
            let manifest = read(category, &json!({})).unwrap();
            assert_eq!((manifest.id.as_str(), manifest.category), ("x", category));
            assert!(manifest.config.is_empty() && manifest.config_schema.is_none());
        }
    }

    #[test]
    fn a_complete_one_lacks_nothing() {
        for category in Category::ALL {
            assert_eq!(read(category, &complete(category)).unwrap().ability.missing(), None, "{category}");
        }
    }

    #[test]
    fn an_incomplete_one_lists_what_is_missing() {
        let cases = [
            (Category::Commands, json!({}), "`description`"),
            (Category::ContextProviders, json!({"priority": 1}), "text in `markdown`, `files` or `command`"),
            (Category::Hooks, json!({}), "`slot` (or `event`) and `command`"),
            (Category::Hooks, json!({"slot": "RENDER/post"}), "`command`"),
            (Category::Hooks, json!({"command": ["a"]}), "`slot` or `event`"),
            (Category::Loggers, json!({}), "`path`"),
            (Category::Providers, json!({}), "`kind` and `baseUrl`"),
            (Category::Providers, json!({"kind": "openai"}), "`baseUrl`"),
            (Category::Providers, json!({"baseUrl": "https://a"}), "`kind`"),
            (Category::SessionStores, json!({}), "`kind`"),
            (Category::Tools, json!({"promptSnippet": "a"}), "`description`"),
            (
                Category::Tools,
                json!({"description": "d", "inputSchema": {"type": "array"}}),
                "an `inputSchema` of type `object`",
            ),
            (
                Category::Tools,
                json!({"description": "d", "inputSchema": {"type": "object", "properties": 5}}),
                "an `inputSchema` of type `object`",
            ),
            (
                Category::ContextProviders,
                json!({"markdown": " \n"}),
                "text in `markdown`, `files` or `command`",
            ),
            (Category::ContextProviders, json!({"files": []}), "text in `markdown`, `files` or `command`"),
            (Category::ContextProviders, json!({"markdown": "a", "maxTokens": 0}), "a `maxTokens` above 0"),
            (
                Category::ContextProviders,
                json!({"markdown": "a", "kind": "tool-hint"}),
                "`kind` `system-message`",
            ),
        ];
        for (category, more, missing) in cases {
            let manifest = read(category, &more).unwrap();
            assert_eq!(manifest.ability.missing(), Some(missing), "{category} {more}");
        }
    }

    #[test]
    fn a_tool_is_strict_where_its_manifest_has_that() {
        for (more, strict) in [(json!({}), false), (json!({"strict": true}), true)] {
            let Ability::Tool(texts) = read(Category::Tools, &more).unwrap().ability else {
                panic!("a tool")
            };
            assert_eq!(texts.tool("a", "m").strict, strict);
        }
    }

    #[test]
    fn a_field_of_a_wrong_type_is_a_failure_of_shape_at_its_place() {
        const KIND: &str = "extension/kind-invalid";
        const BUDGET: &str = "extension/negative-budget";
        const SLOT: &str = "hook/invalid-attachment";
        let cases = [
            (Category::Commands, json!({"name": " "}), SHAPE, "/name"),
            (Category::Commands, json!({"name": 1}), SHAPE, "/name"),
            (Category::ContextProviders, json!({"markdown": 1}), SHAPE, "/markdown"),
            (Category::ContextProviders, json!({"files": "a.md"}), SHAPE, "/files"),
            (Category::ContextProviders, json!({"files": ["a.md", 1]}), SHAPE, "/files/1"),
            (Category::ContextProviders, json!({"files": ["a.md", "../b.md"]}), SHAPE, "/files/1"),
            (Category::ContextProviders, json!({"files": ["/etc/passwd"]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"files": ["a\\..\\b"]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"files": ["C:x"]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"files": ["~/x"]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"files": ["a\u{0}"]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"files": [" "]}), SHAPE, "/files/0"),
            (Category::ContextProviders, json!({"command": "ls"}), SHAPE, "/command"),
            (Category::ContextProviders, json!({"markdown": "a", "files": ["b"]}), SHAPE, "/files"),
            (Category::ContextProviders, json!({"kind": "system"}), KIND, "/kind"),
            (Category::ContextProviders, json!({"maxTokens": -1}), BUDGET, "/maxTokens"),
            (Category::ContextProviders, json!({"maxTokens": 1.5}), SHAPE, "/maxTokens"),
            (Category::ContextProviders, json!({"priority": "high"}), SHAPE, "/priority"),
            (Category::ContextProviders, json!({"exclusiveSlot": ""}), SHAPE, "/exclusiveSlot"),
            (Category::ContextProviders, json!({"stability": "Turn"}), SHAPE, "/stability"),
            (Category::Hooks, json!({"slot": "tool_call/pre"}), SLOT, "/slot"),
            (Category::Hooks, json!({"slot": 1}), SHAPE, "/slot"),
            (Category::Hooks, json!({"event": "toolcall"}), SLOT, "/event"),
            (Category::Hooks, json!({"event": "context", "slot": "RENDER/pre"}), SLOT, "/slot"),
            (Category::Hooks, json!({"role": "Guard"}), SHAPE, "/role"),
            (Category::Hooks, json!({"command": []}), SHAPE, "/command"),
            (Category::Hooks, json!({"command": [""]}), SHAPE, "/command"),
            (Category::Hooks, json!({"command": ["a", 1]}), SHAPE, "/command/1"),
            (Category::Hooks, json!({"command": ["a", "\u{0}"]}), SHAPE, "/command"),
            (Category::Hooks, json!({"timeoutMs": 0}), SHAPE, "/timeoutMs"),
            (Category::Hooks, json!({"timeoutMs": 600_001}), SHAPE, "/timeoutMs"),
            (Category::Loggers, json!({"path": "../out"}), SHAPE, "/path"),
            (Category::Loggers, json!({"path": "/tmp/out"}), SHAPE, "/path"),
            (Category::Loggers, json!({"path": []}), SHAPE, "/path"),
            (Category::Providers, json!({"kind": ""}), SHAPE, "/kind"),
            (Category::Providers, json!({"baseUrl": "example.org"}), SHAPE, "/baseUrl"),
            (Category::Providers, json!({"baseUrl": "https://me:pw@example.org/"}), SHAPE, "/baseUrl"),
            (Category::Providers, json!({"apiKey": "secret"}), SHAPE, "/apiKey"),
            (Category::Providers, json!({"apiKey": "${}"}), SHAPE, "/apiKey"),
            (Category::Providers, json!({"apiKey": 1}), SHAPE, "/apiKey"),
            (Category::Providers, json!({"apiKey": {"kind": "env"}}), SHAPE, "/apiKey/name"),
            (Category::Providers, json!({"apiKey": {"name": "KEY"}}), SHAPE, "/apiKey/kind"),
            (Category::Providers, json!({"apiKey": {"kind": "vault", "name": "a"}}), SHAPE, "/apiKey/kind"),
            (Category::SessionStores, json!({"kind": "redis"}), SHAPE, "/kind"),
            (Category::SessionStores, json!({"url": ""}), SHAPE, "/url"),
            (Category::StateMachines, json!({"config": []}), SHAPE, "/config"),
            (Category::Tools, json!({"description": ["a"]}), SHAPE, "/description"),
            (Category::Tools, json!({"promptSnippet": 1}), SHAPE, "/promptSnippet"),
            (Category::Tools, json!({"promptGuidelines": "a"}), SHAPE, "/promptGuidelines"),
            (Category::Tools, json!({"promptGuidelines": ["a", null]}), SHAPE, "/promptGuidelines/1"),
            (Category::Tools, json!({"inputSchema": true}), SHAPE, "/inputSchema"),
            (Category::Tools, json!({"strict": "yes"}), SHAPE, "/strict"),
        ];
        for (category, more, code, pointer) in cases {
            let all = refused(read(category, &more));
            // A field that is not there has no line.
            let line = i32::from(more.pointer(pointer).is_some());
            assert_eq!(all, [format!("{code} {pointer} {line}")], "{category} {more}");
        }
    }

    #[test]
    fn null_is_as_if_the_key_were_not_there() {
        let more = json!({"description": null, "inputSchema": null, "configSchema": null});
        assert_eq!(read(Category::Tools, &more).unwrap(), read(Category::Tools, &json!({})).unwrap());
    }

    #[test]
    fn fields_arrive_as_they_are_written() {
        let Ability::Hook(hook) =
            read(Category::Hooks, &json!({"event": "tool_result", "command": ["a", ""]})).unwrap().ability
        else {
            panic!("a hook")
        };
        assert_eq!(hook.slot.unwrap().to_string(), "TOOL_CALL/post");
        assert_eq!(hook.slot.unwrap().to_string(), "TOOL_CALL/post");
        assert_eq!(hook.role, HookRole::Transform, "the default");
        assert_eq!(hook.program.unwrap().argv, ["a", ""]);
        for (word, role) in
            [("guard", HookRole::Guard), ("observer", HookRole::Observer), ("transform", HookRole::Transform)]
        {
            let Ability::Hook(hook) = read(Category::Hooks, &json!({"role": word})).unwrap().ability else {
                panic!("a hook")
            };
            assert_eq!(hook.role, role);
        }
        let Ability::Model(model) =
            read(Category::Providers, &json!({"apiKey": "${MY_KEY}"})).unwrap().ability
        else {
            panic!("a model")
        };
        let key = model.key.unwrap();
        assert_eq!((key.kind.as_str(), key.name.as_str()), ("env", "MY_KEY"));
    }

    #[test]
    fn fields_that_nobody_knows_are_passed_over_with_a_note() {
        for category in Category::ALL {
            let mut manifest = read(category, &json!({"later": {"a": [1]}, "$schema": "x"})).expect("sound");
            let diagnostics: Vec<_> = std::mem::take(&mut manifest.diagnostics);
            let messages: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
            let unknown = format!("a manifest of `{category}` has no key `later`; it is ignored");
            assert_eq!(messages, [unknown.as_str()]);
            assert_eq!(manifest, read(category, &json!({})).unwrap(), "{category}");
        }
        let diagnostics = read(Category::Tools, &json!({"promptSnipet": "x"})).expect("sound").diagnostics;
        assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `promptSnippet`?"));
    }
}

mod stages {
    use super::*;

    const LINES: &str = r#"{
  "id": "x",
  "category": "tools",
  "contractVersion": "1.0.0",
  "requiredCoreVersion": ">=1.0.0",
  "configSchema": {"type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer"}}},
  "config": {
    "n": 1
  }
}"#;

    fn changed(changes: &[(&str, &str)]) -> Vec<String> {
        let mut text = LINES.to_owned();
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replacen(from, to, 1);
        }
        match read_bytes(Scope::Project, Category::Tools, "x", text.as_bytes()) {
            Ok(_) => Vec::new(),
            Err(refused) => failure_lines(&refused.failures),
        }
    }

    #[test]
    fn each_has_its_name_pointer_and_line() {
        let cases: &[(&str, &str, &str)] = &[
            ("\"id\": \"x\"", "\"id\": \"\"", "extension/manifest-invalid /id 2"),
            ("\"id\": \"x\"", "\"id\": 7", "extension/shape-invalid /id 2"),
            ("\"id\": \"x\",", "", "extension/shape-invalid  1"),
            ("\"tools\"", "\"tool\"", "extension/shape-invalid /category 3"),
            ("\"tools\"", "\"Tools\"", "extension/shape-invalid /category 3"),
            ("\"tools\"", "null", "extension/shape-invalid /category 3"),
            (
                "\"contractVersion\": \"1.0.0\"",
                "\"contractVersion\": 1",
                "extension/shape-invalid /contractVersion 4",
            ),
            ("\"contractVersion\": \"1.0.0\",", "", "extension/shape-invalid  1"),
            ("\">=1.0.0\"", "\"\"", "extension/core-version /requiredCoreVersion 5"),
            ("\">=1.0.0\"", "[]", "extension/shape-invalid /requiredCoreVersion 5"),
            ("\"1.0.0\"", "\"1.0.1\"", "extension/contract-version /contractVersion 4"),
            ("\"1.0.0\"", "\"1.0\"", "extension/contract-version /contractVersion 4"),
            ("\"1.0.0\"", "\">=1.0.0\"", "extension/contract-version /contractVersion 4"),
            ("\"1.0.0\"", "\"1.0.0-rc1\"", "extension/contract-version /contractVersion 4"),
            (">=1.0.0", ">=1.0.1", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", ">=1.0.0 <1.0.0", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", "^1.0.0", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", "~1.0.0", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", "*", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", "1.x", "extension/core-version /requiredCoreVersion 5"),
            (">=1.0.0", " ", "extension/core-version /requiredCoreVersion 5"),
            ("\"type\": \"object\", ", "", "settings/schema-violation /configSchema 6"),
            ("\"object\"", "\"array\"", "settings/schema-violation /configSchema 6"),
            ("\"additionalProperties\": false, ", "", "settings/schema-violation /configSchema 6"),
            (": false", ": true", "settings/schema-violation /configSchema 6"),
            ("\"integer\"", "\"broken\"", "settings/schema-violation /configSchema/properties/n/type 6"),
            ("\"n\": 1", "\"n\": \"a\"", "settings/schema-violation /n 8"),
            ("\"n\": 1", "\"m\": 1", "settings/schema-violation /m 8"),
            ("{\n    \"n\": 1\n  }", "[]", "extension/shape-invalid /config 7"),
        ];
        assert_eq!(changed(&[]), [""; 0], "as it stands it is sound");
        for (from, to, expected) in cases {
            assert_eq!(changed(&[(from, to)]), [*expected], "{from} → {to}");
        }
    }

    #[test]
    fn a_missing_required_setting_is_reported_at_the_configuration() {
        let to = r#""additionalProperties": false, "required": ["m"]"#;
        let all = changed(&[("\"additionalProperties\": false", to)]);
        assert_eq!(all, ["settings/schema-violation  7"]);
    }

    #[test]
    fn a_schema_that_is_no_object_is_none() {
        for schema in [json!("a"), json!(true), json!([])] {
            let all = refused(read(Category::Tools, &json!({"configSchema": schema})));
            assert_eq!(all, ["settings/schema-violation /configSchema 1"], "{schema}");
        }
        let long = json!({"type": "object", "additionalProperties": false, "title": "x".repeat(256 << 10)});
        assert_eq!(
            refused(read(Category::Tools, &json!({"configSchema": long})))[0].split(' ').next(),
            Some(CONFIG)
        );
    }

    #[test]
    fn without_a_schema_any_configuration_is_sound() {
        let manifest = read(Category::Ui, &json!({"config": {"a": {"b": null}}})).unwrap();
        assert_eq!(Value::from(manifest.config), json!({"a": {"b": null}}));
    }

    #[test]
    fn the_first_stage_that_fails_is_the_last_that_is_looked_at() {
        let id = ("\"id\": \"x\"", "\"id\": \"y\"");
        let shape = ("\"configSchema\"", "\"inputSchema\": 1,\n\"configSchema\"");
        let contract = ("\"1.0.0\"", "\"2.0.0\"");
        let core = (">=1.0.0", "<1.0.0");
        let config = ("\"n\": 1", "\"n\": false");
        let all = [id, shape, contract, core, config];
        for (first, code) in [DISCOVERY, SHAPE, CONTRACT, CORE, CONFIG].into_iter().enumerate() {
            let changes = changed(&all[first..]);
            assert_eq!(changes.len(), 1, "{changes:?}");
            assert!(changes[0].starts_with(&format!("{code} ")), "{changes:?}");
        }
    }

    #[test]
    fn the_first_failure_of_a_stage_is_reported_and_none_of_another() {
        let (id, kind) = (("\"id\": \"x\"", "\"id\": 7"), ("\"tools\"", "\"tols\""));
        assert_eq!(changed(&[id, kind, ("\"1.0.0\"", "\"2.0.0\"")]), ["extension/shape-invalid /category 3"]);
        let elsewhere = ("\"tools\"", "\"hooks\"");
        assert_eq!(
            changed(&[elsewhere, (">=1.0.0", "")]),
            ["extension/manifest-invalid /category 3"],
            "a manifest in the wrong directory fails before its shape"
        );
    }
}

mod place {
    use super::*;

    #[test]
    fn an_id_other_than_its_directory_is_refused_with_its_claim() {
        for id in ["y", "X", "x ", "../x", "..", ".", "a/x", "a\\x", "/x", "x\u{202e}", "x\u{0}", "x\n"] {
            let text = manifest(Category::Tools, id, &json!({})).to_string();
            let error = read_bytes(Scope::Global, Category::Tools, "x", text.as_bytes()).unwrap_err();
            assert_eq!(failure_lines(&error.failures), [format!("{DISCOVERY} /id 1")], "{id:?}");
            assert_eq!(error.claims.as_deref(), Some(id));
            let message = &error.failures[0].message;
            assert!(!message.contains(['\u{202e}', '\n', '\0']), "names are shown escaped: {message:?}");
        }
    }

    #[test]
    fn a_directory_that_cannot_be_an_id_is_refused_though_the_manifest_agrees() {
        for id in ["../x", "..", ".", "a/b", "a\\b", "a\u{202e}b", "a\u{0}", "a\nb"] {
            let text = manifest(Category::Tools, id, &json!({})).to_string();
            let all = refused(read_bytes(Scope::Global, Category::Tools, id, text.as_bytes()));
            assert_eq!(all, [format!("{DISCOVERY} /id 1")], "{id:?}");
        }
        let long = "x".repeat(129);
        let text = manifest(Category::Tools, &long, &json!({})).to_string();
        let all = refused(read_bytes(Scope::Global, Category::Tools, &long, text.as_bytes()));
        assert_eq!(all, [format!("{DISCOVERY} /id 1")]);
    }

    #[test]
    fn ids_are_words() {
        for good in ["x", "pre-tool-audit", "a.b", "a..b", "...", "ä", "日本", "a b", &"x".repeat(128)] {
            assert_eq!(id_fault(good), None, "{good}");
        }
        for (bad, fault) in [
            ("", "is no name"),
            (".", "is no name"),
            ("..", "is no name"),
            ("a/b", "must not contain `/` or `\\`"),
            ("a\\b", "must not contain `/` or `\\`"),
            ("\u{7f}", "must not contain control or hidden characters"),
            ("a\u{200b}", "must not contain control or hidden characters"),
            ("\u{feff}a", "must not contain control or hidden characters"),
            (&"x".repeat(129), "is longer than 128 bytes"),
        ] {
            assert_eq!(id_fault(bad), Some(fault), "{bad:?}");
        }
    }

    #[test]
    fn a_category_other_than_its_directory_is_refused() {
        let text = manifest(Category::Loggers, "x", &json!({})).to_string();
        let all = refused(read_bytes(Scope::Global, Category::Tools, "x", text.as_bytes()));
        assert_eq!(all, [format!("{DISCOVERY} /category 1")]);
    }
}

mod text {
    use super::*;

    #[test]
    fn what_is_no_json_object_is_refused_by_discovery() {
        let good = manifest(Category::Tools, "x", &json!({})).to_string();
        let inside = good.trim_end_matches('}');
        let cases = [
            (String::new(), 1),
            ("[]".to_owned(), 1),
            ("null".to_owned(), 1),
            ("\n\"x\"".to_owned(), 2),
            ("{".to_owned(), 1),
            (format!("{good}\n{good}"), 2),
            (format!("{inside},\n\"id\": \"x\"}}"), 2),
            (format!("{inside},\n\"config\": {{\"a\": 1,\n\"a\": 1}}}}"), 3),
            (format!("{inside},\n\"config\": {}}}", "[".repeat(100_000)), 2),
            (format!("{inside},\n\"config\": {{\"a\": {}{}}}}}", "[".repeat(63), "]".repeat(63)), 2),
            (format!("{inside},\n\"config\": {{\"a\": \"\t\"}}}}"), 2),
        ];
        for (text, line) in cases {
            let error = read_bytes(Scope::Global, Category::Tools, "x", text.as_bytes()).unwrap_err();
            let start: String = text.chars().take(60).collect();
            assert_eq!(error.failures.len(), 1, "{start}");
            assert_eq!(error.failures[0].code.as_str(), DISCOVERY, "{start}");
            let place = error.failures[0].place.as_ref().expect("a place");
            assert_eq!((place.path.as_str(), place.line), ("m.json", Some(line)), "{start}");
            assert_eq!(error.claims, None);
        }
    }

    #[test]
    fn sixty_four_levels_are_read() {
        let deep = format!("{}{}", "[".repeat(62), "]".repeat(62));
        let config = format!("{{\"a\": {deep}}}");
        let text = manifest(Category::Tools, "x", &json!({})).to_string();
        let text = format!("{},\"config\": {config}}}", text.trim_end_matches('}'));
        let manifest = read_bytes(Scope::Global, Category::Tools, "x", text.as_bytes()).expect("it is read");
        assert_eq!(Value::Object(manifest.config).to_string(), config.replace(' ', ""));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        for bytes in [&b"\xff\xfe{\0}\0"[..], b"{\"id\": \"\xc3\x28\"}", &[0; 16]] {
            let error = read_bytes(Scope::Global, Category::Tools, "x", bytes).unwrap_err();
            assert_eq!(error.failures[0].code.as_str(), DISCOVERY);
        }
    }
}

#[test]
fn an_unknown_event_is_reported_in_plain_words() {
    let event = json!({"event": "toolcall", "command": ["a"]});
    let invalid = read(Category::Hooks, &event).expect_err("the event does not exist");
    let diagnostic = &invalid.failures[0];
    assert_eq!(
        diagnostic.message,
        "`event`: unknown variant `toolcall`, expected one of `resources_discover`, `input`, \
         `before_agent_start`, `context`, `tool_call`, `tool_result`"
    );
    assert_eq!(diagnostic.help.as_deref(), Some("did you mean `tool_call`?"));
}
