//! The schema of a tool's arguments, and what each service refuses or ignores in it.
//!
//! A refused schema makes the service refuse the whole request. The rules are those of the services' error messages as of
//! 2026-11; they are in no schema of an SDK.

use super::report::Report;
use crate::{diagnostic::DiagnosticCode, settings::shown, turn::Tool};
use serde_json::Value;

/// The rules of a service for the schema of a tool.
#[derive(Debug)]
pub(super) struct SchemaRules {
    /// The keywords that are refused beside `"type": "object"`.
    refused_at_top: &'static [&'static str],
    /// True if names of arguments have 1 to 64 letters, digits, `_`, `.` and `-`.
    plain_names: bool,
    /// True if an array needs `items`.
    arrays_need_items: bool,
    /// The keywords that are not ignored; empty if that is all of them.
    known: &'static [&'static str],
    /// The requirements of `strict`.
    pub strict: StrictRule,
}

/// The rule of a service for the schema of a tool that is `strict`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StrictRule {
    /// The service does not know the flag.
    Ignored,
    /// Each object has `"additionalProperties": false`.
    Closed,
    /// The same, and each property is required.
    AllRequired,
}

/// Servers with `OpenAI`'s format, which have no common rules.
pub(super) const COMPATIBLE: SchemaRules = SchemaRules {
    refused_at_top: &[],
    plain_names: false,
    arrays_need_items: false,
    known: &[],
    strict: StrictRule::Ignored,
};

/// Anthropic's models, on Bedrock too: "`input_schema` does not support oneOf, allOf, or anyOf at the top level", "Property keys
/// should match pattern".
pub(super) const ANTHROPIC: SchemaRules = SchemaRules {
    refused_at_top: &["allOf", "anyOf", "oneOf"],
    plain_names: true,
    strict: StrictRule::Closed,
    ..COMPATIBLE
};

/// `OpenAI`: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level", "array schema
/// missing items".
pub(super) const OPENAI: SchemaRules = SchemaRules {
    refused_at_top: &["allOf", "anyOf", "enum", "not", "oneOf"],
    arrays_need_items: true,
    strict: StrictRule::AllRequired,
    ..COMPATIBLE
};

/// Gemini's `parametersJsonSchema`.
pub(super) const GEMINI: SchemaRules = SchemaRules {
    known: &[
        "$anchor",
        "$defs",
        "$id",
        "$ref",
        "$schema",
        "additionalProperties",
        "anyOf",
        // Documentation, which restricts nothing.
        "default",
        "description",
        "enum",
        "format",
        "items",
        "maxItems",
        "maximum",
        "minItems",
        "minimum",
        "oneOf",
        "prefixItems",
        "properties",
        "propertyOrdering",
        "required",
        "title",
        "type",
    ],
    ..COMPATIBLE
};

