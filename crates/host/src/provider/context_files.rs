//! Context provider `context-files`: AGENTS.md and CLAUDE.md from the file-system root down to the cwd.
//!
//! The same file, or the same text, is included once: the copy nearest to the root stays, and the others are reported.

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    gate::FileOwner,
    places::normal,
    provider::git,
    provider_context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadFailure, ReadRequest},
    system::{FileId, FileKind, FileRead},
};
use preface_core::{
    compose::is_blank,
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    lint::hidden::escape_hidden,
    origin::Piece,
    scope::Scope,
    section::Section,
    snapshot::{Contribution, Item},
};
use std::{
    cell::Cell,
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The most imports of a file that are reported one by one.
const IMPORTS: usize = 5;

/// Walks and collects.
#[derive(Debug)]
pub struct ContextFiles;

impl ContextProvider for ContextFiles {
    fn name(&self) -> &'static str {
        "context-files"
    }

    fn about(&self) -> &'static str {
        "AGENTS.md and CLAUDE.md of each directory from the root of the file system (or `stop`) down to the working directory"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("blank", "`skip` (default) or `keep` files that hold nothing but white space"),
            (
                "dedupe",
                "what makes two files one: the same `path`, `file`, `content`, or `file+content` (default), either of both",
            ),
            (
                "exclude",
                "paths (relative to the working directory, from `~/`, or absolute) that are never read (default none)",
            ),
            ("global", "file names read from the global directory, before all others (default none)"),
            (
                "imports",
                "`keep` (default): a line `@PATH` is text like any other; `report`: one is reported unless that file is \
                 included, and a file that only imports files that are included is left out",
            ),
            ("links", "`inside` (default) the project, or `never`: which links are followed"),
            ("names", "file names, in order of preference (default AGENTS.md, CLAUDE.md)"),
            ("order", "`root-first` (default) or `nearest-first`"),
            ("pick", "`all` (default) names of a directory, or the `first` that can be read"),
            (
                "stop",
                "the topmost directory: `root` (default), that of the file system; `home`; `work-tree`, the root of the repository; or `cwd`",
            ),
            (
                "worktree",
                "`both` (default), or `nearest`: a linked work tree's file hides that of the tree around it",
            ),
        ]
    }

    fn contribute(&self, section: &Section, look: &ProviderContext<'_>) -> Contribution {
        let options = SectionOptions::new(section, look);
        let names = options.texts("names", &["AGENTS.md", "CLAUDE.md"]);
        let links = options.word("links", &["inside", "never"]);
        let stop = options.word("stop", &["root", "home", "work-tree", "cwd"]);
        let order = options.word("order", &["root-first", "nearest-first"]);
        let walk = ContextWalk {
            look,
            first: options.word("pick", &["all", "first"]) == "first",
            dedupe: options.word("dedupe", &["file+content", "content", "file", "path"]),
            links,
            keep_blank: options.word("blank", &["skip", "keep"]) == "keep",
            hidden: match options.word("worktree", &["both", "nearest"]) {
                "nearest" => hidden_by_work_tree(&names, look),
                _ => None,
            },
            exclude: options
                .texts("exclude", &[])
                .iter()
                .map(|path| expand(path, &look.places.cwd, look))
                .collect(),
            report_imports: options.word("imports", &["keep", "report"]) == "report",
            left_out: Cell::new(false),
        };
        let mut found = Vec::new();
        if let Some(global) = &look.places.global {
            walk.dir(global, &options.texts("global", &[]), Scope::Global, &mut found);
        }
        for dir in dirs(stop, look) {
            walk.dir(&dir, &names, Scope::Project, &mut found);
        }
        look.note_above_roots();
        walk.note_imports(&found);
        let why = match walk.left_out.get() {
            true => "every file was left out; the diagnostics have the reasons".to_owned(),
            false => format!("there is no {} from here up", names.join(" or ")),
        };
        let mut contribution = silent(self, section, why);
        contribution.items = found.into_iter().map(|found: FoundContextFile| found.item).collect();
        if order == "nearest-first" {
            contribution.items.reverse();
        }
        if !contribution.items.is_empty() {
            contribution.silent = None;
        }
        contribution
    }
}

