//! A command of a project, from its check to its start: what starts is what was checked.
//!
//! A file that is checked and then opened again by its name can be another file by then: whoever may write in the project
//! could swap it in between. So a granted program never starts from the project. Its files are read once, digested as they
//! were read, and copied to `programs/` beside the trust store, under the digest of the copy; only a copy that has this
//! digest is started.

use super::{
    contents::{Digest, ListHasher},
    permission::{Permission, PermissionAction, UnpinnedPaths, quoted},
    pins::PinPath,
    store::TrustError,
};
use crate::system::{CreateOutcome, FileKind, ReadError, ReadScope, Stat, System, WriteError, WriteMode};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path, PathBuf},
};

/// A command as a project names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandWords<'a> {
    /// The extension that starts it: `hooks/audit`, `mcp/github`.
    pub subject: &'a str,
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The working directory, absolute or relative to the root.
    pub cwd: &'a Path,
    /// The environment variables as the project wrote them.
    pub env: &'a [(String, String)],
    /// The directory of its extension. If one of the words names a file in it, the directory belongs to the
    /// program.
    pub directory: Option<&'a Path>,
}

/// A command of a project with its permission and the files that its words name.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{CheckedCommand, CommandWords}};
/// use std::path::Path;
/// # if cfg!(windows) { return Ok(()); }
///
/// let system = MemorySystem::new().with_file("/work/check.js", "ok()");
/// let root = Path::new("/work");
/// let argv = ["node".to_owned(), "check.js".to_owned()];
/// let words = CommandWords { subject: "hooks/check", argv: &argv, cwd: root, env: &[], directory: None };
/// let command = CheckedCommand::check(&system, root, &words)?;
///
/// let store = Path::new("/home/user/trust.json");
/// let start = command.copied_argv(&system, store)?;
/// assert!(start[1].starts_with("/home/user/programs/") && start[1].ends_with("/check.js"));
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCommand {
    /// The permission that a grant of the command records.
    pub permission: Permission,
    root: PathBuf,
    dir: PathBuf,
    /// The words that name files of the project, by their index.
    words: Vec<(usize, WordFile)>,
}

/// The commands of a project that may run, by subject.
pub type GrantedCommands = BTreeMap<String, GrantedCommand>;

/// A command of a project that is granted, and the store beside which its files are copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantedCommand {
    /// The command.
    pub command: CheckedCommand,
    /// The trust store.
    pub store: PathBuf,
}

impl GrantedCommand {
    /// Returns the words that start it; see [`CheckedCommand::copied_argv`].
    ///
    /// # Errors
    /// See there.
    pub fn argv(&self, system: &dyn System) -> Result<Vec<String>, TrustError> {
        self.command.copied_argv(system, &self.store)
    }
}

/// A file of the project that a word names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WordFile {
    path: PinPath,
    digest: Digest,
    /// The path in the directory of the extension.
    inside: Option<String>,
}

