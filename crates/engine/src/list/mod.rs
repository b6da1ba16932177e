//! Listings: the entries of a directory, without a prompt.

pub(crate) mod agents;
pub(crate) mod reminders;
pub(crate) mod scopes;
pub(crate) mod settings;
pub(crate) mod skills;
pub(crate) mod variables;
