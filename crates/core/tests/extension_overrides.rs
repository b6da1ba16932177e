//! An override replaces what it can do the job of: what is incomplete, not granted or switched off leaves the lower layer's
//! entry in use.

mod extension;

use extension::{All, Checker, complete, of_severity, resolved, row, settings, severity_codes, sound, with};
use preface_core::{
    diagnostic::Severity,
    extension::{
        Category, DiscoveredManifest, ExtensionEntry, IgnoredSetting, NAMED, PrivilegedAction, Scopes,
        Status, resolve,
    },
    scope::Scope::{self, Bundled, Global, Project},
    settings::{MergedSettings, SetBy, SetValue, ValueOutcome, merge, parse},
};
use serde_json::{Value, json};

fn granted(found: Vec<DiscoveredManifest>, settings: &MergedSettings) -> Scopes {
    resolve(found, settings, &[], &Checker, &All)
}

fn nothing() -> MergedSettings {
    settings(&[])
}

fn active(scopes: &Scopes) -> Vec<String> {
    let active = scopes.entries.iter().filter(|entry| entry.active);
    active.map(|entry| format!("{}/{}", entry.origin.scope, entry.name)).collect()
}

/// The categories whose manifests need more than the four keys of every manifest.
const NEEDY: [Category; 6] = [
    Category::Commands,
    Category::ContextProviders,
    Category::Loggers,
    Category::Providers,
    Category::SessionStores,
    Category::Tools,
];

#[test]
fn an_incomplete_override_leaves_the_complete_entry_below_it() {
    for category in NEEDY {
        for upper in [Global, Project] {
            let found = vec![sound(Bundled, category, "x"), with(upper, category, "x", &json!({}))];
            let scopes = granted(found, &nothing());
            assert_eq!(active(&scopes), ["bundled/x"], "{category} {upper}");
            let above = row(&scopes, upper, category, "x");
            assert_eq!(above.status, Status::Disabled);
            assert_eq!(severity_codes(&above.diagnostics), ["warning extension/incomplete"], "{category}");
            assert!(above.diagnostics[0].message.ends_with("; the bundled one stays"), "{category}");
            let below = row(&scopes, Bundled, category, "x");
            assert_eq!(below.fallback_from.as_ref(), Some(&above.origin), "{category}");
            assert!(below.runnable, "{category}");
        }
    }
}

#[test]
fn an_incomplete_entry_is_reported_also_where_a_stronger_one_hides_it() {
    let middle = with(Global, Category::Tools, "x", &json!({}));
    let scopes = resolved(
        vec![sound(Bundled, Category::Tools, "x"), middle, sound(Project, Category::Tools, "x")],
        &nothing(),
    );
    assert_eq!(active(&scopes), ["project/x"]);
    let codes = severity_codes(&row(&scopes, Global, Category::Tools, "x").diagnostics);
    assert_eq!(codes, ["warning extension/incomplete"]);
}

#[test]
fn a_blank_description_is_none() {
    let blank = with(Global, Category::Tools, "bash", &json!({"description": " \n"}));
    let scopes = resolved(vec![sound(Bundled, Category::Tools, "bash"), blank], &nothing());
    assert_eq!(active(&scopes), ["bundled/bash"]);
}

#[test]
fn with_nothing_that_can_be_used_below_an_incomplete_one_stays_active() {
    let bare = |scope| with(scope, Category::Tools, "x", &json!({}));
    let off = settings(&[(Global, json!({"tools": {"x": {"disable": true}}}))]);
    let cases = [
        (vec![bare(Project)], nothing(), "nothing is below"),
        (vec![bare(Global), bare(Project)], nothing(), "what is below is incomplete, too"),
        (vec![sound(Bundled, Category::Tools, "x"), bare(Project)], off, "what is below is off"),
    ];
    for (found, settings, why) in cases {
        let scopes = resolved(found, &settings);
        assert_eq!(active(&scopes), ["project/x"], "{why}");
        assert!(
            severity_codes(&scopes.diagnostics).contains(&"warning extension/incomplete".to_owned()),
            "{why}"
        );
    }
}

