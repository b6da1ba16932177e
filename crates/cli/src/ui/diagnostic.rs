//! Diagnostics and errors, as `STYLE.md` shows them: what, where with the line and a caret, what to do.
//!
//! ```text
//! error: unknown variable `git.brnach`
//!  ——▶ .preface/template.md:3:12   (project layer)
//!   │
//! 3 │ You are on [git:brnach].
//!   │            ^^^^^^^^^^^^
//! help: did you mean `git:branch`?
//! ```

use super::{
    style,
    text::{self, columns, wrap},
};
use crate::call;
use anstyle::Style;
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    lint::hidden::escape_hidden,
};
use std::{
    borrow::Cow,
    fmt::{self, Write},
};

/// A diagnostic to be shown: `{}` on one line, `{:#}` in full.
#[derive(Clone, Debug)]
pub struct DiagnosticView<'a> {
    severity: Severity,
    message: Cow<'a, str>,
    place: Option<Cow<'a, Place>>,
    help: Option<String>,
    code: Option<DiagnosticCode>,
    columns: usize,
}

impl<'a> DiagnosticView<'a> {
    /// Shows a diagnostic, with its code, within so many columns.
    pub fn of(diagnostic: &'a Diagnostic, columns: usize) -> Self {
        let (message, place) = from_shell(&diagnostic.message, diagnostic.place.as_ref());
        DiagnosticView {
            severity: diagnostic.severity,
            message,
            place,
            help: call::help_of(diagnostic),
            code: Some(diagnostic.code),
            columns,
        }
    }

    /// Shows an error that stops.
    pub fn without_code(diagnostic: &'a Diagnostic, columns: usize) -> Self {
        DiagnosticView { code: None, ..DiagnosticView::of(diagnostic, columns) }
    }
}

impl fmt::Display for DiagnosticView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bold = style::BOLD;
        let word = style::severity(self.severity);
        let message = shown(&self.message);
        if !f.alternate() {
            write!(f, "{word}{}{word:#}: {message}", self.severity)?;
            return match &self.place {
                Some(place) => write!(f, " ({})", spot(place)),
                None => Ok(()),
            };
        }
        let start = columns(self.severity.as_str()) + 2;
        let code = self.code.map_or_else(String::new, |code| format!(" [{code}]"));
        let wrapped = wrap(&format!("{}{message}{code}", " ".repeat(start)), self.columns, start);
        let wrapped = wrapped.trim_start();
        let (message, code) = match wrapped.strip_suffix(code.trim_start()) {
            Some(message) if !code.is_empty() => (message, code.trim_start()),
            _ => (wrapped, ""),
        };
        let dim = style::DIM;
        writeln!(f, "{word}{}{word:#}: {bold}{message}{bold:#}{dim}{code}{dim:#}", self.severity)?;
        if let Some(at) = &self.place {
            f.write_str(&place(at, word, self.columns))?;
        }
        if let Some(help) = &self.help {
            let accent = style::ACCENT;
            let help = wrap(&format!("      {}", shown(help)), self.columns, 6);
            writeln!(f, "{accent}help{accent:#}: {}", help.trim_start())?;
        }
        Ok(())
    }
}

/// Returns a message and its place with the path of the place as the shell has it; a message may begin with the same path.
pub fn from_shell<'a>(message: &'a str, place: Option<&'a Place>) -> (Cow<'a, str>, Option<Cow<'a, Place>>) {
    let Some(place) = place.filter(|place| !place.path.is_empty()) else { return (message.into(), None) };
    let Some(path) = call::path_from_shell(place) else {
        return (message.into(), Some(Cow::Borrowed(place)));
    };
    let rest = message.strip_prefix(place.path.as_str()).filter(|rest| rest.starts_with(' '));
    let message = rest.map_or(Cow::Borrowed(message), |rest| format!("{path}{rest}").into());
    (message, Some(Cow::Owned(Place { path, ..place.clone() })))
}

/// Shows a place: its path, and the line with what is meant underlined in `style`.
pub fn place(place: &Place, style: Style, most: usize) -> String {
    let dim = style::DIM;
    let number = place.line.map_or_else(String::new, |line| line.to_string());
    let gutter = number.len().max(1);
    let layer = place.scope.map_or_else(String::new, |scope| format!("   ({scope} layer)"));
    let mut out = format!("{:gutter$}{dim}——▶{dim:#} {}{dim}{layer}{dim:#}\n", "", spot(place));
    let (Some(excerpt), Some(column)) = (&place.excerpt, place.column) else { return out };
    if excerpt.is_empty() {
        return out;
    }
    let length = place.span.as_ref().map_or(1, ExactSizeIterator::len);
    let Excerpt { line, before, under } =
        Excerpt::of(excerpt, column - place.skipped, length, most.saturating_sub(gutter + 3));
    let carets = "^".repeat(under);
    let _ = writeln!(out, "{:gutter$} {dim}│{dim:#}", "");
    let _ = writeln!(out, "{dim}{number:>gutter$} │{dim:#} {line}");
    let _ = writeln!(out, "{:gutter$} {dim}│{dim:#} {:before$}{style}{carets}{style:#}", "", "");
    out
}

