//! Whole-line specifications as Markdown.

mod parse;
mod run;

pub use parse::{Case, CaseEntry, CaseFile, CaseStep, CaseTurn, Expectation, parse};
pub use run::{run, run_file};
