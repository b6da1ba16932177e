//! `preface template set`, `reset`, `restore`, `label`, `unlabel` and `import`: the commands that make versions and labels.

use super::{TemplateTarget, VersionArgument, size, taking};
use crate::{
    failure::{CommandFailure, Exit},
    files,
    flags::PlaceFlags,
    notes,
    store::{StoreFlag, actor},
    ui::{
        Ui,
        text::{count, listed, one_line},
    },
};
use preface::{
    Engine,
    core::{diagnostic::Diagnostics, lint::hidden::escape_hidden},
    lint::LintFile,
    store::{ExpectedVersion, NewVersion, PutOutcome, TemplateName, VersionChoice},
    templates::{self, Document, ImportedTemplate, TemplatesError, check_label, check_note, set_label},
};
use std::path::PathBuf;

// `preface template set`: a new version from a file.

const SET_EXAMPLES: &str = "\
Examples:
  preface template set prompt.md
  preface template set prompt.md --note 'Shorter' --if-version 3
  echo 'You work in [prompt:cwd].' | preface template set - -t review";

/// Store a template as a new version
///
/// The text is kept byte for byte. What lint finds in it is told, ten notes at most, and stops nothing; a template that is too deep or too
/// large is refused. Text that is the current one already makes no version.
#[derive(clap::Args, Debug)]
#[command(after_long_help = SET_EXAMPLES)]
pub struct SetArgs {
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
    target: TemplateTarget,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Checks, stores and tells.
pub fn set(ui: &Ui, args: &SetArgs) -> Result<Exit, CommandFailure> {
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
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let name = args.target.name.clone();
    let new = NewVersion { note: args.note.clone(), ..NewVersion::of(name.clone(), text) };
    let put = args.target.store.work(async |store| Ok(store.put_template(new, expect, &actor).await?))?;
    let said = match &put {
        PutOutcome::Stored(version) => {
            // What is there already was told when it came.
            let file = escape_hidden(&args.file.to_string_lossy()).into_owned();
            notes::few(ui, findings, &format!("preface lint {file}"));
            format!("`{name}` is at version {} now ({}).\n", version.version, size(version))
        }
        PutOutcome::Unchanged(version) => {
            format!("`{name}` says that already (version {}).\n", version.version)
        }
        PutOutcome::Stale(current) => return Err(TemplatesError::Stale(Box::new(current.clone())).into()),
    };
    if !args.quiet {
        ui.say(&said);
    }
    Ok(Exit::Done)
}

// `preface template reset`: back to the default.

const RESET_EXAMPLES: &str = "\
Examples:
  preface template reset
  preface template reset --if-version 3";

/// Go back to the default template, or delete a named one
///
/// That is a new version, too: what was stored before stays, and `preface template restore` brings it back.
#[derive(clap::Args, Debug)]
#[command(after_long_help = RESET_EXAMPLES)]
pub struct ResetArgs {
    /// Do it only where version N is the current one
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Writes and tells.
pub fn reset(ui: &Ui, args: &ResetArgs) -> Result<Exit, CommandFailure> {
    let name = &args.target.name;
    let actor = actor(args.now.as_deref())?;
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let done = args.target.store.look(async |store| {
        match store.template(name, &VersionChoice::Current).await? {
            Some(current) if !current.reset => {
                Ok(Some(templates::reset(&*store, name, expect, &actor).await?))
            }
            _ => Ok(None),
        }
    })?;
    match done.flatten() {
        Some(version) if *name == TemplateName::main() => {
            ui.say(&format!("`{name}` is the default again (version {}).\n", version.version));
        }
        Some(version) => ui.say(&format!("`{name}` is deleted (version {}).\n", version.version)),
        None if *name != TemplateName::main() => {
            return Err(TemplatesError::NoTemplate(name.clone()).into());
        }
        None => ui.say(&format!("`{name}` is the default already.\n")),
    }
    Ok(Exit::Done)
}

// `preface template restore`: what an older version said, as a new one.

const RESTORE_EXAMPLES: &str = "\
Examples:
  preface template restore 3
  preface template restore stable -t review";

/// Bring back what an older version said
///
/// It becomes a new version, whose note names the old one.
#[derive(clap::Args, Debug)]
#[command(after_long_help = RESTORE_EXAMPLES)]
pub struct RestoreArgs {
    /// The version, by number or label
    #[arg(value_name = "VERSION", value_parser = VersionArgument::parse)]
    version: VersionArgument,

