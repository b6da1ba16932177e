//! Imported prompt catalogs: texts with expressions in them, compiled when they were imported, worked out here.
//!
//! `preface-catalog` reads the files of a catalog and compiles each `${…}` to an [`Expression`]. What it makes is data: an
//! [`Index`] and a [`CatalogText`] for each prompt. Bindings say what each name in an expression stands for. Evaluation is
//! total: it has no loops but those over lists, a limit on its work, and no way to the machine.

mod binding;
mod body;
mod evaluate;
mod expression;
mod index;
mod method;
mod text;
mod value;

pub use binding::{Binding, Bindings};
pub use body::{CatalogBody, Run, Texts};
pub use evaluate::{Look, MOST_BYTES, MOST_DEPTH, MOST_STEPS, Sight, Stop, evaluate};
pub use expression::{Binary, Expression, GLOBALS, Number, Statement, Unary};
pub use index::{Entry, Generation, INDEX_FORMAT, Index, compiled_file};
pub use text::{CatalogText, Chunk, Unread};
pub use value::{Fragment, Said};
