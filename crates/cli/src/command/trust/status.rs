//! `preface trust status`: which project files are trusted.

use super::word;
use crate::{
    CommandResult, Exit, OutputFormat, TemplateFlags, TurnFlags,
    call::{ALLOW, command},
    diagnostics, files,
    flags::pins,
    ui::{Cell, TextTable, Ui, count, listed, number, style},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Severity},
    lint::hidden::escape_hidden,
    trust::{Trust, TrustMode},
};
use preface_engine::{
    BuildOptions, BuildResult, CoveredPermission, Engine, WriteScope,
    consent::{layer_root, pin_root, why_no_store},
    coverage::{Coverage, CoveredText},
    host::{
        system::System,
        trust::{
            GrantState, Permission, PermissionLineKind,
            gate::{GateVerdict, GatedText},
        },
    },
};
use serde_json::json;
use std::{
    fmt::Write,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Examples:
  preface trust status
  preface trust status -C ../api --format json";

/// List the files of this project and their state: granted, new or changed
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
#[group(id = "TrustStatus")]
pub struct Args {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Also trust the files that FILE of `preface trust export` pins
    #[arg(long, value_name = "FILE")]
    trust_pins: Option<PathBuf>,

    #[command(flatten)]
    turn: TurnFlags,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let templates = TemplateFlags::default().source(&args.turn.request());
    let engine = Engine::new(files::system()).with_templates(&templates).writing(WriteScope::Nothing);
    let request = BuildOptions { pins: pins(args.trust_pins.as_deref())?, ..args.turn.request() };
    let built = engine.build_wide(&request)?;
    let mut problems: Vec<Diagnostic> =
        built.prompt.diagnostics.iter().filter(|diagnostic| is_problem(diagnostic)).cloned().collect();
    let mut coverage = match engine.review(&request, &[]) {
        Ok(review) => review.coverage,
        Err(error) => Coverage { failure: Some(error), ..Coverage::default() },
    };
    // A project whose text stops a build has a status all the same.
    problems.extend(coverage.failure.take().map(|error| {
        let what = format!("with a grant no prompt could be built: {error}");
        Diagnostic::warning(DiagnosticCode::TrustCoverage, what)
    }));
    let lost = match (built.mode, request.pins.as_deref()) {
        (TrustMode::Pinned | TrustMode::None, Some(bytes)) => engine.lost_texts(&built.places, bytes)?,
        _ => Vec::new(),
    };
    match args.format {
        OutputFormat::Text => {
            let view = view(files::system(), &built, &coverage, &lost);
            ui.view(&(view + &permitted(&coverage.permissions)))?;
        }
        OutputFormat::Json => {
            let mut document = document(&engine, &built, &coverage);
            if !lost.is_empty() {
                document["left_out"] = true.into();
            }
            document["lost"] =
                lost.iter().map(|(path, state)| json!({ "path": path, "state": state })).collect();
            document["permissions"] = coverage.permissions.iter().map(permission).collect();
            ui.json(&document)?;
        }
    }
    diagnostics::all(ui, &problems);
    Ok(Exit::Done)
}

/// Returns true for problems with trust itself. Texts that are left out are in the view already.
pub(super) fn is_problem(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity >= Severity::Warning
        && match diagnostic.code {
            DiagnosticCode::TrustUntrusted | DiagnosticCode::TrustChanged => false,
            code => code.topic() == "trust",
        }
}

/// Formats what a grant covers, a line each.
pub(super) fn covered(lines: &[String]) -> String {
    lines.iter().map(|line| format!("  {}\n", escape_hidden(line))).collect()
}

fn view(system: &dyn System, built: &BuildResult, coverage: &Coverage, lost: &[(String, &str)]) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let mut out = String::new();
    let store = match &built.store {
        Some(file) => format!("kept in {}", built.places.shown(file)),
        None => format!("kept nowhere: {}", why_no_store(system, &built.places)),
    };
    match built.mode {
        TrustMode::Whole => whole(system, built, coverage, &mut out),
        TrustMode::Pinned | TrustMode::None => {
            let root = pin_root(system, &built.places.cwd);
            let shown = root.display().to_string();
            let rule = match built.mode {
                TrustMode::None => "text without a grant, configuration by its content",
                _ => "each text by its content",
            };
            let _ = writeln!(out, "{bold}{}{bold:#}  {dim}{rule}{dim:#}", escape_hidden(&shown));
            pinned(built, &root, coverage.unread.len(), lost, &coverage.permissions, &mut out);
        }
    }
    out.push_str(&covered(&coverage.lines()));
    out.push_str(&covered(&coverage.changes));
    let _ = writeln!(out, "{dim}grants are {store}{dim:#}");
    out
}

