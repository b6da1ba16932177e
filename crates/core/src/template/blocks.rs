//! Pairs each `if` with its `elif`, `else` and `endif`, each `each` with its `endeach`, and finds the tags that are text after all.

use super::{
    TemplateOptions,
    scan::{ScannedTag, Scanner, TagContent, Test},
};
use serde::Serialize;
use std::ops::Range;

/// The reason why a tag is output as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = LiteralWhy, description = "Why a tag is text."))]
#[serde(rename_all = "kebab-case")]
pub enum StrayReason {
    /// An `if` or `each` whose end is missing, or the `else` of one.
    NeverClosed,
    /// An `elif`, `else` or `endif` with no open `if`, or with an `each` between.
    NoOpenIf,
    /// An `elif` or `else` of an `if` that has an `else` already.
    SecondElse,
    /// An `endeach` with no open `each`.
    NoOpenEach,
    /// An `each` of what is not declared as a list.
    NoList,
    /// An `item:` outside of `each`.
    NoEach,
    /// An `item:` that the entries of its list do not have.
    NoField,
    /// A `[raw]` with no `[endraw]` behind it.
    NoEndraw,
    /// An `[endraw]` with no `[raw]` before it.
    NoRaw,
}

/// The effect of a tag. Numbers are indexes in the list of tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagRole {
    Variable { key: usize },
    If { test: TagTest, endif: Option<usize> },
    Elif { test: TagTest },
    Else,
    Endif,
    Each { list: usize },
    Endeach,
    Raw,
    Endraw,
}

impl TagRole {
    /// Returns the test of an `if` or `elif`.
    pub(crate) fn test(&self) -> Option<&TagTest> {
        match self {
            TagRole::If { test, .. } | TagRole::Elif { test } => Some(test),
            _ => None,
        }
    }

    /// Returns the key of a variable, test or list.
    pub(crate) fn key(&self) -> Option<usize> {
        match self {
            TagRole::Variable { key } | TagRole::Each { list: key } => Some(*key),
            role => role.test().map(|test| test.key),
        }
    }
}

/// The test of an `if` or `elif`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TagTest {
    pub(crate) key: usize,
    /// True if it holds where the variable does not exist, or is none of `words`.
    pub(crate) negated: bool,
    /// The bytes of the values of a comparison.
    pub(crate) words: Option<Range<usize>>,
}

/// A tag of the template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) range: Range<usize>,
    pub(crate) role: TagRole,
    /// The reason why the tag is text; `None` means that it works as a tag.
    pub(crate) stray: Option<StrayReason>,
    /// The key's bytes, for variables, tests and lists.
    pub(crate) key: Range<usize>,
}

