//! `preface config init`: a first directory with a first file, and where the others go.

use super::init_files;
use crate::{
    CommandFailure, CommandResult, Exit, OutputFormat, diagnostics, files,
    ui::{Ui, style},
};
use preface_core::{
    diagnostic::{Diagnostics, Remedy, Severity},
    profile::{Profile, ScaffoldTrigger},
    scope::Scope,
    trust::TrustMode,
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

/// Returns the first settings: every useful key that the profile reads, none of them set. `shared`: a preset may be chosen
/// there.
pub fn settings(profile: &Profile, shared: bool) -> String {
    let ids: Vec<&str> = profile.sections.iter().map(|section| section.id.as_str()).collect();
    let known = |id: &'static str| ids.contains(&id).then_some(id);
    let after = known("append").or_else(|| ids.last().copied()).unwrap_or("append");
    // Some section in the middle: the first defines the role of the model.
    let off = known("approach").or_else(|| ids.get(ids.len() / 3).copied()).unwrap_or("approach");
    let preset = if shared { PRESET } else { "" };
    format!(
        r#"// Your own settings for preface. Everything is optional; `preface explain` shows what they change.
{{
{preset}  // Text of your own at the end of the prompt (`append`), or in place of all of it (`custom`).
  // "systemPrompt": {{ "append": "Answer in English." }},

  // Single sections: a text, a file beside this one, a place, or none at all.
  // "sections": {{
  //   "house-rules": {{ "text": "Use tabs.", "after": "{after}" }},
  //   "{off}": {{ "disable": true }}
  // }},

  // The size of the whole prompt in tokens, and what happens above it: cut, error or warn.
  // "budget": {{ "tokens": 16000, "onOver": "cut" }},

  // How the text of projects is trusted: each text by its content (pinned), a project as a whole, or not at all (none).
  // "trust": {{ "mode": "pinned" }},
}}
"#
    )
}

const PRESET: &str = r#"  // The preset, or a profile of yours, that `preface build` uses when nothing else is chosen.
  // "preset": "default",
  // "profile": "profiles/mine.toml",

"#;

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
    let (profile, places, shared) = find(system, &request)?;
    let Some(home) = &places.global else {
        return Err(CommandFailure::new(
            "there is no place for your own files: neither PREFACE_HOME nor a home directory is set",
        )
        .help("set PREFACE_HOME to a directory"));
    };
    if args.with_system
        && init_files::of(&profile, Scope::Global).iter().all(|(name, _)| name != init_files::SYSTEM)
    {
        return Err(CommandFailure::usage(format!(
            "the profile `{}` reads no {}",
            profile.name,
            init_files::SYSTEM
        ))
        .help(Remedy::command("see the files that it reads", "config init")));
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
            let first = settings(&profile, shared.as_deref() == Some(home.as_path()));
            if create(system, &places, &home.join(places.own_settings()), first.as_bytes())? {
                written.push(places.own_settings().to_owned());
            }
        }
    }
    if args.with_system {
        let text = first_system(system, &places)?;
        if create(system, &places, &home.join("system.md"), &text)? {
            events.push(scaffold::scaffold_event(&home.join("system.md"), text.len()));
            written.push("system.md".to_owned());
        }
    }
    trouble.extend(Engine::new(system).log_events(&request, &events));
    match args.format {
        OutputFormat::Text => {
            let is_shared = shared.as_deref() == Some(home.as_path());
            let mut out = head(system, &places, home, existed, &written);
            out.push_str(&files_of(system, &profile, &places, home, is_shared));
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

/// The profile, its places, and where profiles and the first settings lie.
pub fn find(
    system: &dyn System,
    request: &BuildOptions,
) -> CommandResult<(Profile, Places, Option<PathBuf>)> {
    let cwd = Engine::new(system).cwd(request)?;
    let choice = match (&request.profile, &request.preset) {
        (Some(file), _) => ProfileChoice::File(files::absolute(file)?),
        (None, Some(name)) => ProfileChoice::Named(name.clone()),
        (None, None) => ProfileChoice::Named(DEFAULT_PRESET.to_owned()),
    };
    let usual = profile::load(system, None, &ProfileChoice::Named(DEFAULT_PRESET.to_owned()), &[])?;
    let shared = Places::find(system, &cwd, &usual.home, HomeTrust::Anywhere, &mut Diagnostics::new());
    let profile = profile::load(system, shared.global.as_deref(), &choice, &[])?;
    let places = Places::find(system, &cwd, &profile.home, HomeTrust::Anywhere, &mut Diagnostics::new());
    Ok((profile, places, shared.global))
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
        .find_map(|profile| system.bundled(profile.scaffold.files.get("system.md")?))
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

/// The files that every layer may have besides texts, and what each is for.
const ADDED: [(&str, &str); 3] = [
    ("extensions/<category>/<id>/", "tools, context providers, hooks and more, each with a manifest.json"),
    ("mcp.json", "MCP servers"),
    ("ordering.json", "the order of hooks"),
];

/// Lists the files that the directory, and that of a project, may have. `shared`: profiles are looked up in
/// it.
fn files_of(system: &dyn System, profile: &Profile, places: &Places, home: &Path, shared: bool) -> String {
    let (bold, dim) = (style::BOLD, style::DIM);
    let sections = ("sections/<id>.md".to_owned(), "one section, new or replaced (a template)".to_owned());
    let mut files =
        vec![(places.own_settings().to_owned(), "settings: preset, sections, budget, trust".to_owned())];
    files.extend(init_files::of(profile, Scope::Global));
    files.push(sections.clone());
    files.extend(ADDED.map(|(name, about)| (name.to_owned(), about.to_owned())));
    files.push(("models.toml".to_owned(), "what preface knows about models".to_owned()));
    if shared {
        let template = ("template.md".to_owned(), "the template of the preset `template`".to_owned());
        if !files.iter().any(|(name, _)| *name == template.0) {
            files.push(template);
        }
        files.push(("profiles/<name>.toml".to_owned(), "a whole prompt, for `--preset <name>`".to_owned()));
    }
    let wide = files.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut out = "\nWhat you can put there:\n".to_owned();
    for (name, about) in &files {
        let is_there = !name.contains('<') && there(system, &home.join(name));
        let mark = if is_there { " (exists)" } else { "" };
        let _ = writeln!(out, "  {name:<wide$}  {dim}{about}{mark}{dim:#}");
    }
    if let Some(project) = &places.project {
        let trusted = if profile.trust == TrustMode::None { "" } else { ", once you trust it" };
        let mut names = vec![places.own_settings().to_owned()];
        names.extend(init_files::of(profile, Scope::Project).into_iter().map(|(name, _)| name));
        names.push(sections.0);
        names.extend(ADDED.map(|(name, _)| name.to_owned()));
        let last = names.pop().unwrap_or_default();
        let names = if names.is_empty() { last } else { format!("{} and {last}", names.join(", ")) };
        let shown = places.shown(project);
        let _ = writeln!(out, "\nA project has its own in {bold}{shown}{bold:#}{trusted}:\n{names}.");
    }
    out
}
