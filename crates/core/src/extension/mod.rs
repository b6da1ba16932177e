//! Extensions: what the layers add to preface, and what of it is active (seed 004).

mod config_schema;

pub use config_schema::{Fault, MOST_FAULTS, SchemaChecker, SchemaFault};
