//! The settings, each described once: its key, its type, what it is for, who may set it and how layers merge.
//!
//! The published schema is derived from these types, and reading, merging, `--set` and the reference page follow that schema. What
//! types do not express is in attributes: `x-project` is false for what a project cannot set, `x-merge` is the rule for two layers
//! (`append` or `whole`), `x-short` is the key that a bare string stands for.

use super::{
    merge::{MergedSettings, SetBy},
    node::SettingsNode,
    schema::ValueShape,
};
use crate::{
    condition::Condition, profile::OverBudgetAction, section::Language, trust::TrustMode, variable::Stability,
};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// All settings. A setting without a value is `None`; callers have the defaults.
///
/// ```
/// use preface_core::{profile::OverBudgetAction, scope::Scope, settings::{merge, parse, Settings}};
/// let json = br#"{"preset": "pi", "budget": {"tokens": 9000, "onOver": "error"}}"#;
/// let merged = merge(vec![parse(Scope::Global, "settings.json", json).0.unwrap()], &mut Vec::new());
/// let settings = Settings::read(&merged);
/// assert_eq!(settings.preset.as_deref(), Some("pi"));
/// assert_eq!(settings.budget.on_over, Some(OverBudgetAction::Error));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Settings {
    /// Names the extension that is active where only one can be.
    pub active: ActiveSettings,
    /// Limits the size of the prompt.
    #[schemars(extend("x-project" = false))]
    pub budget: BudgetSettings,
    /// Gives managed instructions that are read before every CLAUDE.md.
    #[schemars(extend("x-project" = false))]
    pub claude_md: Option<String>,
    /// Lists files of instructions that are left out, as globs.
    #[schemars(extend("x-project" = false))]
    pub claude_md_excludes: AddedList,
    /// Configures or disables commands by name.
    pub commands: EntrySettings,
    /// Configures or disables context providers by name.
    pub context_providers: ContextProviderSettings,
    /// Gives environment values to a host; they never reach a prompt.
    pub env: BTreeMap<String, String>,
    /// Configures or disables hooks by name.
    pub hooks: EntrySettings,
    /// Sets what `preface lint` leaves out.
    #[schemars(extend("x-project" = false))]
    pub lint: LintSettings,
    /// Configures or disables loggers by name.
    pub loggers: EntrySettings,
    /// Configures logging.
    pub logging: Map<String, Value>,
    /// Sets options of the profile by name.
    #[schemars(extend("x-project" = false, "x-merge" = "whole"))]
    pub options: Map<String, Value>,
    /// Names the output style.
    #[schemars(extend("x-project" = false))]
    pub output_style: Option<String>,
    /// Names the preset to build with.
    #[schemars(extend("x-project" = false))]
    pub preset: Option<String>,
    /// Names the profile file to build with.
    #[schemars(extend("x-project" = false))]
    pub profile: Option<String>,
    /// Configures or disables model providers by name.
    #[schemars(extend("x-merge" = "whole"))]
    pub providers: EntrySettings,
    /// Adds, changes or disables sections of the prompt.
    #[schemars(with = "BTreeMap<String, SectionOverride>")]
    pub sections: IndexMap<String, SectionOverride>,
    /// Sets what is allowed without asking.
    pub security_mode: SecurityModeSettings,
    /// Configures or disables session stores by name.
    pub session_stores: EntrySettings,
    /// Configures or disables state machines by name.
    pub state_machines: EntrySettings,
    /// Replaces the base prompt or appends to it; a string is short for `custom`.
    pub system_prompt: SystemPromptSettings,
    /// Limits templates.
    #[schemars(extend("x-project" = false))]
    pub template: TemplateSettings,
    /// Configures or disables tools by name.
    pub tools: EntrySettings,
    /// Sets how project files are trusted.
    #[schemars(extend("x-project" = false))]
    pub trust: TrustSettings,
    /// Configures or disables user interfaces by name.
    pub ui: EntrySettings,
    /// Gives variables of the profile by `type:name`.
    #[schemars(extend("x-project" = false, "x-merge" = "whole"))]
    pub variables: Map<String, Value>,
}

