//! One settings file on the disk, and how it is changed: under a lock, read again, written whole.
//!
//! [`preface_core::settings::edit`] computes the change; this module reads and writes the file. Two that change
//! the file at once wait for each other, and neither loses what the other wrote.

use crate::{
    places::{Places, beside},
    provider::context::SETTINGS_LIMIT,
    scaffold::DIR_MODE,
    system::{
        FileKind, FileRead, ReadError, ReadScope, Stat, System, WriteError, WriteMode, make_dirs_within,
    },
    trust::{StoreKind, store_file},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Remedy},
    scope::Scope,
    settings::{KeyPath, SettingChange, edit},
    trust::TrustMode,
};
use std::path::{Path, PathBuf};

/// A new file of the user's own may come to hold secrets.
const OWN_MODE: u32 = 0o600;
/// The mode of a project's directory: others who work in the project read it.
const PROJECT_DIR_MODE: u32 = 0o755;
const PROJECT_MODE: u32 = 0o644;

/// The settings file of the user's own directory or of a project's.
#[derive(Clone, Debug)]
pub struct SettingsFile<'a> {
    system: &'a dyn System,
    scope: Scope,
    path: PathBuf,
    shown: String,
    /// The directory that a project's file must be in.
    root: Option<PathBuf>,
    lock: PathBuf,
}

/// Builds the error of a settings file that was not read or changed.
fn failed(what: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(DiagnosticCode::Failed, what))
}

/// Builds the error for a scope without a directory: there is no home, or the project directory would be the user's own.
fn nowhere(scope: Scope) -> Box<Diagnostic> {
    let (what, help) = match scope {
        Scope::Project => {
            ("project settings: it would be your own directory", "use another directory, or the global scope")
        }
        _ => (
            "your settings: there is no home directory outside of the project",
            "set PREFACE_HOME to a directory",
        ),
    };
    failed(format!("there is no place for {what}")).help(help).into()
}

/// The effect of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingsWriteOutcome {
    /// The file was written.
    Changed,
    /// The file had the value already.
    Unchanged,
}

impl<'a> SettingsFile<'a> {
    /// Returns the settings file of a scope. `mode` limits where a link of the project may lead, as for
    /// reading: if projects are trusted as a whole, the project's directory may be a link to a directory that
    /// `is_trusted` accepts. The file is then that directory's, wherever the link leads afterwards.
    ///
    /// ```
    /// use preface_core::{scope::Scope, settings::SettingChange, trust::TrustMode};
    /// use preface_host::{places::Places, settings_file::{SettingsFile, SettingsWriteOutcome}, system::{System, testing::MemorySystem}};
    /// let system = MemorySystem::new();
    /// let places = Places {
    ///     own_home: None,
    ///     state: None,
    ///     foreign_keys: Vec::new(),
    ///     cwd: "/work".into(),
    ///     home: Some("/home/user".into()),
    ///     global: Some("/home/user/.config/preface".into()),
    ///     project: Some("/work/.preface".into()),
    /// };
    /// let file = SettingsFile::of(&system, &places, TrustMode::Pinned, Scope::Global, |_| false)?;
    /// let change = SettingChange::Set(9000.into());
    /// assert_eq!(file.edit(&"budget.tokens".parse().unwrap(), &change)?, SettingsWriteOutcome::Changed);
    /// assert_eq!(file.edit(&"budget.tokens".parse().unwrap(), &change)?, SettingsWriteOutcome::Unchanged);
    /// assert_eq!(file.shown(), "~/.config/preface/settings.json");
    /// # Ok::<(), Box<preface_core::diagnostic::Diagnostic>>(())
    /// ```
    ///
    /// # Errors
    /// There is no directory for the scope (the bundled one has no file that could be changed), or the project's directory is a link, and
    /// the user has not trusted what it leads to.
    pub fn of(
        system: &'a dyn System,
        places: &Places,
        mode: TrustMode,
        scope: Scope,
        is_trusted: impl Fn(&Path) -> bool,
    ) -> Result<Self, Box<Diagnostic>> {
        let dir = match scope {
            Scope::Bundled => None,
            Scope::Global => places.global.as_deref(),
            Scope::Project => places.project.as_deref(),
        };
        let named = dir.ok_or_else(|| nowhere(scope))?;
        let shown = places.source(scope, &named.join(places.own_settings())).path.clone();
        let is_whole = scope == Scope::Project && mode == TrustMode::Whole;
        let is_link = || system.link_stat(named).is_some_and(|stat| stat.kind == FileKind::Link);
        let dir = if is_whole && is_link() {
            trusted_target(system, places, named, is_trusted)?
        } else {
            named.to_owned()
        };
        let path = dir.join(places.own_settings());
        let root = (scope == Scope::Project).then(|| match mode {
            TrustMode::Whole => dir,
            TrustMode::Pinned | TrustMode::None => places.cwd.clone(),
        });
        // A lock stays behind. It belongs neither into a repository nor among files that a user keeps in one.
        let name = if scope == Scope::Project { "project-settings.lock" } else { "settings.lock" };
        let lock = store_file(StoreKind::State, system)
            .map_or_else(|| beside(&path, ".lock"), |store| store.with_file_name(name));
        Ok(SettingsFile { system, scope, path, shown, root, lock })
    }