#[test]
fn what_a_project_may_not_run_yet_is_pending_and_takes_over_once_granted() {
    for category in [Category::ContextProviders, Category::Loggers, Category::Providers] {
        let program = json!({"command": ["./x"]});
        let above = if category == Category::ContextProviders { program } else { complete(category) };
        let found = || vec![sound(Global, category, "x"), with(Project, category, "x", &above)];

        let scopes = resolved(found(), &nothing());
        assert_eq!(active(&scopes), ["global/x"], "{category}");
        let (below, above) = (row(&scopes, Global, category, "x"), row(&scopes, Project, category, "x"));
        assert_eq!((above.status, above.needs_grant()), (Status::Pending, true), "{category}");
        assert_eq!(below.fallback_from.as_ref(), Some(&above.origin), "{category}");
        assert!(below.runnable && below.shadowed_by.is_none(), "{category}");
        assert_eq!(scopes.startup().disabled_count, 0, "{category}: waiting is no failure");

        let scopes = granted(found(), &nothing());
        assert_eq!(active(&scopes), ["project/x"], "{category}");
        assert_eq!(row(&scopes, Project, category, "x").shadows.len(), 1, "{category}");
    }
}

#[test]
fn with_nothing_below_what_needs_a_grant_is_active_and_not_runnable() {
    let scopes = resolved(vec![sound(Project, Category::Loggers, "x")], &nothing());
    let row = row(&scopes, Project, Category::Loggers, "x");
    assert_eq!((row.active, row.runnable, row.status), (true, false, Status::Ok));
}

#[test]
fn a_layer_does_not_disable_its_own_entry_and_is_told() {
    for scope in [Global, Project] {
        let merged = settings(&[(scope, json!({"tools": {"x": {"disable": true}}}))]);
        let scopes = resolved(vec![sound(scope, Category::Tools, "x")], &merged);
        assert!(row(&scopes, scope, Category::Tools, "x").active, "{scope}");
        assert_eq!(severity_codes(&scopes.diagnostics), ["warning scope/unknown"], "{scope}");
        let both =
            resolved(vec![sound(Bundled, Category::Tools, "x"), sound(scope, Category::Tools, "x")], &merged);
        assert_eq!(active(&both), [format!("{scope}/x")], "the inherited one goes, its own stays");
        let by = row(&both, Bundled, Category::Tools, "x").disabled_by.as_ref().map(|by| by.scope);
        assert_eq!(by, Some(SetBy::from(scope)));
    }
}

#[test]
fn a_project_that_switches_on_again_is_reported_and_starts_nothing() {
    let merged = |category: Category| {
        settings(&[
            (Global, json!({category.as_str(): {"x": {"disable": true}}})),
            (Project, json!({category.as_str(): {"x": {"disable": false}}})),
        ])
    };
    let scopes = resolved(vec![sound(Bundled, Category::Tools, "x")], &merged(Category::Tools));
    assert_eq!(active(&scopes), ["bundled/x"], "the later layer's scalar wins");
    assert_eq!(severity_codes(&scopes.diagnostics), ["warning scope/enabled"]);
    assert_eq!(
        scopes.diagnostics[0].message,
        "bundled/x (Tool), which global/settings.json:1 (global) switches off, is switched on again by \
         project/settings.json:1 (project)"
    );

    for category in [Category::Hooks, Category::Loggers, Category::Providers] {
        let scopes = granted(vec![sound(Bundled, category, "x")], &merged(category));
        assert_eq!(active(&scopes), [""; 0], "{category}: it would act on the machine");
        let diagnostics = severity_codes(&scopes.diagnostics);
        assert!(diagnostics.contains(&"warning scope/enabled".to_owned()), "{category}: {diagnostics:?}");
        let by = row(&scopes, Bundled, category, "x").disabled_by.clone().expect("the user");
        assert_eq!(by.scope, SetBy::Global, "{category}");
    }
}

