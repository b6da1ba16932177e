//! A command of a project: what its grant is about, compared right before its start.
//!
//! A permission has the words, the digest of each word that is, as a whole, a regular file of the project, and of the directory of
//! the extension where one of these lies in it. The command starts in place; who can swap a file within the milliseconds
//! between the comparison and the start can write in the project anyway.

use super::{
    digest::{Digest, ListHasher},
    permission::{Permission, PermissionAction, PinnedFile},
    pins::PinPath,
    store::TrustError,
};
use crate::{
    places::normal,
    system::{FileKind, ReadError, ReadScope, Stat, System},
};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
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
    pub env: &'a BTreeMap<String, String>,
    /// The directory of its extension. If one of the words names a file in it, the directory belongs to the
    /// program.
    pub directory: Option<&'a Path>,
}

/// A command of a project with its permission.
///
/// ```
/// use preface_host::{system::testing::MemorySystem, trust::{CheckedCommand, CommandWords}};
/// use std::path::Path;
///
/// let system = MemorySystem::new().with_file("/work/check.js", "ok()");
/// let root = Path::new("/work");
/// let argv = ["node".to_owned(), "check.js".to_owned()];
/// let words = CommandWords { subject: "hooks/check", argv: &argv, cwd: root, env: &Default::default(), directory: None };
/// let command = CheckedCommand::check(&system, root, &words)?;
///
/// assert_eq!(command.argv(&system)?, ["node", "check.js"]);
/// system.put_file("/work/check.js", "other()");
/// assert!(command.argv(&system).is_err());
/// # Ok::<(), preface_host::trust::TrustError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedCommand {
    /// The permission that a grant of the command records.
    pub permission: Permission,
    root: PathBuf,
    dir: PathBuf,
    extension: Option<PathBuf>,
}

/// The commands of a project that may run, by subject.
pub type GrantedCommands = BTreeMap<String, CheckedCommand>;

