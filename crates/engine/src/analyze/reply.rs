//! The serialized analysis. Each position is given in bytes and in UTF-16 units.

use preface_core::{
    budget::Counter,
    diagnostic::{DiagnosticCode, Severity},
    lint::character::floor_char_boundary,
    origin::Origin,
    prompt::Prompt,
    template::{Branch, StrayReason, Tile, Utf16},
    variable::Stability,
};
use serde::Serialize;
use std::ops::Range;

/// What there is to see of a template.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Analysis {
    /// Runs of the template that follow each other without a gap: tags, and the text between them.
    pub tokens: Vec<AnalyzedToken>,
    /// The diagnostics, ordered by position.
    pub diagnostics: Vec<AnalyzedNote>,
    /// What it renders to; absent if it breaks a limit.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub preview: Option<Preview>,
    /// The keys that it names, in the order in which they come.
    pub variables: Vec<UsedVariable>,
    /// Whether `[raw]…[endraw]` keeps what it holds.
    pub raw: bool,
    /// How many entries of the lists above were left out because there are too many.
    pub left: Left,
}

/// How many entries of long lists were left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Left {
    /// Of `tokens`.
    pub tokens: usize,
    /// Of `diagnostics`.
    pub diagnostics: usize,
    /// Of `preview.spans`.
    pub spans: usize,
    /// Of `variables`.
    pub variables: usize,
}

/// A run of the template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalyzedToken {
    /// `text`, `raw-text`, `variable`, `if`, `if-not`, `elif`, `elif-not`, `else`, `endif`, `each`, `endeach`, `raw`, `endraw`, or
    /// `literal` for a tag that is text.
    #[cfg_attr(feature = "openapi", schema(value_type = TokenKind))]
    pub kind: &'static str,
    /// Its bytes.
    pub range: [usize; 2],
    /// Its UTF-16 units.
    pub utf16: [usize; 2],
    /// The number of blocks around it.
    pub depth: usize,
    /// The branch of the innermost block around it: `first` or `second`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<Branch>,
    /// The key of a variable or condition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The UTF-16 units of that key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_utf16: Option<[usize; 2]>,
    /// Which tag a `literal` looks like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tag: Option<&'static str>,
    /// Why a `literal` is text: `never-closed`, `no-open-if`, `second-else`, `no-open-each`, `no-list`, `no-each`, `no-field`,
    /// `no-endraw` or `no-raw`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<StrayReason>,
    /// The other tags of its block, by their places in this list.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub partners: Vec<usize>,
}

/// What a run of a template is.
#[cfg(feature = "openapi")]
#[derive(utoipa::ToSchema)]
#[schema(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its description is used")]
enum TokenKind {
    Text,
    RawText,
    Variable,
    If,
    IfNot,
    Elif,
    ElifNot,
    Else,
    Endif,
    Each,
    Endeach,
    Raw,
    Endraw,
    Literal,
}

/// A diagnostic at a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalyzedNote {
    /// The stable code.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub code: DiagnosticCode,
    /// `info`, `warning` or `error`.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The bytes that it is about; none if it is about all of it.
    pub range: [usize; 2],
    /// The same in UTF-16 units.
    pub utf16: [usize; 2],
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The column in UTF-16 units, from 1.
    pub utf16_column: usize,
    /// A change that settles it, if there is an obvious one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<AnalyzedEdit>,
}

/// A proposed change of the template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalyzedEdit {
    /// The bytes to replace.
    pub range: [usize; 2],
    /// The same in UTF-16 units.
    pub utf16: [usize; 2],
    /// What to put there.
    pub replacement: String,
}

/// What a template renders to.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Preview {
    /// The text.
    pub text: String,
    /// How many bytes it has.
    pub bytes: usize,
    /// How many tokens it has, as `counter` counts.
    pub tokens: usize,
    /// The counter: the one that has the vocabulary of the model, or an estimate.
    pub counter: String,
    /// The fewest tokens of a beginning that the model's service caches; without a model, a cautious number.
    pub cache_minimum: usize,
    /// The digest of the text.
    pub fingerprint: String,
    /// Its parts, which follow each other without a gap.
    pub parts: Vec<AnalyzedPart>,
    /// Where each byte came from. The spans follow each other without a gap.
    pub spans: Vec<AnalyzedSpan>,
    /// What became of each condition, in the order of the template.
    pub conditions: Vec<Condition>,
}

/// A part of the preview.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalyzedPart {
    /// Its section.
    pub section: String,
    /// Its bytes.
    pub range: [usize; 2],
    /// How many tokens it has.
    pub tokens: usize,
    /// How long its bytes stay the same: `static`, `conversation` or `turn`.
    pub stability: Stability,
}

