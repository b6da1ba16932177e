//! Imported prompt catalogs: texts with expressions, compiled at import and evaluated here.
//!
//! `preface-catalog` reads the files of a catalog and compiles each `${…}` to an [`Expression`]. The result
//! is data: a [`CatalogIndex`] and a [`CatalogText`] for each prompt. Bindings are the values of the names in an
//! expression. Evaluation is total: the only loops are those over lists, the work is limited, and there is no
//! access to the machine.

mod binding;
mod body;
mod evaluate;
mod expression;
mod index;
mod method;
mod text;
mod value;

pub use binding::{Binding, Bindings};
pub use body::{BodyRun, CatalogBody, CatalogTexts};
pub use evaluate::{
    EvaluationError, EvaluationScope, MOST_BYTES, MOST_DEPTH, MOST_STEPS, VariableLookup, evaluate,
};
pub use expression::{Binary, Expression, GLOBALS, Number, Statement, Unary};
pub use index::{CatalogEntry, CatalogIndex, Generation, INDEX_FORMAT, compiled_file};
pub use text::{CatalogChunk, CatalogText, UncompiledReason};
pub use value::{Fragment, FragmentSource};