impl CheckedCommand {
    /// Reads the files that the words of a command name, and describes its start. `root` is the project's.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where `cwd` is no directory of the project, where a word names something of the
    /// project that cannot be pinned (too large, unreadable, a pipe, a link that leads outside), where the directory of the
    /// extension cannot be copied, and for what
    /// [`TrustStore::grant_permissions`](super::TrustStore::grant_permissions) would not record.
    pub fn check(system: &dyn System, root: &Path, command: &CommandWords<'_>) -> Result<Self, TrustError> {
        let asked = root.join(command.cwd);
        let root = system.canonical(root).unwrap_or_else(|_| root.to_owned());
        let dir = match system.canonical(&asked) {
            Ok(dir) if dir.starts_with(&root) => dir,
            Ok(_) => {
                return Err(TrustError::invalid(
                    asked,
                    "as a working directory it lies outside of the project",
                ));
            }
            Err(error) => return Err(TrustError::invalid(asked, format!("as a working directory: {error}"))),
        };
        let extension = command.directory.and_then(|dir| system.canonical(dir).ok());
        let mut program = None;
        let mut words = Vec::new();
        let mut parts = WordParts::default();
        for (index, word) in command.argv.iter().enumerate() {
            let bare = index == 0 && !word.contains(std::path::is_separator);
            if bare || word.is_empty() || word.contains('\0') {
                continue;
            }
            let Some((path, digest)) = file_of(system, &root, &dir.join(word))? else {
                if index > 0 {
                    for part in parts_of(word) {
                        parts.add(system, &root, &dir, part, is_output(word, part));
                    }
                }
                continue;
            };
            let real = path.resolve(&root);
            let inside = extension.as_deref().and_then(|extension| {
                let names: Option<Vec<_>> =
                    real.strip_prefix(extension).ok()?.iter().map(|name| name.to_str()).collect();
                Some((extension, names?.join("/")))
            });
            let Some((extension, inside)) = inside else {
                words.push((index, WordFile { path, digest, inside: None }));
                continue;
            };
            let files = match &program {
                Some(files) => files,
                None => program.insert(ProgramFiles::read(system, &root, extension)?),
            };
            // One reading for the word and the directory, so that both are about the same bytes.
            let digest = files
                .file(&inside)
                .ok_or_else(|| TrustError::invalid(&real, "it changed while it was read"))?;
            words.push((index, WordFile { path, digest, inside: Some(inside) }));
        }
        let cwd = match dir == root {
            true => ".".to_owned(),
            false => PinPath::new(&root, &dir)?.as_str().to_owned(),
        };
        let directory = match (&program, &extension) {
            (Some(files), Some(dir)) => Some((PinPath::new(&root, dir)?.as_str().to_owned(), files.digest())),
            _ => None,
        };
        let files: Vec<_> =
            words.iter().map(|(_, file)| (file.path.as_str().to_owned(), file.digest)).collect();
        parts.files.retain(|path, _| !files.iter().any(|(file, _)| file == path));
        let named = parts.files.into_iter().collect();
        let unpinned = UnpinnedPaths(parts.unpinned.into_iter().collect());
        let (argv, env) = (command.argv.to_vec(), command.env.to_vec());
        let action = PermissionAction::Command { argv, cwd, env, files, named, unpinned, directory };
        let permission = Permission { subject: command.subject.to_owned(), action }.tidy();
        permission.check().map_err(|why| TrustError::invalid(command.subject, why))?;
        Ok(CheckedCommand { permission, root, dir, words })
    }

    /// Returns the words that start the command. Those that name files of the project name copies of them, beside the trust
    /// store, which have exactly the bytes that were checked. What only a part of a word names is compared once more.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where a file changed since it was checked, or the program lies in the project and is no
    /// file of it; [`TrustError::ScopeViolation`] where the store lies in the project; [`TrustError::Unavailable`] where a
    /// copy cannot be written.
    pub fn copied_argv(&self, system: &dyn System, store: &Path) -> Result<Vec<String>, TrustError> {
        let PermissionAction::Command { argv, named, directory, .. } = &self.permission.action else {
            return Ok(Vec::new());
        };
        let mut argv = argv.clone();
        self.refuse_unchecked(system, &argv)?;
        for (path, digest) in named {
            let from = self.root.join(path);
            let now = file_of(system, &self.root, &from)?;
            if now.is_none_or(|(_, now)| now != *digest) {
                return Err(changed_after(from));
            }
        }
        // The directory of the store need not be there yet.
        let place = store.ancestors().skip(1).find_map(|dir| system.canonical(dir).ok());
        if place.is_some_and(|place| place.starts_with(&self.root)) {
            return Err(TrustError::ScopeViolation { store: store.to_owned(), root: self.root.clone() });
        }
        let copies = ProgramCopies::beside(system, store);
        for (index, file) in &self.words {
            let path = match (&file.inside, directory) {
                (Some(inside), Some((name, digest))) => {
                    let from = self.root.join(name);
                    let read = || Ok((from.clone(), ProgramFiles::read(system, &self.root, &from)?));
                    copies.directory(digest, read)?.join(inside)
                }
                _ => {
                    let from = file.path.resolve(&self.root);
                    let name = from.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
                    let is_program = *index == 0;
                    let read = || {
                        let read = system
                            .read(&from, ReadScope::Root(&self.root), FILE_BYTES)
                            .map_err(|error| TrustError::invalid(&from, error.to_string()))?;
                        Ok((from.clone(), ProgramFiles::single(&name, is_program, read.into_bytes())))
                    };
                    copies.directory(&single_digest(&name, is_program, file.digest), read)?.join(&*name)
                }
            };
            argv[*index] = path
                .to_str()
                .map(str::to_owned)
                .ok_or_else(|| TrustError::invalid(&path, "the path of the copy is not UTF-8"))?;
        }
        Ok(argv)
    }

