//! `preface explain --at`: the origin of a text or a byte of the prompt, and the use of a line of a file.

use super::{lost, variant_of};
use crate::{
    CommandFailure, CommandResult, Subject,
    call::command,
    files,
    ui::{Ui, count, diagnostic, number, one_line, short, style},
};
use preface_core::{
    diagnostic::{Place, Remedy},
    explain::{LineExplanation, LineOutcome, MatchPiece, PromptMatch, at_offset, at_source, at_text},
    origin::{LiteralSource, Origin, Source},
    scope::Scope,
    suggestion::did_you_mean,
};
use preface_engine::host::places::resolve_links;
use std::{
    collections::BTreeSet,
    fmt::Write,
    ops::Range,
    path::{Path, PathBuf},
};

/// The argument of `--at`.
#[derive(Debug, PartialEq, Eq)]
enum PositionQuery<'a> {
    Offset(usize),
    Line(&'a str, usize),
    Text(&'a str),
}

impl<'a> PositionQuery<'a> {
    fn parse(at: &'a str) -> Self {
        if let Ok(offset) = at.parse() {
            return PositionQuery::Offset(offset);
        }
        match at.rsplit_once(':') {
            Some((path, line)) if !path.is_empty() && !path.contains(char::is_whitespace) => {
                line.parse().map_or(PositionQuery::Text(at), |line| PositionQuery::Line(path, line))
            }
            _ => PositionQuery::Text(at),
        }
    }
}

/// Shows the place that the argument of `--at` names.
pub fn view(ui: &Ui, subject: &Subject, at: &str) -> CommandResult<String> {
    let prompt = &subject.prompt;
    match PositionQuery::parse(at) {
        PositionQuery::Offset(offset) => match at_offset(prompt, offset) {
            Some(hit) => Ok(hits(ui, subject, &[hit])),
            None => Err(CommandFailure::new(format!(
                "the prompt ends before byte {offset}: it has {}",
                count(prompt.text.len(), "byte")
            ))),
        },
        PositionQuery::Line(path, line) => {
            // A text may look like a place: `http://localhost:8080`.
            match source_of(subject, path) {
                Some((source, file)) => match profile_line(subject, path, line) {
                    Some(shown) => Ok(shown),
                    None => outcome(ui, subject, &source, line, &file),
                },
                None => texts(ui, subject, at).map_err(|failure| no_file(subject, path).unwrap_or(failure)),
            }
        }
        PositionQuery::Text(text) => texts(ui, subject, text),
    }
}

/// Returns the failure for a file that does not exist; `None` for a text that only looks like a file and a line.
fn no_file(subject: &Subject, path: &str) -> Option<CommandFailure> {
    let is_file_name = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
    let known: BTreeSet<&str> = subject
        .prompt
        .spans()
        .filter_map(|(_, _, origin)| match origin {
            Origin::Source { source, .. } => Some(source.path.as_str()),
            _ => None,
        })
        .collect();
    if !(is_file_name || known.contains(path)) || path.contains("://") {
        return None;
    }
    if subject.places.is_none() {
        let (what, more) = match subject.kept {
            Some(_) => ("stored prompt", "; `--no-store` builds now"),
            None => ("snapshot", ""),
        };
        let failure =
            CommandFailure::new(format!("a {what} has no lines of files: `--at FILE:LINE` needs a build"));
        return Some(failure.help(format!("`--at TEXT` shows the file that a text is from{more}")));
    }
    let help = match did_you_mean(path, known) {
        Some(near) => format!("did you mean `{}`?", one_line(near)).into(),
        None => Remedy::command("see the files of the prompt", "explain"),
    };
    Some(CommandFailure::new(format!("there is no file `{}`", one_line(path))).help(help))
}

fn texts(ui: &Ui, subject: &Subject, text: &str) -> CommandResult<String> {
    match at_text(&subject.prompt, text) {
        found if found.is_empty() => {
            Err(CommandFailure::new(format!("the prompt does not contain `{}`", one_line(text)))
                .help(Remedy::command("see what is left out, and why", "explain --absent")))
        }
        found => Ok(hits(ui, subject, &found)),
    }
}

/// The most matches that are shown; the rest is only counted.
const HITS: usize = 20;

fn hits(ui: &Ui, subject: &Subject, found: &[PromptMatch]) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let columns = ui.columns().unwrap_or(200);
    let mut out = String::new();
    for hit in found.iter().take(HITS) {
        for piece in &hit.pieces {
            let MatchPiece { section, range, .. } = piece;
            let _ = writeln!(out, "{bold}{section}{bold:#} {dim}bytes {}–{}{dim:#}", range.start, range.end);
            out.push_str(&origin(subject, piece, columns));
        }
    }
    if found.len() > HITS {
        let _ = writeln!(out, "and {} more places", number(found.len() - HITS));
    }
    out
}

