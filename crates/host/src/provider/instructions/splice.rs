//! Puts imported files in place of their `@path`, within limits, and reports why an `@path` stays as it is written.

use super::{
    diagnostics::DiagnosticReporter,
    options::{ImportMode, InstructionOptions},
    reach::{ImportReach, ImportTarget, find},
    reader::InstructionReader,
    text::InstructionText,
    walk::is_local,
};
use crate::{
    provider::{context::CONTEXT_FILE_LIMIT, git},
    system::FileKind,
};
use globset::GlobSet;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    lint::hidden::escape_hidden,
    origin::{Piece, Source},
    scope::Scope,
};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

/// The most files that a build inserts for an `@path`, and the most that it reads for imports.
pub const MOST_FILES: usize = 1_000;
/// The most bytes of all imported texts.
pub const MOST_BYTES: usize = 4 << 20;
/// The most bytes that are read for imports, used or not.
pub const MOST_READ: u64 = 64 << 20;
/// The most paths that a build looks up.
const MOST_LOOKS: usize = 10_000;
/// The limits for a path: text that is longer or deeper names no file.
const LONGEST: usize = 1_024;
const DEEPEST: usize = 100;
/// The punctuation that can follow a path in a sentence.
const PUNCTUATION: [char; 11] = ['.', ',', ';', ':', '!', '?', ')', ']', '}', '"', '\''];

/// A file whose imports are to be inserted.
pub struct ImportingFile<'f> {
    pub path: &'f Path,
    pub text: &'f Rc<InstructionText>,
    /// The start of the text, after a rule's head.
    pub from: usize,
    /// The end of the text, before the last line end of an import.
    pub to: usize,
}

/// Inserts imports, and applies the limits of the whole build.
pub struct Splicer<'a> {
    reader: &'a InstructionReader<'a>,
    diagnostics: &'a DiagnosticReporter<'a>,
    exclude: &'a GlobSet,
    /// The name of the option `exclude` for messages.
    exclude_name: &'a str,
    on: bool,
    hops: usize,
    count: ImportCount,
    /// The real files that were imported, with those that import them.
    pub imported: BTreeMap<PathBuf, Arc<Source>>,
    /// The real files that are included on their own.
    pub included: BTreeSet<PathBuf>,
}

/// What counts for the limits of a build.
#[derive(Default)]
struct ImportCount {
    files: usize,
    bytes: usize,
    reads: usize,
    read: u64,
    looks: usize,
    /// The number of imports that were left as text because a limit was reached.
    beyond: usize,
}

/// One file's imports: the chain of real files that are open, and where they may lead.
struct ImportChain<'c> {
    open: Vec<PathBuf>,
    reach: &'c ImportReach,
    scope: Scope,
    may_exclude: bool,
    /// True for a file that came with the project: neither one of the user's nor a `.local` one.
    is_of_project: bool,
}

/// An import that can be inserted.
struct Import {
    path: PathBuf,
    real: PathBuf,
    text: Rc<InstructionText>,
    /// The end of the `@path`.
    end: usize,
}

impl<'a> Splicer<'a> {
    pub fn new(
        options: &'a InstructionOptions,
        reader: &'a InstructionReader<'a>,
        diagnostics: &'a DiagnosticReporter<'a>,
        exclude: &'a GlobSet,
    ) -> Self {
        Splicer {
            reader,
            diagnostics,
            exclude,
            exclude_name: options.exclude_name(),
            on: options.imports == ImportMode::Insert,
            hops: options.hops,
            count: ImportCount::default(),
            imported: BTreeMap::new(),
            included: BTreeSet::new(),
        }
    }

    /// Returns the text of a file with everything that it imports.
    pub fn whole(
        &mut self,
        file: &ImportingFile<'_>,
        real: &Path,
        reach: &ImportReach,
        may_exclude: bool,
    ) -> Vec<Piece> {
        let mut out = Vec::new();
        let scope = file.text.source.scope;
        let is_of_project = scope == Scope::Project && !is_local(file.path);
        let mut chain = ImportChain { open: vec![real.to_owned()], reach, scope, may_exclude, is_of_project };
        self.put(file, &mut chain, &mut out);
        out
    }

    /// Reports how many imports the limits left as text.
    pub fn finish(self) {
        if self.count.beyond > 0 {
            let what = format!(
                "{} imports stay as they are written: a build puts in at most {MOST_FILES} files and {MOST_BYTES} \
                 bytes, and looks for {MOST_LOOKS} names",
                self.count.beyond
            );
            let diagnostic = Diagnostic::warning(DiagnosticCode::ImportsLimit, what);
            self.reader.context.note(diagnostic.help("import less, or each file once"));
        }
    }

