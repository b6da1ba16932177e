//! Reports texts that imitate the prompt's own structure, and escapes them where the profile sets it:
//! a file may hold `</available_skills>`, or the heading of the next file.
//!
//! Texts are watched where their section has `watch_tags`. Without `neutralise_tags` no byte changes. What is a tag of
//! the engine is data of the profile; what is a heading of the engine is read off the rendered prompt.

use super::RenderedText;
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place},
    lint::{
        finding::{self, TextFinding},
        forged::{self, GrantedText, Imitation},
        hidden::escape_hidden,
    },
    origin::{Origin, Piece, Span},
    pipeline::{draft::DraftPart, outline::PlanItem},
    scope::Scope,
    template::trim,
    trust::TrustMode,
    variable::VariableKey,
};
use memchr::{memchr, memchr_iter};
use std::{borrow::Cow, collections::BTreeSet, ops::Range};

/// The most imitations in one text that are reported one by one. A hostile file may have a hundred thousand.
const MOST_REPORTED: usize = 100;

/// The watch over the texts of one build.
#[derive(Debug)]
pub(super) struct ImitationWatch {
    /// The names of the engine's tags.
    pub(super) tags: Vec<String>,
    /// True: imitations are escaped.
    pub(super) neutralise: bool,
    /// True: the texts are reminders, which values of an event are part of.
    pub(super) of_event: bool,
    /// The way in which the texts of a project were granted.
    pub(super) trust: TrustMode,
}

impl ImitationWatch {
    /// Looks at the text of an item, which came from `pieces`.
    pub(super) fn text(&self, rendered: &mut RenderedText, pieces: &[Piece], diagnostics: &mut Diagnostics) {
        let mut found = forged::scan_tags(&rendered.text, &self.tags);
        if !self.of_event && rendered.spans.iter().all(|span| self.is_granted(&span.origin)) {
            let granted = GrantedText::new(&rendered.text);
            found.retain(|forged| granted.may_have(forged.kind, &forged.range, &forged.imitates));
        }
        if found.is_empty() {
            return;
        }
        let all =
            found.iter().map(|forged| (forged.range(), self.with_outcome(forged.diagnostic()))).collect();
        report(all, (&rendered.text, &rendered.spans), pieces, diagnostics);
        if self.neutralise {
            *rendered = escaped(rendered, &found);
        }
    }

    /// Looks at a variable of an item, such as its path; `of` is where the item's text came from. In an attribute (`="…"`)
    /// what could end it is escaped, too.
    pub(super) fn value<'t>(
        &self,
        text: &'t str,
        key: &VariableKey,
        of: Option<&Origin>,
        in_attribute: bool,
        diagnostics: &mut Diagnostics,
    ) -> Cow<'t, str> {
        let found = forged::scan_tags(text, &self.tags);
        let at = |diagnostic: Diagnostic| match of {
            Some(origin) => diagnostic.at(Place::file(origin.scope(), origin.to_string())),
            None => diagnostic,
        };
        for forged in found.iter().take(MOST_REPORTED) {
            let found = forged.diagnostic();
            let message = format!("`{key}` {}", found.message);
            diagnostics.push(at(self.with_outcome(Diagnostic { message, ..found })));
        }
        if !self.neutralise {
            return Cow::Borrowed(text);
        }
        if in_attribute && text.contains(['&', '"', '<']) {
            if found.is_empty() {
                let what = format!("`{key}` is in an attribute: `&`, `\"` and `<` in it were escaped");
                diagnostics.push(at(Diagnostic::info(DiagnosticCode::ForgedEscaped, what)));
            }
            return Cow::Owned(text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;"));
        }
        forged::escape(text, &found)
    }

    /// Returns true for a text that the user wrote or granted.
    fn is_granted(&self, origin: &Origin) -> bool {
        match origin {
            Origin::Variable { .. } | Origin::Hook { .. } => false,
            origin => self.trust != TrustMode::None || origin.scope() != Some(Scope::Project),
        }
    }

    fn with_outcome(&self, mut diagnostic: Diagnostic) -> Diagnostic {
        if self.neutralise {
            diagnostic.message.push_str("; its `<` was escaped");
            diagnostic.help = None;
            return diagnostic;
        }
        diagnostic.help("the option `neutralise_tags=true` escapes such tags")
    }
}

