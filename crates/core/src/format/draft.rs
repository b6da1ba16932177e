//! What all formats of services begin and end with.

use super::{
    CachePlan, FormattedRequest, RequestContent,
    history::{Item, read},
    json::Json,
    ledger::RequestBlock,
    names::Names,
    place::place,
    report::Report,
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
    attachments: Vec<PlacedAttachment>,
    /// The diagnostics of the attachments.
    placing: Diagnostics,
    indented: bool,
}

impl RequestDraft {
    /// Plans the cache of a request, and reads its messages with the attachments in their places.
    pub(super) fn of<'c>(content: &RequestContent<'c>) -> (Self, Vec<Item<'c>>) {
        let (mut placing, mut report) = (Diagnostics::new(), Report::default());
        let placement = place(content, &mut placing);
        let attachments = placement.new_ones();
        let items = placement.insert(read(content, &mut report));
        let (plan, indented) = (CachePlan::of(content), content.target.indented);
        (RequestDraft { plan, report, attachments, placing, indented }, items)
    }

    /// Prints the body.
    pub(super) fn finish(self, body: &Json<'_>, blocks: Vec<RequestBlock>) -> FormattedRequest {
        let mut diagnostics = self.placing;
        diagnostics.extend(self.report.finish());
        FormattedRequest {
            media_type: "application/json",
            body: body.print(self.indented),
            attachments: self.attachments,
            blocks,
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
        report.add(DiagnosticCode::RequestDuplicateTool, None, what);
    }
    let definition = |tool: &'c Tool| {
        let mut definition = head();
        definition.push("name", names.get(&tool.name, None, report));
        if let Some(description) = tool.description.as_deref().filter(|text| !text.is_empty()) {
            definition.push("description", description);
        }
        complete(tool, definition, report)
    };
    tools.iter().map(definition).collect()
}
