//! Context provider `system-prompt-file`: the user's own `system.md`, global then project, verbatim.

use super::{ContextProvider, ProvidedTexts};
use crate::{
    places::resolve_links,
    provider::context::{Extent, ProviderContext, ReadRequest},
    system::{FileKind, ReadError, ReadScope},
    trust::quoted,
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    pipeline::compose::is_blank,
    scope::Scope,
    section::{Language, Section},
    settings::{SetBy, Settings, SystemPromptFileSettings},
    snapshot::Item,
    trust::TrustKind,
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Reads at most two files.
pub const SYSTEM_PROMPT_FILE: ContextProvider = ContextProvider {
    id: SystemPromptFileSettings::KEYS[1],
    ..ContextProvider::new(
        "system-prompt-file",
        "your own system.md, global then project, verbatim",
        &[],
        provide,
    )
};

fn provide(_: &Section, context: &ProviderContext<'_>) -> ProvidedTexts {
    let config = Settings::read(context.settings).context_providers.system_prompt_file;
    let set_by = |key: &str| SystemPromptFileSettings::set_by(context.settings, key);
    // In the user's own settings it is about the user's own file; that of a project or a call switches the provider off.
    let without_global = !config.enabled && set_by("enabled") == Some(SetBy::Global);
    let max_tokens = usize::try_from(config.max_tokens).unwrap_or(usize::MAX);
    // Enough for every text that could fit. The rest is counted by its size.
    let limit = (256 << 10).max(config.max_tokens.saturating_mul(16));
    let why = if without_global {
        "your own system.md is switched off by `contextProviders.SystemPromptFile.enabled` in the global settings, \
         and there is no other"
    } else {
        "there is no system.md"
    };
    let mut texts = ProvidedTexts {
        max_tokens: Some(max_tokens),
        // A profile that orders by priority does so by the settings' number; others keep their own place.
        priority: set_by("priority").map(|_| config.priority),
        ..ProvidedTexts::none(why)
    };
    let global = match (config.paths.global.map(|path| path.0), &context.places.global) {
        (Some(path), Some(root)) => Some(expand(&path, root, context)),
        (None, Some(root)) => Some(root.join("system.md")),
        (Some(path), None) if Path::new(&path).is_absolute() => Some(PathBuf::from(path)),
        (_, None) => None,
    };
    if let Some(path) = global.as_ref().filter(|path| without_global && context.system.stat(path).is_some()) {
        let shown = context.places.source(Scope::Global, path).path.clone();
        let why = "`contextProviders.SystemPromptFile.enabled` is false";
        let diagnostic = Diagnostic::left_out(Severity::Info, DiagnosticCode::ScopeDisabled, &shown, why);
        context.note(diagnostic.at(Place::file(Some(Scope::Global), shown)));
    }
    let global = global.filter(|_| !without_global);
    // Trust first: nothing inside the project directory is looked at before. Without such a directory nothing can
    // be trusted, so no project candidate is read, whatever `paths.project` is.
    let is_dir = |root: &&PathBuf| context.system.stat(root).is_some_and(|stat| stat.kind == FileKind::Dir);
    let root = context.places.project.as_ref().filter(is_dir);
    let project = root.filter(|_| context.gate.allows_layer()).map(|root| match &config.paths.project {
        Some(path) => expand(&path.0, &context.places.cwd, context),
        None => root.join("system.md"),
    });
    if root.is_some() && project.is_none() && !without_global {
        texts.absent = "the only system.md is the project's, which is not trusted".to_owned();
    }
    let same = match (&global, &project) {
        (Some(a), Some(b)) => {
            matches!((context.system.canonical(a), context.system.canonical(b)), (Ok(a), Ok(b)) if a == b)
        }
        _ => false,
    };
    let diagnostics = context.diagnostics.borrow().len();
    if let Some(path) = &global {
        add(&mut texts, Scope::Global, path, ReadScope::Anywhere, limit, context);
    }
    if let Some(path) = project.filter(|_| !same)
        && let Some(dir) = allowed(&path, context)
    {
        add(&mut texts, Scope::Project, &path, ReadScope::Root(&dir), limit, context);
    }
    if context.diagnostics.borrow().len() > diagnostics {
        texts.absent = "every file was left out; the diagnostics have the reasons".to_owned();
    }
    texts
}

/// Returns the directory that the project's file must be in: the project root, or the real directory of
/// the file once a person confirmed it. An override that names no file disables the layer.
fn allowed(path: &Path, context: &ProviderContext<'_>) -> Option<PathBuf> {
    let root = resolve_links(context.system, context.places.project.as_ref()?);
    let around = context.layer_root();
    if !root.starts_with(resolve_links(context.system, around)) {
        // The project directory itself leads outside; the read is refused, and that is reported.
        return Some(around.to_owned());
    }
    let real = match context.system.canonical(path) {
        Ok(real) => real,
        Err(ReadError::Missing) => return None,
        Err(error) => {
            context.note(left_out(path, error.to_string(), context).help("mend or remove it"));
            context.add_unread(path, error, TrustKind::LayerText);
            return None;
        }
    };
    if real.starts_with(&root) || context.bounds.follows(&real) {
        return Some(root);
    }
    let shown = context.places.shown(&real);
    let question = format!("Allow SystemPromptFile to read a path outside the project root: {shown}?");
    if context.confirm.confirm(&question) {
        return real.parent().map(Path::to_owned);
    }
    let dir = context.places.project.as_deref().map_or_else(String::new, |dir| context.places.shown(dir));
    let why = if shown == context.places.shown(path) {
        format!("it lies outside of {dir} (ToolTerminal/Forbidden)")
    } else {
        format!("it leads out of {dir}, to {shown} (ToolTerminal/Forbidden)")
    };
    let target = quoted(&real.display().to_string());
    context.note(left_out(path, why, context).help(format!(
        "copy it into {dir}, answer `yes` where you are asked, or allow it: follow {target} for one call, `trust.follow` in \
         your own settings for all"
    )));
    context.add_unread(path, ReadError::Outside { target: real }, TrustKind::LayerText);
    None
}

fn add(
    texts: &mut ProvidedTexts,
    scope: Scope,
    path: &Path,
    within: ReadScope<'_>,
    limit: u64,
    context: &ProviderContext<'_>,
) {
    let wanted = ReadRequest {
        scope,
        within,
        extent: Extent::Head,
        severity: Severity::Warning,
        code: Some(DiagnosticCode::SuppressedError),
        kind: TrustKind::LayerText,
        ..ReadRequest::global(path, limit)
    };
    let Some(mut read) = context.read(&wanted) else { return };
    let unread = read.stat.len.saturating_sub(read.bytes.len() as u64);
    if unread > 0 {
        // The limit may be inside of a character, which is not part of what was read then.
        let whole = match std::str::from_utf8(&read.bytes) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => read.bytes.len(),
        };
        texts.unread += unread + (read.bytes.len() - whole) as u64;
        Arc::make_mut(&mut read.bytes).truncate(whole);
    }
    let pieces = context.decoded(scope, path, &read);
    if is_blank(&pieces) {
        texts.absent = "there is no text in system.md".to_owned();
        return;
    }
    let variables = BTreeMap::from([("path".to_owned(), context.places.source(scope, path).path.clone())]);
    texts.items.push(Item { variables, pieces, language: Language::Verbatim, rank: None });
}

fn left_out(path: &Path, why: String, context: &ProviderContext<'_>) -> Diagnostic {
    let shown = context.places.shown(path);
    Diagnostic::left_out(Severity::Warning, DiagnosticCode::SuppressedError, &shown, why)
        .at(Place::file(Some(Scope::Project), shown))
}

/// Makes a configured path absolute: `~/` is the home directory, anything else relative belongs to `base`.
fn expand(path: &str, base: &Path, context: &ProviderContext<'_>) -> PathBuf {
    match (path.strip_prefix("~/"), &context.places.home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => base.join(path),
    }
}