impl Settings {
    /// Reads the merged settings.
    ///
    /// # Panics
    /// Never: what does not fit the schema was left out before.
    #[must_use]
    pub fn read(settings: &MergedSettings) -> Self {
        serde_json::from_value(settings.root().typed(ValueShape::root()))
            .expect("the types are those that the schema is derived from")
    }
}

/// A list to which each layer adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(extend("x-merge" = "append"))]
pub struct AddedList(pub Vec<String>);

/// The setting `active`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct ActiveSettings {
    /// Names the state machine.
    #[serde(rename = "attachedSM")]
    pub attached_sm: Option<String>,
    /// Names the user interface.
    pub interactor: Option<String>,
    /// Names the model provider.
    pub provider: Option<String>,
    /// Names the session store.
    pub session_store: Option<String>,
}

/// The setting `budget`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct BudgetSettings {
    /// Sets what happens to a prompt over the limit.
    pub on_over: Option<OverBudgetAction>,
    /// Sets the limit in tokens.
    pub tokens: Option<u64>,
}

/// The settings of the extensions of a category, by name.
pub type EntrySettings = BTreeMap<String, EntrySetting>;

/// The settings of one extension. Its own keys are for itself to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct EntrySetting {
    /// Removes the entry of lower layers.
    pub disable: Option<bool>,
}

/// The setting `contextProviders`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ContextProviderSettings {
    /// Configures the reader of system.md.
    #[serde(rename = "SystemPromptFile")]
    pub system_prompt_file: SystemPromptFileSettings,
    /// All others.
    #[serde(flatten)]
    pub others: EntrySettings,
}

/// The setting `contextProviders.SystemPromptFile`, with defaults for missing values.
///
/// There are no invalid values: [`merge`](super::merge()) replaced them by the next lower valid one.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, Settings}};
/// let json = br#"{"contextProviders": {"SystemPromptFile": {"maxTokens": -1, "priority": 80}}}"#;
/// let mut diagnostics = Vec::new();
/// let merged = merge(vec![parse(Scope::Project, ".stud/settings.json", json).0.unwrap()], &mut diagnostics);
/// let file = Settings::read(&merged).context_providers.system_prompt_file;
/// assert_eq!((file.max_tokens, file.priority), (4096, 80));
/// assert_eq!(diagnostics[0].code.as_str(), "settings/schema-violation");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SystemPromptFileSettings {
    /// Removes the entry of lower layers.
    pub disable: bool,
    /// Sets whether the provider is active.
    pub enabled: bool,
    /// Sets the ceiling of both files together, in tokens.
    pub max_tokens: u64,
    /// Overrides where the files are.
    pub paths: SystemPromptFilePaths,
    /// Breaks ties when the budget is tight; the higher number wins.
    pub priority: i64,
}

impl Default for SystemPromptFileSettings {
    fn default() -> Self {
        let paths = SystemPromptFilePaths::default();
        SystemPromptFileSettings { disable: false, enabled: true, max_tokens: 4096, paths, priority: 50 }
    }
}

impl SystemPromptFileSettings {
    /// The keys that lead to its settings: the category and the id of the provider.
    pub const KEYS: [&str; 2] = ["contextProviders", "SystemPromptFile"];

    /// Returns the source of one of its settings; `None` for a default.
    #[must_use]
    pub fn set_by(settings: &MergedSettings, key: &str) -> Option<SetBy> {
        settings.at(&[Self::KEYS[0], Self::KEYS[1], key]).map(SettingsNode::by)
    }
}

/// The setting `contextProviders.SystemPromptFile.paths`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SystemPromptFilePaths {
    /// Overrides the user's file.
    #[schemars(extend("x-project" = false))]
    pub global: Option<FilePath>,
    /// Overrides the project's file.
    pub project: Option<FilePath>,
}

