//! Profiles: an ordered choice of sections, conditions, separators and budget, as data (TOML).
//!
//! A preset is a profile that ships with preface. [`read`] turns a text into a [`RawProfile`]; [`build`] lays a chain
//! of them over each other (`extends`), applies variant and options, and gives a [`Profile`] in which every text is
//! present. `docs/reference/profile.md` is the guide.

mod build;
mod catalog;
mod found;
mod overlay;
mod raw;
mod tags;

pub use build::{KEYS, SECTION_KEYS, Setting, TextLoader, build};
pub use catalog::{CatalogChoice, CatalogPin, PromptNames};
pub use found::{AGENT, AGENT_WITHOUT_TOOLS, APPEND_OWN, STYLE, STYLE_ONLY};
pub use raw::{ProfileError, RawProfile, read};
pub use tags::EngineTags;

use crate::{
    condition::Condition,
    declaration::{Declarations, GivenVariables},
    input_error::InputError,
    message::MessageForms,
    origin::Piece,
    section::{Language, Section, SectionId},
    trust::TrustMode,
    variable::{VariableKey, info::REGISTERED},
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// The text between parts in a profile without `join`.
pub const DEFAULT_JOIN: &str = "\n\n";

/// A resolved profile. Texts are pieces with origins; nothing is left to look up but variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// The name of the profile.
    pub name: String,
    /// One sentence for people.
    #[serde(default)]
    pub about: String,
    /// The directories of the layers.
    pub home: ProfileDirs,
    /// The way in which project text is trusted.
    pub trust: TrustMode,
    /// The time at which preface writes a first file, and the file.
    pub scaffold: Scaffold,
    /// The order of the parts.
    pub arrange: PartOrder,
    /// Text between parts (a template without variables).
    pub join: Piece,
    /// True: line ends of neighbouring parts give way to `join`.
    pub seam: bool,
    /// Text around every section (templates in which `[section:id]` is the id).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<SectionFrame>,
    /// The sections, in the order of the prompt.
    pub sections: Vec<Section>,
    /// Sections that the chosen order leaves out.
    #[serde(default)]
    pub unordered: Vec<SectionId>,
    /// The sections below that the profile removes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<SectionId>,
    /// Sections that are replaced together.
    #[serde(default)]
    pub groups: Vec<SectionGroup>,
    /// New sections of layers and settings follow this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_after: Option<SectionId>,
    /// Text before a section that the profile does not know, where its own sections bring their separators themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_prefix: Option<Piece>,
    /// The frame around each text of a project in a section whose items have no frame (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_item: Option<Piece>,
    /// The id of the part that `systemPrompt.append` becomes; without it that is its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub append_id: Option<SectionId>,
    /// The lists' forms.
    #[serde(default)]
    pub guidelines: Vec<Guideline>,
    /// Tools that are active when the caller names none; `None` is no tool.
    #[serde(default)]
    pub tools: Vec<String>,
    /// Texts for tools by name: those of a bundled tool, and what `line = ["builtin"]` means.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_texts: BTreeMap<String, BuiltinTexts>,
    /// Other names that a caller may use for a tool, and the tool.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub tool_aliases: BTreeMap<String, String>,
    /// The sources of a registered tool's snippet, the first choice first.
    #[serde(default = "SnippetSource::all")]
    pub snippet_from: Vec<SnippetSource>,
    /// True: the tools that the user and the project bring are active without being named.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layer_tools: bool,
    /// The offers of MCP servers that are used beside the sections that they fill.
    #[serde(default, skip_serializing_if = "McpUse::is_none")]
    pub mcp: McpUse,
    /// True: a tool that is named twice is listed twice.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeat_tools: bool,
    /// The words around messages that a model would not know.
    #[serde(default, skip_serializing_if = "MessageForms::is_default")]
    pub messages: MessageForms,
    /// The time at which a switch of tools during a run takes effect.
    #[serde(default)]
    pub tools_apply: ToolSwitchTiming,
    /// The switches and limits of the template language in section texts.
    pub template: TemplateLimits,
    /// The types of variables of programs that use the profile: any name of them is a tag.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub variable_types: Vec<String>,
    /// The variables that the caller gives.
    #[serde(default, skip_serializing_if = "Declarations::is_empty")]
    pub variables: Declarations,
    /// The budget of the whole prompt.
    pub budget: Budget,
    /// Where the limit of the budget was set, if not in the profile, for people: `set in settings.json:2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_source: Option<String>,
    /// The tokenizer that is used if the caller names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<String>,
    /// The types of variables whose values are escaped: names to one visible line, texts without forged structure.
    #[serde(default)]
    pub escape: Vec<String>,
    /// The tags that its frames are made of.
    #[serde(default)]
    pub own_tags: EngineTags,
    /// Values of `option:<name>`.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
    /// The sources of the options that are not set in the profile, for people: `settings.json:2`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub option_sources: BTreeMap<String, String>,
    /// The options without a value: empty ones, and switches that are off.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unset_options: Vec<String>,
    /// The options that the caller set, value by value as written.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub given: BTreeMap<String, Vec<String>>,
    /// The options whose values are paths of texts, or the texts themselves if there is no such file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub text_options: Vec<String>,
    /// The options that are directories, with their default places.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub option_dirs: BTreeMap<String, OptionDir>,
    /// The treatment of a byte order mark at the start of a text.
    #[serde(default)]
    pub bom: ByteOrderMark,
    /// The effect of a compaction on a stored prompt.
    #[serde(default)]
    pub compaction: Compaction,
    /// The times at which the prompt of a conversation is built again.
    #[serde(default, skip_serializing_if = "Rebuild::is_default")]
    pub rebuild: Rebuild,
    /// True: layers and settings add no text and remove none; only a replacement of a group is included
    /// beside the profile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub closed: bool,
    /// The embedded folder `bundles/<name>` whose extensions, agents, output styles and reminders are the bundled layer's;
    /// `None` is what ships for everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<String>,
    /// The version of the texts that ship for it, which a prompt records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub texts_version: Option<String>,
    /// The catalog that its texts come from, where one is chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog: Option<CatalogChoice>,
    /// True if the profile has prompts of agents.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_agents: bool,
}

