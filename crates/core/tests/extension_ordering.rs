//! Ordering manifests: which orders count, and what becomes of the others.

#[path = "extension/mod.rs"]
mod support;

use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Severity},
    extension::{self, HookRole, Ordering, OrderingRewrite, Slot, SlotHook},
    scope::Scope::{self, Bundled, Global, Project},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::ordering;

const MALFORMED: &str = "ordering/malformed";
const DUPLICATE: &str = "ordering/duplicate";
const NO_SLOT: &str = "hook/invalid-attachment";

const SLOTS: [&str; 12] = [
    "RECEIVE_INPUT/pre",
    "RECEIVE_INPUT/post",
    "COMPOSE_REQUEST/pre",
    "COMPOSE_REQUEST/post",
    "SEND_REQUEST/pre",
    "SEND_REQUEST/post",
    "STREAM_RESPONSE/pre",
    "STREAM_RESPONSE/post",
    "TOOL_CALL/pre",
    "TOOL_CALL/post",
    "RENDER/pre",
    "RENDER/post",
];

fn slot(name: &str) -> Slot {
    name.parse().expect("one of the twelve")
}

mod reading {
    use super::*;

    fn refused(text: &[u8]) -> Box<Diagnostic> {
        Ordering::read(Project, "ordering.json", text).expect_err("it is defective")
    }

    #[test]
    fn the_twelve_slots_are_known() {
        for name in SLOTS {
            let read = ordering(Global, &json!({"hooks": {name: ["a"]}}));
            assert_eq!(read.slots().map(|slot| slot.to_string()).collect::<Vec<_>>(), [name]);
        }
    }

    #[test]
    fn no_slot_is_fine() {
        for text in ["{}", "{\"hooks\": {}}", " {}\n", "\u{feff}// mine\n{\"hooks\": {},}"] {
            let read = Ordering::read(Global, "ordering.json", text.as_bytes()).unwrap();
            assert_eq!(read.slots().count(), 0, "{text}");
        }
    }

    #[test]
    fn each_defect_has_its_name_and_line_and_is_a_warning() {
        let cases: &[(&str, &str, usize)] = &[
            ("", MALFORMED, 1),
            ("{", MALFORMED, 1),
            ("null", MALFORMED, 1),
            ("\n[]", MALFORMED, 2),
            ("\"hooks\"", MALFORMED, 1),
            ("{} {}", MALFORMED, 1),
            ("{\"hooks\": {},\n\"tools\": {}}", MALFORMED, 2),
            ("{\"Hooks\": {}}", MALFORMED, 1),
            ("{\n\"hooks\": []}", MALFORMED, 2),
            ("{\"hooks\": null}", MALFORMED, 1),
            ("{\"hooks\": {},\n\"hooks\": {}}", MALFORMED, 2),
            ("{\"hooks\": {\n\"tool_call/pre\": [\"a\"]}}", NO_SLOT, 2),
            ("{\"hooks\": {\"TOOL_CALL\": [\"a\"]}}", NO_SLOT, 1),
            ("{\"hooks\": {\"TOOL_CALL/mid\": [\"a\"]}}", NO_SLOT, 1),
            ("{\"hooks\": {\"TOOL_CALL/pre \": [\"a\"]}}", NO_SLOT, 1),
            ("{\"hooks\": {\"\": [\"a\"]}}", NO_SLOT, 1),
            ("{\"hooks\": {\n\"TOOL_CALL/pre\": \"a\"}}", MALFORMED, 2),
            ("{\"hooks\": {\"TOOL_CALL/pre\": {}}}", MALFORMED, 1),
            ("{\"hooks\": {\"TOOL_CALL/pre\": null}}", MALFORMED, 1),
            ("{\"hooks\": {\"TOOL_CALL/pre\": []}}", MALFORMED, 1),
            ("{\"hooks\": {\"TOOL_CALL/pre\": [\"a\",\n1]}}", MALFORMED, 2),
            ("{\"hooks\": {\"TOOL_CALL/pre\": [[\"a\"]]}}", MALFORMED, 1),
            ("{\"hooks\": {\"TOOL_CALL/pre\": [\"a\", \"b\",\n\"a\"]}}", DUPLICATE, 2),
            ("{\"hooks\": {\"TOOL_CALL/pre\": [\"a\"],\n\"TOOL_CALL/pre\": [\"b\"]}}", MALFORMED, 2),
        ];
        for (text, code, line) in cases {
            let diagnostic = refused(text.as_bytes());
            let at = diagnostic.place.as_ref().and_then(|place| place.line);
            assert_eq!((diagnostic.code.as_str(), at), (*code, Some(*line)), "{text}");
            assert_eq!(diagnostic.severity, Severity::Warning, "{text}");
            assert!(diagnostic.message.starts_with("ordering.json was left out: "), "{}", diagnostic.message);
        }
        assert_eq!(refused(b"\xff").code.as_str(), MALFORMED);
        let deep = format!("{{\"hooks\": {}{}}}", "[".repeat(64), "]".repeat(64));
        assert_eq!(refused(deep.as_bytes()).code.as_str(), MALFORMED);
    }

