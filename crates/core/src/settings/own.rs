//! Preface's own keys, typed. What nobody says is `None`; defaults are those of whoever asks.

use super::{
    merge::Merged,
    node::{Node, Tree},
    section_override::SectionOverride,
    set_by::Sourced,
    system_prompt_file::{count, sourced, text},
};
use crate::trust::TrustMode;
use serde::{Deserialize, Serialize};

/// Everything that preface's own keys say.
///
/// ```
/// use preface_core::{scope::Scope, settings::{merge, parse, OnOver, Own}};
/// let json = br#"{"preset": "pi", "budget": {"tokens": 9000, "onOver": "error"}}"#;
/// let merged = merge(vec![parse(Scope::Global, "settings.json", json).0.unwrap()], &mut Vec::new());
/// let own = Own::read(&merged);
/// assert_eq!(own.preset.unwrap().value, "pi");
/// assert_eq!(own.budget.on_over.unwrap().value, OnOver::Error);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// `preset`: the preset to build with.
    pub preset: Option<Sourced<String>>,
    /// `profile`: the profile file to build with.
    pub profile: Option<Sourced<String>>,
    /// `systemPrompt`.
    pub system_prompt: SystemPrompt,
    /// `sections`, in the order in which the ids were first seen.
    pub sections: Vec<SectionOverride>,
    /// `budget`.
    pub budget: Budget,
    /// `template`.
    pub template: TemplateLimits,
    /// `trust.mode`.
    pub trust_mode: Option<Sourced<TrustMode>>,
    /// The paths that links of a project may lead to.
    pub follow: Vec<String>,
    /// True where files with several names are read also where such files are refused.
    pub hard_links: Option<Sourced<bool>>,
    /// `claudeMd`: managed instructions.
    pub claude_md: Option<Sourced<String>>,
    /// `outputStyle`: the name of the output style.
    pub output_style: Option<Sourced<String>>,
}

/// What `systemPrompt` says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemPrompt {
    /// The text that replaces the base prompt.
    pub custom: Option<Sourced<String>>,
    /// The text that is appended.
    pub append: Option<Sourced<String>>,
    /// Whether it is appended to `custom`, too.
    pub combine: Option<Sourced<bool>>,
    /// The preset to build with.
    pub preset: Option<Sourced<String>>,
}

/// What happens to a prompt over the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnOver {
    /// It is cut.
    Cut,
    /// It is an error.
    Error,
    /// It stays, with a warning.
    Warn,
}

/// What `budget` says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// The limit in tokens.
    pub tokens: Option<Sourced<u64>>,
    /// What happens over it.
    pub on_over: Option<Sourced<OnOver>>,
}

/// What `template` says. A limit of 0 means none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TemplateLimits {
    /// The deepest nesting.
    pub max_depth: Option<Sourced<u64>>,
    /// The largest rendered size in bytes.
    pub max_bytes: Option<Sourced<u64>>,
    /// Whether `[raw]` is understood.
    pub raw: Option<Sourced<bool>>,
    /// Whether lines with only a tag vanish.
    pub trim_tag_lines: Option<Sourced<bool>>,
}

impl Own {
    /// Returns what the merged settings say.
    #[must_use]
    pub fn read(settings: &Merged) -> Self {
        let at = |path: &[&str]| settings.at(path);
        Own {
            preset: sourced(at(&["preset"]), text),
            profile: sourced(at(&["profile"]), text),
            system_prompt: SystemPrompt {
                custom: sourced(at(&["systemPrompt", "custom"]), text),
                append: sourced(at(&["systemPrompt", "append"]), text),
                combine: sourced(at(&["systemPrompt", "combine"]), Node::as_flag),
                preset: sourced(at(&["systemPrompt", "preset"]), text),
            },
            sections: SectionOverride::read_all(settings),
            budget: Budget {
                tokens: sourced(at(&["budget", "tokens"]), count),
                on_over: sourced(at(&["budget", "onOver"]), |node| match node.as_text()? {
                    "cut" => Some(OnOver::Cut),
                    "error" => Some(OnOver::Error),
                    "warn" => Some(OnOver::Warn),
                    _ => None,
                }),
            },
            template: TemplateLimits {
                max_depth: sourced(at(&["template", "maxDepth"]), count),
                max_bytes: sourced(at(&["template", "maxBytes"]), count),
                raw: sourced(at(&["template", "raw"]), Node::as_flag),
                trim_tag_lines: sourced(at(&["template", "trimTagLines"]), Node::as_flag),
            },
            trust_mode: sourced(at(&["trust", "mode"]), |node| match node.as_text()? {
                "none" => Some(TrustMode::None),
                "pinned" => Some(TrustMode::Pinned),
                "whole" => Some(TrustMode::Whole),
                _ => None,
            }),
            follow: at(&["trust", "follow"]).map(texts).unwrap_or_default(),
            hard_links: sourced(at(&["trust", "hardLinks"]), Node::as_flag),
            claude_md: sourced(at(&["claudeMd"]), text),
            output_style: sourced(at(&["outputStyle"]), text),
        }
    }
}

/// Returns the texts of a list.
fn texts(node: &Node) -> Vec<String> {
    match node.tree() {
        Tree::List(items) => items.iter().filter_map(text).collect(),
        _ => Vec::new(),
    }
}
