//! The options of a profile for instruction files: names, places, order. No name of a product is known here.

use super::super::SectionOptions;
use crate::provider_context::ProviderContext;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    section::Section,
};
use serde_json::Value;

/// The options, each with one sentence.
pub const OPTIONS: &[(&str, &str)] = &[
    (
        "above",
        "file names of each directory above the cwd (default CLAUDE.md); `root-first` reads `names` there",
    ),
    (
        "exclude",
        "globs of files that are never read: absolute, from `~/`, anywhere (`**/…`), or from the cwd; managed files are",
    ),
    (
        "fallback",
        "file names read from the root down where no file of `names` exists on the way (default none)",
    ),
    (
        "hints",
        "a table of words for notes: help about `waiting` rules and `unread` files, what `exclude` is called elsewhere",
    ),
    ("hops", "how many imports may lead from one to the next (default 4, at most 32)"),
    ("imports", "`true` (default) or `false`: `@path` gives way to the text of that file"),
    ("managed", "absolute paths that are read first and that nothing excludes (default none)"),
    ("names", "file names of the cwd (default CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md)"),
    ("order", "`nearest-first` (default: the cwd, then upward) or `root-first` (down to the cwd)"),
    ("rules", "a directory of the global and the project directory whose `*.md` are read (default none)"),
    ("shared_dirs", "`hold` (default) or `read` files in directories that other users can write"),
    ("touched", "paths that are worked on: they wake the rules whose `paths` match (default none)"),
    (
        "unread",
        "file names of the global directory that are not read, and reported if they exist (default none)",
    ),
    ("user", "file names read from the global directory (default none)"),
];

/// The default number of hops.
const HOPS: usize = 4;
/// The largest number of hops of an option.
const MOST_HOPS: usize = 32;

#[derive(Debug)]
pub struct InstructionOptions {
    pub names: Vec<String>,
    pub above: Vec<String>,
    pub order: DirectoryOrder,
    pub user: Vec<String>,
    pub managed: Vec<String>,
    pub fallback: Vec<String>,
    pub rules: Option<String>,
    pub touched: Vec<String>,
    pub exclude: Vec<String>,
    pub imports: bool,
    pub hops: usize,
    pub hold_shared: bool,
    pub unread: Vec<String>,
    pub hints: Hints,
}

/// The wording of a profile's help texts.
#[derive(Debug, Default)]
pub struct Hints {
    pub waiting: Option<String>,
    pub unread: Option<String>,
    /// The option of the profile that `exclude` takes its globs from.
    pub exclude: Option<String>,
}

/// The order of the directories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectoryOrder {
    /// The cwd, then each directory above it.
    NearestFirst,
    /// From the root of the file system down to the cwd.
    RootFirst,
}

impl InstructionOptions {
    /// Returns the name of the option `exclude` for messages.
    pub fn exclude_name(&self) -> &str {
        self.hints.exclude.as_deref().unwrap_or("exclude")
    }

    /// Reads the options of a section. Invalid values are reported and replaced by their defaults.
    pub fn read(section: &Section, look: &ProviderContext<'_>) -> Self {
        let options = SectionOptions::new(section);
        let texts = InstructionTextOptions { section, look };
        InstructionOptions {
            names: texts.lines("names", &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]),
            above: texts.lines("above", &["CLAUDE.md"]),
            order: match options.word("order", &["nearest-first", "root-first"], look) {
                "root-first" => DirectoryOrder::RootFirst,
                _ => DirectoryOrder::NearestFirst,
            },
            user: texts.lines("user", &[]),
            managed: texts.lines("managed", &[]),
            fallback: texts.lines("fallback", &[]),
            rules: options.text("rules").filter(|dir| !dir.is_empty()).map(str::to_owned),
            touched: texts.lines("touched", &[]),
            exclude: texts.lines("exclude", &[]),
            imports: texts.truth("imports", true),
            hops: texts.number("hops", HOPS).min(MOST_HOPS),
            hold_shared: options.word("shared_dirs", &["hold", "read"], look) == "hold",
            unread: texts.lines("unread", &[]),
            hints: texts.hints("hints"),
        }
    }
}

/// The options whose form may be that of a profile's own option, which is a text.
struct InstructionTextOptions<'a> {
    section: &'a Section,
    look: &'a ProviderContext<'a>,
}

impl InstructionTextOptions<'_> {
    fn truth(&self, key: &str, default: bool) -> bool {
        let Some(value) = self.section.options.get(key) else { return default };
        let truth = match value {
            Value::Bool(value) => Some(*value),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        truth.unwrap_or_else(|| {
            self.wrong(key, &format!("cannot be {value}; `{default}` is used"));
            default
        })
    }

    fn number(&self, key: &str, default: usize) -> usize {
        let Some(value) = self.section.options.get(key) else { return default };
        let number = match value {
            Value::String(text) => text.trim().parse().ok(),
            value => value.as_u64().and_then(|number| usize::try_from(number).ok()),
        };
        number.unwrap_or_else(|| {
            self.wrong(key, &format!("cannot be {value}; {default} is used"));
            default
        })
    }

    /// A list of texts, or one text with a line for each.
    fn lines(&self, key: &str, default: &[&str]) -> Vec<String> {
        match self.section.options.get(key) {
            None => default.iter().map(|text| (*text).to_owned()).collect(),
            Some(Value::String(text)) => {
                text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
            }
            Some(Value::Array(list)) => {
                list.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
            }
            Some(value) => {
                self.wrong(key, &format!("cannot be {value}; it is a list of texts"));
                Vec::new()
            }
        }
    }

    fn hints(&self, key: &str) -> Hints {
        let mut hints = Hints::default();
        match self.section.options.get(key) {
            None => {}
            Some(Value::Object(table)) => {
                for (name, value) in table {
                    match (name.as_str(), value) {
                        ("waiting", Value::String(text)) => hints.waiting = Some(text.clone()),
                        ("unread", Value::String(text)) => hints.unread = Some(text.clone()),
                        ("exclude", Value::String(text)) => hints.exclude = Some(text.clone()),
                        ("exclude" | "waiting" | "unread", _) => {
                            self.wrong(key, &format!("has no text for `{name}`"));
                        }
                        _ => self
                            .wrong(key, &format!("knows no `{name}`; it has `exclude`, `unread`, `waiting`")),
                    }
                }
            }
            Some(value) => self.wrong(key, &format!("cannot be {value}; it is a table of texts")),
        }
        hints
    }

    fn wrong(&self, key: &str, why: &str) {
        let what = format!("section `{}`: `{key}` {why}", self.section.id);
        self.look.note(Diagnostic::warning(DiagnosticCode::ProfileOption, what));
    }
}
