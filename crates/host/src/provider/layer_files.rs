//! Context provider `layer-files`: files of fixed names from the global and the project directory, global first. Or one
//! of them: the project's, else the global one, else none.

use super::{ContextProvider, ProvidedTexts, SectionOptions};
use crate::{
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadRequest},
    system::ReadScope,
};
use preface_core::{
    diagnostic::{Place, Severity},
    origin::Piece,
    pipeline::compose::{empty_file_diagnostic, hidden_source_diagnostic, is_blank, is_empty},
    scope::Scope,
    section::Section,
    snapshot::Item,
    trust::TrustKind,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Reads `names` from each layer.
pub const LAYER_FILES: ContextProvider = ContextProvider::new(
    "layer-files",
    "files of fixed names from the global and the project directory, global first",
    &[
        ("given", "an option of the profile: where the caller gave its text, no file is looked at"),
        ("names", "the file names, such as `append.md`"),
        ("pick", "`all` (default), or `first`: the first that exists, the project's before the global one"),
    ],
    provide,
);

fn provide(section: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let options = SectionOptions::new(section, context);
    let names = options.texts("names", &[]);
    if let Some(pieces) = options.text("given").and_then(|name| context.given.get(name)) {
        let item = || Item {
            variables: BTreeMap::new(),
            pieces: pieces.clone(),
            language: section.language,
            rank: None,
        };
        let items = if is_empty(pieces) { Vec::new() } else { vec![item()] };
        return ProvidedTexts::of(items, "the text that was given for it is empty");
    }
    if options.word("pick", &["all", "first"]) == "first" {
        return first(section, &names, context);
    }
    let read = |(scope, path): (Scope, PathBuf)| {
        let pieces = context.pieces(&request(scope, &path, context)).filter(|pieces| !is_blank(pieces))?;
        Some(item(section, scope, &path, pieces, context))
    };
    let files = candidates([Scope::Global, Scope::Project], &names, context);
    ProvidedTexts::of(files.filter_map(read).collect(), none_of(&names))
}

/// The first file that exists decides, whatever it holds.
fn first(section: &Section, names: &[String], context: &ProviderContext<'_>) -> ProvidedTexts {
    let mut files = candidates([Scope::Project, Scope::Global], names, context);
    let read = |(scope, path): (Scope, PathBuf)| {
        let wanted = ReadRequest { severity: Severity::Error, ..request(scope, &path, context) };
        let pieces = context.pieces(&wanted)?;
        Some((scope, path, pieces))
    };
    let Some((scope, path, pieces)) = files.find_map(read) else {
        return ProvidedTexts::none(none_of(names));
    };
    let place =
        |scope: Scope, path: &Path| Place::file(Some(scope), context.places.source(scope, path).path.clone());
    let used = place(scope, &path);
    let other = files.find(|(_, path)| context.system.stat(path).is_some());
    let diagnostic = empty_file_diagnostic(&section.id, &pieces, Some(used.clone()), other.is_some());
    if let Some(diagnostic) = diagnostic
        .or_else(|| other.map(|(below, other)| hidden_source_diagnostic(&used, &place(below, &other))))
    {
        context.note(diagnostic);
    }
    if is_empty(&pieces) {
        return ProvidedTexts::none(format!("{} is empty", context.places.source(scope, &path).path));
    }
    ProvidedTexts::of(vec![item(section, scope, &path, pieces, context)], "")
}

fn none_of(names: &[String]) -> String {
    format!("there is no {}", names.join(" or "))
}

/// The files of these names, layer by layer.
fn candidates<'a>(
    scopes: [Scope; 2],
    names: &'a [String],
    context: &'a ProviderContext<'_>,
) -> impl Iterator<Item = (Scope, PathBuf)> + 'a {
    scopes.into_iter().flat_map(move |scope| {
        let root = match scope {
            Scope::Project if context.gate.allows_layer() => context.places.project.as_ref(),
            Scope::Global => context.places.global.as_ref(),
            _ => None,
        };
        root.into_iter().flat_map(move |root| names.iter().map(move |name| (scope, root.join(name))))
    })
}

fn request<'a>(scope: Scope, path: &'a Path, context: &'a ProviderContext<'_>) -> ReadRequest<'a> {
    match scope {
        Scope::Project => ReadRequest::project(
            path,
            ReadScope::Root(context.layer_root()),
            CONTEXT_FILE_LIMIT,
            TrustKind::LayerText,
        ),
        _ => ReadRequest::global(path, CONTEXT_FILE_LIMIT),
    }
}

fn item(
    section: &Section,
    scope: Scope,
    path: &Path,
    pieces: Vec<Piece>,
    context: &ProviderContext<'_>,
) -> Item {
    let variables = BTreeMap::from([("path".to_owned(), context.places.source(scope, path).path.clone())]);
    Item { variables, pieces, language: section.language, rank: None }
}
