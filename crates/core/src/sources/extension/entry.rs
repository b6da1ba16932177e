//! An entry of one layer: an extension, an MCP server, a skill, an agent, an output style or a command, with its
//! state and the entries of its name that it hides.

use super::{
    ability::{Ability, PrivilegedAction},
    category::Category,
    slot::Slot,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    scope::Scope,
    settings::{SetBy, shown},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// The origin of an entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EntryOrigin {
    /// The layer.
    pub scope: Scope,
    /// The path of the manifest or other file that declares it, for display.
    pub path: String,
}

/// The layer and file that disabled an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DisabledBy {
    /// The layer, or the caller.
    pub scope: SetBy,
    /// The file that disables it.
    pub path: String,
    /// The line in the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl fmt::Display for DisabledBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line} ({})", self.path, self.scope)
    }
}

/// The result of an entry's validation, and of settings that can disable it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A valid entry. It is active unless a stronger one hides it.
    Ok,
    /// An entry that failed validation or was disabled.
    Disabled,
    /// An entry that lacks a grant it needs; until then the entry below it stays active.
    Pending,
    /// An untrusted entry, which was not read.
    Untrusted,
}

/// An entry of one layer. In JSON it is a row of `preface list`; the keys of `value` are beside its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Entry<T> {
    /// The kind and content.
    #[serde(flatten)]
    pub value: T,
    /// The name under which it is used.
    pub name: String,
    /// The origin of the entry.
    pub origin: EntryOrigin,
    /// True if this entry is the one used under its name (for a hook: if it runs).
    pub active: bool,
    /// True if it is active, complete, and has the grant that it needs.
    pub runnable: bool,
    /// The valid entries of lower layers that it hides, the nearest first.
    pub shadows: Vec<EntryOrigin>,
    /// The entry of a higher layer that hides it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub shadowed_by: Option<EntryOrigin>,
    /// The file or caller that disabled it; a server's own entry can do that.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub disabled_by: Option<DisabledBy>,
    /// The unusable override in spite of which this entry is active.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub fallback_from: Option<EntryOrigin>,
    /// The position in its slot, from 0, if it is a hook that runs.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub order: Option<usize>,
    /// The slot, if it is a hook.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, required))]
    pub slot: Option<Slot>,
    /// The strongest layer whose configuration is used. An override of a server replaces the whole entry.
    pub config_scope: SetBy,
    /// The result of its validation, and of settings that can disable it.
    pub status: Status,
    /// The summary in one line, without values of environment variables and headers.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub about: Option<String>,
    /// The action that needs permission, with such values masked.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub action: Option<PrivilegedAction>,
    /// The fields without which it cannot be used, for messages.
    #[serde(skip)]
    pub missing: Option<&'static str>,
    /// The diagnostics about the entry.
    pub diagnostics: Vec<Diagnostic>,
}

/// The state of an entry. Every listing uses these words; the order is that of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum EntryState {
    /// The entry of its name, and usable.
    Active,
    /// Active, but what it would do to the machine needs a grant.
    #[strum(serialize = "needs grant")]
    NeedsGrant,
    /// In need of a grant; until then a lower layer's entry is active.
    Pending,
    /// Active, but its manifest lacks a field that it needs to be used.
    Incomplete,
    /// Invalid.
    Broken,
    /// Left out because it is untrusted; its content was not checked.
    Untrusted,
    /// Disabled by a settings file or the caller.
    Off,
    /// Hidden by an entry of a stronger layer.
    Hidden,
}

impl EntryState {
    /// Returns the word for tables and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// An extension of one layer.
pub type ExtensionEntry = Entry<Extension>;

/// The fields of an entry that only extensions have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Extension {
    /// The category of the extension.
    pub category: Category,
    /// The content; `None` if it is built in, or if it failed.
    #[serde(skip)]
    pub ability: Option<Ability>,
    /// The configuration: the manifest's, as changed by settings. It may contain secrets that no listing may
    /// show.
    #[serde(skip)]
    pub config: Map<String, Value>,
}

impl ExtensionEntry {
    pub(super) fn of(category: Category, name: &str, origin: EntryOrigin) -> Self {
        Entry::new(Extension { category, ability: None, config: Map::new() }, name, origin)
    }
}

