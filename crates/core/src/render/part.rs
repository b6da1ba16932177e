//! One part on its way from a plan to text with spans.
//!
//! It is written from its start to its end: prefixes, then each item (its content in its frame) with what stands between,
//! then suffixes. Where a fact is missing it stops, and goes on in the middle of the same text.

use super::{
    RENDERED_LIMIT, RenderError, Rendered, Rules,
    imported::Writing,
    push_pieces,
    ready::{Parsed, Ready, one, ready},
    stopped,
    values::{Content, Known, Writer},
    watch::Watch,
};
use crate::{
    diagnostic::{Diagnostic, Diagnostics},
    fact::{FactKey, Facts, Stability},
    origin::Piece,
    outline::Plan,
    section::Language,
    template::{Cursor, Progress, TemplateError, trim},
};
use std::{borrow::Cow, cell::Cell};

/// A part that is being written.
#[derive(Debug)]
pub(super) struct PartRender<'w> {
    pub plan: Plan<'w>,
    /// What is written so far.
    pub out: Rendered,
    /// True while every item is blank; frames do not count.
    pub blank: bool,
    /// The most volatile fact that was read or tested.
    pub volatility: Stability,
    form: Option<Ready<'w>>,
    at: Place,
    /// The text that is being written, where a fact was missing.
    text: Option<Ready<'w>>,
    cursor: Cursor,
    /// The run of an imported text that comes next.
    run: usize,
    /// The content of the item, where it is looked at or framed.
    content: Rendered,
    /// Where the item starts in the output.
    body: usize,
}

/// Which text comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Prefix(usize),
    Between(usize),
    Content(usize),
    Form(usize),
    Suffix(usize),
    End,
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

impl<'w> PartRender<'w> {
    pub(super) fn new(plan: Plan<'w>, rules: &Rules<'_>) -> Result<Self, RenderError> {
        let form = plan.item.clone().map(|item| ready(one(item), Language::Template, rules)).transpose()?;
        let items = plan.items.len();
        let bytes: usize =
            plan.items.iter().flat_map(|item| item.pieces.iter()).map(|piece| piece.text.len()).sum();
        Ok(PartRender {
            // Frames and facts are short; what is longer makes room by itself.
            out: Rendered::with_room(
                bytes + (items + plan.prefix.len() + plan.suffix.len()) * 96,
                items * 6 + 4,
            ),
            plan,
            blank: true,
            volatility: Stability::Static,
            form,
            at: Place::Prefix(0),
            text: None,
            cursor: Cursor::default(),
            run: 0,
            content: Rendered::default(),
            body: 0,
        })
    }

