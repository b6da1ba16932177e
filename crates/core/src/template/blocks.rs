//! Pairs each `if` with its `else` and `endif`, and tells which tags are text after all.

use super::scan::{Found, Scanner, Word};
use std::ops::Range;

/// The reason why a tag is output as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stray {
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
pub(crate) enum Role {
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
    pub(crate) role: Role,
    /// The reason why the tag is text; `None` means that it works as a tag.
    pub(crate) stray: Option<Stray>,
    /// The key's bytes, for variables and conditions.
    pub(crate) key: Range<usize>,
}

/// An `if` that waits for its `endif`.
struct Open {
    tag: usize,
    otherwise: Option<usize>,
}

/// The number of bytes of text per tag in a typical template; only a guess for the first allocation.
const BYTES_PER_TAG: usize = 128;

/// Finds all tags of `text` and pairs them. `intern` turns the bytes of a key into its number.
pub(super) fn pair(text: &str, raw: bool, mut intern: impl FnMut(Range<usize>) -> usize) -> Vec<Tag> {
    let mut tags: Vec<Tag> = Vec::with_capacity(text.len() / BYTES_PER_TAG);
    let mut open: Vec<Open> = Vec::new();
    for Found { range, word } in Scanner::new(text, raw) {
        let number = tags.len();
        let mut tag = Tag { range, role: Role::Else, stray: None, key: 0..0 };
        match word {
            Word::Variable { key } => {
                tag.key = key.clone();
                tag.role = Role::Variable { key: intern(key) };
            }
            Word::If { key, negated } => {
                tag.key = key.clone();
                tag.role = Role::If { key: intern(key), negated, endif: None };
                open.push(Open { tag: number, otherwise: None });
            }
            Word::Else => {
                tag.stray = match open.last_mut() {
                    None => Some(Stray::NoOpenIf),
                    Some(Open { otherwise: Some(_), .. }) => Some(Stray::SecondElse),
                    Some(Open { otherwise, .. }) => {
                        *otherwise = Some(number);
                        None
                    }
                };
            }
            Word::Endif => {
                tag.role = Role::Endif;
                match open.pop() {
                    None => tag.stray = Some(Stray::NoOpenIf),
                    Some(opened) => {
                        if let Role::If { endif, .. } = &mut tags[opened.tag].role {
                            *endif = Some(number);
                        }
                    }
                }
            }
            Word::Raw { closed } => {
                tag.role = Role::Raw;
                tag.stray = (!closed).then_some(Stray::NoEndraw);
            }
            Word::Endraw { opened } => {
                tag.role = Role::Endraw;
                tag.stray = (!opened).then_some(Stray::NoRaw);
            }
        }
        tags.push(tag);
    }
    for Open { tag, otherwise } in open {
        tags[tag].stray = Some(Stray::NeverClosed);
        if let Some(otherwise) = otherwise {
            tags[otherwise].stray = Some(Stray::NeverClosed);
        }
    }
    tags
}

/// Returns the first `if` with more than `limit` others around it and itself.
pub(crate) fn too_deep(tags: &[Tag], limit: usize) -> Option<&Tag> {
    let mut depth = 0;
    tags.iter().filter(|tag| tag.stray.is_none()).find(|tag| {
        match tag.role {
            Role::If { .. } => depth += 1,
            Role::Endif => depth -= 1,
            _ => {}
        }
        depth > limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strays(text: &str) -> Vec<Option<Stray>> {
        pair(text, true, |_| 0).into_iter().map(|tag| tag.stray).collect()
    }

    #[test]
    fn an_endif_closes_the_innermost_if() {
        assert_eq!(strays("[if a:x][if a:y][endif]"), [Some(Stray::NeverClosed), None, None]);
        assert_eq!(strays("[if a:x][if a:y][endif][endif]"), [None; 4]);
    }

    #[test]
    fn an_else_shares_the_fate_of_its_if() {
        let never = Some(Stray::NeverClosed);
        assert_eq!(strays("[if a:x][else]"), [never, never]);
        assert_eq!(strays("[if a:x][else][else][endif]"), [None, None, Some(Stray::SecondElse), None]);
        assert_eq!(strays("[else][endif]"), [Some(Stray::NoOpenIf); 2]);
    }

    #[test]
    fn only_closed_blocks_count_as_depth() {
        let tags = pair("[if a:x][if a:x][if a:x][endif][endif]", false, |_| 0);
        assert_eq!(too_deep(&tags, 2), None, "the first `if` is text");
        assert_eq!(too_deep(&tags, 1).map(|tag| tag.range.start), Some(16));
    }
}
