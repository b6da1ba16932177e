//! `JsonSchema` against a checker that is plainly right: for a few forms of schemas it knows where a value does not fit.

use preface_core::extension::{MOST_FAULTS, SchemaChecker, SchemaFault};
use preface_engine::JsonSchema;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// The forms that the oracle knows.
#[derive(Clone, Debug)]
enum Form {
    Anything,
    Null,
    Boolean,
    Integer { least: i64, most: i64 },
    Text { least: usize, most: usize },
    OneOf(Vec<Value>),
    List { item: Box<Form>, most: usize },
    Table { members: Vec<(String, Form, Presence)> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Presence {
    Required,
    Optional,
}

impl Form {
    fn schema(&self) -> Value {
        match self {
            Form::Anything => json!({}),
            Form::Null => json!({ "type": "null" }),
            Form::Boolean => json!({ "type": "boolean" }),
            Form::Integer { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Form::Text { least, most } => json!({ "type": "string", "minLength": least, "maxLength": most }),
            Form::OneOf(values) => json!({ "enum": values }),
            Form::List { item, most } => json!({ "type": "array", "items": item.schema(), "maxItems": most }),
            Form::Table { members } => {
                let required = members.iter().filter(|(_, _, presence)| *presence == Presence::Required);
                let required: Vec<&String> = required.map(|(name, _, _)| name).collect();
                let properties: Map<String, Value> =
                    members.iter().map(|(name, form, _)| (name.clone(), form.schema())).collect();
                let mut schema =
                    json!({ "type": "object", "required": required, "additionalProperties": false });
                if !properties.is_empty() {
                    schema["properties"] = Value::Object(properties);
                }
                schema
            }
        }
    }

    /// Adds the places where `value` does not fit.
    fn misfits(&self, value: &Value, here: &str, places: &mut Vec<String>) {
        let fits = match (self, value) {
            (Form::Anything, _) | (Form::Null, Value::Null) | (Form::Boolean, Value::Bool(_)) => true,
            (Form::Integer { least, most }, Value::Number(number)) => {
                number.as_i64().is_some_and(|number| (least..=most).contains(&&number))
            }
            (Form::Text { least, most }, Value::String(text)) => {
                (least..=most).contains(&&text.chars().count())
            }
            (Form::OneOf(values), value) => values.contains(value),
            (Form::List { item, most }, Value::Array(items)) => {
                for (index, inner) in items.iter().enumerate() {
                    item.misfits(inner, &format!("{here}/{index}"), places);
                }
                items.len() <= *most
            }
            (Form::Table { members }, Value::Object(given)) => {
                for (name, form, presence) in members {
                    match given.get(name) {
                        Some(inner) => form.misfits(inner, &place(here, name), places),
                        None if *presence == Presence::Required => places.push(place(here, name)),
                        None => {}
                    }
                }
                let unknown = given.keys().filter(|name| members.iter().all(|(known, _, _)| known != *name));
                places.extend(unknown.map(|name| place(here, name)));
                true
            }
            _ => false,
        };
        if !fits {
            places.push(here.to_owned());
        }
    }
}

fn place(here: &str, name: &str) -> String {
    format!("{here}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "a/b", "m~n", "é", "", "$ref", "enum"]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..7).prop_map(Value::from),
        "[ab😀]{0,4}".prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn form() -> impl Strategy<Value = Form> {
    let leaf = prop_oneof![
        Just(Form::Anything),
        Just(Form::Null),
        Just(Form::Boolean),
        (-2_i64..3, 0_i64..4).prop_map(|(least, more)| Form::Integer { least, most: least + more }),
        (0_usize..3, 0_usize..3).prop_map(|(least, more)| Form::Text { least, most: least + more }),
        prop::collection::btree_map("[ab]{0,2}", scalar(), 1..4).prop_map(|values| {
            let mut distinct: Vec<Value> = Vec::new();
            for value in values.into_values() {
                if !distinct.contains(&value) {
                    distinct.push(value);
                }
            }
            Form::OneOf(distinct)
        }),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        let presence = prop_oneof![Just(Presence::Required), Just(Presence::Optional)];
        prop_oneof![
            (inner.clone(), 0_usize..4).prop_map(|(item, most)| Form::List { item: Box::new(item), most }),
            prop::collection::btree_map(name(), (inner, presence), 0..4).prop_map(|members| Form::Table {
                members: members.into_iter().map(|(name, (form, presence))| (name, form, presence)).collect(),
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn faults_are_where_the_oracle_sees_misfits(form in form(), value in value()) {
        let mut places = Vec::new();
        form.misfits(&value, "", &mut places);
        places.sort();
        places.dedup();
        let found = match JsonSchema.check(&form.schema(), &value) {
            Ok(()) => Vec::new(),
            Err(SchemaFault::Config(faults)) => faults,
            Err(SchemaFault::Schema(fault)) => panic!("{fault:?} in {}", form.schema()),
        };
        prop_assert!(found.len() <= MOST_FAULTS);
        let mut found: Vec<String> = found.into_iter().map(|fault| fault.pointer).collect();
        let full = found.len() == MOST_FAULTS;
        prop_assert!(found.is_sorted());
        found.dedup();
        if full {
            prop_assert!(places.starts_with(&found), "{found:?} are not the first of {places:?}");
        } else {
            prop_assert_eq!(found, places);
        }
    }
}
