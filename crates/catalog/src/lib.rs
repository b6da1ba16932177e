//! Reads a directory in the form of the public prompt catalog, and converts each prompt to a template of the language of
//! `preface-core`. This is the one crate that knows JavaScript: a parser, no engine. Nothing is run here.
//!
//! [`import()`] takes the bytes of the files and gives an index with the templates; it reads no disk. A file that cannot be
//! read is a [diagnostic](preface_core::diagnostic::Diagnostic); of all that can be wrong with a catalog only two things refuse
//! it ([`ImportError`]).
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
//! assert_eq!(imported.index.template("Greeting"), "Hello [catalog:WHO].");
//! ```

mod convert;
mod escape;
mod extent;
mod header;
mod import;
mod readme;
mod version;

pub use convert::{CONVERTER, Converted, convert};
pub use header::{Header, read as read_header};
pub use import::{CatalogSource, ImportError, ImportedCatalog, SourceFile, import};
pub use readme::{Readme, read as read_readme};
pub use version::generation_of;