#[test]
fn the_caller_switches_on_again_what_the_user_switched_off_without_a_warning() {
    let off =
        parse(Global, "settings.json", br#"{"loggers": {"x": {"disable": true}}}"#).0.expect("settings");
    let on = SetValue::parse("loggers.x.disable=false").expect("a setting").into_layer();
    let merged = merge(vec![off, on], &mut Vec::new());
    let scopes = resolved(vec![sound(Bundled, Category::Loggers, "x")], &merged);
    assert_eq!(active(&scopes), ["bundled/x"]);
    assert_eq!(severity_codes(&scopes.diagnostics), ["info scope/enabled"]);
}

fn command(scope: Scope, id: &str, name: &str) -> DiscoveredManifest {
    with(scope, Category::Commands, id, &json!({"name": name, "description": "Does it."}))
}

#[test]
fn of_two_commands_of_one_typed_name_the_stronger_layers_is_active() {
    let found =
        vec![command(Global, "a", "deploy"), command(Project, "b", "deploy"), command(Global, "c", "d")];
    let scopes = resolved(found, &nothing());
    assert_eq!(active(&scopes), ["project/b", "global/c"]);
    let (hidden, winner) =
        (row(&scopes, Global, Category::Commands, "a"), row(&scopes, Project, Category::Commands, "b"));
    assert_eq!(hidden.shadowed_by.as_ref(), Some(&winner.origin));
    assert_eq!(winner.shadows, std::slice::from_ref(&hidden.origin));
    assert_eq!(severity_codes(&scopes.diagnostics), ["warning scope/shadows"]);
}

fn provider(more: &Value) -> (Vec<DiscoveredManifest>, MergedSettings) {
    let found = vec![sound(Global, Category::Providers, "op")];
    let merged = settings(&[
        (Global, json!({"providers": {"op": {"model": "mine", "region": "eu"}}})),
        (Project, json!({"providers": {"op": more}})),
    ]);
    (found, merged)
}

#[test]
fn a_projects_settings_of_a_provider_are_used_once_granted_and_until_then_the_lower_ones() {
    let (found, merged) = provider(&json!({"model": "theirs", "baseUrl": "https://theirs.example"}));
    let scopes = resolved(found.clone(), &merged);
    let entry = scopes.active(Category::Providers, "op").expect("it is there");
    assert_eq!(Value::from(entry.value.config.clone()), json!({"model": "mine", "region": "eu"}));
    assert_eq!(severity_codes(&scopes.diagnostics), ["warning settings/ignored"]);
    let [change] = &scopes.changes[..] else { panic!("one change: {:?}", scopes.changes) };
    assert_eq!((change.name.as_str(), change.url.as_str()), ("op", "https://theirs.example"));

    let scopes = granted(found, &merged);
    let entry = scopes.active(Category::Providers, "op").expect("it is there");
    let whole = json!({"model": "theirs", "baseUrl": "https://theirs.example"});
    assert_eq!(Value::from(entry.value.config.clone()), whole);
    assert_eq!((entry.config_scope, scopes.ignored.len()), (SetBy::Project, 0));
    assert_eq!(severity_codes(&scopes.diagnostics), [""; 0]);
}

#[test]
fn settings_report_what_the_resolver_uses() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "properties": {"n": {"type": "integer"}},
    });
    let tool = with(Global, Category::Tools, "t", &json!({"description": "d", "configSchema": schema}));
    let merged = settings(&[
        (Global, json!({"tools": {"t": {"n": 3}}})),
        (Project, json!({"tools": {"t": {"n": "many", "m": 1}}})),
    ]);
    let scopes = resolved(vec![tool], &merged);
    let ignored =
        |key: &str| IgnoredSetting { by: SetBy::Project, path: ["tools", "t", key].map(str::to_owned) };
    assert_eq!(scopes.ignored, [ignored("n"), ignored("m")]);
    let used = merged.without(scopes.ignored.iter().map(|value| (value.by, value.path.as_slice())));
    assert_eq!(used.to_value(), json!({"tools": {"t": {"n": 3}}}));
    let outcomes = |path: &str| -> Vec<ValueOutcome> {
        used.why(&path.parse().expect("a path")).into_iter().map(|value| value.outcome).collect()
    };
    assert_eq!(outcomes("tools.t.n"), [ValueOutcome::Used, ValueOutcome::Ignored]);
    assert_eq!(outcomes("tools.t.m"), [ValueOutcome::Ignored]);
    let both = settings(&[(Global, json!({"tools": {"t": {"n": 3, "m": 1}}}))]);
    let both = both.without([(SetBy::Global, ["tools", "t", "m"].map(str::to_owned).as_slice())]);
    assert_eq!(both.why(&"tools.t".parse().expect("a path"))[0].value, json!({"n": 3}), "what counts of it");

    let (found, merged) = provider(&json!({"model": "theirs"}));
    let scopes = resolved(found, &merged);
    let used = merged.without(scopes.ignored.iter().map(|value| (value.by, value.path.as_slice())));
    assert_eq!(used.to_value(), json!({"providers": {"op": {"model": "mine", "region": "eu"}}}));
    let why = used.why(&"providers.op".parse().expect("a path"));
    assert_eq!(
        why.iter().map(|value| value.outcome).collect::<Vec<_>>(),
        [ValueOutcome::Used, ValueOutcome::Ignored]
    );
}

