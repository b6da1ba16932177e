//! Finds the file that a program's name means.
//!
//! An absolute path means itself. A bare name is looked up on `PATH`, as a shell would, but never in the working
//! directory and never inside of the project: what a repository brings along must not become `git` or `node`.

use super::{FileId, FileKind, ReadError, RunError, RunRequest, System};
use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// The search path where `PATH` is not set.
const USUAL: &str = "/usr/bin:/bin";

const EXECUTABLE: u32 = 0o111;

/// A program that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ResolvedProgram {
    /// The path to start: a link is not resolved, because some programs depend on the name that they were
    /// called by.
    pub(super) path: PathBuf,
    /// The file that this is in the end.
    pub(super) real: PathBuf,
    /// The `PATH` that was looked through, and that the program gets: absolute directories outside of the project.
    pub(super) search: OsString,
    /// The programs of this name inside of the project that come before it on `PATH`.
    pub(super) skipped: Vec<PathBuf>,
}

/// The directory that no bare name is found in.
struct ExcludedDirectory {
    root: PathBuf,
    id: Option<FileId>,
}

impl ExcludedDirectory {
    fn of(system: &dyn System, root: &Path) -> Self {
        let root = system.canonical(root).unwrap_or_else(|_| root.to_owned());
        ExcludedDirectory { id: system.stat(&root).and_then(|stat| stat.id), root }
    }

    /// Returns whether a canonical path lies in the project, by its spelling or by what the directories above it are: a
    /// file system may know one directory by several names (letter case, bind mounts).
    fn holds(&self, system: &dyn System, path: &Path) -> bool {
        let is_root = |dir: &Path| system.stat(dir).is_some_and(|stat| stat.id == self.id);
        path.starts_with(&self.root) || self.id.is_some() && path.ancestors().any(is_root)
    }
}

/// Finds the program of a run.
///
/// # Errors
/// See [`RunError`].
pub(super) fn find(system: &dyn System, run: &RunRequest) -> Result<ResolvedProgram, RunError> {
    let name = run.program()?;
    let project = run.not_below.as_deref().map(|root| ExcludedDirectory::of(system, root));
    let inside = |path: &Path| project.as_ref().is_some_and(|project| project.holds(system, path));
    let path = system.var("PATH").unwrap_or_else(|| USUAL.into());
    let dirs = sorted_out(system, project.as_ref(), &path);
    let search = join(&dirs);

    if Path::new(name).is_absolute() {
        let path = PathBuf::from(name);
        let real = system.canonical(&path).map_err(|error| match error {
            ReadError::Denied => RunError::Denied { program: name.to_owned() },
            _ => RunError::NotFound { program: name.to_owned() },
        })?;
        return Ok(ResolvedProgram { path, real, search, skipped: Vec::new() });
    }
    if name.contains(std::path::is_separator) || Path::new(name).has_root() {
        let why = format!("`{}` is neither an absolute path nor a bare name", name.escape_debug());
        return Err(RunError::Other(why));
    }
    let mut problem = RunError::NotFound { program: name.to_owned() };
    let mut skipped = Vec::new();
    for (dir, in_project) in &dirs {
        let Some((path, mode)) = file_in(system, dir, name) else { continue };
        let Ok(real) = system.canonical(&path) else { continue };
        if *in_project || inside(&real) {
            skipped.push(path);
        } else if mode.is_some_and(|mode| mode & EXECUTABLE == 0) {
            problem = RunError::Denied { program: name.to_owned() };
        } else {
            return Ok(ResolvedProgram { path, real, search, skipped });
        }
    }
    // Nothing is run from in there; that the name means something there is worth a word.
    match (problem, skipped.into_iter().next()) {
        (RunError::NotFound { .. }, Some(path)) => Err(RunError::InsideProject { path }),
        (problem, _) => Err(problem),
    }
}

/// Returns a `PATH` without its directories inside of `project`, and without those that are not absolute.
#[must_use]
pub fn path_outside(system: &dyn System, project: &Path, path: &OsStr) -> OsString {
    join(&sorted_out(system, Some(&ExcludedDirectory::of(system, project)), path))
}

/// Finds the program that a bare name means on `PATH`, outside of `project`, for a caller that starts it itself.
///
/// # Errors
/// Not found, found only inside of the project, or not executable.
pub fn program_outside(system: &dyn System, project: &Path, name: &str) -> Result<PathBuf, RunError> {
    let run = RunRequest { not_below: Some(project.to_owned()), ..RunRequest::new([name], project) };
    find(system, &run).map(|program| program.path)
}

