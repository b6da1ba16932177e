//! Where things live for this turn: the cwd, the home, the global and the project directory.

use crate::{
    provider::git,
    system::{FileKind, ReadScope, System},
    trust::{state_dir, state_variable},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    origin::Source,
    profile::ProfileDirs,
    scope::Scope,
    settings::{self, LayerSettings},
};
use std::{
    cell::OnceCell,
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
    /// The project directory, whether it exists or not; `None` if it would be the global one.
    pub project: Option<PathBuf>,
    /// The user's home directory, where texts in it are the user's: not one that could have come with the project.
    pub own_home: Option<PathBuf>,
    /// The directory for state of the user that belongs to no project; `None` if there is none.
    pub state: Option<PathBuf>,
    /// The keys that are read from another program's settings.json.
    pub foreign_keys: Vec<String>,
}

const SETTINGS: &str = "settings.json";
/// The name of preface's settings where another program has its own in a file of the usual name.
const OWN_SETTINGS: &str = "preface.json";

/// The rule for which directories named by the environment are the user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HomeTrust {
    /// Paths outside of the project, and below the account's own home directory.
    #[default]
    OutsideProject,
    /// All of them.
    Anywhere,
}

/// The project, as far as it decides which directories are the user's.
struct ProjectLocation<'a> {
    system: &'a dyn System,
    /// The canonical working directory.
    cwd: PathBuf,
    trust: HomeTrust,
    /// The root of the project, once it matters: a build may have no other reason to read the repository.
    root: OnceCell<PathBuf>,
}

impl<'a> ProjectLocation<'a> {
    fn of(system: &'a dyn System, cwd: &Path, trust: HomeTrust) -> Self {
        ProjectLocation { system, cwd: resolve_links(system, cwd), trust, root: OnceCell::new() }
    }

    /// Returns the root of the work tree, else the working directory.
    fn root(&self) -> &Path {
        let find = || git::work_tree_root(self.system, &self.cwd).unwrap_or_else(|| self.cwd.clone());
        self.root.get_or_init(find)
    }

    /// Returns whether a directory could have come with the project.
    fn brings(&self, dir: &Path) -> bool {
        if self.trust == HomeTrust::Anywhere {
            return false;
        }
        let dir = resolve_links(self.system, dir);
        // The root is one of these.
        let holds = |root: &Path| {
            dir.starts_with(root) && (root == self.cwd || self.system.link_stat(&root.join(".git")).is_some())
        };
        self.cwd.ancestors().any(holds) && dir.starts_with(self.root()) && !self.is_in_own_home(&dir)
    }

    /// Returns the state directory. The root of a file system holds it like everything else: it is a project only with a
    /// repository.
    fn state(&self) -> Result<Option<PathBuf>, StateDirInside> {
        let Some(dir) = state_dir(self.system) else { return Ok(None) };
        let is_project =
            || self.root().parent().is_some() || self.system.link_stat(&self.root().join(".git")).is_some();
        if !self.brings(&dir) || !is_project() {
            return Ok(Some(dir));
        }
        let (dir, project) = (escaped(&dir), escaped(self.root()));
        Err(StateDirInside { variable: state_variable(self.system), dir, project })
    }

    /// Returns whether a directory lies in the account's own home directory, which the environment names and which is
    /// part of the project.
    fn is_in_own_home(&self, dir: &Path) -> bool {
        self.system.home().map(|home| resolve_links(self.system, &home)).is_some_and(|home| {
            dir.starts_with(&home) && home.starts_with(self.root()) && is_account_home(self.system, &home)
        })
    }
}

/// A state directory that is not used, because it is inside of the project: it could have come with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the state directory of {variable} is not used: `{dir}` lies inside of the project `{project}`")]
pub struct StateDirInside {
    /// The variable that names it.
    pub variable: &'static str,
    dir: String,
    project: String,
}

impl StateDirInside {
    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> String {
        format!("set {} to a directory outside of the project", self.variable)
    }
}

