//! One file: through the gate, split into head and body, the head read.

use super::{Markdown, MarkdownEntry, MarkdownKind, shown, walk::MarkdownPath};
use crate::{
    extensions::wanted,
    provider::context::{ProviderContext, ReadRequest},
    system::FileRead,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    extension::{Entry, EntryOrigin, Status},
    origin::{Origin, Piece, Source, decode},
    scope::Scope,
    section::Language,
    skill::{
        YamlError, YamlFields,
        frontmatter::{self, FrontmatterSplit, split},
    },
    suggestion::did_you_mean,
    template::trim,
};
use std::{collections::BTreeMap, ops::Range, path::Path, sync::Arc};

/// The most that is read of a file.
const FILE_LIMIT: u64 = 256 << 10;
/// The most unknown keys of a file that are reported.
const MOST_UNKNOWN: usize = 10;

/// A file whose head was read.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkdownFile {
    /// The source for origins.
    pub source: Arc<Source>,
    /// The path below the directory of its kind, with `/`, without `.md`.
    pub below: String,
    /// The keys and values of the head, without literal keys.
    pub fields: YamlFields,
    /// The literal keys.
    pub literal: BTreeMap<&'static str, String>,
    /// The text after the head, trimmed and otherwise unchanged.
    pub body: Vec<Piece>,
    /// The language of the text.
    pub language: Language,
    /// The size of the file.
    pub bytes: u64,
    /// The block of its head; empty if there is none.
    head: Vec<Piece>,
    /// The line on which the block starts.
    line: usize,
}

/// A file whose head was read, or the entry of one whose head could not be.
pub(super) type ReadMarkdown<T> = Result<Box<MarkdownFile>, Box<MarkdownEntry<T>>>;

impl MarkdownFile {
    /// Returns its name without directories.
    #[must_use]
    pub fn stem(&self) -> &str {
        stem(&self.below)
    }

    /// Returns the name that it gives itself, else that of its file.
    #[must_use]
    pub fn own_name(&self) -> String {
        self.text("name").unwrap_or_else(|| self.stem()).to_owned()
    }

    /// Returns a text of the head, trimmed; `None` if it is none, or blank.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<&str> {
        self.fields.get(key)?.as_str().map(trim).filter(|text| !text.is_empty())
    }

    /// Reports the keys of the head that are not known.
    pub(crate) fn unknown_keys(&self, of: &str, known: &[&str]) -> Diagnostics {
        let unknown = self.fields.keys().filter(|key| !known.contains(&key.as_str()));
        let diagnostic = |key: &String| {
            let (path, key_shown) = (&self.source.path, shown(key));
            let what = format!("{path}: `{key_shown}` is no field of {of} that preface knows");
            let found = Diagnostic::info(DiagnosticCode::KeyUnknown, what).at(self.place(key));
            match did_you_mean(key, known.iter().copied()) {
                Some(near) => found.help(format!("did you mean `{near}`?")),
                None => found,
            }
        };
        unknown.take(MOST_UNKNOWN).map(diagnostic).collect()
    }

    /// Returns the entry of the file, which is not valid yet.
    pub(super) fn entry<T>(&self, name: String, diagnostics: Diagnostics) -> MarkdownEntry<T> {
        let Source { scope, path } = &*self.source;
        let origin = EntryOrigin { scope: *scope, path: path.clone() };
        invalid(name, origin, &self.below, Some(self.bytes), diagnostics)
    }

    /// Names the file, and the line of a key where the head has it.
    #[must_use]
    pub fn place(&self, key: &str) -> Place {
        let head = join(&self.head);
        let is_key = |line: &str| {
            line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with(':'))
        };
        let at = head.lines().position(is_key);
        let mut place = Place::file(Some(self.source.scope), self.source.path.clone());
        place.line = Some(at.map_or(1, |at| at + self.line));
        place
    }

    /// Returns a value of the head as a piece; with its exact place if the head contains it unchanged.
    #[must_use]
    pub fn piece(&self, value: &str) -> Vec<Piece> {
        self.locate(value, &self.head)
    }

    /// The same for a value of the body.
    #[must_use]
    pub fn piece_of_body(&self, value: &str) -> Vec<Piece> {
        self.locate(value, &self.body)
    }

    fn locate(&self, value: &str, pieces: &[Piece]) -> Vec<Piece> {
        if let Some(at) = join(pieces).find(value) {
            return part(pieces, at..at + value.len());
        }
        let spans = pieces.iter().filter_map(|piece| match &piece.origin {
            Origin::Source { span, .. } => Some(span.clone()),
            _ => None,
        });
        let span = spans.reduce(|first, last| first.start..last.end).unwrap_or_default();
        let origin = Origin::Source { source: self.source.clone(), span, lossy: true };
        vec![Piece { text: value.to_owned(), origin }]
    }
}

