//! Turns the errors of the crate `jsonschema` into locations and messages.

use super::{
    outline::SchemaOutline,
    shown::{is_secret, member, text, value},
};
use jsonschema::{
    JsonType, ValidationError,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use preface_core::{
    extension::{MOST_FAULTS, SchemaViolation},
    json_type::json_type,
};
use serde_json::Value;

/// Returns the reason why a schema does not compile.
pub fn of_schema(error: &ValidationError<'_>) -> SchemaViolation {
    let pointer = error.instance_path().as_str().to_owned();
    let message = match error.kind() {
        Kind::Format { format } if format == "regex" => no_pattern(error.instance()),
        Kind::Format { format } => {
            format!("is not of the format `{}`: {}", text(format), value(error.instance()))
        }
        Kind::Referencing(error) => {
            format!("has a reference that leads nowhere: {}", text(&error.to_string()))
        }
        _ => return of_error(error).swap_remove(0),
    };
    SchemaViolation { pointer, message }
}

fn no_pattern(pattern: &Value) -> String {
    format!(
        "is not a regular expression, or not one that takes linear time (no look-around, no back-references, no large \
         repetitions): {}",
        value(pattern)
    )
}

/// Returns the faults of a value; at least one.
pub fn of_config(
    error: &ValidationError<'_>,
    outline: &SchemaOutline<'_>,
    config: &Value,
) -> Vec<SchemaViolation> {
    let pointer = error.instance_path().as_str();
    // Where there are no `properties`, the crate reports the first member only, and at the place of all of them.
    if matches!(error.kind(), Kind::FalseSchema)
        && let Some(schema) = error.schema_path().as_str().strip_suffix("/additionalProperties")
        && outline.has_schema_at(schema)
        && let Some(Value::Object(members)) = config.pointer(pointer)
    {
        return members.keys().map(|name| unknown(pointer, name)).collect();
    }
    of_error(error)
}

fn unknown(pointer: &str, name: &str) -> SchemaViolation {
    SchemaViolation {
        pointer: member(pointer, name),
        message: "is not a property that the schema knows".to_owned(),
    }
}

fn of_error(error: &ValidationError<'_>) -> Vec<SchemaViolation> {
    let pointer = error.instance_path().as_str();
    let here = |message: String| vec![SchemaViolation { pointer: pointer.to_owned(), message }];
    let faults = match error.kind() {
        Kind::Required { property: Value::String(name) } => {
            vec![SchemaViolation {
                pointer: member(pointer, name),
                message: "is missing, but required".to_owned(),
            }]
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            unexpected.iter().map(|name| unknown(pointer, name)).collect()
        }
        Kind::PropertyNames { error } => {
            let name = error.instance().as_str().unwrap_or_default();
            let inner = of_error(error).swap_remove(0).message;
            vec![SchemaViolation {
                pointer: member(pointer, name),
                message: format!("has a name that is not allowed: {inner}"),
            }]
        }
        _ => here(of_value(error)),
    };
    if faults.is_empty() { here("has properties that the schema does not know".to_owned()) } else { faults }
}

/// Describes the fault of the value itself.
fn of_value(error: &ValidationError<'_>) -> String {
    let instance = error.instance();
    let but_is = if is_secret(error.instance_path().as_str()) {
        String::new()
    } else {
        format!(", but is {}", value(instance))
    };
    let bound = |sentence: &str, limit: &Value| format!("must be {sentence} `{limit}`{but_is}");
    let count = |sentence: &str, limit: u64, thing: &str| {
        let plural = if limit == 1 { "" } else { "s" };
        format!("must have {sentence} {limit} {thing}{plural}")
    };
    match error.kind() {
        Kind::Type { kind: expected } => {
            format!("must be {}, but is {}", types(expected), kind_for(expected, instance))
        }
        Kind::Enum { .. } | Kind::Constant { .. } if but_is.is_empty() => {
            "is not one of the values that are allowed".to_owned()
        }
        Kind::Enum { options } => format!("must be one of {}{but_is}", listed(options)),
        Kind::Constant { expected_value } => format!("must be {}{but_is}", value(expected_value)),
        Kind::Minimum { limit } => bound("at least", limit),
        Kind::Maximum { limit } => bound("at most", limit),
        Kind::ExclusiveMinimum { limit } => bound("more than", limit),
        Kind::ExclusiveMaximum { limit } => bound("less than", limit),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of `{multiple_of}`{but_is}"),
        Kind::MinLength { limit } => count("at least", *limit, "character"),
        Kind::MaxLength { limit } => count("at most", *limit, "character"),
        Kind::MinItems { limit } => count("at least", *limit, "item"),
        Kind::MaxItems { limit } => count("at most", *limit, "item"),
        Kind::AdditionalItems { limit } => count("at most", *limit as u64, "item"),
        Kind::MinProperties { limit } if *limit == 1 => "must have at least 1 property".to_owned(),
        Kind::MaxProperties { limit } if *limit == 1 => "must have at most 1 property".to_owned(),
        Kind::MinProperties { limit } => format!("must have at least {limit} properties"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} properties"),
        Kind::Pattern { pattern } => format!("must match the pattern `{}`{but_is}", text(pattern)),
        Kind::UniqueItems => "must not have the same item twice".to_owned(),
        Kind::Contains => "has the wrong number of items that fit `contains`".to_owned(),
        Kind::UnevaluatedItems { .. } => "has items that the schema does not know".to_owned(),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "fits none of the forms that are allowed".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => {
            "fits more than one of the forms of which it must fit one".to_owned()
        }
        Kind::Not { .. } => "fits a form that is not allowed".to_owned(),
        Kind::FalseSchema => "is not allowed".to_owned(),
        // What is left cannot come from the keywords that run here; the location of the keyword is enough.
        _ => format!("does not fit the schema at `{}`", text(error.schema_path().as_str())),
    }
}

/// Names the expected types: `a string`, `an integer or null`.
fn types(expected: &TypeKind) -> String {
    let names: Vec<&str> = match expected {
        TypeKind::Single(single) => vec![article(*single)],
        TypeKind::Multiple(set) => set.iter().map(article).collect(),
    };
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => "of no type".to_owned(),
    }
}

fn article(kind: JsonType) -> &'static str {
    match kind {
        JsonType::Array => "an array",
        JsonType::Boolean => "a boolean",
        JsonType::Integer => "an integer",
        JsonType::Null => "null",
        JsonType::Number => "a number",
        JsonType::Object => "an object",
        JsonType::String => "a string",
    }
}

/// Names the kind of a value; where an integer was expected, a number is one with a fraction.
fn kind_for(expected: &TypeKind, instance: &Value) -> &'static str {
    let integer = match expected {
        TypeKind::Single(single) => *single == JsonType::Integer,
        TypeKind::Multiple(set) => set.contains(JsonType::Integer),
    };
    if integer && instance.is_number() { "a number with a fraction" } else { json_type(instance) }
}

/// Lists the allowed values, at most [`SHOWN`] of them.
fn listed(options: &Value) -> String {
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let shown: Vec<String> = options.iter().take(SHOWN).map(value).collect();
    let more = options.len().saturating_sub(SHOWN);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{more}", shown.join(", "))
}

const SHOWN: usize = 8;

/// Sorts by place and keeps the first [`MOST_FAULTS`].
pub fn in_order(mut faults: Vec<SchemaViolation>) -> Vec<SchemaViolation> {
    faults.sort_by(|a, b| (&a.pointer, &a.message).cmp(&(&b.pointer, &b.message)));
    faults.dedup();
    faults.truncate(MOST_FAULTS);
    faults
}
