//! `preface config set`: one value, into a file.

use super::{ChangeFlags, bad_key, chooses_profile, file_of, is_about, outcome, request_for, spot};
use crate::{
    CommandFailure, CommandResult, Exit, PlaceFlags, diagnostics, files,
    ui::{Ui, one_line, short},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Remedy, Severity},
    scope::Scope,
    settings::{self, KeyPath, SetBy, SetValue, SettingChange, ValueOutcome, project_may},
};
use preface_engine::{
    Build, BuildOptions, Engine,
    host::settings_file::{SettingsFile, SettingsWriteOutcome},
};
use serde_json::json;
use std::str::FromStr as _;

const EXAMPLES: &str = "\
Examples:
  preface config set budget.tokens 9000
  preface config set systemPrompt.append 'Answer in English.'
  preface config set securityMode.allowlist '[\"git status\"]'
  preface config set sections.style.text 'Use tabs.' --scope project";

/// Change one setting in a file
///
/// The value is typed by the setting, as with `--set`: text is taken as it is, lists and tables are given as JSON. The rest
/// of the file stays as you wrote it, comments too.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    change: ChangeFlags,

    /// The value
    #[arg(value_name = "VALUE", allow_hyphen_values = true, help_heading = None::<&str>)]
    value: String,
}

/// Runs the command.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let set = SetValue::typed(&args.change.key, &args.value).map_err(|error| bad_key(&error))?;
    let (key, scope) = (set.path(), args.change.scope.scope());
    let name = one_line(&key.to_string());
    if scope == Scope::Project && !project_may(key) {
        return Err(CommandFailure::usage(format!("a project cannot set `{name}`"))
            .help("without `--scope project` it goes into your own settings"));
    }
    let request = request_for(&args.change.place, key);
    let engine = Engine::new(files::system());
    let file = file_of(&engine, &request, key, scope)?;
    if chooses_profile(key) {
        // A profile that cannot be loaded is refused before it is written.
        let chosen = choice(key, set.value().to_value().as_str().unwrap_or_default(), &args.change.place);
        engine.look(&chosen)?.settings()?;
    }
    let build = engine.look(&request)?;
    diagnostics::all(ui, &build.first_files());
    let value = one_line(&set.value().masked().to_string());
    let value = short(&value, 60);
    let change = SettingChange::Set(set.value().to_value());
    if let Some(refusal) = refusal(&build, &file, key, &change)? {
        return Err(refusal);
    }
    if scope == Scope::Global && key.keys().first().is_some_and(|root| root == "options") {
        // An option is checked by the profile that has it.
        let trial = BuildOptions { sets: vec![format!("{key}={}", args.value)], ..request.clone() };
        engine.look(&trial)?.settings()?;
    }
    let changed = file.edit(key, &change)? == SettingsWriteOutcome::Changed;
    let words = if changed {
        format!("set {name} = {value} in {}\n", file.shown())
    } else {
        format!("{name} is {value} in {} already\n", file.shown())
    };
    let diagnostics = afterwards(&engine.look(&request)?, &file, key)?;
    let done = json!({
        "key": key.to_string(),
        "scope": scope,
        "path": file.shown(),
        "changed": changed,
        "diagnostics": diagnostics,
    });
    ui.result(args.change.format, &done, &words)?;
    diagnostics::all(ui, &diagnostics);
    Ok(Exit::Done)
}

/// Returns a request with the profile that the value of a setting chooses.
fn choice(key: &KeyPath, value: &str, place: &PlaceFlags) -> BuildOptions {
    match key.keys() {
        [root] if root == "preset" => BuildOptions { preset: Some(value.to_owned()), ..place.request() },
        _ => BuildOptions { sets: vec![format!("{key}={value}")], ..place.request() },
    }
}

