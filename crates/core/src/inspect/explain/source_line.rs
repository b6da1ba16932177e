//! The result of a line of a source, for `explain --at FILE:LINE`.

use crate::{
    diagnostic::Diagnostics, origin::Origin, pipeline::draft::Cut, prompt::Prompt, section::SectionId,
};
use memchr::memchr_iter;
use std::ops::Range;

/// The result of one line of a file.
///
/// ```
/// use preface_core::{explain::{LineOutcome, at_source}, prompt::Prompt};
/// let line = at_source(&Prompt::default(), "AGENTS.md", 2, "Use tabs.\nBe brief.\n");
/// assert_eq!((line.outcome, line.bytes), (LineOutcome::Silent, 10..20));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineExplanation {
    /// The short answer.
    pub outcome: LineOutcome,
    /// The line's bytes in the file, its line end included.
    pub bytes: Range<usize>,
    /// Every place of the prompt that has bytes of the line, in the prompt's order.
    pub uses: Vec<LineUse>,
    /// The cuts of parts that hold text of this file; one of them may have removed the line.
    pub cuts: Vec<SectionCut>,
    /// The diagnostics about this line, and about the file as a whole.
    pub diagnostics: Diagnostics,
}

/// The outcome of a line.
///
/// ```
/// use preface_core::{explain::{LineOutcome, at_source}, prompt::Prompt};
/// assert_eq!(at_source(&Prompt::default(), "AGENTS.md", 3, "one\ntwo\n").outcome, LineOutcome::NoSuchLine);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineOutcome {
    /// Every byte of it is in the prompt, apart perhaps from its line end.
    Whole,
    /// Some bytes of it are in the prompt.
    Partial,
    /// Other lines of the file are in the prompt, this one is not.
    Dropped,
    /// Nothing of the file is in the prompt.
    Silent,
    /// The file has no such line.
    NoSuchLine,
}

/// The bytes of the prompt that came from a line.
///
/// ```
/// use preface_core::{explain::{LineUse, at_source}, prompt::Prompt};
/// let uses: Vec<LineUse> = at_source(&Prompt::default(), "AGENTS.md", 1, "").uses;
/// assert!(uses.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineUse {
    /// The bytes in the prompt.
    pub range: Range<usize>,
    /// The section of their part.
    pub section: SectionId,
    /// The bytes in the file.
    pub bytes: Range<usize>,
}

/// A section and one of its cuts.
///
/// ```
/// use preface_core::{explain::{SectionCut, at_source}, prompt::Prompt};
/// let cuts: Vec<SectionCut> = at_source(&Prompt::default(), "AGENTS.md", 1, "").cuts;
/// assert!(cuts.is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SectionCut {
    /// The section.
    pub section: SectionId,
    /// The loss.
    pub cut: Cut,
}

