//! The state of an entry as one word.

use super::row::ListingRow;
use crate::ui::style;
use anstyle::Style;
use preface_engine::core::extension::Status;
use serde::Serialize;
use serde_json::{Value, json};

/// Returns a row as JSON, with its state in the word that tables have.
pub fn with_state<'e, T: Serialize>(entry: &'e T) -> Value
where
    ListingRow<'e>: From<&'e T>,
{
    let mut row = json!(entry);
    row["state"] = EntryState::of(entry).word().into();
    row
}

/// The state of an entry. Every listing uses these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryState {
    /// The entry of its name, and usable.
    Active,
    /// Hidden by an entry of a stronger layer.
    Hidden,
    /// Disabled by a settings file or the caller.
    Off,
    /// Invalid.
    Broken,
    /// Left out because it is untrusted; its content was not checked.
    Untrusted,
    /// Active, but its manifest lacks a field that it needs to be used.
    Incomplete,
    /// Active, but what it would do to the machine needs a grant.
    NeedsGrant,
    /// In need of a grant; until then a lower layer's entry is active.
    Pending,
}

impl EntryState {
    /// Works it out.
    pub fn of<'e>(row: impl Into<ListingRow<'e>>) -> EntryState {
        let entry = row.into();
        match entry.status {
            Status::Untrusted => EntryState::Untrusted,
            Status::Disabled if entry.disabled_by.is_some() => EntryState::Off,
            Status::Disabled => EntryState::Broken,
            Status::Pending => EntryState::Pending,
            Status::Ok if !entry.active => EntryState::Hidden,
            Status::Ok if entry.runnable => EntryState::Active,
            Status::Ok if entry.missing.is_some() => EntryState::Incomplete,
            Status::Ok if entry.needs_grant => EntryState::NeedsGrant,
            Status::Ok => EntryState::Incomplete,
        }
    }

    /// Returns the state of a file that has no settings.
    pub fn of_status(status: Status, active: bool) -> EntryState {
        match status {
            Status::Untrusted => EntryState::Untrusted,
            Status::Ok if active => EntryState::Active,
            Status::Ok => EntryState::Hidden,
            Status::Disabled | Status::Pending => EntryState::Broken,
        }
    }

    /// Returns the word.
    pub fn word(self) -> &'static str {
        match self {
            EntryState::Active => "active",
            EntryState::Hidden => "hidden",
            EntryState::Off => "off",
            EntryState::Broken => "broken",
            EntryState::Untrusted => "untrusted",
            EntryState::Incomplete => "incomplete",
            EntryState::NeedsGrant => "needs grant",
            EntryState::Pending => "pending",
        }
    }

    /// Returns its style.
    pub fn style(self) -> Style {
        match self {
            EntryState::Active => style::GOOD,
            EntryState::Hidden | EntryState::Off => style::DIM,
            EntryState::Broken => style::BAD,
            EntryState::Untrusted | EntryState::Incomplete | EntryState::NeedsGrant | EntryState::Pending => {
                style::CARE
            }
        }
    }
}
