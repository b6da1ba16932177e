//! All entries of all layers: which are active, their origins, and the entries that they hide.

use super::{
    category::Category,
    entry::{ExtensionEntry, Status},
    grants::ProviderChange,
    ordering::OrderingRewrite,
};
use crate::{
    audit::{AuditEvent, LoadedExtension},
    diagnostic::{Diagnostic, Diagnostics, Severity},
    scope::Scope,
    settings::SetBy,
};
use serde::Serialize;

/// All extensions of all layers, active or not, sorted by category, name and scope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scopes {
    /// The entries.
    pub entries: Vec<ExtensionEntry>,
    /// The orders that ordering manifests changed.
    pub rewrites: Vec<OrderingRewrite>,
    /// The changes of the project's settings to providers of other layers, granted or not.
    pub changes: Vec<ProviderChange>,
    /// The values of settings that are not used.
    pub ignored: Vec<IgnoredSetting>,
    /// The diagnostics, without duplicates.
    pub diagnostics: Diagnostics,
}

/// A value of settings that is not used, because it is not valid or not granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IgnoredSetting {
    /// The layer that sets it.
    pub by: SetBy,
    /// The keys: category, id, and that of the value.
    pub path: [String; 3],
}

/// The start-up summary. Each entry is counted once.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Startup {
    /// Entries that are active.
    pub loaded_count: usize,
    /// Entries that are disabled or failed.
    pub disabled_count: usize,
    /// Diagnostics about entries whose lower layer stayed active, and other warnings.
    pub warnings: Vec<Diagnostic>,
    /// The `<category>/<name>` of entries that are disabled or failed.
    pub disabled: Vec<String>,
    /// The number of entries that failed without a fallback.
    pub error_count: usize,
}

impl Scopes {
    /// Returns the active entry of a name; of hooks, which do not replace each other, the strongest.
    #[must_use]
    pub fn active<'a>(&'a self, category: Category, name: &'a str) -> Option<&'a ExtensionEntry> {
        self.named(category, name).rfind(|entry| entry.active)
    }

    /// Returns every entry of a name, weakest layer first.
    pub fn named<'a>(
        &'a self,
        category: Category,
        name: &'a str,
    ) -> impl DoubleEndedIterator<Item = &'a ExtensionEntry> {
        let key = (category, name);
        let start = self.entries.partition_point(|entry| (entry.value.category, entry.name.as_str()) < key);
        let end = self.entries.partition_point(|entry| (entry.value.category, entry.name.as_str()) <= key);
        self.entries[start..end].iter()
    }

    /// Returns the entries of a category.
    pub fn of(&self, category: Category) -> impl DoubleEndedIterator<Item = &ExtensionEntry> {
        let start = self.entries.partition_point(|entry| entry.value.category < category);
        let end = self.entries.partition_point(|entry| entry.value.category <= category);
        self.entries[start..end].iter()
    }

    /// Counts the entries for the start-up summary.
    #[must_use]
    pub fn startup(&self) -> Startup {
        let off = |entry: &&ExtensionEntry| entry.status == Status::Disabled;
        let failed = |entry: &&ExtensionEntry| {
            entry.disabled_by.is_none()
                && off(entry)
                && entry.diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
        };
        Startup {
            loaded_count: self.entries.iter().filter(|entry| entry.active).count(),
            disabled_count: self.entries.iter().filter(off).count(),
            warnings: self
                .diagnostics
                .iter()
                .filter(|diagnostic| diagnostic.severity == Severity::Warning)
                .cloned()
                .collect(),
            disabled: self
                .entries
                .iter()
                .filter(off)
                .map(|entry| format!("{}/{}", entry.value.category, entry.name))
                .collect(),
            error_count: self.entries.iter().filter(failed).count(),
        }
    }

    /// Returns the events for the audit log: each changed order, and, if a layer of the user or the project
    /// changes anything, every active extension with its layer. `disabled` lists the names without an active
    /// entry.
    #[must_use]
    pub fn audit(&self) -> Vec<AuditEvent> {
        let mut events: Vec<AuditEvent> =
            self.rewrites.iter().cloned().map(AuditEvent::OrderingRewrite).collect();
        let somebody =
            self.entries.iter().any(|entry| !is_unchanged_bundled(entry) || entry.disabled_by.is_some());
        if somebody {
            events.push(AuditEvent::ExtensionSetRevised {
                loaded: self
                    .entries
                    .iter()
                    .filter(|entry| entry.active)
                    .map(|entry| LoadedExtension {
                        id: entry.name.clone(),
                        kind: entry.value.category.kind().to_owned(),
                        scope: entry.origin.scope,
                        config_scope: entry.config_scope,
                        shadows: entry.shadows.iter().map(|origin| origin.scope).collect(),
                        fallback_from: entry.fallback_from.as_ref().map(|origin| origin.scope),
                    })
                    .collect(),
                disabled: self.disabled_names(),
            });
        }
        events
    }

    /// Returns `<category>/<name>` of entries that are disabled or failed, if no entry of the name is active.
    fn disabled_names(&self) -> Vec<String> {
        let off = self.entries.iter().filter(|entry| entry.status == Status::Disabled);
        let mut names: Vec<String> = off
            .filter(|entry| self.active(entry.value.category, &entry.name).is_none())
            .map(|entry| format!("{}/{}", entry.value.category, entry.name))
            .collect();
        names.dedup();
        names
    }
}

/// Returns true for a bundled entry that no other layer changes.
fn is_unchanged_bundled(entry: &ExtensionEntry) -> bool {
    entry.origin.scope == Scope::Bundled && entry.config_scope == SetBy::Bundled
}