    /// Do it only where version N is the current one
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Writes and tells.
pub fn restore(ui: &Ui, args: &RestoreArgs) -> Result<Exit, CommandFailure> {
    let name = &args.target.name;
    let actor = actor(args.now.as_deref())?;
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let done = args.target.store.look(async |store| {
        let old = args.version.find(&*store, name).await?.version;
        Ok((old, templates::restore(&*store, name, old, expect, &actor).await?))
    })?;
    let Some((old, new)) = done else { return Err(args.version.missing(name).into()) };
    ui.say(&format!(
        "`{name}` is at version {} now: what version {old} said ({}).\n",
        new.version,
        size(&new)
    ));
    Ok(Exit::Done)
}

// `preface template label`: words for versions.

const LABEL_EXAMPLES: &str = "\
Examples:
  preface template label 3 stable
  preface template label stable reviewed   another label for that version
  preface build --template main@stable";

/// Put labels on a version
///
/// A label is on one version of a template at a time: putting it elsewhere moves it. `NAME@LABEL` chooses by it.
#[derive(clap::Args, Debug)]
#[command(after_long_help = LABEL_EXAMPLES)]
pub struct LabelArgs {
    /// The version, by number or label
    #[arg(value_name = "VERSION", value_parser = VersionArgument::parse)]
    version: VersionArgument,

    /// The words
    #[arg(value_name = "LABEL", required = true)]
    labels: Vec<String>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Writes and tells.
pub fn label(ui: &Ui, args: &LabelArgs) -> Result<Exit, CommandFailure> {
    let name = &args.target.name;
    for label in &args.labels {
        check_label(label)?;
    }
    let actor = actor(args.now.as_deref())?;
    let done = args.target.store.look(async |store| {
        let version = args.version.find(&*store, name).await?.version;
        for label in &args.labels {
            set_label(&*store, name, label, Some(version), &actor).await?;
        }
        Ok(version)
    })?;
    let Some(version) = done else { return Err(args.version.missing(name).into()) };
    let labels: Vec<String> = args.labels.iter().map(|label| format!("`{label}`")).collect();
    let are = if labels.len() == 1 { "is" } else { "are" };
    ui.say(&format!("{} {are} version {version} of `{name}` now.\n", listed(&labels)));
    Ok(Exit::Done)
}

// `preface template unlabel`: takes labels away.

const UNLABEL_EXAMPLES: &str = "\
Examples:
  preface template unlabel stable
  preface template unlabel stable reviewed -t review";

/// Take labels away
///
/// The version stays. Conversations that chose by the label cannot be built again until it is put back.
#[derive(clap::Args, Debug)]
#[command(after_long_help = UNLABEL_EXAMPLES)]
pub struct UnlabelArgs {
    /// The words
    #[arg(value_name = "LABEL", required = true)]
    labels: Vec<String>,

    /// Write this instant down, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "RFC3339")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Writes and tells.
pub fn unlabel(ui: &Ui, args: &UnlabelArgs) -> Result<Exit, CommandFailure> {
    let name = &args.target.name;
    for label in &args.labels {
        check_label(label)?;
    }
    let actor = actor(args.now.as_deref())?;
    let done = args.target.store.look(async |store| {
        for label in &args.labels {
            set_label(&*store, name, label, None, &actor).await?;
        }
        Ok(())
    })?;
    if done.is_none() {
        let first = args.labels.first().cloned().unwrap_or_default();
        return Err(TemplatesError::NoLabel(name.clone(), first).into());
    }
    let labels: Vec<String> = args.labels.iter().map(|label| format!("`{}`", one_line(label))).collect();
    let are = if labels.len() == 1 { "is" } else { "are" };
    ui.say(&format!("{} {are} on no version of `{name}` now.\n", listed(&labels)));
    Ok(Exit::Done)
}

// `preface template import`: takes in what `export` printed.

const IMPORT_EXAMPLES: &str = "\
Examples:
  preface template import templates.json
  preface template export | preface template import - --store sqlite:other.db";

/// Take in templates that `export` printed
///
/// Authors, times and notes are kept, versions that are there already are skipped, and nothing that is there changes. All of
/// the document is checked before anything is written.
#[derive(clap::Args, Debug)]
#[command(after_long_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
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
pub fn import(ui: &Ui, args: &ImportArgs) -> Result<Exit, CommandFailure> {
    let shown = one_line(&args.file.display().to_string());
    let document: Document = serde_json::from_slice(&files::read(&args.file)?).map_err(|error| {
        CommandFailure::new(format!("`{shown}` is no document of templates: {error}"))
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
