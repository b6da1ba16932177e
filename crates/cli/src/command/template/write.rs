//! `preface template set`, `delete`, `label` and `import`: the commands that make versions and labels.

use super::{TemplateTarget, VersionArgument, read::document, size, taking};
use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, PlaceFlags, StoreFlag, diagnostics, files,
    store::actor,
    ui::{Ui, count, listed, one_line},
};
use preface_core::{
    diagnostic::{Diagnostics, Place, Remedy},
    lint::hidden::escape_hidden,
};
use preface_engine::{
    Engine,
    lint::LintFile,
    store::{ExpectedVersion, NewVersion, PutOutcome, TemplateName, VersionChoice},
    templates::{self, Document, ImportedTemplate, TemplatesError, check_label, check_note, set_label},
};
use serde_json::json;
use std::path::PathBuf;

// `preface template set`: a new version from a file.

const SET_EXAMPLES: &str = "\
Examples:
  preface template set prompt.md
  preface template set prompt.md --note 'Shorter' --if-version 3
  echo 'You work in [prompt:cwd].' | preface template set - -t review
  preface template set --from 3             store version 3 again";

/// Store a template as a new version
///
/// The text is stored byte for byte. Lint findings are reported, ten at most, and do not stop it; a template that is nested
/// too deep or too large is refused. Storing the current text again creates no version.
#[derive(clap::Args, Debug)]
#[command(after_long_help = SET_EXAMPLES)]
pub struct SetArgs {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The text, or `-` for stdin
    #[arg(value_name = "FILE", required_unless_present = "from")]
    file: Option<PathBuf>,

    /// Store the text of this version again, by number or label; the note names it
    #[arg(long, value_name = "VERSION", value_parser = VersionArgument::parse, conflicts_with_all = ["file", "note"])]
    from: Option<VersionArgument>,

    /// Add a note to the version
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    note: String,

    /// Store it only if version N is the current one; 0 means no version
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Record this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Runs the command.
pub fn set(ui: &Ui, args: &SetArgs) -> CommandResult {
    if let Some(from) = &args.from {
        return restore(ui, args, from);
    }
    let file = args.file.clone().unwrap_or_default();
    let (shown, text) = files::read_text(&file)?;
    check_note(&args.note)?;
    let actor = actor(args.now.as_deref())?;
    let engine = Engine::new(files::system());
    let request = taking(&engine, &args.place.request())?;
    if let Err(mut note) = engine.check_template(&request, &text)? {
        note.place = note.place.take().map(|place| Place { path: shown, ..place });
        return Err(note.into());
    }
    let mut findings = Diagnostics::new();
    if !ui.is_quiet() {
        let text = LintFile { path: "template".into(), shown, bytes: text.clone().into_bytes() };
        findings = engine.lint_files(&request, &[text])?.findings;
    }
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let name = args.target.name.clone();
    let new = NewVersion { note: args.note.clone(), ..NewVersion::of(name.clone(), text) };
    let put = args.target.store.work(async |store| Ok(store.put_template(new, expect, &actor).await?))?;
    let (version, changed) = match put {
        PutOutcome::Stored(version) => (version, true),
        PutOutcome::Unchanged(version) => (version, false),
        PutOutcome::Stale(current) => return Err(TemplatesError::Stale(Box::new(current)).into()),
    };
    let report = json!({ "name": name.as_str(), "stored": document(&version), "changed": changed, "diagnostics": &findings });
    let words = if changed {
        // Diagnostics of the stored text were reported when it was stored.
        let file = escape_hidden(&file.to_string_lossy()).into_owned();
        diagnostics::few(ui, findings, &format!("lint --preset template --file {file}"));
        format!("`{name}` is now at version {} ({}).\n", version.version, size(&version))
    } else {
        format!("`{name}` has this text already (version {}).\n", version.version)
    };
    ui.result(args.format, &report, &words)
}

/// Stores the text of an older version as a new one.
fn restore(ui: &Ui, args: &SetArgs, from: &VersionArgument) -> CommandResult {
    let name = &args.target.name;
    let actor = actor(args.now.as_deref())?;
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let done = args.target.store.open(async |store| {
        let old = from.find(&*store, name).await?.version;
        Ok((old, templates::restore(&*store, name, old, expect, &actor).await?))
    })?;
    let Some((old, new)) = done else { return Err(from.missing(name).into()) };
    let words =
        format!("`{name}` is now at version {}: the text of version {old} ({}).\n", new.version, size(&new));
    let report =
        json!({ "name": name.as_str(), "stored": document(&new), "changed": true, "diagnostics": [] });
    ui.result(args.format, &report, &words)
}

// `preface template delete`: back to the default.

const DELETE_EXAMPLES: &str = "\
Examples:
  preface template delete
  preface template delete --if-version 3";

/// Delete a template; `main` returns to the default
///
/// That is a new version, too: what was stored before stays, and `preface template set --from` brings it back.
#[derive(clap::Args, Debug)]
#[command(after_long_help = DELETE_EXAMPLES)]
pub struct DeleteArgs {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Do it only if version N is the current one
    #[arg(long, value_name = "N")]
    if_version: Option<u64>,

