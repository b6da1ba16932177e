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

/// How an entry stands. Every listing uses these words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It answers to its name, and works.
    Active,
    /// A stronger layer's entry answers to its name.
    Hidden,
    /// A settings file or the caller switched it off.
    Off,
    /// It failed validation.
    Broken,
    /// It waits for trust; nobody looked at what it says.
    Held,
    /// It is active, but its manifest lacks what it needs to be used.
    Incomplete,
    /// It is active, but what it would do to the machine needs a grant.
    NeedsGrant,
    /// It needs a grant, too, and a lower layer's entry is active until it has one.
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
