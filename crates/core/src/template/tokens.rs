//! The tags of a template as an editor wants them: kind, bytes, whether they work, how deep they are.

use super::{StrayReason, TagRole, Template};
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
    /// `[if !type:name]`
    IfNot,
    /// `[else]`
    Else,
    /// `[endif]`
    Endif,
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
    /// Between `if` and `else`, or `if` and `endif`.
    First,
    /// Between `else` and `endif`.
    Second,
}

/// A tag of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token<'t> {
    /// The kind of tag.
    pub kind: TokenKind,
    /// The bytes of the tag, brackets included.
    pub range: Range<usize>,
    /// The key of a variable or condition.
    pub key: Option<&'t VariableKey>,
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
            let (kind, key) = match &tag.role {
                TagRole::Variable { key } => (TokenKind::Variable, Some(*key)),
                TagRole::If { key, negated: false, .. } => (TokenKind::If, Some(*key)),
                TagRole::If { key, negated: true, .. } => (TokenKind::IfNot, Some(*key)),
                TagRole::Else => (TokenKind::Else, None),
                TagRole::Endif => (TokenKind::Endif, None),
                TagRole::Raw => (TokenKind::Raw, None),
                TagRole::Endraw => (TokenKind::Endraw, None),
            };
            if works && matches!(tag.role, TagRole::Else | TagRole::Endif) {
                open.pop();
            }
            tokens.push(Token {
                kind,
                range: tag.range.clone(),
                key: key.map(|key| self.key(key)),
                stray: tag.stray,
                depth: open.len(),
                branch: open.last().copied(),
            });
            match tag.role {
                TagRole::If { .. } if works => open.push(Branch::First),
                TagRole::Else if works => open.push(Branch::Second),
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
