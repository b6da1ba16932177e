//! Extensions on disk: what each layer has in the places of extensions, read through the gate.
//!
//! Nothing is decided here and nothing fails: what cannot be read is reported in the row it would have been.

use crate::{
    places::normal,
    provider::{
        CONTEXT_PROVIDERS,
        context::{CONTEXT_FILE_LIMIT, ProviderContext, ReadFailure, ReadRequest, SETTINGS_LIMIT},
    },
    system::{DirEntry, FileKind, ReadError, ReadScope},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    extension::{
        Category, DiscoveredContent, DiscoveredManifest, ExtensionEntry, Ordering, UnknownCategory,
        extension_id_fault,
    },
    lint::hidden::escape_hidden,
    mcp_servers::McpFile,
    profile::McpUse,
    scope::Scope,
    suggestion::did_you_mean,
    trust::TrustKind,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

/// The directory of extensions in a layer's root.
const EXTENSIONS: &str = "extensions";
/// The file that describes one.
const MANIFEST: &str = "manifest.json";
/// The file that orders hooks.
const ORDERING: &str = "ordering.json";
/// The file that names MCP servers.
const MCP: &str = "mcp.json";
/// The most that is read of a manifest.
const MANIFEST_LIMIT: u64 = 256 << 10;
/// The most that is read of an ordering manifest.
const ORDERING_LIMIT: u64 = 1 << 20;
/// The most extensions of a category of a layer.
const MOST: usize = 10_000;

/// Returns what ships inside preface: the context providers that are built in, and the bundled manifests.
#[must_use]
pub fn bundled(context: &ProviderContext<'_>) -> Vec<DiscoveredManifest> {
    let builtin = CONTEXT_PROVIDERS.iter().map(|provider| DiscoveredManifest {
        scope: Scope::Bundled,
        category: Category::ContextProviders,
        id: provider.id.to_owned(),
        path: "bundled".to_owned(),
        what: DiscoveredContent::Builtin { about: provider.about.to_owned() },
    });
    let root = match context.bundle {
        Some(bundle) => format!("bundles/{bundle}/"),
        None => "extensions/".to_owned(),
    };
    let manifests = context.system.bundled_list(&root).into_iter().filter_map(|path| {
        let mut parts = path.strip_prefix(&root)?.split('/');
        let category = parts.next()?.parse::<Category>().ok()?;
        let id = parts.next()?.to_owned();
        if parts.next() != Some(MANIFEST) || parts.next().is_some() {
            return None;
        }
        let what = DiscoveredContent::Manifest(context.system.bundled(&path)?.into_owned());
        Some(DiscoveredManifest {
            scope: Scope::Bundled,
            category,
            id,
            path: format!("bundled/{path}"),
            what,
        })
    });
    builtin.chain(manifests).collect()
}

/// Returns what the global and the project layer bring. `flat`: a layer without a category in its `extensions` may have
/// the categories in its root.
#[must_use]
pub fn of_layers(flat: bool, context: &ProviderContext<'_>) -> Vec<DiscoveredManifest> {
    let mut found = Vec::new();
    for (scope, root) in roots(context) {
        let nested = root.join(EXTENSIONS);
        // A root that is named so is the directory itself.
        let dir = if root.file_name().is_some_and(|name| name == EXTENSIONS) { root.clone() } else { nested };
        let dirs = list(scope, &dir, context).unwrap_or_default();
        unknown_categories(scope, &dir, &dirs, context);
        let is_category = |entry: &&DirEntry| is_dir(&dir.join(&entry.name), entry, context);
        let is_flat = flat && !dirs.iter().filter(is_category).any(|entry| category_of(entry).is_some());
        if flat && !is_flat && dir != root {
            passed_over(scope, &root, context);
        }
        let (dir, categories) = match is_flat {
            true => (root, Category::ALL.to_vec()),
            false => (dir, dirs.iter().filter_map(category_of).collect()),
        };
        for category in categories {
            let below = dir.join(category.as_str());
            for extension in list(scope, &below, context).unwrap_or_default() {
                let is_hidden = extension.name.as_encoded_bytes().starts_with(b".");
                if !is_hidden && matches!(extension.kind, FileKind::Dir | FileKind::Link) {
                    let path = below.join(&extension.name);
                    found.push(read_manifest(scope, category, &path, &extension, context));
                }
            }
        }
    }
    found
}

/// Reports categories beside `extensions` that have extensions: nothing reads them.
fn passed_over(scope: Scope, root: &Path, context: &ProviderContext<'_>) {
    for category in Category::ALL.map(Category::as_str) {
        let dir = root.join(category);
        let Ok(entries) = context.list(scope, &dir, context.layer_root(), MOST) else { continue };
        let has_manifest =
            |entry: &DirEntry| context.system.stat(&dir.join(&entry.name).join(MANIFEST)).is_some();
        if !entries.iter().any(has_manifest) {
            continue;
        }
        let shown = context.places.source(scope, &dir).path.clone();
        let inside = context.places.source(scope, &root.join(EXTENSIONS).join(category)).path.clone();
        let what = format!("{shown} is not looked at: extensions are read from `{EXTENSIONS}` here");
        let diagnostic = Diagnostic::warning(DiagnosticCode::ExtensionPassedOver, what);
        context.note(diagnostic.at(Place::file(Some(scope), shown)).help(format!("move them to {inside}")));
    }
}

/// Returns the ordering manifests of the layers, the bundled one first. A defective one is a warning and left out.
#[must_use]
pub fn orderings(context: &ProviderContext<'_>) -> Vec<Ordering> {
    let mut orderings = Vec::new();
    let mut add = |read: Result<Ordering, Box<Diagnostic>>| match read {
        Ok(ordering) => orderings.push(ordering),
        Err(diagnostic) => context.note(*diagnostic),
    };
    if let Some(bytes) = context.system.bundled(ORDERING) {
        add(Ordering::read(Scope::Bundled, "bundled/ordering.json", &bytes));
    }
    for (scope, root) in roots(context) {
        let path = root.join(ORDERING);
        let wanted = ReadRequest {
            code: Some(DiagnosticCode::OrderingManifestUnreadable),
            ..configuration(scope, &path, ORDERING_LIMIT, context)
        };
        if let Some(read) = context.read(&wanted) {
            let shown = context.places.source(scope, &path).path.clone();
            add(Ordering::read(scope, &shown, &read.bytes));
        }
    }
    orderings
}

/// Returns the roots that may be read: the global one, and the project's if it is trusted.
pub(crate) fn roots(context: &ProviderContext<'_>) -> Vec<(Scope, PathBuf)> {
    let project = context.places.project.clone().filter(|_| context.gate.allows_layer());
    let all = [(Scope::Global, context.places.global.clone()), (Scope::Project, project)];
    all.into_iter().filter_map(|(scope, root)| Some((scope, root?))).collect()
}

/// Returns where the manifest of an entry lies; `None` for what is bundled.
#[must_use]
pub fn manifest_path(entry: &ExtensionEntry, context: &ProviderContext<'_>) -> Option<PathBuf> {
    let (_, root) = roots(context).into_iter().find(|(scope, _)| *scope == entry.origin.scope)?;
    [root.join(EXTENSIONS), root]
        .into_iter()
        .map(|dir| dir.join(entry.value.category.as_str()).join(&entry.name).join(MANIFEST))
        .find(|path| context.places.source(entry.origin.scope, path).path == entry.origin.path)
}

/// A file of a layer.
pub(crate) fn wanted<'a>(
    scope: Scope,
    path: &'a Path,
    limit: u64,
    context: &'a ProviderContext<'_>,
) -> ReadRequest<'a> {
    match scope {
        Scope::Project => {
            ReadRequest::project(path, ReadScope::Root(context.layer_root()), limit, TrustKind::LayerText)
        }
        _ => ReadRequest::global(path, limit),
    }
}

