//! The values that a shell suggests for flags and arguments: a completion script calls the program, which looks them up.
//!
//! Nothing is reported here: if a lookup fails, there are no suggestions. Shells insert a suggestion unquoted, so names with a
//! character that a shell treats specially are left out: they can come from a repository or from a client of the service.

use crate::{command::Preset, files, store::StoreFlag};
use clap::{Arg, ValueHint};
use clap_complete::{
    ArgValueCandidates, ArgValueCompleter, CompletionCandidate,
    engine::{PathCompleter, ValueCompleter},
};
use preface_core::{model::Models, settings::ValueShape};
use preface_engine::{
    BuildOptions, COUNTERS, Engine,
    store::{Filter, PageRequest, Store, StoreError, TemplateName},
};
use std::{collections::BTreeSet, env, ffi::OsStr, path::PathBuf};

type Found = Vec<CompletionCandidate>;

fn candidates(names: impl IntoIterator<Item = String>) -> Found {
    names.into_iter().filter(|name| is_plain(name)).map(CompletionCandidate::new).collect()
}

/// Returns true if no shell expands, splits or interprets the word, and a terminal shows it as it is.
fn is_plain(word: &str) -> bool {
    let starts = word.chars().next().is_some_and(|first| !matches!(first, '-' | '=' | '+' | '%'));
    starts && word.chars().all(|c| c.is_alphanumeric() || "-_.,:/@+=%".contains(c))
}

/// Limits the suggestions of paths to plain ones, in a command with all below it.
pub fn plain_paths(command: clap::Command) -> clap::Command {
    command.mut_args(plain_path).mut_subcommands(plain_paths)
}

fn plain_path(arg: Arg) -> Arg {
    let takes = match arg.get_value_hint() {
        ValueHint::AnyPath => PathCompleter::any(),
        ValueHint::FilePath => PathCompleter::file(),
        ValueHint::DirPath => PathCompleter::dir(),
        _ => return arg,
    };
    if arg.get::<ArgValueCandidates>().is_some() {
        return arg;
    }
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let mut found = takes.complete(current);
        found.retain(|path| {
            path.get_value().to_str().is_some_and(|path| is_plain(path.trim_start_matches("~/")))
        });
        found
    }))
}

/// Returns the last value of a flag in the command line that is completed.
pub fn named(flag: &str) -> Option<PathBuf> {
    let mut words = env::args_os().skip_while(|word| word != "--").skip(1);
    let mut found = None;
    while let Some(word) = words.next() {
        let Some(rest) = word.to_str().and_then(|word| word.strip_prefix(flag)) else { continue };
        let value = match rest.strip_prefix('=') {
            _ if rest.is_empty() => words.next().unwrap_or_default(),
            Some(value) => value.into(),
            None if flag.starts_with("--") => continue,
            None => rest.into(),
        };
        found = Some(PathBuf::from(value)).filter(|value| !value.as_os_str().is_empty()).or(found);
    }
    found
}

/// Returns the request of the command line that is completed: its preset or profile.
fn request() -> BuildOptions {
    let preset = named("--preset").and_then(|name| Some(name.to_str()?.to_owned()));
    BuildOptions { preset, profile: named("--profile"), ..BuildOptions::default() }
}

/// Suggests presets and the user's own profiles.
pub fn presets() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let all = Preset::all(&BuildOptions::default()).unwrap_or_default();
        all.into_iter()
            .filter(|one| is_plain(&one.name))
            .map(|one| CompletionCandidate::new(one.name).help(Some(one.description.into())))
            .collect()
    })
}

/// Suggests the agents of the preset or profile that is named, else of every one, in the directory.
pub fn agents() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let engine = Engine::new(files::system());
        let mut requests = vec![request()];
        if requests[0] == BuildOptions::default() {
            let presets = Preset::all(&BuildOptions::default()).unwrap_or_default().into_iter();
            requests = presets
                .map(|one| BuildOptions { preset: Some(one.name), ..BuildOptions::default() })
                .collect();
        }
        let agents =
            requests.iter().filter_map(|request| Some(engine.look(request).ok()?.agents().entries)).flatten();
        let names: BTreeSet<String> = agents.filter(|agent| agent.active).map(|agent| agent.name).collect();
        candidates(names)
    })
}

/// Suggests the models of stored conversations, and those that facts are known about.
pub fn models() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let of_conversations = stored().into_iter().filter_map(|(_, model)| model);
        let known = Models::bundled().rows().flat_map(|row| row.names.iter().cloned());
        candidates(of_conversations.chain(known).collect::<BTreeSet<String>>())
    })
}

