//! Variables of the turn itself: what the caller passed in.

use super::{VariableInfo, VariableProvider};
use crate::provider_context::ProviderContext;
use preface_core::{
    variable::{RecordedVariable, Stability, VariableKey},
    variable_source::turn_variable,
};

/// The provider of `prompt:`, `tool:` and `option:`.
#[derive(Debug)]
pub struct TurnVariables;

const fn info(
    kind: &'static str,
    name: &'static str,
    about: &'static str,
    example: &'static str,
) -> VariableInfo {
    VariableInfo {
        kind,
        name,
        dynamic: false,
        about,
        example,
        stability: Stability::Conversation,
        cost: "free",
    }
}

impl VariableProvider for TurnVariables {
    fn variables(&self) -> &'static [VariableInfo] {
        const VARIABLES: &[VariableInfo] = &[
            info("prompt", "cwd", "Working directory of the conversation", "/home/ada/engine"),
            info(
                "prompt",
                "model",
                "Name of the model that answers; absent where none is given",
                "some-model-1",
            ),
            info("prompt", "conversation_id", "Id of the conversation; absent where none is given", "c-42"),
            info(
                "prompt",
                "cwd_slashes",
                "Working directory with `/` between its parts on every system",
                "C:/engine",
            ),
            info(
                "prompt",
                "global_dir",
                "Directory of the user's own settings and texts, with `/` between its parts",
                "/home/ada/.config/preface",
            ),
            VariableInfo {
                dynamic: true,
                stability: Stability::Conversation,
                ..info(
                    "tool",
                    "<name>",
                    "Exists while the tool of that name is active; its value is empty",
                    "",
                )
            },
        ];
        VARIABLES
    }

    fn resolve(&self, key: &VariableKey, look: &ProviderContext<'_>) -> RecordedVariable {
        if (key.kind(), key.name()) == ("prompt", "global_dir") {
            return match &look.places.global {
                Some(dir) => {
                    let dir = dir.display().to_string().replace('\\', "/");
                    RecordedVariable::of(dir, "the profile's home", Stability::Static)
                }
                None => RecordedVariable::absent("there is no global directory"),
            };
        }
        turn_variable(key, look.turn).unwrap_or_else(|| RecordedVariable::absent("no such name"))
    }
}
