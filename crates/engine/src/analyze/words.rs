//! The enumerated words of an analysis, for its JSON Schema. The analysis itself has them as strings.

use utoipa::ToSchema;

/// What a run of a template is.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its description is used")]
pub(super) enum TokenKind {
    /// Text between tags.
    Text,
    /// Text that is kept as it is.
    RawText,
    /// The value of something.
    Variable,
    /// The start of a block with a condition.
    If,
    /// The start of a block with a negated condition.
    IfNot,
    /// The start of a block's second branch.
    Else,
    /// The end of a block.
    Endif,
    /// The start of text that is kept as it is.
    Raw,
    /// Its end.
    Endraw,
    /// A tag that is text.
    Literal,
}

/// A branch of a block.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its description is used")]
pub(super) enum TokenBranch {
    /// The branch that is included if the condition is true.
    First,
    /// The branch after `else`.
    Second,
}

/// Why a tag is text.
#[derive(ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its description is used")]
pub(super) enum LiteralWhy {
    /// Its block has no end.
    NeverClosed,
    /// It is in no block.
    NoOpenIf,
    /// Its block has a second branch already.
    SecondElse,
    /// What it starts has no end.
    NoEndraw,
    /// What it ends has no start.
    NoRaw,
}
