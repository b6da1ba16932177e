//! Context provider `commands`: the slash commands of the user and the project.

use super::{ContextProvider, ProvidedTexts, SectionOptions};
use crate::{
    commands::{self, CommandEntry},
    markdown::active,
    provider::context::ProviderContext,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::{
        character::escape_hidden,
        forged::{TAGS, escape_line},
    },
    origin::{Origin, Piece},
    section::{Language, Section},
    snapshot::Item,
};
use std::{borrow::Cow, collections::BTreeMap};

/// The most commands that are listed.
const MOST: usize = 500;

/// Lists slash commands.
pub const COMMANDS: ContextProvider = ContextProvider::new(
    "commands",
    "name, hint and description of each slash command, from commands/**/*.md of the user and the project",
    &[(
        "escape",
        "`none` (default) or `line`: a description is one line without hidden characters and forged structure",
    )],
    provide,
);

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SectionOptions::new(section, context);
    let escapes = options.word("escape", &["none", "line"]) == "line";
    let entries = commands::load(context);
    let why = match entries.is_empty() {
        true => "there is no slash command",
        false => "all slash commands were left out; the diagnostics have the reasons",
    };
    let more = entries.iter().filter(|entry| entry.active).count().saturating_sub(MOST);
    if more > 0 {
        let what = format!("{more} slash commands are not listed: {MOST} are the most");
        context.note(Diagnostic::warning(DiagnosticCode::CommandCut, what));
    }
    let active = active(&entries, MOST).into_iter();
    ProvidedTexts::of(active.filter_map(|entry| item(entry, escapes, context)).collect(), why)
}

fn item(entry: &CommandEntry, escapes: bool, context: &ProviderContext<'_>) -> Option<Item> {
    let command = entry.value.what.as_ref()?;
    // Where the section escapes, the profile does the same for names when they are written.
    let variable = |name: &str, text: &str| {
        let text = if escapes { text.to_owned() } else { escape_hidden(text).into_owned() };
        (name.to_owned(), text)
    };
    let mut variables = BTreeMap::from([variable("name", &entry.name), variable("path", &entry.origin.path)]);
    variables.extend(command.argument_hint.as_ref().map(|hint| ("hint".to_owned(), hint.clone())));
    if !command.description.is_empty() {
        variables.extend([variable("description", &command.description)]);
    }
    let mut pieces = command.pieces.clone();
    if escapes {
        pieces.iter_mut().for_each(|piece| escape(piece, context));
    }
    Some(Item {
        variables,
        pieces,
        language: Language::Verbatim,
        rank: Some(entry.origin.scope.entry_rank()),
    })
}

/// Writes a description on one line without what hides and what imitates the prompt.
fn escape(piece: &mut Piece, context: &ProviderContext<'_>) {
    let Cow::Owned(safe) = escape_line(&piece.text, TAGS) else { return };
    let what = "the description has characters or tags that it must not have; they were escaped";
    let place = Place::file(piece.origin.scope(), piece.origin.to_string());
    context.note(Diagnostic::warning(DiagnosticCode::ForgedEscaped, what).at(place));
    piece.text = safe;
    if let Origin::Source { lossy, .. } = &mut piece.origin {
        *lossy = true;
    }
}
