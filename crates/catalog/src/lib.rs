//! Reads a directory in the form of the public prompt catalog, and compiles each `${…}` in it to the small tree that
//! `preface-core` works out. This is the one crate that knows JavaScript: a parser, no engine. Nothing is run here.
//!
//! [`import()`] takes the bytes of the files and gives an index and the compiled texts; it reads no disk. A file that
//! cannot be read, and each `${…}` that stays as it is written, is a [diagnostic](preface_core::diagnostic::Diagnostic); of all
//! that can be wrong with a catalog only two things refuse it ([`ImportError`]).
//!
//! ```
//! use preface_catalog::{CatalogSource, SourceFile, import};
//!
//! let file = SourceFile {
//!     name: "greeting.md".to_owned(),
//!     bytes: b"<!--\nname: 'Greeting'\nvariables:\n  - WHO\n-->\nHello ${WHO}.\n".to_vec(),
//! };
//! let source = CatalogSource { files: vec![file], readme: None, version: Some("2.1.37".to_owned()) };
//! let imported = import(&source).unwrap();
//! assert_eq!(imported.index.prompts[0].name, "Greeting");
//! assert_eq!(imported.diagnostics, []);
//! ```

mod compile;
mod diff;
mod header;
mod import;
mod readme;
mod verify;
mod version;

pub use compile::{CompiledBody, MAX_BYTES, MAX_NESTING, MAX_WORK, compile};
pub use diff::{
    CatalogDifference, CatalogPrompt, Likeness, PromptChange, PromptRename, VariableDifference, diff,
};
pub use header::{Header, read as read_header};
pub use import::{CatalogSource, ImportError, ImportedCatalog, SourceFile, compiled_bytes, import};
pub use readme::{Readme, read as read_readme};
pub use verify::{StoredCatalogFiles, verify};
pub use version::generation_of;
