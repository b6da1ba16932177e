//! From a text to a [`Template`]: find tags, pair them, check the limits, build the operations.

use super::blocks::{self, Tag};
use super::ops::{self, Op};
use super::{TemplateError, TemplateOptions, lines};
use crate::variable::VariableKey;
use std::{ops::Range, sync::Arc};

/// A template that was read once and can be rendered any number of times.
#[derive(Clone, Debug)]
pub struct Template {
    text: Arc<str>,
    pub(super) ops: Vec<Op>,
    pub(super) keys: Vec<VariableKey>,
    tags: Vec<Tag>,
}

impl Template {
    /// Reads a text as a template.
    ///
    /// # Errors
    /// The text is too large or its blocks too deep, if the options set these limits. Everything else is a template: what is no
    /// working tag is text.
    ///
    /// # Example
    /// ```
    /// use preface_core::template::{TemplateOptions, Template};
    /// let template = Template::parse("Hello [user:name].", &TemplateOptions::default()).unwrap();
    /// assert_eq!(template.tiles()[1].key.unwrap().as_str(), "user:name");
    /// ```
    pub fn parse(text: impl Into<Arc<str>>, options: &TemplateOptions) -> Result<Self, TemplateError> {
        let text = text.into();
        if let Some(error) = TemplateError::too_large(&text, options) {
            return Err(error);
        }
        let template = Self::parse_unlimited(text, options);
        TemplateError::depth(&template, options).map_or(Ok(template), Err)
    }

    /// Reads a text of any size and depth; the lint reports the depth among its other findings.
    pub(crate) fn parse_unlimited(text: Arc<str>, options: &TemplateOptions) -> Self {
        let mut keys = Keys::default();
        let inputs = options.inputs.as_deref();
        let names = |list: Range<usize>| inputs?.item_names(&text[list].parse().ok()?);
        let tags = blocks::pair(&text, options, |key| keys.intern(&text[key]), names);
        let ops = if options.trim_tag_lines {
            let taken = lines::taken(&text, &tags);
            ops::build(text.len(), &tags, |number| taken[number].clone())
        } else {
            ops::build(text.len(), &tags, |number| tags[number].range.clone())
        };
        Template { text, ops, keys: keys.all, tags }
    }

    /// Returns the text as it was given; all ranges count its bytes.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// Returns the keys of the working tags, those of branches that are not taken, too.
    pub(crate) fn named(&self) -> impl Iterator<Item = &VariableKey> {
        let working = self.tags.iter().filter(|tag| tag.stray.is_none());
        working.filter_map(|tag| Some(self.key(tag.role.key()?)))
    }

    pub(crate) fn key(&self, number: usize) -> &VariableKey {
        &self.keys[number]
    }
}

/// The keys of a template, each built once as long as it is found again in [`Keys::recent`].
struct Keys {
    all: Vec<VariableKey>,
    /// For each hash the key that had it last. A clash only costs a second copy of a key, never a longer search.
    recent: [u32; SLOTS],
}

const SLOTS: usize = 128;

impl Default for Keys {
    fn default() -> Self {
        Keys { all: Vec::new(), recent: [u32::MAX; SLOTS] }
    }
}

impl Keys {
    fn intern(&mut self, text: &str) -> usize {
        // Keys of one type often share their first letters and differ in their last.
        let ends = text.bytes().rev().take(4).fold(text.len(), |hash, byte| hash * 31 + usize::from(byte));
        let slot = &mut self.recent[ends % SLOTS];
        let known = *slot as usize;
        if self.all.get(known).is_some_and(|key| key.as_str() == text) {
            return known;
        }
        let number = self.all.len();
        *slot = u32::try_from(number).unwrap_or(u32::MAX);
        self.all.push(
            text.parse().expect("the scanner takes a text for a key only if it has a type and a colon"),
        );
        number
    }
}
