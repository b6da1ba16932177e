//! `preface list`: what is found in a directory, by kind.

mod kinds;
mod presets;
mod why;

pub use kinds::NO_TOOL_USED;
pub use presets::Preset;

use super::doctor;
use crate::{
    CommandResult, Exit, OutputFormat, Ui, diagnostics, files,
    flags::ListingFlags,
    scopes_view::{InactiveRows, ListingGroup},
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface_core::{diagnostic::Diagnostic, extension::Category};
use preface_engine::{BuildOptions, Engine};
use serde::Serialize;
use serde_json::{Map, Value};

const EXAMPLES: &str = "\
Examples:
  preface list                     the summary of `preface doctor`
  preface list skills              the skills that are active
  preface list tools --all         all tools, and why some are not active
  preface list --why bash          explain one name over all layers
  preface list --why tools/bash    in one kind
  preface list --why mcp/git       a server, as permissions name it
  preface list variables --format json | jq -r '.entries[].variable'";

/// List what is active in a directory: tools, skills, agents, hooks, variables and more
///
/// Without KIND it prints what `preface doctor` prints. `extensions` is the nine categories
/// of extensions with the MCP servers. `--tools` limits the list of tools to those that a build with the same flag has.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// List this kind only
    #[arg(value_name = "KIND", value_parser = kinds())]
    kind: Option<ListKind>,

    /// Explain where NAME or KIND/NAME comes from, and what hides it
    #[arg(long, value_name = "NAME", conflicts_with = "all")]
    why: Option<String>,

    /// Also list what is not active, and why
    #[arg(long, requires = "kind")]
    all: bool,

    #[command(flatten)]
    listing: ListingFlags,
}

/// A kind of thing that can be listed.
#[derive(Clone, Copy, Debug)]
struct ListKind {
    name: &'static str,
    /// The groups of entries that it lists, which `--why` explains.
    groups: &'static [ListingGroup],
    /// Makes the list.
    list: fn(&ListQuery<'_>) -> CommandResult<Listing>,
}

/// The kinds, sorted by name.
const KINDS: [ListKind; 19] = {
    use Category::{
        Commands, ContextProviders, Hooks, Loggers, Providers, SessionStores, StateMachines, Tools, Ui,
    };
    use ListingGroup::{Agents, Extensions, Mcp, Skills, SlashCommands, Styles};
    [
        ListKind { name: "agents", groups: &[Agents], list: kinds::agents },
        ListKind { name: "commands", groups: &[Extensions(Commands)], list: kinds::category },
        ListKind { name: "contextProviders", groups: &[Extensions(ContextProviders)], list: kinds::category },
        ListKind { name: "extensions", groups: &ListingGroup::ALL, list: kinds::extensions },
        ListKind { name: "hooks", groups: &[Extensions(Hooks)], list: kinds::category },
        ListKind { name: "loggers", groups: &[Extensions(Loggers)], list: kinds::category },
        ListKind { name: "models", groups: &[], list: kinds::models },
        ListKind { name: "presets", groups: &[], list: presets::list },
        ListKind { name: "providers", groups: &[Extensions(Providers)], list: kinds::category },
        ListKind { name: "reminders", groups: &[], list: kinds::reminders },
        ListKind { name: "servers", groups: &[Mcp], list: kinds::servers },
        ListKind { name: "sessionStores", groups: &[Extensions(SessionStores)], list: kinds::category },
        ListKind { name: "skills", groups: &[Skills], list: kinds::skills },
        ListKind { name: "slash-commands", groups: &[SlashCommands], list: kinds::slash_commands },
        ListKind { name: "stateMachines", groups: &[Extensions(StateMachines)], list: kinds::category },
        ListKind { name: "styles", groups: &[Styles], list: kinds::styles },
        ListKind { name: "tools", groups: &[Extensions(Tools)], list: kinds::tools },
        ListKind { name: "ui", groups: &[Extensions(Ui)], list: kinds::category },
        ListKind { name: "variables", groups: &[], list: kinds::variables },
    ]
};

fn kinds() -> impl TypedValueParser<Value = ListKind> {
    let names = PossibleValuesParser::new(KINDS.map(|kind| kind.name));
    names.map(|name| {
        let kind = KINDS.into_iter().find(|kind| kind.name == name);
        kind.expect("the parser accepts only names of kinds")
    })
}

/// What a list is made of.
struct ListQuery<'a> {
    engine: Engine<'a>,
    request: BuildOptions,
    groups: &'static [ListingGroup],
    inactive: InactiveRows,
    format: OutputFormat,
    room: Option<usize>,
}

impl ListQuery<'_> {
    /// Returns whether the list has an entry: JSON has all of them.
    fn shows(&self, active: bool) -> bool {
        active || self.inactive == InactiveRows::Shown || self.format == OutputFormat::Json
    }
}

/// The list of one kind. In JSON it is the document.
#[derive(Default, Serialize)]
struct Listing {
    kind: &'static str,
    /// The rows, in the order of the table.
    entries: Vec<Value>,
    diagnostics: Vec<Diagnostic>,
    /// The other keys of the document.
    #[serde(flatten)]
    more: Map<String, Value>,
    /// The table and what is below it.
    #[serde(skip)]
    text: String,
    /// The diagnostics that the text has.
    #[serde(skip)]
    shown: Vec<Diagnostic>,
}

/// Lists one kind, or explains a name, or prints the summary.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let flags = &args.listing;
    let inactive = if args.all { InactiveRows::Shown } else { InactiveRows::LeftOut };
    if args.why.is_none() && args.kind.is_none() {
        return doctor::summary(ui, flags);
    }
    let groups = args.kind.map_or(&[] as &[ListingGroup], |kind| kind.groups);
    let (request, format, room) = (flags.request()?, flags.format, ui.columns());
    let query = ListQuery { engine: Engine::new(files::system()), request, groups, inactive, format, room };
    if let Some(name) = &args.why {
        return why::run(ui, &query, args.kind, name);
    }
    let Some(kind) = args.kind else { return Ok(Exit::Done) };
    let listing = Listing { kind: kind.name, ..(kind.list)(&query)? };
    ui.show(flags.format, &listing, || listing.text.clone())?;
    // The table has the diagnostics of its rows.
    let Listing { mut diagnostics, shown, .. } = listing;
    diagnostics.retain(|diagnostic| !shown.contains(diagnostic));
    diagnostics::listing(ui, &diagnostics);
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_sorted_and_have_every_group() {
        assert!(KINDS.is_sorted_by_key(|kind| kind.name), "KINDS must stay sorted by name");
        for group in ListingGroup::every() {
            let kind = KINDS.into_iter().find(|kind| kind.name == group.as_str());
            assert_eq!(kind.map(|kind| kind.groups), Some([group].as_slice()));
        }
    }
}
