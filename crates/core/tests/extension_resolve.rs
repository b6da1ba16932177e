//! What is active, from where, hiding what: each rule of docs/concepts/layers.md.

mod extension;

use extension::{
    All, CONFIG, CONTRACT, Checker, DISCOVERY, REGISTER, SHAPE, broken, manifest, of_severity, ordering,
    path, raw, resolved, row, settings, severity_codes, sound, untrusted, with,
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    extension::{
        Category, DiscoveredContent, DiscoveredManifest, EntryOrigin, ExtensionEntry, NoGrants, Scopes,
        Status, resolve,
    },
    scope::Scope::{self, Bundled, Global, Project},
    settings::{MergedSettings, SetBy, SetValue, merge},
};
use serde_json::{Value, json};

const UNORDERED: [Category; 8] = [
    Category::Commands,
    Category::ContextProviders,
    Category::Loggers,
    Category::Providers,
    Category::SessionStores,
    Category::StateMachines,
    Category::Tools,
    Category::Ui,
];

fn origin(scope: Scope, category: Category, id: &str) -> EntryOrigin {
    EntryOrigin { scope, path: path(scope, category, id) }
}

fn nothing() -> MergedSettings {
    MergedSettings::default()
}

/// `scope/name` of each active entry.
fn active(scopes: &Scopes) -> Vec<String> {
    let name = |entry: &ExtensionEntry| format!("{}/{}", entry.origin.scope, entry.name);
    scopes.entries.iter().filter(|entry| entry.active).map(name).collect()
}

fn bash(scope: Scope) -> DiscoveredManifest {
    sound(scope, Category::Tools, "Bash")
}

fn disabling(scope: Scope, directive: bool) -> (Scope, Value) {
    (scope, json!({"tools": {"Bash": {"disable": directive}}}))
}

mod worked_example {
    use super::*;

    fn scopes() -> Scopes {
        let found = vec![
            bash(Bundled),
            sound(Bundled, Category::Tools, "Edit"),
            sound(Bundled, Category::Loggers, "stdout"),
            sound(Bundled, Category::ContextProviders, "repoSummary"),
            sound(Global, Category::Providers, "openai-proxy"),
            sound(Global, Category::Loggers, "fileDebug"),
            sound(Project, Category::Hooks, "pre-tool-audit"),
            bash(Project),
        ];
        let settings = settings(&[(Global, json!({"loggers": {"stdout": {"disable": true}}}))]);
        let rewrite = ordering(Project, &json!({"hooks": {"TOOL_CALL/pre": ["pre-tool-audit"]}}));
        resolve(found, &settings, &[rewrite], &Checker, &NoGrants)
    }

    #[test]
    fn each_row_has_its_origin_and_its_activity() {
        let scopes = scopes();
        let rows: Vec<String> = scopes
            .entries
            .iter()
            .map(|e| {
                let shadows: Vec<&str> = e.shadows.iter().map(|origin| origin.scope.as_str()).collect();
                let by = e.shadowed_by.as_ref().map_or("-", |by| by.scope.as_str());
                let off = e.disabled_by.as_ref().map_or("-", |by| by.scope.as_str());
                let order = e.order.map_or("-".to_owned(), |order| order.to_string());
                format!(
                    "{}:{} {} active={} shadows={shadows:?} by={by} off={off} order={order}",
                    e.value.category, e.name, e.origin.scope, e.active
                )
            })
            .collect();
        assert_eq!(
            rows,
            [
                "contextProviders:repoSummary bundled active=true shadows=[] by=- off=- order=-",
                "hooks:pre-tool-audit project active=true shadows=[] by=- off=- order=0",
                "loggers:fileDebug global active=true shadows=[] by=- off=- order=-",
                "loggers:stdout bundled active=false shadows=[] by=- off=global order=-",
                "providers:openai-proxy global active=true shadows=[] by=- off=- order=-",
                "tools:Bash bundled active=false shadows=[] by=project off=- order=-",
                "tools:Bash project active=true shadows=[\"bundled\"] by=- off=- order=-",
                "tools:Edit bundled active=true shadows=[] by=- off=- order=-",
            ]
        );
    }

    #[test]
    fn the_one_warning_is_that_of_the_ordering() {
        let scopes = scopes();
        let warnings = of_severity(&scopes.diagnostics, Severity::Warning);
        assert_eq!(
            warnings.iter().map(|diagnostic| diagnostic.code.as_str()).collect::<Vec<_>>(),
            ["OrderingRewrite"]
        );
        assert!(of_severity(&scopes.diagnostics, Severity::Error).is_empty());
        assert_eq!(
            severity_codes(&scopes.diagnostics),
            ["info scope/disabled", "info scope/shadows", "warning OrderingRewrite"],
            "hidden and disabled entries are reported without a warning"
        );
        let surface = scopes.startup();
        assert_eq!((surface.loaded_count, surface.disabled_count, surface.error_count), (6, 1, 0));
        assert_eq!(surface.warnings.len(), 1);
        assert_eq!(surface.disabled, ["loggers/stdout"]);
    }

