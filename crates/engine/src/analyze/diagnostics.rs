//! The diagnostics of a template, ordered by their position.

use super::{
    Probe,
    reply::{AnalyzedEdit, AnalyzedNote, MOST_DIAGNOSTICS, pair},
};
use preface_core::{
    bounded_list::BoundedList,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity},
    lint::{
        finding, forged, hidden, secret,
        template::{self, Edit, VariableTypes},
    },
    template::{Locator, TemplateOptions, Tile, Utf16},
    variable::{RecordedVariables, VariableKey},
};
use preface_host::provider::file_listing::similar_file;
use std::{cmp::Reverse, collections::BTreeMap, ops::Range};

/// The name of the template in places.
const NAME: &str = "template";

pub(super) struct AnalysisInput<'a> {
    pub text: &'a str,
    pub options: &'a TemplateOptions,
    pub probe: &'a Probe<'a>,
}

/// Finds all diagnostics: about the tags, hidden characters, the files that the text names, and rendering.
/// Returns the most severe ones by place, and the number of the others.
pub(super) fn diagnostics(
    wanted: &AnalysisInput<'_>,
    tiles: &[Tile<'_>],
    variables: &RecordedVariables,
    problem: Diagnostics,
    utf16: &Utf16<'_>,
) -> (Vec<AnalyzedNote>, usize) {
    let AnalysisInput { text, options, probe } = wanted;
    let profile = &probe.profile;
    let mut found = RankedDiagnostics { text, few: BoundedList::new(MOST_DIAGNOSTICS) };
    let (linted, mut left) = template::lint(
        text,
        options,
        &VariableTypes::of(profile, &probe.turn().variables),
        None,
        NAME,
        MOST_DIAGNOSTICS,
    );
    for one in linted {
        found.push(one.diagnostic, one.position.range, one.edit);
    }
    let (hidden, more) = finding::worst(hidden::scan(text), MOST_DIAGNOSTICS);
    left += more;
    let mut others = finding::diagnostics(&hidden, text, None, NAME);
    let (secrets, more) = finding::worst(secret::scan(text), MOST_DIAGNOSTICS);
    left += more;
    others.extend(finding::diagnostics(&secrets, text, None, NAME));
    let (forged, more) =
        finding::worst(forged::scan_granted(text, &profile.reserved_tags(), usize::MAX).0, MOST_DIAGNOSTICS);
    left += more;
    others.extend(finding::diagnostics(&forged, text, None, NAME));
    others.extend(problem);
    for diagnostic in others {
        let span = diagnostic.place.as_ref().and_then(|place| place.span.clone()).unwrap_or(0..0);
        found.push(diagnostic, span, None);
    }
    let mut first: BTreeMap<&VariableKey, &Tile<'_>> = BTreeMap::new();
    for tile in tiles.iter().filter(|tile| tile.stray.is_none()) {
        if let Some(key) = tile.key {
            first.entry(key).or_insert(tile);
        }
    }
    for (key, tile) in first {
        let Some(variable) = variables.get(key) else { continue };
        let range = &tile.range;
        for diagnostic in &variable.diagnostics {
            found.push(diagnostic.clone(), range.clone(), None);
        }
        if probe.somewhere
            && variable.value.is_none()
            && variable.diagnostics.is_empty()
            && key.kind() == "file"
        {
            let what = format!("`{}`: {}", hidden::escape_hidden(key.as_str()), variable.source);
            let mut diagnostic = Diagnostic::info(DiagnosticCode::TemplateFile, what);
            let near =
                similar_file(key.name(), &probe.context()).map(|near| VariableKey::new(key.kind(), &near));
            if let Some(near) = &near {
                diagnostic =
                    diagnostic.help(format!("did you mean `{}`?", hidden::escape_hidden(near.as_str())));
            }
            let edit = near.zip(tile.key_range.clone());
            let edit = edit.map(|(near, range)| Edit { range, replacement: near.to_string() });
            found.push(diagnostic, range.clone(), edit);
        }
    }
    let (mut diagnostics, more) = found.few.finish();
    diagnostics.sort_by(|a, b| {
        let place = |one: &PlacedDiagnostic| pair(&one.range);
        (place(a), b.diagnostic.severity, a.diagnostic.code).cmp(&(
            place(b),
            a.diagnostic.severity,
            b.diagnostic.code,
        ))
    });
    // By place, so that lines and columns cost one walk over the text.
    let mut locator = Locator::new(text);
    (diagnostics.into_iter().map(|one| one.shown(&mut locator, utf16)).collect(), left + more)
}

/// The sort key of a diagnostic: the most severe come first, then by position and code.
type Rank = (Reverse<Severity>, [usize; 2], DiagnosticCode);

/// The diagnostics found so far.
struct RankedDiagnostics<'a> {
    text: &'a str,
    few: BoundedList<Rank, PlacedDiagnostic>,
}

impl RankedDiagnostics<'_> {
    fn push(&mut self, diagnostic: Diagnostic, range: Range<usize>, edit: Option<Edit>) {
        let on_characters = self.text.get(range.clone()).is_some();
        let range = if on_characters { range } else { 0..0 };
        let rank = (Reverse(diagnostic.severity), pair(&range), diagnostic.code);
        self.few.push(rank, PlacedDiagnostic { diagnostic, range, edit });
    }
}

/// A diagnostic with its place in the template.
struct PlacedDiagnostic {
    diagnostic: Diagnostic,
    range: Range<usize>,
    edit: Option<Edit>,
}

impl PlacedDiagnostic {
    fn shown(self, locator: &mut Locator<'_>, utf16: &Utf16<'_>) -> AnalyzedNote {
        let PlacedDiagnostic { diagnostic, range, edit } = self;
        let place = diagnostic.place.unwrap_or_default();
        let position = locator.locate(range.clone());
        AnalyzedNote {
            code: diagnostic.code,
            severity: diagnostic.severity,
            message: diagnostic.message,
            help: diagnostic.help.map(|help| help.words),
            range: pair(&range),
            utf16: pair(&utf16.range(&range)),
            line: place.line.unwrap_or(position.line),
            column: place.column.unwrap_or(position.column),
            utf16_column: position.utf16_column,
            edit: edit.map(|edit| AnalyzedEdit {
                range: pair(&edit.range),
                utf16: pair(&utf16.range(&edit.range)),
                replacement: edit.replacement,
            }),
        }
    }
}
