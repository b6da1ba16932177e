//! Takes a body apart: words, values, and what only looks like one.

mod escape;
mod expression;
mod extent;
mod function;
mod tree;

pub use extent::{MAX_BYTES, MAX_NESTING};

use escape::EscapeSequence;
use extent::ExtentError;
use oxc_allocator::Allocator;
use preface_core::{
    catalog::{CatalogChunk, Expression, Generation, UncompiledReason},
    diagnostic::{Diagnostic, DiagnosticCode, Place},
};
use std::{collections::BTreeSet, ops::Range};

/// The most bytes of a file that are read to find the ends of text that only resembles an expression. After
/// that, such text ends with its line.
pub const MAX_WORK: usize = 16 * 1024 * 1024;

/// The most diagnostics of a file. One more reports the number of those left out.
const MAX_NOTES: usize = 100;

/// A body that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompiledBody {
    /// The chunks of the body, in order.
    pub chunks: Vec<CatalogChunk>,
    /// The bytes of the body, the last line end left out.
    pub bytes: usize,
    /// Diagnostics about the text that stays as it is written.
    pub diagnostics: Vec<Diagnostic>,
}

/// Compiles the body of the file `path`: what `text` has from byte `body` on, the last line end left out.
///
/// Of generation A each expression is a value, and escapes are decoded. Of generation B only that is a value which has no
/// other names than those of `variables`. Nothing makes it fail: what cannot be read stays as it is written, with a diagnostic.
#[must_use]
pub fn compile(
    path: &str,
    text: &str,
    body: usize,
    variables: &[String],
    generation: Generation,
) -> CompiledBody {
    let rest = &text[body..];
    let end = body + rest.strip_suffix("\r\n").or(rest.strip_suffix('\n')).unwrap_or(rest).len();
    let mut compiler = Compiler {
        path,
        text: &text[..end],
        variables: variables.iter().map(String::as_str).collect(),
        generation,
        allocator: Allocator::default(),
        work: 0,
        words: body..body,
        chunks: Vec::new(),
        diagnostics: Vec::new(),
        undeclared: BTreeSet::new(),
        omitted: 0,
    };
    compiler.run();
    compiler.note_omitted();
    CompiledBody { chunks: compiler.chunks, bytes: end - body, diagnostics: compiler.diagnostics }
}

struct Compiler<'t> {
    path: &'t str,
    /// The file up to the end of its body.
    text: &'t str,
    variables: BTreeSet<&'t str>,
    generation: Generation,
    allocator: Allocator,
    work: usize,
    /// Words that are in no chunk yet.
    words: Range<usize>,
    chunks: Vec<CatalogChunk>,
    diagnostics: Vec<Diagnostic>,
    /// The names that a diagnostic was already made for.
    undeclared: BTreeSet<String>,
    /// The number of diagnostics that were left out.
    omitted: usize,
}