    #[test]
    fn where_it_is_disabled_stands_with_file_and_line() {
        let scopes = scopes();
        let stdout = row(&scopes, Bundled, Category::Loggers, "stdout");
        let by = stdout.disabled_by.as_ref().unwrap();
        assert_eq!((by.scope, by.path.as_str(), by.line), (SetBy::Global, "global/settings.json", Some(1)));
        assert_eq!(stdout.status, Status::Disabled);
    }

    #[test]
    fn the_audit_names_the_rewrite_and_who_is_loaded_from_where() {
        let events = scopes().audit();
        let [AuditEvent::OrderingRewrite(rewrite), AuditEvent::ExtensionSetRevised { loaded, disabled }] =
            events.as_slice()
        else {
            panic!("{events:?}")
        };
        assert_eq!(
            serde_json::to_value(rewrite).unwrap(),
            json!({"slot": "TOOL_CALL/pre", "scope": "project", "previousOrder": ["pre-tool-audit"],
                "newOrder": ["pre-tool-audit"]})
        );
        let loaded: Vec<String> = loaded
            .iter()
            .map(|one| format!("{} {} {} {:?}", one.kind, one.id, one.scope, one.shadows))
            .collect();
        assert_eq!(
            loaded,
            [
                "ContextProvider repoSummary bundled []",
                "Hook pre-tool-audit project []",
                "Logger fileDebug global []",
                "Provider openai-proxy global []",
                "Tool Bash project [Bundled]",
                "Tool Edit bundled []",
            ]
        );
        assert_eq!(disabled, &["loggers/stdout"]);
    }

    #[test]
    fn the_program_of_a_project_waits_for_its_grant() {
        let scopes = scopes();
        assert!(!row(&scopes, Project, Category::Hooks, "pre-tool-audit").runnable);
        assert!(row(&scopes, Global, Category::Loggers, "fileDebug").runnable);
        assert!(row(&scopes, Project, Category::Tools, "Bash").runnable, "a text needs no grant");
    }
}

mod unordered {
    use super::*;

    #[test]
    fn the_highest_layer_of_a_name_wins_in_every_category() {
        for category in UNORDERED {
            for top in 1..=3 {
                let layers = &Scope::ALL[..top];
                let found = layers.iter().map(|scope| sound(*scope, category, "x")).collect();
                let scopes = resolve(found, &nothing(), &[], &Checker, &All);
                let winner = layers[top - 1];
                assert_eq!(active(&scopes), [format!("{winner}/x")], "{category}");
                for scope in &layers[..top - 1] {
                    let hidden = row(&scopes, *scope, category, "x");
                    assert_eq!(hidden.shadowed_by, Some(origin(winner, category, "x")));
                    assert_eq!((hidden.status, hidden.shadows.as_slice()), (Status::Ok, &[][..]));
                    assert!(!hidden.runnable);
                }
                let nearest_first: Vec<EntryOrigin> =
                    layers[..top - 1].iter().rev().map(|scope| origin(*scope, category, "x")).collect();
                let winner = row(&scopes, winner, category, "x");
                assert_eq!((&winner.shadows, &winner.shadowed_by), (&nearest_first, &None));
            }
        }
    }

    #[test]
    fn the_drawing_of_the_seed() {
        let tools = |scope, names: &[&str]| {
            names.iter().map(|name| sound(scope, Category::Tools, name)).collect::<Vec<_>>()
        };
        let found =
            [tools(Bundled, &["X", "Y", "Z"]), tools(Global, &["X", "W"]), tools(Project, &["X", "V"])];
        let scopes = resolved(found.concat(), &nothing());
        assert_eq!(active(&scopes), ["project/V", "global/W", "project/X", "bundled/Y", "bundled/Z"]);
    }

    #[test]
    fn one_name_in_two_categories_is_two_things() {
        let found = vec![sound(Bundled, Category::Tools, "e"), sound(Project, Category::Loggers, "e")];
        let settings = settings(&[(Project, json!({"tools": {"e": {"disable": true}}}))]);
        assert_eq!(active(&resolved(found, &settings)), ["project/e"]);
    }

    #[test]
    fn names_differ_by_case() {
        let found = vec![sound(Bundled, Category::Tools, "Bash"), sound(Project, Category::Tools, "bash")];
        assert_eq!(active(&resolved(found, &nothing())), ["bundled/Bash", "project/bash"]);
    }

    #[test]
    fn disable_removes_what_is_inherited_without_replacing_it() {
        /// The layers that ship it, who disables it, what is active, and why.
        type Case = (&'static [Scope], &'static [(Scope, bool)], &'static [&'static str], &'static str);
        let cases: &[Case] = &[
            (&[Bundled], &[(Global, true)], &[], "global removes the bundled one"),
            (&[Bundled], &[(Project, true)], &[], "project removes the bundled one"),
            (&[Global], &[(Project, true)], &[], "project removes the global one"),
            (&[Bundled, Global], &[(Project, true)], &[], "and what that hid does not come back"),
            (
                &[Bundled],
                &[(Global, true), (Project, false)],
                &["bundled/Bash"],
                "a later layer takes it back",
            ),
            (
                &[Bundled],
                &[(Global, false), (Project, true)],
                &[],
                "a later layer sets it for the first time",
            ),
            (&[Bundled], &[(Global, false)], &["bundled/Bash"], "`false` changes nothing"),
            (&[Bundled, Global], &[(Global, true)], &["global/Bash"], "its own entry stays"),
            (&[Bundled, Project], &[(Project, true)], &["project/Bash"], "its own entry stays"),
            (&[Global], &[(Global, true)], &["global/Bash"], "also where it is alone"),
            (&[Project], &[(Global, true)], &["project/Bash"], "nobody disables what lies above"),
            (&[Bundled, Project], &[(Global, true)], &["project/Bash"], "nor brings it down"),
        ];
        for (layers, directives, expected, why) in cases {
            let directives: Vec<_> =
                directives.iter().map(|(scope, directive)| disabling(*scope, *directive)).collect();
            let scopes = resolved(layers.iter().map(|scope| bash(*scope)).collect(), &settings(&directives));
            assert_eq!(&active(&scopes), expected, "{why}");
            assert!(of_severity(&scopes.diagnostics, Severity::Error).is_empty(), "{why}");
        }
    }

