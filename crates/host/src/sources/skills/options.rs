//! The options of the section that lists skills, for what differs between readers of skills. The same options decide what the
//! prompt lists and what `preface list skills` shows.

use crate::provider::{SectionOptions, context::ProviderContext, truth};
use preface_core::{
    section::Section,
    skill::check::{SkillRules, WrongDescription, WrongName},
};
use serde::Deserialize;
use serde_json::Value;

/// The options, each with one sentence.
pub const OPTIONS: &[(&str, &str)] = &[
    ("depth", "how many directories below a root are looked into (default 16, at most 64)"),
    ("descend", "`unless-skill` (default) or `always`: whether a directory that is a skill is looked into"),
    ("description_type", "a description that is not text is `wrong` (default) or `missing`"),
    (
        "escape",
        "`xml` (default), `line` (on one line without hidden characters, then as `xml`) or `none`: how the variables and the text of a skill are escaped",
    ),
    (
        "head",
        "`lenient` (default): a value that is no YAML is its text, and one byte order mark is no part of the file; or `strict`",
    ),
    ("name_must_match", "`true` (default) or `false`: a name must be that of its directory"),
    (
        "name_type",
        "`reject` (default), or `directory`: the directory's name in place of one that is not text",
    ),
    ("no_description", "a file that is not named SKILL.md and has none: `report` (default) or `skip`"),
    ("only_paths", "`true` or `false` (default): the roots do not count"),
    ("paths", "files and directories beside the roots, after them"),
    ("roots", "where skills lie: tables of `at`, `dir`, `direct`, `loose`, `unless`, `outside`"),
];

/// The escaping of a skill's values in a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkillEscape {
    /// Characters that XML reserves become entities.
    Xml,
    /// A description is put on one line without hidden characters, then escaped as XML.
    Line,
    /// No escaping.
    None,
}

/// The options for finding and reading skills.
#[derive(Clone, Debug)]
pub struct SkillOptions {
    /// The roots, the strongest first.
    pub roots: Vec<Root>,
    /// Explicit paths, used after the roots.
    pub paths: Vec<String>,
    /// True to use explicit paths only.
    pub only_paths: bool,
    /// True if a directory that is a skill may contain others.
    pub descend_always: bool,
    /// The deepest level that is read below a root.
    pub depth: usize,
    /// True if a head is YAML or nothing, and a byte order mark before it is what the profile's `bom` makes of it.
    pub strict: bool,
    /// True to skip a file that is not named SKILL.md and is no skill, without a diagnostic.
    pub skip_loose: bool,
    /// The escaping of values.
    pub escape: SkillEscape,
    /// The rules for names and descriptions.
    pub rules: SkillRules,
}

/// A place where skills are looked for.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// The start of the root.
    pub at: RootAnchor,
    /// The directory below it.
    #[serde(default)]
    pub dir: String,
    /// A key of that layer's settings.json that lists files and directories, in place of `dir`.
    #[serde(default)]
    pub setting: Option<String>,
    /// True if every `*.md` directly in it is a skill.
    #[serde(default, deserialize_with = "flag")]
    pub direct: bool,
    /// True if every `*.md` further below is a skill, too.
    #[serde(default, deserialize_with = "flag")]
    pub loose: bool,
    /// A file in it whose presence disables the root.
    #[serde(default)]
    pub unless: Option<String>,
    /// The reach of `up` if the cwd is in no repository.
    #[serde(default)]
    pub outside: UpwardLimit,
}

/// The start of a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RootAnchor {
    /// The project directory of the profile.
    Project,
    /// The cwd, its parent, and so on up to the first directory that holds `.git`.
    Up,
    /// The home directory.
    Home,
    /// The global directory of the profile.
    Global,
}

/// The reach of `up` if the cwd is in no repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UpwardLimit {
    /// The cwd alone.
    #[default]
    Cwd,
    /// All directories up to the root of the file system.
    Root,
}

/// The largest depth of an option.
const DEEPEST: usize = 64;
/// The default depth of a root.
const DEPTH: usize = 16;

impl SkillOptions {
    /// Reads the options of a section. Invalid values are reported and replaced by their defaults.
    pub fn read(section: &Section, context: &ProviderContext<'_>) -> Self {
        let options = SectionOptions::new(section, context);
        let word = |key, words: &[&'static str]| options.word(key, words);
        SkillOptions {
            roots: roots(&options),
            paths: options.texts("paths", &[]),
            only_paths: options.truth("only_paths", false),
            descend_always: word("descend", &["unless-skill", "always"]) == "always",
            depth: options.number("depth", DEPTH).min(DEEPEST),
            strict: word("head", &["lenient", "strict"]) == "strict",
            skip_loose: word("no_description", &["report", "skip"]) == "skip",
            escape: match word("escape", &["xml", "line", "none"]) {
                "line" => SkillEscape::Line,
                "none" => SkillEscape::None,
                _ => SkillEscape::Xml,
            },
            rules: SkillRules {
                name_must_match: options.truth("name_must_match", true),
                name_type: match word("name_type", &["reject", "directory"]) {
                    "directory" => WrongName::Directory,
                    _ => WrongName::Reject,
                },
                description_type: match word("description_type", &["wrong", "missing"]) {
                    "missing" => WrongDescription::Missing,
                    _ => WrongDescription::NotText,
                },
            },
        }
    }
}

fn roots(options: &SectionOptions<'_>) -> Vec<Root> {
    let Some(value) = options.get("roots") else { return Vec::new() };
    let Some(list) = value.as_array() else {
        options.report("roots", &format!("cannot be {value}; it is a list of tables"));
        return Vec::new();
    };
    let read = |value: &Value| match Root::deserialize(value) {
        Ok(root) => Some(root),
        Err(error) => {
            options.report("roots", &format!("cannot hold {value}: {error}"));
            None
        }
    };
    list.iter().filter_map(read).collect()
}

fn flag<'de, D: serde::Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(from)?;
    truth(&value).ok_or_else(|| serde::de::Error::custom(format!("{value} is neither true nor false")))
}
