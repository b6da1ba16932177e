//! The store: the one reader and the one writer of `trust.json`, and the copies of granted texts beside it.
//!
//! A copy is `trust.d/<hex digest>`, so that a diff can show what changed since. It is written before the record that names
//! it and removed after it, so a crash leaves at most a copy too many.

use super::{
    digest::Digest,
    path::{escaped, recordable},
    permission::Permission,
    pins::{PinPath, PinnedText, PinnedVersion},
    record::{Change, Records, TrustChange, TrustDocument},
};
use crate::{
    places::{beside, resolve_links},
    system::{FileKind, ReadError, ReadScope, Stat, System, WriteMode, is_users},
};
use preface_core::{
    audit::AuditEvent,
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy},
    trust::Trust,
};
use std::path::{Path, PathBuf};

/// The largest store that is read or written.
const FILE_LIMIT: u64 = 16 << 20;
/// The largest text that can be granted.
const COPY_LIMIT: u64 = 16 << 20;
/// The directory with the copies, beside the store.
const COPIES: &str = "trust.d";
const FILE_MODE: u32 = 0o600;
const DIR_MODE: u32 = 0o700;
const OTHERS_MAY_WRITE: u32 = 0o022;
const ALL_MAY_WRITE: u32 = 0o002;
/// In such a directory only the owner of a file can replace it.
const STICKY: u32 = 0o1000;
/// The most symbolic links on the path to the store.
const LINKS_LIMIT: usize = 40;

/// The trust records of this user, in one file outside of every project.
///
/// Loading never fails: what cannot be read trusts nothing. Changing takes a lock, reads the file again, and replaces it
/// at once; a file that cannot be understood is never written over. Each change returns what the audit log should know.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{Digest, PinPath, GrantState, PinnedText, TrustStore}};
/// use std::path::Path;
///
/// let system = MemorySystem::new();
/// let store = TrustStore::at(&system, "/home/user/.local/state/preface/trust.json".into());
/// let root = Path::new("/work");
/// let text = PinnedText { path: PinPath::new(root, Path::new("/work/AGENTS.md"))?, bytes: b"Use tabs.".to_vec() };
/// store.grant_pins(root, &[text.clone()], None)?;
///
/// let record = store.load(&mut Vec::new()).root(root);
/// assert_eq!(record.state(&text.path, &Digest::of(b"Use tabs.")), GrantState::Granted);
/// assert_eq!(record.state(&text.path, &Digest::of(b"Use spaces.")), GrantState::Changed);
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TrustStore<'a> {
    system: &'a dyn System,
    file: PathBuf,
    project: Option<PathBuf>,
}

/// A change that was recorded, with the events for the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustReport {
    /// What it did.
    pub change: TrustChange,
    /// The events for the audit log.
    pub audit: Vec<AuditEvent>,
}

impl<'a> TrustStore<'a> {
    /// Names the store. Nothing is looked at yet; see [`store_file`](super::store_file) for the place.
    #[must_use]
    pub fn at(system: &'a dyn System, file: PathBuf) -> Self {
        TrustStore { system, file, project: None }
    }

    /// Sets the project that the store will be asked about. If it is inside of that project, it holds no records and
    /// takes none.
    #[must_use]
    pub fn for_project(mut self, root: &Path) -> Self {
        self.project = Some(root.to_owned());
        self
    }

    /// Returns the file.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Reads the records. A file that is not there is an empty one.
    ///
    /// A file that cannot be read or understood, or that other users own or can write, is the diagnostic
    /// `trust/store-unavailable`, and a store inside of the project `trust/scope-violation`; all trust nothing.
    pub fn load(&self, diagnostics: &mut Diagnostics) -> Records {
        let place = self.place();
        if let Some(root) = self.project.as_deref()
            && let Err(error) = self.outside(&place, root)
        {
            diagnostics.push(error.diagnostic());
            return Records { place, document: TrustDocument::default() };
        }
        match self.read() {
            Ok(document) => Records { place, document },
            Err(error) => {
                diagnostics.push(error.diagnostic());
                Records { place, document: TrustDocument::default() }
            }
        }
    }

