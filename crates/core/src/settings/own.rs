//! Preface's own settings, typed. A setting without a value is `None`; callers have the defaults.

use super::{
    merge::{MergedSettings, SetBy, SourcedValue},
    node::{SettingsNode, SettingsTree},
};
use crate::{trust::TrustMode, variable::Stability};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The values of preface's own settings.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, OverBudgetSetting, PrefaceSettings}};
/// let json = br#"{"preset": "pi", "budget": {"tokens": 9000, "onOver": "error"}}"#;
/// let merged = merge(vec![parse(Scope::Global, "settings.json", json).0.unwrap()], &mut Vec::new());
/// let own = PrefaceSettings::read(&merged);
/// assert_eq!(own.preset.unwrap().value, "pi");
/// assert_eq!(own.budget.on_over.unwrap().value, OverBudgetSetting::Error);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefaceSettings {
    /// `preset`: the preset to build with.
    pub preset: Option<SourcedValue<String>>,
    /// `profile`: the profile file to build with.
    pub profile: Option<SourcedValue<String>>,
    /// `systemPrompt`.
    pub system_prompt: SystemPrompt,
    /// `sections`, in the order in which the ids were first seen.
    pub sections: Vec<SectionOverride>,
    /// `budget`.
    pub budget: BudgetSettings,
    /// `template`.
    pub template: TemplateLimitSettings,
    /// `trust.mode`.
    pub trust_mode: Option<SourcedValue<TrustMode>>,
    /// The paths that symbolic links of a project may lead to.
    pub follow: Vec<String>,
    /// True if files with several hard links are read even where they would be refused.
    pub hard_links: Option<SourcedValue<bool>>,
    /// `claudeMd`: managed instructions.
    pub claude_md: Option<SourcedValue<String>>,
    /// `outputStyle`: the name of the output style.
    pub output_style: Option<SourcedValue<String>>,
    /// `lint.ignore`: by the code of a finding, the globs of the files in which it is accepted.
    pub lint_ignore: BTreeMap<String, Vec<String>>,
}

/// The setting `systemPrompt`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPrompt {
    /// The text that replaces the base prompt.
    pub custom: Option<SourcedValue<String>>,
    /// The text that is appended.
    pub append: Option<SourcedValue<String>>,
    /// True if it is appended to `custom`, too.
    pub combine: Option<SourcedValue<bool>>,
    /// The preset to build with.
    pub preset: Option<SourcedValue<String>>,
}

/// The treatment of a prompt over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OverBudgetSetting {
    /// The prompt is cut.
    Cut,
    /// The build fails.
    Error,
    /// The prompt is used, with a warning.
    Warn,
}

/// The setting `budget`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BudgetSettings {
    /// The limit in tokens.
    pub tokens: Option<SourcedValue<u64>>,
    /// The treatment of a prompt over the limit.
    pub on_over: Option<SourcedValue<OverBudgetSetting>>,
}

/// The setting `template`. A limit of 0 means none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateLimitSettings {
    /// The deepest nesting.
    pub max_depth: Option<SourcedValue<u64>>,
    /// The largest rendered size in bytes.
    pub max_bytes: Option<SourcedValue<u64>>,
    /// True if `[raw]` is a tag.
    pub raw: Option<SourcedValue<bool>>,
    /// True if lines with only a tag are removed.
    pub trim_tag_lines: Option<SourcedValue<bool>>,
}

impl PrefaceSettings {
    /// Reads the merged settings.
    #[must_use]
    pub fn read(settings: &MergedSettings) -> Self {
        let at = |path: &[&str]| settings.at(path);
        PrefaceSettings {
            preset: sourced(at(&["preset"]), text),
            profile: sourced(at(&["profile"]), text),
            system_prompt: SystemPrompt {
                custom: sourced(at(&["systemPrompt", "custom"]), text),
                append: sourced(at(&["systemPrompt", "append"]), text),
                combine: sourced(at(&["systemPrompt", "combine"]), SettingsNode::as_flag),
                preset: sourced(at(&["systemPrompt", "preset"]), text),
            },
            sections: SectionOverride::read_all(settings),
            budget: BudgetSettings {
                tokens: sourced(at(&["budget", "tokens"]), count),
                on_over: sourced(at(&["budget", "onOver"]), |node| match node.as_text()? {
                    "cut" => Some(OverBudgetSetting::Cut),
                    "error" => Some(OverBudgetSetting::Error),
                    "warn" => Some(OverBudgetSetting::Warn),
                    _ => None,
                }),
            },
            template: TemplateLimitSettings {
                max_depth: sourced(at(&["template", "maxDepth"]), count),
                max_bytes: sourced(at(&["template", "maxBytes"]), count),
                raw: sourced(at(&["template", "raw"]), SettingsNode::as_flag),
                trim_tag_lines: sourced(at(&["template", "trimTagLines"]), SettingsNode::as_flag),
            },
            trust_mode: sourced(at(&["trust", "mode"]), |node| match node.as_text()? {
                "none" => Some(TrustMode::None),
                "pinned" => Some(TrustMode::Pinned),
                "whole" => Some(TrustMode::Whole),
                _ => None,
            }),
            follow: at(&["trust", "follow"]).map(texts).unwrap_or_default(),
            hard_links: sourced(at(&["trust", "hardLinks"]), SettingsNode::as_flag),
            claude_md: sourced(at(&["claudeMd"]), text),
            output_style: sourced(at(&["outputStyle"]), text),
            lint_ignore: at(&["lint", "ignore"])
                .and_then(SettingsNode::as_table)
                .map(|table| table.iter().map(|(code, globs)| (code.to_owned(), texts(globs))).collect())
                .unwrap_or_default(),
        }
    }
}