/// Returns the schema of a tool's arguments, and reports what the service refuses or ignores. A tool without one takes any
/// object, which is reported.
pub(super) fn schema<'c>(
    tool: &'c Tool,
    any: &'c Value,
    rules: &SchemaRules,
    report: &mut Report,
) -> &'c Value {
    let name = shown(&tool.name);
    let Some(schema) = tool.input_schema.as_deref() else {
        let what = format!("the tool `{name}` has no schema; it is sent as one that takes any object");
        report.add(DiagnosticCode::ToolNoSchema, None, what);
        return any;
    };
    let mut refuse = |what: String| {
        let what = format!("the service refuses the schema of `{name}`: {what}");
        report.add(DiagnosticCode::RequestSchemaRefused, None, what);
    };
    if schema.get("type").is_none_or(|kind| kind != "object") {
        refuse("it is not that of an object (`\"type\": \"object\"`)".to_owned());
    }
    for keyword in rules.refused_at_top.iter().filter(|keyword| schema.get(keyword).is_some()) {
        refuse(format!("`{keyword}` must not stand beside `\"type\": \"object\"`"));
    }
    if rules.plain_names
        && let Some(properties) = schema.get("properties").and_then(Value::as_object)
    {
        for property in properties.keys().filter(|property| !is_plain(property)) {
            let allowed = "names have 1 to 64 letters, digits, `_`, `.` and `-`";
            refuse(format!("it has the argument `{}`, and {allowed}", shown(property)));
        }
    }
    let is_closed = tool.strict && rules.strict != StrictRule::Ignored;
    if tool.strict && !is_closed {
        let what = format!("`strict` of `{name}` is ignored");
        report.add(DiagnosticCode::RequestSchema, None, what);
    }
    if !is_closed && !rules.arrays_need_items && rules.known.is_empty() {
        return schema;
    }
    for (place, inner) in schemas(schema) {
        let mut refuse = |what: &str| {
            let what = format!("the service refuses the schema of `{name}`: {place} {what}");
            report.add(DiagnosticCode::RequestSchemaRefused, None, what);
        };
        if is_closed && inner.get("properties").is_some() {
            if inner.get("additionalProperties") != Some(&Value::Bool(false)) {
                refuse("is strict and has no `\"additionalProperties\": false`");
            }
            let optional = optional(inner).filter(|_| rules.strict == StrictRule::AllRequired);
            if let Some(optional) = optional {
                refuse(&format!("is strict and does not require `{}`", shown(optional)));
            }
        }
        if rules.arrays_need_items && is_array(inner) && inner.get("items").is_none() {
            refuse("is an array without `items`");
        }
        let keywords = inner.as_object().into_iter().flat_map(|fields| fields.keys());
        let is_ignored =
            |keyword: &&String| !rules.known.is_empty() && !rules.known.contains(&keyword.as_str());
        for keyword in keywords.filter(is_ignored) {
            let what = format!("`{}` in the schema of `{name}` is ignored", shown(keyword));
            report.add(DiagnosticCode::RequestSchema, None, what);
        }
    }
    schema
}

/// Returns the first property that is not required.
fn optional(schema: &Value) -> Option<&str> {
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
    let properties = schema.get("properties").and_then(Value::as_object)?;
    properties.keys().map(String::as_str).find(|name| !is_required(name))
}

fn is_plain(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
}

fn is_array(schema: &Value) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        kind => kind.is_some_and(|kind| kind == "array"),
    }
}