impl Profile {
    /// Returns true if a template of a store can be used.
    #[must_use]
    pub fn takes_template(&self) -> bool {
        self.groups.iter().any(|group| group.replace.contains(&ReplacementSource::Store))
    }

    /// Returns true if the profile has an option of this name.
    #[must_use]
    pub fn has_option(&self, name: &str) -> bool {
        self.option_names().any(|known| known == name)
    }

    /// Walks over the names of its own options.
    pub fn option_names(&self) -> impl Iterator<Item = &str> {
        self.options.keys().chain(&self.unset_options).map(String::as_str)
    }

    /// Checks what a caller gives against the declared variables and returns the values with their types. Where some are declared,
    /// others are taken only of the registered types and of [`variable_types`](Profile::variable_types).
    ///
    /// # Errors
    /// A variable is unknown, is an option, or its value does not fit.
    pub fn take_variables(&self, given: &GivenVariables) -> Result<GivenVariables, InputError> {
        let is_open = |key: &VariableKey| {
            REGISTERED.iter().any(|info| info.kind == key.kind())
                || self.variable_types.iter().any(|kind| kind == key.kind())
        };
        self.variables.take(given, is_open)
    }

    /// Returns a section by id.
    #[must_use]
    pub fn section(&self, id: &SectionId) -> Option<&Section> {
        self.sections.iter().find(|section| section.id == *id)
    }
}

/// The default places of an option that is a directory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OptionDir {
    /// The environment variable that names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// Else this directory of the global directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub global: Option<String>,
}

/// The offers of MCP servers that a profile uses beside the sections that they fill.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct McpUse {
    /// True: their tools are active, as `mcp__<server>__<tool>`.
    pub tools: bool,
    /// The files of a project that list servers, beside the `mcp.json` of its directory: paths from its root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

impl McpUse {
    fn is_none(&self) -> bool {
        *self == McpUse::default()
    }
}

/// The effect of a compaction on the prompt of a conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Compaction {
    /// The effect on the prompt: built again, or unchanged.
    #[serde(default)]
    pub prompt: CompactionAction,
    /// The instructions for the model, after the prompt and in this one request.
    #[serde(default)]
    pub instructions: String,
}

impl Compaction {
    /// The instructions of a profile that has none.
    pub const BUNDLED: &str = include_str!("../../../assets/sections/compaction/instructions.md");
    /// The path of that text for people.
    pub const BUNDLED_PATH: &str = "bundled/sections/compaction/instructions.md";
}