fn texts(node: &SettingsNode) -> Vec<String> {
    match node.tree() {
        SettingsTree::List(items) => items.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}

// Settings of any extension: whether it is disabled, and its values.

/// The settings of one extension, `<category>.<id>`.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, SetBy}};
/// let json = br#"{"tools": {"Bash": {"disable": true, "timeout": 5}}}"#;
/// let merged = merge(vec![parse(Scope::Global, "settings.json", json).0.unwrap()], &mut Vec::new());
/// let bash = merged.extension("tools", "Bash").unwrap();
/// assert_eq!(bash.disabled_by, Some(SetBy::Global));
/// assert_eq!(bash.config["timeout"], 5);
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExtensionSettings {
    /// The layer that removed the entry with `disable: true`, unless a stronger one reverts that.
    pub disabled_by: Option<SetBy>,
    /// The merged values, without the directive `disable`.
    pub config: Map<String, Value>,
    /// The strongest layer that has a value.
    pub config_by: Option<SetBy>,
}

impl MergedSettings {
    /// Returns the settings of an extension; `None` if no layer has any.
    #[must_use]
    pub fn extension(&self, category: &str, id: &str) -> Option<ExtensionSettings> {
        let table = self.at(&[category, id])?.as_table()?;
        let values = || table.iter().filter(|(key, _)| *key != "disable");
        Some(ExtensionSettings {
            disabled_by: self.disabled_by(category, id),
            config: values().map(|(key, node)| (key.to_owned(), node.to_value())).collect(),
            config_by: values().map(|(_, node)| node.by()).max(),
        })
    }

    /// Returns the layer that removed an entry with `disable: true`, unless a stronger one reverts that.
    #[must_use]
    pub fn disabled_by(&self, category: &str, id: &str) -> Option<SetBy> {
        let node = self.at(&[category, id, "disable"])?;
        (node.as_flag() == Some(true)).then_some(node.by())
    }
}

// Settings of one section of the prompt.

/// The source of a section's text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionContent {
    /// Text in the settings.
    Text(String),
    /// A file, relative to the directory of the layer that sets it. The reader of the file checks that this
    /// is permitted.
    File(String),
}

/// The syntax of a section's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LanguageSetting {
    /// Text with tags and variables.
    Template,
    /// Text that is used byte for byte.
    Verbatim,
}

/// The setting `sections.<id>`. A field without a value is `None`, and the profile's stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionOverride {
    /// The section's id.
    pub id: String,
    /// The text; of a text and a file that of the stronger layer is used.
    pub content: Option<SourcedValue<SectionContent>>,
    /// The syntax of the text.
    pub language: Option<SourcedValue<LanguageSetting>>,
    /// The condition, as it is written.
    pub when: Option<SourcedValue<Value>>,
    /// The section that this one follows.
    pub after: Option<SourcedValue<String>>,
    /// The section that this one precedes.
    pub before: Option<SourcedValue<String>>,
    /// The priority when the budget is tight.
    pub priority: Option<SourcedValue<i64>>,
    /// The limit in tokens.
    pub max_tokens: Option<SourcedValue<u64>>,
    /// The time for which the text stays the same.
    pub stability: Option<SourcedValue<Stability>>,
    /// The layer that removed the section with `disable: true`.
    pub disabled_by: Option<SetBy>,
}

impl SectionOverride {
    /// Reads the sections of the merged settings, in the order in which the ids were first seen.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::{merge, parse, SectionContent, SectionOverride}};
    /// let json = br#"{"sections": {"rules": {"text": "Use tabs.", "after": "identity"}}}"#;
    /// let merged = merge(vec![parse(Scope::Project, "settings.json", json).0.unwrap()], &mut Vec::new());
    /// let sections = SectionOverride::read_all(&merged);
    /// assert_eq!(sections[0].id, "rules");
    /// assert_eq!(sections[0].content.as_ref().unwrap().value, SectionContent::Text("Use tabs.".into()));
    /// ```
    #[must_use]
    pub fn read_all(settings: &MergedSettings) -> Vec<SectionOverride> {
        let Some(table) = settings.at(&["sections"]).and_then(SettingsNode::as_table) else {
            return Vec::new();
        };
        table.iter().filter(|(_, node)| node.as_table().is_some()).map(|(id, node)| read(id, node)).collect()
    }
}