impl<T> Entry<T> {
    /// Returns a valid entry that has only a name, an origin and a value.
    pub fn new(value: T, name: impl Into<String>, origin: EntryOrigin) -> Self {
        Entry {
            value,
            name: name.into(),
            active: false,
            runnable: false,
            shadows: Vec::new(),
            shadowed_by: None,
            disabled_by: None,
            fallback_from: None,
            order: None,
            slot: None,
            config_scope: origin.scope.into(),
            status: Status::Ok,
            about: None,
            action: None,
            missing: None,
            diagnostics: Vec::new(),
            origin,
        }
    }

    /// Returns the entry with another value.
    #[must_use]
    pub fn with_value<U>(&self, value: U) -> Entry<U> {
        Entry {
            value,
            name: self.name.clone(),
            origin: self.origin.clone(),
            active: self.active,
            runnable: self.runnable,
            shadows: self.shadows.clone(),
            shadowed_by: self.shadowed_by.clone(),
            disabled_by: self.disabled_by.clone(),
            fallback_from: self.fallback_from.clone(),
            order: self.order,
            slot: self.slot,
            config_scope: self.config_scope,
            status: self.status,
            about: self.about.clone(),
            action: self.action.clone(),
            missing: self.missing,
            diagnostics: self.diagnostics.clone(),
        }
    }

    /// Returns the state.
    #[must_use]
    pub fn state(&self) -> EntryState {
        match self.status {
            Status::Untrusted => EntryState::Untrusted,
            Status::Disabled if self.disabled_by.is_some() => EntryState::Off,
            Status::Disabled => EntryState::Broken,
            Status::Pending => EntryState::Pending,
            Status::Ok if !self.active => EntryState::Hidden,
            Status::Ok if self.runnable => EntryState::Active,
            Status::Ok if self.missing.is_some() => EntryState::Incomplete,
            Status::Ok => EntryState::NeedsGrant,
        }
    }

    /// Returns true if the entry comes from a project and would start a program, connect to an address or
    /// write a file, which needs a grant of its own.
    #[must_use]
    pub fn needs_grant(&self) -> bool {
        self.origin.scope == Scope::Project && self.action.is_some()
    }

    /// Returns the place of its file.
    #[must_use]
    pub fn place(&self) -> Place {
        Place::file(Some(self.origin.scope), self.origin.path.clone())
    }
}

/// The kind of an entry in the words of diagnostics.
pub trait EntryKind {
    /// Returns the kind in one word: `Tool`.
    fn kind(&self) -> &'static str;
}

impl EntryKind for Extension {
    fn kind(&self) -> &'static str {
        self.category.kind()
    }
}

impl<T: EntryKind> Entry<T> {
    /// Returns its designation in a diagnostic: `project/Bash (Tool)`.
    pub(crate) fn label(&self) -> String {
        format!("{}/{} ({})", self.origin.scope, shown(&self.name), self.value.kind())
    }

    /// Reports the entries that this one hides if it is active, or its disabling if it is the strongest.
    pub(crate) fn report(&mut self, is_strongest: bool) {
        if self.active && !self.shadows.is_empty() {
            let hidden =
                self.shadows.iter().map(|origin| format!("the {} one ({})", origin.scope, origin.path));
            let what = format!("{} hides {}", self.label(), hidden.collect::<Vec<_>>().join(" and "));
            self.diagnostics.push(Diagnostic::info(DiagnosticCode::ScopeShadows, what).at(self.place()));
        }
        if let (true, Some(by)) = (is_strongest, &self.disabled_by) {
            let what = format!("{} is switched off by {by}", self.label());
            self.diagnostics.push(Diagnostic::info(DiagnosticCode::ScopeDisabled, what));
        }
    }
}

