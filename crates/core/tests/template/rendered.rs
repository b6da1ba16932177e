//! Rendering to a text, for the tests of the template language.

use preface_core::{
    declaration::{Record, VariableValue},
    template::{Output, Template},
    variable::VariableKey,
};
use std::{collections::BTreeMap, ops::Range};

/// Values by key, lists as JSON; a missing key does not exist.
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
    /// The open lists and the current entry of each.
    lists: Vec<(Vec<Record>, usize)>,
}

impl<'t> Rendered<'t> {
    /// Looks a variable up: of the entry of the innermost list, or by its key.
    fn get(&mut self, key: &VariableKey) -> Result<Option<String>, VariableKey> {
        match self.lists.last().filter(|_| key.kind() == "item") {
            Some((entries, at)) => Ok(entries[*at].get(key.name()).cloned().flatten()),
            None => (self.lookup)(key),
        }
    }

    /// Starts with nothing.
    pub fn new(template: &'t Template, lookup: &'t mut Lookup<'t>) -> Self {
        Rendered {
            template: template.text(),
            lookup,
            text: String::new(),
            ranges: Vec::new(),
            lists: Vec::new(),
        }
    }
}

impl Output for Rendered<'_> {
    type Error = VariableKey;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, VariableKey> {
        Ok(self.get(key)?.is_some())
    }

    fn literal(&mut self, range: Range<usize>) {
        assert!(!range.is_empty(), "no empty literals");
        self.text.push_str(&self.template[range.clone()]);
        self.ranges.push(range);
    }

    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), VariableKey> {
        let Some(value) = self.get(key)? else { return Ok(()) };
        let inside = &self.template[tag.clone()];
        assert!(
            inside.starts_with('[') && inside.ends_with(']') && inside.contains(key.as_str()),
            "{inside}"
        );
        self.text.push_str(&value);
        self.ranges.push(tag);
        Ok(())
    }

    fn is_one_of(&mut self, key: &VariableKey, words: &[&str]) -> Result<bool, VariableKey> {
        Ok(self.get(key)?.is_some_and(|value| words.contains(&value.as_str())))
    }

    fn entry(&mut self, tag: Range<usize>, list: &VariableKey, at: usize) -> Result<bool, VariableKey> {
        assert!(self.template[tag].contains(list.as_str()), "the tag of the list");
        if at == 0 {
            let value =
                (self.lookup)(list)?.map(|text| serde_json::from_str::<VariableValue>(&text).unwrap());
            self.lists.push((value.map(VariableValue::into_entries).unwrap_or_default(), 0));
        }
        let (entries, current) = self.lists.last_mut().expect("an open list");
        *current = at;
        let has_entry = at < entries.len();
        if !has_entry {
            self.lists.pop();
        }
        Ok(has_entry)
    }
}

/// Renders with these values; a missing key does not exist.
pub fn render(template: &Template, values: &Values) -> String {
    let mut lookup = |key: &VariableKey| Ok(values.get(key).cloned().flatten());
    let mut rendered = Rendered::new(template, &mut lookup);
    template.render(&mut rendered).unwrap();
    rendered.text
}