/// Copies a text with the `<` of each imitation escaped. Every byte keeps its origin; what stands for a `<` is lossy.
fn escaped(rendered: &RenderedText, found: &[Imitation]) -> RenderedText {
    let mut safe = RenderedText::default();
    let mut opening = found.iter().map(|forged| forged.range.start).peekable();
    for Span { range, origin } in &rendered.spans {
        let mut at = range.start;
        let copy = |safe: &mut RenderedText, part: Range<usize>| {
            let within = part.start - range.start..part.end - range.start;
            safe.push(&rendered.text[part], origin.part(&within));
        };
        while let Some(open) = opening.next_if(|open| *open < range.end) {
            copy(&mut safe, at..open);
            let first = rendered.text[open..].chars().next().unwrap_or_default();
            let next = (open + first.len_utf8()).min(range.end);
            let mut instead = origin.part(&(open - range.start..next - range.start));
            if let Origin::Source { lossy, .. } = &mut instead {
                *lossy = true;
            }
            safe.push(&forged::entity(first), instead);
            at = next;
        }
        copy(&mut safe, at..range.end);
    }
    safe
}

/// Reports headings of the engine that are in watched texts: a line that equals one, blanks at its end aside.
///
/// A heading is a line that starts with `#`; the engine's own start in a text of the profile or of the bundled layer.
pub(super) fn headings(
    parts: &[DraftPart],
    watched: &[(usize, Vec<PlanItem<'_>>)],
    diagnostics: &mut Diagnostics,
) {
    let mut written: Option<BTreeSet<&str>> = None;
    for (part, items) in watched {
        let part = &parts[*part];
        let mut found: Vec<(usize, Range<usize>)> = Vec::new();
        for (range, origin) in heading_lines(part).filter(|(_, origin)| !is_engines(origin)) {
            let written = written.get_or_insert_with(|| {
                let own = |(range, origin)| is_engines(origin).then_some(range);
                let lines = |part| heading_lines(part).filter_map(own).map(|range| line(part, range));
                parts.iter().flat_map(lines).collect()
            });
            let line = line(part, range.clone());
            if written.contains(line) {
                // The next one mostly is in the same text as the last.
                let last = found.last().map(|(item, _)| *item).filter(|item| is_of(&items[*item], origin));
                let item = last.or_else(|| items.iter().position(|item| is_of(item, origin)));
                found.push((item.unwrap_or_default(), range));
            }
        }
        for group in found.chunk_by(|a, b| a.0 == b.0) {
            let imitated = |range: &Range<usize>| {
                let heading = escape_hidden(line(part, range.clone()));
                let what = format!("imitates the heading `{heading}`");
                let help = "the text is sent as it is: see whether the line belongs there";
                (range.clone(), Diagnostic::warning(DiagnosticCode::ForgedHeading, what).help(help))
            };
            let headings = group.iter().map(|(_, range)| imitated(range)).collect();
            let pieces = items.get(group[0].0).map_or(&[][..], |item| &item.pieces);
            report(headings, (&part.text, &part.spans), pieces, diagnostics);
        }
    }
}

/// The lines that start with `#`, and where their first byte came from.
fn heading_lines(part: &DraftPart) -> impl Iterator<Item = (Range<usize>, &Origin)> {
    let text = part.text.as_bytes();
    memchr_iter(b'#', text).filter(|at| *at == 0 || text[at - 1] == b'\n').filter_map(move |at| {
        let end = memchr(b'\n', &text[at..]).map_or(text.len(), |len| at + len);
        Some((at..end, &span_at(&part.spans, at)?.origin))
    })
}

/// A line without the blanks at its end; at its start is a `#`.
fn line(part: &DraftPart, range: Range<usize>) -> &str {
    trim(&part.text[range])
}

/// Returns true for a text of the profile or of the bundled layer.
pub(super) fn is_engines(origin: &Origin) -> bool {
    matches!(origin, Origin::Literal { .. }) || origin.scope() == Some(Scope::Bundled)
}

/// Returns true if a text with this origin is one of the item.
fn is_of(item: &PlanItem<'_>, origin: &Origin) -> bool {
    item.pieces.first().is_some_and(|piece| same_text(&piece.origin, origin))
}

fn same_text(one: &Origin, other: &Origin) -> bool {
    match (one, other) {
        (Origin::Source { source, .. }, Origin::Source { source: other, .. }) => source == other,
        (one, other) => one == other,
    }
}

fn span_at(spans: &[Span], at: usize) -> Option<&Span> {
    spans.get(spans.partition_point(|span| span.range.end <= at))
}

/// Makes diagnostics of findings in a rendered text, with the place in the text that it was made of.
fn report(
    found: Vec<(Range<usize>, Diagnostic)>,
    (text, spans): (&str, &[Span]),
    pieces: &[Piece],
    diagnostics: &mut Diagnostics,
) {
    let written = SourceText::of(pieces);
    let (scope, path) = match &written {
        Some(written) => (written.origin.scope(), written.origin.to_string()),
        None => (None, String::new()),
    };
    let more = found.len().saturating_sub(MOST_REPORTED);
    let rest = found.first().filter(|_| more > 0).map(|(_, first)| {
        let message = format!("{more} more occurrences in this text were treated the same way");
        Diagnostic::new(first.severity, first.code, message).at(Place::file(scope, path.clone()))
    });
    let mut placed = Vec::new();
    for (range, diagnostic) in found.into_iter().take(MOST_REPORTED) {
        let Some(span) = span_at(spans, range.start) else { continue };
        match written.as_ref().and_then(|written| written.offset(text, span, range.start)) {
            Some(at) => placed.push((at..at + range.len(), diagnostic)),
            None => {
                let place = Place::file(span.origin.scope(), span.origin.to_string());
                diagnostics.push(diagnostic.at(place));
            }
        }
    }
    if let Some(written) = &written {
        diagnostics.extend(finding::located(placed, &written.text, scope, &path));
    }
    diagnostics.extend(rest);
}

/// A text as it was written, in one place.
struct SourceText<'a> {
    text: String,
    origin: &'a Origin,
    pieces: &'a [Piece],
    starts: Vec<usize>,
}

impl<'a> SourceText<'a> {
    fn of(pieces: &'a [Piece]) -> Option<Self> {
        let origin = &pieces.first()?.origin;
        if !pieces.iter().all(|piece| same_text(&piece.origin, origin)) {
            return None;
        }
        let mut text = String::new();
        let mut starts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            starts.push(text.len());
            text.push_str(&piece.text);
        }
        Some(SourceText { text, origin, pieces, starts })
    }

    /// Returns where that byte of a rendered text, which is in this span, was written.
    fn offset(&self, rendered: &str, span: &Span, at: usize) -> Option<usize> {
        if !same_text(self.origin, &span.origin) {
            return None;
        }
        let Origin::Source { span: bytes, lossy: false, .. } = &span.origin else {
            return (rendered == self.text).then_some(at);
        };
        let byte = bytes.start + at - span.range.start;
        let is_before =
            |piece: &Piece| matches!(&piece.origin, Origin::Source { span, .. } if span.end <= byte);
        let piece = self.pieces.partition_point(is_before);
        match &self.pieces.get(piece)?.origin {
            Origin::Source { span, .. } => Some(self.starts[piece] + byte.checked_sub(span.start)?),
            _ => None,
        }
    }
}