    fn put(&mut self, file: &ImportingFile<'_>, chain: &mut ImportChain<'_>, out: &mut Vec<Piece>) {
        let mut cutter = file.text.cutter();
        cutter.skip(file.from);
        if self.on {
            let whole = file.text.whole();
            let behind;
            let ranges = match file.from {
                0 => file.text.import_ranges(),
                from => {
                    behind = super::imports::scan(&whole, from);
                    &behind
                }
            };
            for range in ranges {
                let Some(import) = self.import(file, &whole, range, chain) else { continue };
                cutter.take(range.start, out);
                cutter.skip(import.end);
                self.imported.entry(import.real.clone()).or_insert_with(|| file.text.source.clone());
                chain.open.push(import.real);
                self.put(
                    &ImportingFile {
                        path: &import.path,
                        text: &import.text,
                        from: 0,
                        to: import.text.inline_end(),
                    },
                    chain,
                    out,
                );
                chain.open.pop();
            }
        }
        cutter.take(file.to, out);
    }

    /// Decides about one `@path`. `None` leaves it as it is written.
    fn import(
        &mut self,
        file: &ImportingFile<'_>,
        whole: &str,
        range: &Range<usize>,
        chain: &ImportChain<'_>,
    ) -> Option<Import> {
        let written = &whole[range.start + 1..range.end];
        let plain = written.trim_end_matches(PUNCTUATION);
        if written.len() > LONGEST || written.matches('/').count() > DEEPEST {
            return None;
        }
        if self.count.looks >= MOST_LOOKS {
            self.count.beyond += 1;
            return None;
        }
        let dir = file.path.parent().unwrap_or(file.path);
        self.count.looks += 1;
        // A name as it is written, then without what may be behind it: punctuation, and the name of a heading.
        let end = range.start + 1 + plain.len();
        let mut tries = vec![(written, range.end)];
        tries.extend((plain != written).then_some((plain, end)));
        tries.extend(plain.split_once('#').map(|(path, _)| (path, end)));
        if plain.is_empty() {
            tries.truncate(1);
        }
        let target_of = |path: &str| find(path, dir, chain.reach, self.reader.context);
        let mut last = None;
        for (written, end) in tries.into_iter().filter(|(written, _)| !written.is_empty()) {
            let path = written.replace("\\ ", " ");
            let found = target_of(&path);
            let is_file = matches!(found, ImportTarget::File { .. });
            last = Some((found, path, end));
            if is_file {
                break;
            }
        }
        let (found, path, end) = last?;
        if plain.is_empty() && !matches!(found, ImportTarget::File { .. }) {
            return None;
        }
        let reference = ImportReference { file, whole, place: range.start..end };
        let named = path;
        let (path, real, len) = match found {
            ImportTarget::File { path, real, len } => (path, real, len),
            ImportTarget::Missing if !is_path(&named) && !is_below(&named, target_of) => return None,
            problem => {
                self.report(&reference, &refusal(&problem));
                return None;
            }
        };
        if let Some(why) = self.objection(&path, &real, len, chain) {
            self.report(&reference, &why);
            return None;
        }
        let is_new = !self.reader.knows(chain.scope, &real);
        let size = usize::try_from(len).unwrap_or(usize::MAX);
        if self.count.files >= MOST_FILES
            || self.count.bytes.saturating_add(size) > MOST_BYTES
            || is_new && (self.count.reads >= MOST_FILES || self.count.read.saturating_add(len) > MOST_READ)
        {
            self.count.beyond += 1;
            return None;
        }
        if is_new {
            self.count.reads += 1;
            self.count.read += len;
        }
        let source = self.reader.context.places.source(chain.scope, &path);
        let Ok(text) = self.reader.read(&path, &real, &source, chain.reach.within()) else {
            self.report(&reference, &UNREAD);
            return None;
        };
        if text.binary {
            self.report(&reference, &BINARY);
            return None;
        }
        if self.count.bytes + text.bytes > MOST_BYTES {
            self.count.beyond += 1;
            return None;
        }
        self.count.files += 1;
        self.count.bytes += text.bytes;
        Some(Import { path, real, text, end })
    }

    /// Returns the reason why an existing file is not inserted, as far as that needs no reading.
    fn objection(
        &self,
        path: &Path,
        real: &Path,
        len: u64,
        chain: &ImportChain<'_>,
    ) -> Option<ImportRefusal> {
        if chain.may_exclude && (self.exclude.is_match(path) || self.exclude.is_match(real)) {
            let help = format!("take it out of `{}` to use it", self.exclude_name);
            return Some(ImportRefusal { help: help.into(), ..EXCLUDED });
        }
        if chain.open.iter().any(|open| open == real) {
            return Some(CYCLE);
        }
        if chain.is_of_project && git::is_ignored(self.reader.context.system, real) {
            return Some(IGNORED);
        }
        if self.included.contains(real) || self.imported.contains_key(real) {
            return Some(INCLUDED);
        }
        if chain.open.len() > self.hops {
            let why = format!("imports lead from one to the next {} times at most", self.hops);
            return Some(ImportRefusal { why: why.into(), ..HOPS });
        }
        (len > CONTEXT_FILE_LIMIT).then_some(LARGE)
    }

