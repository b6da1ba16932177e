//! The context of a provider: the machine, the places, the gate, and one way of reading that reports every failure.

use crate::{
    places::{Places, normal, resolve_links},
    provider::git,
    system::{DirEntry, FileRead, ReadError, ReadScope, System, is_kernel_path, is_open, is_users},
    trust::{
        GrantedCommands,
        bounds::Bounds,
        gate::{Gate, GateVerdict, UnreadFile},
    },
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Place, Remedy, Severity},
    hook::SkillPath,
    lint::hidden::escape_hidden,
    mcp_servers::ServerEntry,
    origin::{Origin, Piece, decode},
    profile::ByteOrderMark,
    scope::Scope,
    section::Section,
    settings::MergedSettings,
    trust::{TrustKind, TrustMode},
    turn::Turn,
};
use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Asks the user something, or does not.
pub trait Confirm: fmt::Debug {
    /// Returns true only if a person confirmed exactly this question.
    fn confirm(&self, question: &str) -> bool;
}

/// Confirmation without a user: always no.
#[derive(Debug)]
pub struct Headless;

impl Confirm for Headless {
    fn confirm(&self, _question: &str) -> bool {
        false
    }
}

/// One turn's view of the machine.
#[derive(Debug)]
pub struct ProviderContext<'a> {
    /// The machine.
    pub system: &'a dyn System,
    /// The turn.
    pub turn: &'a Turn,
    /// The directories of the build.
    pub places: &'a Places,
    /// The embedded folder whose extensions and texts are the bundled layer's; `None` is what ships for everybody.
    pub bundle: Option<&'a str>,
    /// The gate for texts of the project.
    pub gate: &'a Gate,
    /// The texts that the caller gave for the profile's `text_options`.
    pub given: &'a BTreeMap<String, Vec<Piece>>,
    /// The directories that files of the tree and `file:` variables must be in, real paths; `None` is anywhere.
    pub roots: Option<&'a [PathBuf]>,
    /// The directories that files of the project may be in.
    pub bounds: &'a Bounds,
    /// The merged settings.
    pub settings: &'a MergedSettings,
    /// The way to let the user confirm something.
    pub confirm: &'a dyn Confirm,
    /// The commands of the project that may run; `None` is none.
    pub granted: Option<&'a GrantedCommands>,
    /// The diagnostics so far.
    pub diagnostics: RefCell<Diagnostics>,
    /// Paths of skills that were announced for this conversation.
    pub skill_paths: &'a [SkillPath],
    /// The handling of a byte order mark at the head of a file.
    pub bom: ByteOrderMark,
    /// The sections of the profile.
    pub sections: &'a [Section],
    /// The MCP servers of all layers.
    pub servers: &'a [ServerEntry],
    /// The bytes that `file:` variables may still have in this build: each spelling of a path is a variable
    /// of its own.
    pub file_room: Cell<u64>,
}

/// The most that is read of a context file.
pub const CONTEXT_FILE_LIMIT: u64 = 4 << 20;
/// The most that is read of a `file:` variable.
pub const FILE_VARIABLE_LIMIT: u64 = 1 << 20;
/// The most that all `file:` variables of a build have together.
pub const FILE_VARIABLES_LIMIT: u64 = 64 << 20;
/// The reason for leaving out a text of the project that the user has not decided about.
pub const NOT_TRUSTED: &str = "it is not trusted";
/// The reason for leaving texts out where the caller denies the project.
pub const DENIED: &str = "this call denies the project";
/// The help for that. A grant has no effect there.
pub const DENIED_HELP: &str = "leave out `--trust deny`";
/// The help for a file with several names where such files are refused.
pub(crate) const HARD_LINK_HELP: &str =
    "copy the file, so that it has one name; or set `trust.hardLinks` to true in your own settings";
/// The most that is read of a settings file.
pub const SETTINGS_LIMIT: u64 = 1 << 20;