/// Shows what the project's extensions and servers would do, whether it is granted, and what of it is not pinned.
fn permitted(permissions: &[CoveredPermission]) -> String {
    let (bold, care, good) = (style::BOLD, style::CARE, style::GOOD);
    let mut out = String::new();
    if !permissions.is_empty() {
        let _ = writeln!(out, "\nBeyond text:");
    }
    for CoveredPermission { permission, state, granted, .. } in permissions {
        let style = if *state == GrantState::Granted { good } else { care };
        let subject = escape_hidden(&permission.subject);
        let _ = writeln!(out, "  {bold}{subject}{bold:#}  {style}{}{style:#}", state.as_str());
        let before = granted.as_ref().filter(|_| *state == GrantState::Changed).map(Permission::lines);
        for line in permission.lines() {
            let is_new = line.kind != PermissionLineKind::Unpinned
                && before.as_ref().is_some_and(|before| !before.contains(&line));
            let mark = if is_new { format!("  {care}changed{care:#}") } else { String::new() };
            let _ = writeln!(out, "    {line}{mark}");
        }
    }
    if permissions.iter().any(|one| one.state != GrantState::Granted) {
        out.push_str(&format!("{} allows what is listed here.\n", command(ALLOW)));
    }
    out
}

pub(super) fn permission(covered: &CoveredPermission) -> serde_json::Value {
    let mut value = json!(covered.permission);
    value["state"] = covered.state.as_str().into();
    if let Some(line) = covered.permission.not_pinned() {
        value["not_pinned"] = json!([line]);
    }
    value
}

/// Writes the texts of the project, and those that pins of the call name and that are not there. `unread` is the number of
/// files that a build found and cannot read.
fn pinned(
    built: &BuildResult,
    root: &Path,
    unread: usize,
    lost: &[(String, &str)],
    permissions: &[CoveredPermission],
    out: &mut String,
) {
    let mut table = TextTable::new().right(&[1]);
    for seen in &built.seen {
        let style = if seen.verdict == GateVerdict::Included { style::GOOD } else { style::CARE };
        let attachment = match seen.verdict {
            GateVerdict::UntrustedShared => "others could have put it there: grant it by its path",
            _ => "",
        };
        table.row([
            Cell::styled(format!("  {}", word(seen)), style),
            format!("{} bytes", number(seen.bytes.len())).into(),
            seen.name_in(root).into(),
            Cell::styled(attachment, style::DIM),
        ]);
    }
    for (path, state) in lost {
        table.row([
            Cell::styled(format!("  {state}"), style::CARE),
            "".into(),
            escape_hidden(path).into_owned().into(),
            Cell::styled("pinned, and not read", style::DIM),
        ]);
    }
    out.push_str(&table.show(None));
    let tally: Vec<String> = [
        (GateVerdict::Included, "granted"),
        (GateVerdict::UntrustedNew, "new"),
        (GateVerdict::UntrustedChanged, "changed"),
        (GateVerdict::UntrustedShared, "shared"),
    ]
    .into_iter()
    .map(|(verdict, word)| (built.seen.iter().filter(|seen| seen.verdict == verdict).count(), word))
    .filter(|(many, _)| *many > 0)
    .map(|(many, word)| format!("{many} {word}"))
    .collect();
    let left_out = built.untrusted().count();
    let _ = match (built.seen.len(), left_out) {
        (0, _) if lost.is_empty() && unread == 0 => {
            writeln!(out, "The project has no files that a grant covers.")
        }
        (_, 0) if !lost.is_empty() => {
            writeln!(out, "A pinned file cannot be read. If that is right, export the pins again.")
        }
        (0, _) => writeln!(out, "No file of the project can be read."),
        (_, 0) if unread > 0 => writeln!(
            out,
            "{}; {} cannot be read and {} left out.",
            listed(&tally),
            count(unread, "file"),
            if unread == 1 { "is" } else { "are" },
        ),
        (_, 0) => writeln!(out, "{}; every text is trusted.", listed(&tally)),
        _ => writeln!(
            out,
            "{}; {left_out} left out.\n{} shows what a grant would add, {} adds it.",
            listed(&tally),
            command("trust diff"),
            command("trust grant"),
        ),
    };
    let waiting: Vec<String> = permissions
        .iter()
        .filter(|one| one.state != GrantState::Granted)
        .map(|one| format!("{} ({})", escape_hidden(&one.permission.subject), one.state.as_str()))
        .collect();
    if !waiting.is_empty() {
        let _ = writeln!(out, "Not granted: {}.", listed(&waiting));
    }
}

