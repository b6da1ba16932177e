//! `preface list --why NAME`: every layer that has a name, and which one is active.

use super::{KINDS, ListKind, ListQuery};
use crate::{
    CommandFailure, CommandResult, ListDocument,
    scopes_view::{ListingGroup, ProjectVisibility, entry_report, named, row, rows, unknown, unread_servers},
    ui::{Ui, one_line},
};
use preface_core::{
    diagnostic::{DiagnosticCode, Remedy},
    trust::TrustMode,
};

/// Explains a name of one kind, or of all.
pub(super) fn run(ui: &Ui, query: &ListQuery<'_>, kind: Option<ListKind>, name: &str) -> CommandResult {
    let of_name = name
        .split_once('/')
        .and_then(|(kind, _)| KINDS.into_iter().find(|one| one.name == kind))
        .filter(|kind| kind.groups.len() != 1);
    let groups = match kind.or(of_name) {
        None => ListingGroup::every().collect(),
        Some(ListKind { name, groups: [], .. }) => {
            return Err(
                CommandFailure::usage(format!("`--why` cannot explain {name}")).help(Remedy::list(name))
            );
        }
        Some(kind) => kind.groups.to_vec(),
    };
    let build = query.engine.look(&query.request)?;
    let report = build.scopes()?;
    let mut all = rows(&report.scopes, &report.mcp, &groups);
    for group in &groups {
        match group {
            ListingGroup::Skills => {
                all.extend(build.skills().skills.iter().map(|skill| row(*group, skill)));
            }
            ListingGroup::Agents => {
                all.extend(build.agents().entries.iter().map(|agent| row(*group, agent)));
            }
            ListingGroup::SlashCommands => {
                all.extend(build.slash_commands().entries.iter().map(|command| row(*group, command)));
            }
            ListingGroup::Styles => {
                all.extend(build.styles().entries.iter().map(|style| row(*group, style)));
            }
            ListingGroup::Extensions(_) | ListingGroup::Mcp => {}
        }
    }
    let found = named(&all, name);
    let is_untrusted = report.mode == TrustMode::Whole
        && report.diagnostics.iter().any(|diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted);
    let project = if is_untrusted { ProjectVisibility::Untrusted } else { ProjectVisibility::Seen };
    if found.is_empty() {
        let of_name = name.split_once('/').and_then(|(kind, _)| kind.parse::<ListingGroup>().ok());
        let is_server =
            groups.contains(&ListingGroup::Mcp) && of_name.is_none_or(|group| group == ListingGroup::Mcp);
        let message = format!("no layer has `{}`", one_line(name));
        if let Some(failure) = unread_servers(&message, &report.diagnostics).filter(|_| is_server) {
            return Err(failure);
        }
        return Err(unknown(&all, name, &groups, project));
    }
    let entries = found.concat().into_iter().map(|row| row.value.document).collect();
    let list = ListDocument { kind: "extensions", entries, diagnostics: &report.diagnostics };
    let reports = found.iter().map(|entries| entry_report(entries, project));
    ui.show(query.format, &list, || reports.collect::<Vec<_>>().join("\n"))
}
