//! How an entry stands, in one word.

use super::row::Row;
use crate::ui::style;
use anstyle::Style;
use preface::core::extension::Status;
use serde::Serialize;
use serde_json::{Value, json};

/// Returns a row as JSON, with its state in the word that tables have.
pub fn with_state<'e, T: Serialize>(entry: &'e T) -> Value
where
    Row<'e>: From<&'e T>,
{
    let mut row = json!(entry);
    row["state"] = State::of(entry).word().into();
    row
}

/// The state of an entry. Every listing uses these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// The entry of its name, and usable.
    Active,
    /// Hidden by an entry of a stronger layer.
    Hidden,
    /// Disabled by a settings file or the caller.
    Off,
    /// Invalid.
    Broken,
    /// Left out because it is untrusted; its content was not checked.
    Held,
    /// Active, but its manifest lacks a field that it needs to be used.
    Incomplete,
    /// Active, but what it would do to the machine needs a grant.
    NeedsGrant,
    /// In need of a grant; until then a lower layer's entry is active.
    Pending,
}

impl State {
    /// Works it out.
    pub fn of<'e>(row: impl Into<Row<'e>>) -> State {
        let entry = row.into();
        match entry.status {
            Status::Held => State::Held,
            Status::Disabled if entry.disabled_by.is_some() => State::Off,
            Status::Disabled => State::Broken,
            Status::Pending => State::Pending,
            Status::Ok if !entry.active => State::Hidden,
            Status::Ok if entry.runnable => State::Active,
            Status::Ok if entry.missing.is_some() => State::Incomplete,
            Status::Ok if entry.needs_grant => State::NeedsGrant,
            Status::Ok => State::Incomplete,
        }
    }

    /// Returns the word.
    pub fn word(self) -> &'static str {
        match self {
            State::Active => "active",
            State::Hidden => "hidden",
            State::Off => "off",
            State::Broken => "broken",
            State::Held => "held",
            State::Incomplete => "incomplete",
            State::NeedsGrant => "needs grant",
            State::Pending => "pending",
        }
    }

    /// Returns its style.
    pub fn style(self) -> Style {
        match self {
            State::Active => style::GOOD,
            State::Hidden | State::Off => style::DIM,
            State::Broken => style::BAD,
            State::Held | State::Incomplete | State::NeedsGrant | State::Pending => style::CARE,
        }
    }
}