    /// Record this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Runs the command.
pub fn delete(ui: &Ui, args: &DeleteArgs) -> CommandResult {
    let name = &args.target.name;
    let actor = actor(args.now.as_deref())?;
    let expect = args.if_version.map_or(ExpectedVersion::Any, ExpectedVersion::Version);
    let done = args.target.store.open(async |store| {
        match store.template(name, &VersionChoice::Current).await? {
            Some(current) if !current.reset => {
                Ok(Some(templates::reset(&*store, name, expect, &actor).await?))
            }
            _ => Ok(None),
        }
    })?;
    let done = done.flatten();
    let words = match &done {
        Some(version) if *name == TemplateName::main() => {
            format!("`{name}` is the default again (version {}).\n", version.version)
        }
        Some(version) => format!("`{name}` is deleted (version {}).\n", version.version),
        None if *name != TemplateName::main() => {
            return Err(TemplatesError::NoTemplate(name.clone()).into());
        }
        None => format!("`{name}` is the default already.\n"),
    };
    let changed = done.is_some();
    let report = json!({ "name": name.as_str(), "stored": done.as_ref().map(document), "changed": changed });
    ui.result(args.format, &report, &words)
}

// `preface template label`: words for versions.

const LABEL_EXAMPLES: &str = "\
Examples:
  preface template label stable 3
  preface template label stable reviewed   copy that label's version
  preface template label --delete stable
  preface build --template main@stable";

/// Put a label on a version, or delete it
///
/// A label is on one version of a template at a time; putting it on another version moves it. `NAME@LABEL` selects the
/// version. Without VERSION it is the current one. A conversation that was built from a deleted label cannot be built again
/// until the label exists again.
#[derive(clap::Args, Debug)]
#[command(after_long_help = LABEL_EXAMPLES)]
pub struct LabelArgs {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The label
    #[arg(value_name = "LABEL", add = crate::complete::labels())]
    label: String,

    /// The version, by number or label
    #[arg(value_name = "VERSION", value_parser = VersionArgument::parse, conflicts_with = "delete")]
    version: Option<VersionArgument>,

    /// Delete the label; the version stays
    #[arg(long)]
    delete: bool,

    /// Record this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    target: TemplateTarget,
}

/// Sets or deletes the label.
pub fn label(ui: &Ui, args: &LabelArgs) -> CommandResult {
    let (name, label) = (&args.target.name, &args.label);
    check_label(label)?;
    let actor = actor(args.now.as_deref())?;
    let wanted = args.version.clone().unwrap_or(VersionArgument(VersionChoice::Current));
    let done = args.target.store.open(async |store| {
        let version = if args.delete { None } else { Some(wanted.find(&*store, name).await?.version) };
        set_label(&*store, name, label, version, &actor).await?;
        Ok(version)
    })?;
    let shown = one_line(label);
    match done {
        None if args.delete => Err(TemplatesError::NoLabel(name.clone(), label.clone()).into()),
        None => Err(wanted.missing(name).into()),
        Some(version) => {
            let words = match version {
                None => format!("Deleted the label `{shown}` of `{name}`.\n"),
                Some(version) => format!("Version {version} of `{name}` has the label `{shown}`.\n"),
            };
            let report = json!({ "name": name.as_str(), "label": label, "version": version });
            ui.result(args.format, &report, &words)
        }
    }
}

// `preface template import`: takes in what `export` printed.

const IMPORT_EXAMPLES: &str = "\
Examples:
  preface template import templates.json
  preface template export | preface template import - --store sqlite:other.db";

/// Import templates from a file that `export` printed
///
/// Authors, times and notes are kept, versions that are there already are skipped, and nothing that is there changes. All of
/// the document is checked before anything is written.
#[derive(clap::Args, Debug)]
#[command(after_long_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The document, or `-` for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Record this time, such as 2026-03-07T14:55:05Z
    #[arg(long, value_name = "TIME")]
    now: Option<String>,

    #[command(flatten)]
    store: StoreFlag,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Runs the command.
pub fn import(ui: &Ui, args: &ImportArgs) -> CommandResult {
    let shown = one_line(&args.file.display().to_string());
    let document: Document = serde_json::from_slice(&files::read(&args.file)?).map_err(|error| {
        CommandFailure::new(format!("`{shown}` is no document of templates: {error}"))
            .help(Remedy::command("write one", "template export"))
    })?;
    let actor = actor(args.now.as_deref())?;
    let engine = Engine::new(files::system());
    let request = taking(&engine, &args.place.request())?;
    let check = |text: &str| match engine.check_template(&request, text) {
        Ok(Ok(())) => Ok(()),
        Ok(Err(note)) => {
            Err(TemplatesError::Invalid(note.message.clone(), note.help.unwrap_or_default().words))
        }
        Err(error) => Err(TemplatesError::Invalid(error.to_string(), String::new())),
    };
    let done =
        args.store.work(async |store| Ok(templates::import(&*store, &document, &check, &actor).await?))?;
    if args.format == OutputFormat::Json {
        ui.json(&done)?;
        return Ok(Exit::Done);
    }
    for template in &done.templates {
        ui.eprint(&line(template));
    }
    if done.templates.is_empty() {
        ui.eprint("The document holds no templates.\n");
    }
    Ok(Exit::Done)
}

fn line(done: &ImportedTemplate) -> String {
    let name = one_line(done.name.as_str());
    let mut line = format!("`{name}`: {} added", count(done.added, "version"));
    if done.skipped > 0 {
        line.push_str(&format!(", {} there already", done.skipped));
    }
    if done.diverged {
        line.push_str("; they follow versions that are not in the document");
    }
    if !done.kept_labels.is_empty() {
        let labels: Vec<String> = done.kept_labels.iter().map(|label| format!("`{label}`")).collect();
        line.push_str(&format!("; {} stayed where it is here", listed(&labels)));
    }
    line.push_str(".\n");
    line
}
