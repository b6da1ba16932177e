//! The contribution of a context provider of a layer: the text of its manifest, of files beside it, or of a program.

use super::git;
use crate::{
    extensions::{manifest_path, wanted},
    places::normal,
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext},
    system::{RunRequest, System, skipped_programs},
    trust::CheckedCommand,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    extension::{Context, ContextSource, ExtensionEntry, ProgramSpec},
    lint::hidden::escape_hidden,
    origin::{Origin, Piece, Source},
    pipeline::compose::is_blank,
    section::{Language, ProviderName, SectionId},
    snapshot::{Contribution, Item},
    variable::VariableKey,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Builds the contribution of an active context provider to `section`.
#[must_use]
pub fn contribute(
    entry: &ExtensionEntry,
    ability: &Context,
    section: &SectionId,
    context: &ProviderContext<'_>,
) -> Contribution {
    let mut contribution = Contribution {
        provider: ProviderName::new(&entry.name),
        id: None,
        section: section.clone(),
        items: Vec::new(),
        priority: Some(ability.priority),
        max_tokens: Some(ability.max_tokens),
        stability: Some(ability.stability),
        unread: 0,
        silent: None,
    };
    match text(entry, ability, context) {
        Ok(texts) => {
            contribution.items = texts
                .into_iter()
                .filter(|pieces| !is_blank(pieces))
                .map(|pieces| Item {
                    variables: BTreeMap::new(),
                    pieces,
                    language: Language::Verbatim,
                    rank: None,
                })
                .collect();
            if contribution.items.is_empty() {
                contribution.silent = Some(format!("`{}` has no text", entry.name));
            }
        }
        Err(why) => contribution.silent = Some(why),
    }
    contribution
}

fn text(
    entry: &ExtensionEntry,
    ability: &Context,
    context: &ProviderContext<'_>,
) -> Result<Vec<Vec<Piece>>, String> {
    let scope = entry.origin.scope;
    let manifest = manifest_path(entry, context);
    match &ability.from {
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
                if context.system.link_stat(&path).is_none() {
                    context.note(missing(entry, file));
                    return None;
                }
                context.pieces(&wanted(scope, &path, CONTEXT_FILE_LIMIT, context))
            });
            Ok(read.collect())
        }
        Some(ContextSource::Command(_)) if !entry.runnable => {
            Err(format!("`{}` may not run: it is not granted", entry.name))
        }
        Some(ContextSource::Command(_)) if !context.gate.starts_programs() => {
            Err(format!("`{}` is a program, which a build starts", entry.name))
        }
        Some(ContextSource::Command(program)) => {
            run_program(entry, program, manifest.as_deref().and_then(Path::parent), context)
        }
    }
}

/// Starts the program and takes what it prints.
fn run_program(
    entry: &ExtensionEntry,
    program: &ProgramSpec,
    beside: Option<&Path>,
    context: &ProviderContext<'_>,
) -> Result<Vec<Vec<Piece>>, String> {
    let shown = escape_hidden(&program.argv.join(" ")).into_owned();
    let granted = granted(entry, context);
    let failed = |why: String| {
        let what = format!("context provider `{}` stays silent: `{shown}` {why}", entry.name);
        let place = Place::file(Some(entry.origin.scope), entry.origin.path.clone());
        let mut diagnostic =
            Diagnostic::warning(DiagnosticCode::ContextProviderFailed, what.clone()).at(place);
        let at_home = "it starts in your home directory until you grant the project";
        diagnostic.help = (granted.is_none() && !context.gate.is_granted()).then(|| at_home.into());
        context.note(diagnostic);
        what
    };
    let argv = match (granted, entry.needs_grant()) {
        (Some(granted), _) => {
            granted.argv(context.system).map_err(|error| failed(format!("was not started: {error}")))?
        }
        (None, true) => return Err(failed("was not started: it is not granted".to_owned())),
        (None, false) => launch_argv(program, beside),
    };
    let Some(dir) = context.start_dir(entry.needs_grant()) else {
        return Err(failed("was not started: there is no home directory to start it in".to_owned()));
    };
    let mut run = RunRequest::new(argv, dir).about(&context.places.cwd);
    run.timeout = Duration::from_millis(program.timeout_ms);
    run.not_below = Some(project_root(context.system, &context.places.cwd));
    let ran = context.system.run(&run);
    if let Ok(ran) = &ran {
        let who = format!("context provider `{}`", entry.name);
        skipped_programs(&who, &ran.skipped).into_iter().for_each(|diagnostic| context.note(diagnostic));
    }
    match ran {
        Ok(ran) if ran.status.success() => {
            let text = String::from_utf8_lossy(&ran.stdout).into_owned();
            let key = VariableKey::new("command", &entry.name);
            Ok(vec![vec![Piece { text, origin: Origin::Variable { key, source: shown.as_str().into() } }]])
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
pub fn launch_argv(program: &ProgramSpec, beside: Option<&Path>) -> Vec<String> {
    let mut argv = program.argv.clone();
    if let (Some(first), Some(dir)) = (argv.first_mut(), beside)
        && first.contains(std::path::is_separator)
        && !Path::new(first.as_str()).is_absolute()
    {
        *first = normal(dir, Path::new(first.as_str())).display().to_string();
    }
    argv
}

/// Returns the granted command of an entry of the project.
#[must_use]
pub(crate) fn granted<'a>(
    entry: &ExtensionEntry,
    context: &'a ProviderContext<'_>,
) -> Option<&'a CheckedCommand> {
    context.granted?.get(&format!("{}/{}", entry.value.category, entry.name)).filter(|_| entry.needs_grant())
}

/// Returns the directory that no program is found in by a bare name: the work tree that holds the working directory, else
/// that directory. A bare name always means the user's program.
#[must_use]
pub fn project_root(system: &dyn System, cwd: &Path) -> PathBuf {
    git::work_tree_root(system, cwd).unwrap_or_else(|| cwd.to_owned())
}

fn missing(entry: &ExtensionEntry, file: &str) -> Diagnostic {
    let shown = escape_hidden(file);
    Diagnostic::warning(
        DiagnosticCode::FileMissing,
        format!("{} names a file that is not there: `{shown}`", entry.origin.path),
    )
    .help("paths are relative to the manifest")
}