impl ProviderContext<'_> {
    /// Adds a diagnostic.
    pub fn note(&self, diagnostic: Diagnostic) {
        self.diagnostics.borrow_mut().push(diagnostic);
    }

    /// Reads a file of a layer or of the tree as pieces. A missing file is silent; every other failure, and every
    /// text that the gate holds, is a diagnostic.
    pub fn pieces(&self, what: &ReadRequest<'_>) -> Option<Vec<Piece>> {
        let read = self.read(what)?;
        Some(self.decoded(what.scope, what.path, &read))
    }

    /// Reads a file and lets the gate decide; the pieces are the caller's to make.
    pub fn read(&self, what: &ReadRequest<'_>) -> Option<FileRead> {
        self.read_or_why(what).ok()
    }

    /// Reads a file as [`ProviderContext::read`] does.
    ///
    /// # Errors
    /// The reason why there is nothing, which was reported.
    pub(crate) fn read_or_why(&self, what: &ReadRequest<'_>) -> Result<FileRead, ReadFailure> {
        let read = match what.scope {
            Scope::Project => self.open(what.path, what.within, what.limit, what.extent),
            _ => what.extent.read(self.system, what.path, what.within, what.limit),
        };
        let read = match read {
            Ok(read) => read,
            Err(ReadError::Missing) => return Err(ReadFailure::Unreadable),
            Err(error) => {
                self.note(self.unreadable(what, &error));
                if what.scope == Scope::Project {
                    self.add_unread(what.path, error, what.kind);
                }
                return Err(ReadFailure::Unreadable);
            }
        };
        if let Some(encoding) = utf_16(&read.bytes) {
            let shown = self.places.source(what.scope, what.path).path.clone();
            self.note(other_encoding(Some(what.scope), &shown, encoding));
            if what.scope == Scope::Project {
                self.add_unread(what.path, ReadError::Encoding(encoding), what.kind);
            }
            return Err(ReadFailure::Unreadable);
        }
        if what.scope == Scope::Project {
            let shown = self.places.shown(what.path);
            let verdict = self.admit(what.path, &shown, &read.bytes, what.kind);
            if verdict != GateVerdict::Included {
                self.note(untrusted(verdict, &shown, read.bytes.len()));
                return Err(ReadFailure::Untrusted);
            }
        }
        Ok(read)
    }

    /// Returns whether a file of the project may take the place of one of the user's that has its name: by a grant alone,
    /// whatever the mode. What may not is reported.
    pub(crate) fn may_replace(&self, what: &ReadRequest<'_>) -> bool {
        self.read(&ReadRequest { kind: TrustKind::Configuration, ..*what }).is_some()
    }

    /// Lets the gate decide about a text of the project. Grants are about the place where a file really lies.
    pub(crate) fn admit(
        &self,
        path: &Path,
        shown: &str,
        bytes: &Arc<Vec<u8>>,
        kind: TrustKind,
    ) -> GateVerdict {
        let real = self.real(path);
        let path = normal(&self.places.cwd, path);
        let shared = [&path, &real].into_iter().any(|path| self.is_planted(path));
        let verdict = self.gate.admit(&real, shown, bytes, kind, shared);
        if !self.gate.lists(&real) {
            return verdict;
        }
        let without_links = self
            .bounds
            .place_without_links(&path, self.system, self.places)
            .or_else(|| Some(self.system.canonical(path.parent()?).ok()?.join(path.file_name()?)));
        if without_links.is_some_and(|place| place != real) {
            self.gate.add_link(&real, &path);
        }
        verdict
    }

    /// Reads a file that a project names. It must really be in the project (in its own directory where it is above
    /// the project), or in the directory that `within` names; a link out of there is followed only to what the user
    /// allowed, and that is reported.
    ///
    /// # Errors
    /// Those of [`Bounds::open`].
    pub(crate) fn open(
        &self,
        path: &Path,
        within: ReadScope<'_>,
        limit: u64,
        extent: Extent,
    ) -> Result<FileRead, ReadError> {
        let root = match within {
            ReadScope::Root(root) => root,
            ReadScope::Anywhere => self.root_of(path),
        };
        let file = self.bounds.open(path, root, self.roots, limit, extent, self.system)?;
        if let Some(target) = &file.followed {
            self.note_followed(path, target);
        }
        Ok(file.read)
    }

    /// Records that something of the project was not read, for grants.
    pub(crate) fn add_unread(&self, path: &Path, error: ReadError, kind: TrustKind) {
        self.gate.add_unread(UnreadFile { shown: self.places.shown(path), error, kind });
    }

    fn note_followed(&self, path: &Path, target: &Path) {
        let (shown, target) = (self.places.shown(path), self.places.shown(target));
        let diagnostic = Diagnostic::info(
            DiagnosticCode::FileFollowed,
            format!("{shown} leads out of the project, to `{target}`"),
        )
        .at(Place::file(Some(Scope::Project), shown));
        let mut diagnostics = self.diagnostics.borrow_mut();
        if !diagnostics.contains(&diagnostic) {
            diagnostics.push(diagnostic);
        }
    }

    /// Returns the place where a directory that a project names really lies.
    ///
    /// # Errors
    /// Those of [`System::canonical`], and [`ReadError::Outside`] where it is neither in `root` nor allowed by the user.
    pub fn enter(&self, dir: &Path, root: &Path) -> Result<PathBuf, ReadError> {
        let real = self.system.canonical(dir)?;
        if self.may_lie_at(&real, root) { Ok(real) } else { Err(ReadError::Outside { target: real }) }
    }

    /// Lists a directory of a layer; a project's only where [`ProviderContext::enter`] allows it.
    ///
    /// # Errors
    /// Those of [`ProviderContext::enter`] and [`System::list`].
    pub fn list(
        &self,
        scope: Scope,
        dir: &Path,
        root: &Path,
        limit: usize,
    ) -> Result<Vec<DirEntry>, ReadError> {
        match scope {
            Scope::Project => {
                let entries = self.enter(dir, root).and_then(|real| self.system.list(&real, limit));
                if let Err(error) = &entries
                    && !matches!(error, ReadError::Missing | ReadError::Kind(_))
                {
                    self.add_unread(dir, error.clone(), TrustKind::LayerText);
                }
                entries
            }
            _ => self.system.list(dir, limit),
        }
    }

    /// Returns the diagnostic of something that was left out. Where it leads out of the project, or may be a file of
    /// somewhere else, that has a code and a help of its own.
    pub(crate) fn left_out(
        &self,
        scope: Scope,
        path: &Path,
        code: DiagnosticCode,
        error: &ReadError,
    ) -> Diagnostic {
        let shown = self.places.source(scope, path).path.clone();
        let diagnostic = |code: DiagnosticCode| {
            let why = error.to_string();
            Diagnostic::left_out(Severity::Warning, code, &shown, escape_hidden(&why))
                .at(Place::file(Some(scope), shown.clone()))
        };
        match error {
            ReadError::Outside { target } => {
                diagnostic(DiagnosticCode::FileOutside).help(self.help_for_outside(target))
            }
            ReadError::HardLink { .. } => diagnostic(DiagnosticCode::FileLink).help(HARD_LINK_HELP),
            _ => diagnostic(code),
        }
    }

    /// True where something that a project names may lie at a real path: in `root` or in what the user allowed, and in one
    /// of the roots, if there are any.
    #[must_use]
    pub fn may_lie_at(&self, real: &Path, root: &Path) -> bool {
        let in_root =
            || real.starts_with(root) || self.system.canonical(root).is_ok_and(|root| real.starts_with(root));
        (self.bounds.follows(real) || in_root())
            && self.roots.is_none_or(|roots| roots.iter().any(|root| real.starts_with(root)))
    }

    /// Returns what to do about something that leads out of the project.
    pub(crate) fn help_for_outside(&self, target: &Path) -> Remedy {
        help_for_outside(self.roots, target)
    }

    /// True if a file of the tree may be looked at: it really lies in one of the roots, if there are any.
    #[must_use]
    pub fn in_roots(&self, path: &Path) -> bool {
        self.roots.is_none_or(|roots| {
            self.system.canonical(path).is_ok_and(|real| roots.iter().any(|root| real.starts_with(root)))
        })
    }

    /// True where the repository of the cwd begins above the roots. Which files are there is not looked at.
    pub(crate) fn is_repository_above_roots(&self) -> bool {
        let Some(roots) = self.roots else { return false };
        git::work_tree_root(self.system, &self.places.cwd)
            .is_some_and(|root| !roots.iter().any(|allowed| root.starts_with(allowed)))
    }

    /// Reports once that the repository of the cwd begins above the roots, so that its files there are not read.
    pub(crate) fn note_above_roots(&self) {
        if !self.is_repository_above_roots() {
            return;
        }
        let diagnostic =
            above_roots("the repository begins above the roots: its instruction files there were not read");
        let is_known = self.diagnostics.borrow().contains(&diagnostic);
        if !is_known {
            self.note(diagnostic);
        }
    }

    /// True where others could have planted a file: it lies outside of the project, below a directory that all users can
    /// write (a sticky one too), and is neither the user's nor root's.
    fn is_planted(&self, path: &Path) -> bool {
        self.system.link_stat(path).is_some_and(|stat| !is_users(self.system, &stat))
            && path.ancestors().skip(1).any(|dir| is_open(self.system, dir))
            && !self.bounds.is_in_project(path, self.system, self.places)
    }

    /// Returns the directory in which a program starts: the working directory for one that the project brings, or in a granted
    /// directory; for one of the user's elsewhere the home directory, because what a program loads by its working directory
    /// would be the project's. `None` if there is no home directory.
    pub(crate) fn start_dir(&self, is_of_project: bool) -> Option<&Path> {
        if is_of_project || self.gate.is_granted() {
            return Some(&self.places.cwd);
        }
        self.places.home.as_deref().or(self.places.global.as_deref())
    }

    /// Returns the directory of the project.
    #[must_use]
    pub fn project_root(&self) -> &Path {
        self.bounds.project_root(self.system, self.places)
    }

    /// Returns the directory that a file of the project must really be in.
    #[must_use]
    pub fn root_of<'p>(&'p self, path: &'p Path) -> &'p Path {
        self.bounds.root_of(path, self.system, self.places)
    }

    /// Returns the directory that files of the project directory must be in. A project that is trusted as a whole is the
    /// directory that a link leads to; everywhere else such a link may not leave the project.
    #[must_use]
    pub fn layer_root(&self) -> &Path {
        match (self.gate.mode(), &self.places.project) {
            (TrustMode::Whole, Some(root)) => root,
            _ => self.project_root(),
        }
    }

    /// Returns the canonical path of a file that was just read: grants are about that path, whichever way led
    /// there.
    pub(crate) fn real(&self, path: &Path) -> PathBuf {
        let path = normal(&self.places.cwd, path);
        self.system.canonical(&path).unwrap_or(path)
    }

    /// Converts bytes to pieces and reports where they are not UTF-8.
    pub fn decoded(&self, scope: Scope, path: &Path, read: &FileRead) -> Vec<Piece> {
        let source = self.places.source(scope, path);
        let pieces = decode(&read.bytes, &source);
        let is_lossy = pieces.iter().any(|piece| matches!(piece.origin, Origin::Source { lossy: true, .. }));
        let pieces = self.bom.apply(pieces);
        if is_lossy {
            let bad = read.bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
            let places = if bad == 1 { "1 place" } else { &format!("{bad} places") };
            self.note(
                Diagnostic::warning(
                    DiagnosticCode::FileNotUtf8,
                    format!("{} is not UTF-8: {places} became U+FFFD", source.path),
                )
                .at(Place::file(Some(scope), source.path.clone()))
                .help("save the file as UTF-8"),
            );
        }
        pieces
    }

    fn unreadable(&self, what: &ReadRequest<'_>, error: &ReadError) -> Diagnostic {
        let shown = self.places.source(what.scope, what.path).path.clone();
        if matches!(error, ReadError::Outside { .. } | ReadError::HardLink { .. }) {
            return self.left_out(what.scope, what.path, DiagnosticCode::FileUnreadable, error);
        }
        let (code, help) = code_and_help(error);
        let (severity, code) = match (error, what.severity) {
            // A link that leads nowhere does not exist: worth a word, and no error.
            (ReadError::Dangling | ReadError::Loop, Severity::Error) => (Severity::Warning, code),
            (_, severity) => (severity, what.code.unwrap_or(code)),
        };
        Diagnostic::left_out(severity, code, &shown, error)
            .at(Place::file(Some(what.scope), shown))
            .help(help)
    }
}

