//! The finding of a lint: a byte range and a message.

use crate::{
    bounded_list::BoundedList,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    scope::Scope,
    template::Locator,
};
use std::{cmp::Reverse, collections::BTreeMap, ops::Range};

/// A finding in a text.
///
/// ```
/// use preface_core::lint::{finding::TextFinding, hidden};
/// let found = &hidden::scan("a\u{202e}b")[0];
/// assert_eq!((found.code().as_str(), found.range()), ("hidden/character", 1..4));
/// ```
pub trait TextFinding {
    /// Returns the bytes of the text that are meant.
    fn range(&self) -> Range<usize>;

    /// Returns the diagnostic, which has no place yet.
    fn diagnostic(&self) -> Diagnostic;

    /// Returns the stable code.
    fn code(&self) -> DiagnosticCode {
        self.diagnostic().code
    }

    /// Returns how bad it is.
    fn severity(&self) -> Severity {
        self.diagnostic().severity
    }

    /// Returns one sentence, lower case first.
    fn message(&self) -> String {
        self.diagnostic().message
    }
}

/// Turns findings into diagnostics on the file `path`, in one pass over `text` where the findings are in its order.
///
/// ```
/// use preface_core::lint::{finding::diagnostics, hidden};
/// let text = "one\ntwo\u{200b}\n";
/// let diagnostics = diagnostics(&hidden::scan(text), text, None, "AGENTS.md");
/// let place = diagnostics[0].place.as_ref().unwrap();
/// assert_eq!((place.line, place.column, place.span.clone()), (Some(2), Some(4), Some(7..10)));
/// ```
#[must_use]
pub fn diagnostics<F: TextFinding>(
    findings: &[F],
    text: &str,
    scope: Option<Scope>,
    path: &str,
) -> Diagnostics {
    located(findings.iter().map(|finding| (finding.range(), finding.diagnostic())), text, scope, path)
}

/// Gives diagnostics about bytes of a text their places.
pub(crate) fn located(
    found: impl IntoIterator<Item = (Range<usize>, Diagnostic)>,
    text: &str,
    scope: Option<Scope>,
    path: &str,
) -> Diagnostics {
    let mut locator = Locator::new(text);
    let located = |(range, diagnostic): (Range<usize>, Diagnostic)| {
        diagnostic.at(match text.is_char_boundary(range.start) {
            true => locator.place(scope, path, range).1,
            false => Place::within(scope, path, text, range),
        })
    };
    found.into_iter().map(located).collect()
}

/// Keeps so many findings at most, in the order of the text: of more, the worst, and of equally bad ones the first. Returns
/// how many there were besides.
///
/// ```
/// use preface_core::lint::{finding::worst, hidden::scan};
/// let (found, left) = worst(scan("<!-- a --> <!-- b --> \u{200b}"), 2);
/// assert_eq!((found[0].range.clone(), found[1].range.clone(), left), (0..10, 22..25, 1));
/// ```
#[must_use]
pub fn worst<F: TextFinding>(findings: Vec<F>, most: usize) -> (Vec<F>, usize) {
    let mut few = BoundedList::new(most);
    for finding in findings {
        few.push((Reverse(finding.severity()), finding.range().start), finding);
    }
    few.finish()
}

/// Findings of one code and severity that were counted and not kept.
///
/// ```
/// use preface_core::lint::{finding::TextFinding, hidden::scan_few};
/// let (_, rest) = scan_few(&"a\u{200b}".repeat(12_346), 1);
/// assert_eq!(rest[0].message(), "… and 12,345 more");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedFindings {
    /// The bytes of the first finding that was left out.
    pub range: Range<usize>,
    /// The code of the findings.
    pub code: DiagnosticCode,
    /// The severity of each of them.
    pub severity: Severity,
    /// The number of findings that were left out.
    pub count: usize,
}

impl TextFinding for OmittedFindings {
    fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    fn diagnostic(&self) -> Diagnostic {
        let digits = self.count.to_string();
        let mut count = String::with_capacity(digits.len() + 4);
        for (at, digit) in digits.char_indices() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                count.push(',');
            }
            count.push(digit);
        }
        let message = format!("… and {count} more");
        Diagnostic { help: self.code.help(), ..Diagnostic::new(self.severity, self.code, message) }
    }
}

/// Decides which findings of one text are kept: the first so many of each code and severity. The others are counted.
#[derive(Debug)]
pub struct FindingLimiter {
    most: usize,
    seen: BTreeMap<(DiagnosticCode, Severity), (usize, Range<usize>)>,
}

impl FindingLimiter {
    /// Keeps so many of each.
    #[must_use]
    pub fn new(most: usize) -> Self {
        FindingLimiter { most, seen: BTreeMap::new() }
    }

    /// Counts a finding and returns true if it is to be kept.
    pub fn keeps(&mut self, code: DiagnosticCode, severity: Severity, range: &Range<usize>) -> bool {
        let found = self.seen.iter_mut().find(|((known, bad), _)| *known == code && *bad == severity);
        let (count, first) = match found {
            Some((_, entry)) => entry,
            None => self.seen.entry((code, severity)).or_insert((0, 0..0)),
        };
        *count += 1;
        if *count == self.most.saturating_add(1) {
            *first = range.clone();
        }
        *count <= self.most
    }

    /// Keeps the findings of a list that this decides for.
    #[must_use]
    pub fn of<F: TextFinding>(most: usize, mut findings: Vec<F>) -> (Vec<F>, Vec<OmittedFindings>) {
        let mut few = FindingLimiter::new(most);
        findings.retain(|finding| few.keeps(finding.code(), finding.severity(), &finding.range()));
        (findings, few.rest())
    }

    /// Returns the findings that were not kept, in the order of the text.
    #[must_use]
    pub fn rest(self) -> Vec<OmittedFindings> {
        let over = self.seen.into_iter().filter(|(_, (count, _))| *count > self.most);
        let mut rest: Vec<OmittedFindings> = over
            .map(|((code, severity), (count, range))| OmittedFindings {
                range,
                code,
                severity,
                count: count - self.most,
            })
            .collect();
        rest.sort_by_key(|rest| rest.range.start);
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct RangeFinding(Range<usize>);

    impl TextFinding for RangeFinding {
        fn range(&self) -> Range<usize> {
            self.0.clone()
        }
        fn diagnostic(&self) -> Diagnostic {
            Diagnostic::info(DiagnosticCode::HiddenComment, "here")
        }
    }

    proptest! {
        #[test]
        fn one_pass_gives_the_places_of_many(text in "([a-zäé漢]|\n|\r|\r\n|x{99}){0,40}") {
            let all: Vec<RangeFinding> = text.char_indices().map(|(at, c)| RangeFinding(at..at + c.len_utf8())).collect();
            let found = diagnostics(&all, &text, Some(Scope::Project), "a.md");
            for (RangeFinding(range), diagnostic) in all.iter().zip(found) {
                let place = Place::within(Some(Scope::Project), "a.md", &text, range.clone());
                prop_assert_eq!(diagnostic.place, Some(place));
            }
        }
    }
}
