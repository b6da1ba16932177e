//! A skill file that was found, whatever became of it.

use preface_core::{extension::Entry, origin::Source, skill::YamlFields};
use serde::Serialize;
use std::{ops::Range, path::PathBuf, sync::Arc};

/// A skill file of one root. In JSON it is a row of `preface list skills --format json`.
pub type SkillEntry = Entry<SkillFile>;

/// The part of an entry that only skills have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SkillFile {
    /// The description that prompts contain.
    pub description: Option<String>,
    /// The size of the file; `None` if it could not be read.
    pub bytes: Option<u64>,
    /// The absolute path of the file, with links not resolved.
    pub location: String,
    /// True if no prompt lists it: its head has `disable-model-invocation: true`.
    pub hidden: bool,
    /// The reason why the file was not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<SkillOmission>,
    /// The violations of the Agent Skills standard; filled for listings only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub standard: Vec<String>,
    /// The contents that prompts and commands need.
    #[serde(skip)]
    pub loaded: Option<LoadedSkill>,
}

/// The reason why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "why", rename_all = "lowercase")]
pub enum SkillOmission {
    /// A line of an ignore file or of settings.json matches it.
    Ignored {
        /// The path of that file, for display.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// A file with the same real path was read before.
    Duplicate {
        /// The path of the first file, for display.
        path: String,
    },
}

/// A valid skill, with what is needed to place it in a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadedSkill {
    /// The path of the file.
    pub path: PathBuf,
    /// The directory that links must stay within; `None` for no limit.
    pub within: Option<PathBuf>,
    /// The source for origins.
    pub source: Arc<Source>,
    /// The byte range of the description in the file, or of the block that contains it.
    pub span: Range<usize>,
    /// True if the span is exactly the description.
    pub exact: bool,
    /// All fields of the head.
    pub fields: YamlFields,
}