/// Returns the code of a file that is not read, and what to do about it.
pub(crate) fn code_and_help(error: &ReadError) -> (DiagnosticCode, &'static str) {
    match error {
        ReadError::TooLarge { .. } => {
            (DiagnosticCode::FileTooLarge, "shorten the file; nothing of it was used")
        }
        ReadError::Outside { .. } => (DiagnosticCode::FileOutside, "put the file in the place of the link"),
        ReadError::HardLink { .. } => (DiagnosticCode::FileLink, HARD_LINK_HELP),
        ReadError::Denied => (DiagnosticCode::FileUnreadable, "allow reading it, or remove it"),
        ReadError::Kind(_) => (DiagnosticCode::FileUnreadable, "put a regular file there, or nothing"),
        ReadError::Dangling | ReadError::Loop => (DiagnosticCode::FileLink, "mend the link, or remove it"),
        ReadError::Encoding(_) => (DiagnosticCode::FileNotUtf8, "save the file as UTF-8"),
        ReadError::Missing | ReadError::Other(_) => (DiagnosticCode::FileUnreadable, "mend or remove it"),
    }
}

/// The reason why a file was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadFailure {
    /// The file is missing or cannot be read.
    Unreadable,
    /// The file is untrusted and was left out.
    Untrusted,
}