    /// Records that the user trusts a project as a whole, by the canonical path of its directory, with the texts that a build used.
    ///
    /// # Errors
    /// See [`TrustError`]; then no record has changed.
    pub fn grant_whole(&self, root: &Path, texts: &[PinnedText]) -> Result<TrustReport, TrustError> {
        self.grant(root, texts, None, true)
    }

    /// Pins texts: for each, its path, its digest and a copy; beside them the name of a branch, as it is shown. Earlier grants stay.
    ///
    /// # Errors
    /// See [`TrustError`]; then no record has changed.
    pub fn grant_pins(
        &self,
        root: &Path,
        texts: &[PinnedText],
        branch: Option<&str>,
    ) -> Result<TrustReport, TrustError> {
        self.grant(root, texts, branch, false)
    }

    /// The copies are on the disk before the record that names them.
    fn grant(
        &self,
        root: &Path,
        texts: &[PinnedText],
        branch: Option<&str>,
        whole: bool,
    ) -> Result<TrustReport, TrustError> {
        if let Some(text) = texts.iter().find(|text| text.bytes.len() as u64 > COPY_LIMIT) {
            let why = format!("its {} bytes are more than the limit of {COPY_LIMIT}", text.bytes.len());
            return Err(TrustError::invalid(text.path.resolve(root), why));
        }
        let versions =
            texts.iter().map(|PinnedText { path, bytes }| (path.clone(), PinnedVersion::of(bytes)));
        let change = Change::Texts { texts: versions.collect(), branch, whole };
        self.change(root, change, texts, |_, root| vec![AuditEvent::ProjectTrusted { canonical_path: root }])
    }

    /// Takes back the grants of some texts (of all below a path), or of everything (`None`: the whole, branches and permissions, too).
    /// Copies that no record names any more are removed. The time is recorded; that of all also if nothing was granted.
    ///
    /// # Errors
    /// See [`TrustError`]; then no record has changed.
    pub fn revoke_pins(&self, root: &Path, paths: Option<&[PinPath]>) -> Result<TrustReport, TrustError> {
        if self.is_missing() && paths.is_some() {
            return Ok(TrustReport::default());
        }
        self.change(root, Change::RevokeTexts(paths), &[], |change, _| {
            change.recorded.then(|| trust_evaluated(root, Trust::Untrusted)).into_iter().collect()
        })
    }

    /// Records what a project may do, under the root of [`TrustStore::grant_pins`]. Earlier permissions stay.
    ///
    /// # Errors
    /// See [`TrustError`]; then nothing has changed.
    pub fn grant_permissions(
        &self,
        root: &Path,
        permissions: &[Permission],
    ) -> Result<TrustReport, TrustError> {
        let change = Change::Permissions(permissions);
        self.change(root, change, &[], |change, root| approval(&root, "granted", &change.permissions))
    }

    /// Takes back all permissions.
    ///
    /// # Errors
    /// See [`TrustError`]; then nothing has changed.
    pub fn revoke_permissions(&self, root: &Path) -> Result<TrustReport, TrustError> {
        if self.is_missing() {
            return Ok(TrustReport::default());
        }
        self.change(root, Change::RevokePermissions, &[], |change, root| {
            approval(&root, "revoked", &change.permissions)
        })
    }

    /// Records that the user said no. A grant of the whole and its permissions go with it; those of single texts stay. With `contents`
    /// ([`Digest::of_listing`]) the answer is about what was shown, and nobody asks again until there is something else. If that is
    /// recorded already, nothing is written.
    ///
    /// # Errors
    /// See [`TrustError`]; then nothing has changed.
    pub fn decline(&self, root: &Path, contents: Option<Digest>) -> Result<TrustReport, TrustError> {
        self.change(root, Change::Decline(contents), &[], |_, root| {
            vec![AuditEvent::ProjectDeclined { canonical_path: root }]
        })
    }

    /// Returns the copy of a text that was granted, if it is there and still what it was.
    #[must_use]
    pub fn copy(&self, digest: &Digest) -> Option<Vec<u8>> {
        self.copies().read(digest)
    }

