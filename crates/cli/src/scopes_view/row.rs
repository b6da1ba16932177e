//! What every row of a listing has, be it an extension or an MCP server: one look and one set of words for both.

use preface::{
    ScopesReport,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode, Severity},
        extension::{
            Ability, Category, DisabledBy, Entry, EntryOrigin, Layered, Named, Role, Scopes, Slot, Status,
            UnknownCategory,
        },
        mcp_servers::{McpServers, ServerEntry},
        settings::SetBy,
    },
    host::{agents::AgentEntry, markdown::FileEntry, skills::SkillEntry},
};
use std::{fmt, str::FromStr};

/// The group of a heading: a category of extensions, the MCP servers, the skills, or the agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Extensions of a category.
    Extensions(Category),
    /// The servers of `mcp.json`.
    Mcp,
    /// The skills, which have a listing of their own.
    Skills,
    /// The agents, which have one, too.
    Agents,
}

impl Group {
    /// The groups of `preface scopes`, sorted by name.
    pub const ALL: [Group; 10] = [
        Group::Extensions(Category::Commands),
        Group::Extensions(Category::ContextProviders),
        Group::Extensions(Category::Hooks),
        Group::Extensions(Category::Loggers),
        Group::Mcp,
        Group::Extensions(Category::Providers),
        Group::Extensions(Category::SessionStores),
        Group::Extensions(Category::StateMachines),
        Group::Extensions(Category::Tools),
        Group::Extensions(Category::Ui),
    ];

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Group::Extensions(category) => category.as_str(),
            Group::Mcp => "mcp",
            Group::Skills => "skills",
            Group::Agents => "agents",
        }
    }

    /// True where its rows run in an order.
    pub fn is_ordered(self) -> bool {
        matches!(self, Group::Extensions(category) if category.is_ordered())
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Group {
    type Err = UnknownCategory;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Group::ALL.into_iter().find(|group| group.as_str() == name).ok_or(UnknownCategory)
    }
}

/// The extensions and the servers of all layers.
#[derive(Clone, Debug, Default)]
pub struct Layers {
    /// The extensions.
    pub scopes: Scopes,
    /// The servers.
    pub mcp: McpServers,
}

impl Layers {
    /// Takes them out of a report.
    pub fn of(report: &ScopesReport) -> Self {
        Layers { scopes: report.scopes.clone(), mcp: report.mcp.clone() }
    }

    /// Returns the rows of a group, by name and layer.
    pub fn rows(&self, group: Group) -> Vec<Row<'_>> {
        match group {
            Group::Extensions(category) => self.scopes.of(category).map(Row::from).collect(),
            Group::Mcp => self.mcp.servers.iter().map(Row::from).collect(),
            Group::Skills | Group::Agents => Vec::new(),
        }
    }

    /// Returns all rows, group by group.
    pub fn all_rows(&self) -> Vec<Row<'_>> {
        Group::ALL.into_iter().flat_map(|group| self.rows(group)).collect()
    }
}

/// A row of a listing.
#[derive(Clone, Copy, Debug)]
pub struct Row<'e> {
    pub group: Group,
    pub name: &'e str,
    pub origin: &'e EntryOrigin,
    pub active: bool,
    pub runnable: bool,
    pub needs_grant: bool,
    /// The fields that the manifest lacks.
    pub missing: Option<&'static str>,
    pub shadows: &'e [EntryOrigin],
    pub shadowed_by: Option<&'e EntryOrigin>,
    pub disabled_by: Option<&'e DisabledBy>,
    pub fallback_from: Option<&'e EntryOrigin>,
    pub order: Option<usize>,
    pub slot: Option<Slot>,
    pub config_scope: SetBy,
    pub status: Status,
    pub about: Option<&'e str>,
    /// The role of a hook.
    pub role: Option<Role>,
    /// The event that a hook names.
    pub event: Option<&'e str>,
    /// The text that invokes a command, where that is not its id.
    pub typed: Option<&'e str>,
    pub diagnostics: &'e [Diagnostic],
}

