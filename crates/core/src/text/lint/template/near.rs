//! Diagnostics about text in brackets that was perhaps meant as a tag.

use super::{PendingFinding, PendingFindings, VariableTypes, shown};
use crate::{
    diagnostic::{DiagnosticCode, Severity},
    template::{TagRole, Template, TemplateOptions, trim},
    variable::VariableKey,
};
use std::ops::Range;

/// Longer text in brackets is prose.
const LONGEST: usize = 100;

struct Guess {
    message: &'static str,
    /// The tag to write instead.
    tag: Option<String>,
}

/// Reports innermost brackets that are no tags.
pub(super) fn diagnostics(
    template: &Template,
    options: &TemplateOptions,
    catalogue: &VariableTypes,
    diagnostics: &mut PendingFindings,
) {
    let text = template.text();
    let bytes = text.as_bytes();
    let mut tags = covered_ranges(template).peekable();
    let mut at = 0;
    for close in memchr::memchr_iter(b']', bytes) {
        let open = memchr::memrchr(b'[', &bytes[at..close]).map(|open| at + open);
        at = close + 1;
        let Some(open) = open else { continue };
        while tags.next_if(|tag| tag.end <= open).is_some() {}
        let taken = tags.peek().is_some_and(|tag| tag.start <= open);
        let link = matches!(bytes.get(at), Some(b'(' | b'['));
        if taken || link || close - open > LONGEST {
            continue;
        }
        let inner = trim(&text[open + 1..close]);
        if let Some(diagnostic) = unknown_key(inner, &(open..at), catalogue) {
            diagnostics.push(diagnostic);
        } else if let Some(guess) = guess(inner, options, catalogue) {
            if guess.tag.as_deref() == Some(&text[open..at]) {
                if let Some(found) = unknown_type(inner, &(open..at)) {
                    diagnostics.push(found);
                }
                continue;
            }
            let message = format!("`{}` is text: {}", shown(&text[open..at]), guess.message);
            let mut diagnostic =
                PendingFinding::new(Severity::Info, DiagnosticCode::TemplateNearMiss, &(open..at), message);
            if let Some(tag) = guess.tag {
                diagnostic = diagnostic.help(format!("did you mean `{tag}`?")).edit(open..at, tag);
            }
            diagnostics.push(diagnostic);
        }
    }
}

/// Reports a variable or condition that is text because its key is not known, where a known one is near.
fn unknown_key(inner: &str, range: &Range<usize>, catalogue: &VariableTypes) -> Option<PendingFinding> {
    let condition = inner.strip_prefix("if ").map(trim);
    let negated = condition.is_some_and(|rest| rest.starts_with('!'));
    let written = condition.unwrap_or(inner);
    let key: VariableKey = written[usize::from(negated)..].parse().ok()?;
    let near = catalogue.nearest_key(&key)?;
    let (code, what) = match catalogue.kind(key.kind()) {
        Some(_) => (DiagnosticCode::TemplateUnknownName, format!("has no name `{}`", shown(key.name()))),
        None => (DiagnosticCode::TemplateUnregisteredType, "is no registered type".to_owned()),
    };
    let message = format!("`{}` {what}: `[{}]` is text", key.kind(), shown(inner));
    let diagnostic = PendingFinding::new(Severity::Warning, code, range, message);
    let word = if condition.is_some() { "if " } else { "" };
    let tag = format!("[{word}{}{near}]", if negated { "!" } else { "" });
    Some(diagnostic.help(format!("did you mean `{near}`?")).edit(range.clone(), tag))
}

/// Reports a condition that is written as a tag and is text because its key has no known type. The tags of its block are text with it.
fn unknown_type(inner: &str, range: &Range<usize>) -> Option<PendingFinding> {
    let key: VariableKey = trim(inner.strip_prefix("if ")?).trim_start_matches('!').parse().ok()?;
    let message = format!("`[{}]` is text: `{}` is no registered type", shown(inner), shown(key.kind()));
    let help = "declare the variable in the profile, below `[variables]`, or its type in `variable_types`";
    let found = PendingFinding::new(Severity::Info, DiagnosticCode::TemplateNearMiss, range, message);
    Some(found.help(help.to_owned()))
}

/// Returns the ranges of all tags, a raw block as one.
pub(super) fn covered_ranges(template: &Template) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut tags = template.tags().iter();
    std::iter::from_fn(move || {
        let tag = tags.next()?;
        let end = match tag.role {
            // The end tag of a working `[raw]` is the tag behind it.
            TagRole::Raw if tag.stray.is_none() => tags.next()?.range.end,
            _ => tag.range.end,
        };
        Some(tag.range.start..end)
    })
}

