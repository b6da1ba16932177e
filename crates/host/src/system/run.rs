//! The request to run a program, and its output.
//!
//! A run is a list of words, never a line for a shell. It gets a few variables of the environment and those that it
//! names, its output has a limit, and its time ends: what it started in its own process group ends with it.

use super::{System, program};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode},
    lint::hidden::escape_hidden,
};
use std::{
    collections::BTreeMap,
    ffi::OsString,
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};

/// The most bytes of stderr that are kept.
pub const STDERR_LIMIT: usize = 64 << 10;

/// The variables that a run gets from the environment, besides `PATH` and its own. None of them is a secret.
const PASSED_ON: &[&str] = &["HOME", "USER", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TZ"];

/// A program to start, with everything it may know.
///
/// ```
/// use preface_host::system::{RunRequest, System, testing::{FakeRun, MemorySystem}};
/// use std::path::Path;
///
/// let machine = MemorySystem::new().with_command(["greet", "world"], FakeRun::printing("hello, world\n"));
/// let ran = machine.run(&RunRequest::new(["greet", "world"], Path::new("/work")))?;
/// assert!(ran.status.success());
/// assert_eq!(ran.stdout, b"hello, world\n");
/// # Ok::<(), preface_host::system::RunError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunRequest {
    /// The program and its arguments. The program is an absolute path, or a bare name that is looked up on `PATH`.
    pub argv: Vec<String>,
    /// The working directory; absolute.
    pub cwd: PathBuf,
    /// The input.
    pub stdin: Vec<u8>,
    /// The time limit.
    pub timeout: Duration,
    /// The most bytes it may write to stdout.
    pub output_limit: usize,
    /// Variables, beside the few that are passed on, and instead of those.
    pub env: Vec<(String, String)>,
    /// A directory that a bare name is never found in: the project, which must not choose what runs. Directories of
    /// `PATH` inside of it are left out of the run's own `PATH` too.
    pub not_below: Option<PathBuf>,
}

/// The variable that names the directory that is worked in to a program, wherever that one starts.
pub const PROJECT_DIR: &str = "PREFACE_PROJECT_DIR";

impl RunRequest {
    /// Returns a run without input, of at most 30 seconds and 1 MiB, with no variables of its own.
    pub fn new(argv: impl IntoIterator<Item = impl Into<String>>, cwd: &Path) -> Self {
        RunRequest {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: cwd.to_owned(),
            stdin: Vec::new(),
            timeout: Duration::from_secs(30),
            output_limit: 1 << 20,
            env: Vec::new(),
            not_below: None,
        }
    }

    /// Names the directory that is worked in to the program.
    #[must_use]
    pub fn about(mut self, project: &Path) -> Self {
        self.env.push((PROJECT_DIR.to_owned(), project.to_string_lossy().into_owned()));
        self
    }

    /// Returns the program, once nothing about the words is wrong.
    ///
    /// # Errors
    /// Says what no machine could start.
    pub(super) fn program(&self) -> Result<&str, RunError> {
        let no = |why: &str| Err(RunError::Other(why.to_owned()));
        let Some(program) = self.argv.first().filter(|program| !program.is_empty()) else {
            return no("no program is named");
        };
        if !self.cwd.has_root() {
            return no("the working directory is not an absolute path");
        }
        let bad_name = |name: &str| name.is_empty() || name.contains('=');
        if self.env.iter().any(|(name, _)| bad_name(name)) {
            return no("a variable has no name, or one with a `=`");
        }
        let values = self.env.iter().flat_map(|(name, value)| [name, value]);
        if self.argv.iter().chain(values).any(|text| text.contains('\0')) {
            return no("an argument or a variable has a NUL in it");
        }
        Ok(program)
    }

    /// Resolves what would be started, for callers that exchange messages with a running program: the same
    /// file and the same environment that [`System::run`] would use.
    ///
    /// # Errors
    /// See [`RunError`]: there is no such program, or it is one of the project.
    pub fn prepare(&self, system: &dyn System) -> Result<PreparedRun, RunError> {
        let program = program::find(system, self)?;
        let all = self.environment(program.search, |name| system.var(name));
        // Of two of a name the later counts.
        let env: BTreeMap<String, String> = all
            .into_iter()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        Ok(PreparedRun { program: program.path, env: env.into_iter().collect(), skipped: program.skipped })
    }

    /// Returns the whole environment of the run.
    pub(super) fn environment(
        &self,
        path: OsString,
        var: impl Fn(&str) -> Option<OsString>,
    ) -> Vec<(OsString, OsString)> {
        let passed = PASSED_ON.iter().filter_map(|name| Some(((*name).into(), var(name)?)));
        // A project's programs look for others where the user's do, and never in the project.
        let is_kept = |name: &str| self.not_below.is_none() || !name.eq_ignore_ascii_case("PATH");
        let own = self.env.iter().filter(|(name, _)| is_kept(name));
        let own = own.map(|(name, value)| (name.into(), value.into()));
        std::iter::once(("PATH".into(), path)).chain(passed).chain(own).collect()
    }
}