/// The path of a file: not blank, at most 4096 characters, no `..` component.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(extend("pattern" = "\\S", "maxLength" = LONGEST_PATH, "not" = {
    "type": "string",
    "pattern": "(^|[/\\\\])\\.\\.([/\\\\]|$)",
}))]
pub struct FilePath(pub String);

/// The longest path, in characters.
const LONGEST_PATH: usize = 4096;

/// The setting `lint`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LintSettings {
    /// Lists, by the code of a finding, the files in which it is accepted, as globs of the paths that `preface lint` prints.
    pub ignore: BTreeMap<String, AddedList>,
}

/// The setting `sections.<id>`. A field without a value is `None`, and the profile's stays.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SectionOverride {
    /// Names the section that this one follows.
    pub after: Option<String>,
    /// Names the section that this one precedes.
    pub before: Option<String>,
    /// Removes the section.
    pub disable: Option<bool>,
    /// Names the file with the text.
    pub file: Option<String>,
    /// Sets how the text is parsed.
    pub language: Option<Language>,
    /// Sets the section's ceiling in tokens.
    pub max_tokens: Option<u64>,
    /// Breaks ties when the budget is tight; the higher number wins.
    pub priority: Option<i64>,
    /// Sets how long the text stays the same.
    pub stability: Option<Stability>,
    /// Gives the text.
    pub text: Option<String>,
    /// Gives the condition under which the section is there.
    // An invalid one stays, so that the section is left out instead of always used.
    #[schemars(with = "Condition", extend("x-condition" = true))]
    pub when: Option<Value>,
}

/// The setting `securityMode`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SecurityModeSettings {
    /// Lists what may run without a question; layers add to it.
    pub allowlist: AddedList,
    /// Names the mode; a project may only tighten it.
    #[schemars(extend("enum" = ["allowlist", "ask", "yolo"]))]
    pub mode: Option<String>,
}

/// The setting `systemPrompt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("type" = ["object", "string"], "x-short" = "custom"))]
pub struct SystemPromptSettings {
    /// Is appended to the prompt.
    pub append: Option<String>,
    /// Lets `append` follow `custom`, too.
    #[schemars(extend("x-project" = false))]
    pub combine: Option<bool>,
    /// Replaces the base prompt.
    pub custom: Option<String>,
    /// Names the preset to build with, as `preset` does.
    #[schemars(extend("x-project" = false))]
    pub preset: Option<String>,
    /// Marks the name of a preset.
    #[serde(rename = "type")]
    #[schemars(extend("x-project" = false, "enum" = ["preset"]))]
    pub kind: Option<String>,
}

/// The setting `template`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TemplateSettings {
    /// Limits the size of a template; 0 means no limit. A rendered prompt has at most 64 MiB, unless it is 0.
    pub max_bytes: Option<u64>,
    /// Limits the nesting; 0 means no limit.
    pub max_depth: Option<u64>,
    /// Sets whether `[raw]` is a tag.
    pub raw: Option<bool>,
    /// Sets whether lines with only a tag are removed.
    pub trim_tag_lines: Option<bool>,
}

/// The setting `trust`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct TrustSettings {
    /// Lists files and directories that links of a project may lead to; absolute, or from `~/`.
    pub follow: AddedList,
    /// Reads files with several names also where they are refused.
    pub hard_links: Option<bool>,
    /// Sets how project files are trusted.
    pub mode: Option<TrustMode>,
}

impl MergedSettings {
    /// Returns the layer that removed an entry with `disable: true`, unless a stronger one reverts that.
    #[must_use]
    pub fn disabled_by(&self, category: &str, id: &str) -> Option<SetBy> {
        let node = self.at(&[category, id, "disable"])?;
        (node.as_flag() == Some(true)).then_some(node.by())
    }
}
