//! The values that a shell suggests for flags and arguments: a completion script calls the program, which looks them up.
//!
//! Nothing is reported here: where a lookup fails there are no suggestions.

use crate::{command::Preset, files, store::StoreFlag};
use clap_complete::{ArgValueCandidates, CompletionCandidate};
use preface::{
    COUNTERS, Engine, Request,
    core::settings::{SchemaField, TOP, ValueShape},
    store::{Filter, PageRequest, TemplateName},
};
use std::collections::BTreeSet;

type Found = Vec<CompletionCandidate>;

fn candidates(names: impl IntoIterator<Item = String>) -> Found {
    names.into_iter().map(CompletionCandidate::new).collect()
}

/// Suggests presets and the user's own profiles.
pub fn presets() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = Preset::all(&Request::default()).unwrap_or_default();
        all.into_iter()
            .map(|one| CompletionCandidate::new(one.name).help(Some(one.description.into())))
            .collect()
    })
}

/// Suggests the agents of every preset and profile in the directory.
pub fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let system = files::system();
        let engine = Engine::new(&system);
        let presets = Preset::all(&Request::default()).unwrap_or_default().into_iter();
        let requests = presets.map(|one| Request { preset: Some(one.name), ..Request::default() });
        let agents = requests.filter_map(|request| Some(engine.agents(&request).ok()?.agents)).flatten();
        let names: BTreeSet<String> = agents.filter(|agent| agent.active).map(|agent| agent.name).collect();
        candidates(names)
    })
}

/// Suggests the models of stored conversations.
pub fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(stored().into_iter().filter_map(|(_, model)| model)))
}

/// Suggests the active tools and `none`.
pub fn tools() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let system = files::system();
        let Ok(report) = Engine::new(&system).servers(&Request::default()) else { return Vec::new() };
        let of_servers = report.tools.iter().map(|tool| tool.name.clone());
        let entries = report.scopes.scopes.of(preface::core::extension::Category::Tools);
        let own = entries.filter(|entry| entry.active).map(|entry| entry.name.clone());
        candidates(own.chain(of_servers).chain(["none".to_owned()]))
    })
}

/// Suggests the keys of settings: `budget`, `budget.tokens`.
pub fn settings() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let mut found = Vec::new();
        add_keys("", TOP, &mut found);
        found
    })
}

fn add_keys(above: &str, fields: &[SchemaField], found: &mut Found) {
    for field in fields {
        let key = format!("{above}{}", field.name);
        if let ValueShape::Record(below, _) = field.shape {
            add_keys(&format!("{key}."), below, found);
        }
        found.push(CompletionCandidate::new(key).help(Some(field.about.into())));
    }
}

/// Suggests the tokenizers.
pub fn tokenizers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(COUNTERS.names().into_iter().map(str::to_owned)))
}

/// Suggests the variables.
pub fn variables() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = preface::variables();
        candidates(all.iter().filter(|one| !one.dynamic).map(|one| format!("{}:{}", one.kind, one.name)))
    })
}

/// Suggests the ids of stored conversations.
pub fn conversations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(stored().into_iter().map(|(id, _)| id)))
}

/// Suggests the stored templates.
pub fn templates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found = StoreFlag::default().look(async |store| {
            let page = store.templates(&PageRequest::first(PageRequest::MOST)).await?;
            Ok(page.items.into_iter().map(|one| one.current.name.as_str().to_owned()).collect::<Vec<_>>())
        });
        candidates(found.ok().flatten().unwrap_or_default())
    })
}

/// Suggests the labels of the template `main`.
pub fn labels() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found = StoreFlag::default().look(async |store| {
            let page = store.versions(&TemplateName::main(), &PageRequest::first(PageRequest::MOST)).await?;
            Ok(page.items.into_iter().flat_map(|one| one.labels).collect::<Vec<_>>())
        });
        candidates(found.ok().flatten().unwrap_or_default())
    })
}

/// Returns the ids and models of the stored conversations, the latest first.
fn stored() -> Vec<(String, Option<String>)> {
    let found = StoreFlag::default().look(async |store| {
        let page = store.conversations(&Filter::default(), &PageRequest::first(PageRequest::MOST)).await?;
        Ok(page.items.into_iter().map(|one| (one.id.as_str().to_owned(), one.model)).collect::<Vec<_>>())
    });
    found.ok().flatten().unwrap_or_default()
}
