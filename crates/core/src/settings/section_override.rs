//! What settings say about one section of the prompt.

use super::{
    merge::Merged,
    node::{Node, Tree},
    set_by::{SetBy, Sourced},
    system_prompt_file::{count, sourced, text},
};
use crate::fact::Stability;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where the text of a section comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionContent {
    /// It stands in the settings.
    Text(String),
    /// It stands in a file, relative to the directory of the layer that names it. Whether the file may be read is for
    /// the reader to check.
    File(String),
}

/// How the text of a section is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// Tags and variables are understood.
    Template,
    /// Byte for byte.
    Verbatim,
}

/// What `sections.<id>` says. What nobody says is `None` and stays what the profile says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SectionOverride {
    /// The section's id.
    pub id: String,
    /// The text; of a text and a file the stronger layer's counts.
    pub content: Option<Sourced<SectionContent>>,
    /// How the text is read.
    pub language: Option<Sourced<Language>>,
    /// The condition, as it is written.
    pub when: Option<Sourced<Value>>,
    /// The section that this one follows.
    pub after: Option<Sourced<String>>,
    /// The section that this one precedes.
    pub before: Option<Sourced<String>>,
    /// The tiebreaker when the budget is tight.
    pub priority: Option<Sourced<i64>>,
    /// The ceiling in tokens.
    pub max_tokens: Option<Sourced<u64>>,
    /// How long the text stays the same.
    pub stability: Option<Sourced<Stability>>,
    /// Who removed the section with `disable: true`.
    pub disabled_by: Option<SetBy>,
}

impl SectionOverride {
    /// Returns what the merged settings say about sections, in the order in which the ids were first seen.
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
    pub fn read_all(settings: &Merged) -> Vec<SectionOverride> {
        let Some(table) = settings.at(&["sections"]).and_then(Node::as_table) else { return Vec::new() };
        table.iter().filter(|(_, node)| node.as_table().is_some()).map(|(id, node)| read(id, node)).collect()
    }
}

fn read(id: &str, section: &Node) -> SectionOverride {
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
            "template" => Some(Language::Template),
            "verbatim" => Some(Language::Verbatim),
            _ => None,
        }),
        when: sourced(at("when"), |node| match node.tree() {
            Tree::Table(_) => Some(node.to_value()),
            _ => None,
        }),
        after: sourced(at("after"), text),
        before: sourced(at("before"), text),
        priority: sourced(at("priority"), Node::as_integer),
        max_tokens: sourced(at("maxTokens"), count),
        stability: sourced(at("stability"), |node| {
            [Stability::Static, Stability::Conversation, Stability::Turn]
                .into_iter()
                .find(|stability| node.as_text() == Some(stability.as_str()))
        }),
        disabled_by: sourced(at("disable"), Node::as_flag).filter(|set| set.value).map(|set| set.by),
    }
}
