//! Notes that cannot become a flood: of each kind the first few are told, once each, and of the rest the number.

use crate::look::Look;
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use std::{cell::RefCell, collections::BTreeMap};

/// How many notes of one code are told one by one.
const TOLD: usize = 20;
/// How many are made, to see whether they were told before.
const MADE: usize = 200;

/// Tells what came up, and counts what it does not tell.
pub struct Notes<'a> {
    look: &'a Look<'a>,
    counts: RefCell<BTreeMap<DiagnosticCode, Count>>,
}

struct Count {
    severity: Severity,
    told: usize,
    made: usize,
    untold: usize,
}

impl<'a> Notes<'a> {
    pub fn new(look: &'a Look<'a>) -> Self {
        Notes { look, counts: RefCell::default() }
    }

    /// Tells a note that was not told before, or counts it.
    pub fn tell(&self, severity: Severity, code: DiagnosticCode, note: impl FnOnce() -> Diagnostic) {
        let mut counts = self.counts.borrow_mut();
        let count = counts.entry(code).or_insert(Count { severity, told: 0, made: 0, untold: 0 });
        if count.told >= TOLD || count.made >= MADE {
            count.untold += 1;
            return;
        }
        count.made += 1;
        let note = Diagnostic { severity, code, ..note() };
        if !self.look.notes.borrow().contains(&note) {
            count.told += 1;
            self.look.note(note);
        }
    }

    /// Says how many were counted only.
    pub fn finish(self) {
        for (code, Count { severity, untold, .. }) in self.counts.into_inner() {
            if untold > 0 {
                let what = format!("{untold} more like this are not listed");
                self.look.note(Diagnostic::new(severity, code, what));
            }
        }
    }
}
