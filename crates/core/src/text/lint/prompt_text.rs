//! Hidden text in what a finished prompt takes from files.

use super::{finding::TextFinding, hidden};
use crate::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    origin::Origin,
    prompt::Prompt,
    scope::Scope,
};
use std::{collections::BTreeSet, ops::Range};

/// Reports the first hidden text of each kind in each file of a prompt, but for the texts that ship with preface. The lint
/// has every place.
pub fn report(prompt: &Prompt, diagnostics: &mut Diagnostics) {
    let mut seen = BTreeSet::new();
    for part in &prompt.parts {
        let text = prompt.text_of(part);
        files(text, part.spans.iter().map(|span| (span.range.clone(), &span.origin)), &mut seen, diagnostics);
    }
    for attachment in &prompt.attachments {
        let part = &attachment.part;
        let spans = part.spans.iter().map(|span| (span.range.clone(), &span.origin));
        files(&attachment.text, spans, &mut seen, diagnostics);
    }
}

fn files<'a>(
    text: &'a str,
    spans: impl Iterator<Item = (Range<usize>, &'a Origin)>,
    seen: &mut BTreeSet<(String, DiagnosticCode)>,
    diagnostics: &mut Diagnostics,
) {
    // Neighbours from one file are one text.
    let mut runs: Vec<(Range<usize>, &'a Origin)> = Vec::new();
    for (range, origin) in spans {
        let Origin::Source { source, .. } = origin else { continue };
        if source.scope == Scope::Bundled {
            continue;
        }
        match runs.last_mut() {
            Some((last, Origin::Source { source: of, .. })) if last.end == range.start && of == source => {
                last.end = range.end;
            }
            _ => runs.push((range, origin)),
        }
    }
    for (range, origin) in runs {
        let (found, _) = hidden::scan_few(&text[range], 1);
        for found in found.iter().map(TextFinding::diagnostic).filter(|found| found.severity > Severity::Info)
        {
            let path = origin.to_string();
            if seen.insert((path.clone(), found.code)) {
                let place = Place::file(origin.scope(), path);
                let help = "a lint shows every place";
                diagnostics.push(Diagnostic { severity: Severity::Warning, ..found.at(place).help(help) });
            }
        }
    }
}