/// Returns the directories of a `PATH`, each with whether it is in the project.
fn sorted_out(
    system: &dyn System,
    project: Option<&ExcludedDirectory>,
    path: &OsStr,
) -> Vec<(PathBuf, bool)> {
    let real = |dir: &Path| system.canonical(dir).unwrap_or_else(|_| dir.to_owned());
    let inside = |dir: &Path| project.is_some_and(|project| project.holds(system, &real(dir)));
    directories(path)
        .map(|dir| {
            let inside = inside(&dir);
            (dir, inside)
        })
        .collect()
}

/// Joins the directories that are outside of the project.
fn join(dirs: &[(PathBuf, bool)]) -> OsString {
    env::join_paths(dirs.iter().filter(|(_, inside)| !inside).map(|(dir, _)| dir)).unwrap_or_default()
}

/// Returns the directories of a `PATH`. An empty or relative one means the working directory to a shell, and nothing here.
fn directories(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|dir| dir.is_absolute())
}

fn file_in(system: &dyn System, dir: &Path, name: &str) -> Option<(PathBuf, Option<u32>)> {
    let path = dir.join(name);
    let stat = system.stat(&path)?;
    (stat.kind == FileKind::File).then_some((path, stat.mode))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::testing::MemorySystem;

    fn machine(path: &str) -> MemorySystem {
        MemorySystem::new()
            .with_file("/usr/bin/tool", "")
            .with_mode("/usr/bin/tool", 0o755)
            .with_file("/work/bin/tool", "")
            .with_mode("/work/bin/tool", 0o755)
            .with_file("/work/bin/own", "")
            .with_mode("/work/bin/own", 0o755)
            .with_link("/home/user/bin", "/work/bin")
            .with_link("/opt/bin/own", "/work/bin/own")
            .with_link("/opt/bin/alias", "../../usr/bin/tool")
            .with_file("/opt/bin/data", "")
            .with_dir("/opt/bin/dir")
            .with_var("PATH", path)
    }

    fn found(path: &str, name: &str) -> Result<String, RunError> {
        let run =
            RunRequest { not_below: Some("/work".into()), ..RunRequest::new([name], Path::new("/work")) };
        find(&machine(path), &run).map(|program| program.path.display().to_string())
    }

    #[test]
    fn the_project_is_not_looked_through() {
        for path in [
            "/usr/bin",
            "/work/bin:/usr/bin",
            "/home/user/bin:/usr/bin",
            "bin:/usr/bin",
            ":/usr/bin",
            ".:/usr/bin",
            "/none:/usr/bin",
            "/work/../work/bin:/usr/bin",
        ] {
            assert_eq!(found(path, "tool").as_deref(), Ok("/usr/bin/tool"), "{path}");
        }
        let inside = |path: &str| Err(RunError::InsideProject { path: path.into() });
        assert_eq!(found("/work/bin", "tool"), inside("/work/bin/tool"));
        assert_eq!(found("/home/user/bin", "own"), inside("/home/user/bin/own"), "through a link");
        assert_eq!(found("/opt/bin", "own"), inside("/opt/bin/own"), "a link to a file in there");
        assert_eq!(found("bin", "own"), Err(RunError::NotFound { program: "own".into() }));
    }

    /// Ways in which `PATH` may lead into the project, each with a name that means a program there.
    #[test]
    fn no_spelling_leads_into_the_project() {
        let programs = ["/work/bin", "/work/node_modules/.bin", "/work", "/work/a/b", "/work/.venv/bin"];
        let links = [
            ("/opt/in", "/work/bin"),
            ("/opt/twice", "in"),
            ("/opt/whole", "/work"),
            ("/opt/modules", "../work/node_modules/.bin"),
            ("/work/self", "/work"),
            ("/w", "/work"),
        ];
        let programs_of_links = [("/opt/links/tool", "/work/bin/tool"), ("/opt/links/alias", "tool")];
        let mut system = MemorySystem::new().with_dir("/opt/links").with_dir("/none");
        for dir in programs {
            let path = format!("{dir}/tool");
            system = system.with_file(&path, "").with_mode(&path, 0o755);
        }
        for (link, target) in links.into_iter().chain(programs_of_links) {
            system = system.with_link(link, target);
        }
        let mut ways: Vec<String> = [
            // The directories themselves, in any spelling.
            "/work/bin",
            "/work/bin/",
            "/work//bin",
            "//work/bin",
            "/work/bin//",
            "/work/./bin",
            "/./work/bin",
            "/work/bin/.",
            "/work/bin/../bin",
            "/work/a/../bin",
            "/work/../work/bin",
            "/none/../work/bin",
            "/work/a/b",
            "/work/a/./b",
            "/work/a/b/../b",
            "/work",
            "/work/",
            "/work/.",
            "/work/..//work",
            "/work/node_modules/.bin",
            "/work//node_modules/.bin/",
            "/work/node_modules/../node_modules/.bin",
            "/work/.venv/bin",
            "/work/.venv/../.venv/bin",
            // Links to them.
            "/opt/in",
            "/opt/in/",
            "/opt//in",
            "/opt/in/.",
            "/opt/twice",
            "/opt/whole",
            "/opt/whole/bin",
            "/opt/whole/node_modules/.bin",
            "/opt/modules",
            "/work/self",
            "/work/self/bin",
            "/work/self/self/bin",
            "/w",
            "/w/bin",
            "/w/./bin",
            "/w/../work/bin",
            "/opt/whole/self/bin",
            // Links to the program.
            "/opt/links",
        ]
        .map(str::to_owned)
        .to_vec();
        // What a shell takes for the working directory.
        let relative = [
            "",
            ".",
            "./",
            "./.",
            "bin",
            "./bin",
            "../work/bin",
            "node_modules/.bin",
            "./node_modules/.bin",
            "a/b",
            "./a/../bin",
            ".venv/bin",
        ];
        ways.extend(relative.map(str::to_owned));
        assert_eq!(ways.len(), 54);
        for way in ways {
            let run = RunRequest {
                not_below: Some("/work".into()),
                ..RunRequest::new(["tool"], Path::new("/work"))
            };
            let alone = system.clone().with_var("PATH", &way);
            let found = find(&alone, &run);
            assert!(
                matches!(found, Err(RunError::InsideProject { .. } | RunError::NotFound { .. })),
                "{way}: {found:?}"
            );
            // The user's own program comes after it.
            let before = system
                .clone()
                .with_file("/usr/bin/tool", "")
                .with_mode("/usr/bin/tool", 0o755)
                .with_var("PATH", format!("{way}:/usr/bin"));
            let found = find(&before, &run).expect("the user's");
            assert_eq!(found.path, Path::new("/usr/bin/tool"), "{way}");
            assert_eq!(
                found.skipped.len(),
                usize::from(Path::new(&way).is_absolute()),
                "{way}: {:?}",
                found.skipped
            );
            let outside = if way == "/opt/links" { "/opt/links:/usr/bin" } else { "/usr/bin" };
            assert_eq!(found.search, outside, "{way}: what it starts itself is not found there either");
        }
    }

    #[test]
    fn another_name_of_the_same_directory_is_the_project() {
        let run =
            RunRequest { not_below: Some("/work".into()), ..RunRequest::new(["tool"], Path::new("/work")) };
        let mounted = machine("/mnt/work/bin:/usr/bin")
            .with_hard_link("/mnt/work", "/work")
            .with_file("/mnt/work/bin/tool", "")
            .with_mode("/mnt/work/bin/tool", 0o755);
        let program = find(&mounted, &run).expect("the user's");
        assert_eq!(program.path, Path::new("/usr/bin/tool"));
        assert_eq!((program.search, program.skipped), ("/usr/bin".into(), vec!["/mnt/work/bin/tool".into()]));
        // Where directories have no ids, two of them are not the same for that.
        let program = find(&machine("/usr/bin").without_file_ids(), &run).expect("the user's");
        assert_eq!(program.path, Path::new("/usr/bin/tool"));
    }

    #[test]
    fn without_a_project_all_of_path_counts() {
        let run = RunRequest::new(["own"], Path::new("/work"));
        let program = find(&machine("/home/user/bin:rel:/usr/bin"), &run).expect("it is on PATH");
        assert_eq!(program.path, Path::new("/home/user/bin/own"));
        assert_eq!(program.real, Path::new("/work/bin/own"));
        assert_eq!(program.search, "/home/user/bin:/usr/bin");
    }

    #[test]
    fn only_what_can_be_run_is_found() {
        assert_eq!(
            found("/opt/bin:/usr/bin", "alias").as_deref(),
            Ok("/opt/bin/alias"),
            "it is called by its name"
        );
        assert_eq!(found("/opt/bin", "data"), Err(RunError::Denied { program: "data".into() }));
        for name in ["dir", "none", "..", "."] {
            assert_eq!(found("/opt/bin", name), Err(RunError::NotFound { program: name.into() }));
        }
        for name in ["./tool", "bin/tool"] {
            assert!(matches!(found("/usr/bin", name), Err(RunError::Other(_))), "{name}");
        }
        assert_eq!(
            found("", "/work/bin/tool").as_deref(),
            Ok("/work/bin/tool"),
            "an absolute path means itself"
        );
        assert_eq!(found("", "/none"), Err(RunError::NotFound { program: "/none".into() }));
    }

    #[test]
    fn the_program_searches_where_we_searched() {
        let run =
            RunRequest { not_below: Some("/work".into()), ..RunRequest::new(["tool"], Path::new("/work")) };
        let program =
            find(&machine("/work/bin:.::/usr/bin:/home/user/bin:/opt/bin"), &run).expect("a program");
        assert_eq!(program.search, "/usr/bin:/opt/bin");
    }
}
