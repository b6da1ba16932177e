//! Questions to the user on a terminal. Text of a project is shown with hidden and control characters written out.

use crate::ui::{Ui, style, wrap};
use preface_core::lint::{
    finding::TextFinding,
    hidden::{self, escape_hidden},
};
use preface_engine::{Ask, TrustAnswer, TrustQuestion, host::provider::context::Confirm};
use std::fmt::Write;

/// Asks on stderr and reads the answers from stdin.
#[derive(Debug)]
pub struct Terminal<'u> {
    ui: &'u Ui,
    /// True if single files are asked about.
    confirms: bool,
}

impl<'u> Terminal<'u> {
    /// Returns a terminal that uses a printer.
    pub fn new(ui: &'u Ui) -> Self {
        Terminal { ui, confirms: true }
    }

    /// Returns one that asks about whole projects alone: an answer about a single file is not recorded, and the build that is kept would
    /// not find it.
    pub fn about_projects(ui: &'u Ui) -> Self {
        Terminal { ui, confirms: false }
    }
}

impl Confirm for Terminal<'_> {
    fn confirm(&self, question: &str) -> bool {
        let question = escape_hidden(question);
        self.confirms && self.ui.ask(&format!("{question}\nType `yes` to agree: ")).as_deref() == Some("yes")
    }
}

impl Ask for Terminal<'_> {
    fn trust(&self, question: &TrustQuestion) -> Option<TrustAnswer> {
        self.ui.eprint(&question_text(question, self.ui.diagnostic_columns()));
        let view = if question.texts.is_empty() { "" } else { "[v]iew it, " };
        let trust = if question.can_trust { "[t]rust it, " } else { "" };
        loop {
            let answer = self.ui.ask(&format!("{view}{trust}trust it [o]nce, [d]ecline, or [a]bort? "))?;
            match answer.to_ascii_lowercase().as_str() {
                "v" | "view" if !question.texts.is_empty() => {
                    self.ui.page(&shown(question, self.ui.diagnostic_columns()));
                }
                "t" | "trust" if question.can_trust => return Some(TrustAnswer::Trust),
                "o" | "once" => return Some(TrustAnswer::Once),
                "d" | "decline" => return Some(TrustAnswer::Decline),
                "a" | "abort" => return Some(TrustAnswer::Abort),
                _ => self.ui.eprint("Answer with one of the words, or its first letter.\n"),
            }
        }
    }

    fn as_confirm(&self) -> &dyn Confirm {
        self
    }
}

/// The question: the path, and what a grant covers.
fn question_text(question: &TrustQuestion, columns: usize) -> String {
    let bold = style::BOLD;
    let path = question.path.display().to_string();
    let path = escape_hidden(&path);
    let what = if question.changed { "changed its text for the model" } else { "has text for the model" };
    let mut out = wrap(&format!("{bold}{path}{bold:#} {what}:"), columns, 2);
    out.push('\n');
    for line in &question.contents {
        let _ = writeln!(out, "  {}", wrap(&escape_hidden(line), columns.saturating_sub(2), 4));
    }
    out
}

/// The columns before a line of a text.
const GUTTER: &str = "       ";

/// The texts themselves, every hidden character shown.
fn shown(question: &TrustQuestion, columns: usize) -> String {
    let (bold, dim, care) = (style::BOLD, style::DIM, style::CARE);
    let mut out = String::new();
    for (name, text) in &question.texts {
        let _ = writeln!(out, "{bold}{}{bold:#}", escape_hidden(name));
        for found in hidden::scan(text).iter().filter(|found| found.usual.is_none()) {
            let line = text[..found.range.start].matches('\n').count() + 1;
            let _ = writeln!(out, "{care}line {line}: {}{care:#}", found.message());
        }
        for (at, line) in text.lines().enumerate() {
            let line = escape_hidden(&line.replace('\t', "    ")).into_owned();
            let _ = write!(out, "{dim}{:>4} │{dim:#} ", at + 1);
            out.push_str(wrap(&format!("{GUTTER}{line}"), columns, GUTTER.len()).trim_start_matches(GUTTER));
            out.push('\n');
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_hide_in_its_question() {
        let question = TrustQuestion {
            path: "/work/\u{1b}[2J".into(),
            contents: vec!["AGENTS.md (5 bytes)".into()],
            texts: vec![("AGENTS.md".into(), "Use\u{202e}\ttabs\u{1b}[1m".into())],
            changed: false,
            can_trust: true,
        };
        let plain = |text: &str| anstream::adapter::strip_str(text).to_string();
        assert_eq!(
            plain(&question_text(&question, 80)),
            "/work/\\u{1b}[2J has text for the model:\n  AGENTS.md (5 bytes)\n"
        );
        assert_eq!(
            plain(&shown(&question, 80)),
            "AGENTS.md\nline 1: characters that change the order of text on a screen: U+202E\nline 1: control characters: U+001B\n   1 │ Use\\u{202e}    tabs\\u{1b}[1m\n\n"
        );
    }
}