    #[test]
    fn one_id_in_two_slots_is_fine() {
        let read = ordering(Global, &json!({"hooks": {"RENDER/pre": ["a"], "RENDER/post": ["a"]}}));
        assert_eq!(read.slots().count(), 2);
    }

    #[test]
    fn a_hostile_name_is_shown_escaped() {
        let diagnostic = refused("{\"hooks\": {\"a\\nb\u{202e}\": []}}".as_bytes());
        assert!(!diagnostic.message.contains(['\n', '\u{202e}']), "{:?}", diagnostic.message);
    }
}

mod ordered {
    use super::*;

    const SLOT: &str = "TOOL_CALL/pre";

    fn list(scope: Scope, ids: &[&str]) -> Ordering {
        ordering(scope, &json!({"hooks": {SLOT: ids}}))
    }

    #[derive(Debug)]
    struct HookOrder {
        slots: BTreeMap<Slot, Vec<String>>,
        rewrites: Vec<OrderingRewrite>,
    }

    fn order(
        defaults: &BTreeMap<Slot, Vec<(HookRole, String)>>,
        orderings: &[Ordering],
        diagnostics: &mut Diagnostics,
    ) -> HookOrder {
        let hook = |(role, id): &(HookRole, String)| SlotHook { role: *role, id: id.clone(), entry: 0 };
        let mut hooks = defaults.iter().map(|(slot, all)| (*slot, all.iter().map(hook).collect())).collect();
        let rewrites = extension::order(&mut hooks, orderings, diagnostics);
        let ids = |all: Vec<SlotHook>| all.into_iter().map(|hook| hook.id).collect();
        HookOrder { slots: hooks.into_iter().map(|(slot, all)| (slot, ids(all))).collect(), rewrites }
    }

    fn transform(id: &str) -> (HookRole, String) {
        (HookRole::Transform, id.to_owned())
    }

    fn lay(default: &[&str], orderings: &[Ordering]) -> (HookOrder, Diagnostics) {
        let defaults = match default {
            [] => BTreeMap::new(),
            ids => BTreeMap::from([(slot(SLOT), ids.iter().map(|id| transform(id)).collect())]),
        };
        let mut diagnostics = Diagnostics::new();
        (order(&defaults, orderings, &mut diagnostics), diagnostics)
    }

    fn lines(rewrites: &[OrderingRewrite]) -> Vec<String> {
        let line = |it: &OrderingRewrite| {
            format!("{} {} {} → {}", it.scope, it.slot, it.previous_order.join(" "), it.new_order.join(" "))
        };
        rewrites.iter().map(line).collect()
    }

    fn severities(diagnostics: &[Diagnostic]) -> Vec<String> {
        diagnostics.iter().map(|diagnostic| format!("{} {}", diagnostic.severity, diagnostic.code)).collect()
    }

    #[test]
    fn without_a_manifest_the_default_order_stands() {
        let (ordered, diagnostics) = lay(&["b", "a"], &[]);
        assert_eq!(ordered.slots[&slot(SLOT)], ["b", "a"]);
        assert!(ordered.rewrites.is_empty() && diagnostics.is_empty());
    }

    #[test]
    fn listed_ids_come_first_and_the_rest_follows_in_the_default_order() {
        let cases: &[(&[&str], &str)] = &[
            (&["d"], "d a b c"),
            (&["d", "b"], "d b a c"),
            (&["d", "c", "b", "a"], "d c b a"),
            (&["a", "b", "c", "d"], "a b c d"),
            (&["x", "c", "y"], "c a b d"),
            (&["x"], "a b c d"),
        ];
        for (ids, expected) in cases {
            for scope in Scope::ALL {
                let (ordered, _) = lay(&["a", "b", "c", "d"], &[list(scope, ids)]);
                assert_eq!(ordered.slots[&slot(SLOT)].join(" "), *expected, "{ids:?}");
            }
        }
    }

    #[test]
    fn slots_that_are_not_named_keep_their_order() {
        let defaults: BTreeMap<Slot, Vec<(HookRole, String)>> =
            SLOTS.iter().map(|name| (slot(name), vec![transform("a"), transform("b")])).collect();
        let ordered = order(&defaults, &[list(Project, &["b"])], &mut Diagnostics::new());
        for (at, ids) in ordered.slots {
            assert_eq!(ids.join(" "), if at == slot(SLOT) { "b a" } else { "a b" }, "{at}");
        }
        assert_eq!(ordered.rewrites.len(), 1);
    }

