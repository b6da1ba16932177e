//! No text makes the template language panic, lose bytes or give two different results.
//!
//! The first byte picks the options and which keys exist; the rest is the template.
#![no_main]

use libfuzzer_sys::fuzz_target;
use preface_core::{
    fact::{FactKey, Stability},
    lint::template::{Catalogue, lint},
    template::{Cursor, Looked, Options, Progress, Sink, Template},
};
use std::{collections::BTreeSet, ops::Range};

/// What a render emitted, value tags included.
#[derive(Debug, Default, PartialEq)]
struct Emitted(Vec<(Range<usize>, Option<FactKey>)>);

impl Sink<()> for Emitted {
    fn literal(&mut self, range: Range<usize>) {
        self.0.push((range, None));
    }

    fn value(&mut self, tag: Range<usize>, key: &FactKey, (): ()) {
        self.0.push((tag, Some(key.clone())));
    }
}

fn render(template: &Template, answer: impl Fn(&FactKey) -> Looked<()>) -> Emitted {
    let mut emitted = Emitted::default();
    assert_eq!(template.resume(&mut Cursor::default(), &answer, &mut emitted), Progress::Done);
    emitted
}

/// Learns one key at a time.
fn render_in_steps(template: &Template, answer: impl Fn(&FactKey) -> Looked<()>) -> Emitted {
    let (mut at, mut emitted, mut known) = (Cursor::default(), Emitted::default(), BTreeSet::new());
    loop {
        let lookup = |key: &FactKey| if known.contains(key) { answer(key) } else { Looked::Unknown };
        match template.resume(&mut at, &lookup, &mut emitted) {
            Progress::Done => return emitted,
            Progress::Need(key) => assert!(known.insert(key.clone()), "a known key is not needed again"),
        }
    }
}

fn check_tiling(template: &Template, emitted: &Emitted) {
    let working: Vec<_> = template.tokens().into_iter().filter(|token| token.stray.is_none()).collect();
    let starts: BTreeSet<_> = working.iter().map(|token| token.range.start).collect();
    let ends: BTreeSet<_> = working.iter().map(|token| token.range.end).collect();
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
    let options = Options {
        raw: choice & 1 != 0,
        trim_tag_lines: choice & 2 != 0,
        max_depth: (choice & 4 != 0).then_some(3),
        max_bytes: None,
    };
    let catalogue = Catalogue::default()
        .fixed("system", "date", Stability::Turn)
        .fixed("git", "branch", Stability::Conversation)
        .dynamic("file", Stability::Conversation);
    let findings = lint(text, &options, &catalogue, None, "template.md");
    for finding in &findings {
        assert!(text.get(finding.position.range.clone()).is_some(), "findings end on characters");
        assert!(finding.edit.as_ref().is_none_or(|edit| text.get(edit.range.clone()).is_some()));
    }
    let Ok(template) = Template::parse(text, &options) else {
        assert!(findings.iter().any(|finding| finding.diagnostic.code == "template/depth"));
        return;
    };
    let answer = |key: &FactKey| match key.as_str().bytes().fold(choice >> 3, u8::wrapping_add) % 2 {
        0 => Looked::Value(()),
        _ => Looked::Absent,
    };
    let emitted = render(&template, answer);
    assert_eq!(emitted, render_in_steps(&template, answer), "steps change nothing");
    assert_eq!(emitted, render(&Template::parse(text, &options).unwrap(), answer), "a second time the same");
    if !options.trim_tag_lines {
        check_tiling(&template, &emitted);
    }
});
