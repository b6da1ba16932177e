//! What the tests of preface share: the case runner and the machine that cases run on.
//!
//! A case is a Markdown file that says which files there are, what is asked, and what comes out. `cases/README.md`
//! describes the form; [`case::run_file`] runs one.

pub mod case;

pub use preface::host::system::memory::MemorySystem;