    #[test]
    fn a_later_list_replaces_an_earlier_one_whole() {
        let (ordered, _) = lay(&["a", "b", "c", "d"], &[list(Global, &["d", "c"]), list(Project, &["b"])]);
        assert_eq!(ordered.slots[&slot(SLOT)].join(" "), "b a c d", "nothing of the global list is left");
        assert_eq!(lines(&ordered.rewrites), ["project TOOL_CALL/pre d c a b → b a c d"]);
    }

    #[test]
    fn manifests_merge_slot_by_slot() {
        let both = vec![transform("a"), transform("b")];
        let defaults = BTreeMap::from([(slot("RENDER/pre"), both.clone()), (slot("RENDER/post"), both)]);
        let orderings = [
            ordering(Global, &json!({"hooks": {"RENDER/pre": ["b"]}})),
            ordering(Project, &json!({"hooks": {"RENDER/post": ["b"]}})),
        ];
        let ordered = order(&defaults, &orderings, &mut Diagnostics::new());
        assert!(ordered.slots.values().all(|ids| ids.join(" ") == "b a"), "{ordered:?}");
        assert_eq!(
            lines(&ordered.rewrites),
            ["global RENDER/pre a b → b a", "project RENDER/post a b → b a"]
        );
    }

    #[test]
    fn every_slot_that_a_project_names_is_reported_even_if_nothing_moves() {
        for (default, ids, expected) in [
            (&["a"][..], &["a"][..], "project TOOL_CALL/pre a → a"),
            (&["a", "b"], &["a"], "project TOOL_CALL/pre a b → a b"),
            (&["a", "b"], &["b"], "project TOOL_CALL/pre a b → b a"),
            (&["a"], &["x"], "project TOOL_CALL/pre a → a"),
            (&[], &["x"], "project TOOL_CALL/pre  → "),
        ] {
            let (ordered, diagnostics) = lay(default, &[list(Project, ids)]);
            assert_eq!(lines(&ordered.rewrites), [expected]);
            let rewrites: Vec<&Diagnostic> = diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.code.as_str() == "OrderingRewrite")
                .collect();
            assert_eq!(rewrites.len(), 1);
            assert_eq!(rewrites[0].severity, Severity::Warning);
        }
    }

    #[test]
    fn a_list_of_the_user_is_reported_only_if_something_moved() {
        let (ordered, diagnostics) = lay(&["a", "b"], &[list(Global, &["a"])]);
        assert!(ordered.rewrites.is_empty() && diagnostics.is_empty());
        let (ordered, diagnostics) = lay(&["a", "b"], &[list(Global, &["b"])]);
        assert_eq!(lines(&ordered.rewrites), ["global TOOL_CALL/pre a b → b a"]);
        assert_eq!(severities(&diagnostics), ["info OrderingRewrite"]);
    }

    #[test]
    fn a_bundled_order_is_nobody_s_rewrite() {
        let (ordered, diagnostics) = lay(&["a", "b"], &[list(Bundled, &["b"])]);
        assert_eq!(ordered.slots[&slot(SLOT)], ["b", "a"]);
        assert!(ordered.rewrites.is_empty() && diagnostics.is_empty());
    }

    #[test]
    fn the_previous_order_is_that_without_the_manifest() {
        let (ordered, diagnostics) = lay(&["a", "b", "c"], &[list(Global, &["c"]), list(Project, &["b"])]);
        assert_eq!(lines(&ordered.rewrites), ["project TOOL_CALL/pre c a b → b a c"]);
        assert_eq!(
            severities(&diagnostics),
            ["warning OrderingRewrite"],
            "without the global one the order is the same"
        );
    }

    #[test]
    fn an_id_without_a_hook_in_the_slot_is_reported_and_skipped() {
        let (ordered, diagnostics) = lay(&["audit"], &[list(Global, &["audti", "audit"])]);
        assert_eq!(ordered.slots[&slot(SLOT)], ["audit"]);
        assert_eq!(severities(&diagnostics), ["info ordering/unknown-hook"]);
        assert_eq!(diagnostics[0].help.as_deref(), Some("did you mean `audit`?"));
        assert_eq!(diagnostics[0].place.as_ref().and_then(|place| place.line), Some(1));
    }

    #[test]
    fn unknown_ids_are_reported_up_to_a_limit() {
        let ids: Vec<String> = (0..50_000).map(|at| format!("x{at}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let (_, diagnostics) = lay(&["a"], &[list(Global, &ids)]);
        assert_eq!(diagnostics.len(), 21);
        assert_eq!(
            diagnostics[20].message,
            "global/ordering.json lists 49980 more ids without an active hook"
        );
    }

    #[test]
    fn a_rewrite_in_json_has_the_names_of_the_spec() {
        let (ordered, _) = lay(&["a", "b"], &[list(Project, &["b"])]);
        let expected: Value =
            json!({"slot": SLOT, "scope": "project", "previousOrder": ["a", "b"], "newOrder": ["b", "a"]});
        assert_eq!(serde_json::to_value(&ordered.rewrites[0]).unwrap(), expected);
    }
}
