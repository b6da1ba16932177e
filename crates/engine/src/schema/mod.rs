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
//! assert_eq!(faults[0].message, "must be an integer, but is a string");
//! ```
//!
//! The rules of JSON Schema are the crate `jsonschema`'s. A schema comes with an extension, so it may be written by
//! anybody, and two walks of ours go before that crate: `outline` refuses references that leave the document and
//! schemas that would need a deep stack, `effort` counts the steps that a check would take and refuses too many.
//! `sentence` turns the errors of that crate into messages. Nothing is loaded from anywhere, and nothing is prepared
//! before the first check.

mod effort;
mod outline;
mod sentence;
mod shown;

use effort::Effort;
use outline::SchemaOutline;
use preface_core::extension::{SchemaChecker, SchemaFault, SchemaViolation};
use serde_json::Value;

/// Checks values against schemas of JSON Schema, draft 2020-12 or draft 07.
///
/// A schema without `$schema` is read as draft 2020-12. `format` is an annotation and never a fault. Regular
/// expressions take linear time, so a pattern with look-around or back-references is a fault of the schema, and so is
/// a `$ref` that leaves the document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JsonSchema;

impl SchemaChecker for JsonSchema {
    fn check(&self, schema: &Value, config: &Value) -> Result<(), SchemaFault> {
        let outline = SchemaOutline::of(schema).map_err(SchemaFault::Schema)?;
        if let Some(fault) = outline::too_deep(config, "the value") {
            return Err(SchemaFault::Config(vec![fault]));
        }
        let validator = jsonschema::options()
            .with_draft(outline.draft)
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(jsonschema::PatternOptions::regex().size_limit(LARGEST_PATTERN))
            .build(schema)
            .map_err(|error| SchemaFault::Schema(sentence::of_schema(&error)))?;
        Effort::new(&outline).check(config).map_err(SchemaFault::Schema)?;
        let faults: Vec<SchemaViolation> = validator
            .iter_errors(config)
            .flat_map(|error| sentence::of_config(&error, &outline, config))
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(SchemaFault::Config(sentence::in_order(faults))) }
    }
}

/// The bytes that one compiled pattern may take. Ten times what `^\p{L}+$` needs; the time of a match grows with it.
const LARGEST_PATTERN: usize = 1 << 18;
