//! Skills: files with a name and a description that a model reads when a task calls for them.
//!
//! Here is what a text alone decides: [`frontmatter`] splits it and reads its block, [`check`] reports its problems and
//! if the skill is used all the same, [`standard`] holds it against the Agent Skills standard, [`escape`] makes a
//! value safe between tags, and [`command`] turns `/skill:NAME` into the skill's text. Which files there are, in which
//! order, and which are trusted, is the host's.

pub mod check;
pub mod command;
pub mod escape;
pub mod frontmatter;
pub mod standard;
mod yaml;

pub use yaml::{YamlError, YamlFields};

/// The file that a skill's directory holds.
pub const SKILL_FILE: &str = "SKILL.md";

/// Returns the length of a text as skills count it: in UTF-16 code units.
#[must_use]
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}
