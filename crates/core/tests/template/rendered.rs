//! Rendering to a text, for the tests of the template language.

use preface_core::{
    template::{Output, Template},
    variable::VariableKey,
};
use std::{collections::BTreeMap, ops::Range};

/// Values by key; a missing key does not exist.
pub type Values = BTreeMap<VariableKey, Option<String>>;

/// Looks a variable up: `None` if it does not exist, an error if nobody knows it.
pub type Lookup<'l> = dyn FnMut(&VariableKey) -> Result<Option<String>, VariableKey> + 'l;

/// What a render wrote.
pub struct Rendered<'t> {
    /// The template's text.
    pub template: &'t str,
    lookup: &'t mut Lookup<'t>,
    /// The output.
    pub text: String,
    /// The ranges of the template that were written, tags included.
    pub ranges: Vec<Range<usize>>,
}

impl<'t> Rendered<'t> {
    /// Starts with nothing.
    pub fn new(template: &'t Template, lookup: &'t mut Lookup<'t>) -> Self {
        Rendered { template: template.text(), lookup, text: String::new(), ranges: Vec::new() }
    }
}

impl Output for Rendered<'_> {
    type Error = VariableKey;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, VariableKey> {
        Ok((self.lookup)(key)?.is_some())
    }

    fn literal(&mut self, range: Range<usize>) {
        assert!(!range.is_empty(), "no empty literals");
        self.text.push_str(&self.template[range.clone()]);
        self.ranges.push(range);
    }

    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), VariableKey> {
        let Some(value) = (self.lookup)(key)? else { return Ok(()) };
        let inside = &self.template[tag.clone()];
        assert!(
            inside.starts_with('[') && inside.ends_with(']') && inside.contains(key.as_str()),
            "{inside}"
        );
        self.text.push_str(&value);
        self.ranges.push(tag);
        Ok(())
    }
}

/// Renders with these values; a missing key does not exist.
pub fn render(template: &Template, values: &Values) -> String {
    let mut lookup = |key: &VariableKey| Ok(values.get(key).cloned().flatten());
    let mut rendered = Rendered::new(template, &mut lookup);
    template.render(&mut rendered).unwrap();
    rendered.text
}
