//! A template cut into runs that cover all of it: tags and the text between them, each tag with the others of its block.
//! What an editor colours, folds and matches is this list.

use super::{StrayReason, TagRole, Template, trim};
use crate::variable::VariableKey;
use serde::Serialize;
use std::ops::Range;

/// The kind of a run of a template. A tag is text after all where [`Tile::stray`] is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum TileKind {
    /// Text.
    Text,
    /// Text between `[raw]` and `[endraw]`.
    RawText,
    /// `[type:name]`
    Variable,
    /// `[if type:name]`
    If,
    /// `[if !type:name]` or `[if type:name != value]`
    IfNot,
    /// `[elif type:name]`, where inputs are on
    Elif,
    /// `[elif !type:name]`, where inputs are on
    ElifNot,
    /// `[else]`
    Else,
    /// `[endif]`
    Endif,
    /// `[each type:name]`, where inputs are on
    Each,
    /// `[endeach]`, where inputs are on
    Endeach,
    /// `[raw]`, if raw blocks are on
    Raw,
    /// `[endraw]`, if raw blocks are on
    Endraw,
}

impl TileKind {
    fn of(role: &TagRole) -> Self {
        match role {
            TagRole::Variable { .. } => TileKind::Variable,
            TagRole::If { test, .. } if test.negated => TileKind::IfNot,
            TagRole::If { .. } => TileKind::If,
            TagRole::Elif { test } if test.negated => TileKind::ElifNot,
            TagRole::Elif { .. } => TileKind::Elif,
            TagRole::Else => TileKind::Else,
            TagRole::Endif => TileKind::Endif,
            TagRole::Each { .. } => TileKind::Each,
            TagRole::Endeach => TileKind::Endeach,
            TagRole::Raw => TileKind::Raw,
            TagRole::Endraw => TileKind::Endraw,
        }
    }

    /// Returns true for a tag.
    #[must_use]
    pub fn is_tag(self) -> bool {
        !matches!(self, TileKind::Text | TileKind::RawText)
    }

    /// Returns the word for it: `text`, `raw-text`, `variable`, `if`, `if-not`, `elif`, `elif-not`, `else`, `endif`, `each`,
    /// `endeach`, `raw`, `endraw`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A branch of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = TokenBranch))]
#[serde(rename_all = "kebab-case")]
pub enum Branch {
    /// Behind `if` or `each`.
    First,
    /// Behind `elif` or `else`.
    Second,
}

/// A run of a template. The tiles of a template follow each other without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tile<'t> {
    /// The kind of run.
    pub kind: TileKind,
    /// The bytes of the run; never empty.
    pub range: Range<usize>,
    /// The key of a variable, condition or list.
    pub key: Option<&'t VariableKey>,
    /// The values of a comparison, with `|` between them.
    pub words: Option<&'t str>,
    /// The bytes of that key.
    pub key_range: Option<Range<usize>>,
    /// The reason why a tag is text; `None` means that it works as a tag, or is none.
    pub stray: Option<StrayReason>,
    /// The number of blocks around the run. An `if`, its `else` and its `endif` have the same depth.
    pub depth: usize,
    /// The branch of the innermost block around it; `None` outside of all blocks.
    pub branch: Option<Branch>,
    /// The other tags of its block, by their places in the list: of an `if` its `elif`, `else` and `endif`, of a `[raw]` its
    /// `[endraw]`, and the other way round.
    pub partners: Vec<usize>,
}

impl Template {
    /// Cuts the template into tiles.
    ///
    /// ```
    /// use preface_core::template::{TemplateOptions, Template};
    /// let template = Template::parse("On [if a:x][a:x][endif].", &TemplateOptions::default()).unwrap();
    /// let words: Vec<&str> = template.tiles().iter().map(|tile| tile.kind.as_str()).collect();
    /// assert_eq!(words, ["text", "if", "variable", "endif", "text"]);
    /// assert_eq!(template.tiles()[1].partners, [3]);
    /// ```
    #[must_use]
    pub fn tiles(&self) -> Vec<Tile<'_>> {
        let mut tiles: Vec<Tile<'_>> = Vec::with_capacity(self.tags().len() * 2 + 1);
        let mut open: Vec<OpenBlock> = Vec::new();
        let mut raw: Option<usize> = None;
        let mut at = 0;
        for tag in self.tags() {
            if at < tag.range.start {
                tiles.push(between(at..tag.range.start, raw.is_some(), &open));
            }
            at = tag.range.end;
            let works = tag.stray.is_none();
            let is_branch = matches!(tag.role, TagRole::Elif { .. } | TagRole::Else);
            let ends = is_branch || matches!(tag.role, TagRole::Endif | TagRole::Endeach);
            let block = if works && ends { open.pop() } else { None };
            let words = tag.role.test().and_then(|test| test.words.clone());
            let key = tag.role.key().map(|key| self.key(key));
            let number = tiles.len();
            tiles.push(Tile {
                kind: TileKind::of(&tag.role),
                key,
                words: words.map(|words| trim(&self.text()[words])),
                key_range: key.map(|_| tag.key.clone()),
                stray: tag.stray,
                ..between(tag.range.clone(), false, &open)
            });
            let mut partners = Vec::new();
            match (&tag.role, block) {
                (TagRole::If { .. } | TagRole::Each { .. }, _) if works => {
                    open.push(OpenBlock { tags: vec![number], branch: Branch::First });
                }
                (TagRole::Elif { .. } | TagRole::Else, Some(mut block)) => {
                    block.tags.push(number);
                    open.push(OpenBlock { branch: Branch::Second, ..block });
                }
                (_, Some(block)) => partners = block.tags,
                (TagRole::Raw, _) if works => raw = Some(number),
                (TagRole::Endraw, _) if works => partners.extend(raw.take()),
                _ => {}
            }
            // The last tag of a block knows the others; now they learn of it and of each other.
            if !partners.is_empty() {
                partners.push(number);
                for one in &partners {
                    tiles[*one].partners = partners.iter().copied().filter(|other| other != one).collect();
                }
            }
        }
        if at < self.text().len() {
            tiles.push(between(at..self.text().len(), raw.is_some(), &open));
        }
        tiles
    }
}