/// A file of a layer that configures: a project's needs a grant.
fn configuration<'a>(
    scope: Scope,
    path: &'a Path,
    limit: u64,
    context: &'a ProviderContext<'_>,
) -> ReadRequest<'a> {
    ReadRequest { kind: TrustKind::Configuration, ..wanted(scope, path, limit, context) }
}

/// Lists a directory of a layer; a project's only where it is inside. Missing is nothing, any other failure a diagnostic.
fn list(scope: Scope, dir: &Path, context: &ProviderContext<'_>) -> Option<Vec<DirEntry>> {
    // Nothing is asked of the root of the project where there is nothing.
    context.system.link_stat(dir)?;
    let error = match context.list(scope, dir, context.layer_root(), MOST) {
        Ok(entries) => return Some(entries),
        // A link that leads nowhere.
        Err(ReadError::Missing) => ReadError::Dangling,
        Err(ReadError::TooLarge { limit, .. }) => {
            ReadError::Other(format!("it has more than {limit} entries"))
        }
        Err(error) => error,
    };
    context.note(context.left_out(scope, dir, DiagnosticCode::LayerDirectory, &error));
    None
}

fn is_dir(path: &Path, entry: &DirEntry, context: &ProviderContext<'_>) -> bool {
    match entry.kind {
        FileKind::Dir => true,
        FileKind::Link => context.system.stat(path).is_some_and(|stat| stat.kind == FileKind::Dir),
        _ => false,
    }
}

