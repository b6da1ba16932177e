//! A template cut into runs that cover all of it: tags and the text between them, each tag with the others of its block.
//! What an editor colours, folds and matches is this list.

use super::{Branch, StrayReason, Template, TokenKind};
use crate::variable::VariableKey;
use std::ops::Range;

/// The kind of a run of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileKind {
    /// Text.
    Text,
    /// Text between `[raw]` and `[endraw]`.
    RawText,
    /// A tag; text after all where [`Tile::stray`] is set.
    Tag(TokenKind),
}

impl TileKind {
    /// Returns the word for it: `text`, `raw-text`, `variable`, `if`, `if-not`, `elif`, `elif-not`, `else`, `endif`, `each`,
    /// `endeach`, `raw`, `endraw`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            TileKind::Text => "text",
            TileKind::RawText => "raw-text",
            TileKind::Tag(TokenKind::Variable) => "variable",
            TileKind::Tag(TokenKind::If) => "if",
            TileKind::Tag(TokenKind::IfNot) => "if-not",
            TileKind::Tag(TokenKind::Else) => "else",
            TileKind::Tag(TokenKind::Endif) => "endif",
            TileKind::Tag(TokenKind::Elif) => "elif",
            TileKind::Tag(TokenKind::ElifNot) => "elif-not",
            TileKind::Tag(TokenKind::Each) => "each",
            TileKind::Tag(TokenKind::Endeach) => "endeach",
            TileKind::Tag(TokenKind::Raw) => "raw",
            TileKind::Tag(TokenKind::Endraw) => "endraw",
        }
    }
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
        let tokens = self.tokens();
        let mut tiles: Vec<Tile<'_>> = Vec::with_capacity(tokens.len() * 2 + 1);
        let mut open: Vec<OpenBlock> = Vec::new();
        let mut raw: Option<usize> = None;
        let mut at = 0;
        for (token, tag) in tokens.into_iter().zip(self.tags()) {
            if at < token.range.start {
                tiles.push(between(at..token.range.start, raw.is_some(), &open));
            }
            at = token.range.end;
            let number = tiles.len();
            let mut partners = Vec::new();
            if token.stray.is_none() {
                match token.kind {
                    TokenKind::If | TokenKind::IfNot | TokenKind::Each => {
                        open.push(OpenBlock { tags: vec![number], branch: Branch::First });
                    }
                    TokenKind::Elif | TokenKind::ElifNot | TokenKind::Else => {
                        if let Some(block) = open.last_mut() {
                            block.tags.push(number);
                            block.branch = Branch::Second;
                        }
                    }
                    TokenKind::Endif | TokenKind::Endeach => {
                        partners = open.pop().map(|block| block.tags).unwrap_or_default();
                    }
                    TokenKind::Raw => raw = Some(number),
                    TokenKind::Endraw => partners.extend(raw.take()),
                    TokenKind::Variable => {}
                }
            }
            tiles.push(Tile {
                kind: TileKind::Tag(token.kind),
                range: token.range,
                key: token.key,
                words: token.words,
                key_range: token.key.map(|_| tag.key.clone()),
                stray: token.stray,
                depth: token.depth,
                branch: token.branch,
                partners: Vec::new(),
            });
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
            let tags = tiles.iter().filter(|tile| matches!(tile.kind, TileKind::Tag(_)));
            let tags: Vec<_> = tags.map(|tile| (tile.range.clone(), tile.depth, tile.branch, tile.stray)).collect();
            let tokens: Vec<_> =
                template.tokens().into_iter().map(|t| (t.range, t.depth, t.branch, t.stray)).collect();
            prop_assert_eq!(tags, tokens);
            for (number, tile) in tiles.iter().enumerate() {
                for partner in &tile.partners {
                    prop_assert!(tiles[*partner].partners.contains(&number), "partners know each other");
                }
            }
        }
    }
}
