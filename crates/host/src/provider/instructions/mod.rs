//! Context provider `instructions`: files with instructions for a model, the files that they import, and rules.
//!
//! Managed files come first, then the user's and the user's rules, then the tree's, then the project's rules. `walk`
//! lists where files may be, `rules` finds rules, `reader` reads through the gate, `splice` inserts imports.
//! Everything that a project can make large has a limit, and what a limit leaves out is reported.

mod diagnostics;
mod globs;
mod import_lines;
mod imports;
mod options;
mod reach;
mod reader;
mod rules;
mod splice;
mod text;
mod walk;

#[cfg(test)]
mod tests;

use super::{ContextProvider, ProvidedTexts};
use crate::{
    provider::context::{ProviderContext, ReadFailure},
    system::{FileId, FileKind, ReadError, ReadScope},
};
use diagnostics::DiagnosticReporter;
use globs::{BadPattern, Globs};
use globset::GlobSet;
use import_lines::ImportLines;
use options::{ImportMode, InstructionOptions, OPTIONS, SameFile};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    lint::character::excerpt,
    origin::{Piece, Source},
    pipeline::compose::is_blank,
    scope::Scope,
    section::{Language, Section},
    snapshot::Item,
    trust::{TrustKind, TrustMode},
};
use reach::{ImportReach, TreeCache, is_in_git_dir};
use reader::{InstructionReader, absolute_source};
use splice::{ImportingFile, Splicer};
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fmt::Display,
    path::{Path, PathBuf},
    sync::Arc,
};
use text::InstructionText;
use walk::{InstructionCandidate, InstructionKind};

/// From how many lines on a text is long.
const LONG_LINES: usize = 200;
/// From how many characters on.
const LONG_CHARACTERS: usize = 40_000;
/// The most entries of a directory that is searched for near misses of names.
const MOST_ENTRIES: usize = 2_000;

/// The provider of instruction files.
pub const INSTRUCTIONS: ContextProvider = ContextProvider::new(
    "instructions",
    "AGENTS.md, CLAUDE.md and their like: managed, the user's, those of each directory down to the working directory, with \
     imports and rules",
    OPTIONS,
    provide,
);

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = InstructionOptions::read(section, context);
    let diagnostics = DiagnosticReporter::new(context);
    let exclude = excluded_globs(&options, context, &diagnostics);
    let reader = InstructionReader::new(context);
    let mut build = SectionBuild {
        context,
        options: &options,
        diagnostics: &diagnostics,
        exclude: &exclude,
        reader: &reader,
        splicer: Splicer::new(&options, &reader, &diagnostics, &exclude),
        trees: TreeCache::default(),
        rules: RuleProgress::new(&options, context),
        included: IncludedFiles::default(),
        items: Vec::new(),
        left_out: false,
        excluded: BTreeSet::new(),
        blank: Vec::new(),
        unread: Vec::new(),
        hidden: options.nearest_tree.then(|| walk::hidden_by_work_tree(&options.names, context)).flatten(),
        picked: None,
        import_lines: Vec::new(),
    };
    build.add_all();
    context.note_above_roots();
    let absent = build.absence_reason();
    let texts = ProvidedTexts::of(build.finish(), absent);
    diagnostics.finish();
    texts
}

/// The globs of files that are never read.
fn excluded_globs(
    options: &InstructionOptions,
    context: &ProviderContext<'_>,
    diagnostics: &DiagnosticReporter<'_>,
) -> GlobSet {
    let (globs, mut bad) = Globs::read(&options.exclude, &mut globs::MOST_BYTES.clone(), context);
    let set = globs.compile().unwrap_or_else(|why| {
        bad.push(BadPattern { pattern: options.exclude.join(" "), why });
        GlobSet::empty()
    });
    for BadPattern { pattern, why } in bad {
        let what = format!("`{}`: `{}` excludes nothing: {why}", options.exclude_name(), short(&pattern));
        diagnostics.report(Severity::Warning, DiagnosticCode::ProfileOption, || {
            Diagnostic::warning(DiagnosticCode::ProfileOption, what)
        });
    }
    set
}

