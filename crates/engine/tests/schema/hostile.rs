//! Schemas and values that were written to do harm: each is answered, on the stack of a thread, in a moment.

use preface_core::extension::{MOST_FAULTS, SchemaChecker, SchemaFault};
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
fn a_schema_that_is_only_itself_is_answered() {
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
        let _ = check(schema, json!({}));
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
fn a_schema_has_few_references() {
    for (wrap_schema, wrap_value) in WRAPS {
        let value = nested(15, json!(1), wrap_value);
        assert!(!matches!(check(chain(15, wrap_schema), value), Err(SchemaFault::Schema(_))));
    }
    let twice: [fn(Value) -> Value; 3] = [
        |next| json!({ "allOf": [next.clone(), next] }),
        |next| json!({ "anyOf": [next.clone(), next] }),
        |next| json!({ "oneOf": [{ "not": next }, next] }),
    ];
    for wrap in twice {
        let _ = check(chain(7, wrap), json!("x"));
        let message = "the schema has too many `$ref`: 16 are allowed".to_owned();
        assert_eq!(refused(chain(8, wrap), json!("x")), (String::new(), message));
    }
}

#[test]
fn nothing_outside_the_schema_is_read() {
    for reference in
        ["http://127.0.0.1:1/schema.json", "file:///etc/passwd", "other.json", "/etc/passwd", "urn:x:y"]
    {
        refused(json!({ "$ref": reference }), json!({}));
        refused(json!({ "properties": { "a/b": { "$dynamicRef": reference } } }), json!({}));
    }
    refused(json!({ "$schema": "http://127.0.0.1:1/" }), json!({}));
    refused(json!({ "$ref": "#/$defs/no" }), json!({}));
}

#[test]
fn no_message_has_the_value() {
    for schema in [
        json!({ "const": "b" }),
        json!({ "enum": ["b"] }),
        json!({ "pattern": "^b" }),
        json!({ "maxLength": 1 }),
        json!({ "type": "integer" }),
        json!({ "anyOf": [{ "const": "b" }] }),
        json!({ "not": {} }),
        json!(false),
    ] {
        let schema = json!({ "properties": { "apiKey": schema } });
        let Err(SchemaFault::Config(faults)) = check(schema, json!({ "apiKey": "hunter2" })) else {
            panic!()
        };
        assert_eq!(faults[0].pointer, "/apiKey");
        assert!(!faults[0].message.contains("hunter2"), "{faults:?}");
    }
}

#[test]
fn no_more_than_the_first_faults_are_told() {
    let config: Map<String, Value> = (10..99).map(|index| (format!("x{index}"), json!(1))).collect();
    let schema = json!({ "additionalProperties": { "type": "string" } });
    let Err(SchemaFault::Config(faults)) = check(schema, config.into()) else { panic!() };
    assert_eq!(faults.len(), MOST_FAULTS);
}

#[test]
fn formats_are_annotations() {
    for schema in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
    {
        assert_eq!(check(json!({ "$schema": schema, "format": "email" }), json!("no mail")), Ok(()));
    }
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
    assert!(faults[0].message.chars().count() <= 201, "{}", faults[0].message);
    let items: Vec<Value> = (0..20_000).map(|index| json!([index])).collect();
    let _ = check(json!({ "uniqueItems": true }), json!(items));
}
