//! The rows of listings: an extension, a server, a skill, an agent or an output style, with the words of a table.

use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    extension::{Ability, Category, Entry, ExtensionEntry, HookRole, Scopes, UnknownCategory},
    hook::HookEvent,
    mcp_servers::McpServers,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{fmt, str::FromStr};

/// The group of a heading: a category of extensions, the MCP servers, the skills, the agents, or the output styles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingGroup {
    /// Extensions of a category.
    Extensions(Category),
    /// The servers of `mcp.json`.
    Mcp,
    /// The skills, which have a listing of their own.
    Skills,
    /// The agents, which have one, too.
    Agents,
    /// The slash commands.
    SlashCommands,
    /// The output styles, which have one, too.
    Styles,
}

impl ListingGroup {
    /// The groups of `preface list extensions`, sorted by name.
    pub const ALL: [ListingGroup; 10] = [
        ListingGroup::Extensions(Category::Commands),
        ListingGroup::Extensions(Category::ContextProviders),
        ListingGroup::Extensions(Category::Hooks),
        ListingGroup::Extensions(Category::Loggers),
        ListingGroup::Extensions(Category::Providers),
        ListingGroup::Mcp,
        ListingGroup::Extensions(Category::SessionStores),
        ListingGroup::Extensions(Category::StateMachines),
        ListingGroup::Extensions(Category::Tools),
        ListingGroup::Extensions(Category::Ui),
    ];

    /// Returns all groups: those of [`ListingGroup::ALL`], and those of Markdown files.
    pub fn every() -> impl Iterator<Item = ListingGroup> {
        let of_files =
            [ListingGroup::Skills, ListingGroup::Agents, ListingGroup::SlashCommands, ListingGroup::Styles];
        ListingGroup::ALL.into_iter().chain(of_files)
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            ListingGroup::Extensions(category) => category.as_str(),
            ListingGroup::Mcp => "servers",
            ListingGroup::Skills => "skills",
            ListingGroup::Agents => "agents",
            ListingGroup::SlashCommands => "slash-commands",
            ListingGroup::Styles => "styles",
        }
    }

    /// True if its rows run in an order.
    pub fn is_ordered(self) -> bool {
        matches!(self, ListingGroup::Extensions(category) if category.is_ordered())
    }
}

impl fmt::Display for ListingGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ListingGroup {
    type Err = UnknownCategory;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        // Permissions, diagnostics and JSON have servers as `mcp/NAME`, after their file.
        let name = if name == "mcp" { ListingGroup::Mcp.as_str() } else { name };
        ListingGroup::every().find(|group| group.as_str() == name).ok_or(UnknownCategory)
    }
}

/// The fields of a row that an entry does not have.
#[derive(Clone, Debug)]
pub struct ListedEntry {
    /// The group of its heading.
    pub group: ListingGroup,
    /// The text that invokes a command, if that is not its id.
    pub typed: Option<String>,
    /// The role of a hook.
    pub role: Option<HookRole>,
    /// The event that a hook names.
    pub event: Option<HookEvent>,
    /// The entry as JSON, with its state in the word that tables have.
    pub document: Value,
}

/// A row of a listing.
pub type ListingRow = Entry<ListedEntry>;

/// Returns the row of an entry.
pub fn row<T: Serialize>(group: ListingGroup, entry: &Entry<T>) -> ListingRow {
    let mut document = json!(entry);
    document["state"] = entry.state().as_str().into();
    entry.with_value(ListedEntry { group, typed: None, role: None, event: None, document })
}

/// Returns the rows of the extensions and servers of some groups, each by name and layer.
pub fn rows(scopes: &Scopes, mcp: &McpServers, groups: &[ListingGroup]) -> Vec<ListingRow> {
    let of_group = |group: &ListingGroup| -> Vec<ListingRow> {
        match *group {
            ListingGroup::Extensions(category) => scopes.of(category).map(extension).collect(),
            ListingGroup::Mcp => mcp.servers.iter().map(|server| row(*group, server)).collect(),
            ListingGroup::Skills
            | ListingGroup::Agents
            | ListingGroup::SlashCommands
            | ListingGroup::Styles => Vec::new(),
        }
    };
    groups.iter().flat_map(of_group).collect()
}

fn extension(entry: &ExtensionEntry) -> ListingRow {
    let mut row = row(ListingGroup::Extensions(entry.value.category), entry);
    match &entry.value.ability {
        Some(Ability::Hook(hook)) => {
            (row.value.role, row.value.event) = (Some(hook.role), hook.event);
        }
        Some(Ability::Command(command)) => row.value.typed.clone_from(&command.name),
        _ => {}
    }
    row
}

/// Returns what is wrong with an entry, what broke it alone: a key that is unknown breaks nothing.
pub fn faults(row: &ListingRow) -> impl Iterator<Item = &Diagnostic> {
    row.diagnostics.iter().filter(|diagnostic| {
        diagnostic.severity >= Severity::Warning && diagnostic.code != DiagnosticCode::McpUnknownKey
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_sorted_and_have_every_category() {
        assert!(
            ListingGroup::ALL.is_sorted_by_key(|group| group.as_str()),
            "Group::ALL must stay sorted by name"
        );
        for category in Category::ALL {
            assert!(
                ListingGroup::ALL.contains(&ListingGroup::Extensions(category)),
                "`{category}` is a group"
            );
        }
        for group in ListingGroup::every() {
            assert_eq!(group.as_str().parse(), Ok(group));
        }
        assert_eq!("mcp".parse(), Ok(ListingGroup::Mcp));
    }
}
