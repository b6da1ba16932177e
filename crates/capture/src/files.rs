//! The files that an agent may read: by the patterns of its rules, the imports in them, and the paths that its request names.

use crate::{
    agent::CaptureRules,
    source::{Source, SourceKind, SourceText},
};
use globset::GlobBuilder;
use ignore::{DirEntry, WalkBuilder};
use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
};

/// The largest file that is read.
const FILE_LIMIT: u64 = 1 << 20;
/// The most bytes that are read of all files together.
const TOTAL_LIMIT: usize = 8 << 20;
/// The most files of one pattern, and the most entries of directories that are looked at.
const MOST_FILES: usize = 500;
const MOST_ENTRIES: usize = 20_000;
/// The most imports from file to file.
const IMPORT_DEPTH: usize = 5;

/// The directories of a capture.
#[derive(Clone, Debug)]
pub struct Places {
    /// The working directory of the agent.
    pub cwd: PathBuf,
    /// The root of the project.
    pub root: PathBuf,
    /// The home directory.
    pub home: Option<PathBuf>,
}

impl Places {
    /// Returns a path as it is shown: beneath the project, or beneath `~`.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let below = |dir: &Path, prefix: &str| {
            path.strip_prefix(dir).ok().map(|rest| format!("{prefix}{}", rest.display()))
        };
        below(&self.root, "")
            .or_else(|| below(self.home.as_deref()?, "~/"))
            .unwrap_or_else(|| path.display().to_string())
    }

    /// Returns the directory and the rest of a pattern: `~/` is the home directory, or what a variable moves it to.
    pub(crate) fn user_pattern(&self, rules: &CaptureRules, pattern: &str) -> Option<(PathBuf, String)> {
        for (variable, dir) in &rules.directories {
            let rest = pattern.strip_prefix(dir.as_str()).and_then(|rest| rest.strip_prefix('/'));
            if let (Some(rest), Some(moved)) = (rest, env::var_os(variable).filter(|dir| !dir.is_empty())) {
                return Some((moved.into(), rest.to_owned()));
            }
        }
        Some((self.home.clone()?, pattern.strip_prefix("~/")?.to_owned()))
    }

    /// Returns the files of a pattern: of the user, or below each of the directories.
    #[must_use]
    pub fn files(&self, rules: &CaptureRules, pattern: &str, dirs: &[&Path]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        if pattern.starts_with("~/") {
            if let Some((dir, rest)) = self.user_pattern(rules, pattern) {
                expand(&dir, &rest, &mut found);
            }
        } else if let Some(pattern) = pattern.strip_prefix('/') {
            expand(Path::new("/"), pattern, &mut found);
        } else {
            for dir in dirs {
                expand(dir, pattern, &mut found);
            }
        }
        found
    }

    /// Returns the directories from the working directory up to the root of the project.
    #[must_use]
    pub fn project_dirs(&self) -> Vec<&Path> {
        self.cwd.ancestors().take_while(|dir| dir.starts_with(&self.root)).collect()
    }
}

/// Adds the regular files below a directory that match a pattern of names, `*`, `*.md` and `**`.
fn expand(dir: &Path, pattern: &str, found: &mut Vec<PathBuf>) {
    let Ok(glob) = GlobBuilder::new(pattern).literal_separator(true).build() else { return };
    let glob = glob.compile_matcher();
    let names: Vec<&str> = pattern.split('/').collect();
    let fixed: PathBuf = names.iter().take_while(|name| !name.contains('*')).collect();
    let depth = (!names.contains(&"**")).then(|| names.len() - fixed.components().count());
    // Behind a link without a limit could be everything.
    let mut walk = WalkBuilder::new(dir.join(fixed));
    walk.standard_filters(false).follow_links(depth.is_some()).max_depth(depth).sort_by_file_name(Ord::cmp);
    let is_match =
        |path: &PathBuf| path.strip_prefix(dir).is_ok_and(|path| glob.is_match(path)) && path.is_file();
    let entries = walk.build().flatten().take(MOST_ENTRIES).map(DirEntry::into_path);
    found.extend(entries.filter(is_match).take(MOST_FILES));
}

/// The files that were read, by path.
#[derive(Debug, Default)]
pub struct Files {
    texts: BTreeMap<PathBuf, (SourceKind, String)>,
    total: usize,
}

