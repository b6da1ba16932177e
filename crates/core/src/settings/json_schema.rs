//! The JSON Schemas (draft 2020-12) of the files of a layer. That of `settings.json` is derived from the
//! types of settings; the others are files beside this one.

use super::schema::SCHEMA;
use serde_json::Value;

/// A published schema.
#[derive(Clone, Copy, Debug)]
pub struct PublishedSchema {
    /// The name for requesting it.
    pub name: &'static str,
    /// The file that it describes.
    pub about: &'static str,
    text: Option<&'static str>,
}

/// All published schemas, sorted by name.
pub const SCHEMAS: &[PublishedSchema] = &[
    PublishedSchema {
        name: "manifest",
        about: "manifest.json of an extension",
        text: Some(include_str!("json_schema/manifest.json")),
    },
    PublishedSchema {
        name: "mcp",
        about: "mcp.json: MCP servers by id",
        text: Some(include_str!("json_schema/mcp.json")),
    },
    PublishedSchema {
        name: "ordering",
        about: "ordering.json: the order of hooks",
        text: Some(include_str!("json_schema/ordering.json")),
    },
    PublishedSchema { name: "settings", about: "settings.json", text: None },
];

impl PublishedSchema {
    /// Returns the schema.
    ///
    /// ```
    /// use preface_core::settings::SCHEMAS;
    /// let settings = SCHEMAS.iter().find(|schema| schema.name == "settings").unwrap().document();
    /// assert_eq!(settings["properties"]["budget"]["properties"]["tokens"]["minimum"], 0);
    /// ```
    ///
    /// # Panics
    /// Never: a test reads the texts.
    #[must_use]
    pub fn document(&self) -> Value {
        match self.text {
            Some(text) => serde_json::from_str(text).expect("the schemas beside this file are JSON"),
            None => SCHEMA.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{diagnostic::Severity, scope::Scope, settings::parse};
    use serde_json::json;

    /// As much of a validator as these schemas need; what it does not know it refuses to ignore.
    fn fits(schema: &Value, value: &Value) -> bool {
        let Some(schema) = schema.as_object() else { return schema == &json!(true) };
        schema.iter().all(|(word, argument)| match word.as_str() {
            "$schema" | "$id" | "$defs" | "title" | "description" => true,
            _ if word.starts_with("x-") => true,
            "$ref" => fits(SCHEMA.pointer(&argument.as_str().unwrap()[1..]).unwrap(), value),
            "anyOf" => argument.as_array().is_some_and(|any| any.iter().any(|schema| fits(schema, value))),
            "type" => {
                let kinds: Vec<&str> = match argument {
                    Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                kinds.iter().any(|kind| match *kind {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "string" => value.is_string(),
                    "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    other => panic!("the validator does not know the type {other}"),
                })
            }
            "enum" => argument.as_array().is_some_and(|words| words.contains(value)),
            "minimum" => value.as_f64().is_none_or(|number| number >= argument.as_f64().unwrap()),
            "maxLength" => {
                value.as_str().is_none_or(|text| text.chars().count() as u64 <= argument.as_u64().unwrap())
            }
            "pattern" => value.as_str().is_none_or(|text| match argument.as_str().unwrap() {
                "\\S" => !text.trim().is_empty(),
                "(^|[/\\\\])\\.\\.([/\\\\]|$)" => text.split(['/', '\\']).any(|part| part == ".."),
                "^!?[A-Za-z0-9_]+:" => {
                    text.trim_start_matches('!').split_once(':').is_some_and(|(kind, _)| {
                        !kind.is_empty() && kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
                    })
                }
                other => panic!("the validator does not know the pattern {other}"),
            }),
            "not" => !fits(argument, value),
            "items" => value.as_array().is_none_or(|items| items.iter().all(|item| fits(argument, item))),
            "properties" => value.as_object().is_none_or(|map| {
                map.iter().all(|(key, value)| argument.get(key).is_none_or(|schema| fits(schema, value)))
            }),
            "additionalProperties" => value.as_object().is_none_or(|map| {
                let known = schema.get("properties").and_then(Value::as_object);
                map.iter()
                    .filter(|(key, _)| known.is_none_or(|known| !known.contains_key(*key)))
                    .all(|(_, value)| fits(argument, value))
            }),
            other => panic!("the validator does not know {other}"),
        })
    }

    #[test]
    fn schemas_are_listed_by_name_and_can_be_read() {
        let names: Vec<&str> = SCHEMAS.iter().map(|schema| schema.name).collect();
        assert!(
            names.windows(2).all(|pair| pair[0] < pair[1]),
            "SCHEMAS must stay sorted by name: {names:?}"
        );
        for schema in SCHEMAS {
            let document = schema.document();
            assert_eq!(document["$id"], format!("preface:{}", schema.name));
            assert_eq!(document["$schema"], "https://json-schema.org/draft/2020-12/schema");
        }
    }

    #[test]
    fn the_reader_and_the_schema_agree() {
        let samples = [
            (true, json!({})),
            (true, json!({"sections": {"a": {"when": {"all": ["!tool:read"]}}}})),
            (true, json!({"budget": {"tokens": 9000, "onOver": "cut"}})),
            (true, json!({"budget": null})),
            (true, json!({"budget": {"tokens": null, "onOver": null}})),
            (true, json!({"budget": {"tokens": 5.0}})),
            (true, json!({"env": {"A": "${A}", "B": null}, "logging": {"any": [1, {"thing": true}]}})),
            (true, json!({"tools": {"Bash": {"disable": true, "timeout": 5}, "Edit": null}})),
            (true, json!({"providers": {"p": {"url": "x", "apiKey": "${KEY}"}}})),
            (
                true,
                json!({"sections": {"a": {"text": "t", "when": {"any": ["git:branch"]}, "priority": -5}}}),
            ),
            (true, json!({"sections": {"a": {"when": {"any": null, "none": [{"all": ["tool:read"]}]}}}})),
            (true, json!({"sections": {"a": {"when": null}}})),
            (true, json!({"securityMode": {"allowlist": ["a", "b"], "mode": "ask"}})),
            (
                true,
                json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a..md"}}, "x": {"y": 1}}}),
            ),
            (false, json!({"$schema": "preface:settings"})),
            (false, json!({"mcp": {}})),
            (false, json!({"budget": 5})),
            (false, json!({"budget": {"tokens": -1}})),
            (false, json!({"budget": {"tokens": 1.5}})),
            (false, json!({"budget": {"tokens": "5"}})),
            (false, json!({"budget": {"onOver": "explode"}})),
            (false, json!({"budget": {"tokns": 5}})),
            (false, json!({"env": {"A": 5}})),
            (false, json!({"tools": {"Bash": true}})),
            (false, json!({"tools": {"Bash": {"disable": "yes"}}})),
            (false, json!({"sections": {"a": {"txt": "t"}}})),
            (false, json!({"sections": {"a": {"when": {"al": ["git:branch"]}}}})),
            (false, json!({"sections": {"a": {"when": {"all": ["branch"]}}}})),
            (false, json!({"sections": {"a": {"when": {"all": [{"non": []}]}}}})),
            (false, json!({"sections": {"a": {"when": {"none": null}}}})),
            (false, json!({"sections": {"a": {"when": ["git:branch"]}}})),
            (false, json!({"securityMode": {"allowlist": ["a", null]}})),
            (false, json!({"securityMode": {"allowlist": "a"}})),
            (false, json!({"contextProviders": {"SystemPromptFile": {"maxTokens": -1}}})),
            (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": "a/../b"}}}})),
            (false, json!({"contextProviders": {"SystemPromptFile": {"paths": {"global": " "}}}})),
            (false, json!({"contextProviders": {"SystemPromptFile": {"colour": "red"}}})),
            (false, json!([])),
            (false, json!(null)),
        ];
        for (good, sample) in samples {
            let (layer, mut diagnostics) = parse(Scope::Global, "s", sample.to_string().as_bytes());
            let _ = super::super::merge(layer.into_iter().collect(), &mut diagnostics);
            let bad = |code: &str| code == "settings/schema-violation";
            let read = !diagnostics
                .iter()
                .any(|diagnostic| diagnostic.severity == Severity::Error || bad(diagnostic.code.as_str()));
            assert_eq!(read, good, "the reader: {sample} {diagnostics:?}");
            assert_eq!(fits(&SCHEMA, &sample), good, "the schema: {sample}");
        }
    }
}
