//! Where text came from. A prompt is a list of spans, each with one origin, and the spans tile it.

use crate::{hook::HookEvent, scope::Scope, variable::VariableKey};
use serde::{Deserialize, Serialize};
use std::{fmt, ops::Range, sync::Arc};

#[cfg(feature = "openapi")]
mod shape;

/// A text in a file (or a stream) of some layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Source {
    /// The layer that the file belongs to.
    pub scope: Scope,
    /// The path for people: relative to the cwd (project), from `~` (global), below `bundled/` (bundled).
    pub path: String,
}

/// The one place that a run of output bytes came from.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Origin {
    /// Bytes of a file.
    Source {
        /// The file.
        #[serde(flatten)]
        source: Arc<Source>,
        /// The byte range in the file as it is on disk.
        #[serde(with = "range")]
        span: Range<usize>,
        /// True if U+FFFD replaces bytes that are not UTF-8; the span covers the bad bytes.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        lossy: bool,
    },
    /// Bytes that the profile puts there: section text, headers, separators, markers.
    Literal {
        /// The profile's name; that of a [`LiteralSource`] for a text that no profile sets.
        profile: Arc<str>,
        /// The key in the profile, such as `section.context.before`.
        key: Arc<str>,
    },
    /// The value of a variable.
    Variable {
        /// The key of the variable.
        key: VariableKey,
        /// The source of the value.
        source: Arc<str>,
    },
    /// Bytes of a template that a store keeps.
    Stored {
        /// The template's name.
        template: Arc<str>,
        /// The version of the template; `None` if the text is not (yet) stored.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        version: Option<u64>,
        /// The byte range in the template.
        #[serde(with = "range")]
        span: Range<usize>,
    },
    /// Bytes that the caller handed in.
    Caller {
        /// The flag or API field.
        flag: Arc<str>,
    },
    /// Bytes that a hook put into the finished prompt.
    Hook {
        /// The hook's name.
        hook: Arc<str>,
        /// The event of its reply.
        event: HookEvent,
    },
}

/// The source of a literal, by the name that its origin has for a profile.
///
/// ```
/// use preface_core::origin::LiteralSource;
/// assert_eq!(LiteralSource::of("house").to_string(), "house.toml");
/// assert_eq!(LiteralSource::of("bundled"), LiteralSource::Bundled);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralSource<'o> {
    /// A profile.
    Profile(&'o str),
    /// A default that no profile sets: it is bundled with preface.
    Bundled,
    /// The caller, with `--set`.
    Caller,
}

impl<'o> LiteralSource<'o> {
    const BUNDLED: &'static str = "bundled";
    const CALLER: &'static str = "--set";

    /// Returns the source that a name in an origin means.
    #[must_use]
    pub fn of(profile: &'o str) -> Self {
        match profile {
            Self::BUNDLED => LiteralSource::Bundled,
            Self::CALLER => LiteralSource::Caller,
            profile => LiteralSource::Profile(profile),
        }
    }

    /// Returns the name in an origin.
    #[must_use]
    pub fn name(self) -> &'o str {
        match self {
            LiteralSource::Profile(name) => name,
            LiteralSource::Bundled => Self::BUNDLED,
            LiteralSource::Caller => Self::CALLER,
        }
    }
}

impl fmt::Display for LiteralSource<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiteralSource::Profile(name) => write!(f, "{name}.toml"),
            other => f.write_str(other.name()),
        }
    }
}

impl Origin {
    /// Returns the origin of a default that no profile sets, by the key that would set it or that names it.
    #[must_use]
    pub fn bundled(key: &str) -> Origin {
        Origin::Literal { profile: LiteralSource::Bundled.name().into(), key: key.into() }
    }

    /// Returns the origin of the bytes `range` of a text that has this origin as a whole.
    #[must_use]
    pub fn part(&self, range: &Range<usize>) -> Origin {
        match self {
            Origin::Source { source, span, lossy: false } => Origin::Source {
                source: source.clone(),
                span: span.start + range.start..span.start + range.end,
                lossy: false,
            },
            Origin::Stored { template, version, span } => Origin::Stored {
                template: template.clone(),
                version: *version,
                span: span.start + range.start..span.start + range.end,
            },
            other => other.clone(),
        }
    }

    /// Returns the rank of the origin among those that may be the reason of a change: the higher, the more often its text is
    /// another one.
    #[must_use]
    pub(crate) fn change_rank(&self) -> u8 {
        match self {
            Origin::Literal { .. } => 0,
            Origin::Source { .. } | Origin::Stored { .. } => 1,
            Origin::Variable { .. } if self.item_source().is_some() => 1,
            Origin::Caller { .. } => 2,
            Origin::Variable { .. } => 3,
            Origin::Hook { .. } => 4,
        }
    }

