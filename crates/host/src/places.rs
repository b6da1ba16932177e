//! Where things live for this turn: the cwd, the home, the global and the project directory (DESIGN §6, DETAILS 14–16).

use crate::system::{FileKind, System};
use preface_core::{
    diagnostic::{Diagnostic, Diagnostics, Place},
    origin::Source,
    profile::Home,
    scope::Scope,
};
use std::{
    path::{Component, Path, PathBuf},
    sync::Arc,
};

/// The directories of one turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The working directory, absolute, links not resolved.
    pub cwd: PathBuf,
    /// The user's home directory.
    pub home: Option<PathBuf>,
    /// The global directory of the profile, whether it exists or not.
    pub global: Option<PathBuf>,
    /// The project directory, whether it exists or not; `None` where it would be the global one.
    pub project: Option<PathBuf>,
    /// True: another program keeps settings in the same files.
    pub shared: bool,
}

impl Places {
    /// Works out the places of a profile. Says so where there can be no global or no project directory.
    #[must_use]
    pub fn find(system: &dyn System, cwd: &Path, home: &Home, diagnostics: &mut Diagnostics) -> Self {
        let user_home = system.home();
        let global = global_dir(system, user_home.as_deref(), home);
        if global.is_none() {
            diagnostics.push(
                Diagnostic::info(
                    "layer/no-global",
                    "there is no global layer: neither PREFACE_HOME nor a home directory is set",
                )
                .help("set PREFACE_HOME to a directory to have one"),
            );
        }
        let mut project = home.project.as_ref().map(|dir| cwd.join(dir));
        if let (Some(root), Some(global)) = (&project, &global)
            && inside(&resolved(system, global), &resolved(system, root))
        {
            diagnostics.push(
                Diagnostic::info(
                    "layer/no-project",
                    "there is no project layer: here it would be the global directory",
                )
                .at(Place::file(Some(Scope::Project), home.project.as_deref().unwrap_or_default())),
            );
            project = None;
        }
        Places { cwd: cwd.to_owned(), home: user_home, global, project, shared: home.shared }
    }

    /// Shows a path to people: relative to the cwd, from `~`, or as it is. Control characters are escaped.
    #[must_use]
    pub fn shown(&self, path: &Path) -> String {
        let text = if let Ok(rest) = path.strip_prefix(&self.cwd) {
            if rest.as_os_str().is_empty() { ".".to_owned() } else { slashes(rest) }
        } else if let Some(ups) = self.above(path) {
            ups
        } else if let Some(rest) = self.home.as_ref().and_then(|home| path.strip_prefix(home).ok()) {
            if rest.as_os_str().is_empty() { "~".to_owned() } else { format!("~/{}", slashes(rest)) }
        } else {
            path.display().to_string()
        };
        preface_core::lint::hidden::escape_hidden(&text).into_owned()
    }

    /// Shows a file that lies in a directory above the cwd as `../name`.
    fn above(&self, path: &Path) -> Option<String> {
        let name = path.file_name()?;
        let dir = path.parent()?;
        let ups = self.cwd.ancestors().position(|above| above == dir)?;
        Some(format!("{}{}", "../".repeat(ups), name.to_string_lossy()))
    }

    /// Shows a file of a layer: global ones from `~`, project ones relative to the cwd.
    #[must_use]
    pub fn source(&self, scope: Scope, path: &Path) -> Arc<Source> {
        let shown = match (scope, &self.home) {
            (Scope::Global, Some(home)) => match path.strip_prefix(home) {
                Ok(rest) => format!("~/{}", slashes(rest)),
                Err(_) => path.display().to_string(),
            },
            (Scope::Global, None) => path.display().to_string(),
            _ => self.shown(path),
        };
        Arc::new(Source { scope, path: preface_core::lint::hidden::escape_hidden(&shown).into_owned() })
    }
}

fn slashes(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// True where `path` is `root` or lies below it; both canonical.
#[must_use]
pub fn inside(path: &Path, root: &Path) -> bool {
    path.starts_with(root)
}

/// Resolves links as far as the path exists.
#[must_use]
pub fn resolved(system: &dyn System, path: &Path) -> PathBuf {
    let mut tail = Vec::new();
    let mut here = path;
    loop {
        if let Ok(real) = system.canonical(here) {
            return tail.iter().rev().fold(real, |path, name| path.join(name));
        }
        match (here.parent(), here.file_name()) {
            (Some(parent), Some(name)) => {
                tail.push(name.to_owned());
                here = parent;
            }
            _ => return path.to_owned(),
        }
    }
}

/// `PREFACE_HOME`, else the first candidate that exists, else the first candidate.
fn global_dir(system: &dyn System, home: Option<&Path>, wanted: &Home) -> Option<PathBuf> {
    if let Some(dir) = absolute(system, "PREFACE_HOME") {
        return Some(dir);
    }
    if let Some(dir) = wanted.variable.as_deref().and_then(|name| named(system, home, name)) {
        return Some(dir);
    }
    let candidates: Vec<PathBuf> = wanted
        .global
        .iter()
        .filter_map(|candidate| match candidate.strip_prefix("config:") {
            Some(name) => Some(config_dir(system, home)?.join(name)),
            None => Some(home?.join(candidate.strip_prefix("~/")?)),
        })
        .collect();
    let exists = |dir: &&PathBuf| system.stat(dir).is_some_and(|stat| stat.kind == FileKind::Dir);
    match candidates.as_slice() {
        [] => None,
        [only] => Some(only.clone()),
        many => many.iter().find(exists).or(many.first()).cloned(),
    }
}

/// The directory that a profile's own variable names: absolute, or from `~`.
fn named(system: &dyn System, home: Option<&Path>, variable: &str) -> Option<PathBuf> {
    let text = system.var(variable)?.into_string().ok()?;
    match text.strip_prefix('~') {
        Some("") => home.map(Path::to_owned),
        Some(rest) => Some(home?.join(rest.strip_prefix('/')?)),
        None => absolute(system, variable),
    }
}

/// The platform's configuration directory.
fn config_dir(system: &dyn System, home: Option<&Path>) -> Option<PathBuf> {
    match system.os() {
        "darwin" => Some(home?.join("Library/Application Support")),
        "win32" => absolute(system, "APPDATA").or_else(|| Some(home?.join("AppData/Roaming"))),
        _ => absolute(system, "XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config"))),
    }
}

/// Reads a directory from the environment. A relative or empty value counts as unset.
#[must_use]
pub fn absolute(system: &dyn System, name: &str) -> Option<PathBuf> {
    let path = PathBuf::from(system.var(name)?);
    path.is_absolute().then_some(path)
}

/// Makes a path absolute and takes `.` and `..` out of it by words alone; links are not resolved.
#[must_use]
pub fn normal(base: &Path, path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in base.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