/// Returns the result of a line (counted from 1) of a file. `path` is written as in origins; `file` is the file as it
/// is on disk, text or bytes.
///
/// ```
/// use preface_core::{explain::{LineOutcome, at_source}, prompt::Prompt};
/// let prompt: Prompt = serde_json::from_str(
///     r#"{"text":"Use tabs.","preset":"default","parts":[{"section":"rules","range":[0,9],"stability":"static",
///     "priority":50,"spans":[{"range":[0,9],
///     "origin":{"kind":"source","scope":"project","path":"AGENTS.md","span":[8,17]}}],"cuts":[]}],
///     "absent":[],"diagnostics":[],"audit":[]}"#,
/// ).unwrap();
/// let file = "# Rules\nUse tabs.\n";
/// assert_eq!(at_source(&prompt, "AGENTS.md", 1, file).outcome, LineOutcome::Dropped);
/// let line = at_source(&prompt, "AGENTS.md", 2, file);
/// assert_eq!((line.outcome, line.uses[0].range.clone()), (LineOutcome::Whole, 0..9));
/// ```
#[must_use]
pub fn at_source(prompt: &Prompt, path: &str, line: usize, file: impl AsRef<[u8]>) -> LineExplanation {
    let file = file.as_ref();
    let path = path.strip_prefix("./").unwrap_or(path);
    let found = line_bytes(file, line);
    let bytes = found.clone().unwrap_or(file.len()..file.len());
    let mut uses = Vec::new();
    let mut cuts = Vec::new();
    let mut is_of_file = false;
    for part in &prompt.parts {
        let base = part.range.start;
        let mut of_file = false;
        for one in &part.spans {
            let Origin::Source { source, span, lossy } = &one.origin else { continue };
            if source.path != path {
                continue;
            }
            of_file = true;
            let within = span.start.max(bytes.start)..span.end.min(bytes.end);
            if within.is_empty() {
                continue;
            }
            let range = if *lossy {
                base + one.range.start..base + one.range.end
            } else {
                let from = base + one.range.start;
                from + (within.start - span.start)..from + (within.end - span.start)
            };
            uses.push(LineUse { range, section: part.section.clone(), bytes: within });
        }
        is_of_file |= of_file;
        if of_file {
            let losses = part.cuts.iter();
            cuts.extend(losses.map(|cut| SectionCut { section: part.section.clone(), cut: cut.clone() }));
        }
    }
    let outcome = match () {
        () if found.is_none() => LineOutcome::NoSuchLine,
        () if !uses.is_empty() && cover_line(&uses, &without_end(file, &bytes)) => LineOutcome::Whole,
        () if !uses.is_empty() => LineOutcome::Partial,
        () if is_of_file => LineOutcome::Dropped,
        () => LineOutcome::Silent,
    };
    let overlaps = |span: &Range<usize>| span.start < bytes.end && bytes.start < span.end;
    let diagnostics = prompt
        .diagnostics
        .iter()
        .filter(|diagnostic| {
            diagnostic
                .place
                .as_ref()
                .is_some_and(|place| place.path == path && place.span.as_ref().is_none_or(overlaps))
        })
        .cloned()
        .collect();
    LineExplanation { outcome, bytes, uses, cuts, diagnostics }
}

/// Returns the bytes of a line, its line end included. An empty file has one empty line.
fn line_bytes(file: &[u8], line: usize) -> Option<Range<usize>> {
    let start = match line.checked_sub(2) {
        None if line == 0 => return None,
        None => 0,
        Some(ends) => memchr_iter(b'\n', file).nth(ends)? + 1,
    };
    if line > 1 && start == file.len() {
        return None;
    }
    let end = memchr_iter(b'\n', &file[start..]).next().map_or(file.len(), |at| start + at + 1);
    Some(start..end)
}

fn without_end(file: &[u8], bytes: &Range<usize>) -> Range<usize> {
    let line = &file[bytes.clone()];
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    bytes.start..bytes.start + line.len()
}

