//! What of a project was granted, as far as resolving needs to know: what is not granted does not replace what a lower
//! layer has.

use super::layered::Entry;
use crate::diagnostic::Place;
use serde_json::{Map, Value};

/// What a project's settings make of a model provider of another layer.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderChange {
    /// The provider.
    pub name: String,
    /// The address that it would have.
    pub url: String,
    /// The values that the project sets.
    pub config: Map<String, Value>,
    /// The same, secrets replaced by asterisks.
    pub masked: Map<String, Value>,
    /// Where they are written.
    pub place: Place,
}

/// The grants of a project.
pub trait Grants {
    /// Returns whether an entry of the project may do what it would do to the machine.
    fn may_run(&self, entry: &Entry) -> bool;

    /// Returns whether the project's settings of a provider may be used.
    fn may_change(&self, change: &ProviderChange) -> bool;
}

/// The grants of a project that has none.
#[derive(Clone, Copy, Debug)]
pub struct NoGrants;

impl Grants for NoGrants {
    fn may_run(&self, _entry: &Entry) -> bool {
        false
    }

    fn may_change(&self, _change: &ProviderChange) -> bool {
        false
    }
}
