//! No text makes the template language panic, lose bytes or give two different results.
//!
//! The first byte picks the options and which keys exist; the rest is the template.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_core::{
    declaration::Declarations,
    variable::{VariableKey, Stability},
    lint::template::{VariableTypes, lint},
    template::{TemplateOptions, Output, Template},
};
use std::{collections::BTreeSet, convert::Infallible, ops::Range, sync::Arc};

/// A text, a list and records, so that tests compare and lists repeat.
const DECLARED: &str = r#"{"app:plan": {"values": ["free", "pro"]}, "app:tips": {"type": "list"},
    "app:shots": {"type": "records", "fields": ["question", "answer"]}}"#;

/// The output of a render, value tags included.
#[derive(Debug, Default, PartialEq)]
struct Emitted(Vec<(Range<usize>, Option<VariableKey>)>);

/// Writes what exists.
struct Recorder<F> {
    exists: F,
    emitted: Emitted,
}

impl<F: Fn(&VariableKey) -> bool> Output for Recorder<F> {
    type Error = Infallible;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, Infallible> {
        Ok((self.exists)(key))
    }

    fn literal(&mut self, range: Range<usize>) {
        self.emitted.0.push((range, None));
    }

    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), Infallible> {
        if (self.exists)(key) {
            self.emitted.0.push((tag, Some(key.clone())));
        }
        Ok(())
    }

    fn is_one_of(&mut self, key: &VariableKey, words: &[&str]) -> Result<bool, Infallible> {
        Ok((self.exists)(key) && words.contains(&"pro"))
    }

    fn entry(&mut self, _tag: Range<usize>, list: &VariableKey, at: usize) -> Result<bool, Infallible> {
        Ok((self.exists)(list) && at < 2)
    }
}

fn render(template: &Template, exists: impl Fn(&VariableKey) -> bool) -> Emitted {
    let mut recorder = Recorder { exists, emitted: Emitted::default() };
    let Ok(()) = template.render(&mut recorder);
    recorder.emitted
}

fn check_tiling(template: &Template, emitted: &Emitted) {
    let mut working = template.tiles();
    working.retain(|tile| tile.kind.is_tag() && tile.stray.is_none());
    let starts: BTreeSet<_> = working.iter().map(|tile| tile.range.start).collect();
    let ends: BTreeSet<_> = working.iter().map(|tile| tile.range.end).collect();
    let length = template.text().len();
    let mut at = 0;
    for range in emitted.0.iter().map(|(range, _)| range).chain([&(length..length)]) {
        assert!(at <= range.start, "ranges stand in order and apart");
        assert!(template.text().get(range.clone()).is_some(), "ranges end on characters");
        if at < range.start {
            assert!(starts.contains(&at) && ends.contains(&range.start), "only tags leave gaps");
        }
        at = range.end;
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((&choice, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let options = TemplateOptions {
        raw: choice & 1 != 0,
        trim_tag_lines: choice & 2 != 0,
        max_depth: (choice & 4 != 0).then_some(3),
        max_bytes: None,
        types: None,
        inputs: (choice & 8 != 0).then(|| Arc::new(serde_json::from_str::<Declarations>(DECLARED).expect("declarations"))),
    };
    let catalogue = VariableTypes::default()
        .fixed("system", "date", Stability::Turn)
        .fixed("git", "branch", Stability::Conversation)
        .dynamic("file", Stability::Conversation);
    let (findings, _) = lint(text, &options, &catalogue, None, "template.md", usize::MAX);
    for finding in &findings {
        assert!(text.get(finding.position.range.clone()).is_some(), "findings end on characters");
        assert!(finding.edit.as_ref().is_none_or(|edit| text.get(edit.range.clone()).is_some()));
    }
    // Lists in lists double what is written with each level.
    if text.matches("[each ").count() > 8 {
        return;
    }
    let Ok(template) = Template::parse(text, &options) else {
        assert!(findings.iter().any(|finding| finding.diagnostic.code.as_str() == "template/depth"));
        return;
    };
    let exists = |key: &VariableKey| key.as_str().bytes().fold(choice >> 4, u8::wrapping_add).is_multiple_of(2);
    let emitted = render(&template, exists);
    assert_eq!(emitted, render(&Template::parse(text, &options).unwrap(), exists), "a second time the same");
    // A list repeats its ranges.
    if !options.trim_tag_lines && options.inputs.is_none() {
        check_tiling(&template, &emitted);
    }
});