    /// Returns what the item comes from whose variable this is, such as the file of `[item:path]`.
    #[must_use]
    pub(crate) fn item_source(&self) -> Option<&str> {
        match self {
            Origin::Variable { key, source } if key.kind() == "item" => Some(source),
            _ => None,
        }
    }

    /// Returns true for the text that a profile puts between two parts.
    #[must_use]
    pub fn is_separator(&self) -> bool {
        matches!(self, Origin::Literal { key, .. } if &**key == "join")
    }

    /// Returns the scope of the text.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Origin::Source { source, .. } => Some(source.scope),
            _ => None,
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Source { source, .. } => write!(f, "{}", source.path),
            Origin::Literal { profile, key } => write!(f, "{} {key}", LiteralSource::of(profile)),
            Origin::Variable { key, .. } => write!(f, "[{key}]"),
            Origin::Stored { template, version: Some(version), .. } => {
                write!(f, "template {template}@{version}")
            }
            Origin::Stored { template, version: None, .. } => write!(f, "template {template}"),
            Origin::Caller { flag } => write!(f, "{flag}"),
            Origin::Hook { hook, event } => write!(f, "hook {hook} ({event})"),
        }
    }
}

/// A text with one origin, as providers hand it over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The text.
    pub text: String,
    /// The origin of the text as a whole.
    pub origin: Origin,
}

/// A run of bytes of a part and its origin. Ranges are UTF-8 byte offsets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The bytes, counted from the start of the part.
    #[serde(with = "range")]
    pub range: Range<usize>,
    /// The origin of these bytes.
    pub origin: Origin,
}

/// The number of pieces into which a text with bad bytes is split at most; the rest of it is one piece.
const MOST_PIECES: usize = 1000;

/// Decodes the bytes of a file into pieces. Bad UTF-8 becomes U+FFFD, a piece of its own that covers the bad bytes.
///
/// ```
/// use preface_core::{origin::{decode, Source}, scope::Scope};
/// use std::sync::Arc;
/// let source = Arc::new(Source { scope: Scope::Project, path: "AGENTS.md".into() });
/// let pieces = decode(b"a\xff b", &source);
/// assert_eq!(pieces.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(), ["a", "\u{fffd}", " b"]);
/// ```
#[must_use]
pub fn decode(bytes: &[u8], source: &Arc<Source>) -> Vec<Piece> {
    let piece = |text: String, span: Range<usize>, lossy: bool| Piece {
        text,
        origin: Origin::Source { source: source.clone(), span, lossy },
    };
    if let Ok(text) = str::from_utf8(bytes) {
        return if text.is_empty() { Vec::new() } else { vec![piece(text.to_owned(), 0..text.len(), false)] };
    }
    let mut pieces = Vec::new();
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        let valid = chunk.valid();
        if !valid.is_empty() {
            pieces.push(piece(valid.to_owned(), at..at + valid.len(), false));
            at += valid.len();
        }
        let bad = chunk.invalid().len();
        if bad > 0 {
            match pieces.last_mut() {
                // Bad bytes in a row, and whatever follows after many, are one piece: its text is not the file's anyway.
                Some(Piece { text, origin: Origin::Source { span, lossy: true, .. } }) => {
                    text.push('\u{fffd}');
                    span.end = at + bad;
                }
                _ => pieces.push(piece("\u{fffd}".to_owned(), at..at + bad, true)),
            }
            at += bad;
        }
        if pieces.len() > MOST_PIECES {
            break;
        }
    }
    if at < bytes.len() {
        pieces.push(piece(String::from_utf8_lossy(&bytes[at..]).into_owned(), at..bytes.len(), true));
    }
    pieces
}

/// Ranges as `[start, end]` in JSON.
pub mod range {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::ops::Range;

    /// Writes `[start, end]`.
    ///
    /// # Errors
    /// Those of the serializer.
    pub fn serialize<S: Serializer>(range: &Range<usize>, to: S) -> Result<S::Ok, S::Error> {
        [range.start, range.end].serialize(to)
    }

    /// Reads `[start, end]`.
    ///
    /// # Errors
    /// Those of the deserializer, and a range that ends before it starts.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Range<usize>, D::Error> {
        let [start, end] = <[usize; 2]>::deserialize(from)?;
        if end < start {
            return Err(serde::de::Error::custom("a range must not end before it starts"));
        }
        Ok(start..end)
    }
}
