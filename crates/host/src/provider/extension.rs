//! What a context provider that a layer brings contributes: the text of its manifest, of files beside it, or of a program
//! (`DETAILS` 3, 19).

use super::git;
use crate::{
    extensions::{manifest_path, wanted},
    look::{CONTEXT_FILE_LIMIT, Look},
    places::normal,
    system::Run,
};
use preface_core::{
    compose::is_blank,
    diagnostic::{Diagnostic, Place},
    extension::{Context, ContextSource, Entry, Program},
    fact::FactKey,
    lint::hidden::escape_hidden,
    origin::{Origin, Piece, Source},
    section::{Language, ProviderName, SectionId},
    world::{Contribution, Item},
};
use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

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
        Some(ContextSource::Command(_)) if !entry.runnable => {
            Err(format!("`{}` may not run: `preface trust grant --allow-commands` allows it", entry.name))
        }
        Some(ContextSource::Command(program)) => {
            printed(entry, program, manifest.as_deref().and_then(Path::parent), look)
        }
    }
}

/// Starts the program and takes what it prints.
fn printed(
    entry: &Entry,
    program: &Program,
    beside: Option<&Path>,
    look: &Look<'_>,
) -> Result<Vec<Vec<Piece>>, String> {
    let mut run = Run::new(launched(program, beside), &look.places.cwd);
    run.timeout = Duration::from_millis(program.timeout_ms);
    // A bare name means the user's program, never one of the directory that is worked in.
    let root = git::work_tree(look.system, &look.places.cwd).map(|(root, _)| root);
    run.not_below = Some(root.unwrap_or_else(|| look.places.cwd.clone()));
    let shown = escape_hidden(&program.argv.join(" ")).into_owned();
    let failed = |why: String| {
        let what = format!("context provider `{}` stays silent: `{shown}` {why}", entry.name);
        let place = Place::file(Some(entry.origin.scope), entry.origin.path.clone());
        look.note(Diagnostic::warning("ExtensionHost/ContextProviderFailed", what.clone()).at(place));
        what
    };
    match look.system.run(&run) {
        Ok(ran) if ran.status.success() => {
            let text = String::from_utf8_lossy(&ran.stdout).into_owned();
            let key = FactKey::new("command", &entry.name);
            Ok(vec![vec![Piece { text, origin: Origin::Fact { key, source: shown.as_str().into() } }]])
        }
        Ok(ran) => {
            let words = String::from_utf8_lossy(&ran.stderr);
            let words = words.lines().next().map(|line| format!(": {}", escape_hidden(line.trim())));
            Err(failed(format!("ended with {}{}", ran.status, words.unwrap_or_default())))
        }
        Err(error) => Err(failed(format!("did not run: {error}"))),
    }
}

/// The words that start a program: one that is named by a relative path lies beside the manifest.
#[must_use]
pub fn launched(program: &Program, beside: Option<&Path>) -> Vec<String> {
    let mut argv = program.argv.clone();
    if let (Some(first), Some(dir)) = (argv.first_mut(), beside)
        && first.contains(std::path::is_separator)
        && !Path::new(first.as_str()).is_absolute()
    {
        *first = normal(dir, Path::new(first.as_str())).display().to_string();
    }
    argv
}

fn missing(entry: &Entry, file: &str) -> Diagnostic {
    let shown = escape_hidden(file);
    Diagnostic::warning(
        "file/missing",
        format!("{} names a file that is not there: `{shown}`", entry.origin.path),
    )
    .help("paths are relative to the manifest")
}
