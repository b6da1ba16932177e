//! A finished prompt.

use crate::{Diagnostic, Error, ErrorKind, Format, Preface, RequestBuilder, Snapshot, Tool};
use preface_core::{
    budget::{Bytes4, Counter},
    document::Document,
    draft::AbsentReason,
    model::Models,
    origin, prompt,
    scope::Scope,
    turn,
    variable::Stability,
};
use preface_engine::{BuildResult, COUNTERS};
use preface_host::models;
use std::{borrow::Cow, fmt, ops::Range};

/// A system prompt that knows the origin of each of its bytes.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// let prompt = preface.prompt(dir.path()).build()?;
/// for part in prompt.parts() {
///     assert!(prompt.text().contains(part.text()));
/// }
/// let text: String = prompt.parts().map(|part| part.text()).collect();
/// assert_eq!(text, prompt.text());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prompt {
    pub(crate) prompt: prompt::Prompt,
    pub(crate) snapshot: Snapshot,
    pub(crate) tools: Vec<Tool>,
    pub(crate) models: Cow<'static, Models>,
    diagnostics: Vec<Diagnostic>,
}

impl Prompt {
    pub(crate) fn of(built: BuildResult, preface: &Preface) -> Self {
        let BuildResult { mut prompt, snapshot, tools, places, .. } = built;
        let models = models::read_in(&**preface.system(), &places, &mut prompt.diagnostics);
        Prompt { models, ..Prompt::new(prompt, Snapshot(snapshot), tools) }
    }

    pub(crate) fn new(prompt: prompt::Prompt, snapshot: Snapshot, tools: Vec<turn::Tool>) -> Self {
        let diagnostics = Diagnostic::all(prompt.diagnostics.iter().cloned());
        let tools = tools.into_iter().map(Tool).collect();
        Prompt { prompt, snapshot, tools, models: Cow::Borrowed(Models::bundled()), diagnostics }
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.prompt.text
    }

    /// Returns the text by value.
    #[must_use]
    pub fn into_text(self) -> String {
        self.prompt.text
    }

    /// Returns the name of the preset or profile that made it.
    #[must_use]
    pub fn preset(&self) -> &str {
        &self.prompt.preset
    }

    /// Returns the digest of the text, `blake3:` and 64 hexadecimal digits.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.prompt.fingerprint()
    }

    /// Counts the tokens of the text with the tokenizer of the prompt; an estimate where the tokenizer is one.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.counter().count(&self.prompt.text)
    }

    /// Returns the parts, in order. Their texts, one after the other, are the text of the prompt.
    pub fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        self.prompt.parts.iter().map(|part| Part { prompt: self, part })
    }

    /// Returns the origin of the byte at `offset`, with the bytes around it that have the same.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let preface = preface::Preface::with_home(dir.path());
    /// let prompt = preface.prompt(dir.path()).build()?;
    /// let span = prompt.origin_at(0).unwrap();
    /// assert_eq!(span.origin.to_string(), "bundled/sections/default/identity.md");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn origin_at(&self, offset: usize) -> Option<Span> {
        self.prompt.at(offset).map(|(_, range, origin)| Span { range, origin: Origin::of(origin) })
    }

    /// Returns the sections that are not in the prompt, with the reasons.
    pub fn absent(&self) -> impl Iterator<Item = Absent<'_>> {
        self.prompt.absent.iter().map(|absent| Absent {
            section: absent.section.as_str(),
            reason: absent.reason,
            why: &absent.why,
        })
    }

    /// Returns what was left out, cut, changed or looks wrong, in the order in which it came up.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Returns the runs of parts that stay the same equally long: cut where caches may end, the most stable first. Their texts,
    /// one after the other, are the text of the prompt.
    #[must_use]
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let block = |block: prompt::PromptBlock| Block {
            text: self.prompt.text.get(block.range).unwrap_or_default(),
            stability: block.stability,
        };
        self.prompt.blocks().into_iter().map(block).collect()
    }

    /// Returns the beginning of the text that is equal for every conversation.
    #[must_use]
    pub fn static_prefix(&self) -> &str {
        self.prompt.static_prefix()
    }

    /// Returns the active tools with their definitions, as a request has them.
    #[must_use]
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Returns everything that the prompt was built from.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Begins a request: the prompt with messages and tools, in the JSON of a service.
    pub fn request(&self, format: Format) -> RequestBuilder<'_> {
        RequestBuilder::of_prompt(self, format)
    }

    /// Returns the prompt as JSON, as `preface build --format json` prints it: text, parts with the origin of each byte, what
    /// is absent, diagnostics. `docs/reference/json.md` describes it.
    ///
    /// # Errors
    /// None that is known; a value that JSON cannot hold would be one.
    pub fn to_json(&self) -> Result<String, Error> {
        let document = Document::of(&self.prompt, &*self.counter());
        serde_json::to_string(&document).map_err(|error| Error::new(ErrorKind::Usage, error.to_string()))
    }

    pub(crate) fn counter(&self) -> Box<dyn Counter> {
        COUNTERS.get(&self.snapshot.0.turn.counter).unwrap_or_else(|| Box::new(Bytes4))
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.prompt.text)
    }
}