impl Files {
    /// Reads the files that the rules of an agent name, and what they import, and those that arguments name.
    #[must_use]
    pub fn collect(rules: &CaptureRules, places: &Places, args: &[OsString]) -> Self {
        let mut files = Files::default();
        let above: Vec<&Path> = places.cwd.ancestors().collect();
        for (patterns, kind) in [(&rules.instructions, SourceKind::File), (&rules.skills, SourceKind::Skill)]
        {
            for pattern in patterns {
                for path in places.files(rules, pattern, &above) {
                    files.add(&path, kind, places, IMPORT_DEPTH);
                }
            }
        }
        args.iter().for_each(|arg| files.add(&places.cwd.join(arg), SourceKind::File, places, 0));
        files
    }

    /// Reads the Markdown files that a text names by their whole path.
    pub fn add_named(&mut self, text: &str, places: &Places) {
        let is_end =
            |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',');
        for word in text.split(is_end) {
            let word = word.trim_end_matches(['.', ':', ';']);
            // What ships with an agent is its own.
            let is_own = word.contains("/node_modules/");
            if word.starts_with('/') && [".md", ".mdc"].iter().any(|end| word.ends_with(end)) && !is_own {
                self.add(Path::new(word), SourceKind::File, places, 0);
            }
        }
    }

    fn add(&mut self, path: &Path, kind: SourceKind, places: &Places, imports: usize) {
        let path = normal(path);
        if self.texts.contains_key(&path) || self.total >= TOTAL_LIMIT {
            return;
        }
        let is_small = fs::metadata(&path).is_ok_and(|meta| meta.is_file() && meta.len() <= FILE_LIMIT);
        let Some(text) = is_small.then(|| fs::read(&path).ok()).flatten() else { return };
        let text = String::from_utf8_lossy(&text).into_owned();
        self.total += text.len();
        self.texts.insert(path.clone(), (kind, text.clone()));
        if imports == 0 {
            return;
        }
        let dir = path.parent().unwrap_or(Path::new("/"));
        for word in text.split_whitespace() {
            let Some(import) = word.trim_matches(['(', ')', ',', ';', '`']).strip_prefix('@') else {
                continue;
            };
            let import = match (import.strip_prefix("~/"), &places.home) {
                (Some(rest), Some(home)) => home.join(rest),
                _ => dir.join(import.trim_end_matches('.')),
            };
            self.add(&import, kind, places, imports - 1);
        }
    }

    /// Returns the texts with their sources.
    pub fn source_texts(self, places: &Places) -> impl Iterator<Item = SourceText> {
        self.texts
            .into_iter()
            .map(|(path, (kind, text))| SourceText { source: Source::named(kind, places.shown(&path)), text })
    }
}

/// Removes `.` and `..` from a path.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_find_files_in_each_directory_and_what_they_import() {
        let home = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = home.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("app/CLAUDE.md", "See @docs/a.md and @./docs/../b.md, mail a@b.md.");
        write("app/docs/a.md", "a");
        write("app/b.md", "b");
        write("app/docs/c.md", "c");
        write("app/in/CLAUDE.md", "@missing.md");
        write("app/.claude/skills/x/SKILL.md", "x");
        write("app/.claude/rules/deep/r.md", "r");
        write(".claude/CLAUDE.md", "user");
        write("other.md", "named");
        let places = Places {
            cwd: home.path().join("app/in"),
            root: home.path().join("app"),
            home: Some(home.path().to_owned()),
        };
        let rules: CaptureRules = toml::from_str(
            r#"
            measured = "1"
            print = ["[message]"]
            instructions = ["CLAUDE.md", ".claude/rules/**", "~/.claude/CLAUDE.md"]
            skills = [".claude/skills/*/SKILL.md"]
            "#,
        )
        .unwrap();
        let mut files = Files::collect(&rules, &places, &["../docs/c.md".into()]);
        files.add_named(&format!("Contents of {}/other.md: /nowhere/x.md", home.path().display()), &places);
        let found: Vec<String> = files
            .source_texts(&places)
            .map(|text| format!("{:?} {}", text.source.kind, text.source.names[0]))
            .collect();
        let expected = [
            "File ~/.claude/CLAUDE.md",
            "Skill .claude/skills/x/SKILL.md",
            "File .claude/rules/deep/r.md",
            "File CLAUDE.md",
            "File b.md",
            "File docs/a.md",
            "File docs/c.md",
            "File in/CLAUDE.md",
            "File ~/other.md",
        ];
        let mut found: Vec<&str> = found.iter().map(String::as_str).collect();
        let mut expected: Vec<&str> = expected.into();
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
}