#[test]
fn a_directive_about_a_provider_replaces_none_of_its_values() {
    let (found, merged) = provider(&json!({"disable": false}));
    let scopes = resolved(found, &merged);
    let entry = scopes.active(Category::Providers, "op").expect("it is there");
    assert_eq!(Value::from(entry.value.config.clone()), json!({"model": "mine", "region": "eu"}));
}

#[test]
fn settings_change_the_place_and_size_of_a_context_provider() {
    let found =
        || vec![with(Global, Category::ContextProviders, "hi", &json!({"markdown": "HI", "priority": 10}))];
    let place = |layers: &[(Scope, Value)]| {
        let scopes = resolved(found(), &settings(layers));
        let entry = scopes.active(Category::ContextProviders, "hi").expect("it is there");
        let Some(preface_core::extension::Ability::Context(context)) = &entry.value.ability else {
            panic!("text")
        };
        ((context.priority, context.max_tokens), severity_codes(&of_all(&scopes)))
    };
    let merged = |config: Value| json!({"contextProviders": {"hi": config}});
    assert_eq!(place(&[]), ((10, 4096), vec![]));
    assert_eq!(place(&[(Global, merged(json!({"priority": 99, "maxTokens": 7})))]), ((99, 7), vec![]));
    let bad = [(Global, merged(json!({"priority": 1}))), (Project, merged(json!({"priority": "high"})))];
    assert_eq!(place(&bad), ((1, 4096), vec!["warning settings/schema-violation".to_owned()]));
    let projects = [(Project, merged(json!({"maxTokens": 5})))];
    assert_eq!(place(&projects), ((10, 5), vec!["warning settings/placed".to_owned()]));
}

fn of_all(scopes: &Scopes) -> Vec<preface_core::diagnostic::Diagnostic> {
    assert!(of_severity(&scopes.diagnostics, Severity::Error).is_empty());
    scopes.diagnostics.clone()
}