/// Suggests the active tools and `none`, behind a comma those that are not in the list yet.
pub fn tools() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(current) = current.to_str() else { return Vec::new() };
        let (listed, last) =
            current.rsplit_once(',').map_or((None, current), |(listed, last)| (Some(listed), last));
        let Ok(report) = Engine::new(files::system()).look(&request()).and_then(|build| build.servers())
        else {
            return Vec::new();
        };
        let of_servers = report.tools.iter().map(|tool| tool.name.as_str());
        let entries = report.scopes.scopes.of(preface_core::extension::Category::Tools);
        let own = entries.filter(|entry| entry.active).map(|entry| entry.name.as_str());
        let names = own.chain(of_servers).chain(listed.is_none().then_some("none"));
        candidates(names.filter(|name| name.starts_with(last)).filter_map(|name| match listed {
            None => Some(name.to_owned()),
            Some(listed) => listed.split(',').all(|one| one != name).then(|| format!("{listed},{name}")),
        }))
    })
}

/// Suggests the keys of settings, such as `budget.tokens`, and behind `=` the values of a key that has few.
pub fn settings() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let mut found = Vec::new();
        add_keys("", ValueShape::root(), current.to_str().unwrap_or_default(), &mut found);
        found
    })
}

fn add_keys(above: &str, object: ValueShape, current: &str, found: &mut Found) {
    for (name, shape) in object.names().filter_map(|name| Some((name, object.under(name)?))) {
        let key = format!("{above}{name}");
        add_keys(&format!("{key}."), shape, current, found);
        let flags: &[&str] = if shape.is_flag() { &["true", "false"] } else { &[] };
        let words = match current.contains('=') {
            true => {
                shape.words().chain(flags.iter().copied()).map(|value| format!("{key}={value}")).collect()
            }
            false => vec![key],
        };
        let words = words.into_iter().filter(|word| word.starts_with(current));
        found.extend(words.map(|word| CompletionCandidate::new(word).help(Some(shape.about().into()))));
    }
}

/// Suggests the tokenizers.
pub fn tokenizers() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(COUNTERS.names().into_iter().map(str::to_owned)))
}

/// Suggests the variables, and behind `=` the values of a declared one that has few.
pub fn variables() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let Some(current) = current.to_str() else { return Vec::new() };
        let build = Engine::new(files::system()).look(&request());
        let declared = build.map(|build| build.declarations().clone()).unwrap_or_default();
        let registered = preface_engine::variables();
        let registered = registered.iter().filter(|one| !one.dynamic);
        let mut words: Vec<String> = registered.map(|one| format!("{}:{}", one.kind, one.name)).collect();
        for (key, one) in declared.inputs() {
            words.push(key.to_string());
            if current.contains('=') {
                words.extend(one.values.iter().map(|value| format!("{key}={value}")));
            }
        }
        candidates(words.into_iter().filter(|word| word.starts_with(current)))
    })
}

/// Suggests the ids of stored conversations.
pub fn conversations() -> ArgValueCandidates {
    ArgValueCandidates::new(|| candidates(stored().into_iter().map(|(id, _)| id)))
}

/// Suggests the stored templates.
pub fn templates() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found = of_store(async |store, page| Ok(store.templates(page).await?.items));
        candidates(found.into_iter().map(|one| one.name.as_str().to_owned()))
    })
}

/// Suggests the labels of the template `main`.
pub fn labels() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let found =
            of_store(async |store, page| Ok(store.versions(&TemplateName::main(), page).await?.items));
        candidates(found.into_iter().flat_map(|one| one.labels))
    })
}

/// Returns the ids and models of the stored conversations, the latest first.
fn stored() -> Vec<(String, Option<String>)> {
    let found = of_store(async |store, page| Ok(store.conversations(&Filter::default(), page).await?.items));
    found.into_iter().map(|one| (one.id.as_str().to_owned(), one.model)).collect()
}

/// Returns what a list of the store begins with.
fn of_store<T>(read: impl AsyncFnOnce(&dyn Store, &PageRequest) -> Result<Vec<T>, StoreError>) -> Vec<T> {
    let page = PageRequest::first(PageRequest::MOST);
    let found = StoreFlag::default().open(async |store| Ok(read(&*store, &page).await?));
    found.ok().flatten().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_a_shell_interprets_are_not_suggested() {
        for word in ["default", "git:branch", "docs/a.md", "gpt-5.2", "übung", "a@3", "x=y"] {
            assert!(is_plain(word), "{word}");
        }
        for word in [
            "",
            "-C",
            "=ls",
            "a$(id)",
            "a`id`",
            "a b",
            "a;b",
            "a\nb",
            "a\u{1b}[2J",
            "a\u{202e}b",
            "a\u{200b}b",
            "~root",
            "a*",
            "a'b",
            "a\"b",
            "a\\b",
            "a{1,2}",
            "a!b",
            "a|b",
            "a&b",
            "a<b",
            "a#b",
            "a?b",
            "a[b",
            "a(b",
        ] {
            assert!(!is_plain(word), "{word}");
        }
    }
}
