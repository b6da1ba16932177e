//! Values on their way into a template's text: which variables a template can read, and how their values are written.

use super::{
    LINE_ENDS, RENDERED_LIMIT, RenderError, RenderRules, RenderedText, error_at, ready::ParsedTemplate,
    watch::ImitationWatch,
};
use crate::{
    declaration::{Record, VariableValue},
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy},
    origin::Origin,
    pipeline::outline::{ItemVariables, PlanItem},
    reminder::{DueReminder, is_of_event},
    template::Output,
    variable::{Stability, VariableKey, source::Variables},
};
use std::{borrow::Cow, collections::BTreeMap, ops::Range, sync::Arc};

/// A list whose entries are written.
pub(super) struct OpenList {
    key: VariableKey,
    source: Arc<str>,
    entries: Arc<Vec<Record>>,
    at: usize,
}

impl OpenList {
    /// Returns a field of the current entry.
    fn field(&self, name: &str) -> Option<&str> {
        self.entries.get(self.at)?.get(name)?.as_deref()
    }
}

/// The writer of a rendered template.
pub(super) struct TemplateWriter<'a, 'v> {
    pub parsed: &'a ParsedTemplate<'a>,
    pub rules: &'a RenderRules<'a>,
    pub watch: Option<&'a ImitationWatch>,
    pub variables: &'a mut Variables<'v>,
    pub diagnostics: &'a mut Diagnostics,
    /// The most volatile variable that was read or tested.
    pub volatility: &'a mut Stability,
    /// The open lists, the innermost last.
    pub lists: Vec<OpenList>,
    /// The lists that were read, with their sources.
    pub known_lists: BTreeMap<VariableKey, (Arc<Vec<Record>>, Arc<str>)>,
    /// The bytes that the entries which were begun count as.
    pub entries: usize,
    /// The item whose frame the template is.
    pub item: Option<(&'a PlanItem<'a>, &'a RenderedText)>,
    /// True: line ends at the borders of the item's text give way to those of its frame.
    pub seam: bool,
    /// The bytes of the item's text, once it was written.
    pub content: Option<Range<usize>>,
    /// The event, if the text is a reminder. Then every value is escaped, whatever the profile sets.
    pub event: Option<&'a DueReminder>,
    pub out: &'a mut RenderedText,
    /// The source of the item's variables, once one was written.
    pub source: Option<Arc<str>>,
    /// The piece that the last literal ended in, and where that piece starts.
    pub piece: usize,
    pub piece_start: usize,
}

impl<'a> TemplateWriter<'a, '_> {
    /// Returns the type by which a variable is escaped: `tool` for an `item:` variable of a tool, the type of
    /// the variable for an item that is its value.
    fn kind<'k>(&self, key: &'k VariableKey) -> &'k str
    where
        'a: 'k,
    {
        match self.item {
            Some((PlanItem { variables: ItemVariables::Made(_), .. }, _)) => "tool",
            Some((item, _)) => match item.pieces.first().map(|piece| &piece.origin) {
                Some(Origin::Variable { key, .. }) => key.kind(),
                _ => key.kind(),
            },
            None => key.kind(),
        }
    }

    /// Returns the list whose entry an `item:` is of.
    fn list(&self, key: &VariableKey) -> Option<&OpenList> {
        self.lists.last().filter(|_| key.kind() == "item")
    }

    /// Writes `item:text`, the text of the item, or another variable of it.
    fn item_value(
        &mut self,
        tag: &Range<usize>,
        key: &VariableKey,
        item: &PlanItem<'_>,
        content: &RenderedText,
    ) {
        if key.name() == "text" {
            let start = self.out.text.len();
            self.out.append(content);
            if self.seam {
                self.close_frame(start, tag);
            }
            self.content = Some(start..self.out.text.len());
            return;
        }
        let Some(text) = item.variable(key.name()) else { return };
        let named = |name: &str| item.variable(name);
        let source = self
            .source
            .get_or_insert_with(|| named("path").or_else(|| named("name")).unwrap_or("item").into())
            .clone();
        let kind = self.kind(key);
        let mut text = match self.watch {
            Some(_) if !self.rules.escapes(kind) => Cow::Borrowed(text),
            _ => self.rules.escape_value(kind, key, text, self.diagnostics),
        };
        if let Some(watch) = self.watch {
            // The frame determines the position of the value.
            let in_attribute = self.parsed.template.text()[..tag.start].ends_with("=\"");
            let of = item.pieces.first().map(|piece| &piece.origin);
            let safe = match watch.value(&text, key, of, in_attribute, self.diagnostics) {
                Cow::Owned(safe) => Some(safe),
                Cow::Borrowed(_) => None,
            };
            text = safe.map_or(text, Cow::Owned);
        }
        self.out.push(&text, Origin::Variable { key: key.clone(), source });
    }

    /// Takes line ends from the borders of the item's text, which starts at `start`, where its frame has them.
    fn close_frame(&mut self, start: usize, tag: &Range<usize>) {
        let frame = self.parsed.template.text();
        if frame[..tag.start].ends_with('\n') {
            self.out.take_line_ends(start);
        }
        if frame[tag.end..].starts_with('\n') {
            let end = start + self.out.text[start..].trim_end_matches(LINE_ENDS).len();
            self.out.truncate(end);
        }
    }
}

