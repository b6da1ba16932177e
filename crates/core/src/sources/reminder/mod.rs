//! Reminders: short texts that are sent when something happened, near the newest message and never in the system prompt.
//!
//! A [`Reminder`] is a file: frontmatter with its event and the event's fields, and a template of its text.
//! An [`Event`] is a JSON object whose `type` is a reminder's id. The [`ReminderCatalog`] finds the [`DueReminder`] of an
//! event; [`remind()`] renders those into [`Attachment`](crate::attachment::Attachment)s. In a body
//! `[event:NAME]` is a field of the event; every other variable is what it is in any template.
//!
//! ```
//! use preface_core::{origin::Source, reminder::{Event, Reminder, ReminderCatalog}, scope::Scope};
//! use std::sync::Arc;
//! let text = "---\ndescription: A file is empty.\nfields: [path text]\n---\n[event:path] is empty.";
//! let source = Arc::new(Source { scope: Scope::Global, path: "~/empty.md".into() });
//! let mut catalogue = ReminderCatalog::default();
//! catalogue.put(Reminder::read("file-empty", &source, text, None).unwrap());
//! let event = Event::read(&serde_json::json!({"type": "file-empty", "path": "src/a.rs"})).unwrap();
//! assert_eq!(catalogue.check(&event).unwrap().variables["path"], "src/a.rs");
//! let event = Event::read(&serde_json::json!({"type": "file-empty", "paht": "src/a.rs"})).unwrap();
//! let error = catalogue.check(&event).unwrap_err();
//! assert_eq!(error.to_string(), "the event `file-empty` has no field `paht`");
//! assert_eq!(error.help.as_deref(), Some("did you mean `path`?"));
//! ```

mod catalogue;
mod event;
mod field;
mod read;
mod remind;
mod types;

pub use catalogue::ReminderCatalog;
pub use event::{Event, MOST_EVENTS};
pub use field::{EventField, FieldKind};
pub(crate) use remind::is_of_event;
pub use remind::{is_about_reminders, remind};
pub use types::{DueReminder, Reminder};