/// Returns true if the uses together have every byte of the line.
fn cover_line(uses: &[LineUse], bytes: &Range<usize>) -> bool {
    let mut runs: Vec<_> = uses.iter().map(|one| one.bytes.clone()).collect();
    runs.sort_by_key(|run| run.start);
    let reached = runs.iter().fold(bytes.start, |at, run| if run.start <= at { at.max(run.end) } else { at });
    reached >= bytes.end
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        diagnostic::{Diagnostic, DiagnosticCode, Place},
        pipeline::draft::CutWhy,
        testing::{bad, file, literal, variable},
    };

    const FILE: &str = "# Rules\r\nStay on [git:branch]!\r\n\r\nNo tabs.\nThe end";

    fn prompt() -> Prompt {
        let mut prompt = Prompt::default()
            .with("other", &[("Rules of the house", literal("other"))])
            .with(
                "rules",
                &[
                    ("# Rules\nStay on ".replace('\n', "\r\n").as_str(), file("AGENTS.md", 0..17)),
                    ("main", variable("git:branch")),
                    ("!\r\n", file("AGENTS.md", 29..32)),
                    ("\n…[truncated 4 of 9 tokens]", literal("cut.marker")),
                ],
            )
            .with("again", &[("\n\n", literal("join")), ("Rules", file("AGENTS.md", 2..7))]);
        prompt.parts[1].cuts.push(Cut { why: CutWhy::Ceiling, before: 9, after: 5, range: 24..42 });
        let place = |span| Place::within(None, "AGENTS.md", FILE, span);
        prompt.diagnostics.push(Diagnostic::info(DiagnosticCode::FileUnreadable, "…").at(place(2..4)));
        prompt.diagnostics.push(Diagnostic::info(DiagnosticCode::FileUnreadable, "…").at(place(9..12)));
        prompt
            .diagnostics
            .push(Diagnostic::info(DiagnosticCode::FileLink, "…").at(Place::file(None, "AGENTS.md")));
        prompt
            .diagnostics
            .push(Diagnostic::info(DiagnosticCode::FileMissing, "…").at(Place::file(None, "b.md")));
        prompt
    }

    fn codes(outcome: &LineExplanation) -> Vec<&str> {
        outcome.diagnostics.iter().map(|diagnostic| diagnostic.code.as_str()).collect()
    }

    #[test]
    fn a_line_may_be_used_twice() {
        let outcome = at_source(&prompt(), "./AGENTS.md", 1, FILE);
        assert_eq!((outcome.outcome, outcome.bytes.clone()), (LineOutcome::Whole, 0..9));
        let uses: Vec<_> = outcome
            .uses
            .iter()
            .map(|one| prompt().text[one.range.clone()] == FILE[one.bytes.clone()])
            .collect();
        assert_eq!(uses, [true, true]);
        assert_eq!(outcome.uses[1].section.as_str(), "again");
        assert_eq!(codes(&outcome), ["file/unreadable", "file/link"]);
    }

    #[test]
    fn a_line_with_a_replaced_variable_is_partial() {
        let outcome = at_source(&prompt(), "AGENTS.md", 2, FILE);
        assert_eq!(outcome.outcome, LineOutcome::Partial);
        let texts: Vec<_> =
            outcome.uses.iter().map(|one| prompt().text[one.range.clone()].to_owned()).collect();
        assert_eq!(texts, ["Stay on ", "!\r\n"]);
        assert_eq!(codes(&outcome), ["file/unreadable", "file/link"]);
    }

    #[test]
    fn what_was_cut_is_dropped_and_the_cut_is_named() {
        for line in 3..=5 {
            let outcome = at_source(&prompt(), "AGENTS.md", line, FILE);
            assert_eq!(
                (outcome.outcome, outcome.cuts.len(), outcome.uses),
                (LineOutcome::Dropped, 1, vec![])
            );
        }
        assert_eq!(at_source(&prompt(), "b.md", 1, "x").outcome, LineOutcome::Silent);
    }

    #[test]
    fn lines_are_counted_as_editors_do() {
        let lines = |file: &str| (0..5).map(|line| line_bytes(file.as_bytes(), line)).collect::<Vec<_>>();
        assert_eq!(lines(""), [None, Some(0..0), None, None, None]);
        assert_eq!(lines("a\n"), [None, Some(0..2), None, None, None]);
        assert_eq!(lines("a\n\nb"), [None, Some(0..2), Some(2..3), Some(3..4), None]);
        assert_eq!(at_source(&prompt(), "AGENTS.md", 6, FILE).outcome, LineOutcome::NoSuchLine);
    }

    #[test]
    fn bad_bytes_are_found_where_they_lie_on_disk() {
        let prompt = Prompt::default()
            .with("rules", &[("a\n", file("x", 0..2)), ("\u{fffd}", bad("x", 2..3)), ("b", file("x", 3..4))]);
        let outcome = at_source(&prompt, "x", 2, b"a\n\xffb");
        assert_eq!(outcome.outcome, LineOutcome::Whole);
        let ranges: Vec<_> = outcome.uses.iter().map(|one| one.range.clone()).collect();
        assert_eq!(ranges, [2..5, 5..6]);
    }
}
