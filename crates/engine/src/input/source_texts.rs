//! The texts of a snapshot, each with the file or place that it comes from.

use preface_core::{
    origin::{Origin, Piece},
    profile::ReplacementSource,
    scope::Scope,
    section::{Language, SectionBody},
    snapshot::Snapshot,
};

/// A text of a snapshot, and where it comes from.
pub(crate) struct SourceText<'s> {
    pub scope: Option<Scope>,
    pub path: String,
    pub pieces: &'s [Piece],
    pub language: Language,
}

impl SourceText<'_> {
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }
}

/// Returns the texts that a snapshot includes: contributions, layer files, section files, settings, the stored template, the
/// profile's own.
pub(crate) fn source_texts(snapshot: &Snapshot) -> Vec<SourceText<'_>> {
    let mut texts: Vec<(&[Piece], Language)> = Vec::new();
    for item in snapshot.contributions.iter().flat_map(|given| &given.items) {
        texts.push((&item.pieces, item.language));
    }
    for layer in &snapshot.stack.0 {
        for (name, pieces) in &layer.files {
            let group = snapshot.profile.groups.iter().find(|group| {
                group
                    .replace
                    .iter()
                    .filter_map(ReplacementSource::file)
                    .any(|file| file.scope == layer.scope && file.name == *name)
            });
            texts.push((pieces, group.map_or(Language::Verbatim, |group| group.language)));
        }
        texts.extend(layer.sections.values().map(|pieces| (pieces.as_slice(), Language::Template)));
    }
    for given in &snapshot.overrides {
        if let Some(text) = &given.text {
            texts.push((text, given.language.unwrap_or_default()));
        }
    }
    let given = [&snapshot.system_prompt.custom, &snapshot.system_prompt.append];
    texts.extend(given.into_iter().flatten().map(|piece| (std::slice::from_ref(piece), Language::Verbatim)));
    if let Some(stored) = &snapshot.stored {
        let group =
            snapshot.profile.groups.iter().find(|group| group.replace.contains(&ReplacementSource::Store));
        texts.push((stored, group.map_or(Language::Template, |group| group.language)));
    }
    for section in &snapshot.profile.sections {
        if let SectionBody::Text(pieces) = &section.body {
            texts.push((pieces, section.language));
        }
    }
    let with_source = |(pieces, language)| {
        let pieces: &[Piece] = pieces;
        let (scope, path) = named(&pieces.first()?.origin)?;
        Some(SourceText { scope, path, pieces, language })
    };
    texts.into_iter().filter_map(with_source).collect()
}

/// Names the text that a piece belongs to.
fn named(origin: &Origin) -> Option<(Option<Scope>, String)> {
    match origin {
        Origin::Source { source, .. } => Some((Some(source.scope), source.path.clone())),
        Origin::Caller { flag } => Some((None, flag.to_string())),
        Origin::Literal { .. } | Origin::Hook { .. } | Origin::Stored { .. } => {
            Some((None, origin.to_string()))
        }
        Origin::Variable { .. } => None,
    }
}
