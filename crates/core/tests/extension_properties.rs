//! What holds for all extensions, whatever the layers bring.

mod extension;

use extension::{Checker, broken, ordering, path, raw, resolved, settings, sound, untrusted, with};
use preface_core::{
    extension::{
        Category, DiscoveredContent, DiscoveredManifest, ExtensionEntry, Manifest, ManifestLocation,
        NoGrants, Ordering, Scopes, Status, resolve,
    },
    scope::Scope,
    settings::{MergedSettings, SetBy},
};
use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What one layer has in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Sound,
    Incomplete,
    Broken,
    Garbage,
    Claims(&'static str),
    Untrusted,
}

type Spot = (Scope, Category, &'static str);

fn found(((scope, category, id), what): (Spot, What)) -> DiscoveredManifest {
    match what {
        What::Sound => sound(scope, category, id),
        What::Incomplete => with(scope, category, id, &json!({})),
        What::Broken => broken(scope, category, id),
        What::Garbage => raw(scope, category, id, "{\"id\": "),
        What::Claims(other) => with(scope, category, id, &json!({"id": other})),
        What::Untrusted => untrusted(scope, category, id),
    }
}

fn is_sound(((_, _, id), what): &(Spot, What)) -> bool {
    matches!(what, What::Sound | What::Incomplete) || *what == What::Claims(id)
}

const IDS: [&str; 3] = ["a", "b", "c"];

fn spot() -> impl Strategy<Value = Spot> {
    let categories = vec![Category::Tools, Category::Hooks, Category::Commands];
    (select(&Scope::ALL[..]), select(categories), select(&IDS[..]))
}

/// At most one thing in each place, in any order.
fn layers() -> impl Strategy<Value = Vec<(Spot, What)>> {
    let what = prop_oneof![
        4 => Just(What::Sound),
        1 => Just(What::Incomplete),
        2 => Just(What::Broken),
        1 => Just(What::Garbage),
        1 => select(&IDS[..]).prop_map(What::Claims),
        1 => Just(What::Untrusted),
    ];
    vec((spot(), what), 0..14)
        .prop_map(|all| {
            all.into_iter()
                .map(|((scope, category, id), what)| ((scope, category.as_str(), id), (category, what)))
                .collect::<BTreeMap<_, _>>()
        })
        .prop_map(|places| {
            places
                .into_iter()
                .map(|((scope, _, id), (category, what))| ((scope, category, id), what))
                .collect()
        })
        .prop_flat_map(|all: Vec<(Spot, What)>| Just(all).prop_shuffle())
}

/// `disable` directives of the user and the project.
fn directives() -> impl Strategy<Value = Vec<(Spot, bool)>> {
    let spot = spot().prop_filter("of a layer with settings", |(scope, _, _)| *scope != Scope::Bundled);
    vec((spot, any::<bool>()), 0..4)
}

fn with_disabled(directives: &[(Spot, bool)]) -> MergedSettings {
    let mut layers = [json!({}), json!({}), json!({})];
    for ((scope, category, id), disable) in directives {
        layers[*scope as usize][category.as_str()][id]["disable"] = json!(disable);
    }
    settings(&Scope::ALL.iter().copied().zip(layers).collect::<Vec<_>>())
}

fn lists() -> impl Strategy<Value = Vec<Ordering>> {
    let ids = select(vec!["a b c", "b", "c a", "x b", "c b a"]);
    vec((select(&Scope::ALL[..]), ids), 0..3).prop_map(|all| {
        let all: BTreeMap<Scope, &str> = all.into_iter().collect();
        all.into_iter()
            .map(|(scope, ids)| {
                let ids: Vec<&str> = ids.split(' ').collect();
                ordering(scope, &json!({"hooks": {"TOOL_CALL/pre": ids}}))
            })
            .collect()
    })
}

fn of(all: &[(Spot, What)]) -> Vec<DiscoveredManifest> {
    all.iter().copied().map(found).collect()
}

fn key(entry: &ExtensionEntry) -> (Category, &str, Scope) {
    (entry.value.category, entry.name.as_str(), entry.origin.scope)
}

/// Returns whether an entry is off, by the rules written down a second time: the strongest layer above its own that
/// sets `disable` decides; a project starts nothing that the user switched off.
fn is_off(((scope, category, id), what): (Spot, What), directives: &[(Spot, bool)]) -> bool {
    let acts = category == Category::Hooks && what == What::Sound;
    let set: BTreeMap<Scope, bool> = directives
        .iter()
        .filter(|((by, of, name), _)| *by > scope && *of == category && *name == id)
        .map(|((by, ..), disable)| (*by, *disable))
        .collect();
    let is_void =
        |by: &Scope, disable: &bool| acts && scope < Scope::Project && *by == Scope::Project && !disable;
    set.into_iter().rfind(|(by, disable)| !is_void(by, disable)).is_some_and(|(_, disable)| disable)
}

fn expected_active(
    all: &[(Spot, What)],
    directives: &[(Spot, bool)],
) -> BTreeSet<(Category, &'static str, Scope)> {
    // Of one name the strongest that can be used is active, else the strongest that is sound.
    let winner = |category: Category, id: &str| {
        let same = || all.iter().filter(|((_, of, name), _)| *of == category && *name == id);
        let able = same().filter(|one| one.1 == What::Sound && !is_off(**one, directives));
        let sound = same().filter(|one| is_sound(one));
        able.map(|one| one.0.0).max().or_else(|| sound.map(|one| one.0.0).max())
    };
    all.iter()
        .filter(|one| is_sound(one) && !is_off(**one, directives))
        .map(|((scope, category, id), _)| (*category, *id, *scope))
        .filter(|(category, id, scope)| *category == Category::Hooks || winner(*category, id) == Some(*scope))
        .collect()
}

fn all_of(scopes: &Scopes) -> Vec<&ExtensionEntry> {
    scopes.entries.iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn the_order_in_which_things_are_found_does_not_matter(
        (all, shuffled) in layers().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        directives in directives(),
        lists in lists(),
    ) {
        let settings = with_disabled(&directives);
        let one = resolve(of(&all), &settings, &lists, &Checker, &NoGrants);
        prop_assert_eq!(one, resolve(of(&shuffled), &settings, &lists, &Checker, &NoGrants));
    }

    #[test]
    fn the_active_ones_are_those_of_the_rules(all in layers(), directives in directives()) {
        let scopes = resolved(of(&all), &with_disabled(&directives));
        let active: BTreeSet<_> = scopes.entries.iter().filter(|entry| entry.active).map(key).collect();
        let expected = expected_active(&all, &directives);
        prop_assert_eq!(active, expected.into_iter().collect::<BTreeSet<_>>());
    }

    #[test]
    fn each_thing_found_is_one_row_and_rows_are_sorted(all in layers(), directives in directives()) {
        let scopes = resolved(of(&all), &with_disabled(&directives));
        let rows: Vec<_> = scopes.entries.iter().map(key).collect();
        let wanted: BTreeSet<_> = all.iter().map(|((scope, category, id), _)| (*category, *id, *scope)).collect();
        prop_assert_eq!(rows, wanted.into_iter().collect::<Vec<_>>());
        let surface = scopes.startup();
        let neither = scopes.entries.iter().filter(|entry| !entry.active && entry.status != Status::Disabled).count();
        prop_assert_eq!(surface.loaded_count + surface.disabled_count + neither, scopes.entries.len());
        prop_assert_eq!(surface.disabled.len(), surface.disabled_count);
        prop_assert!(surface.error_count <= surface.disabled_count);
    }

    #[test]
    fn outside_hooks_one_at_most_answers_to_a_name(all in layers(), directives in directives()) {
        let scopes = resolved(of(&all), &with_disabled(&directives));
        let mut seen = BTreeSet::new();
        for entry in scopes.entries.iter().filter(|entry| entry.active && entry.value.category != Category::Hooks) {
            prop_assert!(seen.insert((entry.value.category, &entry.name)), "{entry:?}");
        }
    }

    #[test]
    fn rows_agree_with_each_other(all in layers(), directives in directives()) {
        let scopes = resolved(of(&all), &with_disabled(&directives));
        for entry in all_of(&scopes) {
            prop_assert!(!entry.runnable || entry.active, "only the active may run");
            prop_assert!(!entry.active || (entry.status == Status::Ok && entry.disabled_by.is_none()));
            prop_assert!(entry.shadowed_by.is_none() || (!entry.active && entry.shadows.is_empty()));
            prop_assert!(entry.fallback_from.is_none() || entry.active);
            for below in &entry.shadows {
                let hidden = scopes.entries.iter().find(|other| &other.origin == below).unwrap();
                prop_assert_eq!(hidden.shadowed_by.as_ref(), Some(&entry.origin), "each names the other");
                prop_assert!(hidden.origin.scope < entry.origin.scope);
            }
            if let Some(above) = &entry.fallback_from {
                let failed = scopes.entries.iter().find(|other| &other.origin == above).unwrap();
                prop_assert_eq!(failed.status, Status::Disabled);
                prop_assert!(failed.value.ability.is_none() && failed.origin.scope > entry.origin.scope);
            }
        }
    }

    #[test]
    fn a_broken_one_changes_nothing_but_its_own_row(
        all in layers(),
        category in select(vec![Category::Tools, Category::Hooks]),
        scope in select(&Scope::ALL[..]),
        garbage in any::<bool>(),
        directives in directives(),
    ) {
        let spot = (scope, category, "a");
        let without: Vec<_> = all.into_iter().filter(|(at, _)| *at != spot).collect();
        // A claim on the name of a neighbor is reported differently if the neighbor exists.
        prop_assume!(without.iter().all(|(_, what)| !matches!(what, What::Claims(_))));
        let what = if garbage { What::Garbage } else { What::Broken };
        let with = [without.as_slice(), &[(spot, what)]].concat();
        let settings = with_disabled(&directives);
        let (before, after) = (resolved(of(&without), &settings), resolved(of(&with), &settings));
        let plain = |scopes: &Scopes| -> Vec<ExtensionEntry> {
            let others = scopes.entries.iter().filter(|entry| key(entry) != (category, "a", scope));
            // The entry that stays is reported with the broken one above it, which is a warning instead of an error.
            others.map(|entry| ExtensionEntry { fallback_from: None, ..entry.clone() }).collect()
        };
        prop_assert_eq!(plain(&before), plain(&after));
    }

    #[test]
    fn a_failure_is_a_warning_exactly_where_a_lower_layer_has_a_valid_one(all in layers(), directives in directives()) {
        let scopes = resolved(of(&all), &with_disabled(&directives));
        for failed in scopes.entries.iter().filter(|e| e.status == Status::Disabled && e.disabled_by.is_none()) {
            let stays = scopes.entries.iter().any(|other| {
                other.status == Status::Ok && (other.value.category, &other.name) == (failed.value.category, &failed.name)
                    && other.origin.scope < failed.origin.scope
            });
            let expected = if stays { "warning" } else { "error" };
            prop_assert!(!failed.diagnostics.is_empty());
            for diagnostic in &failed.diagnostics {
                prop_assert_eq!(diagnostic.severity.as_str(), expected, "{}", diagnostic.message);
                prop_assert!(diagnostic.place.is_some());
            }
        }
    }

    #[test]
    fn taking_a_directive_back_brings_everything_back(all in layers(), directives in directives(), spot in spot()) {
        let spot = (Scope::Project, spot.1, spot.2);
        let rest: Vec<_> = directives.into_iter().filter(|(at, _)| *at != spot).collect();
        let before = resolved(of(&all), &with_disabled(&rest));
        let off = [rest.as_slice(), &[(spot, true)]].concat();
        let during = resolved(of(&all), &with_disabled(&off));
        for entry in during.entries.iter().filter(|e| (e.value.category, e.name.as_str()) == (spot.1, spot.2)) {
            prop_assert!(!entry.active || entry.origin.scope == Scope::Project, "its own stays");
        }
        let other = |scopes: &Scopes| -> Vec<ExtensionEntry> {
            let mut others: Vec<ExtensionEntry> = scopes.entries.iter().filter(|e| e.value.category != spot.1).cloned().collect();
            // Excerpts of the settings file show the new directive.
            others.iter_mut().flat_map(|entry| &mut entry.diagnostics).for_each(|diagnostic| diagnostic.place = None);
            others
        };
        prop_assert_eq!(other(&before), other(&during), "other categories are not touched");
        // Overriding the directive and removing it come to the same where no weaker layer sets anything.
        let back = [rest.as_slice(), &[(spot, false)]].concat();
        if !rest.iter().any(|((_, category, id), _)| (*category, *id) == (spot.1, spot.2)) {
            let active = |scopes: &Scopes| -> Vec<bool> { scopes.entries.iter().map(|e| e.active).collect() };
            prop_assert_eq!(active(&before), active(&resolved(of(&all), &with_disabled(&back))));
        }
        prop_assert_eq!(before, resolved(of(&all), &with_disabled(&rest)));
    }

    #[test]
    fn orders_count_from_nought_in_each_slot(all in layers(), directives in directives(), lists in lists()) {
        let scopes = resolve(of(&all), &with_disabled(&directives), &lists, &Checker, &NoGrants);
        let mut slots: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for entry in all_of(&scopes) {
            let takes_part = entry.active && entry.slot.is_some();
            prop_assert_eq!(entry.order.is_some(), takes_part, "{:?}", entry);
            if let (Some(slot), Some(order)) = (entry.slot, entry.order) {
                slots.entry(slot).or_default().push(order);
            }
        }
        for (slot, mut orders) in slots {
            orders.sort_unstable();
            prop_assert_eq!(&orders, &(0..orders.len()).collect::<Vec<_>>(), "{}", slot);
        }
        for rewrite in &scopes.rewrites {
            let sorted = |ids: &[String]| { let mut ids = ids.to_vec(); ids.sort(); ids };
            prop_assert_eq!(sorted(&rewrite.previous_order), sorted(&rewrite.new_order), "nothing appears or is lost");
        }
        let named = lists.iter().filter(|list| list.scope == Scope::Project).flat_map(Ordering::slots).count();
        let reported = scopes.rewrites.iter().filter(|rewrite| rewrite.scope == Scope::Project).count();
        prop_assert_eq!(named, reported, "each slot that a project names is reported once");
    }

    #[test]
    fn the_strongest_value_that_fits_counts(
        values in vec((select(vec![SetBy::Bundled, SetBy::Global, SetBy::Project]), any::<bool>(), 0_i64..9), 0..4),
        own in 10_i64..19,
        scope in select(&Scope::ALL[..]),
    ) {
        let values: BTreeMap<SetBy, (bool, i64)> =
            values.into_iter().map(|(by, fits, number)| (by, (fits, number))).collect();
        let schema = json!({"type": "object", "additionalProperties": false, "properties": {"k": {"type": "integer"}}});
        let found = with(scope, Category::Ui, "x", &json!({"configSchema": schema, "config": {"k": own}}));
        let layer = |(by, (fits, number)): (&SetBy, &(bool, i64))| {
            let value = if *fits { json!(number) } else { json!(number.to_string()) };
            (by.scope().unwrap(), json!({"ui": {"x": {"k": value}}}))
        };
        let scopes = resolved(vec![found], &settings(&values.iter().map(layer).collect::<Vec<_>>()));
        let fitting = values.iter().rev().find(|(_, (fits, _))| *fits);
        let entry = &scopes.entries[0];
        prop_assert!(entry.active);
        prop_assert_eq!(&entry.value.config["k"], &json!(fitting.map_or(own, |(_, (_, number))| *number)));
        prop_assert_eq!(scopes.diagnostics.len(), values.values().filter(|(fits, _)| !fits).count());
        prop_assert_eq!(entry.config_scope, fitting.map_or(scope.into(), |(by, _)| (*by).max(scope.into())));
    }

    #[test]
    fn a_configuration_is_the_manifest_s_with_the_merged_settings_over_it(
        global in table(), project in table(), own in table(), category in select(&Category::ALL[..]),
    ) {
        let found = with(Scope::Bundled, category, "x", &json!({"config": own}));
        let layer = |scope, value: &Value| (scope, json!({category.as_str(): {"x": value}}));
        let settings = settings(&[layer(Scope::Global, &global), layer(Scope::Project, &project)]);
        let scopes = resolved(vec![found], &settings);
        let merged = settings.at(&[category.as_str(), "x"]).and_then(|node| node.to_value().as_object().cloned());
        let mut expected = own.clone();
        // Only a provider has settings that it does not declare; none of these keys is nearly one of its own.
        let is_used = |key: &str| category == Category::Providers || own.get(key).is_some();
        for (key, value) in merged.into_iter().flatten().filter(|(key, _)| is_used(key)) {
            let known = expected.get(&key).cloned().filter(|_| category != Category::Providers);
            expected[&key] = known.map_or(value.clone(), |known| folded(known, value));
        }
        prop_assert_eq!(Value::from(scopes.entries[0].value.config.clone()), expected);
    }

    #[test]
    fn no_bytes_make_reading_panic(
        bytes in vec(any::<u8>(), 0..64),
        text in "[\\[\\]{}:,\"\\\\/*\nutrefalsn0-9.eE+ ü-]{0,40}",
        key in select(vec!["id", "category", "slot", "event", "command", "configSchema", "apiKey", "files", "config"]),
        category in select(&Category::ALL[..]),
    ) {
        let lies = ManifestLocation { scope: Scope::Project, category, id: "x", path: "m.json" };
        prop_assert!(Manifest::read(&bytes, &lies, &Checker).is_err(), "no 64 bytes of noise are a manifest");
        let _ = Ordering::read(Scope::Project, "o.json", &bytes);
        let _ = Ordering::read(Scope::Project, "o.json", format!("{{\"hooks\": {text}}}").as_bytes());
        let whole = extension::manifest(category, "x", &json!({})).to_string();
        let spliced = format!("{},\"{key}\": {text}}}", whole.trim_end_matches('}'));
        let what = DiscoveredContent::Manifest(spliced.into_bytes());
        let found = DiscoveredManifest { scope: Scope::Project, category, id: "x".into(), path: path(Scope::Project, category, "x"), what };
        prop_assert_eq!(resolved(vec![found], &MergedSettings::default()).entries.len(), 1);
    }
}

/// Keys whose values are always objects (`o`) or never, so that layers do not clash.
fn table() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![Just(Value::Null), (0_i64..3).prop_map(Value::from), Just(json!([1]))];
    let flat = vec((select(vec!["k", "l"]), leaf), 0..3)
        .prop_map(|all| all.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Map<_, _>>());
    flat.clone().prop_map(Value::Object).prop_recursive(2, 8, 2, move |inner| {
        (flat.clone(), inner).prop_map(|(mut all, inner)| {
            all.insert("o".to_owned(), inner);
            Value::Object(all)
        })
    })
}

fn folded(below: Value, above: Value) -> Value {
    match (below, above) {
        (Value::Object(mut below), Value::Object(above)) => {
            for (key, value) in above {
                let known = below.get(&key).cloned();
                below.insert(key, known.map_or(value.clone(), |known| folded(known, value)));
            }
            Value::Object(below)
        }
        (_, above) => above,
    }
}