fn read(id: &str, section: &SettingsNode) -> SectionOverride {
    let at = |key: &str| section.at(&[key]);
    let inline = sourced(at("text"), |node| text(node).map(SectionContent::Text));
    let file = sourced(at("file"), |node| text(node).map(SectionContent::File));
    let content = match (inline, file) {
        (Some(inline), Some(file)) => Some(if file.by > inline.by { file } else { inline }),
        (inline, file) => inline.or(file),
    };
    SectionOverride {
        id: id.to_owned(),
        content,
        language: sourced(at("language"), |node| match node.as_text()? {
            "template" => Some(LanguageSetting::Template),
            "verbatim" => Some(LanguageSetting::Verbatim),
            _ => None,
        }),
        when: sourced(at("when"), |node| match node.tree() {
            SettingsTree::Table(_) => Some(node.to_value()),
            _ => None,
        }),
        after: sourced(at("after"), text),
        before: sourced(at("before"), text),
        priority: sourced(at("priority"), SettingsNode::as_integer),
        max_tokens: sourced(at("maxTokens"), count),
        stability: sourced(at("stability"), |node| {
            [Stability::Static, Stability::Conversation, Stability::Turn]
                .into_iter()
                .find(|stability| node.as_text() == Some(stability.as_str()))
        }),
        disabled_by: sourced(at("disable"), SettingsNode::as_flag).filter(|set| set.value).map(|set| set.by),
    }
}

// The settings of the context provider `SystemPromptFile`.

/// The setting `contextProviders.SystemPromptFile`, with defaults for missing values.
///
/// Each `_by` is the source of the value; `None` is the default. There are no invalid values:
/// [`merge`](super::merge()) replaced them by the next lower valid one.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, SetBy, SystemPromptFileSettings}};
/// let json = br#"{"contextProviders": {"SystemPromptFile": {"maxTokens": -1, "priority": 80}}}"#;
/// let mut diagnostics = Vec::new();
/// let merged = merge(vec![parse(Scope::Project, ".stud/settings.json", json).0.unwrap()], &mut diagnostics);
/// let file = SystemPromptFileSettings::read(&merged);
/// assert_eq!((file.max_tokens, file.max_tokens_by), (4096, None));
/// assert_eq!((file.priority, file.priority_by), (80, Some(SetBy::Project)));
/// assert_eq!(diagnostics[0].code.as_str(), "settings/schema-violation");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPromptFileSettings {
    /// True if the provider is used; one value for both files.
    pub enabled: bool,
    /// The source of `enabled`.
    pub enabled_by: Option<SetBy>,
    /// The limit of both files together, in tokens; 0 means no text.
    pub max_tokens: u64,
    /// The source of `max_tokens`.
    pub max_tokens_by: Option<SetBy>,
    /// The priority when the budget is tight.
    pub priority: i64,
    /// The source of `priority`.
    pub priority_by: Option<SetBy>,
    /// The override of the user's file, relative to the global directory. A project cannot set it.
    pub path_global: Option<String>,
    /// The source of `path_global`.
    pub path_global_by: Option<SetBy>,
    /// The override of the project's file, relative to the working directory.
    pub path_project: Option<String>,
    /// The source of `path_project`.
    pub path_project_by: Option<SetBy>,
    /// The layer that removed the provider with `disable: true`.
    pub disabled_by: Option<SetBy>,
}

impl Default for SystemPromptFileSettings {
    fn default() -> Self {
        SystemPromptFileSettings {
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

impl SystemPromptFileSettings {
    /// The keys that lead to its settings: the category and the id of the provider.
    pub const KEYS: [&str; 2] = ["contextProviders", "SystemPromptFile"];

    /// Reads the provider's settings from the merged settings.
    #[must_use]
    pub fn read(settings: &MergedSettings) -> Self {
        let mut file = SystemPromptFileSettings::default();
        let field = |path: &[&str]| settings.at(&[&Self::KEYS, path].concat());
        if let Some(set) = sourced(field(&["enabled"]), SettingsNode::as_flag) {
            (file.enabled, file.enabled_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["maxTokens"]), count) {
            (file.max_tokens, file.max_tokens_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["priority"]), SettingsNode::as_integer) {
            (file.priority, file.priority_by) = (set.value, Some(set.by));
        }
        if let Some(set) = sourced(field(&["paths", "global"]), text) {
            (file.path_global, file.path_global_by) = (Some(set.value), Some(set.by));
        }
        if let Some(set) = sourced(field(&["paths", "project"]), text) {
            (file.path_project, file.path_project_by) = (Some(set.value), Some(set.by));
        }
        file.disabled_by = settings.disabled_by(Self::KEYS[0], Self::KEYS[1]);
        file
    }
}

/// Reads a value with its source.
pub(super) fn sourced<T>(
    node: Option<&SettingsNode>,
    read: impl FnOnce(&SettingsNode) -> Option<T>,
) -> Option<SourcedValue<T>> {
    let node = node?;
    read(node).map(|value| SourcedValue { value, by: node.by() })
}

/// Reads an integer of 0 or more.
pub(super) fn count(node: &SettingsNode) -> Option<u64> {
    node.as_integer().and_then(|integer| u64::try_from(integer).ok())
}

pub(super) fn text(node: &SettingsNode) -> Option<String> {
    node.as_text().map(str::to_owned)
}
