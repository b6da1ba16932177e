//! `preface explain --absent`: what is not in the prompt, and why.

use super::lost;
use crate::{
    Subject,
    ui::{Cell, TextTable, one_line, style},
};
use preface_core::diagnostic::{Diagnostic, DiagnosticCode};

/// Lists the absent sections, the cuts, and the texts that were left out.
pub fn view(subject: &Subject) -> String {
    let prompt = &subject.prompt;
    let parts = prompt.parts.iter().chain(prompt.attachments.iter().map(|attachment| &attachment.part));
    let cuts = parts.filter_map(|part| {
        let lost = lost(part.cuts.first()?, part.cuts.last()?);
        Some([part.section.to_string(), "cut".to_owned(), lost])
    });
    let lost: Vec<[String; 3]> = cuts.chain(prompt.diagnostics.iter().filter_map(left_out)).collect();
    if prompt.absent.is_empty() && lost.is_empty() {
        return "Nothing is absent.\n".to_owned();
    }
    let mut table = TextTable::headed(["section", "reason", "why"]);
    for one in &prompt.absent {
        let reason = serde_json::to_value(one.reason).ok();
        let reason = reason.as_ref().and_then(|reason| reason.as_str()).unwrap_or_default().replace('_', " ");
        table.row([
            Cell::styled(one.section.as_str(), style::BOLD),
            reason.into(),
            one_line(&one.why).into(),
        ]);
    }
    for [name, reason, why] in &lost {
        table.row([Cell::styled(one_line(name), style::BOLD), reason.as_str().into(), one_line(why).into()]);
    }
    // What is left out cannot be guessed: the reason is never shortened.
    table.show(None)
}

/// Returns the row of a text that was left out: its name, the reason, and why. Sections have rows of their own.
fn left_out(diagnostic: &Diagnostic) -> Option<[String; 3]> {
    if matches!(diagnostic.code, DiagnosticCode::BudgetCut | DiagnosticCode::BudgetDropped) {
        return None;
    }
    let (name, why) = diagnostic.loss()?;
    let name = diagnostic.place.as_ref().map_or(name, |place| &place.path);
    Some([name.to_owned(), "left out".to_owned(), why.to_owned()])
}
