//! `preface trust diff`: what a grant would add, line by line.

use super::status::permission;
use crate::{
    CommandResult, Exit, OutputFormat, TemplateFlags, TurnFlags,
    call::{ALLOW, command},
    diagnostics, files,
    flags::pins,
    ui::{Ui, patch, visible},
};
use preface_core::{diagnostic::Diagnostics, lint::hidden::escape_hidden, trust::TrustMode};
use preface_engine::{
    BuildOptions, CoveredPermission, Engine, WriteScope,
    consent::pin_root,
    coverage::Review,
    host::trust::{GrantState, Permission, PermissionLine, PermissionLineKind, gate::GateVerdict},
};
use serde_json::json;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface trust diff
  preface trust diff -C ../api | less";

/// Show what is new or changed since the grant
///
/// A unified diff from the text that was granted last to the text on disk. Text that was never granted is all new, and so is
/// text of which only digests are known, that of pins. Programs of extensions and servers that are not granted follow, with their
/// files. Control characters and hidden characters are written as `\u{…}`, in a pipe, too. Tokens that look like credentials are masked in commands and addresses, not in the text
/// of files.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
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

/// Compares and prints.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let templates = TemplateFlags::default().source(&args.turn.request());
    let engine = Engine::new(files::system()).with_templates(&templates).writing(WriteScope::Nothing);
    let request = BuildOptions { pins: pins(args.trust_pins.as_deref())?, ..args.turn.request() };
    let review = engine.review(&request, &[])?;
    let digest = review.coverage.digest();
    let changes = ReviewDiff::of(&engine, &request, &review)?;
    let text = format!("{}{}", changes.text, changes.programs);
    // These texts are not reviewed yet, so they are not sent raw to a pager either.
    match args.format {
        OutputFormat::Text if text.is_empty() => ui.eprint("Nothing to review.\n"),
        OutputFormat::Text => {
            ui.patch(&shown(&text))?;
            let grant = command(&format!("trust grant --reviewed {digest}"));
            ui.eprint(&format!("{grant} grants exactly this\n"));
        }
        OutputFormat::Json => ui.json(&json!({
            "path": changes.root,
            "branch": changes.branch,
            "paths": changes.paths,
            "permissions": changes.permissions,
            "text": text,
            "digest": digest.to_string(),
            "diagnostics": changes.problems,
        }))?,
    }
    diagnostics::all(ui, &changes.problems);
    Ok(Exit::Done)
}

/// What a grant would add, for people.
pub(super) struct ReviewDiff {
    root: String,
    branch: Option<String>,
    paths: Vec<String>,
    problems: Diagnostics,
    permissions: Vec<serde_json::Value>,
    /// A unified diff of the texts.
    pub text: String,
    /// The same of what the project would run.
    pub programs: String,
}

impl ReviewDiff {
    /// Compares what a grant covers with what was granted.
    pub fn of(engine: &Engine<'_>, request: &BuildOptions, review: &Review) -> CommandResult<Self> {
        let Review { built, coverage } = review;
        let root = pin_root(engine.system(), &built.places.cwd);
        let mut problems = Diagnostics::new();
        let mut out = String::new();
        let mut left_out = Vec::new();
        let store = match coverage.texts.is_empty() {
            true => None,
            false => Some(engine.store(built)?.for_project(&root)),
        };
        if let Some(store) = &store {
            store.load(&mut problems);
        }
        // A file may have been granted here with the content that it is pinned with.
        let pins = engine.granted(built, request.pins.as_deref())?;
        let is_whole = built.mode == TrustMode::Whole;
        for text in coverage.texts.iter().filter(|text| text.state != GrantState::Granted) {
            let is_shared = text.file.verdict == GateVerdict::UntrustedShared;
            if !is_shared && text.file.verdict != GateVerdict::Included {
                continue;
            }
            let seen = &text.file;
            let name = if is_whole { seen.shown.clone() } else { seen.name_in(&root) };
            let versions = pins.versions(&seen.pin).iter().rev();
            let granted = versions.filter_map(|pinned| store.as_ref()?.copy(&pinned.digest)).next();
            let now = String::from_utf8_lossy(&seen.bytes);
            let (from, then) = match &granted {
                Some(bytes) => (format!("a/{name}"), String::from_utf8_lossy(bytes)),
                None => ("/dev/null".to_owned(), "".into()),
            };
            if granted.is_none() && text.state == GrantState::Changed {
                let what =
                    "changed; the trusted text is not here, only its digest: `git diff` shows the change";
                out.push_str(&format!("# {name}: {what}\n"));
            }
            if is_shared {
                let what = "others could have put it there; only a grant by its path includes it";
                out.push_str(&format!("# {name}: {what}\n"));
            }
            out.push_str(&patch::unified(&from, &format!("b/{name}"), &then, &now));
            left_out.push(name);
        }
        let branch = coverage.branch.as_ref().filter(|branch| !branch.granted && !out.is_empty());
        if let Some(branch) = branch {
            // A comment before the first file of a patch: programs that apply one skip it.
            out.insert_str(0, &format!("# branch: {}\n", branch.name));
        }
        let changed = || coverage.permissions.iter().filter(|one| one.state != GrantState::Granted);
        Ok(ReviewDiff {
            root: root.display().to_string(),
            branch: branch.map(|branch| branch.name.clone()),
            paths: left_out,
            problems,
            text: out,
            permissions: changed().map(entry).collect(),
            programs: changed().map(permission_diff).collect(),
        })
    }
}

/// Writes a diff with what would hide in it, and line ends as they are.
pub(super) fn shown(diff: &str) -> String {
    let line = |line: &str| match line.strip_suffix("\r\n") {
        Some(line) => format!("{}\r\n", visible(line)),
        None => visible(line).into_owned(),
    };
    diff.split_inclusive('\n').map(line).collect()
}

/// Returns the entry of what is not granted, with the paths of the files that differ.
fn entry(covered: &CoveredPermission) -> serde_json::Value {
    let mut entry = permission(covered);
    entry["paths"] = covered.files.keys().map(String::as_str).collect();
    entry
}

/// Compares what the project would do with what was granted: in comments, which programs that apply a patch skip, and the
/// files of its program whole, as a patch.
fn permission_diff(change: &CoveredPermission) -> String {
    let subject = escape_hidden(&change.permission.subject);
    let lines = change.permission.lines();
    let mut out = format!("# {subject}: {}; {} allows it\n", change.state.as_str(), command(ALLOW));
    let before = change.granted.as_ref().map(Permission::lines).unwrap_or_default();
    // The files themselves follow. What is not pinned follows from the rest: a grant has no record of it.
    let is_action = |line: &&PermissionLine| match line.kind {
        PermissionLineKind::Action => true,
        PermissionLineKind::Unpinned => change.granted.is_none(),
        PermissionLineKind::Digest => false,
    };
    for line in before.iter().filter(|line| is_action(line) && !lines.contains(line)) {
        out.push_str(&format!("# - {line}\n"));
    }
    for line in lines.iter().filter(|line| is_action(line) && !before.contains(line)) {
        out.push_str(&format!("# + {line}\n"));
    }
    change.files.iter().for_each(|(path, bytes)| out.push_str(&file_diff(path, bytes)));
    out
}

fn file_diff(path: &str, bytes: &[u8]) -> String {
    let to = format!("b/{}", escape_hidden(path));
    if bytes.contains(&0) {
        return format!("Binary files /dev/null and {to} differ\n");
    }
    patch::unified("/dev/null", &to, "", &String::from_utf8_lossy(bytes))
}
