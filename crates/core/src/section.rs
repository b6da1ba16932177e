//! Sections: named slots of the prompt, as a profile describes them.

use crate::{
    attachment::AttachmentPlace, condition::Condition, diagnostic::Place, origin::Piece, variable::Stability,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, sync::Arc};

/// The id of a section or a group: lower-case words joined by `-`, such as `project-context`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SectionId(Arc<str>);

impl SectionId {
    /// Builds an id.
    #[must_use]
    pub fn new(id: impl Into<String>) -> Self {
        SectionId(id.into().into())
    }

    /// Returns the id as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if a layer's file name may become an id: letters, digits, `-`, `_` and `.`, not starting with `.`.
    #[must_use]
    pub fn is_valid(id: &str) -> bool {
        !id.is_empty()
            && id.len() <= 128
            && !id.starts_with('.')
            && id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    }
}

impl fmt::Display for SectionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The name of a context provider, such as `instructions`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProviderName(Arc<str>);

impl ProviderName {
    /// Builds a name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        ProviderName(name.into().into())
    }

    /// Returns the name as written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProviderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The language of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// The template language.
    #[default]
    Template,
    /// As it is, byte for byte.
    Verbatim,
    /// A template of an imported catalog: raw blocks are on, and lines of tags stay.
    #[schemars(skip)]
    Catalog,
}

impl Language {
    /// Returns true for the default.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
    pub(crate) fn is_template(&self) -> bool {
        *self == Language::Template
    }
}

/// The content of a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionBody {
    /// A text of the profile or of a layer.
    Text(Vec<Piece>),
    /// The contributions of a context provider.
    Fill(ProviderName),
    /// A list of the turn: `tools` or `guidelines`.
    List(ListName),
}

/// The lists that a section can print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ListName {
    /// The active tools, in the turn's order; `item:name`, `item:snippet`, `item:description`.
    Tools,
    /// The profile's guidelines whose condition holds, then the tools' own; equal texts once; `item:text`.
    Guidelines,
}

/// The choices for a tool's text in the list of tools. The first that a tool has becomes `item:line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ToolLineSource {
    /// The tool's snippet, as it is; an empty one is used.
    Snippet,
    /// The snippet that the profile has for its name (`tool_texts`).
    Builtin,
    /// The tool's description, on one line.
    Description,
    /// The tool's name.
    Name,
}

/// The action when a part does not fit the budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CutRule {
    /// The end of the part is cut and a marker is added.
    #[default]
    Clip,
    /// The part is left out as a whole.
    Whole,
    /// The part must not be cut: the build fails instead.
    Never,
}

/// White space that a section loses at its ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrimMode {
    /// None.
    #[default]
    None,
    /// Line ends at its end.
    End,
    /// Line ends at both ends.
    Both,
}

/// One section of a profile, resolved: every text is here, none is a path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The id of the section.
    pub id: SectionId,
    /// The content of the section.
    pub body: SectionBody,
    /// The prompts whose text replaces the section's own if a catalog is used: the first that the catalog
    /// has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub catalog: Vec<String>,
    /// The language of the text.
    #[serde(default)]
    pub language: Language,
    /// The condition of the section; `None` is always true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Words before everything else of it, from a file (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intro: Option<Piece>,
    /// Text before the body (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<Piece>,
    /// Text after the body (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suffix: Option<Piece>,
    /// The form of each item (a template with `item:` variables); `None` is `[item:text]`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<Piece>,
    /// Text between items (a template).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between: Option<Piece>,
    /// True: line ends of neighbouring items give way to `between`.
    #[serde(default)]
    pub seam: bool,
    /// The body of a list or a fill without items; `None` leaves the section out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub empty: Option<Piece>,
    /// White space taken from the ends of the rendered section.
    #[serde(default)]
    pub trim: TrimMode,
    /// True: a section that renders to nothing but white space stays.
    #[serde(default)]
    pub keep_blank: bool,
    /// The stability of the section's bytes; `None` derives it from the variables that it reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
    /// The priority when the budget is tight, where the highest is cut last; and the order if the profile
    /// orders by priority.
    #[serde(default)]
    pub priority: i64,
    /// The section's own ceiling in tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The action when the section does not fit.
    #[serde(default)]
    pub cut: CutRule,
    /// True: the section comes after all other parts, whatever their order.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub last: bool,
    /// True: the texts are not the profile's, and imitations of the profile's own tags and headings are
    /// reported.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub watch_tags: bool,
    /// True: a trusted project may fill it with `sections/<id>.md`.
    #[serde(default)]
    pub project: bool,
    /// In a list of tools: the source of `item:line`, the first choice first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub line: Vec<ToolLineSource>,
    /// True: a tool without a text for `line`, or with an empty one, is not listed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skip_without_line: bool,
    /// False: the section is outside the profile's frame.
    #[serde(default = "yes", skip_serializing_if = "is_yes")]
    pub framed: bool,
    /// The section whose text includes this one at its tag `[section:<id>]`; it is then not included a second
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merge_into: Option<SectionId>,
    /// The message of the user that it is read in; `None` is the system prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<AttachmentPlace>,
    /// Options for the context provider that fills it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, serde_json::Value>,
    /// The section that it is placed next to, where it names one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<SectionId>,
}