fn category_of(entry: &DirEntry) -> Option<Category> {
    entry.name.to_str()?.parse().ok()
}

/// Reports directories in the place of a category whose names are those of none.
fn unknown_categories(scope: Scope, dir: &Path, dirs: &[DirEntry], context: &ProviderContext<'_>) {
    for entry in dirs.iter().filter(|entry| category_of(entry).is_none()) {
        let path = dir.join(&entry.name);
        if entry.name.as_encoded_bytes().starts_with(b".") || !is_dir(&path, entry, context) {
            continue;
        }
        let name = entry.name.to_string_lossy();
        let what = format!(
            "no category of extensions has the name `{}`; the directory is ignored",
            escape_hidden(&name)
        );
        let near = Category::ALL.map(Category::as_str).into_iter();
        let help = match did_you_mean(&name, near).or_else(|| {
            Category::ALL.map(Category::as_str).into_iter().find(|known| known.eq_ignore_ascii_case(&name))
        }) {
            Some(near) => format!("did you mean `{near}`?"),
            None => UnknownCategory.to_string(),
        };
        let shown = context.places.source(scope, &path).path.clone();
        let place = Place::file(Some(scope), shown);
        context.note(Diagnostic::warning(DiagnosticCode::ExtensionPassedOver, what).at(place).help(help));
    }
}

fn read_manifest(
    scope: Scope,
    category: Category,
    dir: &Path,
    entry: &DirEntry,
    context: &ProviderContext<'_>,
) -> DiscoveredManifest {
    let id = entry.name.to_string_lossy().into_owned();
    let shown = context.places.source(scope, &dir.join(MANIFEST)).path.clone();
    let what = content(scope, category, dir, entry, context).unwrap_or_else(|(why, help)| {
        let diagnostic = Diagnostic::error(DiagnosticCode::DiscoveryManifestInvalid, why);
        DiscoveredContent::Unreadable(diagnostic.at(Place::file(Some(scope), shown.clone())).help(help))
    });
    DiscoveredManifest { scope, category, id, path: shown, what }
}

