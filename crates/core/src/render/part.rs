//! One part on its way from a plan to text with spans.
//!
//! It is written from its start to its end: prefixes, then each item (its content in its frame) with what stands between,
//! then suffixes.

use super::{
    RenderError, RenderRules, RenderedText,
    imported::write_imported,
    push_pieces,
    ready::{PreparedText, one, ready},
    values::{ItemContent, TemplateWriter},
    watch::ImitationWatch,
};
use crate::{
    diagnostic::Diagnostics,
    draft::DraftItem,
    origin::Piece,
    outline::{Plan, PlanItem},
    section::Language,
    template::trim,
    variable::Stability,
    variable_source::Variables,
};
use std::borrow::Cow;

/// A part that is written, before its ends are trimmed.
pub(super) struct WrittenPart {
    pub rendered: RenderedText,
    /// The items, with their ranges in the text.
    pub items: Vec<DraftItem>,
    /// True if every item is blank; frames are ignored.
    pub blank: bool,
    /// The most volatile variable that was read or tested.
    pub volatility: Stability,
}

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Writes a part.
pub(super) fn write(
    plan: &Plan<'_>,
    rules: &RenderRules<'_>,
    watch: &ImitationWatch,
    variables: &mut Variables<'_>,
    diagnostics: &mut Diagnostics,
) -> Result<WrittenPart, RenderError> {
    let bytes: usize =
        plan.items.iter().flat_map(|item| item.pieces.iter()).map(|piece| piece.text.len()).sum();
    let frames = plan.items.len() + plan.prefix.len() + plan.suffix.len();
    // Frames and variables are short; what is longer makes room by itself.
    let out = RenderedText::with_room(bytes + frames * 96, plan.items.len() * 6 + 4);
    let watch = Some(watch).filter(|_| plan.watch_tags);
    let part = PartWriter { plan, rules, watch, variables, diagnostics, volatility: Stability::Static };
    part.write(out)
}

struct PartWriter<'a, 'v> {
    plan: &'a Plan<'a>,
    rules: &'a RenderRules<'a>,
    watch: Option<&'a ImitationWatch>,
    variables: &'a mut Variables<'v>,
    diagnostics: &'a mut Diagnostics,
    volatility: Stability,
}

impl PartWriter<'_, '_> {
    fn write(mut self, mut out: RenderedText) -> Result<WrittenPart, RenderError> {
        let plan = self.plan;
        let template = |piece| ready(one(Cow::Borrowed(piece)), Language::Template, self.rules);
        let form = plan.item.as_deref().map(template).transpose()?;
        let mut blank = true;
        let mut items = Vec::with_capacity(plan.items.len());
        for piece in &plan.prefix {
            self.template(piece, &mut out)?;
        }
        for (number, item) in plan.items.iter().enumerate() {
            if number > 0
                && let Some(between) = &plan.between
            {
                self.template(between, &mut out)?;
            }
            let start = out.text.len();
            self.item(item, form.as_ref(), &mut out)?;
            blank = blank && trim(&out.text[start..]).is_empty();
            if plan.seam {
                close_seam(&mut out, start, number, plan.items.len());
            }
            items.push(DraftItem { range: start..out.text.len(), rank: item.rank });
        }
        for piece in &plan.suffix {
            self.template(piece, &mut out)?;
        }
        Ok(WrittenPart { rendered: out, items, blank, volatility: self.volatility })
    }

    /// Writes an item in its frame, if it has one.
    fn item(
        &mut self,
        item: &PlanItem<'_>,
        form: Option<&PreparedText<'_>>,
        out: &mut RenderedText,
    ) -> Result<(), RenderError> {
        let is_verbatim = item.language == Language::Verbatim && item.imported.is_none();
        if let Some(form) = form.filter(|_| is_verbatim && self.watch.is_none()) {
            return self.text(form, Some((item, ItemContent::Pieces(&item.pieces))), out);
        }
        let text = match &item.imported {
            Some(body) => PreparedText::Imported(Cow::Borrowed(body)),
            None => ready(Cow::Borrowed(item.pieces.as_ref()), item.language, self.rules)?,
        };
        if form.is_none() && self.watch.is_none() {
            return self.text(&text, None, out);
        }
        let mut content = RenderedText::default();
        self.text(&text, None, &mut content)?;
        if let Some(watch) = self.watch {
            watch.text(&mut content, &item.pieces, self.diagnostics);
        }
        match form {
            Some(form) => self.text(form, Some((item, ItemContent::Rendered(&content))), out)?,
            None => out.append(&content),
        }
        Ok(())
    }

    fn template(&mut self, piece: &Piece, out: &mut RenderedText) -> Result<(), RenderError> {
        let text = ready(one(Cow::Borrowed(piece)), Language::Template, self.rules)?;
        self.text(&text, None, out)
    }

    /// Writes one text; `item` is what it is the frame of.
    fn text(
        &mut self,
        text: &PreparedText<'_>,
        item: Option<(&PlanItem<'_>, ItemContent<'_>)>,
        out: &mut RenderedText,
    ) -> Result<(), RenderError> {
        let PartWriter { plan, rules, watch, variables, diagnostics, volatility } = self;
        match text {
            PreparedText::Plain(pieces) => push_pieces(out, pieces, rules, diagnostics),
            PreparedText::Imported(body) => {
                write_imported(body, rules, variables, volatility, out, diagnostics)?;
            }
            PreparedText::Parsed(parsed) => {
                let mut writer = TemplateWriter {
                    parsed,
                    rules,
                    watch: *watch,
                    variables,
                    diagnostics,
                    volatility,
                    item,
                    event: plan.event,
                    out,
                    source: None,
                    piece: 0,
                    piece_start: 0,
                };
                parsed.template.render(&mut writer)?;
            }
        }
        Ok(())
    }
}

/// Takes line ends from the borders of an item that another one is next to: what stands between takes their place.
fn close_seam(out: &mut RenderedText, start: usize, number: usize, items: usize) {
    let written = &out.text[start..];
    let gone = written.len() - written.trim_start_matches(LINE_ENDS).len();
    if number > 0 && gone > 0 {
        let mut item = out.split_off(start);
        item.behead(gone);
        out.append(&item);
    }
    if number + 1 < items {
        let end = start + out.text[start..].trim_end_matches(LINE_ENDS).len();
        out.truncate(end);
    }
}