fn whole(system: &dyn System, built: &BuildResult, coverage: &Coverage, out: &mut String) {
    let (bold, dim) = (style::BOLD, style::DIM);
    let Some(root) = layer_root(system, &built.places) else {
        let _ = writeln!(out, "There is no project directory here.");
        return;
    };
    let shown = root.display().to_string();
    let shown = escape_hidden(&shown);
    let style = if matches!(built.trust, Trust::Trusted) { style::GOOD } else { style::CARE };
    let _ = writeln!(
        out,
        "{bold}{shown}{bold:#}  {style}{}{style:#}  {dim}as a whole{dim:#}",
        match built.trust {
            Trust::Stale => "trusted, and changed since",
            other => other.as_str(),
        }
    );
    let mut table = TextTable::new().right(&[1]);
    for CoveredText { file, is_sent, state } in &coverage.texts {
        let style = if *state == GrantState::Granted { style::GOOD } else { style::CARE };
        table.row([
            Cell::styled(format!("  {}", state.as_str()), style),
            format!("{} bytes", number(file.bytes.len())).into(),
            file.shown.clone().into(),
            Cell::styled(if *is_sent { "sent to the model" } else { "" }, style::DIM),
        ]);
    }
    out.push_str(&table.show(None));
    if built.untrusted_layer.is_some() {
        let _ = writeln!(out, "It is left out. {} includes it.", command("trust grant"));
    }
}

fn document(engine: &Engine<'_>, built: &BuildResult, coverage: &Coverage) -> serde_json::Value {
    let root = pin_root(engine.system(), &built.places.cwd);
    let text = |seen: &GatedText, state: &str| {
        let is_sent = |text: &&CoveredText| text.is_sent && text.file.shown == seen.shown;
        json!({
            "path": if built.mode == TrustMode::Whole { seen.shown.clone() } else { seen.name_in(&root) },
            "state": state,
            "bytes": seen.bytes.len(),
            "digest": seen.digest.to_string(),
            "sent": coverage.texts.iter().any(|text| is_sent(&text)),
        })
    };
    let texts: Vec<serde_json::Value> = match built.mode {
        TrustMode::Whole => {
            coverage.texts.iter().map(|covered| text(&covered.file, covered.state.as_str())).collect()
        }
        _ => built.seen.iter().map(|seen| text(seen, word(seen))).collect(),
    };
    let path = engine.grant_root(built);
    json!({
        "mode": built.mode,
        "path": path.map(|path| path.display().to_string()),
        "trust": built.trust,
        "left_out": built.untrusted_layer.is_some() || built.untrusted().next().is_some(),
        "texts": texts,
        "covers": coverage,
        "store": built.store.as_ref().map(|file| file.display().to_string()),
        "diagnostics": built.prompt.diagnostics,
    })
}

/// Names how many texts a grant is about.
pub(super) fn texts(many: usize) -> String {
    count(many, "text")
}