    /// Returns whose settings these are.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path for people.
    #[must_use]
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// Reads the file; `None` if there is none. A link of the user's that points nowhere is none, and writing creates
    /// what it points to.
    ///
    /// # Errors
    /// The file cannot be read, or a project's file leads out of the project.
    pub fn read(&self) -> Result<Option<FileRead>, Box<Diagnostic>> {
        let within = self.root.as_deref().map_or(ReadScope::Anywhere, ReadScope::Root);
        match self.system.read(&self.path, within, SETTINGS_LIMIT) {
            Ok(read) => Ok(Some(read)),
            Err(ReadError::Missing | ReadError::Dangling) => Ok(None),
            Err(error) => {
                let path = &self.shown;
                let failure = failed(format!("cannot read `{path}`: {error}"));
                Err(match error {
                    ReadError::Outside { .. } => failure
                        .help("a project's settings lie in the project; put a regular file there")
                        .into(),
                    ReadError::Kind(_) => {
                        failure.help(format!("move `{path}` away; a regular file belongs there")).into()
                    }
                    _ => failure,
                })
            }
        }
    }

    /// Sets or unsets one value. A project's file that has none afterwards, and no comment, is removed: it would have to be
    /// trusted.
    ///
    /// # Errors
    /// The file cannot be read or written, would be too large, or cannot be changed in this way; then nothing has changed.
    pub fn edit(
        &self,
        key: &KeyPath,
        change: &SettingChange,
    ) -> Result<SettingsWriteOutcome, Box<Diagnostic>> {
        // What is refused, and what changes nothing, leaves no trace and needs no right to write.
        if self.edited(key, change)?.is_none() {
            return Ok(SettingsWriteOutcome::Unchanged);
        }
        self.make_directory().map_err(|error| self.unwritable(error))?;
        if let Some(dir) = self.lock.parent() {
            self.system.make_dirs(dir, DIR_MODE).map_err(|error| self.unwritable(error))?;
        }
        let _lock = self.system.lock(&self.lock).map_err(|error| self.unwritable(error))?;
        let Some((text, mode)) = self.edited(key, change)? else {
            return Ok(SettingsWriteOutcome::Unchanged);
        };
        if text.len() as u64 > SETTINGS_LIMIT {
            let (path, size) = (&self.shown, text.len());
            return Err(failed(format!(
                "`{path}` would have {size} bytes, more than the limit of {SETTINGS_LIMIT}"
            )));
        }
        let is_unset = matches!(change, SettingChange::Unset);
        let written = if is_unset && self.scope == Scope::Project && is_empty(&text) {
            self.system.remove(&self.path)
        } else {
            self.write(text.as_bytes(), mode)
        };
        written.map_err(|error| self.unwritable(error))?;
        Ok(SettingsWriteOutcome::Changed)
    }

    /// Returns what the file would hold, and its permission bits; `None` if it holds that already.
    fn edited(
        &self,
        key: &KeyPath,
        change: &SettingChange,
    ) -> Result<Option<(String, u32)>, Box<Diagnostic>> {
        let before = self.read()?;
        let new = if self.scope == Scope::Project { PROJECT_MODE } else { OWN_MODE };
        let mode = before.as_ref().and_then(|read| read.stat.mode).unwrap_or(new);
        let before = before.as_ref().map(|read| read.bytes.as_slice());
        let text = edit(self.scope, &self.shown, before, key, change)?;
        Ok(text.map(|text| (text, mode)))
    }

