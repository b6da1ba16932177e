//! The triggers of a prompt: each build of a base, and each hook that changed one for a run.

use crate::{prompt::Prompt, section::SectionId};
use serde::{Deserialize, Serialize};

/// A reason to build a base, or to change it for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[derive(strum::Display, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum TriggerKind {
    /// The conversation began.
    Startup,
    /// Skills or the like were named at `resources_discover`.
    ResourcesDiscover,
    /// Other tools are active.
    SetActiveTools,
    /// Tools were registered or replaced.
    ToolRegistry,
    /// Everything was read again.
    Reload,
    /// A hook spoke at `before_agent_start`; it holds for one run.
    BeforeAgentStart,
}

impl TriggerKind {
    /// Returns the word that JSON and listings use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A build or a hook that made the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trigger {
    /// The kind of the trigger.
    pub kind: TriggerKind,
    /// The hook, if it was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The sections that are new, other or gone since; in the prompt's order, those that are gone last.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<String>))]
    pub sections: Vec<SectionId>,
}

impl Trigger {
    /// Compares the prompt before with the prompt after. No prompt before means that every section is new.
    ///
    /// ```
    /// use preface_core::{prompt::Prompt, trigger::{Trigger, TriggerKind}};
    /// let same = Trigger::between(TriggerKind::Reload, None, &Prompt::default(), &Prompt::default());
    /// assert!(same.sections.is_empty());
    /// ```
    #[must_use]
    pub fn between(kind: TriggerKind, by: Option<&str>, before: &Prompt, after: &Prompt) -> Self {
        let mut sections: Vec<SectionId> = Vec::new();
        if before.text == after.text {
            return Trigger { kind, by: by.map(str::to_owned), sections };
        }
        let texts = |prompt: &Prompt, id: &SectionId| -> String {
            let parts = prompt.parts.iter().filter(|part| part.section == *id);
            parts.map(|part| prompt.text_of(part)).collect()
        };
        for part in after.parts.iter().chain(&before.parts) {
            if !sections.contains(&part.section)
                && texts(before, &part.section) != texts(after, &part.section)
            {
                sections.push(part.section.clone());
            }
        }
        Trigger { kind, by: by.map(str::to_owned), sections }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::literal;

    #[test]
    fn new_other_and_gone_sections_are_named() {
        let before = Prompt::default()
            .with("same", &[("Same.", literal("same"))])
            .with("other", &[("Old.", literal("other"))])
            .with("gone", &[("Gone.", literal("gone"))]);
        let after = Prompt::default()
            .with("new", &[("New.", literal("new"))])
            .with("same", &[("Same.", literal("same"))])
            .with("other", &[("New.", literal("other"))]);
        let trigger = Trigger::between(TriggerKind::Reload, None, &before, &after);
        let ids: Vec<&str> = trigger.sections.iter().map(SectionId::as_str).collect();
        assert_eq!(ids, ["new", "other", "gone"]);
    }
}
