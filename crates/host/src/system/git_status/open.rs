//! Opens a repository as data: without the programs it names.

use super::{
    checks,
    patterns::{PATTERNS_LIMIT, PatternKind},
};
use crate::{
    provider::git::{Repository, shown_path, unreadable},
    system::{FileKind, GitError, HardLinks, ReadError, ReadScope, System as _, os::OsSystem},
};
use gix::{
    bstr::{BString, ByteSlice as _},
    config::{Source, file::Metadata},
    open::{Permissions, permissions},
    sec::Permission,
};
use std::{io, path::Path, sync::atomic::AtomicBool};

/// The most that is read of a repository's configuration, in bytes, and the largest list of `alternates`.
pub(super) const CONFIGURATION_LIMIT: u64 = 1024 * 1024;
/// The deepest nesting of included configuration files; git's own limit.
const INCLUDE_DEPTH: usize = 10;
/// The most configuration files of a repository.
const INCLUDE_LIMIT: usize = 100;
/// The largest object that is read, in bytes as unpacked.
pub(super) const OBJECT_LIMIT: u64 = 32 * 1024 * 1024;

/// Files of patterns that a configuration names.
type NamedPatterns = Vec<(PatternKind, BString)>;

/// A work tree whose repository is open.
pub(super) struct WorkTree {
    pub repo: gix::Repository,
    /// The canonical root of the work tree.
    pub root: std::path::PathBuf,
    /// Names of the filter drivers that git would run, taken out of the configuration.
    pub drivers: Vec<BString>,
    /// Files of patterns that the repository's configuration names.
    pub patterns: NamedPatterns,
    /// Treatment of git's own files that have several names.
    pub hard_links: HardLinks,
    linked: bool,
}

/// Opens the work tree of a repository that was found.
pub(super) fn work_tree(found: &Repository, interrupt: &AtomicBool) -> Result<WorkTree, GitError> {
    found.check_format(&OsSystem::new(&[]))?;
    checks::git_dir(found, interrupt)?;
    let mut read = Configurations::default();
    check_configuration(found, &found.common_dir.join("config"), 0, &mut read)?;
    check_configuration(found, &found.git_dir.join("config.worktree"), 0, &mut read)?;
    let options = gix::open::Options::default()
        .permissions(permissions_for_reading())
        .filter_config_section(is_not_of_the_repository)
        // By owner it would be lowered here and there; nothing depends on it once the filter above is in place.
        .with(gix::sec::Trust::Full)
        // Status never writes an object, so git does not check either whether line ends would survive.
        .config_overrides([
            "core.safecrlf=false".to_owned(),
            format!("gitoxide.objects.allocLimit={OBJECT_LIMIT}"),
        ])
        .open_path_as_is(true);
    let mut repo = gix::open_opts(&found.git_dir, options).map_err(|error| open_trouble(found, &error))?;
    if repo.object_hash() != gix::hash::Kind::Sha1 {
        return Err(GitError::Unsupported("SHA-256 objects".into()));
    }
    repo.set_workdir(Some(found.root.clone())).map_err(|error| broken(CONFIGURATION, &error))?;
    let (drivers, patterns) = disarm(&mut repo, found)?;
    Ok(WorkTree {
        repo,
        root: found.root.clone(),
        drivers,
        patterns,
        hard_links: found.hard_links,
        linked: found.git_dir != found.common_dir,
    })
}

impl WorkTree {
    /// Returns whether the repository is configured as bare, so that git refuses to have a work tree.
    pub(super) fn is_bare(&self) -> bool {
        !self.linked && self.boolean("core.bare", false)
    }

    /// Reads a boolean from the configuration; nonsense is the default.
    pub(super) fn boolean(&self, key: &str, default: bool) -> bool {
        self.repo.config_snapshot().boolean(key).unwrap_or(default)
    }

