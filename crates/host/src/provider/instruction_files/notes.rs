//! Notes that cannot become a flood: of each kind the first few are told, and of the rest the number.

use crate::look::Look;
use preface_core::diagnostic::{Diagnostic, Severity};
use std::{cell::RefCell, collections::BTreeMap};

/// How many notes of one code are told one by one.
const TOLD: usize = 20;

/// Tells what came up, and counts what it does not tell.
pub struct Notes<'a> {
    look: &'a Look<'a>,
    counts: RefCell<BTreeMap<&'static str, (Severity, usize)>>,
}

impl<'a> Notes<'a> {
    pub fn new(look: &'a Look<'a>) -> Self {
        Notes { look, counts: RefCell::default() }
    }

    /// Tells a note, or counts it. It is made only where it is told.
    pub fn tell(&self, severity: Severity, code: &'static str, note: impl FnOnce() -> Diagnostic) {
        let mut counts = self.counts.borrow_mut();
        let (_, count) = counts.entry(code).or_insert((severity, 0));
        *count += 1;
        if *count <= TOLD {
            self.look.note(Diagnostic { severity, code: code.to_owned(), ..note() });
        }
    }

    /// Says how many were counted only.
    pub fn finish(self) {
        for (code, (severity, count)) in self.counts.into_inner() {
            if count > TOLD {
                let what = format!("{} more like this are not listed", count - TOLD);
                self.look.note(Diagnostic::new(severity, code, what));
            }
        }
    }
}
