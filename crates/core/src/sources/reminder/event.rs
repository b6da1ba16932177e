//! Events, as a program sends them.

use crate::{input_error::InputError, json_type::json_type};
use serde_json::{Map, Value};

/// The most events that one request may name.
pub const MOST_EVENTS: usize = 1_000;

/// An event: a type and fields. Not checked yet: whether the type is known; see
/// [`ReminderCatalog::check`](super::ReminderCatalog::check).
///
/// ```
/// use preface_core::reminder::Event;
/// let event = Event::read(&serde_json::json!({"type": "plan-exited", "path": "plan.md"})).unwrap();
/// assert_eq!((event.kind.as_str(), event.fields.len()), ("plan-exited", 1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The type of the event: the id of a reminder.
    pub kind: String,
    /// Everything else, in its order.
    pub fields: Map<String, Value>,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// A value that is no object, or has no `type` that is a string.
    pub fn read(value: &Value) -> Result<Self, InputError> {
        let what = match value {
            Value::Object(fields) => match fields.get("type") {
                Some(Value::String(kind)) => {
                    let mut fields = fields.clone();
                    fields.shift_remove("type");
                    return Ok(Event { kind: kind.clone(), fields });
                }
                Some(other) => format!("the `type` of an event must be a string, not {}", json_type(other)),
                None => "an event needs a `type`".to_owned(),
            },
            other => format!("an event must be an object, not {}", json_type(other)),
        };
        let help = r#"an event is an object with a `type`, such as `{"type": "…", "path": "src/a.rs"}`"#;
        Err(InputError::new(what).help(help))
    }
}
