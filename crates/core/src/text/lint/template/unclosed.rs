//! Diagnostics about tags that were begun and not closed: `[if file:a.md` at the end of a line.

use super::{PendingFinding, PendingFindings, VariableTypes, near::covered_ranges, shown};
use crate::{
    diagnostic::{DiagnosticCode, Severity},
    template::{Template, trim},
    variable::VariableKey,
};

/// The number of bytes in which the end of a bracket is searched.
const LONGEST: usize = 200;

/// Reports brackets with a known key behind them and no bracket that closes them on their line.
pub(super) fn diagnostics(template: &Template, catalogue: &VariableTypes, diagnostics: &mut PendingFindings) {
    let text = template.text();
    let mut tags = covered_ranges(template).peekable();
    for open in memchr::memchr_iter(b'[', text.as_bytes()) {
        while tags.next_if(|tag| tag.end <= open).is_some() {}
        if tags.peek().is_some_and(|tag| tag.start <= open) {
            continue;
        }
        let Some(end) = end_of_line(text, open + 1) else { continue };
        if let Some((tag, length)) = unclosed_tag(&text[open + 1..end], catalogue) {
            let range = open..open + 1 + length;
            let message = format!("`{}` is text: a tag ends with `]`", shown(&text[range.clone()]));
            let diagnostic =
                PendingFinding::new(Severity::Info, DiagnosticCode::TemplateNearMiss, &range, message);
            diagnostics.push(diagnostic.help(format!("did you mean `{tag}`?")).edit(range, tag));
        }
    }
}

/// Returns where the line, or what is before the next bracket, ends; `None` if that closes the tag or is far away.
fn end_of_line(text: &str, from: usize) -> Option<usize> {
    let most = text.len().min(from + LONGEST);
    let found =
        text.as_bytes()[from..most].iter().position(|byte| matches!(byte, b'[' | b']' | b'\n' | b'\r'));
    match found.map(|at| from + at) {
        Some(at) if text.as_bytes()[at] == b']' => None,
        Some(at) => Some(at),
        None if most == text.len() => Some(most),
        None => None,
    }
}

/// Reads the tag that was begun, and how many bytes of the text it takes.
fn unclosed_tag(line: &str, catalogue: &VariableTypes) -> Option<(String, usize)> {
    let (word, rest) = match line.strip_prefix("if ") {
        Some(rest) => ("if ", rest),
        None => ("", line),
    };
    let (not, rest) = match rest.strip_prefix('!') {
        Some(rest) if !word.is_empty() => ("!", rest),
        _ => ("", rest),
    };
    let name = rest.split(char::is_whitespace).next().map(trim).filter(|name| !name.is_empty())?;
    let key: VariableKey = name.parse().ok()?;
    catalogue.stability(&key)?;
    Some((format!("[{word}{not}{key}]"), word.len() + not.len() + name.len()))
}
