//! Saved captures: read, shown, checked and compared.

use super::{ShownFlags, view};
use crate::{
    failure::CommandFailure,
    files,
    ui::{
        Ui, style,
        table::{Cell, ColumnAlignment, TextTable},
        text::{count, number, one_line},
    },
};
use preface_capture::document::{Capture, CapturedRequest};
use preface_engine::{
    core::{
        budget::{Bytes4, Counter},
        diff::{Change, unified},
        model::Models,
    },
    counter,
    lint::LintFile,
};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

/// Reads the saved capture that a command is given in the place of a directory; `None` for a directory and another file.
pub fn read(file: Option<&Path>) -> Result<Option<Capture>, CommandFailure> {
    let Some(file) = file.filter(|file| files::is_file(file)) else { return Ok(None) };
    let bytes = files::read(file)?;
    let value = serde_json::from_slice::<Value>(&bytes);
    if !value.is_ok_and(|value| value.get("preface_capture").is_some()) {
        return Ok(None);
    }
    let shown = one_line(&file.display().to_string());
    let capture = Capture::from_json(&bytes);
    capture.map(Some).map_err(|why| CommandFailure::new(format!("`{shown}` is no whole capture: {why}")))
}

/// Reads one side of a comparison.
fn side(file: &Path) -> Result<Capture, CommandFailure> {
    read(Some(file))?.ok_or_else(|| {
        CommandFailure::usage(format!("`{}` is no saved capture", one_line(&file.display().to_string())))
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

/// Returns the texts of a capture for lints.
pub fn lint_files(file: &Path, capture: &Capture) -> Vec<LintFile> {
    let shown = file.display();
    let items = capture.request(None).map(|request| request.items.as_slice()).unwrap_or_default();
    items
        .iter()
        .filter(|item| !item.text.is_empty())
        .map(|item| {
            let name = format!("{shown}#{}", item.place);
            LintFile { path: name.clone().into(), shown: name, bytes: item.text.clone().into_bytes() }
        })
        .collect()
}

/// Shows what two captures differ in. Returns true if they are the same but for ids.
pub fn diff(ui: &Ui, files: [&Path; 2], tokenizer: Option<&str>) -> Result<bool, CommandFailure> {
    let captures = [side(files[0])?, side(files[1])?];
    let requests = [request(&captures[0], None)?, request(&captures[1], None)?];
    let counter = counter_of(tokenizer, requests[1].model.as_deref())?;
    let [old, new] = [0, 1].map(|side: usize| {
        let texts = requests[side].comparable(&captures[side].message).into_iter();
        let items = texts.zip(&requests[side].items);
        items.map(|((kind, name, text), item)| ((kind, name), (text, item))).collect::<BTreeMap<_, _>>()
    });
    let mut out = String::new();
    for ((sign, file), (capture, request)) in
        [("---", files[0]), ("+++", files[1])].into_iter().zip(captures.iter().zip(requests))
    {
        let tokens = view::CountedRequest::of(capture, request, counter.as_ref()).total();
        let name = one_line(&file.display().to_string());
        let version =
            capture.version.as_deref().map(|version| format!(" {}", one_line(version))).unwrap_or_default();
        let (bold, dim) = (style::BOLD, style::DIM);
        out += &format!(
            "{sign} {bold}{name}{bold:#}  {dim}{}{version}, ≈ {}, {}{dim:#}\n",
            capture.agent,
            count(tokens, "token"),
            count(request.body.len(), "byte"),
        );
    }
    let mut table = TextTable::new([ColumnAlignment::Left, ColumnAlignment::Right, ColumnAlignment::Left]);
    let (mut texts, mut same) = (String::new(), 0);
    let keys: std::collections::BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let sides = [old.get(key), new.get(key)];
        let change = match sides {
            [Some(old), Some(new)] if old.0 == new.0 => {
                same += 1;
                continue;
            }
            [Some(_), Some(_)] => Change::Changed,
            [None, _] => Change::Added,
            [_, None] => Change::Removed,
        };
        let [before, after] = sides.map(|side| side.map(|(_, item)| number(counter.count(&item.text))));
        let tokens = match (before, after) {
            (Some(before), Some(after)) => format!("{before} → {after} tokens"),
            (None, Some(after)) => format!("+{after} tokens"),
            (Some(before), None) => format!("−{before} tokens"),
            (None, None) => String::new(),
        };
        let name = one_line(&key.1);
        table.row([
            Cell::styled(change.as_str(), style::change(change)),
            tokens.into(),
            Cell::styled(name.clone(), style::BOLD),
        ]);
        let [before, after] = sides.map(|side| side.map(|(text, _)| text.as_str()).unwrap_or_default());
        texts += &unified(&format!("a/{name}"), &format!("b/{name}"), before, after);
    }
    if texts.is_empty() {
        ui.view(&(out + "\nThe requests are the same, but for ids.\n"))?;
        return Ok(true);
    }
    out += &format!("\n{}", table.show(ui.columns()));
    out += &format!("{dim}{} the same{dim:#}\n\n", count(same, "part"), dim = style::DIM);
    ui.view(&out)?;
    ui.patch(&texts)?;
    Ok(false)
}
