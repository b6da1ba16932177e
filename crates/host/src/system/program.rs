//! Finds the file that a program's name means.
//!
//! An absolute path means itself. A bare name is looked up on `PATH`, as a shell would, but never in the working
//! directory and never inside of the project: what a repository brings along must not become `git` or `node`.

use super::{FileKind, ReadError, Run, RunError, System};
use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
};

/// What is looked through where `PATH` is not set.
const USUAL: &str = if cfg!(windows) { "" } else { "/usr/bin:/bin" };

/// What a bare name may end in.
const ENDINGS: &[&str] = if cfg!(windows) { &["", ".exe", ".com"] } else { &[""] };

const EXECUTABLE: u32 = 0o111;

/// A program that was found.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Program {
    /// What is started: a link stays one, because some programs look at the name they were called by.
    pub(super) path: PathBuf,
    /// The file that this is in the end.
    pub(super) real: PathBuf,
    /// The `PATH` that was looked through, and that the program gets: absolute directories outside of the project.
    pub(super) search: OsString,
}

/// Finds the program of a run.
///
/// # Errors
/// See [`RunError`].
pub(super) fn find(system: &dyn System, run: &Run) -> Result<Program, RunError> {
    let name = run.program()?;
    let project = run.not_below.as_deref();
    let project = project.map(|root| system.canonical(root).unwrap_or_else(|_| root.to_owned()));
    let inside = |path: &Path| project.as_deref().is_some_and(|root| path.starts_with(root));
    let path = system.var("PATH").unwrap_or_else(|| USUAL.into());
    let (inner, outer): (Vec<_>, Vec<_>) =
        directories(&path).partition(|dir| inside(&system.canonical(dir).unwrap_or_else(|_| dir.clone())));
    let search = env::join_paths(&outer).unwrap_or_default();

    if Path::new(name).is_absolute() {
        let path = PathBuf::from(name);
        let real = system.canonical(&path).map_err(|error| match error {
            ReadError::Denied => RunError::Denied { program: name.to_owned() },
            _ => RunError::NotFound { program: name.to_owned() },
        })?;
        return Ok(Program { path, real, search });
    }
    if name.contains(std::path::is_separator) || Path::new(name).has_root() {
        let why = format!("`{}` is neither an absolute path nor a bare name", name.escape_debug());
        return Err(RunError::Other(why));
    }
    let mut trouble = RunError::NotFound { program: name.to_owned() };
    for dir in &outer {
        let Some((path, mode)) = file_in(system, dir, name) else { continue };
        let Ok(real) = system.canonical(&path) else { continue };
        if inside(&real) {
            trouble = RunError::InsideProject { path };
        } else if mode.is_some_and(|mode| mode & EXECUTABLE == 0) {
            trouble = RunError::Denied { program: name.to_owned() };
        } else {
            return Ok(Program { path, real, search });
        }
    }
    // Nothing is run from in there; that the name means something there is worth a word.
    let within = inner.iter().find_map(|dir| file_in(system, dir, name));
    match (trouble, within) {
        (RunError::NotFound { .. }, Some((path, _))) => Err(RunError::InsideProject { path }),
        (trouble, _) => Err(trouble),
    }
}

/// Returns the directories of a `PATH`. An empty or relative one means the working directory to a shell, and nothing here.
fn directories(path: &OsStr) -> impl Iterator<Item = PathBuf> {
    env::split_paths(path).filter(|dir| dir.is_absolute())
}

fn file_in(system: &dyn System, dir: &Path, name: &str) -> Option<(PathBuf, Option<u32>)> {
    ENDINGS.iter().find_map(|ending| {
        let path = dir.join(format!("{name}{ending}"));
        let stat = system.stat(&path)?;
        (stat.kind == FileKind::File).then_some((path, stat.mode))
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::system::memory::MemorySystem;

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
        let run = Run { not_below: Some("/work".into()), ..Run::new([name], Path::new("/work")) };
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

    #[test]
    fn without_a_project_all_of_path_counts() {
        let run = Run::new(["own"], Path::new("/work"));
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
        let run = Run { not_below: Some("/work".into()), ..Run::new(["tool"], Path::new("/work")) };
        let program =
            find(&machine("/work/bin:.::/usr/bin:/home/user/bin:/opt/bin"), &run).expect("a program");
        assert_eq!(program.search, "/usr/bin:/opt/bin");
    }
}
