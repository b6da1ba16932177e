//! Variables of the turn itself: what the caller passed in.

use super::VariableProvider;
use crate::provider::context::ProviderContext;
use preface_core::variable::{RecordedVariable, Stability, VariableKey, source::turn_variable};

/// The provider of `model:`, `prompt:` and `tool:`.
pub const TURN_VARIABLES: VariableProvider =
    VariableProvider { kinds: &["model", "prompt", "tool"], resolve };

fn resolve(key: &VariableKey, context: &ProviderContext<'_>) -> RecordedVariable {
    if (key.kind(), key.name()) == ("prompt", "global_dir") {
        return match &context.places.global {
            Some(dir) => {
                let dir = dir.display().to_string().replace('\\', "/");
                RecordedVariable::of(dir, "the profile's home", Stability::Static)
            }
            None => RecordedVariable::absent("there is no global directory"),
        };
    }
    turn_variable(key, context.turn).unwrap_or_else(|| RecordedVariable::absent("no such name"))
}