/// Returns the directory for what all presets share and no project may write, for a call about a directory: `PREFACE_HOME`,
/// else `preface` in the user's state directory. `None` if the user has none.
///
/// # Errors
/// The directory lies inside of the project.
///
/// ```
/// use preface_host::{places::{HomeTrust, user_state}, system::testing::MemorySystem};
///
/// let system = MemorySystem::new().with_dir("/work").with_var("PREFACE_HOME", "/mine");
/// assert_eq!(user_state(&system, "/work".as_ref(), HomeTrust::OutsideProject), Ok(Some("/mine".into())));
/// let system = system.with_var("PREFACE_HOME", "/work/mine");
/// assert!(user_state(&system, "/work".as_ref(), HomeTrust::OutsideProject).is_err());
/// ```
pub fn user_state(
    system: &dyn System,
    cwd: &Path,
    trust: HomeTrust,
) -> Result<Option<PathBuf>, StateDirInside> {
    ProjectLocation::of(system, cwd, trust).state()
}

/// The largest `/etc/passwd` that is read.
const PASSWD_LIMIT: u64 = 4 << 20;

/// Returns whether a directory is the home of this account, whatever `HOME` is set to.
fn is_account_home(system: &dyn System, home: &Path) -> bool {
    let Some(user) = system.user_id() else { return true };
    // Accounts of macOS are in no file; their homes are in one directory.
    if system.os() == "darwin" && home.parent() == Some(Path::new("/Users")) {
        return true;
    }
    let Ok(read) = system.read(Path::new("/etc/passwd"), ReadScope::Anywhere, PASSWD_LIMIT) else {
        return false;
    };
    let text = String::from_utf8_lossy(&read.bytes);
    let user = user.to_string();
    let listed = text.lines().find_map(|line| {
        let mut fields = line.split(':').skip(2);
        (fields.next() == Some(&user)).then(|| fields.nth(2))?
    });
    listed.is_some_and(|listed| !listed.is_empty() && resolve_links(system, Path::new(listed)) == home)
}

/// Returns a path for people.
fn escaped(path: &Path) -> String {
    preface_core::lint::hidden::escape_hidden(&path.display().to_string()).into_owned()
}

