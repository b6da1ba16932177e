//! Saved captures: read, shown, checked and compared.

use super::{ShownFlags, view};
use crate::{
    CommandFailure, CommandResult, OutputFormat,
    command::diff::sizes,
    files,
    ui::{Cell, TextTable, Ui, count, one_line, style},
};
use preface_capture::{
    body::ItemKind,
    document::{Capture, CapturedRequest},
    source::{Source, SourceKind},
};
use preface_core::{
    budget::{Bytes4, Counter},
    diagnostic::Remedy,
    diff::{Change, unified},
    model::Models,
};
use preface_engine::{counter, lint::LintFile};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Reads the saved capture that a command is given in the place of a directory; `None` for a directory.
pub fn read(file: Option<&Path>) -> CommandResult<Option<Capture>> {
    file.filter(|file| !file.is_dir()).map(saved).transpose()
}

/// Returns true for a file that `preface capture --save` wrote.
pub fn is_capture(file: &Path) -> bool {
    files::read(file).is_ok_and(|bytes| Capture::from_json(&bytes).is_ok())
}

fn saved(file: &Path) -> CommandResult<Capture> {
    let bytes = files::read(file)?;
    Capture::from_json(&bytes).map_err(|why| {
        let shown = one_line(&file.display().to_string());
        CommandFailure::usage(format!("`{shown}` is no saved capture: {}", one_line(&why)))
            .help(Remedy::command("write one", "capture AGENT --save FILE"))
    })
}

fn request(capture: &Capture, number: Option<usize>) -> CommandResult<&CapturedRequest> {
    capture.request(number).ok_or_else(|| {
        CommandFailure::usage(format!(
            "there is no such request: the capture has {}",
            count(capture.requests.len(), "request")
        ))
    })
}

fn counter_of(name: Option<&str>, model: Option<&str>) -> CommandResult<Box<dyn Counter>> {
    let own = model.and_then(|model| Models::bundled().find(model).model.tokenizer.as_deref());
    Ok(counter(name.or(own).unwrap_or(Bytes4::NAME))?)
}

/// Shows a capture.
pub fn show(ui: &Ui, capture: &Capture, flags: &ShownFlags) -> CommandResult<()> {
    let request = request(capture, flags.request)?;
    if let Some(wanted) = &flags.at {
        let found = view::at(capture, request, wanted).ok_or_else(|| {
            CommandFailure::new(format!("the request does not contain `{}`", one_line(wanted)))
        })?;
        return ui.view(&found);
    }
    let counter = counter_of(flags.tokenizer.as_deref(), request.model.as_deref())?;
    ui.view(&view::CountedRequest::of(capture, request, counter.as_ref()).view(ui.columns()))
}

/// Returns the texts of a capture for lints, one for each source but the agent: its own words and tags are no findings.
pub fn lint_files(file: &Path, capture: &Capture) -> Vec<LintFile> {
    let sources = capture.request(None).map(|request| request.source_texts(None)).unwrap_or_default();
    let foreign = sources.into_iter().filter(|(source, _)| source.kind != SourceKind::Agent);
    foreign
        .map(|(source, (_, text))| {
            let shown = format!("{}#{}", file.display(), view::label(&capture.agent, source));
            LintFile { path: "capture.json".into(), shown, bytes: text.into_bytes() }
        })
        .collect()
}

/// A source or a part with its size on both sides; `None` where it is not there.
#[derive(Debug, Serialize)]
struct CaptureRow {
    kind: Value,
    name: String,
    change: Change,
    before: Option<usize>,
    after: Option<usize>,
}

