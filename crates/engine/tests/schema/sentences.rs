//! What a person reads: for each kind of fault its place and its sentence.

use preface_core::extension::{MOST_FAULTS, SchemaChecker, SchemaFault};
use preface_engine::JsonSchema;
use serde_json::{Value, json};

fn faults(schema: &Value, config: &Value) -> Vec<(String, String)> {
    match JsonSchema.check(schema, config) {
        Err(SchemaFault::Config(faults)) => {
            faults.into_iter().map(|fault| (fault.pointer, fault.message)).collect()
        }
        other => panic!("expected faults of the value, got {other:?} for {schema} and {config}"),
    }
}

#[test]
fn each_kind_of_fault_has_its_sentence() {
    let member = |schema: Value| json!({ "type": "object", "properties": { "n": schema } });
    for (schema, value, sentence) in [
        (json!({ "type": "string" }), json!(1), "must be a string, but is a number"),
        (json!({ "type": ["integer", "null"] }), json!(true), "must be null or an integer, but is a boolean"),
        (json!({ "type": "integer" }), json!(1.5), "must be an integer, but is a number with a fraction"),
        (
            json!({ "enum": ["a", 1, null, {}] }),
            json!("b"),
            "must be one of `a`, `1`, `null`, an object, but is `b`",
        ),
        (json!({ "const": "a" }), json!(["b"]), "must be `a`, but is an array"),
        (json!({ "minimum": 0 }), json!(-1), "must be at least `0`, but is `-1`"),
        (json!({ "maximum": 9.5 }), json!(10), "must be at most `9.5`, but is `10`"),
        (json!({ "exclusiveMinimum": 0 }), json!(0), "must be more than `0`, but is `0`"),
        (json!({ "exclusiveMaximum": 9 }), json!(9), "must be less than `9`, but is `9`"),
        (json!({ "multipleOf": 2 }), json!(3), "must be a multiple of `2`, but is `3`"),
        (json!({ "minLength": 2 }), json!("é"), "must have at least 2 characters"),
        (json!({ "maxLength": 1 }), json!("ab"), "must have at most 1 character"),
        (json!({ "pattern": "^a" }), json!("b\n"), "must match the pattern `^a`, but is `b\\u{a}`"),
        (json!({ "minItems": 1 }), json!([]), "must have at least 1 item"),
        (json!({ "maxItems": 2 }), json!([1, 2, 3]), "must have at most 2 items"),
        (json!({ "minProperties": 2 }), json!({}), "must have at least 2 properties"),
        (json!({ "maxProperties": 1 }), json!({ "a": 1, "b": 1 }), "must have at most 1 property"),
        (json!({ "uniqueItems": true }), json!([1, 1]), "must not have the same item twice"),
        (
            json!({ "contains": { "const": 1 } }),
            json!([2]),
            "has the wrong number of items that fit `contains`",
        ),
        (
            json!({ "anyOf": [{ "type": "null" }, { "const": 1 }] }),
            json!(2),
            "fits none of the forms that are allowed",
        ),
        (
            json!({ "oneOf": [{ "type": "null" }, { "const": 1 }] }),
            json!(2),
            "fits none of the forms that are allowed",
        ),
        (
            json!({ "oneOf": [true, true] }),
            json!(2),
            "fits more than one of the forms of which it must fit one",
        ),
        (json!({ "not": {} }), json!(2), "fits a form that is not allowed"),
        (json!(false), json!(2), "is not allowed"),
    ] {
        let found = faults(&member(schema), &json!({ "n": value }));
        assert_eq!(found, [("/n".to_owned(), sentence.to_owned())]);
    }
}

