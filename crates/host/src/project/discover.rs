//! Discover: what each layer brings. It never fails: a file that cannot be read or parsed is a diagnostic and is left out.

use crate::{
    extensions,
    places::normal,
    provider::context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadRequest, SETTINGS_LIMIT},
    system::{FileKind, ReadError, ReadScope, System},
};
use preface_core::{
    condition::Condition,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Severity},
    layer::{Layer, Stack},
    origin::{Origin, Piece, Source},
    pipeline::compose::is_blank,
    profile::{Profile, ReplacementRule, ReplacementSource, SectionGroup},
    scope::Scope,
    section::{Override, SectionId},
    settings::{self, LayerSettings, MergedSettings, Settings},
    snapshot::SettingsPrompt,
    trust::{Trust, TrustKind},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The most entries of a `sections/` directory, and of `sections` in the settings of a layer.
const SECTIONS: usize = 1000;
/// The most that is read of one section, and of all sections of a layer.
const SECTION_LIMIT: u64 = 1 << 20;
const SECTIONS_LIMIT: u64 = 16 << 20;

/// Reads the settings files of the project directory, through the gate; preface's own come last.
#[must_use]
pub fn project_settings(context: &ProviderContext<'_>) -> Vec<LayerSettings> {
    let dir = context.places.project.as_ref().filter(|_| context.gate.allows_layer());
    let read = |path: PathBuf| {
        let within = ReadScope::Root(context.layer_root());
        let wanted = ReadRequest::project(&path, within, SETTINGS_LIMIT, TrustKind::Configuration);
        let read = context.read(&wanted)?;
        let source = context.places.source(wanted.scope, wanted.path);
        let (settings, found) = context.places.parse_settings(wanted.scope, &source.path, &read.bytes);
        context.diagnostics.borrow_mut().extend(found);
        settings
    };
    let names = context.places.settings_names();
    dir.into_iter().flat_map(|dir| names.iter().map(|name| dir.join(name))).filter_map(read).collect()
}

/// Discovers the three layers. `trust` is the user's decision about the project layer.
#[must_use]
pub fn layers(profile: &Profile, trust: Trust, context: &ProviderContext<'_>) -> Stack {
    let layer =
        |scope, path, trust| Layer { scope, path, trust, files: BTreeMap::new(), sections: BTreeMap::new() };
    let mut stack = vec![layer(Scope::Bundled, "bundled".to_owned(), Trust::Trusted)];
    for (scope, root) in [(Scope::Global, &context.places.global), (Scope::Project, &context.places.project)]
    {
        let Some(root) = root else { continue };
        match context.system.stat(root) {
            None => continue,
            Some(stat) if stat.kind == FileKind::Dir => {}
            Some(_) => {
                let shown = context.places.source(scope, root).path.clone();
                context.note(
                    Diagnostic::warning(
                        DiagnosticCode::LayerNone,
                        format!("{shown} is no directory; there is no {scope} layer"),
                    )
                    .at(Place::file(Some(scope), shown)),
                );
                continue;
            }
        }
        let trust = if scope == Scope::Global { Trust::Trusted } else { trust };
        let mut layer = layer(scope, context.places.source(scope, root).path.clone(), trust);
        if scope == Scope::Global || context.gate.allows_layer() {
            // A text that the caller gave takes the place of files: they are not even looked at.
            let is_given = |group: &&SectionGroup| {
                group.replace.iter().any(
                    |candidate| matches!(candidate, ReplacementSource::Option(name) if context.given.contains_key(name)),
                )
            };
            for group in profile.groups.iter().filter(|group| !is_given(group)) {
                for file in group
                    .replace
                    .iter()
                    .filter_map(ReplacementSource::file)
                    .filter(|file| file.scope == scope)
                {
                    let path = root.join(&file.name);
                    let mut wanted = extensions::wanted(scope, &path, CONTEXT_FILE_LIMIT, context);
                    if group.win == ReplacementRule::First {
                        wanted.severity = Severity::Error;
                    }
                    if let Some(pieces) = context.pieces(&wanted) {
                        layer.files.insert(file.name.clone(), pieces);
                    }
                }
            }
            sections(&mut layer, &root.join("sections"), context);
        }
        if scope == Scope::Global {
            writable(context.system, root, &layer.path, context);
        }
        stack.push(layer);
    }
    Stack(stack)
}

