//! `preface list`: what is found in a directory, by kind.

mod agents;
mod extensions;
mod models;
mod presets;
mod reminders;
mod servers;
mod skills;
mod styles;
pub mod tools;
mod variables;

pub use presets::Preset;

use super::doctor;
use crate::{
    failure::{CommandFailure, Exit},
    scopes_view::{InactiveRows, ListingFlags, ListingGroup, list},
    ui::Ui,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use preface_engine::core::extension::Category;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListKind {
    Group(ListingGroup),
    Extensions,
    Models,
    Presets,
    Reminders,
    Styles,
    Variables,
}

impl ListKind {
    const OTHERS: [ListKind; 6] = [
        ListKind::Extensions,
        ListKind::Models,
        ListKind::Presets,
        ListKind::Reminders,
        ListKind::Styles,
        ListKind::Variables,
    ];

    /// Returns all kinds, sorted by name.
    fn all() -> Vec<ListKind> {
        let mut all: Vec<ListKind> =
            ListingGroup::every().map(ListKind::Group).chain(ListKind::OTHERS).collect();
        all.sort_by_key(|kind| kind.as_str());
        all
    }

    fn as_str(self) -> &'static str {
        match self {
            ListKind::Group(group) => group.as_str(),
            ListKind::Extensions => "extensions",
            ListKind::Models => "models",
            ListKind::Presets => "presets",
            ListKind::Reminders => "reminders",
            ListKind::Styles => "styles",
            ListKind::Variables => "variables",
        }
    }
}

fn kinds() -> impl TypedValueParser<Value = ListKind> {
    let names = PossibleValuesParser::new(ListKind::all().into_iter().map(ListKind::as_str));
    names.map(|name| {
        let kind = ListKind::all().into_iter().find(|kind| kind.as_str() == name);
        kind.expect("the parser accepts only names of kinds")
    })
}

/// Lists one kind, or explains a name, or prints the summary.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, CommandFailure> {
    let listing = &args.listing;
    let inactive = InactiveRows::of_all(args.all);
    if let Some(name) = &args.why {
        return extensions::why(ui, listing, args.kind, name);
    }
    let Some(kind) = args.kind else { return doctor::summary(ui, listing) };
    match kind {
        ListKind::Group(ListingGroup::Extensions(Category::Tools)) => tools::run(ui, listing, inactive),
        ListKind::Group(ListingGroup::Extensions(category)) => list(ui, listing, category, inactive),
        ListKind::Group(ListingGroup::Mcp) => servers::run(ui, listing, inactive),
        ListKind::Group(ListingGroup::Skills) => skills::run(ui, listing, inactive),
        ListKind::Group(ListingGroup::Agents) => agents::run(ui, listing, inactive),
        ListKind::Extensions => extensions::run(ui, listing, inactive),
        ListKind::Models => models::run(ui, listing),
        ListKind::Presets => presets::run(ui, listing),
        ListKind::Reminders => reminders::run(ui, listing),
        ListKind::Styles => styles::run(ui, listing, inactive),
        ListKind::Variables => variables::run(ui, listing),
    }
}
