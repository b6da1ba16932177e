//! Checking an extension's `config` against its `configSchema`: what the core wants of whoever can do it.

use serde_json::Value;

/// Checks a value against a JSON Schema. The core has none of its own; whoever runs the line brings one.
///
/// Implementations load nothing from elsewhere (a `$ref` to another document is a schema that does not compile) and take
/// linear time for regular expressions.
pub trait SchemaChecker: std::fmt::Debug + Send + Sync {
    /// Checks `config` against `schema`.
    ///
    /// # Errors
    /// The schema does not compile, or the value does not fit it.
    fn check(&self, schema: &Value, config: &Value) -> Result<(), SchemaFault>;
}

/// The checker of a build that has none: every schema is a fault of its own, so nothing passes unchecked.
#[derive(Clone, Copy, Debug)]
pub struct NoSchemas;

impl SchemaChecker for NoSchemas {
    fn check(&self, _schema: &Value, _config: &Value) -> Result<(), SchemaFault> {
        let message = "this build of preface cannot check schemas".to_owned();
        Err(SchemaFault::Schema(Fault { pointer: String::new(), message }))
    }
}

/// Why a value and a schema do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SchemaFault {
    /// The schema does not compile.
    Schema(Fault),
    /// The value does not fit it; at least one fault, at most [`MOST_FAULTS`].
    Config(Vec<Fault>),
}

/// So many faults of one value are told.
pub const MOST_FAULTS: usize = 8;

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// A JSON Pointer into the schema or into the value: `/retries`, empty for the whole.
    pub pointer: String,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
}
