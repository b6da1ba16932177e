//! The record of a run: each request as a model would get it, and the input and effect of each hook.

use preface_core::{
    diagnostic::Diagnostics,
    hook::{DiscoverReason, HookEvent},
    prompt::Prompt,
};
use preface_engine::conversation::ModelRequest;
use serde::Serialize;

/// The recorded result of a play.
#[derive(Clone, Debug)]
pub struct ScenarioRecord {
    /// The base before the first step.
    pub base: Prompt,
    /// The base after the last one. It is the stored base: what hooks changed for a run is not in it.
    pub base_after: Prompt,
    /// The requests, in order.
    pub calls: Vec<ModelRequest>,
    /// The inputs of the scenario's hooks, in order.
    pub log: Vec<HookLogEntry>,
    /// The hooks of the scenario that failed, in order.
    pub errors: Vec<HookError>,
    /// The prompts of the user, in order.
    pub prompts: Vec<PromptRow>,
    /// The diagnostics, in order, without duplicates.
    pub diagnostics: Diagnostics,
}

/// A call of a hook of the scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookLogEntry {
    /// The extension.
    pub ext: String,
    /// The moment.
    pub event: HookEvent,
    /// The input of the hook.
    #[serde(flatten)]
    pub saw: HookObservation,
}

/// The input of a hook of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum HookObservation {
    /// At `before_agent_start`.
    #[serde(rename_all = "camelCase")]
    Prompt {
        /// The last 60 UTF-16 code units of the prompt.
        saw_prompt_tail: String,
        /// The number of code units in all.
        saw_len: usize,
    },
    /// At `context`: the roles of the messages.
    Messages {
        /// In order.
        roles: Vec<String>,
    },
    /// At `resources_discover`.
    Discover {
        /// The reason for discovering.
        reason: Option<DiscoverReason>,
    },
    /// At `input`.
    Input {
        /// The words.
        text: String,
    },
}

/// A hook of the scenario failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HookError {
    /// The extension.
    pub ext: String,
    /// The moment.
    pub event: HookEvent,
    /// The error message.
    pub error: String,
}

/// A prompt of the user.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptRow {
    /// The prompt before hooks changed it.
    pub prompt: String,
    /// True if a hook handled it, and nothing ran.
    pub handled: bool,
}
