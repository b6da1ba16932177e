//! The messages beside the prompt: what a conversation's file says, and what a model sees of it.
//!
//! A [`Message`] is one entry of a history: a user's or a model's words, a tool's result, and the kinds that only an agent
//! knows: a shell command that the user ran, an extension's message, a summary. [`read`] takes them from a file,
//! [`convert`] turns them into the roles that a model knows, with the words of [`MessageForms`]. Fields and blocks that
//! preface does not know stay as they are. `docs/messages.md` is the guide.

mod convert;
mod forms;
mod framed;
mod guard;
mod model;
mod noun;
mod read;
mod role;
mod shell;
mod value;

pub use convert::{Conversion, Dropped, DroppedWhy, Escaped, convert};
pub use forms::{Frame, MessageForms, ShellForms, SystemMessages};
pub use guard::Guard;
pub use model::{FrameSpan, MessageOrigin, ModelMessage};
pub use noun::{Message, MessageFault};
pub use read::{MOST_BYTES, MOST_MESSAGES, MessagesError, read};
pub use role::{ModelRole, Role, UnknownRole};