/// A run of the preview with one origin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AnalyzedSpan {
    /// Its bytes in the preview.
    pub range: [usize; 2],
    /// The same in UTF-16 units.
    pub utf16: [usize; 2],
    /// Where they came from.
    pub origin: SpanOrigin,
}

/// Where a run of the preview came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum SpanOrigin {
    /// Bytes of the template.
    Template {
        /// Which bytes.
        span: [usize; 2],
    },
    /// The value of a variable.
    Variable {
        /// Its key.
        key: String,
        /// Who answered it.
        source: String,
    },
    /// Something that the profile puts there.
    Other {
        /// What, for people.
        name: String,
    },
}

/// What became of a condition.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Condition {
    /// Its `if` or `elif`, by its place in the list of tokens.
    pub token: usize,
    /// The variable that the condition tests.
    pub key: String,
    /// True for `[if !…]` and `!=`.
    pub negated: bool,
    /// True if the branch behind it is included; null if rendering did not reach the test, or it is of an entry of a list.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub taken: Option<bool>,
}

/// A key that a template names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UsedVariable {
    /// `type:name`.
    pub key: String,
    /// The type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name.
    pub name: String,
    /// True if a provider has this type.
    pub registered: bool,
    /// True if it exists; null if it was not looked up.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub exists: Option<bool>,
    /// The value, its first bytes where it is long.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub value: Option<String>,
    /// True if the value is longer than what is shown of it.
    pub cut: bool,
    /// How many bytes the value has.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub bytes: Option<usize>,
    /// How long the value stays the same: `static`, `conversation` or `turn`.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub stability: Option<Stability>,
    /// Who answered, or why it does not exist.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub source: Option<String>,
    /// Its tags, by their places in the list of tokens.
    pub tokens: Vec<usize>,
}

/// The most entries of a list.
pub(super) const MOST_TOKENS: usize = 100_000;
pub(super) const MOST_DIAGNOSTICS: usize = 1_000;
const MOST_SPANS: usize = 100_000;
pub(super) const MOST_VARIABLES: usize = 2_000;
/// The most bytes of a value that are shown beside the preview.
const SHOWN: usize = 4_096;

impl AnalyzedToken {
    pub(super) fn of(tile: &Tile<'_>, utf16: &Utf16<'_>) -> Self {
        let kind = tile.kind.as_str();
        AnalyzedToken {
            kind: if tile.stray.is_some() { "literal" } else { kind },
            range: pair(&tile.range),
            utf16: pair(&utf16.range(&tile.range)),
            depth: tile.depth,
            branch: tile.branch,
            key: tile.key.map(ToString::to_string),
            key_utf16: tile.key_range.as_ref().map(|range| pair(&utf16.range(range))),
            tag: (tile.stray.is_some() && tile.kind.is_tag()).then_some(kind),
            why: tile.stray,
            partners: tile.partners.clone(),
        }
    }
}

impl Preview {
    /// Returns it, and how many spans there are besides.
    pub(super) fn of(
        prompt: &Prompt,
        conditions: Vec<Condition>,
        counter: &dyn Counter,
        cache_minimum: usize,
    ) -> (Self, usize) {
        let utf16 = Utf16::new(&prompt.text);
        let parts = prompt.parts.iter().map(|part| AnalyzedPart {
            section: part.section.as_str().to_owned(),
            range: pair(&part.range),
            tokens: counter.count(prompt.text_of(part)),
            stability: part.stability,
        });
        let left = prompt.spans().count().saturating_sub(MOST_SPANS);
        let spans = prompt.spans().take(MOST_SPANS).map(|(_, range, origin)| AnalyzedSpan {
            utf16: pair(&utf16.range(&range)),
            range: pair(&range),
            origin: SpanOrigin::of(origin),
        });
        let preview = Preview {
            bytes: prompt.text.len(),
            tokens: counter.count(&prompt.text),
            counter: counter.name().to_owned(),
            cache_minimum,
            fingerprint: prompt.fingerprint(),
            parts: parts.collect(),
            spans: spans.collect(),
            conditions,
            text: prompt.text.clone(),
        };
        (preview, left)
    }
}

impl SpanOrigin {
    fn of(origin: &Origin) -> Self {
        match origin {
            Origin::Stored { span, .. } => SpanOrigin::Template { span: pair(span) },
            Origin::Variable { key, source } => {
                SpanOrigin::Variable { key: key.to_string(), source: source.to_string() }
            }
            other => SpanOrigin::Other { name: other.to_string() },
        }
    }
}

pub(super) fn pair(range: &Range<usize>) -> [usize; 2] {
    [range.start, range.end]
}

/// Returns the head of a value, and whether that is not all of it.
pub(super) fn shortened(value: &str) -> (String, bool) {
    let end = floor_char_boundary(value, SHOWN);
    (value[..end].to_owned(), end < value.len())
}