    fn copies(&self) -> Copies<'a> {
        Copies::beside(self.system, &self.file)
    }

    /// Takes the lock, reads, changes, and writes if the change was one: first the copies of `texts`, then the record; copies that
    /// no record names any more go last.
    fn change(
        &self,
        root: &Path,
        change: Change<'_>,
        texts: &[PinnedText],
        audit: impl FnOnce(&TrustChange, String) -> Vec<AuditEvent>,
    ) -> Result<TrustReport, TrustError> {
        let path = recordable(root)?;
        let place = self.place();
        for root in [Some(root), self.project.as_deref()].into_iter().flatten() {
            self.outside(&place, root)?;
        }
        let dir = self.file.parent().ok_or_else(|| TrustError::unavailable(&self.file, "not a file"))?;
        self.check_directories()?;
        self.system.make_dirs(dir, DIR_MODE).map_err(|error| TrustError::unavailable(dir, error))?;
        let lock = beside(&self.file, ".lock");
        let _lock = self.system.lock(&lock).map_err(|error| TrustError::unavailable(lock, error))?;
        let mut document = self.read()?;
        let copies = self.copies();
        let (change, orphans) = document.change(path, change, self.system.now());
        for text in texts {
            copies.keep(&Digest::of(&text.bytes), &text.bytes)?;
        }
        let mut audit = audit(&change, path.to_owned());
        if change.recorded {
            self.write(&document)?;
            audit.append(&mut copies.drop_all(&orphans));
        }
        Ok(TrustReport { change, audit })
    }

    /// Reads the file. One that is not there is an empty one.
    fn read(&self) -> Result<TrustDocument, TrustError> {
        let Some(bytes) = self.bytes()? else { return Ok(TrustDocument::default()) };
        TrustDocument::read(&bytes).map_err(|why| TrustError::unavailable(&self.file, why))
    }

    /// Returns what the file holds; `None` if there is no file.
    fn bytes(&self) -> Result<Option<Vec<u8>>, TrustError> {
        let read = match self.system.read(&self.file, ReadScope::Anywhere, FILE_LIMIT) {
            Ok(read) => read,
            Err(ReadError::Missing) => return Ok(None),
            Err(error) => return Err(TrustError::unavailable(&self.file, error)),
        };
        self.check_access(&self.place(), &read.stat, OTHERS_MAY_WRITE)?;
        self.check_directories()?;
        Ok(Some(read.into_bytes()))
    }

    /// Checks a file beside which nothing of another user's may be read: as the trust store, it decides what a prompt is made of.
    ///
    /// # Errors
    /// [`TrustError::Exposed`]: other users own the file or a directory on the way to it, or can write there.
    pub fn check_file(system: &'a dyn System, file: &Path) -> Result<(), TrustError> {
        let store = TrustStore::at(system, file.to_owned());
        if let Some(stat) = system.stat(file) {
            store.check_access(&store.place(), &stat, OTHERS_MAY_WRITE)?;
        }
        store.check_directories()
    }

    /// Refuses a store that another user can replace: each directory and each link on the path to it must
    /// belong to the user or to root, and no other user may be able to rename in it.
    fn check_directories(&self) -> Result<(), TrustError> {
        let mut names = self.file.to_path_buf();
        for _ in 0..=LINKS_LIMIT {
            match self.check_way(&names)? {
                Some(further) => names = further,
                None => return Ok(()),
            }
        }
        Err(TrustError::unavailable(&self.file, "too many symbolic links lead to it"))
    }

    /// Checks the way to a path up to the first link, and returns the path that this link leads to.
    fn check_way(&self, path: &Path) -> Result<Option<PathBuf>, TrustError> {
        let ways: Vec<&Path> = path.ancestors().collect();
        let mut above: Option<(&Path, Stat)> = None;
        for &here in ways.iter().rev() {
            let found = self.system.link_stat(here);
            if let Some(stat) = &found {
                self.check_access(here, stat, 0)?;
            }
            if let Some((dir, stat)) = above {
                // Home directories are often open to the user's own group; the store's own directory is not.
                if here == path {
                    self.check_access(dir, &stat, OTHERS_MAY_WRITE)?;
                }
                let has = |bit| stat.mode.is_some_and(|mode| mode & bit != 0);
                // Others can add names to a sticky directory, but replace none: a link may be anybody's.
                let is_kept = has(STICKY) && found.as_ref().is_none_or(|found| found.kind == FileKind::Dir);
                if has(ALL_MAY_WRITE) && !is_kept {
                    return Err(TrustError::exposed(dir, "all users can write it", "chmod o-w"));
                }
                if found.as_ref().is_some_and(|found| found.kind == FileKind::Link) {
                    let target = self.system.read_link(here).unwrap_or_default();
                    let below = path.strip_prefix(here).unwrap_or(Path::new(""));
                    return Ok(Some(dir.join(target).join(below)));
                }
            }
            let Some(stat) = found else { return Ok(None) };
            above = Some((here, stat));
        }
        Ok(None)
    }

    /// Refuses a file or directory that belongs to another user or has one of these permission bits: the
    /// writer of the store decides which programs run.
    fn check_access(&self, path: &Path, stat: &Stat, bits: u32) -> Result<(), TrustError> {
        if let Some(user) = self.system.user_id().filter(|_| !is_users(self.system, stat)) {
            return Err(TrustError::exposed(path, "it belongs to another user", &format!("chown {user}")));
        }
        if stat.mode.is_some_and(|mode| mode & bits != 0) {
            return Err(TrustError::exposed(path, "other users can write it", "chmod go-w"));
        }
        Ok(())
    }

    fn write(&self, document: &TrustDocument) -> Result<(), TrustError> {
        let bytes = document.to_json();
        if bytes.len() as u64 > FILE_LIMIT {
            let why = format!("it would have {} bytes, more than the limit of {FILE_LIMIT}", bytes.len());
            return Err(TrustError::unavailable(&self.file, why));
        }
        self.system
            .write(&self.file, &bytes, WriteMode::Replace, FILE_MODE)
            .map_err(|error| TrustError::unavailable(&self.file, error))
    }

    fn is_missing(&self) -> bool {
        self.system.link_stat(&self.file).is_none()
    }

    /// Finds where the store really lies, as far as its path exists.
    fn place(&self) -> PathBuf {
        resolve_links(self.system, &self.file)
    }

    fn outside(&self, place: &Path, root: &Path) -> Result<(), TrustError> {
        let real_root = self.system.canonical(root);
        let real_root = real_root.as_deref().unwrap_or(root);
        match [place, &self.file].iter().any(|store| store.starts_with(real_root) || store.starts_with(root))
        {
            true => Err(TrustError::ScopeViolation { store: self.file.clone(), root: root.to_owned() }),
            false => Ok(()),
        }
    }
}