struct FoundContextFile {
    path: PathBuf,
    shown: String,
    scope: Scope,
    id: Option<FileId>,
    bytes: Arc<Vec<u8>>,
    imports: Vec<ImportLine>,
    item: Item,
}

/// A line of a context file that imports another file.
struct ImportLine {
    line: usize,
    /// The path as written.
    name: String,
    path: PathBuf,
}

struct ContextWalk<'a> {
    look: &'a ProviderContext<'a>,
    first: bool,
    dedupe: &'a str,
    links: &'a str,
    keep_blank: bool,
    /// The file of the tree around a linked work tree, which that one's own hides.
    hidden: Option<PathBuf>,
    exclude: Vec<PathBuf>,
    /// True: imports are not resolved, and that is reported.
    report_imports: bool,
    /// True if a file was found and not used.
    left_out: Cell<bool>,
}

impl ContextWalk<'_> {
    /// Takes the files of one directory: all of `names`, or the first that can be read.
    fn dir(&self, dir: &Path, names: &[String], scope: Scope, found: &mut Vec<FoundContextFile>) {
        let look = self.look;
        let mut taken: Option<&str> = None;
        for name in names {
            let path = dir.join(name);
            if let Some(first) = taken.filter(|_| self.first) {
                if look.system.stat(&path).is_some_and(|stat| stat.kind == FileKind::File) {
                    let shown = look.places.source(scope, &path).path.clone();
                    let why = format!("{first} is in the same directory");
                    let diagnostic =
                        Diagnostic::left_out(Severity::Info, DiagnosticCode::ContextShadowed, &shown, why);
                    look.note(diagnostic.at(Place::file(Some(scope), shown)));
                }
                continue;
            }
            if self.take(&path, scope, found) {
                taken = Some(name);
            }
        }
    }

    /// True if the tree around a linked work tree has this file, and the work tree has one of the same name.
    fn is_hidden(&self, path: &Path, shown: &str) -> bool {
        let Some(hidden) = &self.hidden else { return false };
        if path.file_name() != hidden.file_name()
            || !self.look.system.canonical(path).is_ok_and(|real| real == *hidden)
        {
            return false;
        }
        let why = "the linked work tree below it has its own";
        self.look.note(
            Diagnostic::left_out(Severity::Info, DiagnosticCode::ContextShadowed, shown, why)
                .at(Place::file(Some(Scope::Project), shown)),
        );
        true
    }

    /// Reads one candidate. Returns true if the file exists and could be read, even if it is left out: an
    /// untrusted file hides the others of its directory just as an included one does.
    fn take(&self, path: &Path, scope: Scope, found: &mut Vec<FoundContextFile>) -> bool {
        let look = self.look;
        if self.exclude.iter().any(|excluded| excluded == path) {
            return false;
        }
        let Some(stat) = look.system.link_stat(path) else { return false };
        let is_link = stat.kind == FileKind::Link;
        if self.links == "never" && is_link {
            self.left_out.set(true);
            let shown = look.places.shown(path);
            let why = "it is a link, and `links` is `never`";
            look.note(Diagnostic::left_out(Severity::Info, DiagnosticCode::FileLink, shown, why));
            return false;
        }
        if scope == Scope::Project && !look.in_roots(path) {
            if is_link {
                self.left_out.set(true);
                let shown = look.places.shown(path);
                let why = "it leads out of the directories that may be read";
                let diagnostic =
                    Diagnostic::left_out(Severity::Warning, DiagnosticCode::FileOutside, &shown, why);
                look.note(diagnostic.at(Place::file(Some(scope), shown)));
            }
            return false;
        }
        let wanted = ReadRequest {
            scope,
            belongs: FileOwner::ToTree,
            ..ReadRequest::global(path, CONTEXT_FILE_LIMIT)
        };
        let read = match look.read_or_why(&wanted) {
            Ok(read) => read,
            Err(why) => {
                self.left_out.set(true);
                return why == ReadFailure::Untrusted;
            }
        };
        let shown = look.places.source(scope, path).path.clone();
        if self.is_hidden(path, &shown) {
            return true;
        }
        if let Some((first, how)) = self.twin(path, &read, found) {
            look.note(
                Diagnostic::left_out(
                    Severity::Info,
                    DiagnosticCode::ContextDuplicate,
                    &shown,
                    format!("{how} as {first}"),
                )
                .at(Place::file(Some(scope), shown)),
            );
            return true;
        }
        let pieces = look.decoded(scope, path, &read);
        if is_blank(&pieces) && !self.keep_blank {
            return true;
        }
        let imports = if self.report_imports { self.imports(path, &pieces) } else { Vec::new() };
        if self.only_imports(&imports, &pieces, found) {
            let why = "it only imports files that are included";
            let diagnostic =
                Diagnostic::left_out(Severity::Info, DiagnosticCode::ContextDuplicate, &shown, why);
            look.note(diagnostic.at(Place::file(Some(scope), shown)));
            return true;
        }
        let variables = BTreeMap::from([
            ("path".to_owned(), shown.clone()),
            ("absolute".to_owned(), path.display().to_string()),
        ]);
        // The farthest directory gives way first, the user's own file last.
        let rank = match scope {
            Scope::Project => u32::try_from(path.components().count()).unwrap_or(u32::MAX),
            Scope::Bundled | Scope::Global => u32::MAX,
        };
        let language = preface_core::section::Language::Verbatim;
        let item = Item { variables, pieces, language, rank: Some(rank) };
        found.push(FoundContextFile {
            path: path.to_owned(),
            shown,
            scope,
            id: read.stat.id,
            bytes: read.bytes,
            imports,
            item,
        });
        true
    }

    /// Returns the imports of a file.
    fn imports(&self, path: &Path, pieces: &[Piece]) -> Vec<ImportLine> {
        if !pieces.iter().any(|piece| piece.text.contains('@')) {
            return Vec::new();
        }
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let dir = path.parent().unwrap_or(path);
        let import = |(line, name): (usize, &str)| ImportLine {
            line,
            name: name.to_owned(),
            path: expand(name, dir, self.look),
        };
        imports(&text).into_iter().map(import).collect()
    }

    /// Returns whether a file holds nothing but imports of files that are included.
    fn only_imports(&self, imports: &[ImportLine], pieces: &[Piece], found: &[FoundContextFile]) -> bool {
        let lines = || pieces.iter().flat_map(|piece| piece.text.lines());
        !imports.is_empty()
            && imports.iter().all(|import| import.is_of(found))
            && lines().filter(|line| !line.trim().is_empty()).count() == imports.len()
    }

    /// Reports the imports of each file that nothing resolves: those of a file that is not included itself.
    fn note_imports(&self, found: &[FoundContextFile]) {
        for file in found {
            let imports: Vec<&ImportLine> =
                file.imports.iter().filter(|import| !import.is_of(found)).collect();
            for (at, import) in imports.iter().take(IMPORTS).enumerate() {
                let (shown, line, name) = (&file.shown, import.line, escape_hidden(&import.name));
                let more = match imports.len() - at {
                    left if at + 1 == IMPORTS && left > 1 => {
                        format!("; nor are {} more imports of the file", left - 1)
                    }
                    _ => String::new(),
                };
                let what = format!("{shown}:{line} imports `{name}`, which is not resolved{more}");
                let mut place = Place::file(Some(file.scope), shown.clone());
                place.line = Some(line);
                self.look.note(Diagnostic::warning(DiagnosticCode::ContextImport, what).at(place).help(
                    "the line is included as text; in a profile, `fill = \"instruction-files\"` for this section includes \
                     the file",
                ));
            }
        }
    }

    fn twin<'f>(
        &self,
        path: &Path,
        read: &FileRead,
        found: &'f [FoundContextFile],
    ) -> Option<(&'f str, &'static str)> {
        let by_file = self.dedupe.contains("file");
        let by_content = self.dedupe.contains("content");
        found.iter().find_map(|other| {
            if other.path == path {
                Some((other.shown.as_str(), "it is the same path"))
            } else if by_file && read.stat.id.is_some() && other.id == read.stat.id {
                Some((other.shown.as_str(), "it is the same file"))
            } else if by_content && other.bytes == read.bytes {
                Some((other.shown.as_str(), "it has the same text"))
            } else {
                None
            }
        })
    }
}

