//! Where skills lie, from the strongest place to the weakest, and the paths that somebody named or switched off.

use super::{
    options::{Root, RootAnchor, SkillOptions, UpwardLimit},
    walk::WalkRoot,
};
use crate::{places::normal, provider::context::ProviderContext};
use globset::{GlobBuilder, GlobMatcher};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place},
    lint::hidden::escape_hidden,
    scope::Scope,
    settings::{SetBy, SettingsNode, SettingsTree},
    skill::SKILL_FILE,
    template::trim,
};
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

/// Returns the discovered roots, each directory once, and who named it where it is listed in settings.
pub(super) fn discover(
    options: &SkillOptions,
    context: &ProviderContext<'_>,
) -> Vec<(WalkRoot, Option<String>)> {
    let mut starts: Vec<(WalkRoot, Option<String>)> = Vec::new();
    if options.only_paths {
        return starts;
    }
    for root in &options.roots {
        if let Some(key) = &root.setting {
            for start in roots_of_settings(root, key, options, context) {
                let by = format!("`{key}` of settings.json");
                if starts.iter().all(|(known, _)| known.dir != start.dir) {
                    starts.push((start, Some(by)));
                }
            }
            continue;
        }
        for (dir, scope, within) in places(root, context) {
            let off = root.unless.as_ref().is_some_and(|file| context.system.stat(&dir.join(file)).is_some());
            if off || starts.iter().any(|(start, _)| start.dir == dir) {
                continue;
            }
            let start = WalkRoot {
                dir,
                scope,
                direct: root.direct,
                loose: root.loose,
                descend_always: options.descend_always,
                within,
            };
            starts.push((start, None));
        }
    }
    starts
}

/// A list of paths in a layer's settings.json.
struct SettingsList<'a> {
    scope: Scope,
    /// The directory that its paths are relative to.
    base: &'a Path,
    node: &'a SettingsNode,
}

impl<'a> SettingsList<'a> {
    fn read(root: &Root, context: &ProviderContext<'a>) -> Option<Self> {
        let places = context.places;
        let (by, scope, base) = match root.at {
            RootAnchor::Global => (SetBy::Global, Scope::Global, &places.global),
            RootAnchor::Project => (SetBy::Project, Scope::Project, &places.project),
            RootAnchor::Up | RootAnchor::Home => return None,
        };
        let node = context.settings.foreign(by, root.setting.as_ref()?)?;
        Some(SettingsList { scope, base: base.as_ref()?, node })
    }

    fn items(&self) -> &'a [SettingsNode] {
        match self.node.tree() {
            SettingsTree::List(items) => items,
            _ => &[],
        }
    }
}

/// What an entry of a list in settings.json switches off: `!GLOB` or `-PATH`, each of a skill's file or of the directory of
/// its SKILL.md.
pub(super) struct SwitchedOff {
    scope: Scope,
    base: PathBuf,
    glob: GlobMatcher,
    /// True if a name is enough.
    names: bool,
    /// The entry.
    pub(super) place: Place,
}

impl SwitchedOff {
    /// Reads the lists of all layers.
    pub(super) fn read(options: &SkillOptions, context: &ProviderContext<'_>) -> Vec<Self> {
        let lists = options.roots.iter().filter_map(|root| SettingsList::read(root, context));
        lists
            .flat_map(|list| list.items().iter().filter_map(move |item| Self::entry(&list, item, context)))
            .collect()
    }

    fn entry(list: &SettingsList<'_>, item: &SettingsNode, context: &ProviderContext<'_>) -> Option<Self> {
        let text = item.as_text()?;
        let (glob, names) = match text.strip_prefix('!') {
            Some(glob) => (Cow::Borrowed(glob), true),
            None => {
                let path = text.strip_prefix('-')?;
                (Cow::Owned(globset::escape(path.strip_prefix("./").unwrap_or(path))), false)
            }
        };
        let place = item.place();
        let note = |error: globset::Error| {
            let what = format!("`{}` leaves out nothing: {}", escape_hidden(text), error.kind());
            context.note(Diagnostic::warning(DiagnosticCode::SkillInvalid, what).at(place.clone()));
        };
        let glob = GlobBuilder::new(&glob).literal_separator(true).build().map_err(note).ok()?;
        let (base, glob) = (list.base.to_owned(), glob.compile_matcher());
        Some(SwitchedOff { scope: list.scope, base, glob, names, place })
    }

    /// Returns true if it is about this skill.
    pub(super) fn matches(&self, scope: Scope, file: &Path) -> bool {
        let is_one = |path: &Path| {
            let below = path.strip_prefix(&self.base).unwrap_or(path);
            let name = path.file_name().filter(|_| self.names);
            self.glob.is_match(below)
                || self.glob.is_match(path)
                || name.is_some_and(|name| self.glob.is_match(name))
        };
        let directory = file.parent().filter(|_| file.ends_with(SKILL_FILE));
        self.scope == scope && (is_one(file) || directory.is_some_and(is_one))
    }
}

