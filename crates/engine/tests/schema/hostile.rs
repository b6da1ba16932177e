//! Schemas and values that were written to do harm: each is answered, on the stack of a thread, in a moment.

use preface_core::extension::{SchemaChecker, SchemaFault};
use preface_engine::JsonSchema;
use serde_json::{Map, Value, json};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Checks on a thread with the stack that Rust gives to one, and fails if that takes long.
fn check(schema: Value, config: Value) -> Result<(), SchemaFault> {
    let run = move || {
        let start = Instant::now();
        let answer = JsonSchema.check(&schema, &config);
        let taken = start.elapsed();
        // Sanitizers and busy machines are slow; what would hang takes hours.
        assert!(taken < Duration::from_secs(20), "the check took {taken:?}");
        answer
    };
    thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread starts").join().expect("no panic")
}

fn refused(schema: Value, config: Value) -> (String, String) {
    match check(schema, config) {
        Err(SchemaFault::Schema(fault)) => (fault.pointer, fault.message),
        other => panic!("the schema was not refused: {other:?}"),
    }
}

/// Definitions `d0`, `d1`, … of which each holds a reference to the next in the way that `wrap` says.
fn chain(length: usize, wrap: impl Fn(Value) -> Value) -> Value {
    let name = |index: usize| json!({ "$ref": format!("#/$defs/d{index}") });
    let mut definitions: Map<String, Value> =
        (0..length).map(|index| (format!("d{index}"), wrap(name(index + 1)))).collect();
    definitions.insert(format!("d{length}"), json!({ "type": "string" }));
    json!({ "$ref": "#/$defs/d0", "$defs": definitions })
}

fn nested(depth: usize, mut value: Value, wrap: impl Fn(Value) -> Value) -> Value {
    for _ in 0..depth {
        value = wrap(value);
    }
    value
}

/// Every way to hold a schema, with a value that goes on inside.
type Wrap = (fn(Value) -> Value, fn(Value) -> Value);
const WRAPS: [Wrap; 15] = [
    (|schema| json!({ "not": schema }), |value| value),
    (|schema| json!({ "allOf": [{ "minLength": 0 }, schema] }), |value| value),
    (|schema| json!({ "anyOf": [{ "type": "null" }, schema] }), |value| value),
    (|schema| json!({ "oneOf": [{ "type": "null" }, schema] }), |value| value),
    (|schema| json!({ "if": { "type": "null" }, "else": schema }), |value| value),
    (|schema| json!({ "if": schema, "then": true }), |value| value),
    (|schema| json!({ "allOf": [schema], "unevaluatedProperties": false }), |value| value),
    (|schema| json!({ "anyOf": [schema], "unevaluatedItems": false }), |value| value),
    (|schema| json!({ "properties": { "a": schema } }), |value| json!({ "a": value })),
    (|schema| json!({ "patternProperties": { "^a+$": schema } }), |value| json!({ "a": value })),
    (|schema| json!({ "additionalProperties": schema }), |value| json!({ "a": value })),
    (|schema| json!({ "unevaluatedProperties": schema }), |value| json!({ "a": value })),
    (|schema| json!({ "items": schema }), |value| json!([value])),
    (|schema| json!({ "prefixItems": [schema] }), |value| json!([value])),
    (|schema| json!({ "contains": schema }), |value| json!([value])),
];

#[test]
fn a_schema_that_is_only_itself_is_refused() {
    let endless = "the schema refers to itself without going deeper into the value";
    for schema in [
        json!({ "$ref": "#" }),
        json!({ "$dynamicRef": "#" }),
        json!({ "allOf": [{ "$ref": "#" }] }),
        json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] }),
        json!({ "not": { "$ref": "#" } }),
        json!({ "$anchor": "me", "if": { "$ref": "#me" } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/b" }, "b": { "$ref": "#/$defs/a" } } }),
        json!({ "$schema": "http://json-schema.org/draft-07/schema#", "allOf": [{ "$ref": "#" }] }),
    ] {
        assert_eq!(refused(schema.clone(), json!({})), (String::new(), endless.to_owned()), "{schema}");
    }
}

#[test]
fn a_schema_that_refers_to_itself_for_what_is_inside_is_fine() {
    let tree = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "children": { "type": "array", "items": { "$ref": "#" } } },
        "additionalProperties": false,
    });
    let deep = |leaf: Value| nested(40, leaf, |child| json!({ "name": "x", "children": [child] }));
    assert_eq!(check(tree.clone(), deep(json!({}))), Ok(()));
    let Err(SchemaFault::Config(faults)) = check(tree, deep(json!({ "name": 1 }))) else { panic!() };
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].pointer, format!("{}/name", "/children/0".repeat(40)));
}