    fn report(&self, reference: &ImportReference<'_>, refusal: &ImportRefusal) {
        self.diagnostics.report(refusal.severity, refusal.code, || {
            let shown = &reference.file.text.source.path;
            let scope = Some(reference.file.text.source.scope);
            let place = Place::within(scope, shown.clone(), reference.whole, reference.place.clone());
            let line = place.line.unwrap_or_default();
            let written = escape_hidden(&reference.whole[reference.place.clone()]).into_owned();
            let what = format!("{shown}:{line}: `{written}` stays as it is written: {}", refusal.why);
            Diagnostic::new(refusal.severity, refusal.code, what).at(place).help(refusal.help.clone())
        });
    }
}

/// An `@path`, for messages.
struct ImportReference<'f> {
    file: &'f ImportingFile<'f>,
    whole: &'f str,
    place: Range<usize>,
}

/// The reason why an `@path` is left as it is written.
struct ImportRefusal {
    severity: Severity,
    code: DiagnosticCode,
    why: Cow<'static, str>,
    help: Cow<'static, str>,
}

const fn because(
    severity: Severity,
    code: DiagnosticCode,
    why: &'static str,
    help: &'static str,
) -> ImportRefusal {
    ImportRefusal { severity, code, why: Cow::Borrowed(why), help: Cow::Borrowed(help) }
}

const fn refuse(code: DiagnosticCode, why: &'static str, help: &'static str) -> ImportRefusal {
    because(Severity::Warning, code, why, help)
}

const CYCLE: ImportRefusal = refuse(
    DiagnosticCode::ImportsCycle,
    "that file is just being put in here",
    "take the import out of one of the files",
);
const IGNORED: ImportRefusal = refuse(
    DiagnosticCode::ImportsOutside,
    "git ignores that file, and a text of the project does not reach it",
    "import it from a text of your own, such as CLAUDE.local.md",
);
const INCLUDED: ImportRefusal = because(
    Severity::Info,
    DiagnosticCode::ImportsLeftOut,
    "that file is included already",
    "take the import out",
);
const HOPS: ImportRefusal =
    refuse(DiagnosticCode::ImportsHops, "", "import the file from one that is nearer");
const LARGE: ImportRefusal =
    refuse(DiagnosticCode::ImportsLimit, "the file is larger than 4 MiB", "shorten the file");
const BINARY: ImportRefusal =
    refuse(DiagnosticCode::ImportsMissing, "the file is no text", "import a file that is UTF-8");
const OUTSIDE: ImportRefusal = refuse(
    DiagnosticCode::ImportsOutside,
    "it is outside the work tree, or outside the directory if there is no work tree",
    "copy the file into it, or import it from a file of your own",
);
const MISSING: ImportRefusal = refuse(DiagnosticCode::ImportsMissing, "there is no such file", MEND);
const EXCLUDED: ImportRefusal =
    because(Severity::Info, DiagnosticCode::ImportsLeftOut, "the file is excluded", "");
const UNREAD: ImportRefusal = because(
    Severity::Info,
    DiagnosticCode::ImportsLeftOut,
    "the file was not read",
    "another diagnostic has the reason",
);
const MEND: &str = "mend the path, or write it in backticks";

fn refusal(found: &ImportTarget) -> ImportRefusal {
    let kind = |why| refuse(DiagnosticCode::ImportsMissing, why, "import a file, or write it in backticks");
    match found {
        ImportTarget::Outside => OUTSIDE,
        ImportTarget::Kind(FileKind::Dir) => kind("it is a directory"),
        ImportTarget::Kind(_) => kind("it is a pipe, socket or device"),
        ImportTarget::Unreadable(error) => ImportRefusal {
            why: error.to_string().into(),
            ..refuse(DiagnosticCode::ImportsMissing, "", MEND)
        },
        ImportTarget::Missing | ImportTarget::File { .. } => MISSING,
    }
}

/// True if a word starts with the name of a directory that is there.
fn is_below(word: &str, target_of: impl Fn(&str) -> ImportTarget) -> bool {
    word.split_once('/').is_some_and(|(dir, _)| matches!(target_of(dir), ImportTarget::Kind(FileKind::Dir)))
}

/// Returns true if a word is clearly meant as a path, not as the name of a user or a package.
fn is_path(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    let ends_like_a_file = name.rsplit_once('.').is_some_and(|(_, end)| {
        (1..=10).contains(&end.len())
            && end.starts_with(|c: char| c.is_ascii_alphabetic())
            && end.chars().all(|c| c.is_ascii_alphanumeric())
    });
    let starts_like_a_path = ["./", "../", "~/", "/"].iter().any(|head| word.starts_with(head));
    starts_like_a_path || ends_like_a_file && !word.contains('@')
}