#[test]
fn a_property_that_is_missing_or_unknown_is_pointed_to_itself() {
    let schema = json!({
        "type": "object",
        "properties": { "retries": {}, "a/b": {}, "list": { "items": { "type": "integer" } } },
        "required": ["retries", "a/b"],
        "additionalProperties": false,
    });
    let found = faults(&schema, &json!({ "m~n": 1, "zeal": 2, "list": [1, "x"] }));
    let unknown = "is not a property that the schema knows".to_owned();
    let missing = "is missing, but required".to_owned();
    assert_eq!(
        found,
        [
            ("/a~1b".to_owned(), missing.clone()),
            ("/list/1".to_owned(), "must be an integer, but is a string".to_owned()),
            ("/m~0n".to_owned(), unknown.clone()),
            ("/retries".to_owned(), missing),
            ("/zeal".to_owned(), unknown.clone()),
        ]
    );
    let unevaluated = json!({ "allOf": [{ "properties": { "a": {} } }], "unevaluatedProperties": false });
    assert_eq!(faults(&unevaluated, &json!({ "a": 1, "b": 2 })), [("/b".to_owned(), unknown.clone())]);
    // Without `properties` the crate jsonschema reports it in another way.
    let nothing =
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "items": { "additionalProperties": false } } } });
    assert_eq!(
        faults(&nothing, &json!([{ "c": 2, "b": {} }])),
        [("/0/b".to_owned(), unknown.clone()), ("/0/c".to_owned(), unknown)]
    );
    let member = json!({ "properties": { "additionalProperties": false } });
    assert_eq!(
        faults(&member, &json!({ "additionalProperties": { "a": 1 } })),
        [("/additionalProperties".to_owned(), "is not allowed".to_owned())]
    );
    let names = json!({ "propertyNames": { "maxLength": 1 } });
    let found = faults(&names, &json!({ "ab": 1 }));
    let sentence = "has a name that is not allowed: must have at most 1 character";
    assert_eq!(found, [("/ab".to_owned(), sentence.to_owned())]);
}

#[test]
fn no_more_than_the_first_faults_are_told() {
    let config: serde_json::Map<String, Value> =
        (10..99).map(|index| (format!("x{index}"), json!(1))).collect();
    let found = faults(&json!({ "additionalProperties": false }), &Value::Object(config));
    let places: Vec<String> = found.into_iter().map(|(place, _)| place).collect();
    let first: Vec<String> = (10..10 + MOST_FAULTS).map(|index| format!("/x{index}")).collect();
    assert_eq!(places, first);
}

#[test]
fn secrets_and_long_values_are_not_shown() {
    for name in ["apiKey", "accessToken", "client_secret", "PASSWORD"] {
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
            let schema = json!({ "properties": { name: schema } });
            for (_, message) in faults(&schema, &json!({ name: "hunter2" })) {
                assert!(!message.contains("hunter2"), "{message}");
            }
        }
    }
    let below = json!({ "properties": { "secrets": { "items": { "minimum": 5000 } } } });
    assert_eq!(
        faults(&below, &json!({ "secrets": [4321] })),
        [("/secrets/0".to_owned(), "must be at least `5000`".to_owned())]
    );
    let long = "ä".repeat(500);
    let found = faults(&json!({ "pattern": "^b" }), &json!(long));
    assert_eq!(found[0].1, format!("must match the pattern `^b`, but is `{}…`", "ä".repeat(80)));
}

#[test]
fn faults_of_the_schema_say_where_in_the_schema() {
    for (schema, pointer, message) in [
        (json!(5), "", "must be a boolean or an object, but is a number"),
        (json!({ "type": "text" }), "/type", "fits none of the forms that are allowed"),
        (
            json!({ "properties": { "a": { "minLength": -1 } } }),
            "/properties/a/minLength",
            "must be at least `0`, but is `-1`",
        ),
        (
            json!({ "pattern": "(?=a)" }),
            "/pattern",
            "is not a regular expression, or not one that takes linear time (no look-around, no back-references, no \
             large repetitions): `(?=a)`",
        ),
        (
            json!({ "items": { "$ref": "a.json" } }),
            "/items/$ref",
            "must stay inside the schema and start with `#`, but is `a.json`",
        ),
    ] {
        let Err(SchemaFault::Schema(fault)) = JsonSchema.check(&schema, &json!({})) else {
            panic!("{schema}")
        };
        assert_eq!((fault.pointer.as_str(), fault.message.as_str()), (pointer, message));
    }
}

#[test]
fn formats_are_annotations() {
    for schema in ["https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#"]
    {
        let schema = json!({ "$schema": schema, "format": "email" });
        assert_eq!(JsonSchema.check(&schema, &json!("no mail")), Ok(()));
    }
}