/// Returns the name of another encoding than UTF-8 that the first bytes of a text show: by a byte order mark, or because at least
/// every second character has a NUL on the same side. As UTF-8 such a text has a NUL for each letter.
///
/// ```
/// use preface_host::provider::context::utf_16;
/// assert_eq!(utf_16(b"\xff\xfea\0"), Some("UTF-16 (little-endian)"));
/// assert_eq!(utf_16(b"\0a\0b"), Some("UTF-16 (big-endian) without a byte order mark"));
/// assert_eq!(utf_16(b"a\0\0\0b\0\0\0"), None);
/// assert_eq!(utf_16("nul \0 nul".as_bytes()), None);
/// ```
#[must_use]
pub fn utf_16(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, ..] => return Some("UTF-16 (little-endian)"),
        [0xfe, 0xff, ..] => return Some("UTF-16 (big-endian)"),
        _ => {}
    }
    let units = &bytes[..bytes.len().min(UTF_16_SAMPLE)].chunks_exact(2);
    let count = units.len();
    let nuls = |side: usize| units.clone().filter(|unit| unit[side] == 0).count();
    let is_half = |nuls: usize, others: usize| count > 1 && nuls * 2 >= count && others * 10 <= nuls;
    match (nuls(0), nuls(1)) {
        (high, low) if is_half(low, high) => Some("UTF-16 (little-endian) without a byte order mark"),
        (high, low) if is_half(high, low) => Some("UTF-16 (big-endian) without a byte order mark"),
        _ => None,
    }
}

