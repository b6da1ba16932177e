//! `preface config init`: a first directory with a first file, and where the others go.

use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, diagnostics, files,
    ui::{Ui, style},
};
use preface_core::{
    diagnostic::{Diagnostics, Severity},
    profile::{Profile, ScaffoldTrigger},
    scope::Scope,
    section::SectionBody,
};
use preface_engine::{
    BuildOptions, DEFAULT_PRESET, Engine,
    host::{
        places::{HomeTrust, Places},
        profile::{self, ProfileChoice},
        scaffold,
        system::{FileKind, System, WriteError, WriteMode},
    },
};
use serde_json::json;
use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

/// The file of the user's own instructions.
const SYSTEM: &str = "system.md";

const EXAMPLES: &str = "\
Examples:
  preface config init
  preface config init --with-system        with a first system.md, to be edited
  PREFACE_HOME=~/prompts preface config init";

/// Create the directory for your own configuration
///
/// Nothing that exists is ever written over, and a file that you deleted does not come back by itself.
#[derive(clap::Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// Write a first system.md, with text to be edited
    #[arg(long)]
    with_system: bool,

    /// Set the output format
    #[arg(long, value_enum, default_value_t, hide_default_value = true, value_name = "FORMAT")]
    format: OutputFormat,

    /// Work in DIR instead of the current directory
    #[arg(short = 'C', value_name = "DIR")]
    directory: Option<PathBuf>,

    /// Prepare for a preset, or a profile of yours, by its name
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,

    /// Prepare for the profile in FILE
    #[arg(long, value_name = "FILE", conflicts_with = "preset")]
    profile: Option<PathBuf>,
}

/// The first settings, none of them set.
const SETTINGS: &str = r#"// Your own settings for preface. Everything is optional; `preface explain` shows what they change.
{
  // Text of your own at the end of the prompt (`append`), or in place of all of it (`custom`).
  // "systemPrompt": { "append": "Answer in English." },

  // Single sections: a text, a file beside this one, a place, or none at all.
  // "sections": { "house-rules": { "text": "Use tabs." } },

  // The size of the whole prompt in tokens, and what happens above it: cut, error or warn.
  // "budget": { "tokens": 16000, "onOver": "cut" },

  // How the text of projects is trusted: each text by its content (pinned), a project as a whole, or not at all (none).
  // "trust": { "mode": "pinned" },
}
"#;

/// The files that every profile reads, and where all others are described.
const FILES: &str = "
What you can put there, among others:
  sections/<id>.md             one section, new or replaced (a template)
  reminders/<name>.md          a reminder (a template)
  extensions/<category>/<id>/  tools, context providers, hooks and more, each with a manifest.json
  mcp.json                     MCP servers
docs/reference/files.md lists every file.
";

/// Creates what is missing.
pub fn run(ui: &Ui, args: &Args) -> CommandResult {
    let system = files::system();
    let mut trouble = Diagnostics::new();
    let request = BuildOptions {
        cwd: args.directory.clone(),
        preset: args.preset.clone(),
        profile: args.profile.clone(),
        ..BuildOptions::default()
    };
    let (profile, places) = find(system, &request)?;
    let Some(home) = &places.global else {
        return Err(CommandFailure::new(
            "there is no place for your own files: neither PREFACE_HOME nor a home directory is set",
        )
        .help("set PREFACE_HOME to a directory"));
    };
    if args.with_system && !reads_system(&profile) {
        let what = format!("the profile `{}` reads no {SYSTEM}", profile.name);
        return Err(
            CommandFailure::usage(what).help("docs/reference/files.md lists the files of each preset")
        );
    }
    let mut events = Vec::new();
    let mut written: Vec<String> = Vec::new();
    let existed = system.stat(home).is_some_and(|stat| stat.kind == FileKind::Dir);
    match profile.scaffold.when {
        ScaffoldTrigger::Discover => {
            scaffold::scaffold(system, home, &profile.scaffold, &mut trouble, &mut events);
            if !existed {
                written.extend(
                    profile.scaffold.files.keys().filter(|name| there(system, &home.join(name))).cloned(),
                );
            }
        }
        ScaffoldTrigger::Init => {
            system.make_dirs(home, scaffold::DIR_MODE).map_err(|error| cannot(&places, home, &error))?;
            written.extend(scaffold::write_files(system, home, &profile.scaffold, &mut trouble, &mut events));
            if create(system, &places, &home.join(places.own_settings()), SETTINGS.as_bytes())? {
                written.push(places.own_settings().to_owned());
            }
        }
    }
    if args.with_system {
        let text = first_system(system, &places)?;
        if create(system, &places, &home.join(SYSTEM), &text)? {
            events.push(scaffold::scaffold_event(&home.join(SYSTEM), text.len()));
            written.push(SYSTEM.to_owned());
        }
    }
    trouble.extend(Engine::new(system).log_events(&request, &events));
    match args.format {
        OutputFormat::Text => {
            let mut out = head(system, &places, home, existed, &written);
            out.push_str(FILES);
            if let Some(project) = &places.project {
                let shown = places.shown(project);
                let _ = writeln!(out, "A project has its own in {bold}{shown}{bold:#}.", bold = style::BOLD);
            }
            ui.view(&out)?;
        }
        OutputFormat::Json => ui.json(&json!({
            "path": places.shown(home),
            "created": !existed && system.stat(home).is_some(),
            "written": written,
            "diagnostics": trouble,
        }))?,
    }
    // What was created is in the view.
    trouble.retain(|diagnostic| diagnostic.severity >= Severity::Warning);
    diagnostics::all(ui, &trouble);
    Ok(if trouble.iter().any(|diagnostic| diagnostic.severity >= Severity::Warning) {
        Exit::Failed
    } else {
        Exit::Done
    })
}