/// A block, from its `if` or `each` on.
struct Block {
    kind: BlockKind,
    /// The reason why all its tags are text, as far as it is known.
    stray: Option<StrayReason>,
    /// The block of the `each` whose entries it tests.
    needs: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockKind {
    /// An `if` of an unknown key: its tags are text.
    UnknownIf,
    /// The number of its first tag, and whether it has an `else`.
    If {
        first: usize,
        has_else: bool,
    },
    Each,
}

/// The number of bytes of text per tag in a typical template; only a guess for the first allocation.
const BYTES_PER_TAG: usize = 128;

/// Finds all tags of `text` and pairs them. `intern` turns the bytes of a key into its number. `names` returns what `item:` may
/// name in an entry of the list with this number; `None` if it is no list.
pub(super) fn pair<'n>(
    text: &str,
    options: &TemplateOptions,
    mut intern: impl FnMut(Range<usize>) -> usize,
    names: impl Fn(Range<usize>) -> Option<Vec<&'n str>>,
) -> Vec<Tag> {
    let mut pairs = Pairs { text, tags: Vec::with_capacity(text.len() / BYTES_PER_TAG), ..Pairs::default() };
    pairs.has_items =
        options.inputs.is_none() || options.types.as_ref().is_none_or(|types| types.kind("item").is_some());
    let mut scanner = Scanner::new(text, options.raw, options.types.as_deref(), options.inputs.as_deref());
    loop {
        scanner.in_each = !pairs.lists.is_empty();
        let Some(ScannedTag { range, word }) = scanner.next() else { return pairs.finish() };
        let mut tag = Tag { range, role: TagRole::Else, stray: None, key: 0..0 };
        // The block that the tag works with.
        let block = match word {
            TagContent::Variable { key } => {
                let needs = pairs.needed(&key, &mut tag.stray);
                tag.key = key.clone();
                tag.role = TagRole::Variable { key: intern(key) };
                needs
            }
            TagContent::If(Test { key, negated, words }) => {
                let mut stray = None;
                let needs = pairs.needed(&key, &mut stray);
                tag.key = key.clone();
                let test = TagTest { key: intern(key), negated, words };
                tag.role = TagRole::If { test, endif: None };
                let kind = BlockKind::If { first: pairs.tags.len(), has_else: false };
                Some(pairs.open(kind, stray.or(Some(StrayReason::NeverClosed)), needs))
            }
            TagContent::UnknownIf => {
                pairs.open(BlockKind::UnknownIf, None, None);
                continue;
            }
            TagContent::Elif(Test { key, negated, words }) => {
                let mut stray = None;
                let needs = pairs.needed(&key, &mut stray);
                tag.key = key.clone();
                tag.role = TagRole::Elif { test: TagTest { key: intern(key), negated, words } };
                match pairs.innermost_if(&mut tag.stray, false) {
                    Innermost::Unknown => continue,
                    Innermost::None => None,
                    Innermost::If(block) => {
                        let of = &mut pairs.blocks[block];
                        of.needs = of.needs.or(needs);
                        if of.stray == Some(StrayReason::NeverClosed) {
                            of.stray = stray.or(of.stray);
                        }
                        Some(block)
                    }
                }
            }
            TagContent::Else => match pairs.innermost_if(&mut tag.stray, true) {
                Innermost::Unknown => continue,
                Innermost::None => None,
                Innermost::If(block) => Some(block),
            },
            TagContent::Endif => {
                tag.role = TagRole::Endif;
                match pairs.close(EndTag::Endif) {
                    None => {
                        tag.stray = Some(StrayReason::NoOpenIf);
                        None
                    }
                    Some(block) => match pairs.blocks[block].kind {
                        BlockKind::If { first, .. } => {
                            let number = pairs.tags.len();
                            if let TagRole::If { endif, .. } = &mut pairs.tags[first].role {
                                *endif = Some(number);
                            }
                            Some(block)
                        }
                        _ => continue,
                    },
                }
            }
            TagContent::Each { list } => {
                tag.key = list.clone();
                let known = names(list.clone());
                tag.role = TagRole::Each { list: intern(list) };
                let stray = if known.is_some() { StrayReason::NeverClosed } else { StrayReason::NoList };
                let block = pairs.open(BlockKind::Each, Some(stray), None);
                pairs.lists.push((block, known.unwrap_or_default()));
                Some(block)
            }
            TagContent::Endeach => {
                tag.role = TagRole::Endeach;
                let block = pairs.close(EndTag::Endeach);
                if block.is_none() {
                    tag.stray = Some(StrayReason::NoOpenEach);
                }
                block
            }
            TagContent::Raw { closed } => {
                tag.role = TagRole::Raw;
                tag.stray = (!closed).then_some(StrayReason::NoEndraw);
                None
            }
            TagContent::Endraw { opened } => {
                tag.role = TagRole::Endraw;
                tag.stray = (!opened).then_some(StrayReason::NoRaw);
                None
            }
        };
        pairs.tags.push(tag);
        pairs.of.push(block);
    }
}

/// A tag that ends a block.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EndTag {
    Endif,
    Endeach,
}

/// The block that an `elif` or `else` belongs to.
enum Innermost {
    None,
    Unknown,
    If(usize),
}

/// The tags found so far, and their blocks.
#[derive(Default)]
struct Pairs<'t, 'n> {
    text: &'t str,
    tags: Vec<Tag>,
    /// For each tag the block that it works with, if there is one.
    of: Vec<Option<usize>>,
    blocks: Vec<Block>,
    open: Vec<usize>,
    /// The open `each` blocks, with what `item:` names in them.
    lists: Vec<(usize, Vec<&'n str>)>,
    /// True if `item:` has a meaning outside of `each`.
    has_items: bool,
}

impl Pairs<'_, '_> {
    fn open(&mut self, kind: BlockKind, stray: Option<StrayReason>, needs: Option<usize>) -> usize {
        self.blocks.push(Block { kind, stray, needs });
        self.open.push(self.blocks.len() - 1);
        self.blocks.len() - 1
    }