    /// Reads a text from the configuration.
    pub(super) fn string(&self, key: &str) -> Option<BString> {
        self.repo.config_snapshot().string(key)
    }
}

/// Returns the permissions for reading the configuration: the system's, the user's and the repository's. Of
/// the environment only the home directory is used.
fn permissions_for_reading() -> Permissions {
    // On Windows the library would have to run git to learn where the installation is.
    let system = cfg!(unix) && std::env::var_os("GIT_CONFIG_NOSYSTEM").is_none();
    Permissions {
        env: permissions::Environment {
            xdg_config_home: Permission::Allow,
            home: Permission::Allow,
            ..permissions::Environment::isolated()
        },
        config: permissions::Config {
            git_binary: false,
            system,
            git: true,
            user: true,
            env: false,
            includes: true,
        },
        attributes: permissions::Attributes { git_binary: false, system: cfg!(unix), git: true },
    }
}

/// The library takes programs and paths only from sections for which this holds.
fn is_not_of_the_repository(section: &Metadata) -> bool {
    !matches!(section.source, Source::Local | Source::Worktree)
}

/// Takes every driver out of the configuration and returns the names of the filters that git would run, and the files of
/// patterns that the repository names.
fn disarm(repo: &mut gix::Repository, found: &Repository) -> Result<(Vec<BString>, NamedPatterns), GitError> {
    let mut armed: Vec<BString> = Vec::new();
    let mut named = Vec::new();
    let mut subsections = Vec::new();
    {
        let config = repo.config_snapshot();
        for kind in ["filter", "diff"] {
            for section in config.plumbing().sections_by_name(kind).into_iter().flatten() {
                let Some(name) = section.header().subsection_name() else { continue };
                subsections.push((kind, name.to_owned()));
                let runs = ["clean", "process", "required"].iter().any(|key| section.value(key).is_some());
                if kind == "filter" && runs && !armed.iter().any(|armed| armed == name) {
                    armed.push(name.to_owned());
                }
            }
        }
        // These only change what is shown, but the library would not take a path from the repository.
        for (key, kind) in
            [("excludesFile", PatternKind::Ignore), ("attributesFile", PatternKind::Attributes)]
        {
            let sections = config.plumbing().sections_by_name("core").into_iter().flatten();
            let value =
                sections.filter_map(|core| core.value(key).map(|value| (value, core.meta().source))).last();
            if let Some((value, Source::Local | Source::Worktree)) = value {
                named.extend(named_file(found, &value).map(|path| (key, kind, path)));
            }
        }
    }
    let mut config = repo.config_snapshot_mut();
    for (kind, name) in subsections {
        while config.remove_section(kind, Some(name.as_bstr())).is_some() {}
    }
    for (key, _, path) in &named {
        let mut file = gix::config::File::new(Metadata::from(Source::Api));
        let mut core = file.new_section("core", None).map_err(|error| broken(CONFIGURATION, &error))?;
        core.push(*key, Some(path.as_bstr())).map_err(|error| broken(CONFIGURATION, &error))?;
        config.append(file).map_err(|error| broken(CONFIGURATION, &error))?;
    }
    config.commit().map_err(|error| broken(CONFIGURATION, &error))?;
    Ok((armed, named.into_iter().map(|(_, kind, path)| (kind, path)).collect()))
}

/// Returns a path of the repository's own configuration if an ordinary, small file of the work tree lies there, and no link
/// leads to it.
fn named_file(found: &Repository, value: &BString) -> Option<BString> {
    let path = found.named_path(&found.root, value)?;
    let stat = found.stat(&OsSystem::new(&[]), &path).ok().flatten()?;
    (stat.kind == FileKind::File && stat.len <= PATTERNS_LIMIT)
        .then(|| gix::path::into_bstr(path).ok().map(std::borrow::Cow::into_owned))
        .flatten()
}

