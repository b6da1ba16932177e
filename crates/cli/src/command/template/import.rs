//! `preface template import`: takes in what `export` printed.

use super::taking;
use crate::{
    failure::{Exit, Failure},
    files,
    flags::PlaceFlags,
    store::{StoreFlag, actor},
    ui::{
        Ui,
        text::{count, listed, one_line},
    },
};
use preface::{
    Engine,
    templates::{self, Document, ImportedTemplate, TemplatesError},
};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  preface template import templates.json
  preface template export | preface template import - --store sqlite:other.db";

/// Take in templates that `export` printed
///
/// Authors, times and notes are kept, versions that are there already are skipped, and nothing that is there changes. All of
/// the document is checked before anything is written.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The document, or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Reads, writes and tells.
pub fn run(ui: &Ui, args: &Args) -> Result<Exit, Failure> {
    let shown = one_line(&args.file.display().to_string());
    let document: Document = serde_json::from_slice(&files::read(&args.file)?).map_err(|error| {
        Failure::new(format!("`{shown}` is no document of templates: {error}"))
            .hint("`preface template export` writes one")
    })?;
    let actor = actor(args.now.as_deref())?;
    let system = files::system();
    let engine = Engine::new(&system);
    let request = taking(&engine, &args.place)?;
    let check = |text: &str| match engine.check_template(&request, text) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(note)) => Err(TemplatesError::Invalid(note.message.clone(), note.help.unwrap_or_default())),
        Err(error) => Err(TemplatesError::Invalid(error.to_string(), String::new())),
    };
    let done =
        args.store.work(async |store| Ok(templates::import(&*store, &document, &check, &actor).await?))?;
    for template in &done.templates {
        ui.say(&line(template));
    }
    if done.templates.is_empty() {
        ui.say("The document holds no templates.\n");
    }
    Ok(Exit::Done)
}

fn line(done: &ImportedTemplate) -> String {
    let name = one_line(done.name.as_str());
    let mut said = format!("`{name}`: {} added", count(done.added, "version"));
    if done.skipped > 0 {
        said.push_str(&format!(", {} there already", done.skipped));
    }
    if done.diverged {
        said.push_str("; they stand behind versions that the document does not know");
    }
    if !done.kept_labels.is_empty() {
        let labels: Vec<String> = done.kept_labels.iter().map(|label| format!("`{label}`")).collect();
        said.push_str(&format!("; {} stayed where it is here", listed(&labels)));
    }
    said.push_str(".\n");
    said
}
