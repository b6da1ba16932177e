//! A short form of JSON Schemas. The types of the library come from their derives.

use serde_json::{Map, Value, json};
use utoipa::ToSchema;

/// The schemas that others name.
pub type Definitions = Map<String, Value>;

pub fn text(about: &str) -> Value {
    json!({ "type": "string", "description": about })
}

pub fn words(about: &str, values: &[&str]) -> Value {
    json!({ "type": "string", "enum": values, "description": about })
}

pub fn number(about: &str) -> Value {
    json!({ "type": "integer", "minimum": 0, "description": about })
}

pub fn flag(about: &str) -> Value {
    json!({ "type": "boolean", "description": about })
}

pub fn any(about: &str) -> Value {
    json!({ "description": about })
}

pub fn map(about: &str, value: Value) -> Value {
    json!({ "type": "object", "additionalProperties": value, "description": about })
}

/// A value or null.
pub fn maybe(schema: Value) -> Value {
    match schema["type"].as_str() {
        Some(kind) if schema.get("enum").is_none() => {
            let kind = kind.to_owned();
            let mut schema = schema;
            schema["type"] = json!([kind, "null"]);
            schema
        }
        _ => json!({ "oneOf": [{ "type": "null" }, schema] }),
    }
}

pub fn list(about: &str, items: Value) -> Value {
    json!({ "type": "array", "items": items, "description": about })
}

pub fn texts(about: &str) -> Value {
    list(about, json!({ "type": "string" }))
}

/// A definition.
pub fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

/// An object with these keys and no others; one that ends in `?` can be absent.
pub fn object(fields: &[(&str, Value)]) -> Value {
    let required: Vec<&str> = fields.iter().map(|(key, _)| *key).filter(|key| !key.ends_with('?')).collect();
    let properties: Definitions =
        fields.iter().map(|(key, schema)| (key.trim_end_matches('?').to_owned(), schema.clone())).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The keys of several objects in one.
pub fn all(parts: &[Value]) -> Value {
    json!({ "allOf": parts })
}

pub fn one_of(parts: &[Value]) -> Value {
    json!({ "oneOf": parts })
}

pub fn any_of(parts: &[Value]) -> Value {
    json!({ "anyOf": parts })
}

pub fn diagnostics() -> Value {
    list("The diagnostics.", named("Diagnostic"))
}

/// The document of a list.
pub fn document(kind: &str, entry: Value) -> Value {
    object(&[
        ("kind", json!({ "type": "string", "const": kind, "description": "The kind of the entries." })),
        ("entries", list("The entries, in the order of the table.", entry)),
        ("diagnostics", diagnostics()),
    ])
}

/// Adds a type of the library, with the types that it names, and returns a reference to it.
pub fn derived<T: ToSchema>(definitions: &mut Definitions) -> Value {
    derived_as::<T>(&T::name(), definitions)
}

/// The same for a generic type, whose name does not tell its parameters.
pub fn derived_as<T: ToSchema>(name: &str, definitions: &mut Definitions) -> Value {
    let mut schemas = vec![(name.to_owned(), T::schema())];
    T::schemas(&mut schemas);
    for (name, schema) in schemas {
        let json = serde_json::to_string(&schema).expect("a schema is JSON");
        let json = json.replace("#/components/schemas/", "#/$defs/");
        definitions.insert(name, serde_json::from_str(&json).expect("a schema is JSON"));
    }
    named(name)
}

fn target<'d>(schema: &Value, definitions: &'d Definitions) -> Option<&'d Value> {
    definitions.get(schema["$ref"].as_str()?.strip_prefix("#/$defs/")?)
}

/// Joins the objects of an `allOf`; `None` where a part of it is a choice.
fn joined(schema: &Value, definitions: &Definitions) -> Option<Value> {
    if let Some(target) = target(schema, definitions) {
        return joined(target, definitions);
    }
    let Some(parts) = schema["allOf"].as_array() else {
        return schema["properties"].is_object().then(|| schema.clone());
    };
    let mut whole = json!({ "type": "object", "properties": {}, "required": [] });
    for part in parts {
        let part = joined(part, definitions)?;
        for (key, value) in part["properties"].as_object()? {
            whole["properties"][key] = value.clone();
        }
        let more = part["required"].as_array().cloned().unwrap_or_default();
        whole["required"].as_array_mut()?.extend(more);
        if let Some(more) = part.get("additionalProperties") {
            whole["additionalProperties"] = more.clone();
        }
    }
    Some(whole)
}

/// Forbids keys that are not described, in every object. `open`: the part of an `allOf`, whose other parts have more keys.
pub fn closed(schema: &Value, definitions: &Definitions, open: bool) -> Value {
    if schema.get("allOf").is_some()
        && let Some(whole) = joined(schema, definitions)
    {
        return closed(&whole, definitions, open);
    }
    if open && let Some(target) = target(schema, definitions) {
        return closed(target, definitions, open);
    }
    let Some(fields) = schema.as_object() else { return schema.clone() };
    let mut done = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                let close =
                    |(key, value): (&String, &Value)| (key.clone(), closed(value, definitions, false));
                fields.iter().map(close).collect::<Map<_, _>>().into()
            }
            ("oneOf" | "anyOf", Value::Array(parts)) => {
                parts.iter().map(|part| closed(part, definitions, open)).collect()
            }
            ("allOf", Value::Array(parts)) => {
                parts.iter().map(|part| closed(part, definitions, true)).collect()
            }
            ("items" | "additionalProperties", value) => closed(value, definitions, false),
            _ => value.clone(),
        };
        done.insert(key.clone(), value);
    }
    if !open && done.contains_key("allOf") {
        done.insert("unevaluatedProperties".into(), false.into());
    } else if !open && done.contains_key("properties") {
        done.entry("additionalProperties").or_insert(false.into());
    }
    done.into()
}

/// Adds the definitions that a schema names, and those that they name.
pub fn with_definitions(mut schema: Value, definitions: &Definitions) -> Value {
    let mut used = Definitions::new();
    let mut wanted = names(&schema);
    while let Some(name) = wanted.pop() {
        if used.contains_key(&name) {
            continue;
        }
        let found = definitions.get(&name).unwrap_or_else(|| panic!("no definition `{name}`"));
        let found = closed(found, definitions, false);
        wanted.extend(names(&found));
        used.insert(name, found);
    }
    if !used.is_empty() {
        used.sort_keys();
        schema["$defs"] = used.into();
    }
    schema
}

fn names(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/"));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(names)).collect()
        }
        Value::Array(items) => items.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}