/// Returns the message as words: control characters shown, line ends kept.
fn shown(words: &str) -> String {
    words.split('\n').map(escape_hidden).collect::<Vec<_>>().join("\n")
}

/// Returns `path:line:column`, as far as known.
pub fn spot(place: &Place) -> String {
    let mut spot = escape_hidden(&place.path).into_owned();
    if let Some(line) = place.line {
        let _ = write!(spot, ":{line}");
        if let Some(column) = place.column {
            let _ = write!(spot, ":{column}");
        }
    }
    spot
}

/// One line of a file with the columns that are meant, cut to what fits.
struct Excerpt {
    line: String,
    /// Columns before the carets.
    before: usize,
    /// The number of carets.
    under: usize,
}

impl Excerpt {
    /// `column` counts characters from one, `length` bytes.
    fn of(excerpt: &str, column: usize, length: usize, most: usize) -> Self {
        let start = excerpt.char_indices().nth(column - 1).map_or(excerpt.len(), |(at, _)| at);
        let mut end = start.saturating_add(length.max(1)).min(excerpt.len());
        while !excerpt.is_char_boundary(end) {
            end += 1;
        }
        let show = |text: &str| escape_hidden(&text.replace('\t', "    ")).into_owned();
        let (head, meant, tail) =
            (show(&excerpt[..start]), show(&excerpt[start..end]), show(&excerpt[end..]));
        let mut before = columns(&head);
        let mut line = head;
        // The carets stay in sight, with some of the text before them.
        let room = most.saturating_sub(columns(&meant).min(most / 2) + 4);
        if before > room {
            let keep = room.min(20);
            let from = line.char_indices().rev().nth(keep.saturating_sub(1)).map_or(0, |(at, _)| at);
            line = format!("…{}", &line[from..]);
            before = columns(&line);
        }
        line.push_str(&meant);
        line.push_str(&tail);
        let line = text::short(line.trim_end(), most).into_owned();
        let under = columns(&meant).min(most.saturating_sub(before)).max(1);
        Excerpt { line, before, under }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use preface_core::scope::Scope;

    fn plain(diagnostic: &Diagnostic, columns: usize) -> String {
        let styled = format!("{:#}", DiagnosticView::without_code(diagnostic, columns));
        anstream::adapter::strip_str(&styled).to_string()
    }

    fn diagnostic() -> Diagnostic {
        let text = "# Rules\n\nYou are on [git:brnach].\n";
        let place = Place::within(Some(Scope::Project), ".preface/template.md", text, 20..32);
        Diagnostic::error(DiagnosticCode::TemplateUnknownName, "unknown variable `git.brnach`")
            .at(place)
            .help("did you mean `git:branch`? `preface list variables` lists what is available here")
    }

    #[test]
    fn an_error_looks_as_the_style_page_shows_it() {
        let expected = "\
error: unknown variable `git.brnach`
 ——▶ .preface/template.md:3:12   (project layer)
  │
3 │ You are on [git:brnach].
  │            ^^^^^^^^^^^^
help: did you mean `git:branch`? `preface list variables` lists what is available here
";
        assert_eq!(plain(&diagnostic(), 100), expected);
        let one = format!("{}", DiagnosticView::of(&diagnostic(), 100));
        assert_eq!(
            anstream::adapter::strip_str(&one).to_string(),
            "error: unknown variable `git.brnach` (.preface/template.md:3:12)"
        );
    }

    #[test]
    fn a_long_line_is_cut_around_the_carets() {
        let text = format!("{}[git:brnach]{}", "a ".repeat(60), " b".repeat(60));
        let place = Place::within(None, "t.md", &text, 120..132);
        let diagnostic = Diagnostic::warning(DiagnosticCode::Usage, "here").at(place);
        let expected = "\
warning: here
 ——▶ t.md:1:121
  │
1 │ …a a a a a a a a a a [git:brnach] b b b…
  │                      ^^^^^^^^^^^^
";
        assert_eq!(plain(&diagnostic, 44), expected);
    }

    #[test]
    fn tabs_and_hidden_characters_do_not_move_the_carets() {
        let text = "\ta\u{202e}b";
        let diagnostic =
            Diagnostic::warning(DiagnosticCode::Usage, "here").at(Place::within(None, "t.md", text, 2..5));
        let expected = "\
warning: here
 ——▶ t.md:1:3
  │
1 │     a\\u{202e}b
  │      ^^^^^^^^
";
        assert_eq!(plain(&diagnostic, 80), expected);
    }

    #[test]
    fn long_messages_are_wrapped_under_themselves() {
        let diagnostic = Diagnostic::info(DiagnosticCode::Usage, "one two three four five six")
            .help("seven eight nine ten eleven");
        assert_eq!(
            plain(&diagnostic, 24),
            "info: one two three four\n      five six\nhelp: seven eight nine\n      ten eleven\n"
        );
    }
}