    #[test]
    fn a_disabled_entry_has_the_layer_that_disabled_it() {
        let scopes = resolved(vec![bash(Bundled), bash(Global)], &settings(&[disabling(Project, true)]));
        for scope in [Bundled, Global] {
            let row = row(&scopes, scope, Category::Tools, "Bash");
            assert_eq!(row.disabled_by.as_ref().map(|by| by.scope), Some(SetBy::Project), "{scope}");
            assert_eq!(row.status, Status::Disabled);
        }
        assert_eq!(severity_codes(&scopes.diagnostics), ["info scope/disabled"]);
    }

    #[test]
    fn the_caller_disables_any_layer() {
        let set: SetValue = SetValue::parse("tools.Bash.disable=true").unwrap();
        let caller = merge(vec![set.into_layer()], &mut Vec::new());
        let scopes = resolved(Scope::ALL.map(bash).to_vec(), &caller);
        assert_eq!(active(&scopes), [""; 0]);
        let row = row(&scopes, Project, Category::Tools, "Bash");
        assert_eq!(row.disabled_by.as_ref().map(|by| by.scope), Some(SetBy::Caller));
    }

    #[test]
    fn a_built_in_one_is_disabled_like_any_other() {
        let what = DiscoveredContent::Builtin { about: "system.md".to_owned() };
        let id = "SystemPromptFile".to_owned();
        let found = DiscoveredManifest {
            scope: Bundled,
            category: Category::ContextProviders,
            path: "bundled".into(),
            id,
            what,
        };
        let off = settings(&[(Global, json!({"contextProviders": {"SystemPromptFile": {"disable": true}}}))]);
        assert_eq!(active(&resolved(vec![found.clone()], &nothing())), ["bundled/SystemPromptFile"]);
        assert_eq!(active(&resolved(vec![found], &off)), [""; 0]);
    }

    #[test]
    fn disabling_what_nobody_has_is_a_note_and_no_error() {
        let scopes = resolved(
            vec![bash(Bundled)],
            &settings(&[(Global, json!({"tools": {"Bahs": {"disable": true}}}))]),
        );
        assert_eq!(active(&scopes), ["bundled/Bash"]);
        assert_eq!(severity_codes(&scopes.diagnostics), ["warning scope/unknown"]);
        let diagnostic = &scopes.diagnostics[0];
        assert_eq!(diagnostic.help.as_deref(), Some("did you mean `Bash`?"));
        assert_eq!(diagnostic.place.as_ref().and_then(|place| place.line), Some(1));
    }

    #[test]
    fn configuring_an_entry_of_a_host_reports_nothing() {
        let scopes =
            resolved(vec![bash(Bundled)], &settings(&[(Global, json!({"tools": {"Weather": {"k": 1}}}))]));
        assert_eq!(severity_codes(&scopes.diagnostics), [""; 0]);
    }
}

mod fallback {
    use super::*;

    fn failure(scopes: &Scopes, scope: Scope) -> String {
        let row = row(scopes, scope, Category::Tools, "Bash");
        assert!(!row.active && !row.runnable);
        assert_eq!(row.status, Status::Disabled);
        assert!(row.value.ability.is_none(), "nobody may use what failed");
        severity_codes(&row.diagnostics).concat()
    }

    fn bad() -> Vec<(&'static str, Value)> {
        let schema = json!({"type": "object", "additionalProperties": false});
        vec![
            (DISCOVERY, json!({"id": "bash"})),
            (SHAPE, json!({"description": 1})),
            (CONTRACT, json!({"contractVersion": "2.0.0"})),
            ("extension/core-version", json!({"requiredCoreVersion": ">1.0.0"})),
            (CONFIG, json!({"configSchema": schema, "config": {"k": 1}})),
        ]
    }

    #[test]
    fn whatever_is_wrong_with_an_override_the_entry_below_stays_and_it_is_a_warning() {
        for (code, more) in bad() {
            for (below, above) in [(Bundled, Global), (Bundled, Project), (Global, Project)] {
                let scopes =
                    resolved(vec![bash(below), with(above, Category::Tools, "Bash", &more)], &nothing());
                assert_eq!(active(&scopes), [format!("{below}/Bash")], "{code}");
                assert_eq!(failure(&scopes, above), format!("warning {code}"));
                let stays = row(&scopes, below, Category::Tools, "Bash");
                assert_eq!(stays.fallback_from, Some(origin(above, Category::Tools, "Bash")));
                assert_eq!((&stays.shadowed_by, stays.status), (&None, Status::Ok));
                let surface = scopes.startup();
                assert_eq!((surface.loaded_count, surface.disabled_count, surface.error_count), (1, 1, 0));
                assert_eq!(surface.warnings.len(), 1, "{code}");
                assert_eq!(surface.disabled, ["tools/Bash"]);
            }
        }
    }

