//! Whole-line specifications as Markdown.

mod parse;
mod run;

pub use parse::{Act, Case, CaseFile, Entry, Expectation, Turn, parse};
pub use run::{run, run_file};