impl Places {
    /// Finds the places of a profile. Reports if there can be no global or no project directory.
    #[must_use]
    pub fn find(
        system: &dyn System,
        cwd: &Path,
        home: &ProfileDirs,
        trust: HomeTrust,
        diagnostics: &mut Diagnostics,
    ) -> Self {
        let around = ProjectLocation::of(system, cwd, trust);
        let has_layers = !home.global.is_empty();
        let found =
            has_layers.then(|| global_dir(system, system.home().as_deref(), home, diagnostics)).flatten();
        let global = found.clone().filter(|dir| !around.brings(dir));
        let is_home_inside = found.is_some() && global.is_none();
        let user_home = system.home();
        let own_home = user_home.clone().filter(|home| !around.brings(home));
        if let Some(dir) = found.filter(|_| global.is_none()) {
            let (dir, root) = (escaped(&dir), escaped(around.root()));
            let what = format!("there is no global layer: `{dir}` lies inside of the project `{root}`");
            let own = home.variable.iter().map(|variable| format!(", {variable}")).collect::<String>();
            diagnostics.push(Diagnostic::warning(DiagnosticCode::LayerInside, what).help(Remedy::flag(
                format!("set HOME, XDG_CONFIG_HOME and PREFACE_HOME{own} to directories outside of the project, or trust your home as it is"),
                "--trust-home",
            )));
        } else if has_layers && global.is_none() {
            let own = home.variable.iter().map(|variable| format!("nor {variable} ")).collect::<String>();
            let what =
                format!("there is no global layer: neither PREFACE_HOME {own}nor a home directory is set");
            diagnostics.push(
                Diagnostic::info(DiagnosticCode::LayerNone, what)
                    .help("set PREFACE_HOME to a directory to have one"),
            );
        }
        let mut project = home.project.as_ref().map(|dir| cwd.join(dir));
        if let (Some(root), Some(global)) = (&project, &global)
            && resolve_links(system, global) == resolve_links(system, root)
        {
            diagnostics.push(
                Diagnostic::info(
                    DiagnosticCode::LayerNone,
                    "there is no project layer: here it would be the global directory",
                )
                .at(Place::file(Some(Scope::Project), home.project.as_deref().unwrap_or_default())),
            );
            project = None;
        }
        let state = around.state().unwrap_or_else(|inside| {
            // Where the home is inside, too, that is reported.
            if !is_home_inside {
                let words = format!("{}, or trust your home as it is", inside.help());
                let diagnostic = Diagnostic::warning(DiagnosticCode::LayerInside, inside.to_string());
                diagnostics.push(diagnostic.help(Remedy::flag(words, "--trust-home")));
            }
            None
        });
        Places {
            cwd: cwd.to_owned(),
            home: user_home,
            global,
            project,
            own_home,
            state,
            foreign_keys: home.foreign_keys.clone(),
        }
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

    /// Shows a file that is in a directory above the cwd as `../name`.
    fn above(&self, path: &Path) -> Option<String> {
        let name = path.file_name()?;
        let dir = path.parent()?;
        let ups = self.cwd.strip_prefix(dir).ok()?.components().count();
        Some(format!("{}{}", "../".repeat(ups), name.to_string_lossy()))
    }

    /// Shows a file of a layer: global ones from `~`, project ones relative to the cwd.
    #[must_use]
    pub fn source(&self, scope: Scope, path: &Path) -> Arc<Source> {
        let shown = match scope {
            Scope::Global => from_home(self.home.as_deref(), path),
            _ => self.shown(path),
        };
        Arc::new(Source { scope, path: shown })
    }

    /// Returns the names of the settings files of a layer, preface's own last.
    #[must_use]
    pub fn settings_names(&self) -> &'static [&'static str] {
        if self.foreign_keys.is_empty() { &[SETTINGS] } else { &[SETTINGS, OWN_SETTINGS] }
    }

    /// Returns the name of preface's own settings file.
    #[must_use]
    pub fn own_settings(&self) -> &'static str {
        if self.foreign_keys.is_empty() { SETTINGS } else { OWN_SETTINGS }
    }

    /// Reads the bytes of a settings file of these directories, as its name has it.
    #[must_use]
    pub fn parse_settings(
        &self,
        scope: Scope,
        shown: &str,
        bytes: &[u8],
    ) -> (Option<LayerSettings>, Diagnostics) {
        if shown.ends_with(self.own_settings()) {
            settings::parse(scope, shown, bytes)
        } else {
            settings::parse_foreign(scope, shown, bytes, &self.foreign_keys)
        }
    }
}

/// Shows a path for people: from `~`, or as it is. Control characters are escaped.
fn from_home(home: Option<&Path>, path: &Path) -> String {
    match home.and_then(|home| path.strip_prefix(home).ok()) {
        Some(rest) => escaped(Path::new(&format!("~/{}", slashes(rest)))),
        None => escaped(path),
    }
}

fn slashes(path: &Path) -> String {
    path.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Returns the path of a file beside another, whose name it has with an ending.
pub(crate) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    path.with_file_name(name)
}

/// Resolves links as far as the path exists.
#[must_use]
pub fn resolve_links(system: &dyn System, path: &Path) -> PathBuf {
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

/// Returns an absolute path without `.` and `..`, as the kernel follows it: `..` behind a link is the directory above the
/// link's target. Links stay where nothing goes up from them. `None`: there is no directory to go up from.
pub fn resolve_parents(system: &dyn System, path: &Path) -> Option<PathBuf> {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if system.stat(&out).is_none_or(|stat| stat.kind != FileKind::Dir) {
                    return None;
                }
                if system.read_link(&out).is_some() {
                    out = system.canonical(&out).ok()?;
                }
                out.pop();
            }
            other => out.push(other),
        }
    }
    Some(out)
}