impl CheckedCommand {
    /// Reads the files that the words of a command name, and describes its start. `root` is the project's.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where `cwd` is no directory of the project, where a word names something of the
    /// project that cannot be pinned (too large, unreadable, a pipe, a link that leads outside), and where the directory of the
    /// extension cannot be read whole.
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
        let (mut files, mut directory) = (Vec::new(), None);
        for (index, word) in command.argv.iter().enumerate() {
            let bare = index == 0 && !word.contains(std::path::is_separator);
            if bare || word.is_empty() || word.contains('\0') {
                continue;
            }
            let Some((path, digest)) = file_of(system, &root, &dir.join(word))? else { continue };
            if let Some(extension) = extension.as_deref().filter(|dir| path.resolve(&root).starts_with(dir))
                && directory.is_none()
            {
                let path = PinPath::new(&root, extension)?.as_str().to_owned();
                let digest = digest_of(&read_directory(system, &root, extension)?);
                directory = Some(PinnedFile { path, digest });
            }
            files.push(PinnedFile { path: path.as_str().to_owned(), digest });
        }
        files.sort();
        files.dedup();
        let cwd = match dir == root {
            true => ".".to_owned(),
            false => PinPath::new(&root, &dir)?.as_str().to_owned(),
        };
        let (argv, env) = (command.argv.to_vec(), command.env.clone());
        let action = PermissionAction::Command { argv, cwd, env, files, directory };
        let permission = Permission { subject: command.subject.to_owned(), action };
        Ok(CheckedCommand { permission, root, dir, extension: command.directory.map(Path::to_owned) })
    }

    /// Returns the words that start the command, once all that was checked is as it was.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where something changed since it was checked.
    pub fn argv(&self, system: &dyn System) -> Result<Vec<String>, TrustError> {
        let PermissionAction::Command { argv, env, .. } = &self.permission.action else {
            return Ok(Vec::new());
        };
        let subject = &self.permission.subject;
        let words = CommandWords { subject, argv, cwd: &self.dir, env, directory: self.extension.as_deref() };
        let now = CheckedCommand::check(system, &self.root, &words)?;
        if now.permission != self.permission {
            return Err(TrustError::invalid(subject, "it changed after it was compared with its grant"));
        }
        Ok(argv.clone())
    }

    /// Refuses a program of the project that is not there or not executable.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] for such a program.
    pub fn check_executable(&self, system: &dyn System) -> Result<(), TrustError> {
        let PermissionAction::Command { argv, .. } = &self.permission.action else { return Ok(()) };
        let Some(program) = argv.first().filter(|word| word.contains(std::path::is_separator)) else {
            return Ok(());
        };
        let asked = self.dir.join(program);
        let Ok(path) = system.canonical(&asked) else {
            if normal(&self.dir, &asked).starts_with(&self.root) {
                return Err(TrustError::invalid(asked, "there is no such file"));
            }
            return Ok(());
        };
        match system.stat(&path) {
            Some(stat) if path.starts_with(&self.root) && stat.mode.is_some() && !is_executable(&stat) => {
                Err(TrustError::invalid(path, "it is not executable; run `chmod +x` on it, then grant it"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the files of the command whose digests differ from those that were granted before, by path, with their bytes; all
    /// files of its directory where that one differs, and all where nothing was granted.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where a file cannot be read any more.
    pub fn changes(
        &self,
        system: &dyn System,
        granted: Option<&Permission>,
    ) -> Result<BTreeMap<String, Vec<u8>>, TrustError> {
        let PermissionAction::Command { files, directory, .. } = &self.permission.action else {
            return Ok(BTreeMap::new());
        };
        let (had_files, had_directory) = match granted.map(|granted| &granted.action) {
            Some(PermissionAction::Command { files, directory, .. }) => (&files[..], directory.as_ref()),
            _ => (&[][..], None),
        };
        let mut changed = BTreeMap::new();
        if let Some(PinnedFile { path: name, .. }) =
            directory.as_ref().filter(|directory| had_directory != Some(*directory))
        {
            let read = read_directory(system, &self.root, &self.root.join(name))?;
            changed.extend(read.into_iter().map(|(path, file)| (format!("{name}/{path}"), file.bytes)));
        }
        for PinnedFile { path, .. } in files.iter().filter(|file| !had_files.contains(file)) {
            let from = self.root.join(path);
            let read = system
                .read(&from, ReadScope::Root(&self.root), FILE_BYTES)
                .map_err(|error| TrustError::invalid(&from, error.to_string()))?;
            changed.insert(path.clone(), read.into_bytes());
        }
        Ok(changed)
    }
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
        Err(error @ ReadError::Outside { .. }) if normal(root, path).starts_with(root) => {
            no(error.to_string())
        }
        Err(ReadError::Outside { .. }) => Ok(None),
        Err(error) => no(error.to_string()),
    }
}

const EXECUTABLE: u32 = 0o111;

/// The most files, bytes and nested directories of an extension's directory.
pub(super) const FILES: usize = 2_000;
const BYTES: u64 = 32 << 20;
const DEPTH: usize = 16;

/// The largest single file that is pinned by its digest.
const FILE_BYTES: u64 = 16 << 20;

/// One file of an extension's directory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ProgramFile {
    executable: bool,
    bytes: Vec<u8>,
}

/// The files of a directory by their path, relative to it with `/`.
type ProgramFiles = BTreeMap<String, ProgramFile>;

/// Returns the digest of every file: its path, whether it can be executed, and its bytes.
fn digest_of(files: &ProgramFiles) -> Digest {
    let mut all = ListHasher::default();
    for (path, file) in files {
        all.add(path.as_bytes());
        all.add(if file.executable { b"x" } else { b"-" });
        all.add(&file.bytes);
    }
    all.digest()
}

fn is_executable(stat: &Stat) -> bool {
    stat.mode.is_some_and(|mode| mode & EXECUTABLE != 0)
}

/// Reads a directory of the project whole. `root` and `dir` are canonical.
///
/// # Errors
/// [`TrustError::EntryInvalid`] for what cannot be pinned: links that lead out of the directory, links to directories,
/// pipes and devices, names that are not UTF-8, unreadable files, and more than the limits allow.
fn read_directory(system: &dyn System, root: &Path, dir: &Path) -> Result<ProgramFiles, TrustError> {
    let mut reading = DirectoryListing { system, root, dir, files: ProgramFiles::new(), bytes: 0 };
    reading.directory(dir, "", 0)?;
    Ok(reading.files)
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
        if self.files.len() == FILES {
            return Err(refused(self.dir, too_many()));
        }
        let read = self.system.read(path, ReadScope::Root(self.root), FILE_BYTES);
        let read = read.map_err(|error| refused(path, error.to_string()))?;
        self.bytes += read.bytes.len() as u64;
        if self.bytes > BYTES {
            return Err(refused(self.dir, format!("more than {} MiB", BYTES >> 20)));
        }
        let file = ProgramFile { executable: is_executable(&read.stat), bytes: read.into_bytes() };
        self.files.insert(name, file);
        Ok(())
    }
}

fn too_many() -> String {
    format!("more than {FILES} files")
}

fn refused(path: &Path, why: String) -> TrustError {
    TrustError::invalid(
        path,
        format!("a program's directory is pinned whole, and this cannot be pinned: {why}"),
    )
}