    #[test]
    fn with_nothing_below_it_is_disabled_and_an_error() {
        for (code, more) in bad() {
            for scope in Scope::ALL {
                let scopes = resolved(vec![with(scope, Category::Tools, "Bash", &more)], &nothing());
                assert_eq!(failure(&scopes, scope), format!("error {code}"));
                let surface = scopes.startup();
                assert_eq!((surface.loaded_count, surface.disabled_count, surface.error_count), (0, 1, 1));
                assert!(surface.warnings.is_empty());
            }
        }
    }

    #[test]
    fn a_note_names_layer_id_kind_and_file() {
        let scopes = resolved(vec![bash(Global), broken(Project, Category::Tools, "Bash")], &nothing());
        let diagnostic = &scopes.diagnostics[0];
        assert!(
            diagnostic.message.starts_with("project/Bash (Tool): it is written for contract"),
            "{}",
            diagnostic.message
        );
        assert!(diagnostic.message.ends_with("; the global one stays"), "{}", diagnostic.message);
        let missing = raw(Project, Category::Tools, "Bash", r#"{"id": "Bash", "category": "tools"}"#);
        for diagnostic in resolved(vec![missing], &nothing()).diagnostics {
            let place = diagnostic.place.expect("also what is missing has a file");
            assert_eq!(place.path, path(Project, Category::Tools, "Bash"));
        }
    }

    #[test]
    fn a_broken_one_in_the_middle_is_a_warning_where_a_valid_one_is_below() {
        let found = vec![bash(Bundled), broken(Global, Category::Tools, "Bash"), bash(Project)];
        let scopes = resolved(found, &nothing());
        assert_eq!(active(&scopes), ["project/Bash"]);
        assert_eq!(failure(&scopes, Global), format!("warning {CONTRACT}"));
        let project = row(&scopes, Project, Category::Tools, "Bash");
        assert_eq!(
            project.shadows,
            [origin(Bundled, Category::Tools, "Bash")],
            "the broken one is not hidden, it is none"
        );
        assert_eq!(project.fallback_from, None);
    }

    #[test]
    fn two_broken_overrides_leave_the_bundled_one() {
        let found = vec![
            bash(Bundled),
            broken(Global, Category::Tools, "Bash"),
            broken(Project, Category::Tools, "Bash"),
        ];
        let scopes = resolved(found, &nothing());
        assert_eq!(active(&scopes), ["bundled/Bash"]);
        assert_eq!(
            severity_codes(&scopes.diagnostics),
            [format!("warning {CONTRACT}"), format!("warning {CONTRACT}")]
        );
    }

    #[test]
    fn nothing_stays_where_what_is_below_is_off() {
        let found = vec![bash(Bundled), broken(Project, Category::Tools, "Bash")];
        let scopes = resolved(found, &settings(&[disabling(Global, true)]));
        assert_eq!(active(&scopes), [""; 0]);
        assert_eq!(failure(&scopes, Project), format!("error {CONTRACT}"));
    }

    #[test]
    fn a_broken_one_does_not_hurt_its_neighbours() {
        let found =
            vec![raw(Project, Category::Tools, "a", "{"), bash(Project), raw(Project, Category::Ui, "b", "")];
        let scopes = resolved(found, &nothing());
        assert_eq!(active(&scopes), ["project/Bash"]);
        assert_eq!(scopes.startup().error_count, 2);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_broken_one() {
        let unreadable = Diagnostic::error(DiagnosticCode::DiscoveryManifestInvalid, "it is a directory");
        let what = DiscoveredContent::Unreadable(unreadable);
        let found = DiscoveredManifest { what, ..bash(Project) };
        let scopes = resolved(vec![bash(Bundled), found], &nothing());
        assert_eq!(active(&scopes), ["bundled/Bash"]);
        assert_eq!(failure(&scopes, Project), format!("warning {DISCOVERY}"));
    }

    #[test]
    fn one_that_waits_for_trust_hides_nothing_and_did_not_fail() {
        let scopes = resolved(vec![bash(Bundled), untrusted(Project, Category::Tools, "Bash")], &nothing());
        assert_eq!(active(&scopes), ["bundled/Bash"]);
        assert_eq!(row(&scopes, Bundled, Category::Tools, "Bash").fallback_from, None, "nothing is broken");
        let waiting = row(&scopes, Project, Category::Tools, "Bash");
        assert_eq!((waiting.status, waiting.active), (Status::Untrusted, false));
        assert_eq!(scopes.startup().disabled_count, 0);
    }
}

mod one_layer {
    use super::*;

    fn command(scope: Scope, id: &str, name: &str) -> DiscoveredManifest {
        with(scope, Category::Commands, id, &json!({"description": "Does it.", "name": name}))
    }

    #[test]
    fn the_id_of_a_neighbour_is_a_conflict() {
        for first in [true, false] {
            let thief =
                raw(Global, Category::Tools, "z", &manifest(Category::Tools, "Bash", &json!({})).to_string());
            let found = if first { vec![thief, bash(Global)] } else { vec![bash(Global), thief] };
            let scopes = resolved(found, &nothing());
            assert_eq!(active(&scopes), ["global/Bash"]);
            let row = row(&scopes, Global, Category::Tools, "z");
            assert_eq!(severity_codes(&row.diagnostics), [format!("error {REGISTER}")]);
        }
    }

    #[test]
    fn of_two_that_claim_one_id_the_second_by_name_is_the_conflict() {
        let claim = |id: &str| {
            raw(Global, Category::Tools, id, &manifest(Category::Tools, "c", &json!({})).to_string())
        };
        for found in [vec![claim("a"), claim("b")], vec![claim("b"), claim("a")]] {
            let scopes = resolved(found, &nothing());
            let codes = |id| severity_codes(&row(&scopes, Global, Category::Tools, id).diagnostics);
            assert_eq!(codes("a"), [format!("error {DISCOVERY}")]);
            assert_eq!(codes("b"), [format!("error {REGISTER}")]);
        }
    }

    #[test]
    fn another_layer_or_category_is_no_conflict() {
        let claim =
            raw(Global, Category::Tools, "z", &manifest(Category::Tools, "Bash", &json!({})).to_string());
        let scopes = resolved(vec![bash(Bundled), sound(Global, Category::Ui, "Bash"), claim], &nothing());
        assert_eq!(
            severity_codes(&row(&scopes, Global, Category::Tools, "z").diagnostics),
            [format!("error {DISCOVERY}")]
        );
        assert_eq!(active(&scopes), ["bundled/Bash", "global/Bash"]);
    }

    #[test]
    fn of_two_commands_of_one_name_the_first_by_id_is_kept() {
        for found in [
            vec![command(Global, "a", "go"), command(Global, "b", "go")],
            vec![command(Global, "b", "go"), command(Global, "a", "go")],
            vec![command(Global, "b", "a"), sound(Global, Category::Commands, "a")],
        ] {
            let scopes = resolved(found, &nothing());
            assert_eq!(active(&scopes), ["global/a"]);
            assert_eq!(
                severity_codes(&row(&scopes, Global, Category::Commands, "b").diagnostics),
                [format!("error {REGISTER}")]
            );
        }
        let scopes = resolved(vec![command(Global, "a", "go"), command(Global, "b", "Go")], &nothing());
        assert_eq!(active(&scopes), ["global/a", "global/b"], "names differ by case");
    }

    #[test]
    fn one_id_twice_keeps_the_first_by_path_and_the_other_has_nothing_to_fall_back_to() {
        let other = DiscoveredManifest { path: "elsewhere".to_owned(), ..bash(Global) };
        for found in [vec![other.clone(), bash(Global)], vec![bash(Global), other]] {
            let scopes = resolved(found, &nothing());
            let rows: Vec<String> = scopes
                .entries
                .iter()
                .map(|e| {
                    format!(
                        "{} {} {:?} {:?}",
                        e.origin.path,
                        e.active,
                        severity_codes(&e.diagnostics),
                        e.fallback_from
                    )
                })
                .collect();
            assert_eq!(
                rows,
                [
                    format!("{} false [\"error {REGISTER}\"] None", path(Global, Category::Tools, "Bash")),
                    "elsewhere true [] None".to_owned(),
                ]
            );
        }
    }
}

mod hooks {
    use super::*;

    fn order(scopes: &Scopes) -> Vec<String> {
        let mut hooks: Vec<&ExtensionEntry> =
            scopes.of(Category::Hooks).filter(|hook| hook.order.is_some()).collect();
        hooks.sort_by_key(|hook| (hook.slot, hook.order));
        hooks.iter().map(|hook| format!("{}/{}", hook.origin.scope, hook.name)).collect()
    }

    fn hook(scope: Scope, id: &str) -> DiscoveredManifest {
        sound(scope, Category::Hooks, id)
    }

    #[test]
    fn those_of_one_name_in_several_layers_all_run() {
        let scopes = resolved(Scope::ALL.map(|scope| hook(scope, "h")).to_vec(), &nothing());
        assert_eq!(order(&scopes), ["bundled/h", "global/h", "project/h"]);
        for scope in Scope::ALL {
            let row = row(&scopes, scope, Category::Hooks, "h");
            assert!(row.active && row.shadows.is_empty() && row.shadowed_by.is_none(), "{scope}");
        }
        assert_eq!(severity_codes(&scopes.diagnostics), [""; 0]);
    }

    #[test]
    fn they_run_bundled_global_project_each_by_id() {
        let found = vec![
            hook(Project, "a"),
            hook(Global, "b"),
            hook(Global, "B"),
            hook(Bundled, "z"),
            hook(Bundled, "c"),
        ];
        let scopes = resolved(found, &nothing());
        assert_eq!(order(&scopes), ["bundled/c", "bundled/z", "global/B", "global/b", "project/a"]);
    }

    #[test]
    fn each_slot_counts_for_itself() {
        let post = |scope, id| {
            with(scope, Category::Hooks, id, &json!({"slot": "TOOL_CALL/post", "command": ["a"]}))
        };
        let scopes = resolved(vec![post(Bundled, "a"), hook(Bundled, "b"), post(Global, "c")], &nothing());
        let orders: Vec<_> = scopes.entries.iter().map(|e| (e.name.as_str(), e.order)).collect();
        assert_eq!(orders, [("a", Some(0)), ("b", Some(0)), ("c", Some(1))]);
    }

    #[test]
    fn one_that_is_off_broken_or_without_a_slot_has_no_place() {
        let found = vec![
            hook(Bundled, "off"),
            broken(Global, Category::Hooks, "h"),
            hook(Project, "h"),
            with(Project, Category::Hooks, "unfinished", &json!({"command": ["a"]})),
        ];
        let off = settings(&[(Global, json!({"hooks": {"off": {"disable": true}}}))]);
        let scopes = resolved(found, &off);
        assert_eq!(order(&scopes), ["project/h"]);
        let unfinished = row(&scopes, Project, Category::Hooks, "unfinished");
        assert_eq!((unfinished.active, unfinished.runnable, unfinished.order), (true, false, None));
        assert_eq!(severity_codes(&unfinished.diagnostics), ["warning extension/incomplete"]);
    }

    #[test]
    fn a_broken_one_is_a_warning_where_one_of_its_name_runs_below() {
        let found = vec![hook(Bundled, "h"), broken(Global, Category::Hooks, "h"), hook(Project, "h")];
        let scopes = resolved(found, &nothing());
        assert_eq!(order(&scopes), ["bundled/h", "project/h"]);
        let failed = row(&scopes, Global, Category::Hooks, "h");
        assert_eq!(severity_codes(&failed.diagnostics), [format!("warning {CONTRACT}")]);
        assert_eq!(scopes.startup().error_count, 0);
    }

    #[test]
    fn a_layer_disables_those_of_the_layers_below() {
        let off = settings(&[(Global, json!({"hooks": {"h": {"disable": true}}}))]);
        let scopes = resolved(Scope::ALL.map(|scope| hook(scope, "h")).to_vec(), &off);
        assert_eq!(order(&scopes), ["global/h", "project/h"]);
        assert_eq!(
            row(&scopes, Bundled, Category::Hooks, "h").disabled_by.as_ref().map(|by| by.scope),
            Some(SetBy::Global)
        );
    }

    #[test]
    fn a_list_moves_all_of_one_name() {
        let found = vec![hook(Bundled, "a"), hook(Bundled, "h"), hook(Global, "h"), hook(Project, "b")];
        let list = ordering(Project, &json!({"hooks": {"TOOL_CALL/pre": ["b", "h"]}}));
        let scopes = resolve(found, &nothing(), &[list], &Checker, &NoGrants);
        assert_eq!(order(&scopes), ["project/b", "bundled/h", "global/h", "bundled/a"]);
    }
}

mod config {
    use super::*;

    fn retrying(scope: Scope, config: &Value) -> DiscoveredManifest {
        let schema = json!({"type": "object", "additionalProperties": false, "maxProperties": 2, "properties": {
            "retries": {"type": "integer"}, "shell": {"type": "string"}, "env": {"type": "object"}}});
        with(
            scope,
            Category::Tools,
            "Bash",
            &json!({"description": "a", "configSchema": schema, "config": config}),
        )
    }

    fn bash_config(scope: Scope, config: Value) -> (Scope, Value) {
        (scope, json!({"tools": {"Bash": config}}))
    }

    fn configured(found: Vec<DiscoveredManifest>, layers: &[(Scope, Value)]) -> (Value, SetBy, Vec<String>) {
        let scopes = resolved(found, &settings(layers));
        let entry = scopes.active(Category::Tools, "Bash").expect("one is active");
        let diagnostics = scopes
            .diagnostics
            .iter()
            .map(|diagnostic| format!("{} {}", diagnostic.code, diagnostic.message))
            .collect();
        (Value::from(entry.value.config.clone()), entry.config_scope, diagnostics)
    }

    #[test]
    fn the_highest_layer_that_has_the_key_wins() {
        let layers = [
            bash_config(Bundled, json!({"retries": 1})),
            bash_config(Global, json!({"retries": 2, "shell": "sh"})),
            bash_config(Project, json!({"retries": 3})),
        ];
        for (count, expected, by) in [
            (0, json!({"retries": 0}), SetBy::Bundled),
            (1, json!({"retries": 1}), SetBy::Bundled),
            (2, json!({"retries": 2, "shell": "sh"}), SetBy::Global),
            (3, json!({"retries": 3, "shell": "sh"}), SetBy::Project),
        ] {
            let (config, set_by, diagnostics) =
                configured(vec![retrying(Bundled, &json!({"retries": 0}))], &layers[..count]);
            assert_eq!((config, set_by, diagnostics), (expected, by, Vec::new()));
        }
    }

    #[test]
    fn the_directive_is_no_setting() {
        let (config, by, diagnostics) = configured(
            vec![retrying(Bundled, &json!({}))],
            &[bash_config(Global, json!({"disable": false}))],
        );
        assert_eq!((config, by, diagnostics), (json!({}), SetBy::Bundled, Vec::new()));
    }

    #[test]
    fn a_value_that_does_not_fit_falls_back_to_the_next_layer_that_has_the_key() {
        let bad = |scope| bash_config(scope, json!({"retries": "many"}));
        let good = |scope, n: i64| bash_config(scope, json!({"retries": n}));
        let shell = |scope| bash_config(scope, json!({"shell": "sh"}));
        /// The layers, the value that counts, and who fell back to whom.
        type Case = (Vec<(Scope, Value)>, i64, &'static [&'static str]);
        let cases: Vec<Case> = vec![
            (vec![good(Global, 2), bad(Project)], 2, &["project global"]),
            (vec![bad(Project)], 0, &["project bundled"]),
            (vec![bad(Global)], 0, &["global bundled"]),
            (vec![bad(Global), good(Project, 3)], 3, &["global bundled"]),
            (vec![bad(Global), bad(Project)], 0, &["global bundled", "project bundled"]),
            (vec![shell(Global), bad(Project)], 0, &["project bundled"]),
        ];
        for (layers, retries, fallbacks) in cases {
            let (config, _, diagnostics) =
                configured(vec![retrying(Bundled, &json!({"retries": 0}))], &layers);
            assert_eq!(config["retries"], retries, "{layers:?}");
            let expected: Vec<String> = fallbacks
                .iter()
                .map(|pair| {
                    let (from, to) = pair.split_once(' ').unwrap();
                    format!(
                        "{CONFIG} {from}-scope override failed validation (it must be of type integer at /retries); \
                         retaining {to} value"
                    )
                })
                .collect();
            assert_eq!(diagnostics, expected, "{layers:?}");
        }
    }

    #[test]
    fn a_dropped_value_is_a_warning_at_its_place_and_does_not_hurt_its_neighbours() {
        let layers = [bash_config(Project, json!({"retries": null, "shell": "sh"}))];
        let scopes = resolved(vec![retrying(Bundled, &json!({"retries": 0}))], &settings(&layers));
        assert_eq!(
            severity_codes(&scopes.diagnostics),
            [format!("warning {CONFIG}")],
            "`null` counts as present"
        );
        let place = scopes.diagnostics[0].place.as_ref().unwrap();
        assert_eq!((place.path.as_str(), place.line), ("project/settings.json", Some(1)));
        let entry = scopes.active(Category::Tools, "Bash").unwrap();
        assert_eq!(Value::from(entry.value.config.clone()), json!({"retries": 0, "shell": "sh"}));
    }

    #[test]
    fn a_key_that_is_not_declared_stays_out() {
        for scope in Scope::ALL {
            let (config, by, diagnostics) =
                configured(vec![retrying(Bundled, &json!({}))], &[bash_config(scope, json!({"retrys": 1}))]);
            assert_eq!((config, by), (json!({}), SetBy::Bundled));
            assert_eq!(
                diagnostics,
                ["extension/unknown-config-key bundled/Bash (Tool) has no setting `retrys`"]
            );
        }
    }

    #[test]
    fn undeclared_keys_and_unknown_names_are_reported_up_to_a_limit() {
        let many: serde_json::Map<String, Value> =
            (0..50).map(|at| (format!("k{at}"), json!({"disable": true}))).collect();
        let (_, _, diagnostics) = configured(
            vec![retrying(Bundled, &json!({}))],
            &[bash_config(Global, Value::from(many.clone()))],
        );
        assert_eq!(diagnostics.len(), 21);
        assert!(diagnostics[20].contains("30 more settings"), "{}", diagnostics[20]);
        let scopes = resolved(vec![bash(Bundled)], &settings(&[(Global, json!({"tools": many}))]));
        assert_eq!(scopes.diagnostics.len(), 21);
    }

    #[test]
    fn without_a_schema_what_the_manifest_configures_may_be_set() {
        let found =
            with(Bundled, Category::Tools, "Bash", &json!({"description": "a", "config": {"any": 1}}));
        let (config, by, diagnostics) =
            configured(vec![found.clone()], &[bash_config(Global, json!({"any": null}))]);
        assert_eq!((config, by, diagnostics), (json!({"any": null}), SetBy::Global, Vec::new()));
        let (config, by, diagnostics) =
            configured(vec![found], &[bash_config(Global, json!({"disabled": true, "description": "b"}))]);
        assert_eq!((config, by), (json!({"any": 1}), SetBy::Bundled));
        assert_eq!(
            diagnostics,
            [
                "extension/unknown-config-key bundled/Bash (Tool) has no setting `disabled`",
                "extension/unknown-config-key bundled/Bash (Tool) has no setting `description`",
            ]
        );
    }

    #[test]
    fn objects_are_merged_deeply_as_all_settings_are() {
        let layers = [
            bash_config(Global, json!({"env": {"A": {"x": 1}, "B": 2}})),
            bash_config(Project, json!({"env": {"A": {"y": 3}, "B": 4}})),
        ];
        let expected = json!({"env": {"0": 0, "A": {"x": 1, "y": 3}, "B": 4}});
        for found in [
            retrying(Bundled, &json!({"env": {"0": 0}})),
            with(Bundled, Category::Tools, "Bash", &json!({"description": "a", "config": {"env": {"0": 0}}})),
        ] {
            assert_eq!(configured(vec![found], &layers).0, expected);
        }
    }

    #[test]
    fn a_provider_is_replaced_whole_by_a_later_layer() {
        let found = with(Bundled, Category::Providers, "p", &json!({"config": {"own": 0}}));
        let provider_config = |scope, config: Value| (scope, json!({"providers": {"p": config}}));
        let layers = [provider_config(Global, json!({"a": 1})), provider_config(Project, json!({"b": 2}))];
        let scopes = resolved(vec![found], &settings(&layers));
        let entry = scopes.active(Category::Providers, "p").unwrap();
        assert_eq!(Value::from(entry.value.config.clone()), json!({"own": 0, "b": 2}));
    }

    #[test]
    fn several_values_of_the_caller_all_count() {
        let set = |text: &str| SetValue::parse(text).unwrap().into_layer();
        let caller =
            merge(vec![set("tools.Bash.retries=1"), set("tools.Bash.shell=\"sh\"")], &mut Vec::new());
        let scopes = resolved(vec![retrying(Bundled, &json!({}))], &caller);
        let entry = scopes.active(Category::Tools, "Bash").unwrap();
        assert_eq!(Value::from(entry.value.config.clone()), json!({"retries": 1, "shell": "sh"}));
        assert_eq!(entry.config_scope, SetBy::Caller);
    }

    #[test]
    fn a_config_that_fits_key_by_key_and_not_as_a_whole_is_reported_at_any_layer() {
        // `maxProperties` is no fault of one key.
        let all = json!({"retries": 1, "shell": "sh", "env": {}});
        for scope in [Bundled, Project] {
            for by in [Global, Project] {
                let scopes =
                    resolved(vec![retrying(scope, &json!({}))], &settings(&[bash_config(by, all.clone())]));
                assert!(scopes.active(Category::Tools, "Bash").is_none(), "{scope} {by}");
                assert_eq!(severity_codes(&scopes.diagnostics), [format!("error {CONFIG}")], "{scope} {by}");
                assert!(scopes.diagnostics[0].place.is_some());
            }
        }
    }

    #[test]
    fn settings_for_an_override_do_not_break_what_it_hides() {
        let config = json!({"retries": 0, "shell": "", "env": {}, "more": 0});
        let open = with(Project, Category::Tools, "Bash", &json!({"description": "a", "config": config}));
        let layers = [bash_config(Project, json!({"retries": 1, "shell": "sh", "env": {}, "more": 1}))];
        let scopes = resolved(vec![retrying(Bundled, &json!({})), open], &settings(&layers));
        assert_eq!(active(&scopes), ["project/Bash"]);
        assert_eq!(severity_codes(&scopes.diagnostics), ["info scope/shadows"]);
        assert_eq!(row(&scopes, Bundled, Category::Tools, "Bash").status, Status::Ok);
    }
}

mod listing {
    use super::*;