/// Reads `sections/<id>.md`.
fn sections(layer: &mut Layer, dir: &Path, context: &ProviderContext<'_>) {
    let entries = match context.list(layer.scope, dir, context.layer_root(), SECTIONS) {
        Ok(entries) => entries,
        Err(ReadError::Missing) => return,
        Err(error) => {
            context.note(context.left_out(layer.scope, dir, DiagnosticCode::LayerSections, &error));
            return;
        }
    };
    let mut left = SECTIONS_LIMIT;
    for entry in entries {
        let path = dir.join(&entry.name);
        let Some(id) = entry.name.to_str().and_then(|name| name.strip_suffix(".md")) else { continue };
        if !SectionId::is_valid(id) {
            let shown = context.places.source(layer.scope, &path).path.clone();
            context.note(
                Diagnostic::left_out(
                    Severity::Warning,
                    DiagnosticCode::SectionUnknown,
                    shown,
                    "its name is no section id",
                )
                .help("use letters, digits, `-`, `_` and `.`"),
            );
            continue;
        }
        left = left.saturating_sub(context.system.stat(&path).map_or(0, |stat| stat.len));
        if left == 0 {
            let shown = context.places.source(layer.scope, &path).path.clone();
            context.note(
                Diagnostic::warning(
                    DiagnosticCode::LayerSections,
                    format!("{shown} and those after it were left out: together they have more than {SECTIONS_LIMIT} bytes"),
                )
                .at(Place::file(Some(layer.scope), shown)),
            );
            return;
        }
        let wanted = extensions::wanted(layer.scope, &path, SECTION_LIMIT, context);
        let Some(pieces) = context.pieces(&wanted) else { continue };
        if is_blank(&pieces) {
            let shown = context.places.source(layer.scope, &path).path.clone();
            let diagnostic = Diagnostic::warning(
                DiagnosticCode::BlankSource,
                format!("{shown} has no effect: it is empty"),
            )
            .at(Place::file(Some(layer.scope), shown));
            context.note(diagnostic.help(format!(
                "`\"sections\": {{\"{id}\": {{\"disable\": true}}}}` in the settings leaves `{id}` out"
            )));
            continue;
        }
        layer.sections.insert(id.to_owned(), pieces);
    }
}

/// Warns if other users can write files that only the user should write.
fn writable(system: &dyn System, root: &Path, shown: &str, context: &ProviderContext<'_>) {
    for name in ["mcp.json", "ordering.json", "preface.json", "settings.json", "system.md", "trust.json"] {
        if let Some(mode) = system.stat(&root.join(name)).and_then(|stat| stat.mode)
            && mode & 0o022 != 0
        {
            context.note(
                Diagnostic::warning(
                    DiagnosticCode::LayerWritable,
                    format!("other users can write {shown}/{name} (mode {mode:o})"),
                )
                .at(Place::file(Some(Scope::Global), format!("{shown}/{name}")))
                .help(format!("`chmod go-w {shown}/{name}`")),
            );
        }
    }
}