/// Returns the event that trust was looked up for this turn. Each evaluation is one, also of a trusted path.
#[must_use]
pub fn trust_evaluated(canonical: &Path, trust: Trust) -> AuditEvent {
    let canonical_path = canonical.to_string_lossy().into_owned();
    AuditEvent::TrustDecision { canonical_path, decision: trust.as_str().to_owned() }
}

/// Returns the event that a project is trusted for this call only.
#[must_use]
pub fn trusted_once(canonical: &Path) -> AuditEvent {
    AuditEvent::ProjectTrustOnce { canonical_path: canonical.to_string_lossy().into_owned() }
}

/// Returns the event that something was allowed or no longer is; none if nothing was.
fn approval(root: &str, decision: &str, permissions: &[Permission]) -> Vec<AuditEvent> {
    let mut subjects: Vec<String> = permissions.iter().map(|permission| permission.subject.clone()).collect();
    subjects.dedup();
    if subjects.is_empty() {
        return Vec::new();
    }
    vec![AuditEvent::Approval { canonical_path: root.to_owned(), decision: decision.to_owned(), subjects }]
}

/// The directory with the copies.
#[derive(Clone, Debug)]
struct Copies<'a> {
    system: &'a dyn System,
    dir: PathBuf,
}

impl<'a> Copies<'a> {
    fn beside(system: &'a dyn System, store: &Path) -> Self {
        Copies { system, dir: store.with_file_name(COPIES) }
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.dir.join(digest.hex())
    }

    /// Reads a copy; `None` if it is missing or damaged.
    fn read(&self, digest: &Digest) -> Option<Vec<u8>> {
        let bytes = self.system.read(&self.path(digest), ReadScope::Anywhere, COPY_LIMIT).ok()?.into_bytes();
        (Digest::of(&bytes) == *digest).then_some(bytes)
    }

