//! What every row of a listing has, be it an extension or an MCP server: one look and one set of words for both.

use preface_engine::{
    ScopesReport,
    core::{
        diagnostic::{Diagnostic, DiagnosticCode, Severity},
        extension::{
            Ability, Category, DisabledBy, EntryOrigin, ExtensionEntry, HookRole, Layered, Scopes, Slot,
            Status, UnknownCategory,
        },
        mcp_servers::{McpServers, ServerEntry},
        settings::SetBy,
    },
    host::{agents::AgentEntry, markdown::FileEntry, skills::SkillEntry},
};
use std::{fmt, str::FromStr};

/// The group of a heading: a category of extensions, the MCP servers, the skills, or the agents.
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

    /// Returns all groups: those of [`ListingGroup::ALL`], the skills and the agents.
    pub fn every() -> impl Iterator<Item = ListingGroup> {
        ListingGroup::ALL.into_iter().chain([ListingGroup::Skills, ListingGroup::Agents])
    }

    /// Returns its name.
    pub fn as_str(self) -> &'static str {
        match self {
            ListingGroup::Extensions(category) => category.as_str(),
            ListingGroup::Mcp => "servers",
            ListingGroup::Skills => "skills",
            ListingGroup::Agents => "agents",
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

/// The extensions, the servers, the skills and the agents of all layers.
#[derive(Clone, Debug, Default)]
pub struct LayerContents {
    /// The extensions.
    pub scopes: Scopes,
    /// The servers.
    pub mcp: McpServers,
    /// The skills, if the listing has them.
    pub skills: Vec<SkillEntry>,
    /// The agents, if the listing has them.
    pub agents: Vec<AgentEntry>,
}

impl LayerContents {
    /// Takes the extensions and the servers out of a report.
    pub fn of(report: &ScopesReport) -> Self {
        LayerContents { scopes: report.scopes.clone(), mcp: report.mcp.clone(), ..LayerContents::default() }
    }

    /// Returns the rows of a group, by name and layer.
    pub fn rows(&self, group: ListingGroup) -> Vec<ListingRow<'_>> {
        match group {
            ListingGroup::Extensions(category) => self.scopes.of(category).map(ListingRow::from).collect(),
            ListingGroup::Mcp => self.mcp.servers.iter().map(ListingRow::from).collect(),
            ListingGroup::Skills => self.skills.iter().map(ListingRow::from).collect(),
            ListingGroup::Agents => self.agents.iter().map(ListingRow::from).collect(),
        }
    }

    /// Returns all rows, group by group.
    pub fn all_rows(&self) -> Vec<ListingRow<'_>> {
        ListingGroup::ALL.into_iter().flat_map(|group| self.rows(group)).collect()
    }
}

/// A row of a listing.
#[derive(Clone, Copy, Debug)]
pub struct ListingRow<'e> {
    pub group: ListingGroup,
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
    pub role: Option<HookRole>,
    /// The event that a hook names.
    pub event: Option<&'e str>,
    /// The text that invokes a command, if that is not its id.
    pub typed: Option<&'e str>,
    pub diagnostics: &'e [Diagnostic],
}

impl<'e> From<&'e ExtensionEntry> for ListingRow<'e> {
    fn from(entry: &'e ExtensionEntry) -> Self {
        let ability = entry.value.ability.as_ref();
        let mut row = ListingRow::layered(ListingGroup::Extensions(entry.value.category), entry);
        row.missing = ability.and_then(Ability::missing);
        match ability {
            Some(Ability::Hook(hook)) => (row.role, row.event) = (Some(hook.role), hook.event.as_deref()),
            Some(Ability::Command(command)) => row.typed = command.name.as_deref(),
            _ => {}
        }
        row
    }
}

impl<'e> From<&'e ServerEntry> for ListingRow<'e> {
    fn from(entry: &'e ServerEntry) -> Self {
        ListingRow::layered(ListingGroup::Mcp, entry)
    }
}

impl<'e> From<&'e SkillEntry> for ListingRow<'e> {
    fn from(entry: &'e SkillEntry) -> Self {
        ListingRow::file(ListingGroup::Skills, entry)
    }
}

impl<'e> From<&'e AgentEntry> for ListingRow<'e> {
    fn from(entry: &'e AgentEntry) -> Self {
        let about = entry.value.what.as_ref().map(|agent| agent.description.as_str());
        ListingRow { about, ..ListingRow::file(ListingGroup::Agents, entry) }
    }
}

impl<'e> ListingRow<'e> {
    fn layered<T>(group: ListingGroup, entry: &'e Layered<T>) -> Self {
        ListingRow {
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

    fn file<T>(group: ListingGroup, entry: &'e FileEntry<T>) -> Self {
        ListingRow {
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
        self.diagnostics.iter().filter(|diagnostic| {
            diagnostic.severity >= Severity::Warning && diagnostic.code != DiagnosticCode::McpUnknownKey
        })
    }

    /// Returns the message of a diagnostic without the entry's name.
    pub fn message_of(self, diagnostic: &'e Diagnostic) -> &'e str {
        let named = diagnostic.subject.as_ref().map(|subject| format!("{subject}: "));
        named.and_then(|named| diagnostic.message.strip_prefix(&named)).unwrap_or(&diagnostic.message)
    }
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
        for group in ListingGroup::ALL {
            assert_eq!(group.as_str().parse(), Ok(group));
        }
        assert_eq!("mcp".parse(), Ok(ListingGroup::Mcp));
    }
}
