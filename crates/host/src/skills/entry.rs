//! A skill file that was found, whatever became of it.

use preface_core::{
    diagnostic::Diagnostics,
    extension::{EntryOrigin, Status},
    origin::Source,
    skill::{Fields, Skill},
};
use serde::Serialize;
use std::{ops::Range, path::PathBuf, sync::Arc};

/// A skill file of one root. In JSON it is a row of `preface skills --format json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SkillEntry {
    /// Its name: the one that it gives itself, else that of its directory.
    pub name: String,
    /// Where it comes from.
    pub origin: EntryOrigin,
    /// True where this one answers to its name.
    pub active: bool,
    /// The sound skills of weaker roots that it hides.
    pub shadows: Vec<EntryOrigin>,
    /// The skill of a stronger root that hides it.
    pub shadowed_by: Option<EntryOrigin>,
    /// The broken skill of a stronger root that it stays active in spite of.
    pub fallback_from: Option<EntryOrigin>,
    /// How it fared.
    pub status: Status,
    /// The size of its file; `None` where it could not be read.
    pub bytes: Option<u64>,
    /// What came up about it.
    pub diagnostics: Diagnostics,
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
