//! Pairs each `if` with its `else` and `endif`, and finds the tags that are text after all.

use super::scan::{ScannedTag, Scanner, TagContent};
use crate::lint::template::VariableTypes;
use serde::Serialize;
use std::ops::Range;

/// The reason why a tag is output as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = LiteralWhy, description = "Why a tag is text."))]
#[serde(rename_all = "kebab-case")]
pub enum StrayReason {
    /// An `if` that no `endif` closes, or the `else` of one.
    NeverClosed,
    /// An `else` or `endif` with no open `if`.
    NoOpenIf,
    /// An `else` of an `if` that has one already.
    SecondElse,
    /// A `[raw]` with no `[endraw]` behind it.
    NoEndraw,
    /// An `[endraw]` with no `[raw]` before it.
    NoRaw,
}

/// The effect of a tag. Numbers are indexes in the list of tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagRole {
    Variable { key: usize },
    If { key: usize, negated: bool, endif: Option<usize> },
    Else,
    Endif,
    Raw,
    Endraw,
}

/// A tag of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) range: Range<usize>,
    pub(crate) role: TagRole,
    /// The reason why the tag is text; `None` means that it works as a tag.
    pub(crate) stray: Option<StrayReason>,
    /// The key's bytes, for variables and conditions.
    pub(crate) key: Range<usize>,
}

/// An `if` that waits for its `endif`.
struct OpenIf {
    /// `None` for an `if` of an unknown key: its block is text.
    tag: Option<usize>,
    otherwise: Option<usize>,
}

/// The number of bytes of text per tag in a typical template; only a guess for the first allocation.
const BYTES_PER_TAG: usize = 128;

/// Finds all tags of `text`, whose keys are of `types`, and pairs them. `intern` turns the bytes of a key into its number.
pub(super) fn pair(
    text: &str,
    raw: bool,
    types: Option<&VariableTypes>,
    mut intern: impl FnMut(Range<usize>) -> usize,
) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::with_capacity(text.len() / BYTES_PER_TAG);
    let mut open: Vec<OpenIf> = Vec::new();
    for ScannedTag { range, word } in Scanner::new(text, raw, types) {
        let number = tags.len();
        let mut tag = Tag { range, role: TagRole::Else, stray: None, key: 0..0 };
        match word {
            TagContent::Variable { key } => {
                tag.key = key.clone();
                tag.role = TagRole::Variable { key: intern(key) };
            }
            TagContent::If { key, negated } => {
                tag.key = key.clone();
                tag.role = TagRole::If { key: intern(key), negated, endif: None };
                open.push(OpenIf { tag: Some(number), otherwise: None });
            }
            TagContent::UnknownIf => {
                open.push(OpenIf { tag: None, otherwise: None });
                continue;
            }
            TagContent::Else => {
                tag.stray = match open.last_mut() {
                    None => Some(StrayReason::NoOpenIf),
                    Some(OpenIf { tag: None, .. }) => continue,
                    Some(OpenIf { otherwise: Some(_), .. }) => Some(StrayReason::SecondElse),
                    Some(OpenIf { otherwise, .. }) => {
                        *otherwise = Some(number);
                        None
                    }
                };
            }
            TagContent::Endif => {
                tag.role = TagRole::Endif;
                match open.pop() {
                    None => tag.stray = Some(StrayReason::NoOpenIf),
                    Some(OpenIf { tag: None, .. }) => continue,
                    Some(OpenIf { tag: Some(opened), .. }) => {
                        if let TagRole::If { endif, .. } = &mut tags[opened].role {
                            *endif = Some(number);
                        }
                    }
                }
            }
            TagContent::Raw { closed } => {
                tag.role = TagRole::Raw;
                tag.stray = (!closed).then_some(StrayReason::NoEndraw);
            }
            TagContent::Endraw { opened } => {
                tag.role = TagRole::Endraw;
                tag.stray = (!opened).then_some(StrayReason::NoRaw);
            }
        }
        tags.push(tag);
    }
    for OpenIf { tag, otherwise } in open {
        let Some(tag) = tag else { continue };
        tags[tag].stray = Some(StrayReason::NeverClosed);
        if let Some(otherwise) = otherwise {
            tags[otherwise].stray = Some(StrayReason::NeverClosed);
        }
    }
    tags
}

/// Returns the first `if` with more than `limit` others around it and itself.
pub(crate) fn too_deep(tags: &[Tag], limit: usize) -> Option<&Tag> {
    let mut depth = 0;
    tags.iter().filter(|tag| tag.stray.is_none()).find(|tag| {
        match tag.role {
            TagRole::If { .. } => depth += 1,
            TagRole::Endif => depth -= 1,
            _ => {}
        }
        depth > limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strays(text: &str) -> Vec<Option<StrayReason>> {
        pair(text, true, None, |_| 0).into_iter().map(|tag| tag.stray).collect()
    }

    #[test]
    fn an_endif_closes_the_innermost_if() {
        assert_eq!(strays("[if a:x][if a:y][endif]"), [Some(StrayReason::NeverClosed), None, None]);
        assert_eq!(strays("[if a:x][if a:y][endif][endif]"), [None; 4]);
    }

    #[test]
    fn an_else_shares_the_fate_of_its_if() {
        let never = Some(StrayReason::NeverClosed);
        assert_eq!(strays("[if a:x][else]"), [never, never]);
        assert_eq!(strays("[if a:x][else][else][endif]"), [None, None, Some(StrayReason::SecondElse), None]);
        assert_eq!(strays("[else][endif]"), [Some(StrayReason::NoOpenIf); 2]);
    }

    #[test]
    fn only_closed_blocks_count_as_depth() {
        let tags = pair("[if a:x][if a:x][if a:x][endif][endif]", false, None, |_| 0);
        assert_eq!(too_deep(&tags, 2), None, "the first `if` is text");
        assert_eq!(too_deep(&tags, 1).map(|tag| tag.range.start), Some(16));
    }
}
