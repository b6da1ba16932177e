//! A command of a project, from its check to its start: what starts is what was checked.

use super::{
    digest::Digest,
    error::TrustError,
    permit::{Action, Permit, quoted},
    pins::PinPath,
    program_files::{FILE_BYTES, ProgramCopies, ProgramFiles, single_digest},
};
use crate::system::{FileKind, ReadError, System, Within};
use std::{
    collections::BTreeMap,
    path::{Component, Path, PathBuf},
};

/// A command as a project names it.
#[derive(Clone, Copy, Debug)]
pub struct CommandWords<'a> {
    /// Who starts it: `hooks/audit`, `mcp/github`.
    pub subject: &'a str,
    /// The program and its arguments.
    pub argv: &'a [String],
    /// Where it works, absolute or relative to the root.
    pub cwd: &'a Path,
    /// Its variables as the project wrote them.
    pub env: &'a [(String, String)],
    /// The directory of its extension. Where one of the words names a file in there, the directory belongs to the program.
    pub directory: Option<&'a Path>,
}

/// A command of a project with its permit and the files that its words name.
///
/// ```
/// use preface_host::{system::memory::MemorySystem, trust::{CheckedCommand, CommandWords}};
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
    /// What a grant of it records.
    pub permit: Permit,
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
    /// Its path in the directory of the extension.
    inside: Option<String>,
}

impl CheckedCommand {
    /// Reads the files that the words of a command name, and describes its start. `root` is the project's.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where `cwd` is no directory of the project, where a word names something of the
    /// project that cannot be pinned (too large, unreadable, a pipe, a link that leads outside), where the directory of the
    /// extension cannot be copied, and for what
    /// [`TrustStore::grant_permits`](super::TrustStore::grant_permits) would not record.
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
        for (index, word) in command.argv.iter().enumerate() {
            let bare = index == 0 && !word.contains(std::path::is_separator);
            if bare || word.is_empty() || word.contains('\0') {
                continue;
            }
            let Some((path, digest)) = file_of(system, &root, &dir.join(word))? else { continue };
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
        let files = words.iter().map(|(_, file)| (file.path.as_str().to_owned(), file.digest)).collect();
        let (argv, env) = (command.argv.to_vec(), command.env.to_vec());
        let action = Action::Command { argv, cwd, env, files, directory };
        let permit = Permit { subject: command.subject.to_owned(), action }.tidy();
        permit.check().map_err(|why| TrustError::invalid(command.subject, why))?;
        Ok(CheckedCommand { permit, root, dir, words })
    }

    /// Returns the words that start the command. Those that name files of the project name copies of them, beside the trust
    /// store, which have exactly the bytes that were checked.
    ///
    /// # Errors
    /// [`TrustError::EntryInvalid`] where a file changed since it was checked, or the program lies in the project and is no
    /// file of it; [`TrustError::ScopeViolation`] where the store lies in the project; [`TrustError::Unavailable`] where a
    /// copy cannot be written.
    pub fn copied_argv(&self, system: &dyn System, store: &Path) -> Result<Vec<String>, TrustError> {
        let Action::Command { argv, directory, .. } = &self.permit.action else { return Ok(Vec::new()) };
        let mut argv = argv.clone();
        self.refuse_unchecked(system, &argv)?;
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
                            .read(&from, Within::Root(&self.root), FILE_BYTES)
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

    /// Refuses a program that lies in the project and was no file of it when the command was checked.
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

/// Returns where a word leads inside of the project, and the digest of what lies there; `None` where it is no file of the
/// project.
fn file_of(system: &dyn System, root: &Path, path: &Path) -> Result<Option<(PinPath, Digest)>, TrustError> {
    let no =
        |why: String| Err(TrustError::invalid(path, format!("an argument that cannot be pinned: {why}")));
    match system.read(path, Within::Root(root), FILE_BYTES) {
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
fn plainly(path: &Path) -> PathBuf {
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