    /// Refuses a program in the directory of its extension that is not executable: its copy, which has the same mode, could not
    /// be started.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] for such a program.
    pub fn check_executable(&self, system: &dyn System) -> Result<(), TrustError> {
        let program = self.words.iter().find(|(index, file)| *index == 0 && file.inside.is_some());
        let Some((_, file)) = program else { return Ok(()) };
        let path = file.path.resolve(&self.root);
        let mode = system.stat(&path).and_then(|stat| stat.mode);
        if mode.is_some_and(|mode| mode & EXECUTABLE == 0) {
            return Err(TrustError::invalid(
                path,
                "it is not executable; run `chmod +x` on it, then grant it",
            ));
        }
        Ok(())
    }

    /// Refuses a program that is in the project and was no file of it when the command was checked.
    fn refuse_unchecked(&self, system: &dyn System, argv: &[String]) -> Result<(), TrustError> {
        let Some(program) = argv.first().filter(|word| word.contains(std::path::is_separator)) else {
            return Ok(());
        };
        let path = self.dir.join(program);
        let inside = plainly(&path).starts_with(&self.root)
            || system.canonical(&path).is_ok_and(|real| real.starts_with(&self.root));
        match inside && !self.words.iter().any(|(index, _)| *index == 0) {
            true => Err(TrustError::invalid(path, "there was no such file when the command was checked")),
            false => Ok(()),
        }
    }

    /// Returns what a program that starts from a copy does without: what lies beside a single file of the project.
    #[must_use]
    pub fn missing_beside(&self) -> Option<String> {
        let single: Vec<_> = self
            .words
            .iter()
            .filter(|(_, file)| file.inside.is_none())
            .map(|(_, file)| quoted(file.path.as_str()))
            .collect();
        (!single.is_empty()).then(|| {
            format!(
                "it runs from a copy, so modules and files beside {} are not available to it; put what belongs \
                 together into the directory of an extension, which is copied whole",
                single.join(", ")
            )
        })
    }
}

/// A file of a command that differs from the one that was granted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramChange {
    /// Its path, relative to the project's root with `/`.
    pub path: String,
    /// Its bytes when it was granted; `None` if it is new, or if there is no copy of them any more.
    pub before: Option<Vec<u8>>,
    /// Its bytes now; `None` if it is gone.
    pub after: Option<Vec<u8>>,
}

impl CheckedCommand {
    /// Returns the files of the command that differ from those of the command that was granted before, by path; all of
    /// them where none was. What was granted is read from its copies beside the store. A file whose bytes are the same is
    /// one where only the executable bit changed.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where a file cannot be read any more.
    pub fn changes(
        &self,
        system: &dyn System,
        store: &Path,
        granted: Option<&Permission>,
    ) -> Result<Vec<ProgramChange>, TrustError> {
        let now = self.files_now(system)?;
        let mut before =
            granted.map(|granted| ProgramCopies::beside(system, store).files_of(granted)).unwrap_or_default();
        let mut changes = Vec::new();
        for (path, file) in now {
            let old = before.remove(&path);
            if old.as_ref() != Some(&file) {
                changes.push(ProgramChange {
                    path,
                    before: old.map(|old| old.bytes),
                    after: Some(file.bytes),
                });
            }
        }
        let gone = before.into_iter().map(|(path, old)| ProgramChange {
            path,
            before: Some(old.bytes),
            after: None,
        });
        changes.extend(gone);
        for (path, digest) in named_files(&self.permission) {
            if !granted.is_some_and(|granted| named_files(granted).contains(&(path.clone(), *digest))) {
                let after = Some(self.read(system, &self.root.join(path))?);
                changes.push(ProgramChange { path: path.clone(), before: None, after });
            }
        }
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }

