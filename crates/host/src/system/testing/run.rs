//! Programs that only seem to run.

use crate::system::{RunError, RunOutput, RunRequest, RunStatus, STDERR_LIMIT};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

/// The result of running a command on a [`MemorySystem`](super::MemorySystem). The limits of the run apply
/// here too: one that takes longer than its limit times out, without a wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FakeRun {
    /// The exit status.
    pub status: RunStatus,
    /// The output on stdout.
    pub stdout: Vec<u8>,
    /// The output on stderr.
    pub stderr: Vec<u8>,
    /// The duration.
    pub takes: Duration,
    /// The path of the program; in `/usr/bin` for a bare name by default.
    pub found_at: Option<PathBuf>,
    /// The error that replaces all that.
    pub error: Option<RunError>,
}

impl FakeRun {
    /// Returns a run that prints this and ends well.
    pub fn printing(stdout: impl AsRef<[u8]>) -> Self {
        FakeRun {
            status: RunStatus::Code(0),
            stdout: stdout.as_ref().to_owned(),
            stderr: Vec::new(),
            takes: Duration::ZERO,
            found_at: None,
            error: None,
        }
    }

    /// Returns a run that ends with this code and this on stderr.
    pub fn failing(code: i32, stderr: impl AsRef<[u8]>) -> Self {
        FakeRun { status: RunStatus::Code(code), stderr: stderr.as_ref().to_owned(), ..FakeRun::printing("") }
    }

    /// Returns a run that does not happen.
    pub fn refused(error: RunError) -> Self {
        FakeRun { error: Some(error), ..FakeRun::printing("") }
    }

    /// Sets how long it takes.
    pub fn taking(mut self, takes: Duration) -> Self {
        self.takes = takes;
        self
    }

    /// Sets where the program lies.
    pub fn found_at(mut self, path: impl Into<PathBuf>) -> Self {
        self.found_at = Some(path.into());
        self
    }

    /// Returns what git does for these words, where this is its status: `git config` finds nothing.
    pub(super) fn of(&self, argv: &[String]) -> FakeRun {
        let is_config = argv.iter().any(|word| word == "config") && self.status.success();
        if is_config {
            FakeRun { status: RunStatus::Code(1), stdout: Vec::new(), ..self.clone() }
        } else {
            self.clone()
        }
    }

    pub(super) fn answer(&self, run: &RunRequest, program: &str) -> Result<RunOutput, RunError> {
        let bare = !Path::new(program).has_root();
        if bare && program.contains('/') {
            let why = format!("`{}` is neither an absolute path nor a bare name", program.escape_debug());
            return Err(RunError::Other(why));
        }
        let usual = if bare { Path::new("/usr/bin").join(program) } else { PathBuf::from(program) };
        let path = self.found_at.clone().unwrap_or(usual);
        if bare && run.not_below.as_deref().is_some_and(|root| path.starts_with(root)) {
            return Err(RunError::InsideProject { path });
        }
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        if self.stdout.len() > run.output_limit {
            return Err(RunError::TooMuch { limit: run.output_limit });
        }
        if self.takes >= run.timeout {
            return Err(RunError::TimedOut { after: run.timeout });
        }
        let kept = self.stderr.len().min(STDERR_LIMIT);
        Ok(RunOutput {
            program: path,
            status: self.status,
            stdout: self.stdout.clone(),
            stderr: self.stderr[..kept].to_owned(),
            stderr_cut: self.stderr.len() - kept,
            took: self.takes,
            skipped: Vec::new(),
        })
    }
}