impl Section {
    /// Builds a section with this id and body and nothing else set.
    #[must_use]
    pub fn new(id: SectionId, body: SectionBody) -> Self {
        Section {
            id,
            body,
            catalog: Vec::new(),
            language: Language::default(),
            when: None,
            intro: None,
            prefix: None,
            suffix: None,
            item: None,
            between: None,
            seam: false,
            empty: None,
            trim: TrimMode::None,
            keep_blank: false,
            stability: None,
            priority: DEFAULT_PRIORITY,
            max_tokens: None,
            cut: CutRule::Clip,
            last: false,
            watch_tags: false,
            project: false,
            line: Vec::new(),
            skip_without_line: false,
            framed: true,
            merge_into: None,
            place: None,
            options: BTreeMap::new(),
            beside: None,
        }
    }
}

const fn yes() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes references")]
const fn is_yes(framed: &bool) -> bool {
    *framed
}

/// The priority of a section that sets none.
pub const DEFAULT_PRIORITY: i64 = 50;

/// The properties of a section that do not change between its plan and its part in the prompt.
#[derive(Clone, Debug)]
pub struct SectionMeta {
    /// The section.
    pub id: SectionId,
    /// The context provider that contributes it.
    pub provider: Option<ProviderName>,
    /// The id of that provider in audit events.
    pub audit_id: Option<String>,
    /// The declared stability; `None` is that of the variables in it.
    pub stability: Option<Stability>,
    /// The priority; the highest is cut last.
    pub priority: i64,
    /// The section's own ceiling in tokens.
    pub max_tokens: Option<usize>,
    /// The number of bytes after its text that were not read. They are reported as cut.
    pub unread: u64,
    /// The action when the section does not fit.
    pub cut: CutRule,
    /// True: it comes after all other parts.
    pub last: bool,
    /// The message of the user that it is read in; `None` is the system prompt.
    pub place: Option<AttachmentPlace>,
}

impl SectionMeta {
    /// Builds the properties of a section of the profile's own with nothing else set.
    #[must_use]
    pub fn new(id: SectionId) -> Self {
        SectionMeta {
            id,
            provider: None,
            audit_id: None,
            stability: None,
            priority: DEFAULT_PRIORITY,
            max_tokens: None,
            unread: 0,
            cut: CutRule::Clip,
            last: false,
            place: None,
        }
    }
}

/// The settings of a layer for one section (`sections.<id>` in settings.json). Unset fields change nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Override {
    /// The section, known or new.
    pub id: String,
    /// The settings file, for people.
    pub source: String,
    /// The location of the section's key in that file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// True if the project's settings set it.
    pub project: bool,
    /// A new text.
    pub text: Option<Vec<Piece>>,
    /// The language of the new text.
    pub language: Option<Language>,
    /// A new condition.
    pub when: Option<Condition>,
    /// A new place: after this section.
    pub after: Option<String>,
    /// A new place: before this section.
    pub before: Option<String>,
    /// A new priority.
    pub priority: Option<i64>,
    /// A new ceiling.
    pub max_tokens: Option<usize>,
    /// A new stability.
    pub stability: Option<Stability>,
    /// True: the section is off. False: it is on again.
    pub disable: Option<bool>,
}