    /// Writes a copy, unless it is there and whole.
    fn keep(&self, digest: &Digest, bytes: &[u8]) -> Result<(), TrustError> {
        let path = self.path(digest);
        if self.read(digest).is_some() {
            return Ok(());
        }
        self.system
            .make_dir(&self.dir, DIR_MODE)
            .map_err(|error| TrustError::unavailable(&self.dir, error))?;
        self.system
            .write(&path, bytes, WriteMode::Replace, FILE_MODE)
            .map_err(|error| TrustError::unavailable(path, error))
    }

    /// Removes copies. One that stays is no danger, only untidy.
    fn drop_all(&self, digests: &[Digest]) -> Vec<AuditEvent> {
        let remove = |digest| self.system.remove(&self.path(digest)).err();
        let events = digests.iter().filter_map(remove).map(|error| AuditEvent::SuppressedError {
            reason: "remove the copy of a text that is no longer granted".into(),
            cause: error.to_string(),
        });
        events.collect()
    }
}

/// A record that could not be made or read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// The path is not canonical, or cannot be stored in a record.
    #[error("`{}` cannot be recorded: {why}", escaped(path))]
    EntryInvalid {
        /// The given path.
        path: PathBuf,
        /// The problem.
        why: String,
    },
    /// The store lies inside of the project that its records are about.
    #[error("the trust store `{}` lies inside of the project `{}`", escaped(store), escaped(root))]
    ScopeViolation {
        /// The store.
        store: PathBuf,
        /// The project's root.
        root: PathBuf,
    },
    /// Other users own the store, or can write it or its directory. Nothing was changed.
    #[error("the trust store is not used: `{}`: {why}", escaped(path))]
    Exposed {
        /// The file or directory in question.
        path: PathBuf,
        /// The problem.
        why: &'static str,
        /// The command that fixes the problem.
        remedy: String,
    },
    /// The store cannot be read, understood, locked or written. Nothing was changed.
    #[error("the trust store is not available: `{}`: {why}", escaped(path))]
    Unavailable {
        /// The file in question.
        path: PathBuf,
        /// In the machine's words.
        why: String,
    },
}

impl TrustError {
    pub(super) fn invalid(path: impl Into<PathBuf>, why: impl Into<String>) -> Self {
        TrustError::EntryInvalid { path: path.into(), why: why.into() }
    }

    pub(super) fn exposed(path: &Path, why: &'static str, remedy: &str) -> Self {
        let remedy = format!("{remedy} {}", escaped(path));
        TrustError::Exposed { path: path.to_owned(), why, remedy }
    }

    pub(super) fn unavailable(path: impl Into<PathBuf>, why: impl ToString) -> Self {
        TrustError::Unavailable { path: path.into(), why: why.to_string() }
    }

    /// Returns the stable code, `Class/Code`.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        match self {
            TrustError::EntryInvalid { .. } => DiagnosticCode::TrustEntryInvalid,
            TrustError::ScopeViolation { .. } => DiagnosticCode::TrustScopeViolation,
            TrustError::Exposed { .. } => DiagnosticCode::TrustStoreUnavailable,
            TrustError::Unavailable { .. } => DiagnosticCode::TrustStoreUnavailable,
        }
    }

    /// Returns what to do about it.
    #[must_use]
    pub fn help(&self) -> Remedy {
        match self {
            TrustError::Exposed { remedy, .. } => {
                format!("`{remedy}`, then check which decisions are recorded").into()
            }
            TrustError::EntryInvalid { .. } => {
                "a record names canonical, absolute paths, and texts of at most 16 MiB".into()
            }
            TrustError::ScopeViolation { .. } => {
                "a repository could bring its own records; set `PREFACE_HOME` (or `XDG_STATE_HOME`) to a directory outside of the project".into()
            }
            TrustError::Unavailable { .. } => {
                "until the file can be read every project is untrusted, and it is not overwritten; repair it or move it away".into()
            }
        }
    }

    /// Returns the diagnostic, with the place.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let path = match self {
            TrustError::EntryInvalid { path, .. }
            | TrustError::Exposed { path, .. }
            | TrustError::Unavailable { path, .. } => path,
            TrustError::ScopeViolation { store, .. } => store,
        };
        Diagnostic::error(self.code(), self.to_string())
            .at(Place::file(None, escaped(path)))
            .help(self.help())
    }
}
