//! The outline: which fragment goes where, before any text is rendered.

use crate::{
    origin::{Origin, Piece},
    pipeline::draft::Absent,
    reminder::DueReminder,
    scope::Scope,
    section::{Language, SectionMeta, TrimMode},
};
use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

/// The plans of all parts, from compose to render. The texts are not parsed yet and may turn out empty.
#[derive(Clone, Debug, Default)]
pub struct Outline<'w> {
    /// The plans of the parts, in order.
    pub plans: Vec<Plan<'w>>,
    /// The sections that are not in the prompt, with the reasons.
    pub absent: Vec<Absent>,
}

/// The plan of one part: the texts to render and their rules.
#[derive(Clone, Debug)]
pub struct Plan<'w> {
    /// The properties of the section.
    pub meta: Arc<SectionMeta>,
    /// Text before the items; the frame's first.
    pub prefix: Vec<Piece>,
    /// The items, at least one.
    pub items: Vec<PlanItem<'w>>,
    /// The form of each item.
    pub item: Option<Piece>,
    /// The form of each text of a project, where items have no form.
    pub project_item: Option<Piece>,
    /// Text between items.
    pub between: Option<Piece>,
    /// True: line ends between items give way to `between`.
    pub seam: bool,
    /// Text after the items; the frame's last.
    pub suffix: Vec<Piece>,
    /// White space taken from the ends.
    pub trim: TrimMode,
    /// True: a part of nothing but white space stays.
    pub keep_blank: bool,
    /// True: imitated tags and headings in its texts are reported.
    pub watch_tags: bool,
    /// The event, if the text is a reminder. Then every value is escaped.
    pub event: Option<&'w DueReminder>,
}

impl<'w> Plan<'w> {
    /// Plans a part of these items with nothing around them.
    #[must_use]
    pub fn new(meta: impl Into<Arc<SectionMeta>>, items: Vec<PlanItem<'w>>) -> Self {
        Plan {
            meta: meta.into(),
            prefix: Vec::new(),
            items,
            item: None,
            project_item: None,
            between: None,
            seam: false,
            suffix: Vec::new(),
            trim: TrimMode::None,
            keep_blank: false,
            watch_tags: false,
            event: None,
        }
    }
}

/// A text of a part.
#[derive(Clone, Debug)]
pub struct PlanItem<'w> {
    /// The text.
    pub pieces: Cow<'w, [Piece]>,
    /// The language of the text.
    pub language: Language,
    /// The `item:` variables beside `item:text`.
    pub variables: ItemVariables<'w>,
    /// The rank of an entry of a list, which is left out whole where the part is cut.
    pub rank: Option<u32>,
}

impl<'w> PlanItem<'w> {
    /// Plans a text without variables.
    #[must_use]
    pub fn new(pieces: Cow<'w, [Piece]>, language: Language) -> Self {
        PlanItem { pieces, language, variables: ItemVariables::None, rank: None }
    }

    /// Returns true for a text that a project wrote, in whole or in part.
    #[must_use]
    pub fn is_of_project(&self) -> bool {
        self.pieces.iter().any(|piece| piece.origin.scope() == Some(Scope::Project))
    }

    /// Returns an `item:` variable by name. The path of a text that a file holds is known without its provider.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).or_else(|| match self.pieces.first().map(|piece| &piece.origin) {
            Some(Origin::Source { source, .. }) if name == "path" => Some(source.path.as_str()),
            _ => None,
        })
    }
}

/// The variables that an item's frame can use beside the item's text. A handful, in the order of their names.
#[derive(Clone, Debug, Default)]
pub enum ItemVariables<'w> {
    /// None.
    #[default]
    None,
    /// The variables that a context provider gave.
    Given(&'w BTreeMap<String, String>),
    /// The variables that preface computed.
    Made(Vec<(&'static str, Cow<'w, str>)>),
}

impl ItemVariables<'_> {
    /// Returns a variable by name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        match self {
            ItemVariables::None => None,
            ItemVariables::Given(variables) => variables.get(name).map(String::as_str),
            ItemVariables::Made(variables) => {
                variables.iter().find(|(known, _)| *known == name).map(|(_, text)| text.as_ref())
            }
        }
    }
}