    /// Closes the innermost block that the tag ends. What was opened in it and is not closed is text.
    fn close(&mut self, end: EndTag) -> Option<usize> {
        // Without such a block nothing is searched, so that many end tags cost no more than many blocks.
        let lists = self.lists.len();
        let has_one = if end == EndTag::Endeach { lists > 0 } else { self.open.len() > lists };
        let is = |kind| (kind == BlockKind::Each) == (end == EndTag::Endeach);
        let is_ended = |block: &usize| is(self.blocks[*block].kind);
        let at = has_one.then(|| self.open.iter().rposition(is_ended)).flatten()?;
        let block = self.open[at];
        self.open.truncate(at);
        while self.lists.last().is_some_and(|(list, _)| *list >= block) {
            self.lists.pop();
        }
        let closed = &mut self.blocks[block];
        if closed.stray == Some(StrayReason::NeverClosed) {
            closed.stray = None;
        }
        Some(block)
    }

    /// Finds the block of an `else` or `elif`.
    fn innermost_if(&mut self, stray: &mut Option<StrayReason>, is_else: bool) -> Innermost {
        let Some(block) = self.open.last().copied() else {
            *stray = Some(StrayReason::NoOpenIf);
            return Innermost::None;
        };
        match &mut self.blocks[block].kind {
            BlockKind::UnknownIf => return Innermost::Unknown,
            BlockKind::Each => *stray = Some(StrayReason::NoOpenIf),
            BlockKind::If { has_else: true, .. } => *stray = Some(StrayReason::SecondElse),
            BlockKind::If { has_else, .. } => {
                *has_else = is_else;
                return Innermost::If(block);
            }
        }
        Innermost::None
    }

    /// Returns the `each` that a key needs: the innermost for an `item:`. Without one, or where its entries have no such name,
    /// the tag is stray.
    fn needed(&self, key: &Range<usize>, stray: &mut Option<StrayReason>) -> Option<usize> {
        let name = self.text[key.clone()].strip_prefix("item:")?;
        match self.lists.last() {
            Some((each, names)) => {
                if !names.is_empty() && !names.contains(&name) {
                    *stray = Some(StrayReason::NoField);
                }
                Some(*each)
            }
            None => {
                if !self.has_items {
                    *stray = Some(StrayReason::NoEach);
                }
                None
            }
        }
    }

    /// Returns the tags, with why each of a broken block is text.
    fn finish(mut self) -> Vec<Tag> {
        for at in 0..self.blocks.len() {
            let each = self.blocks[at].needs.and_then(|each| self.blocks[each].stray);
            if each.is_some() {
                self.blocks[at].stray.get_or_insert(StrayReason::NoEach);
            }
        }
        for (tag, block) in self.tags.iter_mut().zip(self.of) {
            let Some(block) = block else { continue };
            let broken = self.blocks[block].stray;
            let broken = match tag.role {
                TagRole::Variable { .. } => broken.map(|_| StrayReason::NoEach),
                _ => broken,
            };
            tag.stray = tag.stray.or(broken);
        }
        self.tags
    }
}

/// Returns the first tag of a block with more than `limit` others around it and itself.
pub(super) fn too_deep(tags: &[Tag], limit: usize) -> Option<&Tag> {
    let mut depth = 0;
    tags.iter().filter(|tag| tag.stray.is_none()).find(|tag| {
        match tag.role {
            TagRole::If { .. } | TagRole::Each { .. } => depth += 1,
            TagRole::Endif | TagRole::Endeach => depth -= 1,
            _ => {}
        }
        depth > limit
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options() -> TemplateOptions {
        TemplateOptions { raw: true, ..TemplateOptions::default() }
    }

    fn strays(text: &str) -> Vec<Option<StrayReason>> {
        pair(text, &options(), |_| 0, |_| None).into_iter().map(|tag| tag.stray).collect()
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
        let tags = pair("[if a:x][if a:x][if a:x][endif][endif]", &options(), |_| 0, |_| None);
        assert_eq!(too_deep(&tags, 2), None, "the first `if` is text");
        assert_eq!(too_deep(&tags, 1).map(|tag| tag.range.start), Some(16));
    }
}
