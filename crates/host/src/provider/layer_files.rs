//! Context provider `layer-files`: files of fixed names from the global and the project directory, global first. Or one
//! of them: the project's, else the global one, else none.

use super::{ContextProvider, SectionOptions, silent};
use crate::{
    provider_context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadRequest},
    system::ReadScope,
};
use preface_core::{
    compose::{empty_file_diagnostic, hidden_source_diagnostic, is_blank, is_empty},
    diagnostic::{Place, Severity},
    origin::Piece,
    scope::Scope,
    section::Section,
    snapshot::{Contribution, Item},
    trust::TrustKind,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// Reads `names` from each layer.
#[derive(Debug)]
pub struct LayerFiles;

impl ContextProvider for LayerFiles {
    fn name(&self) -> &'static str {
        "layer-files"
    }

    fn about(&self) -> &'static str {
        "files of fixed names from the global and the project directory, global first"
    }

    fn options(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("given", "an option of the profile: where the caller gave its text, no file is looked at"),
            ("names", "the file names, such as `append.md`"),
            (
                "pick",
                "`all` (default), or `first`: the first that exists, the project's before the global one",
            ),
        ]
    }

    fn contribute(&self, section: &Section, context: &ProviderContext<'_>) -> Contribution {
        let options = SectionOptions::new(section, context);
        let names = options.texts("names", &[]);
        if let Some(pieces) = options.text("given").and_then(|name| context.given.get(name)) {
            let mut contribution = silent(self, section, "the text that was given for it is empty");
            if !is_empty(pieces) {
                let item = Item {
                    variables: BTreeMap::new(),
                    pieces: pieces.clone(),
                    language: section.language,
                    rank: None,
                };
                contribution.items.push(item);
                contribution.silent = None;
            }
            return contribution;
        }
        if options.word("pick", &["all", "first"]) == "first" {
            return first(self, section, &names, context);
        }
        let mut contribution = silent(self, section, format!("there is no {}", names.join(" or ")));
        for (scope, path) in candidates([Scope::Global, Scope::Project], &names, context) {
            let Some(pieces) = context.pieces(&request(scope, &path, context)) else { continue };
            if !is_blank(&pieces) {
                contribution.items.push(item(section, scope, &path, pieces, context));
            }
        }
        if !contribution.items.is_empty() {
            contribution.silent = None;
        }
        contribution
    }
}

/// The first file that exists decides, whatever it holds.
fn first(
    provider: &LayerFiles,
    section: &Section,
    names: &[String],
    context: &ProviderContext<'_>,
) -> Contribution {
    let mut contribution = silent(provider, section, format!("there is no {}", names.join(" or ")));
    let mut files = candidates([Scope::Project, Scope::Global], names, context);
    let read = |(scope, path): (Scope, PathBuf)| {
        let wanted = ReadRequest { severity: Severity::Error, ..request(scope, &path, context) };
        let pieces = context.pieces(&wanted)?;
        Some((scope, path, pieces))
    };
    let Some((scope, path, pieces)) = files.find_map(read) else { return contribution };
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
        contribution.silent = Some(format!("{} is empty", context.places.source(scope, &path).path));
    } else {
        contribution.items.push(item(section, scope, &path, pieces, context));
        contribution.silent = None;
    }
    contribution
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
