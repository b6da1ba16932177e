//! The diagnostics of one request: what a format cannot express, and what the service would refuse.

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};

/// The most different diagnostics with one code; a last one has the number of the others.
const MOST_OF_A_CODE: usize = 20;

/// A collector of diagnostics. Equal ones about several messages become one with their number.
#[derive(Debug, Default)]
pub(super) struct Report {
    rows: Vec<Row>,
    /// The codes that reached the limit, and the number of diagnostics beyond it.
    more: Vec<(DiagnosticCode, usize)>,
}

#[derive(Debug)]
struct Row {
    code: DiagnosticCode,
    what: String,
    /// The first message that it is about, and the number of times.
    message: Option<usize>,
    times: usize,
    /// The name that was probably meant: a warning, with it in the place of the usual remedy.
    near: Option<String>,
}

impl Report {
    /// Adds a diagnostic with the usual severity and remedy of its code. `message` is the position in the caller's history.
    pub(super) fn add(
        &mut self,
        code: DiagnosticCode,
        message: impl Into<Option<usize>>,
        what: impl Into<String>,
    ) {
        if let Some((_, more)) = self.more.iter_mut().find(|(full, _)| *full == code) {
            *more += 1;
            return;
        }
        let (message, what) = (message.into(), what.into());
        let mut alike = 0;
        for row in self.rows.iter_mut().filter(|row| row.code == code) {
            if row.what == what {
                row.times += 1;
                return;
            }
            alike += 1;
        }
        if alike == MOST_OF_A_CODE {
            self.more.push((code, 1));
        } else {
            self.rows.push(Row { code, what, message, times: 1, near: None });
        }
    }

    /// Makes the diagnostic that was added last a warning about a name that is probably misspelled.
    pub(super) fn suggest(&mut self, near: &str) {
        if let Some(row) = self.rows.last_mut() {
            row.near = Some(near.to_owned());
        }
    }

    /// Returns the diagnostics, in the order in which they came up.
    pub(super) fn finish(self) -> Diagnostics {
        let build = |code: DiagnosticCode, message: String| {
            let diagnostic = Diagnostic::new(code.severities()[0], code, message);
            match code.remedy() {
                Some(remedy) => diagnostic.help(remedy),
                None => diagnostic,
            }
        };
        let rows = self.rows.into_iter().map(|row| {
            let place = row.message.map_or_else(String::new, |message| format!("message {message}: "));
            let times = match row.times - 1 {
                0 => String::new(),
                more => format!(" (and {more} more like it)"),
            };
            let diagnostic = build(row.code, format!("{place}{}{times}", row.what));
            match row.near {
                Some(near) => Diagnostic { severity: Severity::Warning, ..diagnostic }
                    .help(format!("did you mean `{near}`?")),
                None => diagnostic,
            }
        });
        let more =
            self.more.into_iter().map(|(code, more)| build(code, format!("{more} more are not listed")));
        rows.chain(more).collect()
    }
}
