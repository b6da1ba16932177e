//! The messages beside the prompt: the history in a conversation's file, and its conversion for a model.
//!
//! A [`Message`] is one entry of a history: a text of a user or a model, a tool's result, or one of the kinds
//! that only an agent has: a shell command that the user ran, an extension's message, a summary. [`read`]
//! reads them from a file, [`convert`] turns them into the roles that a model accepts, with the texts of
//! [`MessageForms`]. Unknown fields and blocks stay as they are. `docs/reference/messages.md` is the guide.

mod convert;
mod forms;
mod framed;
mod guard;
mod model;
mod read;
mod role;
mod shell;
mod types;

pub use convert::{DropReason, DroppedMessage, EscapedMessage, MessageConversion, convert};
pub use forms::{MessageForms, MessageFrame, ShellForms, SystemMessages};
pub use guard::ImitationPolicy;
pub use model::{FrameSpan, MessageOrigin, ModelMessage};
pub use read::{MOST_BYTES, MOST_MESSAGES, MessagesError, read};
pub use role::{ModelRole, Role, UnknownRole};
pub(crate) use types::is_item;
pub use types::{Message, MessageFault};
