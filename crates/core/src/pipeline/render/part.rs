//! One part on its way from a plan to text with spans.
//!
//! It is written from its start to its end: prefixes, then each item (its content in its frame) with what is between,
//! then suffixes.

use super::{
    LINE_ENDS, RenderError, RenderRules, RenderedText, push_pieces,
    ready::{PreparedText, ready},
    report_blank,
    values::TemplateWriter,
    watch::ImitationWatch,
};
use crate::{
    diagnostic::Diagnostics,
    origin::Piece,
    pipeline::{
        draft::DraftItem,
        outline::{Plan, PlanItem},
    },
    section::Language,
    template::trim,
    variable::{Stability, source::Variables},
};
use std::{collections::BTreeMap, ops::Range, slice::from_ref};

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
    let of_section = Some(watch).filter(|_| plan.watch_tags);
    let volatility = Stability::Static;
    let part = PartWriter { plan, rules, watch: of_section, variables, diagnostics, volatility };
    part.write(watch, out)
}

struct PartWriter<'a, 'v> {
    plan: &'a Plan<'a>,
    rules: &'a RenderRules<'a>,
    watch: Option<&'a ImitationWatch>,
    variables: &'a mut Variables<'v>,
    diagnostics: &'a mut Diagnostics,
    volatility: Stability,
}

impl<'a> PartWriter<'a, '_> {
    fn write(
        mut self,
        imitations: &'a ImitationWatch,
        mut out: RenderedText,
    ) -> Result<WrittenPart, RenderError> {
        let plan = self.plan;
        let template = |piece| ready(from_ref(piece), Language::Template, &self.rules.frames);
        let form = plan.item.as_ref().map(template).transpose()?;
        let of_project = plan.project_item.as_ref().map(template).transpose()?;
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
            let content = match of_project.as_ref().filter(|_| item.is_of_project()) {
                Some(form) => self.project_item(item, form, imitations, &mut out)?,
                None => self.item(item, form.as_ref(), plan.seam, &mut out)?,
            };
            blank = blank && trim(&out.text[start..]).is_empty();
            let range = start..out.text.len();
            let mut written = DraftItem { content: content.unwrap_or(range.clone()), range, rank: item.rank };
            if plan.seam {
                let gone = close_seam(&mut out, start, number, plan.items.len());
                written.shift(start, gone);
                written.truncate(out.text.len());
            }
            items.push(written);
        }
        for piece in &plan.suffix {
            self.template(piece, &mut out)?;
        }
        Ok(WrittenPart { rendered: out, items, blank, volatility: self.volatility })
    }

    /// Writes a text of a project in its frame, unless it is blank.
    fn project_item(
        &mut self,
        item: &PlanItem<'_>,
        form: &PreparedText<'_>,
        imitations: &'a ImitationWatch,
        out: &mut RenderedText,
    ) -> Result<Option<Range<usize>>, RenderError> {
        let of_section = self.watch.replace(imitations);
        let mut framed = RenderedText::default();
        let content = self.item(item, Some(form), true, &mut framed)?;
        self.watch = of_section;
        let is_blank = content.as_ref().is_some_and(|text| trim(&framed.text[text.clone()]).is_empty());
        if is_blank {
            return Ok(None);
        }
        let start = out.text.len();
        out.append(&framed);
        Ok(content.map(|text| start + text.start..start + text.end))
    }

    /// Writes an item in its frame, if it has one. Returns the bytes of its text in that frame.
    fn item(
        &mut self,
        item: &PlanItem<'_>,
        form: Option<&PreparedText<'_>>,
        seam: bool,
        out: &mut RenderedText,
    ) -> Result<Option<Range<usize>>, RenderError> {
        let text = ready(&item.pieces, item.language, &self.rules.template)?;
        if let PreparedText::Parsed(parsed) = &text {
            report_blank(parsed, self.rules, self.diagnostics);
        }
        let mut content = RenderedText::default();
        self.text(&text, None, &mut content)?;
        if let Some(watch) = self.watch {
            watch.text(&mut content, &item.pieces, self.diagnostics);
        }
        match form {
            Some(form) => self.text(form, Some((item, &content, seam)), out),
            None => {
                out.append(&content);
                Ok(None)
            }
        }
    }

    fn template(&mut self, piece: &Piece, out: &mut RenderedText) -> Result<(), RenderError> {
        let text = ready(from_ref(piece), Language::Template, &self.rules.template)?;
        self.text(&text, None, out)?;
        Ok(())
    }

    /// Writes one text. `item` is the item that the text is the frame of, and whether the frame takes the place of line
    /// ends. Returns the bytes of the item's text.
    fn text(
        &mut self,
        text: &PreparedText<'_>,
        item: Option<(&PlanItem<'_>, &RenderedText, bool)>,
        out: &mut RenderedText,
    ) -> Result<Option<Range<usize>>, RenderError> {
        let PartWriter { plan, rules, watch, variables, diagnostics, volatility } = self;
        match text {
            PreparedText::Plain(pieces) => push_pieces(out, pieces, rules, diagnostics),
            PreparedText::Parsed(parsed) => {
                if let Some(types) = &rules.named {
                    let named = parsed.template.named().filter_map(|key| types.stability(key)).max();
                    *volatility = (*volatility).max(named.unwrap_or_default());
                }
                let mut writer = TemplateWriter {
                    parsed,
                    rules,
                    watch: *watch,
                    variables,
                    diagnostics,
                    volatility,
                    lists: Vec::new(),
                    known_lists: BTreeMap::new(),
                    entries: 0,
                    item: item.map(|(item, content, _)| (item, content)),
                    seam: item.is_some_and(|(.., seam)| seam),
                    content: None,
                    event: plan.event,
                    out,
                    source: None,
                    piece: 0,
                    piece_start: 0,
                };
                parsed.template.render(&mut writer)?;
                return Ok(writer.content);
            }
        }
        Ok(None)
    }
}

/// Takes line ends from the borders of an item that another one is next to: what is between takes their place. Returns
/// how many bytes at its start are gone.
fn close_seam(out: &mut RenderedText, start: usize, number: usize, items: usize) -> usize {
    let gone = if number == 0 { 0 } else { out.take_line_ends(start) };
    if number + 1 < items {
        let end = start + out.text[start..].trim_end_matches(LINE_ENDS).len();
        out.truncate(end);
    }
    gone
}
