//! Saved captures: read, shown, checked and compared.

use super::{ShownFlags, view};
use crate::{
    failure::CommandFailure,
    files,
    flags::OutputFormat,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, number, one_line},
    },
};
use preface_capture::{
    body::ItemKind,
    document::{Capture, CapturedRequest},
    source::{Source, SourceKind},
};
use preface_engine::{
    core::{
        budget::{Bytes4, Counter},
        diff::{Change, unified},
        model::Models,
    },
    counter,
    lint::LintFile,
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Reads the saved capture that a command is given in the place of a directory; `None` for a directory.
pub fn read(file: Option<&Path>) -> Result<Option<Capture>, CommandFailure> {
    file.filter(|file| !file.is_dir()).map(saved).transpose()
}

fn saved(file: &Path) -> Result<Capture, CommandFailure> {
    let bytes = files::read(file)?;
    Capture::from_json(&bytes).map_err(|why| {
        let shown = one_line(&file.display().to_string());
        CommandFailure::usage(format!("`{shown}` is no saved capture: {}", one_line(&why)))
            .help("`preface capture AGENT --save FILE` writes one")
    })
}

fn request(capture: &Capture, number: Option<usize>) -> Result<&CapturedRequest, CommandFailure> {
    capture.request(number).ok_or_else(|| {
        CommandFailure::usage(format!(
            "there is no such request: the capture has {}",
            count(capture.requests.len(), "request")
        ))
    })
}

fn counter_of(name: Option<&str>, model: Option<&str>) -> Result<Box<dyn Counter>, CommandFailure> {
    let own = model.and_then(|model| Models::bundled().find(model).model.tokenizer.as_deref());
    Ok(counter(name.or(own).unwrap_or(Bytes4::NAME))?)
}

/// Shows a capture.
pub fn show(ui: &Ui, capture: &Capture, flags: &ShownFlags) -> Result<(), CommandFailure> {
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

/// The difference of two captures.
#[derive(Debug, Serialize)]
struct CaptureDifference {
    /// True if the main requests are the same but for ids and the message.
    same: bool,
    left: CaptureSide,
    right: CaptureSide,
    /// The sources, with their bytes.
    sources: Vec<CaptureRow>,
    /// The parts, with their tokens.
    parts: Vec<CaptureRow>,
    /// The lines that differ, as a patch.
    text: String,
}

/// A side of a comparison.
#[derive(Debug, Serialize)]
struct CaptureSide {
    name: String,
    agent: String,
    version: Option<String>,
    bytes: usize,
    tokens: usize,
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
        let (before, after) = (old.get(key), new.get(key));
        let change = match (before, after) {
            (Some((_, old)), Some((_, new))) if old == new => Change::Same,
            (Some(_), Some(_)) => Change::Changed,
            (None, _) => Change::Added,
            (_, None) => Change::Removed,
        };
        let (kind, name) = describe(key);
        if change != Change::Same {
            let text =
                |side: Option<&(usize, String)>| side.map(|(_, text)| text.clone()).unwrap_or_default();
            patch(&one_line(&name), &text(before), &text(after));
        }
        CaptureRow { kind, name, change, before: before.map(|side| side.0), after: after.map(|side| side.0) }
    };
    keys.into_iter().map(row).collect()
}

/// Shows what two captures differ in. Returns true if they are the same but for ids.
pub fn diff(
    ui: &Ui,
    files: [&Path; 2],
    tokenizer: Option<&str>,
    format: OutputFormat,
) -> Result<bool, CommandFailure> {
    let captures = [saved(files[0])?, saved(files[1])?];
    let requests = [request(&captures[0], None)?, request(&captures[1], None)?];
    let counter = counter_of(tokenizer, requests[1].model.as_deref())?;
    let (ids, agent) = (captures[0].ids(), &captures[1].agent);
    let [left, right] = [0, 1].map(|at: usize| CaptureSide {
        name: files[at].display().to_string(),
        agent: captures[at].agent.clone(),
        version: captures[at].version.clone(),
        bytes: requests[at].body.len(),
        tokens: view::CountedRequest::of(&captures[at], requests[at], counter.as_ref()).total(),
    });
    let texts = [0, 1].map(|at: usize| {
        let texts = requests[at].comparable(&captures[at].message, ids).into_iter().zip(&requests[at].items);
        texts.map(|((kind, name, text), item)| ((kind, name), (counter.count(&item.text), text))).collect()
    });
    let mut text = String::new();
    let patch = |name: &str, old: &str, new: &str| {
        text += &unified(&format!("a/{name}"), &format!("b/{name}"), old, new);
    };
    let part = |(kind, name): &(ItemKind, String)| (json!(kind), name.clone());
    let parts = rows(texts, part, patch);
    let source = |source: &&Source| (json!(source.kind), view::label(agent, source));
    let sources = rows(requests.map(|request| request.source_texts(Some(ids))), source, |_, _, _| {});
    let same = parts.iter().all(|part| part.change == Change::Same);
    let difference = CaptureDifference { same, left, right, sources, parts, text };
    match format {
        OutputFormat::Json => ui.json(&difference)?,
        OutputFormat::Text => {
            ui.view(&difference.view(ui.columns()))?;
            ui.patch(&difference.text)?;
        }
    }
    Ok(same)
}

impl CaptureDifference {
    fn view(&self, columns: Option<usize>) -> String {
        let (bold, dim) = (style::BOLD, style::DIM);
        let mut out = String::new();
        for (sign, side) in [("---", &self.left), ("+++", &self.right)] {
            let version = side.version.as_deref().map(|version| format!(" {}", one_line(version)));
            out += &format!(
                "{sign} {bold}{}{bold:#}  {dim}{}{}, ≈ {}, {}{dim:#}\n",
                one_line(&side.name),
                one_line(&side.agent),
                version.unwrap_or_default(),
                count(side.tokens, "token"),
                count(side.bytes, "byte"),
            );
        }
        if self.same {
            return out + "\nThe requests are the same, but for ids.\n";
        }
        let mut table =
            TextTable::new([ColumnAlignment::Left, ColumnAlignment::Right, ColumnAlignment::Left]);
        for (rows, unit, name_style) in
            [(&self.sources, "bytes", style::BOLD), (&self.parts, "tokens", style::ACCENT)]
        {
            for row in rows.iter().filter(|row| row.change != Change::Same) {
                let size = match (row.before.map(number), row.after.map(number)) {
                    (Some(before), Some(after)) => format!("{before} → {after} {unit}"),
                    (None, after) => format!("+{} {unit}", after.unwrap_or_default()),
                    (Some(before), None) => format!("−{before} {unit}"),
                };
                let change = Cell::styled(row.change.as_str(), style::change(row.change));
                table.row([change, size.into(), Cell::styled(one_line(&row.name), name_style)]);
            }
        }
        let same = self.parts.iter().filter(|part| part.change == Change::Same).count();
        out + &format!("\n{}{dim}{} the same{dim:#}\n\n", table.show(columns), count(same, "part"))
    }
}