#[test]
fn every_way_to_refer_to_oneself_is_answered_at_every_depth() {
    for (wrap_schema, wrap_value) in WRAPS {
        for depth in [10, 40, 80, 126] {
            let value = nested(depth, json!(1), wrap_value);
            let _ = check(wrap_schema(json!({ "$ref": "#" })), value.clone());
            let _ = check(
                wrap_schema(json!({ "allOf": [{ "$ref": "#" }], "unevaluatedItems": false })),
                value.clone(),
            );
            let _ = check(wrap_schema(json!({ "anyOf": [{ "type": "integer" }, { "$ref": "#" }] })), value);
        }
    }
}

#[test]
fn every_way_to_nest_is_answered_at_the_depth_that_a_file_can_have() {
    for (wrap_schema, wrap_value) in WRAPS {
        for depth in [20, 41, 64, 126] {
            let schema = nested(depth, json!({ "type": "string" }), wrap_schema);
            let value = nested(depth.min(126), json!(1), wrap_value);
            let _ = check(schema, value);
        }
    }
}

#[test]
fn every_chain_of_references_is_answered() {
    for (wrap_schema, wrap_value) in WRAPS {
        for length in [20, 60, 80, 100, 128, 160, 250, 500, 3000] {
            let value = nested(length.min(120), json!(1), wrap_value);
            let _ = check(chain(length, wrap_schema), value);
        }
    }
    let (_, message) = refused(chain(3000, |schema| schema), json!(1));
    assert!(message.starts_with("the schema and its references nest too deeply: "), "{message}");
}

#[test]
fn what_doubles_with_each_step_is_refused() {
    let too_many = "the schema takes too many steps to check this value: 1000000 are allowed";
    let wraps: [fn(Value) -> Value; 4] = [
        |next| json!({ "allOf": [next.clone(), next] }),
        |next| json!({ "anyOf": [next.clone(), next] }),
        |next| json!({ "oneOf": [{ "not": next }, next] }),
        |next| json!({ "allOf": [next], "unevaluatedProperties": false }),
    ];
    for wrap in wraps {
        assert_eq!(refused(chain(40, wrap), json!("x")), (String::new(), too_many.to_owned()));
    }
    let twice = json!({ "allOf": [
        { "properties": { "child": { "$ref": "#" } } },
        { "properties": { "child": { "$ref": "#" } } },
    ] });
    let config = nested(60, json!({}), |child| json!({ "child": child }));
    assert_eq!(refused(twice, config), (String::new(), too_many.to_owned()));
}

#[test]
fn values_that_nest_deeper_than_a_file_are_a_fault_of_the_value() {
    let config = nested(200, json!(1), |inner| json!([inner]));
    let Err(SchemaFault::Config(faults)) = check(json!({}), config) else { panic!() };
    assert_eq!(faults[0].message, "the value nests too deeply: 128 levels are allowed");
    let schema = nested(200, json!({}), |inner| json!({ "not": inner }));
    assert_eq!(refused(schema, json!({})).1, "the schema nests too deeply: 128 levels are allowed");
}

#[test]
fn nothing_outside_the_schema_is_read() {
    let message =
        |reference: &str| format!("must stay inside the schema and start with `#`, but is `{reference}`");
    for reference in [
        "http://127.0.0.1:1/schema.json",
        "https://json-schema.org/draft/2020-12/schema",
        "file:///etc/passwd",
        "other.json",
        "other.json#/a",
        "/etc/passwd",
        "urn:x:y",
        "",
    ] {
        let at_top = json!({ "$ref": reference });
        assert_eq!(refused(at_top, json!({})), ("/$ref".to_owned(), message(reference)));
        let inside = json!({ "properties": { "a/b": { "$dynamicRef": reference } } });
        assert_eq!(
            refused(inside, json!({})),
            ("/properties/a~1b/$dynamicRef".to_owned(), message(reference))
        );
    }
    let moved = json!({ "properties": { "a": { "$id": "http://127.0.0.1:1/", "$ref": "#/x" } } });
    assert_eq!(refused(moved, json!({})).0, "/properties/a/$id");
    assert_eq!(refused(json!({ "$schema": "http://127.0.0.1:1/" }), json!({})).0, "/$schema");
}

