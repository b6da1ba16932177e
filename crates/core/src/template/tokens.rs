//! The tags of a template as an editor wants them: kind, bytes, whether they work, how deep they are.

use super::{StrayReason, TagRole, Template, trim};
use crate::variable::VariableKey;
use serde::Serialize;
use std::ops::Range;

/// The kind of a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
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

/// A tag of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// The kind of tag.
    pub kind: TokenKind,
    /// The bytes of the tag, brackets included.
    pub range: Range<usize>,
    /// The key of a variable, condition or list.
    pub key: Option<&'t VariableKey>,
    /// The values of a comparison, with `|` between them.
    pub words: Option<&'t str>,
    /// The reason why the tag is text; `None` means that it works as a tag.
    pub stray: Option<StrayReason>,
    /// The number of blocks around the tag. An `if`, its `else` and its `endif` have the same depth.
    pub depth: usize,
    /// The branch of the innermost block around it; `None` outside of all blocks.
    pub branch: Option<Branch>,
}

impl Template {
    /// Returns the tags in the order of the text: working ones, and those that turned out to be text.
    ///
    /// ```
    /// use preface_core::template::{TemplateOptions, Template, TokenKind};
    /// let template = Template::parse("[if a:x]A[else]B[endif] [else]", &TemplateOptions::default()).unwrap();
    /// let tokens = template.tokens();
    /// assert_eq!(tokens[1].kind, TokenKind::Else);
    /// assert_eq!(tokens[1].range, 9..15);
    /// assert!(tokens[1].stray.is_none() && tokens[3].stray.is_some());
    /// ```
    #[must_use]
    pub fn tokens(&self) -> Vec<Token<'_>> {
        let mut open: Vec<Branch> = Vec::new();
        let mut tokens = Vec::with_capacity(self.tags().len());
        for tag in self.tags() {
            let works = tag.stray.is_none();
            let kind = match &tag.role {
                TagRole::Variable { .. } => TokenKind::Variable,
                TagRole::If { test, .. } if test.negated => TokenKind::IfNot,
                TagRole::If { .. } => TokenKind::If,
                TagRole::Elif { test } if test.negated => TokenKind::ElifNot,
                TagRole::Elif { .. } => TokenKind::Elif,
                TagRole::Else => TokenKind::Else,
                TagRole::Endif => TokenKind::Endif,
                TagRole::Each { .. } => TokenKind::Each,
                TagRole::Endeach => TokenKind::Endeach,
                TagRole::Raw => TokenKind::Raw,
                TagRole::Endraw => TokenKind::Endraw,
            };
            let is_branch = matches!(tag.role, TagRole::Elif { .. } | TagRole::Else);
            if works && (is_branch || matches!(tag.role, TagRole::Endif | TagRole::Endeach)) {
                open.pop();
            }
            let words = tag.role.test().and_then(|test| test.words.clone());
            tokens.push(Token {
                kind,
                range: tag.range.clone(),
                key: tag.role.key().map(|key| self.key(key)),
                words: words.map(|words| trim(&self.text()[words])),
                stray: tag.stray,
                depth: open.len(),
                branch: open.last().copied(),
            });
            match tag.role {
                TagRole::If { .. } | TagRole::Each { .. } if works => open.push(Branch::First),
                _ if works && is_branch => open.push(Branch::Second),
                _ => {}
            }
        }
        tokens
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::TemplateOptions;

    #[test]
    fn depth_and_branch_are_those_around_a_tag() {
        let text = "[a:0][if a:1][a:2][if !a:3][else][a:4][endif][else][endif][endif][if a:5]";
        let template = Template::parse(text, &TemplateOptions::default()).unwrap();
        let tokens = template.tokens();
        let shape: Vec<_> = tokens.iter().map(|token| (token.kind, token.depth, token.branch)).collect();
        let (first, second) = (Some(Branch::First), Some(Branch::Second));
        assert_eq!(
            shape,
            [
                (TokenKind::Variable, 0, None),
                (TokenKind::If, 0, None),
                (TokenKind::Variable, 1, first),
                (TokenKind::IfNot, 1, first),
                (TokenKind::Else, 1, first),
                (TokenKind::Variable, 2, second),
                (TokenKind::Endif, 1, first),
                (TokenKind::Else, 0, None),
                (TokenKind::Endif, 0, None),
                (TokenKind::Endif, 0, None),
                (TokenKind::If, 0, None),
            ]
        );
        let stray: Vec<_> = tokens.iter().filter_map(|token| token.stray).collect();
        assert_eq!(stray, [StrayReason::NoOpenIf, StrayReason::NeverClosed]);
    }
}