    /// Goes on until a fact is missing or the part is written.
    pub(super) fn step(
        &mut self,
        facts: &Facts,
        rules: &Rules<'_>,
        watch: &Watch,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<FactKey>, RenderError> {
        let watch = Some(watch).filter(|_| self.plan.watch_tags);
        while self.at != Place::End {
            let text = match self.text.take() {
                Some(text) => Some(text),
                None => self.look(rules, watch)?,
            };
            if let Some(text) = text
                && let Some(key) = self.write(&text, facts, rules, watch, diagnostics)?
            {
                self.text = Some(text);
                return Ok(Some(key));
            }
            self.cursor = Cursor::default();
            self.run = 0;
            self.advance(watch, diagnostics);
        }
        Ok(None)
    }

    /// Looks at the text that comes next; `None` where nothing is to be written here.
    fn look(&self, rules: &Rules<'_>, watch: Option<&Watch>) -> Result<Option<Ready<'w>>, RenderError> {
        let template = |piece: Option<&Cow<'w, Piece>>| {
            piece.map(|piece| ready(one(piece.clone()), Language::Template, rules)).transpose()
        };
        match self.at {
            Place::Prefix(number) => template(self.plan.prefix.get(number)),
            Place::Between(_) => template(self.plan.between.as_ref()),
            Place::Content(number) if self.goes_in_as_it_is(number, watch) => Ok(None),
            Place::Content(number) => {
                let item = &self.plan.items[number];
                if let Some(body) = &item.imported {
                    return Ok(Some(Ready::Imported(body.clone())));
                }
                ready(item.pieces.clone(), item.language, rules).map(Some)
            }
            Place::Form(_) => Ok(self.form.clone()),
            Place::Suffix(number) => template(self.plan.suffix.get(number)),
            Place::End => Ok(None),
        }
    }

    /// True where the frame of an item can take its pieces without a copy.
    fn goes_in_as_it_is(&self, number: usize, watch: Option<&Watch>) -> bool {
        let item = &self.plan.items[number];
        self.form.is_some()
            && watch.is_none()
            && item.language == Language::Verbatim
            && item.imported.is_none()
    }

    /// Writes one text, or as much of it as is known.
    fn write(
        &mut self,
        text: &Ready<'w>,
        facts: &Facts,
        rules: &Rules<'_>,
        watch: Option<&Watch>,
        diagnostics: &mut Diagnostics,
    ) -> Result<Option<FactKey>, RenderError> {
        let aside = self.is_aside(watch);
        let as_it_is = matches!(self.at, Place::Form(number) if self.goes_in_as_it_is(number, watch));
        let PartRender { plan, at, cursor, run, out, content, volatility, .. } = self;
        let (out, item) = match *at {
            Place::Form(number) => {
                let item = &plan.items[number];
                let content = match as_it_is {
                    true => Content::Pieces(&item.pieces),
                    false => Content::Rendered(content),
                };
                (out, Some((item, content)))
            }
            Place::Content(_) if aside => (content, None),
            _ => (out, None),
        };
        let parsed = match text {
            Ready::Plain(pieces) => {
                push_pieces(out, pieces, rules, diagnostics);
                return Ok(None);
            }
            Ready::Imported(body) => {
                let read = Cell::new(*volatility);
                let need = Writing { rules, facts, volatility: &read }.write(body, run, out, diagnostics);
                *volatility = read.get();
                return Ok(need);
            }
            Ready::Parsed(parsed) => parsed,
        };
        let Parsed { template, pieces, by } = parsed;
        let event = plan.event;
        let scope = Known { facts, by: *by, item, event, volatility: Cell::new(*volatility) };
        let mut sink = Writer::new(template.text(), pieces, rules, watch, diagnostics, out);
        sink.item = item.map(|(item, _)| item);
        sink.guards_all = event.is_some();
        let progress = template.resume(cursor, &scope, &mut sink);
        let over = sink.over.take();
        *volatility = scope.volatility.get();
        if let Some(tag) = over {
            let what = format!("what comes out has more than the {RENDERED_LIMIT} bytes allowed");
            let note = Diagnostic::error("template/too-large", what);
            let note = note.help(TemplateError::limit_help("template.maxBytes"));
            return Err(stopped(note, pieces, template.text(), tag));
        }
        Ok(match progress {
            Progress::Need(key) => Some(key.asked_by(*by).into_owned()),
            Progress::Done => None,
        })
    }

    /// True where contents are not written straight into the output.
    fn is_aside(&self, watch: Option<&Watch>) -> bool {
        self.form.is_some() || watch.is_some()
    }

    /// Goes to the next text, now that this one is written.
    fn advance(&mut self, watch: Option<&Watch>, diagnostics: &mut Diagnostics) {
        self.at = match self.at {
            Place::Prefix(number) if number + 1 < self.plan.prefix.len() => Place::Prefix(number + 1),
            Place::Prefix(_) => self.begin(0),
            Place::Between(number) => self.begin(number),
            Place::Content(number) => {
                if let Some(watch) = watch {
                    watch.text(&mut self.content, &self.plan.items[number].pieces, diagnostics);
                }
                if self.form.is_some() {
                    Place::Form(number)
                } else {
                    if watch.is_some() {
                        self.out.append(&self.content);
                    }
                    self.end(number)
                }
            }
            Place::Form(number) => self.end(number),
            Place::Suffix(number) if number + 1 < self.plan.suffix.len() => Place::Suffix(number + 1),
            Place::Suffix(_) | Place::End => Place::End,
        };
    }

    fn begin(&mut self, number: usize) -> Place {
        self.body = self.out.text.len();
        match number < self.plan.items.len() {
            true => Place::Content(number),
            false => Place::Suffix(0),
        }
    }

    /// Ends an item: line ends at its borders give way to what stands between, where the section says so.
    fn end(&mut self, number: usize) -> Place {
        self.content.clear();
        self.blank = self.blank && trim(&self.out.text[self.body..]).is_empty();
        if self.plan.seam && number > 0 {
            let written = &self.out.text[self.body..];
            let gone = written.len() - written.trim_start_matches(LINE_ENDS).len();
            if gone > 0 {
                let mut item = self.out.split_off(self.body);
                item.behead(gone);
                self.out.append(&item);
            }
        }
        if number + 1 == self.plan.items.len() {
            return Place::Suffix(0);
        }
        if self.plan.seam {
            let end = self.body + self.out.text[self.body..].trim_end_matches(LINE_ENDS).len();
            self.out.truncate(end);
        }
        Place::Between(number + 1)
    }
}
