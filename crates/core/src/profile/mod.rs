//! Profiles: an ordered choice of sections, conditions, separators and budget, as data (TOML).
//!
//! A preset is a profile that ships with preface. [`read`] turns a text into a [`RawProfile`]; [`build`] lays a chain
//! of them over each other (`extends`), applies variant and options, and gives a [`Profile`] in which every text is
//! present. `docs/profiles.md` is the guide, `docs/design/profile-language.md` tells what it was checked against.

mod build;
mod overlay;
mod raw;
mod tags;

pub use build::{Setting, Texts, build};
pub use raw::{ProfileError, RawProfile, read};
pub use tags::OwnTags;

use crate::{
    condition::Condition,
    origin::Piece,
    section::{Section, SectionId},
    trust::TrustMode,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A resolved profile. Texts are pieces with origins; nothing is left to look up but facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Its name.
    pub name: String,
    /// One sentence for people.
    #[serde(default)]
    pub about: String,
    /// Where its layers live.
    pub home: Home,
    /// How it guards project text.
    pub trust: TrustMode,
    /// When the first file is written, and which.
    pub scaffold: Scaffold,
    /// How parts are ordered.
    pub arrange: Arrange,
    /// Text between parts (a template without facts).
    pub join: Piece,
    /// True: line ends of neighbouring parts give way to `join`.
    pub seam: bool,
    /// Sections in the order in which they speak.
    pub sections: Vec<Section>,
    /// Sections that the chosen order leaves out.
    #[serde(default)]
    pub unordered: Vec<SectionId>,
    /// Sections that are replaced together.
    #[serde(default)]
    pub groups: Vec<Group>,
    /// New sections of layers and settings follow this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_after: Option<SectionId>,
    /// The lists' forms.
    #[serde(default)]
    pub guidelines: Vec<Guideline>,
    /// Tools that are active when the caller names none; `None` is no tool.
    #[serde(default)]
    pub tools: Vec<String>,
    /// What the template language may do in section texts.
    pub template: TemplateLimits,
    /// The budget of the whole prompt.
    pub budget: Budget,
    /// The fact types whose values have forged structure escaped.
    #[serde(default)]
    pub escape: Vec<String>,
    /// The tags that its frames are made of.
    #[serde(default)]
    pub own_tags: OwnTags,
    /// Values of `option:<name>`.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

impl Profile {
    /// Returns a section by id.
    #[must_use]
    pub fn section(&self, id: &SectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == *id)
    }
}

/// Where the layers of a profile live.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Home {
    /// Candidates for the global directory: `~/x`, or `config:x` for the platform's configuration directory. The
    /// first that exists, else the first.
    pub global: Vec<String>,
    /// The project directory, relative to the cwd.
    pub project: String,
    /// True: a layer without a directory in its `extensions` may have the directories of the categories in its root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat_extensions: bool,
}

/// When preface writes a first file by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaffold {
    /// The moment.
    #[serde(default)]
    pub when: ScaffoldWhen,
    /// File name in the global directory to bundled path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The moment of the scaffold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaffoldWhen {
    /// Only `preface init` writes.
    #[default]
    Init,
    /// The first discover that creates the global directory writes (seed 000).
    Discover,
}

/// How parts are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrange {
    /// As listed.
    #[default]
    Listed,
    /// Static before conversation before turn, as listed within each.
    Stability,
    /// Higher priority first, as listed among equals.
    Priority,
}

/// Sections that one file can replace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its id, which becomes the section id of the replacement.
    pub id: SectionId,
    /// The sections that give way.
    pub members: Vec<SectionId>,
    /// Candidates, the strongest first.
    pub replace: Vec<LayerFile>,
    /// When a candidate wins.
    pub win: Win,
    /// How the replacement is read.
    pub language: crate::section::Language,
}

/// A file of a layer, written `global:base.md`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct LayerFile {
    /// The layer.
    pub scope: crate::scope::Scope,
    /// The name in its root.
    pub name: String,
}

impl TryFrom<String> for LayerFile {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let (scope, name) =
            text.split_once(':').ok_or_else(|| format!("not a layer file (`global:base.md`): `{text}`"))?;
        let scope = crate::scope::Scope::ALL
            .into_iter()
            .find(|known| known.as_str() == scope)
            .ok_or_else(|| format!("unknown layer `{scope}` in `{text}`"))?;
        if name.is_empty() || name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(format!("a layer file is a plain name: `{text}`"));
        }
        Ok(LayerFile { scope, name: name.to_owned() })
    }
}

impl From<LayerFile> for String {
    fn from(file: LayerFile) -> String {
        format!("{}:{}", file.scope, file.name)
    }
}

/// When a replacement counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Win {
    /// When the file exists.
    #[default]
    Exists,
    /// When it holds more than white space.
    NonBlank,
}

/// A line of advice with a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guideline {
    /// When it is given; `None` is always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// The line.
    pub text: Piece,
    /// True: it comes after the tools' own guidelines.
    #[serde(default)]
    pub last: bool,
}

/// What the template language may do (`spec` of seed 002 §2 with the extensions that are off by default).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct TemplateLimits {
    /// `[raw]…[endraw]` is understood.
    pub raw: bool,
    /// A line of nothing but control tags goes away with its line end.
    pub trim_tag_lines: bool,
    /// Nested ifs; 0 is no limit.
    pub max_depth: usize,
    /// Bytes of one template; 0 is no limit.
    pub max_bytes: usize,
}

impl Default for TemplateLimits {
    fn default() -> Self {
        TemplateLimits { raw: false, trim_tag_lines: false, max_depth: 1000, max_bytes: 1 << 20 }
    }
}

/// The budget of the whole prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// Tokens; none is no limit.
    pub tokens: Option<usize>,
    /// What happens above it.
    pub on_over: OnOver,
}

/// What happens above the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnOver {
    /// Lower priorities give way, each loss is reported.
    #[default]
    Cut,
    /// The build is refused.
    Error,
    /// The prompt is given whole, with a warning.
    Warn,
}
