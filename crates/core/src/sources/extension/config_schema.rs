//! The check of an extension's `config` against its `configSchema`, which the core leaves to an
//! implementation.

use serde_json::Value;

/// A validator of values against a JSON Schema. The core has none of its own; the caller of the pipeline
/// provides one.
///
/// Implementations load no other document (a `$ref` to one is a schema that does not compile) and match
/// regular expressions in linear time.
pub trait SchemaChecker: std::fmt::Debug + Send + Sync {
    /// Checks `config` against `schema`.
    ///
    /// # Errors
    /// The schema does not compile, or the value does not fit it.
    fn check(&self, schema: &Value, config: &Value) -> Result<(), SchemaFault>;

    /// Compiles a schema that is sent to a model. A build without a checker takes each.
    ///
    /// # Errors
    /// The schema does not compile.
    fn compile(&self, _schema: &Value) -> Result<(), SchemaViolation> {
        Ok(())
    }
}

/// The checker of a build without one: every schema is a fault, so nothing passes unchecked.
#[derive(Clone, Copy, Debug)]
pub struct NoSchemas;

impl SchemaChecker for NoSchemas {
    fn check(&self, _schema: &Value, _config: &Value) -> Result<(), SchemaFault> {
        let message = "this build of preface cannot check schemas".to_owned();
        Err(SchemaFault::Schema(SchemaViolation { pointer: String::new(), message }))
    }
}

/// The reason why a value and a schema do not match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaFault {
    /// A schema that does not compile.
    Schema(SchemaViolation),
    /// An invalid value: at least one fault, at most [`MOST_FAULTS`].
    Config(Vec<SchemaViolation>),
}

/// The most faults of one value that are reported.
pub const MOST_FAULTS: usize = 8;

/// One fault and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaViolation {
    /// A JSON Pointer into the schema or into the value: `/retries`, empty for the whole.
    pub pointer: String,
    /// The problem, one sentence without a full stop.
    pub message: String,
}