#[test]
fn in_a_slot_guards_run_first_and_observers_last_whatever_a_list_has() {
    let hook = |scope, id: &str, role: &str| {
        let more = json!({"slot": "TOOL_CALL/pre", "command": ["check"], "role": role});
        with(scope, Category::Hooks, id, &more)
    };
    let found = || {
        vec![
            hook(Global, "a-look", "observer"),
            hook(Global, "b-turn", "transform"),
            hook(Global, "c-guard", "guard"),
            hook(Project, "a-turn", "transform"),
            hook(Project, "d-guard", "guard"),
        ]
    };
    let order = |scopes: &Scopes| {
        let mut hooks: Vec<&ExtensionEntry> = scopes.of(Category::Hooks).collect();
        hooks.sort_by_key(|entry| entry.order);
        hooks.iter().map(|entry| entry.name.clone()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&resolved(found(), &nothing())), "c-guard d-guard b-turn a-turn a-look");
    let list =
        extension::ordering(Project, &json!({"hooks": {"TOOL_CALL/pre": ["a-look", "a-turn", "d-guard"]}}));
    let scopes = resolve(found(), &nothing(), &[list], &Checker, &All);
    assert_eq!(order(&scopes), "d-guard c-guard a-turn b-turn a-look");
    assert_eq!(scopes.rewrites[0].new_order.join(" "), order(&scopes), "the event has what runs");
}

#[test]
fn the_address_of_a_provider_is_the_one_that_settings_give() {
    let manifest = json!({"kind": "openai", "baseUrl": "https://own.example"});
    let found = || vec![with(Global, Category::Providers, "p", &manifest)];
    let merged = |url: &str| settings(&[(Global, json!({"providers": {"p": {"baseUrl": url}}}))]);
    let scopes = resolved(found(), &merged("https://mine.example"));
    let entry = scopes.active(Category::Providers, "p").expect("it is there");
    assert_eq!(entry.about.as_deref(), Some("https://mine.example"));
    assert_eq!(entry.action, Some(PrivilegedAction::Endpoint("https://mine.example".to_owned())));
    for wrong in ["https://user:hunter2@x.example", "ftp://x.example", " "] {
        let scopes = resolved(found(), &merged(wrong));
        let entry = scopes.active(Category::Providers, "p").expect("it is there");
        assert_eq!(entry.about.as_deref(), Some("https://own.example"), "{wrong}");
        assert_eq!(severity_codes(&scopes.diagnostics), ["warning settings/schema-violation"], "{wrong}");
        let shown = serde_json::to_string(&scopes.diagnostics).expect("JSON");
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn a_manifest_with_a_password_is_refused_without_showing_it() {
    let login = "https://user:hunter2@x.example/v1";
    let found = vec![
        with(Global, Category::Providers, "p", &json!({"kind": "openai", "baseUrl": login})),
        with(Global, Category::SessionStores, "s", &json!({"kind": "postgres", "url": login})),
    ];
    let scopes = resolved(found, &settings(&[]));
    assert!(scopes.entries.iter().all(|entry| !entry.active));
    let shown = serde_json::to_string(&scopes.diagnostics).expect("JSON");
    assert!(shown.contains("*****") && !shown.contains("hunter2"), "{shown}");
}

#[test]
fn a_project_gives_the_users_provider_no_address_without_a_grant() {
    let found = vec![with(Global, Category::Providers, "p", &json!({"kind": "openai"}))];
    let merged = settings(&[(Project, json!({"providers": {"p": {"baseUrl": "https://theirs.example"}}}))]);
    let scopes = resolved(found.clone(), &merged);
    assert_eq!(scopes.entries[0].action, None);
    let scopes = granted(found, &merged);
    assert_eq!(scopes.entries[0].about.as_deref(), Some("https://theirs.example"));
}

#[test]
fn what_active_names_is_marked_and_what_it_names_in_vain_is_reported() {
    let provider = |id: &str| {
        with(Global, Category::Providers, id, &json!({"kind": "openai", "baseUrl": "https://x.example"}))
    };
    let named = |name: &str| {
        let merged = settings(&[(Global, json!({"active": {"provider": name, "interactor": "tui"}}))]);
        resolved(vec![provider("p1"), provider("p2")], &merged)
    };
    let scopes = named("p2");
    let diagnostics: Vec<_> = scopes.entries.iter().flat_map(|entry| &entry.diagnostics).collect();
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(scopes.entries[1].diagnostics[0].code, NAMED);
    let scopes = named("p3");
    let messages: Vec<_> = scopes.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert_eq!(messages, ["`active.provider` names `p3`, which no layer has"]);
}