fn invalid<T>(
    name: String,
    origin: EntryOrigin,
    below: &str,
    bytes: Option<u64>,
    diagnostics: Diagnostics,
) -> MarkdownEntry<T> {
    let language = Language::Verbatim;
    let value = Markdown { below: below.to_owned(), bytes, what: None, body: Vec::new(), language };
    Entry { status: Status::Disabled, diagnostics, ..Entry::new(value, name, origin) }
}

/// Reads a file of the bundle.
pub(super) fn of_bundle<T>(
    path: &str,
    below: &str,
    bytes: &[u8],
    kind: &MarkdownKind<T>,
    context: &ProviderContext<'_>,
) -> ReadMarkdown<T> {
    let source = Arc::new(Source { scope: Scope::Bundled, path: format!("bundled/{path}") });
    let pieces = decode(bytes, &source);
    let whole = MarkdownSource { source, below, pieces, bytes: bytes.len(), language: Language::Template };
    whole.split(kind, context)
}

/// Returns the request for a file of a layer.
pub(super) fn request<'a>(scope: Scope, path: &'a Path, context: &'a ProviderContext<'_>) -> ReadRequest<'a> {
    wanted(scope, path, FILE_LIMIT, context)
}

/// Reads the file of an entry. What is wrong with it is the entry's, and reported.
///
/// # Errors
/// There is nothing to read: the entry has the status and, unless the file went away, the diagnostics. The size is that of a
/// file that is not trusted.
pub(crate) fn read_file<T>(
    entry: &mut Entry<T>,
    wanted: &ReadRequest<'_>,
    context: &ProviderContext<'_>,
) -> Result<FileRead, Option<u64>> {
    let before = context.diagnostics.borrow().len();
    if let Some(read) = context.read(wanted) {
        return Ok(read);
    }
    entry.diagnostics = context.diagnostics.borrow()[before..].to_vec();
    let is_untrusted =
        entry.diagnostics.iter().any(|diagnostic| diagnostic.code == DiagnosticCode::TrustUntrusted);
    entry.status = if is_untrusted { Status::Untrusted } else { Status::Disabled };
    Err(context.system.stat(wanted.path).filter(|_| is_untrusted).map(|stat| stat.len))
}

/// Reads a file of a layer. `None` if it went away between the list and the reading.
pub(super) fn of_layer<T>(
    scope: Scope,
    found: &MarkdownPath,
    kind: &MarkdownKind<T>,
    context: &ProviderContext<'_>,
) -> Option<ReadMarkdown<T>> {
    let source = context.places.source(scope, &found.path);
    let origin = EntryOrigin { scope, path: source.path.clone() };
    let mut entry = invalid(stem(&found.below).to_owned(), origin, &found.below, None, Vec::new());
    match read_file(&mut entry, &request(scope, &found.path, context), context) {
        Ok(read) => {
            let pieces = context.decoded(scope, &found.path, &read);
            let (bytes, language) = (read.bytes.len(), Language::Verbatim);
            Some(MarkdownSource { source, below: &found.below, pieces, bytes, language }.split(kind, context))
        }
        Err(bytes) => {
            entry.value.bytes = bytes;
            (!entry.diagnostics.is_empty()).then(|| Err(Box::new(entry)))
        }
    }
}

/// A file as it was read.
struct MarkdownSource<'a> {
    source: Arc<Source>,
    below: &'a str,
    pieces: Vec<Piece>,
    bytes: usize,
    language: Language,
}

