//! `preface skills`: the skills of the layers, which of them answer to their names, from where, hiding what.

use crate::{
    failure::{Exit, Failure},
    files,
    flags::Format,
    scopes_view::{ListingFlags, Row, State, asides},
    ui::{
        Ui, style,
        table::{Cell, Side, Table},
        text::{number, one_line, wrap},
    },
};
use preface::{Engine, SkillsReport, core::diagnostic::Diagnostic};

const EXAMPLES: &str = "\
Examples:
  preface skills
  preface skills --trust once
  preface skills --format json | jq -r '.[] | select(.active).origin.path'";

/// What no table of skills may leave open.
const NOT_USED: &str = "listed, not used: this version puts no skill into a prompt";

/// List the skills of the layers
///
/// A skill is a file skills/NAME/SKILL.md in your directory or the project's; the project's hides yours of the same name.
/// This version lists skills and their sizes. It reads nothing of what they say, and no prompt has them.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    listing: ListingFlags,
}

/// Lists them.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let system = files::system();
    let request = args.listing.request()?;
    let report = Engine::new(&system).skills(&request).map_err(|error| args.listing.failed(error))?;
    match args.listing.format {
        Format::Json => ui.json(&report.skills)?,
        Format::Text => ui.view(&view(&report, ui.columns()))?,
    }
    // What is held stands in the table.
    let told: Vec<Diagnostic> =
        report.diagnostics.iter().filter(|note| !is_row(&report, note)).cloned().collect();
    args.listing.tell(ui, &told);
    Ok(Exit::Done)
}

fn is_row(report: &SkillsReport, note: &Diagnostic) -> bool {
    note.code == "trust/held" && report.skills.iter().any(|skill| skill.diagnostics.contains(note))
}

fn view(report: &SkillsReport, room: Option<usize>) -> String {
    let dim = style::DIM;
    let mut out = String::new();
    if report.skills.is_empty() {
        out.push_str(&format!("{dim}nothing: skills{dim:#}\n"));
    } else {
        let mut table = Table::new([Side::Left, Side::Left, Side::Left, Side::Right]);
        table.row(["name", "layer", "state", "size"].map(|head| Cell::styled(head, dim)));
        for skill in &report.skills {
            let state = State::of(skill);
            let size = skill.bytes.and_then(|bytes| usize::try_from(bytes).ok());
            table.row([
                Cell::styled(one_line(&skill.name), if skill.active { style::BOLD } else { dim }),
                Cell::styled(skill.origin.scope.as_str(), style::scope(skill.origin.scope)),
                Cell::styled(state.word(), state.style()),
                size.map(|bytes| format!("{} bytes", number(bytes))).unwrap_or_default().into(),
            ]);
        }
        let lines = table.show(room);
        let mut lines = lines.lines();
        out.extend(lines.next().map(|head| format!("{head}\n")));
        for (skill, line) in report.skills.iter().zip(lines) {
            out.push_str(&format!("{line}\n"));
            for aside in asides(Row::from(skill)) {
                let aside = wrap(&format!("  {aside}"), room.unwrap_or(usize::MAX), 4);
                out.push_str(&format!("{dim}{aside}{dim:#}\n"));
            }
        }
    }
    out.push_str(&format!("{dim}{NOT_USED}{dim:#}\n"));
    out
}