/// A program that could be started now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparedRun {
    /// The file.
    pub program: PathBuf,
    /// The whole environment, by name, without values that are not Unicode.
    pub env: Vec<(String, String)>,
    /// See [`RunOutput::skipped`].
    pub skipped: Vec<PathBuf>,
}

/// The result of running a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunOutput {
    /// The file that was started, all links resolved.
    pub program: PathBuf,
    /// The exit status.
    pub status: RunStatus,
    /// The whole output on stdout.
    pub stdout: Vec<u8>,
    /// The beginning of the output on stderr, at most [`STDERR_LIMIT`] bytes.
    pub stderr: Vec<u8>,
    /// The number of bytes of stderr after those.
    pub stderr_cut: usize,
    /// The duration.
    pub took: Duration,
    /// The programs of the same name that come before it on `PATH` and were not started, because they are in
    /// [`RunRequest::not_below`].
    pub skipped: Vec<PathBuf>,
}

/// Reports the programs of the project that a bare name did not mean. `who` is what starts the program, for people.
#[must_use]
pub fn skipped_programs(who: &str, skipped: &[PathBuf]) -> Vec<Diagnostic> {
    let note = |path: &PathBuf| {
        let path = path.display().to_string();
        let what = format!("{who} does not start `{}`: it lies inside the project", escape_hidden(&path));
        Diagnostic::info(DiagnosticCode::ProgramInsideProject, what)
            .help("a bare name means the next program of that name on PATH; name the program by its absolute path to start this one")
    };
    skipped.iter().map(note).collect()
}

/// The exit status of a program that ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl RunStatus {
    /// Returns whether the program exited successfully.
    #[must_use]
    pub fn success(self) -> bool {
        self == RunStatus::Code(0)
    }
}

impl fmt::Display for RunStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunStatus::Code(code) => write!(f, "exit code {code}"),
            RunStatus::Signal(signal) => write!(f, "signal {signal}"),
        }
    }
}

/// The reason why a program did not run to its end. An exit code that is not 0 is no error: see [`RunOutput`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// There is no such program.
    #[error("program not found: `{}`", program.escape_debug())]
    NotFound {
        /// As it was named.
        program: String,
    },
    /// A bare name that is found on `PATH` only inside of the project.
    #[error("`{}` lies inside of the project, which may not choose what runs", path.to_string_lossy().escape_debug())]
    InsideProject {
        /// The path where it was found.
        path: PathBuf,
    },
    /// The file is there and may not be run.
    #[error("permission denied: `{}` may not be run; `chmod +x` makes a script executable", program.escape_debug())]
    Denied {
        /// As it was named.
        program: String,
    },
    /// The program exceeded its time limit and was ended.
    #[error("not done after {after:?}")]
    TimedOut {
        /// The limit.
        after: Duration,
    },
    /// The program wrote too much to stdout and was ended.
    #[error("more output than the limit of {limit} bytes")]
    TooMuch {
        /// The limit in bytes.
        limit: usize,
    },
    /// Anything else, in the machine's words.
    #[error("{0}")]
    Other(String),
}

/// Returns the error for a run whose working directory does not exist.
pub(super) fn no_directory(cwd: &Path) -> RunError {
    RunError::Other(format!("the working directory `{}` is not there", cwd.to_string_lossy().escape_debug()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> RunRequest {
        RunRequest::new(["x"], Path::new("/work"))
    }

    #[test]
    fn an_invalid_request_is_an_error() {
        let env = |name: &str, value: &str| RunRequest { env: vec![(name.into(), value.into())], ..run() };
        assert_eq!(run().program(), Ok("x"));
        assert_eq!(env("A", "b=c").program(), Ok("x"));
        for bad in [
            RunRequest { argv: vec![], ..run() },
            RunRequest { argv: vec![String::new()], ..run() },
            RunRequest { argv: vec!["x".into(), "a\0b".into()], ..run() },
            RunRequest { cwd: "work".into(), ..run() },
            env("", "x"),
            env("A=B", "x"),
            env("A", "\0"),
        ] {
            assert!(matches!(bad.program(), Err(RunError::Other(_))), "{bad:?}");
        }
    }

    #[test]
    fn a_run_knows_little() {
        let run = RunRequest { env: vec![("TZ".into(), "UTC".into()), ("MINE".into(), "1".into())], ..run() };
        let var = |name: &str| Some(OsString::from(name.to_lowercase()));
        let environment = run.environment("/bin".into(), var);
        let text: Vec<_> = environment
            .iter()
            .map(|(name, value)| format!("{}={}", name.display(), value.display()))
            .collect();
        assert_eq!(
            text,
            [
                "PATH=/bin",
                "HOME=home",
                "USER=user",
                "LANG=lang",
                "LC_ALL=lc_all",
                "LC_CTYPE=lc_ctype",
                "TMPDIR=tmpdir",
                "TZ=tz",
                "TZ=UTC",
                "MINE=1"
            ],
            "of two the later counts"
        );
        assert_eq!(run.environment("/bin".into(), |_| None).len(), 3, "what is not set stays so");
    }
}