/// The times at which the prompt of a conversation is built again automatically.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rebuild {
    /// At a compaction: the prompt stays the same for a provider's cache.
    #[default]
    Compaction,
    /// Also at once where the active tools change, hooks name other resources, or everything is read again.
    AtOnce,
    /// Also before each turn: an edit takes effect on the next one.
    BetweenTurns,
}

impl Rebuild {
    /// Returns true if it is the default.
    #[must_use]
    pub fn is_default(&self) -> bool {
        *self == Rebuild::default()
    }
}

/// The effect of a compaction on the prompt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompactionAction {
    /// The prompt is built again, with fresh values.
    #[default]
    Construct,
    /// The prompt is unchanged.
    Keep,
}

/// The directories of a profile's layers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProfileDirs {
    /// Candidates for the global directory: `~/x`, or `config:x` for the platform's configuration directory. The
    /// first that exists, else the first. A profile without any has no layers: nothing of the user's takes part.
    #[serde(deserialize_with = "one_or_many")]
    pub global: Vec<String>,
    /// The project directory, relative to the cwd; `None`: a project adds nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// True: a layer without a directory in its `extensions` may have the directories of the categories in its root.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flat_extensions: bool,
    /// The keys that are read from settings.json where that belongs to another program. If there are any, preface's own
    /// settings are in preface.json.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub foreign_keys: Vec<String>,
    /// The environment variable that names the global directory, beside `PREFACE_HOME`; it may begin with `~`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
}

/// Reads a directory, or a list of directories.
fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged, expecting = "not a directory, nor a list of directories")]
    enum GlobalDirs {
        One(String),
        Many(Vec<String>),
    }
    Ok(match GlobalDirs::deserialize(from)? {
        GlobalDirs::One(one) => vec![one],
        GlobalDirs::Many(many) => many,
    })
}

/// Text around every section of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SectionFrame {
    /// Before the section's own prefix.
    pub prefix: Piece,
    /// After the section's own suffix.
    pub suffix: Piece,
}

impl SectionFrame {
    /// Checks that a section of this id can be framed: the id becomes a tag.
    ///
    /// # Errors
    /// An id that is not a lower-case letter with letters, digits, `-` and `_` behind it.
    pub fn check(id: &str) -> Result<(), String> {
        let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'_');
        let first = id.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
        match first && id.bytes().all(word) && id != "preamble" {
            true => Ok(()),
            false => Err(format!("Invalid system prompt section name: {id}")),
        }
    }
}

/// The texts that a profile has for a tool of some name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuiltinTexts {
    /// One line for the list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The description in the tool's definition, a template; it replaces that of the manifest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Vec<Piece>>,
    /// The prompts that replace the description if a catalog is used: the first that the catalog has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub catalog: Vec<String>,
    /// The language of the description.
    #[serde(skip_serializing_if = "Language::is_template")]
    pub language: Language,
    /// A text after the description, whatever its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<TextAfter>,
    /// The parameters by which prompts of catalogs name what the schema calls otherwise or does not have.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Parameter>,
    /// The JSON Schema of the arguments, in place of that of the bundled tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Arc<serde_json::Value>>,
    /// Advice that belongs to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub guidelines: Vec<String>,
}

/// A text behind the description of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextAfter {
    /// The profile's own text, a template.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<Piece>,
    /// The prompts that take its place where a catalog is in use: the first that the catalog has.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub catalog: Vec<String>,
    /// The language of the text.
    #[serde(skip_serializing_if = "Language::is_template")]
    pub language: Language,
}

/// A parameter as a prompt of a catalog names it. The schema takes that name where such a prompt is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameter {
    /// The parameter that has this name then; without it, it is one more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replaces: Option<String>,
    /// The schema of the parameter; without it, that of the parameter which it replaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<serde_json::Value>,
}

/// The time at which a switch of tools during a run takes effect, if no hook at its start made it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolSwitchTiming {
    /// From the next run on.
    #[default]
    Run,
    /// From the next request on.
    Request,
}

/// The treatment of a byte order mark at the start of a file of a layer, of the tree, or of the caller.
/// Skills have an option of their own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrderMark {
    /// The mark is part of the text.
    #[default]
    Keep,
    /// The mark is left out.
    Strip,
}

