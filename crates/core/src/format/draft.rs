//! The common begin and end of all formats of services.

use super::{
    CachePlan, FormattedRequest, RequestContent, RequestTarget,
    history::{HistoryEntry, read},
    json::Json,
    ledger::RequestBlocks,
    names::Names,
    place::place,
    report::Report,
    rules::HistoryRules,
};
use crate::{
    attachment::PlacedAttachment,
    diagnostic::{DiagnosticCode, Diagnostics},
    settings::shown,
    turn::Tool,
};
use std::collections::BTreeSet;

/// A request under construction.
#[derive(Debug)]
pub(super) struct RequestDraft {
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

impl RequestDraft {
    /// Plans the cache of a request, and reads its messages with the attachments in their places.
    pub(super) fn of<'c>(
        content: &RequestContent<'c>,
        rules: &HistoryRules,
    ) -> (Self, Vec<HistoryEntry<'c>>) {
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
        (RequestDraft { plan, report, ttl, attachments, placing, indented }, items)
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

/// Returns the definition of each tool: its name and description behind `head`, and what `complete` adds. Tools with the same name
/// are reported.
pub(super) fn definitions<'c>(
    tools: &'c [Tool],
    names: &mut Names<'c>,
    report: &mut Report,
    head: impl Fn() -> Json<'c>,
    complete: impl Fn(&'c Tool, Json<'c>, &mut Report) -> Json<'c>,
) -> Vec<Json<'c>> {
    let mut seen = BTreeSet::new();
    for tool in tools.iter().filter(|tool| !seen.insert(&tool.name)) {
        let what = format!("two tools have the name `{}`", shown(&tool.name));
        report.add(DiagnosticCode::RequestRefused, None, what);
    }
    let definition = |tool: &'c Tool| {
        let mut definition = head();
        definition.push("name", names.get(&tool.name, None, report));
        definition.push_some("description", tool.description.as_deref().filter(|text| !text.is_empty()));
        complete(tool, definition, report)
    };
    tools.iter().map(definition).collect()
}
