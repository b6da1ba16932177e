//! Why a chore stops, and what to do about it.

use std::{fmt, io, process::ExitCode};

/// A chore that did not work out.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    message: String,
    help: Option<String>,
    code: u8,
}

impl Failure {
    /// Builds the failure of a chore.
    pub fn new(message: impl Into<String>) -> Self {
        Failure { message: message.into(), help: None, code: 1 }
    }

    /// Builds the failure of a call with invalid arguments.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { code: 2, ..Failure::new(message) }
    }

    /// Builds the failure of a program that could not be run.
    pub fn start(program: &str, error: &io::Error) -> Self {
        Failure::new(format!("`{program}` could not be started: {error}"))
    }

    /// Adds what to do.
    pub fn help(self, help: impl Into<String>) -> Self {
        Failure { help: Some(help.into()), ..self }
    }

    /// Returns the exit code: 1 failed, 2 wrong usage.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "\nhelp: {help}"),
            None => Ok(()),
        }
    }
}
