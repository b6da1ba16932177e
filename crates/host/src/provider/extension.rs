//! What a context provider that a layer brings contributes: the text of its manifest, of files beside it, or of a program
//! (`DETAILS` 3, 19).

use crate::{
    extensions::{manifest_path, wanted},
    look::{CONTEXT_FILE_LIMIT, Look},
    places::normal,
};
use preface_core::{
    compose::is_blank,
    extension::{Context, ContextSource, Entry},
    origin::{Origin, Piece, Source},
    section::{Language, ProviderName, SectionId},
    world::{Contribution, Item},
};
use std::{collections::BTreeMap, path::Path, sync::Arc};

/// Builds the contribution of an active context provider to `section`.
#[must_use]
pub fn contribute(entry: &Entry, context: &Context, section: &SectionId, look: &Look<'_>) -> Contribution {
    let mut said = Contribution {
        provider: ProviderName::new(&entry.name),
        id: None,
        section: section.clone(),
        items: Vec::new(),
        priority: Some(context.priority),
        max_tokens: Some(context.max_tokens),
        stability: Some(context.stability),
        silent: None,
    };
    match text(entry, context, look) {
        Ok(texts) => {
            said.items = texts
                .into_iter()
                .filter(|pieces| !is_blank(pieces))
                .map(|pieces| Item { facts: BTreeMap::new(), pieces, language: Language::Verbatim })
                .collect();
            if said.items.is_empty() {
                said.silent = Some(format!("`{}` has nothing to say", entry.name));
            }
        }
        Err(why) => said.silent = Some(why),
    }
    said
}

fn text(entry: &Entry, context: &Context, look: &Look<'_>) -> Result<Vec<Vec<Piece>>, String> {
    let scope = entry.origin.scope;
    let manifest = manifest_path(entry, look);
    match &context.from {
        None => Err(format!("the manifest of `{}` gives no text", entry.name)),
        Some(ContextSource::Markdown(text, span)) => {
            let source = Arc::new(Source { scope, path: entry.origin.path.clone() });
            // The span is that of the JSON string, which is not the text byte for byte.
            let origin = Origin::Source { source, span: span.clone(), lossy: true };
            Ok(vec![vec![Piece { text: text.clone(), origin }]])
        }
        Some(ContextSource::Files(files)) => {
            let Some(dir) = manifest.as_deref().and_then(Path::parent) else {
                return Err(format!("the files of `{}` ship with a layer of its own only", entry.name));
            };
            let read = files.iter().filter_map(|file| {
                let path = normal(dir, Path::new(file));
                if look.system.link_stat(&path).is_none() {
                    look.note(missing(entry, file));
                    return None;
                }
                look.pieces(&wanted(scope, &path, CONTEXT_FILE_LIMIT, look))
            });
            Ok(read.collect())
        }
        Some(ContextSource::Command(_)) => Err(format!("`{}` waits for a grant to run", entry.name)),
    }
}

fn missing(entry: &Entry, file: &str) -> preface_core::diagnostic::Diagnostic {
    let shown = preface_core::lint::hidden::escape_hidden(file);
    preface_core::diagnostic::Diagnostic::warning(
        "file/missing",
        format!("{} names a file that is not there: `{shown}`", entry.origin.path),
    )
    .help("paths are relative to the manifest")
}
