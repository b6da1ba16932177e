//! An entry of one layer: an extension or an MCP server, whether it is active, and which entries of its name it hides.

use super::{
    ability::{Ability, Action},
    category::Category,
    slot::Slot,
};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    scope::Scope,
    settings::SetBy,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::fmt;

/// Where an entry comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EntryOrigin {
    /// The layer.
    pub scope: Scope,
    /// The manifest, or whatever else declares it, for people.
    pub path: String,
}

/// Who switched an entry off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct DisabledBy {
    /// The layer, or the caller.
    pub scope: SetBy,
    /// The file that says so.
    pub path: String,
    /// Its line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
}

impl DisabledBy {
    pub(crate) fn at(scope: impl Into<SetBy>, place: &Place) -> Self {
        DisabledBy { scope: scope.into(), path: place.path.clone(), line: place.line }
    }
}

impl fmt::Display for DisabledBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        write!(f, "{}{line} ({})", self.path, self.scope)
    }
}

/// How an entry fared in validation and with those who can switch it off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It is sound. Whether it is active is another question: a stronger one may hide it.
    Ok,
    /// It failed validation, or it was switched off.
    Disabled,
    /// It needs a grant and has none; the entry below it stays active until it does.
    Pending,
    /// It waits for trust; nobody looked at what it says.
    Held,
}

/// An entry of one layer. In JSON it is a row of `preface scopes --format json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Layered<T> {
    /// Its kind, and what it brings.
    #[serde(flatten)]
    pub value: T,
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one is used under its name (a hook: where it takes part).
    pub active: bool,
    /// True where it is active, complete, and may do what it does.
    pub runnable: bool,
    /// The sound entries of lower layers that it hides, the nearest first.
    pub shadows: Vec<EntryOrigin>,
    /// The entry of a higher layer that hides it.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub shadowed_by: Option<EntryOrigin>,
    /// The file or caller that switched it off; a server may do that itself.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub disabled_by: Option<DisabledBy>,
    /// The override that cannot be used, which it stays active in spite of.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub fallback_from: Option<EntryOrigin>,
    /// Its place in its slot, from 0, where it is a hook that takes part.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub order: Option<usize>,
    /// Its slot, where it is a hook.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, required))]
    pub slot: Option<Slot>,
    /// The strongest layer whose configuration is used. An override of a server replaces the whole entry.
    pub config_scope: SetBy,
    /// The result of its validation, and of what can switch it off.
    pub status: Status,
    /// One line about it, without values of variables and headers.
    #[cfg_attr(feature = "openapi", schema(required))]
    pub about: Option<String>,
    /// What it would do to the machine, with such values masked.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<super::ability::ActionShape>, required))]
    pub action: Option<Action>,
    /// What came up about it.
    pub diagnostics: Vec<Diagnostic>,
}

/// An extension of one layer.
pub type Entry = Layered<Extension>;

/// The part of an entry that only extensions have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Extension {
    /// What it is.
    pub category: Category,
    /// What it brings; `None` where preface has it built in, or where it failed.
    #[serde(skip)]
    pub ability: Option<Ability>,
    /// Its configuration: the manifest's, with what settings change. It may hold what no listing may show.
    #[serde(skip)]
    pub config: Map<String, Value>,
}

impl Entry {
    pub(super) fn of(category: Category, name: &str, origin: EntryOrigin) -> Self {
        Layered::new(Extension { category, ability: None, config: Map::new() }, name, origin)
    }
}

impl<T> Layered<T> {
    pub(crate) fn new(value: T, name: &str, origin: EntryOrigin) -> Self {
        Layered {
            value,
            name: name.to_owned(),
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
            diagnostics: Vec::new(),
            origin,
        }
    }

    /// True where the entry would start a program, talk to an address or write a file, and comes from a project: that
    /// needs a grant of its own.
    #[must_use]
    pub fn needs_grant(&self) -> bool {
        self.origin.scope == Scope::Project && self.action.is_some()
    }

    /// Reports the entries that this one hides where it is active, and what switched it off where no other hides it.
    pub(crate) fn report(&mut self, who: &impl fmt::Display, is_strongest: bool) {
        let here = Place::file(Some(self.origin.scope), self.origin.path.clone());
        if self.active && !self.shadows.is_empty() {
            let hidden =
                self.shadows.iter().map(|origin| format!("the {} one ({})", origin.scope, origin.path));
            let what = format!("{who} hides {}", hidden.collect::<Vec<_>>().join(" and "));
            self.diagnostics.push(Diagnostic::info(DiagnosticCode::ScopeShadows, what).at(here));
        }
        if let (true, Some(by)) = (is_strongest, &self.disabled_by) {
            let what = format!("{who} is switched off by {by}");
            self.diagnostics.push(Diagnostic::info(DiagnosticCode::ScopeDisabled, what));
        }
    }
}

/// Decides among the entries of one name, the weakest layer first, and returns the index of the strongest sound one. Entries
/// with [`Status::Ok`] are sound. The strongest is active unless it is switched off; it hides the other sound ones unless
/// entries of one name `run_together`. The status of sound entries that are switched off becomes [`Status::Disabled`].
pub(crate) fn decide<T>(rows: &mut [Layered<T>], run_together: bool) -> Option<usize> {
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
        let failed = above.iter().rfind(|row| row.status != Status::Held);
        let failed = failed.filter(|row| row.origin.scope > top.origin.scope);
        top.fallback_from = failed.map(|row| row.origin.clone());
    }
    for row in rows.iter_mut().filter(|row| row.status == Status::Ok) {
        row.active = row.shadowed_by.is_none() && row.disabled_by.is_none();
        if row.disabled_by.is_some() {
            row.status = Status::Disabled;
        }
    }
    Some(strongest)
}

/// Reports that one layer switches on, at `on`, what another one switches off.
pub(crate) fn switched_on(
    who: &impl fmt::Display,
    off: &DisabledBy,
    on: &DisabledBy,
    is_on: bool,
) -> Diagnostic {
    if is_on {
        let what = format!("{who}, which {off} switches off, is switched on again by {on}");
        return Diagnostic::info(DiagnosticCode::ScopeEnabled, what);
    }
    let what = format!("{who} stays switched off by {off}; {on} does not switch it on");
    Diagnostic::warning(DiagnosticCode::ScopeEnabled, what)
        .help("a project does not start what you switched off")
}
