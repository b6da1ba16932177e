//! The findings about a template, by their place in it.

use super::reply::{AnalyzedEdit, AnalyzedNote, pair};
use crate::lint::{catalogue, tags};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics},
    fact::{FactKey, Facts},
    lint::{
        finding, forged,
        hidden::{self, Comments},
        secret, template,
    },
    profile::Profile,
    template::{Options, Tile, Utf16},
};
use std::{collections::BTreeMap, ops::Range};

/// The name of the template in places.
const NAME: &str = "template";

/// What is looked at.
pub(super) struct Wanted<'a> {
    pub text: &'a str,
    pub options: &'a Options,
    pub profile: &'a Profile,
    /// Whether files were looked for.
    pub somewhere: bool,
}

/// Finds everything there is to say: of the tags, of what hides in the text, of the files that it names, and what came up
/// while it was rendered.
pub(super) fn notes(
    wanted: &Wanted<'_>,
    tiles: &[Tile<'_>],
    facts: &Facts,
    trouble: Diagnostics,
    utf16: &Utf16<'_>,
) -> Vec<AnalyzedNote> {
    let Wanted { text, options, profile, somewhere } = wanted;
    let write = Write { text, utf16 };
    let mut notes: Vec<AnalyzedNote> = Vec::new();
    for found in template::lint(text, options, &catalogue(profile), None, NAME) {
        let mut note = write.note(found.diagnostic, found.position.range.clone());
        note.edit = found.edit.map(|edit| AnalyzedEdit {
            range: pair(&edit.range),
            utf16: pair(&utf16.range(&edit.range)),
            replacement: edit.replacement,
        });
        notes.push(note);
    }
    let mut others = hidden::diagnostics(&hidden::scan(text), text, None, NAME, Comments::Sent);
    others.extend(finding::diagnostics(&secret::scan(text), text, None, NAME));
    others.extend(finding::diagnostics(&forged::scan_for(text, &tags(profile)), text, None, NAME));
    others.extend(trouble);
    for note in others {
        let span = note.place.as_ref().and_then(|place| place.span.clone()).unwrap_or(0..0);
        notes.push(write.note(note, span));
    }
    let mut first: BTreeMap<&FactKey, Range<usize>> = BTreeMap::new();
    for tile in tiles.iter().filter(|tile| tile.stray.is_none()) {
        if let Some(key) = tile.key {
            first.entry(key).or_insert_with(|| tile.range.clone());
        }
    }
    for (key, range) in first {
        let Some(fact) = facts.get(key) else { continue };
        for note in &fact.diagnostics {
            notes.push(write.note(note.clone(), range.clone()));
        }
        if *somewhere && fact.value.is_none() && fact.diagnostics.is_empty() && key.kind() == "file" {
            let what = format!("`{}`: {}", hidden::escape_hidden(key.as_str()), fact.source);
            notes.push(write.note(Diagnostic::info("template/missing-file", what), range));
        }
    }
    notes.sort_by(|a, b| (a.range, b.severity, &a.code).cmp(&(b.range, a.severity, &b.code)));
    notes
}

struct Write<'a> {
    text: &'a str,
    utf16: &'a Utf16<'a>,
}

impl Write<'_> {
    fn note(&self, note: Diagnostic, range: Range<usize>) -> AnalyzedNote {
        let on_characters = self.text.get(range.clone()).is_some();
        let range = if on_characters { range } else { 0..0 };
        let line_start = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let place = note.place.unwrap_or_default();
        AnalyzedNote {
            code: note.code,
            severity: note.severity,
            message: note.message,
            help: note.help,
            range: pair(&range),
            utf16: pair(&self.utf16.range(&range)),
            line: place.line.unwrap_or_else(|| self.text[..range.start].matches('\n').count() + 1),
            column: place.column.unwrap_or_else(|| self.text[line_start..range.start].chars().count() + 1),
            utf16_column: self.utf16.offset(range.start) - self.utf16.offset(line_start) + 1,
            edit: None,
        }
    }
}
