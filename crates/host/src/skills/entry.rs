//! A skill file that was found, whatever became of it.

use crate::markdown::FileEntry;
use preface_core::{
    origin::Source,
    skill::{Fields, Skill},
};
use serde::Serialize;
use std::{ops::Range, path::PathBuf, sync::Arc};

/// A skill file of one root. In JSON it is a row of `preface skills --format json`.
pub type SkillEntry = FileEntry<SkillFile>;

/// The part of an entry that only skills have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SkillFile {
    /// What it is for, as the model is told.
    pub description: Option<String>,
    /// Its file, absolute, links not resolved.
    pub location: String,
    /// True where no prompt lists it: it says `disable-model-invocation: true`.
    pub hidden: bool,
    /// Why it was not looked at, where it was not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<LeftOut>,
    /// What the Agent Skills standard has against it; filled for listings only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standard: Vec<String>,
    /// What a prompt and a command need of it.
    #[serde(skip)]
    pub loaded: Option<Loaded>,
}

/// Why a file was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "lowercase")]
pub enum LeftOut {
    /// A line of an ignore file says so.
    Ignored {
        /// The ignore file, for people.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// It is a file that was taken already.
    Duplicate {
        /// Where it was found first, for people.
        path: String,
    },
}

/// A sound skill, with what is needed to place it in a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The skill.
    pub skill: Skill,
    /// Its file.
    pub path: PathBuf,
    /// Where links may have led; `None` is anywhere.
    pub within: Option<PathBuf>,
    /// The source for origins.
    pub source: Arc<Source>,
    /// The bytes of the file that hold the description, or the block that it stands in.
    pub span: Range<usize>,
    /// True where the span holds exactly the description.
    pub exact: bool,
    /// All that its block says.
    pub fields: Fields,
}