    #[test]
    fn a_row_has_all_keys_and_nothing_that_no_listing_may_show() {
        let found =
            with(Bundled, Category::Tools, "Bash", &json!({"description": "a", "config": {"token": "hush"}}));
        let scopes = resolved(vec![found], &nothing());
        let row = serde_json::to_value(&scopes.entries[0]).unwrap();
        let keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        for key in [
            "active",
            "runnable",
            "shadows",
            "shadowed_by",
            "disabled_by",
            "fallback_from",
            "order",
            "slot",
            "config_scope",
            "status",
        ] {
            assert!(keys.contains(&key), "{key}");
        }
        assert!(!row.to_string().contains("hush"));
    }

    #[test]
    fn entries_are_counted_once() {
        let found = vec![
            bash(Bundled),
            bash(Global),
            with(Project, Category::Tools, "Bash", &json!({"id": "", "description": 1, "promptSnippet": 2})),
            sound(Bundled, Category::Loggers, "off"),
            broken(Project, Category::Ui, "alone"),
            untrusted(Project, Category::Hooks, "waits"),
            sound(Project, Category::Commands, "go"),
        ];
        let off = settings(&[(Global, json!({"loggers": {"off": {"disable": true}}}))]);
        let surface = resolved(found, &off).startup();
        assert_eq!((surface.loaded_count, surface.disabled_count, surface.error_count), (2, 3, 1));
        assert_eq!(surface.disabled, ["loggers/off", "tools/Bash", "ui/alone"]);
    }

    #[test]
    fn without_a_user_or_a_project_there_is_nothing_for_the_log() {
        assert_eq!(resolved(vec![bash(Bundled)], &nothing()).audit(), []);
        assert_eq!(resolved(vec![bash(Bundled)], &settings(&[disabling(Global, true)])).audit().len(), 1);
    }

    #[test]
    fn an_active_entry_is_found_by_its_name() {
        let scopes =
            resolved(vec![bash(Bundled), bash(Project), sound(Global, Category::Ui, "Bash")], &nothing());
        let found = scopes.active(Category::Tools, "Bash").unwrap();
        assert_eq!(found.origin.scope, Project);
        assert!(scopes.active(Category::Tools, "bash").is_none());
        assert_eq!(scopes.named(Category::Tools, "Bash").count(), 2);
    }
}
