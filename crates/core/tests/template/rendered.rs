//! Rendering to a text, for the tests of the template language.

use preface_core::{
    fact::FactKey,
    template::{Cursor, Looked, Progress, Sink, Template},
};
use std::{collections::BTreeMap, ops::Range};

/// Values by key; a missing key does not exist.
pub type Values = BTreeMap<FactKey, Option<String>>;

/// What a render emitted.
pub struct Rendered<'t> {
    /// The template's text.
    pub template: &'t str,
    /// The output.
    pub text: String,
    /// The ranges of the template that were emitted, tags included.
    pub ranges: Vec<Range<usize>>,
}

impl<'t> Rendered<'t> {
    /// Starts with nothing.
    pub fn new(template: &'t Template) -> Self {
        Rendered { template: template.text(), text: String::new(), ranges: Vec::new() }
    }
}

impl Sink<&str> for Rendered<'_> {
    fn literal(&mut self, range: Range<usize>) {
        assert!(!range.is_empty(), "no empty literals");
        self.text.push_str(&self.template[range.clone()]);
        self.ranges.push(range);
    }

    fn value(&mut self, tag: Range<usize>, key: &FactKey, value: &str) {
        let inside = &self.template[tag.clone()];
        assert!(
            inside.starts_with('[') && inside.ends_with(']') && inside.contains(key.as_str()),
            "{inside}"
        );
        self.text.push_str(value);
        self.ranges.push(tag);
    }
}

/// Renders in one go, all keys known.
pub fn render(template: &Template, values: &Values) -> String {
    let mut rendered = Rendered::new(template);
    let lookup = |key: &FactKey| match values.get(key) {
        Some(Some(value)) => Looked::Value(value.as_str()),
        _ => Looked::Absent,
    };
    assert_eq!(template.resume(&mut Cursor::default(), &lookup, &mut rendered), Progress::Done);
    rendered.text
}
