//! Why an event calls for nothing.

use super::EventField;
use crate::{settings::shown, suggestion::quoted};

/// An event that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EventError {
    /// The event is not an object, but this.
    #[error("an event must be an object, not {0}")]
    NoObject(&'static str),
    /// The event has no type.
    #[error("an event needs a `type`")]
    NoType,
    /// The type of the event is not a string, but this.
    #[error("the `type` of an event must be a string, not {0}")]
    TypeIsNoText(&'static str),
    /// No reminder has this id.
    #[error("unknown type of event: `{}`", shown(kind))]
    UnknownType {
        /// The type.
        kind: String,
        /// The id that was most likely meant.
        near: Option<String>,
        /// The ids that there are.
        known: Vec<String>,
    },
    /// The event has no such field.
    #[error("the event `{kind}` has no field `{}`", shown(name))]
    UnknownField {
        /// The event's type.
        kind: String,
        /// The field.
        name: String,
        /// The field that was most likely meant.
        near: Option<String>,
        /// The fields that there are.
        known: Vec<EventField>,
    },
    /// A field is missing that must be there.
    #[error("the event `{kind}` needs `{}`: {}", field.name, field.kind.expects())]
    Missing {
        /// The event's type.
        kind: String,
        /// The field.
        field: EventField,
    },
    /// A field holds something else than it must.
    #[error("`{}` of the event `{kind}` must be {}, not {found}", field.name, field.kind.expects())]
    WrongType {
        /// The event's type.
        kind: String,
        /// The field.
        field: EventField,
        /// The kind of value in the field.
        found: &'static str,
    },
}

impl EventError {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            EventError::UnknownType { near: Some(near), .. }
            | EventError::UnknownField { near: Some(near), .. } => format!("did you mean `{near}`?"),
            EventError::UnknownType { known, .. } => format!("the types are {}", known.join(", ")),
            EventError::UnknownField { known, .. } if known.is_empty() => "it has no fields".to_owned(),
            EventError::UnknownField { known, .. } => format!("its fields are {}", quoted(known)),
            EventError::NoObject(_) | EventError::NoType | EventError::TypeIsNoText(_) => {
                r#"an event is an object with a `type`, such as `{"type": "…", "path": "src/a.rs"}`"#
                    .to_owned()
            }
            EventError::WrongType { field, found: "null", .. } if field.optional => "leave it out".to_owned(),
            EventError::Missing { .. } | EventError::WrongType { .. } => return None,
        })
    }
}