/// The paths that a layer's settings.json lists, relative to that layer's directory. A project's stay in the project.
fn roots_of_settings(
    root: &Root,
    key: &str,
    options: &SkillOptions,
    context: &ProviderContext<'_>,
) -> Vec<WalkRoot> {
    let Some(SettingsList { scope, base, node }) = SettingsList::read(root, context) else {
        return Vec::new();
    };
    let within = (scope == Scope::Project).then(|| context.project_root().to_owned());
    let left_out = |path: &str, why: &str| {
        let diagnostic =
            Diagnostic::warning(DiagnosticCode::SkillInvalid, format!("`{}` {why}", escape_hidden(path)));
        context.note(diagnostic.at(node.place()).help(format!("named by `{key}` of settings.json")));
    };
    let SettingsTree::List(items) = node.tree() else {
        left_out(key, "is not a list of paths; it was left out");
        return Vec::new();
    };
    let start = |path: &str| {
        if path.starts_with(['!', '-']) {
            return None;
        }
        if path.starts_with('+') || path.contains(['*', '?']) {
            left_out(path, "is a pattern, which is not supported; it was left out");
            return None;
        }
        let dir = resolve(path, base, context)?;
        if within.as_ref().is_some_and(|root| !dir.starts_with(root)) {
            left_out(path, "is outside of the project; it was left out");
            return None;
        }
        let (direct, loose, descend_always) = (root.direct, root.loose, options.descend_always);
        Some(WalkRoot { dir, scope, direct, loose, descend_always, within: within.clone() })
    };
    items.iter().filter_map(|item| start(item.as_text()?)).collect()
}

/// The directories of a root, whose they are, and where links in them may lead.
fn places(root: &Root, context: &ProviderContext<'_>) -> Vec<(PathBuf, Scope, Option<PathBuf>)> {
    let places = context.places;
    let own = |base: &Option<PathBuf>| {
        base.iter().map(|base| (base.join(&root.dir), Scope::Global, None)).collect()
    };
    match root.at {
        RootAnchor::Home => own(&places.own_home),
        RootAnchor::Global => own(&places.global),
        RootAnchor::Project if context.gate.allows_layer() => {
            let within = Some(context.layer_root().to_owned());
            places.project.iter().map(|base| (base.join(&root.dir), Scope::Project, within.clone())).collect()
        }
        RootAnchor::Up if context.gate.allows_layer() => {
            let homes = places.home.as_ref().map(|home| home.join(&root.dir));
            above(root.outside, context)
                .into_iter()
                .map(|dir| (dir.join(&root.dir), Scope::Project, Some(root_of(dir, context))))
                .filter(|(dir, ..)| Some(dir) != homes.as_ref())
                .collect()
        }
        RootAnchor::Project | RootAnchor::Up => Vec::new(),
    }
}

/// The directory that links of a root may not lead out of: the project, or the directory that holds the root where that
/// lies above the project.
fn root_of(dir: &Path, context: &ProviderContext<'_>) -> PathBuf {
    let root = context.project_root();
    if dir.starts_with(root) { root.to_owned() } else { dir.to_owned() }
}

/// The cwd, its parent, and so on up to the first directory that holds `.git`, a folder or a file, as far as they are in the roots:
/// which files are above those is not looked at.
fn above<'l>(outside: UpwardLimit, context: &'l ProviderContext<'_>) -> Vec<&'l Path> {
    let mut dirs: Vec<&Path> = context.places.cwd.ancestors().collect();
    let root = dirs.iter().position(|dir| context.system.link_stat(&dir.join(".git")).is_some());
    match (root, outside) {
        (Some(root), _) => dirs.truncate(root + 1),
        (None, UpwardLimit::Cwd) => dirs.truncate(1),
        (None, _) => {}
    }
    dirs.retain(|dir| context.in_roots(dir));
    dirs
}

/// Returns the explicit paths, each with who named it: those of the section, then those that were announced.
pub(super) fn explicit_paths(
    options: &SkillOptions,
    context: &ProviderContext<'_>,
) -> Vec<(PathBuf, Cow<'static, str>)> {
    let own = options.paths.iter().map(|path| (path.as_str(), Cow::Borrowed("`paths` of the section")));
    let announced = context
        .skill_paths
        .iter()
        .map(|path| (path.path.as_str(), Cow::Owned(format!("hook `{}`", path.hook))));
    own.chain(announced)
        .filter_map(|(path, by)| Some((resolve(path, &context.places.cwd, context)?, by)))
        .collect()
}

/// A path as it was written: trimmed, `~`, `~/x` and `~x` from the home directory, else from `base`.
fn resolve(path: &str, base: &Path, context: &ProviderContext<'_>) -> Option<PathBuf> {
    let path = trim(path);
    match (path.strip_prefix('~'), &context.places.home) {
        (Some(rest), Some(home)) => Some(normal(home, Path::new(rest.strip_prefix('/').unwrap_or(rest)))),
        (Some(_), None) => None,
        (None, _) => Some(normal(base, Path::new(path))),
    }
}

/// An explicit path as a root: direct files count, and what is below the cwd is the project's.
pub(super) fn explicit_start(path: &Path, context: &ProviderContext<'_>) -> WalkRoot {
    let places = context.places;
    let in_project = path.starts_with(&places.cwd)
        && !places.global.as_ref().is_some_and(|global| path.starts_with(global));
    WalkRoot {
        dir: path.to_owned(),
        scope: if in_project { Scope::Project } else { Scope::Global },
        direct: true,
        loose: false,
        descend_always: false,
        within: in_project.then(|| context.project_root().to_owned()),
    }
}