/// Refuses a configuration that is no ordinary small file, or that includes such, before the library reads them whole. What it
/// includes lies in the work tree or in the repository, and no link leads to it: whoever made them could otherwise name any
/// file of the user, or one of a network. The library's own reader finds what is included, so that nothing is read in two ways.
fn check_configuration(
    found: &Repository,
    path: &Path,
    depth: usize,
    read: &mut Configurations,
) -> Result<(), GitError> {
    let system = OsSystem::new(&[]);
    // The repository's own was checked with its other files.
    if depth > 0 && found.stat(&system, path).is_err() {
        let what = "`include.path` of a file that only a link or another file system leads to";
        return Err(GitError::Unsupported(format!("{what}: `{}`", shown_path(path))));
    }
    let dir = path.parent().unwrap_or(path);
    let file = system.read(path, ReadScope::Root(dir), CONFIGURATION_LIMIT);
    let bytes = match file.and_then(|file| found.hard_links.check(&file.stat).map(|()| file.into_bytes())) {
        Ok(bytes) => bytes,
        Err(ReadError::Missing | ReadError::Dangling | ReadError::Kind(FileKind::Dir)) => return Ok(()),
        Err(error) => return Err(unreadable(path, error)),
    };
    read.files += 1;
    read.bytes += bytes.len() as u64;
    if depth > INCLUDE_DEPTH || read.files > INCLUDE_LIMIT || read.bytes > CONFIGURATION_LIMIT {
        return Err(GitError::Unsupported(format!("`{}` is one include too many", shown_path(path))));
    }
    let metadata = Metadata::from(Source::Local);
    let config = gix::config::File::from_bytes_no_includes(&bytes, metadata, Default::default())
        .map_err(|error| broken(&format!("`{}`", shown_path(path)), &error))?;
    for section in config.sections() {
        let name = section.header().name().to_ascii_lowercase();
        if name == b"core" {
            for value in section.values("worktree") {
                let named = found.named_path(&found.git_dir, &value);
                if !named.is_some_and(|named| found.is_root(&system, &named)) {
                    return Err(GitError::Unsupported("`core.worktree` leads elsewhere".into()));
                }
            }
        }
        if name == b"include" || name == b"includeif" {
            for value in section.values("path") {
                let Some(included) = found.named_path(dir, &value) else {
                    let what = format!("`{}` includes a file outside of the work tree", shown_path(path));
                    return Err(GitError::Unsupported(what));
                };
                check_configuration(found, &included, depth + 1, read)?;
            }
        }
    }
    Ok(())
}

/// The configuration that was read so far.
#[derive(Default)]
struct Configurations {
    files: usize,
    bytes: u64,
}

/// The subject of an error where the library cannot use the configuration.
const CONFIGURATION: &str = "the configuration";

/// Returns the error for a repository that could not be opened.
fn open_trouble(found: &Repository, error: &(dyn std::error::Error + 'static)) -> GitError {
    let is_sha256 = chain(error).any(|error| {
        let words = error.to_string();
        words.contains("objectFormat") || words.contains("sha256")
    });
    if is_sha256 {
        return GitError::Unsupported("SHA-256 objects".into());
    }
    broken(&format!("`{}` (its `HEAD`, `config` or `objects`)", shown_path(&found.git_dir)), error)
}

/// Returns the error for something that the library cannot read. The library's own message is left out,
/// because it may quote the untrusted content of a file; the operating system's message is included.
pub(super) fn broken(what: &str, error: &(dyn std::error::Error + 'static)) -> GitError {
    let of_the_system = chain(error).filter_map(|error| error.downcast_ref::<io::Error>());
    GitError::Broken(match of_the_system.filter(|error| error.raw_os_error().is_some()).last() {
        Some(error) => format!("{what} cannot be read: {error}"),
        None => format!("{what} cannot be read: it is not as git writes it"),
    })
}

/// Returns an error and its causes.
fn chain<'e>(
    error: &'e (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'e (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| error.source())
}