    /// Returns the files of the command by their path in the project.
    fn files_now(&self, system: &dyn System) -> Result<BTreeMap<String, ProgramFile>, TrustError> {
        let mut files = BTreeMap::new();
        if let PermissionAction::Command { directory: Some((name, _)), .. } = &self.permission.action {
            let read = ProgramFiles::read(system, &self.root, &self.root.join(name))?;
            files.extend(read.0.into_iter().map(|(path, file)| (format!("{name}/{path}"), file)));
        }
        for (index, file) in self.words.iter().filter(|(_, file)| file.inside.is_none()) {
            let bytes = self.read(system, &file.path.resolve(&self.root))?;
            let file_now = ProgramFile { executable: *index == 0, bytes };
            files.insert(file.path.as_str().to_owned(), file_now);
        }
        Ok(files)
    }

    fn read(&self, system: &dyn System, from: &Path) -> Result<Vec<u8>, TrustError> {
        let read = system
            .read(from, ReadScope::Root(&self.root), FILE_BYTES)
            .map_err(|error| TrustError::invalid(from, error.to_string()))?;
        Ok(read.into_bytes())
    }
}

fn named_files(permission: &Permission) -> &[(String, Digest)] {
    match &permission.action {
        PermissionAction::Command { named, .. } => named,
        _ => &[],
    }
}

fn changed_after(path: PathBuf) -> TrustError {
    TrustError::invalid(path, "it changed after it was compared with its grant")
}

/// Files and directories of the project that a command names only in parts of its words.
#[derive(Debug, Default)]
struct WordParts {
    files: BTreeMap<String, Digest>,
    /// Directories, files that are only written, and what cannot be read.
    unpinned: BTreeSet<String>,
}

impl WordParts {
    fn add(&mut self, system: &dyn System, root: &Path, dir: &Path, part: &str, is_output: bool) {
        // The rest of `https://host/x` must not become a path of the network.
        let slashes = part.len() - part.trim_start_matches('/').len();
        let path = dir.join(&part[slashes.saturating_sub(1)..]);
        if system.stat(&path).is_some_and(|stat| stat.kind == FileKind::Dir) {
            let Ok(real) = system.canonical(&path) else { return };
            if root.starts_with(&real) {
                self.unpinned.insert(".".to_owned());
            } else if real.starts_with(root) {
                let name = PinPath::new(root, &real);
                self.unpinned.insert(name.map_or_else(|_| part.to_owned(), |name| name.as_str().to_owned()));
            }
            return;
        }
        match file_of(system, root, &path) {
            Ok(Some((path, _))) if is_output => _ = self.unpinned.insert(path.as_str().to_owned()),
            Ok(Some((path, digest))) => _ = self.files.insert(path.as_str().to_owned(), digest),
            Err(_) if plainly(&path).starts_with(root) => _ = self.unpinned.insert(part.to_owned()),
            Ok(None) | Err(_) => {}
        }
    }
}

/// The longest text that can be a path, in bytes, and the most options of one letter that can be before one.
const PATH_BYTES: usize = 4096;
const OPTIONS: usize = 16;

fn is_sign(c: char) -> bool {
    c.is_whitespace() || "'\"`()[]{}<>,:;=|&!@*?$#".contains(c) || (c == '\\' && !cfg!(windows))
}

