//! `preface config`: the settings and the directories that hold them.

mod get;
mod init;
mod list;
mod set;
mod unset;

use crate::{
    CommandFailure, CommandResult, OutputFormat, PlaceFlags, TrustFlags, diagnostics, files,
    ui::{Ui, one_line},
};
use preface_core::{
    diagnostic::{Diagnostic, DiagnosticCode, Place, Severity},
    input_error::InputError,
    scope::Scope,
    settings::{KeyPath, LayerValue, SetBy, SettingsNode, ValueOutcome, project_may},
};
use preface_engine::{
    BuildOptions, DEFAULT_PRESET, Engine, SettingsReport, host::settings_file::SettingsFile,
};

const EXAMPLES: &str = "\
Examples:
  preface config list                        list the settings with a value
  preface config get budget.tokens --why     show each layer's value
  preface config set budget.tokens 9000
  preface config unset budget.tokens";

/// Read and change settings, and create your own configuration
///
/// Settings come from three layers, of which later ones override: those that ship with preface, your own, and those of a
/// project that you trust. Comments and layout of a file stay as they are.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Get(get::Args),
    Init(init::Args),
    List(list::Args),
    Set(set::Args),
    Unset(unset::Args),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Get(args) => get::run(ui, args),
        Args::Init(args) => init::run(ui, args),
        Args::List(args) => list::run(ui, args),
        Args::Set(args) => set::run(ui, args),
        Args::Unset(args) => unset::run(ui, args),
    }
}

/// The flags of a command that reads settings.
#[derive(clap::Args, Debug)]
struct ReadFlags {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Set a setting or an option of the profile, for this call
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,

    #[command(flatten)]
    place: PlaceFlags,

    #[command(flatten)]
    trust: TrustFlags,
}

impl ReadFlags {
    /// Reads the settings, with those of the flags.
    fn settings(&self, request: BuildOptions) -> CommandResult<SettingsReport> {
        let request = self.trust.apply(BuildOptions { sets: self.set.clone(), ..request })?;
        Ok(Engine::new(files::system()).look(&request)?.settings()?)
    }
}

/// The flags of a command that changes a setting.
#[derive(clap::Args, Debug)]
struct ChangeFlags {
    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// The setting: `budget.tokens`, or `/budget/tokens`
    #[arg(value_name = "KEY")]
    key: String,

    /// Choose the file
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "SCOPE")]
    scope: SettingsTarget,

    #[command(flatten)]
    place: PlaceFlags,
}

/// Which file is changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum SettingsTarget {
    /// Your own, for all projects
    #[default]
    Global,
    /// The project's, in `.preface`
    Project,
}

impl SettingsTarget {
    fn scope(self) -> Scope {
        match self {
            SettingsTarget::Global => Scope::Global,
            SettingsTarget::Project => Scope::Project,
        }
    }
}

/// Turns a key that leads nowhere into a failure.
fn bad_key(error: &InputError) -> CommandFailure {
    let failure = CommandFailure::usage(error.to_string());
    match &error.help {
        Some(help) => failure.help(help.clone()),
        None => failure.help("docs/reference/settings.md lists every setting"),
    }
}

/// Returns whether a setting chooses the profile. Such settings are read from the default home, whichever profile they choose.
fn chooses_profile(key: &KeyPath) -> bool {
    let keys: Vec<&str> = key.keys().iter().map(String::as_str).collect();
    matches!(keys.as_slice(), ["preset"] | ["profile"] | ["systemPrompt", "preset"])
}

/// Returns the request whose settings include those that choose the profile.
fn request_for(place: &PlaceFlags, key: &KeyPath) -> BuildOptions {
    let request = place.request();
    if chooses_profile(key) && request.preset.is_none() && request.profile.is_none() {
        return BuildOptions { preset: Some(DEFAULT_PRESET.to_owned()), ..request };
    }
    request
}

/// Returns the file that has a setting.
fn file_of<'e>(
    engine: &'e Engine<'_>,
    request: &BuildOptions,
    key: &KeyPath,
    scope: Scope,
) -> CommandResult<SettingsFile<'e>> {
    if chooses_profile(key) && scope == Scope::Global {
        return Ok(engine.choosing_settings_file(request)?);
    }
    Ok(engine.look(request)?.settings_file(scope)?)
}

/// Reads a key as a person types it.
fn key_path(key: &str) -> CommandResult<KeyPath> {
    key.parse().map_err(|error| bad_key(&error))
}

/// Writes a value on one line; a secret is asterisks.
fn shown(node: &SettingsNode) -> String {
    one_line(&node.masked().to_string())
}

/// Returns the location of a value: `path:line`.
fn spot(place: &Place) -> String {
    let path = one_line(&place.path);
    match place.line.filter(|_| place.scope.is_some()) {
        Some(line) => format!("{path}:{line}"),
        None => path,
    }
}

/// Prints why settings are not used: broken files, invalid values, an untrusted project.
fn print_diagnostics(ui: &Ui, settings: &SettingsReport, least: Severity) {
    let is_shown = |diagnostic: &&Diagnostic| match diagnostic.code {
        DiagnosticCode::TrustUntrusted => settings.untrusted.is_some(),
        _ => diagnostic.severity >= least,
    };
    let diagnostics: Vec<Diagnostic> = settings.diagnostics.iter().filter(is_shown).cloned().collect();
    diagnostics::all(ui, &diagnostics);
}

/// Describes in a few words how one layer's value is used.
fn outcome(settings: &SettingsReport, key: &KeyPath, value: &LayerValue, all: &[LayerValue]) -> String {
    match value.outcome {
        ValueOutcome::Used => "used".to_owned(),
        ValueOutcome::Overridden => {
            match all.iter().rev().find(|other| other.outcome == ValueOutcome::Used) {
                Some(other) => format!("overridden by {}", other.by),
                None => "overridden".to_owned(),
            }
        }
        ValueOutcome::Ignored if value.by == SetBy::Project && !project_may(key) => {
            "ignored: a project cannot set it".to_owned()
        }
        ValueOutcome::Ignored => {
            match settings.diagnostics.iter().find(|diagnostic| is_about(diagnostic, value)) {
                Some(diagnostic) => format!("ignored: {}", one_line(&diagnostic.message)),
                None => "ignored".to_owned(),
            }
        }
    }
}

/// True if a diagnostic points at a value, or into it, or at its key, or at what contains it.
fn is_about(diagnostic: &Diagnostic, value: &LayerValue) -> bool {
    let Some(at) = &diagnostic.place else { return false };
    [&value.place, &value.key_place].into_iter().any(|place| {
        let (Some(there), Some(here)) = (&at.span, &place.span) else { return false };
        at.path == place.path && there.start < here.end && here.start < there.end
    })
}
