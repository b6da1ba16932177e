//! Context provider `commands`: the slash commands of the user and the project.

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    commands::{self, CommandEntry},
    look::Look,
};
use preface_core::{
    diagnostic::Diagnostic,
    lint::hidden::escape_hidden,
    section::{Language, Section},
    world::{Contribution, Item},
};
use std::collections::BTreeMap;

/// Lists slash commands.
#[derive(Debug)]
pub struct Commands;

/// The most commands that are listed.
const MOST: usize = 500;

impl ContextProvider for Commands {
    fn name(&self) -> &'static str {
        "commands"
    }

    fn about(&self) -> &'static str {
        "name, hint and description of each slash command, from commands/**/*.md of the user and the project"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    fn contribute(&self, section: &Section, look: &Look<'_>) -> Contribution {
        SectionOptions::new(self, section, look);
        let mut entries = commands::load(look);
        let why = match entries.is_empty() {
            true => "there is no slash command",
            false => "all slash commands were left out or held; the notes say why",
        };
        entries.retain(|entry| entry.active);
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        if entries.len() > MOST {
            let more = entries.len() - MOST;
            let what = format!("{more} slash commands are not listed: {MOST} are the most");
            look.note(Diagnostic::warning("command/too-many", what));
            entries.truncate(MOST);
        }
        let mut said = silent(self, section, why);
        said.items = entries.iter().filter_map(item).collect();
        if !said.items.is_empty() {
            said.silent = None;
        }
        said
    }
}

fn item(entry: &CommandEntry) -> Option<Item> {
    let command = entry.what.as_ref()?;
    let fact = |name: &str, text: &str| (name.to_owned(), escape_hidden(text).into_owned());
    let mut facts = BTreeMap::from([fact("name", &entry.name), fact("path", &entry.origin.path)]);
    facts.extend(command.hint.as_ref().map(|hint| ("hint".to_owned(), hint.clone())));
    Some(Item { facts, pieces: command.pieces.clone(), language: Language::Verbatim })
}