/// Returns whether a word names this only as where a shell writes to (`date >> log`): its own output must not change a grant.
fn is_output(word: &str, part: &str) -> bool {
    let mut places = word.match_indices(part).peekable();
    places.peek().is_some()
        && places.all(|(at, _)| {
            let before = word[..at].trim_end_matches([' ', '\'', '"']);
            let ends = word[at + part.len()..].chars().next().is_none_or(is_sign);
            let operator = before.trim_end_matches('>');
            // `<>` reads, too; `=>` and `->` are of other languages.
            ends && operator.len() < before.len() && !operator.ends_with(['<', '=', '-'])
        })
}

/// Returns what may be a path in a word: the word, what follows a `=`, the pieces between blanks and signs, and what follows
/// options of one letter (`-xftools/x`).
fn parts_of(word: &str) -> BTreeSet<&str> {
    let rests = word.match_indices('=').map(|(at, _)| &word[at + 1..]);
    let is_path = |part: &&str| (1..=PATH_BYTES).contains(&part.len()) && !part.starts_with(r"\\");
    let mut parts: BTreeSet<_> =
        std::iter::once(word).chain(rests).chain(word.split(is_sign)).filter(is_path).collect();
    let options: Vec<_> = parts.iter().filter_map(|part| part.strip_prefix('-')).collect();
    for option in options {
        let letters = option.bytes().take(OPTIONS).take_while(u8::is_ascii_alphanumeric).count();
        parts.extend((1..=letters).map(|at| &option[at..]).filter(is_path));
    }
    parts
}

/// Returns where a word leads inside of the project, and the digest of what is there; `None` if it is no file of the
/// project.
fn file_of(system: &dyn System, root: &Path, path: &Path) -> Result<Option<(PinPath, Digest)>, TrustError> {
    let no =
        |why: String| Err(TrustError::invalid(path, format!("an argument that cannot be pinned: {why}")));
    match system.read(path, ReadScope::Root(root), FILE_BYTES) {
        Ok(read) => {
            let real =
                system.canonical(path).map_err(|error| TrustError::invalid(path, error.to_string()))?;
            let name = PinPath::new(root, &real)?;
            if Path::new(name.as_str()).has_root() {
                return no("it changed while it was read".into());
            }
            Ok(Some((name, Digest::of(&read.bytes))))
        }
        // A word that is no path; a directory; a path that no program can open either.
        Err(ReadError::Missing | ReadError::Dangling | ReadError::Loop | ReadError::Kind(FileKind::Dir)) => {
            Ok(None)
        }
        // The project decides where a link of its own leads, today and tomorrow.
        Err(error @ ReadError::Outside { .. }) if plainly(path).starts_with(root) => no(error.to_string()),
        Err(ReadError::Outside { .. }) => Ok(None),
        Err(error) => no(error.to_string()),
    }
}

/// Returns a path with its dots worked out in the text alone.
pub(super) fn plainly(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = plain.pop(),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// The directory with all copies.
const DIR: &str = "programs";
const DIR_MODE: u32 = 0o700;
const PROGRAM_MODE: u32 = 0o500;
const FILE_MODE: u32 = 0o400;
const EXECUTABLE: u32 = 0o111;

/// The most files, bytes and nested directories of one program.
pub(super) const FILES: usize = 2_000;
const BYTES: u64 = 32 << 20;
const DEPTH: usize = 16;

/// The largest single file that is pinned by its digest.
const FILE_BYTES: u64 = 16 << 20;

/// The most bytes that the list of a copy's files can have: each path is at most as long as the machine allows.
const LIST_BYTES: u64 = 16 << 20;

/// The number of copies that are kept regardless of their age, and the age after which others are removed.
const COPIES: usize = 64;
const OLD: SignedDuration = SignedDuration::from_hours(24);

/// The most entries that are read in a directory of copies.
const ENTRIES: usize = 10_000;

/// One file of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramFile {
    executable: bool,
    bytes: Vec<u8>,
}

/// The files of a program by their path, relative to their directory with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ProgramFiles(BTreeMap<String, ProgramFile>);

/// One file in the list of a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct CommandFile {
    path: String,
    executable: bool,
    digest: Digest,
}