/// One build of the section.
struct SectionBuild<'a> {
    context: &'a ProviderContext<'a>,
    options: &'a InstructionOptions,
    diagnostics: &'a DiagnosticReporter<'a>,
    exclude: &'a GlobSet,
    reader: &'a InstructionReader<'a>,
    splicer: Splicer<'a>,
    trees: TreeCache,
    rules: RuleProgress,
    included: IncludedFiles,
    items: Vec<Item>,
    /// True if a file was found and not used.
    left_out: bool,
    /// The files that are excluded.
    excluded: BTreeSet<PathBuf>,
    /// The files without text.
    blank: Vec<String>,
    /// The user's files that are not read, and those of the project whose names are nearly those of instruction files.
    unread: Vec<String>,
    /// The file of the tree around a linked work tree, which that one's own hides.
    hidden: Option<PathBuf>,
    /// The directory of which a file was taken last, and that file's name.
    picked: Option<(PathBuf, String)>,
    /// The included files with imports that nothing resolves.
    import_lines: Vec<ImportLines>,
}

/// The files that are included, by id, by path and by text.
#[derive(Default)]
struct IncludedFiles {
    by_id: BTreeMap<FileId, Arc<Source>>,
    by_path: BTreeMap<PathBuf, Arc<Source>>,
    by_text: BTreeMap<String, Arc<Source>>,
}

impl IncludedFiles {
    /// Adds a file, or returns the name by which it was included before.
    fn add(&mut self, id: Option<FileId>, path: &Path, source: &Arc<Source>) -> Option<Arc<Source>> {
        let before = self.by_path.get(path).or_else(|| self.by_id.get(&id?)).cloned();
        if before.is_none() {
            self.by_path.insert(path.to_owned(), source.clone());
            self.by_id.extend(id.map(|id| (id, source.clone())));
        }
        before
    }

    /// Adds a text, or returns the file that has it: byte order marks, line ends and white space at the end do not count.
    fn add_text(&mut self, pieces: &[Piece], source: &Arc<Source>) -> Option<Arc<Source>> {
        let text: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
        match self.by_text.entry(text.trim_end().to_owned()) {
            Entry::Occupied(first) => Some(first.get().clone()),
            Entry::Vacant(place) => {
                place.insert(source.clone());
                None
            }
        }
    }
}

/// The state of all rules.
struct RuleProgress {
    /// The files that are worked on, by all their names.
    touched: Vec<PathBuf>,
    /// The bytes that patterns may still have.
    room: usize,
    read: usize,
    bytes: u64,
    /// The number of rules that were not read.
    beyond: usize,
    waiting: usize,
    /// One that waits.
    example: Option<String>,
}

impl RuleProgress {
    fn new(options: &InstructionOptions, context: &ProviderContext<'_>) -> Self {
        let names = |path: &String| globs::names(Path::new(path), context);
        RuleProgress {
            touched: options.touched.iter().flat_map(names).collect(),
            room: globs::MOST_BYTES,
            read: 0,
            bytes: 0,
            beyond: 0,
            waiting: 0,
            example: None,
        }
    }

    /// Takes the room for one more. Once there is none, nothing after it is read.
    fn has_room(&mut self, bytes: u64) -> bool {
        let fits = self.beyond == 0
            && self.read < rules::MOST_RULES
            && self.bytes.saturating_add(bytes) <= rules::MOST_BYTES;
        match fits {
            true => {
                self.read += 1;
                self.bytes += bytes;
            }
            false => self.beyond += 1,
        }
        fits
    }
}

/// The result of comparing the patterns of a rule with the touched files.
enum RuleMatch {
    /// One of its files is worked on.
    Comes,
    /// None is yet.
    Later,
    /// None can be: no pattern of it is sound.
    Never,
}

