//! The parameters that the description of a tool names: the schema takes their names.

use crate::profile::Parameter;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the schema with the names of parameters that the text uses; `None` if it has them already.
pub(super) fn fitted(schema: &Value, parameters: &BTreeMap<String, Parameter>, text: &str) -> Option<Value> {
    let words: BTreeSet<&str> = text.split(|c: char| !is_of_name(c)).collect();
    let used: Vec<_> = parameters.iter().filter(|(name, _)| words.contains(name.as_str())).collect();
    let mut fitted = schema.clone();
    for (name, parameter) in &used {
        match (&parameter.replaces, &parameter.schema) {
            (Some(replaced), schema) => rename(&mut fitted, replaced, name, schema.as_ref()),
            (None, Some(schema)) => add(&mut fitted, name, schema),
            (None, None) => {}
        }
    }
    (!used.is_empty()).then_some(fitted)
}

/// Returns the first name of a parameter in a text that the schema does not have, nor takes from `parameters`.
#[must_use]
pub fn unknown_parameter<'t>(
    schema: &Value,
    parameters: &BTreeMap<String, Parameter>,
    text: &'t str,
) -> Option<&'t str> {
    let mut known = BTreeSet::new();
    properties(schema, &mut known);
    named(text).into_iter().find(|name| !known.contains(name) && !parameters.contains_key(*name))
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The words that a text calls a parameter: a name of code before the word `parameter`, before `: true` or `: false`, or before
/// `=` and a word.
fn named(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_of_name).map(|from| at + from) {
        let end = text[start..].find(|c| !is_of_name(c)).map_or(text.len(), |len| start + len);
        let (name, rest) = (&text[start..end], &text[end..]);
        at = end;
        let is_of_code = name.contains('_') || name.chars().skip(1).any(|c| c.is_ascii_uppercase());
        let starts_low = name.starts_with(|c: char| c.is_ascii_lowercase());
        let is_quoted = text[..start].ends_with('`') && rest.starts_with('`');
        let is_called_so = rest.trim_start_matches('`').starts_with(" parameter");
        let is_set = rest.starts_with(": true") || rest.starts_with(": false");
        let is_given =
            rest.strip_prefix('=').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
        if starts_low && ((is_called_so && (is_of_code || is_quoted)) || (is_of_code && (is_set || is_given)))
        {
            names.push(name);
        }
    }
    names
}

/// Collects the names of properties at every depth.
fn properties<'s>(schema: &'s Value, names: &mut BTreeSet<&'s str>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(own)) = fields.get("properties") {
                names.extend(own.keys().map(String::as_str));
            }
            fields.values().for_each(|value| properties(value, names));
        }
        Value::Array(values) => values.iter().for_each(|value| properties(value, names)),
        _ => {}
    }
}

/// Renames a property wherever the schema has it, in its place.
fn rename(schema: &mut Value, from: &str, to: &str, with: Option<&Value>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                let renamed: Map<String, Value> = std::mem::take(properties)
                    .into_iter()
                    .map(|(key, value)| {
                        if key == from {
                            (to.to_owned(), with.cloned().unwrap_or(value))
                        } else {
                            (key, value)
                        }
                    })
                    .collect();
                *properties = renamed;
            }
            if let Some(Value::Array(required)) = fields.get_mut("required") {
                required.iter_mut().filter(|name| *name == from).for_each(|name| *name = to.into());
            }
            fields.values_mut().for_each(|value| rename(value, from, to, with));
        }
        Value::Array(values) => values.iter_mut().for_each(|value| rename(value, from, to, with)),
        _ => {}
    }
}

fn add(schema: &mut Value, name: &str, with: &Value) {
    let fields =
        schema.as_object_mut().map(|fields| fields.entry("properties").or_insert_with(|| Map::new().into()));
    if let Some(Value::Object(properties)) = fields {
        properties.entry(name).or_insert_with(|| with.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parameters() -> BTreeMap<String, Parameter> {
        let number = json!({"type": "integer"});
        BTreeMap::from([
            ("activeForm".into(), Parameter { replaces: Some("active_form".into()), schema: None }),
            (
                "cell_number".into(),
                Parameter { replaces: Some("cell_id".into()), schema: Some(number.clone()) },
            ),
            ("resume".into(), Parameter { replaces: None, schema: Some(number) }),
        ])
    }

    #[test]
    fn a_schema_takes_the_names_of_the_text() {
        let schema = json!({"type": "object", "properties": {
            "todos": {"items": {"properties": {"active_form": {"type": "string"}}, "required": ["active_form"]}},
            "cell_id": {"type": "string"}}});
        let text = "- activeForm: shown. The cell_number is 0-indexed. Use the `resume` parameter.";
        let fitted = fitted(&schema, &parameters(), text).unwrap();
        assert_eq!(
            fitted,
            json!({"type": "object", "properties": {
                "todos": {"items": {"properties": {"activeForm": {"type": "string"}}, "required": ["activeForm"]}},
                "cell_number": {"type": "integer"}, "resume": {"type": "integer"}}})
        );
        let keys: Vec<&String> = fitted["properties"].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["todos", "cell_number", "resume"], "each in its place");
    }

    #[test]
    fn a_parameter_that_nobody_knows_is_named() {
        let schema = json!({"type": "object", "properties": {"multi_select": {}, "path": {}}});
        let unknown = |text| unknown_parameter(&schema, &BTreeMap::new(), text);
        assert_eq!(
            unknown("Give `path`. This parameter is a path; the path parameter, too. a=b, getCwd()"),
            None
        );
        for (text, name) in [
            ("Use multiSelect: true", "multiSelect"),
            ("the `resume` parameter", "resume"),
            ("the run_in_background parameter", "run_in_background"),
            ("edit_mode=insert adds", "edit_mode"),
        ] {
            assert_eq!(unknown(text), Some(name), "{text}");
        }
    }
}
