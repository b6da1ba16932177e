//! The only printer. Data goes to stdout, everything else to stderr; colours only if a terminal shows them.
//!
//! A view is built as text with the colours of [`style`] and handed over in one piece. What came from a file passes
//! [`text::visible`] or [`text::one_line`] on its way, so that nothing in it can move the cursor or hide.

pub mod diagnostic;
pub mod patch;
pub mod progress;
pub mod style;
mod table;
mod text;

pub use diagnostic::DiagnosticView;
pub use table::{Cell, TextTable};
#[cfg(test)]
pub use text::columns;
pub use text::{count, listed, minute, number, one_line, short, short_middle, visible, wrap};

use crate::failure::{CommandFailure, CommandResult, Exit};
use preface_core::lint::character::escape_json;
use std::io::{self, BufRead, IsTerminal, Write};

/// The width of text for people if there is no terminal.
const WIDE: usize = 100;

/// The amount of messages on stderr.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Nothing but errors.
    Quiet,
    /// One line if something was left out, cut or skipped.
    #[default]
    Usual,
    /// Every diagnostic in full.
    All,
}

/// The format of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum OutputFormat {
    /// Text
    #[default]
    Text,
    /// One JSON document
    Json,
}

/// Returns a value as one line of JSON.
pub fn json_line(value: &impl serde::Serialize) -> CommandResult<String> {
    Ok(escaped_line(serde_json::to_string(value)?))
}

/// Escapes the characters of a JSON document that a terminal or a line reader acts on, and ends its line.
fn escaped_line(json: String) -> String {
    let mut json = escape_json(json);
    json.push('\n');
    json
}

/// Prints. It holds nothing but what is known of the two streams.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    out_is_terminal: bool,
    err_is_terminal: bool,
    in_is_terminal: bool,
    verbosity: Verbosity,
    /// True if errors are written as JSON.
    json_errors: bool,
}

impl Ui {
    /// Looks at the three streams.
    pub fn new() -> Self {
        Ui {
            out_is_terminal: io::stdout().is_terminal(),
            err_is_terminal: io::stderr().is_terminal(),
            in_is_terminal: io::stdin().is_terminal(),
            verbosity: Verbosity::Usual,
            json_errors: false,
        }
    }

    /// Sets how much is printed on stderr.
    pub fn with_verbosity(self, verbosity: Verbosity) -> Self {
        Ui { verbosity, ..self }
    }

    /// Returns how much is printed on stderr.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// True if only errors are printed on stderr.
    pub fn is_quiet(&self) -> bool {
        self.verbosity == Verbosity::Quiet
    }

    /// Writes errors as JSON if `--format json` is given.
    pub fn with_json_errors(self, json_errors: bool) -> Self {
        Ui { json_errors, ..self }
    }

    /// True if errors are written as JSON.
    pub fn has_json_errors(&self) -> bool {
        self.json_errors
    }

    /// Returns true if a user can be asked: stdin and stderr are terminals.
    pub fn can_ask(&self) -> bool {
        self.in_is_terminal && self.err_is_terminal
    }

    /// Returns true if stderr is a terminal, so that progress is useful.
    pub fn is_watched(&self) -> bool {
        self.err_is_terminal
    }

    /// Returns how many columns a view on stdout may have; `None` in a pipe, where nothing is shortened.
    pub fn columns(&self) -> Option<usize> {
        if !self.out_is_terminal {
            return None;
        }
        Some(terminal_size::terminal_size_of(io::stdout()).map_or(WIDE, |(width, _)| width.0.into()).max(40))
    }

    /// Returns how many columns a diagnostic on stderr may have.
    pub fn diagnostic_columns(&self) -> usize {
        terminal_size::terminal_size_of(io::stderr()).map_or(WIDE, |(width, _)| width.0.into()).max(40)
    }

    fn rows(&self) -> usize {
        terminal_size::terminal_size_of(io::stderr()).map_or(24, |(_, height)| height.0.into()).max(8)
    }