/// `PREFACE_HOME`, else the variable of the profile, else the first candidate that exists, else the first candidate. What
/// is passed over is reported.
fn global_dir(
    system: &dyn System,
    home: Option<&Path>,
    wanted: &ProfileDirs,
    diagnostics: &mut Diagnostics,
) -> Option<PathBuf> {
    let mut ignored = |variable: &str, form: &str| {
        let Some(value) = system.var(variable).filter(|value| !value.is_empty()) else { return };
        let value = preface_core::lint::hidden::escape_hidden(&value.to_string_lossy()).into_owned();
        let what = format!("{variable} is not used: `{value}` is {form}");
        let diagnostic = Diagnostic::warning(DiagnosticCode::LayerVariable, what);
        // The same variable is read for the settings that name a preset.
        if diagnostics.iter().all(|known| known.message != diagnostic.message) {
            diagnostics.push(diagnostic.help(format!("set {variable} to an absolute path")));
        }
    };
    if let Some(dir) = absolute(system, "PREFACE_HOME") {
        return Some(dir);
    }
    ignored("PREFACE_HOME", "no absolute path");
    if let Some(variable) = &wanted.variable {
        if let Some(dir) = configured_dir(system, home, variable) {
            return Some(dir);
        }
        ignored(variable, "neither an absolute path nor one from `~/`");
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
        many => {
            let mut there = many.iter().filter(exists);
            let used = there.next().or(many.first())?;
            if let Some(other) = there.next() {
                let (used, other) = (from_home(home, used), from_home(home, other));
                let what = format!("`{used}` is used, and `{other}` is not looked at");
                let help = "put your files into one of the two, and remove the other";
                diagnostics.push(Diagnostic::warning(DiagnosticCode::LayerTwoGlobals, what).help(help));
            }
            Some(used.clone())
        }
    }
}

/// The directory that a profile's own variable names: absolute, or from `~`.
fn configured_dir(system: &dyn System, home: Option<&Path>, variable: &str) -> Option<PathBuf> {
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
        _ => absolute(system, "XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config"))),
    }
}