impl ProgramFiles {
    /// Returns a program that is this file alone.
    fn single(name: &str, executable: bool, bytes: Vec<u8>) -> Self {
        ProgramFiles(BTreeMap::from([(name.to_owned(), ProgramFile { executable, bytes })]))
    }

    /// Reads a directory of the project whole. `root` and `dir` are canonical.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] for what cannot be copied: links that lead out of the directory, links to directories,
    /// pipes and devices, names that are not UTF-8, unreadable files, and more than the limits allow.
    fn read(system: &dyn System, root: &Path, dir: &Path) -> Result<Self, TrustError> {
        let mut reading = DirectoryListing { system, root, dir, files: ProgramFiles::default(), bytes: 0 };
        reading.directory(dir, "", 0)?;
        Ok(reading.files)
    }

    fn list(&self) -> Vec<CommandFile> {
        let listed = |(path, file): (&String, &ProgramFile)| CommandFile {
            path: path.clone(),
            executable: file.executable,
            digest: Digest::of(&file.bytes),
        };
        self.0.iter().map(listed).collect()
    }

    /// Returns the digest of every file: its path, whether it can be executed, and its bytes.
    fn digest(&self) -> Digest {
        digest_of(&self.list())
    }

    /// Returns the digest of one file's bytes.
    fn file(&self, path: &str) -> Option<Digest> {
        self.0.get(path).map(|file| Digest::of(&file.bytes))
    }
}

/// Returns the digest that [`ProgramFiles::single`] has, from the digest of the bytes.
fn single_digest(name: &str, executable: bool, digest: Digest) -> Digest {
    digest_of(&[CommandFile { path: name.to_owned(), executable, digest }])
}

fn digest_of(list: &[CommandFile]) -> Digest {
    let mut all = ListHasher::default();
    for CommandFile { path, executable, digest } in list {
        all.add(path.as_bytes());
        all.add(if *executable { b"x" } else { b"-" });
        all.add(digest.to_string().as_bytes());
    }
    all.digest()
}

fn is_executable(stat: &Stat) -> bool {
    stat.mode.is_some_and(|mode| mode & EXECUTABLE != 0)
}

/// A directory that is being read.
struct DirectoryListing<'a> {
    system: &'a dyn System,
    root: &'a Path,
    dir: &'a Path,
    files: ProgramFiles,
    bytes: u64,
}

impl DirectoryListing<'_> {
    fn directory(&mut self, dir: &Path, prefix: &str, depth: usize) -> Result<(), TrustError> {
        if depth > DEPTH {
            return Err(refused(dir, format!("more than {DEPTH} nested directories")));
        }
        // Each entry is a file or leads to one, so a directory with more of them exceeds the limit anyway.
        let entries = self.system.list(dir, FILES).map_err(|error| match error {
            ReadError::TooLarge { .. } => refused(self.dir, too_many()),
            error => refused(dir, error.to_string()),
        })?;
        for entry in entries {
            let path = dir.join(&entry.name);
            let Some(name) = entry.name.to_str() else {
                return Err(refused(&path, "its name is not UTF-8".to_owned()));
            };
            let name = format!("{prefix}{name}");
            match entry.kind {
                FileKind::Dir => self.directory(&path, &format!("{name}/"), depth + 1)?,
                FileKind::File => self.file(&path, name)?,
                FileKind::Link => {
                    let target =
                        self.system.canonical(&path).map_err(|error| refused(&path, error.to_string()))?;
                    if !target.starts_with(self.dir) {
                        return Err(refused(&path, "a link that leads out of the directory".to_owned()));
                    }
                    self.file(&path, name)?;
                }
                FileKind::Special => return Err(refused(&path, ReadError::Kind(entry.kind).to_string())),
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path, name: String) -> Result<(), TrustError> {
        if self.files.0.len() == FILES {
            return Err(refused(self.dir, too_many()));
        }
        let read = self.system.read(path, ReadScope::Root(self.root), FILE_BYTES);
        let read = read.map_err(|error| refused(path, error.to_string()))?;
        self.bytes += read.bytes.len() as u64;
        if self.bytes > BYTES {
            return Err(refused(self.dir, format!("more than {} MiB", BYTES >> 20)));
        }
        let file = ProgramFile { executable: is_executable(&read.stat), bytes: read.into_bytes() };
        self.files.0.insert(name, file);
        Ok(())
    }
}

fn too_many() -> String {
    format!("more than {FILES} files")
}

fn refused(path: &Path, why: String) -> TrustError {
    TrustError::invalid(
        path,
        format!("a program's directory is copied whole, and this cannot be copied: {why}"),
    )
}

/// The copies of granted programs, each `programs/<hex digest>/` beside the store, with the list of its files in
/// `programs/<hex digest>.json`.
#[derive(Clone, Debug)]
struct ProgramCopies<'a> {
    system: &'a dyn System,
    dir: PathBuf,
}