/// The bytes of output that an entry of a list counts as: what its pieces cost, also where they have no text.
const ENTRY: usize = 64;

/// Refuses to write more where the output is too large already: a short template can name a large file many times.
fn check_room(
    size: usize,
    rules: &RenderRules<'_>,
    parsed: &ParsedTemplate<'_>,
    tag: Range<usize>,
) -> Result<(), RenderError> {
    if size <= RENDERED_LIMIT || rules.template.max_bytes.is_none() {
        return Ok(());
    }
    let what = format!("what comes out has more than the {RENDERED_LIMIT} bytes allowed");
    let diagnostic = Diagnostic::error(DiagnosticCode::TemplateTooLarge, what);
    let diagnostic = diagnostic.help(Remedy::lift("template.maxBytes"));
    Err(error_at(diagnostic, parsed.pieces, parsed.template.text(), tag))
}

/// Returns the value of a variable as it is written in a text: of an event's reminder, or in a text that is watched as a whole.
fn escaped<'t>(
    key: &VariableKey,
    text: &'t str,
    rules: &RenderRules<'_>,
    (event, watch): (Option<&DueReminder>, Option<&ImitationWatch>),
    diagnostics: &mut Diagnostics,
) -> Cow<'t, str> {
    let is_escaped = rules.escapes(key.kind());
    match event {
        Some(_) if !is_escaped => rules.escape_forged(key, text, diagnostics),
        None if watch.is_some() && !is_escaped => Cow::Borrowed(text),
        _ => rules.escape_value(key.kind(), key, text, diagnostics),
    }
}

impl Output for TemplateWriter<'_, '_> {
    type Error = RenderError;

    fn exists(&mut self, key: &VariableKey) -> Result<bool, RenderError> {
        if let Some(list) = self.list(key) {
            return Ok(list.field(key.name()).is_some());
        }
        if let (Some((item, _)), "item") = (self.item, key.kind()) {
            return Ok(key.name() == "text" || item.variable(key.name()).is_some());
        }
        if let Some(event) = self.event.filter(|_| is_of_event(key)) {
            return Ok(event.variables.contains_key(key.name()));
        }
        let variable = self.variables.get(&key.in_scope(self.parsed.by), self.diagnostics)?;
        *self.volatility = (*self.volatility).max(variable.stability);
        Ok(variable.value.is_some())
    }

