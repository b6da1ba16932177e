//! `preface template`: the templates that the store keeps, with all their versions.

mod read;
mod render;
mod write;

use crate::{
    CommandFailure, CommandResult, StoreFlag,
    ui::{Ui, count, one_line},
};
use preface_engine::{
    BuildOptions, Engine, TrustChoice,
    conversation::TemplateChoice,
    preset_names,
    store::{Store, TemplateName, TemplateNameError, TemplateVersion, VersionChoice},
    templates::TemplatesError,
};
use read::{ExportArgs, ListArgs, ShowArgs};
use write::{DeleteArgs, ImportArgs, LabelArgs, SetArgs};

const EXAMPLES: &str = "\
Examples:
  preface template show                     the current template
  preface template set prompt.md --note 'Shorter'
  preface template list main              list the versions with their notes
  preface diff template:main@3             version 3 against the current one
  preface template set --from 3            store version 3 again
  preface template export > templates.json";

/// Read and change stored templates
///
/// A profile that takes a template uses `main` of the store, if there is one. Each change is a new version; none is ever
/// lost. Conversations that are kept stay as they are until they are compacted or refreshed.
#[derive(Debug, clap::Subcommand)]
#[command(after_long_help = EXAMPLES)]
pub enum Args {
    Delete(DeleteArgs),
    Export(ExportArgs),
    Import(ImportArgs),
    Label(LabelArgs),
    List(ListArgs),
    Render(Box<render::Args>),
    Set(SetArgs),
    Show(ShowArgs),
}

/// Runs the subcommand.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    match args {
        Args::Delete(args) => write::delete(ui, args),
        Args::Export(args) => read::export(ui, args),
        Args::Import(args) => write::import(ui, args),
        Args::Label(args) => write::label(ui, args),
        Args::List(args) => read::list(ui, args),
        Args::Render(args) => render::run(ui, args),
        Args::Set(args) => write::set(ui, args),
        Args::Show(args) => read::show(ui, args),
    }
}

/// Which template of which store.
#[derive(clap::Args, Clone, Debug)]
#[command(next_help_heading = "Store")]
struct TemplateTarget {
    /// Work on this template
    #[arg(short = 't', long = "template", value_name = "NAME", default_value_t = TemplateName::main(), value_parser = template_name, add = crate::complete::templates())]
    name: TemplateName,

    #[command(flatten)]
    store: StoreFlag,
}

/// Reads the name of a template, without a version.
fn template_name(text: &str) -> Result<TemplateName, String> {
    text.parse().map_err(|error: TemplateNameError| match text.split_once('@') {
        Some((name, version)) if text.parse::<TemplateChoice>().is_ok() => {
            format!("`{text}` is a version; name the template, `{name}`, and where a version is needed, `{version}`")
        }
        _ => error.to_string(),
    })
}

/// Names a version: its number, or a label.
#[derive(Clone, Debug)]
struct VersionArgument(VersionChoice);

impl VersionArgument {
    fn parse(text: &str) -> Result<Self, String> {
        match text.parse::<u64>() {
            Ok(number) => Ok(VersionArgument(VersionChoice::Version(number))),
            Err(_) if TemplateChoice::is_label(text) => {
                Ok(VersionArgument(VersionChoice::Label(text.to_owned())))
            }
            Err(_) => Err(format!("not a version (a number or a label): `{}`", one_line(text))),
        }
    }

    /// Finds the version, its text with it.
    async fn find(&self, store: &dyn Store, name: &TemplateName) -> CommandResult<TemplateVersion> {
        match store.template(name, &self.0).await? {
            Some(version) => Ok(version),
            None => Err(self.missing(name).into()),
        }
    }

    /// Creates the error for an unknown version.
    fn missing(&self, name: &TemplateName) -> TemplatesError {
        match &self.0 {
            VersionChoice::Current => TemplatesError::NoTemplate(name.clone()),
            VersionChoice::Version(number) => TemplatesError::NoVersion(name.clone(), *number),
            VersionChoice::Label(label) => TemplatesError::NoLabel(name.clone(), label.clone()),
        }
    }
}

/// Returns a request whose profile takes a template: the one that is asked for, else the first preset that does.
fn taking(engine: &Engine<'_>, request: &BuildOptions) -> CommandResult<BuildOptions> {
    let request = BuildOptions { trust: TrustChoice::Deny, ..request.clone() };
    if engine.default_template(&request)?.is_some() {
        return Ok(request);
    }
    if request.preset.is_some() || request.profile.is_some() {
        return Err(CommandFailure::usage("that profile takes no template")
            .help("a group with `replace = [\"store\", …]` takes one"));
    }
    for name in preset_names(engine.system(), None) {
        let request = BuildOptions { preset: Some(name), ..request.clone() };
        if engine.default_template(&request)?.is_some() {
            return Ok(request);
        }
    }
    Err(CommandFailure::new("no preset takes a template"))
}

/// Returns the text that is used if nothing is stored.
pub fn default_text(engine: &Engine<'_>, request: &BuildOptions) -> CommandResult<String> {
    Ok(engine.default_template(&taking(engine, request)?)?.unwrap_or_default())
}

/// `120 bytes`, or that it is the default.
fn size(version: &TemplateVersion) -> String {
    if version.reset {
        "the default".to_owned()
    } else {
        count(usize::try_from(version.bytes).unwrap_or(usize::MAX), "byte")
    }
}