impl MarkdownSource<'_> {
    fn split<T>(self, kind: &MarkdownKind<T>, context: &ProviderContext<'_>) -> ReadMarkdown<T> {
        let text = join(&self.pieces);
        let parts = split(&text);
        let body = body_range(&text, &parts);
        let block = parts.block.as_deref().unwrap_or_default();
        let (block, literal) = take_literal(block, kind.literal);
        let line = |error: &YamlError| error.line.map_or(1, |line| line + parts.line - 1);
        match frontmatter::read_lenient(&block, kind.is_key) {
            Ok((fields, error)) => {
                if let Some(error) = &error {
                    context.note(read_by_line(self.source.scope, &self.source.path, line(error)));
                }
                Ok(Box::new(MarkdownFile {
                    below: self.below.to_owned(),
                    fields,
                    literal,
                    body: part(&self.pieces, body),
                    language: self.language,
                    bytes: self.bytes as u64,
                    head: part(&self.pieces, parts.span),
                    line: parts.line,
                    source: self.source,
                }))
            }
            Err(error) => self.no_yaml(line(&error), &error.message, context),
        }
    }

    fn place(&self, line: usize) -> Place {
        let mut place = Place::file(Some(self.source.scope), self.source.path.clone());
        place.line = Some(line);
        place
    }

    fn no_yaml<T>(self, line: usize, why: &str, context: &ProviderContext<'_>) -> ReadMarkdown<T> {
        let Source { scope, path } = &*self.source;
        let place = self.place(line);
        let why = format!("its head is no YAML: {}", shown(why));
        let diagnostic = Diagnostic::left_out(Severity::Warning, DiagnosticCode::MarkdownHead, path, why)
            .at(place)
            .help(NO_YAML_HELP);
        context.note(diagnostic.clone());
        let origin = EntryOrigin { scope: *scope, path: path.clone() };
        let name = stem(self.below).to_owned();
        Err(Box::new(invalid(name, origin, self.below, Some(self.bytes as u64), vec![diagnostic])))
    }
}

/// What to do about a head that is no YAML.
pub(crate) const NO_YAML_HELP: &str =
    "mend the lines between the two `---`: a quote or bracket that opens a text is closed in it";

/// Returns the diagnostic on a head that is YAML only after a second look.
pub(crate) fn read_by_line(scope: Scope, path: &str, line: usize) -> Diagnostic {
    let what = format!("{path}: a text in the head is no YAML; it was read as it is written");
    let mut place = Place::file(Some(scope), path);
    place.line = Some(line);
    let help = "put the text in quotes, or write `key: >-` and the text indented below";
    Diagnostic::info(DiagnosticCode::MarkdownHead, what).at(place).help(help)
}

/// Returns the text after the head of a file, trimmed and otherwise unchanged.
#[must_use]
pub fn body(pieces: Vec<Piece>) -> Vec<Piece> {
    let text = join(&pieces);
    part(&pieces, body_range(&text, &split(&text)))
}

fn body_range(text: &str, parts: &FrontmatterSplit<'_>) -> Range<usize> {
    let rest = &text[parts.body_start..];
    let body = trim(rest);
    let start = parts.body_start + rest.find(body).unwrap_or_default();
    start..start + body.len()
}

fn stem(below: &str) -> &str {
    below.rsplit_once('/').map_or(below, |(_, stem)| stem)
}

/// Takes the lines of literal keys out of a block; the others keep their numbers.
fn take_literal(block: &str, keys: &[&'static str]) -> (String, BTreeMap<&'static str, String>) {
    let mut taken = BTreeMap::new();
    let lines = block.lines().map(|line| {
        let literal = keys.iter().find_map(|key| Some((*key, line.strip_prefix(key)?.strip_prefix(':')?)));
        let Some((key, value)) = literal else { return line };
        let value = value.trim();
        let unquoted = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
        taken.entry(key).or_insert_with(|| unquoted.unwrap_or(value).to_owned());
        ""
    });
    let block = lines.collect::<Vec<_>>().join("\n");
    (block, taken)
}

fn join(pieces: &[Piece]) -> String {
    pieces.iter().map(|piece| piece.text.as_str()).collect()
}

/// Returns the pieces of a range of the joined text.
fn part(pieces: &[Piece], range: Range<usize>) -> Vec<Piece> {
    let mut at = 0;
    let mut out = Vec::new();
    for piece in pieces {
        let (from, to) = (range.start.max(at), range.end.min(at + piece.text.len()));
        if from < to {
            let within = from - at..to - at;
            let text = piece.text[within.clone()].to_owned();
            out.push(Piece { text, origin: piece.origin.part(&within) });
        }
        at += piece.text.len();
    }
    out
}