/// Returns the diagnostic for a value that the reader would ignore.
fn refusal(
    build: &Build<'_>,
    file: &SettingsFile<'_>,
    key: &KeyPath,
    change: &SettingChange,
) -> CommandResult<Option<CommandFailure>> {
    let was = file.read()?.map(|read| read.into_bytes());
    let text = settings::edit(file.scope(), file.shown(), was.as_deref(), key, change)?;
    let Some(text) = text else { return Ok(None) };
    let (Some(layer), _) = settings::parse(file.scope(), file.shown(), text.as_bytes()) else {
        return Ok(None);
    };
    let mut diagnostics = Diagnostics::new();
    let merged = build.settings()?.merged.with_layer(layer, &mut diagnostics);
    let by = SetBy::from(file.scope());
    let value = merged.why(key).into_iter().rfind(|value| value.by == by);
    let Some(value) = value.filter(|value| value.outcome == ValueOutcome::Ignored) else {
        return Ok(None);
    };
    let name = one_line(&key.to_string());
    let diagnostic = diagnostics.iter().find(|diagnostic| is_about(diagnostic, &value));
    let why = diagnostic
        .map_or_else(|| format!("`{name}` would be ignored"), |diagnostic| one_line(&diagnostic.message));
    let help =
        diagnostic.and_then(|found| found.help.clone()).unwrap_or_else(|| "nothing was written".into());
    Ok(Some(CommandFailure::usage(why).help(help)))
}

/// Reports why a value that was just written is not used, and other problems with it.
fn afterwards(build: &Build<'_>, file: &SettingsFile<'_>, key: &KeyPath) -> CommandResult<Vec<Diagnostic>> {
    let settings = build.settings()?;
    let name = one_line(&key.to_string());
    let all = settings.merged.why(key);
    let by = SetBy::from(file.scope());
    if matches!(key.keys(), [root] if root == "preset")
        && let Some(profile) = KeyPath::from_str("profile").ok().and_then(|key| settings.merged.get(&key))
    {
        let words = format!("it is not used: {} sets `profile`, which comes first", spot(&profile.place()));
        return Ok(vec![
            Diagnostic::warning(DiagnosticCode::SettingsHidden, words)
                .help(Remedy::command("remove that", "config unset profile")),
        ]);
    }
    let value = all.iter().rfind(|value| value.by == by);
    let about = |diagnostic: &&Diagnostic| {
        diagnostic.severity >= Severity::Warning
            && value
                .is_some_and(|value| value.outcome != ValueOutcome::Ignored && is_about(diagnostic, value))
    };
    let mut diagnostics: Vec<Diagnostic> = settings.diagnostics.iter().filter(about).cloned().collect();
    if let [root, id, ..] = key.keys()
        && root == "sections"
    {
        // Whether a section exists is known when the sections are put together.
        let section = [root, id].into_iter().collect();
        let section = settings.merged.why(&section).into_iter().find(|value| value.by == by);
        let is_unknown = |diagnostic: &Diagnostic| {
            diagnostic.code == DiagnosticCode::SectionUnknown
                && section.as_ref().is_some_and(|section| is_about(diagnostic, section))
        };
        diagnostics.extend(build.scopes()?.diagnostics.into_iter().filter(is_unknown));
    }
    diagnostics.extend(match value {
        None if file.scope() == Scope::Project && settings.untrusted.is_some() => {
            let words = format!("{} is used only after you trust its present content", file.shown());
            Some(Diagnostic::info(DiagnosticCode::TrustUntrusted, words).help(Remedy::grant("trust it")))
        }
        Some(value) if value.outcome == ValueOutcome::Overridden => {
            let stronger = all.iter().rev().find(|value| value.outcome == ValueOutcome::Used);
            let stronger = stronger.filter(|stronger| stronger.by > by);
            let words = match stronger {
                Some(other) => {
                    let (place, value) = (spot(&other.place), one_line(&other.value.to_string()));
                    format!("it is not used here: {place} sets `{name}` to {}", short(&value, 60))
                }
                None => "it is not used here: a stronger layer hides it".to_owned(),
            };
            let get = format!("config get {name} --why");
            let remedy = Remedy::command("see the value of each layer", get);
            Some(Diagnostic::warning(DiagnosticCode::SettingsHidden, words).help(remedy))
        }
        Some(value) if value.outcome == ValueOutcome::Ignored => {
            let words = format!("it is not used here: {}", outcome(&settings, key, value, &all));
            Some(Diagnostic::warning(DiagnosticCode::SettingsHidden, words))
        }
        _ => None,
    });
    Ok(diagnostics)
}