/// Shows where some bytes came from: the line of a file, or the name of what gave them.
fn origin(subject: &Subject, piece: &MatchPiece, columns: usize) -> String {
    let MatchPiece { origin, range, .. } = piece;
    let line = short(&one_line(&subject.prompt.text[range.clone()]), columns.saturating_sub(8)).into_owned();
    let in_profile = |about: &str| {
        let place = subject.place_in_profile(origin, range)?;
        Some(place_about(&place, about, columns))
    };
    let about = match origin {
        Origin::Source { source, span, .. } => {
            let file = subject.file(source);
            let place = match file.as_deref().map(String::from_utf8_lossy) {
                Some(file) => {
                    // Columns count on the file as text; bytes that are no UTF-8 move them, so the span is only a start.
                    let end = span.end.min(file.len());
                    Place::within(Some(source.scope), &source.path, &file, span.start.min(end)..end)
                }
                None => Place {
                    span: Some(span.clone()),
                    ..Place::file(Some(source.scope), format!("{}@{}", source.path, span.start))
                },
            };
            return diagnostic::place(&place, style::GOOD, columns);
        }
        Origin::Literal { profile, key } => {
            let about = about_literal(&subject.prompt.preset, profile, key);
            match in_profile(&about) {
                Some(place) => return place,
                None => about,
            }
        }
        Origin::Variable { key, source } => match in_profile(&format!("the variable `{key}`")) {
            Some(place) => return place,
            None => format!("the variable `{key}`, from {}", one_line(source)),
        },
        Origin::Stored { span, .. } => format!("{origin}, byte {} (of the store)", span.start),
        Origin::Caller { flag } => one_line(flag),
        Origin::Hook { hook, event } => format!("the hook `{}`, at {event}", one_line(hook)),
    };
    format!(" ——▶ {about}\n     {line}\n")
}

/// Describes a literal: its key, and who sets it.
fn about_literal(preset: &str, profile: &str, key: &str) -> String {
    let key = one_line(key);
    let profile = match LiteralSource::of(profile) {
        LiteralSource::Bundled => return format!("`{key}`, bundled with preface"),
        LiteralSource::Caller => return format!("`{key}`, set with `--set`"),
        LiteralSource::Profile(profile) => profile,
    };
    match variant_of(preset, profile) {
        Some(name) => {
            format!("`{key}` of the profile `{}`, variant `{}`", one_line(preset), one_line(name))
        }
        None => format!("`{key}` of the profile `{}`", one_line(profile)),
    }
}

/// Shows a place in a file of the profile, with what it is behind it.
fn place_about(place: &Place, about: &str, columns: usize) -> String {
    let dim = style::DIM;
    diagnostic::place(place, style::GOOD, columns).replacen('\n', &format!("   {dim}({about}){dim:#}\n"), 1)
}

/// Finds a file by the name that origins have for it, or by its path.
fn source_of(subject: &Subject, path: &str) -> Option<(Source, Vec<u8>)> {
    let plain = path.strip_prefix("./").unwrap_or(path);
    let sources = || {
        subject.prompt.spans().filter_map(|(_, _, origin)| match origin {
            Origin::Source { source, .. } => Some(source.as_ref()),
            _ => None,
        })
    };
    let wanted = paths_of(subject, plain);
    let is_wanted = |source: &&Source| is_one_of(subject, &source.path, &wanted);
    let known = sources().find(|source| source.path == plain).or_else(|| sources().find(is_wanted));
    let source = match known {
        Some(source) => source.clone(),
        None => {
            let places = subject.places.as_ref()?;
            let named = Source { scope: Scope::Project, path: plain.to_owned() };
            if Path::new(plain).is_relative() && subject.file(&named).is_some() {
                named
            } else {
                Source { path: places.shown(&files::absolute(path.as_ref()).ok()?), ..named }
            }
        }
    };
    let file = subject.file(&source)?;
    Some((source, file))
}

/// Returns the files that a path can mean: from the directory of the build, and from that of the call.
fn paths_of(subject: &Subject, path: &str) -> Vec<PathBuf> {
    let paths = [subject.path_of(path), files::absolute(path.as_ref()).ok()];
    paths.iter().flatten().map(|path| resolve_links(files::system(), path)).collect()
}

/// Returns true if an origin's or a place's path means one of these files.
fn is_one_of(subject: &Subject, path: &str, files: &[PathBuf]) -> bool {
    subject.path_of(path).is_some_and(|path| files.contains(&resolve_links(files::system(), &path)))
}