/// Returns the profile and its places.
fn find(system: &dyn System, request: &BuildOptions) -> CommandResult<(Profile, Places)> {
    let cwd = Engine::new(system).cwd(request)?;
    let choice = match (&request.profile, &request.preset) {
        (Some(file), _) => ProfileChoice::File(files::absolute(file)?),
        (None, Some(name)) => ProfileChoice::Named(name.clone()),
        (None, None) => ProfileChoice::Named(DEFAULT_PRESET.to_owned()),
    };
    let usual = profile::load(system, None, &ProfileChoice::Named(DEFAULT_PRESET.to_owned()), &[])?;
    let places = |profile: &Profile| {
        Places::find(system, &cwd, &profile.home, HomeTrust::Anywhere, &mut Diagnostics::new())
    };
    let profile = profile::load(system, places(&usual).global.as_deref(), &choice, &[])?;
    let places = places(&profile);
    Ok((profile, places))
}

/// Returns true if a section of the profile is the user's [`SYSTEM`].
fn reads_system(profile: &Profile) -> bool {
    profile.sections.iter().any(|section| {
        matches!(&section.body, SectionBody::Fill(provider) if provider.as_str() == "system-prompt-file")
    })
}

/// Writes a file that is not there yet.
fn create(system: &dyn System, places: &Places, path: &Path, bytes: &[u8]) -> CommandResult<bool> {
    match system.write(path, bytes, WriteMode::New, scaffold::FILE_MODE) {
        Ok(()) => Ok(true),
        Err(WriteError::Exists) => Ok(false),
        Err(error) => Err(cannot(places, path, &error)),
    }
}

fn cannot(places: &Places, path: &Path, error: &WriteError) -> CommandFailure {
    CommandFailure::new(format!("cannot create `{}`: {error}", places.shown(path)))
        .help("PREFACE_HOME names another directory")
}

fn there(system: &dyn System, path: &Path) -> bool {
    system.link_stat(path).is_some()
}

/// The bundled first text: what the first preset that brings a `system.md` brings.
fn first_system(system: &dyn System, places: &Places) -> CommandResult<Vec<u8>> {
    profile::names(system, places.global.as_deref())
        .into_iter()
        .filter_map(|name| profile::load(system, None, &ProfileChoice::Named(name), &[]).ok())
        .find_map(|profile| system.bundled(profile.scaffold.files.get(SYSTEM)?))
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(|| CommandFailure::new("there is no bundled text for system.md"))
}

fn head(system: &dyn System, places: &Places, home: &Path, existed: bool, written: &[String]) -> String {
    let (bold, good) = (style::BOLD, style::GOOD);
    let mut out = String::new();
    let shown = places.source(Scope::Global, home).path.clone();
    let verb = match (existed, there(system, home)) {
        (true, _) => "is there already",
        (false, true) => "was created",
        (false, false) => "could not be created",
    };
    let _ = writeln!(out, "{bold}{shown}{bold:#} {verb}.");
    for name in written {
        let _ = writeln!(out, "  {good}wrote{good:#} {name}");
    }
    out
}
