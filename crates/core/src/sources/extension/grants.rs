//! The grants of a project, as far as the resolver needs them: an entry without a grant does not replace one
//! of a lower layer.

use super::entry::ExtensionEntry;
use crate::diagnostic::Place;
use serde_json::{Map, Value};

/// The effect of a project's settings on a model provider of another layer.
#[derive(Clone, Debug, PartialEq)]
pub struct ProviderChange {
    /// The provider.
    pub name: String,
    /// The resulting address.
    pub url: String,
    /// The values that the project sets.
    pub config: Map<String, Value>,
    /// The location of the settings.
    pub place: Place,
}

/// The grants of a project.
pub trait Grants {
    /// Returns true if an entry of the project may perform its action.
    fn may_run(&self, entry: &ExtensionEntry) -> bool;

    /// Returns true if the project's settings of a provider may be used.
    fn may_change(&self, change: &ProviderChange) -> bool;
}

/// The grants of a project that has none.
#[derive(Clone, Copy, Debug)]
pub struct NoGrants;

impl Grants for NoGrants {
    fn may_run(&self, _entry: &ExtensionEntry) -> bool {
        false
    }

    fn may_change(&self, _change: &ProviderChange) -> bool {
        false
    }
}