/// Reads a directory from the environment. A relative or empty value is treated as unset.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    fn found(system: &MemorySystem, cwd: &str, trust: HomeTrust) -> (Option<PathBuf>, Vec<String>) {
        let home = ProfileDirs {
            global: vec!["config:preface".to_owned()],
            project: Some(".preface".to_owned()),
            flat_extensions: false,
            foreign_keys: Vec::new(),
            variable: None,
        };
        let mut diagnostics = Diagnostics::new();
        let places = Places::find(system, Path::new(cwd), &home, trust, &mut diagnostics);
        assert_eq!(places.own_home.is_some(), places.state.is_some(), "{cwd}");
        (places.global, diagnostics.into_iter().map(|diagnostic| diagnostic.code.to_string()).collect())
    }

    #[test]
    fn a_home_that_came_with_the_project_is_not_the_users() {
        let machine = || MemorySystem::new().with_dir("/w/p/sub").with_home("/home/user");
        let passwd = "root:x:0:0::/root:/bin/sh\nuser:x:1000:1000::/home/user:/bin/sh\n";
        let git = |system: MemorySystem| {
            system
                .with_file("/w/p/.git/HEAD", "ref: refs/heads/main\n")
                .with_dir("/w/p/.git/objects")
                .with_dir("/w/p/.git/refs")
        };
        for (what, system, cwd) in [
            ("HOME is the cwd", machine().with_home("/w/p"), "/w/p"),
            ("HOME below the cwd", machine().with_home("/w/p/sub"), "/w/p"),
            (
                "HOME beside the cwd in the work tree",
                git(machine().with_dir("/w/p/home").with_home("/w/p/home")),
                "/w/p/sub",
            ),
            ("HOME through a link", machine().with_home("/h").with_link("/h", "/w/p"), "/w/p"),
            (
                "another account's home",
                machine().with_home("/root").with_dir("/root").with_file("/etc/passwd", passwd),
                "/root",
            ),
            ("no account's home", machine(), "/home/user"),
        ] {
            assert_eq!(found(&system, cwd, HomeTrust::OutsideProject).0, None, "{what}");
            let diagnostics = found(&system, cwd, HomeTrust::OutsideProject).1;
            assert!(diagnostics.contains(&"layer/inside-project".to_owned()), "{what}: {diagnostics:?}");
            assert!(found(&system, cwd, HomeTrust::Anywhere).0.is_some(), "{what}");
        }
        let account = || machine().with_file("/etc/passwd", passwd);
        for (what, system, cwd) in [
            ("a home elsewhere", machine(), "/w/p"),
            ("the account's own", account(), "/home/user"),
            ("the account's own, in the root directory", account(), "/"),
            ("a project below the home", account(), "/home/user/p"),
        ] {
            let system = system.with_dir("/home/user/p");
            let expected = Some(PathBuf::from("/home/user/.config/preface"));
            assert_eq!(found(&system, cwd, HomeTrust::OutsideProject).0, expected, "{what}");
        }
    }

    #[test]
    fn a_state_directory_that_came_with_the_project_is_not_the_users() {
        let machine =
            || MemorySystem::new().with_dir("/w/p/sub").with_dir("/home/user").with_home("/home/user");
        let git = |system: MemorySystem| system.with_dir("/w/p/.git/objects").with_dir("/w/p/.git/refs");
        for (what, system, variable) in [
            ("HOME", machine().with_home("/w/p"), Some("HOME")),
            ("XDG_STATE_HOME", machine().with_var("XDG_STATE_HOME", "/w/p/x"), Some("XDG_STATE_HOME")),
            ("PREFACE_HOME", machine().with_var("PREFACE_HOME", "/w/p/sub"), Some("PREFACE_HOME")),
            (
                "through a link",
                machine().with_link("/h", "/w/p").with_var("PREFACE_HOME", "/h"),
                Some("PREFACE_HOME"),
            ),
            ("beside", machine().with_var("PREFACE_HOME", "/w/q"), None),
            ("a home elsewhere", machine(), None),
        ] {
            let state = user_state(&system, Path::new("/w/p"), HomeTrust::OutsideProject);
            assert_eq!(state.as_ref().err().map(|inside| inside.variable), variable, "{what}");
            if let Err(inside) = state {
                let told = format!("set {} to a directory outside of the project", inside.variable);
                assert_eq!(inside.help(), told);
            }
            assert!(user_state(&system, Path::new("/w/p"), HomeTrust::Anywhere).is_ok(), "{what}");
        }
        let system = git(machine().with_file("/w/p/.git/HEAD", "ref: refs/heads/main\n"))
            .with_var("XDG_STATE_HOME", "/w/p/state");
        assert!(user_state(&system, Path::new("/w/p/sub"), HomeTrust::OutsideProject).is_err());
        let mut diagnostics = Diagnostics::new();
        let home = ProfileDirs {
            global: vec!["config:preface".to_owned()],
            project: None,
            flat_extensions: false,
            foreign_keys: Vec::new(),
            variable: None,
        };
        let places =
            Places::find(&system, Path::new("/w/p/sub"), &home, HomeTrust::OutsideProject, &mut diagnostics);
        assert_eq!(
            (places.state, diagnostics[0].code.as_str(), diagnostics.len()),
            (None, "layer/inside-project", 1)
        );
        let system = machine().with_var("PREFACE_HOME", "/data");
        assert!(user_state(&system, Path::new("/"), HomeTrust::OutsideProject).is_ok(), "no repository");
    }

    #[test]
    fn a_variable_that_is_no_absolute_path_and_a_second_global_directory_are_reported() {
        let home = |variable: Option<&str>| ProfileDirs {
            global: vec!["~/.x".to_owned(), "config:x-cli".to_owned()],
            project: None,
            flat_extensions: false,
            foreign_keys: Vec::new(),
            variable: variable.map(str::to_owned),
        };
        let found = |system: &MemorySystem, variable: Option<&str>| {
            let mut diagnostics = Diagnostics::new();
            let cwd = Path::new("/w");
            let places =
                Places::find(system, cwd, &home(variable), HomeTrust::OutsideProject, &mut diagnostics);
            (places.global, diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>())
        };
        let machine = || MemorySystem::new().with_home("/home/user").with_dir("/w").with_dir("/home/user/.x");
        let usual = Some(PathBuf::from("/home/user/.x"));
        assert_eq!(found(&machine().with_var("PREFACE_HOME", ""), None), (usual.clone(), vec![]));
        for value in ["x", "./x", "~/x"] {
            let diagnostic = format!("PREFACE_HOME is not used: `{value}` is no absolute path");
            assert_eq!(
                found(&machine().with_var("PREFACE_HOME", value), None),
                (usual.clone(), vec![diagnostic])
            );
        }
        let diagnostic = "X_DIR is not used: `x` is neither an absolute path nor one from `~/`".to_owned();
        assert_eq!(
            found(&machine().with_var("X_DIR", "x"), Some("X_DIR")),
            (usual.clone(), vec![diagnostic])
        );
        let moved = Some(PathBuf::from("/home/user/y"));
        assert_eq!(found(&machine().with_var("X_DIR", "~/y"), Some("X_DIR")), (moved, vec![]));

        let other = machine().with_dir("/home/user/.config/x-cli");
        let diagnostic = "`~/.x` is used, and `~/.config/x-cli` is not looked at".to_owned();
        assert_eq!(found(&other, None), (usual, vec![diagnostic]));
    }

    #[test]
    fn paths_are_shown_from_the_cwd_whatever_their_spelling() {
        let system = MemorySystem::new().with_dir("/w/p/sub");
        let home = ProfileDirs {
            global: Vec::new(),
            project: None,
            flat_extensions: false,
            foreign_keys: Vec::new(),
            variable: None,
        };
        let cwd = Path::new("/w/p/sub");
        let places = Places::find(&system, cwd, &home, HomeTrust::default(), &mut Vec::new());
        for (path, shown) in [
            ("/w/p/sub/a/b", "a/b"),
            ("/w/p/sub//a/./b/", "a/b"),
            ("/w/p/sub/a/../b", "a/../b"),
            ("/w/p/sub", "."),
            ("/w/p/AGENTS.md", "../AGENTS.md"),
            ("/w//p/AGENTS.md", "../AGENTS.md"),
            ("/AGENTS.md", "../../../AGENTS.md"),
            ("/w/p/subs/a", "/w/p/subs/a"),
            ("/w/q/a", "/w/q/a"),
            ("/", "/"),
        ] {
            assert_eq!(places.shown(Path::new(path)), shown, "{path}");
        }
    }

    #[test]
    fn a_configuration_directory_that_came_with_the_project_is_not_the_users() {
        let passwd = "user:x:1000:1000::/home/user:/bin/sh\n";
        for variable in ["XDG_CONFIG_HOME", "PREFACE_HOME"] {
            let system = MemorySystem::new().with_dir("/home/user/p").with_file("/etc/passwd", passwd);
            let system = system.with_var(variable, "/home/user/p/x").with_var("XDG_STATE_HOME", "/state");
            let mut diagnostics = Diagnostics::new();
            let home = ProfileDirs {
                global: vec!["config:preface".to_owned()],
                project: None,
                flat_extensions: false,
                foreign_keys: Vec::new(),
                variable: None,
            };
            let cwd = Path::new("/home/user/p");
            let places = Places::find(&system, cwd, &home, HomeTrust::OutsideProject, &mut diagnostics);
            assert_eq!(
                (places.global, diagnostics[0].code.as_str()),
                (None, "layer/inside-project"),
                "{variable}"
            );
            let places = Places::find(&system, cwd, &home, HomeTrust::Anywhere, &mut diagnostics);
            assert!(places.global.is_some_and(|dir| dir.starts_with("/home/user/p/x")), "{variable}");
        }
    }
}
