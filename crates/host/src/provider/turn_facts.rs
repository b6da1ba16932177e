//! Facts of the turn itself: what the caller passed in.

use super::{FactInfo, FactProvider};
use crate::look::Look;
use preface_core::{
    fact::{Fact, FactKey, Stability},
    variables::turn_variable,
};

/// Answers `prompt:`, `tool:` and `option:`.
#[derive(Debug)]
pub struct TurnFacts;

const fn info(
    kind: &'static str,
    name: &'static str,
    about: &'static str,
    example: &'static str,
) -> FactInfo {
    FactInfo { kind, name, dynamic: false, about, example, stability: Stability::Conversation, cost: "free" }
}

impl FactProvider for TurnFacts {
    fn facts(&self) -> &'static [FactInfo] {
        const FACTS: &[FactInfo] = &[
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
            FactInfo {
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
        FACTS
    }

    fn answer(&self, key: &FactKey, look: &Look<'_>) -> Fact {
        if (key.kind(), key.name()) == ("prompt", "global_dir") {
            return match &look.places.global {
                Some(dir) => {
                    let dir = dir.display().to_string().replace('\\', "/");
                    Fact::of(dir, "the profile's home", Stability::Static)
                }
                None => Fact::absent("there is no global directory"),
            };
        }
        turn_variable(key, look.turn).unwrap_or_else(|| Fact::absent("no such name"))
    }
}