/// Converts the section settings of one layer to overrides for compose.
#[must_use]
pub fn overrides(
    layer: &LayerSettings,
    scope: Option<Scope>,
    context: &ProviderContext<'_>,
    diagnostics: &mut Diagnostics,
) -> Vec<Override> {
    let alone = settings::merge(vec![layer.clone()], &mut Vec::new());
    let project = scope == Some(Scope::Project);
    let given = Settings::read(&alone).sections;
    if given.len() > SECTIONS {
        let left_out =
            format!("those after the first {SECTIONS} in `sections` of {} were left out", layer.path());
        diagnostics.push(Diagnostic::warning(DiagnosticCode::LayerSections, left_out));
    }
    given
        .into_iter()
        .take(SECTIONS)
        .filter_map(|(id, given)| {
            if !SectionId::is_valid(&id) {
                diagnostics.push(Diagnostic::warning(
                    DiagnosticCode::SectionUnknown,
                    format!("{}: `{id}` is no section id", layer.path()),
                ));
                return None;
            }
            let text = match (given.text, given.file) {
                (None, None) => None,
                (Some(text), _) => {
                    let span =
                        alone.at(&["sections", &id, "text"]).map_or(0..0, settings::SettingsNode::span);
                    Some(vec![Piece { text, origin: origin(scope, layer.path(), span) }])
                }
                // Without its text the entry is not used; a diagnostic has the reason.
                (None, Some(file)) => Some(section_file(scope, &file, &id, layer.path(), context)?),
            };
            // Without its condition it would always be included; the error is that of the settings.
            let when: Option<Condition> = given.when.map(serde_json::from_value).transpose().ok()?;
            let key = alone.at(&["sections", &id]).filter(|_| scope.is_some());
            Some(Override {
                source: layer.path().to_owned(),
                place: key.map(settings::SettingsNode::key_place),
                project,
                text,
                language: given.language,
                when,
                after: given.after,
                before: given.before,
                priority: given.priority,
                max_tokens: given.max_tokens.map(|max| usize::try_from(max).unwrap_or(usize::MAX)),
                stability: given.stability,
                disable: given.disable.filter(|disable| *disable),
                id,
            })
        })
        .collect()
}

/// Reads `systemPrompt` from the merged settings. An empty text is treated as unset.
#[must_use]
pub fn system_prompt(settings: &MergedSettings) -> SettingsPrompt {
    let piece = |key: &str| {
        let node = settings.at(&["systemPrompt", key])?;
        let text = node.as_text().filter(|text| !text.is_empty())?.to_owned();
        Some(Piece { text, origin: origin(node.by().scope(), &node.place().path, node.span()) })
    };
    let combine = settings.at(&["systemPrompt", "combine"]).and_then(|node| node.as_flag()) == Some(true);
    SettingsPrompt { custom: piece("custom"), append: piece("append"), combine }
}

fn origin(scope: Option<Scope>, path: &str, span: std::ops::Range<usize>) -> Origin {
    match scope {
        // The span is that of the JSON string, which is not the text byte for byte.
        Some(scope) => {
            Origin::Source { source: Arc::new(Source { scope, path: path.to_owned() }), span, lossy: true }
        }
        None => Origin::Caller { flag: path.into() },
    }
}

/// A section's `file`, beside the settings file that names it; a project's stays inside the project directory.
fn section_file(
    scope: Option<Scope>,
    file: &str,
    id: &str,
    by: &str,
    context: &ProviderContext<'_>,
) -> Option<Vec<Piece>> {
    let root = match scope {
        Some(Scope::Project) => context.places.project.as_ref()?,
        _ => context.places.global.as_ref()?,
    };
    let path = normal(root, Path::new(file));
    if context.system.link_stat(&path).is_none() && (scope != Some(Scope::Project) || path.starts_with(root))
    {
        let shown = preface_core::lint::hidden::escape_hidden(file);
        context.note(Diagnostic::left_out(
            Severity::Warning,
            DiagnosticCode::FileMissing,
            format!("`sections.{id}.file` of {by}"),
            format!("there is no `{shown}`"),
        ));
        return None;
    }
    context.pieces(&match scope {
        Some(Scope::Project) => {
            let within = if path.starts_with(root) { context.layer_root() } else { root.as_path() };
            ReadRequest::project(&path, ReadScope::Root(within), CONTEXT_FILE_LIMIT, TrustKind::LayerText)
        }
        _ => ReadRequest::global(&path, CONTEXT_FILE_LIMIT),
    })
}