    /// Makes what is missing of the directory of the file; a project's is reached without a link.
    fn make_directory(&self) -> Result<(), WriteError> {
        let dir = self.path.parent().unwrap_or(&self.path);
        match &self.root {
            Some(root) => make_dirs_within(self.system, dir, ReadScope::Root(root), PROJECT_DIR_MODE),
            None => self.system.make_dirs(dir, DIR_MODE),
        }
    }

    fn write(&self, bytes: &[u8], mode: u32) -> Result<(), WriteError> {
        let is_link = |stat: Stat| stat.kind == FileKind::Link;
        if self.root.is_some() && self.system.link_stat(&self.path).is_some_and(is_link) {
            return Err(WriteError::Exists);
        }
        self.system.write(&self.path, bytes, WriteMode::Replace, mode)
    }

    fn unwritable(&self, error: WriteError) -> Box<Diagnostic> {
        let failure = failed(format!("cannot write `{}`: {error}", self.shown));
        match error {
            WriteError::Denied => {
                failure.help("allow writing in its directory; the file is replaced whole").into()
            }
            WriteError::Busy => failure.help("try again").into(),
            _ => failure,
        }
    }
}

/// Returns the directory that a link of the project leads to, if the user has trusted it.
fn trusted_target(
    system: &dyn System,
    places: &Places,
    link: &Path,
    is_trusted: impl Fn(&Path) -> bool,
) -> Result<PathBuf, Box<Diagnostic>> {
    let is_dir = |path: &PathBuf| system.stat(path).is_some_and(|stat| stat.kind == FileKind::Dir);
    let target = system.canonical(link).ok().filter(is_dir);
    let path = places.shown(link);
    match target {
        Some(target) if is_trusted(&target) => Ok(target),
        Some(target) => {
            let target = places.shown(&target);
            let what = format!("is a link to `{target}`, which you have not trusted");
            let help = format!("change `{target}/settings.json` itself, or trust what lies there");
            Err(failed(format!("`{path}` {what}")).help(Remedy::command(help, "trust grant")).into())
        }
        None => Err(failed(format!("`{path}` is a link that leads to no directory"))
            .help(format!("remove `{path}`, or put a directory there"))
            .into()),
    }
}