impl<'a> ProgramCopies<'a> {
    fn beside(system: &'a dyn System, store: &Path) -> Self {
        ProgramCopies { system, dir: store.with_file_name(DIR) }
    }

    /// Returns the directory of the copy with this digest, and makes the copy if there is none. A copy counts only
    /// where each of its files is there and has the bytes that the digest is about; it is checked each time.
    ///
    /// # Errors
    /// What `read` fails with; [`TrustError::EntryInvalid`] where it reads something else than the digest is about;
    /// [`TrustError::Unavailable`] where the copy cannot be written, or the directory of copies belongs to somebody else.
    fn directory(
        &self,
        digest: &Digest,
        read: impl FnOnce() -> Result<(PathBuf, ProgramFiles), TrustError>,
    ) -> Result<PathBuf, TrustError> {
        let copy = self.dir.join(digest.hex());
        if self.is_private()? && self.is_whole(&copy, digest) {
            return Ok(copy);
        }
        let (from, files) = read()?;
        if files.digest() != *digest {
            return Err(changed_after(from));
        }
        let no = |error: WriteError| TrustError::unavailable(&copy, error);
        self.system.make_dirs(&self.dir, DIR_MODE).map_err(no)?;
        if !self.is_private()? {
            return Err(TrustError::unavailable(&self.dir, "it is not there"));
        }
        // Whoever waits here finds the copy that the other one made.
        let _lock = self.system.lock(&self.dir.join("lock")).map_err(no)?;
        if !self.is_whole(&copy, digest) {
            let made = self.write(&copy, &files).map_err(no)?;
            if !self.is_whole(&copy, digest) {
                return Err(TrustError::unavailable(&copy, "the copy could not be completed"));
            }
            if made == CreateOutcome::New {
                self.remove_old();
            }
        }
        Ok(copy)
    }

    /// Returns the files of a granted command by their path in the project, as far as there are copies of them.
    fn files_of(&self, granted: &Permission) -> BTreeMap<String, ProgramFile> {
        let PermissionAction::Command { files, directory, .. } = &granted.action else {
            return BTreeMap::new();
        };
        let mut found = BTreeMap::new();
        if let Some((name, digest)) = directory {
            let copied = self.copied(digest).into_iter();
            found.extend(copied.map(|(path, file)| (format!("{name}/{path}"), file)));
        }
        let is_inside =
            |path: &str| directory.as_ref().is_some_and(|(dir, _)| Path::new(path).starts_with(dir));
        for (path, digest) in files.iter().filter(|(path, _)| !is_inside(path)) {
            let name = path.rsplit('/').next().unwrap_or_default();
            let copies =
                [true, false].map(|executable| self.copied(&single_digest(name, executable, *digest)));
            found.extend(copies.into_iter().flatten().map(|(_, file)| (path.clone(), file)));
        }
        found
    }