/// Reads the manifest of an extension and what it needs. Fails with what is wrong with it, and what helps.
fn content(
    scope: Scope,
    category: Category,
    dir: &Path,
    entry: &DirEntry,
    context: &ProviderContext<'_>,
) -> Result<DiscoveredContent, (String, &'static str)> {
    let fault = match entry.name.to_str() {
        None => Some("is no UTF-8"),
        Some(name) => extension_id_fault(name),
    };
    if let Some(fault) = fault {
        return Err((format!("the directory's name {fault}"), "rename it"));
    }
    let path = dir.join(MANIFEST);
    let before = context.diagnostics.borrow().len();
    let read = context.read(&configuration(scope, &path, MANIFEST_LIMIT, context));
    // The diagnostics of the reading are this entry's, and are reported with it.
    let diagnostic = context.diagnostics.borrow_mut().drain(before..).next();
    let Some(read) = read else {
        let diagnostic =
            diagnostic.ok_or(("there is no manifest.json".to_owned(), "add one, or remove the directory"))?;
        return Ok(match diagnostic.code {
            DiagnosticCode::TrustUntrusted => DiscoveredContent::Untrusted(diagnostic),
            _ => DiscoveredContent::Unreadable(Diagnostic {
                code: DiagnosticCode::DiscoveryManifestInvalid,
                ..diagnostic
            }),
        });
    };
    if category == Category::ContextProviders
        && let Some(diagnostic) = untrusted_file(scope, dir, &read.bytes, context)?
    {
        return Ok(DiscoveredContent::Untrusted(diagnostic));
    }
    Ok(DiscoveredContent::Manifest(read.into_bytes()))
}

/// Returns the diagnostic about a file that the manifest of a context provider names and the gate leaves out. Fails with a
/// file that is missing or empty: what works in a lower layer is not replaced by it. A manifest that cannot be read is
/// reported where it is read.
fn untrusted_file(
    scope: Scope,
    dir: &Path,
    manifest: &[u8],
    context: &ProviderContext<'_>,
) -> Result<Option<Diagnostic>, (String, &'static str)> {
    #[derive(Deserialize)]
    struct NamedFiles {
        files: Vec<String>,
    }
    let Ok(named) = serde_json::from_slice::<NamedFiles>(manifest) else { return Ok(None) };
    for name in named.files {
        let path = normal(dir, Path::new(&name));
        if context.system.stat(&path).is_none_or(|stat| stat.len == 0) {
            let why = format!("it names a file that is missing or empty: `{}`", escape_hidden(&name));
            return Err((why, "write the file, or name another"));
        }
        let before = context.diagnostics.borrow().len();
        let read = context.read_or_why(&wanted(scope, &path, CONTEXT_FILE_LIMIT, context));
        // Anything else is reported where its text is collected.
        let diagnostic = context.diagnostics.borrow_mut().drain(before..).next();
        if diagnostic.is_some() && matches!(read, Err(ReadFailure::Untrusted)) {
            return Ok(diagnostic);
        }
    }
    Ok(None)
}

/// Reads the `mcp.json` of each layer, the bundled one first, and what a profile names beside that of a project.
#[must_use]
pub fn mcp_files(profile: &McpUse, context: &ProviderContext<'_>) -> Vec<McpFile> {
    let mut files = Vec::new();
    let mut add = |scope: Scope, shown: &str, bytes: &[u8]| {
        let (file, diagnostics) = McpFile::read(scope, shown, bytes);
        context.diagnostics.borrow_mut().extend(diagnostics);
        files.extend(file);
    };
    if let Some(bytes) = context.system.bundled(MCP) {
        add(Scope::Bundled, "bundled/mcp.json", &bytes);
    }
    let layers = roots(context);
    // What is granted as a whole is the directory of the project alone.
    let has_project = layers.iter().any(|(scope, _)| *scope == Scope::Project);
    let named =
        profile.files.iter().filter(|_| has_project && context.layer_root() == context.project_root());
    let named = named.map(|file| (Scope::Project, context.project_root().join(file)));
    let of_layers = layers.into_iter().map(|(scope, root)| (scope, root.join(MCP)));
    for (scope, path) in of_layers.chain(named) {
        if let Some(read) = context.read(&configuration(scope, &path, SETTINGS_LIMIT, context)) {
            let shown = context.places.source(scope, &path).path.clone();
            add(scope, &shown, &read.bytes);
        }
    }
    files
}
