//! The options of a profile for instruction files: names, places, order. No name of a product is known here.

use super::super::SectionOptions;
use crate::provider::context::ProviderContext;
use preface_core::section::Section;
use serde::Deserialize;

/// The options, each with one sentence.
pub const OPTIONS: &[(&str, &str)] = &[
    (
        "above",
        "file names of each directory above the working directory (default those of `names`); `root-first` reads `names` there",
    ),
    ("blank", "`skip` (default) or `keep` files that hold nothing but white space"),
    (
        "dedupe",
        "what makes two files one: the same `content` but for line ends, byte order mark and trailing white space, or the same file \
         (default); the same `file` alone; the same `path` alone",
    ),
    (
        "exclude",
        "globs of files that are never read: absolute, from `~/`, anywhere (`**/…`), or from the working directory; managed files are",
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
    (
        "imports",
        "`keep` (default): `@PATH` is text like any other; `insert`: it is replaced by the text of that file; `report`: a line that is \
         only `@PATH` is reported unless that file is included, and a file of nothing but such lines is left out",
    ),
    ("managed", "absolute paths that are read first and that nothing excludes (default none)"),
    ("names", "file names, in order of preference (default AGENTS.md, CLAUDE.md)"),
    ("order", "`root-first` (default), down to the working directory, or `nearest-first`"),
    ("pick", "`all` (default) names of a directory, or the `first` that can be read"),
    ("rules", "a directory of the global and the project directory whose `*.md` are read (default none)"),
    (
        "stop",
        "the topmost directory: `root` (default), that of the file system; `home`; `work-tree`, the root of the repository; or `cwd`",
    ),
    ("touched", "files that are worked on: rules whose `paths` match are included (default none)"),
    (
        "unread",
        "file names of the global directory that are not read, and reported if they exist (default none)",
    ),
    ("user", "file names read from the global directory, before those of the tree (default none)"),
    (
        "worktree",
        "`nearest` (default): the file of a linked work tree hides that of the tree around it, or `both`",
    ),
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
    pub stop: &'static str,
    /// True if one file of a directory is enough.
    pub first: bool,
    pub user: Vec<String>,
    pub managed: Vec<String>,
    pub fallback: Vec<String>,
    pub rules: Option<String>,
    pub touched: Vec<String>,
    pub exclude: Vec<String>,
    pub imports: ImportMode,
    pub hops: usize,
    pub unread: Vec<String>,
    pub hints: Hints,
    pub same: SameFile,
    pub keep_blank: bool,
    /// True if a linked work tree's file hides that of the tree around it.
    pub nearest_tree: bool,
}

/// The treatment of `@path`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportMode {
    Keep,
    Insert,
    Report,
}

/// What makes two files one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameFile {
    Path,
    File,
    Content,
}

/// The wording of a profile's help texts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
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
    pub fn read(section: &Section, context: &ProviderContext<'_>) -> Self {
        let options = SectionOptions::new(section, context);
        let names = options.texts("names", &["AGENTS.md", "CLAUDE.md"]);
        let same_names: Vec<&str> = names.iter().map(String::as_str).collect();
        InstructionOptions {
            above: options.texts("above", &same_names),
            order: match options.word("order", &["root-first", "nearest-first"]) {
                "nearest-first" => DirectoryOrder::NearestFirst,
                _ => DirectoryOrder::RootFirst,
            },
            stop: options.word("stop", &["root", "home", "work-tree", "cwd"]),
            first: options.word("pick", &["all", "first"]) == "first",
            user: options.texts("user", &[]),
            managed: options.texts("managed", &[]),
            fallback: options.texts("fallback", &[]),
            rules: options.text("rules").filter(|dir| !dir.is_empty()).map(str::to_owned),
            touched: options.texts("touched", &[]),
            exclude: options.texts("exclude", &[]),
            imports: match options.word("imports", &["keep", "insert", "report"]) {
                "insert" => ImportMode::Insert,
                "report" => ImportMode::Report,
                _ => ImportMode::Keep,
            },
            hops: options.number("hops", HOPS).min(MOST_HOPS),
            unread: options.texts("unread", &[]),
            hints: match options.get("hints").map(Hints::deserialize) {
                Some(Ok(hints)) => hints,
                Some(Err(error)) => {
                    options.report("hints", &format!("is not used: {error}"));
                    Hints::default()
                }
                None => Hints::default(),
            },
            same: match options.word("dedupe", &["content", "file", "path"]) {
                "file" => SameFile::File,
                "path" => SameFile::Path,
                _ => SameFile::Content,
            },
            keep_blank: options.word("blank", &["skip", "keep"]) == "keep",
            nearest_tree: options.word("worktree", &["nearest", "both"]) == "nearest",
            names,
        }
    }
}
