//! `preface template set`: a new version from a file.

use super::{Target, size, taking};
use crate::{
    failure::{Exit, Failure},
    files,
    flags::PlaceFlags,
    notes,
    store::actor,
    ui::Ui,
};
use preface::{
    Engine,
    core::{diagnostic::Diagnostics, lint::hidden::escape_hidden},
    lint::LintFile,
    store::{Expect, NewVersion, Put},
    templates::{TemplatesError, check_note},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface template set prompt.md
  preface template set prompt.md --note 'Shorter' --if-version 3
  echo 'You work in [prompt:cwd].' | preface template set - -t review";

/// Store a template as a new version
///
/// The text is kept byte for byte. What lint finds in it is told, ten notes at most, and stops nothing; a template that is too deep or too
/// large is refused. Text that is the current one already makes no version.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The text, or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Say why
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,

    /// Store it only where version N is the current one; 0 is none
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Say nothing but errors
    #[arg(short, long)]
    quiet: bool,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Checks, stores and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let (shown, text) = files::read_text(&args.file)?;
    check_note(&args.note)?;
    let actor = actor(args.now.as_deref())?;
    let system = files::system();
    let engine = Engine::new(&system);
    let request = taking(&engine, &args.place)?;
    if let Err(note) = engine.check_template(&request, &text)? {
        let place = note.place.clone().map(|place| preface::core::diagnostic::Place { path: shown, ..place });
        return Err(preface::core::diagnostic::Diagnostic { place, ..*note }.into());
    }
    let mut findings = Diagnostics::new();
    if !args.quiet {
        let file = LintFile { path: "template".into(), shown, bytes: text.clone().into_bytes() };
        findings = engine.lint_files(&request, &[file])?.findings;
    }
    let expect = args.if_version.map_or(Expect::Any, Expect::Version);
    let name = args.target.name.clone();
    let new = NewVersion { note: args.note.clone(), ..NewVersion::of(name.clone(), text) };
    let put = args.target.store.work(async |store| Ok(store.put_template(new, expect, &actor).await?))?;
    let said = match &put {
        Put::Stored(version) => {
            // What is there already was told when it came.
            let file = escape_hidden(&args.file.to_string_lossy()).into_owned();
            notes::few(ui, findings, &format!("preface lint {file}"));
            format!("`{name}` is at version {} now ({}).\n", version.version, size(version))
        }
        Put::Unchanged(version) => format!("`{name}` says that already (version {}).\n", version.version),
        Put::Stale(current) => return Err(TemplatesError::Stale(Box::new(current.clone())).into()),
    };
    if !args.quiet {
        ui.say(&said);
    }
    Ok(Exit::Done)
}