/// A block whose end is still to come.
struct OpenBlock {
    tags: Vec<usize>,
    branch: Branch,
}

fn between<'t>(range: Range<usize>, raw: bool, open: &[OpenBlock]) -> Tile<'t> {
    Tile {
        kind: if raw { TileKind::RawText } else { TileKind::Text },
        range,
        key: None,
        words: None,
        key_range: None,
        stray: None,
        depth: open.len(),
        branch: open.last().map(|block| block.branch),
        partners: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::TemplateOptions;
    use proptest::prelude::*;

    fn parsed(text: &str, raw: bool) -> Template {
        Template::parse(text, &TemplateOptions { raw, ..TemplateOptions::default() }).unwrap()
    }

    #[test]
    fn the_tags_of_a_block_know_each_other() {
        let template = parsed("[if a:x]A[if !a:y][endif][else]B[endif][endif]", false);
        let tiles = template.tiles();
        let shape: Vec<_> =
            tiles.iter().map(|tile| (tile.kind.as_str(), tile.depth, tile.partners.clone())).collect();
        assert_eq!(
            shape,
            [
                ("if", 0, vec![4, 6]),
                ("text", 1, vec![]),
                ("if-not", 1, vec![3]),
                ("endif", 1, vec![2]),
                ("else", 0, vec![0, 6]),
                ("text", 1, vec![]),
                ("endif", 0, vec![0, 4]),
                ("endif", 0, vec![]),
            ]
        );
        assert_eq!(tiles[7].stray, Some(StrayReason::NoOpenIf));
        assert_eq!((tiles[1].branch, tiles[5].branch), (Some(Branch::First), Some(Branch::Second)));
    }

    #[test]
    fn raw_text_is_another_kind_than_text() {
        let template = parsed("a[raw][a:x][endraw]b", true);
        let words: Vec<_> = template.tiles().iter().map(|tile| tile.kind.as_str()).collect();
        assert_eq!(words, ["text", "raw", "raw-text", "endraw", "text"]);
        assert_eq!((&template.tiles()[1].partners, &template.tiles()[3].partners), (&vec![3], &vec![1]));
    }

    #[test]
    fn the_range_of_a_key_is_that_of_its_letters() {
        let template = parsed("é[ if !file:a b ]", false);
        let tiles = template.tiles();
        assert_eq!(tiles[1].kind.as_str(), "if-not");
        assert_eq!(&template.text()[tiles[1].key_range.clone().unwrap()], "file:a b");
    }

    #[test]
    fn depth_and_branch_are_those_around_a_tag() {
        let text = "[a:0][if a:1][a:2][if !a:3][else][a:4][endif][else][endif][endif][if a:5]";
        let template = Template::parse(text, &TemplateOptions::default()).unwrap();
        let tiles = template.tiles();
        let tokens: Vec<_> = tiles.iter().filter(|tile| tile.kind != TileKind::Text).collect();
        let shape: Vec<_> = tokens.iter().map(|token| (token.kind, token.depth, token.branch)).collect();
        let (first, second) = (Some(Branch::First), Some(Branch::Second));
        assert_eq!(
            shape,
            [
                (TileKind::Variable, 0, None),
                (TileKind::If, 0, None),
                (TileKind::Variable, 1, first),
                (TileKind::IfNot, 1, first),
                (TileKind::Else, 1, first),
                (TileKind::Variable, 2, second),
                (TileKind::Endif, 1, first),
                (TileKind::Else, 0, None),
                (TileKind::Endif, 0, None),
                (TileKind::Endif, 0, None),
                (TileKind::If, 0, None),
            ]
        );
        let stray: Vec<_> = tokens.iter().filter_map(|token| token.stray).collect();
        assert_eq!(stray, [StrayReason::NoOpenIf, StrayReason::NeverClosed]);
    }

    proptest! {
        #[test]
        fn tiles_cover_the_template(
            text in r"(\[if a:x\]|\[if !b:é\]|\[else\]|\[endif\]|\[raw\]|\[ endraw \]|\[a:x\]|\[|\]|é|𝒳|\n|x){0,40}",
            raw: bool,
        ) {
            let template = parsed(&text, raw);
            let tiles = template.tiles();
            let mut at = 0;
            for tile in &tiles {
                prop_assert_eq!(tile.range.start, at);
                prop_assert!(tile.range.end > at);
                at = tile.range.end;
            }
            prop_assert_eq!(at, text.len());
            let found: Vec<_> =
                tiles.iter().filter(|tile| tile.kind.is_tag()).map(|tile| (&tile.range, tile.stray)).collect();
            let tags: Vec<_> = template.tags().iter().map(|tag| (&tag.range, tag.stray)).collect();
            prop_assert_eq!(found, tags);
            for (number, tile) in tiles.iter().enumerate() {
                for partner in &tile.partners {
                    prop_assert!(tiles[*partner].partners.contains(&number), "partners know each other");
                }
            }
        }
    }
}