/// The number of bytes at the head of a text that show its encoding.
const UTF_16_SAMPLE: usize = 4096;

/// Returns the diagnostic of a text in another encoding.
#[must_use]
pub fn other_encoding(scope: Option<Scope>, shown: &str, encoding: &'static str) -> Diagnostic {
    let error = ReadError::Encoding(encoding);
    Diagnostic::left_out(Severity::Error, DiagnosticCode::FileNotUtf8, shown, error)
        .at(Place::file(scope, shown))
        .help("save the file as UTF-8")
}

/// The part of a file that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The whole file; one above the limit is an error.
    Whole,
    /// The bytes up to the limit.
    Head,
}

impl Extent {
    /// Reads this part of a file.
    ///
    /// # Errors
    /// Those of [`System::read`].
    pub fn read(
        self,
        system: &dyn System,
        path: &Path,
        within: ReadScope<'_>,
        limit: u64,
    ) -> Result<FileRead, ReadError> {
        match self {
            Extent::Whole => system.read(path, within, limit),
            Extent::Head => system.read_head(path, within, limit),
        }
    }
}

/// A file to read.
#[derive(Clone, Copy, Debug)]
pub struct ReadRequest<'a> {
    /// The scope.
    pub scope: Scope,
    /// The path.
    pub path: &'a Path,
    /// The directory that the file must be in.
    pub within: ReadScope<'a>,
    /// The limit in bytes.
    pub limit: u64,
    /// The handling of a larger file: an error, or read up to the limit.
    pub extent: Extent,
    /// A file of the project directory, or of the tree.
    pub kind: TrustKind,
    /// The severity of a failure.
    pub severity: Severity,
    /// The code of a failure, where it is fixed.
    pub code: Option<DiagnosticCode>,
}