/// Returns true for an object without keys and comments.
fn is_empty(text: &str) -> bool {
    text.bytes().filter(|byte| !byte.is_ascii_whitespace()).eq(*b"{}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{FileKind, testing::MemorySystem};
    use serde_json::json;

    fn places() -> Places {
        Places {
            state: None,
            own_home: None,
            foreign_keys: Vec::new(),
            cwd: "/work".into(),
            home: Some("/home/user".into()),
            global: Some("/home/user/.config/preface".into()),
            project: Some("/work/.preface".into()),
        }
    }

    fn set(system: &MemorySystem, mode: TrustMode) -> Result<SettingsWriteOutcome, Box<Diagnostic>> {
        let file =
            SettingsFile::of(system, &places(), mode, Scope::Project, |dir| dir == Path::new("/trusted"))?;
        file.edit(&"sections.style.text".parse().expect("a path"), &SettingChange::Set(json!("Use tabs.")))
    }

    fn machine() -> MemorySystem {
        MemorySystem::new().with_dir("/work").with_home("/home/user")
    }

    #[test]
    fn no_lock_stays_in_a_repository() {
        let system = machine();
        assert_eq!(set(&system, TrustMode::Pinned), Ok(SettingsWriteOutcome::Changed));
        let left = system.list(Path::new("/work/.preface"), 10).expect("it was created");
        assert_eq!(left.len(), 1, "{left:?}");
        let stat = system.stat(Path::new("/work/.preface/settings.json")).expect("it was written");
        assert_eq!((stat.kind, stat.mode), (FileKind::File, Some(0o644)));
        let lock = Path::new("/home/user/.local/state/preface/project-settings.lock");
        assert!(system.stat(lock).is_some());
    }

    #[test]
    fn an_empty_file_of_a_project_is_removed() {
        let (path, key) =
            (Path::new("/work/.preface/settings.json"), "sections.style.text".parse().expect("a path"));
        for (text, is_left) in [
            (r#"{"sections": {"style": {"text": "Use tabs."}}}"#, false),
            (r#"{"sections": {"style": {"text": "Use tabs."}}, "tools": {}}"#, true),
            ("{\n// ours\n\"sections\": {\"style\": {\"text\": \"Use tabs.\"}}}", true),
        ] {
            let system = machine().with_file("/work/.preface/settings.json", text);
            let file = SettingsFile::of(&system, &places(), TrustMode::Pinned, Scope::Project, |_| false)
                .expect("a file");
            assert_eq!(file.edit(&key, &SettingChange::Unset), Ok(SettingsWriteOutcome::Changed), "{text}");
            assert_eq!(system.stat(path).is_some(), is_left, "{text}");
        }
    }

    #[test]
    fn no_lock_stays_beside_the_users_file() {
        let system = machine();
        let file = SettingsFile::of(&system, &places(), TrustMode::Pinned, Scope::Global, |_| false)
            .expect("a file");
        let change = SettingChange::Set(json!(9000));
        assert_eq!(
            file.edit(&"budget.tokens".parse().expect("a path"), &change),
            Ok(SettingsWriteOutcome::Changed)
        );
        let left = system.list(Path::new("/home/user/.config/preface"), 10).expect("it was created");
        assert_eq!(left.len(), 1, "{left:?}");
        assert!(system.stat(Path::new("/home/user/.local/state/preface/settings.lock")).is_some());
    }

    #[test]
    fn a_project_cannot_lead_the_pen_out_of_itself() {
        let elsewhere = || machine().with_dir("/elsewhere");
        let cases = [
            elsewhere()
                .with_file("/elsewhere/s.json", "{}")
                .with_link("/work/.preface/settings.json", "/elsewhere/s.json"),
            elsewhere().with_link("/work/.preface/settings.json", "/elsewhere/new.json"),
            elsewhere().with_link("/work/.preface", "/elsewhere"),
        ];
        for system in cases {
            let before = system.list(Path::new("/elsewhere"), 10);
            let error = set(&system, TrustMode::Pinned).expect_err("it leads outside");
            let help = error.help.expect("a remedy");
            assert!(error.message.starts_with("cannot read `.preface/settings.json`"), "{}", error.message);
            assert!(help.starts_with("a project's settings lie in the project"), "{help}");
            assert_eq!(system.list(Path::new("/elsewhere"), 10), before, "nothing was written there");
        }
        // What is written is reached without a link, also where one stays inside.
        let inside = machine().with_dir("/work/shared").with_link("/work/.preface", "/work/shared");
        let error = set(&inside, TrustMode::Pinned).expect_err("a link");
        assert!(error.message.starts_with("cannot write `.preface/settings.json`"), "{}", error.message);
    }

    #[test]
    fn a_directory_that_is_a_link_is_written_in_once_it_is_trusted() {
        let link = |target: &str| machine().with_dir(target).with_link("/work/.preface", target);
        let trusted = link("/trusted");
        assert_eq!(set(&trusted, TrustMode::Whole), Ok(SettingsWriteOutcome::Changed));
        assert!(trusted.stat(Path::new("/trusted/settings.json")).is_some());

        for (target, system) in [
            ("../elsewhere", link("/elsewhere")),
            // Also where it stays in the project: a grant is about the directory that is shown with it.
            ("shared", link("/work/shared")),
        ] {
            let error = set(&system, TrustMode::Whole).expect_err("it was not trusted");
            assert_eq!(
                error.message,
                format!("`.preface` is a link to `{target}`, which you have not trusted")
            );
            let help = error.help.expect("a remedy");
            assert!(help.contains(&format!("change `{target}/settings.json` itself")), "{help}");
        }
        let nowhere = machine().with_link("/work/.preface", "/trusted");
        let error = set(&nowhere, TrustMode::Whole).expect_err("it leads nowhere");
        assert_eq!(error.message, "`.preface` is a link that leads to no directory");
        assert_eq!(
            set(&machine(), TrustMode::Whole),
            Ok(SettingsWriteOutcome::Changed),
            "a directory of its own"
        );
    }
}