#[test]
fn a_reference_leads_to_a_schema() {
    for (schema, message) in [
        (json!({ "$ref": "#/$defs/no" }), "leads nowhere: `#/$defs/no`"),
        (json!({ "$ref": "#no" }), "leads nowhere: `#no`"),
        (json!({ "$ref": "#/enum/0", "enum": [{}] }), "leads to something that is not a schema: `#/enum/0`"),
        (json!({ "$ref": "#/x", "x": { "enum": 5 } }), "leads to something that is not a schema: `#/x`"),
        (
            json!({ "$ref": "#/%24defs/a", "$defs": { "a": {} } }),
            "write the reference without `%`: `#/%24defs/a`",
        ),
    ] {
        assert_eq!(refused(schema, json!({})), ("/$ref".to_owned(), message.to_owned()));
    }
    // Properties may be called like keywords, and data may look like them.
    let named =
        json!({ "properties": { "$ref": { "const": { "$ref": "x" } }, "$id": {}, "enum": { "enum": [1] } } });
    assert_eq!(check(named, json!({ "$ref": { "$ref": "x" }, "$id": 1, "enum": 1 })), Ok(()));
}

#[test]
fn patterns_take_linear_time_or_are_refused() {
    let text = "a".repeat(200_000);
    for pattern in ["^(a+)+$", "(a*)*b", "(a|aa)+$", "(.*)(.*)(.*)(.*)x", "^(([a-z])+.)+[A-Z]([a-z])+$"] {
        let _ = check(json!({ "pattern": pattern }), json!(text));
    }
    for pattern in [
        "(?=a)b",
        "(?<!a)b",
        "(a+)\\1",
        "(",
        "((a{1,1000}){1,1000}){1,1000}",
        "^.{0,404600}$",
        "\\p{L}{200}",
        "(((((a{50}){50}){50}){50}){50})",
    ] {
        assert_eq!(refused(json!({ "pattern": pattern }), json!("")).0, "/pattern", "{pattern}");
        let _ = refused(json!({ "patternProperties": { pattern: true } }), json!({}));
    }
    let deep = format!("{}{}", "(".repeat(50_000), ")".repeat(50_000));
    assert_eq!(refused(json!({ "pattern": deep }), json!("")).0, "/pattern");
    assert_eq!(check(json!({ "pattern": "^\\p{L}[\\w-]*\\d{2,4}\\s?$" }), json!("Ä-b123 ")), Ok(()));
}

#[test]
fn absurd_numbers_are_answered() {
    for keyword in [
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "minProperties",
        "maxProperties",
        "minContains",
        "maxContains",
    ] {
        for limit in [json!(u64::MAX), json!(1e300), json!(1e19), json!(0), json!(-0.0)] {
            for value in [json!("x"), json!(["x"]), json!({ "x": 1 })] {
                let _ = check(json!({ keyword: limit, "contains": true }), value);
            }
        }
        for limit in [json!(-1), json!(1.5), json!("1")] {
            assert_eq!(refused(json!({ keyword: limit }), json!("x")).0, format!("/{keyword}"));
        }
    }
    let numbers =
        [json!(u64::MAX), json!(i64::MIN), json!(1e308), json!(5e-324), json!(-1e308), json!(0.1), json!(3)];
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const"] {
        for limit in &numbers {
            for value in &numbers {
                let _ = check(json!({ keyword: limit }), value.clone());
            }
        }
    }
    assert_eq!(refused(json!({ "multipleOf": 0 }), json!(1)).0, "/multipleOf");
}

#[test]
fn large_lists_are_answered() {
    let options: Vec<String> = (0..20_000).map(|index| format!("o{index}")).collect();
    let Err(SchemaFault::Config(faults)) = check(json!({ "enum": options }), json!("x")) else { panic!() };
    assert_eq!(
        faults[0].message,
        "must be one of `o0`, `o1`, `o2`, `o3`, `o4`, `o5`, `o6`, `o7` and 19992 more, but is `x`"
    );
    let schema = json!({ "enum": ["x".repeat(300_000)] });
    assert_eq!(refused(schema, json!(1)).1, "the schema is too large: 256 KiB are allowed");
    let items: Vec<Value> = (0..20_000).map(|index| json!([index])).collect();
    let _ = check(json!({ "uniqueItems": true }), json!(items));
    let forms: Vec<Value> = (0..5_000).map(|index| json!({ "const": index })).collect();
    let value = json!(vec![json!("x".repeat(1000)); 1000]);
    let (_, message) = refused(json!({ "items": { "anyOf": forms } }), value);
    assert!(message.starts_with("the schema takes too many steps"), "{message}");
}