impl<'a> ReadRequest<'a> {
    /// Wants a file of the user's own directory.
    #[must_use]
    pub fn global(path: &'a Path, limit: u64) -> Self {
        ReadRequest {
            scope: Scope::Global,
            path,
            within: ReadScope::Anywhere,
            limit,
            extent: Extent::Whole,
            kind: TrustKind::LayerText,
            severity: Severity::Warning,
            code: None,
        }
    }

    /// Wants a file of the project.
    #[must_use]
    pub fn project(path: &'a Path, within: ReadScope<'a>, limit: u64, kind: TrustKind) -> Self {
        ReadRequest { scope: Scope::Project, within, kind, ..ReadRequest::global(path, limit) }
    }
}

/// Returns the diagnostic of something of a repository that begins above the roots.
pub(crate) fn above_roots(what: impl Into<String>) -> Diagnostic {
    Diagnostic::info(DiagnosticCode::FileAboveRoots, what)
        .help(Remedy::flag("let the directory of the repository be read", "--root DIR"))
}

fn help_for_outside(roots: Option<&[PathBuf]>, target: &Path) -> Remedy {
    match roots {
        _ if is_kernel_path(target) => "remove the link; files of the kernel are never read".into(),
        Some(_) => "copy it into the project; links out of it are not followed here".into(),
        None => {
            let target = escape_hidden(&target.display().to_string()).into_owned();
            Remedy::flag("copy it into the project, or allow the link", format_args!("--follow {target}"))
        }
    }
}

/// Reports a project directory that is a link out of the project, where the user allowed nothing in it: there is no project
/// layer then.
#[must_use]
pub fn project_directory_outside(
    system: &dyn System,
    places: &Places,
    bounds: &Bounds,
    roots: Option<&[PathBuf]>,
) -> Option<Diagnostic> {
    let dir = places.project.as_ref()?;
    let target = system.canonical(dir).ok()?;
    let root = resolve_links(system, bounds.project_root(system, places));
    let is_allowed = |named: &PathBuf| target.starts_with(named) || named.starts_with(&target);
    if target.starts_with(&root) || bounds.follow.iter().any(is_allowed) {
        return None;
    }
    let shown = places.shown(dir);
    let error = ReadError::Outside { target: target.clone() }.to_string();
    let diagnostic =
        Diagnostic::left_out(Severity::Warning, DiagnosticCode::FileOutside, &shown, escape_hidden(&error));
    Some(diagnostic.at(Place::file(Some(Scope::Project), shown)).help(help_for_outside(roots, &target)))
}

pub(crate) fn untrusted(verdict: GateVerdict, shown: &str, bytes: usize) -> Diagnostic {
    let (why, help) = match verdict {
        GateVerdict::UntrustedChanged => {
            ("it changed since you trusted it", Remedy::grant("look at what changed, then trust it"))
        }
        GateVerdict::UntrustedShared => {
            ("others could have put it there", Remedy::grant("look at it, then trust it by its path"))
        }
        GateVerdict::UntrustedNew | GateVerdict::Included => {
            (NOT_TRUSTED, Remedy::grant("look at it, then trust it"))
        }
        GateVerdict::Denied => (DENIED, DENIED_HELP.into()),
    };
    let what = format!("{shown} ({bytes} bytes)");
    Diagnostic::left_out(Severity::Warning, DiagnosticCode::TrustUntrusted, what, why)
        .at(Place::file(Some(Scope::Project), shown))
        .help(help)
}