    fn literal(&mut self, range: Range<usize>) {
        let mut at = range.start;
        // The next entry of a list begins before the end of the last.
        while at < self.piece_start && self.piece > 0 {
            self.piece -= 1;
            self.piece_start -= self.parsed.pieces[self.piece].text.len();
        }
        while at < range.end {
            let Some(piece) = self.parsed.pieces.get(self.piece) else { return };
            let end = self.piece_start + piece.text.len();
            if at >= end {
                self.piece_start = end;
                self.piece += 1;
                continue;
            }
            let to = range.end.min(end);
            let within = at - self.piece_start..to - self.piece_start;
            self.out.push(&self.parsed.template.text()[at..to], piece.origin.part(&within));
            at = to;
        }
    }

    fn value(&mut self, tag: Range<usize>, key: &VariableKey) -> Result<(), RenderError> {
        let (rules, parsed, size) = (self.rules, self.parsed, self.out.text.len() + self.entries);
        if let Some(list) = self.lists.last().filter(|_| key.kind() == "item") {
            let Some(text) = list.field(key.name()) else { return Ok(()) };
            check_room(size, rules, parsed, tag)?;
            let of = Origin::Variable { key: list.key.clone(), source: list.source.clone() };
            let text = escaped(&list.key, text, rules, (self.event, self.watch), self.diagnostics);
            self.out.push(&text, of);
            return Ok(());
        }
        if let (Some((item, content)), "item") = (self.item, key.kind()) {
            check_room(size, rules, parsed, tag.clone())?;
            self.item_value(&tag, key, item, content);
            return Ok(());
        }
        if let Some(event) = self.event.filter(|_| is_of_event(key)) {
            let Some(text) = event.variables.get(key.name()) else { return Ok(()) };
            check_room(size, rules, parsed, tag)?;
            let kind = event.one_line.get(key.name()).copied();
            let text = rules.of_event(key, kind, text, self.diagnostics);
            self.out.push(&text, Origin::Variable { key: key.clone(), source: "the event".into() });
            return Ok(());
        }
        let variable = self.variables.get(&key.in_scope(parsed.by), self.diagnostics)?;
        *self.volatility = (*self.volatility).max(variable.stability);
        let Some(text) = &variable.value else { return Ok(()) };
        check_room(size, rules, parsed, tag)?;
        let text = escaped(key, text, rules, (self.event, self.watch), self.diagnostics);
        self.out.push(&text, Origin::Variable { key: key.clone(), source: variable.source.clone() });
        Ok(())
    }

    fn is_one_of(&mut self, key: &VariableKey, words: &[&str]) -> Result<bool, RenderError> {
        if let Some(list) = self.list(key) {
            return Ok(list.field(key.name()).is_some_and(|value| words.contains(&value)));
        }
        let variable = self.variables.get(key, self.diagnostics)?;
        *self.volatility = (*self.volatility).max(variable.stability);
        Ok(variable.value.as_deref().is_some_and(|value| words.contains(&value)))
    }

    fn entry(&mut self, tag: Range<usize>, list: &VariableKey, at: usize) -> Result<bool, RenderError> {
        if at == 0 {
            let entries = match self.known_lists.get(list) {
                Some(known) => known.clone(),
                None => {
                    let variable = self.variables.get(list, self.diagnostics)?;
                    *self.volatility = (*self.volatility).max(variable.stability);
                    let source = variable.source.clone();
                    // The value of a list is recorded as JSON.
                    let value = variable.value.as_deref().and_then(|text| serde_json::from_str(text).ok());
                    let entries = Arc::new(value.map(VariableValue::into_entries).unwrap_or_default());
                    self.known_lists.insert(list.clone(), (entries.clone(), source.clone()));
                    (entries, source)
                }
            };
            self.lists.push(OpenList { key: list.clone(), source: entries.1, entries: entries.0, at });
        }
        let Some(open) = self.lists.last_mut() else { return Ok(false) };
        open.at = at;
        if at >= open.entries.len() {
            self.lists.pop();
            return Ok(false);
        }
        self.entries += ENTRY;
        check_room(self.out.text.len() + self.entries, self.rules, self.parsed, tag)?;
        Ok(true)
    }
}