/// Shows what became of a line of a file of the profile; `None` if no text of the prompt is written in that file.
fn profile_line(subject: &Subject, path: &str, line: usize) -> Option<String> {
    let wanted = paths_of(subject, path);
    let (bold, mut shown, mut out) = (style::BOLD, None, String::new());
    for (part, range, origin) in subject.prompt.spans() {
        let place_of = |bytes: &Range<usize>| subject.place_in_profile(origin, bytes);
        // A span is from one file.
        if !place_of(&range).is_some_and(|place| is_one_of(subject, &place.path, &wanted)) {
            continue;
        }
        let mut start = range.start;
        for text in subject.prompt.text[range].split_inclusive('\n') {
            let bytes = start..start + text.len();
            start = bytes.end;
            let Some(place) = place_of(&bytes) else { continue };
            if place.line == Some(line) {
                let (section, start, end) = (&part.section, bytes.start, bytes.end);
                let _ = writeln!(out, "in {bold}{section}{bold:#}, bytes {start}–{end}");
            }
            shown = Some(place.path);
        }
    }
    let shown = format!("{}:{line}", one_line(&shown?));
    let verdict =
        if out.is_empty() { "is not in the prompt; other lines of its file are" } else { "is in the prompt" };
    Some(format!("{bold}{shown}{bold:#} {verdict}.\n{out}"))
}

fn outcome(ui: &Ui, subject: &Subject, source: &Source, line: usize, file: &[u8]) -> CommandResult<String> {
    let LineExplanation { outcome, bytes, uses, cuts, diagnostics } =
        at_source(&subject.prompt, &source.path, line, file);
    let shown = format!("{}:{line}", one_line(&source.path));
    let bold = style::BOLD;
    let verdict = match outcome {
        LineOutcome::NoSuchLine => {
            let lines = String::from_utf8_lossy(file).lines().count();
            let (path, lines) = (one_line(&source.path), count(lines, "line"));
            return Err(CommandFailure::new(format!("{path} has {lines}, and no line {line}")));
        }
        LineOutcome::Whole => "is in the prompt",
        LineOutcome::Partial => "is in the prompt in part",
        LineOutcome::Dropped => "is not in the prompt; other lines of its file are",
        LineOutcome::Silent => "is not in the prompt, nor is the rest of its file",
    };
    let columns = ui.columns().unwrap_or(200);
    let mut out = format!("{bold}{shown}{bold:#} {verdict}.\n");
    let text = String::from_utf8_lossy(&file[bytes]);
    let dim = style::DIM;
    let _ = writeln!(out, "  {dim}{}{dim:#}", short(&one_line(text.trim_end()), columns - 2));
    for one in &uses {
        let _ =
            writeln!(out, "in {bold}{}{bold:#}, bytes {}–{}", one.section, one.range.start, one.range.end);
    }
    for cuts in cuts.chunk_by(|one, next| one.section == next.section) {
        if let (Some(first), Some(last)) = (cuts.first(), cuts.last()) {
            let _ = writeln!(out, "`{}` was {}", first.section, lost(&first.cut, &last.cut));
        }
    }
    for one in &diagnostics {
        let _ = write!(out, "{:#}", diagnostic::DiagnosticView::of(one, columns));
    }
    let is_explained = !cuts.is_empty() || !diagnostics.is_empty();
    if matches!(outcome, LineOutcome::Silent) && !is_explained && !subject.prompt.absent.is_empty() {
        let absent = command("explain --absent");
        out.push_str(&format!("{absent} lists the sections that are left out, with the reasons.\n"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_described_by_its_key_and_who_sets_it() {
        for (profile, expected) in [
            ("o", "`join` of the profile `o`"),
            ("base", "`join` of the profile `base`"),
            ("o formal", "`join` of the profile `o`, variant `formal`"),
            ("o 0.58", "`join` of the profile `o`, variant `0.58`"),
            ("bundled", "`join`, bundled with preface"),
            ("--set", "`join`, set with `--set`"),
        ] {
            assert_eq!(about_literal("o", profile, "join"), expected);
        }
    }

    #[test]
    fn places_are_told_apart() {
        assert_eq!(PositionQuery::parse("4096"), PositionQuery::Offset(4096));
        assert_eq!(PositionQuery::parse("docs/AGENTS.md:12"), PositionQuery::Line("docs/AGENTS.md", 12));
        assert_eq!(PositionQuery::parse("note: 12"), PositionQuery::Text("note: 12"));
        assert_eq!(PositionQuery::parse("two words:12"), PositionQuery::Text("two words:12"));
        assert_eq!(PositionQuery::parse("Use tabs"), PositionQuery::Text("Use tabs"));
    }
}
