//! What the listings have in common: their flags, the question to the engine, and the notes.

use super::{
    row::{Group, Layers},
    state::with_state,
    table::{restricted, rewrites, summary, table, troubles},
};
use crate::{
    advice::complete,
    failure::{Exit, Failure},
    files,
    flags::{Format, TalkFlags, TrustFlags, TurnFlags},
    notes,
    ui::{Ui, style},
};
use preface::{
    Engine, Error, Request, ScopesReport,
    core::{diagnostic::Diagnostic, extension::Category},
};

/// What every listing can be told.
#[derive(clap::Args, Clone, Debug)]
pub struct ListingFlags {
    /// Choose the form; JSON always has what is not active, too
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORM")]
    pub format: Format,

    #[command(flatten)]
    pub turn: TurnFlags,

    #[command(flatten)]
    pub trust: TrustFlags,

    #[command(flatten)]
    pub talk: TalkFlags,
}

/// The treatment of inactive entries in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inactive {
    /// Each has a row, with a reason.
    Shown,
    LeftOut,
}

impl Inactive {
    /// Reads `--all`.
    pub fn of_all(all: bool) -> Self {
        if all { Inactive::Shown } else { Inactive::LeftOut }
    }
}

impl ListingFlags {
    /// Asks the engine what the layers bring.
    pub fn ask(&self) -> Result<ScopesReport, Failure> {
        let system = files::system();
        Engine::new(&system).scopes(&self.request()?).map_err(|error| self.failed(error))
    }

    /// Returns the question.
    pub fn request(&self) -> Result<Request, Failure> {
        let mut request = self.turn.request();
        self.trust.apply(&mut request)?;
        Ok(request)
    }

    /// Says that there is no answer, in the form that was asked for.
    pub fn failed(&self, error: Error) -> Failure {
        let for_programs = self.format == Format::Json;
        if for_programs { Failure::from(error.clone()).for_programs(&error) } else { error.into() }
    }

    /// Tells notes: warnings and errors, all with `-v`, errors alone with `-q`.
    pub fn tell(&self, ui: &Ui, told: &[Diagnostic]) {
        notes::listing(ui, self.talk.talk(), told);
    }
}

/// Lists one category: `tools`, `providers`, `hooks`.
pub fn list(ui: &Ui, flags: &ListingFlags, category: Category, inactive: Inactive) -> Result<Exit, Failure> {
    let report = flags.ask()?;
    let group = Group::Extensions(category);
    match flags.format {
        Format::Json => ui.json(&report.scopes.of(category).map(with_state).collect::<Vec<_>>())?,
        Format::Text => ui.view(&view(&report, group, inactive, ui.columns()))?,
    }
    flags.tell(ui, &troubles(&report, &[group]));
    Ok(Exit::Done)
}

/// Writes the table of one group, with what an ordering did to it and the counts.
pub fn view(report: &ScopesReport, group: Group, inactive: Inactive, room: Option<usize>) -> String {
    let dim = style::DIM;
    let layers = restricted(&Layers::of(report), &[group]);
    let mut out = table(&layers, &[group], inactive, room);
    out.push_str(&rewrites(&layers.scopes));
    out.push_str(&summary(&layers, &troubles(report, &[group])));
    let left_out = layers.rows(group).iter().filter(|row| !row.active).count();
    if inactive == Inactive::LeftOut && left_out > 0 {
        let how = if group == Group::Mcp { "preface mcp list" } else { "--all" };
        let how = complete(&format!("`{how}` shows why")).into_owned();
        out.push_str(&format!("{dim}; {left_out} not shown, {how}{dim:#}"));
    }
    out.push('\n');
    out
}