fn guess(inner: &str, options: &TemplateOptions, catalogue: &VariableTypes) -> Option<Guess> {
    let lower = inner.to_ascii_lowercase();
    match lower.as_str() {
        "else" | "endif" => return tag("tags are lower case", format!("[{lower}]")),
        "raw" | "endraw" if options.raw => return tag("tags are lower case", format!("[{lower}]")),
        "raw" | "endraw" if inner == lower => {
            let message = "such blocks are off here (`template.raw`), and tags in them work";
            return Some(Guess { message, tag: None });
        }
        "end if" | "end-if" | "end_if" | "/if" | "fi" => {
            return tag("a block ends with `[endif]`", "[endif]".to_owned());
        }
        _ => {}
    }
    let (word, rest) = lower.split_once(char::is_whitespace).unwrap_or((lower.as_str(), ""));
    let rest = &inner[inner.len() - rest.len()..];
    match word {
        "elif" | "elsif" | "elseif" if !rest.is_empty() => no_else_if(options),
        "else" if rest.trim_start().to_ascii_lowercase().starts_with("if ") => no_else_if(options),
        "if" => condition(rest, catalogue),
        _ if word.starts_with("if!") => condition(&inner[2..], catalogue),
        _ => variable(inner, catalogue),
    }
}

/// Guesses at a variable: another sign for the colon, a name without its type, a file without its type.
fn variable(inner: &str, catalogue: &VariableTypes) -> Option<Guess> {
    if let Some(key) = separated(inner, catalogue) {
        return tag("a colon follows the type", format!("[{key}]"));
    }
    if let Some(key) = catalogue.only_key(inner) {
        return tag("a variable is a type, a colon and a name", format!("[{key}]"));
    }
    let files = catalogue.kind("file").is_some_and(|kind| kind.dynamic.is_some());
    (files && is_file(inner)).then(|| Guess {
        message: "a file is the type `file`, a colon and its path",
        tag: Some(format!("[file:{inner}]")),
    })
}

/// True for what looks like the path of a text, and never like prose.
fn is_file(inner: &str) -> bool {
    const TEXTS: [&str; 8] = ["json", "md", "mdx", "rst", "toml", "txt", "yaml", "yml"];
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'-' | b'_');
    let named =
        inner.rsplit_once('.').filter(|(name, _)| name.ends_with(|c: char| c.is_ascii_alphanumeric()));
    inner.bytes().all(plain) && named.is_some_and(|(_, ending)| TEXTS.contains(&ending))
}

fn tag(message: &'static str, tag: String) -> Option<Guess> {
    Some(Guess { message, tag: Some(tag) })
}

fn no_else_if(options: &TemplateOptions) -> Option<Guess> {
    let message = match options.inputs {
        Some(_) => "write `[elif type:name]`",
        None => "there is no `else if`; put an `if` block behind `[else]`",
    };
    Some(Guess { message, tag: None })
}

/// Guesses at what follows `if`.
fn condition(rest: &str, catalogue: &VariableTypes) -> Option<Guess> {
    let rest = trim(rest);
    let (rest, not) = match rest.strip_prefix('!').or_else(|| rest.strip_prefix("not ")) {
        Some(rest) => (trim(rest), "!"),
        None => (rest, ""),
    };
    if rest.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return None;
    }
    if rest.parse::<VariableKey>().is_ok() {
        return tag("write `[if type:name]` or `[if !type:name]`", format!("[if {not}{rest}]"));
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || SEPARATORS.contains(&c);
    if rest.is_empty() || rest.contains(':') || !rest.chars().all(word) {
        return None;
    }
    let key = separated(rest, catalogue).or_else(|| catalogue.only_key(rest));
    Some(Guess {
        message: "a condition is a type, a colon and a name",
        tag: key.map(|key| format!("[if {not}{key}]")),
    })
}

const SEPARATORS: [char; 5] = ['.', '-', '/', ' ', '='];

/// Returns the known key that `text` spells with something else than a colon.
pub(super) fn separated(text: &str, catalogue: &VariableTypes) -> Option<VariableKey> {
    let (kind, name) = text.split_once(SEPARATORS)?;
    let name = name.trim_start();
    catalogue.kind(kind)?.names.contains_key(name).then(|| VariableKey::new(kind, name))
}
