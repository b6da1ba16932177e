//! The common begin and end of all formats of services.

use super::{
    CacheMark, CachePlan, FormattedRequest, RequestContent, RequestTarget,
    history::{HistoryEntry, Reasoning, read},
    json::{Json, object},
    ledger::RequestBlocks,
    names::Names,
    place::place,
    report::Report,
    rules::HistoryRules,
};
use crate::{
    attachment::PlacedAttachment,
    diagnostic::{DiagnosticCode, Diagnostics},
    model::Vendor,
    prompt::PromptBlock,
    settings::shown,
    turn::Tool,
};
use std::{borrow::Cow, collections::BTreeSet};

/// A request under construction.
#[derive(Debug)]
pub(super) struct RequestDraft<'c> {
    /// The names of tools.
    pub names: Names<'c>,
    /// The ids of calls.
    pub ids: Names<'c>,
    /// The cache plan.
    pub plan: CachePlan,
    /// The diagnostics of the format.
    pub report: Report,
    /// The lifetime for the cache marks, where it is not the default of the service.
    pub ttl: Option<String>,
    attachments: Vec<PlacedAttachment>,
    /// The diagnostics of the attachments.
    placing: Diagnostics,
    indented: bool,
}

impl<'c> RequestDraft<'c> {
    /// Plans the cache of a request, and reads its messages with the attachments in their places.
    pub(super) fn of(content: &RequestContent<'c>, rules: &HistoryRules) -> (Self, Vec<HistoryEntry<'c>>) {
        let ttls = rules.ttls;
        let (mut placing, mut report) = (Diagnostics::new(), Report::default());
        let placement = place(content, &mut placing);
        let attachments = placement.new_ones();
        let items = placement.insert(read(content, &mut report));
        rules.report_fields(&items, &mut report);
        let plan = CachePlan::with_ttls(content, |ttl| ttls.contains(&ttl));
        plan.report_ttl(&mut report);
        let ttl = plan.ttl.clone().filter(|ttl| ttls.iter().skip(1).any(|longer| longer == ttl));
        let indented = content.target.indented;
        let names = Names::new(rules.names, DiagnosticCode::RequestNameRewritten);
        let ids = Names::new(rules.ids, DiagnosticCode::RequestIdRewritten);
        (RequestDraft { names, ids, plan, report, ttl, attachments, placing, indented }, items)
    }

    /// Returns the name of a tool as it is sent.
    pub(super) fn name(&mut self, name: &'c str, message: Option<usize>) -> Cow<'c, str> {
        self.names.get(name, message, &mut self.report)
    }

    /// Returns the id of a call as it is sent.
    pub(super) fn id(&mut self, id: &'c str, message: Option<usize>) -> Cow<'c, str> {
        self.ids.get(id, message, &mut self.report)
    }

    /// Returns the blocks of the prompt as parts of `OpenAI`'s APIs, with the marks of the plan.
    pub(super) fn prompt_parts(&self, content: &RequestContent<'c>, kind: &'static str) -> Vec<Json<'c>> {
        let part = |(at, block): (usize, PromptBlock)| {
            let mut part = object! { "type": kind, "text": &content.prompt.text[block.range] };
            let is_marked = self.plan.mark(at) == CacheMark::Placed;
            part.push_some("prompt_cache_breakpoint", is_marked.then(|| object! { "mode": "explicit" }));
            part
        };
        content.prompt.blocks().into_iter().enumerate().map(part).collect()
    }

    /// Reports reasoning that this format has no place for, and returns nothing in its place.
    pub(super) fn reasoning_left_out(
        &mut self,
        message: Option<usize>,
        reasoning: &Reasoning<'_>,
    ) -> Option<Json<'c>> {
        let whose = match (reasoning.vendor, reasoning.signature) {
            (Vendor::Unknown, None) => "reasoning without a signature".to_owned(),
            (Vendor::Unknown, Some(_)) => "reasoning whose vendor is not named by `provider`".to_owned(),
            (vendor, _) => format!("reasoning of {vendor}"),
        };
        self.report.add(DiagnosticCode::RequestLeftOut, message, format!("{whose} is left out"));
        None
    }

    /// Reports a text without content, which services refuse, and returns nothing in its place.
    pub(super) fn empty_block(&mut self, message: Option<usize>) -> Option<Json<'c>> {
        self.report.add(DiagnosticCode::RequestLeftOut, message, "a text without content is left out");
        None
    }

    /// Reports a block that this format has no place for, and returns nothing in its place.
    pub(super) fn block_unsupported(&mut self, message: Option<usize>, kind: &str) -> Option<Json<'c>> {
        let what = format!("a block of type `{}` is left out", shown(kind));
        self.report.add(DiagnosticCode::RequestBlockUnsupported, message, what);
        None
    }

    /// Returns the definition of each tool: its name and description behind `kind`, and what `complete` adds. Tools with the same
    /// name are reported.
    pub(super) fn definitions(
        &mut self,
        tools: &'c [Tool],
        kind: Option<&'static str>,
        complete: impl Fn(&'c Tool, Json<'c>, &mut Report) -> Json<'c>,
    ) -> Vec<Json<'c>> {
        let mut seen = BTreeSet::new();
        for tool in tools.iter().filter(|tool| !seen.insert(&tool.name)) {
            let what = format!("two tools have the name `{}`", shown(&tool.name));
            self.report.add(DiagnosticCode::RequestRefused, None, what);
        }
        let definition = |tool: &'c Tool| {
            let mut definition = object! {};
            definition.push_some("type", kind);
            definition.push("name", self.name(&tool.name, None));
            definition.push_some("description", tool.description.as_deref().filter(|text| !text.is_empty()));
            complete(tool, definition, &mut self.report)
        };
        tools.iter().map(definition).collect()
    }

    /// Plans the cache with another lifetime, if the model has it.
    pub(super) fn choose_ttl(&mut self, content: &RequestContent<'_>, ttl: &str) {
        let target = RequestTarget { cache_ttl: Some(ttl), ..content.target };
        let plan = CachePlan::with_ttls(&RequestContent { target, ..*content }, |one| one == ttl);
        if plan.refused_ttl.is_none() {
            self.ttl = plan.ttl.clone();
            self.plan = plan;
        }
    }

    /// Prints the body.
    pub(super) fn finish(self, body: &Json<'_>, blocks: RequestBlocks) -> FormattedRequest {
        let mut diagnostics = self.placing;
        diagnostics.extend(self.report.finish());
        FormattedRequest {
            media_type: "application/json",
            body: body.print(self.indented),
            attachments: self.attachments,
            blocks: blocks.list,
            marks: blocks.marks,
            cache: Some(self.plan),
            diagnostics,
        }
    }
}