/// Returns a schema and those inside of it, each with words for its place. Values such as those of `enum` and `default` are
/// no schemas.
fn schemas(schema: &Value) -> Vec<(String, &Value)> {
    let named = |name: &str| format!("`{}`", shown(name));
    let mut found = vec![("it".to_owned(), schema)];
    let mut at = 0;
    while let Some(&(_, inner)) = found.get(at) {
        at += 1;
        for (keyword, value) in inner.as_object().into_iter().flatten() {
            match (keyword.as_str(), value) {
                ("$defs" | "definitions" | "patternProperties" | "properties", Value::Object(fields)) => {
                    found.extend(fields.iter().map(|(name, value)| (named(name), value)));
                }
                ("allOf" | "anyOf" | "items" | "oneOf" | "prefixItems", Value::Array(values)) => {
                    found.extend(values.iter().map(|value| (format!("an entry of `{keyword}`"), value)));
                }
                (
                    "additionalProperties"
                    | "contains"
                    | "else"
                    | "if"
                    | "items"
                    | "not"
                    | "propertyNames"
                    | "then",
                    Value::Object(_),
                ) => found.push((named(keyword), value)),
                _ => {}
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    fn reported(schema: Value, rules: &SchemaRules) -> Vec<String> {
        reported_of(Tool { input_schema: Some(Arc::new(schema)), ..Tool::default() }, rules)
    }

    fn reported_of(tool: Tool, rules: &SchemaRules) -> Vec<String> {
        let tool = Tool { name: "t".into(), ..tool };
        let mut report = Report::default();
        schema(&tool, &json!({}), rules, &mut report);
        report
            .finish()
            .into_iter()
            .map(|diagnostic| format!("{}: {}", diagnostic.code, diagnostic.message))
            .collect()
    }

    fn refused(what: &str) -> String {
        format!("request/schema-refused: the service refuses the schema of `t`: {what}")
    }

    #[test]
    fn what_each_service_refuses_is_reported() {
        let no_object = refused("it is not that of an object (`\"type\": \"object\"`)");
        for rules in [&ANTHROPIC, &OPENAI, &GEMINI, &COMPATIBLE] {
            assert_eq!(reported(json!({ "type": "string" }), rules), [no_object.as_str()]);
            assert_eq!(reported(json!({ "type": ["object"] }), rules), [no_object.as_str()]);
            let good =
                json!({ "type": "object", "properties": { "a.b-c_1": { "type": "array", "items": {} } } });
            assert_eq!(reported(good, rules), [""; 0]);
        }
        let at_top =
            |keyword: &str| refused(&format!("`{keyword}` must not stand beside `\"type\": \"object\"`"));
        let union = json!({ "type": "object", "anyOf": [{ "required": ["a"] }], "not": {} });
        assert_eq!(reported(union.clone(), &ANTHROPIC), [at_top("anyOf")]);
        assert_eq!(reported(union.clone(), &OPENAI), [at_top("anyOf"), at_top("not")]);
        assert_eq!(reported(union, &COMPATIBLE), [""; 0]);
        // Deeper in the schema they are accepted.
        let inner = json!({ "type": "object", "properties": { "a": { "anyOf": [{ "type": "string" }] } } });
        assert_eq!(reported(inner.clone(), &ANTHROPIC), [""; 0]);
        assert_eq!(reported(inner, &OPENAI), [""; 0]);
    }

    #[test]
    fn names_of_arguments_and_arrays_without_items_are_reported() {
        let long = "x".repeat(65);
        let names = json!({ "type": "object", "properties": { "filter[id]": {}, long.as_str(): {}, "o": {
            "type": "object", "properties": { "$top": { "type": ["array", "null"] } } } } });
        let allowed = "names have 1 to 64 letters, digits, `_`, `.` and `-`";
        let name = |name: &str| refused(&format!("it has the argument `{name}`, and {allowed}"));
        assert_eq!(reported(names.clone(), &ANTHROPIC), [name("filter[id]"), name(&long)]);
        assert_eq!(reported(names, &OPENAI), [refused("`$top` is an array without `items`")]);
        let nested = json!({ "type": "object", "properties": { "a": { "type": "array", "items": { "type": "array" } } } });
        assert_eq!(reported(nested, &OPENAI), [refused("`items` is an array without `items`")]);
    }

    #[test]
    fn a_strict_tool_has_a_closed_schema() {
        let open = json!({ "type": "object", "properties": { "a": {} }, "required": ["a"] });
        let mut closed = open.clone();
        closed["additionalProperties"] = json!(false);
        closed["properties"]["b"] = json!({});
        let reported = |schema: &Value, rules: &SchemaRules| {
            let input_schema = Some(Arc::new(schema.clone()));
            reported_of(Tool { input_schema, strict: true, ..Tool::default() }, rules)
        };
        let no_more = refused("it is strict and has no `\"additionalProperties\": false`");
        assert_eq!(reported(&open, &ANTHROPIC), [no_more.as_str()]);
        assert_eq!(reported(&open, &OPENAI), [no_more.as_str()]);
        assert_eq!(reported(&closed, &ANTHROPIC), [""; 0]);
        assert_eq!(reported(&closed, &OPENAI), [refused("it is strict and does not require `b`")]);
        assert_eq!(reported(&open, &COMPATIBLE), ["request/schema: `strict` of `t` is ignored"]);
        assert_eq!(reported(&closed, &GEMINI), ["request/schema: `strict` of `t` is ignored"]);
    }

    #[test]
    fn keywords_that_gemini_ignores_are_reported_and_values_are_no_schemas() {
        let schema = json!({
            "type": "object",
            "properties": { "pattern": { "type": "string", "pattern": "^a", "enum": [{ "not": 1 }] } },
            "additionalProperties": { "type": "string", "minLength": 1 },
        });
        let ignored = |keyword: &str| format!("request/schema: `{keyword}` in the schema of `t` is ignored");
        assert_eq!(reported(schema, &GEMINI), [ignored("pattern"), ignored("minLength")]);
    }
}