/// One part of a [`Prompt`]. The separator before it belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Part<'p> {
    prompt: &'p Prompt,
    part: &'p prompt::Part,
}

impl<'p> Part<'p> {
    /// Returns the id of its section.
    #[must_use]
    pub fn id(&self) -> &'p str {
        self.part.section.as_str()
    }

    /// Returns its text.
    #[must_use]
    pub fn text(&self) -> &'p str {
        self.prompt.prompt.text_of(self.part)
    }

    /// Returns its bytes in the text of the prompt.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.part.range.clone()
    }

    /// Returns how long its bytes stay the same.
    #[must_use]
    pub fn stability(&self) -> Stability {
        self.part.stability
    }

    /// Counts its tokens, by itself: the parts of a prompt may have more together than the whole.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.prompt.counter().count(self.text())
    }

    /// Returns true if text was cut from it.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        !self.part.cuts.is_empty()
    }

    /// Returns the origin of each of its bytes, in order and without a gap. Ranges are those of the prompt.
    pub fn spans(&self) -> impl Iterator<Item = Span> + use<'p> {
        let start = self.part.range.start;
        self.part.spans.iter().map(move |span| Span {
            range: start + span.range.start..start + span.range.end,
            origin: Origin::of(&span.origin),
        })
    }
}

/// A run of bytes of a prompt with one origin.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Span {
    /// The bytes in the text of the prompt.
    pub range: Range<usize>,
    /// The place that they came from.
    pub origin: Origin,
}

/// The place that bytes of a prompt came from. `{}` prints it as the command line does.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A file.
    #[non_exhaustive]
    File {
        /// The path: relative to the directory, from `~`, or below `bundled/`.
        path: String,
        /// The bytes of the file.
        range: Range<usize>,
        /// The layer that the file belongs to.
        scope: Scope,
    },
    /// A text of the profile.
    #[non_exhaustive]
    Profile {
        /// The name of the profile.
        profile: String,
        /// The key, such as `section.identity.text`.
        key: String,
    },
    /// The value of a variable.
    #[non_exhaustive]
    Variable {
        /// The name, `type:name`.
        name: String,
        /// The source of the value.
        source: String,
    },
    /// A stored template, or the text that the caller gave in its place.
    #[non_exhaustive]
    Template {
        /// The name.
        name: String,
        /// The version; `None` for a text that is not stored.
        version: Option<u64>,
        /// The bytes of the template.
        range: Range<usize>,
    },
    /// An argument of the caller.
    #[non_exhaustive]
    Caller {
        /// Its name.
        argument: String,
    },
    /// A hook.
    #[non_exhaustive]
    Hook {
        /// Its name.
        hook: String,
        /// The event that it ran for.
        event: String,
    },
}

impl Origin {
    fn of(origin: &origin::Origin) -> Self {
        match origin {
            origin::Origin::Source { source, span, .. } => {
                Origin::File { path: source.path.clone(), range: span.clone(), scope: source.scope }
            }
            origin::Origin::Literal { profile, key } => {
                Origin::Profile { profile: profile.to_string(), key: key.to_string() }
            }
            origin::Origin::Variable { key, source } => {
                Origin::Variable { name: key.to_string(), source: source.to_string() }
            }
            origin::Origin::Stored { template, version, span } => {
                Origin::Template { name: template.to_string(), version: *version, range: span.clone() }
            }
            origin::Origin::Caller { flag } => Origin::Caller { argument: flag.to_string() },
            origin::Origin::Hook { hook, event } => {
                Origin::Hook { hook: hook.to_string(), event: event.to_string() }
            }
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File { path, .. } => write!(f, "{path}"),
            Origin::Profile { profile, key } => write!(f, "{} {key}", origin::LiteralSource::of(profile)),
            Origin::Variable { name, .. } => write!(f, "[{name}]"),
            Origin::Template { name, version: Some(version), .. } => write!(f, "template {name}@{version}"),
            Origin::Template { name, version: None, .. } => write!(f, "template {name}"),
            Origin::Caller { argument } => write!(f, "{argument}"),
            Origin::Hook { hook, event } => write!(f, "hook {hook} ({event})"),
        }
    }
}

/// A run of parts that stay the same equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Block<'p> {
    /// The text.
    pub text: &'p str,
    /// The stability of its least stable part.
    pub stability: Stability,
}

/// A section that is not in the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Absent<'p> {
    /// The id of the section.
    pub section: &'p str,
    /// The kind of reason.
    pub reason: AbsentReason,
    /// The reason, for people.
    pub why: &'p str,
}
