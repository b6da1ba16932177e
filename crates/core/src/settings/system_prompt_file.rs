//! The settings of the context provider `SystemPromptFile`.

use super::{
    merge::Merged,
    node::Node,
    set_by::{SetBy, Sourced},
};
use serde::{Deserialize, Serialize};

/// What `contextProviders.SystemPromptFile` says, with the defaults where nobody says anything.
///
/// Each `_by` names who set the value; `None` is the default. Bad values never get here: [`merge`](super::merge()) dropped
/// them for the next lower valid one.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, SetBy, SystemPromptFile}};
/// let json = br#"{"contextProviders": {"SystemPromptFile": {"maxTokens": -1, "priority": 80}}}"#;
/// let mut notes = Vec::new();
/// let merged = merge(vec![parse(Scope::Project, ".stud/settings.json", json).0.unwrap()], &mut notes);
/// let file = SystemPromptFile::read(&merged);
/// assert_eq!((file.max_tokens, file.max_tokens_by), (4096, None));
/// assert_eq!((file.priority, file.priority_by), (80, Some(SetBy::Project)));
/// assert_eq!(notes[0].code, "Validation/ConfigSchemaViolation");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPromptFile {
    /// Whether the provider takes part; one value for both files.
    pub enabled: bool,
    /// Who set `enabled`.
    pub enabled_by: Option<SetBy>,
    /// The ceiling of both files together, in tokens; 0 means no contribution.
    pub max_tokens: u64,
    /// Who set `max_tokens`.
    pub max_tokens_by: Option<SetBy>,
    /// The tiebreaker when the budget is tight.
    pub priority: i64,
    /// Who set `priority`.
    pub priority_by: Option<SetBy>,
    /// The override of the user's file; relative to the global directory. Never set by a project.
    pub path_global: Option<String>,
    /// Who set `path_global`.
    pub path_global_by: Option<SetBy>,
    /// The override of the project's file; relative to the cwd.
    pub path_project: Option<String>,
    /// Who set `path_project`.
    pub path_project_by: Option<SetBy>,
    /// Who removed the provider with `disable: true`.
    pub disabled_by: Option<SetBy>,
}

impl Default for SystemPromptFile {
    fn default() -> Self {
        SystemPromptFile {
            enabled: true,
            enabled_by: None,
            max_tokens: 4096,
            max_tokens_by: None,
            priority: 50,
            priority_by: None,
            path_global: None,
            path_global_by: None,
            path_project: None,
            path_project_by: None,
            disabled_by: None,
        }
    }
}

impl SystemPromptFile {
    /// Returns what the merged settings say about the provider.
    #[must_use]
    pub fn read(settings: &Merged) -> Self {
        let mut file = SystemPromptFile::default();
        let field = |path: &[&str]| settings.at(&[&["contextProviders", "SystemPromptFile"], path].concat());
        if let Some(set) = sourced(field(&["enabled"]), Node::as_flag) {
            (file.enabled, file.enabled_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["maxTokens"]), count) {
            (file.max_tokens, file.max_tokens_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["priority"]), Node::as_integer) {
            (file.priority, file.priority_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["paths", "global"]), text) {
            (file.path_global, file.path_global_by) = (Some(set.value), Some(set.by));
        }
        if let Some(set) = sourced(field(&["paths", "project"]), text) {
            (file.path_project, file.path_project_by) = (Some(set.value), Some(set.by));
        }
        file.disabled_by = settings.disabled_by("contextProviders", "SystemPromptFile");
        file
    }
}

/// Reads a value and keeps who set it.
pub(super) fn sourced<T>(node: Option<&Node>, read: impl FnOnce(&Node) -> Option<T>) -> Option<Sourced<T>> {
    let node = node?;
    read(node).map(|value| Sourced { value, by: node.by() })
}

/// Reads an integer of 0 or more.
pub(super) fn count(node: &Node) -> Option<u64> {
    node.as_integer().and_then(|integer| u64::try_from(integer).ok())
}

/// Reads a text.
pub(super) fn text(node: &Node) -> Option<String> {
    node.as_text().map(str::to_owned)
}