impl ByteOrderMark {
    /// Returns the pieces of a file, with the mark or without it.
    #[must_use]
    pub fn apply(self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        let mark = '\u{feff}'.len_utf8();
        if let (ByteOrderMark::Strip, Some(first)) = (self, pieces.first_mut())
            && first.text.starts_with('\u{feff}')
        {
            first.origin = first.origin.part(&(mark..first.text.len()));
            first.text.drain(..mark);
            pieces.retain(|piece| !piece.text.is_empty());
        }
        pieces
    }
}

/// The source of a registered tool's snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SnippetSource {
    /// The tool's snippet; a blank one is used and means that there is no snippet.
    Snippet,
    /// The tool's description.
    Description,
}

impl SnippetSource {
    fn all() -> Vec<SnippetSource> {
        vec![SnippetSource::Snippet, SnippetSource::Description]
    }
}

/// The time at which preface writes a first file, and the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaffold {
    /// The moment.
    #[serde(default)]
    pub when: ScaffoldTrigger,
    /// File name in the global directory to bundled path.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
}

/// The moment of the scaffold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScaffoldTrigger {
    /// Only `preface config init` writes.
    #[default]
    Init,
    /// The first discover that creates the global directory writes.
    Discover,
}

/// The order of the parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PartOrder {
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
pub struct SectionGroup {
    /// The id of the group, which becomes the section id of the replacement.
    pub id: SectionId,
    /// The sections that give way.
    pub members: Vec<SectionId>,
    /// Candidates, the strongest first.
    pub replace: Vec<ReplacementSource>,
    /// The rule by which a candidate is used.
    pub win: ReplacementRule,
    /// The language of the replacement.
    pub language: Language,
    /// False: the replacement is outside the profile's frame.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub framed: bool,
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_yes(framed: &bool) -> bool {
    *framed
}

/// A text that may replace a group: `project:SYSTEM.md`, `option:system_prompt` or `store`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ReplacementSource {
    /// A file of a layer.
    File(LayerFile),
    /// The text that the caller gave for an option, one of the profile's `text_options`.
    Option(String),
    /// The template that a store keeps for this conversation.
    Store,
}

impl ReplacementSource {
    /// Returns the file, where it is one.
    #[must_use]
    pub fn file(&self) -> Option<&LayerFile> {
        match self {
            ReplacementSource::File(file) => Some(file),
            ReplacementSource::Option(_) | ReplacementSource::Store => None,
        }
    }
}

impl TryFrom<String> for ReplacementSource {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.strip_prefix("option:") {
            Some(name) => Ok(ReplacementSource::Option(name.to_owned())),
            None if text == "store" => Ok(ReplacementSource::Store),
            None => LayerFile::try_from(text).map(ReplacementSource::File),
        }
    }
}

impl From<ReplacementSource> for String {
    fn from(candidate: ReplacementSource) -> String {
        match candidate {
            ReplacementSource::File(file) => file.into(),
            ReplacementSource::Option(name) => format!("option:{name}"),
            ReplacementSource::Store => "store".to_owned(),
        }
    }
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

/// The rule by which a replacement is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ReplacementRule {
    /// The file exists.
    #[default]
    Exists,
    /// The file contains more than white space.
    NonBlank,
    /// The first that exists decides, whatever it holds: an empty one means that there is no replacement, and hides those
    /// behind it.
    First,
}

/// A line of advice with a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guideline {
    /// The condition of the guideline; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// The line.
    pub text: Piece,
    /// True: it comes after the tools' own guidelines.
    #[serde(default)]
    pub last: bool,
}

/// The switches and limits of the template language.
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
    /// A tag of a type or name that is not known is blank. False: it is text.
    pub blank_unknown: bool,
    /// Tests compare declared variables, `[elif]` is understood, and `[each]` repeats for each entry of a list.
    pub inputs: bool,
}

impl Default for TemplateLimits {
    fn default() -> Self {
        TemplateLimits {
            raw: false,
            trim_tag_lines: false,
            max_depth: 1000,
            max_bytes: 1 << 20,
            blank_unknown: false,
            inputs: true,
        }
    }
}

/// The budget of the whole prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Budget {
    /// Tokens; none is no limit.
    pub tokens: Option<usize>,
    /// The action when the prompt exceeds the limit.
    pub on_over: OverBudgetAction,
}

/// The action when a prompt exceeds its budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OverBudgetAction {
    /// Lower priorities give way, each loss is reported.
    #[default]
    Cut,
    /// The build is refused.
    Error,
    /// The prompt is given whole, with a warning.
    Warn,
}