impl Compiler<'_> {
    fn run(&mut self) {
        let looked_for: &[char] = match self.generation {
            Generation::A => &['$', '\\'],
            Generation::B => &['$'],
        };
        while let Some(found) = self.text[self.words.end..].find(looked_for) {
            let at = self.words.end + found;
            self.words.end = at;
            if self.text[at..].starts_with('\\') {
                self.escape(at);
            } else if self.text[at..].starts_with("${") {
                self.expression(at);
            } else {
                self.words.end += 1;
            }
        }
        self.words.end = self.text.len();
        self.put_words();
    }

    /// Ends the words before `self.words.end`. The next ones start there.
    fn put_words(&mut self) {
        let span = self.words.clone();
        self.words.start = span.end;
        if !span.is_empty() {
            self.chunks.push(CatalogChunk::Text { text: self.text[span.clone()].to_owned(), span });
        }
    }

    /// Goes on at `at`; what lies between is in no words.
    fn go_on(&mut self, at: usize) {
        self.words = at..at;
    }

    fn escape(&mut self, at: usize) {
        match escape::read(&self.text[at..]) {
            Some((EscapeSequence::Itself(c), bytes)) => {
                self.put_words();
                self.words = at + bytes - c.len_utf8()..at + bytes;
            }
            Some((EscapeSequence::Other(c), bytes)) => {
                self.put_words();
                self.chunks.push(CatalogChunk::Text { text: c.to_string(), span: at..at + bytes });
                self.go_on(at + bytes);
            }
            Some((EscapeSequence::Nothing, bytes)) => {
                self.put_words();
                self.go_on(at + bytes);
            }
            None => {
                let place = Place::within(None, self.path, self.text, at..at + 1);
                let diagnostic = Diagnostic::warning(
                    DiagnosticCode::CatalogEscape,
                    "a backslash starts no escape, and stays",
                )
                .at(place);
                self.diagnostics.push(diagnostic.help("write `\\\\` for a backslash"));
                self.words.end += 1;
            }
        }
    }

    fn expression(&mut self, at: usize) {
        self.put_words();
        let inside = at + 2;
        let ended = match self.work < MAX_WORK {
            true => extent::end_of(&self.text[inside..]),
            false => Err(ExtentError {
                why: "most of the file looks like expressions, but is not valid".to_owned(),
                looked_at: 0,
            }),
        };
        let (span, read) = match ended {
            Ok(bytes) => {
                let read = expression::read(&self.text[inside..inside + bytes], &self.allocator);
                self.allocator.reset();
                (at..inside + bytes + 1, read)
            }
            Err(ExtentError { why, looked_at }) => {
                self.work += looked_at;
                (at..self.end_of_unparsed(inside), Err(UncompiledReason::Unparsed(why)))
            }
        };
        self.go_on(span.end);
        let written = self.text[span.clone()].to_owned();
        let chunk = match read.and_then(|expression| self.declared(expression)) {
            Ok(expression) => CatalogChunk::Value { expression, written, span },
            Err(why) => {
                self.note(&why, &span);
                CatalogChunk::Kept { written, span, why }
            }
        };
        self.chunks.push(chunk);
    }

    /// Finds the end of what is no expression: the `}` that closes its brace if braces alone count, or the end of the line.
    fn end_of_unparsed(&mut self, inside: usize) -> usize {
        let rest = &self.text.as_bytes()[inside..];
        let mut open = 1;
        let looked_at = if self.work < MAX_WORK { rest.len().min(MAX_BYTES) } else { 0 };
        for (place, byte) in rest[..looked_at].iter().enumerate() {
            match byte {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.work += place;
                return inside + place + 1;
            }
        }
        self.work += looked_at;
        inside + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
    }

    /// Refuses an expression of generation B that has a name which the file does not declare.
    fn declared(&self, expression: Expression) -> Result<Expression, UncompiledReason> {
        if self.generation == Generation::B {
            let mut names = BTreeSet::new();
            expression.free_names(&mut Vec::new(), &mut names);
            // A global by itself is no value, and a file that shows code may well have one.
            if let Expression::Name(name) = &expression {
                names.insert(name);
            }
            if let Some(name) = names.into_iter().find(|name| !self.variables.contains(name)) {
                return Err(UncompiledReason::Undeclared(name.to_owned()));
            }
        }
        Ok(expression)
    }

    fn note(&mut self, why: &UncompiledReason, span: &Range<usize>) {
        let stays = "it stays in the prompt as it is written";
        let diagnostic = match why {
            UncompiledReason::Unparsed(why) => Diagnostic::warning(
                DiagnosticCode::CatalogUnparsed,
                format!("a `${{…}}` is no expression: {why}"),
            )
            .help(stays),
            UncompiledReason::Unsupported(what) => {
                let what = format!("a `${{…}}` has {what}, which is not worked out here");
                Diagnostic::warning(DiagnosticCode::CatalogUnsupported, what).help(stays)
            }
            UncompiledReason::Undeclared(name) => {
                if !self.undeclared.insert(name.clone()) {
                    return;
                }
                let what =
                    format!("`{name}` in a `${{…}}` is no variable of the file, and stays as it is written");
                Diagnostic::info(DiagnosticCode::CatalogUndeclared, what)
                    .help("if it is one, list it under `variables:`")
            }
        };
        self.push_diagnostic(diagnostic, span.clone());
    }

    fn push_diagnostic(&mut self, diagnostic: Diagnostic, span: Range<usize>) {
        if self.diagnostics.len() < MAX_NOTES {
            self.diagnostics.push(diagnostic.at(Place::within(None, self.path, self.text, span)));
        } else {
            self.omitted += 1;
        }
    }

    fn note_omitted(&mut self) {
        if self.omitted > 0 {
            let what = format!("{} more diagnostics about this file are not shown", self.omitted);
            let diagnostic =
                Diagnostic::warning(DiagnosticCode::CatalogMoreNotes, what).at(Place::file(None, self.path));
            self.diagnostics.push(diagnostic.help("see to the first ones, and import the catalog again"));
        }
    }
}