    /// Returns the files of the copy with this digest; none if there is no such copy, or it is not whole.
    fn copied(&self, digest: &Digest) -> BTreeMap<String, ProgramFile> {
        let copy = self.dir.join(digest.hex());
        if !self.is_private().unwrap_or(false) || !self.is_whole(&copy, digest) {
            return BTreeMap::new();
        }
        let Ok(dir) = self.system.canonical(&copy) else { return BTreeMap::new() };
        ProgramFiles::read(self.system, &dir, &dir).map(|files| files.0).unwrap_or_default()
    }

    /// Returns whether the directory of copies is there and belongs to the user alone.
    fn is_private(&self) -> Result<bool, TrustError> {
        let Some(stat) = self.system.link_stat(&self.dir) else { return Ok(false) };
        let own = stat.owner.is_none() || stat.owner == self.system.user_id();
        let closed = stat.mode.is_none_or(|mode| mode & 0o077 == 0);
        match stat.kind == FileKind::Dir && own && closed {
            true => Ok(true),
            false => Err(TrustError::unavailable(
                &self.dir,
                "programs start only from a directory that belongs to you alone (mode 700); remove this one",
            )),
        }
    }

    fn is_whole(&self, copy: &Path, digest: &Digest) -> bool {
        let Ok(read) = self.system.read(&list_of(copy), ReadScope::Root(&self.dir), LIST_BYTES) else {
            return false;
        };
        let Ok(list) = serde_json::from_slice::<Vec<CommandFile>>(&read.bytes) else { return false };
        digest_of(&list) == *digest
            && list.iter().all(|file| {
                let read = self.system.read(&copy.join(&file.path), ReadScope::Root(copy), FILE_BYTES);
                read.is_ok_and(|read| {
                    is_executable(&read.stat) == file.executable && Digest::of(&read.bytes) == file.digest
                })
            })
    }

    fn write(&self, copy: &Path, files: &ProgramFiles) -> Result<CreateOutcome, WriteError> {
        let made = self.system.make_dir(copy, DIR_MODE)?;
        for (path, file) in &files.0 {
            let path = copy.join(path);
            if let Some(parent) = path.parent() {
                self.system.make_dirs(parent, DIR_MODE)?;
            }
            let mode = if file.executable { PROGRAM_MODE } else { FILE_MODE };
            self.system.write(&path, &file.bytes, WriteMode::Replace, mode)?;
        }
        // The list comes last: without it the copy is not used.
        let list = serde_json::to_vec(&files.list()).map_err(|error| WriteError::Other(error.to_string()))?;
        self.system.write(&list_of(copy), &list, WriteMode::Replace, FILE_MODE)?;
        Ok(made)
    }

    /// Removes copies that are more than a few and more than a day old. One that is needed again is made again; one that
    /// stays is only untidy.
    fn remove_old(&self) {
        let Ok(entries) = self.system.list(&self.dir, ENTRIES) else { return };
        let now = self.system.now();
        let mut copies: Vec<_> = entries
            .into_iter()
            .filter(|entry| entry.kind == FileKind::Dir)
            .filter_map(|entry| {
                let path = self.dir.join(entry.name);
                // The list is written once, when the copy is made.
                let made = self.system.link_stat(&list_of(&path)).and_then(|stat| stat.changed)?;
                Some((made, path))
            })
            .collect();
        copies.sort();
        let more = copies.len().saturating_sub(COPIES);
        for (made, path) in copies.into_iter().take(more) {
            if now.duration_since(made) > OLD {
                let _ = self.system.remove(&list_of(&path));
                self.remove_tree(&path, 0);
            }
        }
    }

    fn remove_tree(&self, dir: &Path, depth: usize) {
        for entry in self.system.list(dir, ENTRIES).unwrap_or_default() {
            let path = dir.join(entry.name);
            match entry.kind {
                FileKind::Dir if depth < 2 * DEPTH => self.remove_tree(&path, depth + 1),
                _ => _ = self.system.remove(&path),
            }
        }
        let _ = self.system.remove_dir(dir);
    }
}

fn list_of(copy: &Path) -> PathBuf {
    let mut name = copy.as_os_str().to_owned();
    name.push(".json");
    name.into()
}
