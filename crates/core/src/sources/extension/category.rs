//! The nine kinds of extensions.

use serde::{Deserialize, Serialize};
use std::{fmt, str::FromStr};

/// The category of an extension. The names are those of directories, settings keys and JSON; the order is
/// theirs by code point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Category {
    /// Commands that a user types.
    Commands,
    /// Providers of text for the prompt.
    ContextProviders,
    /// Programs that run between the stages of a turn; the one category with an order.
    Hooks,
    /// Writers of audit events.
    Loggers,
    /// Model providers.
    Providers,
    /// Stores for conversations.
    SessionStores,
    /// Workflows.
    StateMachines,
    /// Tools that a model may call.
    Tools,
    /// User interfaces.
    Ui,
}

impl Category {
    /// All categories, by name.
    pub const ALL: [Category; 9] = [
        Category::Commands,
        Category::ContextProviders,
        Category::Hooks,
        Category::Loggers,
        Category::Providers,
        Category::SessionStores,
        Category::StateMachines,
        Category::Tools,
        Category::Ui,
    ];

    /// Returns the name for the directory, the settings key and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        NAMES[self as usize].0
    }

    /// Returns the singular for diagnostics and audit events: `Tool`.
    #[must_use]
    pub fn kind(self) -> &'static str {
        NAMES[self as usize].1
    }

    /// Returns true for the category whose entries run in an order instead of being called by name.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        self == Category::Hooks
    }
}

/// The name and the singular of each category.
const NAMES: [(&str, &str); Category::ALL.len()] = [
    ("commands", "Command"),
    ("contextProviders", "ContextProvider"),
    ("hooks", "Hook"),
    ("loggers", "Logger"),
    ("providers", "Provider"),
    ("sessionStores", "SessionStore"),
    ("stateMachines", "StateMachine"),
    ("tools", "Tool"),
    ("ui", "UI"),
];

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Category {
    type Err = UnknownCategory;

    fn from_str(name: &str) -> Result<Self, UnknownCategory> {
        Category::ALL.into_iter().find(|category| category.as_str() == name).ok_or(UnknownCategory)
    }
}

/// The error for an unknown category name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnknownCategory;

impl fmt::Display for UnknownCategory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = Category::ALL.iter().map(|category| category.as_str()).collect();
        write!(f, "it is one of {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_sorted_and_lead_back() {
        assert!(
            Category::ALL.windows(2).all(|pair| pair[0].as_str() < pair[1].as_str() && pair[0] < pair[1]),
            "by name and by the order of the enum"
        );
        for category in Category::ALL {
            assert_eq!(category.as_str().parse(), Ok(category));
            assert_eq!(serde_json::to_value(category).unwrap(), category.as_str());
        }
        assert_eq!("Tools".parse::<Category>(), Err(UnknownCategory));
    }
}
