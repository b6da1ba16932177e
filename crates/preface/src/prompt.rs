//! A finished prompt.

use crate::{
    Absent, Diagnostic, Error, ErrorKind, Format, Origin, Part, Preface, PromptBlock, RequestBuilder, Tool,
};
use preface_core::{
    budget::{Bytes4, Counter},
    document::Document,
    model::Models,
    prompt,
    snapshot::Snapshot,
};
use preface_engine::{BuildResult, COUNTERS, Engine, read_snapshot};
use preface_host::models;
use std::{borrow::Cow, fmt, ops::Range};

/// A system prompt that knows the origin of each of its bytes.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let preface = preface::Preface::with_home(dir.path());
/// let prompt = preface.prompt(dir.path()).build()?;
/// let text: String = prompt.parts().iter().map(|part| prompt.text_of(part)).collect();
/// assert_eq!(text, prompt.text());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Prompt {
    pub(crate) prompt: prompt::Prompt,
    pub(crate) snapshot: Snapshot,
    pub(crate) tools: Vec<Tool>,
    pub(crate) models: Cow<'static, Models>,
}

impl Prompt {
    pub(crate) fn of(built: BuildResult, preface: &Preface) -> Self {
        let BuildResult { mut prompt, snapshot, tools, places, .. } = built;
        let models = models::read_in(&**preface.system(), &places, &mut prompt.diagnostics);
        Prompt { prompt, snapshot, tools, models }
    }

    /// Builds a prompt again from its snapshot: that of [`snapshot`](Self::snapshot), or of `preface build --save-snapshot`. The
    /// machine is not accessed, and the bytes are the same.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let preface = preface::Preface::with_home(dir.path());
    /// use preface::Prompt;
    /// let prompt = preface.prompt(dir.path()).build()?;
    /// assert_eq!(Prompt::from_snapshot(prompt.snapshot()?)?.text(), prompt.text());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The JSON is not valid, another version of preface wrote it, it lacks a variable, or its parts do not tile the text: it
    /// was changed by hand.
    pub fn from_snapshot(json: impl AsRef<[u8]>) -> Result<Self, Error> {
        let mut snapshot = read_snapshot(json.as_ref()).map_err(|error| Error::of_engine(error.into()))?;
        let prompt = Engine::rebuild(&mut snapshot).map_err(Error::of_engine)?;
        prompt.check_tiling().map_err(|why| Error::new(ErrorKind::Snapshot, why))?;
        let tools = Engine::rebuild_tools(&mut snapshot).map_err(Error::of_engine)?;
        Ok(Prompt { prompt, snapshot, tools, models: Cow::Borrowed(Models::bundled()) })
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

    /// Counts the tokens of the text.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.tokens_of(&self.prompt.text)
    }

    /// Counts the tokens of any text with the tokenizer of the prompt; an estimate where the tokenizer is one. The parts of a
    /// prompt may have more together than the whole.
    #[must_use]
    pub fn tokens_of(&self, text: &str) -> usize {
        self.counter().count(text)
    }

    /// Returns the parts, in order. Their texts, one after the other, are the text of the prompt.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.prompt.parts
    }

    /// Returns the text of a part of this prompt.
    #[must_use]
    pub fn text_of(&self, part: &Part) -> &str {
        self.prompt.text_of(part)
    }

    /// Returns the origin of each byte, in order and without a gap.
    pub fn spans(&self) -> impl Iterator<Item = (Range<usize>, &Origin)> {
        self.prompt.spans().map(|(_, range, origin)| (range, origin))
    }

    /// Returns the origin of the byte at `offset`, with the bytes around it that have the same.
    ///
    /// ```
    /// # let dir = tempfile::tempdir()?;
    /// # let preface = preface::Preface::with_home(dir.path());
    /// let prompt = preface.prompt(dir.path()).build()?;
    /// let (_, origin) = prompt.origin_at(0).unwrap();
    /// assert_eq!(origin.to_string(), "bundled/sections/default/identity.md");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn origin_at(&self, offset: usize) -> Option<(Range<usize>, &Origin)> {
        self.prompt.at(offset).map(|(_, range, origin)| (range, origin))
    }

    /// Returns the sections that are not in the prompt, with the reasons.
    #[must_use]
    pub fn absent(&self) -> &[Absent] {
        &self.prompt.absent
    }

    /// Returns what was left out, cut, changed or looks wrong, in the order in which it came up.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.prompt.diagnostics
    }

    /// Returns the runs of parts that stay the same equally long: cut where caches may end, the most stable first. Their texts,
    /// one after the other, are the text of the prompt.
    #[must_use]
    pub fn blocks(&self) -> Vec<PromptBlock> {
        self.prompt.blocks()
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

    /// Returns everything that the prompt was built from, as JSON: the profile, the texts of files, the values of variables.
    ///
    /// # Errors
    /// None that is known; a value that JSON cannot hold would be one.
    pub fn snapshot(&self) -> Result<String, Error> {
        serde_json::to_string(&self.snapshot)
            .map_err(|error| Error::new(ErrorKind::Snapshot, error.to_string()))
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
        COUNTERS.get(&self.snapshot.turn.counter).unwrap_or_else(|| Box::new(Bytes4))
    }
}

impl fmt::Display for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.prompt.text)
    }
}
