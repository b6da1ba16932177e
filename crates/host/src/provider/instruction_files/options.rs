//! The options of a profile for instruction files: names, places, order. No name of a product is known here.

use super::super::SectionOptions;
use crate::provider_context::ProviderContext;
use preface_core::section::Section;
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
        "a table of words for diagnostics: help about `waiting` rules and `unread` files, and the name of `exclude` in settings",
    ),
    ("hops", "how many imports may lead from one to the next (default 4, at most 32)"),
    ("imports", "`true` (default) or `false`: `@path` is replaced by the text of that file"),
    ("managed", "absolute paths that are read first and that nothing excludes (default none)"),
    ("names", "file names of the cwd (default CLAUDE.md, .claude/CLAUDE.md, CLAUDE.local.md)"),
    ("order", "`nearest-first` (default: the cwd, then upward) or `root-first` (down to the cwd)"),
    ("rules", "a directory of the global and the project directory whose `*.md` are read (default none)"),
    ("touched", "files that are worked on: rules whose `paths` match are included (default none)"),
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
        let options = SectionOptions::new(section, look);
        InstructionOptions {
            names: options.texts("names", &["CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"]),
            above: options.texts("above", &["CLAUDE.md"]),
            order: match options.word("order", &["nearest-first", "root-first"]) {
                "root-first" => DirectoryOrder::RootFirst,
                _ => DirectoryOrder::NearestFirst,
            },
            user: options.texts("user", &[]),
            managed: options.texts("managed", &[]),
            fallback: options.texts("fallback", &[]),
            rules: options.text("rules").filter(|dir| !dir.is_empty()).map(str::to_owned),
            touched: options.texts("touched", &[]),
            exclude: options.texts("exclude", &[]),
            imports: options.truth("imports", true),
            hops: options.number("hops", HOPS).min(MOST_HOPS),
            unread: options.texts("unread", &[]),
            hints: hints(&options, "hints"),
        }
    }
}

fn hints(options: &SectionOptions<'_>, key: &str) -> Hints {
    let mut hints = Hints::default();
    match options.get(key) {
        None => {}
        Some(Value::Object(table)) => {
            for (name, value) in table {
                match (name.as_str(), value) {
                    ("waiting", Value::String(text)) => hints.waiting = Some(text.clone()),
                    ("unread", Value::String(text)) => hints.unread = Some(text.clone()),
                    ("exclude", Value::String(text)) => hints.exclude = Some(text.clone()),
                    ("exclude" | "waiting" | "unread", _) => {
                        options.report(key, &format!("has no text for `{name}`"));
                    }
                    _ => options
                        .report(key, &format!("knows no `{name}`; it has `exclude`, `unread`, `waiting`")),
                }
            }
        }
        Some(value) => options.report(key, &format!("cannot be {value}; it is a table of texts")),
    }
    hints
}
