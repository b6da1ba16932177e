//! Values on their way into a template's text: what a template may see, and how what it names is written.

use super::{RENDERED_LIMIT, Rendered, Rules, push_pieces, watch::Watch};
use crate::{
    diagnostic::Diagnostics,
    fact::{FactKey, Facts, Stability},
    origin::{Origin, Piece},
    outline::{ItemFacts, PlanItem},
    reminder::{Due, FieldKind, is_of_event},
    scope::Scope,
    template::{Looked, Lookup, Sink},
};
use std::{borrow::Cow, cell::Cell, ops::Range, sync::Arc};

/// A value on its way into the text.
pub(super) enum Value<'a> {
    Fact { text: &'a str, source: &'a Arc<str> },
    Item { text: &'a str },
    Event { text: &'a str, kind: Option<FieldKind> },
    Content(Content<'a>),
}

/// The text of an item, for its frame.
#[derive(Clone, Copy)]
pub(super) enum Content<'a> {
    /// As it was given.
    Pieces(&'a [Piece]),
    /// As it came out.
    Rendered(&'a Rendered),
}

/// The facts, as one text may see them.
pub(super) struct Known<'a> {
    pub facts: &'a Facts,
    /// Who wrote the text.
    pub by: Option<Scope>,
    pub item: Option<(&'a PlanItem<'a>, Content<'a>)>,
    /// What happened, where the text is a reminder.
    pub event: Option<&'a Due>,
    /// The most volatile fact that was read or tested.
    pub volatility: Cell<Stability>,
}

impl<'a> Lookup for Known<'a> {
    type Value = Value<'a>;

    fn get(&self, key: &FactKey) -> Looked<Value<'a>> {
        if let (Some((item, content)), "item") = (self.item, key.kind()) {
            return match key.name() {
                "text" => Looked::Value(Value::Content(content)),
                name => {
                    item.facts.get(name).map_or(Looked::Absent, |text| Looked::Value(Value::Item { text }))
                }
            };
        }
        if let Some(event) = self.event.filter(|_| is_of_event(key)) {
            let kind = event.one_line.get(key.name()).copied();
            return match event.facts.get(key.name()) {
                Some(text) => Looked::Value(Value::Event { text, kind }),
                None => Looked::Absent,
            };
        }
        match self.facts.get(&key.asked_by(self.by)) {
            None => Looked::Unknown,
            Some(fact) => {
                self.volatility.set(self.volatility.get().max(fact.stability));
                match &fact.value {
                    None => Looked::Absent,
                    Some(text) => Looked::Value(Value::Fact { text, source: &fact.source }),
                }
            }
        }
    }
}

/// Writes what a template says.
pub(super) struct Writer<'a> {
    template: &'a str,
    pieces: &'a [Piece],
    rules: &'a Rules<'a>,
    watch: Option<&'a Watch>,
    diagnostics: &'a mut Diagnostics,
    out: &'a mut Rendered,
    /// The item whose frame this is.
    pub item: Option<&'a PlanItem<'a>>,
    /// True: every value is escaped, whatever the profile says.
    pub guards_all: bool,
    /// Who answers for the item's facts, once one was written.
    source: Option<Arc<str>>,
    /// The piece that the last literal ended in, and where that piece starts.
    piece: usize,
    piece_start: usize,
    /// The tag at which the output became too large.
    pub over: Option<Range<usize>>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(
        template: &'a str,
        pieces: &'a [Piece],
        rules: &'a Rules<'a>,
        watch: Option<&'a Watch>,
        diagnostics: &'a mut Diagnostics,
        out: &'a mut Rendered,
    ) -> Self {
        Writer {
            template,
            pieces,
            rules,
            watch,
            diagnostics,
            out,
            item: None,
            guards_all: false,
            source: None,
            piece: 0,
            piece_start: 0,
            over: None,
        }
    }

    /// What a tool says of itself is an `item:` here, and a tool's value all the same.
    fn kind<'k>(&self, key: &'k FactKey) -> &'k str
    where
        'a: 'k,
    {
        match self.item {
            Some(PlanItem { facts: ItemFacts::Made(_), .. }) => "tool",
            Some(item) => match item.pieces.first().map(|piece| &piece.origin) {
                Some(Origin::Fact { key, .. }) => key.kind(),
                _ => key.kind(),
            },
            None => key.kind(),
        }
    }

    fn item_source(&mut self) -> Arc<str> {
        let named = |name: &str| self.item.and_then(|item| item.facts.get(name));
        self.source
            .get_or_insert_with(|| named("path").or_else(|| named("name")).unwrap_or("item").into())
            .clone()
    }
}

impl Sink<Value<'_>> for Writer<'_> {
    fn literal(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let Some(piece) = self.pieces.get(self.piece) else { return };
            let end = self.piece_start + piece.text.len();
            if at >= end {
                self.piece_start = end;
                self.piece += 1;
                continue;
            }
            let to = range.end.min(end);
            let within = at - self.piece_start..to - self.piece_start;
            self.out.push(&self.template[at..to], piece.origin.part(&within));
            at = to;
        }
    }

    fn value(&mut self, tag: Range<usize>, key: &FactKey, value: Value<'_>) {
        if self.out.text.len() > RENDERED_LIMIT && self.rules.template.max_bytes.is_some() {
            self.over.get_or_insert(tag);
            return;
        }
        match value {
            Value::Content(Content::Rendered(content)) => self.out.append(content),
            Value::Content(Content::Pieces(pieces)) => {
                push_pieces(self.out, pieces, self.rules, self.diagnostics);
            }
            Value::Item { text } => {
                let source = self.item_source();
                let kind = self.kind(key);
                let mut text = match self.watch {
                    Some(_) if !self.rules.escapes(kind) => Cow::Borrowed(text),
                    _ => self.rules.guard(kind, key, text, self.diagnostics),
                };
                if let Some(watch) = self.watch {
                    // The frame says where the value stands.
                    let in_attribute = self.template[..tag.start].ends_with("=\"");
                    let of = self.item.and_then(|item| item.pieces.first()).map(|piece| &piece.origin);
                    let safe = match watch.value(&text, key, of, in_attribute, self.diagnostics) {
                        Cow::Owned(safe) => Some(safe),
                        Cow::Borrowed(_) => None,
                    };
                    text = safe.map_or(text, Cow::Owned);
                }
                self.out.push(&text, Origin::Fact { key: key.clone(), source });
            }
            Value::Event { text, kind } => {
                let text = self.rules.of_event(key, kind, text, self.diagnostics);
                self.out.push(&text, Origin::Fact { key: key.clone(), source: "the event".into() });
            }
            Value::Fact { text, source } => {
                let text = match self.guards_all {
                    true if !self.rules.escapes(key.kind()) => {
                        self.rules.neutralised(key, text, self.diagnostics)
                    }
                    // A watched text is looked at as a whole.
                    _ if self.watch.is_some() && !self.rules.escapes(key.kind()) => Cow::Borrowed(text),
                    _ => self.rules.guard(key.kind(), key, text, self.diagnostics),
                };
                self.out.push(&text, Origin::Fact { key: key.clone(), source: source.clone() });
            }
        }
    }
}