impl<'e> From<&'e Entry> for Row<'e> {
    fn from(entry: &'e Entry) -> Self {
        let ability = entry.value.ability.as_ref();
        let mut row = Row::layered(Group::Extensions(entry.value.category), entry);
        row.missing = ability.and_then(Ability::missing);
        match ability {
            Some(Ability::Hook(hook)) => (row.role, row.event) = (Some(hook.role), hook.event.as_deref()),
            Some(Ability::Command(command)) => row.typed = command.name.as_deref(),
            _ => {}
        }
        row
    }
}

impl<'e> From<&'e ServerEntry> for Row<'e> {
    fn from(entry: &'e ServerEntry) -> Self {
        Row::layered(Group::Mcp, entry)
    }
}

impl<'e> From<&'e SkillEntry> for Row<'e> {
    fn from(entry: &'e SkillEntry) -> Self {
        Row::file(Group::Skills, entry)
    }
}

impl<'e> From<&'e AgentEntry> for Row<'e> {
    fn from(entry: &'e AgentEntry) -> Self {
        let about = entry.value.what.as_ref().map(|agent| agent.description.as_str());
        Row { about, ..Row::file(Group::Agents, entry) }
    }
}

impl<'e> Row<'e> {
    fn layered<T>(group: Group, entry: &'e Layered<T>) -> Self {
        Row {
            group,
            name: &entry.name,
            origin: &entry.origin,
            active: entry.active,
            runnable: entry.runnable,
            needs_grant: entry.needs_grant(),
            missing: None,
            shadows: &entry.shadows,
            shadowed_by: entry.shadowed_by.as_ref(),
            disabled_by: entry.disabled_by.as_ref(),
            fallback_from: entry.fallback_from.as_ref(),
            order: entry.order,
            slot: entry.slot,
            config_scope: entry.config_scope,
            status: entry.status,
            about: entry.about.as_deref(),
            role: None,
            event: None,
            typed: None,
            diagnostics: &entry.diagnostics,
        }
    }

    fn file<T>(group: Group, entry: &'e FileEntry<T>) -> Self {
        Row {
            group,
            name: &entry.name,
            origin: &entry.origin,
            active: entry.active,
            runnable: entry.active,
            needs_grant: false,
            missing: None,
            shadows: &entry.shadows,
            shadowed_by: entry.shadowed_by.as_ref(),
            disabled_by: None,
            fallback_from: entry.fallback_from.as_ref(),
            order: None,
            slot: None,
            config_scope: entry.origin.scope.into(),
            status: entry.status,
            about: None,
            role: None,
            event: None,
            typed: None,
            diagnostics: &entry.diagnostics,
        }
    }

    /// Returns what is wrong with it, what broke it alone: a key that is unknown breaks nothing.
    pub fn faults(self) -> impl Iterator<Item = &'e Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|note| note.severity >= Severity::Warning && note.code != DiagnosticCode::McpUnknownKey)
    }

    /// Returns what a note about it says, without its name.
    pub fn told(self, note: &'e Diagnostic) -> &'e str {
        let rest = match self.group {
            Group::Extensions(category) => {
                let named = Named { scope: self.origin.scope, id: self.name, category };
                note.message.strip_prefix(&format!("{named}: "))
            }
            Group::Mcp => note
                .message
                .strip_prefix(&format!("{}/", self.origin.scope))
                .and_then(|rest| rest.split_once(" (MCPServer): "))
                .map(|(_, rest)| rest),
            Group::Skills | Group::Agents => None,
        };
        rest.unwrap_or(&note.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_sorted_and_have_every_category() {
        assert!(Group::ALL.is_sorted_by_key(|group| group.as_str()), "Group::ALL must stay sorted by name");
        for category in Category::ALL {
            assert!(Group::ALL.contains(&Group::Extensions(category)), "`{category}` is a group");
        }
        for group in Group::ALL {
            assert_eq!(group.as_str().parse(), Ok(group));
        }
    }
}