    /// Writes bytes to stdout as they are.
    pub fn data(&self, bytes: &[u8]) -> CommandResult<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes).and_then(|()| out.flush()).map_err(CommandFailure::output)
    }

    /// Writes a value to stdout as one line of JSON.
    pub fn json(&self, value: &impl serde::Serialize) -> CommandResult<()> {
        self.data(json_line(value)?.as_bytes())
    }

    /// Writes a value to stdout as JSON, or the view of it for people. A command may end with it.
    pub fn show(
        &self,
        format: OutputFormat,
        value: &impl serde::Serialize,
        view: impl FnOnce() -> String,
    ) -> CommandResult {
        match format {
            OutputFormat::Json => self.json(value)?,
            OutputFormat::Text => self.view(&view())?,
        }
        Ok(Exit::Done)
    }

    /// Reports what a command did: for programs a value on stdout, for people words on stderr. A command may end with it.
    pub fn result(&self, format: OutputFormat, value: &impl serde::Serialize, words: &str) -> CommandResult {
        match format {
            OutputFormat::Json => self.json(value)?,
            OutputFormat::Text if self.is_quiet() => {}
            OutputFormat::Text => self.eprint(words),
        }
        Ok(Exit::Done)
    }

    /// Writes a JSON document to stdout. Characters that a terminal or a line reader acts on are escaped in it.
    pub fn json_text(&self, json: String) -> CommandResult<()> {
        self.data(escaped_line(json).as_bytes())
    }

    /// Writes a prompt: off a terminal exactly its bytes; on one so that nothing in it can play tricks, and with a line
    /// end.
    pub fn prompt(&self, prompt: &str) -> CommandResult<()> {
        if !self.out_is_terminal {
            return self.data(prompt.as_bytes());
        }
        let mut shown = visible(prompt).into_owned();
        if !shown.is_empty() && !shown.ends_with('\n') {
            shown.push('\n');
        }
        self.data(shown.as_bytes())
    }

    /// Writes a view to stdout; its colours are kept only if a terminal shows them.
    pub fn view(&self, view: &str) -> CommandResult<()> {
        let mut out = anstream::stdout().lock();
        out.write_all(view.as_bytes()).and_then(|()| out.flush()).map_err(CommandFailure::output)
    }

    /// Writes a unified diff: exactly in a pipe, coloured and with nothing hidden on a terminal.
    pub fn patch(&self, diff: &str) -> CommandResult<()> {
        if self.out_is_terminal { self.view(&patch::coloured(diff)) } else { self.data(diff.as_bytes()) }
    }

    /// Writes to stderr. Errors are ignored: there is no other place to report them.
    pub fn eprint(&self, text: &str) {
        let mut err = anstream::stderr().lock();
        let _ = err.write_all(text.as_bytes()).and_then(|()| err.flush());
    }

    /// Asks on stderr and reads one line, without white space around it. `None` at the end of input.
    pub fn ask(&self, question: &str) -> Option<String> {
        self.eprint(question);
        let mut line = String::new();
        match io::stdin().lock().read_line(&mut line) {
            Ok(0) | Err(_) => {
                self.eprint("\n");
                None
            }
            Ok(_) => Some(line.trim().to_owned()),
        }
    }

    /// Shows a long text on stderr, a screen at a time.
    pub fn page(&self, lines: &str) {
        let screen = self.rows() - 2;
        let mut rest = lines.lines().peekable();
        loop {
            for line in rest.by_ref().take(screen) {
                self.eprint(&format!("{line}\n"));
            }
            if rest.peek().is_none() {
                return;
            }
            let more = self.ask(&format!("{d}-- enter: more, q: enough --{d:#} ", d = style::DIM));
            if more.is_none_or(|answer| answer.starts_with(['q', 'Q'])) {
                return;
            }
        }
    }
}
