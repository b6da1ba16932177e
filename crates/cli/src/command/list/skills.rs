//! `preface list skills`: the skills of all layers.

use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::OutputFormat,
    json::ListDocument,
    scopes_view::{EntryState, InactiveRows, ListingFlags, ListingRow, details, with_state},
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{listed, one_line},
    },
};
use preface_engine::{
    Engine, SkillsReport,
    core::diagnostic::{Diagnostic, DiagnosticCode},
    host::skills::{SkillEntry, SkillOmission},
};

/// Lists the skills.
pub fn run(ui: &Ui, listing: &ListingFlags, inactive: InactiveRows) -> Result<Exit, CommandFailure> {
    let system = files::system();
    let report = Engine::new(&system).skills(&listing.request()?)?;
    let all = inactive == InactiveRows::Shown;
    let rows: Vec<&SkillEntry> =
        report.skills.iter().filter(|skill| all || skill.value.left_out.is_none()).collect();
    match listing.format {
        OutputFormat::Json => ui.json(&ListDocument {
            kind: "skills",
            entries: rows.iter().map(|skill| with_state(*skill)).collect(),
            diagnostics: &report.diagnostics,
        })?,
        OutputFormat::Text => ui.view(&view(&report, &rows, ui.columns()))?,
    }
    // The table has the diagnostics of its rows.
    let more: Vec<Diagnostic> =
        report.diagnostics.iter().filter(|diagnostic| !is_row(&report, diagnostic)).cloned().collect();
    listing.print_diagnostics(ui, &more);
    Ok(Exit::Done)
}

fn is_row(report: &SkillsReport, diagnostic: &Diagnostic) -> bool {
    matches!(
        diagnostic.code,
        DiagnosticCode::SkillCollision | DiagnosticCode::SkillDuplicate | DiagnosticCode::SkillIgnored
    ) || report.skills.iter().any(|skill| skill.diagnostics.contains(diagnostic))
}

fn view(report: &SkillsReport, rows: &[&SkillEntry], room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut out = String::new();
    if !report.listed {
        return format!("{dim}this preset lists no skills{dim:#}\n");
    }
    if rows.is_empty() {
        out.push_str(&format!("{dim}none: skills{dim:#}\n"));
        if report.skills.is_empty() && !report.roots.is_empty() {
            let roots: Vec<String> = report.roots.iter().map(|root| one_line(root)).collect();
            out.push_str(&format!("{dim}none found in {}{dim:#}\n", listed(&roots)));
        }
    } else {
        let mut table = TextTable::new([
            ColumnAlignment::Left,
            ColumnAlignment::Left,
            ColumnAlignment::Left,
            ColumnAlignment::Left,
        ]);
        table.row(["name", "layer", "state", "path"].map(|head| Cell::styled(head, dim)));
        for skill in rows {
            let state = EntryState::of(*skill);
            let (word, look) = match &skill.value.left_out {
                Some(SkillOmission::Ignored { .. }) => ("ignored", dim),
                Some(SkillOmission::Duplicate { .. }) => ("again", dim),
                None if skill.active && skill.value.hidden => ("by name only", dim),
                None => (state.word(), state.style()),
            };
            table.row([
                Cell::styled(one_line(&skill.name), if skill.active { style::BOLD } else { dim }),
                Cell::styled(skill.origin.scope.as_str(), style::scope(skill.origin.scope)),
                Cell::styled(word, look),
                one_line(&skill.origin.path).into(),
            ]);
        }
        out.push_str(&table.show_with(rows.iter().map(|skill| below(skill)), room));
    }
    if let Some(why) = report.left_out.as_ref().filter(|_| report.skills.iter().any(|skill| skill.active)) {
        let care = style::CARE;
        out.push_str(&format!("{care}the prompt lists none of them:{care:#} {}\n", one_line(why)));
    }
    let left_out = report.skills.len() - rows.len();
    if left_out > 0 {
        out.push_str(&format!("{dim}left out: {left_out} more; `--all` shows them{dim:#}\n"));
    }
    out
}

/// The lines below a row: its description, then its details.
fn below(skill: &SkillEntry) -> Vec<String> {
    let mut lines: Vec<String> = skill
        .value
        .description
        .iter()
        .map(|text| excerpt(one_line(preface_engine::core::template::trim(text))))
        .collect();
    match &skill.value.left_out {
        Some(SkillOmission::Ignored { path, line }) => {
            lines.push(format!("left out by {}:{line}", one_line(path)));
        }
        Some(SkillOmission::Duplicate { path }) => lines.push(format!("the same as {}", one_line(path))),
        None => lines.extend(details(ListingRow::from(skill))),
    }
    if skill.value.loaded.is_some() {
        lines.extend(skill.diagnostics.iter().map(|diagnostic| one_line(&diagnostic.message)));
    }
    for finding in &skill.value.standard {
        if !skill.diagnostics.iter().any(|diagnostic| diagnostic.message == *finding) {
            lines.push(format!("standard: {}", excerpt(one_line(finding))));
        }
    }
    lines
}

/// Cuts a long text to what a listing has room for.
fn excerpt(text: String) -> String {
    const MOST: usize = 160;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
