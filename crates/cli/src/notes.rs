//! The notes of a build, told as much as the person wants to hear.

use crate::ui::{
    Talk, Ui,
    note::Note,
    style,
    text::{count, listed, number},
};
use preface::core::{
    diagnostic::{Diagnostic, Severity},
    draft::AbsentReason,
    lint::{few::Few, hidden::escape_hidden},
    prompt::Prompt,
    section::SectionId,
};
use std::cmp::Reverse;

/// Tells the notes of a prompt: one line where something was held, cut or skipped, or every note in full.
pub fn tell(ui: &Ui, talk: Talk, prompt: &Prompt) {
    match talk {
        Talk::Quiet => {}
        Talk::Usual => {
            if let Some((severity, line)) = summary(prompt) {
                let word = style::severity(severity);
                let dim = style::DIM;
                ui.say(&format!("{word}{severity}{word:#}: {line} {dim}(`-v` tells more){dim:#}\n"));
            }
        }
        Talk::All => all(ui, &prompt.diagnostics),
    }
}

/// Tells every note in full.
pub fn all(ui: &Ui, notes: &[Diagnostic]) {
    for note in notes {
        ui.say(&format!("{:#}", Note::of(note, ui.note_columns())));
    }
}

/// The most notes that [`few`] tells.
const FEW: usize = 10;

/// Tells the worst notes in full, ten at most, then how many there are besides and which command lists them.
pub fn few(ui: &Ui, notes: Vec<Diagnostic>, command: &str) {
    let mut few = Few::new(FEW);
    for note in notes {
        few.push(Reverse(note.severity), note);
    }
    let (notes, more) = few.done();
    all(ui, &notes);
    if more > 0 {
        ui.say(&format!("and {} more; `{command}` lists them\n", number(more)));
    }
}

/// Says in one line what was held, cut or skipped; `None` where nothing was.
fn summary(prompt: &Prompt) -> Option<(Severity, String)> {
    let is_held = |note: &&Diagnostic| note.code == "trust/held";
    let held: Vec<&Diagnostic> = prompt.diagnostics.iter().filter(is_held).collect();
    let lossy = prompt.parts.iter().filter(|part| !part.cuts.is_empty()).map(|part| &part.section);
    let cut = named(lossy);
    let dropped = prompt.absent.iter().filter(|one| one.reason == AbsentReason::Budget);
    let dropped = named(dropped.map(|one| &one.section));
    let counted = |note: &&Diagnostic| {
        note.severity >= Severity::Warning
            && !matches!(note.code.as_str(), "trust/held" | "budget/cut" | "budget/dropped")
    };
    let others: Vec<&Diagnostic> = prompt.diagnostics.iter().filter(counted).collect();

    let mut said = Vec::new();
    let created = prompt.diagnostics.iter().filter(|note| note.code == "scaffold/created");
    said.extend(created.map(|note| escape_hidden(&note.message).into_owned()));
    let created = said.len();
    let names: Vec<String> = held.iter().map(|note| held_name(note)).collect();
    match names.len() {
        0 => {}
        1..=3 => said.push(format!("{} held for trust", listed(&names))),
        many => said.push(format!("{}, {} and {} more held for trust", names[0], names[1], many - 2)),
    }
    for (names, what) in [(&cut, "cut"), (&dropped, "left out")] {
        match names.as_slice() {
            [] => {}
            few if few.len() <= 2 => said.push(format!("{} {what}", listed(few))),
            many => {
                let (names, rest) = many.split_at(many.len().min(CUT_NAMED));
                let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
                said.push(format!("{} {what}: {}{more}", count(many.len(), "part"), names.join(", ")));
            }
        }
    }
    match others.as_slice() {
        [] => {}
        [one] => said.push(escape_hidden(&one.message).into_owned()),
        many => said.push(format!("{} more", by_severity(many))),
    }
    if said.is_empty() {
        return None;
    }
    let severity = held
        .iter()
        .chain(&others)
        .map(|note| note.severity)
        .chain((!cut.is_empty() || !dropped.is_empty()).then_some(Severity::Warning))
        .max()
        .unwrap_or(Severity::Info);
    if said.len() == 1 && created == 0 && others.len() > 1 {
        said = vec![by_severity(&others)];
    }
    // What was declined or denied needs no advice, and where the call denies the project a grant changes nothing.
    let needs_grant = |note: &&Diagnostic| {
        note.severity >= Severity::Warning
            && note.help.as_deref().is_some_and(|help| help.contains("`preface trust grant"))
    };
    if held.iter().any(needs_grant) && said.len() == 1 && created == 0 {
        let them = if names.len() == 1 { "it" } else { "them" };
        said[0].push_str(&format!("; `preface trust grant` lets {them} speak"));
    }
    Some((severity, said.join("; ")))
}

/// The most parts that were cut which the summary names.
const CUT_NAMED: usize = 5;

/// Names sections in backticks, each once.
fn named<'p>(sections: impl Iterator<Item = &'p SectionId>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for name in sections.map(|section| format!("`{section}`")) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Counts notes: `2 errors and 1 warning`.
fn by_severity(notes: &[&Diagnostic]) -> String {
    let errors = notes.iter().filter(|note| note.severity >= Severity::Error).count();
    let counts = [(errors, "error"), (notes.len() - errors, "warning")];
    let counts = counts.into_iter().filter(|(number, _)| *number > 0);
    counts.map(|(number, noun)| count(number, noun)).collect::<Vec<_>>().join(" and ")
}

/// Names what was held: the file, or what stands in backticks.
fn held_name(note: &Diagnostic) -> String {
    let name = match &note.place {
        Some(place) => place.path.as_str(),
        None => note.message.split('`').nth(1).unwrap_or("something"),
    };
    escape_hidden(name).into_owned()
}