/// Compares the texts of both sides by their names.
fn rows<K: Ord>(
    [old, new]: [BTreeMap<K, (usize, String)>; 2],
    describe: impl Fn(&K) -> (Value, String),
    mut patch: impl FnMut(&str, &str, &str),
) -> Vec<CaptureRow> {
    let keys: BTreeSet<&K> = old.keys().chain(new.keys()).collect();
    let row = |key| {
        let sides = [old.get(key), new.get(key)];
        let change = match sides {
            [Some((_, old)), Some((_, new))] if old == new => Change::Same,
            [Some(_), Some(_)] => Change::Changed,
            [None, _] => Change::Added,
            [_, None] => Change::Removed,
        };
        let (kind, name) = describe(key);
        if change != Change::Same {
            let [old, new] = sides.map(|side| side.map(|(_, text)| text.as_str()).unwrap_or_default());
            patch(&one_line(&name), old, new);
        }
        let [before, after] = sides.map(|side| side.map(|(size, _)| *size));
        CaptureRow { kind, name, change, before, after }
    };
    keys.into_iter().map(row).collect()
}

/// Shows what two captures differ in. Returns true if they are the same but for ids.
pub fn diff(
    ui: &Ui,
    files: [&Path; 2],
    tokenizer: Option<&str>,
    format: OutputFormat,
) -> CommandResult<bool> {
    let captures = [saved(files[0])?, saved(files[1])?];
    let requests = [request(&captures[0], None)?, request(&captures[1], None)?];
    let counter = counter_of(tokenizer, requests[1].model.as_deref())?;
    let (ids, agent) = (captures[0].ids(), &captures[1].agent);
    let (bold, dim) = (style::BOLD, style::DIM);
    let (mut out, mut text) = (String::new(), String::new());
    let [left, right] = [0, 1].map(|at: usize| {
        let Capture { agent, version, .. } = &captures[at];
        let (name, bytes) = (files[at].display().to_string(), requests[at].body.len());
        let tokens = view::CountedRequest::of(&captures[at], requests[at], counter.as_ref()).total();
        out += &format!(
            "{} {bold}{}{bold:#}  {dim}{} {}, ≈ {}, {}{dim:#}\n",
            ["---", "+++"][at],
            one_line(&name),
            one_line(agent),
            one_line(version.as_deref().unwrap_or_default()),
            count(tokens, "token"),
            count(bytes, "byte"),
        );
        json!({ "name": name, "agent": agent, "version": version, "bytes": bytes, "tokens": tokens })
    });
    let texts = [0, 1].map(|at: usize| {
        let texts = requests[at].comparable(&captures[at].message, ids).into_iter().zip(&requests[at].items);
        texts.map(|((kind, name, text), item)| ((kind, name), (counter.count(&item.text), text))).collect()
    });
    let part = |(kind, name): &(ItemKind, String)| (json!(kind), name.clone());
    let parts = rows(texts, part, |name, old, new| {
        text += &unified(&format!("a/{name}"), &format!("b/{name}"), old, new);
    });
    let source = |source: &&Source| (json!(source.kind), view::label(agent, source));
    let sources = rows(requests.map(|request| request.source_texts(Some(ids))), source, |_, _, _| {});
    let same = parts.iter().all(|part| part.change == Change::Same);
    if format == OutputFormat::Json {
        ui.json(&json!({ "same": same, "left": left, "right": right, "sources": sources, "parts": parts, "text": text }))?;
        return Ok(same);
    }
    if same {
        ui.view(&(out + "\nThe requests are the same, but for ids.\n"))?;
        return Ok(true);
    }
    let mut table = TextTable::new().right(&[1]);
    for (rows, unit, name_style) in [(&sources, "bytes", style::BOLD), (&parts, "tokens", style::ACCENT)] {
        for row in rows.iter().filter(|row| row.change != Change::Same) {
            let change = Cell::styled(row.change.as_str(), style::change(row.change));
            let name = Cell::styled(one_line(&row.name), name_style);
            table.row([change, sizes(row.before, row.after, unit).into(), name]);
        }
    }
    let unchanged = parts.iter().filter(|part| part.change == Change::Same).count();
    out += &format!("\n{}{dim}{} the same{dim:#}\n\n", table.show(ui.columns()), count(unchanged, "part"));
    ui.view(&out)?;
    ui.patch(&text)?;
    Ok(false)
}
