//! A file that was read: its text, the pieces that it was decoded into, and a way of cutting those.

use super::imports;
use crate::system::{FileId, FileRead};
use preface_core::{
    origin::{Piece, Source, decode},
    profile::ByteOrderMark,
};
use std::{borrow::Cow, cell::OnceCell, ops::Range, sync::Arc};

/// A file as it was read.
#[derive(Debug)]
pub struct InstructionText {
    pub source: Arc<Source>,
    pub id: Option<FileId>,
    /// The size of the file.
    pub bytes: usize,
    /// The number of sequences in it that are not UTF-8.
    pub bad: usize,
    /// True if the file contains a NUL byte or is not UTF-8.
    pub binary: bool,
    pieces: Vec<Piece>,
    import_ranges: OnceCell<Vec<Range<usize>>>,
}

impl InstructionText {
    pub fn new(read: &FileRead, source: Arc<Source>, bom: ByteOrderMark) -> Self {
        let pieces = bom.apply(decode(&read.bytes, &source));
        let bad = match std::str::from_utf8(&read.bytes) {
            Ok(_) => 0,
            Err(_) => read.bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count(),
        };
        let binary = bad > 0 || read.bytes.contains(&0);
        let id = read.stat.id;
        InstructionText {
            source,
            id,
            bytes: read.bytes.len(),
            bad,
            binary,
            pieces,
            import_ranges: OnceCell::new(),
        }
    }

    /// The text as a whole.
    pub fn whole(&self) -> Cow<'_, str> {
        match self.pieces.as_slice() {
            [one] => Cow::Borrowed(&one.text),
            many => Cow::Owned(many.iter().map(|piece| piece.text.as_str()).collect()),
        }
    }

    /// Returns the places of `@path` in the whole text, found on the first call.
    pub fn import_ranges(&self) -> &[Range<usize>] {
        self.import_ranges.get_or_init(|| imports::scan(&self.whole(), 0))
    }

    /// Returns the end of the text without its last line end, for a text inside of another.
    pub fn inline_end(&self) -> usize {
        let whole = self.whole();
        let line = whole.strip_suffix('\n');
        line.map_or(whole.len(), |line| line.strip_suffix('\r').unwrap_or(line).len())
    }

    /// Cuts the text from its start.
    pub fn cutter(&self) -> Cutter<'_> {
        Cutter { pieces: &self.pieces, in_piece: 0, at: 0 }
    }
}

/// Walks over the pieces of a text once.
pub struct Cutter<'t> {
    /// The pieces that are left, the current one first.
    pieces: &'t [Piece],
    /// The place in the current piece.
    in_piece: usize,
    /// The place in the text.
    at: usize,
}

impl Cutter<'_> {
    /// Goes on to a place without taking anything.
    pub fn skip(&mut self, to: usize) {
        self.walk(to, |_, _| {});
    }

    /// Takes everything up to a place, each run with its origin.
    pub fn take(&mut self, to: usize, out: &mut Vec<Piece>) {
        self.walk(to, |piece, range| {
            out.push(Piece { text: piece.text[range.clone()].to_owned(), origin: piece.origin.part(&range) });
        });
    }

    fn walk(&mut self, to: usize, mut each: impl FnMut(&Piece, Range<usize>)) {
        while let [piece, rest @ ..] = self.pieces {
            let left = piece.text.len() - self.in_piece;
            let step = left.min(to.saturating_sub(self.at));
            if step > 0 {
                each(piece, self.in_piece..self.in_piece + step);
            }
            self.at += step;
            if step < left {
                self.in_piece += step;
                return;
            }
            self.pieces = rest;
            self.in_piece = 0;
        }
    }
}