impl SectionBuild<'_> {
    fn add_all(&mut self) {
        let (options, context) = (self.options, self.context);
        for candidate in walk::managed(options, context).iter().chain(&walk::user(options, context)) {
            self.add_picked(candidate);
        }
        if let Some(global) = &context.places.global {
            self.add_rules(global, Scope::Global);
        }
        for candidate in &walk::tree(options, context) {
            self.add_picked(candidate);
        }
        if let Some(project) = context.places.project.as_ref().filter(|_| context.gate.allows_layer()) {
            self.add_rules(project, Scope::Project);
        }
        for candidate in &walk::unread(options, context) {
            self.report_unread(candidate);
        }
        for file in &self.import_lines {
            file.report(&self.import_lines, context);
        }
        self.report_near_misses();
    }

    /// Adds a file, unless one of its directory was taken and the first is enough.
    fn add_picked(&mut self, candidate: &InstructionCandidate) {
        let InstructionCandidate { path, kind, scope, dir } = candidate;
        if let Some((_, first)) = self.picked.as_ref().filter(|(of, _)| self.options.first && of == dir) {
            if self.context.system.stat(path).is_some_and(|stat| stat.kind == FileKind::File) {
                let why = format!("{first} is in the same directory");
                let source = self.context.places.source(*scope, path);
                self.left_out(Severity::Info, DiagnosticCode::ContextShadowed, &source, why);
            }
        } else if self.add_file(candidate) && *kind != InstructionKind::Managed {
            let name = path.strip_prefix(dir).unwrap_or(path).display().to_string();
            self.picked = Some((dir.clone(), name));
        }
    }

    /// Reports files of the working directory, and of those above it in the project, whose names differ from those of
    /// instruction files in case, or by an `s`.
    fn report_near_misses(&mut self) {
        let (context, names) = (self.context, &self.options.names);
        let normal = |name: &str| name.to_ascii_lowercase().replace("s.md", ".md");
        let top = context.project_root();
        for dir in context.places.cwd.ancestors().take_while(|dir| dir.starts_with(top)) {
            let has_one = names.iter().any(|name| context.system.link_stat(&dir.join(name)).is_some());
            if has_one || !context.in_roots(dir) || context.gate.mode() == TrustMode::Whole {
                continue;
            }
            for entry in context.system.list(dir, MOST_ENTRIES).unwrap_or_default() {
                let entry = entry.name.to_string_lossy();
                let Some(name) = names.iter().find(|name| normal(name) == normal(&entry)) else { continue };
                let source = context.places.source(Scope::Project, &dir.join(&*entry));
                self.diagnostics.report(Severity::Info, DiagnosticCode::InstructionsUnread, || {
                    let what = format!("{} is not read: instructions are in {name}", source.path);
                    let place = Place::file(Some(source.scope), source.path.clone());
                    Diagnostic::info(DiagnosticCode::InstructionsUnread, what).at(place).help("rename it")
                });
                self.unread.push(source.path.clone());
            }
        }
    }

    /// Reports a file of the user's that is not read here.
    fn report_unread(&mut self, candidate: &InstructionCandidate) {
        if self.exclude.is_match(&candidate.path) {
            return;
        }
        let source = self.context.places.source(candidate.scope, &candidate.path);
        self.diagnostics.report(Severity::Info, DiagnosticCode::InstructionsUnread, || {
            let diagnostic = Diagnostic::info(
                DiagnosticCode::InstructionsUnread,
                format!("{} is not read here", source.path),
            )
            .at(Place::file(Some(source.scope), source.path.clone()));
            match &self.options.hints.unread {
                Some(help) => diagnostic.help(help),
                None => diagnostic,
            }
        });
        self.unread.push(source.path.clone());
    }

    /// Returns the reason for an empty section.
    fn absence_reason(&self) -> String {
        let why = self.reason_of_read_files();
        match self.unread.as_slice() {
            [] => why,
            [one] => format!("{why}; {one} is not read here"),
            many => format!("{why}; {} are not read here", many.join(" and ")),
        }
    }

    fn reason_of_read_files(&self) -> String {
        let some = self.left_out || self.rules.waiting > 0 || self.rules.beyond > 0;
        match self.blank.as_slice() {
            _ if some => "every file was left out or waits; see the diagnostics".to_owned(),
            [] => format!("there is no {} from here up", self.options.names.join(" or ")),
            [one] => format!("{one} is empty"),
            [one, more @ ..] => format!("{one} and {} more are empty", more.len()),
        }
    }

    fn finish(self) -> Vec<Item> {
        self.splicer.finish();
        let RuleProgress { beyond, waiting, example, .. } = self.rules;
        if beyond > 0 {
            let what = format!(
                "{beyond} rules were left out: a build reads at most {} rules and {} bytes of them",
                rules::MOST_RULES,
                rules::MOST_BYTES
            );
            self.context.note(
                Diagnostic::warning(DiagnosticCode::RulesLimit, what)
                    .help("put rules together, or remove some"),
            );
        }
        if let Some(example) = example {
            let rules = if waiting == 1 { "1 rule waits" } else { &format!("{waiting} rules wait") };
            let what = format!("{rules} for a file to be worked on, such as {example}");
            let help = self.options.hints.waiting.as_deref();
            let help = help.unwrap_or("`touched` names files that are worked on");
            self.context.note(Diagnostic::info(DiagnosticCode::RulesWaiting, what).help(help));
        }
        self.items
    }

    fn add_rules(&mut self, layer: &Path, scope: Scope) {
        let Some(name) = &self.options.rules else { return };
        let dir = layer.join(name);
        if self.context.system.link_stat(&dir).is_none() {
            return;
        }
        for path in rules::walk(&dir, scope, self.context) {
            self.add_file(&InstructionCandidate {
                path,
                kind: InstructionKind::Rule,
                scope,
                dir: self.context.places.cwd.clone(),
            });
        }
    }

    /// Adds one file, if it exists and may be included. Returns true if it stands for its directory, even if it is left out:
    /// an untrusted file does, one that cannot be read does not.
    fn add_file(&mut self, candidate: &InstructionCandidate) -> bool {
        let InstructionCandidate { path, kind, scope, dir } = candidate;
        let Some(stat) = self.context.system.link_stat(path) else { return false };
        let source = match kind {
            InstructionKind::Managed => absolute_source(*scope, path),
            _ => self.context.places.source(*scope, path),
        };
        let Some(real) = self.place(candidate, &source, stat.kind == FileKind::Link) else {
            self.left_out = true;
            return false;
        };
        if *kind == InstructionKind::Rule {
            let size = self.context.system.stat(&real).map_or(0, |stat| stat.len);
            // One that is too large by itself is reported as such, and takes no room.
            let size = if size > crate::provider::context::CONTEXT_FILE_LIMIT { 0 } else { size };
            if !self.rules.has_room(size) {
                return false;
            }
        }
        let reach = match scope {
            Scope::Project => self.trees.of(dir, self.context),
            _ => ImportReach::Anywhere,
        };
        let text = match self.reader.read(path, &real, &source, self.within(candidate)) {
            Ok(text) => text,
            Err(why) => {
                self.left_out = true;
                return why == ReadFailure::Untrusted;
            }
        };
        // A link to it in the linked work tree is the file of that.
        if self.hidden.as_ref() == Some(&real) && stat.kind != FileKind::Link {
            let why = "the linked work tree below it has its own";
            self.left_out(Severity::Info, DiagnosticCode::ContextShadowed, &source, why);
            return true;
        }
        let (id, place) = match self.options.same {
            SameFile::Path => (None, path),
            SameFile::File | SameFile::Content => (text.id, &real),
        };
        if let Some(first) = self.included.add(id, place, &source) {
            // The user's own file, met again on the way down, is not left out: it is included.
            if first.path != source.path {
                let why = format!("it is the same file as {}", first.path);
                self.left_out(Severity::Info, DiagnosticCode::ContextDuplicate, &source, why);
            }
            return true;
        }
        if let Some(by) = self.splicer.imported.get(&real) {
            let why = format!("it is imported by {}", by.path);
            self.left_out(Severity::Info, DiagnosticCode::ContextDuplicate, &source, why);
            return true;
        }
        self.report_bad_bytes(&text, &source);
        let from = match kind {
            InstructionKind::Rule => self.rule_start(&text, &source),
            _ => Some(0),
        };
        let Some(from) = from else { return true };
        let open = ImportingFile { path, text: &text, from, to: usize::MAX };
        let pieces = self.splicer.whole(&open, &real, &reach, *kind != InstructionKind::Managed);
        if is_blank(&pieces) && !self.options.keep_blank {
            self.blank.push(source.path.clone());
            return true;
        }
        if self.options.same == SameFile::Content
            && let Some(first) = self.included.add_text(&pieces, &source)
        {
            let why = format!("it has the same text as {}", first.path);
            self.left_out(Severity::Info, DiagnosticCode::ContextDuplicate, &source, why);
            return true;
        }
        if self.options.imports == ImportMode::Report {
            let imports = ImportLines::of(path, text, self.context);
            if imports.is_all(&self.import_lines) {
                let why = "it only imports files that are included";
                self.left_out(Severity::Info, DiagnosticCode::ContextDuplicate, &source, why);
                return true;
            }
            self.import_lines.push(imports);
        }
        self.splicer.included.insert(real);
        self.add_item(candidate, &source, pieces);
        true
    }

    /// Where a file really lies, where it may be read.
    fn place(
        &mut self,
        candidate: &InstructionCandidate,
        source: &Arc<Source>,
        is_link: bool,
    ) -> Option<PathBuf> {
        let InstructionCandidate { path, kind, scope, dir } = candidate;
        let real = match self.context.system.canonical(path) {
            Ok(real) => real,
            Err(error) => {
                self.left_out(Severity::Warning, DiagnosticCode::FileLink, source, error);
                return None;
            }
        };
        if *kind != InstructionKind::Managed && (self.exclude.is_match(path) || self.exclude.is_match(&real))
        {
            // The user's own file may be met again on the way down.
            if self.excluded.insert(path.clone()) {
                let code = DiagnosticCode::InstructionsExcluded;
                self.left_out(Severity::Info, code, source, "it is excluded");
            }
            return None;
        }
        if *scope != Scope::Project {
            return Some(real);
        }
        if self.reader.kind(path) == TrustKind::LayerText && !self.context.gate.allows_layer() {
            return None;
        }
        let root = match self.within(candidate) {
            ReadScope::Root(root) => root,
            ReadScope::Anywhere => self.context.root_of(path),
        };
        let in_git_dir = || matches!(self.trees.of(dir, self.context), ImportReach::Tree(tree) if is_in_git_dir(&real, &tree));
        if self.context.may_lie_at(&real, root) && !in_git_dir() {
            return Some(real);
        }
        // Files above the directories that may be read are not reported.
        if is_link || self.context.in_roots(path) {
            let error = ReadError::Outside { target: real.clone() };
            self.context.add_unread(path, error, self.reader.kind(path));
            self.diagnostics.report(Severity::Warning, DiagnosticCode::FileOutside, || {
                let why = "it leads out of what the project may read";
                Diagnostic::left_out(Severity::Warning, DiagnosticCode::FileOutside, &source.path, why)
                    .at(Place::file(Some(source.scope), source.path.clone()))
                    .help(self.context.help_for_outside(&real))
            });
        }
        None
    }

    /// Returns the directory that links may not lead out of.
    fn within(&self, candidate: &InstructionCandidate) -> ReadScope<'_> {
        match (candidate.scope, candidate.kind) {
            (Scope::Project, InstructionKind::Rule) => ReadScope::Root(self.context.layer_root()),
            _ => ReadScope::Anywhere,
        }
    }

    /// Returns where the text of a rule begins. `None` if it waits for another file.
    fn rule_start(&mut self, text: &InstructionText, source: &Arc<Source>) -> Option<usize> {
        let head = rules::head(&text.whole());
        if let Some((why, line)) = head.problem {
            self.diagnostics.report(Severity::Warning, DiagnosticCode::RulesHead, || {
                let mut place = Place::file(Some(source.scope), source.path.clone());
                place.line = line;
                let what = format!("{}: {why}", source.path);
                Diagnostic::warning(DiagnosticCode::RulesHead, what)
                    .at(place)
                    .help("mend the lines between the two `---`")
            });
        }
        let Some(paths) = head.paths else { return Some(head.body) };
        match self.match_rule(&paths, source) {
            RuleMatch::Comes => return Some(head.body),
            RuleMatch::Never => self.left_out = true,
            RuleMatch::Later => {
                self.rules.waiting += 1;
                self.rules.example.get_or_insert_with(|| {
                    format!("{} (`{}`)", source.path, short(&paths.first().cloned().unwrap_or_default()))
                });
            }
        }
        None
    }

    /// Compares the patterns of a rule with the touched files.
    fn match_rule(&mut self, paths: &[String], source: &Arc<Source>) -> RuleMatch {
        let (globs, mut bad) = Globs::read(paths, &mut self.rules.room, self.context);
        let touched = &self.rules.touched;
        let rule_match = match globs.is_empty() {
            true => RuleMatch::Never,
            false if touched.is_empty() => RuleMatch::Later,
            false => match globs.compile() {
                Ok(set) if touched.iter().any(|path| set.is_match(path)) => RuleMatch::Comes,
                Ok(_) => RuleMatch::Later,
                Err(why) => {
                    bad.push(BadPattern { pattern: paths.join(", "), why });
                    RuleMatch::Never
                }
            },
        };
        for BadPattern { pattern, why } in bad {
            self.note(Severity::Warning, DiagnosticCode::RulesHead, source, |shown| {
                format!("{shown}: `{}` matches nothing: {why}", short(&pattern))
            });
        }
        rule_match
    }

    fn add_item(&mut self, candidate: &InstructionCandidate, source: &Arc<Source>, pieces: Vec<Piece>) {
        self.report_length(&pieces, source);
        let variables = BTreeMap::from([
            ("path".to_owned(), source.path.clone()),
            ("absolute".to_owned(), candidate.path.display().to_string()),
            ("kind".to_owned(), candidate.kind.as_str().to_owned()),
        ]);
        let rank = Some(candidate.rank(&self.context.places.cwd));
        self.items.push(Item { variables, pieces, language: Language::Verbatim, rank });
    }

    fn report_bad_bytes(&self, text: &InstructionText, source: &Arc<Source>) {
        if text.bad == 0 {
            return;
        }
        self.diagnostics.report(Severity::Warning, DiagnosticCode::FileNotUtf8, || {
            let places = if text.bad == 1 { "1 place" } else { &format!("{} places", text.bad) };
            let what = format!("{} is not UTF-8: {places} became U+FFFD", source.path);
            Diagnostic::warning(DiagnosticCode::FileNotUtf8, what)
                .at(Place::file(Some(source.scope), source.path.clone()))
                .help("save the file as UTF-8")
        });
    }

    fn report_length(&self, pieces: &[Piece], source: &Arc<Source>) {
        let text = || pieces.iter().map(|piece| piece.text.as_str());
        let ends: usize = text().map(|text| text.matches('\n').count()).sum();
        let open_end = text().rfind(|text| !text.is_empty()).is_some_and(|text| !text.ends_with('\n'));
        let lines = ends + usize::from(open_end);
        let characters: usize = text().map(|text| text.chars().count()).sum();
        if lines > LONG_LINES || characters > LONG_CHARACTERS {
            self.note(Severity::Info, DiagnosticCode::InstructionsLong, source, |shown| {
                format!(
                    "{shown} has {lines} lines and {characters} characters, imports included: each request pays for \
                     them"
                )
            });
        }
    }

    fn note(
        &self,
        severity: Severity,
        code: DiagnosticCode,
        source: &Arc<Source>,
        what: impl FnOnce(&str) -> String,
    ) {
        self.diagnostics.report(severity, code, || {
            let place = Place::file(Some(source.scope), source.path.clone());
            Diagnostic::new(severity, code, what(&source.path)).at(place)
        });
    }

    fn left_out(&self, severity: Severity, code: DiagnosticCode, source: &Source, why: impl Display) {
        self.diagnostics.report(severity, code, || {
            let place = Place::file(Some(source.scope), source.path.clone());
            Diagnostic::left_out(severity, code, &source.path, why).at(place)
        });
    }
}

/// Returns the beginning of a text for a message.
fn short(text: &str) -> String {
    excerpt(text, 80)
}