/// Selects the active one among the entries of one name, the weakest first, and returns its index. Entries with
/// [`Status::Ok`] are valid. Those above the strongest usable one (`is_usable`; complete and not disabled, too)
/// give way to it: they become [`Status::Pending`], or invalid if they lack a field. Then the strongest valid one
/// is active unless it is disabled; it hides the other valid ones. Entries that `run_together` give way to none
/// and hide none. The status of valid entries that are disabled becomes [`Status::Disabled`].
pub fn select_active<T>(
    rows: &mut [&mut Entry<T>],
    run_together: bool,
    is_usable: &dyn Fn(usize, &Entry<T>) -> bool,
) -> Option<usize> {
    let is_able =
        |row: &Entry<T>| row.status == Status::Ok && row.disabled_by.is_none() && row.missing.is_none();
    let able = (0..rows.len()).rev().find(|at| is_able(rows[*at]) && is_usable(*at, rows[*at]));
    if let Some(able) = able.filter(|_| !run_together) {
        for row in rows[able + 1..].iter_mut().filter(|row| row.status == Status::Ok) {
            row.disabled_by = None;
            row.status = if row.missing.is_some() { Status::Disabled } else { Status::Pending };
        }
    }
    let strongest = rows.iter().rposition(|row| row.status == Status::Ok)?;
    let (below, rest) = rows.split_at_mut(strongest);
    let (top, above) = rest.split_first_mut()?;
    if !run_together {
        for row in below.iter_mut().rev().filter(|row| row.status == Status::Ok) {
            row.shadowed_by = Some(top.origin.clone());
            top.shadows.push(row.origin.clone());
        }
    }
    if top.disabled_by.is_none() {
        let failed = above.iter().rfind(|row| row.status != Status::Untrusted);
        top.fallback_from = failed.map(|row| row.origin.clone());
    }
    for row in rows.iter_mut().filter(|row| row.status == Status::Ok) {
        row.active = row.shadowed_by.is_none() && row.disabled_by.is_none();
        row.runnable = row.active && row.missing.is_none() && !row.needs_grant();
        if row.disabled_by.is_some() {
            row.status = Status::Disabled;
        }
    }
    Some(strongest)
}

/// A place that switches the entries of a name off or on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EntrySwitch {
    pub by: SetBy,
    pub off: bool,
    pub place: Place,
}

impl EntrySwitch {
    fn disabled_by(&self) -> DisabledBy {
        DisabledBy { scope: self.by, path: self.place.path.clone(), line: self.place.line }
    }
}

/// The switches of a name, the strongest first.
#[derive(Debug, Default)]
pub(crate) struct EntrySwitches(pub Vec<EntrySwitch>);

impl EntrySwitches {
    /// Returns the switches for an entry: those of the layers above it, and the one that stands in the entry itself.
    fn of<'s, T>(&'s self, entry: &Entry<T>) -> impl Iterator<Item = &'s EntrySwitch> {
        let scope = SetBy::from(entry.origin.scope);
        let path = &entry.origin.path;
        let applies = move |switch: &&EntrySwitch| {
            switch.by > scope || switch.by == scope && switch.place.path == *path
        };
        self.0.iter().filter(applies)
    }

    /// Returns the place that disabled an entry. The strongest switch decides; but a project cannot enable an entry
    /// that `acts` and that the user disabled.
    pub(crate) fn disabled_by<T>(&self, entry: &Entry<T>, acts: bool) -> Option<DisabledBy> {
        let is_users = acts && entry.origin.scope < Scope::Project;
        let decides = |switch: &&EntrySwitch| switch.off || switch.by != SetBy::Project || !is_users;
        self.of(entry).find(decides).filter(|switch| switch.off).map(EntrySwitch::disabled_by)
    }

    /// Reports that the strongest switch enables an entry that a weaker one disables. Returns the switch, too.
    pub(crate) fn report<T: EntryKind>(
        &self,
        entry: &Entry<T>,
        acts: bool,
    ) -> Option<(&EntrySwitch, Diagnostic)> {
        let on = self.of(entry).next().filter(|switch| !switch.off)?;
        let (off, at) = (self.of(entry).find(|switch| switch.off)?.disabled_by(), on.disabled_by());
        let who = entry.label();
        let diagnostic = if self.disabled_by(entry, acts).is_none() {
            let what = format!("{who}, which {off} switches off, is switched on again by {at}");
            Diagnostic::info(DiagnosticCode::ScopeEnabled, what)
        } else {
            let what = format!("{who} stays switched off by {off}; {at} does not switch it on");
            Diagnostic::warning(DiagnosticCode::ScopeEnabled, what)
                .help("a project does not start what you switched off")
        };
        Some((on, diagnostic.at(on.place.clone())))
    }
}