impl ImportLine {
    /// Returns whether the file is one of these.
    fn is_of(&self, found: &[FoundContextFile]) -> bool {
        found.iter().any(|file| file.path == self.path)
    }
}

/// Makes a path absolute: `~/` is the home directory, anything else relative belongs to `base`.
fn expand(path: &str, base: &Path, look: &ProviderContext<'_>) -> PathBuf {
    match (path.strip_prefix("~/"), &look.places.home) {
        (Some(rest), Some(home)) => normal(home, Path::new(rest)),
        _ => normal(base, Path::new(path)),
    }
}

/// Returns the lines that import a file, `@PATH` alone in its line and outside of code, with their numbers.
fn imports(text: &str) -> Vec<(usize, &str)> {
    let mut in_code = false;
    let mut imports = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
            continue;
        }
        let Some(name) = line.strip_prefix('@').filter(|_| !in_code) else { continue };
        if name.contains(['.', '/']) && !name.contains(char::is_whitespace) {
            imports.push((at + 1, name));
        }
    }
    imports
}

/// The file of the main work tree that a linked one inside of it hides by a file of the same name.
fn hidden_by_work_tree(names: &[String], look: &ProviderContext<'_>) -> Option<PathBuf> {
    let repository = git::Repository::holding(look.system, &look.places.cwd).ok()?;
    // git writes `../..` into a work tree's `commondir`.
    let common_dir = look.system.canonical(&repository.common_dir).ok()?;
    let main = common_dir.parent()?;
    let nested = repository.git_dir != repository.common_dir
        && common_dir.ends_with(".git")
        && repository.root != main
        && repository.root.starts_with(main);
    // A `.git` in between ends the work tree here, even one that git would pass by.
    let mut between = repository.cwd.ancestors().take_while(|dir| *dir != repository.root);
    if !nested || between.any(|dir| look.system.link_stat(&dir.join(".git")).is_some()) {
        return None;
    }
    let is_file = |name: &&String| {
        look.system.stat(&repository.root.join(name)).is_some_and(|stat| stat.kind == FileKind::File)
    };
    Some(main.join(names.iter().find(is_file)?))
}

/// The directories to look in, the topmost first.
fn dirs(stop: &str, look: &ProviderContext<'_>) -> Vec<PathBuf> {
    let cwd = &look.places.cwd;
    let top: Option<PathBuf> = match stop {
        "cwd" => Some(cwd.clone()),
        "home" => look.places.home.clone(),
        "work-tree" => git::work_tree_root(look.system, cwd).or_else(|| Some(cwd.clone())),
        _ => None,
    };
    // The cwd may lead here through links, the top is compared where they lead.
    let top = top.map(|top| look.system.canonical(&top).unwrap_or(top));
    let is_top = |dir: &Path| match &top {
        None => false,
        Some(top) => top == dir || look.system.canonical(dir).is_ok_and(|real| real == *top),
    };
    let mut dirs: Vec<PathBuf> = Vec::new();
    for dir in cwd.ancestors() {
        dirs.push(dir.to_owned());
        if is_top(dir) {
            break;
        }
    }
    dirs.reverse();
    dirs
}
