//! Diagnostics with a limit: of each code the first few are reported, once each, then the number of the
//! others.

use crate::provider::context::ProviderContext;
use preface_core::diagnostic::{Diagnostic, DiagnosticCode, Severity};
use std::{cell::RefCell, collections::BTreeMap};

/// The most diagnostics of one code that are reported one by one.
const MOST_REPORTED: usize = 20;
/// The most diagnostics of one code that are built to compare them with those reported before.
const MOST_BUILT: usize = 200;

/// Reports diagnostics up to a limit and counts the others.
pub struct DiagnosticReporter<'a> {
    context: &'a ProviderContext<'a>,
    counts: RefCell<BTreeMap<DiagnosticCode, DiagnosticCount>>,
}

struct DiagnosticCount {
    severity: Severity,
    reported: usize,
    built: usize,
    unlisted: usize,
}

impl<'a> DiagnosticReporter<'a> {
    pub fn new(context: &'a ProviderContext<'a>) -> Self {
        DiagnosticReporter { context, counts: RefCell::default() }
    }

    /// Reports a diagnostic unless it was reported before, or counts it.
    pub fn report(&self, severity: Severity, code: DiagnosticCode, diagnostic: impl FnOnce() -> Diagnostic) {
        let mut counts = self.counts.borrow_mut();
        let count =
            counts.entry(code).or_insert(DiagnosticCount { severity, reported: 0, built: 0, unlisted: 0 });
        if count.reported >= MOST_REPORTED || count.built >= MOST_BUILT {
            count.unlisted += 1;
            return;
        }
        count.built += 1;
        let diagnostic = Diagnostic { severity, code, ..diagnostic() };
        if !self.context.diagnostics.borrow().contains(&diagnostic) {
            count.reported += 1;
            self.context.note(diagnostic);
        }
    }

    /// Reports how many were only counted.
    pub fn finish(self) {
        for (code, DiagnosticCount { severity, unlisted, .. }) in self.counts.into_inner() {
            if unlisted > 0 {
                let what = format!("{unlisted} more like this are not listed");
                self.context.note(Diagnostic::new(severity, code, what));
            }
        }
    }
}
