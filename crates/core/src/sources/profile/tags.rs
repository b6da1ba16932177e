//! The tags that a profile's frames are made of, so that texts which imitate them are recognized.

use super::Profile;
use crate::{lint::forged, pipeline::outline::Plan};
use serde::{Deserialize, Serialize};

/// The engine's own tags in one profile, and what becomes of texts that imitate them.
///
/// In a profile these are the keys `own_tags`, `section_tags` and `neutralise_tags`; `watch_tags` of a
/// section selects the texts that are watched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct EngineTags {
    /// The names of the tags.
    pub names: Vec<String>,
    /// True: the ids of the sections in the prompt are names, too.
    pub of_sections: bool,
    /// True: the `<` of an imitation becomes `&lt;`. False: it is only reported.
    pub neutralise: bool,
}

impl EngineTags {
    /// Returns all names in a build with these sections.
    #[must_use]
    pub fn all<'a>(&self, sections: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut names = self.names.clone();
        if self.of_sections {
            names.extend(sections.into_iter().map(str::to_owned));
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Returns the names, where anything in these plans is watched at all.
    pub(crate) fn watched(&self, plans: &[Plan<'_>]) -> Vec<String> {
        match plans.iter().any(|plan| plan.watch_tags || plan.project_item.is_some()) {
            true => self.all(plans.iter().map(|plan| plan.meta.id.as_str())),
            false => Vec::new(),
        }
    }

    /// Returns true if a word can be the name of a tag.
    pub(super) fn is_name(word: &str) -> bool {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
    }
}

impl Profile {
    /// Returns the names of the tags that no value may imitate: those that any preset writes, those that this profile
    /// declares, and those that its frames open or close.
    #[must_use]
    pub fn reserved_tags(&self) -> Vec<String> {
        let mut names = self.own_tags.all(self.sections.iter().map(|section| section.id.as_str()));
        names.extend(forged::TAGS.iter().map(|tag| (*tag).to_owned()));
        let frames = self.sections.iter().flat_map(|section| [&section.prefix, &section.suffix]).flatten();
        for piece in frames {
            for opening in piece.text.split('<').skip(1) {
                let opening = opening.strip_prefix('/').unwrap_or(opening);
                let name = opening.split(['>', ' ', '\n', '/']).next().unwrap_or_default();
                if EngineTags::is_name(name) && opening[name.len()..].starts_with(['>', ' ']) {
                    names.push(name.to_owned());
                }
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }
}
