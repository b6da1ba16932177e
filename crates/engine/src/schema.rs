//! Checks the `config` of an extension against the JSON Schema of its manifest.
//!
//! ```
//! use preface_engine::{JsonSchema, core::extension::{SchemaChecker, SchemaFault}};
//! use serde_json::json;
//! let schema = json!({
//!     "type": "object",
//!     "properties": { "retries": { "type": "integer" } },
//!     "additionalProperties": false,
//! });
//! assert_eq!(JsonSchema.check(&schema, &json!({ "retries": 3 })), Ok(()));
//! let Err(SchemaFault::Config(faults)) = JsonSchema.check(&schema, &json!({ "retries": "3" })) else { panic!() };
//! assert_eq!(faults[0].pointer, "/retries");
//! assert_eq!(faults[0].message, r#"value is not of type "integer""#);
//! ```
//!
//! Rules and messages are those of the crate `jsonschema`. Nothing is loaded from anywhere. A check cannot be stopped, so
//! the size of a schema and the number of its references bound it.

use jsonschema::{PatternOptions, ValidationError, Validator};
use preface_core::{
    extension::{MOST_FAULTS, SchemaChecker, SchemaFault, SchemaViolation},
    lint::character::excerpt,
};
use serde_json::Value;

/// The most references in a schema: each may double the steps of a check.
const MOST_REFERENCES: usize = 16;

/// The bytes that one compiled pattern may take. Ten times what `^\p{L}+$` needs; the time of a match grows with it.
const LARGEST_PATTERN: usize = 1 << 18;

/// The most characters of a message.
const LONGEST: usize = 200;

/// Checks values against schemas of JSON Schema.
///
/// A schema without `$schema` is read as draft 2020-12. `format` is an annotation and never a fault. Regular
/// expressions take linear time, so a pattern with look-around or back-references is a fault of the schema, and so is
/// a `$ref` that leaves the document. A message never has the value, which may be a secret.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonSchema;

fn validator(schema: &Value) -> Result<Validator, SchemaViolation> {
    if references(schema) > MOST_REFERENCES {
        let message = format!("the schema has too many `$ref`: {MOST_REFERENCES} are allowed");
        return Err(SchemaViolation { pointer: String::new(), message });
    }
    jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .with_pattern_options(PatternOptions::regex().size_limit(LARGEST_PATTERN))
        .build(schema)
        .map_err(|error| violation(&error, &error))
}

impl SchemaChecker for JsonSchema {
    fn check(&self, schema: &Value, config: &Value) -> Result<(), SchemaFault> {
        let validator = validator(schema).map_err(SchemaFault::Schema)?;
        let faults: Vec<SchemaViolation> = validator
            .iter_errors(config)
            .take(MOST_FAULTS)
            .map(|error| violation(&error, &error.masked()))
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(SchemaFault::Config(faults)) }
    }

    fn compile(&self, schema: &Value) -> Result<(), SchemaViolation> {
        validator(schema).map(drop)
    }
}

fn violation(error: &ValidationError<'_>, message: &dyn ToString) -> SchemaViolation {
    SchemaViolation {
        pointer: error.instance_path().as_str().to_owned(),
        message: excerpt(&message.to_string(), LONGEST),
    }
}

/// Counts the references in a schema.
fn references(schema: &Value) -> usize {
    match schema {
        Value::Array(items) => items.iter().map(references).sum(),
        Value::Object(members) => {
            let own = members.keys().filter(|key| key.ends_with("Ref") || *key == "$ref").count();
            own + members.values().map(references).sum::<usize>()
        }
        _ => 0,
    }
}
